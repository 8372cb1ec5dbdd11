//! The commands, one file each. The doc comment of `Arguments` is the help text; `run` calls the operation.

macro_rules! commands {
    ($($group:literal: $($module:ident :: $name:ident),*;)*) => {
        $($(pub mod $module;)*)*

        /// A command and its arguments.
        #[derive(Debug, clap::Subcommand)]
        pub enum Command {
            $($($name($module::Arguments),)*)*
        }

        impl Command {
            /// Runs the command.
            ///
            /// # Errors
            /// The operation fails or refuses.
            pub fn run(self, request: Request, output: &Output) -> Result<Printed> {
                match self {
                    $($(Self::$name(arguments) => $module::run(arguments, request, output),)*)*
                }
            }
        }

        /// Headings of the command list, each with the modules of its commands.
        pub const GROUPS: &[(&str, &[&str])] = &[$(($group, &[$(stringify!($module)),*]),)*];
    };
}

use super::answer::{Output, Printed};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use cm_app::{Error, Request, Result};
use cm_note::instant::Instant;
use std::path::Path;

commands! {
    "Start": setup::Setup, init::Init, quickstart::Quickstart, import::Import, adopt::Adopt, help::Help;
    "Find": search::Search, ls::Ls, get::Get, open::Open, context::Context, related::Related, recent::Recent, web::Web,
        similar::Similar, graph::Graph, tags::Tags, why::Why, top::Top, stale::Stale;
    "Write": add::Add, new::New, edit::Edit, update::Update, rename::Rename, delete::Delete, pin::Pin, unpin::Unpin,
        relate::Relate, unrelate::Unrelate, episode::Episode, commit::Commit;
    "Rules and feedback": playbook::Playbook, mark::Mark, review::Review, curate::Curate, forget::Forget,
        unforget::Unforget, validate_rule::ValidateRule, audit::Audit, starters::Starters, project::Project;
    "Sessions": sessions::Sessions, reflect::Reflect, outcome::Outcome, diary::Diary, remember::Remember,
        stash::Stash, propose::Propose, handoff::Handoff, onboard::Onboard, friction::Friction, trauma::Trauma, privacy::Privacy;
    "Connect agents": hooks::Hooks, mcp::Mcp, memory_tool::MemoryTool, serve::Serve, guard::Guard, hook::Hook, token::Token, trust::Trust;
    "Team": sync::Sync, status::Status;
    "History": log::Log, history::History, diff::Diff, undo::Undo, restore::Restore, merge_driver::MergeDriver;
    "Generated files and the index": core::Core, reflection::Reflection, reindex::Reindex, embed::Embed, decay::Decay;
    "Care": validate::Validate, doctor::Doctor, stats::Stats, usage::Usage, config::Config, export::Export,
        completions::Completions, manpages::Manpages;
}

/// Parses the value of `--limit`. 0 is refused: an empty answer would look as if there were no entries.
pub(super) fn at_least_one(typed: &str) -> std::result::Result<usize, String> {
    match typed.parse() {
        Ok(0) | Err(_) => Err("expected a whole number of 1 or more".to_owned()),
        Ok(number) => Ok(number),
    }
}

/// Parses one of `values` by its name. Help and errors list the names.
pub(super) fn one_of<T: Copy + Send + Sync + 'static>(
    values: &'static [T],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let names = values.iter().map(move |value| name(*value));
    PossibleValuesParser::new(names).try_map(move |typed| {
        let value = values.iter().find(|value| name(**value) == typed);
        value.copied().ok_or_else(|| format!("`{typed}` is not a possible value"))
    })
}

/// Parses the time given for `flag`: a date, an RFC 3339 time, or an age such as 7d.
///
/// # Errors
/// It is none of them.
pub fn when(flag: &str, typed: &str, now: Instant) -> Result<Instant> {
    Instant::parse_typed(typed, now).map_err(|error| Error::usage(format!("{flag}: {error}")))
}

/// Returns the text of a file, or standard input for `-`. A relative path is below `folder`.
///
/// # Errors
/// The file cannot be read, or the text is not UTF-8.
pub fn file_or_stdin(folder: &Path, file: &Path) -> Result<String> {
    if file.as_os_str() == "-" {
        return text_or_stdin("-");
    }
    std::fs::read_to_string(folder.join(file))
        .map_err(|error| Error::usage(format!("cannot read {}: {error}", file.display())))
}

/// Returns the text of an option, or standard input if the text is `-`.
///
/// # Errors
/// Standard input is not UTF-8.
pub fn text_or_stdin(given: &str) -> Result<String> {
    if given != "-" {
        return Ok(given.to_owned());
    }
    super::stdin::text()
}
