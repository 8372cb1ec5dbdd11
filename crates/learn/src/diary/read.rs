//! Parses a diary from its note, including changes by a person.
//!
//! Items that a person added have line 0; they are not treated as evidence from the session.

use yaml_serde::Value;

use super::format::{
    AGAINST_MARK, FALLBACK_LEAD, FOR_MARK, ItemPlace, MODEL_LEAD, NO_DIARY_YET, OUTCOME_LEAD,
};
use super::{Diary, DiaryItem, DiaryOrigin, RecordedOutcome, RelatedSessionRef, StatementAuthor};
use crate::outcome::OutcomeEvidence;
use cm_note::frontmatter::parse::{FrontmatterFields, parse};
use cm_note::frontmatter::split::Split;
use cm_note::instant::Instant;
use cm_session::status::SessionStatus;

/// Parses the Markdown note of a diary; `None` if the frontmatter names no session.
///
/// Item texts stay escaped, so that writing the diary again results in the same note.
pub fn read(text: &str) -> Option<Diary> {
    let split = Split::of(text);
    let fields = parse(&split).fields;
    let word = |key: &str| fields.get(key).and_then(|field| field.text());
    let mut diary = Diary {
        id: word("id").unwrap_or_default(),
        session: word("session")?,
        agent: word("agent").unwrap_or_default(),
        workspace: word("workspace"),
        started: word("started").and_then(|text| Instant::parse(&text).ok()),
        duration_s: word("duration_s").and_then(|text| text.parse().ok()),
        tags: text_list(&fields, "tags"),
        anchors: text_list(&fields, "search_anchors"),
        related: related(&fields),
        ..Diary::default()
    };
    diary.verdict.status = word("status").and_then(|name| SessionStatus::of(&name)).unwrap_or_default();
    read_body(split.body(), &mut diary);
    diary.recorded_outcome = read_outcome(&fields);
    if let Some(judged) = &diary.recorded_outcome {
        diary.verdict.status = judged.status;
    }
    Some(diary)
}

/// Parses `outcome` in the frontmatter, which is a mapping or only a status.
fn read_outcome(fields: &FrontmatterFields) -> Option<RecordedOutcome> {
    let field = fields.get("outcome")?;
    let word = |key: &str| field.value.get(key).and_then(cm_note::frontmatter::parse::scalar_text);
    let status = if field.value.is_mapping() { word("status") } else { field.text() };
    Some(RecordedOutcome {
        status: SessionStatus::of(status?.trim()).filter(|status| *status != SessionStatus::Unknown)?,
        at: word("at").and_then(|text| Instant::parse(&text).ok()),
        author: word("author"),
        agent: word("agent"),
        reason: word("reason"),
    })
}

fn text_list(fields: &FrontmatterFields, key: &str) -> Vec<String> {
    let items = fields.get(key).and_then(|field| field.value.as_sequence());
    items.into_iter().flatten().filter_map(cm_note::frontmatter::parse::scalar_text).collect()
}

fn related(fields: &FrontmatterFields) -> Vec<RelatedSessionRef> {
    let items = fields.get("related_sessions").and_then(|field| field.value.as_sequence());
    let one = |item: &Value| {
        let word = |key: &str| item.get(key).and_then(cm_note::frontmatter::parse::scalar_text);
        Some(RelatedSessionRef {
            session: word("session")?,
            agent: word("agent"),
            date: word("date"),
            relevance: item.get("relevance").and_then(Value::as_f64).unwrap_or(f64::NAN),
            snippet: word("snippet"),
        })
    };
    items.into_iter().flatten().filter_map(one).collect()
}

fn read_body(body: &str, diary: &mut Diary) {
    let mut section = None::<String>;
    for line in body.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            section = Some(heading.trim().to_owned());
        } else if let (None, Some(title)) = (&section, line.strip_prefix("# ")) {
            diary.title = unescaped(title.trim());
        } else if let (None, Some(status)) = (&section, line.strip_prefix(OUTCOME_LEAD)) {
            diary.verdict.status = SessionStatus::of(status.trim()).unwrap_or(diary.verdict.status);
        } else if let (None, Some(origin)) = (&section, origin_of_line(line)) {
            diary.origin = origin;
        } else if let Some(entry) = line.strip_prefix("- ") {
            let item = item(entry.trim());
            match &section {
                None => diary.verdict.signs.extend(outcome_sign(&item)),
                Some(heading) => {
                    diary.section_mut(heading).into_iter().for_each(|items| items.push(item.clone()))
                }
            }
        }
    }
}

/// Parses the line that says how a diary was created; `None` for any other line.
fn origin_of_line(line: &str) -> Option<DiaryOrigin> {
    if line == NO_DIARY_YET {
        return Some(DiaryOrigin::OutcomeOnly);
    }
    if let Some(name) = line.strip_prefix(MODEL_LEAD) {
        return Some(DiaryOrigin::Model(unescaped(name.strip_suffix('.').unwrap_or(name))));
    }
    let why = line.strip_prefix(FALLBACK_LEAD)?;
    Some(DiaryOrigin::Fallback(why.to_owned()))
}

