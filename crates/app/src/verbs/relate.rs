//! Creates edges between notes as separate files, and deletes edges in every place that defines
//! them.

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::find::{ResolvedNote, find_in_target, load};
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::write;
use crate::error::{Error, Result};
use crate::verbs::note_fields::in_range;
use cm_note::change::{ChangeSet, ContentHash, VaultFileChange};
use cm_note::frontmatter::edit::Edit;
use cm_note::frontmatter::{parse, split::Split};
use cm_note::graph::NoteNames;
use cm_note::id::NoteId;
use cm_note::message::{CommitMessage, CommitOp};
use cm_note::note::compose::{self, EdgeDraft, EdgeEnd};
use cm_note::note::types::SUPERSEDES;
use cm_note::note::{Note, name};

/// An edge between two notes to create or delete.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// ID, path or title of the note at which the edge starts.
    pub from: String,
    /// ID, path or title of the note to which the edge leads.
    pub to: String,
    /// Edge type, such as `SOLVES`. Without it, `relate` uses `RELATED_TO` and `unrelate` deletes
    /// edges of every type.
    pub relation: Option<String>,
    /// Strength of the edge, 0.0–1.0.
    pub strength: Option<f64>,
    /// Why the two notes are related.
    pub why: Option<String>,
}

/// Result of creating or deleting edges.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EdgeEditResult {
    /// Ids of the edges, and of notes whose frontmatter changed.
    pub ids: Vec<String>,
    /// Path of the edge file; after a deletion, the first changed file.
    pub path: Option<String>,
    /// Hash of the new commit; null if automatic commits are off (`git.commit`) or nothing changed.
    pub commit: Option<String>,
    /// Whether any file changed; false if the request had no effect.
    pub changed: bool,
}

/// Default edge type.
const PLAIN: &str = "RELATED_TO";

/// Writes an edge file. If an edge of that type already exists, sets its strength and appends the
/// reason to its body.
///
/// # Errors
/// Returns an error if a note is not found, if the type is unknown, if both ends are the same note,
/// if an agent tries to supersede with a confirmed note (`persons-only`), or if the write fails.
pub fn relate(context: &Context, options: &Options) -> Result<EdgeEditResult> {
    let relation = known_relation(context.target(), options.relation.as_deref().unwrap_or(PLAIN))?;
    if relation == SUPERSEDES && !ends(context, options)?.0.note.is_waiting() {
        context.persons_only("let a confirmed note supersede another")?;
    }
    connect(context, options)
}

/// Like [`relate`], for a caller that knows that the notes may be related in this way.
///
/// # Errors
/// The errors of [`relate`], without `persons-only`.
pub(crate) fn connect(context: &Context, options: &Options) -> Result<EdgeEditResult> {
    in_range("strength", options.strength)?;
    let relation = known_relation(context.target(), options.relation.as_deref().unwrap_or(PLAIN))?;
    let (from, to) = ends(context, options)?;
    let (from, to) = (from.note, to.note);
    if let Some(there) = edge_files(context, &from, &to, Some(&relation))?.into_iter().next() {
        return amend(context, &there, options);
    }
    let id = NoteId::from(context.new_uuid());
    let notes = context.notes_of(context.target())?;
    let file = name::edge_file_name(&from.title, &relation, &to.title, &id);
    let path = crate::verbs::note_fields::sharded(context.target(), "graph/edges", &file, &id)?;
    let text = compose::edge(&EdgeDraft {
        id: id.clone(),
        relation: relation.clone(),
        from: end(&notes, &from),
        to: end(&notes, &to),
        strength: options.strength.unwrap_or(1.0),
        created: context.now(),
        body: options.why.clone().unwrap_or_default(),
    });
    let subject = format!("Relate \"{}\" {relation} \"{}\"", from.title, to.title);
    let message = CommitMessage::new(CommitOp::Relate, subject).id(id.as_str()).id(from.key()).id(to.key());
    let change = VaultFileChange::Create { path: path.clone(), text };
    let written = write::apply(context, ChangeSet { message, changes: vec![change] })?;
    Ok(EdgeEditResult {
        ids: vec![id.into()],
        path: Some(path.into()),
        commit: written.commit,
        changed: true,
    })
}

