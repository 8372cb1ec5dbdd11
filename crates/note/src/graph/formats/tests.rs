//! The four formats of a small graph, and a property: a title cannot break out of its label.

use proptest::prelude::*;

use super::*;
use crate::graph::sample::{edge, note};
use crate::note::RelationTable;

fn sample() -> Vec<Note> {
    vec![
        note("graph/problems/flaky.md", "Flaky \"uploads\"\n& <b>more</b>\u{1}")
            .with_id("id-flaky")
            .with_type("problem"),
        note("graph/solutions/retry.md", "Retry")
            .with_id("id-retry")
            .with_type("solution")
            .with_body("[[index]]"),
        note("index.md", "Überblick"),
        edge("id-edge", "SOLVES", "id-retry", "id-flaky", 0.83),
    ]
}

fn json_text(graph: &Graph<'_>, only: Option<&BTreeSet<usize>>) -> String {
    format!("{:#}\n", json(graph, only))
}

fn written(format: fn(&Graph<'_>, Option<&BTreeSet<usize>>) -> String, only: Option<&[usize]>) -> String {
    let notes = sample();
    let (graph, findings) = Graph::build(&notes, &RelationTable::default());
    assert_eq!(findings, []);
    format(&graph, only.map(|only| only.iter().copied().collect()).as_ref())
}

#[test]
fn dot_quotes_its_labels() {
    insta::assert_snapshot!(written(dot, None), @r#"
    digraph vault {
      n0 [label="Flaky \"uploads\"\n& <b>more</b> ", tooltip="graph/problems/flaky.md"];
      n1 [label="Retry", tooltip="graph/solutions/retry.md"];
      n2 [label="Überblick", tooltip="index.md"];
      n1 -> n0 [label="SOLVES"];
      n1 -> n2 [label="LINKS_TO"];
    }
    "#);
}

#[test]
fn mermaid_writes_entities_for_what_would_end_a_label() {
    insta::assert_snapshot!(written(mermaid, None), @r#"
    flowchart LR
      n0["Flaky #34;uploads#34; #38; #60;b#62;more#60;/b#62; "]
      n1["Retry"]
      n2["Überblick"]
      n1 -->|"SOLVES"| n0
      n1 -->|"LINKS_TO"| n2
    "#);
}

#[test]
fn json_names_notes_by_id_or_path() {
    insta::assert_snapshot!(written(json_text, None), @r#"
    {
      "nodes": [
        {
          "id": "id-flaky",
          "title": "Flaky \"uploads\"\n& <b>more</b>\u0001",
          "type": "problem",
          "path": "graph/problems/flaky.md"
        },
        {
          "id": "id-retry",
          "title": "Retry",
          "type": "solution",
          "path": "graph/solutions/retry.md"
        },
        {
          "id": "index.md",
          "title": "Überblick",
          "type": "plain",
          "path": "index.md"
        }
      ],
      "edges": [
        {
          "from": "id-retry",
          "to": "id-flaky",
          "type": "SOLVES",
          "strength": 0.83
        },
        {
          "from": "id-retry",
          "to": "index.md",
          "type": "LINKS_TO",
          "strength": 0.5
        }
      ]
    }
    "#);
}

#[test]
fn graphml_holds_only_what_xml_may_hold() {
    let text = written(graphml, None);
    insta::assert_snapshot!(text.split_once("directed\">\n").unwrap().1, @r#"
        <node id="n0"><data key="id">id-flaky</data><data key="title">Flaky "uploads"
    &amp; &lt;b&gt;more&lt;/b&gt;�</data><data key="type">problem</data><data key="path">graph/problems/flaky.md</data></node>
        <node id="n1"><data key="id">id-retry</data><data key="title">Retry</data><data key="type">solution</data><data key="path">graph/solutions/retry.md</data></node>
        <node id="n2"><data key="id">index.md</data><data key="title">Überblick</data><data key="type">plain</data><data key="path">index.md</data></node>
        <edge source="n1" target="n0"><data key="relation">SOLVES</data><data key="strength">0.83</data></edge>
        <edge source="n1" target="n2"><data key="relation">LINKS_TO</data><data key="strength">0.5</data></edge>
      </graph>
    </graphml>
    "#);
}

#[test]
fn a_neighbourhood_has_its_own_edges_only() {
    insta::assert_snapshot!(written(dot, Some(&[1, 2])), @r#"
    digraph vault {
      n1 [label="Retry", tooltip="graph/solutions/retry.md"];
      n2 [label="Überblick", tooltip="index.md"];
      n1 -> n2 [label="LINKS_TO"];
    }
    "#);
}

proptest! {
    #[test]
    fn any_title_adds_no_line_and_no_element(title in "(\\PC|[\"\\\\<>&#\\]\n\r\u{0}|\u{fffe}]){0,12}") {
        let notes = [note("a.md", &title)];
        let (graph, _) = Graph::build(&notes, &RelationTable::default());
        prop_assert_eq!(dot(&graph, None).lines().count(), 3);
        prop_assert_eq!(mermaid(&graph, None).lines().count(), 2);
        let value = json(&graph, None);
        prop_assert_eq!(value["nodes"][0]["title"].as_str(), Some(title.as_str()));
        let xml = graphml(&graph, None);
        prop_assert_eq!(xml.matches("<data").count(), 4);
        prop_assert!(xml.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\t')));
    }
}
