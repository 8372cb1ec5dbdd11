//! Every unusual frontmatter under `tests/golden/frontmatter` survives every edit of every key:
//! only the lines of that key change, and all other values stay the same.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

use cm_note::finding::FindingCode;
use cm_note::frontmatter::edit::{Edit, EditError, apply};
use cm_note::frontmatter::parse::parse;
use cm_note::frontmatter::split::Split;
use yaml_serde::{Mapping, Value};

const FILES: [(&str, &str); 7] = [
    ("comments", include_str!("../golden/frontmatter/comments.txt")),
    ("lists", include_str!("../golden/frontmatter/lists.txt")),
    ("scalars", include_str!("../golden/frontmatter/scalars.txt")),
    ("keys", include_str!("../golden/frontmatter/keys.txt")),
    ("structure", include_str!("../golden/frontmatter/structure.txt")),
    ("vaults", include_str!("../golden/frontmatter/vaults.txt")),
    ("refused", include_str!("../golden/frontmatter/refused.txt")),
];

struct Case {
    name: String,
    text: String,
    refused: Option<String>,
}

fn cases() -> Vec<Case> {
    FILES
        .iter()
        .flat_map(|(file, text)| text.split("=== ").skip(1).map(move |case| one(file, case)))
        .collect()
}

fn one(file: &str, case: &str) -> Case {
    let (head, yaml) = case.split_once('\n').expect("each case has a line of its own");
    let (name, flags) = head.split_once(" | ").unwrap_or((head, ""));
    let flags: Vec<&str> = flags.split(' ').collect();
    let has = |flag: &str| flags.contains(&flag);
    let close = if has("dots") { "..." } else { "---" };
    let mut text = match (has("raw"), has("nobody")) {
        (true, _) => yaml.to_owned(),
        (_, true) => format!("---\n{yaml}{close}"),
        _ => format!("---\n{yaml}{close}\n# Body\n\n---\ntitle: not a key\n---\n- [ ] x"),
    };
    if has("crlf") {
        text = text.replace('\n', "\r\n");
    }
    if has("bom") {
        text.insert(0, '\u{feff}');
    }
    let refused = flags.iter().position(|flag| *flag == "refused").map(|at| flags[at + 1].to_owned());
    Case { name: format!("{file}: {name}"), text, refused }
}

/// Parses the frontmatter independently of the code under test.
fn says(text: &str) -> Mapping {
    let bare = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    let Some(rest) =
        bare.split_once('\n').filter(|(first, _)| first.trim_end() == "---").map(|(_, rest)| rest)
    else {
        return Mapping::new();
    };
    let mut yaml = String::new();
    for line in rest.split_inclusive('\n') {
        if ["---", "..."].contains(&line.trim_end()) {
            let value: Value = yaml_serde::from_str(&yaml).expect(&yaml);
            return value.as_mapping().cloned().unwrap_or_default();
        }
        yaml.push_str(line);
    }
    Mapping::new()
}

/// Returns the first and last line (starting at 1) of the old text that differ from the new one,
/// and the number of lines that replace them.
fn differing(old: &str, new: &str) -> (usize, usize, usize) {
    let (old, new): (Vec<&str>, Vec<&str>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let before = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let room = old.len().min(new.len()) - before;
    let after = old.iter().rev().zip(new.iter().rev()).take(room).take_while(|(a, b)| a == b).count();
    (before + 1, old.len() - after, new.len() - before - after)
}

fn values() -> Vec<Value> {
    let yaml = "[new text, 'no', '2026-01-01', 'a: b #c', 7, 0.5, true, null, [], [a, 'b, c'], {k: v, l: [1]},\
                [{at: 2026-01-01T00:00:00Z, signal: helpful}], \"one\\ntwo: [\\n\\n  three\\n\", \"---\\n'\\\"\\t\"]";
    let Value::Sequence(values) = yaml_serde::from_str(yaml).unwrap() else { panic!() };
    values
}

/// Returns each key with the range of its lines, up to the line before the next key.
fn keys(text: &str) -> Vec<(String, usize, usize)> {
    let split = Split::of(text);
    let parsed = parse(&split);
    let fields: Vec<_> = parsed.fields.iter().collect();
    let end = split.body_line() as usize - 1;
    let line = |index: usize| fields.get(index).map_or(end, |next| next.line as usize);
    (0..fields.len())
        .map(|index| {
            let from = line(index);
            (fields[index].key.clone(), from, line(index + 1).saturating_sub(1).max(from))
        })
        .collect()
}

/// Returns the first-column comments that the edit must preserve: all except those within the
/// value.
fn comments(text: &str, own: Option<(usize, usize)>, all: bool) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().collect();
    let (from, to) = own.unwrap_or((0, 0));
    let says =
        |number: &usize| !lines[number - 1].trim().is_empty() && !lines[number - 1].trim().starts_with('#');
    let last = (from.max(1)..=to).rfind(says).unwrap_or(to);
    let within = |number: usize| !all && number > from && number < last;
    (1..=lines.len())
        .filter(|number| !within(*number))
        .map(|number| lines[number - 1])
        .filter(|line| line.starts_with('#'))
        .collect()
}

