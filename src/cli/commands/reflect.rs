//! `cm reflect`

use clap::Args;

use super::sessions;
use crate::cli::answer::{Output, Printed};
use crate::cli::interrupt::{First, listen};
use cm_app::reflect::{self, Options, handed};
use cm_app::sessions::SessionSelection;
use cm_app::stop::Cancellation;
use cm_app::{Request, Context, Result};
use cm_render::text;

/// Learn from the sessions that nobody has learned from yet
///
/// Each session gets its diary (`cm diary`); the person's standing wishes and corrections become rules, which are drafts until other
/// sessions bear them out or a person accepts them (`cm review`); facts, preferences and fixes become memories; marks such as
/// `[cm: helpful b-…]` and, at 0.3 of their weight, rules that a session cites by id become feedback. One commit a session. The vault
/// is locked for that commit alone. Without a model (`llm.provider`) all of it goes by rules.
///
/// Ctrl-C finishes the session in hand and stops, pressed again it drops that session; the next run goes on where this one ended. With
/// --emit the work on a session is printed for the agent that is running, and `cm curate` takes its answer.
///
/// The last line, `outcome` in --json and the exit code say how it ended: changed (0); nothing to do and nothing learned (8); partly
/// failed, where some sessions could not be worked on (1); failed (7 where a model did, else the code of what failed); stopped (130).
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm reflect\n  cm reflect --days 30 --max-sessions 5 --dry-run\n  cm reflect --agent claude-code --workspace . --no-model\n  cm reflect --emit > work.md\n  cm curate answer.json"
)]
pub struct Arguments {
    /// Sessions that ended in the last so many days, 0 for all [default: sessions.lookback_days]
    #[arg(long, value_name = "N")]
    days: Option<f64>,
    /// At most so many sessions, those first that ended first; one with --emit
    #[arg(long, value_name = "N")]
    max_sessions: Option<usize>,
    /// Only of this agent, such as claude-code; several between commas
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Only of this folder and those below it
    #[arg(long, short, value_name = "DIR")]
    workspace: Option<String>,
    /// Only say what would be learned
    #[arg(long)]
    dry_run: bool,
    /// Go without a model
    #[arg(long)]
    no_model: bool,
    /// Print the work for the agent that is running, and write nothing
    #[arg(long, conflicts_with_all = ["dry_run", "no_model"])]
    emit: bool,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let Arguments { days, max_sessions, agent, workspace, dry_run, no_model, emit } = arguments;
    let which = SessionSelection { agents: agent, workspace, days };
    let options = Options { selection: which, limit: max_sessions, dry_run, no_model };
    let memory = Context::open(call)?;
    let shelf = sessions::open(&memory, output)?;
    if emit {
        return output.print(&memory, &handed::build_packages(&memory, &shelf, &options)?, text::reflect::work_packages);
    }
    let (stop, told) = (Cancellation::default(), *output);
    listen(&stop, First::Soon, move || {
        told.notice("finishing the session in hand; Ctrl-C once more drops it");
    });
    let progress = |at: reflect::ReflectProgress<'_>| {
        output.progress(at.done, at.total, &format!("sessions  {}", text::style::cut(at.title, 50)));
    };
    let outcome = reflect::reflect(&memory, &shelf, &options, &stop, &progress)?;
    Ok(output.print(&memory, &outcome, text::reflect::reflected)?.of_kind(outcome.kind))
}
