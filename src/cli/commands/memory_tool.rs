//! `cm memory-tool`

use clap::Args;

use super::text_or_stdin;
use crate::cli::answer::{Output, Printed};
use cm_app::verbs::memory_tool;
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Answer a command of Anthropic's memory tool from this vault
///
/// For programs that call the Messages API with the tool memory_20250818. They pass the input of a tool call (view, create,
/// str_replace, insert, delete or rename), or the whole tool_use block, as JSON, and return the printed text as the tool
/// result. Exit code 1 means that the tool result is an error.
///
/// The files of /memories are notes below memories/ in the vault. What the model writes is unverified until you confirm it,
/// secrets are removed, and each change is a commit. Notes that you confirmed are readable and do not change.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm memory-tool '{\"command\": \"view\", \"path\": \"/memories\"}'\n  cm memory-tool --json < call.json"
)]
pub struct Arguments {
    /// The command as JSON; `-` reads standard input
    #[arg(value_name = "JSON", default_value = "-")]
    command: String,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let outcome = memory_tool::memory_tool(&context, &text_or_stdin(&arguments.command)?)?;
    if outcome.redacted > 0 {
        output.notice(&format!("{} removed from the text", text::memory_tool::secrets(outcome.redacted)));
    }
    Ok(output.print(&context, &outcome, text::memory_tool::answered)?.failed(outcome.is_error))
}
