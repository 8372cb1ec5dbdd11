//! Words for times, counts and differences, as pages show them.

use std::ops::Range;

use cm_app::verbs::history::WordDiffRun;
use cm_app::verbs::session_receipts::RecordedSessions;
use cm_note::instant::Instant;
use cm_note::markdown::outline;
use cm_note::note::NoteKind;
use cm_render::html::{encode, escape, shown};
pub(super) use cm_text::plural::count;
use cm_text::shorten::fold_whitespace;

/// A time in words, with the exact one for a tooltip.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShownTime {
    /// Such as `3 days ago`.
    pub(super) words: String,
    /// RFC 3339.
    pub(super) exact: String,
}

impl ShownTime {
    /// Describes a time as seen from `now`.
    pub(super) fn of(at: Instant, now: Instant) -> Self {
        Self { words: age(now.unix() - at.unix()).unwrap_or_else(|| at.day()), exact: at.to_string() }
    }

    /// Describes a time that may be missing.
    pub(super) fn maybe(at: Option<Instant>, now: Instant) -> Option<Self> {
        at.map(|at| Self::of(at, now))
    }
}

/// An age in words; `None` for more than 30 days, where a date says more, and for the future.
fn age(seconds: i64) -> Option<String> {
    let ago = |n: i64, unit: &str| format!("{} ago", count(n as usize, unit));
    match seconds {
        0..60 => Some("just now".to_owned()),
        60..3_600 => Some(ago(seconds / 60, "minute")),
        3_600..86_400 => Some(ago(seconds / 3_600, "hour")),
        86_400..2_592_000 => Some(ago(seconds / 86_400, "day")),
        _ => None,
    }
}

/// The noun of a kind of notes, singular for one.
pub(super) fn kind_noun(kind: NoteKind, n: usize) -> &'static str {
    let (one, many) = match kind {
        NoteKind::Memory => ("memory", "memories"),
        NoteKind::Edge => ("edge", "edges"),
        NoteKind::Bullet => ("rule", "rules"),
        NoteKind::Blocked => ("blocked pattern", "blocked patterns"),
        NoteKind::Episode => ("day", "days"),
        NoteKind::Diary => ("diary", "diaries"),
        NoteKind::Stash => ("stash", "stashes"),
        NoteKind::Plain => ("plain note", "plain notes"),
    };
    if n == 1 { one } else { many }
}

/// The type of a memory as words, such as `code pattern`; without a type, the kind of the note.
pub(super) fn type_words(note_type: Option<&str>, kind: NoteKind) -> String {
    note_type.map_or_else(|| kind_noun(kind, 1).to_owned(), type_name)
}

/// The name of a type as words.
pub(super) fn type_name(note_type: &str) -> String {
    if note_type == "anti_pattern" { "anti-pattern".to_owned() } else { note_type.replace('_', " ") }
}

/// A time as day and minute, such as `2026-11-05 10:00`.
pub(super) fn moment(at: Instant) -> String {
    at.date_and_time()
}

/// The text without a first paragraph or heading that only repeats the title.
pub(super) fn without_title<'t>(text: &'t str, title: &str) -> &'t str {
    let (first, rest) = text.trim_start().split_once("\n\n").unwrap_or((text, ""));
    let words = |text: &str| fold_whitespace(&text.replace(['`', '\\'], ""));
    // As written, or with what the heading escapes.
    let is_title = words(first.strip_prefix("# ").unwrap_or(first)) == words(title)
        || words(&outline(first, 1).text) == words(title);
    if is_title { rest.trim_start() } else { text }
}

/// The address of a note's page.
pub(super) fn note_address(reference: &str) -> String {
    format!("/note/{}", encode(reference))
}

/// The address of a session's page; `None` if nothing of the session is known here.
pub(super) fn session_address(sessions: &RecordedSessions<'_>, id: &str) -> Option<String> {
    sessions.contains(id).then(|| format!("/sessions/{}", encode(id)))
}

/// Text as HTML, with marks around the given byte ranges and hidden characters made visible.
pub(super) fn marked(text: &str, matches: &[Range<usize>]) -> String {
    let mut html = String::with_capacity(text.len() + 16 * matches.len());
    let mut at = 0;
    let plain = |part: Option<&str>| escape(&shown(part.unwrap_or_default()));
    for range in matches.iter().filter(|range| range.end <= text.len()) {
        if range.start < at {
            continue;
        }
        html.push_str(&plain(text.get(at..range.start)));
        html.push_str("<mark>");
        html.push_str(&plain(text.get(range.clone())));
        html.push_str("</mark>");
        at = range.end;
    }
    html.push_str(&plain(text.get(at..)));
    html
}

/// A difference of words as HTML, with `ins` and `del`.
pub(super) fn difference(runs: &[WordDiffRun]) -> String {
    let mut html = String::new();
    for run in runs {
        let text = escape(&shown(&run.text));
        match run.kind {
            "added" => html.push_str(&format!("<ins>{text}</ins>")),
            "removed" => html.push_str(&format!("<del>{text}</del>")),
            "gap" => html.push_str("<span class=\"gap\">…</span>\n"),
            _ => html.push_str(&text),
        }
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_in_the_largest_unit_and_old_times_are_dates() {
        let now = Instant::from_unix(10_000_000);
        for (seconds, words) in
            [(5, "just now"), (60, "1 minute ago"), (7_300, "2 hours ago"), (86_400 * 3, "3 days ago")]
        {
            assert_eq!(ShownTime::of(Instant::from_unix(10_000_000 - seconds), now).words, words);
        }
        assert_eq!(ShownTime::of(Instant::from_unix(0), now).words, "1970-01-01");
        assert_eq!(ShownTime::of(Instant::from_unix(10_000_060), now).words, "1970-04-26");
    }

    #[test]
    fn a_text_does_not_repeat_its_title() {
        assert_eq!(
            without_title("Run `a b`\nfirst.\n\n## Why\n\nIt is.", "Run a b first."),
            "## Why\n\nIt is."
        );
        assert_eq!(without_title("\n# Run \\`a b\\`\n\nTen.", "Run `a b`"), "Ten.");
        assert_eq!(without_title("Run a.", "Run a."), "");
        assert_eq!(without_title("# Use -s &lt;id> \\*\n\nTen.", "Use -s <id> *"), "Ten.");
        assert_eq!(without_title("Run a.\n\nMore.", "Another"), "Run a.\n\nMore.");
    }

    #[test]
    fn marks_escape_what_they_surround() {
        assert_eq!(marked("a <b> c", std::slice::from_ref(&(2..5))), "a <mark>&lt;b&gt;</mark> c");
        assert_eq!(marked("abc", &[1..9, 0..1, 0..2]), "<mark>a</mark>bc");
    }
}
