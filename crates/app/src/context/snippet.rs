//! Selects the excerpt of a note that best shows why it matched.

use crate::context::open_vault::OpenVault;
use cm_note::frontmatter::split::Split;
use cm_note::markdown;
use cm_note::note::Note;
use cm_note::passage::{PassageKey, passages};
use cm_note::query::Query;

/// Excerpt selector for one query.
pub(crate) struct NoteSnippets(cm_index::Snippets);

impl NoteSnippets {
    pub(crate) fn of(query: &Query) -> Self {
        Self(cm_index::Snippets::of(query))
    }

    /// Returns the excerpt of a note from its current file; empty if the file is gone.
    pub(crate) fn of_note(&mut self, open: &OpenVault, note: &Note, passage: Option<PassageKey>) -> String {
        let bytes = open.read(&note.path);
        bytes.map(|bytes| self.of_text(note, &String::from_utf8_lossy(&bytes), passage)).unwrap_or_default()
    }

    /// Returns the excerpt of a text, without a heading that repeats the title: around the words of
    /// the query, else the beginning of the nearest passage.
    pub(crate) fn of_text(&mut self, note: &Note, text: &str, passage: Option<PassageKey>) -> String {
        let outline = markdown::outline(Split::of(text).body(), 1);
        let text = outline.text.trim_start();
        let rest =
            text.strip_prefix(&note.title).filter(|rest| rest.starts_with('\n') && !rest.trim().is_empty());
        let rest = rest.unwrap_or(text).trim_start();
        self.0.best(rest).unwrap_or_else(|| {
            let nearest = passages(note, &outline).into_iter().find(|one| Some(one.key) == passage);
            let begin = nearest.and_then(|nearest| outline.text.get(nearest.range));
            cm_index::beginning(begin.map_or(rest, str::trim_start))
        })
    }
}
