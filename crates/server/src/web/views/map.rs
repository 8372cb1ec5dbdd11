//! The map: the page with its table, and the data that its script loads.

use askama::Template;

use crate::web::assets::address;
use crate::web::data::WebData;
use crate::web::page::{PageRequest, Shell, render};
use crate::web::words::{count, note_address};
use cm_app::verbs::map::{self, RegionKind, RegionRow};
use cm_app::{Context, Error, Result};

/// Maximum number of hits that the map marks.
const MAX_HITS: usize = 60;

#[derive(Template)]
#[template(path = "graph.html")]
struct MapPage {
    shell: Shell,
    style: String,
    script: String,
    notes: String,
    /// Date or commit of the notes; empty for now.
    as_of: String,
    regions: Vec<Region>,
}

struct Region {
    label: String,
    notes: String,
    communities: Vec<Community>,
    more: usize,
}

struct Community {
    number: u32,
    label: String,
    notes: String,
    top: Vec<TopNote>,
}

struct TopNote {
    title: String,
    address: String,
}

pub(in crate::web) fn show(context: &Context, request: &PageRequest) -> Result<String> {
    let table = map::table(context)?;
    render(&MapPage {
        style: address("map.css"),
        script: address("map.js"),
        notes: count(table.notes, "note"),
        as_of: request.query.get("as_of").unwrap_or_default().to_owned(),
        regions: table.regions.into_iter().map(region).collect(),
        shell: Shell::of(context, request, "graph", "Map"),
    })
}

fn region(row: RegionRow) -> Region {
    let label = match row.kind {
        RegionKind::Linked => row.label,
        RegionKind::SmallGroups => "Small groups".to_owned(),
        RegionKind::Unlinked => "Notes without links".to_owned(),
    };
    let communities = row.communities.into_iter().map(|one| Community {
        number: one.number,
        label: one.label,
        notes: count(one.notes, "note"),
        top: one
            .top
            .into_iter()
            .map(|note| TopNote { address: note_address(&note.id), title: note.title })
            .collect(),
    });
    Region { label, notes: count(row.notes, "note"), communities: communities.collect(), more: row.more }
}

/// The whole map without ids and titles.
pub(super) fn image(context: &Context, _: &PageRequest) -> Result<WebData> {
    let image = map::image(context)?;
    Ok(WebData::Gzip { bytes: image.gzip, version: image.version })
}

/// The notes of a community.
pub(super) fn community(context: &Context, request: &PageRequest) -> Result<WebData> {
    let number = request.reference.parse().map_err(|_| Error::usage("a community has a number"))?;
    WebData::json(&map::community(context, number)?)
}

/// The neighbourhood of a note.
pub(super) fn near(context: &Context, request: &PageRequest) -> Result<WebData> {
    WebData::json(&map::near(context, &request.reference)?)
}

/// The hits of a search.
pub(super) fn find(context: &Context, request: &PageRequest) -> Result<WebData> {
    let query = request.query.get("q").unwrap_or_default();
    WebData::json(&map::find(context, query, MAX_HITS)?)
}
