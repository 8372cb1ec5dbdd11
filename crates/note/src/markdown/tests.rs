//! Outlines of whole bodies, and a property: parsing never fails.

use proptest::prelude::*;

use super::*;

/// Formats each link as `form target#anchor TYPE line:column`.
fn links(body: &str) -> Vec<String> {
    let show = |link: &NoteLink| {
        let anchor = link.anchor.as_ref().map_or(String::new(), |anchor| format!("#{anchor}"));
        let relation = link.relation.as_deref().unwrap_or("-");
        format!("{:?} {}{anchor} {relation} {}:{}", link.form, link.target, link.line, link.column)
    };
    outline(body, 1).links.iter().map(show).collect()
}

#[test]
fn wikilinks_of_every_form_are_found_with_their_places() {
    let body = "See [[Target]] and [[Other|shown]].\n\n- [[a#Part one]], [[b#^block]]\n- ![[embedded]] é [[after]]\n";
    assert_eq!(
        links(body),
        [
            "Wiki Target - 1:5",
            "Wiki Other - 1:20",
            "Wiki a#Part one - 3:3",
            "Wiki b#^block - 3:19",
            "Wiki embedded - 4:3",
            "Wiki after - 4:19",
        ]
    );
}

#[test]
fn links_in_code_comments_and_pictures_are_none() {
    let body = "`[[a]]` \\[[b]]\n\n```\n[[c]] [d](d.md) #tag\n```\n\n    [[e]] #tag\n\n<!-- [[f]] #tag -->\n\n\
                %%[[h]]%% ![[photo.png]] ![alt](x.png) [[#here]] [web](https://a.b/c.md) <https://a.b> [[ ]]\n";
    assert_eq!(links(body), Vec::<String>::new());
    assert_eq!(outline(body, 1).tags, Vec::<String>::new());
}

#[test]
fn headings_and_tags_of_a_comment_are_none() {
    let found = outline("%%\n# Plan\n#draft\n%%\n# Shown\n\nA %% #aside %% b #shown #draft/2\n", 1);
    let headings: Vec<_> = found.headings.iter().map(|heading| (&*heading.text, heading.line)).collect();
    assert_eq!(headings, [("Shown", 5)]);
    assert_eq!(found.tags, ["shown", "draft/2"]);
}

#[test]
fn a_callout_is_a_quote_with_links_tags_and_blocks() {
    let found = outline(
        "> [!tip]- See [[Home#Start#Deep|home]]\n> Text #in/callout ^block-1\n> ![[b#^block-1]]\n",
        1,
    );
    let targets: Vec<_> =
        found.links.iter().map(|link| (&*link.target, link.anchor.as_deref(), link.line)).collect();
    assert_eq!(targets, [("Home", Some("Start#Deep"), 1), ("b", Some("^block-1"), 3)]);
    assert_eq!(found.tags, ["in/callout"]);
}

#[test]
fn a_shown_note_and_a_block_without_a_hash_are_links() {
    assert_eq!(
        links("![alt](x%20y.md) [[a^block]] %%open [[b]]\n\n`%%` [[c]]"),
        ["Markdown x y.md - 1:1", "Wiki a#^block - 1:18", "Wiki b - 1:37", "Wiki c - 3:6"]
    );
}

#[test]
fn markdown_links_keep_their_decoded_path_and_fragment() {
    let body = "[a](../x%20y/a.md#part) [b](<b c.md> \"title\") [c][ref] [d](d.rs)\n\n[ref]: c.md\n";
    assert_eq!(
        links(body),
        ["Markdown ../x y/a.md#part - 1:1", "Markdown b c.md - 1:25", "Markdown c.md - 1:47"]
    );
}

#[test]
fn a_typed_line_gives_its_type_to_the_links_that_commas_join() {
    let body = "SOLVES:: [[a]], [[b|B]] and [[c]]\nrelated-to:: [d](d.md)\nplain [[e]]\n\n\
                - BUILDS_ON:: [[f]]\n- [ ] causes:: ![[g]]\n- text SOLVES:: [[h]]\n- part_of [[i]]\n";
    assert_eq!(
        links(body),
        [
            "Wiki a SOLVES 1:10",
            "Wiki b SOLVES 1:17",
            "Wiki c - 1:29",
            "Markdown d.md RELATED_TO 2:14",
            "Wiki e - 3:7",
            "Wiki f BUILDS_ON 5:15",
            "Wiki g CAUSES 6:16",
            "Wiki h - 7:17",
            "Wiki i - 8:11",
        ]
    );
}

#[test]
fn a_table_cell_may_hold_an_alias_behind_an_escaped_bar() {
    let body = "| a | b |\n|---|---|\n| [[x\\|X]] | [[y]] |\n";
    assert_eq!(links(body), ["Wiki x - 3:3", "Wiki y - 3:14"]);
    assert_eq!(outline(body, 1).text, "a b\nX y");
}

#[test]
fn arrays_are_no_links() {
    assert_eq!(links("matrix [[1, 2], [3, 4]] and [[a\nb]]"), Vec::<String>::new());
}

