//! What two clones do to the same notes, and what `cm sync` makes of it. The numbers are those of the
//! situations in which plain Git conflicts, loses lines, or gives a wrong file.

use super::{Clone, FACT_FILE, RULE, RULE_FILE, Remote, VAULT, pair, settle};

#[test]
fn core_is_written_from_the_notes_of_both_sides_1_2() {
    let (_remote, ada, ben) = pair();
    ada.cm(&["core"]).ok();
    settle(&[&ada, &ben]);
    ada.cm(&["add", "--type", "decision", "Use Postgres for the ledger"]).ok();
    ada.cm(&["core"]).ok();
    ben.cm(&["add", "--type", "solution", "Clear the cache of the proxy"]).ok();
    ben.cm(&["core"]).ok();
    settle(&[&ada, &ben]);
    let core = ada.sandbox.read("CORE.md");
    assert!(
        core.contains("Use Postgres for the ledger") && core.contains("Clear the cache of the proxy"),
        "{core}"
    );
    let again = ada.cm(&["core", "--json"]).ok().json();
    assert_eq!(again["changed"], false, "the file is up to date: {again}");
}

#[test]
fn entries_of_one_day_on_both_sides_are_all_there_in_order_3_4() {
    let (_remote, ada, ben) = pair();
    ada.cm(&["episode", "Deploy", "--summary", "Went well"]).ok();
    ben.later(5);
    ben.cm(&["episode", "Rollback", "--summary", "Went well"]).ok();
    settle(&[&ada, &ben]);
    ada.cm(&["episode", "Second deploy"]).ok();
    ben.cm(&["episode", "Postmortem"]).ok();
    settle(&[&ada, &ben]);
    let day = ada.sandbox.read("episodes/2026-11-21.md");
    assert_eq!(day.matches("## ").count(), 4, "{day}");
    assert_eq!(day.matches("Went well").count(), 2, "{day}");
    assert_eq!(day.matches("# 2026-11-21").count(), 1, "{day}");
}

#[test]
fn feedback_of_both_sides_counts_and_the_maturity_follows_5_6() {
    let (_remote, ada, ben) = pair();
    for clone in [&ada, &ben] {
        for _ in 0..5 {
            clone.later(24 * 60);
            clone.cm(&["mark", RULE, "--helpful"]).ok();
        }
        ben.later(7);
    }
    settle(&[&ada, &ben]);
    let rule = ada.sandbox.read(RULE_FILE);
    assert_eq!(rule.matches("signal: helpful").count(), 10, "{rule}");
    assert!(rule.contains("maturity: proven"), "{rule}");
}

#[test]
fn updates_of_both_sides_are_joined_7_8_10_22() {
    let (_remote, ada, ben) = pair();
    ada.cm(&["update", "Prices are cached", "--add-tag", "redis", "--append", "Ada measured it."]).ok();
    ben.later(3);
    ben.cm(&["update", "Prices are cached", "--add-tag", "prices", "--append", "Ben doubts it."]).ok();
    settle(&[&ada, &ben]);
    let fact = ada.sandbox.read(FACT_FILE);
    for part in ["cache", "redis", "prices", "Ada measured it.", "Ben doubts it."] {
        assert!(fact.contains(part), "{part}: {fact}");
    }
    assert!(!fact.contains("merge:") && !fact.contains("<<<<"), "{fact}");
}

#[test]
fn of_two_values_the_later_one_stands_and_the_inbox_has_the_other_7() {
    let (_remote, ada, ben) = pair();
    ada.cm(&["update", "Prices are cached", "--set", "importance=0.9"]).ok();
    ben.later(3);
    ben.cm(&["update", "Prices are cached", "--set", "importance=0.2"]).ok();
    ada.sync();
    let answer = ben.sync();
    assert_eq!(answer["files"][0]["open"], true, "{answer}");
    settle(&[&ada, &ben]);
    let fact = ada.sandbox.read(FACT_FILE);
    assert!(fact.contains("importance: 0.2") && fact.contains("0.9"), "{fact}");
}