/// Deletes the edges from one note to another: edge files and entries of `relations` at both ends.
/// Links in bodies stay.
///
/// # Errors
/// Returns an error if a note is not found, if the notes have no such edge, or if the write fails.
pub fn unrelate(context: &Context, options: &Options) -> Result<EdgeEditResult> {
    let relation =
        options.relation.as_deref().map(|name| known_relation(context.target(), name)).transpose()?;
    let (from, to) = ends(context, options)?;
    if !from.note.is_waiting() && !to.note.is_waiting() {
        context.persons_only("remove an edge between confirmed notes")?;
    }
    let mut ids = Vec::new();
    let mut changes = Vec::new();
    for found in edge_files(context, &from.note, &to.note, relation.as_deref())? {
        write::refuse_uncommitted(context, found.open, &found.note.path, &found.bytes)?;
        ids.push(found.note.key().to_owned());
        changes.push(VaultFileChange::Remove {
            path: found.note.path.clone(),
            expected: Some(ContentHash::of(&found.bytes)),
        });
    }
    for (note, other, outgoing) in [(&from, &to, true), (&to, &from, false)] {
        let edits = relation_edits(note, &other.note, relation.as_deref(), outgoing);
        if !edits.is_empty() {
            ids.push(note.note.key().to_owned());
            changes.push(VaultFileChange::edit(note.note.path.clone(), edits));
        }
    }
    if changes.is_empty() {
        let relation_name = relation.map(|relation| format!("{relation} ")).unwrap_or_default();
        let (from, to) = (&from.note.title, &to.note.title);
        return Err(Error::not_found(format!("there is no {relation_name}edge from \"{from}\" to \"{to}\""))
            .hint("links in note bodies must be edited by hand; `cm related` lists all edges and links"));
    }
    let subject = format!("Unrelate \"{}\" and \"{}\"", from.note.title, to.note.title);
    let message = ids
        .iter()
        .fold(CommitMessage::new(CommitOp::Unrelate, subject), |message, id| message.id(id.as_str()));
    let written = write::apply(context, ChangeSet { message, changes })?;
    Ok(EdgeEditResult {
        ids,
        path: written.changed.first().map(ToString::to_string),
        commit: written.commit,
        changed: !written.changed.is_empty(),
    })
}

fn ends<'a>(context: &'a Context, options: &Options) -> Result<(ResolvedNote<'a>, ResolvedNote<'a>)> {
    let from = find_in_target(context, &options.from)?;
    let to = find_in_target(context, &options.to)?;
    if from.note.path == to.note.path {
        return Err(Error::usage(format!("\"{}\" cannot be related to itself", from.note.title)));
    }
    Ok((from, to))
}

/// Normalizes the name of an edge type; an unknown type is an error that lists the valid types.
fn known_relation(open: &OpenVault, typed: &str) -> Result<String> {
    let name = typed.trim().to_uppercase().replace('-', "_");
    let relations = &open.settings.relations;
    if relations.iter().any(|declared| declared == name) {
        return Ok(name);
    }
    let declared: Vec<&str> = relations.iter().collect();
    Err(Error::usage(format!("unknown edge type `{typed}`"))
        .hint(format!("the types are {}; `relations` in cm.toml adds more", declared.join(", "))))
}

/// Loads the edge files that lead from one note to another.
fn edge_files<'a>(
    context: &'a Context,
    from: &Note,
    to: &Note,
    relation: Option<&str>,
) -> Result<Vec<ResolvedNote<'a>>> {
    let open = context.target();
    let fits = |note: &Note| {
        note.edge.as_ref().is_some_and(|edge| edge.from == from.key() && edge.to == to.key())
            && relation.is_none_or(|relation| note.note_type.as_deref() == Some(relation))
    };
    context.notes_of(open)?.iter().filter(|note| fits(note)).map(|note| load(open, &note.path)).collect()
}

fn end(notes: &[Note], note: &Note) -> EdgeEnd {
    let at = notes.iter().position(|other| other.path == note.path);
    let target = at.map_or(note.path.stem(), |at| NoteNames::of(notes).link_target(at));
    EdgeEnd { id: note.key().to_owned(), title: note.title.clone(), target: target.to_owned() }
}

fn amend(context: &Context, edge: &ResolvedNote<'_>, options: &Options) -> Result<EdgeEditResult> {
    let mut edits = Vec::new();
    if let Some(strength) = options.strength {
        edits.push(Edit::Set { key: "strength".into(), value: strength.into() });
    }
    let text = edge.text();
    let reason = options.why.as_deref().unwrap_or_default().trim();
    let is_new = !reason.is_empty() && !Split::of(&text).body().contains(reason);
    if is_new {
        let gap = if Split::of(&text).body().ends_with('\n') { "\n" } else { "\n\n" };
        edits.push(Edit::AppendBody { text: format!("{gap}{reason}\n") });
    }
    let subject = match is_new {
        true => format!("Add a reason to \"{}\"", edge.note.title),
        false => format!("Change the strength of \"{}\"", edge.note.title),
    };
    let changed = crate::verbs::update::apply(context, edge, CommitOp::Relate, subject, edits)?;
    Ok(EdgeEditResult {
        ids: vec![changed.id],
        path: Some(changed.path),
        commit: changed.commit,
        changed: changed.changed,
    })
}

/// Returns edits that remove the other note from the `relations` of a note, as target or as source.
fn relation_edits(
    found: &ResolvedNote<'_>,
    other: &Note,
    relation: Option<&str>,
    outgoing: bool,
) -> Vec<Edit> {
    let text = found.text();
    let fields = parse::parse(&Split::of(&text)).fields;
    let items =
        fields.get("relations").and_then(|field| field.value.as_sequence().cloned()).unwrap_or_default();
    // The note's relations stand in the order of the list, but those that make no sense are left out of it.
    let is_match = |item: &yaml_serde::Value| {
        let field =
            |key: &str| item.get(key).and_then(yaml_serde::Value::as_str).unwrap_or_default().to_owned();
        let leads_out = field("direction") != "incoming";
        field("target") == other.key()
            && leads_out == outgoing
            && relation.is_none_or(|relation| field("type").eq_ignore_ascii_case(relation))
    };
    items.into_iter().filter(is_match).map(|item| Edit::Pull { key: "relations".to_owned(), item }).collect()
}
