//! `cm privacy`

use clap::{Args, Subcommand, ValueEnum};

use crate::cli::answer::{Output, Printed};
use cm_note::instant::Instant;
use cm_app::privacy::{self, Options, PermissionTarget};
use cm_app::{Request, Error, Context, Result};
use cm_render::text;

/// Show what of agents' sessions may be read, where it may go, and what was read
///
/// What a command reads of sessions is written down in a private log: which log, by which command, when, how much, and
/// whether a model was given it; never a word of a session. The file stays on this machine and is set aside at 1 MiB.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm privacy\n  cm privacy log --since 7d -n 50\n  cm privacy deny agent chatgpt\n  cm privacy allow workspace ~/src/api"
)]
pub struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List what was read, the latest first
    #[command(after_help = "Example:\n  cm privacy log --since 7d -n 50")]
    Log {
        /// Only what was read since then: a date, RFC 3339, or an age such as 7d
        #[arg(long, value_name = "WHEN")]
        since: Option<String>,
        /// At most so many
        #[arg(long, short = 'n', default_value_t = 20)]
        limit: usize,
    },
    /// Let the sessions of an agent or a folder be read
    #[command(after_help = "Example:\n  cm privacy allow agent codex")]
    Allow(Named),
    /// Keep the sessions of an agent or a folder from being read
    ///
    /// What was read of them before leaves the index when it is next brought up to date.
    #[command(after_help = "Example:\n  cm privacy deny agent codex")]
    Deny(Named),
}

#[derive(Debug, Args)]
struct Named {
    /// Whether an agent or a folder is meant
    #[arg(value_enum)]
    what: Sort,
    /// The agent's name, such as claude-code, or the folder
    name: String,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Sort {
    /// An agent
    Agent,
    /// A folder and those below it
    Workspace,
}

impl From<Named> for PermissionTarget {
    fn from(Named { what, name }: Named) -> Self {
        match what {
            Sort::Agent => Self::Agent(name),
            Sort::Workspace => Self::Workspace(name),
        }
    }
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    match arguments.action {
        None => output.print(&memory, &privacy::privacy(&memory)?, text::privacy::shown),
        Some(Action::Log { since, limit }) => {
            let parse = |typed: String| {
                Instant::parse_typed(&typed, memory.now())
                    .map_err(|error| Error::usage(format!("--since: {error}")))
            };
            let options = Options { limit, since: since.map(parse).transpose()? };
            output.print(&memory, &privacy::log(&memory, &options)?, text::privacy::log)
        }
        Some(Action::Allow(named)) => {
            output.print(&memory, &privacy::set(&memory, &named.into(), true)?, text::privacy::set)
        }
        Some(Action::Deny(named)) => {
            output.print(&memory, &privacy::set(&memory, &named.into(), false)?, text::privacy::set)
        }
    }
}
