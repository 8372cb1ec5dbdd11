//! `cm hooks`

use clap::{Args, Subcommand};

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::hooks::{self, HookChanges, HookScope, Options};
use cm_app::verbs::merge_driver;
use cm_app::{Request, Result};
use cm_render::text;

/// Manage cm's hooks in coding agents
///
/// A session starts with CORE.md and context for the branch and latest commits. Each prompt gets matching rules and
/// memories, none of them twice. The guard checks commands. Logs are read in the background when a conversation is
/// compacted or ends. The `hooks.*` settings control how much is added. Other settings of the agents do not change, and
/// uninstalling restores each file exactly.
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
    /// Install cm's hooks, replacing older ones; shows the changes first
    #[command(after_help = "Example:\n  cm hooks install claude --project --skills")]
    Install {
        #[command(flatten)]
        which: Which,
        /// Also install skills or commands to remember, recall, give feedback, stash and find friction
        #[arg(long)]
        skills: bool,
        /// Also register the MCP server (`cm mcp`)
        #[arg(long)]
        mcp: bool,
        /// Show the changes without writing them
        #[arg(long)]
        dry_run: bool,
    },
    /// Remove cm's hooks, skills and MCP server
    #[command(after_help = "Example:\n  cm hooks uninstall --user")]
    Uninstall {
        #[command(flatten)]
        which: Which,
        /// Show the changes without writing them
        #[arg(long)]
        dry_run: bool,
    },
    /// Show where hooks are installed, and their latest errors
    #[command(after_help = "Example:\n  cm hooks status --json")]
    Status {
        #[command(flatten)]
        which: Which,
    },
}

#[derive(Debug, Args)]
struct Which {
    /// Agents: claude, codex, cursor, pi, gemini, opencode, cline, copilot, qwen [default: those with settings there]
    #[arg(value_name = "AGENT")]
    agents: Vec<String>,
    /// Use the project's settings [default inside a repository]
    #[arg(long, conflicts_with = "user")]
    project: bool,
    /// Use your own settings, for all folders [default elsewhere]
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

pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    match arguments.action {
        Action::Install { which, skills, mcp, dry_run } => {
            let changes = hooks::install(&call, &which.options(skills, mcp))?;
            if !dry_run {
                merge_driver::register_in_vault(call);
            }
            written(changes, dry_run, output)
        }
        Action::Uninstall { which, dry_run } => {
            written(hooks::uninstall(&call, &which.options(false, false))?, dry_run, output)
        }
        Action::Status { which } => {
            let status = hooks::status(&call, &which.options(false, false))?;
            output.result(&status, text::hooks::status)
        }
    }
}

/// Shows the changes and writes them unless `dry_run` is set.
fn written(mut changes: HookChanges, dry_run: bool, output: &Output) -> Result<Printed> {
    changes.dry_run = dry_run;
    if !output.json {
        output.plain(&text::hooks::diffs(&changes))?;
    }
    if !dry_run {
        hooks::apply(&changes)?;
    }
    let printed = output.result(&changes, text::hooks::changes)?;
    changes.notices.iter().for_each(|notice| output.notice(notice));
    Ok(printed)
}
