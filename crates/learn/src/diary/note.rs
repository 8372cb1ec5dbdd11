//! Renders a diary as a note in `diary/`: frontmatter, then its sections, each item with its line
//! in the log.
//!
//! Text from the session is escaped so that it stays one list item and cannot start a heading,
//! link, tag, marker or HTML.

use std::fmt::Write as _;

use yaml_serde::{Mapping, Value};

use super::format::{
    AGAINST_MARK, EXTRACTED, FALLBACK_LEAD, FOR_MARK, ItemPlace, MODEL_LEAD, NO_DIARY_YET, OUTCOME_LEAD,
};
use super::{Diary, DiaryItem, DiaryOrigin, RecordedOutcome, RelatedSessionRef, StatementAuthor};
use crate::outcome::OutcomeEvidence;
use crate::prose::cut;
use cm_note::markdown::escape::{escape_inline, escape_rule, visible};
use cm_note::note::NoteKind;
use cm_note::note::compose;
use cm_session::status::SessionStatus;

/// Maximum length of a related session's excerpt, in characters.
const MAX_SNIPPET_CHARS: usize = 160;

/// Renders a diary as a Markdown note with frontmatter.
pub fn note(diary: &Diary) -> String {
    compose::note(NoteKind::Diary, keys(diary), &body(diary))
}

/// Value of `status` in the frontmatter: `success`, `failure` or `mixed`; `None` for an unknown
/// outcome. The body contains the exact status.
pub fn frontmatter_status(status: SessionStatus) -> Option<&'static str> {
    match status {
        SessionStatus::Success => Some("success"),
        SessionStatus::Failure => Some("failure"),
        SessionStatus::Partial | SessionStatus::Mixed => Some("mixed"),
        SessionStatus::Unknown => None,
    }
}

