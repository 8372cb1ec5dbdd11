//! `cm add`

use clap::Args;

use super::text_or_stdin;
use crate::cli::answer::{Output, Printed};
use crate::cli::stdin;
use cm_app::verbs::add;
use cm_app::{Context, Error, Request, Result};

/// Write down a thought, or a memory with its fields, and commit it
///
/// Of a thought, the first line or sentence becomes the title. Without text, standard input is read, with --title as the
/// body. A memory with the same title and text is not stored again; its ID is printed.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm add \"Retry uploads with jitter, or the gateway blocks us\"\n  git log -1 --format=%B | cm add --type decision --tags storage\n  cm add --type solution --title \"Retry with jitter\" --tags net --body \"Over 30 s.\"\n  cm add --type decision --title \"Use Postgres\" --body - < reasons.md"
)]
pub struct Arguments {
    /// The thought; with --title, the body
    #[arg(value_name = "THOUGHT", conflicts_with = "body")]
    thought: Vec<String>,
    /// Type: solution, fix, decision, configuration, problem, workflow, code_pattern, error, general, procedure, insight,
    /// fact, preference, observation, or a type declared in cm.toml
    #[arg(long = "type", short = 't', value_name = "TYPE", default_value = "general")]
    note_type: String,
    /// Title
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    title: Option<String>,
    /// Tags, separated by commas
    #[arg(long, aliases = ["tag", "add-tag"], value_name = "A,B", value_delimiter = ',')]
    tags: Vec<String>,
    /// Importance, 0.0 to 1.0
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    importance: Option<f64>,
    /// Confidence, 0.0 to 1.0
    #[arg(long, value_name = "N")]
    confidence: Option<f64>,
    /// Body in Markdown; `-` reads standard input
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true,
        allow_hyphen_values = true
    )]
    body: String,
    /// Pin the memory so that it never fades; it is stored in vault/
    #[arg(long)]
    pinned: bool,
    /// Set another frontmatter key
    #[arg(long, value_name = "KEY=VALUE", value_parser = pair)]
    set: Vec<(String, String)>,
    /// Store the note even if a memory has the same title and text
    #[arg(long)]
    allow_duplicate: bool,
}

/// The text on the command line, or else on standard input unless that is a terminal.
fn text(arguments: &Arguments) -> Result<String> {
    match arguments.thought.join(" ") {
        words if !words.is_empty() => text_or_stdin(&words),
        _ if arguments.body.is_empty() && !stdin::is_terminal() => text_or_stdin("-"),
        _ => text_or_stdin(&arguments.body),
    }
}

/// Splits `KEY=VALUE`.
pub fn pair(typed: &str) -> std::result::Result<(String, String), String> {
    match typed.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => Ok((key.trim().to_owned(), value.to_owned())),
        _ => Err("expected KEY=VALUE".to_owned()),
    }
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let text = text(&arguments)?;
    let (title, body) = match arguments.title {
        Some(title) => (title, text),
        None if text.trim().is_empty() => {
            let hint = "for example `cm add \"Retry with jitter\"`";
            return Err(Error::usage("there is nothing to write down").hint(hint));
        }
        None => add::split_thought(&text),
    };
    let context = Context::open(request)?;
    let options = add::Options {
        note_type: arguments.note_type,
        title,
        tags: arguments.tags,
        importance: arguments.importance,
        confidence: arguments.confidence,
        pinned: arguments.pinned,
        body: Some(body),
        extra: arguments.set,
        allow_duplicate: arguments.allow_duplicate,
    };
    let outcome = add::add(&context, &options)?;
    output.print(&context, &outcome, cm_render::text::add::added)
}
