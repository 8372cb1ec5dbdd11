//! `cm commit`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::{Request, ErrorKind, Context, Result, commit};
use cm_render::text;

/// Commit what was edited by hand
///
/// All of the vault goes into one commit that lists the notes. What is staged elsewhere stays.
///
/// A note with a line that looks like a live secret stays out; the others are committed. Take the secret out, or, where it is
/// none, write cm:allow-secret into its line or add its fingerprint to `redaction.allow`. Exit code 1 says that some notes
/// stayed out, 5 that all did.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm commit\n  cm commit -m \"Rewrite the notes on time zones\"")]
pub struct Arguments {
    /// The commit's first line [default: one that counts the notes]
    #[arg(long, short = 'm', value_name = "TEXT")]
    message: Option<String>,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    let outcome = commit::commit(&memory, arguments.message.as_deref())?;
    let printed = output.print(&memory, &outcome, text::commit::committed_files)?;
    Ok(match (outcome.stopped.is_empty(), outcome.commit.is_some()) {
        (true, _) => printed,
        (false, true) => printed.failed(true),
        (false, false) => printed.of_kind(Some(ErrorKind::Refused)),
    })
}
