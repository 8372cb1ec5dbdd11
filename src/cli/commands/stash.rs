//! `cm stash`

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::edit::open_editor;
use super::text_or_stdin;
use crate::cli::answer::{Output, Printed};
use crate::cli::stdin;
use cm_app::sessions::load;
use cm_app::verbs::stash::{self, Options, StashContent};
use cm_app::{Context, Error, ErrorKind, Request, Result};
use cm_render::text;

/// Save raw text or an agent session for later
///
/// Reads standard input, opens the editor, or takes a session. Creates a note in stash/ in one commit; an existing stash is
/// never replaced. Secrets are removed and counted. A session is taken with --session ID, or if an agent (CM_SESSION) passes
/// no text. Its stash has the title, workspace, user messages, decisions, requests, failures, files, commands and the end.
/// `cm remember` derives facts, preferences and episodes from stashes.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  cm stash \"Talk about the cache\" < notes.md\n  cm stash \"Cache, second try\" --session 0199aaaa\n  cm stash \"Plan for the release\" --edit --tags release\n  cm stash list\n  cm stash show \"Talk about the cache\""
)]
pub struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
    /// Name of the stash [default for a session: its title]
    name: Option<String>,
    /// Write the text in your editor
    #[arg(long)]
    edit: bool,
    /// Tags, separated by commas
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    tags: Vec<String>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List stashes, newest first
    #[command(after_help = "Example:\n  cm stash list --limit 5")]
    List {
        /// Maximum number of results
        #[arg(long, short = 'n', default_value_t = 50, value_parser = super::at_least_one)]
        limit: usize,
    },
    /// Show a stash
    #[command(after_help = "Example:\n  cm stash show 9184fb0c")]
    Show {
        /// Stash ID (or unique prefix), name or path
        stash: String,
    },
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    match arguments.action {
        Some(Action::List { limit }) => {
            output.print(&context, &stash::list(&context, limit)?, text::stash::listed)
        }
        Some(Action::Show { stash }) => {
            output.print(&context, &stash::show(&context, &stash)?, text::stash::shown)
        }
        None => {
            let from = given(&context, &arguments, output)?;
            let options = Options { name: arguments.name, content: from, tags: arguments.tags };
            output.print(&context, &stash::stash(&context, &options)?, text::stash::stashed)
        }
    }
}

/// Reads the session, the text from the editor, or standard input.
fn given(context: &Context, arguments: &Arguments, output: &Output) -> Result<StashContent> {
    let request = &context.request;
    let session = request.caller.session.as_deref().filter(|id| !id.is_empty());
    let typed = session.filter(|id| request.variables.get("CM_SESSION").map(String::as_str) != Some(id));
    if arguments.edit {
        if typed.is_some() {
            return Err(Error::usage("--edit cannot be combined with a session"));
        }
        return Ok(StashContent::Text(from_editor()?));
    }
    if let Some(id) = typed {
        return of_session(context, id, output);
    }
    let text = if stdin::is_terminal() { String::new() } else { text_or_stdin("-")? };
    match session {
        Some(id) if text.trim().is_empty() => of_session(context, id, output),
        _ => Ok(StashContent::Text(text)),
    }
}

fn of_session(context: &Context, id: &str, output: &Output) -> Result<StashContent> {
    let access = super::sessions::open(context, output)?;
    Ok(StashContent::Session(Box::new(load::load(context, &access, id)?)))
}

/// Opens the editor on a private temporary file and returns the text.
fn from_editor() -> Result<String> {
    let failed = |error: std::io::Error| {
        Error::new(
            ErrorKind::Failed,
            "editor",
            format!("cannot create a temporary file for the editor: {error}"),
        )
    };
    let file = tempfile::Builder::new().prefix("cm-stash-").suffix(".md").tempfile().map_err(failed)?;
    let path: PathBuf = file.path().to_owned();
    open_editor(&path)?;
    std::fs::read_to_string(&path).map_err(failed)
}
