//! All notes with their edges, for commands that look at the whole vault: they need not read and connect
//! all notes.
//!
//! The file of the overview describes one commit of the text index. At a later commit, what changed since
//! is read again, together with the notes that refer to it. The file is written anew after many changes.

use std::borrow::Cow;
use std::sync::Arc;

use super::error::Error;
use super::frame;
use super::store::Index;
use super::text::{OverviewFindings, ReferenceFindings, mapped};
use cm_note::finding::Finding;
use cm_note::graph::{LinkFinding, LinkedNotes};
use cm_note::note::RelationTable;

/// Name of the file.
const NAME: &str = "overview";
/// The overview file is rewritten after more than one change per `NOTES_PER_CHANGE` notes.
const NOTES_PER_CHANGE: usize = 400;

/// The notes of a vault with their edges.
#[derive(Debug)]
pub struct Overview {
    /// All notes, sorted by path, without their relations and links, and without the summaries of other
    /// notes than insights. Their graph has all edges.
    pub notes: Arc<LinkedNotes>,
    findings: OverviewFindings,
}

impl Overview {
    /// Returns the findings about references between notes, in the order of the notes.
    pub fn findings(&self) -> Vec<Finding> {
        // They were serialized by this program, and checked when they were read.
        let found = self.findings.read().map(Cow::into_owned).unwrap_or_default();
        let ReferenceFindings { findings, suggestions } = found;
        let suggestions = suggestions.unwrap_or_else(|| LinkFinding::suggestions(&findings, &self.notes));
        LinkFinding::with_suggestions(findings, suggestions)
    }
}

impl Index {
    /// Returns the overview as of the last refresh. `basis` names everything beside the notes on which
    /// the findings depend, such as `relations`.
    ///
    /// # Errors
    ///
    /// Fails like [`Index::search`].
    pub fn overview(&self, basis: &str, relations: &RelationTable) -> Result<Overview, Error> {
        let opened = self.text()?;
        // A file that is missing or unsound is made from the notes.
        let mut found = opened.text.overview(mapped(self.folder(), NAME), basis, relations)?;
        if found.changes > found.notes.len() / NOTES_PER_CHANGE {
            found.suggest();
            // Where nothing can be written, the next command reads the notes again.
            let _ = frame::write_frames(&self.folder().join(NAME), &found.sections(basis));
        }
        let notes = LinkedNotes::with_statements(found.notes, found.edges, found.types);
        Ok(Overview { notes: Arc::new(notes), findings: found.findings })
    }
}
