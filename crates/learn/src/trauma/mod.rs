//! The guard: detects destructive commands, decides whether they may run, and finds incidents in
//! sessions.
//!
//! Deleting data that can be recreated (build outputs, temporary files) is allowed; a possible loss
//! of work needs confirmation; irreversible damage is blocked. No command is run.

mod database;
mod database_tools;
mod decide;
mod disk;
mod exfiltration;
mod files;
mod git;
mod incident;
mod infrastructure;
mod obfuscation;
mod path_class;
mod publishing;
pub mod reaction;
mod remote;
mod safe_form;
mod sensitive_path;
pub mod session;
mod shape;
mod system;
pub mod tool;
mod writes;

use serde::{Deserialize, Serialize};

use cm_shell::{ParsedScript, SimpleCommand};

use cm_text::named_enum;
pub use database::sql_operation;
use decide::judge;
pub use decide::{BlockedPattern, GuardDecision, GuardVerdict, PastIncident, decide};
pub use incident::{HarmEvidence, HarmfulCommand};
pub use path_class::{FileLookup, PathContext};
pub use tool::decide_change;

named_enum! {
    /// Class of a danger. The names are stored in bullets.
    pub enum DangerClass {
        /// Deletes files or folders.
        Files = "files",
        /// Drops data of a database.
        Database = "database",
        /// Overwrites commits of others on a remote.
        ForcePush = "force-push",
        /// Discards uncommitted work.
        HardReset = "hard-reset",
        /// Rewrites commits or deletes them for good.
        History = "history",
        /// Takes down machines, clusters, volumes or services.
        Infrastructure = "infrastructure",
        /// Writes to a device.
        Disk = "disk",
        /// Changes permissions or owners recursively.
        Permissions = "permissions",
        /// Runs a script from the network without review.
        RemoteScript = "remote-script",
        /// Stops or floods the machine, or disables one of its services.
        System = "system",
        /// Sends secrets off the machine or gives others access to it.
        Exfiltration = "exfiltration",
        /// Publishes something in the user's name.
        Publishing = "publishing",
        /// Changes a start-up file, key, hook or schedule that takes effect later.
        Persistence = "persistence",
        /// Runs something that cannot be read.
        Obscured = "obscured",
        /// Contains a pattern that the vault blocks.
        Blocked = "blocked",
    }
}

/// Severity of a danger, which decides between a warning and a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DangerSeverity {
    /// Recoverable with effort, or a small loss.
    Warn,
    /// Irreversible, or beyond the work at hand.
    Block,
}

/// Severity of a danger, and what the command does as a phrase that follows "this ".
type Rating = (DangerSeverity, &'static str);

/// Something dangerous that a command would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Danger {
    pub class: DangerClass,
    pub severity: DangerSeverity,
    /// What the command does, as a phrase that follows "this ".
    pub reason: String,
    /// Normalized command: program, subcommands, kind of path and flags. Similar commands have the
    /// same shape.
    pub shape: String,
    /// Command with the same purpose that may be safe; `None` if none is known.
    pub instead: Option<String>,
}

impl Danger {
    fn of(
        command: &SimpleCommand,
        class: DangerClass,
        severity: DangerSeverity,
        reason: impl Into<String>,
    ) -> Self {
        Self::at(command, class, severity, reason, "")
    }

    fn at(
        command: &SimpleCommand,
        class: DangerClass,
        severity: DangerSeverity,
        reason: impl Into<String>,
        path_class: &str,
    ) -> Self {
        let shape = shape::of(command, path_class);
        Self { class, severity, reason: reason.into(), shape, instead: safe_form::safe_form(command) }
    }
}

/// Returns everything dangerous that a command line would do, in execution order.
#[must_use]
pub fn dangers(text: &str, path_context: &PathContext<'_>) -> Vec<Danger> {
    let script = cm_shell::read(text);
    let variables = path_class::ScriptVariables::of(&script);
    let mut found: Vec<Danger> = script
        .commands
        .iter()
        .flat_map(|command| of_command(command, &script, path_context, &variables))
        .collect();
    found.extend(remote::chained(&script));
    if script.truncated {
        let reason = "is too long or too deeply nested to analyze";
        found.push(Danger {
            class: DangerClass::Obscured,
            severity: DangerSeverity::Warn,
            reason: reason.to_owned(),
            shape: String::new(),
            instead: None,
        });
    }
    found
}

fn of_command(
    command: &SimpleCommand,
    script: &ParsedScript,
    path_context: &PathContext<'_>,
    variables: &path_class::ScriptVariables,
) -> Vec<Danger> {
    if is_harmless(command) {
        return Vec::new();
    }
    let site = path_class::CommandContext { path_context, variables, command };
    let mut found = files::dangers(command, &site);
    found.extend(writes::dangers(command, &site));
    found.extend(exfiltration::dangers(command, &site));
    found.extend(publishing::danger(command));
    found.extend(system::danger(command));
    found.extend(obfuscation::danger(command));
    found.extend(git::danger(command));
    found.extend(database::dangers(command));
    found.extend(infrastructure::danger(command));
    found.extend(disk::dangers(command, &site));
    found.extend(remote::danger(command));
    if let ("apply_patch" | "applypatch", Some(patch)) = (command.program.as_str(), patch_of(command)) {
        found.extend(tool::patched(patch).iter().filter_map(|change| tool::danger(change, path_context)));
    }
    found.extend(fork_bomb(command, script));
    found
}

/// Returns `true` if a command has no effect: a dry run, `--help`, or `--version` as last argument.
fn is_harmless(command: &SimpleCommand) -> bool {
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

/// Returns the patch that `apply_patch` receives as an argument or on stdin.
fn patch_of(command: &SimpleCommand) -> Option<&str> {
    command.args.first().map(|word| word.text.as_str()).or(command.input.as_deref())
}

/// Detects a fork bomb: a function that pipes into itself.
fn fork_bomb(command: &SimpleCommand, script: &ParsedScript) -> Option<Danger> {
    let before = command.upstream.last().map(|before| before.program.as_str());
    let doubles = before == Some(&*command.program) && script.functions.contains(&command.program);
    doubles.then(|| {
        Danger::of(
            command,
            DangerClass::System,
            DangerSeverity::Block,
            "starts copies of itself until the machine stops",
        )
    })
}

#[cfg(test)]
mod tests;
