//! `cm sessions`

use std::io::IsTerminal as _;

use clap::{Args, Subcommand, ValueEnum};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::answer::{Output, Printed};
use cm_app::sessions::{SessionAccess, SessionSelection, list, search, show, timeline};
use cm_app::{Request, Error, Context, Result};
use cm_render::text;

/// List, search and show the sessions of coding agents
///
/// Reads what is new in the logs that agents keep on this machine, takes secrets out, and keeps the rest in an index of the
/// vault that git does not see. Logs are read and never written. `sessions.agents` and `sessions.workspaces` say whose
/// sessions are read.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm sessions\n  cm sessions --agent claude-code,codex --workspace . --days 30\n  cm sessions show 0199aaaa\n  cm sessions search \"connection pool\" --workspace ~/src/api\n  cm sessions expand 0199aaaa --line 120 --context 5\n  cm sessions timeline --days 30\n  cm sessions export 0199aaaa > session.md"
)]
pub struct Arguments {
    #[command(flatten)]
    list: ListArguments,
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List sessions, the last ended first
    #[command(after_help = "Example:\n  cm sessions list --days 30 --agent codex")]
    List(ListArguments),
    /// Show what was said in a session, with the lines of its log
    #[command(after_help = "Example:\n  cm sessions show 0199aaaa --tools")]
    Show {
        /// Its id, or the beginning of it
        session: String,
        /// Show all: what tools were asked and answered, thoughts, notices
        #[arg(long)]
        tools: bool,
        /// From this line of the log on
        #[arg(long, value_name = "LINE", default_value_t = 1)]
        from: u64,
        /// About so many things
        #[arg(long, short = 'n', default_value_t = 200)]
        limit: usize,
    },
    /// Find sessions by what was said in them
    #[command(
        after_help = "Example:\n  cm sessions search \"connection pool\" --agent claude-code --days 90"
    )]
    Search {
        /// The words, as in `cm search`
        query: String,
        #[command(flatten)]
        which: WhichArguments,
        /// Look at what tools were asked and answered, too
        #[arg(long)]
        tools: bool,
        /// At most so many sessions
        #[arg(long, short = 'n', default_value_t = 10)]
        limit: usize,
        /// Leave out so many at the front
        #[arg(long, default_value_t = 0)]
        offset: usize,
    },
    /// Tell what happened on which day
    #[command(after_help = "Example:\n  cm sessions timeline --days 30")]
    Timeline {
        #[command(flatten)]
        which: WhichArguments,
    },
    /// Show all that was said around a line of a log
    #[command(after_help = "Example:\n  cm sessions expand 0199aaaa --line 120 --context 5")]
    Expand {
        /// The session's id, or the beginning of it
        session: String,
        /// The line
        #[arg(long)]
        line: u64,
        /// So many lines before it and after it
        #[arg(long, default_value_t = 3)]
        context: u64,
    },
    /// Print a session as one document, without secrets
    #[command(after_help = "Example:\n  cm sessions export 0199aaaa --tools > session.md")]
    Export {
        /// Its id, or the beginning of it
        session: String,
        /// How it is written
        #[arg(long, value_name = "FORMAT", default_value = "md")]
        format: Format,
        /// All: what tools were asked and answered, thoughts, notices
        #[arg(long)]
        tools: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Markdown
    Md,
    /// JSON
    Json,
}

#[derive(Debug, Args)]
struct ListArguments {
    #[command(flatten)]
    which: WhichArguments,
    /// At most so many [default: 20]
    #[arg(long, short = 'n')]
    limit: Option<usize>,
    /// Leave out so many at the front
    #[arg(long)]
    offset: Option<usize>,
}

impl ListArguments {
    /// Whether any was given; an agent counts for the command behind it too.
    fn is_given(&self) -> bool {
        self.which.workspace.is_some()
            || self.which.days.is_some()
            || self.limit.is_some()
            || self.offset.is_some()
    }
}

#[derive(Debug, Args)]
struct WhichArguments {
    /// Only of this agent, such as claude-code; several between commas
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Only of this folder and those below it
    #[arg(long, short, value_name = "DIR")]
    workspace: Option<String>,
    /// Only of the last days, 0 for all
    #[arg(long, value_name = "N")]
    days: Option<f64>,
}

impl From<WhichArguments> for SessionSelection {
    fn from(WhichArguments { agent, workspace, days }: WhichArguments) -> Self {
        Self { agents: agent, workspace, days }
    }
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    if arguments.action.is_some() && arguments.list.is_given() {
        return Err(Error::usage("what narrows a list stands before another command")
            .hint("write it behind the command: cm sessions search \"pool\" --days 30"));
    }
    let memory = Context::open(call)?;
    let open = || open(&memory, output);
    match arguments.action.unwrap_or(Action::List(arguments.list)) {
        Action::List(ListArguments { which, limit, offset }) => {
            let (limit, offset) = (limit.unwrap_or(20), offset.unwrap_or(0));
            let options = list::Options { which: which.into(), limit, offset };
            output.print(&memory, &list::list(&memory, &open()?, &options)?, text::sessions::list)
        }
        Action::Show { session, tools, from, limit } => {
            let options = show::Options { from, limit, tools };
            let outcome = show::show(&memory, &open()?, &session, &options)?;
            output.print(&memory, &outcome, text::sessions::show)
        }
        Action::Search { query, which, tools, limit, offset } => {
            let options = search::Options { query, which: which.into(), tools, limit, offset };
            search::check(&options)?;
            let outcome = search::search(&memory, &open()?, &options)?;
            outcome.notices.iter().for_each(|notice| memory.notice(notice));
            output.print(&memory, &outcome, text::sessions::searched)
        }
        Action::Timeline { which } => {
            let outcome = timeline::timeline(&memory, &open()?, &which.into())?;
            output.print(&memory, &outcome, text::sessions::timeline)
        }
        Action::Expand { session, line, context } => {
            let outcome = show::expand(&memory, &open()?, &session, line, context)?;
            output.print(&memory, &outcome, text::sessions::show)
        }
        Action::Export { session, format, tools } => {
            let options = show::Options { from: 1, limit: usize::MAX, tools };
            let outcome = show::show(&memory, &open()?, &session, &options)?;
            if format == Format::Json {
                return output.as_json().print(&memory, &outcome, text::sessions::markdown);
            }
            output.print(&memory, &outcome, text::sessions::markdown)
        }
    }
}

/// Reads what is new in the logs, with a bar where a person looks on.
pub fn open(memory: &Context, output: &Output) -> Result<SessionAccess> {
    let bar = bar(output);
    let shelf = SessionAccess::open(memory, &mut |progress| {
        bar.set_length(progress.total as u64);
        bar.set_position(progress.done as u64);
    });
    bar.finish_and_clear();
    shelf
}

/// A bar where a person looks on, else none.
fn bar(output: &Output) -> ProgressBar {
    let shown = !output.json && std::io::stderr().is_terminal();
    let target = if shown { ProgressDrawTarget::stderr_with_hz(4) } else { ProgressDrawTarget::hidden() };
    let style = ProgressStyle::with_template("{bar:30} {pos} of {len} logs");
    let bar = ProgressBar::with_draw_target(None, target);
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
