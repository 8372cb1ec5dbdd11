//! The life of a rule on the command line: added, duplicated, credited, reported as harmful,
//! inverted, briefed and retired.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

use crate::support::{Sandbox, vault_of};

const RULE: &str = "Retry a failed gauge request at once, up to five times.";

/// An empty vault, and the transcript of the commands run in it.
struct Transcript {
    sandbox: Sandbox,
    transcript: String,
}

impl Transcript {
    fn new() -> Self {
        let sandbox = vault_of("--- cm.toml\n");
        Self { sandbox, transcript: String::new() }
    }

    /// Runs a command on a date and appends its output to the transcript.
    fn types(&mut self, day: &str, words: &[&str]) -> String {
        let ran = self.sandbox.cm(&[words, &["--now", day]].concat());
        let shown = words.iter().map(|word| match word.contains(' ') {
            true => format!("\"{word}\""),
            false => (*word).to_owned(),
        });
        let shown: Vec<String> = shown.collect();
        self.transcript += &format!("{day} $ cm {}\n{}", shown.join(" "), ran.snapshot());
        ran.stdout
    }

    fn json(&self, day: &str, words: &[&str]) -> serde_json::Value {
        self.sandbox.cm(&[words, &["--now", day, "--json"]].concat()).ok().json()
    }
}

