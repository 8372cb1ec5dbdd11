//! `cm init`

use std::path::PathBuf;

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::{Request, Result, init};
use cm_render::text;

/// Make a folder a vault
///
/// It gets settings, ignore rules, and a repository where there is none. Notes that lie in it stay as they are.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm init notes\n  cm init .memory      # inside a project's repository\n  cm init --global     # your own, for all projects"
)]
pub struct Arguments {
    /// The folder [default: the working folder]
    folder: Option<PathBuf>,
    /// Make your own vault, in the platform's data folder
    #[arg(long, conflicts_with = "folder")]
    global: bool,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let options = init::Options { folder: arguments.folder, global: arguments.global };
    let (memory, outcome) = init::init(call, &options)?;
    output.print(&memory, &outcome, text::init::initialised)
}
