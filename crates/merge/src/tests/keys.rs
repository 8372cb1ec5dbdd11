//! Merges of frontmatter keys.

use super::*;

/// Merges the frontmatter lines of a memory; returns them without the lines that all versions have.
fn keys(base: &str, ours: &str, theirs: &str) -> String {
    let [base, ours, theirs] = [base, ours, theirs].map(|keys| memory(keys, "Text.\n"));
    let text = synced(MEMORY, &base, &ours, &theirs);
    let (head, tail) = (memory("", ""), "---\n\nText.\n");
    let inner = text.strip_prefix(head.strip_suffix("---\n\n").unwrap()).unwrap();
    inner.strip_suffix(tail).unwrap_or_else(|| panic!("{text}")).to_owned()
}

#[test]
fn tags_of_both_sides_stand_and_removed_ones_do_not() {
    assert_eq!(keys("tags: [a, b]\n", "tags: [a, b, x]\n", "tags: [a, b, c]\n"), "tags: [a, b, c, x]\n");
    assert_eq!(keys("tags: [a, b]\n", "tags: [a, b, x]\n", "tags: [b]\n"), "tags: [b, x]\n");
    assert_eq!(keys("", "tags: [x]\n", "tags: [y]\n"), "tags: [x, y]\n");
    assert_eq!(
        keys("tags: ['a', \"b\"]\n", "tags: ['a', \"b\", x]\n", "tags: [\"b\"]\n"),
        "tags: [\"b\", x]\n"
    );
    assert_eq!(keys("tags: a b\n", "tags: a b x\n", "tags: [a, b, z]\n"), "tags: [a, b, x, z]\n");
}

#[test]
fn updated_is_the_later_and_created_the_earlier() {
    let at = |day: u8| format!("created: 2026-11-{day:02}\nupdated: 2026-11-{day:02}\n");
    assert_eq!(keys("", &at(3), &at(5)), "created: 2026-11-03\nupdated: 2026-11-05\n");
}

#[test]
fn of_two_values_the_later_stands_and_the_other_is_a_leftover() {
    let value =
        |importance: f64, day: u8| format!("importance: {importance}\nupdated: 2026-11-{day:02}T09:00:00Z\n");
    assert_eq!(
        keys(&value(0.5, 1), &value(0.7, 3), &value(0.6, 4)),
        "importance: 0.6\nupdated: 2026-11-04T09:00:00Z\nmerge:\n  - key: importance\n    value: 0.7\n    updated: 2026-11-03T09:00:00Z\n"
    );
}

#[test]
fn on_equal_times_the_greater_value_stands() {
    let text = keys("category: a\n", "category: b\n", "category: c\n");
    assert_eq!(text, "category: c\nmerge:\n  - key: category\n    value: b\n");
}

#[test]
fn events_of_both_sides_are_sorted_by_time_and_equal_ones_of_one_file_count_each() {
    let event = |hour: u8| format!("  - at: 2026-11-01T{hour:02}:00:00Z\n    signal: helpful\n");
    let feedback =
        |hours: &[u8]| format!("feedback:\n{}", hours.iter().map(|hour| event(*hour)).collect::<String>());
    assert_eq!(
        keys(&feedback(&[9]), &feedback(&[9, 12]), &feedback(&[9, 11, 11])),
        feedback(&[9, 11, 11, 12])
    );
    assert_eq!(keys("", &feedback(&[12]), &feedback(&[12])), feedback(&[12]));
}

#[test]
fn comments_and_spelling_of_events_stay() {
    let base = "feedback: # ours\n  # first\n  - {at: '2026-11-01', signal: helpful}\n";
    let ours = format!("{base}  - at: 2026-11-03\n    signal: helpful # yes\n");
    let theirs = format!("{base}  # second\n  - at: 2026-11-02\n    signal: harmful\n");
    let both = format!(
        "{base}  # second\n  - at: 2026-11-02\n    signal: harmful\n  - at: 2026-11-03\n    signal: helpful # yes\n"
    );
    assert_eq!(keys(base, &ours, &theirs), both);
}

