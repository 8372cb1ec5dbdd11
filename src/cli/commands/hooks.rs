//! `cm hooks`

use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use super::text_or_stdin;
use crate::cli::answer::{Output, Printed};
use crate::cli::stdin;
use cm_app::verbs::hooks::{self, HookChanges, HookScope, Options, ServerOptions};
use cm_app::verbs::merge_driver;
use cm_app::{Error, ErrorKind, Request, Result};
use cm_render::text;

/// Maximum number of bytes that are read of a file with a token or a certificate.
const MAX_SECRET_FILE_BYTES: u64 = 1 << 20;

/// Manage cm's hooks in coding agents
///
/// A session starts with CORE.md and context for the branch and latest commits. Each prompt gets matching rules and
/// memories, none of them twice. The guard checks commands. Logs are read in the background when a conversation is
/// compacted or ends. The `hooks.*` settings control how much is added. Other settings of the agents do not change, and
/// uninstalling restores each file exactly.
///
/// With `--server`, hooks use a team server instead of a vault on this machine. The server returns briefings and
/// receives sessions and feedback, without secrets. Uploads that fail are sent later. Address and token are stored in
/// your private files, not in the agents' settings.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm hooks install --dry-run\n  cm hooks install claude cursor --project --skills --mcp\n  cm hooks install --user\n  cm hooks install claude --server https://memory.example.org\n  cm hooks status\n  cm hooks deliver\n  cm hooks uninstall claude"
)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Install cm's hooks, replacing older ones; shows the changes first
    #[command(
        after_help = "Examples:\n  cm hooks install claude --project --skills\n  cm hooks install claude --server https://memory.example.org --token-file token.txt"
    )]
    Install {
        #[command(flatten)]
        which: Which,
        /// Also install skills or commands to remember, recall, give feedback, stash and find friction
        #[arg(long)]
        skills: bool,
        /// Also register the MCP server (`cm mcp`)
        #[arg(long)]
        mcp: bool,
        #[command(flatten)]
        server: ServerArguments,
        /// Show the changes without writing them
        #[arg(long)]
        dry_run: bool,
    },
    /// Remove cm's hooks, skills and MCP server, and the connection to a team server
    #[command(after_help = "Example:\n  cm hooks uninstall --user")]
    Uninstall {
        #[command(flatten)]
        which: Which,
        /// Show the changes without writing them
        #[arg(long)]
        dry_run: bool,
    },
    /// Send pending uploads to the team server now; hooks do so in the background
    ///
    /// Uploads that the server rejected permanently, or that always failed, are set aside. When the cause is gone,
    /// `--refused` sends them again. If the address of the server changed, `--from` sends the pending uploads of
    /// the former address to the new one. Where nothing is pending, the server is asked whether it answers.
    /// Exits 7 if it is away or failed, 1 if it rejected uploads permanently.
    #[command(
        after_help = "Examples:\n  cm hooks deliver\n  cm hooks deliver --refused\n  cm hooks deliver --from https://old.example.org"
    )]
    Deliver {
        /// Also send again what the server rejected permanently
        #[arg(long)]
        refused: bool,
        /// Also send what waits for a server that no folder calls any more: its name in `cm hooks status`, or its address
        #[arg(long, value_name = "SERVER")]
        from: Option<String>,
    },
    /// Show where hooks are installed, their latest errors, and what waits for a team server
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

/// The team server that the hooks call.
#[derive(Debug, Args)]
struct ServerArguments {
    /// Call this team server instead of a vault on this machine: https://…, or http:// on this machine
    #[arg(long, value_name = "URL", conflicts_with_all = ["skills", "mcp"])]
    server: Option<String>,
    /// File with the token for the server, `-` for standard input; it is stored in your private files
    #[arg(long, value_name = "FILE", requires = "server")]
    token_file: Option<PathBuf>,
    /// PEM file with the certificate of the server or its authority, the only one to trust
    #[arg(long, value_name = "FILE", requires = "server")]
    certificate: Option<PathBuf>,
    /// Keep a copy of the server's MEMORY.md in this file of the project
    #[arg(long, value_name = "FILE", requires = "server")]
    memory_file: Option<String>,
}

impl ServerArguments {
    fn options(self, request: &Request, dry_run: bool) -> Result<Option<ServerOptions>> {
        let Some(url) = self.server else { return Ok(None) };
        let read = |file: &PathBuf| match file.to_str() {
            Some("-") => text_or_stdin("-"),
            _ => read_start(&request.cwd.join(file))
                .map_err(|error| Error::usage(format!("cannot read {}: {error}", file.display()))),
        };
        let mut token = self.token_file.as_ref().map(read).transpose()?;
        if token.is_none() && !dry_run && hooks::asks_for_token(request, &url)? && stdin::is_terminal() {
            token = Some(ask_token(&url)?);
        }
        let certificate = self.certificate.as_ref().map(read).transpose()?;
        Ok(Some(ServerOptions { url, token, certificate, memory_file: self.memory_file, dry_run }))
    }
}

/// Reads a file up to [`MAX_SECRET_FILE_BYTES`] bytes.
fn read_start(file: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    std::fs::File::open(file)?.take(MAX_SECRET_FILE_BYTES).read_to_string(&mut text)?;
    Ok(text)
}

fn ask_token(url: &str) -> Result<String> {
    let prompt = format!("Token for {url} (it is stored in your private files):");
    let typed = inquire::Password::new(&prompt).without_confirmation().prompt();
    typed.map_err(|_| Error::usage("no token was typed").hint("pass `--token-file FILE`, or set CM_TOKEN"))
}

impl Which {
    /// The options with these agents and this scope; everything else is off.
    fn options(self) -> Options {
        let scope = match (self.project, self.user) {
            (true, _) => Some(HookScope::Project),
            (_, true) => Some(HookScope::User),
            _ => None,
        };
        Options { agents: self.agents, scope, skills: false, mcp: false, server: None }
    }
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    match arguments.action {
        Action::Install { which, skills, mcp, server, dry_run } => {
            let server = server.options(&request, dry_run)?;
            let options = Options { skills, mcp, server, ..which.options() };
            let changes = hooks::install(&request, &options)?;
            if !dry_run {
                merge_driver::register_in_vault(request.clone());
            }
            show_and_apply(&request, changes, dry_run, output)
        }
        Action::Uninstall { which, dry_run } => {
            let changes = hooks::uninstall(&request, &which.options())?;
            show_and_apply(&request, changes, dry_run, output)
        }
        Action::Deliver { refused, from } => {
            let done = hooks::deliver(&request, refused, from.as_deref())?;
            let printed = output.result(&done, text::hooks::delivered)?;
            let away = done.failure.is_some().then_some(ErrorKind::Provider);
            Ok(printed.failed(done.refused > 0).of_kind(away))
        }
        Action::Status { which } => {
            let status = hooks::status(&request, &which.options())?;
            output.result(&status, text::hooks::status)
        }
    }
}

/// Shows the changes and writes them unless `dry_run` is set.
fn show_and_apply(
    request: &Request,
    mut changes: HookChanges,
    dry_run: bool,
    output: &Output,
) -> Result<Printed> {
    changes.dry_run = dry_run;
    if !output.json {
        output.plain(&text::hooks::diffs(&changes))?;
    }
    if !dry_run {
        hooks::apply(request, &changes)?;
    }
    let printed = output.result(&changes, text::hooks::changes)?;
    changes.notices.iter().for_each(|notice| output.notice(notice));
    Ok(printed)
}
