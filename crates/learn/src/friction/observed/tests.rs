//! Tests of each observed signal, with near misses.

use serde_json::json;

use super::*;
use crate::friction::config::FrictionConfig;
use crate::friction::config::FrictionRules;
use crate::friction::events;
use cm_session::event::{EventKind, SessionEvent};
use cm_session::{Agent, SessionMeta};

/// Builds a session step by step; steps are one second apart unless the test advances the clock.
#[derive(Default)]
struct Script {
    events: Vec<SessionEvent>,
    clock: i64,
}

impl Script {
    fn then(mut self, kind: EventKind) -> Self {
        self.clock += 2;
        let line = self.events.len() as u64 + 1;
        let at = Some(Instant::from_unix(1_790_000_000 + self.clock));
        self.events.push(SessionEvent { at, line, part: 0, record: None, side: false, kind });
        self
    }

    fn wait(mut self, seconds: i64) -> Self {
        self.clock += seconds;
        self
    }

    fn says(self, text: &str) -> Self {
        self.then(EventKind::UserPrompt { text: text.into() })
    }

    fn program(self, text: &str) -> Self {
        self.then(EventKind::Injected { text: text.into() })
    }

    fn agent(self, text: &str) -> Self {
        self.then(EventKind::AssistantText { text: text.into() })
    }

    fn calls(self, command: &str) -> Self {
        self.then(EventKind::ToolCall {
            id: Some("c".into()),
            name: "Bash".into(),
            input: json!({"command": command}),
        })
    }

    fn ends(self, outcome: ToolOutcome, exit_code: Option<i32>, text: &str) -> Self {
        self.then(EventKind::ToolResult { id: Some("c".into()), outcome, exit_code, text: text.into() })
    }

    fn fails(self) -> Self {
        self.calls("make").ends(ToolOutcome::Error, Some(2), "Exit code 2\nno rule")
    }

    fn works(self) -> Self {
        self.calls("make check").ends(ToolOutcome::Ok, None, "all well")
    }

    fn stopped(self) -> Self {
        self.then(EventKind::Interrupt)
    }

    fn signals(&self) -> Vec<FrictionSignal> {
        let mut meta = SessionMeta::new(Agent::Codex, "s".into());
        self.events.iter().for_each(|event| meta.extend_time_range(event.at));
        signals(&events::log(&meta, &self.events), &FrictionConfig::of(FrictionRules::Observed).thresholds)
    }

    fn kinds(&self) -> Vec<SignalKind> {
        self.signals().into_iter().map(|signal| signal.kind).collect()
    }

    fn count(&self, kind: SignalKind) -> usize {
        self.kinds().into_iter().filter(|found| *found == kind).count()
    }
}

fn script() -> Script {
    Script::default()
}

#[test]
fn a_message_that_begins_with_a_contradiction_is_a_correction() {
    for text in [
        "no, the other one",
        " Nope",
        "wrong file",
        "don't touch it",
        "don’t do that",
        "Didn't work",
        "that's not it",
        "not what I asked for",
        "STOP it",
        "revert that",
        "undo",
        "still broken",
    ] {
        assert_eq!(script().says("go").agent("x").says(text).count(SignalKind::UserCorrection), 1, "{text}");
    }
    for text in [
        "now the tests",
        "nothing else",
        "yes, no problem",
        "I don't mind",
        "stopping is fine",
        "it is still broken",
        "not sure",
    ] {
        assert_eq!(script().says("go").agent("x").says(text).count(SignalKind::UserCorrection), 0, "{text}");
    }
}

