//! Tests of what counts as an incident of a session.

use serde_json::json;

use super::*;
use crate::trauma::DangerClass;
use crate::trauma::reaction::judge_by_words;

const GROUND: PathContext<'static> = PathContext::new("/home/ada/shop", "/home/ada");

fn session(kinds: Vec<EventKind>) -> Vec<SessionEvent> {
    let event = |(line, kind)| SessionEvent { at: None, line, part: 0, record: None, side: false, kind };
    (1..).zip(kinds).map(event).collect()
}

fn called(command: &str) -> EventKind {
    let input = json!({ "command": command });
    EventKind::ToolCall { id: Some(command.into()), name: "Bash".into(), input }
}

fn failed(command: &str, output: &str) -> [EventKind; 2] {
    let id = Some(command.into());
    let (outcome, text) = (ToolOutcome::Error, output.to_owned());
    [called(command), EventKind::ToolResult { id, outcome, exit_code: Some(1), text }]
}

fn prompt(text: &str) -> EventKind {
    EventKind::UserPrompt { text: text.into() }
}

fn said(text: &str) -> EventKind {
    EventKind::AssistantText { text: text.into() }
}

/// Lines of the commands that did harm.
fn lines(kinds: Vec<EventKind>) -> Vec<u64> {
    incidents(&session(kinds), &GROUND, &judge_by_words).iter().map(|found| found.event.line).collect()
}

#[test]
fn a_command_that_was_run_and_regretted_is_an_incident_at_its_line() {
    let events = session(vec![
        prompt("clean up"),
        called("git reset --hard HEAD~3"),
        prompt("oh no, my work is gone"),
    ]);
    let found = incidents(&events, &GROUND, &judge_by_words);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].event.line, found[0].command.as_str()), (2, "git reset --hard HEAD~3"));
    let incident = &found[0].incident;
    assert_eq!((incident.class, incident.shape.as_str()), (DangerClass::HardReset, "git reset --hard"));
    assert_eq!(incident.traces, [HarmEvidence::Regret("oh no, my work is gone".into())]);
}

#[test]
fn complaints_count_in_several_languages() {
    for complaint in [
        "You deleted everything!",
        "wait, that was prod",
        "du hast alles gelöscht",
        "das war die Produktion",
        "has borrado todo mi trabajo",
        "eso era producción",
        "tu as tout supprimé",
        "c'était la prod !",
        "你把我的文件全删了",
        "那是生产环境",
    ] {
        assert_eq!(lines(vec![called("git clean -fdx"), prompt(complaint)]), [1], "{complaint}");
        assert!(lines(vec![called("cargo build"), prompt(complaint)]).is_empty(), "{complaint}");
    }
}

#[test]
fn a_long_path_or_key_hides_no_complaint() {
    let complaint = "oh no, you deleted everything in /home/ada/shop/data/2026/measurements/raw-copies";
    assert_eq!(lines(vec![called("git clean -fdx"), prompt(complaint)]), [1]);
}

#[test]
fn ordinary_remarks_are_no_complaints() {
    for remark in [
        "delete the file",
        "Thanks, now the tests",
        "please delete the old branch too",
        "restore the old header",
        "lösch die Datei",
        "borra el archivo",
        "supprime le fichier",
        "删除这个文件",
        "deploy to production",
        "is this going to touch prod?",
        "never force push to main",
        "why does the test fail?",
    ] {
        assert!(lines(vec![called("git clean -fdx"), prompt(remark)]).is_empty(), "{remark}");
    }
}

#[test]
fn an_apology_of_the_agent_for_a_loss_makes_an_incident() {
    let of = |command: &str, text: &str| lines(vec![prompt("clean up"), called(command), said(text)]).len();
    assert_eq!(of("git reset --hard", "I apologize: I deleted your uncommitted changes."), 1);
    assert_eq!(of("git reset --hard", "Es tut mir leid, ich habe deine Änderungen gelöscht."), 1);
    assert_eq!(of("git reset --hard", "Done. The working tree is clean."), 0);
    assert_eq!(of("git reset --hard", "I'm sorry that the build is slow."), 0);
    assert_eq!(of("cargo build", "I apologize: I deleted your uncommitted changes."), 0);
}

#[test]
fn a_complaint_is_about_the_command_that_it_names_else_about_the_most_severe_one() {
    let of = |complaint: &str| {
        lines(vec![called("git push --force"), called("git reset --hard"), called("ls"), prompt(complaint)])
    };
    assert_eq!(of("you force pushed over Lena's commits, they are gone"), [1]);
    assert_eq!(of("that reset wiped out my uncommitted work"), [2]);
    assert_eq!(of("what have you done, my work is gone"), [1]);
}

#[test]
fn a_complaint_much_later_is_about_something_else() {
    let mut kinds = vec![called("git reset --hard")];
    kinds.extend(["next", "add a test", "and a page"].map(prompt));
    kinds.push(prompt("you deleted everything"));
    assert!(lines(kinds).is_empty());
}

#[test]
fn a_restore_and_a_failure_midway_are_incidents() {
    assert_eq!(lines(vec![called("git push --force"), called("git reflog | head")]), [1]);
    let mut failures: Vec<EventKind> =
        failed("rm -rf ../data", "rm: cannot remove 'x': Device or resource busy").into();
    assert_eq!(lines(failures.clone()), [1]);
    failures = failed("git push --force", "! [remote rejected] main (protected branch hook declined)").into();
    failures.push(prompt("oh no, that was my only copy"));
    assert!(lines(failures).is_empty());
}

#[test]
fn ordinary_work_after_a_reset_is_no_restore() {
    for command in ["git stash pop", "git cherry-pick abc123", "git restore --staged a.rs", "cp a b.backup"] {
        assert!(lines(vec![called("git reset --hard origin/main"), called(command)]).is_empty(), "{command}");
        assert!(lines(vec![called("rm -rf src/old"), called(command)]).is_empty(), "{command}");
    }
}

#[test]
fn a_refused_command_and_talk_about_one_are_none() {
    let rejected = EventKind::ToolRejected { id: Some("git reset --hard".into()), text: "no".into() };
    let sorry = || prompt("oh no, undo that, my work is gone");
    for kinds in [
        vec![called("git reset --hard"), rejected, sorry()],
        vec![prompt("git reset --hard"), sorry()],
        vec![called("echo 'git reset --hard'"), sorry()],
        vec![called("git push --dry-run --force"), sorry()],
        vec![called("rm -rf /tmp/x"), sorry()],
        vec![called("echo 'export A=1' >> ~/.bashrc"), sorry()],
        vec![called("npm publish"), sorry()],
    ] {
        assert!(lines(kinds).is_empty());
    }
}
