//! `cm episode`

use clap::Args;

use super::text_or_stdin;
use crate::cli::answer::{Output, Printed};
use cm_app::verbs::episode;
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Append an entry to the daily log
///
/// Existing entries never change.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  cm episode \"Release 1.4\" --tags release --memory 1f0c2a --summary \"Out at noon.\""
)]
pub struct Arguments {
    /// Short title of the event
    title: String,
    /// Summary in one or two sentences; `-` reads standard input
    #[arg(long, value_name = "TEXT")]
    summary: Option<String>,
    /// Type of the event, such as fix
    #[arg(long = "type", short = 't', value_name = "TYPE")]
    note_type: Option<String>,
    /// Tags, separated by commas
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    tags: Vec<String>,
    /// Related memory: ID, title or path
    #[arg(long, value_name = "NOTE")]
    memory: Option<String>,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let options = episode::Options {
        title: arguments.title,
        summary: arguments.summary.as_deref().map(text_or_stdin).transpose()?,
        note_type: arguments.note_type,
        tags: arguments.tags,
        memory: arguments.memory,
    };
    let outcome = episode::episode(&context, &options)?;
    output.print(&context, &outcome, text::episode::logged)
}
