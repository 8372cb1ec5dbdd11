//! `cm get`

use clap::Args;

use crate::cli::answer::{Output, Printed, on_terminal};
use crate::cli::pick::note_or_choice;
use cm_app::verbs::get;
use cm_app::{Context, Request, Result};
use cm_render::text::{self, get::BodyStyle};

/// Show a note and the notes that link to it
///
/// Reading a memory keeps it from fading.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm get 1f0c2a\n  cm get \"Retry with jitter\" --json\n  cm get graph/fixes/pool-1f0c2a.md --raw\n  cm get \"Connection pool\" --section Fixes\n  cm get 1f0c2a --as-of 2026-11-01"
)]
pub struct Arguments {
    /// Note ID (or unique prefix), title or path, or a link such as [[Note#Heading]]; without it, choose from a list
    note: Option<String>,
    /// Print only the raw file
    #[arg(long, conflicts_with = "json")]
    raw: bool,
    /// Print only the section with this heading, or these lines of the file, as in 12-40
    #[arg(long, value_name = "HEADING|LINES", conflicts_with = "raw")]
    section: Option<String>,
    /// Show the note as it was at a commit, a date or an age; a date means the end of that day (UTC)
    #[arg(long, value_name = "WHEN")]
    as_of: Option<String>,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open_as_of(request, arguments.as_of.as_deref())?;
    let note = note_or_choice(&context, arguments.note, output)?;
    if arguments.raw {
        let bytes = get::raw(&context, &note)?;
        output.notices(&context);
        return output.bytes(&bytes);
    }
    let outcome = get::get(&context, &note, arguments.section.as_deref())?;
    let style = if on_terminal() { BodyStyle::Rendered } else { BodyStyle::Markdown };
    output.print(&context, &outcome, |outcome| text::get::got(outcome, style))
}