#[test]
fn the_same_mark_of_two_people_in_the_same_second_counts_twice_and_that_of_one_person_once() {
    let (_remote, ada, ben) = pair();
    ben.sandbox.git(&["config", "user.name", "Ben Example"]);
    for clone in [&ada, &ben] {
        clone.cm(&["mark", RULE, "--helpful"]).ok();
        clone.cm(&["mark", FACT_FILE, "--helpful"]).ok();
    }
    settle(&[&ada, &ben]);
    for file in [RULE_FILE, FACT_FILE] {
        let note = ada.sandbox.read(file);
        assert_eq!(note.matches("signal: helpful").count(), 2, "{note}");
        assert!(note.contains("author: Ada Example") && note.contains("author: Ben Example"), "{note}");
        assert!(!note.contains("weight: 0"), "{note}");
    }
    let again = ada.cm(&["mark", RULE, "--helpful", "--json"]).ok().json();
    assert!(again["uncounted"].as_str().unwrap().contains("the same person"), "{again}");
}

#[test]
fn renames_of_both_sides_leave_one_note_16_19() {
    let (_remote, ada, ben) = pair();
    ada.cm(&["rename", "Prices are cached", "Prices live in Redis"]).ok();
    ben.later(3);
    ben.cm(&["rename", "Prices are cached", "Prices expire"]).ok();
    ben.cm(&["mark", RULE, "--helpful"]).ok();
    settle(&[&ada, &ben]);
    let names = ada.sandbox.git(&["ls-files", "graph/facts"]);
    assert_eq!(names.trim(), "graph/facts/Prices expire.md", "{names}");
    assert_eq!(ada.cm(&["validate", "--json"]).ok().json()["errors"], 0);
}

#[test]
fn a_rename_and_an_edit_both_happen_19() {
    let (_remote, ada, ben) = pair();
    ada.cm(&["rename", "Restart the queue", "Restart the workers"]).ok();
    ben.cm(&["update", "Restart the queue", "--append", "Then wait a minute."]).ok();
    settle(&[&ada, &ben]);
    let found = ada.cm(&["get", "Restart the workers"]).ok().stdout;
    assert!(found.contains("Then wait a minute."), "{found}");
    assert_eq!(ada.sandbox.git(&["ls-files", "graph/solutions"]).lines().count(), 1);
}

#[test]
fn an_edit_outlives_a_deletion_and_says_so_17() {
    let (_remote, ada, ben) = pair();
    ada.cm(&["delete", "Restart the queue"]).ok();
    ben.cm(&["update", "Restart the queue", "--append", "Then wait a minute."]).ok();
    settle(&[&ada, &ben]);
    let note = ada.sandbox.read("graph/solutions/queue.md");
    assert!(note.contains("Then wait a minute.") && note.contains("merge:"), "{note}");
    let inbox = ben.cm(&["review", "--kind", "leftovers", "--json"]).ok().json();
    let commands = inbox["sections"][0]["items"][0]["commands"].as_array().unwrap().clone();
    assert_eq!(commands.len(), 2, "{inbox}");
    for command in commands {
        let (_remote, ada, ben) = pair();
        ada.cm(&["delete", "Restart the queue"]).ok();
        ben.cm(&["update", "Restart the queue", "--append", "Then wait a minute."]).ok();
        settle(&[&ada, &ben]);
        let words = shell_words::split(command.as_str().unwrap()).unwrap();
        ben.cm(&words[1..].iter().map(String::as_str).collect::<Vec<_>>()).ok();
        assert_eq!(ben.cm(&["review", "--json"]).ok().json()["total"], 0, "{command}");
    }
}

#[test]
fn a_hand_edit_is_committed_first_and_merged_9_25() {
    let (_remote, ada, ben) = pair();
    let text = ada.sandbox.read(FACT_FILE);
    ada.sandbox.write(FACT_FILE, text.replace("five minutes", "ten minutes"));
    ben.sandbox.write(FACT_FILE, text.replace("the currency", "the country"));
    settle(&[&ada, &ben]);
    let fact = ben.sandbox.read(FACT_FILE);
    assert!(fact.contains("ten minutes") && fact.contains("the country"), "{fact}");
}

