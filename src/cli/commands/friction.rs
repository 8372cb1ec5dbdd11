//! `cm friction`

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::answer::{Output, Printed};
use cm_app::friction::{self, Options, FrictionRules};
use cm_app::logs::{LogSelection, agents_of};
use cm_app::{Request, Error, Result};
use cm_render::{json, text};

/// Find where sessions of agents went badly, and what to avoid
///
/// Signs in logs (interruptions, corrections, curses, loops, failures, …) are weighed session by session. PATH is a folder of Claude
/// Code's *.jsonl logs, a folder of such folders, or one log; with --days, the sessions are found where agents keep their logs, and
/// --agent narrows them. The analysis, its summary, the signs, candidates of what to avoid and two reports are written as files.
/// `classic` counts as other tools do; `observed` believes what people were seen to do.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm friction --days 7\n  cm friction --days 30 --agent codex --out friction\n  cm friction ~/.claude/projects/-home-ada-shop --rules classic --json"
)]
pub struct Arguments {
    /// A folder of logs, or a log
    #[arg(required_unless_present = "days", conflicts_with = "days")]
    path: Option<PathBuf>,
    /// Sessions of all agents that began in the last so many days
    #[arg(long, value_name = "N")]
    days: Option<f64>,
    /// Of these, the sessions in this folder; its name is enough
    #[arg(long, value_name = "FOLDER", requires = "days")]
    workspace: Option<String>,
    /// Which rules judge
    #[arg(long, value_enum, default_value = "observed")]
    rules: Named,
    /// Where the files go [default: .claude/friction in the working folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Named {
    /// What people were seen to do weighs most
    Observed,
    /// As other tools count
    Classic,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let days = arguments.days.unwrap_or_default();
    if !days.is_finite() || days < 0.0 {
        return Err(Error::usage("--days takes a number of days such as 7"));
    }
    let wanted = LogSelection {
        agents: agents_of(&call)?,
        workspace: arguments.workspace,
        since: arguments.days.map(|days| friction::since(&call, days)),
    };
    if arguments.path.is_some() && !wanted.agents.is_empty() {
        return Err(Error::usage("a folder of logs is one of Claude Code, and --agent goes with --days"));
    }
    let rules = match arguments.rules {
        Named::Observed => FrictionRules::Observed,
        Named::Classic => FrictionRules::Classic,
    };
    let options = Options { path: arguments.path, wanted, rules, out: arguments.out };
    let (found, notices) =
        friction::friction(&call, &options, &|done, all| output.progress(done, all, "logs"))?;
    notices.iter().for_each(|notice| output.notice(notice));
    output.plain(&if output.json { json::document(&found) } else { text::friction::found(&found) })
}
