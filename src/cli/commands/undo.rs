//! `cm undo`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::{Request, Context, Result, undo};
use cm_render::text;

/// Take a curation back by a new commit
///
/// Refuses where later commits changed the same notes, and names them.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm undo              # the newest curation that still stands\n  cm undo 1f0c2a3d4e"
)]
pub struct Arguments {
    /// The commit [default: the newest curation that still stands]
    commit: Option<String>,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    let outcome = undo::undo(&memory, arguments.commit.as_deref())?;
    output.print(&memory, &outcome, text::undo::undone)
}
