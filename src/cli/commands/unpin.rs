//! `cm unpin`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::pin;
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Let a pinned memory fade again
///
/// The memory moves back to the folder where it was, or to the folder of its type if Git does not know
/// it.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cm unpin 1f0c2a")]
pub struct Arguments {
    /// Note ID (or unique prefix), title or path
    note: String,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let outcome = pin::unpin(&context, &arguments.note)?;
    output.print(&context, &outcome, text::update::changed)
}
