//! The file for a hand-made vault, an empty one, and one whose notes want to write it themselves.

use super::*;
use crate::domain::graph::sample::{edge, note};
use crate::domain::markdown::outline;
use crate::domain::note::RelationTable;

fn of_project(workspace: &str, note: Note) -> Note {
    Note { workspace: Some(workspace.to_owned()), ..note }
}

fn plan(notes: &[Note], scores: &[f64], accesses: &[u64], projects: &[&str]) -> GeneratedFile {
    let (graph, _) = Graph::build(notes, &RelationTable::default());
    let scores: Vec<Score> = scores.iter().map(|score| Score::new(*score)).collect();
    let usage: Vec<Usage> =
        accesses.iter().map(|accesses| Usage { accesses: *accesses, last_access: None }).collect();
    let settings = ReflectionSettings { projects: projects.iter().map(|name| (*name).to_owned()).collect() };
    plan_reflection(&graph, &scores, &usage, &settings, "2026-11-21")
}

fn vault() -> Vec<Note> {
    let note = |name: &str, title: &str| {
        note(&format!("graph/facts/{name}.md"), title).with_id(&format!("id-{name}"))
    };
    vec![
        of_project("/src/api", note("a", "Retry with jitter").with_tags(&["net", "retry"])),
        of_project("/src/web/", note("b", "Back off").with_tags(&["retry", "net", "net"])),
        of_project("api", note("c", "Time out").with_tags(&["net", "retry", "rust"]).with_body("CONTRADICTS:: [[Back off]]")),
        of_project("/src/cli", note("d", "Fourth").with_tags(&["net", "retry"])),
        of_project("/src/cli", note("e", "Lints").with_tags(&["rust", "ci"])),
        note("f", "Caches lie").with_type("insight").with_created("2026-11-03").with_body(
            "# Caches lie\n\nA cache that nobody empties is a database that nobody backs up, and one day somebody asks it",
        ),
        note("g", "Short").with_type("insight").with_created("2026-11-20"),
        Note {
            condensed_into: vec!["id-f".into(), "lost".into()],
            updated: Some(Instant::parse("2026-11-10").unwrap()),
            ..note("h", "Absorbed").with_type("insight").with_tags(&["net", "retry"])
        },
        note("i", "Old way").with_body("CONTRADICTS:: [[Lints]]"),
        edge("id-x", "SUPERSEDES", "id-a", "id-i", 1.0).with_created("2026-11-15"),
        edge("id-y", "CONTRADICTS", "id-b", "id-c", 1.0),
    ]
}

