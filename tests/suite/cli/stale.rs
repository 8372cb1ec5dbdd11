//! `cm stale`

use super::top::{rules, with_global};

#[test]
fn bullets_without_feedback_are_listed_the_longest_silent_first() {
    let sandbox = rules();
    insta::assert_snapshot!(sandbox.cm(&["stale"]).snapshot(), @"
    2 bullets without feedback for 90 days
      324 d  draft      +0 -0  b-mq6d3q8l-j1k2l3  Write the failing test before the fix.
      265 d  candidate  +0 -0  b-mq6d3p8l-g7h8i9  AVOID: mocks of the clock that nobody winds back.
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["stale", "--days", "0", "--limit", "3"]).snapshot(), @"
    5 bullets without feedback for 0 days
      324 d  draft        +0 -0  b-mq6d3q8l-j1k2l3  Write the failing test before the fix.
      265 d  candidate    +0 -0  b-mq6d3p8l-g7h8i9  AVOID: mocks of the clock that nobody winds back.
       20 d  established  +2 -0  b-mq6d3n8l-a1b2c3  Never skip the hooks of git.
    … of 5 bullets
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["stale", "--days", "300d", "--json"]).snapshot(), @r#"
    {
      "at": "2026-11-21T12:00:00Z",
      "days": 300.0,
      "bullets": [
        {
          "id": "b-mq6d3q8l-j1k2l3",
          "content": "Write the failing test before the fix.",
          "category": "testing",
          "type": "rule",
          "state": "draft",
          "maturity": "candidate",
          "score": 0.0,
          "helpful": 0,
          "harmful": 0,
          "pinned": false,
          "path": "playbook/testing/draft-mq6d3q.md",
          "vault": "project",
          "days": 324,
          "last_feedback": null
        }
      ],
      "total": 1
    }
    [exit 0]
    "#);
}

#[test]
fn a_bullet_is_stale_from_the_very_day_on() {
    let sandbox = rules();
    let listed =
        |days: &str| sandbox.cm(&["stale", "--days", days, "--json"]).ok().json()["total"].as_u64().unwrap();
    // The draft is 324 days old to the minute.
    assert_eq!((listed("324"), listed("324.001"), listed("325")), (1, 0, 0));
}

#[test]
fn the_days_are_a_setting() {
    let sandbox = rules();
    sandbox.write("cm.toml", "[scoring]\nstale_days = 300\n");
    insta::assert_snapshot!(sandbox.cm(&["stale"]).snapshot(), @"
    1 bullet without feedback for 300 days
      324 d  draft  +0 -0  b-mq6d3q8l-j1k2l3  Write the failing test before the fix.
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["stale", "--days", "1000"]).snapshot(), @"
    no bullet without feedback for 1000 days
    [exit 0]
    ");
}

#[test]
fn feedback_in_either_vault_breaks_the_silence() {
    let sandbox = rules();
    let silent =
        || sandbox.cm(&["stale", "--days", "20", "--json"]).ok().stdout.contains("b-mq6d3n8l-a1b2c3");
    assert!(silent());
    with_global(&sandbox);
    assert!(!silent());
}

#[test]
fn days_that_are_no_number_are_refused_with_an_example() {
    let sandbox = rules();
    insta::assert_snapshot!(sandbox.cm(&["stale", "--days", "long"]).snapshot(), @"
    [stderr]
    error: invalid value 'long' for '--days <N>': it is a number of days such as 90

    For more information, try '--help'.
    [exit 2]
    ");
    assert_eq!(sandbox.cm(&["stale", "--days=-1"]).code, 2);
}
