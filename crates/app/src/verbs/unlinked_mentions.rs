//! Finds the places in other notes that mention a note by its title or an alias without a link.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::find::find;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::error::Result;
use cm_note::frontmatter::split::Split;
use cm_note::markdown::prose::{ProseRun, prose, whole_words};
use cm_note::note::{Note, NoteKind};
use cm_note::query::{BooleanGroup, Query, QueryNode, TextCondition, TextField};
use cm_text::position::line_and_column;
use cm_text::shorten::one_line;
use cm_text::stop_words::is_stop_word;

/// Number of mentions if no limit is given.
pub const DEFAULT_LIMIT: usize = 50;
/// Maximum number of notes whose text is searched, best matches of the text index first.
const MAX_NOTES: usize = 200;
/// Minimum length of a title or alias, in characters.
const MIN_TITLE_CHARS: usize = 4;
/// Number of characters of a snippet before and after the mention.
const CONTEXT_CHARS: usize = 60;

/// A place that mentions the note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnlinkedMention {
    /// Id of the note with the mention, or its path if it has none.
    pub id: String,
    /// Title of the note with the mention.
    pub title: String,
    /// Path of its file, relative to the vault.
    pub path: String,
    /// Line of the file on which the mention begins, from 1.
    pub line: u32,
    /// Text around the mention, on one line, without markup.
    pub snippet: String,
    /// Byte range of the mention in the snippet, for highlighting.
    #[serde(skip)]
    pub matched: Range<usize>,
}

/// Mentions of a note in other notes of its vault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnlinkedMentions {
    /// Id of the mentioned note, or its path if it has none.
    pub id: String,
    /// Title and aliases that were searched for. Empty if all are shorter than four characters or a
    /// stop word.
    pub names: Vec<String>,
    /// Mentions, by note and line.
    pub mentions: Vec<UnlinkedMention>,
    /// Whether there are more mentions than the limit.
    pub more: bool,
}

/// Lists at most `limit` places in other notes that mention the title or an alias of a note in
/// whole words, ignoring case, outside links, code, comments and frontmatter.
///
/// # Errors
/// A note that is not found, or an index that can be neither used nor rebuilt.
pub fn unlinked_mentions(context: &Context, reference: &str, limit: usize) -> Result<UnlinkedMentions> {
    let found = find(context, reference)?;
    let names = searched_names(&found.note);
    let mut result = UnlinkedMentions {
        id: found.note.key().to_owned(),
        names: names.clone(),
        mentions: Vec::new(),
        more: false,
    };
    for note in candidates(context, found.open, &names)? {
        let is_other = note.path != found.note.path
            && (note.id.is_none() || note.id != found.note.id)
            && note.kind != NoteKind::Edge
            && !note.path.is_generated();
        // A file that is gone since it was indexed has no mentions.
        let Some(bytes) = found.open.read(&note.path).ok().filter(|_| is_other) else { continue };
        result.mentions.extend(mentions_in(&note, &String::from_utf8_lossy(&bytes), &names));
        if result.mentions.len() > limit {
            result.mentions.truncate(limit);
            result.more = true;
            break;
        }
    }
    Ok(result)
}

/// Returns the title and aliases that are worth a search, the longest first, without duplicates.
fn searched_names(note: &Note) -> Vec<String> {
    let all = [&note.title].into_iter().chain(&note.aliases).map(|name| one_line(name));
    let is_searched = |name: &String| {
        name.chars().count() >= MIN_TITLE_CHARS
            && name.chars().any(char::is_alphanumeric)
            && !is_stop_word(&name.to_lowercase())
    };
    let mut names: Vec<String> = all.filter(is_searched).collect();
    names.sort_by_key(|name| (std::cmp::Reverse(name.chars().count()), name.to_lowercase()));
    names.dedup_by(|a, b| a.to_lowercase() == b.to_lowercase());
    names
}

/// Returns the notes whose text contains one of the names according to the index.
fn candidates(context: &Context, open: &OpenVault, names: &[String]) -> Result<Vec<Note>> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let phrase = |name: &String| {
        [TextField::Body, TextField::Heading]
            .map(|field| QueryNode::Text { field: Some(field), text: TextCondition::Phrase(name.clone()) })
    };
    let should = names.iter().flat_map(phrase).collect();
    let group = BooleanGroup { should, ..BooleanGroup::default() };
    let query = Query { root: QueryNode::Group(group), notices: Vec::new() };
    context.ensure_fresh(open)?;
    let hits = context.query_index(open, |index| index.search(&query, 0, MAX_NOTES))?.hits;
    Ok(hits.into_iter().map(|hit| hit.note).collect())
}

/// Returns the mentions in the text of one note, in order.
fn mentions_in(note: &Note, text: &str, names: &[String]) -> Vec<UnlinkedMention> {
    let split = Split::of(text);
    let mut found = Vec::new();
    for run in prose(split.body()) {
        for range in named_ranges(&run.text, names) {
            let offset = split.body_start() + run.body_offset(range.start);
            let (snippet, matched) = snippet(&run, range);
            found.push(UnlinkedMention {
                id: note.key().to_owned(),
                title: note.title.clone(),
                path: note.path.to_string(),
                line: line_and_column(text, offset).0,
                snippet,
                matched,
            });
        }
    }
    found
}

