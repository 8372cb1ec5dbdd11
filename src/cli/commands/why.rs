//! `cm why`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::{Request, Context, Result, why};
use cm_render::text;

/// Tell why a note says what it says
///
/// How it stands and what that comes from: sessions, diaries, quotes, feedback, what it replaced, what contradicts or
/// blocks it, and the commits that touched it. Asking is no use of the note.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm why b-mq6d3m8l-vo5c1z\n  cm why \"Use Postgres\" --json")]
pub struct Arguments {
    /// Its id or the beginning of it, its title, or its path
    note: String,
    /// At most so many commits
    #[arg(long, short = 'n', default_value_t = 50)]
    limit: usize,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    let outcome = why::why(&memory, &arguments.note, arguments.limit)?;
    output.print(&memory, &outcome, text::why::why)
}