#[test]
fn what_could_contradict_nothing_is_no_correction() {
    assert_eq!(script().says("don't use tabs here").says("go on").count(SignalKind::UserCorrection), 0);
    assert_eq!(script().says("no").count(SignalKind::UserCorrection), 0);
    assert_eq!(
        script().says("go").program("no, says a hook").says("on").count(SignalKind::UserCorrection),
        0
    );
    assert_eq!(
        script().says("go").says("<task-notification>no").says("on").count(SignalKind::UserCorrection),
        0
    );
    assert_eq!(
        script().says("go").says("[SYSTEM NOTIFICATION] no").says("on").count(SignalKind::UserCorrection),
        0
    );
    assert_eq!(
        script().says("go").says("no such host\n$ ping x\nunknown").count(SignalKind::UserCorrection),
        0
    );
}

#[test]
fn swearing_counts_if_it_is_short_or_directed() {
    let story = "the customer wrote about some shit that happened to a friend of theirs ".repeat(3);
    assert_eq!(script().says("damn, slow").count(SignalKind::UserCurse), 1);
    assert_eq!(script().says(&story).count(SignalKind::UserCurse), 0);
    assert_eq!(script().says(&format!("{story} why the fuck does it")).count(SignalKind::UserCurse), 1);
    assert_eq!(
        script()
            .says(&format!("{} damn {} you", "é".repeat(100), "é".repeat(60)))
            .count(SignalKind::UserCurse),
        0
    );
    assert_eq!(script().says("$ cat notes\nshit").count(SignalKind::UserCurse), 0);
    assert_eq!(script().says("damnation").count(SignalKind::UserCurse), 0);
}

#[test]
fn two_interruptions_within_a_minute_are_a_cascade_and_one_act_is_not_two() {
    assert_eq!(script().says("go").stopped().wait(56).stopped().count(SignalKind::InterruptCascade), 1);
    assert_eq!(script().says("go").stopped().wait(60).stopped().count(SignalKind::InterruptCascade), 0);
    let mut doubled = script().says("go").stopped().stopped();
    doubled.events[2].at = doubled.events[1].at;
    assert_eq!(
        (doubled.count(SignalKind::RequestInterrupted), doubled.count(SignalKind::InterruptCascade)),
        (1, 0)
    );
    let mut timeless = script().says("go").stopped().says("on").stopped();
    timeless.events.iter_mut().for_each(|event| event.at = Some(Instant::from_unix(0)));
    assert_eq!(
        (timeless.count(SignalKind::RequestInterrupted), timeless.count(SignalKind::InterruptCascade)),
        (2, 0)
    );
}

#[test]
fn only_a_person_interrupts() {
    let killed = script().says("go").calls("make").ends(ToolOutcome::Error, Some(137), "Exit code 137");
    assert_eq!((killed.count(SignalKind::RequestInterrupted), killed.count(SignalKind::ExitError)), (0, 1));
    assert_eq!(script().says("was it interrupted by user?").count(SignalKind::RequestInterrupted), 0);
    assert_eq!(script().says("go").stopped().count(SignalKind::RequestInterrupted), 1);
}

#[test]
fn the_third_same_call_is_a_loop() {
    assert_eq!(script().calls("ls").calls("ls").calls("ls").calls("ls").count(SignalKind::ToolLoop), 2);
    assert_eq!(script().calls("ls").calls("ls").calls("ls -l").count(SignalKind::ToolLoop), 0);
}

#[test]
fn a_long_question_that_comes_again_after_an_answer_is_repeated() {
    let repetitions = |first: &str, second: &str| {
        script().says(first).agent("It is there.").says(second).count(SignalKind::RepeatedQuestion)
    };
    assert_eq!(repetitions("where is the parser kept?", "Where is the parser kept?"), 1);
    assert_eq!(repetitions("go on", "go on"), 0);
    assert_eq!(repetitions("/home/dev/demo/parser.rs is where?", "/home/dev/demo/parser.rs is where?"), 1);
    let program = script().says("where is the parser kept?").agent("x").program("where is the parser kept?");
    assert_eq!(program.count(SignalKind::RepeatedQuestion), 0);
}

