//! `cm log`

use clap::Args;

use super::when;
use crate::cli::answer::{Output, Printed};
use cm_app::verbs::log;
use cm_app::{Context, Request, Result};
use cm_render::text;

/// List changes made by cm commands
///
/// Reads the commits, newest first.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm log\n  cm log --op pin --since 30d\n  cm log --id 1f0c2a --json")]
pub struct Arguments {
    /// Only changes to this note, manual edits included
    #[arg(long, value_name = "NOTE")]
    id: Option<String>,
    /// Only changes by this command, such as add or relate
    #[arg(long, value_name = "VERB")]
    op: Option<String>,
    /// Only changes since a date or an age such as 7d
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Maximum number of results
    #[arg(long, short = 'n', default_value_t = 20, value_parser = super::at_least_one)]
    limit: usize,
    /// Skip the first N results
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    offset: usize,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let since = arguments.since.as_deref().map(|typed| when("--since", typed, context.now())).transpose()?;
    let caller = context.request.caller.clone();
    let options = log::Options {
        note: arguments.id,
        op: arguments.op,
        agent: caller.agent,
        session: caller.session,
        since,
        limit: arguments.limit,
        offset: arguments.offset,
    };
    let outcome = log::log(&context, &options)?;
    output.print(&context, &outcome, text::log::logged)
}
