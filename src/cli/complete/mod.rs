//! Completion of a command line that a person is typing.
//!
//! The library completes commands and options. This module adds what arguments accept: notes, tags,
//! settings and so on. It prints no errors, because they would appear in the middle of the line.

mod shell;
#[cfg(test)]
mod tests;

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Arg, Command, CommandFactory as _, ValueHint};
use clap_complete::engine::{ArgValueCandidates, ArgValueCompleter, CompletionCandidate, complete};

use cm_app::Request;
use cm_app::context::paths::expand_home;
use cm_app::verbs::completions::{CompletionSubject, CompletionValue, completions};
use cm_render::text::style;

pub use shell::Shell;

/// Columns of a candidate's description.
const MAX_ABOUT_CHARS: usize = 60;

/// Answers a shell with the candidates for the word at the cursor, one a line or as JSON, in the
/// form that the shell's script expects. `before` is the line up to the cursor for Bash, and the
/// words before the cursor for other shells.
pub fn answer(shell: Shell, before: &[OsString], word: &OsStr, request: &Request) -> String {
    let before: Vec<String> = before.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let word = word.to_string_lossy();
    let words: Vec<String> = match shell {
        Shell::Bash => {
            let line = before.concat();
            shell.words(&line).into_iter().map(|word| word.value).collect()
        }
        // These pass the values of the earlier words.
        Shell::Elvish | Shell::Fish | Shell::Powershell => {
            before.iter().cloned().chain([shell.unquoted(&word)]).collect()
        }
        Shell::Zsh | Shell::Nushell => {
            before.iter().map(String::as_str).chain([&*word]).map(|word| shell.unquoted(word)).collect()
        }
    };
    let found = candidates(words, request);
    let with_about = |written: String, about: &str| match about {
        "" => format!("{written}\n"),
        about => format!("{written}\t{about}\n"),
    };
    match shell {
        Shell::Bash => {
            let line = before.concat();
            let lines = found.iter().filter_map(|(value, _)| shell::in_bash(&line, &word, value));
            lines.map(|line| line + "\n").collect()
        }
        Shell::Elvish => found.into_iter().map(|(value, _)| value + "\n").collect(),
        Shell::Fish | Shell::Zsh => {
            found.into_iter().map(|(value, about)| with_about(value, &about)).collect()
        }
        Shell::Powershell => {
            found.iter().map(|(value, about)| with_about(shell::in_powershell(value), about)).collect()
        }
        Shell::Nushell => {
            let record = |(value, about): &(String, String)| serde_json::json!({ "value": shell::in_nushell(value), "description": about });
            serde_json::Value::from_iter(found.iter().map(record)).to_string()
        }
    }
}

/// Returns the candidates for the last of the words, each with its description. The first word is
/// the program. Options are offered where nothing else is, or after a dash.
fn candidates(words: Vec<String>, request: &Request) -> Vec<(String, String)> {
    let Some(last) = words.len().checked_sub(1) else { return Vec::new() };
    let wants_options = words.last().is_some_and(|word| word.starts_with('-'));
    let vault = vault_of(&words, request).or_else(|| request.vault.clone());
    let request = Arc::new(Request { vault, no_refresh: true, ..request.clone() });
    let mut command = with_values(crate::cli::Cli::command(), &request);
    let words = words.into_iter().map(OsString::from).collect();
    let found = complete(&mut command, words, last, Some(&request.cwd)).unwrap_or_default();
    let shown = |candidate: &CompletionCandidate| {
        let about = candidate.get_help().map(ToString::to_string).unwrap_or_default();
        let about = style::cut(about.lines().next().unwrap_or_default(), MAX_ABOUT_CHARS);
        (candidate.get_value().to_string_lossy().into_owned(), about)
    };
    let mut found: Vec<(String, String)> = found.iter().map(shown).collect();
    found.retain(|(value, _)| !value.chars().any(char::is_control));
    if !wants_options && found.iter().any(|(value, _)| !value.starts_with('-')) {
        found.retain(|(value, _)| !value.starts_with('-'));
    }
    found
}

