//! Names and doc comments use standard terms. The words below stood for several things each, or had
//! to be decoded; CONTRIBUTING.md says how we write.

use std::sync::LazyLock;

use regex::Regex;

use super::code::blanked;
use super::{Violation, hold, planted};

/// Words that are no names: verbs in the past and prepositions in place of a noun.
const NO_NAMES: [&str; 13] = [
    "told", "said", "heard", "known", "kept", "asked", "named", "met", "beside", "upon", "tell", "say",
    "hear",
];

/// Names of types that stand for too many things, or for none that a reader could guess.
const NO_TYPES: [&str; 40] = [
    "Scribe",
    "Scout",
    "Sink",
    "Out",
    "Feed",
    "Fed",
    "Shelf",
    "Deed",
    "Warm",
    "Moment",
    "Past",
    "Witnesses",
    "Door",
    "Telling",
    "Room",
    "Measure",
    "Sense",
    "Ring",
    "Keyring",
    "Offer",
    "Ground",
    "Reach",
    "Lane",
    "Gate",
    "Pass",
    "Full",
    "Patient",
    "Mount",
    "Pace",
    "Patience",
    "Agenda",
    "Rhythm",
    "Figures",
    "Visit",
    "Lock",
    "Call",
    "By",
    "Entry",
    "Part",
    "Record",
];

/// Beginnings of names of limits; a limit is `MAX_` or `MIN_` with its subject and unit.
const NO_PREFIXES: [&str; 3] = ["MOST_", "LONGEST_", "LARGEST_"];

/// Names that stay, each with its reason.
const EXCEPTIONS: [(&str, &str, &str); 5] = [
    ("crates/app/src/sessions/show.rs", "said", "a field in the JSON of `cm sessions show`"),
    ("crates/app/src/receive.rs", "known", "a field in the answer to an upload of sessions"),
    ("crates/app/src/verbs/audit.rs", "kept", "a field in the JSON of `cm audit`"),
    ("crates/app/src/verbs/trauma.rs", "kept", "a field in the JSON of `cm trauma list`"),
    ("crates/agents/src/agents/cline/log/wire.rs", "say", "a field in Cline's logs"),
];

/// Phrases of doc comments that say nothing without the code, or point to what is not named.
const NO_PHRASES: [&str; 10] = [
    "Those of [",
    "The same, ",
    "What it is",
    "What there is",
    "is not to be had",
    "of that name",
    "so many of",
    "so long as",
    "somebody",
    "nobody",
];

