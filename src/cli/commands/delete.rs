//! `cm delete`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::{Request, Context, Result, delete};
use cm_render::text;

/// Remove notes; git keeps what was there
///
/// Edge files that end at them go in the same commit. `cm undo` brings it all back.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cm delete 1f0c2a --reason \"was never true\"")]
pub struct Arguments {
    /// Ids or the beginnings of them, titles, or paths
    #[arg(required = true)]
    notes: Vec<String>,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    let outcome = delete::delete(&memory, &arguments.notes)?;
    output.print(&memory, &outcome, text::delete::deleted)
}
