//! `cm adopt`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::{Request, Context, Result, adopt};
use cm_render::text;

/// Give notes without an id one, where they lie. Nothing else in them changes; until then a note answers to its path.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm adopt --dry-run\n  cm adopt docs/decisions README.md\n  cm adopt --full notes"
)]
pub struct Arguments {
    /// Files and folders of the vault [default: all of it, but for documents such as README.md]
    paths: Vec<String>,
    /// Give them type, title, importance and dates as well, where they lack them
    #[arg(long)]
    full: bool,
    /// Only say what would be done
    #[arg(long)]
    dry_run: bool,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    let options = adopt::Options { paths: arguments.paths, full: arguments.full, dry_run: arguments.dry_run };
    let outcome = adopt::adopt(&memory, &options)?;
    Ok(output.print(&memory, &outcome, text::adopt::adopted)?.failed(outcome.failed()))
}
