//! Composes the text of new notes, with keys in a fixed order. Does not write files or generate
//! ids.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use yaml_serde::{Mapping, Value};

use crate::bullet::Bullet;
use crate::bullet::blocked::BlockedNote;
use crate::frontmatter::write;
use crate::id::NoteId;
use crate::instant::Instant;
use crate::markdown::escape::{escape_inline, escape_link_text, link_destination, visible, wikilink};
use crate::markdown::outline;
use crate::note::leftover::MERGE;
use crate::note::{NoteKind, schema};
use crate::path::NotePath;
use crate::rounding::round_to_four_decimals;

/// Returns the order in which the frontmatter keys of this kind are written, which is that of its
/// schema; other keys follow. [`MERGE`] is not among them: it comes last.
pub fn key_order(kind: NoteKind) -> &'static [String] {
    static ORDERS: LazyLock<HashMap<NoteKind, Vec<String>>> = LazyLock::new(|| {
        let order = |kind| schema::property_names(kind).into_iter().filter(|key| key != MERGE).collect();
        NoteKind::ALL.into_iter().map(|kind| (kind, order(kind))).collect()
    });
    let kind = match kind {
        NoteKind::Stash | NoteKind::Plain => NoteKind::Memory,
        kind => kind,
    };
    ORDERS.get(&kind).map_or(&[], Vec::as_slice)
}

/// Values of a new memory.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryDraft {
    pub id: NoteId,
    pub note_type: String,
    /// Title; one line.
    pub title: String,
    /// Tags without `#`.
    pub tags: Vec<String>,
    /// Importance, 0.0–1.0.
    pub importance: f64,
    /// Confidence, 0.0–1.0.
    pub confidence: Option<f64>,
    /// Creation time; also written as `updated`.
    pub created: Instant,
    /// Person who recorded the memory.
    pub author: Option<String>,
    /// Agent that recorded the memory.
    pub agent: Option<String>,
    /// Session in which the memory was recorded.
    pub session: Option<String>,
    /// Markdown below the frontmatter.
    pub body: String,
    /// Additional frontmatter keys. Keys of the kind's usual order are written at their usual
    /// position.
    pub extra: Vec<(String, Value)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdgeEnd {
    /// Id of the note, or its path if it has none.
    pub id: String,
    pub title: String,
    /// Target of a wikilink to the note.
    pub target: String,
}

impl EdgeEnd {
    /// Creates the end of an edge for a note whose file name is unique, so that its wikilink needs
    /// no folder.
    pub fn of_file(id: &str, title: &str, path: &NotePath) -> Self {
        Self { id: id.to_owned(), title: title.to_owned(), target: path.stem().to_owned() }
    }

    fn link(&self) -> String {
        wikilink(&self.target, &self.title)
    }
}

/// Values of a new edge.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeDraft {
    pub id: NoteId,
    /// Type of the edge, in upper case.
    pub relation: String,
    /// Start of the edge.
    pub from: EdgeEnd,
    pub to: EdgeEnd,
    /// Strength, 0.0–1.0.
    pub strength: f64,
    pub created: Instant,
    /// Why the two notes are related.
    pub body: String,
}

/// Values of a new entry in a daily log.
#[derive(Debug, Clone, PartialEq)]
pub struct EpisodeEntry {
    /// Time of the event; its day determines the file.
    pub at: Instant,
    /// One-line description of the event.
    pub title: String,
    /// Type of the recorded note, for the line **Type**.
    pub note_type: Option<String>,
    /// Tags, for the line **Tags**.
    pub tags: Vec<String>,
    /// Title and path of the recorded note, for the line **Memory**.
    pub memory: Option<(String, NotePath)>,
    /// Short text, for the line **Summary**.
    pub summary: Option<String>,
    /// Origin of the entry, written as inline code in the line **Source**.
    pub source: Option<String>,
}

