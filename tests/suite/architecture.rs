//! The rules of ARCHITECTURE.md that a machine can hold: who may name whom, which words a layer never says, how files
//! begin and are called, and that every command has its tests.
//!
//! A rule is a function from a file's path and text to violations, so that planted ones are tested beside true ones.
//! What a rule cannot see (macros that build paths, a clock that hides in a crate) is left to clippy.toml and readers.

mod code;
mod commands;
mod files;
mod layers;
mod words;

use std::fmt;
use std::fs;
use std::path::Path;

/// A rule that is broken in one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The file, from the project's folder.
    pub path: String,
    /// The line, from 1; 0 where it is about the whole file.
    pub line: usize,
    /// What the rule says.
    pub rule: String,
    /// What to do instead.
    pub remedy: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, rule, remedy } = self;
        write!(f, "{path}:{line}: {rule}\n    instead: {remedy}")
    }
}

/// The layer of a source file: `app` for `crates/app/src/add.rs`, `cli` for `src/cli/mod.rs`; `None` for `src/lib.rs`
/// and `src/main.rs`.
fn layer_of(path: &str) -> Option<&str> {
    let inside = path.strip_prefix("crates/").or_else(|| path.strip_prefix("src/"))?;
    Some(inside.split_once('/')?.0)
}

/// All files below a folder of the project that end so: path from the project's folder, and text.
fn files_below(folder: &str, ending: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let mut folders = vec![root.join(folder)];
    while let Some(folder) = folders.pop() {
        // A folder that does not exist yet holds no files.
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

/// Fails with all violations that a rule finds in the source.
fn hold(rule: impl Fn(&str, &str) -> Vec<Violation>) {
    let mut source = files_below("src", ".rs");
    assert!(source.len() > 10, "the program's source is in src/");
    source.extend(files_below("crates", ".rs"));
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

/// The one violation that a planted text must give, as it is shown.
fn planted(rule: impl Fn(&str, &str) -> Vec<Violation>, path: &str, text: &str) -> String {
    let found = rule(path, text);
    assert_eq!(found.len(), 1, "one violation is planted in {path}: {found:?}");
    found[0].to_string()
}
