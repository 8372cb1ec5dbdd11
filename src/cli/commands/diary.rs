//! `cm diary`

use clap::Args;

use super::sessions;
use crate::cli::answer::{Output, Printed};
use crate::cli::interrupt::{First, listen};
use cm_app::diary::{self, Options};
use cm_app::stop::Cancellation;
use cm_app::{Request, Context, Result};
use cm_render::text;

/// Write the diary of a session: what was reached, decided and learned, what went wrong, what the person wants
///
/// One note in diary/ for each session, renewed when the session has gone on; what a person added to its lists stays. Without a
/// model it is extracted from the log by rules. With one (`llm.provider`) each of its points must quote a line of the log; an answer
/// that is of no use twice is replaced by the extracted diary, which says so. Exit codes: 0 written, or nothing new to write; 4 no
/// such session; 7 the model did not answer, and nothing was written; 8 the session tells nothing that is worth a diary.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm diary 0199aaaa\n  cm diary 0199aaaa --dry-run\n  cm diary 0199aaaa --no-model"
)]
pub struct Arguments {
    /// The session's id, or the beginning of it, as `cm sessions` lists it
    #[arg(value_name = "SESSION")]
    id: String,
    /// Only say what it would say
    #[arg(long)]
    dry_run: bool,
    /// Go without a model
    #[arg(long)]
    no_model: bool,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    let shelf = sessions::open(&memory, output)?;
    let stop = Cancellation::default();
    listen(&stop, First::AtOnce, || {});
    let Arguments { id, dry_run, no_model } = arguments;
    let outcome = diary::diary(&memory, &shelf, &Options { session: id, dry_run, no_model }, &stop)?;
    output.print(&memory, &outcome, text::diary::written)
}