/// Composes a new memory. Puts `# title` above the body unless the body has a level-1 heading.
pub fn memory(draft: &MemoryDraft) -> String {
    let title = visible(&draft.title);
    let mut fields = vec![
        text("id", draft.id.as_str()),
        text("type", &draft.note_type),
        text("title", &title),
        ("tags".to_owned(), tags(&draft.tags)),
        ("importance".to_owned(), fraction(draft.importance)),
        text("created", &draft.created.to_string()),
        text("updated", &draft.created.to_string()),
    ];
    fields.extend(draft.confidence.map(|confidence| ("confidence".to_owned(), fraction(confidence))));
    for (key, value) in [("author", &draft.author), ("agent", &draft.agent), ("session", &draft.session)] {
        fields.extend(value.as_deref().map(|value| text(key, value)));
    }
    fields.extend(draft.extra.iter().cloned());
    if draft.tags.is_empty() {
        fields
            .retain(|(key, value)| key != "tags" || value.as_sequence().is_none_or(|tags| !tags.is_empty()));
    }
    note(NoteKind::Memory, fields, &headed(&title, &draft.body))
}

/// Returns the text of a new edge's file: frontmatter, and a body with a wikilink to each end.
pub fn edge(draft: &EdgeDraft) -> String {
    let at = draft.created.to_string();
    let fields = vec![
        text("id", draft.id.as_str()),
        text("type", &draft.relation),
        text("from_id", &draft.from.id),
        text("from_title", &visible(&draft.from.title)),
        text("to_id", &draft.to.id),
        text("to_title", &visible(&draft.to.title)),
        ("strength".to_owned(), fraction(draft.strength)),
        text("created", &at),
        text("updated", &at),
    ];
    let ends = format!("{} {} {}", draft.from.link(), draft.relation, draft.to.link());
    let reason = draft.body.trim();
    let body = if reason.is_empty() { ends } else { format!("{reason}\n\n{ends}") };
    note(NoteKind::Edge, fields, &body)
}

/// Composes a new bullet. Keys without a value are omitted.
pub fn bullet(bullet: &Bullet) -> String {
    let keys = super::bullet::keys(bullet);
    let why = bullet.fields.why.as_deref().map(str::trim).filter(|why| !why.is_empty());
    let why = why.map_or_else(String::new, |why| format!("\n\n## Why\n\n{why}"));
    note(NoteKind::Bullet, keys, &format!("{}{why}", bullet.content()))
}

/// Composes a new blocked pattern; `body` is additional text.
pub fn blocked(blocked: &BlockedNote, body: &str) -> String {
    note(NoteKind::Blocked, super::bullet::blocked_keys(blocked), body)
}

/// Composes any new note: its keys in the order of its kind, then its body. The last value of a
/// duplicate key wins; null values are omitted.
pub fn note(kind: NoteKind, fields: Vec<(String, Value)>, body: &str) -> String {
    let mut mapping = Mapping::new();
    for (key, value) in fields {
        mapping.insert(Value::String(key), value);
    }
    let order = key_order(kind);
    let place = |key: &str| order.iter().position(|ordered_key| *ordered_key == key).unwrap_or(order.len());
    let mut ordered: Vec<(&str, &Value)> = mapping
        .iter()
        .filter(|(_, value)| !value.is_null())
        .filter_map(|(key, value)| Some((key.as_str()?, value)))
        .collect();
    ordered.sort_by_key(|(key, _)| place(key));
    let mut written = String::from("---\n");
    for (key, value) in ordered {
        written.push_str(&write::entry(key, value));
    }
    written.push_str("---\n");
    let body = body.trim();
    if !body.is_empty() {
        written.push_str(&format!("\n{body}\n"));
    }
    written
}

/// Path of the daily log for a point in time.
pub fn episode_path(at: Instant) -> String {
    format!("episodes/{}.md", at.day())
}

/// Composes a new daily log with its first entry.
pub fn episode(entry: &EpisodeEntry) -> String {
    let day = entry.at.day();
    format!("---\ndate: {day}\n---\n\n# {day}\n{}", episode_entry(entry))
}

