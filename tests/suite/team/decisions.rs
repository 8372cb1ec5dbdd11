//! Decisions of people on what a merge left over.

use super::{Clone, FACT_FILE, pair, settle};

/// Edits the fact by hand, as an editor does.
fn edit(clone: &Clone, from: &str, to: &str) {
    let note = clone.sandbox.read(FACT_FILE);
    assert!(note.contains(from), "{note}");
    clone.sandbox.write(FACT_FILE, note.replace(from, to));
    clone.cm(&["commit"]).ok();
}

/// The references in the commands that the inbox offers for leftovers.
fn references(clone: &Clone) -> Vec<String> {
    let inbox = clone.cm(&["review", "--kind", "leftovers", "--json"]).ok().json();
    let sections = inbox["sections"].as_array().unwrap();
    let items = sections.iter().flat_map(|section| section["items"].as_array().unwrap());
    let commands = items.map(|item| item["commands"][0].as_str().unwrap().to_owned());
    commands.map(|command| command.strip_prefix("cm review --take ").unwrap().to_owned()).collect()
}

#[test]
fn the_later_edit_by_hand_stands_and_each_leftover_is_decided_alone() {
    let (_remote, ada, ben) = pair();
    edit(&ada, "For five minutes", "For two minutes");
    edit(&ada, "importance: 0.5", "importance: 0.9");
    ben.later(30);
    edit(&ben, "For five minutes", "For nine minutes");
    edit(&ben, "importance: 0.5", "importance: 0.2");
    settle(&[&ada, &ben]);
    let note = ada.sandbox.read(FACT_FILE);
    assert!(note.contains("\nFor nine minutes") && note.contains("\nimportance: 0.2\n"), "{note}");
    let inbox = ada.cm(&["review", "--kind", "leftovers"]).ok();
    assert!(
        inbox.stdout.contains("another version says \"For two minutes, in Redis.\" by"),
        "{}",
        inbox.stdout
    );
    let references = references(&ada);
    assert_eq!(references.len(), 2, "{references:?}");
    for (decision, reference) in ["--take", "--keep"].iter().zip(&references) {
        ada.cm(&["review", decision, reference]).ok();
    }
    let note = ada.sandbox.read(FACT_FILE);
    let (text, key) = (note.contains("\nFor two minutes"), note.contains("\nimportance: 0.9\n"));
    assert!(text != key && !note.contains("merge:"), "{note}");
}

#[test]
fn what_one_person_took_and_another_kept_is_open_again() {
    let (_remote, ada, ben) = pair();
    edit(&ada, "For five minutes", "For two minutes");
    ben.later(30);
    edit(&ben, "For five minutes", "For nine minutes");
    settle(&[&ada, &ben]);
    ada.cm(&["review", "--take", FACT_FILE]).ok();
    ben.cm(&["review", "--keep", FACT_FILE]).ok();
    settle(&[&ada, &ben]);
    let note = ben.sandbox.read(FACT_FILE);
    assert!(note.contains("\nFor two minutes") && note.contains("    value: For nine minutes"), "{note}");
    assert_eq!(references(&ben).len(), 1);
}

#[test]
fn another_heading_is_taken_as_a_new_name() {
    let (_remote, ada, ben) = pair();
    for clone in [&ada, &ben] {
        clone.sandbox.write("Portal.md", "See [[Throttling]].\n");
    }
    ada.sandbox.write("Throttling.md", "# Throttling\n\nThirty requests.\n");
    ada.cm(&["adopt", "Throttling.md"]).ok();
    settle(&[&ada, &ben]);
    ada.cm(&["rename", "Throttling", "Rate limit"]).ok();
    ben.later(30);
    ben.cm(&["rename", "Throttling", "Quota"]).ok();
    settle(&[&ada, &ben]);
    assert_eq!(ada.sandbox.read("Portal.md"), "See [[Quota]].\n");
    let note = ada.sandbox.read("Quota.md");
    assert!(note.contains("- Rate limit") || note.contains("Rate limit]"), "{note}");
    ada.cm(&["review", "--take", "Quota.md"]).ok();
    assert_eq!(ada.sandbox.read("Portal.md"), "See [[Rate limit]].\n");
    let note = ada.sandbox.read("Rate limit.md");
    assert!(note.contains("# Rate limit\n") && note.contains("Quota") && !note.contains("merge:"), "{note}");
}

#[test]
fn a_dry_run_merges_uncommitted_edits() {
    let (_remote, ada, ben) = pair();
    edit(&ada, "For five minutes", "For two minutes");
    ada.sync();
    ben.sandbox.write(FACT_FILE, ben.sandbox.read(FACT_FILE).replace("For five", "For nine"));
    let planned = ben.cm(&["sync", "--dry-run", "--json"]).ok().json();
    assert_eq!((&planned["files"][0]["how"], &planned["files"][0]["open"]), (&"merged".into(), &true.into()));
}
