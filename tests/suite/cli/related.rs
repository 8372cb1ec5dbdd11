//! `cm related`

use crate::support::harbour;

#[test]
fn edge_files_inline_edges_and_links_lead_to_the_notes_around() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["related", "1a1a"]).snapshot(), @"
    Keep pooled connections alive
      ─SOLVES→    2b2b2b2b  API stops answering
      ─REQUIRES→  3c3c3c3c  Use Postgres
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["related", "Use Postgres", "--hops", "2"]).snapshot(), @"
    Use Postgres
      ←REQUIRES─  1a1a1a1a               Keep pooled connections alive
      ←LINKS_TO─  notes/reading-list.md  Reading list
        ─SOLVES→  2b2b2b2b               API stops answering via Keep pooled connections alive
    [exit 0]
    ");
}

#[test]
fn types_and_directions_narrow_the_way() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["related", "3c3c", "--type", "requires", "--json"]).snapshot(), @r#"
    {
      "id": "3c3c3c3c-0000-4000-8000-000000000003",
      "title": "Use Postgres",
      "notes": [
        {
          "id": "1a1a1a1a-0000-4000-8000-000000000001",
          "title": "Keep pooled connections alive",
          "path": "graph/solutions/keep-pooled-connections-alive-1a1a1a.md",
          "type": "REQUIRES",
          "direction": "incoming",
          "hops": 1,
          "strength": 0.8,
          "via": []
        }
      ],
      "total": 1,
      "next": null
    }
    [exit 0]
    "#);
    insta::assert_snapshot!(sandbox.cm(&["related", "3c3c", "--direction", "outgoing"]).snapshot(), @"
    Use Postgres
    no edges
    [exit 0]
    ");
}

#[test]
fn more_than_five_hops_or_none_are_refused() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["related", "3c3c", "--hops", "6"]).snapshot(), @"
    [stderr]
    error: hops must be between 1 and 5
     hint: `cm help related` shows its arguments with examples
    [exit 2]
    ");
    assert_eq!(sandbox.cm(&["related", "3c3c", "--hops", "0"]).code, 2);
    assert_eq!(sandbox.cm(&["related", "absent"]).code, 4);
}

#[test]
fn a_type_that_no_edge_can_have_is_refused_rather_than_found_empty() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["related", "3c3c", "--type", "SOLVE"]).snapshot(), @"
    [stderr]
    error: unknown edge type `SOLVE`
     hint: did you mean SOLVES?
    [exit 2]
    ");
}

#[test]
fn a_list_is_cut_and_says_how_to_go_on() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["related", "1a1a", "--limit", "1"]).snapshot(), @"
    Keep pooled connections alive
      ─SOLVES→  2b2b2b2b  API stops answering
    1 of 2 notes; continue with --offset 1
    [exit 0]
    ");
    let rest = sandbox.cm(&["related", "1a1a", "--offset", "1", "--json"]).ok().json();
    assert_eq!((rest["total"].as_u64(), rest["next"].as_u64()), (Some(2), None));
    assert_eq!(rest["notes"][0]["title"], "Use Postgres");
}
