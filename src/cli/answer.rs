//! Terminal output: the answer on stdout, everything else on stderr. A closed pipe ends the program quietly.
#![allow(clippy::print_stderr, reason = "notices and errors go to stderr, and only from here")]

use std::io::{self, IsTerminal as _, Write as _};

use serde::Serialize;

use cm_app::context::receipts;
use cm_app::{Context, Error, ErrorKind, Result};
use cm_render::{json, layout, text};

use super::progress::ProgressDisplay;
use super::terminal;

/// How a command that printed its answer ends. Decides the exit code.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Printed {
    #[default]
    Success,
    /// The answer reports a failure: exit code 1.
    Failed,
    /// The answer reports a failure of this kind, which sets the exit code.
    Kind(ErrorKind),
}

impl Printed {
    /// Sets exit code 1 if `failed`.
    pub fn failed(self, failed: bool) -> Self {
        if failed { Self::Failed } else { self }
    }

    /// Sets the exit code of `kind`, if there is one.
    pub fn of_kind(self, kind: Option<ErrorKind>) -> Self {
        kind.map_or(self, Self::Kind)
    }
}

/// Output settings of one request.
#[derive(Debug, Clone, Copy)]
pub struct Output {
    /// One JSON document instead of text.
    pub json: bool,
    quiet: bool,
    verbose: bool,
    may_page: bool,
}

impl Output {
    /// Output as JSON or text, with or without notices, without a pager.
    pub fn new(json: bool, quiet: bool, verbose: bool) -> Self {
        Self { json, quiet, verbose, may_page: false }
    }

    /// A copy that shows long text in a pager if stdout is a terminal.
    pub fn with_pager(self, may_page: bool) -> Self {
        Self { may_page, ..self }
    }

    /// A copy that prints JSON.
    pub fn as_json(&self) -> Self {
        Self { json: true, ..*self }
    }

    /// Prints `outcome` as JSON, or as the text that `to_text` returns, followed by the notices of the request.
    ///
    /// # Errors
    /// stdout cannot be written. A closed pipe is not an error.
    pub fn print<T: Serialize>(
        &self,
        context: &Context,
        outcome: &T,
        to_text: impl FnOnce(&T) -> String,
    ) -> Result<Printed> {
        self.notices(context);
        let shown = if self.json { json::document(outcome) } else { to_text(outcome) };
        receipts::record_command(context, &shown);
        if self.json { self.plain(&shown) } else { self.fitted(&shown) }
    }

    /// Prints `outcome` as JSON, or as the text that `to_text` returns.
    ///
    /// # Errors
    /// stdout cannot be written. A closed pipe is not an error.
    pub fn result<T: Serialize>(&self, outcome: &T, to_text: impl FnOnce(&T) -> String) -> Result<Printed> {
        if self.json { self.plain(&json::document(outcome)) } else { self.fitted(&to_text(outcome)) }
    }

    /// Prints text fitted to the width of the terminal.
    ///
    /// # Errors
    /// stdout cannot be written. A closed pipe is not an error.
    pub fn fitted(&self, shown: &str) -> Result<Printed> {
        let shown = layout::fit(&text::style::escaped(shown), terminal::width());
        printed(terminal::show(&shown, self.may_page))
    }

    /// Prints `shown` as it is and adds a line break if it lacks one.
    ///
    /// # Errors
    /// stdout cannot be written. A closed pipe is not an error.
    pub fn plain(&self, shown: &str) -> Result<Printed> {
        let shown = if self.json { text::style::escaped_json(shown) } else { text::style::escaped(shown) };
        printed(terminal::show(&shown, self.may_page && !self.json))
    }

    /// Prints the notices of the request, and a document as it is.
    ///
    /// # Errors
    /// stdout cannot be written. A closed pipe is not an error.
    pub fn document(&self, context: &Context, document: &str) -> Result<Printed> {
        self.notices(context);
        self.plain(document)
    }

    /// Prints bytes unchanged. On a terminal, control characters are replaced.
    ///
    /// # Errors
    /// stdout cannot be written. A closed pipe is not an error.
    pub fn bytes(&self, shown: &[u8]) -> Result<Printed> {
        if on_terminal() {
            return self.plain(&text::style::safe(&String::from_utf8_lossy(shown)));
        }
        let mut out = io::stdout().lock();
        printed(out.write_all(shown).and_then(|()| out.flush()))
    }

    /// Prints the notices of the request to stderr.
    pub fn notices(&self, context: &Context) {
        for open in context.vaults.iter().filter(|_| self.verbose) {
            self.notice(&format!("the {} vault is {}", open.level.name(), open.vault.root().display()));
        }
        for notice in context.take_notices() {
            self.notice(notice.for_terminal());
        }
    }

    /// Prints the running time if `--verbose` is set.
    pub fn took(&self, begun: std::time::Instant) {
        if self.verbose {
            self.notice(&format!("took {} ms", begun.elapsed().as_millis()));
        }
    }

    /// Prints one notice to stderr, unless `--quiet` is set.
    pub fn notice(&self, notice: &str) {
        if !self.quiet {
            anstream::eprintln!("{}", layout::fit(&text::notice(notice), terminal::error_width()));
        }
    }

    /// Prints a line of a server log unchanged.
    pub fn log(&self, line: &impl std::fmt::Display) {
        if !self.quiet {
            eprintln!("{line}");
        }
    }

    /// Prints a line of a server log with `--verbose`.
    pub fn log_if_verbose(&self, line: &impl std::fmt::Display) {
        if self.verbose {
            eprintln!("{line}");
        }
    }

    /// Progress of long work that counts `what`, such as `logs`; silent with `--quiet` and `--json`.
    pub fn progress(&self, what: &'static str) -> ProgressDisplay {
        ProgressDisplay::new(what, self.quiet || self.json)
    }

    /// Prints an error: as JSON on stdout with `--json`, otherwise as text on stderr.
    pub fn error(&self, error: &Error) {
        if self.json {
            // A closed pipe: nobody reads the error either.
            let _ = terminal::print(&json::error(error));
        } else {
            anstream::eprint!("{}", layout::fit(&text::error(error), terminal::error_width()));
        }
    }
}

/// Whether stdout is a terminal.
pub fn on_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Treats a closed pipe as success.
fn printed(written: io::Result<()>) -> Result<Printed> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::new(ErrorKind::Failed, "io", format!("cannot write to stdout: {error}")))
        }
        _ => Ok(Printed::default()),
    }
}
