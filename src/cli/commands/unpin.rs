//! `cm unpin`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::{Request, Context, Result, pin};
use cm_render::text;

/// Let a pinned memory fade again
///
/// It moves back to the folder of its type.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cm unpin 1f0c2a")]
pub struct Arguments {
    /// Its id or the beginning of it, its title, or its path
    note: String,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    let outcome = pin::unpin(&memory, &arguments.note)?;
    output.print(&memory, &outcome, text::update::changed)
}
