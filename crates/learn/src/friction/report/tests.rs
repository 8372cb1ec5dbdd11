//! Tests of the report files.

use super::*;
use crate::friction::{FrictionConfig, FrictionRules, claude_lines, conclude, examine};
use cm_note::instant::Instant;

#[test]
fn what_people_stated_opens_nothing_in_a_review() {
    assert_eq!(inert_line("a\n## b `c`\n<!-- d", 80), "a ## b 'c' < !-- d");
    assert_eq!(inert_line("éé é", 3), "éé…");
}

#[test]
fn a_review_of_what_was_observed_tells_what_came_before() {
    let config = FrictionConfig::of(FrictionRules::Observed);
    let line =
        |kind: &str, content: &str| format!(r#"{{"type":"{kind}","message":{{"content":{content}}}}}"#);
    let call = r#"[{"type":"tool_use","name":"Edit","input":{}}]"#;
    let lines = [
        line("user", "\"go\""),
        line("assistant", call),
        line("user", "\"damn, why do you rewrite the parser\""),
    ];
    let log = claude_lines::log("p", "s", lines.join("\n").as_bytes());
    let files = files(&conclude(vec![examine(&log, &config)], &config, Instant::from_unix(0)));
    let review = &files.iter().find(|file| file.name == "antigen_review.md").unwrap().text;
    for expected in [
        "| 1 | user_curse | episode/severe | 1 | p | 2 | 8 |",
        "> damn, why do you rewrite the parser",
        "**Preceded by:** Edit (unknown)",
    ] {
        assert!(review.contains(expected), "{expected}\n{review}");
    }
}
