//! `cm graph`

use crate::support::harbour;

#[test]
fn the_graph_is_drawn_in_each_format() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["graph"]).snapshot(), @r#"
    flowchart LR
      n0["2026-11-09"]
      n1["Limits of the gateway"]
      n2["Use Postgres"]
      n4["Borrow checker refuses the cache"]
      n5["Never skip the hooks"]
      n6["The old printer"]
      n7["API stops answering"]
      n8["Keep pooled connections alive"]
      n9["Reading list"]
      n10["Run the tests of the worker with a real database."]
      n11["Heights are relative to chart datum"]
      n8 -->|"REQUIRES"| n2
      n8 -->|"SOLVES"| n7
      n9 -->|"LINKS_TO"| n2
    [exit 0]
    "#);
    insta::assert_snapshot!(sandbox.cm(&["graph", "2b2b", "--format", "dot"]).snapshot(), @r#"
    digraph vault {
      n7 [label="API stops answering", tooltip="graph/problems/api-stops-answering-2b2b2b.md"];
      n8 [label="Keep pooled connections alive", tooltip="graph/solutions/keep-pooled-connections-alive-1a1a1a.md"];
      n8 -> n7 [label="SOLVES"];
    }
    [exit 0]
    "#);
    insta::assert_snapshot!(sandbox.cm(&["graph", "2b2b", "--format", "graphml"]).snapshot(), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <graphml xmlns="http://graphml.graphdrawing.org/xmlns">
      <key id="id" for="node" attr.name="id" attr.type="string"/>
      <key id="title" for="node" attr.name="title" attr.type="string"/>
      <key id="type" for="node" attr.name="type" attr.type="string"/>
      <key id="path" for="node" attr.name="path" attr.type="string"/>
      <key id="relation" for="edge" attr.name="type" attr.type="string"/>
      <key id="strength" for="edge" attr.name="strength" attr.type="double"/>
      <graph id="vault" edgedefault="directed">
        <node id="n7"><data key="id">2b2b2b2b-0000-4000-8000-000000000002</data><data key="title">API stops answering</data><data key="type">problem</data><data key="path">graph/problems/api-stops-answering-2b2b2b.md</data></node>
        <node id="n8"><data key="id">1a1a1a1a-0000-4000-8000-000000000001</data><data key="title">Keep pooled connections alive</data><data key="type">solution</data><data key="path">graph/solutions/keep-pooled-connections-alive-1a1a1a.md</data></node>
        <edge source="n8" target="n7"><data key="relation">SOLVES</data><data key="strength">1</data></edge>
      </graph>
    </graphml>
    [exit 0]
    "#);
    insta::assert_snapshot!(sandbox.cm(&["graph", "2b2b", "--json"]).snapshot(), @r#"
    {
      "nodes": [
        {
          "id": "2b2b2b2b-0000-4000-8000-000000000002",
          "title": "API stops answering",
          "type": "problem",
          "path": "graph/problems/api-stops-answering-2b2b2b.md"
        },
        {
          "id": "1a1a1a1a-0000-4000-8000-000000000001",
          "title": "Keep pooled connections alive",
          "type": "solution",
          "path": "graph/solutions/keep-pooled-connections-alive-1a1a1a.md"
        }
      ],
      "edges": [
        {
          "from": "1a1a1a1a-0000-4000-8000-000000000001",
          "to": "2b2b2b2b-0000-4000-8000-000000000002",
          "type": "SOLVES",
          "strength": 1.0
        }
      ]
    }
    [exit 0]
    "#);
}

#[test]
fn json_is_one_format_under_both_of_its_names() {
    let sandbox = harbour();
    let one = sandbox.cm(&["graph", "--json"]).ok().stdout;
    assert_eq!(one, sandbox.cm(&["graph", "--format", "json"]).ok().stdout);
    let two = sandbox.cm(&["graph", "2b2b", "--hops", "2", "--json"]).ok().json();
    assert_eq!(two["nodes"].as_array().unwrap().len(), 3);
}

#[test]
fn a_hostile_title_stays_a_label() {
    let sandbox = harbour();
    let title = r#"Evil "] --> x[" <b> \" & ; end"#;
    sandbox.write("notes/evil.md", format!("---\ntitle: '{title}'\n---\n[[Use Postgres]]\n"));
    for format in ["mermaid", "dot", "graphml"] {
        let drawn = sandbox.cm(&["graph", "notes/evil.md", "--format", format]).ok().stdout;
        assert!(!drawn.contains(title), "{format}: {drawn}");
    }
    insta::assert_snapshot!(sandbox.cm(&["graph", "notes/evil.md"]).snapshot(), @r#"
    flowchart LR
      n2["Use Postgres"]
      n9["Evil #34;] --#62; x[#34; #60;b#62; #92;#34; #38; ; end"]
      n9 -->|"LINKS_TO"| n2
    [exit 0]
    "#);
    insta::assert_snapshot!(sandbox.cm(&["graph", "notes/evil.md", "--format", "dot"]).snapshot(), @r#"
    digraph vault {
      n2 [label="Use Postgres", tooltip="graph/decisions/use-postgres-3c3c3c.md"];
      n9 [label="Evil \"] --> x[\" <b> \\\" & ; end", tooltip="notes/evil.md"];
      n9 -> n2 [label="LINKS_TO"];
    }
    [exit 0]
    "#);
}

#[test]
fn two_formats_at_once_and_far_hops_are_refused() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["graph", "--json", "--format", "dot"]).snapshot(), @r#"
    {
      "error": {
        "code": "usage",
        "message": "--json cannot be combined with another --format",
        "hint": "`cm help graph` shows its arguments with examples"
      }
    }
    [exit 2]
    "#);
    assert_eq!(sandbox.cm(&["graph", "--hops", "9"]).code, 2);
    assert_eq!(sandbox.cm(&["graph", "absent"]).code, 4);
    assert_eq!(sandbox.cm(&["graph", "--format", "svg"]).code, 2);
}
