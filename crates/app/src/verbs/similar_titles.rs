//! Finds notes with a title like that of a new one.

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::find::load;
use crate::context::open::Context;
use cm_note::note::NoteKind;
use cm_note::query::Query;
use cm_text::similarity;

/// A note with a similar title.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SimilarTitle {
    /// Note id, or its path if it has none.
    pub id: String,
    /// Title from the frontmatter, else derived from the content or the file name.
    pub title: String,
    /// Path of the note's file, relative to the vault.
    pub path: String,
    /// Jaccard index of the words of both titles, 0–1.
    pub score: f64,
}

/// Minimum similarity of titles.
const MIN_TITLE_SIMILARITY: f64 = 0.5;

/// Maximum number of notes that are compared although the index does not have them yet.
const MAX_QUEUED_NOTES: usize = 50;

/// Returns up to three notes whose titles resemble `title`. Uses the index without a refresh, and the
/// newest of the notes that wait for one.
pub fn similar_titles(context: &Context, title: &str) -> Vec<SimilarTitle> {
    let words = similarity::words(title);
    let query = Query::parse(&title.replace(|c: char| !c.is_alphanumeric(), " "), context.now());
    let mut found = Vec::new();
    for open in &context.vaults {
        let hits = open.index().search(&query, 0, 10).unwrap_or_default();
        let queued = open.index().queued();
        let newest = queued.iter().rev().take(MAX_QUEUED_NOTES);
        let queued = newest.filter_map(|path| Some(load(open, path).ok()?.note));
        for note in queued.chain(hits.hits.into_iter().map(|hit| hit.note)) {
            let score = similarity::jaccard(&words, &similarity::words(&note.title));
            let is_new = found.iter().all(|one: &SimilarTitle| one.path != note.path.as_str());
            if score >= MIN_TITLE_SIMILARITY && is_new && note.kind != NoteKind::Edge {
                let id = note.key().to_owned();
                found.push(SimilarTitle { id, title: note.title, path: note.path.into(), score });
            }
        }
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    found.truncate(3);
    found
}
