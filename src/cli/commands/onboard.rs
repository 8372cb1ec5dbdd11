//! `cm onboard`

use clap::{Args, Subcommand};

use super::sessions::open;
use crate::cli::answer::{Output, Printed};
use cm_app::sessions::SessionSelection;
use cm_app::verbs::onboard::{self, done, read, sample};
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Build up a new playbook from past agent sessions
///
/// A playbook should cover ten categories: debugging, testing, architecture, workflow, documentation, integration,
/// collaboration, git, security, performance. Your own category names and tags are matched by their words. `sample` selects
/// the sessions most likely to fill gaps. `read --template` prints a work package for an agent; `cm curate` applies
/// its answer.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm onboard status\n  cm onboard sample -n 3 --workspace .\n  cm onboard read 0199aaaa --template > package.json\n  cm onboard done 0199aaaa"
)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show covered categories and the number of processed and remaining sessions
    #[command(after_help = "Example:\n  cm onboard status")]
    Status,
    /// List categories without rules, and what to look for
    #[command(after_help = "Example:\n  cm onboard gaps --json")]
    Gaps,
    /// Select unprocessed sessions that are most likely to fill gaps
    #[command(after_help = "Example:\n  cm onboard sample -n 3 --agent codex --days 90")]
    Sample {
        /// Maximum number of results
        #[arg(long, short = 'n', default_value_t = 5, value_parser = super::at_least_one)]
        limit: usize,
        /// Only sessions of this agent, such as claude-code; separate several by commas
        #[arg(long, value_name = "AGENT")]
        agent: Option<String>,
        /// Only sessions in this folder or below
        #[arg(long, short, value_name = "DIR")]
        workspace: Option<String>,
        /// Only sessions of the last N days [default: all]
        #[arg(long, value_name = "N")]
        days: Option<f64>,
    },
    /// Show a session without secrets, cut to 50,000 characters
    #[command(after_help = "Examples:\n  cm onboard read 0199aaaa\n  cm onboard read 0199aaaa --template")]
    Read {
        /// Session ID or unique prefix
        session: String,
        /// Print a work package for an agent as JSON: text, gaps, related rules and the answer format
        #[arg(long)]
        template: bool,
    },
    /// Mark a session as processed
    #[command(after_help = "Example:\n  cm onboard done 0199aaaa")]
    Done {
        /// Session ID or unique prefix
        session: String,
    },
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let open = || open(&context, output);
    match arguments.action {
        Action::Status => {
            output.print(&context, &onboard::status(&context, &open()?)?, text::onboard::status)
        }
        Action::Gaps => output.print(&context, &onboard::gaps(&context)?, text::onboard::gaps),
        Action::Sample { limit, agent, workspace, days } => {
            let which = SessionSelection { agents: agent, workspace, days };
            let options = sample::Options { which, limit };
            output.print(&context, &sample::sample(&context, &open()?, &options)?, text::onboard::sample)
        }
        Action::Read { session, template: true } => {
            let package = read::package(&context, &open()?, &session)?;
            output.as_json().print(&context, &package, |_| String::new())
        }
        Action::Read { session, template: false } => {
            output.print(&context, &read::read(&context, &open()?, &session)?, text::onboard::read)
        }
        Action::Done { session } => {
            output.print(&context, &done::done(&context, &open()?, &session)?, text::onboard::done)
        }
    }
}
