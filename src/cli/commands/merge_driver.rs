//! `cm merge-driver`

use std::path::PathBuf;

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::merge_driver;
use cm_app::{Request, Result};

/// Merge one file for Git
///
/// Git runs this command during `git merge`, `git pull` and `git rebase` for the files that `.gitattributes` assigns to the
/// driver `cm`. It joins notes by key, feedback event and paragraph, episodes by entry and `cm.toml` by key. The result
/// replaces OURS. If both sides changed one paragraph, Git's conflict markers are left in it and the command exits 1.
///
/// Jujutsu runs it with `--output` during `jj resolve --tool cm`. The markers then have the base, too, so that Jujutsu can read
/// them back.
///
/// `cm init`, `cm sync` and `cm hooks install` register the driver in the clone, and the tool in a Jujutsu repository. `cm doctor`
/// reports a clone without it.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  git config merge.cm.driver 'cm merge-driver %O %A %B %P'\n  cm merge-driver base.md ours.md theirs.md graph/facts/pool.md"
)]
pub struct Arguments {
    /// Common ancestor; an empty file if there is none (%O)
    base: PathBuf,
    /// Version of this branch, replaced by the result (%A)
    ours: PathBuf,
    /// Version of the other branch (%B)
    theirs: PathBuf,
    /// Path of the file in the work tree (%P)
    path: String,
    /// Write the result to this file instead of OURS, as other version control programs want it
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let Arguments { base, ours, theirs, path, output: result } = arguments;
    let markers =
        merge_driver::merge(&request, &merge_driver::Options { base, ours, theirs, output: result, path })?;
    Ok(output.plain("")?.failed(markers))
}
