//! Detects whether a destructive command that ran in a session did harm, by its outcome, the user's
//! reaction and attempts to restore.

use serde::Serialize;

use super::reach::Ground;
use super::{Class, Danger, Severity, dangers};

/// Outcome of a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    Succeeded,
    Failed,
    /// Rejected; it never ran.
    Refused,
    /// Not stated in the log.
    Unknown,
}

/// A step after a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum After<'a> {
    /// The user sent this message.
    Said(&'a str),
    /// The agent sent this message.
    Answered(&'a str),
    /// The agent or the user ran this command.
    Ran(&'a str),
}

/// A command that a session called, with the steps after it.
#[derive(Debug, Clone, Copy)]
pub struct Attempt<'a> {
    pub command: &'a str,
    pub ending: Ending,
    pub output: &'a str,
    /// Steps after the command, in order; only the first 12 are used.
    pub after: &'a [After<'a>],
}

/// Evidence that a command did harm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "text")]
pub enum Trace {
    /// First line of the user's complaint about the command.
    Regret(String),
    /// Line in which the agent apologizes for a loss.
    Apology(String),
    /// Command that restores the lost data.
    Restore(String),
    /// First line of the output of a command that failed after it had started.
    Failure(String),
}

/// A destructive command that did harm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Incident {
    pub class: Class,
    /// Normalized command, for comparison with other incidents.
    pub shape: String,
    /// What the command does.
    pub reason: String,
    /// Evidence of the harm; a failure first, then in log order.
    pub traces: Vec<Trace>,
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

/// Lower-case phrases of apology. An apology also needs a word of [`LOST`].
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

/// Error messages of commands that changed nothing.
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

/// Returns the incident if a command was destructive, was not refused, and left evidence of harm.
#[must_use]
pub fn incident(attempt: &Attempt<'_>, ground: &Ground<'_>) -> Option<Incident> {
    if attempt.ending == Ending::Refused {
        return None;
    }
    let danger = gravest(attempt.command, ground)?;
    let mut traces: Vec<Trace> = failure(attempt, &danger).into_iter().collect();
    traces.extend(attempt.after.iter().take(FOLLOWED).filter_map(|after| match after {
        After::Said(words) => regret(words),
        After::Answered(words) => apology(words).map(Trace::Apology),
        After::Ran(command) => is_restore(command, danger.class).then(|| Trace::Restore(shortened(command))),
    }));
    let done = attempt.ending != Ending::Failed || !nothing_done(attempt.output) || !traces.is_empty();
    (done && !traces.is_empty()).then_some(Incident {
        class: danger.class,
        shape: danger.shape,
        reason: danger.reason,
        traces,
    })
}

/// Returns `true` if a class is about loss. For the others, phrases such as "undo that" are not
/// evidence of harm.
fn destroys(class: Class) -> bool {
    !matches!(class, Class::Exfiltration | Class::Publishing | Class::Persistence | Class::Obscured)
}

fn gravest(command: &str, ground: &Ground<'_>) -> Option<Danger> {
    dangers(command, ground)
        .into_iter()
        .filter(|danger| destroys(danger.class))
        .reduce(|best, next| if next.severity > best.severity { next } else { best })
}

/// Returns evidence if a severe command failed after it had started.
fn failure(attempt: &Attempt<'_>, danger: &Danger) -> Option<Trace> {
    let failed = attempt.ending == Ending::Failed
        && danger.severity == Severity::Block
        && !nothing_done(attempt.output);
    failed.then(|| Trace::Failure(shortened(attempt.output)))
}

fn nothing_done(output: &str) -> bool {
    let lower = output.to_ascii_lowercase();
    NOT_DONE.iter().any(|words| lower.contains(words))
}

/// Returns the line in which an agent apologizes for a loss; only the first 20 lines are searched.
pub(super) fn apology(words: &str) -> Option<String> {
    words.lines().take(20).find_map(|line| {
        let lower = line.to_lowercase();
        let sorry = SORRY.iter().any(|words| lower.contains(words));
        (sorry && LOST.iter().any(|word| lower.contains(word))).then(|| line.trim().to_owned())
    })
}

fn regret(words: &str) -> Option<Trace> {
    let lower = words.to_lowercase();
    // A long message that only happens to hold such a word is a new task.
    let short = lower.len() <= 600;
    (short && REGRET.iter().any(|regret| lower.contains(regret))).then(|| Trace::Regret(shortened(words)))
}

/// Returns `true` if a command restores data destroyed by a command of this class.
fn is_restore(command: &str, class: Class) -> bool {
    let says = |words: &[&str]| words.iter().any(|word| command.contains(word));
    match class {
        Class::ForcePush | Class::HardReset | Class::History => {
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
        Class::Files | Class::Disk | Class::Permissions => says(&[
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
        Class::Database => says(&[
            "pg_restore",
            "backup",
            "dump",
            "mongorestore",
            "mysql <",
            "psql <",
            "RESTORE DATABASE",
            "redis-server --appendonly",
        ]),
        Class::Infrastructure => {
            says(&["terraform import", "velero restore", "restore", "backup", "rollback", "undelete"])
        }
        Class::RemoteScript
        | Class::System
        | Class::Exfiltration
        | Class::Publishing
        | Class::Persistence
        | Class::Obscured
        | Class::Blocked => false,
    }
}

/// Returns the first line, uncut, because the redaction does not recognize half a secret.
fn shortened(text: &str) -> String {
    text.trim().lines().next().unwrap_or("").to_owned()
}
