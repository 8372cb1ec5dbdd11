//! `cm friction`

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::answer::{Output, Printed};
use cm_app::sessions::logs::{LogSelection, agents_of};
use cm_app::verbs::friction::{self, FrictionRules, Options};
use cm_app::{Error, Request, Result};
use cm_render::text;

/// Find sessions that went badly, and what to avoid
///
/// Weighs signs in session logs, such as interruptions, corrections, curses, loops and failures. PATH is a Claude Code *.jsonl
/// log, a folder of logs, or a folder of such folders. With --days, cm finds the logs in the agents' own folders; --agent
/// limits them to one agent. Writes the analysis, a summary, the signs, anti-pattern candidates and two reports.
/// `classic` counts like other tools; `observed` gives most weight to what users did.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm friction --days 7\n  cm friction --days 30 --agent codex --out friction\n  cm friction ~/.claude/projects/-home-ada-shop --rules classic --json"
)]
pub struct Arguments {
    /// Log file or folder of logs
    #[arg(required_unless_present = "days", conflicts_with = "days")]
    path: Option<PathBuf>,
    /// Sessions of all agents that began in the last N days
    #[arg(long, value_name = "N")]
    days: Option<f64>,
    /// With --days: only sessions in this folder; its name is enough
    #[arg(long, value_name = "FOLDER", requires = "days")]
    workspace: Option<String>,
    /// Scoring rules
    #[arg(long, value_enum, default_value = "observed")]
    rules: ScoringName,
    /// Output folder [default: .claude/friction in the working directory]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ScoringName {
    /// Gives most weight to what users did
    Observed,
    /// Counts like other tools
    Classic,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let days = arguments.days.unwrap_or_default();
    if !days.is_finite() || days < 0.0 {
        return Err(Error::usage("--days expects a number of days, such as 7"));
    }
    let wanted = LogSelection {
        agents: agents_of(&request)?,
        workspace: arguments.workspace,
        since: arguments.days.map(|days| request.now.minus_days(days)),
    };
    if arguments.path.is_some() && !wanted.agents.is_empty() {
        return Err(Error::usage("--agent requires --days, because PATH must contain Claude Code logs"));
    }
    let rules = match arguments.rules {
        ScoringName::Observed => FrictionRules::Observed,
        ScoringName::Classic => FrictionRules::Classic,
    };
    let options = Options { path: arguments.path, wanted, rules, out: arguments.out };
    let display = output.progress("logs");
    let (found, notices) = friction::friction(&request, &options, &|at| display.show(at, ""))?;
    drop(display);
    notices.iter().for_each(|notice| output.notice(notice.for_terminal()));
    output.result(&found, text::friction::found)
}
