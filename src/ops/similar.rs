//! Notes that look much like one that is about to be written, by the words of their titles.

use schemars::JsonSchema;
use serde::Serialize;

use super::memory::Memory;
use crate::domain::likeness;
use crate::domain::query::Query;

/// A note that looks much like another.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Near {
    /// What it answers to.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its file.
    pub path: String,
    /// The share of words that both titles have, 0–1.
    pub score: f64,
}

/// Titles that share at least this much are worth a look.
const ENOUGH: f64 = 0.5;

/// The notes whose titles share most words with this one, at most three, as the index stands: a writer does not wait for
/// a walk. Where the index cannot answer there are none.
pub fn near(memory: &Memory, title: &str) -> Vec<Near> {
    let words = likeness::words(title);
    let query = Query::parse(&title.replace(|c: char| !c.is_alphanumeric(), " "), memory.now());
    let mut found = Vec::new();
    for open in &memory.vaults {
        let Ok(hits) = open.index().search(&query, 0, 10) else { continue };
        for hit in hits.hits {
            let score = likeness::jaccard(&words, &likeness::words(&hit.note.title));
            if score >= ENOUGH {
                found.push(Near {
                    id: hit.note.key().to_owned(),
                    title: hit.note.title,
                    path: hit.note.path.into(),
                    score,
                });
            }
        }
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    found.truncate(3);
    found
}
