//! `cm forget`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::forget;
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Retire a rule and block it permanently
///
/// The rule stays as a deprecated note. A pattern in blocked/ refuses new rules that say the same or nearly the same.
/// `cm unforget` removes the block.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cm forget b-mt2ssunl --reason \"caused an outage\" --invert")]
pub struct Arguments {
    /// Rule ID (or unique prefix), text or path
    bullet: String,
    /// Turn the rule into an anti-pattern, so that agents are warned about it
    #[arg(long)]
    invert: bool,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let reason = context.request.caller.reason.clone().unwrap_or_default();
    let outcome = forget::forget(&context, &arguments.bullet, &reason, arguments.invert)?;
    output.print(&context, &outcome, text::forget::forgotten)
}
