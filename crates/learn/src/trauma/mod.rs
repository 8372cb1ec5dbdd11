//! Commands that destroy: what makes one dangerous, whether it may run, and whether one that ran did harm.
//!
//! A careful engineer's judgement as rules: what can be had again (build outputs, temporary files) goes through, what
//! loses work that is nowhere else is asked about, what cannot be undone is stopped. Nothing is run or looked up.

mod database;
mod decide;
mod disk;
mod exfiltration;
mod files;
mod git;
pub mod hook;
mod incident;
mod infrastructure;
mod obscured;
mod place;
mod publishing;
mod reach;
mod remote;
pub mod session;
mod shape;
mod system;
pub mod tool;
mod written;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use cm_shell::{Script, Simple};

use decide::judge;
pub use decide::{BlockedPattern, Decision, Judgement, PastIncident, decide};
pub use incident::{After, Attempt, Ending, Incident, Trace, incident};
pub use reach::{Ground, Lookup};
pub use tool::decide_change;

/// What a dangerous command endangers. The names are written into bullets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// Files and folders are deleted.
    Files,
    /// Data of a database is dropped.
    Database,
    /// What others pushed is overwritten.
    ForcePush,
    /// Work that is not committed is thrown away.
    HardReset,
    /// Commits are rewritten or lost for good.
    History,
    /// Machines, clusters, volumes or services are taken down.
    Infrastructure,
    /// A device is written to.
    Disk,
    /// Rights or owners are changed over whole trees.
    Permissions,
    /// A script from the network is run unread.
    RemoteScript,
    /// The machine itself is stopped or flooded, or a service of it is switched off.
    System,
    /// Keys, passwords or other secrets leave the machine, or others are let in.
    Exfiltration,
    /// Something is published in the person's name.
    Publishing,
    /// A start-up file, key, hook or schedule is changed: it runs, or lets others in, later.
    Persistence,
    /// What runs cannot be read.
    Obscured,
    /// A pattern that the vault blocks.
    Blocked,
}

impl Class {
    /// Every class.
    pub const ALL: [Self; 15] = [
        Self::Files,
        Self::Database,
        Self::ForcePush,
        Self::HardReset,
        Self::History,
        Self::Infrastructure,
        Self::Disk,
        Self::Permissions,
        Self::RemoteScript,
        Self::System,
        Self::Exfiltration,
        Self::Publishing,
        Self::Persistence,
        Self::Obscured,
        Self::Blocked,
    ];

    /// The name in bullets and JSON, such as `hard-reset`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Database => "database",
            Self::ForcePush => "force-push",
            Self::HardReset => "hard-reset",
            Self::History => "history",
            Self::Infrastructure => "infrastructure",
            Self::Disk => "disk",
            Self::Permissions => "permissions",
            Self::RemoteScript => "remote-script",
            Self::System => "system",
            Self::Exfiltration => "exfiltration",
            Self::Publishing => "publishing",
            Self::Persistence => "persistence",
            Self::Obscured => "obscured",
            Self::Blocked => "blocked",
        }
    }

    /// The class of that name.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.name() == name)
    }
}

/// How much a danger weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// It can be had again with some effort, or loses little.
    Warn,
    /// It cannot be undone, or reaches beyond the work at hand.
    Block,
}

/// One danger of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Danger {
    /// What is endangered.
    pub class: Class,
    /// How much.
    pub severity: Severity,
    /// What the command does, in words that follow "this ".
    pub reason: String,
    /// The command without what differs from case to case, to compare it with past ones.
    pub shape: String,
}

impl Danger {
    fn of(command: &Simple, class: Class, severity: Severity, reason: impl Into<String>) -> Self {
        Self { class, severity, reason: reason.into(), shape: shape::of(command, "") }
    }

    fn at(
        command: &Simple,
        class: Class,
        severity: Severity,
        reason: impl Into<String>,
        reach: &str,
    ) -> Self {
        Self { class, severity, reason: reason.into(), shape: shape::of(command, reach) }
    }
}

/// All dangers of a command line, in the order in which they would happen.
#[must_use]
pub fn dangers(text: &str, ground: &Ground<'_>) -> Vec<Danger> {
    let script = cm_shell::read(text);
    let variables = reach::Variables::of(&script);
    let mut found: Vec<Danger> =
        script.commands.iter().flat_map(|command| of_command(command, &script, ground, &variables)).collect();
    found.extend(remote::chained(&script));
    if script.truncated {
        let reason = "is nested too deeply, or too long, to be read";
        found.push(Danger {
            class: Class::Obscured,
            severity: Severity::Warn,
            reason: reason.to_owned(),
            shape: String::new(),
        });
    }
    found
}

fn of_command(
    command: &Simple,
    script: &Script,
    ground: &Ground<'_>,
    variables: &reach::Variables,
) -> Vec<Danger> {
    if is_harmless(command) {
        return Vec::new();
    }
    let site = reach::Site { ground, variables, command };
    let mut found = files::dangers(command, &site);
    found.extend(written::dangers(command, &site));
    found.extend(exfiltration::dangers(command, &site));
    found.extend(publishing::danger(command));
    found.extend(system::danger(command));
    found.extend(obscured::danger(command));
    found.extend(git::danger(command));
    found.extend(database::dangers(command));
    found.extend(infrastructure::danger(command));
    found.extend(disk::dangers(command, &site));
    found.extend(remote::danger(command));
    if let ("apply_patch" | "applypatch", Some(patch)) = (command.program.as_str(), patch_of(command)) {
        found.extend(tool::patched(patch).iter().filter_map(|change| tool::danger(change, ground)));
    }
    found.extend(flood(command, script));
    found
}

/// Whether the command only shows what it would do, or how it is used.
fn is_harmless(command: &Simple) -> bool {
    let options: Vec<String> = command
        .args
        .iter()
        .map(|word| word.text.to_ascii_lowercase())
        .take_while(|word| word != "--")
        .collect();
    let shows = options.iter().any(|word| {
        let kind = word.strip_prefix("--dry-run=").is_some_and(|kind| !matches!(kind, "none" | "false"));
        kind || matches!(word.as_str(), "--dry-run" | "--dryrun" | "-whatif" | "--what-if" | "--help")
    });
    // Elsewhere it names a version: `cargo yank --version 1.0.0`.
    shows || options.last().is_some_and(|word| word == "--version")
}

/// The patch that a command is given, as an argument or on its input.
fn patch_of(command: &Simple) -> Option<&str> {
    command.args.first().map(|word| word.text.as_str()).or(command.input.as_deref())
}

/// A function that starts itself twice, as a fork bomb does.
fn flood(command: &Simple, script: &Script) -> Option<Danger> {
    let before = command.upstream.last().map(|before| before.program.as_str());
    let doubles = before == Some(&*command.program) && script.functions.contains(&command.program);
    doubles.then(|| {
        Danger::of(
            command,
            Class::System,
            Severity::Block,
            "starts itself again and again until the machine stops",
        )
    })
}

#[cfg(test)]
mod tests;
