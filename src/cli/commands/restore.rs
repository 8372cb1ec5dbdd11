//! `cm restore`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::{Request, Error, Context, Result, restore};
use cm_render::text;

/// Bring a note back as it was at a commit
///
/// Also one that is gone.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm restore 1f0c2a@HEAD~3\n  cm restore 1f0c2a@7d")]
pub struct Arguments {
    /// The note and the commit, a date, or an age: NOTE@COMMIT
    #[arg(value_name = "NOTE@COMMIT")]
    what: String,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    let (note, commit) = arguments
        .what
        .rsplit_once('@')
        .filter(|(note, commit)| !note.is_empty() && !commit.is_empty())
        .ok_or_else(|| {
            Error::usage("write it as NOTE@COMMIT").hint("for example: cm restore 1f0c2a@HEAD~3")
        })?;
    let outcome = restore::restore(&memory, note, commit)?;
    output.print(&memory, &outcome, text::update::changed)
}
