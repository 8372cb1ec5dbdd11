//! Tests of the guard's decisions.

use proptest::prelude::*;

use super::*;
use cm_session::event::ToolOutcome;

const GROUND: PathContext<'static> = PathContext::new("/home/ada/shop", "/home/ada");

fn judgement(command: &str) -> GuardVerdict {
    decide(command, &GROUND, &[], &[]).judgement
}

fn past(class: DangerClass, shape: &str) -> PastIncident {
    PastIncident {
        bullet: "b-1".to_owned(),
        class,
        shape: shape.to_owned(),
        session: "s-9".to_owned(),
        date: "2026-10-02".to_owned(),
        sessions: Vec::new(),
    }
}

#[test]
fn a_past_incident_makes_a_warning_a_refusal_and_is_listed() {
    let command = "git clean -fd";
    assert_eq!(judgement(command), GuardVerdict::Warn);
    let decision = decide(command, &GROUND, &[past(DangerClass::HardReset, "git clean -f")], &[]);
    assert_eq!(decision.judgement, GuardVerdict::Block);
    assert!(decision.reason.contains("2026-10-02") && decision.reason.contains("s-9"), "{}", decision.reason);
    let other = [past(DangerClass::Files, "rm <outside> -f -r")];
    assert_eq!(decide("rm -rf src", &GROUND, &other, &[]).judgement, GuardVerdict::Warn);
    assert_eq!(
        decide("git push origin main", &GROUND, &[past(DangerClass::ForcePush, "git push --force")], &[])
            .judgement,
        GuardVerdict::Allow
    );
}

#[test]
fn the_safe_form_of_a_push_passes_whatever_went_wrong_before() {
    let before = [past(DangerClass::ForcePush, "git push --force")];
    let safe = "git push --force-with-lease origin feature";
    assert_eq!(decide(safe, &GROUND, &before, &[]).judgement, GuardVerdict::Allow);
    let unsafe_form = decide("git push --force", &GROUND, &before, &[]);
    assert!(unsafe_form.reason.contains("--force-with-lease"), "{}", unsafe_form.reason);
    // A lease protects nothing beside a plain force.
    for command in ["git push --force-with-lease --force", "git push --force-with-lease origin +main"] {
        assert_eq!(judgement(command), GuardVerdict::Block, "{command}");
    }
}

#[test]
fn a_home_below_a_temporary_folder_is_a_home_all_the_same() {
    let ground = PathContext::new("/tmp/box/work", "/tmp/box/home");
    let of = |command: &str| decide(command, &ground, &[], &[]).judgement;
    assert_eq!(of("rm -rf ~"), GuardVerdict::Block);
    assert_eq!(of("rm -rf ~/projects/shop"), GuardVerdict::Block);
    assert_eq!(of("rm -rf /tmp/box/other"), GuardVerdict::Allow);
}

#[test]
fn what_grows_without_end_is_confirmed_about() {
    let mut functions = "f0() { rm -r src; }\n".to_owned();
    (1..40).for_each(|number| {
        let before = number - 1;
        functions += &format!("f{number}() {{ f{before}; f{before}; f{before}; }}\n");
    });
    for text in [functions + "f39", "a=x\n".to_owned() + &"a=$a$a$a$a\n".repeat(40) + "$a -rf src"] {
        assert_ne!(judgement(&text), GuardVerdict::Allow);
    }
}

#[test]
fn a_blocked_pattern_counts_where_it_runs_and_not_where_it_is_shown() {
    let pattern = |warns| BlockedPattern {
        name: "blocked/a.md".to_owned(),
        pattern: "make deploy".to_owned(),
        warns,
        reason: "use the pipeline".to_owned(),
    };
    assert_eq!(decide("cd x && make deploy", &GROUND, &[], &[pattern(false)]).judgement, GuardVerdict::Block);
    assert_eq!(decide("make deploy", &GROUND, &[], &[pattern(true)]).judgement, GuardVerdict::Warn);
    assert_eq!(decide("echo 'make deploy'", &GROUND, &[], &[pattern(false)]).judgement, GuardVerdict::Allow);
}

