//! `cm core`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::generate;
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Write CORE.md for agents to load into their prompt
///
/// Contains the best memories within a token limit. If only the date would change, nothing is written or committed.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm core\n  cm core --print      # print without writing\n  cm core --as-of 2026-11-01"
)]
pub struct Arguments {
    /// Print the text without writing the file
    #[arg(long)]
    print: bool,
    /// Print what the file would contain as of a commit, a date or an age; a date means the end of that day (UTC). Writes nothing
    #[arg(long, value_name = "WHEN")]
    as_of: Option<String>,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open_as_of(request, arguments.as_of.as_deref())?;
    let print = arguments.print || arguments.as_of.is_some();
    let outcome = generate::core(&context, print)?;
    if print && !output.json {
        return output.document(&context, &outcome.text.unwrap_or_default());
    }
    output.print(&context, &outcome, text::generate::generated)
}
