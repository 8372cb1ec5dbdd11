//! `cm privacy`

use clap::{Args, Subcommand, ValueEnum};

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::privacy::{self, Options, PermissionTarget};
use cm_app::{Context, ErrorKind, Request, Result};
use cm_render::text;

/// Show which agent sessions may be read, where their text may go, and what was read
///
/// Every command that reads sessions adds an entry to a private log: the session log, command, time, amount, and whether a
/// model received it. The entry never contains session text. The file stays on this machine and rotates at 1 MiB.
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
    /// List what was read, newest first
    #[command(after_help = "Example:\n  cm privacy log --since 7d -n 50")]
    Log {
        /// Only entries since a date, an RFC 3339 time, or an age such as 7d
        #[arg(long, value_name = "WHEN")]
        since: Option<String>,
        /// Maximum number of results
        #[arg(long, short = 'n', default_value_t = 20, value_parser = super::at_least_one)]
        limit: usize,
    },
    /// Allow reading the sessions of an agent or folder
    #[command(after_help = "Example:\n  cm privacy allow agent codex")]
    Allow(DeniedSource),
    /// Forbid reading the sessions of an agent or folder
    ///
    /// Sessions that were read before are removed from the index at its next update.
    #[command(after_help = "Example:\n  cm privacy deny agent codex")]
    Deny(DeniedSource),
}

#[derive(Debug, Args)]
struct DeniedSource {
    /// Agent or folder
    #[arg(value_enum)]
    what: Sort,
    /// Agent name, such as claude-code, or folder path
    name: String,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Sort {
    /// An agent
    Agent,
    /// A folder and everything below it
    Workspace,
}

impl From<DeniedSource> for PermissionTarget {
    fn from(DeniedSource { what, name }: DeniedSource) -> Self {
        match what {
            Sort::Agent => Self::Agent(name),
            Sort::Workspace => Self::Workspace(name),
        }
    }
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = match Context::open(request.clone()) {
        // The lists and the log belong to a vault.
        Err(error) if error.kind == ErrorKind::NoVault && arguments.action.is_none() => {
            let status = privacy::without_vault(&request)?.ok_or(error)?;
            return output.result(&status, text::privacy::shown);
        }
        context => context?,
    };
    match arguments.action {
        None => output.print(&context, &privacy::privacy(&context)?, text::privacy::shown),
        Some(Action::Log { since, limit }) => {
            let since =
                since.as_deref().map(|typed| super::when("--since", typed, context.now())).transpose()?;
            let options = Options { limit, since };
            output.print(&context, &privacy::log(&context, &options)?, text::privacy::log)
        }
        Some(Action::Allow(agent)) => {
            output.print(&context, &privacy::set(&context, &agent.into(), true)?, text::privacy::set)
        }
        Some(Action::Deny(agent)) => {
            output.print(&context, &privacy::set(&context, &agent.into(), false)?, text::privacy::set)
        }
    }
}
