//! Obsidian's own documentation, a public vault, read as Obsidian reads it.
//!
//! The vault is not part of the project. The test runs if `CM_TEST_OBSIDIAN_HELP` names its folder,
//! the folder `en` of the repository `obsidianmd/obsidian-help`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::obsidian::pairs;
use crate::support::{ObsidianVault, Sandbox, copy, vault_of};

fn source() -> Option<PathBuf> {
    let folder = std::env::var_os("CM_TEST_OBSIDIAN_HELP").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: CM_TEST_OBSIDIAN_HELP (a folder of notes of obsidian-help) is not set");
    }
    folder
}

/// Makes a vault of a copy of the folder, in place.
fn in_place(source: &Path) -> Sandbox {
    let sandbox = Sandbox::new();
    copy(source, &sandbox.vault());
    sandbox.cm(&["init"]).ok();
    sandbox
}

#[track_caller]
fn assert_same_pairs(expected: &BTreeSet<String>, found: &BTreeSet<String>, what: &str) {
    let missing: Vec<_> = expected.difference(found).collect();
    let wrong: Vec<_> = found.difference(expected).collect();
    println!("{what}: {} pairs, {} missing, {} wrong", found.len(), missing.len(), wrong.len());
    assert!(missing.is_empty() && wrong.is_empty(), "missing {missing:#?}, wrong {wrong:#?}");
}

/// Returns the findings of `cm validate` with this code, as `path:line message`.
fn findings(sandbox: &Sandbox, code: &str) -> Vec<String> {
    let validated = sandbox.cm(&["validate", "--json"]).json();
    let found = validated["findings"].as_array().unwrap().iter().filter(|found| found["code"] == code);
    found
        .map(|found| format!("{}:{} {}", found["path"].as_str().unwrap(), found["line"], found["message"]))
        .collect()
}

fn core_entries(sandbox: &Sandbox, now: &str) -> u64 {
    sandbox.cm(&["core", "--print", "--json", "--now", now]).ok().json()["entries"].as_u64().unwrap()
}

#[test]
fn the_graph_of_obsidian_help_is_obsidians_own() {
    let Some(source) = source() else { return };
    let rule = ObsidianVault::read(&source);
    let expected = rule.pairs();
    println!("{} notes, {} pairs by file name or path", rule.notes().len(), expected.len());
    let sandbox = in_place(&source);
    assert_same_pairs(&expected, &pairs(&sandbox), "cm init");

    let ambiguous = findings(&sandbox, "ambiguous-link");
    println!("ambiguous: {ambiguous:#?}");
    let shared: Vec<_> =
        rule.links().into_iter().filter(|link| rule.with_alias(&link.target).len() > 1).collect();
    assert!(ambiguous.len() <= shared.len(), "{ambiguous:#?}");
    let dangling = findings(&sandbox, "dangling-link");
    let broken = rule.broken();
    println!("dangling: {dangling:#?}\nbroken by the rule: {broken:#?}");

    sandbox.cm(&["adopt"]).ok();
    assert_same_pairs(&expected, &pairs(&sandbox), "cm adopt");
    let (today, later) = (core_entries(&sandbox, "2026-11-21"), core_entries(&sandbox, "2026-12-21"));
    println!("CORE.md: {today} entries, {later} after 30 days");
    assert!(today > 0 && later > 0);
}

#[test]
fn an_import_of_obsidian_help_keeps_its_graph_and_its_images() {
    let Some(source) = source() else { return };
    let expected = ObsidianVault::read(&source).pairs();
    let sandbox = vault_of("");
    copy(&source, &sandbox.root().join("help"));
    let imported = sandbox.cm(&["import", "../help", "--json"]).ok().json();
    let placed: BTreeSet<String> =
        expected.iter().map(|pair| format!("help/{}", pair.replace(" > ", " > help/"))).collect();
    assert_same_pairs(&placed, &pairs(&sandbox), "cm import");
    let skipped = imported["skipped"].as_array().unwrap();
    println!("recognised as {}, skipped {skipped:?}", imported["from"]);

    let before = ObsidianVault::read(&source);
    let after = ObsidianVault::read(&sandbox.vault());
    let mut shown = 0;
    for link in before.links() {
        let Some(to) = before.follow(&link.from, &link.target).filter(|to| !to.ends_with(".md")) else {
            continue;
        };
        let (from, to) = (format!("help/{}", link.from), format!("help/{to}"));
        assert_eq!(after.follow(&from, &link.target), Some(&*to), "{}:{}", link.from, link.line);
        shown += 1;
    }
    println!(
        "{} attachments copied, {shown} links to attachments lead to the same file",
        imported["copied"].as_array().unwrap().len()
    );
    let (today, later) = (core_entries(&sandbox, "2026-11-21"), core_entries(&sandbox, "2026-12-21"));
    println!("CORE.md: {today} entries, {later} after 30 days");
    assert!(today > 0 && later > 0);
}
