//! `cm onboard`

use clap::{Args, Subcommand};

use super::sessions::open;
use crate::cli::answer::{Output, Printed};
use cm_app::onboard::{self, done, read, sample};
use cm_app::sessions::SessionSelection;
use cm_app::{Request, Context, Result};
use cm_render::text;

/// Fill a young playbook from past sessions of agents
///
/// Ten categories should be covered: debugging, testing, architecture, workflow, documentation, integration, collaboration, git,
/// security, performance; names of categories and tags of your own are understood by their words. `sample` chooses the sessions
/// that are most likely to fill the gaps, `read --template` gives an agent all it needs to learn from one, and `cm curate` takes
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
    /// Tell what the playbook covers, and how many sessions are read and left
    #[command(after_help = "Example:\n  cm onboard status")]
    Status,
    /// List the categories that lack rules, and what to look for
    #[command(after_help = "Example:\n  cm onboard gaps --json")]
    Gaps,
    /// Choose the sessions that are most likely to fill the gaps, of those that are not done
    #[command(after_help = "Example:\n  cm onboard sample -n 3 --agent codex --days 90")]
    Sample {
        /// At most so many
        #[arg(long, short = 'n', default_value_t = 5)]
        limit: usize,
        /// Only of this agent, such as claude-code; several between commas
        #[arg(long, value_name = "AGENT")]
        agent: Option<String>,
        /// Only of this folder and those below it
        #[arg(long, short, value_name = "DIR")]
        workspace: Option<String>,
        /// Only of the last days [default: all]
        #[arg(long, value_name = "N")]
        days: Option<f64>,
    },
    /// Show a session without its secrets, cut to 50,000 characters
    #[command(after_help = "Examples:\n  cm onboard read 0199aaaa\n  cm onboard read 0199aaaa --template")]
    Read {
        /// Its id, or the beginning of it
        session: String,
        /// Print the work package for an agent: text, gaps, related rules, and the form of the answer, as JSON
        #[arg(long)]
        template: bool,
    },
    /// Say that nothing more is to be learned from a session
    #[command(after_help = "Example:\n  cm onboard done 0199aaaa")]
    Done {
        /// Its id, or the beginning of it
        session: String,
    },
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    let open = || open(&memory, output);
    match arguments.action {
        Action::Status => output.print(&memory, &onboard::status(&memory, &open()?)?, text::onboard::status),
        Action::Gaps => output.print(&memory, &onboard::gaps(&memory)?, text::onboard::gaps),
        Action::Sample { limit, agent, workspace, days } => {
            let which = SessionSelection { agents: agent, workspace, days };
            let options = sample::Options { which, limit };
            output.print(&memory, &sample::sample(&memory, &open()?, &options)?, text::onboard::sample)
        }
        Action::Read { session, template: true } => {
            let package = read::package(&memory, &open()?, &session)?;
            output.as_json().print(&memory, &package, |_| String::new())
        }
        Action::Read { session, template: false } => {
            output.print(&memory, &read::read(&memory, &open()?, &session)?, text::onboard::read)
        }
        Action::Done { session } => {
            output.print(&memory, &done::done(&memory, &open()?, &session)?, text::onboard::done)
        }
    }
}
