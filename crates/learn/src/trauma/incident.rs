//! Detects what shows that a destructive command did harm: its own failure, and commands that restore
//! what it destroyed.

use serde::Serialize;

use super::path_class::PathContext;
use super::{Danger, DangerClass, DangerSeverity, dangers};
use cm_session::event::ToolOutcome;

/// Evidence that a command did harm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "text")]
pub enum HarmEvidence {
    /// Sentence in which the user complains about the loss.
    Regret(String),
    /// Sentence in which the agent admits the loss.
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

/// Error messages which show that a command changed nothing.
#[rustfmt::skip]
const NOT_DONE: [&str; 24] = [
    "permission denied",
    "command not found",
    "not a git repository",
    "no such file or directory",
    "unknown option",
    "operation not permitted",
    "requires authentication",
    "not recognized",
    "unable to connect",
    "connection refused", "rejected", "protected branch", "does not exist", "doesn't exist", "syntax error",
    "access denied", "not authorized", "authentication failed", "could not resolve", "no such", "not found",
    "invalid option", "unrecognized", "aborted",
];

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

/// Returns the most severe danger of a command among those that destroy something.
pub(super) fn gravest(command: &str, path_context: &PathContext<'_>) -> Option<Danger> {
    dangers(command, path_context)
        .into_iter()
        .filter(|danger| destroys(danger.class))
        .reduce(|best, next| if next.severity > best.severity { next } else { best })
}

/// Returns evidence of harm if a destructive command failed after it had started.
pub(super) fn failure(outcome: ToolOutcome, output: &str, danger: &Danger) -> Option<HarmEvidence> {
    let failed =
        outcome == ToolOutcome::Error && danger.severity == DangerSeverity::Block && !nothing_done(output);
    failed.then(|| HarmEvidence::Failure(first_line(output)))
}

/// Returns `true` if the output of a failed command shows that it changed nothing.
pub(super) fn nothing_done(output: &str) -> bool {
    let lower = output.to_ascii_lowercase();
    NOT_DONE.iter().any(|words| lower.contains(words))
}

/// Returns `true` if a command restores data destroyed by a command of this class.
pub(super) fn is_restore(command: &str, class: DangerClass) -> bool {
    let says = |words: &[&str]| words.iter().any(|word| command.contains(word));
    match class {
        DangerClass::ForcePush | DangerClass::HardReset | DangerClass::History => {
            says(&["git reflog", "git fsck", "ORIG_HEAD", "HEAD@{"])
                || says(&["git checkout ", "git restore "])
                    && says(&["--source", " -- "])
                    && !says(&["git checkout -- "])
        }
        DangerClass::Files | DangerClass::Disk | DangerClass::Permissions => says(&[
            "git checkout -- ",
            "git restore -- ",
            "git restore .",
            "git reflog",
            "git fsck",
            "extundelete",
            "testdisk",
            "photorec",
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
pub(super) fn first_line(text: &str) -> String {
    text.trim().lines().next().unwrap_or("").to_owned()
}