#[test]
fn harm_is_reported_by_what_followed() {
    let attempt = |command, outcome, output, after| ObservedCommand { command, outcome, output, after };
    let sorry =
        [NextStep::Ran("ls"), NextStep::UserMessage("Oh no, that was my only copy. Can you undo it?")];
    let found = incident(&attempt("git reset --hard HEAD~3", ToolOutcome::Ok, "", &sorry), &GROUND).unwrap();
    assert_eq!((found.class, found.shape.as_str()), (DangerClass::HardReset, "git reset --hard"));
    let back = [NextStep::Ran("git reflog | head")];
    assert!(incident(&attempt("git push --force", ToolOutcome::Ok, "", &back), &GROUND).is_some());
    assert!(
        incident(
            &attempt(
                "rm -rf ../data",
                ToolOutcome::Error,
                "rm: cannot remove 'x': Device or resource busy",
                &[]
            ),
            &GROUND
        )
        .is_some()
    );
}

#[test]
fn what_did_no_harm_is_no_incident() {
    let attempt = |command, outcome, output, after| {
        incident(&ObservedCommand { command, outcome, output, after }, &GROUND)
    };
    let sorry = [NextStep::UserMessage("oh no, undo that")];
    assert_eq!(
        attempt("rm -rf ../data", ToolOutcome::Ok, "", &[NextStep::UserMessage("Thanks, now the tests")]),
        None
    );
    assert_eq!(
        attempt("rm -rf /etc", ToolOutcome::Error, "rm: cannot remove '/etc': Permission denied", &[]),
        None
    );
    assert_eq!(attempt("echo 'rm -rf /'", ToolOutcome::Ok, "", &sorry), None);
    assert_eq!(attempt("git push --dry-run --force", ToolOutcome::Ok, "", &sorry), None);
    assert_eq!(attempt("rm -rf /tmp/x", ToolOutcome::Ok, "", &sorry), None);
    assert_eq!(attempt("echo 'export A=1' >> ~/.bashrc", ToolOutcome::Ok, "", &sorry), None);
    assert_eq!(attempt("npm publish", ToolOutcome::Ok, "", &sorry), None);
}

#[test]
fn the_reason_says_what_is_lost() {
    let decision = decide("rm -rf ~", &GROUND, &[], &[]);
    assert_eq!(decision.reason, "this deletes ~ and everything in it: the home folder");
}

proptest! {
    #[test]
    fn any_command_is_judged_without_panic(text in "\\PC{0,160}") {
        let _ = judgement(&text);
    }

    #[test]
    fn any_heap_of_dangerous_words_is_judged_without_panic(words in prop::collection::vec(prop::sample::select(vec![
        "rm", "-rf", "/", "~", "*", "$X", "${Y", "$(", ")", "'", "\"", "|", "&&", "git",
        "push", "--force", "psql", "-c", "DROP TABLE a", ">", "/dev/sda",
        "<<E", "\n", "E", "find", "-exec", ";", "xargs",
        "X=rm", "X+=$X", "alias", "f()", "f", "set", "--", "$@", "{a,b}", "{1..9}", "eval", "base64", "-d", "printf", "%s",
        "for", "in", "do", "done", "curl", "@.env", ">>", "~/.bashrc", "<(", "<<<", "case", "esac", "((", "))",
        "ssh", "host", "bash", "-c", "docker", "exec", "`", "\\", "{", "}", "cd", "..", "C:\\", "%TEMP%",
    ]), 0..24)) {
        let _ = judgement(&words.join(" "));
    }

    #[test]
    fn what_is_quoted_for_echo_is_never_blocked(text in "[^'\u{0}]{0,80}") {
        prop_assert_eq!(judgement(&format!("echo '{text}'")), GuardVerdict::Allow);
    }

    #[test]
    fn a_comment_is_never_blocked(text in "[^\n\r]{0,80}") {
        prop_assert_eq!(judgement(&format!("# {text}")), GuardVerdict::Allow);
    }
}

#[test]
fn every_class_is_written_by_its_name() {
    for class in DangerClass::ALL {
        assert_eq!(serde_json::to_string(&class).unwrap(), format!("\"{}\"", class.name()));
        assert_eq!(DangerClass::of(class.name()), Some(class));
    }
}
