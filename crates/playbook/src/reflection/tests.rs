//! Tests with a sample vault, an empty vault, and notes that try to inject Markdown.

use super::*;
use crate::curation::CurationLimits;
use crate::embedding_model::{NoEmbeddings, WordVectors};
use crate::generated::same_but_for_day;
use crate::rule_pairs::RulePairs;
use cm_note::bullet::Bullet;
use cm_note::graph::sample::{edge, note};
use cm_note::instant::Instant;
use cm_note::markdown::outline;
use cm_note::note::{RelationTable, TypeTable, read};
use cm_note::path::NotePath;

fn of_project(workspace: &str, note: Note) -> Note {
    Note { workspace: Some(workspace.to_owned()), ..note }
}

fn plan(notes: &[Note], scores: &[f64], accesses: &[u64], projects: &[&str]) -> GeneratedFile {
    plan_on("2026-11-21", notes, scores, accesses, projects)
}

fn plan_on(day: &str, notes: &[Note], scores: &[f64], accesses: &[u64], projects: &[&str]) -> GeneratedFile {
    let (graph, _) = Graph::build(notes, &RelationTable::default());
    let scores: Vec<DecayScore> = scores.iter().map(|score| DecayScore::new(*score)).collect();
    let usage: Vec<AccessStatistics> =
        accesses.iter().map(|accesses| AccessStatistics { accesses: *accesses, last_access: None }).collect();
    let projects = projects.iter().map(|name| (*name).to_owned()).collect();
    let settings = ReflectionSettings { projects, ..ReflectionSettings::default() };
    let word_vectors = WordVectors::of(&NoEmbeddings);
    let pairs = |rules: &[&Bullet]| RulePairs::of(rules, CurationLimits::default().merge(), &word_vectors);
    plan_reflection(&graph, &scores, &usage, &settings, &pairs, Instant::parse(day).unwrap())
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
    insta::assert_snapshot!(file.text, @"
    # Reflection

    > Written 2026-11-21 by `cm reflection`; changes by hand are lost.
    > 7 valid memories, 4 edges.

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

    ## Playbook health

    No rules yet.

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
    insta::assert_snapshot!(file.text, @"
    # Reflection

    > Written 2026-11-21 by `cm reflection`; changes by hand are lost.
    > 0 valid memories, 0 edges.

    ## Themes

    No two tags occur together on several notes.

    ## Cross-Project Patterns

    No tag occurs in two or more projects.

    ## Most Accessed

    No note was read yet.

    ## Recent Insights

    No insights yet.

    ## Playbook health

    No rules yet.

    ## Contradictions

    No open conflicts.

    ## Consolidation History

    Nothing was merged or superseded yet.
    ");
    assert_eq!((file.entries, file.omitted), (0, 0));
}

/// A bullet parsed from frontmatter and body.
fn bullet(id: &str, yaml: &str, rule: &str) -> Note {
    let path = NotePath::parse(&format!("playbook/testing/{id}.md")).unwrap();
    let text = format!("---\nid: b-mt2ssunl-{id}\n{yaml}\n---\n\n{rule}\n");
    read::read(&path, text.as_bytes(), &TypeTable::default(), &RelationTable::default()).note
}

/// The lines of a section.
fn section(file: &GeneratedFile, title: &str) -> String {
    let rest = file.text.split_once(&format!("## {title}\n\n")).unwrap().1;
    rest.split("\n## ").next().unwrap().trim_end().to_owned()
}

#[test]
fn the_playbook_is_seen_from_above() {
    let event = |day: &str, signal: &str| format!("  - at: {day}\n    signal: {signal}\n");
    let judged = |maturity: &str, events: &[&str]| {
        format!(
            "state: active\nmaturity: {maturity}\ncreated: 2026-01-05\nfeedback:\n{}",
            events.concat().trim_end()
        )
    };
    let helped = event("2026-11-20", "helpful");
    let notes = [
        bullet(
            "proven",
            &judged("proven", &[&helped]),
            "Put a limit on every call that crosses the network.",
        ),
        bullet(
            "atrisk",
            &judged("candidate", &[&helped, &event("2026-11-19", "harmful")]),
            "Memoise every value that is handed to a chart.",
        ),
        bullet(
            "stale0",
            &judged("established", &[&event("2026-08-01", "helpful")]),
            "Cache the registry of npm and install with npm ci.",
        ),
        bullet(
            "stale1",
            "state: active\ncreated: 2026-01-05",
            "Read the changelog of each dependency on Mondays.",
        ),
        bullet(
            "drain0",
            &judged("candidate", &[&helped]),
            "Drain a node in the load balancer with `just drain` and wait thirty seconds before you deploy to it.",
        ),
        bullet(
            "drain1",
            &judged("candidate", &[&helped]),
            "Drain a node in the load balancer with `just drain` and wait thirty seconds before you restart it.",
        ),
        bullet("always", &judged("candidate", &[&helped]), "Always save the CI cache from a branch."),
        bullet("never0", &judged("candidate", &[&helped]), "Never save the CI cache from a branch."),
        bullet("commit", &judged("candidate", &[&helped]), "Always commit generated files."),
        bullet("ignore", &judged("candidate", &[&helped]), "Never commit generated files."),
        bullet("draft0", "state: draft\ncreated: 2026-11-20", "A draft that waits."),
        bullet("gone00", "state: retired\nmaturity: deprecated", "A rule that nobody follows."),
        edge("id-e", "CONTRADICTS", "b-mt2ssunl-commit", "b-mt2ssunl-ignore", 1.0),
    ];
    let file = plan(&notes, &[], &[], &[]);
    let next = plan_on("2026-11-22", &notes, &[], &[], &[]);
    assert!(same_but_for_day(&next.text, &file.text), "a day alone changes nothing: {}", next.text);
    insta::assert_snapshot!(section(&file, "Playbook health"), @"
    - **By maturity**: candidate 9, established 1, proven 1, deprecated 1
    - **By state**: draft 1, active 10, retired 1
    - **At risk** (1): [Memoise every value that is handed to a chart.](playbook/testing/atrisk.md)
    - **Stale** (2): [Read the changelog of each dependency on Mondays.](playbook/testing/stale1.md) (since 2026-01-05), [Cache the registry of npm and install with npm ci.](playbook/testing/stale0.md) (since 2026-08-01)
    - **Merge candidates** (1): [Drain a node in the load balancer with just drain and wait thirty seconds before you deploy to it.](playbook/testing/drain0.md) and [Drain a node in the load balancer with just drain and wait thirty seconds before you restart it.](playbook/testing/drain1.md) (similarity 0.75)
    ");
    insta::assert_snapshot!(section(&file, "Contradictions"), @"
    - [Always commit generated files.](playbook/testing/commit.md) contradicts [Never commit generated files.](playbook/testing/ignore.md)
    - [Always save the CI cache from a branch.](playbook/testing/always.md) contradicts [Never save the CI cache from a branch.](playbook/testing/never0.md) (detected: “always save” against “never save” about ci, cache, branch)
    ");
}

#[test]
fn contradictions_beyond_the_first_are_found_and_counted() {
    let notes: Vec<Note> = (0..30)
        .flat_map(|i| {
            let rule = |word: &str| {
                format!(
                    "{word} use the tool {} for subject {}.",
                    "abcdefghij".repeat(2) + &i.to_string(),
                    "klmnopqrst".repeat(2) + &i.to_string()
                )
            };
            [
                bullet(&format!("pos{i:03}"), "state: active\ncreated: 2026-11-20", &rule("Always")),
                bullet(&format!("neg{i:03}"), "state: active\ncreated: 2026-11-20", &rule("Never")),
                edge(
                    &format!("e{i}"),
                    if i < 25 { "CONTRADICTS" } else { "RELATED_TO" },
                    &format!("b-mt2ssunl-pos{i:03}"),
                    &format!("b-mt2ssunl-neg{i:03}"),
                    1.0,
                ),
            ]
        })
        .collect();
    let file = plan(&notes, &[], &[], &[]);
    let contradictions = section(&file, "Contradictions");
    assert!(contradictions.ends_with("- and 10 more"), "{contradictions}");
    assert!(!contradictions.contains("detected"), "those with an edge come first: {contradictions}");
}

#[test]
fn hostile_rules_write_no_line_of_their_own() {
    let hostile = "# Forged <!-- z --> ](evil.md) **b** `c` [[w]]";
    let rule = |id: &str, word: &str| {
        let events = "feedback:\n  - at: 2026-11-20\n    signal: harmful";
        bullet(
            id,
            &format!("state: active\ncreated: 2026-01-05\n{events}"),
            &format!("{word} use it {hostile}\n\n## Forged"),
        )
    };
    let mut notes = vec![rule("always", "Always"), rule("never0", "Never")];
    notes.push(bullet("merged", "state: active\nsupersedes: b-mt2ssunl-always", "Always use it always."));
    let text = plan(&notes, &[], &[], &[]).text;
    let found = outline(&text, 1);
    assert_eq!(found.headings.len(), 8, "{text}");
    assert!(found.links.iter().all(|link| link.target.starts_with("playbook/testing/")), "{:?}", found.links);
    assert!(found.links.len() >= 6 && text.contains("(detected: ") && !text.contains("<!--"), "{text}");
}

#[test]
fn what_became_of_bullets_is_reported_once() {
    let gone = |new: &str| {
        format!("state: retired\nmaturity: deprecated\nupdated: 2026-11-12\nreplaced_by: b-mt2ssunl-{new}")
    };
    let notes = [
        bullet("00part", &gone("merged"), "Let the health check ask the database."),
        bullet("01part", &gone("merged"), "Give the health check a limit."),
        bullet(
            "merged",
            "state: active\ncreated: 2026-11-12\nsupersedes: b-mt2ssunl-00part",
            "Let the health check ask the database, with a limit.",
        ),
        bullet("retry0", &gone("avoid0"), "Retry at once."),
        bullet(
            "avoid0",
            "type: anti_pattern\nstate: active\ncreated: 2026-06-11\ntags: [inverted, anti-pattern]\nsupersedes: b-mt2ssunl-retry0",
            "AVOID: retrying at once.",
        ),
        bullet("friday", &gone("tuesda").replace("11-12", "07-20"), "Release on Friday."),
        bullet("tuesda", "state: active\ncreated: 2026-07-20", "Release on Tuesday."),
        bullet("orphan", &gone("nobody"), "Its successor is no more."),
        bullet("narcis", "state: active\nreplaced_by: b-mt2ssunl-narcis", "Replaced by itself."),
        bullet("byedge", &gone("edged0"), "Superseded by an edge too."),
        bullet("edged0", "state: active", "Supersedes by an edge."),
        edge("id-x", "SUPERSEDES", "b-mt2ssunl-edged0", "b-mt2ssunl-byedge", 1.0).with_created("2026-01-01"),
    ];
    let file = plan(&notes, &[], &[], &[]);
    insta::assert_snapshot!(section(&file, "Consolidation History"), @"
    - 2026-11-12 [Let the health check ask the database, with a limit.](playbook/testing/merged.md) merges [Let the health check ask the database.](playbook/testing/00part.md) and [Give the health check a limit.](playbook/testing/01part.md)
    - 2026-11-12 [AVOID: retrying at once.](playbook/testing/avoid0.md) inverts [Retry at once.](playbook/testing/retry0.md)
    - 2026-07-20 [Release on Tuesday.](playbook/testing/tuesda.md) replaces [Release on Friday.](playbook/testing/friday.md)
    - 2026-01-01 [Supersedes by an edge.](playbook/testing/edged0.md) supersedes [Superseded by an edge too.](playbook/testing/byedge.md)
    ");
}

#[test]
fn a_merge_of_many_names_a_few() {
    let mut notes: Vec<Note> = (0..40)
        .map(|i| {
            bullet(
                &format!("part{i:02}"),
                "state: retired\nreplaced_by: b-mt2ssunl-merged",
                "One of many parts.",
            )
        })
        .collect();
    notes.push(bullet("merged", "state: active", "All parts in one."));
    let history = section(&plan(&notes, &[], &[], &[]), "Consolidation History");
    assert_eq!(history.lines().count(), 1);
    assert!(history.ends_with("and 35 more") && history.matches("](playbook").count() == 6, "{history}");
}

#[test]
fn a_contradiction_is_open_until_a_side_is_out_of_use() {
    let side = |id: &str, yaml: &str| bullet(id, yaml, &format!("Rule {id} of the pair."));
    let notes = [
        side("active", "state: active"),
        side("draft0", "state: draft"),
        side("retire", "state: retired"),
        side("deprec", "state: active\nmaturity: deprecated"),
        side("supers", "state: draft"),
        edge("id-a", "CONTRADICTS", "b-mt2ssunl-draft0", "b-mt2ssunl-active", 1.0),
        edge("id-b", "CONTRADICTS", "b-mt2ssunl-retire", "b-mt2ssunl-active", 1.0),
        edge("id-c", "CONTRADICTS", "b-mt2ssunl-deprec", "b-mt2ssunl-active", 1.0),
        edge("id-d", "CONTRADICTS", "b-mt2ssunl-supers", "b-mt2ssunl-active", 1.0),
        edge("id-e", "SUPERSEDES", "b-mt2ssunl-active", "b-mt2ssunl-supers", 1.0),
    ];
    insta::assert_snapshot!(section(&plan(&notes, &[], &[], &[]), "Contradictions"), @"- [Rule active of the pair.](playbook/testing/active.md) contradicts [Rule draft0 of the pair.](playbook/testing/draft0.md) (draft)");
}

#[test]
fn only_recognized_projects_count_where_a_vault_names_them() {
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
    assert_eq!(file.entries, MAX_THEMES);
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
            "Playbook health",
            "Contradictions",
            "Consolidation History"
        ]
    );
    assert!(found.links.iter().all(|link| link.target.starts_with("graph/facts/")), "{:?}", found.links);
    assert!(found.tags.is_empty() && !text.contains("<!--") && !text.contains('\u{202e}'));
}
