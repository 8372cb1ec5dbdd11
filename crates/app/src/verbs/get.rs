//! Reads a complete note with its incoming and outgoing edges.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::context::as_of::AsOf;
use crate::context::find::{ResolvedNote, find_linked};
use crate::context::memory_scores::MemoryScores;
use crate::context::open::Context;
use crate::context::open_vault::VaultLevel;
use crate::error::{Error, Result};
use cm_note::change::ContentHash;
use cm_note::finding::Finding;
use cm_note::frontmatter::{json, parse, split::Split};
use cm_note::graph::EdgeFilter;
use cm_note::markdown::section;
use cm_note::note::NoteKind;
use cm_note::score::{DecayScore, DecayStatus};

/// A note that is linked with the requested one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LinkedNoteRow {
    /// ID of the note.
    pub id: String,
    /// Title of the note.
    pub title: String,
    /// Path of the note's file, relative to the vault root.
    pub path: String,
    /// Relation type of the edge.
    #[serde(rename = "type")]
    pub relation: String,
}

/// A part of a note's body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NoteSection {
    /// Heading of the section; null for a range of lines.
    pub heading: Option<String>,
    /// First line of the section in the file, from 1.
    pub from: u32,
    /// Last line of the section in the file.
    pub to: u32,
    /// Number of lines of the file.
    pub lines: u32,
}

/// Contents, links and scores of one note.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct NoteDetails {
    pub id: String,
    pub kind: NoteKind,
    /// Memory type.
    #[serde(rename = "type")]
    pub note_type: Option<String>,
    pub title: String,
    /// Path of the note's file, relative to the vault root.
    pub path: String,
    /// Frontmatter as written in the file.
    pub frontmatter: Map<String, Value>,
    /// Text below the frontmatter, or the requested section of it.
    pub body: String,
    /// Place of `body` in the file; only if a section was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<NoteSection>,
    /// Revision of the file, to pass as the expected one of an update.
    pub revision: String,
    /// Notes to which this note has an edge.
    pub links: Vec<LinkedNoteRow>,
    /// Notes with an edge to this note.
    pub backlinks: Vec<LinkedNoteRow>,
    /// Decay score; only for memories.
    pub score: Option<DecayScore>,
    /// Status derived from the score.
    pub status: Option<DecayStatus>,
    /// Problems that the validation of the note found.
    pub findings: Vec<Finding>,
    /// Vault that contains the note: `project` or `global`.
    pub vault: VaultLevel,
    /// Commit that was read; absent for the current state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_of: Option<AsOf>,
}

/// Reads a note, or the section of it with a heading or a range of lines, and counts an access. A
/// reference such as `[[Note#Heading]]` names the section as well. In a
/// context at a past commit, it reads the note of then, with the score of then.
///
/// # Errors
/// Returns an error if no note, or more than one, matches the reference, or if the note does not
/// have the section.
pub fn get(context: &Context, reference: &str, section: Option<&str>) -> Result<NoteDetails> {
    let (found, anchor) = find_linked(context, reference)?;
    let text = found.text();
    let split = Split::of(&text);
    let heading = anchor.filter(|anchor| !anchor.starts_with('^')).map(|anchor| anchor.replace('#', " > "));
    let section = section
        .or(heading.as_deref())
        .map(|heading| {
            section::find(&split, heading)
                .map_err(|error| Error::not_found(error.to_string()).hint(error.hint()))
        })
        .transpose()?;
    let fields = parse::parse(&split).fields;
    count_access(context, &found);
    let (score, status) = standing(context, &found);
    let (links, backlinks) = neighbours(context, &found)?;
    Ok(NoteDetails {
        id: found.note.key().to_owned(),
        kind: found.note.kind,
        note_type: found.note.note_type.clone(),
        title: found.note.title.clone(),
        path: found.note.path.to_string(),
        frontmatter: json::of_fields(&fields),
        body: section.as_ref().map_or(split.body(), |section| section.text).to_owned(),
        section: section.map(|section| NoteSection {
            heading: section.heading,
            from: section.lines.0,
            to: section.lines.1,
            lines: text.lines().count() as u32,
        }),
        revision: ContentHash::of(&found.bytes).revision(),
        links,
        backlinks,
        score,
        status,
        findings: found.note.findings.clone(),
        vault: found.open.level,
        as_of: context.read_at(),
    })
}

/// Returns the file of a note as text and counts an access.
///
/// # Errors
/// Returns an error if no note, or more than one, matches the reference.
pub fn written(context: &Context, reference: &str) -> Result<String> {
    Ok(String::from_utf8_lossy(&raw(context, reference)?).into_owned())
}

fn count_access(context: &Context, found: &ResolvedNote<'_>) {
    // A vault on a read-only disk can still be read.
    let _ = found.open.usage().record(found.note.key(), context.now());
}

/// Decay score and status of a memory; `None` for other notes.
fn standing(context: &Context, found: &ResolvedNote<'_>) -> (Option<DecayScore>, Option<DecayStatus>) {
    if found.note.kind != NoteKind::Memory {
        return (None, None);
    }
    let scores = MemoryScores::of(context, found.open);
    let score = scores.score(&found.note);
    (Some(score), Some(scores.status(score)))
}

/// Returns the notes at outgoing and at incoming edges of a note.
fn neighbours(
    context: &Context,
    found: &ResolvedNote<'_>,
) -> Result<(Vec<LinkedNoteRow>, Vec<LinkedNoteRow>)> {
    let notes = context.notes_around(found.open, &found.note.path, 1, &EdgeFilter::default())?;
    let Some(at) = notes.iter().position(|note| note.path == found.note.path) else {
        return Ok((Vec::new(), Vec::new()));
    };
    let graph = notes.graph();
    let end = |node: usize, relation: &str| {
        let note = &notes[node];
        LinkedNoteRow {
            id: note.key().to_owned(),
            title: note.title.clone(),
            path: note.path.to_string(),
            relation: relation.to_owned(),
        }
    };
    let outgoing = graph.outgoing(at).map(|edge| end(edge.to, &edge.relation)).collect();
    let incoming = graph.incoming(at).map(|edge| end(edge.from, &edge.relation)).collect();
    Ok((outgoing, incoming))
}

/// Returns the file of a note as bytes and counts an access.
///
/// # Errors
/// Returns an error if no note, or more than one, matches the reference.
pub fn raw(context: &Context, reference: &str) -> Result<Vec<u8>> {
    let (found, _) = find_linked(context, reference)?;
    count_access(context, &found);
    Ok(found.bytes)
}
