//! `cm manpages`

use std::path::PathBuf;

use clap::{Args, CommandFactory as _};

use crate::cli::answer::{Output, Printed};
use cm_app::{Error, ErrorKind, Request, Result};

/// Write manual pages
///
/// Writes one page per command.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cm manpages --out ~/.local/share/man/man1")]
pub struct Arguments {
    /// Output folder
    #[arg(long, value_name = "DIR", default_value = "man")]
    out: PathBuf,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let folder = request.cwd.join(&arguments.out);
    let failed = |error: std::io::Error| {
        Error::new(ErrorKind::Failed, "io", format!("cannot write the manual pages: {error}")).at(
            folder.display(),
            None,
            None,
        )
    };
    std::fs::create_dir_all(&folder).map_err(failed)?;
    clap_mangen::generate_to(crate::cli::Cli::command(), &folder).map_err(failed)?;
    let mut pages: Vec<String> = std::fs::read_dir(&folder)
        .map_err(failed)?
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.starts_with("cm") && name.ends_with(".1"))
        .collect();
    pages.sort();
    if output.json {
        let document = serde_json::json!({ "folder": arguments.out.display().to_string(), "pages": pages });
        return output.plain(&cm_render::json::document(&document));
    }
    output.plain(&format!("{} manual pages in {}", pages.len(), arguments.out.display()))
}
