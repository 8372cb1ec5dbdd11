//! Renders results as coloured text, one file per command. Colours are stripped if the output is
//! not a terminal.

pub mod add;
pub mod adopt;
pub mod audit;
pub mod commit;
pub mod config;
pub mod context;
pub mod curate;
pub mod decay;
pub mod delete;
pub mod diary;
pub mod diff;
pub mod doctor;
pub mod edit;
pub mod embed;
pub mod episode;
pub mod export;
pub mod forget;
pub mod friction;
pub mod generate;
pub mod get;
pub mod guard;
pub mod handoff;
pub mod history;
pub mod home;
pub mod hooks;
pub mod import;
pub mod init;
pub mod list;
pub mod log;
pub mod mark;
pub mod memory_tool;
pub mod observe;
pub mod onboard;
pub mod outcome;
pub mod playbook;
pub mod playbook_add;
pub mod privacy;
pub mod project;
pub mod propose;
pub mod receive;
pub mod recent;
pub mod reflect;
pub mod reindex;
pub mod relate;
pub mod related;
pub mod remember;
pub mod rename;
pub mod review;
pub mod search;
pub mod sessions;
pub mod setup;
pub mod short_ids;
pub mod similar;
pub mod stale;
pub mod starters;
pub mod stash;
pub mod stats;
pub mod status;
pub mod style;
pub mod sync;
pub mod tags;
pub mod templates;
pub mod token;
pub mod top;
pub mod trauma;
pub mod trust;
pub mod undo;
pub mod update;
pub mod usage;
pub mod validate;
pub mod validate_rule;
pub mod why;

use cm_app::Error;
use cm_app::context::as_of::AsOf;
use style::{BAD, DIM, GOOD, WARN, one_line, paint, safe};

/// A notice that accompanies a result.
pub fn notice(notice: &str) -> String {
    format!("{} {}", paint(WARN, "note:"), safe(notice))
}

/// An error with its location and hint.
pub fn error(error: &Error) -> String {
    let mut lines = format!("{} {}\n", paint(BAD, "error:"), safe(&error.message));
    if let Some(location) = &error.location {
        let line = location.line.map(|line| format!(":{line}")).unwrap_or_default();
        let column = location.column.map(|column| format!(":{column}")).unwrap_or_default();
        lines.push_str(&format!("{} {}{line}{column}\n", paint(DIM, "   at:"), safe(&location.path)));
    }
    if let Some(hint) = &error.hint {
        // A hint may list candidates on lines of their own.
        let hint = safe(hint.for_terminal()).replace('\n', "\n       ");
        lines.push_str(&format!("{} {hint}\n", paint(GOOD, " hint:")));
    }
    lines
}

/// `commit 1f0c2a3…`, or a note that nothing was committed.
fn committed(commit: Option<&str>) -> String {
    match commit {
        Some(commit) => paint(DIM, &format!("commit {}", short(commit))),
        None => paint(DIM, "not committed"),
    }
}

/// A line with the commit that was read; empty for the current state.
fn as_of_line(as_of: Option<&AsOf>) -> String {
    let line = |as_of: &AsOf| paint(DIM, &format!("{as_of}  {}", one_line(&as_of.subject)));
    as_of.map(|as_of| format!("{}\n", line(as_of))).unwrap_or_default()
}

/// The first 10 characters of a commit id.
pub fn short(commit: &str) -> &str {
    commit.get(..10).unwrap_or(commit)
}
