//! `cm commit`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::commit;
use cm_app::{Context, ErrorKind, Request, Result};
use cm_render::text;

/// Commit manual edits
///
/// Creates one commit with all changes in the vault and lists the notes. Staged changes outside the vault are left alone. In a vault that is also a code repository, it takes notes, the attachments that notes use, and the files of the vault, and leaves the code to you.
///
/// Problems that an edit brought into a note are listed, as `cm validate` does; the note is committed all the same.
///
/// A note with an unresolved merge conflict is not committed; the others are. Keep one of the versions and remove the lines
/// with conflict markers.
///
/// A note that contains a line like a real credential is not committed; the others are. Remove the credential. If it is not
/// one, add cm:allow-secret to the line or its fingerprint to `redaction.allow`. Exit codes: 1 if some notes were left out, 5 if all were.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm commit\n  cm commit -m \"Rewrite the notes on time zones\"")]
pub struct Arguments {
    /// First line of the commit message [default: the number of notes]
    #[arg(long, short = 'm', value_name = "TEXT")]
    message: Option<String>,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let outcome = commit::commit(&context, arguments.message.as_deref())?;
    let printed = output.print(&context, &outcome, text::commit::committed_files)?;
    let is_whole = outcome.stopped.is_empty() && outcome.conflicts.is_empty();
    Ok(match (is_whole, outcome.commit.is_some()) {
        (true, _) => printed,
        (false, true) => printed.failed(true),
        (false, false) => printed.of_kind(Some(ErrorKind::Refused)),
    })
}
