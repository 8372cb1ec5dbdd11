//! `cm update`

use clap::Args;

use super::{add::pair, text_or_stdin};
use crate::cli::answer::{Output, Printed};
use cm_app::verbs::update;
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Change keys, tags or the body of a note
///
/// All other lines stay unchanged.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm update 1f0c2a --set importance=0.9 --add-tag postgres\n  cm update 1f0c2a --remove priority --append \"Seen again on Friday.\""
)]
pub struct Arguments {
    /// Note ID (or unique prefix), title or path
    note: String,
    /// Set a key
    #[arg(long, value_name = "KEY=VALUE", value_parser = pair)]
    set: Vec<(String, String)>,
    /// Remove a key
    #[arg(long, value_name = "KEY")]
    remove: Vec<String>,
    /// Add a tag, or several separated by commas
    #[arg(long, aliases = ["tag", "tags"], value_name = "TAG")]
    add_tag: Vec<String>,
    /// Remove a tag
    #[arg(long, value_name = "TAG")]
    remove_tag: Vec<String>,
    /// Replace the body; a text without a heading leaves that of the title; `-` reads standard input; refused if the note has uncommitted edits, unless `--expected-revision` is given
    #[arg(long, value_name = "TEXT", conflicts_with = "append", allow_hyphen_values = true)]
    body: Option<String>,
    /// Append text to the body; `-` reads standard input
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    append: Option<String>,
    /// Update only if the note still has this revision, as printed by `cm get --json`
    #[arg(long, value_name = "REVISION")]
    expected_revision: Option<String>,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let text = |given: Option<String>| given.as_deref().map(text_or_stdin).transpose();
    let options = update::Options {
        set: arguments.set,
        remove: arguments.remove,
        add_tags: arguments.add_tag,
        remove_tags: arguments.remove_tag,
        body: text(arguments.body)?,
        append: text(arguments.append)?,
        expected_revision: arguments.expected_revision,
    };
    let outcome = update::update(&context, &arguments.note, &options)?;
    if outcome.changed && options.set.iter().any(|(key, _)| key == "title") {
        output.notice("`cm rename` changes the title with the file name and all links");
    }
    output.print(&context, &outcome, text::update::changed)
}
