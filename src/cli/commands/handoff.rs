//! `cm handoff`

use clap::Args;

use super::text_or_stdin;
use crate::cli::answer::{Output, Printed};
use cm_app::verbs::handoff::{self, Handoff};
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Hand unfinished work over to the next agent in this folder
///
/// The next session in this folder, of whichever agent, begins with the handoff: goal, state, open ends, failed attempts, files
/// and next step, at most 600 tokens. It is shown once, by hooks or by the briefing of `cm context`, never to the session that
/// wrote it, and expires after seven days. At your own terminal, `cm context` shows it without using it up. What is not stated
/// comes from the log of the session (--session, else the newest in this folder, unless you state a goal). An earlier handoff of
/// this folder is replaced. It is stored in your private state, not in the vault.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm handoff\n  cm handoff --goal \"Move the cache to Redis\" --next \"Write the eviction test\"\n  cm handoff --show"
)]
pub struct Arguments {
    /// What the work is for; `-` reads standard input
    #[arg(long, value_name = "TEXT")]
    goal: Option<String>,
    /// What is done and what is not
    #[arg(long, value_name = "TEXT")]
    state: Option<String>,
    /// An unanswered question or unfinished part (repeatable)
    #[arg(long, value_name = "TEXT")]
    open: Vec<String>,
    /// A file that matters for the next step (repeatable)
    #[arg(long, value_name = "PATH")]
    file: Vec<String>,
    /// What was tried and failed (repeatable)
    #[arg(long, value_name = "TEXT")]
    failed: Vec<String>,
    /// What to do next
    #[arg(long, value_name = "TEXT")]
    next: Option<String>,
    /// Show the handoff that waits here
    #[arg(long, conflicts_with_all = ["goal", "state", "open", "file", "failed", "next"])]
    show: bool,
    /// Remove the handoff that waits here
    #[arg(long, conflicts_with_all = ["goal", "state", "open", "file", "failed", "next", "show"])]
    clear: bool,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    if arguments.show {
        return output.print(&context, &handoff::show(&context)?, text::handoff::waiting);
    }
    if arguments.clear {
        return output.print(&context, &handoff::clear(&context)?, text::handoff::removed);
    }
    let stated = Handoff {
        goal: arguments.goal.as_deref().map(text_or_stdin).transpose()?,
        state: arguments.state,
        open: arguments.open,
        files: arguments.file,
        failed: arguments.failed,
        next: arguments.next,
    };
    let access = super::sessions::open(&context, output)?;
    output.print(&context, &handoff::write(&context, &access, stated, None)?, text::handoff::waiting)
}
