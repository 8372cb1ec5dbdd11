//! `cm unrelate`

use clap::Args;

use super::relate::from_words;
use crate::cli::answer::{Output, Printed};
use cm_app::verbs::relate;
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Remove edges between two notes
///
/// Removes edges from the first note to the second, wherever they are stored. Links in note bodies stay.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm unrelate 1f0c2a 77ab01 --type SOLVES")]
pub struct Arguments {
    /// FROM TO, or FROM TYPE TO: notes by ID, title or path
    #[arg(required = true, num_args = 2..=3, value_name = "NOTE")]
    notes: Vec<String>,
    /// Edge type: SOLVES, CAUSES, BUILDS_ON, REQUIRES, SUPERSEDES, CONTRADICTS … [default: all]
    #[arg(long = "type", short = 't', value_name = "TYPE")]
    relation: Option<String>,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let (from, to, relation) = from_words(arguments.notes, arguments.relation)?;
    let options = relate::Options { from, to, relation, strength: None, why: None };
    let outcome = relate::unrelate(&context, &options)?;
    output.print(&context, &outcome, text::relate::related)
}
