//! The map of the target vault: communities of linked notes with their places.
//!
//! The map is computed for one version of the index and stored beside it. Ids, titles and edges of
//! notes are read separately, for one community or one note at a time.

mod build;
#[cfg(test)]
mod tests;

use serde::Serialize;

use crate::context::find::find as find_note;
use crate::context::open::Context;
use crate::error::{Error, Result};
use crate::verbs::search::{self, search};
use build::with_directory;
use cm_map::MapDirectory;

pub use cm_map::RegionKind;

/// Maximum number of notes around a note.
const MAX_NEIGHBOURS: usize = 200;
/// Number of communities of each region in [`MapTable`].
const TABLE_COMMUNITIES: usize = 24;
/// Number of notes of each community in [`MapTable`].
const TABLE_NOTES: usize = 5;

/// The encoded map of a vault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapImage {
    /// The map in the form of [`cm_map::encoded`], compressed with gzip.
    pub gzip: Vec<u8>,
    /// Changes whenever the map may have changed.
    pub version: String,
}

/// A note on the map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MapNote {
    /// Position in the columns of the map.
    pub place: u32,
    /// Note id, or its path if it has none.
    pub id: String,
    pub title: String,
    /// Type of the note, or its kind if it has none.
    #[serde(rename = "type")]
    pub kind: String,
}

/// Notes and the edges between them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MapPart {
    /// Version of the map to which the places belong.
    pub version: String,
    pub notes: Vec<MapNote>,
    /// Pairs of positions in `notes`.
    pub edges: Vec<(u32, u32)>,
}

/// The map as a table, for readers without a picture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MapTable {
    /// Version of the map.
    pub version: String,
    /// Number of notes on the map.
    pub notes: usize,
    pub regions: Vec<RegionRow>,
}

/// A region of the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RegionRow {
    /// Empty unless links join the notes.
    pub label: String,
    pub kind: RegionKind,
    pub notes: usize,
    /// The largest communities.
    pub communities: Vec<CommunityRow>,
    /// Number of communities that are not listed.
    pub more: usize,
}

/// A community of the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommunityRow {
    /// Number of the community on the map.
    pub number: u32,
    pub label: String,
    pub notes: usize,
    /// The first notes, the best connected one first.
    pub top: Vec<MapNote>,
}

/// Returns the whole map without ids and titles.
///
/// # Errors
/// Returns an error if the index can be neither used nor rebuilt.
pub fn image(context: &Context) -> Result<MapImage> {
    build::image(context)
}

/// Returns the notes of a community and the edges between them, the best connected note first.
///
/// # Errors
/// `not-found` if the map has no such community, and the errors of [`image`].
pub fn community(context: &Context, number: usize) -> Result<MapPart> {
    with_directory(context, |directory, version| {
        let Some(entry) = directory.communities.get(number) else {
            return Err(Error::not_found(format!("the map has no community {number}")));
        };
        Ok(part(directory, version, entry.places.clone().collect()))
    })
}

/// Returns a note, the notes that it is linked with, and all edges between these. At most 200
/// neighbours are returned.
///
/// # Errors
/// The note is not found or is not in the target vault, and the errors of [`image`].
pub fn near(context: &Context, reference: &str) -> Result<MapPart> {
    with_directory(context, |directory, version| {
        let place = match directory.place(reference) {
            Some(place) => Some(place),
            None => directory.place(find_note(context, reference)?.note.key()),
        };
        let Some(place) = place else {
            return Err(Error::not_found(format!("the note is not on the map: `{reference}`")));
        };
        let near = directory.neighbours(place).iter().take(MAX_NEIGHBOURS);
        let mut places: Vec<u32> = near.copied().chain([place]).collect();
        places.sort_unstable();
        Ok(part(directory, version, places))
    })
}

/// Returns the notes that match a query, best first, without those that are not on the map. The
/// edges are empty.
///
/// # Errors
/// A wrong query, and the errors of [`image`].
pub fn find(context: &Context, query: &str, limit: usize) -> Result<MapPart> {
    let options =
        search::Options { query: query.to_owned(), limit: Some(limit), ..search::Options::default() };
    let hits = search(context, &options)?.hits;
    with_directory(context, |directory, version| {
        let places = hits.iter().filter_map(|hit| directory.place(&hit.id));
        let notes = places.map(|place| note(directory, place)).collect();
        Ok(MapPart { version, notes, edges: Vec::new() })
    })
}

/// Returns regions and their largest communities with their first notes.
///
/// # Errors
/// The errors of [`image`].
pub fn table(context: &Context) -> Result<MapTable> {
    with_directory(context, |directory, version| {
        let regions = (0..directory.regions.len()).map(|region| region_row(directory, region)).collect();
        Ok(MapTable { version, notes: directory.notes.len(), regions })
    })
}

fn note(directory: &MapDirectory<'_>, place: u32) -> MapNote {
    let placed = directory.notes[place as usize];
    MapNote {
        place,
        id: placed.id.to_owned(),
        title: placed.title.to_owned(),
        kind: directory.kinds[placed.kind as usize].to_owned(),
    }
}

fn part(directory: &MapDirectory<'_>, version: String, places: Vec<u32>) -> MapPart {
    let edges = directory.edges_among(&places);
    MapPart { version, notes: places.into_iter().map(|place| note(directory, place)).collect(), edges }
}

fn region_row(directory: &MapDirectory<'_>, region: usize) -> RegionRow {
    let entry = &directory.regions[region];
    let all = entry.communities.clone();
    let size = |community: u32| directory.communities[community as usize].places.len();
    let row = |number: u32| {
        let community = &directory.communities[number as usize];
        let top = community.places.clone().take(TABLE_NOTES).map(|place| note(directory, place));
        CommunityRow { number, label: community.label.to_owned(), notes: size(number), top: top.collect() }
    };
    RegionRow {
        label: entry.label.to_owned(),
        kind: entry.kind,
        notes: all.clone().map(size).sum(),
        communities: all.clone().take(TABLE_COMMUNITIES).map(row).collect(),
        more: all.len().saturating_sub(TABLE_COMMUNITIES),
    }
}
