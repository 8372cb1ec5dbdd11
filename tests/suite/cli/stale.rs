//! `cm stale`

use super::top::{rules, with_global};

#[test]
fn bullets_without_feedback_are_listed_the_longest_silent_first() {
    let sandbox = rules();
    insta::assert_snapshot!(sandbox.cm(&["stale"]).snapshot(), @"");
    insta::assert_snapshot!(sandbox.cm(&["stale", "--days", "0", "--limit", "3"]).snapshot(), @"");
    insta::assert_snapshot!(sandbox.cm(&["stale", "--days", "300d", "--json"]).snapshot(), @"");
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
    insta::assert_snapshot!(sandbox.cm(&["stale"]).snapshot(), @"");
    insta::assert_snapshot!(sandbox.cm(&["stale", "--days", "1000"]).snapshot(), @"");
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
    insta::assert_snapshot!(sandbox.cm(&["stale", "--days", "long"]).snapshot(), @"");
    assert_eq!(sandbox.cm(&["stale", "--days=-1"]).code, 2);
}
