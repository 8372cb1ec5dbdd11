//! `cm curate`

use std::path::PathBuf;

use clap::Args;

use super::{sessions, text_or_stdin};
use crate::cli::answer::{Output, Printed};
use cm_app::curate::{self, Options};
use cm_app::reflect::handed;
use cm_app::{Request, Error, Context, Result};
use cm_render::text;

/// Carry out a file of proposed changes to the playbook, in one commit
///
/// A delta file is JSON: {"session": "…", "deltas": [{"type": "add", "bullet": {"category": "testing", "content": "…"}}, {"type":
/// "helpful", "id": "b-…"}, …]}, with add, helpful, harmful, irrelevant, replace, deprecate, merge, pin and unpin; schema/deltas.json
/// describes it. What it adds are drafts until there is evidence or a person accepts them; pinned bullets stay as they are. The same
/// file a second time changes nothing where it names its session. The answer to `cm reflect --emit` is taken here too: what the
/// session does not say is refused, its diary is written, and it counts as learned from.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm curate deltas.json --dry-run\n  cm curate - < deltas.json\n  cm curate answer.json"
)]
pub struct Arguments {
    /// The file; - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Only say what would be done, with the patch
    #[arg(long)]
    dry_run: bool,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    let name = arguments.file.display().to_string();
    let text = match name.as_str() {
        "-" => text_or_stdin("-")?,
        _ => std::fs::read_to_string(memory.call.cwd.join(&arguments.file))
            .map_err(|error| Error::usage(format!("{name} cannot be read: {error}")))?,
    };
    let outcome = if handed::is_answer(&text) {
        let shelf = sessions::open(&memory, output)?;
        handed::apply_answer(&memory, &shelf, &text, &name, arguments.dry_run)?
    } else {
        curate::curate(&memory, &curate::read(&text, &name)?, &Options::of_file(arguments.dry_run))?
    };
    let (failed, nothing) = (outcome.failed(), outcome.did_nothing());
    let printed = output.print(&memory, &outcome, text::curate::curated)?;
    Ok(if nothing { printed.nothing_done() } else { printed.failed(failed) })
}