#[test]
fn a_vault_is_seen_from_above() {
    let file = plan(&vault(), &[0.5, 0.9, 0.7, 0.1], &[3, 0, 1, 3, 0, 0, 12], &[]);
    insta::assert_snapshot!(file.text, @r"
    # Reflection

    > Written 2026-11-21 by `cm reflection`; changes by hand are lost.
    > 7 memories that hold, 4 edges.

    ## Themes

    - **net + retry** (4): [Back off](graph/facts/b.md), [Time out](graph/facts/c.md), [Retry with jitter](graph/facts/a.md)

    ## Cross-Project Patterns

    - **net**: api 2, cli 1, web 1
    - **retry**: api 2, cli 1, web 1
    - **rust**: api 1, cli 1

    ## Most Accessed

    - [Short](graph/facts/g.md) (12 times)
    - [Retry with jitter](graph/facts/a.md) (3 times)
    - [Fourth](graph/facts/d.md) (3 times)
    - [Time out](graph/facts/c.md) (1 time)

    ## Recent Insights

    - 2026-11-20 [Short](graph/facts/g.md)
    - 2026-11-03 [Caches lie](graph/facts/f.md): A cache that nobody empties is a database that nobody backs up, and one day som…

    ## Contradictions

    - [Back off](graph/facts/b.md) contradicts [Time out](graph/facts/c.md)

    ## Consolidation History

    - 2026-11-15 [Retry with jitter](graph/facts/a.md) supersedes [Old way](graph/facts/i.md)
    - 2026-11-10 [Absorbed](graph/facts/h.md) was condensed into [Caches lie](graph/facts/f.md), lost
    ");
    assert_eq!((file.entries, file.omitted), (13, 0));
}

#[test]
fn an_empty_vault_says_so_in_every_section() {
    let file = plan(&[], &[], &[], &[]);
    insta::assert_snapshot!(file.text, @r"
    # Reflection

    > Written 2026-11-21 by `cm reflection`; changes by hand are lost.
    > 0 memories that hold, 0 edges.

    ## Themes

    No two tags occur together on several notes.

    ## Cross-Project Patterns

    No tag occurs in two or more projects.

    ## Most Accessed

    Nothing was asked for yet.

    ## Recent Insights

    No insights yet.

    ## Contradictions

    No open contradictions.

    ## Consolidation History

    Nothing was merged or superseded yet.
    ");
    assert_eq!((file.entries, file.omitted), (0, 0));
}

#[test]
fn only_known_projects_count_where_a_vault_names_them() {
    let text = plan(&vault(), &[], &[], &["API", "cli"]).text;
    assert!(
        text.contains("- **net**: API 2, cli 1\n- **retry**: API 2, cli 1\n- **rust**: API 1, cli 1\n"),
        "{text}"
    );
    let text = plan(&vault(), &[], &[], &["api"]).text;
    assert!(text.contains("No tag occurs in two or more projects."), "{text}");
}

#[test]
fn long_lists_are_cut_and_say_so() {
    let notes: Vec<Note> = (0..60)
        .map(|i| {
            note(&format!("graph/facts/n{i:02}.md"), &format!("N{i}"))
                .with_body(&format!("CONTRADICTS:: [[N{}]]", (i + 1) % 60))
        })
        .collect();
    let file = plan(&notes, &[], &[], &[]);
    assert!(file.text.contains("- and 40 more\n"), "{}", file.text);
    assert_eq!((file.entries, file.omitted), (20, 40));
}

#[test]
fn a_note_with_thousands_of_tags_costs_little() {
    let tags: Vec<String> = (0..5_000).map(|i| format!("t{i}")).collect();
    let tags: Vec<&str> = tags.iter().map(String::as_str).collect();
    let notes =
        [note("graph/facts/a.md", "A").with_tags(&tags), note("graph/facts/b.md", "B").with_tags(&tags)];
    let file = plan(&notes, &[], &[], &[]);
    assert_eq!(file.entries, THEMES);
}

#[test]
fn hostile_notes_write_no_line_of_their_own() {
    let hostile = "x](evil.md)\n## Forged\n- [y](evil.md) <!-- z --> `c` **b** [[w]] \u{202e}";
    let bad = |name: &str| {
        let body = "CONTRADICTS:: [b](b.md)\n\nSUPERSEDES:: [c](c.md)\n\n## Forged\n\n[z](evil.md)";
        let note = note(&format!("graph/facts/{name}.md"), hostile)
            .with_type("insight")
            .with_tags(&[hostile, "**t**"])
            .with_body(body);
        Note { workspace: Some(format!("{hostile}/{hostile} {name}")), summary: hostile.repeat(3), ..note }
    };
    let notes = [bad("a"), bad("b"), bad("c"), Note { condensed_into: vec![hostile.into()], ..bad("d") }];
    let text = plan(&notes, &[1.0; 4], &[1; 4], &[]).text;
    let found = outline(&text, 1);
    let headings: Vec<&str> = found.headings.iter().map(|heading| heading.text.as_str()).collect();
    assert_eq!(
        headings,
        [
            "Reflection",
            "Themes",
            "Cross-Project Patterns",
            "Most Accessed",
            "Recent Insights",
            "Contradictions",
            "Consolidation History"
        ]
    );
    assert!(found.links.iter().all(|link| link.target.starts_with("graph/facts/")), "{:?}", found.links);
    assert!(found.tags.is_empty() && !text.contains("<!--") && !text.contains('\u{202e}'));
}
