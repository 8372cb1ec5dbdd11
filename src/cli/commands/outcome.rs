//! `cm outcome`

use clap::{Args, ValueEnum};

use crate::cli::answer::{Output, Printed};
use cm_app::outcome::{self, Options, SessionStatus};
use cm_app::sessions::RefreshProgress;
use cm_app::{Request, Context, Result};
use cm_render::text;

/// Say how a session ended, and which rules had a part in it
///
/// The word is kept in the session's diary note, in a small one of its own where there is none, and counts rather than what
/// the log shows. A success is a helpful word for each rule that is named with --rules, a failure a harmful one; a rule that
/// the session cites by its id gets a fraction of it, and no other rule anything: being shown is not being used. A partial
/// or mixed end speaks neither for nor against a rule. Once a session and rule: to say more, use `cm mark`.
///
/// What is new in agents' logs is read first. A session that no log and no diary tells of is not found, unless an agent
/// (--agent) speaks of it and names rules. --reason says why.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm outcome 0199aaaa success\n  cm outcome 0199aaaa failure --rules b-mt2ssunl-jq6d8j,b-mnq4ancz --reason \"the cache was stale\"\n  cm outcome 0199aaaa partial --json"
)]
pub struct Arguments {
    /// The session's id, or the beginning of it
    session: String,
    /// How it ended
    #[arg(value_enum)]
    outcome: Ended,
    /// Rules that had a part in it, by id, between commas
    #[arg(long, value_name = "ID,…", value_delimiter = ',')]
    rules: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Ended {
    /// It reached its goal
    Success,
    /// It did not
    Failure,
    /// Something was reached, and the end of it is open
    Partial,
    /// Some of it speaks for it and some against
    Mixed,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    let status = match arguments.outcome {
        Ended::Success => SessionStatus::Success,
        Ended::Failure => SessionStatus::Failure,
        Ended::Partial => SessionStatus::Partial,
        Ended::Mixed => SessionStatus::Mixed,
    };
    let options = Options { session: arguments.session, status, rules: arguments.rules };
    let mut progress = |at: RefreshProgress| output.progress(at.done, at.total, "logs");
    let recorded = outcome::outcome(&memory, &options, &mut progress)?;
    output.progress(0, 0, "logs");
    Ok(output.print(&memory, &recorded, text::outcome::recorded)?.failed(recorded.failed()))
}