#[test]
fn hundreds_of_changed_notes_on_both_sides_are_all_merged() {
    let (_remote, ada, ben) = pair();
    let path = |number: usize| format!("graph/facts/f{number}.md");
    for number in 0..300 {
        let note = format!(
            "---\nid: 22222222-0000-4000-8000-{number:012}\ntype: fact\ntitle: Fact {number}\n---\n\nFirst.\n\nLast.\n"
        );
        ada.sandbox.write(&path(number), note);
    }
    settle(&[&ada, &ben]);
    let edit = |clone: &Clone, numbers: std::ops::Range<usize>, from: &str, to: &str| {
        for number in numbers {
            let text = clone.sandbox.read(&path(number));
            clone.sandbox.write(&path(number), text.replace(from, to));
        }
    };
    edit(&ada, 0..200, "First.", "First, says Ada.");
    edit(&ben, 100..300, "Last.", "Last, says Ben.");
    settle(&[&ada, &ben]);
    for number in 0..300 {
        let text = ben.sandbox.read(&path(number));
        let (first, last) = (text.contains("says Ada"), text.contains("says Ben"));
        assert_eq!((first, last), (number < 200, number >= 100), "{text}");
    }
    assert_eq!(ben.sandbox.git(&["status", "--porcelain"]), "");
    ben.sandbox.git(&["fsck", "--strict", "--no-dangling"]);
}

#[test]
fn the_same_edge_of_both_sides_is_one_edge_11() {
    let (_remote, ada, ben) = pair();
    for clone in [&ada, &ben] {
        clone.cm(&["relate", "Restart the queue", "Prices are cached", "--type", "SOLVES"]).ok();
        clone.later(1);
    }
    settle(&[&ada, &ben]);
    assert_eq!(ada.sandbox.git(&["ls-files", "graph/edges"]).lines().count(), 1);
}

#[test]
fn two_notes_of_one_title_both_stay_12() {
    let (_remote, ada, ben) = pair();
    ada.cm(&["add", "--type", "fact", "Ports differ"]).ok();
    ben.cm(&["add", "--type", "fact", "Ports differ"]).ok();
    settle(&[&ada, &ben]);
    assert_eq!(ada.sandbox.git(&["ls-files", "graph/facts"]).lines().count(), 3);
    let entries = |clone: &Clone| {
        clone.cm(&["review", "--kind", "merges", "--json"]).ok().json()["sections"][0].clone()
    };
    let commands: Vec<String> =
        serde_json::from_value(entries(&ben)["items"][0]["commands"].clone()).unwrap();
    assert_eq!((&entries(&ben)["total"], commands.len()), (&1.into(), 3), "{commands:?}");
    let words = shell_words::split(&commands[0]).unwrap();
    ben.cm(&words[1..].iter().map(String::as_str).collect::<Vec<_>>()).ok();
    settle(&[&ben, &ada]);
    assert_eq!(entries(&ada)["total"], 0);
}

#[test]
fn one_rule_that_two_people_add_in_the_same_second_is_one_rule_13() {
    let (_remote, ada, ben) = pair();
    for clone in [&ada, &ben] {
        clone.cm(&["playbook", "add", "Check the clock before a release", "--category", "testing"]).ok();
    }
    settle(&[&ada, &ben]);
    let rules = ada.sandbox.git(&["grep", "-l", "Check the clock"]);
    assert_eq!(rules.lines().count(), 1, "{rules}");
    assert_eq!(ada.cm(&["validate", "--json"]).ok().json()["errors"], 0);
}

#[test]
fn settings_of_both_sides_stand_20() {
    let (_remote, ada, ben) = pair();
    ada.cm(&["config", "set", "search.limit", "7"]).ok();
    ben.cm(&["config", "set", "context.max_rules", "9"]).ok();
    settle(&[&ada, &ben]);
    for (key, value) in [("search.limit", "7"), ("context.max_rules", "9")] {
        assert!(
            ada.cm(&["config", "get", key]).ok().stdout.contains(value),
            "{}",
            ada.sandbox.read("cm.toml")
        );
    }
}

