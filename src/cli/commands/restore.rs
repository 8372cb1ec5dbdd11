//! `cm restore`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::restore;
use cm_app::{Context, Error, Request, Result};
use cm_render::text;

/// Restore a note from an earlier commit
///
/// Deleted notes can be restored too.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm restore 1f0c2a@HEAD~3\n  cm restore 1f0c2a@7d")]
pub struct Arguments {
    /// Note, and a commit, date or age: NOTE@COMMIT
    #[arg(value_name = "NOTE@COMMIT")]
    what: String,
}

pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(call)?;
    let (note, commit) = arguments
        .what
        .rsplit_once('@')
        .filter(|(note, commit)| !note.is_empty() && !commit.is_empty())
        .ok_or_else(|| Error::usage("expected NOTE@COMMIT").hint("for example `cm restore 1f0c2a@HEAD~3`"))?;
    let outcome = restore::restore(&context, note, commit)?;
    output.print(&context, &outcome, text::update::changed)
}