#[test]
fn a_rule_is_added_doubled_credited_inverted_told_and_brought_back() {
    let mut desk = Transcript::new();
    desk.sandbox.write_injection_logs(&["s-1", "s-2", "s-3", "s-4", "s-5", "s-6", "s-7"]);
    desk.types(
        "2026-03-02",
        &["playbook", "add", "--category", "net", "--why", "One request in a hundred gets lost.", RULE],
    );
    let id = desk.json("2026-03-02", &["playbook", "list"])["bullets"][0]["id"].as_str().unwrap().to_owned();
    let shouted = RULE.to_uppercase();
    desk.types(
        "2026-03-03",
        &["playbook", "add", "--category", "net", "--agent", "codex", "--session", "s-1", &shouted],
    );
    desk.types("2026-03-04", &["mark", &id, "--helpful", "--session", "s-2", "--agent", "claude-code"]);
    for session in ["s-3", "s-4", "s-5"] {
        desk.sandbox.cm(&["mark", &id, "--helpful", "--session", session, "--now", "2026-03-05"]).ok();
    }
    desk.types("2026-03-05", &["playbook", "list"]);
    desk.types("2026-09-08", &["mark", &id, "--harmful", "--reason", "caused_bug", "--session", "s-6"]);
    desk.types(
        "2026-09-09",
        &["mark", &id, "--harmful", "--reason", "all stations at once", "--session", "s-7"],
    );
    desk.types("2026-09-10", &["context", "the gauge request failed, retry it"]);
    desk.types("2026-09-10", &["core", "--print"]);
    desk.types("2026-09-10", &["why", &id]);
    desk.types("2026-09-11", &["undo"]);
    desk.types("2026-09-11", &["playbook", "list"]);
    insta::assert_snapshot!(desk.transcript, @r#"
    2026-03-02 $ cm playbook add --category net --why "One request in a hundred gets lost." "Retry a failed gauge request at once, up to five times."
    b-mm8eww00-fbz6xa  playbook/net/retry-a-failed-gauge-request-at-once-up-to-five-times-b28eab.md  added (active)  commit [COMMIT]
    [exit 0]
    2026-03-03 $ cm playbook add --category net --agent codex --session s-1 "RETRY A FAILED GAUGE REQUEST AT ONCE, UP TO FIVE TIMES."
    b-mm8eww00-fbz6xa  playbook/net/retry-a-failed-gauge-request-at-once-up-to-five-times-b28eab.md  already exists; feedback added  commit [COMMIT]
      it already exists
    [exit 0]
    2026-03-04 $ cm mark b-mm8eww00-fbz6xa --helpful --session s-2 --agent claude-code
    b-mm8eww00-fbz6xa  candidate, score 0.9962 (2 helpful, 0 harmful)  commit [COMMIT]
    [exit 0]
    2026-03-05 $ cm playbook list
    b-mm8eww00-fbz6xa  4.98 · established · net
        Retry a failed gauge request at once, up to five times.
    1 rule
    [exit 0]
    2026-09-08 $ cm mark b-mm8eww00-fbz6xa --harmful --reason caused_bug --session s-6
    b-mm8eww00-fbz6xa  candidate, score -1.4105 (5 helpful, 1 harmful)  commit [COMMIT]
      demoted established → candidate: score -2.821 with 46 % harm
    [exit 0]
    2026-09-09 $ cm mark b-mm8eww00-fbz6xa --harmful --reason "all stations at once" --session s-7
    b-mm8eww00-fbz6xa  deprecated, score 0 (5 helpful, 2 harmful)  commit [COMMIT]
      demoted candidate → deprecated: score -3.3997 after 2 harmful
      inverted to b-mm8eww00-rrmkmf: AVOID: Retry a failed gauge request at once, up to five times.
    [exit 0]
    2026-09-10 $ cm context "the gauge request failed, retry it"
    # Briefing: the gauge request failed, retry it

    ## Warnings

    - “Retry a failed gauge request at once, up to five times.” (b-mm8eww00-fbz6xa) is similar to the task and is deprecated: score -3.3997 after 2 harmful. Instead: AVOID: Retry a failed gauge request at once, up to five times. (b-mm8eww00-rrmkmf).

    ## Pitfalls

    - AVOID: Retry a failed gauge request at once, up to five times. (b-mm8eww00-rrmkmf, net, candidate)

    ## Search on

    - `cm search 'gauge request failed retry'`

    Feedback: `cm mark ID --helpful`, or `--harmful --reason caused_bug`; in what you write: `[cm: helpful ID]`

    No sessions are indexed.
    [exit 0]
    2026-09-10 $ cm core --print
    # Core memory

    > Written 2026-09-10 by `cm core`; changes by hand are lost.
    > 1 rule in use; 1 listed. Nothing left out.

    ## Pitfalls

    - AVOID: Retry a failed gauge request at once, up to five times. (inverted, anti-pattern) `b-mm8eww00-rrmkmf`
    [exit 0]
    2026-09-10 $ cm why b-mm8eww00-fbz6xa
    b-mm8eww00-fbz6xa  rule, net, retired, deprecated
    Retry a failed gauge request at once, up to five times.
        One request in a hundred gets lost.
    score 0.00 = (1.16 helpful − 4 × 1.98 harmful) × 0 for deprecated; neutral, 63 % harmful, half-life 90 days

    2026-03-02 00:00  written  [COMMIT] Ada Example
    2026-03-03 00:00  helpful, says codex in s-1: proposed again: RETRY A FAILED GAUGE REQUEST AT ONCE, UP TO FIVE TIMES.  [COMMIT] Ada Example
    2026-03-04 00:00  helpful, says claude-code in s-2  [COMMIT] Ada Example
    2026-03-05 00:00  helpful in s-3  [COMMIT] Ada Example
    2026-03-05 00:00  helpful in s-4  [COMMIT] Ada Example
    2026-03-05 00:00  helpful in s-5  [COMMIT] Ada Example
    2026-03-05 00:00  promoted to a higher maturity
    2026-09-08 00:00  harmful in s-6: caused_bug  [COMMIT] Ada Example
    2026-09-09 00:00  harmful in s-7: all stations at once  [COMMIT] Ada Example

    replaced by    b-mm8eww00-rrmkmf AVOID: Retry a failed gauge request at once, up to five times.
    retired        score -3.3997 after 2 harmful
    [exit 0]
    2026-09-11 $ cm undo
    reverted [COMMIT]: Mark "Retry a failed gauge request at once, up to five times." harmful  commit [COMMIT]
      playbook/net/avoid-retry-a-failed-gauge-request-at-once-up-to-five-times-0133cd.md
      playbook/net/retry-a-failed-gauge-request-at-once-up-to-five-times-b28eab.md
    [exit 0]
    2026-09-11 $ cm playbook list
    b-mm8eww00-fbz6xa  -1.38 · candidate · net
        Retry a failed gauge request at once, up to five times.
    1 rule
    [exit 0]
    "#);
    let story = desk.sandbox.git(&["log", "--format=%s"]);
    insta::assert_snapshot!(story, @r#"
    Undo: Mark "Retry a failed gauge request at once, up to five times." harmful
    Mark "Retry a failed gauge request at once, up to five times." harmful
    Mark "Retry a failed gauge request at once, up to five times." harmful
    Mark "Retry a failed gauge request at once, up to five times." helpful
    Mark "Retry a failed gauge request at once, up to five times." helpful
    Mark "Retry a failed gauge request at once, up to five times." helpful
    Mark "Retry a failed gauge request at once, up to five times." helpful
    Give feedback to b-mm8eww00-fbz6xa, which was proposed again
    Add the rule "Retry a failed gauge request at once, up to five times."
    Begin
    "#);
    assert_eq!(desk.sandbox.git(&["status", "--porcelain"]), "");
}