#[test]
fn the_marked_section_of_a_rule_file_is_written_anew_21() {
    let (remote, ada, ben) = pair();
    ada.trust(&remote);
    ben.trust(&remote);
    ada.cm(&["project"]).ok();
    settle(&[&ada, &ben]);
    ada.cm(&["playbook", "add", "Never log the card number of a customer", "--category", "security"]).ok();
    ada.cm(&["project"]).ok();
    ben.cm(&["playbook", "add", "Give each request a timeout of two seconds", "--category", "net"]).ok();
    ben.cm(&["project"]).ok();
    settle(&[&ada, &ben]);
    let file = ada.sandbox.read("AGENTS.md");
    for part in ["card number", "timeout of two seconds", "Print the seed"] {
        assert_eq!(file.matches(part).count(), 1, "{part}: {file}");
    }
}

#[test]
fn harm_on_both_sides_gives_one_inversion_14_15() {
    let (_remote, ada, ben) = pair();
    for clone in [&ada, &ben] {
        clone.cm(&["mark", RULE, "--harmful", "--reason", "caused_bug", "--invert"]).ok();
        clone.later(9);
    }
    ada.cm(&["forget", "Restart the queue", "--reason", "It broke"]);
    settle(&[&ada, &ben]);
    let rules = ada.cm(&["playbook", "list", "--state", "all", "--json"]).ok().stdout;
    assert!(rules.matches("\"type\": \"anti_pattern\"").count() <= 1, "{rules}");
}

#[test]
fn conflict_markers_that_somebody_committed_stop_the_next_sync_24() {
    let (_remote, ada, _ben) = pair();
    let text = ada.sandbox.read(FACT_FILE);
    ada.sandbox.write(
        FACT_FILE,
        text.replace("For five minutes", "<<<<<<< HEAD\nFor five\n=======\nFor ten\n>>>>>>> theirs"),
    );
    let ran = ada.cm(&["sync"]);
    assert_eq!(ran.code, 5, "{}", ran.snapshot());
    assert!(ran.stderr.contains("unresolved merge conflict"), "{}", ran.snapshot());
}

#[test]
fn doctor_finds_feedback_that_a_merge_by_hand_lost_23() {
    let (_remote, ada, _ben) = pair();
    for _ in 0..3 {
        ada.later(24 * 60);
        ada.cm(&["mark", RULE, "--helpful"]).ok();
    }
    let doctor = || ada.cm(&["doctor"]).stdout;
    assert!(!doctor().contains("lost feedback"), "{}", doctor());
    ada.cm(&["undo"]).ok();
    assert!(!doctor().contains("lost feedback"), "an undo loses nothing: {}", doctor());
    let first = ada.sandbox.git(&["show", &format!("HEAD~3:{RULE_FILE}")]);
    ada.sandbox.write(RULE_FILE, first);
    ada.cm(&["commit"]).ok();
    assert!(
        doctor().contains("1 note lost feedback") && doctor().contains("2 events given, 1 in the file"),
        "{}",
        doctor()
    );
}

#[test]
fn undoing_a_commit_of_another_person_names_that_person() {
    let (_remote, ada, ben) = pair();
    ben.sandbox.git(&["config", "user.name", "Ben"]);
    ben.sandbox.git(&["config", "user.email", "ben@example.org"]);
    ben.cm(&["add", "--type", "fact", "Ports differ"]).ok();
    settle(&[&ben, &ada]);
    assert_eq!(ada.cm(&["undo"]).code, 8, "without a name only one's own");
    let ran = ada.cm(&["undo", "HEAD"]).ok();
    assert!(ran.stderr.contains("was made by Ben"), "{}", ran.snapshot());
}