static ITEM: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(?:fn|struct|enum|trait|type|mod|const|static)\s+(\w+)").unwrap());
static FIELD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s+(?:pub(?:\([^)]*\))?\s+)?(\w+):\s").unwrap());
/// Parts of code in which a binding stands.
static PATTERNS: LazyLock<[Regex; 5]> = LazyLock::new(|| {
    [
        // Also `if let` and `while let`; the pattern ends before `=`.
        r"\blet\s+([^=;]*)",
        r"\bfor\s+([^;\n]*?)\s+in\s",
        r"\|([^|;\n]*)\|",
        r"(?m)^\s*([^=;\n]*?)(?:\sif\s[^\n]*)?=>",
        r"\bfn\s+(\w+(?:<[^>]*>)?\([^{;]*)",
    ]
    .map(|pattern| Regex::new(pattern).unwrap())
});
// A path, a call and a field are no bindings: a binding has no `.` before it, no `::` or `(` behind.
static WORD: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(\.?)\b([a-z_]+)\b\s*(::|:|\(|!)?").unwrap());

/// Checks the names that a file declares: items, fields, parameters and local bindings. Tests in the
/// file may use any name.
fn plain_names(path: &str, text: &str) -> Vec<Violation> {
    let mut found = Vec::new();
    if path.contains("/tests") {
        return found;
    }
    let code = blanked(text.split("#[cfg(test)]\nmod ").next().unwrap_or_default());
    let is_exception = |name: &str| EXCEPTIONS.iter().any(|(file, word, _)| *file == path && *word == name);
    let violation = |line, name: &str| Violation {
        path: path.to_owned(),
        line,
        rule: format!("`{name}` is no name"),
        remedy: "name the thing by its standard term".to_owned(),
    };
    for (line, code) in (1..).zip(code.lines()) {
        for name in ITEM.captures_iter(code).chain(FIELD.captures_iter(code)).map(|found| found[1].to_owned())
        {
            let is_banned = NO_NAMES.contains(&name.to_lowercase().as_str())
                || NO_TYPES.contains(&name.as_str())
                || NO_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
            if is_banned && !is_exception(&name) {
                found.push(violation(line, &name));
            }
        }
    }
    let bindings = banned_bindings(&code).into_iter().filter(|(_, name)| !is_exception(name));
    found.extend(bindings.map(|(line, name)| violation(line, name)));
    found
}

/// Returns the words of [`NO_NAMES`] that a pattern or a function's parameter binds, each with its
/// line: of `let`, `for`, a closure, a match arm, or a parameter.
fn banned_bindings(code: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for pattern in PATTERNS.iter() {
        for part in pattern.captures_iter(code).filter_map(|captures| captures.get(1)) {
            for binding in WORD.captures_iter(part.as_str()) {
                let (before, name) = (&binding[1], binding.get(2).expect("each match has a word"));
                // In a pattern of fields, the name before `:` is the field.
                let is_field = part.as_str()[..name.start()].contains('{');
                let is_binding = match binding.get(3).map(|sign| sign.as_str()) {
                    None => before != ".",
                    Some(":") => !is_field,
                    Some(_) => false,
                };
                if is_binding && NO_NAMES.contains(&name.as_str()) {
                    let start = part.start() + name.start();
                    found.push((code[..start].matches('\n').count() + 1, &code[start..start + name.len()]));
                }
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Checks the doc comments of a file.
fn plain_comments(path: &str, text: &str) -> Vec<Violation> {
    let is_doc = |line: &&str| line.trim_start().starts_with("///") || line.trim_start().starts_with("//!");
    let docs = (1..).zip(text.lines()).filter(|(_, line)| is_doc(line));
    let violation = |line, phrase: &str| Violation {
        path: path.to_owned(),
        line,
        rule: format!("a doc comment says “{phrase}”"),
        remedy: "say who or what it is, so that it is understood without the code".to_owned(),
    };
    docs.flat_map(|(line, doc)| {
        let found = NO_PHRASES.iter().filter(move |phrase| doc.contains(**phrase));
        found.map(move |phrase| violation(line, phrase)).collect::<Vec<_>>()
    })
    .collect()
}

#[test]
fn names_are_standard_terms() {
    hold(plain_names);
}

#[test]
fn doc_comments_name_what_they_are_about() {
    hold(plain_comments);
}

#[test]
fn every_exception_is_still_needed() {
    for (path, word, reason) in EXCEPTIONS {
        let text = std::fs::read_to_string(format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        assert!(text.contains(&format!("pub {word}:")), "{path} has no `{word}` any more: {reason}");
    }
}

#[test]
fn a_planted_word_is_found_and_text_is_not() {
    for code in [
        "fn told() {}",
        "struct Shelf;",
        "struct A {\n    pub kept: u8,\n}",
        "const KNOWN: u8 = 1;",
        "const MOST_NOTES: u8 = 1;",
    ] {
        assert!(planted(plain_names, "crates/note/src/x.rs", code).contains("is no name"), "{code}");
    }
    for code in ["let a = \"fn told()\"; // fn said", "fn known_hosts() {}", "struct EntryCount;"] {
        assert_eq!(plain_names("crates/note/src/x.rs", code), [], "{code}");
    }
    for code in [
        "let mut told = 1;",
        "if let Some(known) = f() {}",
        "while let (_, said) = f() {}",
        "let Upload { known, .. } = upload;",
        "for (at, kept) in all {}",
        "all.iter().any(|(_, named)| named.is_empty())",
        "all.fold(0, |heard: u8, (a, b)| a)",
        "match a {\n    Some(asked) if asked > 1 => asked,\n}",
        "fn f(a: u8, mut met: u8) {}",
    ] {
        assert!(planted(plain_names, "crates/note/src/x.rs", code).contains("is no name"), "{code}");
    }
    for code in [
        "let a = known;",
        "let Upload { known: count, .. } = upload;",
        "let a = \"let told = 1\"; // for said in all",
        "for a in self.kept.iter() {}",
        "all.any(|a| a.known == told(a))",
        "Kind::A | Kind::B => known(a),",
        "let a = b.known || c.kept;",
        "fn f(a: known::Type) -> Told {}",
    ] {
        assert_eq!(plain_names("crates/note/src/x.rs", code), [], "{code}");
    }
    let comment = "/// Those of [`open`].\nfn f() {}\n";
    assert!(planted(plain_comments, "crates/note/src/x.rs", comment).contains(":1: a doc comment"));
}