/// Composes an entry to append to a daily log: a blank line, a heading and a list.
pub fn episode_entry(entry: &EpisodeEntry) -> String {
    let tags: Vec<String> = entry.tags.iter().map(|tag| escape_inline(tag)).collect();
    let memory = entry.memory.as_ref().map(|(title, path)| {
        format!("[{}]({})", escape_link_text(title), link_destination(&path.relative_to("episodes")))
    });
    let lines = [
        ("Type", entry.note_type.as_deref().map(escape_inline)),
        ("Tags", Some(tags.join(", ")).filter(|tags| !tags.is_empty())),
        ("Memory", memory),
        ("Summary", entry.summary.as_deref().map(escape_inline).filter(|summary| !summary.is_empty())),
        ("Source", entry.source.as_deref().map(|source| format!("`{}`", visible(source).replace('`', "'")))),
    ];
    let mut text = format!("\n## {} - {}\n", entry.at.minute(), escape_inline(&entry.title));
    for (name, line) in lines {
        text.extend(line.map(|line| format!("- **{name}**: {line}\n")));
    }
    text
}

fn headed(title: &str, body: &str) -> String {
    let body = body.trim();
    if outline(body, 1).headings.iter().any(|heading| heading.level == 1) {
        return body.to_owned();
    }
    format!("# {}\n\n{body}", escape_inline(title))
}

fn text(key: &str, value: &str) -> (String, Value) {
    (key.to_owned(), Value::String(value.to_owned()))
}

fn tags(tags: &[String]) -> Value {
    let mut written: HashSet<String> = HashSet::with_capacity(tags.len());
    let clean = tags.iter().map(|tag| visible(tag).trim_start_matches('#').to_owned());
    let unique = clean.filter(|tag| !tag.is_empty() && written.insert(tag.clone()));
    Value::Sequence(unique.map(Value::String).collect())
}