#[test]
fn both_versions_of_an_image_that_both_sides_changed_are_kept() {
    let (_remote, ada, ben) = pair();
    ada.sandbox.write("attachments/p.png", b"\0ada");
    ben.sandbox.write("attachments/p.png", b"\0ben");
    ada.cm(&["sync"]).ok();
    let told = ben.cm(&["sync"]).ok().stdout;
    assert!(told.contains("both sides changed it, so that both versions are kept"), "{told}");
    settle(&[&ada, &ben]);
    for clone in [&ada, &ben] {
        let files = clone.sandbox.git(&["ls-files", "attachments"]);
        let mut versions: Vec<String> = files.lines().map(|path| clone.sandbox.read(path)).collect();
        versions.sort();
        assert_eq!(versions, ["\0ada", "\0ben"], "{files}");
    }
}

#[test]
fn a_note_that_two_people_adopted_is_one_note_with_the_edges_of_both() {
    let remote = Remote::new();
    let ada = Clone::first(&remote, "ada", &format!("{VAULT}--- notes/plan.md\n# Plan\n\nWait.\n"));
    let ben = Clone::of(&remote, "ben");
    for (clone, other) in [(&ada, "Restart the queue"), (&ben, "Prices are cached")] {
        clone.cm(&["adopt"]).ok();
        clone.cm(&["relate", "Plan", other, "--type", "REQUIRES"]).ok();
        clone.later(1);
    }
    settle(&[&ada, &ben]);
    let plans = ada.sandbox.git(&["ls-files", "notes"]);
    assert_eq!(plans, "notes/plan.md\n");
    let related = ben.cm(&["related", "Plan", "--json"]).ok().stdout;
    assert!(related.contains("Restart the queue") && related.contains("Prices are cached"), "{related}");
    ada.cm(&["validate"]).ok();
}

#[test]
fn a_note_that_one_person_deleted_and_another_related_waits_in_the_inbox() {
    let (_remote, ada, ben) = pair();
    ada.cm(&["relate", "Restart the queue", "Prices are cached", "--type", "SOLVES"]).ok();
    ben.cm(&["delete", "Prices are cached"]).ok();
    settle(&[&ada, &ben]);
    ada.cm(&["validate"]).ok();
    let inbox = ben.cm(&["review", "--kind", "leftovers", "--json"]).ok().json();
    let commands = inbox["sections"][0]["items"][0]["commands"].as_array().unwrap();
    let delete = shell_words::split(commands[0].as_str().unwrap()).unwrap();
    ben.cm(&delete[1..].iter().map(String::as_str).collect::<Vec<_>>()).ok();
    settle(&[&ben, &ada]);
    assert_eq!(ada.sandbox.git(&["ls-files", "graph/edges"]), "");
    ada.cm(&["validate"]).ok();
}

#[test]
fn a_link_to_a_note_that_another_person_renamed_leads_to_it() {
    let (_remote, ada, ben) = pair();
    ada.cm(&["rename", "Restart the queue", "Restart the workers"]).ok();
    ben.sandbox.write("notes/index.md", "# Index\n\n[[queue]] and [q](../graph/solutions/queue.md).\n");
    settle(&[&ada, &ben]);
    let validated = ada.cm(&["validate"]).ok();
    assert!(!validated.stdout.contains("dangling"), "{}", validated.snapshot());
    assert_eq!(
        ada.sandbox.read("notes/index.md"),
        "# Index\n\n[[Restart the workers]] and [q](../graph/solutions/Restart%20the%20workers.md).\n"
    );
}

#[test]
fn a_rule_that_both_sides_reworded_waits_in_the_inbox_and_is_no_mixture() {
    let (_remote, ada, ben) = pair();
    let text = ada.sandbox.read(RULE_FILE);
    let rule = "Print the seed of every random test before it runs.";
    let (never, after) = (rule.replace("Print", "Never print"), rule.replace("before it", "after it"));
    ada.sandbox.write(RULE_FILE, text.replace(rule, &never));
    ben.sandbox.write(RULE_FILE, text.replace(rule, &after));
    settle(&[&ada, &ben]);
    let merged = ada.sandbox.read(RULE_FILE);
    assert!(!merged.contains("Never print the seed of every random test after"), "{merged}");
    assert!(merged.contains(&never) && merged.contains(&after), "{merged}");
    let inbox = ben.cm(&["review", "--kind", "leftovers", "--json"]).ok().json();
    assert_eq!(inbox["total"], 1, "{inbox}");
}

