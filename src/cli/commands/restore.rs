//! `cm restore`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::restore;
use cm_app::{Context, Error, Request, Result};
use cm_render::text;

/// Restore a deleted note, or an earlier version of a note
///
/// Without a commit, the last version of a deleted note is restored.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm restore 1f0c2a\n  cm restore 1f0c2a@HEAD~3\n  cm restore 1f0c2a@7d")]
pub struct Arguments {
    /// Note by ID, path or title, and a commit, date or age
    #[arg(value_name = "NOTE[@COMMIT]")]
    what: String,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let outcome = match arguments.what.rsplit_once('@') {
        Some((note, commit)) if !note.is_empty() && !commit.is_empty() => {
            restore::restore(&context, note, commit)?
        }
        Some(_) => {
            let hint = "for example `cm restore 1f0c2a@HEAD~3`";
            return Err(Error::usage("expected NOTE or NOTE@COMMIT").hint(hint));
        }
        None => restore::restore_deleted(&context, &arguments.what)?,
    };
    output.print(&context, &outcome, text::update::changed)
}
