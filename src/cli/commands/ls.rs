//! `cm ls`

use clap::{Args, ValueEnum};

use super::when;
use crate::cli::answer::{Output, Printed};
use cm_app::verbs::recent::{self, NoteOrder};
use cm_app::{Context, Request, Result};
use cm_render::text;

/// List notes
///
/// Filters are combined. `cm search` finds notes by their words.
#[derive(Debug, Args)]
#[command(
    visible_alias = "list",
    after_help = "Examples:\n  cm ls\n  cm ls --type decision --tag database\n  cm ls graph/fixes --sort title\n  cm ls --since 7d --limit 100"
)]
pub struct Arguments {
    /// Only notes below this folder, such as graph/fixes
    folder: Option<String>,
    /// Only notes of this type or kind, such as decision or bullet
    #[arg(long = "type", short = 't', value_name = "TYPE")]
    note_type: Option<String>,
    /// Only notes with this tag; may be repeated
    #[arg(long = "tag", alias = "tags", value_name = "TAG")]
    tags: Vec<String>,
    /// Only notes that changed since a date or an age such as 7d
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Only pinned notes
    #[arg(long)]
    pinned: bool,
    /// Order of the list
    #[arg(long, value_name = "ORDER", value_enum, default_value_t)]
    sort: Order,
    /// Maximum number of results
    #[arg(long, short = 'n', default_value_t = 50, value_parser = super::at_least_one)]
    limit: usize,
    /// Skip the first N results (`next` in the previous output)
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    offset: usize,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Order {
    /// Last changed first
    #[default]
    Updated,
    /// By title
    Title,
    /// By path
    Path,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let since = arguments.since.as_deref().map(|typed| when("--since", typed, context.now())).transpose()?;
    let options = recent::Options {
        limit: arguments.limit,
        offset: arguments.offset,
        since,
        note_type: arguments.note_type,
        tags: arguments.tags,
        folder: arguments.folder,
        pinned: arguments.pinned,
        order: match arguments.sort {
            Order::Updated => NoteOrder::Updated,
            Order::Title => NoteOrder::Title,
            Order::Path => NoteOrder::Path,
        },
    };
    let outcome = recent::recent(&context, &options)?;
    output.print(&context, &outcome, text::recent::recent)
}
