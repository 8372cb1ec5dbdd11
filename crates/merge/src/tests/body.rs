//! Merges of bodies.

use super::*;

/// Merges bodies of a memory; returns the merged body, and the leftovers after `---`.
fn bodies(base: &str, ours: &str, theirs: &str) -> String {
    let text = synced(MEMORY, &memory("", base), &memory("", ours), &memory("", theirs));
    let head = memory("", "");
    let head = head.strip_suffix("---\n\n").unwrap();
    let (leftovers, body) = text.strip_prefix(head).unwrap().split_once("---\n\n").unwrap();
    if leftovers.is_empty() { body.to_owned() } else { format!("{body}---\n{leftovers}") }
}

#[test]
fn the_top_and_the_end_are_edited_at_once() {
    assert_eq!(bodies("a\n\nb\n", "A\n\nb\n", "a\n\nb\n\nc\n"), "A\n\nb\n\nc\n");
    assert_eq!(bodies("a\n", "A\n", "a\n\nb\n"), "A\n\nb\n");
    assert_eq!(bodies("a\n", "x\n\na\n", "A\n"), "x\n\nA\n");
}

#[test]
fn two_appended_paragraphs_both_stand_in_order_of_time() {
    let note = |day: u8, body: &str| memory(&format!("updated: 2026-11-{day:02}\n"), body);
    let text = synced(MEMORY, &note(1, "a\n"), &note(3, "a\n\nlate\n"), &note(2, "a\n\nsoon\n"));
    assert_eq!(text, note(3, "a\n\nsoon\n\nlate\n"));
    assert_eq!(bodies("- a\n", "- a\n- x\n", "- a\n- y\n"), "- a\n- x\n- y\n");
    assert_eq!(bodies("a\n\nz\n", "a\n\nx\n\nz\n", "a\n\ny\n\nz\n"), "a\n\nx\n\ny\n\nz\n");
    assert_eq!(bodies("a\n", "a\n\nx\n", "a\n\nx\n\ny\n"), "a\n\nx\n\ny\n");
}

#[test]
fn words_of_one_paragraph_are_edited_at_once() {
    let base = "The pool has ten connections. Each worker takes one of them.\n";
    assert_eq!(
        bodies(base, &base.replace("ten", "twelve"), &base.replace("one of them", "two of them, e.g. now")),
        "The pool has twelve connections. Each worker takes two of them, e.g. now.\n"
    );
    assert_eq!(
        bodies(base, &base.replace("ten", "twelve"), &base.replace("them.", "them. The rest waits.")),
        "The pool has twelve connections. Each worker takes one of them. The rest waits.\n"
    );
}

#[test]
fn a_sentence_that_both_sides_changed_is_no_mixture_of_both() {
    for (base, ours, theirs) in [
        ("Always use tabs in Go files.", "Never use tabs in Go files.", "Always use spaces in Go files."),
        ("Use tabs. Ask Bob about it.", "Use tabs. Do not ask Bob about it.", "Use tabs. Ask Eve about it."),
        ("# Prices are cached now", "# Prices are not cached now", "# Prices are cached by key now"),
        (
            "Always use tabs in the Go files of this project and of\nthe tools that it has.",
            "Never use tabs in the Go files of this project and of\nthe tools that it has.",
            "Always use tabs in the Go files of this project and of\nthe programs that it has.",
        ),
        ("Run the tests before a push", "Run the tests before a merge", "Skip the tests before a push"),
    ] {
        let [base, ours, theirs] = [base, ours, theirs].map(|text| format!("{text}\n\nEnd.\n"));
        let text = bodies(&base, &ours, &theirs);
        let (body, leftovers) = text.split_once("---\n").unwrap_or((&text, ""));
        assert!(body == ours || body == theirs, "{text}");
        assert!(leftovers.contains("value: "), "{text}");
    }
}

#[test]
fn a_leftover_stands_for_no_paragraph_that_one_side_alone_added() {
    let base = "The pool has ten connections.\n";
    let ours = "The pool has nine connections.\n\nAda added this.\n";
    let theirs = "Ben added that.\n\nThe pool has twelve connections.\n";
    let text = bodies(base, ours, theirs);
    let (body, leftovers) = text.split_once("---\n").unwrap();
    assert_eq!(body, "Ben added that.\n\nThe pool has twelve connections.\n\nAda added this.\n");
    assert_eq!(
        leftovers,
        "merge:\n  - paragraph: The pool has twelve connections.\n    value: The pool has nine connections.\n"
    );
}

