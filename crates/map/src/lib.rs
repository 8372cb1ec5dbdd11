//! The map of a vault: groups linked notes into communities and regions, and gives each note a
//! place.
//!
//! Communities come from the Louvain method with a maximum size, regions from the same method on
//! the graph of communities. Regions, communities and notes are nested discs. The result depends
//! only on the notes and edges, not on their order. This crate reads no files and draws nothing.

mod arrange;
mod directory;
mod encode;
mod label;
mod layout;
mod louvain;
mod network;
mod partition;
#[doc(hidden)]
pub mod sample;
mod slots;

#[cfg(test)]
mod tests;

pub use arrange::Disc;
pub use directory::{CommunityEntry, MapDirectory, PlacedNote, RegionEntry};
pub use encode::{FORMAT_VERSION, compressed, encoded};
pub use layout::{Community, MapLink, MapNode, Region, RegionKind, VaultMap, layout};
pub use partition::COMMUNITY_CAP;