/// Checks one edit of one key. Returns `None` if the edit was refused.
fn check(
    case: &Case,
    edit: &Edit,
    key: &str,
    own: Option<(usize, usize)>,
    expected: &Mapping,
) -> Option<String> {
    let context = || format!("{}\n{edit:?}\n{:?}", case.name, case.text);
    let new = match apply(&case.text, std::slice::from_ref(edit)) {
        Ok(new) => new,
        Err(EditError::Entangled { .. }) => return None,
        Err(error) => panic!("{error}: {}", context()),
    };
    assert_eq!(&says(&new), expected, "{}\n{new:?}", context());
    assert_eq!(Split::of(&new).body(), Split::of(&case.text).body(), "{}\n{new:?}", context());
    if new != case.text {
        let (from, to, _) = differing(&case.text, &new);
        // An insertion changes no old line: `from` is the line after the insertion.
        let inside = own.is_none_or(|(first, last)| from >= first && to <= last && from <= last + 1);
        assert!(inside, "lines {from} to {to} changed, `{key}` has {own:?}: {}\n{new:?}", context());
        for line in comments(&case.text, own, matches!(edit, Edit::Push { .. })) {
            assert!(new.lines().any(|other| other == line), "lost {line:?}: {}\n{new:?}", context());
        }
    }
    Some(new)
}

#[test]
fn every_edit_of_every_key_changes_that_key_alone() {
    let cases: Vec<Case> = cases().into_iter().filter(|case| case.refused.is_none()).collect();
    assert!(cases.len() >= 200, "{}", cases.len());
    let (mut edits, mut entangled) = (0, Vec::new());
    for case in &cases {
        let before = says(&case.text);
        let mut done = |edit: Edit, key: &str, own, expected: &Mapping| {
            edits += 1;
            if check(case, &edit, key, own, expected).is_none() {
                entangled.push(format!("{}: `{key}`", case.name));
            }
        };
        for value in values() {
            let mut expected = before.clone();
            expected.insert("zz_new".into(), value.clone());
            done(Edit::Set { key: "zz_new".to_owned(), value }, "zz_new", None, &expected);
        }
        // Merged keys are not the note's own, and come after the note's keys.
        let originals: Vec<Value> = before.keys().filter(|key| **key != "<<").cloned().collect();
        for ((key, from, to), original) in keys(&case.text).into_iter().zip(&originals) {
            // Within braces the comma on the previous line belongs to the pair too.
            let own = Some((from, to)).filter(|_| !case.text.contains("---\n{"));
            for value in values() {
                let mut expected = before.clone();
                expected.insert(original.clone(), value.clone());
                done(Edit::Set { key: key.clone(), value }, &key, own, &expected);
            }
            let mut expected = before.clone();
            expected.shift_remove(original);
            done(Edit::Remove { key: key.clone() }, &key, own, &expected);
            if let Some(Value::Sequence(items)) = before.get(original) {
                let mut more = items.clone();
                more.push("pushed: item".into());
                let mut expected = before.clone();
                expected.insert(original.clone(), more.into());
                done(Edit::Push { key: key.clone(), item: "pushed: item".into() }, &key, own, &expected);
                for item in items {
                    let left: Vec<Value> = items.iter().filter(|other| *other != item).cloned().collect();
                    let mut expected = before.clone();
                    match left.is_empty() {
                        true => expected.shift_remove(original),
                        false => expected.insert(original.clone(), left.into()),
                    };
                    done(Edit::Pull { key: key.clone(), item: item.clone() }, &key, own, &expected);
                }
            }
        }
    }
    entangled.sort();
    entangled.dedup();
    println!("{} cases, {edits} edits, refused for: {entangled:#?}", cases.len());
    // If other keys use the value's anchor, it cannot be edited alone; and the scan does not know a tag on a
    // line before all keys.
    let expected = [
        "keys: alias as a key: `a`",
        "keys: alias of a word: `a`",
        "keys: anchor and alias: `base`",
        "keys: merge at the top: `base`",
        "keys: merge key: `base`",
        "structure: a mapping after a tag: `n`",
        "structure: a mapping after a tag: `title`",
        "structure: a mapping after a tag: `zz_new`",
    ];
    assert_eq!(entangled, expected);
}

#[test]
fn a_broken_frontmatter_is_refused_with_its_place_and_a_hint() {
    for case in cases().into_iter().filter(|case| case.refused.is_some()) {
        let edit = Edit::Set { key: "title".to_owned(), value: "x".into() };
        for edit in [edit, Edit::AppendBody { text: "x".to_owned() }] {
            match apply(&case.text, &[edit]) {
                Err(EditError::Malformed { code, line, column, hint, .. }) => {
                    assert_eq!(Some(code.to_string()), case.refused, "{}", case.name);
                    assert!(line >= 1 && column >= 1 && !hint.is_empty(), "{}", case.name);
                    assert!(line as usize <= case.text.lines().count(), "{}: {line}", case.name);
                }
                other => panic!("{}: {other:?}", case.name),
            }
        }
        let found = parse(&Split::of(&case.text)).faults;
        assert!(found.iter().any(|fault| Some(fault.code.to_string()) == case.refused), "{}", case.name);
        assert_ne!(found[0].code, FindingCode::Unreadable);
    }
}

#[test]
fn pushing_an_item_that_is_there_or_setting_what_is_said_changes_no_byte() {
    for case in cases().into_iter().filter(|case| case.refused.is_none()) {
        let before = says(&case.text);
        let own = before.into_iter().filter(|(original, _)| *original != "<<");
        for ((key, ..), (_, value)) in keys(&case.text).into_iter().zip(own) {
            let mut edits = vec![Edit::Set { key: key.clone(), value: value.clone() }];
            let items = value.as_sequence().into_iter().flatten();
            edits.extend(items.map(|item| Edit::Push { key: key.clone(), item: item.clone() }));
            for edit in edits {
                assert_eq!(apply(&case.text, &[edit]).as_ref(), Ok(&case.text), "{}", case.name);
            }
        }
    }
}
