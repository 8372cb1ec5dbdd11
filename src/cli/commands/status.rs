//! `cm status`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::status;
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Show the state of the vault: edits, remote, inbox
///
/// Shows branch and remote, commits to send and to receive as of the last fetch, manual edits that are not committed, and what waits in
/// the review inbox. Contacts no remote.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm status\n  cm status --json")]
pub struct Arguments {}

pub fn run(_arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let status = status::status(&context)?;
    output.print(&context, &status, text::status::status)
}
