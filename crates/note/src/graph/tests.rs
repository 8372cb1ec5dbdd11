//! Tests of link resolution, edges and findings.

use crate::user_text::UserText;
use proptest::prelude::*;

use super::sample::{edge, note};
use super::*;
use crate::finding::{FindingCode, Severity};
use crate::note::types::LINKS_TO;

fn build(notes: &[Note]) -> (Graph<'_>, Vec<Finding>) {
    Graph::build(notes, &RelationTable::default())
}

/// Formats each edge as `from TYPE to strength (forms of its sources)`.
fn edges(notes: &[Note]) -> Vec<String> {
    let (graph, _) = build(notes);
    assert_eq!(Graph::connect(notes).edges(), graph.edges(), "asking for no findings changes no edge");
    let show = |edge: &Edge| {
        let forms: Vec<String> = edge.sources.iter().map(|source| format!("{:?}", source.form)).collect();
        format!("{} {} {} {} ({})", edge.from, edge.relation, edge.to, edge.strength, forms.join(" "))
    };
    graph.edges().iter().map(show).collect()
}

fn resolve(notes: &[Note], reference: &str) -> Resolution {
    build(notes).0.resolve(reference)
}

#[test]
fn names_are_tried_from_the_strictest_to_the_loosest() {
    let notes = [
        note("graph/fixes/retry-uploads-a48555.md", "Retry uploads!")
            .with_id("a4855549-0184-4510-b102-e83a63a6de27"),
        note("notes/Daily.md", "Überblick"),
        Note { aliases: vec!["The plan".into()], ..note("other/Daily.md", "Second day") },
        note("Daily.md", "Third day"),
        note("books/tcp.md", "TCP/IP basics").with_id("b-k3v9x"),
    ];
    let cases = [
        ("a4855549-0184-4510-b102-e83a63a6de27", 0),
        ("a48555", 0),
        ("A4855549-0184-4510-B102-E83A63A6DE27", 0),
        ("Retry uploads!", 0),
        ("retry-uploads-a48555", 0),
        ("retry-uploads", 0),
        ("retry uploads", 0),
        ("graph/fixes/retry-uploads-a48555.md", 0),
        ("fixes/retry-uploads-a48555", 0),
        ("Überblick", 1),
        ("überblick", 1),
        ("U\u{308}BERBLICK", 1),
        ("notes/Daily", 1),
        ("Notes/daily.md", 1),
        ("The plan", 2),
        ("the PLAN", 2),
        ("Daily", 3),
        ("Daily.md", 3),
        ("TCP/IP basics", 4),
        ("b-k3v9x", 4),
    ];
    for (reference, expected) in cases {
        assert_eq!(resolve(&notes, reference), Resolution::One(expected), "{reference}");
    }
    for reference in ["", " ", "a4855", "uploads", "s/Daily", "retry", "unknown/Daily", "???"] {
        assert_eq!(resolve(&notes, reference), Resolution::None, "{reference}");
    }
}

#[test]
fn what_fits_several_notes_names_none_of_them() {
    let notes = [
        note("a/x.md", "Same").with_id("abcdef-1"),
        note("b/x.md", "Same").with_id("abcdef-2"),
        note("c/Same.md", "Other"),
        note("d/y.md", "Twice").with_id("twin"),
        note("e/y.md", "Twin").with_id("twin"),
    ];
    assert_eq!(resolve(&notes, "abcdef"), Resolution::Many(vec![0, 1]));
    assert_eq!(resolve(&notes, "Same"), Resolution::Many(vec![0, 1]));
    assert_eq!(resolve(&notes, "x"), Resolution::Many(vec![0, 1]));
    assert_eq!(resolve(&notes, "twin"), Resolution::Many(vec![3, 4]));
    assert_eq!(resolve(&notes, "b/x"), Resolution::One(1));
}

/// Returns the path of the note that a note's first link resolves to.
fn led(notes: &[Note], from: usize) -> Option<&str> {
    let link = notes[from].links.first().expect("a link");
    match NoteNames::of(notes).resolve_link(from, link) {
        Resolution::One(found) => Some(notes[found].path.as_str()),
        _ => None,
    }
}

