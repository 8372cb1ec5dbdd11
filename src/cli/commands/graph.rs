//! `cm graph`

use clap::{Args, ValueEnum};

use crate::cli::answer::{Output, Printed, on_terminal};
use cm_app::verbs::graph;
use cm_app::verbs::related::{self, Options};
use cm_app::{Context, Error, Request, Result};
use cm_render::text;

/// Print the note graph, or a tree around one note
///
/// On a terminal, shows the notes around a note as a tree. Otherwise prints the whole graph, or the part around one note, for
/// other programs.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm graph --format dot | dot -Tsvg > graph.svg\n  cm graph 1f0c2a --hops 2 --format mermaid\n  cm graph --as-of 2026-11-01 --json"
)]
pub struct Arguments {
    /// Only the part around this note
    note: Option<String>,
    /// Maximum distance from the note, 1 to 5 edges
    #[arg(long, default_value_t = 1)]
    hops: u8,
    /// Output format [default: mermaid; json with --json; a tree of a note on a terminal]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Print the graph as it was at a commit, a date or an age; a date means the end of that day (UTC)
    #[arg(long, value_name = "WHEN")]
    as_of: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Dot,
    Mermaid,
    Json,
    Graphml,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let format = match (arguments.format, output.json) {
        (None | Some(Format::Json), true) | (Some(Format::Json), false) => graph::GraphFormat::Json,
        (Some(_), true) => return Err(Error::usage("--json cannot be combined with another --format")),
        (Some(Format::Dot), false) => graph::GraphFormat::Dot,
        (Some(Format::Graphml), false) => graph::GraphFormat::GraphMl,
        (Some(Format::Mermaid) | None, false) => graph::GraphFormat::Mermaid,
    };
    let context = Context::open_as_of(request, arguments.as_of.as_deref())?;
    if let (Some(note), None, true) = (&arguments.note, arguments.format, on_terminal() && !output.json) {
        let options = Options { hops: arguments.hops, ..Options::default() };
        let related = related::related(&context, note, &options)?;
        return output.print(&context, &related, text::related::tree);
    }
    let drawn = graph::graph(&context, arguments.note.as_deref(), arguments.hops, format)?;
    output.document(&context, &drawn)
}
