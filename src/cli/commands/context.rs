//! `cm context`

use clap::{Args, ValueEnum};

use super::text_or_stdin;
use crate::cli::answer::{Output, Printed};
use cm_app::verbs::context;
use cm_app::{Context, Error, ErrorKind, Request, Result};
use cm_note::note::Priority;
use cm_render::{text, toon};

/// Collect context for a task
///
/// Prints relevant rules, pitfalls, memories, past sessions and warnings, and suggests further searches, within a token
/// limit. Items that do not fit are dropped, least valuable first, and counted. Sessions are described by their diaries, or
/// by what `cm sessions` has indexed. With --agent, only sessions of that agent are shown unless `sessions.cross_agent`
/// is set.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cm context \"fix the retry of gauge fetches\"
  cm context \"migrate the readings table\" --max-tokens 1000 --json
  cm context \"draw the tide chart\" --workspace tidewater-web --format toon
  cm context \"fix the retry of gauge fetches\" --as-of 2026-11-01
  git log -1 --format=%B | cm context -")]
pub struct Arguments {
    /// Task, 3 to 2,000 characters; quotes are optional, `-` reads standard input
    #[arg(required = true)]
    task: Vec<String>,
    /// Only rules of this project and rules without a project [default: rules of all projects]
    #[arg(long, value_name = "NAME")]
    workspace: Option<String>,
    /// Maximum number of rules and pitfalls [default: context.max_rules, 50]
    #[arg(long, value_name = "N")]
    limit_rules: Option<usize>,
    /// Token limit, at least 100 [default: context.max_tokens, 2000]
    #[arg(long, value_name = "N")]
    max_tokens: Option<usize>,
    /// Only rules and memories in this category
    #[arg(long, value_name = "CATEGORY")]
    category: Option<String>,
    /// Only memories with this priority
    #[arg(long, value_parser = super::one_of(&Priority::ALL, Priority::name))]
    priority: Option<Priority>,
    /// Output format [default: md; json with --json]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Collect from the vault as it was at a commit, a date or an age; a date means the end of that day (UTC)
    #[arg(long, value_name = "WHEN")]
    as_of: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Markdown
    Md,
    /// One JSON document, as with --json
    Json,
    /// TOON, a compact format that uses fewer tokens
    Toon,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    if output.json && arguments.format.is_some_and(|format| format != Format::Json) {
        return Err(
            Error::usage("--json cannot be combined with another --format").hint("remove one of them")
        );
    }
    let request = Request { for_prompts: true, ..request };
    let context = Context::open_as_of(request, arguments.as_of.as_deref())?;
    let options = context::Options {
        task: Some(text_or_stdin(&arguments.task.join(" "))?),
        workspace: arguments.workspace,
        limit_rules: arguments.limit_rules,
        max_tokens: arguments.max_tokens,
        category: arguments.category,
        priority: arguments.priority,
    };
    let outcome = context::context(&context, &options)?;
    if arguments.format == Some(Format::Toon) {
        let written = toon::document(&outcome);
        output.notices(&context);
        return output
            .plain(&written.map_err(|error| Error::new(ErrorKind::Failed, "toon", error.to_string()))?);
    }
    let mut output = *output;
    output.json |= arguments.format == Some(Format::Json);
    output.print(&context, &outcome, text::context::briefed)
}
