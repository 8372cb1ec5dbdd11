//! `cm commit`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use crate::ops::{Call, Memory, Result, commit};
use crate::render::text;

/// Commit what was edited by hand
///
/// All of the vault goes into one commit that lists the notes. What is staged elsewhere stays.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm commit\n  cm commit -m \"Rewrite the notes on time zones\"")]
pub struct Arguments {
    /// The commit's first line [default: one that counts the notes]
    #[arg(long, short = 'm', value_name = "TEXT")]
    message: Option<String>,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Call, output: &Output) -> Result<Printed> {
    let memory = Memory::open(call)?;
    let outcome = commit::commit(&memory, arguments.message.as_deref())?;
    output.print(&memory, &outcome, text::commit::committed_files)
}
