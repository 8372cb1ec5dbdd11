//! `cm history`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::history;
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Show the commits that changed a note
///
/// Follows renames and shows changes word by word.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cm history \"Retry with jitter\"")]
pub struct Arguments {
    /// Note ID (or unique prefix), title or path; deleted notes work too
    note: String,
    /// Maximum number of changes
    #[arg(long, short = 'n', default_value_t = 20, value_parser = super::at_least_one)]
    limit: usize,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let outcome = history::history(&context, &arguments.note, arguments.limit)?;
    output.print(&context, &outcome, text::history::history)
}
