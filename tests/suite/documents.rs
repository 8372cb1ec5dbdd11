//! The documents: generated pages match the program, links lead somewhere, and examples run.
//!
//! `CM_BLESS=1 cargo test --test suite documents` rewrites the generated pages and pictures.

mod charts;
mod command_pages;
mod examples;
mod links;
mod setting_pages;

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns README.md and all pages below `docs/`, as paths relative to the project with their text.
fn pages() -> Vec<(String, String)> {
    let mut folders = vec![root().join("docs")];
    let mut files: Vec<PathBuf> = vec![root().join("README.md")];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                files.push(path);
            }
        }
    }
    files.sort();
    let name = |path: &Path| path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
    files.iter().map(|path| (name(path), fs::read_to_string(path).unwrap().replace("\r\n", "\n"))).collect()
}

/// Asserts that a generated file has this content, or writes it if asked to.
fn assert_generated(path: &str, text: &str) {
    let file = root().join(path);
    if std::env::var_os("CM_BLESS").is_some() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
    }
    let kept = fs::read_to_string(&file).unwrap_or_default().replace("\r\n", "\n");
    assert_eq!(kept, text, "{path} is out of date: CM_BLESS=1 cargo test --test suite documents");
}

#[test]
fn the_readme_is_short_and_names_the_commands_for_a_fresh_machine() {
    let (_, text) = pages().into_iter().find(|(page, _)| page == "README.md").unwrap();
    let words = text.split_whitespace().count();
    assert!(words <= 900, "{words} words");
    for command in ["cargo run -- quickstart", "cargo test", "cargo install --path .", "cm setup", "cm undo"]
    {
        assert!(text.contains(command), "{command}");
    }
}