#[test]
fn a_relation_is_one_by_its_ends_and_type() {
    let relation = |target: &str, more: &str| format!("  - target: {target}\n    type: SOLVES\n{more}");
    let base = format!("relations:\n{}", relation("n", ""));
    let ours = format!("{base}{}", relation("x", ""));
    let theirs = format!("relations:\n{}{}", relation("n", "    strength: 0.5\n"), relation("y", ""));
    let both = format!(
        "relations:\n{}{}{}",
        relation("n", "    strength: 0.5\n"),
        relation("x", ""),
        relation("y", "")
    );
    assert_eq!(keys(&base, &ours, &theirs), both);
    let context = |why: &str| format!("relations:\n{}", relation("n", &format!("    context: {why}\n")));
    let clash = keys(&base, &context("b"), &context("a"));
    assert!(clash.starts_with(&context("b")), "{clash}");
    assert!(clash.contains("merge:\n  - key: relations\n    value: {target:"), "{clash}");
    assert!(clash.contains("context: a}\n"), "{clash}");
}

#[test]
fn steps_keep_their_order() {
    let steps = |steps: &str| format!("steps: [{steps}]\n");
    assert_eq!(keys(&steps("a, b, c"), &steps("z, a, b, c"), &steps("a, b, q, c")), steps("z, a, b, q, c"));
    let clash = keys(&steps("a, b"), &steps("a, x"), &steps("a, y"));
    assert!(clash.starts_with(&format!("{}merge:\n  - key: steps\n", steps("a, y"))), "{clash}");
}

#[test]
fn unknown_keys_and_comments_of_both_sides_stay() {
    let base = "# top\nowner: x\n";
    let ours = "# top\n# mine\nowner: x\nfirst: 1\n";
    let theirs = "# top\nowner: y\nsecond: {a: 1}\n# end\n";
    assert_eq!(keys(base, ours, theirs), "# top\n# mine\nowner: y\nfirst: 1\nsecond: {a: 1}\n# end\n");
}

#[test]
fn a_state_is_the_stricter_one_and_a_pin_stays() {
    let text = keys("state: unverified\n", "state: active\n", "state: draft\n");
    assert_eq!(text, "state: draft\nmerge:\n  - key: state\n    value: active\n");
    let text = keys("", "pinned: false\n", "pinned: true\n");
    assert_eq!(text, "pinned: true\nmerge:\n  - key: pinned\n    value: false\n");
}

#[test]
fn a_driver_writes_no_markers_into_the_frontmatter() {
    let [base, ours, theirs] = ["a", "b", "c"].map(|owner| memory(&format!("owner: {owner}\n"), "Text.\n"));
    let driver = merged(MEMORY, Some(base.as_bytes()), ours.as_bytes(), theirs.as_bytes(), Clash::Markers);
    assert!(!driver.markers);
    assert_eq!(driver.bytes, synced(MEMORY, &base, &ours, &theirs).into_bytes());
}

#[test]
fn leftovers_of_three_clones_are_one_list_in_any_order() {
    let note =
        |owner: &str, day: u8| memory(&format!("owner: {owner}\nupdated: 2026-11-{day:02}\n"), "Text.\n");
    let (base, one, two, three) = (note("o", 1), note("a", 2), note("b", 3), note("c", 4));
    let orders = [[&one, &two, &three], [&three, &one, &two], [&two, &three, &one]];
    let results = orders.map(|[a, b, c]| synced(MEMORY, &base, &synced(MEMORY, &base, a, b), c));
    assert!(results.iter().all(|result| *result == results[0]), "{results:?}");
    assert!(results[0].contains("value: a") && results[0].contains("value: b"));
}

#[test]
fn a_value_and_the_comment_behind_it_are_changed_at_once() {
    let merge = |base: &str, ours: &str, theirs: &str| {
        let note = |line: &str| memory(&format!("{line}\n"), "Text.\n");
        let merged = synced(MEMORY, &note(base), &note(ours), &note(theirs));
        merged.lines().skip(4).take_while(|line| *line != "---").collect::<Vec<_>>().join("\n")
    };
    assert_eq!(merge("o: a   # x", "o: b # x", "o: a   # y"), "o: b # y");
    assert_eq!(merge("o: a", "o: b", "o: a # y"), "o: b # y");
    assert_eq!(merge("o: a # x", "o: b # x", "o: a"), "o: b");
    assert_eq!(merge("o: a # x", "o: b # y", "o: b # z"), "o: b # y # z");
    assert_eq!(merge("o: a # x", "o: [a, b] # x", "o: a # y"), "o: [a, b] # y");
    let block = merge("o: a # x", "o: |\n  a\n  b", "o: a # y");
    assert_eq!(block, "o: | # y\n  a\n  b");
}
