//! `cm recent`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::recent;
use cm_app::{Context, Request, Result};
use cm_render::text;

/// List recently changed notes
///
/// Newest first, by the dates in the notes. A note without one has the date on which its file was
/// changed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm recent\n  cm recent --since 7d --type decision")]
pub struct Arguments {
    /// Maximum number of results
    #[arg(long, short = 'n', default_value_t = recent::DEFAULT_LIMIT, value_parser = super::at_least_one)]
    limit: usize,
    /// Skip the first N results (`next` in the previous output)
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    offset: usize,
    /// Only notes that changed since a date or an age such as 7d
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Only notes of this type
    #[arg(long = "type", short = 't', value_name = "TYPE")]
    note_type: Option<String>,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let since =
        arguments.since.as_deref().map(|typed| super::when("--since", typed, context.now())).transpose()?;
    let options = recent::Options {
        limit: arguments.limit,
        offset: arguments.offset,
        since,
        note_type: arguments.note_type,
        ..recent::Options::default()
    };
    let outcome = recent::recent(&context, &options)?;
    output.print(&context, &outcome, text::recent::recent)
}
