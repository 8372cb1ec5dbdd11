//! `cm delete`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::delete;
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Delete notes; they remain in the Git history
///
/// Edge files that point to them are deleted in the same commit. `cm undo` restores everything.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cm delete 1f0c2a --reason \"was never true\"")]
pub struct Arguments {
    /// Note IDs (or unique prefixes), titles or paths
    #[arg(required = true)]
    notes: Vec<String>,
    /// Delete only if the note still has this revision, as printed by `cm get --json`
    #[arg(long, value_name = "REVISION")]
    expected_revision: Option<String>,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let outcome = delete::delete(&context, &arguments.notes, arguments.expected_revision.as_deref())?;
    output.print(&context, &outcome, text::delete::deleted)
}
