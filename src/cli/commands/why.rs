//! `cm why`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::why;
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Show where a note comes from
///
/// Shows its state and the evidence: sessions, diaries, quotes, feedback, replaced notes, contradictions, blocks and commits.
/// Does not count as reading the note.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm why b-mq6d3m8l-vo5c1z\n  cm why \"Use Postgres\" --json")]
pub struct Arguments {
    /// Note ID (or unique prefix), title or path
    note: String,
    /// Maximum number of commits
    #[arg(long, short = 'n', default_value_t = 50, value_parser = super::at_least_one)]
    limit: usize,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let outcome = why::why(&context, &arguments.note, arguments.limit)?;
    output.print(&context, &outcome, text::why::why)
}
