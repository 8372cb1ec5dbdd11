//! `cm related`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use crate::cli::pick::note_or_choice;
use cm_app::verbs::related;
use cm_app::{Context, Request, Result};
use cm_note::graph::EdgeDirection;
use cm_render::text;

/// List notes connected to a note
///
/// Follows typed edges, relations, wikilinks and Markdown links.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm related 1f0c2a\n  cm related 1f0c2a --hops 2 --type SOLVES,CAUSES --direction incoming\n  cm related 1f0c2a --as-of 7d"
)]
pub struct Arguments {
    /// Note ID (or unique prefix), title or path
    note: Option<String>,
    /// Maximum distance, 1 to 5 edges
    #[arg(long, default_value_t = 1)]
    hops: u8,
    /// Only edges of these types
    #[arg(long = "type", short = 't', value_name = "TYPE", value_delimiter = ',')]
    relations: Vec<String>,
    /// Only edges in this direction
    #[arg(long, value_parser = super::one_of(&EdgeDirection::ALL, EdgeDirection::name))]
    direction: Option<EdgeDirection>,
    /// Maximum number of results
    #[arg(long, short = 'n', default_value_t = related::DEFAULT_LIMIT, value_parser = super::at_least_one)]
    limit: usize,
    /// Skip the first N results (`next` in the previous output)
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    offset: usize,
    /// List the notes as they were at a commit, a date or an age; a date means the end of that day (UTC)
    #[arg(long, value_name = "WHEN")]
    as_of: Option<String>,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open_as_of(request, arguments.as_of.as_deref())?;
    let note = note_or_choice(&context, arguments.note, output)?;
    let options = related::Options {
        hops: arguments.hops,
        relations: arguments.relations,
        direction: arguments.direction,
        limit: arguments.limit,
        offset: arguments.offset,
    };
    let outcome = related::related(&context, &note, &options)?;
    output.print(&context, &outcome, text::related::related)
}
