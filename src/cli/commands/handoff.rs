//! `cm handoff`

use clap::Args;

use super::text_or_stdin;
use crate::cli::answer::{Output, Printed};
use cm_app::sessions::{self, SessionSelection, load};
use cm_app::verbs::handoff::{self, Handoff};
use cm_app::{Context, Error, Request, Result};
use cm_render::text;

/// Hand unfinished work over to the next agent in this folder
///
/// The next session in this folder, of whichever agent, begins with the handoff: goal, state, open ends, failed attempts, files
/// and next step, at most 600 tokens. It is shown once and expires after seven days. What is not stated comes from the log of
/// the session (--session, else the newest in this folder). It is stored in your private state, not in the vault.
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

pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    if arguments.show {
        return output.print(&memory, &handoff::show(&memory)?, text::handoff::waiting);
    }
    if arguments.clear {
        return output.print(&memory, &handoff::clear(&memory)?, text::handoff::removed);
    }
    let stated = Handoff {
        goal: arguments.goal.as_deref().map(text_or_stdin).transpose()?,
        state: arguments.state,
        open: arguments.open,
        files: arguments.file,
        failed: arguments.failed,
        next: arguments.next,
    };
    let told = session(&memory, output, stated.is_empty())?;
    output.print(&memory, &handoff::write(&memory, stated, told.as_ref())?, text::handoff::waiting)
}

/// Loads the session of the call, else the newest in this folder. Without either, what is stated is
/// enough, unless it `is_needed`.
fn session(
    memory: &Context,
    output: &Output,
    is_needed: bool,
) -> Result<Option<sessions::logs::ParsedSession>> {
    let shelf = super::sessions::open(memory, output)?;
    let named = memory.call.by.session.clone().filter(|id| !id.is_empty());
    let newest = || {
        let which = SessionSelection { workspace: Some(".".to_owned()), ..SessionSelection::default() };
        let options = sessions::list::Options { which, limit: 1, offset: 0 };
        let found = sessions::list::list(memory, &shelf, &options)?.sessions.into_iter().next();
        Ok::<_, Error>(found.map(|session| session.info.id.to_string()))
    };
    let id = match named {
        Some(id) => Some(id),
        None if is_needed => newest()?,
        None => None,
    };
    match id.map(|id| load::load(memory, &shelf, &id)).transpose() {
        Err(error) if !is_needed => {
            output.notice(&error.message);
            Ok(None)
        }
        loaded => loaded,
    }
}
