//! `cm reflect`

use clap::Args;

use super::sessions;
use crate::cli::answer::{Output, Printed};
use crate::cli::interrupt::{InterruptMode, listen};
use cm_app::context::cancellation::Cancellation;
use cm_app::sessions::SessionSelection;
use cm_app::verbs::reflect::{self, Options, work_package};
use cm_app::{Context, Progress, Request, Result};
use cm_render::text;

/// Learn from unprocessed sessions
///
/// Writes a diary for each session (`cm diary`). Lasting user preferences and corrections become rules. Those that the person
/// clearly meant to last are active at once; the others are drafts until other sessions confirm them or a person accepts them
/// (`cm review`). Facts, preferences and fixes become memories. A rule or memory that the person withdraws ("forget what I
/// said about staging") is retired. An agent's explanation of a failure becomes a fix if the command then passed. What
/// recurs in the commands, results and edits of several sessions is counted: a fix once, a draft twice, a rule from three
/// sessions on. Marks such as `[cm: helpful b-…]` become feedback; rules cited by ID count with 0.3 of the weight. Each session
/// is one commit, and the vault is locked only for that commit. Without a model (`llm.provider`) everything is extracted by
/// rules.
///
/// Ctrl-C finishes the current session and stops; a second Ctrl-C drops that session. The next run continues from there.
/// What Claude Code and Codex remember by themselves (as in `cm import native`) is taken over once, as unverified memories;
/// `reflect.native` switches it off.
///
/// A session read by rules only can still be read by a model or with --emit, however old it is. The first run with a new model
/// rereads up to 20 earlier sessions (--max-sessions changes this). --days limits both. --again opens all sessions.
///
/// --emit prints the work for one session for the running agent, and `cm curate` applies its answer. With SESSION, it prints
/// that session even if it was read before.
///
/// The last line, `outcome` in --json and the exit code show the result: changed (0); nothing to learn (8); partly failed,
/// some sessions could not be processed (1); failed (7 for a model error, otherwise the error's code); stopped (130).
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm reflect\n  cm reflect --days 30 --max-sessions 5 --dry-run\n  cm reflect --agent claude-code --workspace . --no-model\n  cm reflect --emit > work.md\n  cm reflect --emit 0b9c1f0e > work.md\n  cm curate answer.json"
)]
pub struct Arguments {
    /// Session to print the work for, by ID or its beginning, whoever has read it; needs --emit
    #[arg(value_name = "SESSION", requires = "emit")]
    session: Option<String>,
    /// Only sessions that ended in the last N days; 0 for all [default: sessions.lookback_days]
    #[arg(long, value_name = "N")]
    days: Option<f64>,
    /// Maximum number of sessions, oldest first; always 1 with --emit
    #[arg(long, value_name = "N")]
    max_sessions: Option<usize>,
    /// Only sessions of this agent, such as claude-code; separate several by commas
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Only sessions in this folder or below
    #[arg(long, short, value_name = "DIR")]
    workspace: Option<String>,
    /// Show what would be learned without writing anything
    #[arg(long)]
    dry_run: bool,
    /// Do not use a model
    #[arg(long)]
    no_model: bool,
    /// Print the work for the running agent without writing anything
    #[arg(long, conflicts_with_all = ["dry_run", "no_model"])]
    emit: bool,
    /// Also sessions that were processed; what was proposed before is not repeated
    #[arg(long)]
    again: bool,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let Arguments { session, days, max_sessions, agent, workspace, dry_run, no_model, emit, again } =
        arguments;
    let which = SessionSelection { agents: agent, workspace, days };
    let options = Options { selection: which, limit: max_sessions, dry_run, no_model, again };
    let context = Context::open(request)?;
    let access = sessions::open(&context, output)?;
    if emit {
        return output.print(
            &context,
            &work_package::build_packages(&context, &access, &options, session.as_deref())?,
            text::reflect::work_packages,
        );
    }
    let (stop, notices) = (Cancellation::default(), *output);
    listen(&stop, InterruptMode::AfterCurrent, move || {
        notices.notice("finishing the current session; press Ctrl-C again to drop it");
    });
    let display = output.progress("sessions");
    let progress = |at: Progress, title: &str| display.show(at, title);
    let outcome = reflect::reflect(&context, &access, &options, &stop, &progress)?;
    drop(display);
    Ok(output.print(&context, &outcome, text::reflect::reflected)?.of_kind(outcome.kind))
}