#[test]
fn what_is_sent_twice_without_an_answer_and_a_command_given_twice_are_no_repeated_questions() {
    let question = "where is the parser kept?";
    assert_eq!(script().says(question).says(question).count(SignalKind::RepeatedQuestion), 0);
    assert_eq!(script().says(question).stopped().says(question).count(SignalKind::RepeatedQuestion), 0);
    assert_eq!(script().says(question).agent(" ").says(question).count(SignalKind::RepeatedQuestion), 0);
    let thrice = script().says(question).agent("x").says(question).says(question);
    assert_eq!(thrice.count(SignalKind::RepeatedQuestion), 1);
    let command = "/review the whole branch again";
    assert_eq!(script().says(command).agent("x").says(command).count(SignalKind::RepeatedQuestion), 0);
}

#[test]
fn a_claim_that_the_next_command_belies_is_a_false_success() {
    assert_eq!(script().says("go").agent("It is done.").fails().count(SignalKind::FalseSuccess), 1);
    assert_eq!(script().says("go").agent("✅ built").fails().count(SignalKind::FalseSuccess), 1);
    assert_eq!(script().says("go").agent("It is done.").works().fails().count(SignalKind::FalseSuccess), 0);
    assert_eq!(script().says("go").agent("I will do it.").fails().count(SignalKind::FalseSuccess), 0);
}

#[test]
fn a_failure_is_how_a_command_ended_and_not_what_it_printed() {
    let printed = |outcome, code| {
        script()
            .calls("cat log")
            .ends(outcome, code, "Exit code 1\nTraceback (most recent")
            .count(SignalKind::ExitError)
    };
    assert_eq!(printed(ToolOutcome::Ok, None), 0);
    assert_eq!(printed(ToolOutcome::Unknown, None), 1);
    assert_eq!(printed(ToolOutcome::Error, None), 1);
    let reading = script()
        .then(EventKind::ToolCall {
            id: Some("c".into()),
            name: "Read".into(),
            input: json!({"file_path": "x"}),
        })
        .ends(ToolOutcome::Error, None, "<tool_use_error>File does not exist.</tool_use_error>");
    assert_eq!(reading.count(SignalKind::ExitError), 0, "no command");
    assert_eq!(script().calls("x").ends(ToolOutcome::Unknown, Some(1), "").count(SignalKind::ExitError), 1);
    assert_eq!(
        script().calls("x").ends(ToolOutcome::Unknown, None, "text").count(SignalKind::ExitSuccess),
        1
    );
}

#[test]
fn what_is_read_without_a_command_is_no_success() {
    let read = |script: Script| {
        let input = json!({"file_path": "x"});
        let call = EventKind::ToolCall { id: Some("r".into()), name: "Read".into(), input };
        let text = "text".to_owned();
        script.then(call).then(EventKind::ToolResult {
            id: Some("r".into()),
            outcome: ToolOutcome::Ok,
            exit_code: None,
            text,
        })
    };
    assert_eq!(read(script().says("go")).kinds(), []);
    assert_eq!(read(script().says("go").agent("It is done.")).fails().count(SignalKind::FalseSuccess), 1);
}

#[test]
fn calls_dropped_together_are_one_sign() {
    let dropped = "<tool_use_error>Sibling tool call errored</tool_use_error>";
    let mut both = script().ends(ToolOutcome::Error, None, dropped).ends(ToolOutcome::Error, None, dropped);
    both.events[1].at = both.events[0].at;
    assert_eq!(both.kinds(), [SignalKind::SiblingToolError]);
    assert_eq!(
        script().calls("cat x").ends(ToolOutcome::Ok, None, dropped).count(SignalKind::SiblingToolError),
        0
    );
}

#[test]
fn a_session_is_unresolved_if_its_last_command_failed() {
    assert_eq!(script().says("a").says("b").works().fails().count(SignalKind::NoResolution), 1);
    assert_eq!(script().says("a").says("b").fails().works().count(SignalKind::NoResolution), 0);
    assert_eq!(script().says("a").fails().count(SignalKind::NoResolution), 0);
    assert_eq!(script().says("a").fails().says("/stash").count(SignalKind::NoResolution), 0);
}

