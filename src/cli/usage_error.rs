//! Usage errors: what clap reports, with suggestions, and pointers to the help.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::CommandFactory as _;
use clap::error::{ContextKind, ContextValue};

use cm_app::{Error, ErrorKind};
use cm_render::json;

use super::{Cli, terminal};

/// Adds a pointer to the help of the command in `arguments` to usage errors without a hint.
pub fn with_help_hint(error: Error, arguments: &[OsString]) -> Error {
    if error.kind != ErrorKind::Usage || error.hint.is_some() {
        return error;
    }
    let Ok(matches) = Cli::command().try_get_matches_from(arguments) else { return error };
    let (mut names, mut matches) = (String::new(), &matches);
    while let Some((name, inner)) = matches.subcommand() {
        names.push(' ');
        names.push_str(name);
        matches = inner;
    }
    if names.is_empty() {
        return error;
    }
    error.hint(format!("`cm help{names}` shows its arguments with examples"))
}

/// Reports what the parser returned instead of arguments: help and version go to stdout, errors are printed as text or JSON.
pub fn report_parser_result(mut error: clap::Error, arguments: &[OsString]) -> ExitCode {
    suggest_command(&mut error);
    if !error.use_stderr() {
        let shown = error.render();
        let _ = terminal::print(&shown.ansi().to_string());
        return ExitCode::SUCCESS;
    }
    if arguments.iter().any(|word| word == "--json") {
        let words = error.render().to_string();
        // The first paragraph is the message. It spans several lines where arguments are listed.
        let message_lines: Vec<&str> =
            words.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
        let message = message_lines.join(" ").trim_start_matches("error: ").to_owned();
        let hint = tips(&error)
            .unwrap_or_else(|| "`cm help` lists the commands, `cm help COMMAND` their arguments".to_owned());
        let _ = terminal::print(&json::error(&Error::usage(message).hint(hint)));
    } else {
        // clap prints to stderr with its own colours.
        let _ = error.print();
    }
    ExitCode::from(2)
}

/// Commands by the words that other programs use for them.
const SYNONYMS: [(&str, &str); 26] = [
    ("ask", "search"),
    ("cat", "get"),
    ("create", "new"),
    ("dump", "export"),
    ("find", "search"),
    ("fix", "doctor"),
    ("grep", "search"),
    ("health", "doctor"),
    ("journal", "log"),
    ("link", "relate"),
    ("list", "ls"),
    ("load", "import"),
    ("mv", "rename"),
    ("query", "search"),
    ("remove", "delete"),
    ("revert", "undo"),
    ("rm", "delete"),
    ("rules", "playbook"),
    ("save", "add"),
    ("settings", "config"),
    ("show", "get"),
    ("store", "add"),
    ("timeline", "log"),
    ("tree", "graph"),
    ("version", "--version"),
    ("view", "get"),
];

/// Suggests the command that has the meaning of an unknown command, else the most similar one.
fn suggest_command(error: &mut clap::Error) {
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand) else { return };
    let synonym = SYNONYMS.iter().find(|(word, _)| word == typed).map(|(_, command)| *command);
    let synonym = synonym.filter(|_| parent_command(error) == "cm");
    let similar = match error.get(ContextKind::SuggestedSubcommand) {
        // clap has the most similar one last.
        Some(ContextValue::Strings(commands)) => commands.last().map(String::as_str),
        _ => None,
    };
    if let Some(command) = synonym.or(similar) {
        let suggested = ContextValue::Strings(vec![command.to_owned()]);
        error.insert(ContextKind::SuggestedSubcommand, suggested);
    }
}

/// The question whether another command was meant, for words that are not a command.
pub fn similar_command(words: &[String]) -> Option<String> {
    let typed = std::iter::once("cm").chain(words.iter().map(String::as_str));
    let mut error = Cli::command().try_get_matches_from(typed).err()?;
    suggest_command(&mut error);
    tips(&error)
}

/// The command in which the parser failed, such as `cm` or `cm playbook`.
fn parent_command(error: &clap::Error) -> String {
    let usage = error.get(ContextKind::Usage).map(ToString::to_string).unwrap_or_default();
    let words = usage.split_whitespace().skip_while(|word| *word != "cm");
    let words: Vec<&str> = words.take_while(|word| !word.starts_with(['[', '<', '-'])).collect();
    if words.is_empty() { "cm".to_owned() } else { words.join(" ") }
}

/// clap's suggestions: a similar option name, or how to pass the word as a value.
fn tips(error: &clap::Error) -> Option<String> {
    if let Some(ContextValue::Strings(commands)) = error.get(ContextKind::SuggestedSubcommand) {
        return commands
            .first()
            .map(|command| format!("did you mean `{} {command}`?", parent_command(error)));
    }
    match error.get(ContextKind::Suggested)? {
        ContextValue::StyledStrs(tips) if !tips.is_empty() => {
            Some(tips.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
        }
        _ => None,
    }
}
