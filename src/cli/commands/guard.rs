//! `cm guard`

use std::ffi::OsString;

use clap::{Args, ValueEnum};

use crate::cli::answer::{Output, Printed};
use crate::cli::stdin;
use cm_app::verbs::guard::{self, GuardVerdict, Guarded};
use cm_app::verbs::guard::{HookAgent, HookMessage, HookReply, hook_agent};
use cm_app::{Error, ErrorKind, Request, Result};
use cm_render::{json, text};

/// Check a command before it runs: allow, warn or block
///
/// The command is parsed and expanded like a shell does. Built-in rules detect commands that destroy data, send secrets,
/// publish, change startup files or cannot be analyzed. Incidents in `playbook/incidents/` turn a warning into a block;
/// patterns in `blocked/` apply too. Pass the command after the options or on standard input. Standard input is a command line or
/// a hook message of Claude Code, Codex, Cursor or Gemini CLI. Hook messages are answered in the agent's format with exit
/// code 0; for tools that write files, the target path is checked. Otherwise a block exits 5. If the guard itself fails, it
/// warns on stderr, exits 0 and lets the command run.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm guard -- git push --force origin main\n  echo 'rm -rf build' | cm guard --json\n  cm guard --format claude < tool-call.json"
)]
pub struct Arguments {
    /// Command to check [default: standard input]
    #[arg(trailing_var_arg = true)]
    command: Vec<String>,
    /// Format of standard input and the answer [default: detected]
    #[arg(long, value_enum)]
    format: Option<Format>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Claude Code `PreToolUse`
    Claude,
    /// Codex `PreToolUse`
    Codex,
    /// Cursor `beforeShellExecution` and `preToolUse`
    Cursor,
    /// Gemini CLI `BeforeTool`
    Gemini,
    /// A command line; the answer is text
    Text,
    /// A command line; the answer is JSON
    Json,
}

impl Format {
    fn agent(self) -> Option<HookAgent> {
        match self {
            Self::Claude => hook_agent("claude"),
            Self::Codex => hook_agent("codex"),
            Self::Cursor => hook_agent("cursor"),
            Self::Gemini => hook_agent("gemini"),
            Self::Text | Self::Json => None,
        }
    }
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let as_json = output.json || arguments.format == Some(Format::Json);
    if !arguments.command.is_empty() {
        let words: Vec<&str> = arguments.command.iter().map(String::as_str).collect();
        // A single word is a whole command line that was quoted for the shell.
        let line = if let [line] = words.as_slice() { (*line).to_owned() } else { cm_shell::line_of(&words) };
        return judge_and_print(request, &line, as_json, output);
    }
    let missing = || Error::usage("missing command").hint("for example `cm guard -- rm -rf build`");
    if stdin::is_terminal() {
        return Err(missing());
    }
    let given = stdin::command()?;
    let agent = arguments.format.and_then(Format::agent);
    let plain = matches!(arguments.format, Some(Format::Text | Format::Json));
    if !plain && (agent.is_some() || given.trim_start().starts_with("{\"") || is_message(&given)) {
        return answer_hook(request, &given, agent, output);
    }
    if given.trim().is_empty() {
        return Err(missing());
    }
    judge_and_print(request, &given, as_json, output)
}

fn judge_and_print(request: Request, line: &str, as_json: bool, output: &Output) -> Result<Printed> {
    let (decision, notices) = guard::guard(request, line);
    notices.iter().for_each(|notice| output.notice(notice.for_terminal()));
    let outcome = Guarded::from(&decision);
    let output = if as_json { output.as_json() } else { *output };
    let printed = output.result(&outcome, text::guard::guarded)?;
    let is_blocked = outcome.decision == GuardVerdict::Block;
    Ok(printed.of_kind(is_blocked.then_some(ErrorKind::Refused)))
}

/// Answers a hook message. An invalid message is reported on stderr and does not block the agent.
fn answer_hook(request: Request, given: &str, agent: Option<HookAgent>, output: &Output) -> Result<Printed> {
    let Some(message) = HookMessage::read_for_guard(given, agent) else {
        output.notice("cm guard: standard input is not a hook message; the command was not checked");
        return output.plain(agent.map_or("", |agent| agent.empty_reply()));
    };
    let Some(tool_call) = &message.guard_request else { return output.plain(message.agent.empty_reply()) };
    let folder = tool_call.cwd.as_ref().map(std::path::PathBuf::from).filter(|folder| folder.is_absolute());
    let cwd = folder.unwrap_or_else(|| request.cwd.clone());
    let Some((decision, notices)) = guard::guard_tool_call(&Request { cwd, ..request }, tool_call) else {
        return output.plain(message.agent.empty_reply());
    };
    notices.iter().for_each(|notice| output.notice(notice.for_terminal()));
    if output.json {
        return output.plain(&json::document(&Guarded::from(&decision)));
    }
    output.plain(&HookReply::Verdict(decision).stdout(&message))
}

fn is_message(given: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(given).is_ok_and(|value| value.is_object())
}

/// Whether an agent runs `cm guard` as a hook: without `--`, and standard input is not a terminal.
pub fn is_hook(arguments: &[OsString]) -> bool {
    !arguments.iter().any(|word| word == "--") && !stdin::is_terminal()
}