#[test]
fn a_link_leads_where_obsidian_leads_it() {
    let files = [
        note("Settings.md", "Preferences"),
        note("plugins/Publish limits.md", "Settings"),
        note("a/b/Note.md", "Deep"),
        note("zzzz/Note.md", "Flat"),
        note("zzzz/Topic.md", "Topic of zzzz"),
        note("own/sub/Topic.md", "Topic of own"),
        note("books/Überblick v1.2.md", "Contents"),
        Note { aliases: vec!["The plan".into()], ..note("plan-2026.md", "Roadmap") },
        note("archive/roadmap.md", "The plan").with_id("abcdef12-0000-4000-8000-000000000000"),
    ];
    let cases = [
        ("[[Settings]]", "Settings.md"),
        ("[[settings#Files and links|here]]", "Settings.md"),
        ("[[Settings^block]]", "Settings.md"),
        ("![[Settings]]", "Settings.md"),
        ("[[Preferences]]", "Settings.md"),
        ("[[publish LIMITS]]", "plugins/Publish limits.md"),
        ("[x](Publish%20limits)", "plugins/Publish limits.md"),
        ("[x](../plugins/Publish%20limits.md#a)", "plugins/Publish limits.md"),
        ("[[Note]]", "a/b/Note.md"),
        ("[[zzzz/Note]]", "zzzz/Note.md"),
        ("[[/zzzz/Note.md]]", "zzzz/Note.md"),
        ("[[b/note]]", "a/b/Note.md"),
        ("[[Topic]]", "own/sub/Topic.md"),
        ("[[../zzzz/Topic]]", "zzzz/Topic.md"),
        ("[[u\u{308}berblick v1.2]]", "books/Überblick v1.2.md"),
        ("[[the plan]]", "plan-2026.md"),
        ("[[Roadmap]]", "archive/roadmap.md"),
        ("[[abcdef12]]", "archive/roadmap.md"),
    ];
    for (body, expected) in cases {
        let mut notes = files.to_vec();
        notes.push(note("own/here.md", "Here").with_body(body));
        assert_eq!(led(&notes, files.len()), Some(expected), "{body}");
    }
    for body in
        ["[[./Settings]]", "[[/Note]]", "[[../Settings/x]]", "[[ublish limits]]", "[x](Preferences.md)"]
    {
        let mut notes = files.to_vec();
        notes.push(note("own/here.md", "Here").with_body(body));
        assert_eq!(led(&notes, files.len()), None, "{body}");
    }
}

#[test]
fn a_slug_never_takes_one_name_for_another() {
    let notes = [note("a.md", "C#"), note("b.md", "事实")];
    assert_eq!(resolve(&notes, "C++"), Resolution::None);
    assert_eq!(resolve(&notes, "实时"), Resolution::None);
    assert_eq!(resolve(&notes, "shi-shi"), Resolution::One(1));
}

#[test]
fn the_four_sources_give_their_edges() {
    let notes = [
        note("a.md", "A")
            .with_id("id-a")
            .with_relation("CAUSES", "id-b", true, None)
            .with_body("[[C]] [d](sub/d.md)"),
        note("b.md", "B").with_id("id-b").with_relation("REQUIRES", "id-c", false, None),
        note("c.md", "C").with_id("id-c").with_body("- SOLVES:: [[A]], [[sub/d]]\n"),
        note("sub/d.md", "D").with_id("id-d").with_body("[up](../b.md) [[D]]"),
        edge("id-e", "BUILDS_ON", "id-b", "id-d", 0.4),
    ];
    assert_eq!(build(&notes).1, []);
    assert_eq!(
        edges(&notes),
        [
            "0 CAUSES 1 0.7 (Frontmatter)",
            "0 LINKS_TO 2 0.5 (Link)",
            "0 LINKS_TO 3 0.5 (Link)",
            "1 BUILDS_ON 3 0.4 (EdgeFile)",
            "2 SOLVES 0 1 (Inline)",
            "2 REQUIRES 1 0.7 (Frontmatter)",
            "2 SOLVES 3 1 (Inline)",
            "3 LINKS_TO 1 0.5 (Link)",
        ]
    );
}

#[test]
fn an_edge_of_several_sources_appears_once() {
    let notes = [
        note("a.md", "A")
            .with_id("id-a")
            .with_relation("SOLVES", "id-b", true, Some("id-e"))
            .with_body("[[B]] and [[B|b]]"),
        note("b.md", "B")
            .with_id("id-b")
            .with_relation("SOLVES", "id-a", false, None)
            // The edge file is right about type and direction.
            .with_relation("CAUSES", "id-a", true, Some("id-e")),
        Note {
            ..edge("id-e", "SOLVES", "id-a", "id-b", 0.9).with_body("Because [[A]] stops [[B]], see [[C]].")
        },
        note("c.md", "C").with_body("RELATED_TO:: [[A]]\nEXTENDS:: [[A]]\n[[A]]"),
    ];
    assert_eq!(
        edges(&notes),
        [
            "0 SOLVES 1 0.9 (EdgeFile Frontmatter Frontmatter Frontmatter Link Link)",
            "2 LINKS_TO 3 0.5 (Link)",
            "3 EXTENDS 0 1 (Inline Link)",
            "3 RELATED_TO 0 1 (Inline)",
        ]
    );
}

