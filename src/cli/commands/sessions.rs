//! `cm sessions`

use clap::{Args, Subcommand, ValueEnum};

use crate::cli::answer::{Output, Printed};
use cm_app::sessions::search::SearchScope;
use cm_app::sessions::{SessionAccess, SessionSelection, list, search, show, timeline};
use cm_app::{Context, Error, Request, Result};
use cm_render::text;

/// List, search and show sessions of coding agents
///
/// Reads new entries of the agents' logs on this machine, removes secrets, and stores the rest in an index that Git ignores.
/// Logs are never changed. `sessions.agents` and `sessions.workspaces` control which sessions are read.
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
    /// List sessions, most recently ended first
    #[command(after_help = "Example:\n  cm sessions list --days 30 --agent codex")]
    List(ListArguments),
    /// Show a session with the line numbers of its log
    #[command(after_help = "Example:\n  cm sessions show 0199aaaa --tools")]
    Show {
        /// Session ID or unique prefix
        session: String,
        /// Also show tool calls and results, thoughts and notices
        #[arg(long)]
        tools: bool,
        /// First line of the log to show
        #[arg(long, value_name = "LINE", default_value_t = 1)]
        from: u64,
        /// Approximate number of entries
        #[arg(long, short = 'n', default_value_t = 200, value_parser = super::at_least_one)]
        limit: usize,
    },
    /// Search sessions by words and meaning
    #[command(
        after_help = "Examples:\n  cm sessions search \"connection pool\" --agent claude-code --days 90\n  cm sessions search \"docker compose up\" --in tools"
    )]
    Search {
        /// Search query, as in `cm search`
        query: String,
        #[command(flatten)]
        which: WhichArguments,
        /// What to search: what was said, tool calls and their output, or both
        #[arg(long = "in", value_name = "PART", default_value = "said", conflicts_with = "tools")]
        within: SearchPart,
        /// Short for `--in all`
        #[arg(long)]
        tools: bool,
        /// Maximum number of results
        #[arg(long, short = 'n', default_value_t = 10, value_parser = super::at_least_one)]
        limit: usize,
        /// Skip the first N results
        #[arg(long, default_value_t = 0)]
        offset: usize,
    },
    /// Show sessions by day
    #[command(after_help = "Example:\n  cm sessions timeline --days 30")]
    Timeline {
        #[command(flatten)]
        which: WhichArguments,
    },
    /// Show everything around a line of a log
    #[command(after_help = "Example:\n  cm sessions expand 0199aaaa --line 120 --context 5")]
    Expand {
        /// Session ID or unique prefix
        session: String,
        /// Line number
        #[arg(long)]
        line: u64,
        /// Number of lines before and after
        #[arg(long, default_value_t = 3)]
        context: u64,
    },
    /// Export a session as one document, without secrets
    #[command(after_help = "Example:\n  cm sessions export 0199aaaa --tools > session.md")]
    Export {
        /// Session ID or unique prefix
        session: String,
        /// Output format
        #[arg(long, value_name = "FORMAT", default_value = "md")]
        format: Format,
        /// Also include tool calls and results, thoughts and notices
        #[arg(long)]
        tools: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SearchPart {
    /// What people and agents said
    Said,
    /// Tool calls and their output
    Tools,
    /// Both
    All,
}

impl From<SearchPart> for SearchScope {
    fn from(part: SearchPart) -> Self {
        match part {
            SearchPart::Said => Self::Said,
            SearchPart::Tools => Self::Tools,
            SearchPart::All => Self::All,
        }
    }
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
    /// Maximum number of results [default: 20]
    #[arg(long, short = 'n', value_parser = super::at_least_one)]
    limit: Option<usize>,
    /// Skip the first N results
    #[arg(long)]
    offset: Option<usize>,
}

impl ListArguments {
    /// Whether any of these options is set, except --agent, which is global.
    fn is_given(&self) -> bool {
        self.which.workspace.is_some()
            || self.which.days.is_some()
            || self.limit.is_some()
            || self.offset.is_some()
    }
}

#[derive(Debug, Args)]
struct WhichArguments {
    /// Only sessions of this agent, such as claude-code; separate several by commas
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Only sessions in this folder or below
    #[arg(long, short, value_name = "DIR")]
    workspace: Option<String>,
    /// Only sessions of the last N days; 0 for all
    #[arg(long, value_name = "N")]
    days: Option<f64>,
}

impl From<WhichArguments> for SessionSelection {
    fn from(WhichArguments { agent, workspace, days }: WhichArguments) -> Self {
        Self { agents: agent, workspace, days }
    }
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    if arguments.action.is_some() && arguments.list.is_given() {
        return Err(Error::usage("filter options must follow the subcommand")
            .hint("for example `cm sessions search \"pool\" --days 30`"));
    }
    let context = Context::open(request)?;
    let open = || open(&context, output);
    match arguments.action.unwrap_or(Action::List(arguments.list)) {
        Action::List(ListArguments { which, limit, offset }) => {
            let (limit, offset) = (limit.unwrap_or(20), offset.unwrap_or(0));
            let options = list::Options { which: which.into(), limit, offset };
            output.print(&context, &list::list(&context, &open()?, &options)?, text::sessions::list)
        }
        Action::Show { session, tools, from, limit } => {
            let options = show::Options { from, limit, tools };
            let outcome = show::show(&context, &open()?, &session, &options)?;
            output.print(&context, &outcome, text::sessions::show)
        }
        Action::Search { query, which, within, tools, limit, offset } => {
            let within = if tools { SearchScope::All } else { within.into() };
            let options = search::Options { query, which: which.into(), within, limit, offset };
            search::check(&options)?;
            let outcome = search::search(&context, &open()?, &options)?;
            outcome.notices.iter().for_each(|notice| context.notice(notice));
            output.print(&context, &outcome, text::sessions::searched)
        }
        Action::Timeline { which } => {
            let outcome = timeline::timeline(&context, &open()?, &which.into())?;
            output.print(&context, &outcome, text::sessions::timeline)
        }
        Action::Expand { session, line, context: lines_around } => {
            let outcome = show::expand(&context, &open()?, &session, line, lines_around)?;
            output.print(&context, &outcome, text::sessions::show)
        }
        Action::Export { session, format, tools } => {
            let options = show::Options { from: 1, limit: usize::MAX, tools };
            let outcome = show::show(&context, &open()?, &session, &options)?;
            if format == Format::Json {
                return output.as_json().print(&context, &outcome, text::sessions::markdown);
            }
            output.print(&context, &outcome, text::sessions::markdown)
        }
    }
}

/// Opens the session index after reading new log entries, with a progress bar.
pub fn open(context: &Context, output: &Output) -> Result<SessionAccess> {
    let display = output.progress("logs");
    SessionAccess::open(context, &mut |progress| display.show(progress, ""))
}