#[test]
fn text_loses_its_markup_and_nothing_else() {
    let body = "# A *title*\n\nOne **two** `three()` [four](x.md) [[five]] [[six|seven]] ~~eight~~\nnine<br>ten <!-- no -->\n\n\
                > quoted\n\n- [x] item\n  1. deep\n\n```rust\nfn main() {}\n```\n\n<div>\nshown <!-- hidden -->\n</div>\n\n\
                Note[^1].\n\n[^1]: The note.\n\n---\nend\\\nlast &amp; least\n";
    assert_eq!(
        outline(body, 1).text,
        "A title\nOne two three() four five seven eight nine ten \nquoted\nitem\ndeep\nfn main() {}\n\nshown \n\nNote.\n\
         The note.\nend\nlast & least"
    );
}

#[test]
fn headings_keep_level_text_and_line() {
    let body = "intro\r\n\r\n## Why `x` [[y|matters]]\r\n\r\nSetext\r\n======\r\n";
    let found: Vec<_> = outline(body, 10)
        .headings
        .into_iter()
        .map(|heading| (heading.level, heading.text, heading.line))
        .collect();
    assert_eq!(found, [(2, "Why x matters".to_owned(), 12), (1, "Setext".to_owned(), 14)]);
}

#[test]
fn tags_follow_obsidian() {
    let body = "#first text #nested/tag_a, #first (#no) a#no \\#no #123 &#35;no\n\n# Heading #in-heading\n\n\
                - #item\n\n[#no](x.md) [[x|#no]] *#no* `#no`\n\n| #cell |\n|---|\n|#tight|\n";
    assert_eq!(outline(body, 1).tags, ["first", "nested/tag_a", "in-heading", "item", "cell", "tight"]);
}

#[test]
fn large_and_hostile_bodies_are_read_in_linear_time() {
    let repeated = [
        "[[",
        "[[a|",
        "![[",
        "![[a]]",
        "[a](",
        "](",
        "*",
        "_a",
        "`",
        "<",
        "<!--",
        "&#",
        "[^",
        "#a ",
        "\\",
        "| ",
        "> ",
        "a\n> ",
        "[[a]] ",
        "[a](b.md) ",
        "X:: [[a]], ",
        "<a ",
        "~",
        "#",
        "- a\n",
        "\n",
        "[a]: b\n",
        "![",
        "|a|\n|-|\n",
        "]]",
        "<?",
        "<![CDATA[",
    ];
    for piece in repeated {
        let body = piece.repeat(200_000 / piece.len());
        let found = outline(&body, 1);
        assert!(found.links.len() <= body.len(), "{piece}");
    }
}

#[test]
fn a_large_body_that_nests_without_end_is_text_without_structure() {
    let deep = format!("{}[[a]]\n{}", "> - ".repeat(200), "lazy\n".repeat(5_000));
    assert_eq!(outline(&deep, 1).links, []);
    assert!(outline(&deep, 1).text.contains("lazy"));
    let deep: String = (0..200).map(|depth| format!("{}- x\n", "  ".repeat(depth))).collect();
    assert_eq!(outline(&format!("{deep}\n[[a]]"), 1).links, []);
    for rule in ["- ".repeat(200), "*".repeat(300), "-".repeat(300)] {
        let wide = format!("[[a]]\n\n{rule}\n\n{}", "line\n".repeat(5_000));
        assert_eq!(outline(&wide, 1).links.len(), 1);
    }
    // A small one is parsed however deep, and the stack holds.
    assert_eq!(outline(&format!("{}[[a]]", "> ".repeat(8_000)), 1).links.len(), 1);
}

proptest! {
    #[test]
    fn any_text_is_read_and_every_place_lies_in_it(
        body in prop::collection::vec(prop_oneof![
            "\\PC{0,4}",
            prop::sample::select(vec![
                "[[", "]]", "|", "#", "![[", "](", ")", "[", "`", "```\n", "\n", "\r\n", "> ", "- ", "    ", "<!--", "-->", "é", "x",
                "A:: ", ", ", "\\", "*", "<div>", "[^1]", "[^1]: ", "|-|\n", "\t", "\0",
            ]).prop_map(str::to_owned),
        ], 0..40).prop_map(|pieces| pieces.concat()),
    ) {
        let found = outline(&body, 5);
        let lines: Vec<_> = body.split('\n').collect();
        for link in &found.links {
            let line = lines[link.line as usize - 5];
            let at: String = line.chars().skip(link.column as usize - 1).take(3).collect();
            prop_assert!(at.starts_with('[') || at.starts_with("![["), "{at:?} of {line:?}");
        }
        for heading in &found.headings {
            prop_assert!((1..=6).contains(&heading.level) && (heading.line as usize - 5) < lines.len());
        }
        prop_assert!(found.tags.iter().all(|tag| !tag.is_empty() && !tag.contains(char::is_whitespace)));
    }
}

#[test]
fn a_typed_reference_is_read_like_a_link() {
    for (typed, target, anchor) in [
        ("[[Note]]", "Note", None),
        (" ![[a/Note.md#Head#Sub|alias]] ", "a/Note.md", Some("Head#Sub")),
        ("Note#Head", "Note", Some("Head")),
        ("[[Note|alias]]", "Note", None),
        ("Note^block", "Note", Some("^block")),
    ] {
        assert_eq!(typed_link(typed), Some((target.to_owned(), anchor.map(str::to_owned))), "{typed}");
    }
    for typed in ["Note", "", "#Head", "[[]]", "[[a]] [[b]]"] {
        assert_eq!(typed_link(typed), None, "{typed}");
    }
}
