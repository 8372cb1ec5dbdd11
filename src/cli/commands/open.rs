//! `cm open`

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use clap::{Args, ValueEnum};

use super::edit;
use crate::cli::answer::{Output, Printed};
use crate::cli::pick::note_or_choice;
use cm_app::verbs::locate;
use cm_app::{Context, Error, ErrorKind, Request, Result};
use cm_render::html::encode_component;

/// Open a note in Obsidian or your editor
///
/// A note in an Obsidian vault opens in Obsidian if there is a desktop, any other in your editor, as with `cm edit`.
/// Without a note, choose one from a list.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm open\n  cm open \"Retry with jitter\"\n  cm open 1f0c2a --in editor")]
pub struct Arguments {
    /// Note ID (or unique prefix), title or path
    note: Option<String>,
    /// Program that shows the note [default: chosen by the vault]
    #[arg(long = "in", value_name = "PROGRAM", value_enum)]
    program: Option<Program>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Program {
    Obsidian,
    Editor,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let note = note_or_choice(&context, arguments.note, output)?;
    let location = locate::locate(&context, &note)?;
    let program = arguments.program.unwrap_or(match location.is_in_obsidian && has_desktop() {
        true => Program::Obsidian,
        false => Program::Editor,
    });
    if program == Program::Editor {
        return edit::edit_note(&context, &location.id, output);
    }
    start(&obsidian_uri(&location.file))
        .map_err(|error| error.hint("`cm open --in editor` uses your editor"))?;
    output.print(&context, &location, |location| format!("opened {} in Obsidian\n", location.path))
}

/// Whether a desktop can show windows.
fn has_desktop() -> bool {
    cfg!(any(windows, target_os = "macos"))
        || ["DISPLAY", "WAYLAND_DISPLAY"]
            .iter()
            .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}

/// `obsidian://open?path=…`, percent-encoded, as Obsidian documents it.
fn obsidian_uri(file: &Path) -> String {
    format!("obsidian://open?path={}", encode_component(&file.to_string_lossy()))
}

/// Opens a URI with the program that the desktop has registered for it.
///
/// # Errors
/// The program cannot be started or fails.
pub fn start(uri: &str) -> Result<()> {
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else {
        ("xdg-open", &[])
    };
    let program = OsString::from(program);
    let status =
        Command::new(&program).args(arguments).arg(uri).stdin(Stdio::null()).stdout(Stdio::null()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        failed => {
            let why = failed.map_or_else(|error| error.to_string(), |status| status.to_string());
            Err(Error::new(ErrorKind::Failed, "open", format!("cannot open {uri}: {why}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_uri_of_a_file_is_encoded() {
        let uri = obsidian_uri(Path::new("/home/ada/My notes/ü & x.md"));
        assert_eq!(uri, "obsidian://open?path=%2Fhome%2Fada%2FMy%20notes%2F%C3%BC%20%26%20x.md");
    }
}
