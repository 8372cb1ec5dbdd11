//! `cm pin`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::{Request, Context, Result, pin};
use cm_render::text;

/// Keep a memory from fading, or a rule from being changed by automation
///
/// A memory moves to vault/, and its id stays. A rule stays where it is; its score never deprecates it, and only a person changes it.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  cm pin 1f0c2a\n  cm pin b-mt2ssunl --reason \"required by the auditors\""
)]
pub struct Arguments {
    /// Its id or the beginning of it, its title, or its path
    note: String,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    let outcome = pin::pin(&memory, &arguments.note)?;
    output.print(&memory, &outcome, text::update::changed)
}
