//! Checks the rules of ARCHITECTURE.md that a program can check: dependencies between layers,
//! forbidden words per layer, names and headers of files, and tests for every command.
//!
//! A rule is a function from a file's path and text to violations, so that it can be tested with
//! planted violations too. Cases that a rule cannot detect (macros that build paths, a clock inside
//! a dependency) are left to clippy.toml and reviewers.

mod circles;
mod code;
mod commands;
mod files;
mod layers;
mod plain_words;
mod words;

use std::fmt;
use std::fs;
use std::path::Path;

/// A violation of a rule at one position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Path of the file, relative to the project.
    pub path: String,
    /// Line number, starting at 1; 0 for the whole file.
    pub line: usize,
    /// Statement of the rule.
    pub rule: String,
    /// How to fix the violation.
    pub remedy: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, rule, remedy } = self;
        write!(f, "{path}:{line}: {rule}\n    instead: {remedy}")
    }
}

/// Returns the layer of a source file: `ops` for `src/ops/add.rs`, `None` for `src/lib.rs` and
/// `src/main.rs`.
fn layer_of(path: &str) -> Option<&str> {
    let inside = path.strip_prefix("crates/").or_else(|| path.strip_prefix("src/"))?;
    Some(inside.split_once('/')?.0)
}

/// Returns path and text of all files below a project folder with this suffix.
fn files_below(folder: &str, ending: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let mut folders = vec![root.join(folder)];
    while let Some(folder) = folders.pop() {
        // A missing folder has no files.
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            let name =
                path.strip_prefix(root).expect("it lies in the project").to_string_lossy().replace('\\', "/");
            if path.is_dir() {
                folders.push(path);
            } else if name.ends_with(ending) {
                let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
                found.push((name, text));
            }
        }
    }
    found.sort();
    found
}

/// Fails if the rule finds violations in the source.
fn hold(rule: impl Fn(&str, &str) -> Vec<Violation>) {
    let mut source = files_below("src", ".rs");
    assert!(source.len() > 10, "the program's source is in src/");
    source.extend(files_below("crates", ".rs").into_iter().filter(|(path, _)| path.contains("/src/")));
    none(source.iter().flat_map(|(path, text)| rule(path, text)));
}

fn none(violations: impl Iterator<Item = Violation>) {
    let shown: Vec<String> = violations.map(|violation| violation.to_string()).collect();
    assert!(
        shown.is_empty(),
        "{} broken rules (ARCHITECTURE.md has them)\n{}",
        shown.len(),
        shown.join("\n")
    );
}

/// Returns the single expected violation in a planted text, formatted.
fn planted(rule: impl Fn(&str, &str) -> Vec<Violation>, path: &str, text: &str) -> String {
    let found = rule(path, text);
    assert_eq!(found.len(), 1, "one violation is planted in {path}: {found:?}");
    found[0].to_string()
}
