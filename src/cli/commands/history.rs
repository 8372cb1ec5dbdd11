//! `cm history`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::{Request, Context, Result, history};
use cm_render::text;

/// Follow one note through its commits
///
/// Over renames, with what changed word by word.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cm history \"Retry with jitter\"")]
pub struct Arguments {
    /// Its id or the beginning of it, its title, or its path; also one that is gone
    note: String,
    /// At most so many changes
    #[arg(long, short = 'n', default_value_t = 20)]
    limit: usize,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    let outcome = history::history(&memory, &arguments.note, arguments.limit)?;
    output.print(&memory, &outcome, text::history::history)
}
