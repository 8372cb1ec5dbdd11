//! `cm ls`

use crate::support::harbour;

#[test]
fn notes_are_listed_by_folder_type_tag_and_order() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["ls", "graph", "--sort", "title", "-n", "3"]).snapshot(), @"
    2026-11-09  2b2b2b2b  problem   API stops answering
    2026-11-01  4d4d4d4d  error     Borrow checker refuses the cache
    2026-11-10  1a1a1a1a  solution  Keep pooled connections alive
    … of 7 notes; continue with --offset 3
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["ls", "--type", "bullet"]).snapshot(), @"
    2026-11-12  b-mq6d3m8l-x1y2z3  rule  Run the tests of the worker with a real database.
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["ls", "--tag", "#network", "--sort", "path"]).snapshot(), @"
    2026-11-18  6f6f6f6f  configuration  Limits of the gateway
    2026-11-09  2b2b2b2b  problem        API stops answering
    2026-11-10  1a1a1a1a  solution       Keep pooled connections alive
    [exit 0]
    ");
}

#[test]
fn a_folder_is_found_from_the_vault_and_from_the_working_folder() {
    let sandbox = harbour();
    let paths = |arguments: &[&str]| {
        let listed = sandbox.cm(&[&["ls", "--json"], arguments].concat()).ok().json();
        let notes = listed["notes"].as_array().unwrap().clone();
        notes.iter().map(|note| note["path"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let all = paths(&["."]);
    assert!(all.iter().any(|path| path.starts_with("playbook/")), "{all:?}");
    let graph = paths(&["graph"]);
    assert!(!graph.is_empty() && graph.iter().all(|path| path.starts_with("graph/")), "{graph:?}");
    let whole = sandbox.vault().join("graph").display().to_string();
    for typed in ["./graph", "graph/", "graph/../graph", "Graph", "GRAPH/", &whole] {
        assert_eq!(paths(&[typed]), graph, "{typed}");
    }
}

#[test]
fn nothing_listed_is_no_failure_and_an_order_or_folder_that_there_is_not_is_refused() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["list", "--tag", "nowhere"]).snapshot(), @"
    no notes
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["list", "graph", "--offset", "100"]).snapshot(), @"
    nothing at this offset; 7 notes in all
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["list", "-n", "0"]).snapshot(), @"
    [stderr]
    error: invalid value '0' for '--limit <LIMIT>': expected a whole number of 1 or more

    For more information, try '--help'.
    [exit 2]
    ");
    insta::assert_snapshot!(sandbox.cm(&["list", "nowhere"]).snapshot(), @"
    [stderr]
    error: the vault has no folder `nowhere`
     hint: `cm ls --sort path` lists all notes by folder
    [exit 4]
    ");
    insta::assert_snapshot!(sandbox.cm(&["ls", "--sort", "size"]).snapshot(), @"
    [stderr]
    error: invalid value 'size' for '--sort <ORDER>'
      [possible values: updated, title, path]

    For more information, try '--help'.
    [exit 2]
    ");
    assert_eq!(sandbox.cm(&["ls", "--type", "fact", "--json"]).ok().json()["total"], 1);
}

#[test]
fn an_unknown_type_is_named_with_the_nearest_one() {
    let sandbox = harbour();
    let ran = sandbox.cm(&["ls", "--type", "fixx"]).ok();
    assert!(ran.stderr.contains("`fixx` is not a type here; did you mean `fix`?"), "{}", ran.stderr);
    let ran = sandbox.cm(&["ls", "--type", "recipe"]).ok();
    assert!(ran.stderr.contains("types are ") && ran.stderr.contains(", decision, "), "{}", ran.stderr);
    assert_eq!(sandbox.cm(&["ls", "--type", "fix"]).ok().stderr, "");
}

#[test]
fn a_search_names_fields_and_types_that_do_not_exist() {
    let sandbox = harbour();
    let notices = |query: &str| sandbox.cm(&["search", query, "--json"]).ok().json()["notices"].to_string();
    assert!(notices("type:fixx").contains("did you mean `fix`?"));
    assert!(notices("typ:fix").contains("did you mean `type:`?"), "{}", notices("typ:fix"));
    assert!(notices("colour:zzqx").contains("`colour:` is not a field"), "{}", notices("colour:zzqx"));
    for plain in ["http://zzqx", "std::zzqx", "12:30", "C:\\zzqx", "type:fix"] {
        assert_eq!(notices(plain), "[]", "{plain}");
    }
}
