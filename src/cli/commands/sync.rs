//! `cm sync`

use std::io::IsTerminal as _;

use clap::Args;

use crate::cli::answer::{Output, Printed};
use crate::cli::stdin;
use cm_app::verbs::sync::{self, Direction};
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Exchange commits with a Git remote and merge notes
///
/// Commits manual edits, fetches, merges note by note, writes CORE.md and REFLECTION.md anew if Git tracks them, and pushes. If
/// another clone pushes at the same moment, it fetches and merges again. Git transfers the data, with your credentials.
///
/// Feedback, tags, links and other lists of both sides are joined; if both sides changed one value or one paragraph, the later change
/// stands and `cm review` shows the other. Nothing is forced and no history is rewritten.
///
/// Exit codes: 5 if the state of the repository needs a decision, 6 if other clones kept pushing, 7 if the remote cannot be reached or
/// does not accept your credentials. In all of these cases nothing is lost or overwritten. Exit code 1: some files were not committed,
/// because they contain possible secrets.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm sync\n  cm sync --dry-run   # fetch, and show what would happen\n  cm sync --pull      # merge, but do not push"
)]
pub struct Arguments {
    /// Fetch and merge only
    #[arg(long, conflicts_with = "push")]
    pull: bool,
    /// Push only; refused if the remote has commits that are not here
    #[arg(long)]
    push: bool,
    /// Fetch, and show what would come, go and be merged
    #[arg(long)]
    dry_run: bool,
    /// Remote [default: the one that the branch follows, else origin]
    #[arg(long, value_name = "NAME")]
    remote: Option<String>,
    /// Branch on the remote [default: the one that the branch follows, else the same name; with Jujutsu, the bookmark below the
    /// working copy]; a branch that is named here must exist there
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let options = sync::Options {
        remote: arguments.remote,
        branch: arguments.branch,
        direction: match (arguments.pull, arguments.push) {
            (true, _) => Direction::Pull,
            (_, true) => Direction::Push,
            _ => Direction::Both,
        },
        dry_run: arguments.dry_run,
        asks: stdin::is_terminal() && std::io::stderr().is_terminal(),
    };
    let result = sync::sync(&context, &options)?;
    let printed = output.print(&context, &result, text::sync::synced)?;
    Ok(printed.failed(!(result.stopped.is_empty() && result.conflicts.is_empty())))
}
