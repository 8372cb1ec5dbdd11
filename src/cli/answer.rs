//! What reaches the terminal: the answer on stdout, everything else on stderr. A closed pipe ends the program quietly.
#![allow(clippy::print_stderr, reason = "notices and errors go to stderr, and only from here")]

use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use serde::Serialize;

use cm_app::{Context, Error, ErrorKind, Result};
use cm_render::{json, text};

/// That an answer was printed, and whether it says that a check failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Printed {
    /// Exit code 1 instead of 0.
    pub failed: bool,
    /// Nothing was done where work was asked for.
    pub nothing: bool,
    /// What was asked about is refused.
    pub refused: bool,
    /// The answer tells of a failure of this kind.
    pub kind: Option<ErrorKind>,
}

impl Printed {
    /// The same answer, which says that something failed.
    pub fn failed(self, failed: bool) -> Self {
        Self { failed, ..self }
    }

    /// The same answer, which lists why nothing was done.
    pub fn nothing_done(self) -> Self {
        Self { failed: true, nothing: true, ..self }
    }

    /// The same answer, which tells of a failure of this kind.
    pub fn of_kind(self, kind: Option<ErrorKind>) -> Self {
        Self { kind, ..self }
    }

    /// The same answer, which says that what was asked about must not be done.
    pub fn refused(self) -> Self {
        Self { refused: true, ..self }
    }
}

/// How answers are printed in this call.
#[derive(Debug, Clone, Copy)]
pub struct Output {
    /// One JSON document instead of text.
    pub json: bool,
    quiet: bool,
    verbose: bool,
}

impl Output {
    /// Text or JSON, with or without notices.
    pub fn new(json: bool, quiet: bool, verbose: bool) -> Self {
        Self { json, quiet, verbose }
    }

    /// The same, but for answers as JSON.
    pub fn as_json(&self) -> Self {
        Self { json: true, ..*self }
    }

    /// Prints an outcome: its JSON, or the text that `words` makes of it; then the notices of the call.
    ///
    /// # Errors
    /// Where stdout cannot be written, other than by a reader that went away.
    pub fn print<T: Serialize>(
        &self,
        memory: &Context,
        outcome: &T,
        words: impl FnOnce(&T) -> String,
    ) -> Result<Printed> {
        let shown = if self.json { json::document(outcome) } else { words(outcome) };
        self.notices(memory);
        self.plain(&shown)
    }

    /// Prints text as it stands, with a line break at its end.
    ///
    /// # Errors
    /// Those of [`Output::print`].
    pub fn plain(&self, shown: &str) -> Result<Printed> {
        let shown = if self.json { text::style::escaped_json(shown) } else { text::style::escaped(shown) };
        printed(write_out(&shown))
    }

    /// Prints bytes and nothing else; on a terminal as text that cannot steer it.
    ///
    /// # Errors
    /// Those of [`Output::print`].
    pub fn bytes(&self, shown: &[u8]) -> Result<Printed> {
        if on_terminal() {
            return self.plain(&text::style::safe(&String::from_utf8_lossy(shown)));
        }
        let mut out = io::stdout().lock();
        printed(out.write_all(shown).and_then(|()| out.flush()))
    }

    /// Prints what the person should hear besides the answer.
    pub fn notices(&self, memory: &Context) {
        for open in memory.vaults.iter().filter(|_| self.verbose) {
            self.notice(&format!("the {} vault is {}", open.level.name(), open.vault.root().display()));
        }
        for notice in memory.take_notices() {
            self.notice(&notice);
        }
    }

    /// Prints how long the command took, where that was asked for.
    pub fn took(&self, begun: std::time::Instant) {
        if self.verbose {
            self.notice(&format!("took {} ms", begun.elapsed().as_millis()));
        }
    }

    /// Prints one line for the person.
    pub fn notice(&self, notice: &str) {
        if !self.quiet {
            anstream::eprintln!("{}", text::notice(notice));
        }
    }

    /// Prints a line of a server's log, as it stands.
    pub fn log(&self, line: &impl std::fmt::Display) {
        if !self.quiet {
            eprintln!("{line}");
        }
    }

    /// Shows a person how far it is, on one line that goes away when all is done.
    pub fn progress(&self, done: usize, all: usize, what: &str) {
        if self.quiet || !io::stderr().is_terminal() {
            return;
        }
        if done < all {
            anstream::eprint!("\r{done} of {all} {what}\u{1b}[K");
        } else {
            anstream::eprint!("\r\u{1b}[K");
        }
    }

    /// Prints an error: as JSON on stdout where JSON was asked for, else on stderr.
    pub fn error(&self, error: &Error) {
        if self.json {
            // A reader that went away needs no error either.
            let _ = write_out(&json::error(error));
        } else {
            anstream::eprint!("{}", text::error(error));
        }
    }
}

/// An error of usage always says where to read on.
pub fn with_way_on(error: Error) -> Error {
    if error.kind == ErrorKind::Usage && error.hint.is_none() {
        return error.hint("`cm help COMMAND` shows its arguments with examples");
    }
    error
}

/// Whether a person looks at stdout.
pub fn on_terminal() -> bool {
    io::stdout().is_terminal()
}

/// A reader that went away has seen enough.
fn printed(written: io::Result<()>) -> Result<Printed> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::new(ErrorKind::Failed, "io", format!("cannot write to stdout: {error}")))
        }
        _ => Ok(Printed::default()),
    }
}

fn write_out(shown: &str) -> io::Result<()> {
    let mut out = anstream::AutoStream::auto(io::stdout().lock());
    out.write_all(shown.as_bytes())?;
    if !shown.is_empty() && !shown.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// What the parser has to say of a hook's arguments, which is no refusal of what the hook was asked about.
pub fn spared(error: &clap::Error) -> ExitCode {
    let _ = error.print();
    ExitCode::SUCCESS
}

/// What the parser of the command line has to say: help and version on stdout, errors as text or JSON.
pub fn refused_by_clap(error: &clap::Error, arguments: &[OsString]) -> ExitCode {
    if !error.use_stderr() {
        let shown = error.render();
        let _ = write_out(&shown.ansi().to_string());
        return ExitCode::SUCCESS;
    }
    if arguments.iter().any(|word| word == "--json") {
        let words = error.render().to_string();
        // The first paragraph says what is wrong, in several lines where arguments are listed.
        let said: Vec<&str> = words.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
        let message = said.join(" ").trim_start_matches("error: ").to_owned();
        let hint = tips(error)
            .unwrap_or_else(|| "`cm help` lists the commands, `cm help COMMAND` their arguments".to_owned());
        let _ = write_out(&json::error(&Error::usage(message).hint(hint)));
    } else {
        // The parser prints to stderr with its own colours.
        let _ = error.print();
    }
    ExitCode::from(2)
}

/// The parser's advice: an option with a similar name, or how the word is passed as a value.
fn tips(error: &clap::Error) -> Option<String> {
    match error.get(ContextKind::Suggested)? {
        ContextValue::StyledStrs(tips) if !tips.is_empty() => {
            Some(tips.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
        }
        _ => None,
    }
}
