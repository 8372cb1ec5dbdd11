//! `cm stash`

use std::io::IsTerminal as _;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::edit::open_editor;
use super::text_or_stdin;
use crate::cli::answer::{Output, Printed};
use cm_app::sessions::{SessionAccess, whole};
use cm_app::stash::{self, StashContent, Options};
use cm_app::{Request, Error, ErrorKind, Context, Result};
use cm_render::text;

/// Keep a raw capture: a text from standard input or the editor, or a session of an agent
///
/// It becomes a note in stash/ with one commit, and never takes the place of another of the same name. Secrets are taken out, and it
/// is said how many. With --session ID, or where an agent asks (CM_SESSION) and hands over no text, the session is kept: its title
/// and workspace, what the person said, what was decided and wanted, what went wrong, the files and commands, and how it ended.
/// `cm remember` makes facts, preferences and episodes of stashes.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  cm stash \"Talk about the cache\" < notes.md\n  cm stash \"Cache, second try\" --session 0199aaaa\n  cm stash \"Plan for the release\" --edit --tags release\n  cm stash list\n  cm stash show \"Talk about the cache\""
)]
pub struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
    /// What it is about, in a few words; of a session its title, where nothing is said
    name: Option<String>,
    /// Write the text in the editor
    #[arg(long)]
    edit: bool,
    /// Its tags, separated by commas
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    tags: Vec<String>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List stashes, the newest first
    #[command(after_help = "Example:\n  cm stash list --limit 5")]
    List {
        /// At most so many
        #[arg(long, short = 'n', default_value_t = 50)]
        limit: usize,
    },
    /// Show what a stash says
    #[command(after_help = "Example:\n  cm stash show 9184fb0c")]
    Show {
        /// Its id or the beginning of it, its name, or its path
        stash: String,
    },
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    match arguments.action {
        Some(Action::List { limit }) => {
            output.print(&memory, &stash::list(&memory, limit)?, text::stash::listed)
        }
        Some(Action::Show { stash }) => {
            output.print(&memory, &stash::show(&memory, &stash)?, text::stash::shown)
        }
        None => {
            let from = given(&memory, &arguments, output)?;
            let options = Options { name: arguments.name, content: from, tags: arguments.tags };
            output.print(&memory, &stash::stash(&memory, &options)?, text::stash::stashed)
        }
    }
}

/// The session that is named, what is written in the editor, or standard input.
fn given(memory: &Context, arguments: &Arguments, output: &Output) -> Result<StashContent> {
    let call = &memory.call;
    let session = call.by.session.as_deref().filter(|id| !id.is_empty());
    let typed = session.filter(|id| call.variables.get("CM_SESSION").map(String::as_str) != Some(id));
    if arguments.edit {
        if typed.is_some() {
            return Err(Error::usage("a session is kept as it was; --edit writes a text of your own"));
        }
        return Ok(StashContent::Text(from_editor()?));
    }
    if let Some(id) = typed {
        return of_session(memory, id, output);
    }
    let text = if std::io::stdin().is_terminal() { String::new() } else { text_or_stdin("-")? };
    match session {
        Some(id) if text.trim().is_empty() => of_session(memory, id, output),
        _ => Ok(StashContent::Text(text)),
    }
}

fn of_session(memory: &Context, id: &str, output: &Output) -> Result<StashContent> {
    let shelf = SessionAccess::open(memory, &mut |at| output.progress(at.done, at.total, "logs"))?;
    Ok(StashContent::Session(Box::new(whole::load(memory, &shelf, id)?)))
}

/// What a person writes in an editor, in a file that nobody else may read and that is gone afterwards.
fn from_editor() -> Result<String> {
    let failed = |error: std::io::Error| {
        Error::new(ErrorKind::Failed, "editor", format!("no file for the editor: {error}"))
    };
    let file = tempfile::Builder::new().prefix("cm-stash-").suffix(".md").tempfile().map_err(failed)?;
    let path: PathBuf = file.path().to_owned();
    open_editor(&path)?;
    std::fs::read_to_string(&path).map_err(failed)
}
