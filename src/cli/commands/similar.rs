//! `cm similar`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::similar;
use cm_app::{Context, Request, Result};
use cm_note::note::NoteKind;
use cm_render::text;

/// Find notes with similar words to a note or text
///
/// Searches all open vaults, most similar first. Rules that contradict the text are marked.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm similar 1f0c2a\n  cm similar \"always mock the clock in tests\" --kind bullet"
)]
pub struct Arguments {
    /// Note ID (or unique prefix), title or path; any other value is used as text
    #[arg(required = true, value_name = "NOTE|TEXT")]
    like: Vec<String>,
    /// Maximum number of results
    #[arg(long, short = 'n', default_value_t = 10, value_parser = super::at_least_one)]
    limit: usize,
    /// Only notes of this kind
    #[arg(long, value_parser = super::one_of(&COMPARED_KINDS, NoteKind::name))]
    kind: Option<NoteKind>,
}

/// All kinds except edges.
const COMPARED_KINDS: [NoteKind; 7] = [
    NoteKind::Memory,
    NoteKind::Bullet,
    NoteKind::Blocked,
    NoteKind::Episode,
    NoteKind::Diary,
    NoteKind::Stash,
    NoteKind::Plain,
];

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let options =
        similar::Options { like: arguments.like.join(" "), limit: arguments.limit, kind: arguments.kind };
    let outcome = similar::similar(&context, &options)?;
    output.print(&context, &outcome, text::similar::similar)
}