#[test]
fn of_two_texts_that_clash_one_stands_and_the_other_is_a_leftover() {
    assert_eq!(
        bodies("Ten.\n\nEnd.\n", "Twelve.\n\nEnd.\n", "Nine.\n\nEnd.\n"),
        "Twelve.\n\nEnd.\n---\nmerge:\n  - paragraph: Twelve.\n    value: Nine.\n"
    );
    assert_eq!(
        bodies("Ten.\n\nEnd.\n", "End.\n", "Nine.\n\nEnd.\n"),
        "Nine.\n\nEnd.\n---\nmerge:\n  - paragraph: Nine.\n"
    );
}

#[test]
fn a_driver_marks_the_clash_alone() {
    let [base, ours, theirs] =
        ["Ten", "Twelve", "Nine"].map(|word| memory("", &format!("Top.\n\n{word}.\n\nEnd.\n")));
    let driver = merged(MEMORY, Some(base.as_bytes()), ours.as_bytes(), theirs.as_bytes(), Clash::Markers);
    assert!(driver.markers);
    let marked = "Top.\n\n<<<<<<< ours\nTwelve.\n=======\nNine.\n>>>>>>> theirs\n\nEnd.\n";
    assert_eq!(String::from_utf8(driver.bytes).unwrap(), memory("", marked));
}

#[test]
fn a_fenced_block_is_never_cut_through() {
    let block = |middle: &str| format!("Top.\n\n```sh\nmake a\n{middle}\nmake c\n```\n\nEnd.\n");
    let text = bodies(&block("make b"), &block("make x"), &block("make y"));
    assert!(text.starts_with(&block("make y")), "{text}");
    let leftover = r#"value: "```sh\nmake a\nmake x\nmake c\n```""#;
    assert!(text.contains(leftover), "{text}");
}

#[test]
fn equal_blocks_and_lines_are_not_taken_for_one() {
    let block = "```sh\nmake\n```\n\n";
    let base = format!("{block}a\n\n{block}b\n\n{block}c\n");
    let ours = base.replace("a\n", "a a\n");
    let theirs = format!("{base}\n{block}d\n");
    assert_eq!(bodies(&base, &ours, &theirs), theirs.replace("\na\n", "\na a\n"));
}

#[test]
fn rows_that_one_side_only_padded_are_those_of_the_other() {
    let base = "| key | n |\n|---|:--|\n| a | 1 |\n| b | 2 |\n";
    let padded = "| key | n   |\n| --- | :-- |\n| a   | 1   |\n| b   | 2   |\n";
    let edited = base.replace("| 2 |", "| 22 |");
    let merged = "| key | n   |\n| --- | :-- |\n| a   | 1   |\n| b | 22 |\n";
    assert_eq!(bodies(base, padded, &edited), merged);
    assert_eq!(bodies(base, &edited, padded), merged);
    let less = padded.replace("   |", "  |");
    assert_eq!(bodies(base, padded, &less), less, "the greater one by bytes");
}

#[test]
fn rows_of_a_table_are_merged_whole() {
    let table = |rows: &str| format!("| a | b |\n|---|---|\n{rows}");
    assert_eq!(
        bodies(&table("| 1 | 2 |\n"), &table("| 1 | 2 |\n| 3 | 4 |\n"), &table("| 1 | 2 |\n| 5 | 6 |\n")),
        table("| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |\n")
    );
    let text = bodies(
        &table("| one two three four | x |\n"),
        &table("| 1 two three four | x |\n"),
        &table("| one two three 4 | x |\n"),
    );
    assert!(text.contains("value: \"| 1 two") || text.contains("value: '| 1 two"), "{text}");
}

