//! The terminal that output goes to: its size, colours and pager.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::{Command, Stdio};

use anstream::{AutoStream, ColorChoice};
use clap::ValueEnum;

/// When output is coloured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Also into files and pipes
    Always,
    /// Never
    Never,
}

impl Color {
    /// Applies the choice to all output of the process.
    pub fn apply(self) {
        match self {
            Self::Auto => ColorChoice::Auto,
            Self::Always => ColorChoice::Always,
            Self::Never => ColorChoice::Never,
        }
        .write_global();
    }

    /// Reads `--color` from unparsed arguments, so that it also holds for help and usage errors.
    pub fn of(arguments: &[OsString]) -> Self {
        let mut words = arguments.iter().filter_map(|word| word.to_str()).take_while(|word| *word != "--");
        while let Some(word) = words.next() {
            let value = match word.strip_prefix("--color") {
                Some("") => words.next(),
                Some(rest) => rest.strip_prefix('='),
                None => None,
            };
            if let Some(color) = value.and_then(|value| Self::from_str(value, false).ok()) {
                return color;
            }
        }
        Self::Auto
    }
}

/// Width of the terminal on stdout, in columns; `None` if stdout is not a terminal.
pub fn width() -> Option<usize> {
    size(&io::stdout()).map(|(width, _)| width)
}

/// Width of the terminal on stderr, in columns; `None` if stderr is not a terminal.
pub fn error_width() -> Option<usize> {
    size(&io::stderr()).map(|(width, _)| width)
}

/// Columns and rows. A terminal without a size counts as 80 × 24.
fn size(stream: &impl io::IsTerminal) -> Option<(usize, usize)> {
    let size = || match crossterm::terminal::size() {
        Ok((width, height)) if width > 0 && height > 0 => (usize::from(width), usize::from(height)),
        _ => (80, 24),
    };
    stream.is_terminal().then(size)
}

/// Prints a text, through the pager if it does not fit the terminal on stdout and `may_page`.
///
/// # Errors
/// stdout cannot be written.
pub fn show(text: &str, may_page: bool) -> io::Result<()> {
    let is_long = || size(&io::stdout()).is_some_and(|(_, height)| text.lines().count() >= height);
    if may_page && is_long() && page(text) {
        return Ok(());
    }
    print(text)
}

/// Prints a text and adds a line break if it lacks one.
///
/// # Errors
/// stdout cannot be written.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = AutoStream::auto(io::stdout().lock());
    out.write_all(text.as_bytes())?;
    if !text.is_empty() && !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// Shows a text in the program named by `CM_PAGER` or `PAGER`, or in `less`. Returns whether it ran.
fn page(text: &str) -> bool {
    let pager = ["CM_PAGER", "PAGER"].iter().find_map(|name| std::env::var(name).ok());
    let words = shell_words::split(pager.as_deref().unwrap_or("less")).unwrap_or_default();
    let Some((program, arguments)) = words.split_first().filter(|(program, _)| *program != "cat") else {
        return false;
    };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        // Quit if it fits after all, pass colours through, leave the text on the screen.
        command.env("LESS", "FRX");
    }
    let Ok(mut pager) = command.spawn() else { return false };
    let text = match AutoStream::choice(&io::stdout()) {
        ColorChoice::Never => anstream::adapter::strip_str(text).to_string(),
        _ => text.to_owned(),
    };
    if let Some(mut input) = pager.stdin.take() {
        // The reader may quit before the end.
        let _ = input.write_all(text.as_bytes());
    }
    pager.wait().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_colour_is_read_from_unparsed_arguments_before_the_end_of_options() {
        for (line, expected) in [
            ("cm search x --color never", Color::Never),
            ("cm --color=always search", Color::Always),
            ("cm search -- --color never", Color::Auto),
            ("cm search --color", Color::Auto),
            ("cm --colors never", Color::Auto),
        ] {
            let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            assert_eq!(Color::of(&arguments), expected, "{line}");
        }
    }
}
