//! `cm init`

use std::path::PathBuf;

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::init;
use cm_app::{Request, Result};
use cm_render::text;

/// Create a vault in a folder
///
/// Adds settings and ignore rules, and creates a Git repository if there is none. Existing notes do not change.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm init notes\n  cm init .memory      # inside a project's repository\n  cm init --global     # your own, for all projects"
)]
pub struct Arguments {
    /// Folder [default: the working directory]
    folder: Option<PathBuf>,
    /// Create your global vault in the platform's data directory
    #[arg(long, conflicts_with = "folder")]
    global: bool,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let options = init::Options { folder: arguments.folder, global: arguments.global };
    let (context, outcome) = init::init(request, &options)?;
    output.print(&context, &outcome, text::init::initialised)
}
