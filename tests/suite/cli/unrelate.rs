//! `cm unrelate`

use super::small::{RETRY, commits, committed, message, small};
use crate::support::hashes;

#[test]
fn an_edge_file_is_taken_away() {
    let sandbox = small();
    let made = sandbox.cm(&["relate", "1f0c99", "SOLVES", "77ab01", "--json"]).ok().json();
    let ran = sandbox.cm(&["unrelate", "1f0c99", "77ab01", "--type", "SOLVES"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    7d87dc71-a3cd-49ca-8012-eb0865da81e2  graph/edges/close-idle-connections--SOLVES--gauges-time-out-7d87dc.md  commit [COMMIT]
    [exit 0]
    ");
    assert_eq!(committed(&sandbox), format!("D\t{}\n", made["path"].as_str().unwrap()));
    insta::assert_snapshot!(message(&sandbox), @r#"
    Unrelate "Close idle connections" and "Gauges time out"

    Cm-Op: unrelate
    Cm-Id: 7d87dc71-a3cd-49ca-8012-eb0865da81e2
    Cm-Operation: d24fd18bcfff48c59d5003a2978fa85f
    "#);
}

#[test]
fn an_entry_of_the_frontmatter_is_taken_away_and_other_lines_stay() {
    let sandbox = small();
    let relations = "relations:\n  # by hand\n  - type: REQUIRES\n    target: 1f0c9900-0000-4000-8000-000000000002\n  - type: SOLVES\n    target: 77ab0100-0000-4000-8000-000000000003\n";
    sandbox.write(
        RETRY,
        sandbox.read(RETRY).replace("importance: 0.8\n", &format!("importance: 0.8\n{relations}")),
    );
    sandbox.commit_all("Relate by hand");
    let ran = sandbox.cm(&["unrelate", "1f0c2a", "1f0c99"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    1f0c2a00-0000-4000-8000-000000000001  graph/solutions/retry-with-jitter-1f0c2a.md  commit [COMMIT]
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.read(RETRY), @r"
    ---
    id: 1f0c2a00-0000-4000-8000-000000000001
    type: solution
    title: Retry with jitter
    tags: [net, retry]  # by hand
    importance: 0.8
    relations:
      # by hand
      - type: SOLVES
        target: 77ab0100-0000-4000-8000-000000000003
    created: 2026-11-01T08:00:00Z
    updated: 2026-11-01T08:00:00Z
    ---

    # Retry with jitter

    Spread retries over 30 s.

    SOLVES:: [[Gauges time out]]
    ");
}

#[test]
fn an_edge_that_is_not_there_is_not_found_and_links_in_bodies_are_left_to_the_person() {
    let sandbox = small();
    let before = hashes(&sandbox.vault());
    let ran = sandbox.cm(&["unrelate", "1f0c2a", "77ab01"]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    [stderr]
    error: there is no edge from "Retry with jitter" to "Gauges time out"
     hint: links in note bodies must be edited by hand; `cm related` lists all edges and links
    [exit 4]
    "#);
    let ran = sandbox.cm(&["unrelate", "1f0c99", "CAUSES", "77ab01", "--json"]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    {
      "error": {
        "code": "not-found",
        "message": "there is no CAUSES edge from \"Close idle connections\" to \"Gauges time out\"",
        "hint": "links in note bodies must be edited by hand; `cm related` lists all edges and links"
      }
    }
    [exit 4]
    "#);
    let ran = sandbox.cm(&["unrelate", "1f0c", "77ab01"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    [stderr]
    error: `1f0c` matches 2 notes
     hint: use one of
           1f0c9900-0000-4000-8000-000000000002  Close idle connections
           1f0c2a00-0000-4000-8000-000000000001  Retry with jitter
    [exit 4]
    ");
    assert_eq!(hashes(&sandbox.vault()), before);
    assert_eq!(commits(&sandbox), 1);
}

#[test]
fn an_edge_with_words_that_no_commit_holds_is_not_taken_away() {
    let sandbox = small();
    let made = sandbox.cm(&["relate", "1f0c2a", "5e5e5e", "--type", "REQUIRES", "--json"]).ok().json();
    let path = made["path"].as_str().unwrap();
    let text = format!("{}Written by hand.\n", sandbox.read(path));
    sandbox.write(path, &text);
    let refused = sandbox.cm(&["unrelate", "1f0c2a", "5e5e5e", "--json"]);
    assert_eq!((refused.code, refused.json()["error"]["code"].as_str()), (5, Some("hand-edited")));
    assert_eq!(sandbox.read(path), text);
}
