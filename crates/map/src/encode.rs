//! The binary form of a map for a browser: a JSON header, then one column for each property of the
//! notes. It has no ids and titles of notes.
//!
//! ```text
//! cmmap1\n\0   u32 length of the header   header, filled up with blanks to a multiple of 8
//! u16 x[n]  u16 y[n]  u8 type[n]  u8 state[n]  u8 age[n]  u8 degree[n]        little endian
//! ```
//!
//! Coordinates go from `-half` to `half`. `age` is 0 for the latest change and grows with the
//! logarithm of the days before it, 255 without a date. `degree` is 16 times the logarithm to base
//! 2 of one plus the number of linked notes.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;

use crate::layout::{MapLink, MapNode, RegionKind, VaultMap};

/// Number of this form and of the layout, increased with every change of either.
pub const FORMAT_VERSION: u32 = 1;

const MAGIC: [u8; 8] = *b"cmmap1\n\0";
/// Maximum number of types and of states with a number of their own.
const MAX_NAMES: usize = 254;
const SECONDS_PER_DAY: f64 = 86_400.0;

#[derive(Serialize)]
struct Header<'m> {
    notes: usize,
    half: f32,
    /// Time of the latest change, in seconds since 1970.
    newest: Option<i64>,
    types: Vec<&'m str>,
    states: Vec<&'m str>,
    regions: Vec<RegionHeader<'m>>,
    communities: Vec<CommunityHeader<'m>>,
    /// Two communities and the weight.
    links: Vec<(usize, usize, f32)>,
    region_links: Vec<(usize, usize, f32)>,
}

#[derive(Serialize)]
struct RegionHeader<'m> {
    label: &'m str,
    kind: RegionKind,
    x: f32,
    y: f32,
    r: f32,
    communities: usize,
}

#[derive(Serialize)]
struct CommunityHeader<'m> {
    label: &'m str,
    x: f32,
    y: f32,
    r: f32,
    notes: usize,
}

/// Encodes a map of `nodes`.
pub fn encoded(map: &VaultMap, nodes: &[MapNode<'_>]) -> Vec<u8> {
    let placed: Vec<&MapNode<'_>> = map.order.iter().map(|node| &nodes[*node as usize]).collect();
    let reach = map.regions.iter().map(|region| region.disc.x.hypot(region.disc.y) + region.disc.radius);
    let half = reach.fold(1.0, f64::max);
    let newest = placed.iter().filter_map(|node| node.changed).max();
    let types = Names::of(placed.iter().map(|node| node.kind));
    let states = Names::of(placed.iter().map(|node| node.state));
    let mut bytes = MAGIC.to_vec();
    let mut header = serde_json::to_vec(&header(map, half, newest, &types, &states)).unwrap_or_default();
    header.resize((header.len() + 4).next_multiple_of(8) - 4, b' ');
    bytes.extend_from_slice(&(header.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&header);
    for axis in [0, 1] {
        bytes.extend(map.places.iter().flat_map(|place| quantized(place[axis], half).to_le_bytes()));
    }
    bytes.extend(placed.iter().map(|node| types.number(node.kind)));
    bytes.extend(placed.iter().map(|node| states.number(node.state)));
    bytes.extend(placed.iter().map(|node| age(node.changed, newest)));
    bytes.extend(map.degrees.iter().map(|degree| (f64::from(degree + 1).log2() * 16.0).min(255.0) as u8));
    bytes
}

/// Compresses an encoded map with gzip. The same bytes give the same result.
pub fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 2), Compression::new(6));
    // A vector takes every write.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

fn header<'m>(
    map: &'m VaultMap,
    half: f64,
    newest: Option<i64>,
    types: &Names<'m>,
    states: &Names<'m>,
) -> Header<'m> {
    let links = |links: &[MapLink]| links.iter().map(|link| (link.from, link.to, link.weight)).collect();
    let short = |value: f64| (value * 100.0).round() as f32 / 100.0;
    Header {
        notes: map.order.len(),
        half: half as f32,
        newest,
        types: types.names.clone(),
        states: states.names.clone(),
        regions: map
            .regions
            .iter()
            .map(|region| RegionHeader {
                label: &region.label,
                kind: region.kind,
                x: short(region.disc.x),
                y: short(region.disc.y),
                r: short(region.disc.radius),
                communities: region.communities.len(),
            })
            .collect(),
        communities: map
            .communities
            .iter()
            .map(|community| CommunityHeader {
                label: &community.label,
                x: short(community.disc.x),
                y: short(community.disc.y),
                r: short(community.disc.radius),
                notes: community.notes.len(),
            })
            .collect(),
        links: links(&map.links),
        region_links: links(&map.region_links),
    }
}

/// Numbers of names, the commonest first.
struct Names<'m> {
    names: Vec<&'m str>,
    numbers: BTreeMap<&'m str, u8>,
}

impl<'m> Names<'m> {
    fn of(names: impl Iterator<Item = &'m str>) -> Self {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        names.for_each(|name| *counts.entry(name).or_default() += 1);
        let mut names: Vec<(&str, usize)> = counts.into_iter().collect();
        names.sort_by_key(|(name, count)| (Reverse(*count), *name));
        let names: Vec<&str> = names.into_iter().take(MAX_NAMES).map(|(name, _)| name).collect();
        let numbers = names.iter().copied().zip(0..).collect();
        Self { names, numbers }
    }

    /// 255 for a name that has no number.
    fn number(&self, name: &str) -> u8 {
        self.numbers.get(name).copied().unwrap_or(u8::MAX)
    }
}

fn quantized(coordinate: f64, half: f64) -> u16 {
    ((coordinate / half * 0.5 + 0.5) * f64::from(u16::MAX)).round().clamp(0.0, f64::from(u16::MAX)) as u16
}

/// 21.5 steps for each doubling of the days; ten years are 254.
fn age(changed: Option<i64>, newest: Option<i64>) -> u8 {
    let (Some(changed), Some(newest)) = (changed, newest) else { return u8::MAX };
    let days = (newest - changed).max(0) as f64 / SECONDS_PER_DAY;
    ((days + 1.0).log2() * 21.5).round().min(254.0) as u8
}