/// Returns the keys and values of a diary's frontmatter, in order.
pub(super) fn keys(diary: &Diary) -> Vec<(String, Value)> {
    let text = |text: &str| Value::String(visible(text));
    let list = |list: &[String]| Value::Sequence(list.iter().map(|word| text(word)).collect());
    let mut keys =
        vec![("id", text(&diary.id)), ("session", text(&diary.session)), ("agent", text(&diary.agent))];
    keys.extend(diary.workspace.as_deref().map(|workspace| ("workspace", text(workspace))));
    keys.extend(diary.started.map(|at| ("started", text(&at.truncate_to_second().to_string()))));
    keys.extend(diary.duration_s.map(|seconds| ("duration_s", Value::from(seconds))));
    keys.extend(frontmatter_status(diary.verdict.status).map(|status| ("status", text(status))));
    keys.extend(diary.recorded_outcome.as_ref().map(|judged| ("outcome", outcome(judged))));
    if !diary.tags.is_empty() {
        keys.push(("tags", list(&diary.tags)));
    }
    if !diary.anchors.is_empty() {
        keys.push(("search_anchors", list(&diary.anchors)));
    }
    if !diary.related.is_empty() {
        keys.push(("related_sessions", Value::Sequence(diary.related.iter().map(related_value).collect())));
    }
    keys.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// Converts a recorded outcome to the YAML value in the frontmatter.
pub fn outcome(judged: &RecordedOutcome) -> Value {
    let at = judged.at.map(|at| at.truncate_to_second().to_string());
    let parts = [
        ("status", Some(judged.status.name().to_owned())),
        ("at", at),
        ("author", judged.author.clone()),
        ("agent", judged.agent.clone()),
        ("reason", judged.reason.clone()),
    ];
    let text = |text: &str| Value::String(visible(text));
    let properties = parts.into_iter().filter_map(|(key, value)| Some((text(key), text(&value?))));
    Value::Mapping(properties.collect())
}

fn related_value(related: &RelatedSessionRef) -> Value {
    let mut keys = Mapping::new();
    let mut put = |key: &str, value: Value| drop(keys.insert(Value::String(key.to_owned()), value));
    put("session", Value::String(visible(&related.session)));
    if let Some(agent) = &related.agent {
        put("agent", Value::String(visible(agent)));
    }
    if let Some(date) = &related.date {
        put("date", Value::String(visible(date)));
    }
    // A score that is no number says nothing.
    if related.relevance.is_finite() {
        put("relevance", Value::from((related.relevance.clamp(0.0, 1.0) * 100.0).round() / 100.0));
    }
    let snippet =
        related.snippet.as_deref().map(|text| cut(&visible(text), MAX_SNIPPET_CHARS)).unwrap_or_default();
    if !snippet.is_empty() {
        put("snippet", Value::String(snippet));
    }
    Value::Mapping(keys)
}

/// Renders the sections of a diary as Markdown, without frontmatter.
pub(super) fn body(diary: &Diary) -> String {
    let mut text = format!("# {}\n\n", escape_inline(&diary.title));
    let origin = match &diary.origin {
        DiaryOrigin::Extracted => EXTRACTED.to_owned(),
        DiaryOrigin::Model(name) => format!("{MODEL_LEAD}{}.", escape_inline(name)),
        DiaryOrigin::Fallback(why) => format!("{FALLBACK_LEAD}{}", as_line(why)),
        DiaryOrigin::OutcomeOnly => NO_DIARY_YET.to_owned(),
    };
    let _ = writeln!(text, "{origin}\n\n{OUTCOME_LEAD}{}", diary.verdict.status.name());
    for sign in &diary.verdict.signs {
        let _ = writeln!(text, "{}", render_sign(sign));
    }
    for (heading, items) in diary.sections() {
        if !items.is_empty() {
            let _ = writeln!(text, "\n## {heading}\n");
            for item in items {
                let _ = writeln!(text, "{}", render_item(item));
            }
        }
    }
    text
}

fn render_sign(sign: &OutcomeEvidence) -> String {
    let mark = if sign.good { FOR_MARK } else { AGAINST_MARK };
    let place = ItemPlace { author: StatementAuthor::Log, is_standing: false, line: sign.line };
    format!("- {mark}: {}", place.after(&as_line(&sign.what)))
}

/// Renders a diary item as a Markdown list entry with its line number.
pub(crate) fn render_item(item: &DiaryItem) -> String {
    // What a person added comes from no line of a log.
    if item.line == 0 {
        return format!("- {}", as_line(&item.text));
    }
    let place = ItemPlace { author: item.voice, is_standing: item.standing, line: item.line };
    format!("- {}", place.after(&as_line(&item.text)))
}

/// Escapes a text as one line of Markdown, so that it cannot start a link, tag or feedback marker
/// outside of code spans.
pub fn as_line(text: &str) -> String {
    let ruled = escape_rule(text);
    let mut safe = String::with_capacity(ruled.len() + 8);
    let mut at = 0;
    while let Some(c) = ruled[at..].chars().next() {
        let rest = &ruled[at..];
        if c == '`' {
            // `escape_rule` leaves only such backticks bare as open code that is closed.
            let run = rest.len() - rest.trim_start_matches('`').len();
            let close = rest[run..].find(&rest[..run]).map_or(rest.len(), |close| run + close + run);
            safe.push_str(&rest[..close]);
            at += close;
            continue;
        }
        let escaped = safe.ends_with('\\');
        match c {
            // A backslash would not hide it from those who look for marks in raw text.
            '[' if is_marker(&ruled[at..]) => safe.push_str("&#91;"),
            '[' | ']' if !escaped => safe.extend(['\\', c]),
            '#' if !escaped && (safe.is_empty() || safe.ends_with([' ', '('])) => safe.extend(['\\', c]),
            _ => safe.push(c),
        }
        at += c.len_utf8();
        if c == '\\' {
            // What is escaped already stays so.
            if let Some(next) = ruled[at..].chars().next() {
                safe.push(next);
                at += next.len_utf8();
            }
        }
    }
    safe
}

/// Returns `true` if the bracket at the start of `text` may open a feedback marker.
fn is_marker(text: &str) -> bool {
    let word = text[1..].trim_start().to_lowercase();
    word.starts_with("cm") || word.starts_with("cass")
}

#[cfg(test)]
mod tests {
    use super::*;
    use cm_note::note::read::read;
    use cm_note::note::{RelationTable, TypeTable};
    use cm_note::path::NotePath;

    #[test]
    fn what_a_session_stated_opens_nothing_in_the_note() {
        let hostile = "[[Secret]] #tag [cm: helpful b-mt2ssunl-jq6d8j] <!-- cm:begin --> [x](y.md) SOLVES:: [[z]] `[[code]]`";
        let item = DiaryItem::new(hostile, 4, StatementAuthor::Person).unwrap();
        let diary = Diary {
            id: "f995bdad3a422f63409fda4cbefe9b07".into(),
            session: "s".into(),
            agent: "codex".into(),
            title: "# [[x]] #y".into(),
            preferences: vec![item],
            related: vec![RelatedSessionRef {
                session: "o".into(),
                agent: None,
                date: None,
                relevance: 0.618,
                snippet: Some("a: b".into()),
            }],
            ..Diary::default()
        };
        let text = note(&diary);
        let path = NotePath::parse("diary/a.md").unwrap();
        let read = read(&path, text.as_bytes(), &TypeTable::default(), &RelationTable::default()).note;
        assert_eq!(
            (read.findings.clone(), read.links.clone(), read.tags.clone()),
            (vec![], vec![], vec![]),
            "{text}"
        );
        assert!(text.contains("relevance: 0.62\n") && !text.contains("<!--"), "{text}");
        assert_eq!(cm_note::bullet::marker::markers(&text), []);
    }
}
