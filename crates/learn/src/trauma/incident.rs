//! Detects whether a destructive command that ran in a session did harm, by its outcome, the user's
//! reaction and attempts to restore.

use serde::Serialize;

use super::path_class::PathContext;
use super::{Danger, DangerClass, DangerSeverity, dangers};
use cm_session::event::ToolOutcome;

/// What happened in a session after a command ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextStep<'a> {
    /// The user sent this message.
    UserMessage(&'a str),
    /// The agent sent this message.
    AgentMessage(&'a str),
    /// The agent or the user ran this command.
    Ran(&'a str),
}

/// A command that ran in a session, with what happened afterwards.
#[derive(Debug, Clone, Copy)]
pub struct ObservedCommand<'a> {
    pub command: &'a str,
    pub outcome: ToolOutcome,
    pub output: &'a str,
    /// What happened after the command, in order; only the first 12 steps count.
    pub after: &'a [NextStep<'a>],
}

/// Evidence that a command did harm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "text")]
pub enum HarmEvidence {
    /// First line of the user's complaint about the command.
    Regret(String),
    /// Line in which the agent apologizes for a loss.
    Apology(String),
    /// Command that restores the lost data.
    Restore(String),
    /// First line of the output of a command that failed after it had started.
    Failure(String),
}

/// A destructive command that did harm, with the evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HarmfulCommand {
    pub class: DangerClass,
    /// Normalized command, by which similar incidents are recognized.
    pub shape: String,
    /// What the command does, as a phrase that follows "this ".
    pub reason: String,
    /// Evidence of the harm: a failure first, then the rest in log order.
    pub traces: Vec<HarmEvidence>,
}

const FOLLOWED: usize = 12;

/// Lower-case phrases with which users complain about a loss.
#[rustfmt::skip]
const REGRET: [&str; 50] = [
    "that was prod", "that was the prod", "that was live", "on production", "you killed", "you nuked",
    "you erased", "you overwrote", "what did you delete", "where did my",
    "oh no", "undo", "revert that", "revert this", "restore", "you deleted", "you've deleted", "deleted my",
    "deleted everything", "wiped", "you lost", "lost all", "lost my", "all gone", "is gone", "are gone",
    "it's gone", "disappeared", "why did you", "didn't ask you", "did not ask you", "didn't tell you",
    "i never asked", "bring back", "bring it back", "get it back", "get them back", "recover", "from backup",
    "the backup", "overwrote", "overwritten", "you destroyed", "you dropped", "you removed", "don't ever",
    "never do that", "never run", "not what i wanted", "what have you done",
];

/// Lower-case phrases of apology. They count only together with a word of [`LOST`].
const SORRY: [&str; 10] = [
    "i apologize",
    "i apologise",
    "i'm sorry",
    "i am sorry",
    "my mistake",
    "i made a mistake",
    "i made a serious",
    "i made a critical",
    "i should not have",
    "i shouldn't have",
];
#[rustfmt::skip]
const LOST: [&str; 14] = [
    "deleted", "removed", "wiped", "dropped", "overwrote", "overwritten", "lost", "destroyed", "erased",
    "discarded", "force-pushed", "force pushed", "reset", "production",
];

/// Error messages which show that a command changed nothing.
const NOT_DONE: [&str; 10] = [
    "permission denied",
    "command not found",
    "not a git repository",
    "no such file or directory",
    "unknown option",
    "operation not permitted",
    "requires authentication",
    "not recognized",
    "unable to connect",
    "connection refused",
];

/// Returns an incident if a command was destructive, and its output or the following steps show
/// that it did harm.
#[must_use]
pub fn incident(attempt: &ObservedCommand<'_>, ground: &PathContext<'_>) -> Option<HarmfulCommand> {
    let danger = gravest(attempt.command, ground)?;
    let mut traces: Vec<HarmEvidence> = failure(attempt, &danger).into_iter().collect();
    traces.extend(attempt.after.iter().take(FOLLOWED).filter_map(|after| match after {
        NextStep::UserMessage(words) => regret(words),
        NextStep::AgentMessage(words) => apology(words).map(HarmEvidence::Apology),
        NextStep::Ran(command) => {
            is_restore(command, danger.class).then(|| HarmEvidence::Restore(first_line(command)))
        }
    }));
    let done = attempt.outcome != ToolOutcome::Error || !nothing_done(attempt.output) || !traces.is_empty();
    (done && !traces.is_empty()).then_some(HarmfulCommand {
        class: danger.class,
        shape: danger.shape,
        reason: danger.reason,
        traces,
    })
}

