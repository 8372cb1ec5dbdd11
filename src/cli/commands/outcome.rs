//! `cm outcome`

use clap::{Args, ValueEnum};

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::outcome::{self, Options, SessionStatus};
use cm_app::{Context, Progress, Request, Result};
use cm_render::text;

/// Record how a session ended and which rules contributed
///
/// The outcome is stored in the session's diary note and overrides what the log suggests. Without a diary, a small note is
/// created. Each rule in --rules gets helpful feedback for a success or harmful feedback for a failure. A rule that the
/// session cites by ID gets a fraction of it. Rules that were only shown get nothing, and so does any rule if the outcome is
/// partial or mixed. Each session counts once per rule; use `cm mark` for more feedback.
///
/// New log entries are read first. A session needs a log or a diary, unless an agent (--agent) reports it and names rules.
/// Use --reason to explain the outcome.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm outcome 0199aaaa success\n  cm outcome 0199aaaa failure --rules b-mt2ssunl-jq6d8j,b-mnq4ancz --reason \"the cache was stale\"\n  cm outcome 0199aaaa partial --json"
)]
pub struct Arguments {
    /// Session ID or unique prefix
    session: String,
    /// How the session ended
    #[arg(value_enum)]
    outcome: Ended,
    /// IDs of rules that contributed, separated by commas
    #[arg(long, value_name = "ID,…", value_delimiter = ',')]
    rules: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Ended {
    /// It reached its goal
    Success,
    /// It did not reach its goal
    Failure,
    /// It reached part of its goal, and work remains
    Partial,
    /// Some results are good and some are bad
    Mixed,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let status = match arguments.outcome {
        Ended::Success => SessionStatus::Success,
        Ended::Failure => SessionStatus::Failure,
        Ended::Partial => SessionStatus::Partial,
        Ended::Mixed => SessionStatus::Mixed,
    };
    let options = Options { session: arguments.session, status, rules: arguments.rules };
    let display = output.progress("logs");
    let mut progress = |at: Progress| display.show(at, "");
    let recorded = outcome::outcome(&context, &options, &mut progress)?;
    drop(display);
    Ok(output.print(&context, &recorded, text::outcome::recorded)?.failed(recorded.failed()))
}