#[test]
fn taking_the_other_version_removes_no_section_that_one_side_added() {
    let remote = Remote::new();
    let base = "# S2\n\n## One\n\none text\n\n## Two\n\ntwo text\n";
    let ada = Clone::first(&remote, "ada", &format!("{VAULT}--- s2.md\n{base}"));
    let ben = Clone::of(&remote, "ben");
    ada.sandbox.write("s2.md", "# S2\n\n## Two\n\ntwo text by ada\n\n## One\n\none text\n");
    let edited = base.replace("one text", "one text by ben").replace("two text", "two words by ben");
    ben.sandbox.write("s2.md", format!("{edited}\nBen adds this.\n\n## Three\n\nnew important section\n"));
    settle(&[&ada, &ben]);
    let merged = ada.sandbox.read("s2.md");
    ada.cm(&["review", "--take", "s2.md"]).ok();
    let text = ada.sandbox.read("s2.md");
    for part in ["## One", "one text by ben", "## Two", "Ben adds this.", "## Three", "new important section"]
    {
        assert_eq!(text.matches(part).count(), 1, "{part}: {merged}\n{text}");
    }
    assert_ne!(merged.contains("two text by ada\n\nBen"), text.contains("two text by ada\n\nBen"), "{text}");
}

#[test]
fn two_unrelated_notes_at_one_path_both_stay() {
    let (_remote, ada, ben) = pair();
    ada.sandbox.write("todo.md", "# Ada on databases\n\nAsk who owns the replica.\n");
    ben.sandbox.write("todo.md", "# Shopping list\n\n- milk\n- bread for the office\n");
    settle(&[&ada, &ben]);
    let names = ada.sandbox.git(&["ls-files", "todo*"]);
    let texts: Vec<String> = names.lines().map(|name| ada.sandbox.read(name)).collect();
    assert_eq!(texts.len(), 2, "{names}");
    assert!(texts.iter().any(|text| !text.contains("milk")) && names.contains("todo.md\n"), "{texts:?}");
}

#[test]
fn the_edges_of_a_note_that_was_deleted_and_edited_stay_with_it() {
    let (_remote, ada, ben) = pair();
    ada.cm(&["relate", "Restart the queue", "Prices are cached", "--type", "CAUSES"]).ok();
    settle(&[&ada, &ben]);
    ada.cm(&["delete", "Restart the queue"]).ok();
    assert_eq!(ada.sandbox.git(&["ls-files", "graph/edges"]), "");
    ben.cm(&["update", "Restart the queue", "--append", "Then wait a minute."]).ok();
    settle(&[&ada, &ben]);
    let related = ada.cm(&["related", "Restart the queue", "--json"]).ok().stdout;
    assert!(related.contains("Prices are cached"), "{related}");
    ada.cm(&["validate"]).ok();
}

#[test]
fn a_note_shows_the_picture_of_its_side_where_both_sides_added_one_of_that_name() {
    let (_remote, ada, ben) = pair();
    for (clone, bytes) in [(&ada, "\0ada"), (&ben, "\0ben")] {
        clone.sandbox.write("att/shot.png", bytes);
        clone.sandbox.write(&format!("{}.md", clone.name), "# Shot\n\n![s](att/shot.png)\n");
    }
    settle(&[&ada, &ben]);
    for name in ["ada", "ben"] {
        let note = ada.sandbox.read(&format!("{name}.md"));
        let path = note.split_once("](").unwrap().1.trim_end().trim_end_matches(')').to_owned();
        assert_eq!(ada.sandbox.read(&path), format!("\0{name}"), "{note}");
    }
}
