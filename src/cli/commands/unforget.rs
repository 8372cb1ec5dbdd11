//! `cm unforget`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::forget;
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Unblock a forgotten rule
///
/// Removes the blocked pattern; it remains in the Git history. The rule stays deprecated unless you add --revive, which is
/// refused if its feedback would deprecate it again immediately.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cm unforget b-mt2ssunl --revive")]
pub struct Arguments {
    /// Blocked pattern or forgotten rule
    note: String,
    /// Make the rule a draft again
    #[arg(long)]
    revive: bool,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let outcome = forget::unforget(&context, &arguments.note, arguments.revive)?;
    output.print(&context, &outcome, text::forget::lifted)
}