/// The vault that the words select.
fn vault_of(words: &[String], request: &Request) -> Option<PathBuf> {
    let (_, before) = words.split_last()?;
    let after_option = before.windows(2).filter_map(|pair| match pair {
        [option, folder] if option == "--vault" => Some(folder.as_str()),
        _ => None,
    });
    let folder = before.iter().filter_map(|word| word.strip_prefix("--vault=")).chain(after_option).last()?;
    // The shell has not replaced `~` yet.
    Some(expand_home(request.home.as_deref(), folder))
}

/// Adds to every argument the values that it accepts.
fn with_values(command: Command, request: &Arc<Request>) -> Command {
    let name = command.get_name().to_owned();
    let command = command.mut_args(|argument| match subjects(&name, &argument) {
        [] if (&*name, argument.get_id().as_str()) == ("help", "command") => {
            argument.add(ArgValueCandidates::new(commands))
        }
        [] => with_hint(argument),
        subjects => {
            let request = Arc::clone(request);
            let delimiter = argument.get_value_delimiter();
            argument.add(ArgValueCompleter::new(move |typed: &OsStr| {
                let typed = typed.to_string_lossy();
                let found = subjects.iter().flat_map(|subject| completions(&request, *subject, &typed));
                let candidate = |found: CompletionValue| {
                    CompletionCandidate::new(found.value).help(found.about.map(Into::into))
                };
                // It would be taken for two values.
                let is_one = |found: &CompletionValue| !delimiter.is_some_and(|c| found.value.contains(c));
                found.filter(is_one).map(candidate).collect::<Vec<_>>()
            }))
        }
    });
    command.mut_subcommands(|command| with_values(command, request))
}

/// The commands of the program.
fn commands() -> Vec<CompletionCandidate> {
    let program = crate::cli::Cli::command();
    let shown = program.get_subcommands().filter(|command| !command.is_hide_set());
    let candidates =
        shown.map(|command| CompletionCandidate::new(command.get_name()).help(command.get_about().cloned()));
    candidates.collect()
}

/// What an argument of the command with this name accepts; empty if there is nothing to suggest.
fn subjects(command: &str, argument: &Arg) -> &'static [CompletionSubject] {
    use CompletionSubject::{Bullet, Category, Note, Relation, Session, Setting, Tag, Type, TypeOrKind};
    if argument.get_possible_values().iter().any(|value| !value.is_hide_set()) {
        return &[];
    }
    match (command, argument.get_id().as_str()) {
        ("relate" | "unrelate", "notes") => &[Note, Relation],
        ("log", "id") => &[Note],
        ("diary", "id") | (_, "session") => &[Session],
        ("restore", "what") => &[Note],
        ("privacy", _) => &[],
        (_, "note" | "notes" | "memory" | "like") => &[Note],
        (_, "bullet" | "replaced_by" | "rules") | ("audit", "ids") => &[Bullet],
        ("review", "accept" | "reject" | "confirm" | "take" | "keep" | "merge") => &[Note],
        (_, "tag" | "tags" | "add_tag" | "remove_tag") => &[Tag],
        ("ls" | "recent", "note_type") => &[TypeOrKind],
        (_, "note_type" | "types") => &[Type],
        (_, "relation" | "relations") => &[Relation],
        (_, "category") => &[Category],
        (_, "key") => &[Setting],
        _ => &[],
    }
}

/// Adds a hint to arguments that take a path.
fn with_hint(argument: Arg) -> Arg {
    let names = argument.get_value_names().unwrap_or_default();
    let hint = match names.first().map(|name| name.as_str()) {
        Some("DIR" | "FOLDER") => ValueHint::DirPath,
        Some("FILE" | "PATH") => ValueHint::AnyPath,
        _ => return argument,
    };
    argument.value_hint(hint)
}