/// Returns the places of the names in a text, in order; of overlapping ones, that of the first name.
fn named_ranges(text: &str, names: &[String]) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for range in names.iter().flat_map(|name| whole_words(text, name)) {
        if ranges.iter().all(|other| range.end <= other.start || other.end <= range.start) {
            ranges.push(range);
        }
    }
    ranges.sort_by_key(|range| range.start);
    ranges
}

/// Returns the text around a place, cut at words, and the place in it.
fn snippet(run: &ProseRun, range: Range<usize>) -> (String, Range<usize>) {
    let (before, after) = (&run.text[..range.start], &run.text[range.end..]);
    let start = before.char_indices().rev().nth(CONTEXT_CHARS - 1).map_or(0, |(at, _)| at);
    let start = if start == 0 { 0 } else { before[start..].find(' ').map_or(start, |at| start + at + 1) };
    let end = after.char_indices().nth(CONTEXT_CHARS).map_or(after.len(), |(at, _)| at);
    let end = if end == after.len() { end } else { after[..end].rfind(' ').unwrap_or(end) };
    let mark = |is_cut: bool| if is_cut { "…" } else { "" };
    let mut snippet = format!("{}{}", mark(start > 0), spaced(&before[start..]).trim_start());
    let from = snippet.len();
    snippet.push_str(&one_line(&run.text[range]));
    let to = snippet.len();
    snippet.push_str(spaced(&after[..end]).trim_end());
    snippet.push_str(mark(end < after.len()));
    (snippet, from..to)
}

/// Replaces control characters and line breaks by spaces.
fn spaced(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || c.is_whitespace() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture_vault::FixtureVault;

    fn note(number: usize, keys: &str, body: &str) -> String {
        format!("---\nid: {number:08}-0000-4000-8000-000000000001\n{keys}\n---\n\n{body}\n")
    }

    fn places(found: &UnlinkedMentions) -> Vec<(&str, u32, &str)> {
        let mut places: Vec<_> = found
            .mentions
            .iter()
            .map(|one| (one.title.as_str(), one.line, &one.snippet[one.matched.clone()]))
            .collect();
        // Notes with equal scores have no order of their own.
        places.sort_unstable();
        places
    }

    #[test]
    fn whole_words_outside_links_and_code_are_found_by_title_and_alias() {
        let vault = FixtureVault::new();
        let pool = note(1, "title: Connection pool\naliases: [PgBouncer]", "The connection pool itself.");
        let linked =
            note(2, "title: Linked", "See [[Connection pool]] and `connection pool`.\n\nPgBouncers.");
        let mention =
            note(3, "title: Mentions\ntags: [pgbouncer]", "Text.\n\nA full connection\npool, and pgbouncer.");
        vault.put("graph/pool.md", &pool);
        vault.put("graph/linked.md", &linked);
        vault.put("graph/mentions.md", &mention);
        let context = vault.at("2026-01-02");
        let found = unlinked_mentions(&context, "Connection pool", 10).unwrap();
        assert_eq!(found.names, ["Connection pool", "PgBouncer"]);
        assert_eq!(places(&found), [("Mentions", 9, "connection pool"), ("Mentions", 10, "pgbouncer")]);
        assert_eq!(found.mentions[0].snippet, "A full connection pool, and pgbouncer.");
        let one = unlinked_mentions(&context, "Connection pool", 1).unwrap();
        assert_eq!((one.mentions.len(), one.more), (1, true));
    }

    #[test]
    fn a_short_title_and_a_stop_word_are_not_searched_for() {
        let vault = FixtureVault::new();
        vault.put("graph/a.md", &note(1, "title: API", "x"));
        vault.put("graph/b.md", &note(2, "title: Which", "The API which fails."));
        let context = vault.at("2026-01-02");
        for title in ["API", "Which"] {
            let found = unlinked_mentions(&context, title, 10).unwrap();
            assert_eq!((found.names.len(), found.mentions.len()), (0, 0), "{title}");
        }
    }

    #[test]
    fn a_snippet_is_cut_at_words() {
        let text = format!("{} pool {}", "before ".repeat(20).trim(), "after ".repeat(20).trim());
        let found = mentions_in(&note_of(&text), &text, &["pool".to_owned()]);
        let snippet = &found[0].snippet;
        assert!(snippet.starts_with("…before ") && snippet.ends_with(" after…"), "{snippet}");
        assert!(
            snippet.chars().count() <= 2 * CONTEXT_CHARS + 6 && &snippet[found[0].matched.clone()] == "pool"
        );
    }

    fn note_of(text: &str) -> Note {
        let path = cm_note::path::NotePath::parse("a.md").unwrap();
        cm_note::note::read::read(&path, text.as_bytes(), &Default::default(), &Default::default()).note
    }
}