#[test]
fn rows_that_different_sides_changed_stand_next_to_each_other() {
    let table = |rows: &str| format!("| a | b |\n|---|---|\n{rows}");
    let merge = |base: &str, ours: &str, theirs: &str| bodies(&table(base), &table(ours), &table(theirs));
    assert_eq!(
        merge("| a | 1 |\n| b | 2 |\n", "| a | 11 |\n| b | 2 |\n", "| a | 1 |\n| b | 22 |\n| c | 3 |\n"),
        table("| a | 11 |\n| b | 22 |\n| c | 3 |\n")
    );
    assert_eq!(
        merge("| a | 1 |\n| b | 2 |\n", "| b | 2 |\n", "| a | 1 |\n| b | 22 |\n"),
        table("| b | 22 |\n")
    );
    let changed_and_removed = merge("| a | 1 |\n| b | 2 |\n", "| b | 3 |\n", "| a | 9 |\n| b | 2 |\n");
    assert!(changed_and_removed.contains("merge:"), "{changed_and_removed}");
}

#[test]
fn text_stays_below_its_heading_where_the_other_side_moved_the_section() {
    let [a, b, c] = ["A", "B", "C"].map(|name| format!("## {name}\n\nText of {name}.\n"));
    let base = format!("Top.\n\n{a}\n{b}\n{c}");
    let moved = format!("Top.\n\n{c}\n{b}\n{a}");
    let edited = base.replace("Text of A.", "More of A.").replace("Top.", "The top.");
    assert_eq!(
        bodies(&base, &moved, &edited),
        moved.replace("Text of A.", "More of A.").replace("Top.", "The top.")
    );
    let both =
        bodies(&base, &moved.replace("Text of B", "One of B"), &edited.replace("Text of B", "Two of B"));
    assert!(
        both.contains("## B\n\nTwo of B.\n\n## A\n\nMore of A.\n") && both.contains("value: One of B."),
        "{both}"
    );
}

#[test]
fn a_section_that_one_side_added_and_one_that_it_edited_stand_once_where_the_other_side_moved_sections() {
    let base = "# S2\n\n## One\n\none text\n\n## Two\n\ntwo text\n";
    let moved = "# S2\n\n## Two\n\ntwo text\n\n## One\n\none text\n";
    let edited =
        "# S2\n\n## One\n\none text by ben\n\n## Two\n\ntwo text\n\n## Three\n\nnew important section\n";
    assert_eq!(
        bodies(base, moved, edited),
        "# S2\n\n## Two\n\ntwo text\n\n## One\n\none text by ben\n\n## Three\n\nnew important section\n"
    );
    let first = "# S2\n\nIntro.\n\n## A\n\n### A1\n\na\n\n## B\n\nb\n\n## C\n\nc\n";
    let to_top = "# S2\n\nIntro.\n\n## C\n\nc\n\n## A\n\n### A1\n\na\n\n## B\n\nb\n";
    let more = first.replace("c\n", "c, edited\n").replace("## B", "### A2\n\nnew\n\n## B");
    assert_eq!(
        bodies(first, to_top, &more),
        to_top.replace("c\n", "c, edited\n").replace("## B", "### A2\n\nnew\n\n## B")
    );
    let without = first.replace("## B\n\nb\n\n", "");
    assert_eq!(bodies(first, to_top, &without), to_top.replace("\n## B\n\nb\n", ""));
}

#[test]
fn an_item_is_ticked_and_reworded_at_once() {
    assert_eq!(bodies("- [ ] two\n", "- [x] two\n", "- [ ] two until Friday\n"), "- [x] two until Friday\n");
    assert_eq!(
        bodies("- [ ] one\n- [ ] two\n", "- [x] one\n- [x] two\n", "- [ ] one\n- [ ] two or three\n"),
        "- [x] one\n- [x] two or three\n"
    );
    let another = bodies("- [ ] call the bank\n", "- [x] call the bank\n", "- [ ] buy milk\n");
    assert!(another.contains("- [x] call the bank\n") && another.contains("- [ ] buy milk"), "{another}");
    assert_eq!(
        bodies("- [ ] one\n- [ ] two\n", "- [x] one\n- [x] two\n", "- [ ] one\n- [ ] two\n- [ ] new\n"),
        "- [x] one\n- [x] two\n- [ ] new\n"
    );
}

#[test]
fn notes_without_frontmatter_are_merged_by_paragraph() {
    let merge = |base: &str, ours: &str, theirs: &str| synced("notes/plain.md", base, ours, theirs);
    assert_eq!(merge("# P\n\na\n", "# P\n\na\n\nx\n", "# P\n\na\n\ny\n"), "# P\n\na\n\nx\n\ny\n");
    assert_eq!(merge("", "# Day\n\n- a\n- b\n", "# Day\n\n- c\n"), "# Day\n\n- a\n- b\n- c\n");
    let clash = merge("# P\n\nTen.\n", "# P\n\nTwelve.\n", "# P\n\nNine.\n");
    assert_eq!(clash, "---\nmerge:\n  - paragraph: Twelve.\n    value: Nine.\n---\n# P\n\nTwelve.\n");
}

