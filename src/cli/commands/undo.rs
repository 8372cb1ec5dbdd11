//! `cm undo`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::undo;
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Revert a change with a new commit
///
/// Later changes of the same notes stay. If they changed the same lines, or the frontmatter as well, the
/// undo is refused and lists them. Without a commit, manual edits that `cm commit` committed, generated
/// files and changes of other people are left alone; name their commit to take them back. Merges are
/// refused.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm undo              # the newest change by cm not yet undone\n  cm undo 1f0c2a3d4e"
)]
pub struct Arguments {
    /// Commit to revert [default: the newest change by cm not yet undone]
    commit: Option<String>,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let outcome = undo::undo(&context, arguments.commit.as_deref())?;
    output.print(&context, &outcome, text::undo::undone)
}
