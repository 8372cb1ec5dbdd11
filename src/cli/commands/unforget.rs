//! `cm unforget`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::{Request, Context, Result, forget};
use cm_render::text;

/// Lift the block of a rule that was forgotten
///
/// The blocked pattern is removed; git keeps it. The bullet itself stays deprecated unless it is revived, which is refused where its
/// feedback would take it down again at once.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cm unforget b-mt2ssunl --revive")]
pub struct Arguments {
    /// The blocked pattern, or the bullet that was forgotten
    note: String,
    /// Make the bullet a draft again
    #[arg(long)]
    revive: bool,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    let outcome = forget::unforget(&memory, &arguments.note, arguments.revive)?;
    output.print(&memory, &outcome, text::forget::lifted)
}
