//! `cm pin`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::pin;
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Keep a memory from fading, or protect a rule from automatic changes
///
/// A memory moves to vault/ and keeps its ID. A rule stays in place: its score never deprecates it, and only a person can
/// change it.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  cm pin 1f0c2a\n  cm pin b-mt2ssunl --reason \"required by the auditors\""
)]
pub struct Arguments {
    /// Note ID (or unique prefix), title or path
    note: String,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let outcome = pin::pin(&context, &arguments.note)?;
    output.print(&context, &outcome, text::update::changed)
}
