//! `cm update`

use clap::Args;

use super::{add::pair, text_or_stdin};
use crate::cli::answer::{Output, Printed};
use cm_app::{Request, Context, Result, update};
use cm_render::text;

/// Change keys, tags or the body of a note
///
/// All other lines stay as they are.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm update 1f0c2a --set importance=0.9 --add-tag postgres\n  cm update 1f0c2a --remove priority --append \"Seen again on Friday.\""
)]
pub struct Arguments {
    /// Its id or the beginning of it, its title, or its path
    note: String,
    /// Give a key a value
    #[arg(long, value_name = "KEY=VALUE", value_parser = pair)]
    set: Vec<(String, String)>,
    /// Take a key away
    #[arg(long, value_name = "KEY")]
    remove: Vec<String>,
    /// Add a tag
    #[arg(long, value_name = "TAG")]
    add_tag: Vec<String>,
    /// Take a tag away
    #[arg(long, value_name = "TAG")]
    remove_tag: Vec<String>,
    /// A new text, `-` for standard input
    #[arg(long, value_name = "TEXT", conflicts_with = "append", allow_hyphen_values = true)]
    body: Option<String>,
    /// Text at the end, `-` for standard input
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    append: Option<String>,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    let text = |given: Option<String>| given.as_deref().map(text_or_stdin).transpose();
    let options = update::Options {
        set: arguments.set,
        remove: arguments.remove,
        add_tags: arguments.add_tag,
        remove_tags: arguments.remove_tag,
        body: text(arguments.body)?,
        append: text(arguments.append)?,
    };
    let outcome = update::update(&memory, &arguments.note, &options)?;
    output.print(&memory, &outcome, text::update::changed)
}
