//! `cm forget`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::{Request, Context, Result, forget};
use cm_render::text;

/// Stop following a rule, and keep it and its like out for good
///
/// The bullet stays as a deprecated note, and a blocked pattern in blocked/ refuses rules that say the same or nearly the same.
/// `cm unforget` lifts the block.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cm forget b-mt2ssunl --reason \"caused an outage\" --invert")]
pub struct Arguments {
    /// Its id or the beginning of it, its rule, or its path
    bullet: String,
    /// Make an anti-pattern of it, so that agents are warned
    #[arg(long)]
    invert: bool,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    let reason = memory.call.by.reason.clone().unwrap_or_default();
    let outcome = forget::forget(&memory, &arguments.bullet, &reason, arguments.invert)?;
    output.print(&memory, &outcome, text::forget::forgotten)
}
