//! `cm diff`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use crate::ops::{Call, Memory, Result, diff};
use crate::render::text;

/// Say in words what changed between two commits
///
/// Notes, keys, bodies, edges, scores.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm diff                 # the newest commit\n  cm diff 7d              # since a week ago\n  cm diff HEAD~5 HEAD~1")]
pub struct Arguments {
    /// The older one: a commit, a date, or an age [default: the one before the newer]
    from: Option<String>,
    /// The newer one [default: HEAD]
    to: Option<String>,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Call, output: &Output) -> Result<Printed> {
    let memory = Memory::open(call)?;
    let outcome = diff::diff(&memory, arguments.from.as_deref(), arguments.to.as_deref())?;
    output.print(&memory, &outcome, text::diff::diffed)
}