/// Returns `true` if dangers of this class destroy something. For the others, phrases such as "undo
/// that" are no evidence of harm.
fn destroys(class: DangerClass) -> bool {
    !matches!(
        class,
        DangerClass::Exfiltration
            | DangerClass::Publishing
            | DangerClass::Persistence
            | DangerClass::Obscured
    )
}

fn gravest(command: &str, ground: &PathContext<'_>) -> Option<Danger> {
    dangers(command, ground)
        .into_iter()
        .filter(|danger| destroys(danger.class))
        .reduce(|best, next| if next.severity > best.severity { next } else { best })
}

/// Returns evidence of harm if a destructive command failed after it had started.
fn failure(attempt: &ObservedCommand<'_>, danger: &Danger) -> Option<HarmEvidence> {
    let failed = attempt.outcome == ToolOutcome::Error
        && danger.severity == DangerSeverity::Block
        && !nothing_done(attempt.output);
    failed.then(|| HarmEvidence::Failure(first_line(attempt.output)))
}

fn nothing_done(output: &str) -> bool {
    let lower = output.to_ascii_lowercase();
    NOT_DONE.iter().any(|words| lower.contains(words))
}

/// Returns the line of an agent's message in which it apologizes for a loss. Only the first 20
/// lines are searched.
pub(super) fn apology(words: &str) -> Option<String> {
    words.lines().take(20).find_map(|line| {
        let lower = line.to_lowercase();
        let sorry = SORRY.iter().any(|words| lower.contains(words));
        (sorry && LOST.iter().any(|word| lower.contains(word))).then(|| line.trim().to_owned())
    })
}

fn regret(words: &str) -> Option<HarmEvidence> {
    let lower = words.to_lowercase();
    // A long message that only happens to hold such a word is a new task.
    let short = lower.len() <= 600;
    (short && REGRET.iter().any(|regret| lower.contains(regret)))
        .then(|| HarmEvidence::Regret(first_line(words)))
}

/// Returns `true` if a command restores data destroyed by a command of this class.
fn is_restore(command: &str, class: DangerClass) -> bool {
    let says = |words: &[&str]| words.iter().any(|word| command.contains(word));
    match class {
        DangerClass::ForcePush | DangerClass::HardReset | DangerClass::History => {
            says(&[
                "git reflog",
                "git fsck",
                "ORIG_HEAD",
                "HEAD@{",
                "git stash apply",
                "git stash pop",
                "git cherry-pick",
            ]) || says(&["git checkout ", "git restore "])
                && says(&["--source", " -- "])
                && !says(&["git checkout -- "])
        }
        DangerClass::Files | DangerClass::Disk | DangerClass::Permissions => says(&[
            "git checkout -- ",
            "git restore ",
            "git reflog",
            "git fsck",
            "extundelete",
            "testdisk",
            "photorec",
            "backup",
            "git stash pop",
            "git checkout HEAD",
            "tmutil restore",
            "borg extract",
            "restic restore",
        ]),
        DangerClass::Database => says(&[
            "pg_restore",
            "backup",
            "dump",
            "mongorestore",
            "mysql <",
            "psql <",
            "RESTORE DATABASE",
            "redis-server --appendonly",
        ]),
        DangerClass::Infrastructure => {
            says(&["terraform import", "velero restore", "restore", "backup", "rollback", "undelete"])
        }
        DangerClass::RemoteScript
        | DangerClass::System
        | DangerClass::Exfiltration
        | DangerClass::Publishing
        | DangerClass::Persistence
        | DangerClass::Obscured
        | DangerClass::Blocked => false,
    }
}

/// Returns the first line of a text, uncut, because a secret that is cut in half would not be
/// redacted.
fn first_line(text: &str) -> String {
    text.trim().lines().next().unwrap_or("").to_owned()
}
