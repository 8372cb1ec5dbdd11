//! Words the texts that are learned by counting.

use super::command::TracedCommand;
use super::signature::CommandFailure;
use crate::outcome::shell::CommandKind;

/// Formats a command or path as code.
pub fn code(text: &str) -> String {
    format!("`{text}`")
}

/// Formats an error message as a phrase, ` with "…"`; empty if there is none to quote.
pub fn with_message(failure: &CommandFailure) -> String {
    failure.message.as_deref().map(|message| format!(" with \"{message}\"")).unwrap_or_default()
}

/// Formats a failed command with its error message: "`make test` failed with …"; one that no other session runs by its
/// name.
pub fn failed(command: &TracedCommand, failure: &CommandFailure) -> String {
    let name = if command.comparable { command.key() } else { command.name.clone() };
    format!("{} failed{}", code(&name), with_message(failure))
}

/// Category of a rule about a command.
pub fn category(work: CommandKind) -> &'static str {
    match work {
        CommandKind::Test => "testing",
        CommandKind::Commit | CommandKind::Push | CommandKind::Revert => "git",
        CommandKind::Build | CommandKind::Lint | CommandKind::Other => "workflow",
    }
}
