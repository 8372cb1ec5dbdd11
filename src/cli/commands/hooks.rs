//! `cm hooks`

use clap::{Args, Subcommand};

use crate::cli::answer::{Output, Printed};
use cm_app::hooks::{self, HookChanges, Options, HookScope};
use cm_app::{Request, Result};
use cm_render::{json, text};

/// Put the memory into agents' sessions: hooks in the settings of Claude Code, Codex, Cursor, Gemini CLI and opencode
///
/// A session begins with CORE.md and a briefing for the branch and the last commits; a prompt is given the rules and memories that fit
/// it well, none twice; commands are judged by the guard; and what was said is read in the background when a conversation is compacted
/// or ends. Settings `hooks.*` say how much. What else stands in the settings stays byte for byte, and uninstalling gives the very bytes
/// from before.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm hooks install --dry-run\n  cm hooks install claude cursor --project --skills --mcp\n  cm hooks install --user\n  cm hooks status\n  cm hooks uninstall claude"
)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Put our hooks into agents' settings, in place of older ones of ours; shows the change first
    #[command(after_help = "Example:\n  cm hooks install claude --project --skills")]
    Install {
        #[command(flatten)]
        which: Which,
        /// Give agents skills, or commands, to remember, recall, give feedback, stash and look for friction
        #[arg(long)]
        skills: bool,
        /// Tell agents of the MCP server (`cm mcp`), too
        #[arg(long)]
        mcp: bool,
        /// Only show the change
        #[arg(long)]
        dry_run: bool,
    },
    /// Take our hooks, skills and server out again
    #[command(after_help = "Example:\n  cm hooks uninstall --user")]
    Uninstall {
        #[command(flatten)]
        which: Which,
        /// Only show the change
        #[arg(long)]
        dry_run: bool,
    },
    /// Show in whose settings our hooks are, and what went wrong in them last
    #[command(after_help = "Example:\n  cm hooks status --json")]
    Status {
        #[command(flatten)]
        which: Which,
    },
}

#[derive(Debug, Args)]
struct Which {
    /// The agents: claude, codex, cursor, gemini, opencode [default: those that keep settings there]
    #[arg(value_name = "AGENT")]
    agents: Vec<String>,
    /// In the settings of the project's folder [default within a repository]
    #[arg(long, conflicts_with = "user")]
    project: bool,
    /// In your own settings, for all folders [default elsewhere]
    #[arg(long)]
    user: bool,
}

impl Which {
    fn options(self, skills: bool, mcp: bool) -> Options {
        let reach = match (self.project, self.user) {
            (true, _) => Some(HookScope::Project),
            (_, true) => Some(HookScope::User),
            _ => None,
        };
        Options { agents: self.agents, reach, skills, mcp }
    }
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    match arguments.action {
        Action::Install { which, skills, mcp, dry_run } => {
            written(hooks::install(&call, &which.options(skills, mcp))?, dry_run, output)
        }
        Action::Uninstall { which, dry_run } => {
            written(hooks::uninstall(&call, &which.options(false, false))?, dry_run, output)
        }
        Action::Status { which } => {
            let status = hooks::status(&call, &which.options(false, false))?;
            output.plain(&if output.json { json::document(&status) } else { text::hooks::status(&status) })
        }
    }
}

/// Shows the change, makes it, and says so.
fn written(mut changes: HookChanges, dry_run: bool, output: &Output) -> Result<Printed> {
    changes.dry_run = dry_run;
    if !output.json {
        output.plain(&text::hooks::diffs(&changes))?;
    }
    if !dry_run {
        hooks::apply(&changes)?;
    }
    let shown = if output.json { json::document(&changes) } else { text::hooks::changes(&changes) };
    let printed = output.plain(&shown)?;
    changes.notices.iter().for_each(|notice| output.notice(notice));
    Ok(printed)
}
