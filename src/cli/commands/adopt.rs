//! `cm adopt`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::adopt;
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Add IDs to notes that have none
///
/// Nothing else in the notes changes, and files are not moved. Without an ID a note is named by its path, title or
/// alias, and has no feedback. Templates of Obsidian are left alone.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm adopt --dry-run\n  cm adopt docs/decisions README.md\n  cm adopt --full notes"
)]
pub struct Arguments {
    /// Files and folders to adopt [default: the whole vault except documents such as README.md]
    paths: Vec<String>,
    /// Also add missing type, title, importance and dates, to notes with an ID too
    #[arg(long)]
    full: bool,
    /// Show what would change without changing anything
    #[arg(long)]
    dry_run: bool,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let options = adopt::Options { paths: arguments.paths, full: arguments.full, dry_run: arguments.dry_run };
    let outcome = adopt::adopt(&context, &options)?;
    Ok(output.print(&context, &outcome, text::adopt::adopted)?.failed(outcome.failed()))
}