#[test]
fn links_that_lead_nowhere_or_everywhere_are_findings_with_places_and_remedies() {
    let notes = [
        note("a.md", "Kubernetes").with_body("x\n[[Kubernets]] [b](gone.md) [s](LICENSE) [o](../outside.md)"),
        Note {
            aliases: vec!["Two".into()],
            ..note("x/same.md", "Same").with_relation("SOLVES", "nobody", true, None)
        },
        Note {
            aliases: vec!["Two".into()],
            ..note("y/same.md", "Same").with_body("[[Two]] MAYBE\n\nMAYBE:: [[Kubernetes]]")
        },
        edge("id-e", "SOLVES", "gone", "Kubernetes", 1.0),
        note("CORE.md", "Core memory").with_body("[[Nothing]] [[Kubernetes]]"),
    ];
    let (graph, findings) = build(&notes);
    let show = |finding: &Finding| {
        let place = (finding.line.unwrap_or(0), finding.column.unwrap_or(0));
        let hint = finding.hint.as_ref().map_or("", UserText::for_terminal);
        format!(
            "{} {place:?} {} {:?}: {} | {hint}",
            finding.path, finding.code, finding.severity, finding.message
        )
    };
    insta::assert_snapshot!(findings.iter().map(show).collect::<Vec<_>>().join("\n"), @r"
    graph/edges/id-e.md (0, 0) dangling-link Error: `from_id` refers to a missing note: `gone` | correct the ID, or delete the edge
    a.md (6, 1) dangling-link Warning: a link is broken: `Kubernets` | did you mean `Kubernetes`?
    a.md (6, 15) dangling-link Warning: a link is broken: `gone.md` | create that note, or correct the link
    x/same.md (3, 1) dangling-link Warning: a relation is broken: `nobody` | create that note, or correct the link
    y/same.md (5, 1) ambiguous-link Warning: a link matches 2 notes: `Two` | use one of x/same.md, y/same.md
    y/same.md (7, 9) unknown-relation Warning: unknown edge type `MAYBE` | add it to `relations` in cm.toml, or use an existing type such as RELATED_TO
    ");
    assert_eq!(graph.edges().len(), 1);
}

#[test]
fn related_notes_come_by_hops_strength_and_title() {
    let notes = [
        note("a.md", "A").with_body("[[B]]"),
        note("b.md", "B").with_body("SOLVES:: [[D]]"),
        note("c.md", "C").with_body("CAUSES:: [[A]]\nSOLVES:: [[D]]"),
        note("d.md", "D").with_body("[[E]]"),
        note("e.md", "E"),
        note("f.md", "F"),
    ];
    let (graph, _) = build(&notes);
    let reached = |hops, relations: &[&str], direction| {
        let route =
            EdgeFilter { relations: relations.iter().map(|name| (*name).to_owned()).collect(), direction };
        let show = |found: RelatedNote| {
            format!(
                "{} {} {:?} {} {} {:?}",
                found.node, found.relation, found.direction, found.hops, found.strength, found.via
            )
        };
        graph.related(0, hops, &route).into_iter().map(show).collect::<Vec<_>>()
    };
    assert_eq!(
        reached(3, &[], None),
        [
            "2 CAUSES Incoming 1 1 []",
            "1 LINKS_TO Outgoing 1 0.5 []",
            "3 SOLVES Outgoing 2 1 [2]",
            "4 LINKS_TO Outgoing 3 0.5 [2, 3]",
        ]
    );
    assert_eq!(reached(1, &[], Some(EdgeDirection::Outgoing)), ["1 LINKS_TO Outgoing 1 0.5 []"]);
    assert_eq!(reached(9, &["CAUSES", "SOLVES"], None).len(), 3);
    assert_eq!(reached(0, &[], None), [""; 0]);
    assert_eq!(graph.related(99, 2, &EdgeFilter::default()), []);
    let backlinks: Vec<usize> = graph.incoming(3).map(|edge| edge.from).collect();
    assert_eq!(backlinks, [1, 2]);
}

#[test]
fn every_edge_to_a_neighbour_is_an_entry_of_its_own() {
    let notes = [
        note("a.md", "A").with_body("SOLVES:: [[B]]\n\nEXTENDS:: [[B]]\n\n[[C]]"),
        note("b.md", "B").with_body("CAUSES:: [[A]]"),
        note("c.md", "C"),
    ];
    let (graph, _) = build(&notes);
    let found = graph.related(0, 2, &EdgeFilter::default());
    let shown: Vec<String> =
        found.iter().map(|one| format!("{} {} {:?}", one.node, one.relation, one.direction)).collect();
    assert_eq!(
        shown,
        ["1 CAUSES Incoming", "1 EXTENDS Outgoing", "1 SOLVES Outgoing", "2 LINKS_TO Outgoing"]
    );
}

#[test]
fn the_shape_counts_notes_edges_groups_and_orphans() {
    let notes = [
        note("a.md", "A").with_type("fix").with_body("[[B]]"),
        note("b.md", "B").with_type("fix"),
        note("c.md", "C").with_id("id-c"),
        note("d.md", "D").with_id("id-d"),
        note("e.md", "E").with_body("[[B]] [[E]]"),
        note("f.md", "F"),
        edge("id-e", "SOLVES", "id-c", "id-d", 1.0),
    ];
    let shape = build(&notes).0.shape();
    assert_eq!((shape.notes, shape.edges, shape.components, shape.largest, shape.orphans), (6, 3, 2, 3, 1));
    assert_eq!(
        shape.notes_by_type.into_iter().collect::<Vec<_>>(),
        [("fix".to_owned(), 2), ("plain".to_owned(), 4)]
    );
    assert_eq!(
        shape.edges_by_type.into_iter().collect::<Vec<_>>(),
        [(LINKS_TO.to_owned(), 2), ("SOLVES".to_owned(), 1)]
    );
}

#[test]
fn only_an_edge_file_without_an_end_is_an_error() {
    let notes = [edge("id-e", "SOLVES", "gone", "gone too", 1.0), note("a.md", "A").with_body("[[gone]]")];
    let severities: Vec<_> = build(&notes).1.iter().map(|finding| (finding.code, finding.severity)).collect();
    let dangling = FindingCode::DanglingLink;
    assert_eq!(
        severities,
        [(dangling, Severity::Error), (dangling, Severity::Error), (dangling, Severity::Warning)]
    );
}

proptest! {
    #[test]
    fn every_edge_is_reached_from_both_ends_and_none_is_there_twice(
        links in prop::collection::vec((0usize..8, 0usize..8, 0usize..4), 0..40),
    ) {
        let mut bodies = vec![String::new(); 8];
        for (from, to, form) in links {
            let link = [format!("[[t{to}]]"), format!("[x](n{to}.md)"), format!("SOLVES:: [[T{to}]]"), format!("CAUSES:: [[n{to}]]")];
            bodies[from] += &format!("{}\n\n", link[form]);
        }
        let notes: Vec<Note> =
            bodies.iter().enumerate().map(|(at, body)| note(&format!("n{at}.md"), &format!("t{at}")).with_body(body)).collect();
        let (graph, findings) = build(&notes);
        prop_assert_eq!(findings, []);
        let outgoing: Vec<&Edge> = (0..8).flat_map(|node| graph.outgoing(node)).collect();
        prop_assert!(outgoing.iter().copied().eq(graph.edges()));
        prop_assert!(outgoing.windows(2).all(|two| (two[0].from, two[0].to, &two[0].relation) < (two[1].from, two[1].to, &two[1].relation)));
        let incoming: Vec<&Edge> = (0..8).flat_map(|node| graph.incoming(node)).collect();
        prop_assert_eq!(incoming.len(), outgoing.len());
        let written: usize = bodies.iter().map(|body| body.matches("\n\n").count()).sum();
        let own: usize = bodies.iter().enumerate().map(|(at, body)| {
            body.lines().filter(|line| [format!("[[t{at}]]"), format!("(n{at}.md)"), format!("[[T{at}]]"), format!("[[n{at}]]")].iter().any(|own| line.contains(own.as_str()))).count()
        }).sum();
        prop_assert_eq!(graph.edges().iter().map(|edge| edge.sources.len()).sum::<usize>(), written - own);
    }

    #[test]
    fn any_reference_is_resolved_to_a_note_or_none(reference in "\\PC{0,12}") {
        let notes = [note("a/b.md", "Ä b").with_id("abcdef12"), note("c.md", "[[x]]")];
        let (graph, _) = build(&notes);
        if let Resolution::One(found) = graph.resolve(&reference) {
            prop_assert!(found < notes.len());
        }
    }
}
