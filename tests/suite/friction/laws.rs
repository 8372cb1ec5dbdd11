//! Properties that hold for all logs.

use cm_learn::friction::{
    FrictionAnalysis, FrictionConfig, FrictionRules, claude_lines, conclude, examine, files,
};
use proptest::prelude::*;

use super::{analysed, logs, now};

const BOTH: [FrictionRules; 2] = [FrictionRules::Classic, FrictionRules::Observed];

/// Strategy for log lines that mix parts of every sign.
fn line() -> impl Strategy<Value = String> {
    let text = prop::sample::select(vec![
        "no, that is wrong",
        "damn it",
        "/stash",
        "please run the migration again",
        "[Request interrupted by user]",
        "still broken",
        "✅ done",
        "the test is complete",
        "é no",
        "",
    ]);
    let result = prop::sample::select(vec![
        "Exit code 1",
        "Exit code 0",
        "Exit code 137",
        "Traceback (most recent call last)",
        "ok",
        "<tool_use_error>Sibling tool call errored</tool_use_error>",
    ]);
    let parts = (0..9_u32, text, result, 0..40_u32);
    parts.prop_map(|(kind, text, result, minute)| {
        let at = format!(r#""timestamp":"2026-10-01T10:{minute:02}:00.000Z","uuid":"record-{minute:08}""#);
        match kind {
            0..=2 => format!(r#"{{"type":"user",{at},"message":{{"content":"{text}"}}}}"#),
            3 => format!(r#"{{"type":"user",{at},"message":{{"content":[{{"type":"text","text":"{text}"}}]}}}}"#),
            4 | 5 => format!(r#"{{"type":"user",{at},"message":{{"content":[{{"type":"tool_result","content":"{result}"}}]}}}}"#),
            6 => format!(r#"{{"type":"assistant",{at},"message":{{"content":[{{"type":"text","text":"{text}"}}]}}}}"#),
            7 => format!(r#"{{"type":"assistant",{at},"message":{{"content":[{{"type":"tool_use","name":"Bash","input":{{"command":"make"}}}}]}}}}"#),
            _ => format!(r#"{{"type":"summary","summary":"{text}"}}"#),
        }
    })
}

fn log() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(line(), 0..24).prop_map(|lines| lines.join("\n").into_bytes())
}

/// Returns the number of signs by kind, and the number of sessions.
fn counts(analysis: &FrictionAnalysis) -> (Vec<(String, u32)>, usize) {
    let kinds = analysis.signal_counts().into_iter().map(|(kind, count)| (kind.to_string(), count));
    (kinds.collect(), analysis.sessions.len())
}

fn named(logs: &[Vec<u8>]) -> Vec<(String, Vec<u8>)> {
    logs.iter().enumerate().map(|(at, bytes)| (format!("{at:08}-log"), bytes.clone())).collect()
}

proptest! {
    #[test]
    fn any_bytes_are_analysed(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for rules in BOTH {
            files(&analysed(rules, &[("any".to_owned(), bytes.clone())]));
        }
    }

    #[test]
    fn friction_never_falls(log in log()) {
        for rules in BOTH {
            for session in analysed(rules, &named(std::slice::from_ref(&log))).sessions {
                prop_assert!(session.friction_trajectory.is_sorted());
            }
        }
    }

    #[test]
    fn the_order_of_files_does_not_matter(logs in prop::collection::vec(log(), 1..5), at in any::<prop::sample::Index>()) {
        let given = named(&logs);
        let mut turned = given.clone();
        turned.rotate_left(at.index(given.len()));
        for rules in BOTH {
            prop_assert_eq!(files(&analysed(rules, &given)), files(&analysed(rules, &turned)));
        }
    }

    #[test]
    fn a_bad_line_costs_only_itself(lines in prop::collection::vec(line(), 1..12), at in any::<prop::sample::Index>()) {
        let mut torn = lines.clone();
        torn.insert(at.index(lines.len()), "{\"type\":\"user\",\"mess".to_owned());
        let read = |lines: &[String]| claude_lines::log("p", "s", lines.join("\n").as_bytes());
        prop_assert_eq!(read(&lines).records, read(&torn).records);
        prop_assert_eq!(read(&torn).unread, 1);
    }

    #[test]
    fn a_copied_log_raises_no_count_of_what_was_observed(log in log(), cut in any::<prop::sample::Index>()) {
        let lines: Vec<&[u8]> = log.split(|byte| *byte == b'\n').collect();
        let part = lines[..=cut.index(lines.len())].join(&b'\n');
        let once = analysed(FrictionRules::Observed, &named(std::slice::from_ref(&log)));
        // Without ids, a copy cannot be distinguished from another log.
        prop_assume!(part.windows(6).any(|window| window == b"\"uuid\""));
        for copy in [log.clone(), part] {
            for logs in [[log.clone(), copy.clone()], [copy.clone(), log.clone()]] {
                prop_assert_eq!(counts(&analysed(FrictionRules::Observed, &named(&logs))), counts(&once));
            }
        }
    }
}

#[test]
fn a_fork_adds_only_what_is_new_in_it() {
    let lines = |lines: &[(&str, &str)]| {
        let line = |(id, text): &(&str, &str)| {
            format!(
                r#"{{"type":"user","uuid":"record-{id}","timestamp":"2026-10-01T10:00:00Z","message":{{"content":"{text}"}}}}"#
            )
        };
        lines.iter().map(line).collect::<Vec<_>>().join("\n").into_bytes()
    };
    let first = lines(&[("a", "go"), ("b", "no, wrong file"), ("c", "fine"), ("d", "more")]);
    let fork = lines(&[("a", "go"), ("b", "no, wrong file"), ("e", "stop that")]);
    let analysis = analysed(FrictionRules::Observed, &named(&[fork, first]));
    let corrections: Vec<usize> = analysis.signals.iter().map(Vec::len).collect();
    assert_eq!(analysis.sessions.len(), 2);
    assert_eq!(corrections.iter().sum::<usize>(), 2);
    let forked = analysis.sessions.iter().find(|session| session.conversation.is_some()).unwrap();
    assert_eq!(forked.session_metadata.turn_count, 1);
}

#[test]
fn what_has_no_id_is_a_copy_among_copies_and_new_after_them() {
    let lines = |steps: &[&str]| {
        let line = |step: &&str| match *step {
            "#" => r#"{"type":"summary","summary":"summed up"}"#.to_owned(),
            id => format!(r#"{{"type":"user","uuid":"record-{id}","message":{{"content":"go"}}}}"#),
        };
        steps.iter().map(line).collect::<Vec<_>>().join("\n").into_bytes()
    };
    let signs = |fork: &[&str]| {
        let logs = [lines(&["a", "#", "b", "c", "d"]), lines(fork)];
        analysed(FrictionRules::Observed, &named(&logs)).signals.iter().map(Vec::len).sum::<usize>()
    };
    assert_eq!(signs(&["a", "#", "b", "e"]), 1);
    assert_eq!(signs(&["a", "b", "e", "#"]), 2);
}

#[test]
fn the_same_logs_make_the_same_bytes() {
    for rules in BOTH {
        assert_eq!(files(&analysed(rules, &logs())), files(&analysed(rules, &logs())));
    }
}

#[test]
fn no_log_is_an_analysis_too() {
    for rules in BOTH {
        let analysis = conclude(Vec::new(), &FrictionConfig::of(rules), now());
        assert!(analysis.clusters.is_empty() && files(&analysis).len() == 7);
    }
}

#[test]
fn sessions_whose_short_names_are_the_same_are_told_apart() {
    let config = FrictionConfig::of(FrictionRules::Classic);
    let log = |name: &str| {
        examine(
            &claude_lines::log("p", name, b"{\"type\":\"user\",\"message\":{\"content\":\"a\"}}"),
            &config,
        )
    };
    let analysis = conclude(vec![log("rollout-1"), log("rollout-2")], &config, now());
    let ids: Vec<&str> = analysis.sessions.iter().map(|session| session.session_id.as_str()).collect();
    assert_eq!(ids, ["p/unknown-rollout-1", "p/unknown-rollout-2"]);
}
