//! `cm curate`

use std::path::PathBuf;

use clap::Args;

use super::{file_or_stdin, sessions};
use crate::cli::answer::{Output, Printed};
use cm_app::verbs::curate::{self, CurationOptions};
use cm_app::verbs::reflect::work_package;
use cm_app::{Context, ErrorKind, Request, Result};
use cm_render::text;

/// Apply a file of proposed rule changes in one commit
///
/// A delta file is JSON: {"session": "…", "deltas": [{"type": "add", "bullet": {"category": "testing", "content": "…"}}, {"type":
/// "helpful", "id": "b-…"}, …]}. Types are add, helpful, harmful, irrelevant, replace, deprecate, merge, pin and unpin; see
/// schema/deltas.json. Added rules are drafts until evidence supports them or a person accepts them. Pinned rules do not
/// change. If the file names its session, applying it again has no effect. The command also accepts answers to `cm reflect
/// --emit`: it refuses points that the session does not contain, writes the diary, and marks the session as processed.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm curate deltas.json --dry-run\n  cm curate - < deltas.json\n  cm curate answer.json"
)]
pub struct Arguments {
    /// File to apply; - reads standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Show what would change, including the patch, without changing anything
    #[arg(long)]
    dry_run: bool,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let name = arguments.file.display().to_string();
    let text = file_or_stdin(&context.request.cwd, &arguments.file)?;
    let outcome = if work_package::is_answer(&text) {
        let access = sessions::open(&context, output)?;
        work_package::apply_answer(&context, &access, &text, &name, arguments.dry_run)?
    } else {
        curate::curate(&context, &curate::read(&text, &name)?, &CurationOptions::of_file(arguments.dry_run))?
    };
    let nothing_done = outcome.did_nothing().then_some(ErrorKind::NothingDone);
    let printed = output.print(&context, &outcome, text::curate::curated)?;
    Ok(printed.failed(outcome.failed()).of_kind(nothing_done))
}
