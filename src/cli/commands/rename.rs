//! `cm rename`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::rename;
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Change the title of a note, with its file name and all links to it
///
/// Every link leads to the same note as before. The old title becomes an alias. `cm undo` takes everything back.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm rename 1f0c2a \"Retry uploads with jitter\"\n  cm rename \"Old title\" \"New title\" --dry-run"
)]
pub struct Arguments {
    /// Note ID (or unique prefix), title or path
    note: String,
    /// New title
    title: String,
    /// Show the changes without writing them
    #[arg(long)]
    dry_run: bool,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let outcome = rename::rename(&context, &arguments.note, &arguments.title, arguments.dry_run)?;
    output.print(&context, &outcome, text::rename::renamed)
}
