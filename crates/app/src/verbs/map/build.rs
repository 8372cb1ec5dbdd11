//! Builds the map from the notes of the target vault, or reads it from the files beside the index.

use std::collections::HashSet;

use super::MapImage;
use crate::context::open::Context;
use crate::error::{Error, ErrorKind, Result};
use cm_index::{Index, IndexVersion};
use cm_map::{FORMAT_VERSION, MapDirectory, MapNode, compressed, encoded, layout};
use cm_note::bullet::BulletState;
use cm_note::graph::LinkedNotes;
use cm_note::note::{Note, NoteKind};

/// Names of the files beside the index.
const IMAGE: &str = "map";
const DIRECTORY: &str = "map-notes";

/// Returns the compressed map.
pub(super) fn image(context: &Context) -> Result<MapImage> {
    let version = version(context)?;
    let gzip = match context.target().index().derived(IMAGE, FORMAT_VERSION, &version) {
        Some(gzip) => gzip,
        None => build(context, &version)?.0,
    };
    Ok(MapImage { gzip, version: stamp(&version) })
}

/// Calls `read` with the directory of the map and the version of the map.
pub(super) fn with_directory<T>(
    context: &Context,
    read: impl Fn(&MapDirectory<'_>, String) -> Result<T>,
) -> Result<T> {
    let version = version(context)?;
    let stored = context.target().index().derived(DIRECTORY, FORMAT_VERSION, &version);
    if let Some(directory) = stored.as_deref().and_then(MapDirectory::from_bytes) {
        return read(&directory, stamp(&version));
    }
    let (_, built) = build(context, &version)?;
    let directory = MapDirectory::from_bytes(&built)
        .ok_or_else(|| Error::new(ErrorKind::Failed, "map", "the map could not be encoded"))?;
    read(&directory, stamp(&version))
}

/// Refreshes the index and returns its version.
fn version(context: &Context) -> Result<IndexVersion> {
    let open = context.target();
    context.ensure_fresh(open)?;
    context.query_index(open, Index::version)
}

/// Version of a map in answers and in the cache of a browser.
fn stamp(version: &IndexVersion) -> String {
    format!("{version}-{FORMAT_VERSION}")
}

/// Computes the map and stores it. Returns the compressed map and the encoded directory.
fn build(context: &Context, version: &IndexVersion) -> Result<(Vec<u8>, Vec<u8>)> {
    let open = context.target();
    let notes = context.notes_of(open)?;
    let (nodes, edges) = input(&notes);
    let map = layout(&nodes, &edges);
    let gzip = compressed(&encoded(&map, &nodes));
    let directory = MapDirectory::of(&map, &nodes, &edges).to_bytes();
    // A vault on a read-only disk has a map too; it is built for each answer.
    let _ = open.index().store_derived(IMAGE, FORMAT_VERSION, version, gzip.clone());
    let _ = open.index().store_derived(DIRECTORY, FORMAT_VERSION, version, directory.clone());
    Ok((gzip, directory))
}

/// Returns the notes of the map and their edges. Edge files are edges, and daily logs, which
/// mention everything, are left out.
fn input(notes: &LinkedNotes) -> (Vec<MapNode<'_>>, Vec<(u32, u32, f32)>) {
    let mut numbers = vec![u32::MAX; notes.len()];
    let mut nodes = Vec::with_capacity(notes.len());
    let mut ids = HashSet::with_capacity(notes.len());
    for (note, number) in notes.iter().zip(&mut numbers) {
        if !matches!(note.kind, NoteKind::Edge | NoteKind::Episode) {
            // An id that two notes have belongs to the first one.
            let id = if ids.insert(note.key()) { note.key() } else { note.path.as_str() };
            *number = nodes.len() as u32;
            nodes.push(node(note, id));
        }
    }
    let graph = notes.graph();
    let joined =
        graph.edges().iter().map(|edge| (numbers[edge.from], numbers[edge.to], edge.strength as f32));
    (nodes, joined.filter(|(from, to, _)| *from.max(to) != u32::MAX).collect())
}

fn node<'n>(note: &'n Note, id: &'n str) -> MapNode<'n> {
    // A rule that is not in use is shown as such, however far it had been proven.
    let state = note.state.as_deref().filter(|state| *state != BulletState::Active.name());
    MapNode {
        id,
        title: &note.title,
        tags: &note.tags,
        kind: note.note_type.as_deref().unwrap_or(note.kind.name()),
        state: state.or(note.maturity.as_deref()).unwrap_or_default(),
        changed: note.updated.or(note.created).map(cm_note::instant::Instant::unix),
    }
}
