//! Whether a destructive command that a session really ran did harm: by how it ended, what the person said then, and
//! what was done to get things back.

use serde::Serialize;

use super::reach::Ground;
use super::{Class, Danger, Severity, dangers};

/// How a tool call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It ran and succeeded.
    Succeeded,
    /// It ran and failed.
    Failed,
    /// It was refused and never ran.
    Refused,
    /// The log does not say.
    Unknown,
}

/// What followed a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum After<'a> {
    /// Words of the person.
    Said(&'a str),
    /// Words of the agent.
    Answered(&'a str),
    /// A further command.
    Ran(&'a str),
}

/// A command that a session called, and what followed it.
#[derive(Debug, Clone, Copy)]
pub struct Attempt<'a> {
    /// The command line.
    pub command: &'a str,
    /// How it ended.
    pub ending: Ending,
    /// What it printed.
    pub output: &'a str,
    /// What followed, in order; the first dozen is looked at.
    pub after: &'a [After<'a>],
}

/// Why a command counts as one that did harm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "text")]
pub enum Trace {
    /// The person was sorry for it, in these words.
    Regret(String),
    /// The agent apologised for it, in these words.
    Apology(String),
    /// Something was brought back by this command.
    Restore(String),
    /// It failed half-way, and said so.
    Failure(String),
}

/// A destructive command that did harm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Incident {
    /// What was endangered.
    pub class: Class,
    /// The command without what differs from case to case.
    pub shape: String,
    /// What it does.
    pub reason: String,
    /// What shows the harm, in the order in which it came.
    pub traces: Vec<Trace>,
}

const FOLLOWED: usize = 12;

/// Words of a person who is sorry for what was done; all in small letters.
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

/// Words by which an agent says that it is sorry, and those by which it says for what.
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

/// Words of an error by which nothing was done.
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

/// What a tool call did, if it was destructive, was really run, and went wrong.
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

/// Whether a class is about loss: words such as "undo that" tell nothing of a release or a start-up file.
fn destroys(class: Class) -> bool {
    !matches!(class, Class::Exfiltration | Class::Publishing | Class::Persistence | Class::Obscured)
}

fn gravest(command: &str, ground: &Ground<'_>) -> Option<Danger> {
    dangers(command, ground)
        .into_iter()
        .filter(|danger| destroys(danger.class))
        .reduce(|best, next| if next.severity > best.severity { next } else { best })
}

/// A grave command that failed after it had begun.
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

/// The line in which an agent apologises for a loss.
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

/// Whether a command brings back what one of this class destroyed.
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

/// The first line. It is cut no shorter here: half a secret is not known as one.
fn shortened(text: &str) -> String {
    text.trim().lines().next().unwrap_or("").to_owned()
}
