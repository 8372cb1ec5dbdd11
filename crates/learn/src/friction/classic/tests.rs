//! Tests of each classic signal, with near misses.

use super::*;
use crate::friction::claude_lines;

/// Parses a log in short form: `>` user message, `+` user text block, `=` tool result, `<` agent
/// text, `!` tool call, `~` user text within progress, `#` summary. A line may start with its
/// second.
fn log(script: &[&str]) -> SessionLog {
    let lines: Vec<String> = script.iter().zip(1..).map(|(step, at)| line(step, at)).collect();
    claude_lines::log("p", "s", lines.join("\n").as_bytes())
}

fn line(step: &str, number: u32) -> String {
    let (second, step) = match step.split_once(' ') {
        Some((second, rest)) if second.parse::<u32>().is_ok() => (second.parse().unwrap(), rest),
        _ => (number, step),
    };
    let at = format!("2026-10-01T{:02}:{:02}:{:02}.000Z", 10 + second / 3600, second / 60 % 60, second % 60);
    let (sign, text) = step.split_at(1);
    let text = serde_json::to_string(text).unwrap();
    let (kind, rest) = match sign {
        ">" => ("user", format!(r#""message":{{"content":{text}}}"#)),
        "+" => ("user", format!(r#""message":{{"content":[{{"type":"text","text":{text}}}]}}"#)),
        "=" => ("user", format!(r#""message":{{"content":[{{"type":"tool_result","content":{text}}}]}}"#)),
        "<" => ("assistant", format!(r#""message":{{"content":[{{"type":"text","text":{text}}}]}}"#)),
        "!" => (
            "assistant",
            format!(
                r#""message":{{"content":[{{"type":"tool_use","name":"Bash","input":{{"command":{text}}}}}]}}"#
            ),
        ),
        "~" => {
            ("progress", format!(r#""data":{{"message":{{"type":"user","message":{{"content":{text}}}}}}}"#))
        }
        "#" => ("summary", format!(r#""summary":{text}"#)),
        other => panic!("{other}"),
    };
    format!(r#"{{"type":"{kind}","timestamp":"{at}",{rest}}}"#)
}

fn kinds(script: &[&str]) -> Vec<SignalKind> {
    signals(&log(script), &FrictionThresholds::default()).into_iter().map(|signal| signal.kind).collect()
}

fn count(kind: SignalKind, script: &[&str]) -> usize {
    kinds(script).into_iter().filter(|found| *found == kind).count()
}

#[test]
fn a_stash_is_an_intervention_wherever_it_is_listed() {
    assert_eq!(count(SignalKind::UserIntervention, &[">run /STASH now"]), 1);
    assert_eq!(count(SignalKind::UserIntervention, &["+<command-name>/stash</command-name>"]), 1);
    assert_eq!(count(SignalKind::UserIntervention, &["~/stash"]), 1);
    assert_eq!(count(SignalKind::UserIntervention, &[">git stash"]), 0);
    assert_eq!(count(SignalKind::UserIntervention, &["</stash", "=/stash"]), 0);
}

#[test]
fn an_end_of_much_friction_and_no_success_is_abandoned() {
    let bad = [">a", ">b", "<done", "=Exit code 1", ">c"];
    assert_eq!(count(SignalKind::SessionAbandoned, &bad), 1);
    assert_eq!(count(SignalKind::SessionAbandoned, &bad[1..]), 0, "two turns");
    assert_eq!(
        count(SignalKind::SessionAbandoned, &[">a", ">b", "<done", "=Exit code 1", ">c", "=Exit code 0"]),
        0
    );
    assert_eq!(count(SignalKind::SessionAbandoned, &[">a", ">b", "<done", "=Exit code 1", ">/stash"]), 0);
    let weak = [
        ">a",
        ">b",
        ">c",
        "=Exit code 1",
        "=Exit code 1",
        "=Exit code 1",
        "=Exit code 1",
        "=Exit code 1",
        "=Exit code 1",
        "=Exit code 1",
        "=Exit code 1",
    ];
    assert_eq!(count(SignalKind::SessionAbandoned, &weak), 0, "only the last five count");
}

#[test]
fn a_claim_before_a_failure_is_a_false_success_once() {
    assert_eq!(count(SignalKind::FalseSuccess, &["<All done.", "=Exit code 1", "=Exit code 1"]), 1);
    assert_eq!(
        count(SignalKind::FalseSuccess, &["<done", "=Exit code 0", "=Exit code 1"]),
        0,
        "success clears the claim"
    );
    assert_eq!(
        count(SignalKind::FalseSuccess, &["<done", "=text", "=Exit code 1"]),
        1,
        "other answers do not"
    );
    assert_eq!(count(SignalKind::FalseSuccess, &["<completed successfully", "=Exit code 1"]), 0);
    assert_eq!(count(SignalKind::FalseSuccess, &["<✅ built", "=Exit code 1"]), 0);
    assert_eq!(count(SignalKind::FalseSuccess, &[">done", "=Exit code 1"]), 0, "a person's claim is none");
}

#[test]
fn failures_without_success_or_stash_are_unresolved() {
    assert_eq!(count(SignalKind::NoResolution, &[">a", ">b", "=Exit code 1"]), 1);
    assert_eq!(count(SignalKind::NoResolution, &[">a", "=Exit code 1"]), 0);
    assert_eq!(count(SignalKind::NoResolution, &[">a", ">b", "=Exit code 0", "=Exit code 1"]), 0);
    assert_eq!(count(SignalKind::NoResolution, &[">a", ">/stash", "=Exit code 1"]), 0);
}

#[test]
fn the_third_call_and_each_after_it_is_a_loop() {
    assert_eq!(count(SignalKind::ToolLoop, &["!ls", "!ls"]), 0);
    assert_eq!(count(SignalKind::ToolLoop, &["!ls", "!ls", "!pwd", "!ls", "!ls"]), 2);
    assert_eq!(count(SignalKind::ToolLoop, &["!ls", "!ls ", "!ls -l"]), 0);
    let found = signals(&log(&["!ls", "!ls", "!ls"]), &FrictionThresholds::default());
    assert_eq!((found[0].details.as_str(), found[0].more.loop_count), ("Bash called 3x", Some(3)));
}

#[test]
fn a_short_session_that_ends_with_a_failure_is_a_rapid_exit() {
    assert_eq!(kinds(&[">a", "=Exit code 1"]), [SignalKind::ExitError, SignalKind::RapidExit]);
    assert_eq!(count(SignalKind::RapidExit, &[">a", "+[Request interrupted by user]"]), 1);
    assert_eq!(count(SignalKind::RapidExit, &["=Exit code 1"]), 0, "no turn");
    assert_eq!(count(SignalKind::RapidExit, &[">a", ">b", ">c", ">d", "=Exit code 1"]), 0);
    assert_eq!(count(SignalKind::RapidExit, &[">a", "=Exit code 1", "=Exit code 0"]), 0);
}

#[test]
fn each_pair_of_interruptions_within_a_minute_is_a_cascade() {
    let stop = |second: u32| format!("{second} +[Request interrupted by user]");
    let of = |seconds: &[u32]| {
        let steps: Vec<String> = seconds.iter().map(|second| stop(*second)).collect();
        count(SignalKind::InterruptCascade, &steps.iter().map(String::as_str).collect::<Vec<_>>())
    };
    assert_eq!((of(&[0, 60]), of(&[0, 61]), of(&[0, 30, 60]), of(&[0])), (1, 0, 2, 0));
}

#[test]
fn a_curse_is_one_of_three_words() {
    for (text, expected) in
        [(">Damn it", 1), (">holy SHIT", 1), (">damnation", 0), (">shitake", 0), (">heck", 0), ("<damn", 0)]
    {
        assert_eq!(count(SignalKind::UserCurse, &[text]), expected, "{text}");
    }
}

#[test]
fn an_interruption_is_reported_by_answers_and_by_messages() {
    for (text, expected) in [
        ("=Exit code 137", 1),
        ("=[Request interrupted by user for tool use]", 1),
        (">it was interrupted by user", 1),
        ("=Exit code 13", 0),
        (">please interrupt", 0),
        (">Exit code 137", 0),
    ] {
        assert_eq!(count(SignalKind::RequestInterrupted, &[text]), expected, "{text}");
    }
}

#[test]
fn a_failure_is_reported_by_its_code_or_by_python() {
    for (text, expected) in [
        ("=Exit code 1", 1),
        ("=x\nTraceback (most recent call last)", 1),
        ("=subprocess.CalledProcessError", 1),
        ("=Exit code 0", 0),
        ("=exit code 1", 0),
        ("=Exit code 137", 0),
        ("=Traceback", 0),
        (">Exit code 1", 0),
    ] {
        assert_eq!(count(SignalKind::ExitError, &[text]), expected, "{text}");
    }
}

#[test]
fn a_question_of_more_than_twenty_characters_is_repeated_by_its_first_hundred() {
    let long = format!(">{}", "x".repeat(100));
    assert_eq!(count(SignalKind::RepeatedQuestion, &[&format!("{long}a"), &format!("{long}b")]), 1);
    assert_eq!(
        count(SignalKind::RepeatedQuestion, &[">twenty-one characters", ">Twenty-One Characters "]),
        1
    );
    assert_eq!(count(SignalKind::RepeatedQuestion, &[">twenty characters it", ">twenty characters it"]), 0);
    assert_eq!(count(SignalKind::RepeatedQuestion, &["+twenty-one characters", "+twenty-one characters"]), 0);
}

#[test]
fn more_than_ten_minutes_between_messages_are_a_silence() {
    assert_eq!(count(SignalKind::LongSilence, &["0 >a", "601 >b"]), 1);
    assert_eq!(count(SignalKind::LongSilence, &["0 >a", "600 >b"]), 0);
    assert_eq!(count(SignalKind::LongSilence, &["0 >a", "700 +b"]), 0);
    assert_eq!(count(SignalKind::LongSilence, &["0 >a", "500 >b", "1000 >c"]), 0);
}

#[test]
fn a_no_counts_in_a_session_of_more_than_one_turn() {
    for (text, expected) in [
        (">No thanks", 1),
        (">it didn't work", 1),
        (">it is still broken", 1),
        (">know", 0),
        (">it did not work", 0),
    ] {
        assert_eq!(count(SignalKind::UserNegation, &[">a", text]), expected, "{text}");
    }
    assert_eq!(count(SignalKind::UserNegation, &[">no"]), 0);
}

#[test]
fn a_summary_is_a_compaction_unless_somebody_exited() {
    assert_eq!(count(SignalKind::Compaction, &["#Fixed the parser"]), 1);
    assert_eq!(count(SignalKind::Compaction, &["#User Exited", "#"]), 0);
}

#[test]
fn calls_dropped_at_the_same_time_are_one_sign() {
    let dropped = "<tool_use_error>Sibling tool call errored</tool_use_error>";
    let steps = [format!("5 ={dropped}"), format!("5 =● Read(x) {dropped}"), format!("6 ={dropped}")];
    let found =
        signals(&log(&steps.iter().map(String::as_str).collect::<Vec<_>>()), &FrictionThresholds::default());
    assert_eq!(found.iter().map(|signal| signal.more.batch_size).collect::<Vec<_>>(), [Some(2), Some(1)]);
    assert_eq!(found[0].more.tools_affected.as_deref().unwrap(), ["unknown", "Read"]);
}

#[test]
fn the_first_words_of_a_record_end_the_look_at_it() {
    let record = |first: &str, second: &str| {
        format!(r#"{{"type":"user","message":{{"content":[{first},{second}]}}}}"#)
    };
    let text = r#"{"type":"text","text":"damn"}"#;
    let answer = r#"{"type":"tool_result","content":"Exit code 1"}"#;
    let found = |line: String| {
        signals(&claude_lines::log("p", "s", line.as_bytes()), &FrictionThresholds::default()).len()
    };
    assert_eq!((found(record(text, answer)), found(record(answer, text))), (1, 2));
}

#[test]
fn signs_are_in_the_order_in_which_they_are_summed_up() {
    let script =
        ["0 >damn, where is the parser?", "1 #s", "700 >damn, where is the parser?", "701 =Exit code 1"];
    assert_eq!(
        kinds(&script),
        [
            SignalKind::Compaction,
            SignalKind::LongSilence,
            SignalKind::RepeatedQuestion,
            SignalKind::UserCurse,
            SignalKind::UserCurse,
            SignalKind::ExitError,
            SignalKind::RapidExit,
            SignalKind::NoResolution,
        ]
    );
}