/// A number clamped to 0–1 and rounded to four decimal places.
fn fraction(number: f64) -> Value {
    Value::from(round_to_four_decimals(number.clamp(0.0, 1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::read::read;
    use crate::note::{RelationTable, TypeTable, bullet};
    use proptest::prelude::*;

    fn draft() -> MemoryDraft {
        MemoryDraft {
            id: NoteId::parse("a4855549-0184-4510-b102-e83a63a6de27").unwrap(),
            note_type: "solution".to_owned(),
            title: "Retry: the upload".to_owned(),
            tags: vec!["auth".to_owned(), "#net".to_owned(), "auth".to_owned()],
            importance: 0.8,
            confidence: None,
            created: Instant::parse("2026-11-01T09:30:00Z").unwrap(),
            author: Some("Mara".to_owned()),
            agent: None,
            session: None,
            body: "Because the token expires.\n".to_owned(),
            extra: vec![("owner".to_owned(), "ops".into()), ("category".to_owned(), "gotcha".into())],
        }
    }

    fn note_of(path: &str, text: &str) -> crate::note::Note {
        let path = NotePath::parse(path).unwrap();
        read(&path, text.as_bytes(), &TypeTable::default(), &RelationTable::default()).note
    }

    #[test]
    fn a_memory_has_its_keys_in_order_and_its_title_above_its_body() {
        assert_eq!(
            memory(&draft()),
            "---\nid: a4855549-0184-4510-b102-e83a63a6de27\ntype: solution\ntitle: 'Retry: the upload'\n\
             tags: [auth, net]\nimportance: 0.8\ncreated: 2026-11-01T09:30:00Z\n\
             updated: 2026-11-01T09:30:00Z\ncategory: gotcha\nauthor: Mara\nowner: ops\n---\n\n# Retry: the upload\n\n\
             Because the token expires.\n"
        );
        let own = MemoryDraft { body: "Intro\n\n# Other title\n".to_owned(), tags: Vec::new(), ..draft() };
        let text = memory(&own);
        assert!(text.ends_with("---\n\nIntro\n\n# Other title\n") && !text.contains("tags"));
    }

    #[test]
    fn what_is_composed_is_read_back_without_a_finding() {
        let note = note_of("graph/solutions/a.md", &memory(&draft()));
        assert_eq!(note.findings, []);
        assert_eq!(
            (note.title.as_str(), note.summary.as_str()),
            ("Retry: the upload", "Because the token expires.")
        );
        let edge = edge(&EdgeDraft {
            id: draft().id,
            relation: "SOLVES".to_owned(),
            from: EdgeEnd::of_file("a", "A: one", &NotePath::parse("graph/fixes/a-one-a48555.md").unwrap()),
            to: EdgeEnd { id: "b".to_owned(), title: "B [2|3]".to_owned(), target: "x/b".to_owned() },
            strength: 0.85,
            created: draft().created,
            body: "Why.".to_owned(),
        });
        let note = note_of("graph/edges/a.md", &edge);
        assert_eq!((note.kind, note.findings.len(), note.edge.unwrap().strength), (NoteKind::Edge, 0, 0.85));
        assert!(edge.ends_with("---\n\nWhy.\n\n[[a-one-a48555|A: one]] SOLVES [[x/b|B (2/3)]]\n"), "{edge}");
        assert!(edge.starts_with("---\nid: a4855549-0184-4510-b102-e83a63a6de27\ntype: SOLVES\nfrom_id: a\nfrom_title: 'A: one'\nto_id: b\n"));
    }

    #[test]
    fn an_episode_is_a_heading_with_a_list() {
        let entry = EpisodeEntry {
            at: Instant::parse("2026-11-09T05:52:00Z").unwrap(),
            title: "API restarted".to_owned(),
            note_type: Some("problem".to_owned()),
            tags: vec!["postgres".to_owned(), "outage".to_owned()],
            memory: Some(("API [hangs]".to_owned(), NotePath::parse("graph/problems/api hangs.md").unwrap())),
            summary: Some("No answers\nfrom 05:41.".to_owned()),
            source: None,
        };
        assert_eq!(
            episode(&entry),
            "---\ndate: 2026-11-09\n---\n\n# 2026-11-09\n\n## 05:52 - API restarted\n- **Type**: problem\n\
             - **Tags**: postgres, outage\n- **Memory**: [API \\[hangs\\]](../graph/problems/api%20hangs.md)\n\
             - **Summary**: No answers from 05:41.\n"
        );
        let note = note_of(&episode_path(entry.at), &episode(&entry));
        assert_eq!(
            (note.kind, note.findings.len(), note.links[0].target.as_str()),
            (NoteKind::Episode, 0, "../graph/problems/api hangs.md")
        );
    }

    #[test]
    fn every_key_that_is_written_is_in_the_schema_of_its_kind() {
        let path = "playbook/testing/a.md";
        let rule = Bullet::of(&note_of(path, "---\nid: b-a\n---\n\nRun the tests first.\n")).unwrap();
        let pattern = note_of("blocked/a.md", "---\nid: x-a\npattern: rm -rf\n---\n");
        let pattern = BlockedNote::of(&pattern).unwrap();
        let (rule, pattern) = (bullet::keys(&rule), bullet::blocked_keys(&pattern));
        let keys = |keys: Vec<(String, Value)>| keys.into_iter().map(|(key, _)| key).collect::<Vec<_>>();
        assert_eq!(keys(rule), key_order(NoteKind::Bullet));
        assert_eq!(keys(pattern), key_order(NoteKind::Blocked));
        // What reviews and feedback add to a memory.
        for key in ["state", "maturity", "last_checked", "feedback", "condensed_into"] {
            assert!(key_order(NoteKind::Memory).iter().any(|own| own == key), "{key}");
        }
        assert!(!key_order(NoteKind::Memory).iter().any(|key| key == MERGE));
    }

    proptest! {
        #[test]
        fn no_title_or_body_forges_a_key(title in ".{1,80}", body in "(.|\n){0,80}", tag in ".{0,12}", author in "(.|\n){0,20}") {
            let draft = MemoryDraft { title, body, tags: vec![tag], author: Some(author.clone()), ..draft() };
            let note = note_of("graph/solutions/a.md", &memory(&draft));
            prop_assert_eq!(note.id.as_ref(), Some(&draft.id));
            prop_assert_eq!(note.note_type.as_deref(), Some("solution"));
            prop_assert_eq!(note.importance, Some(0.8));
            let visible = visible(&draft.title);
            if !visible.is_empty() {
                prop_assert_eq!(note.title, visible);
            }
            let author = author.trim();
            prop_assert_eq!(note.author.as_deref().unwrap_or(""), author);
        }
    }
}
