//! `cm new`

use clap::Args;

use super::edit::open_editor;
use crate::cli::answer::{Output, Printed, on_terminal};
use cm_app::verbs::{add, templates};
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Create a memory from a template in your editor
///
/// The template of the type asks what makes such a note useful. Sections that you leave empty are not kept. No note is
/// created if the editor fails or the template is unchanged. Without a terminal, with --json or with --no-edit, the headings
/// of the template are written without opening an editor. A vault has its own templates in `.templates/TYPE.md`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm new --type decision --title \"Use Postgres\" --tags database\n  cm new --type fix --title \"Close idle connections\" --no-edit\n  cm new --list"
)]
pub struct Arguments {
    /// Type, such as solution, fix or decision
    #[arg(long = "type", short = 't', value_name = "TYPE", default_value = "general")]
    note_type: String,
    /// Title
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, required_unless_present = "list")]
    title: Option<String>,
    /// Tags, separated by commas
    #[arg(long, aliases = ["tag", "add-tag"], value_name = "A,B", value_delimiter = ',')]
    tags: Vec<String>,
    /// Importance, 0.0 to 1.0
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    importance: Option<f64>,
    /// Write the template without opening an editor
    #[arg(long)]
    no_edit: bool,
    /// List the templates with their questions instead
    #[arg(long, conflicts_with_all = ["title", "tags", "importance", "no_edit"])]
    list: bool,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    if arguments.list {
        return output.print(&context, &templates::list(&context)?, text::templates::listed);
    }
    let options = add::Options {
        note_type: arguments.note_type,
        title: arguments.title.unwrap_or_default(),
        tags: arguments.tags,
        importance: arguments.importance,
        ..add::Options::default()
    };
    let in_editor = !arguments.no_edit && !output.json && on_terminal();
    let outcome = if in_editor {
        add::add_edited(&context, &options, &open_editor)?
    } else {
        add::add(&context, &options)?
    };
    output.print(&context, &outcome, text::add::added)
}
