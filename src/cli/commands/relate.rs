//! `cm relate`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::relate;
use cm_app::{Context, Error, Request, Result};
use cm_render::text;

/// Create a typed edge between two notes
///
/// Each edge is stored in its own file.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm relate \"Retry with jitter\" \"Gauges time out\" --type SOLVES --why \"less load\"\n  cm relate 1f0c2a REQUIRES 77ab01"
)]
pub struct Arguments {
    /// FROM TO, or FROM TYPE TO: notes by ID, title or path
    #[arg(required = true, num_args = 2..=3, value_name = "NOTE")]
    notes: Vec<String>,
    /// Edge type: SOLVES, CAUSES, BUILDS_ON, REQUIRES, SUPERSEDES, CONTRADICTS … [default: RELATED_TO]
    #[arg(long = "type", short = 't', value_name = "TYPE")]
    relation: Option<String>,
    /// Strength, 0.0 to 1.0
    #[arg(long, value_name = "N")]
    strength: Option<f64>,
    /// Reason for the edge
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    why: Option<String>,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let (from, to, relation) = from_words(arguments.notes, arguments.relation)?;
    let options = relate::Options { from, to, relation, strength: arguments.strength, why: arguments.why };
    let outcome = relate::relate(&context, &options)?;
    output.print(&context, &outcome, text::relate::related)
}

/// Splits `FROM TO` or `FROM TYPE TO` into two notes and the edge type.
///
/// # Errors
/// The type is given twice.
pub fn from_words(
    mut words: Vec<String>,
    relation: Option<String>,
) -> Result<(String, String, Option<String>)> {
    let to = words.pop().unwrap_or_default();
    let between = if words.len() > 1 { words.pop() } else { None };
    if let (Some(relation), Some(between)) = (&relation, &between) {
        return Err(Error::usage(format!("the edge type is given twice: {between} and {relation}"))
            .hint("use FROM TYPE TO, or FROM TO with --type TYPE"));
    }
    Ok((words.pop().unwrap_or_default(), to, relation.or(between)))
}