#[test]
fn a_short_session_that_ends_with_a_failure_is_a_rapid_exit() {
    assert_eq!(script().says("a").fails().count(SignalKind::RapidExit), 1);
    assert_eq!(script().says("a").fails().works().count(SignalKind::RapidExit), 0);
    assert_eq!(script().says("a").says("b").says("c").says("d").fails().count(SignalKind::RapidExit), 0);
}

#[test]
fn a_stash_a_silence_and_an_end_count_only_after_a_reaction() {
    let calm = script().says("a").wait(700).says("b").says("/stash later");
    assert_eq!(calm.kinds(), [SignalKind::Checkpoint, SignalKind::Checkpoint]);
    assert_eq!(calm.signals()[0].more.gated_from, Some(SignalKind::LongSilence));
    let angry = script()
        .says("a")
        .says("no, wrong")
        .wait(700)
        .says("b")
        .program("<command-name>/stash</command-name>");
    assert_eq!(
        angry.kinds(),
        [SignalKind::UserCorrection, SignalKind::LongSilence, SignalKind::UserIntervention]
    );
    assert_eq!(
        script().says("go").says("damn it /stash").count(SignalKind::UserIntervention),
        0,
        "mentioned, not given"
    );
}

#[test]
fn a_reaction_counts_for_the_next_eight_signs_and_successes_are_none() {
    let after = |failures: usize| {
        let start = script().says("a").says("no, wrong");
        (0..failures)
            .fold(start, |script, at| {
                script.calls(&format!("make {at}")).ends(ToolOutcome::Error, Some(1), "")
            })
            .works()
            .works()
            .says("/stash")
    };
    assert_eq!(after(7).count(SignalKind::UserIntervention), 1);
    assert_eq!(after(8).count(SignalKind::UserIntervention), 0);
}

#[test]
fn an_end_of_friction_is_abandoned_after_a_reaction_unless_it_ended_well() {
    let bad = || script().says("a").says("no, wrong").says("damn you").says("c").calls("x").stopped();
    assert_eq!(bad().count(SignalKind::SessionAbandoned), 1);
    assert_eq!(bad().works().count(SignalKind::SessionAbandoned), 0);
    assert_eq!(bad().says("/stash").count(SignalKind::SessionAbandoned), 0);
    let calm =
        script().says("a").says("b").says("c").calls("x").calls("x").calls("x").stopped().wait(100).stopped();
    assert_eq!((calm.count(SignalKind::SessionAbandoned), calm.count(SignalKind::Checkpoint)), (0, 1));
}

#[test]
fn a_compaction_is_one_sign() {
    let summed =
        |summary: Option<&str>| EventKind::Compaction { trigger: None, summary: summary.map(Into::into) };
    assert_eq!(script().then(summed(None)).then(summed(Some("s"))).kinds(), [SignalKind::Compaction]);
}

#[test]
fn signs_are_in_the_order_of_the_log() {
    let found = script().says("a").fails().says("no").wait(700).says("b").kinds();
    assert_eq!(
        found,
        [
            SignalKind::ExitError,
            SignalKind::UserCorrection,
            SignalKind::LongSilence,
            SignalKind::NoResolution
        ]
    );
}

#[test]
fn a_check_that_is_run_again_after_an_edit_is_no_loop() {
    let edit = |script: Script, number: u32| {
        script.then(EventKind::ToolCall {
            id: Some("e".into()),
            name: "Edit".into(),
            input: json!({"file_path": "a.rs", "old_string": "1", "new_string": format!("{number}")}),
        })
    };
    let mut again = script().says("fix it");
    for number in 0..4 {
        again = edit(again, number).works();
    }
    assert_eq!(again.count(SignalKind::ToolLoop), 0);
    assert_eq!(script().says("fix it").works().works().works().count(SignalKind::ToolLoop), 1);
}