/// Parses an item of a diary's section, without its list marker.
pub(crate) fn item(entry: &str) -> DiaryItem {
    let Some((text, place)) = ItemPlace::split(entry) else {
        return DiaryItem {
            text: entry.to_owned(),
            line: 0,
            voice: StatementAuthor::Person,
            standing: false,
        };
    };
    let ItemPlace { author, is_standing, line } = place;
    DiaryItem { text: text.to_owned(), line, voice: author, standing: is_standing }
}

fn outcome_sign(item: &DiaryItem) -> Option<OutcomeEvidence> {
    let (mark, what) = item.text.split_once(": ")?;
    let good = match mark {
        FOR_MARK => true,
        AGAINST_MARK => false,
        _ => return None,
    };
    Some(OutcomeEvidence { line: item.line, good, what: what.to_owned() })
}

/// Removes the Markdown escapes from a text.
pub fn unescaped(text: &str) -> String {
    let (mut plain, mut chars) = (String::with_capacity(text.len()), text.chars().peekable());
    while let Some(c) = chars.next() {
        match chars.peek() {
            Some(next) if c == '\\' && next.is_ascii_punctuation() => plain.extend(chars.next()),
            _ => plain.push(c),
        }
    }
    plain.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::diary::note::note;
    use crate::outcome::OutcomeVerdict;

    fn diary(texts: &[String]) -> Diary {
        let item = |(line, text): (u64, &String)| {
            let voice =
                [StatementAuthor::Person, StatementAuthor::Agent, StatementAuthor::Log][line as usize % 3];
            DiaryItem::new(text, line, voice).map(|item| DiaryItem { standing: line % 2 == 0, ..item })
        };
        let items: Vec<DiaryItem> = (1..).zip(texts).filter_map(item).collect();
        Diary {
            id: "f995".into(),
            session: "s: 1".into(),
            agent: "codex".into(),
            started: Instant::parse("2026-11-01T09:30:00Z").ok(),
            duration_s: Some(90),
            title: "A *title*".into(),
            verdict: OutcomeVerdict {
                status: SessionStatus::Partial,
                signs: vec![OutcomeEvidence { line: 3, good: false, what: "`cargo test` failed".into() }],
            },
            preferences: items.clone(),
            files: items,
            anchors: vec!["E0502".into(), "a: b".into()],
            related: vec![RelatedSessionRef {
                session: "o".into(),
                agent: Some("pi".into()),
                date: Some("2026-11-20".into()),
                relevance: 0.5,
                snippet: None,
            }],
            ..Diary::default()
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let diary = diary(&["Use `pnpm`, not npm.".to_owned(), "Added a b (line 3)".to_owned()]);
        assert_eq!(read(&note(&diary)), Some(diary));
    }

    #[test]
    fn what_somebody_stated_of_the_end_is_read_back_and_counts_rather_than_the_log() {
        let judged = RecordedOutcome {
            status: SessionStatus::Failure,
            at: Instant::parse("2026-11-02T09:30:00Z").ok(),
            author: Some("Mara".into()),
            agent: None,
            reason: Some("wrong: port".into()),
        };
        let mut diary =
            Diary { recorded_outcome: Some(judged), origin: DiaryOrigin::OutcomeOnly, ..diary(&[]) };
        diary.verdict.status = SessionStatus::Failure;
        assert_eq!(read(&note(&diary)), Some(diary));
        let by_hand = "---\nsession: s\nstatus: success\noutcome: failure\n---\n\nOutcome: success\n";
        assert_eq!(read(by_hand).unwrap().verdict.status, SessionStatus::Failure);
        let nonsense = "---\nsession: s\nstatus: success\noutcome: {status: fine}\n---\n";
        assert_eq!(read(nonsense).unwrap().verdict.status, SessionStatus::Success);
    }

    #[test]
    fn what_a_person_added_is_read_without_a_line() {
        let text = format!("{}\n## Key learnings\n\n- Mine, by hand.\n", note(&diary(&[])));
        let read = read(&text).unwrap();
        assert_eq!((read.learnings[0].text.as_str(), read.learnings[0].line), ("Mine, by hand.", 0));
        assert_eq!(super::read("no frontmatter"), None);
    }

    proptest! {
        #[test]
        fn writing_what_was_read_gives_the_same_note(
            texts in prop::collection::vec(r"[a-z`*#\[\]<>!\\()&é_ .:-]{0,30}", 0..6)
        ) {
            let written = note(&diary(&texts));
            let again = note(&read(&written).unwrap());
            prop_assert_eq!(again, written);
        }

        #[test]
        fn any_note_is_read(text in "(---\n)?(session: s\n)?(---\n)?([#a-z:() 0-9,-]|\n){0,80}") {
            let _ = read(&text);
        }
    }
}
