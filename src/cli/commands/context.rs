//! `cm context`

use clap::{Args, ValueEnum};

use super::text_or_stdin;
use crate::cli::answer::{Output, Printed};
use cm_note::note::Priority;
use cm_app::{Request, Error, ErrorKind, Context, Result, context};
use cm_render::{text, toon};

/// Brief an agent for a task
///
/// The rules, pitfalls and memories that matter for it, past sessions about it, warnings, and where to look further, within a
/// budget of tokens. What does not fit is left out, the least valuable first, and counted. Sessions are told by their
/// diaries, else as far as `cm sessions` has read their logs; an agent (--agent) is shown its own only, unless
/// `sessions.cross_agent` allows more.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cm context \"fix the retry of gauge fetches\"
  cm context \"migrate the readings table\" --max-tokens 1000 --json
  cm context \"draw the tide chart\" --workspace tidewater-web --format toon
  git log -1 --format=%B | cm context -")]
pub struct Arguments {
    /// The task, 3 to 2,000 characters; several words need no quotes, `-` reads standard input
    #[arg(required = true)]
    task: Vec<String>,
    /// Only rules of this project and those of no project [default: those of all projects in the vault]
    #[arg(long, value_name = "NAME")]
    workspace: Option<String>,
    /// Rules and pitfalls at most [default: the setting context.max_rules, 50]
    #[arg(long, value_name = "N")]
    limit_rules: Option<usize>,
    /// Tokens at most, 100 or more [default: the setting context.max_tokens, 2000]
    #[arg(long, value_name = "N")]
    max_tokens: Option<usize>,
    /// Only rules and memories of this category
    #[arg(long, value_name = "CATEGORY")]
    category: Option<String>,
    /// Only memories of this priority
    #[arg(long, value_enum)]
    priority: Option<Urgency>,
    /// How it is written [default: md; json with --json]
    #[arg(long, value_enum)]
    format: Option<Format>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Markdown
    Md,
    /// One JSON document, as with --json
    Json,
    /// The same as TOON, which costs fewer tokens
    Toon,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Urgency {
    Critical,
    Moderate,
    Ephemeral,
}

impl From<Urgency> for Priority {
    fn from(urgency: Urgency) -> Self {
        match urgency {
            Urgency::Critical => Self::Critical,
            Urgency::Moderate => Self::Moderate,
            Urgency::Ephemeral => Self::Ephemeral,
        }
    }
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    if output.json && arguments.format.is_some_and(|format| format != Format::Json) {
        return Err(
            Error::usage("--json and another --format exclude each other").hint("leave one of them out")
        );
    }
    let memory = Context::open(Request { for_prompts: true, ..call })?;
    let options = context::Options {
        task: text_or_stdin(&arguments.task.join(" "))?,
        workspace: arguments.workspace,
        limit_rules: arguments.limit_rules,
        max_tokens: arguments.max_tokens,
        category: arguments.category,
        priority: arguments.priority.map(Priority::from),
    };
    let outcome = context::context(&memory, &options)?;
    if arguments.format == Some(Format::Toon) {
        let written = toon::document(&outcome);
        output.notices(&memory);
        return output.plain(&written.map_err(|error| Error::new(ErrorKind::Failed, "toon", error.to_string()))?);
    }
    let mut output = *output;
    output.json |= arguments.format == Some(Format::Json);
    output.print(&memory, &outcome, text::context::briefed)
}
