//! `cm trauma`

use clap::{Args, Subcommand};

use crate::cli::answer::{Output, Printed};
use cm_app::sessions::logs::{LogSelection, agents_of};
use cm_app::verbs::trauma;
use cm_app::{Context, Error, Progress, Request, Result};
use cm_render::text;

/// Find destructive commands that went wrong, and store them as warnings
///
/// Considers only commands that a tool call actually ran: deleted files, dropped databases, force pushes, hard resets, teardowns
/// and disk writes. A command counts if the user complained about a loss, the agent admitted one, it failed half-way, or
/// something was restored afterwards. Complaints and admissions are recognized in English, German, Spanish, French and Chinese.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm trauma scan --days 30\n  cm trauma scan --agent codex --json\n  cm trauma accept t-0c5bbe9a"
)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List incidents with session and line; --agent limits them to one agent
    #[command(after_help = "Example:\n  cm trauma scan --days 30 --agent claude-code,codex")]
    Scan(Scan),
    /// Store incidents as anti-patterns in playbook/incidents/ for the guard
    ///
    /// Session, line, agent and date come from the log. Incidents accepted by an agent (--agent, --session) are drafts until a
    /// person reviews them.
    #[command(after_help = "Example:\n  cm trauma accept t-0c5bbe9a")]
    Accept(Accept),
}

#[derive(Debug, Args)]
struct Scan {
    /// Sessions that began in the last N days
    #[arg(long, value_name = "N", default_value_t = 7.0)]
    days: f64,
    /// Only sessions in this folder; its name is enough
    #[arg(long, value_name = "FOLDER")]
    workspace: Option<String>,
}

#[derive(Debug, Args)]
struct Accept {
    /// Incident IDs (or unique prefixes), as `cm trauma scan` prints them
    #[arg(required = true, value_name = "INCIDENT")]
    incidents: Vec<String>,
    /// Search only sessions that began in the last N days [default: all]
    #[arg(long, value_name = "N")]
    days: Option<f64>,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let display = output.progress("logs");
    let progress = |at: Progress| display.show(at, "");
    match arguments.action {
        Action::Scan(scan) => {
            let wanted = LogSelection {
                agents: agents_of(&request)?,
                workspace: scan.workspace,
                since: Some(request.now.minus_days(valid_days(scan.days)?)),
            };
            let (scanned, notices) = trauma::scan(&request, &wanted, &progress)?;
            drop(display);
            notices.iter().for_each(|notice| output.notice(notice.for_terminal()));
            output.result(&scanned, text::trauma::scanned)
        }
        Action::Accept(accept) => {
            let days = accept.days.map(valid_days).transpose()?;
            let since = days.map(|days| request.now.minus_days(days));
            let context = Context::open(request)?;
            let wanted = LogSelection { since, ..LogSelection::default() };
            let accepted = trauma::accept(&context, &wanted, &accept.incidents, &progress)?;
            drop(display);
            output.print(&context, &accepted, text::trauma::accepted)
        }
    }
}

fn valid_days(days: f64) -> Result<f64> {
    if days.is_finite() && days >= 0.0 {
        Ok(days)
    } else {
        Err(Error::usage("--days expects a number of days, such as 7"))
    }
}
