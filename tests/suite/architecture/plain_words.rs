//! Names and doc comments use standard terms. The words below stood for several things each, or had
//! to be decoded; CONTRIBUTING.md says how we write.

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

/// Checks the names that a file declares: items, fields and parameters. Tests in the file may use
/// any name.
fn plain_names(path: &str, text: &str) -> Vec<Violation> {
    let item = Regex::new(r"\b(?:fn|struct|enum|trait|type|mod|const|static)\s+(\w+)").unwrap();
    let field = Regex::new(r"^\s+(?:pub(?:\([^)]*\))?\s+)?(\w+):\s").unwrap();
    let mut found = Vec::new();
    if path.contains("/tests") {
        return found;
    }
    let code = blanked(text.split("#[cfg(test)]\nmod ").next().unwrap_or_default());
    for (line, code) in (1..).zip(code.lines()) {
        for name in item.captures_iter(code).chain(field.captures_iter(code)).map(|found| found[1].to_owned())
        {
            let is_exception = EXCEPTIONS.iter().any(|(file, word, _)| *file == path && *word == name);
            let is_banned =
                NO_NAMES.contains(&name.to_lowercase().as_str()) || NO_TYPES.contains(&name.as_str());
            if is_banned && !is_exception {
                found.push(Violation {
                    path: path.to_owned(),
                    line,
                    rule: format!("`{name}` is no name"),
                    remedy: "name the thing by its standard term".to_owned(),
                });
            }
        }
    }
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
    for code in ["fn told() {}", "struct Shelf;", "struct A {\n    pub kept: u8,\n}", "const KNOWN: u8 = 1;"]
    {
        assert!(planted(plain_names, "crates/note/src/x.rs", code).contains("is no name"), "{code}");
    }
    for code in ["let a = \"fn told()\"; // fn said", "fn known_hosts() {}", "struct EntryCount;"] {
        assert_eq!(plain_names("crates/note/src/x.rs", code), [], "{code}");
    }
    let comment = "/// Those of [`open`].\nfn f() {}\n";
    assert!(planted(plain_comments, "crates/note/src/x.rs", comment).contains(":1: a doc comment"));
}
