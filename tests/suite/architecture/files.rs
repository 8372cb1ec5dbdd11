//! Rules for the headers and names of source files.

use super::{Violation, hold, planted};

/// Forbidden generic names.
const DRAWERS: [&str; 14] = [
    "util", "utils", "helper", "helpers", "manager", "managers", "common", "commons", "service", "services",
    "engine", "engines", "misc", "shared",
];

/// Checks that a file starts with a `//!` comment.
pub fn opening(path: &str, text: &str) -> Vec<Violation> {
    let said = text
        .strip_prefix("//!")
        .is_some_and(|rest| !rest.lines().next().unwrap_or_default().trim().is_empty());
    if said {
        return Vec::new();
    }
    let rule = "a file begins with `//!`".to_owned();
    let remedy = "say in a sentence what it is, and what it deliberately does not do".to_owned();
    vec![Violation { path: path.to_owned(), line: 1, rule, remedy }]
}

/// Checks that no file or folder has a generic name.
pub fn drawer(path: &str, _text: &str) -> Vec<Violation> {
    let words = path.trim_end_matches(".rs").split(['/', '_']);
    let found = words.filter(|word| DRAWERS.contains(word)).map(|word| Violation {
        path: path.to_owned(),
        line: 0,
        rule: format!("`{word}` says nothing of what is inside"),
        remedy: "name the file after the one thing that it holds, with a word of the glossary".to_owned(),
    });
    found.collect()
}

#[test]
fn every_file_says_first_what_it_is() {
    hold(opening);
}

/// libFuzzer fails without the folder that holds its first inputs.
#[test]
fn every_fuzz_target_is_declared_and_has_seeds() {
    let fuzz = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let manifest = std::fs::read_to_string(fuzz.join("Cargo.toml")).unwrap();
    for entry in std::fs::read_dir(fuzz.join("fuzz_targets")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "rs") {
            continue;
        }
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name} is not in fuzz/Cargo.toml");
        let seeds = std::fs::read_dir(fuzz.join("corpus").join(&name)).map(Iterator::count);
        assert!(seeds.is_ok_and(|count| count > 0), "fuzz/corpus/{name} has no seeds");
    }
}

#[test]
fn no_file_is_a_drawer() {
    hold(drawer);
}

#[test]
fn a_planted_file_without_an_opening_is_reported_with_the_rule_and_the_remedy() {
    for text in ["", "use std::fmt;\n", "\n//! Late.\n", "//!\n//! Below.\n", "/// An item.\nfn a() {}"] {
        let shown = planted(opening, "crates/app/src/add.rs", text);
        assert!(shown.contains("crates/app/src/add.rs:1: a file begins with `//!`"), "{shown}");
        assert!(shown.contains("say in a sentence what it is"), "{shown}");
    }
    assert_eq!(opening("crates/app/src/add.rs", "//! A new memory.\n"), []);
}

#[test]
fn a_planted_drawer_is_reported_with_the_rule_and_the_remedy() {
    for path in [
        "crates/app/src/utils.rs",
        "crates/helpers/src/x.rs",
        "crates/app/src/note_manager.rs",
        "crates/note/src/common/mod.rs",
        "crates/index/src/engine.rs",
    ] {
        let shown = planted(drawer, path, "");
        assert!(shown.contains("says nothing of what is inside"), "{shown}");
        assert!(shown.contains("name the file after the one thing"), "{shown}");
    }
    assert_eq!(drawer("crates/note/src/note/types.rs", ""), []);
}