#[test]
fn the_body_of_a_note_with_broken_frontmatter_is_merged_by_paragraph() {
    let base = memory("tags: [a]\n", "Text.\n");
    let ours = base.replace("[a]", "[a") + "\nOurs.\n";
    let theirs = format!("{base}\nTheirs.\n");
    let both = synced(MEMORY, &base, &ours, &theirs);
    assert_eq!(both, format!("{ours}\nTheirs.\n"));
}

#[test]
fn a_clash_in_one_item_leaves_the_other_items_alone() {
    let text = bodies(
        "- [ ] call Bob\n- [ ] send\n- [ ] book room 12\n- [ ] feed the cat\n",
        "- [x] call Bob\n- [ ] send\n- [ ] book room 14\n- [ ] feed the cat\n",
        "- [ ] call Bob\n- [x] send\n- [ ] book room 15\n- [x] feed the cat\n",
    );
    let (body, leftovers) = text.split_once("---\n").unwrap();
    assert_eq!(body, "- [x] call Bob\n- [x] send\n- [ ] book room 15\n- [x] feed the cat\n");
    assert_eq!(leftovers, "merge:\n  - paragraph: '- [ ] book room 15'\n    value: '- [ ] book room 14'\n");
}

#[test]
fn a_paragraph_that_one_side_split_and_the_other_edited_stands_once() {
    let merge = |list: &str| {
        bodies(
            &format!("Red green blue black white.\n\n- a b\n- c d\n{list}"),
            &format!("Red green blue\n\nblack white.\n\n- a b\n{list}"),
            &format!("Red green blue black white. New words\n\n- a b\n- c d\n{list}"),
        )
    };
    assert_eq!(merge("- e f\n"), "Red green blue\n\nblack white. New words\n\n- a b\n- e f\n");
    let both = bodies(
        "One two three four five six.\n",
        "One two\n\nthree four five six.\n",
        "One two\n\nthree four five more six.\n",
    );
    assert_eq!(both, "One two\n\nthree four five more six.\n");
    let clash = bodies(
        "One two three four. Five six seven.\n\nEnd.\n",
        "One two three 4.\n\nFive six seven.\n\nEnd.\n",
        "One two three vier. Five six seven.\n\nEnd.\n",
    );
    assert_eq!(clash.split_once("---\n").unwrap().0.matches("Five six seven").count(), 1, "{clash}");
}

#[test]
fn a_paragraph_is_found_again_where_blank_lines_would_fit_as_well() {
    let list = "- one\n- two\n- three\n\n";
    let text = bodies(
        &format!("Red green blue.\n\n{list}End.\n"),
        &format!("Red green and blue.\n\n{list}End.\n"),
        "New words.\n\nRed green blue.\n\nEnd.\n",
    );
    assert_eq!(text, "New words.\n\nRed green and blue.\n\nEnd.\n");
}

#[test]
fn a_leftover_that_one_side_took_and_the_other_dropped_is_open_again() {
    let leftover = "merge:\n  - paragraph: Book two.\n    value: Book five.\n";
    let base = memory(leftover, "Top.\n\nBook two.\n");
    let (took, dropped) = (memory("", "Top.\n\nBook five.\n"), memory("", "Top.\n\nBook two.\n"));
    let text = synced(MEMORY, &base, &took, &dropped);
    assert!(text.ends_with("\nBook five.\n"), "{text}");
    assert!(text.contains("merge:\n  - paragraph: Book five.\n    value: Book two.\n"), "{text}");
    assert!(!synced(MEMORY, &base, &took, &took.replace("Top", "Head")).contains("merge"));
    let key = "status: open\nmerge:\n  - key: status\n    value: done\n";
    let (base, took, dropped) =
        (memory(key, "Text.\n"), memory("status: done\n", "Text.\n"), memory("status: open\n", "Text.\n"));
    let text = synced(MEMORY, &base, &took, &dropped);
    assert!(text.contains("status: done\nmerge:\n  - key: status\n    value: open\n"), "{text}");
}
