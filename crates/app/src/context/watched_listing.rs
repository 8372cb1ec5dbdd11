//! The files of a vault at a state of its watch: the next listing looks only at what changed since.

use std::collections::BTreeSet;

use cm_note::listing::{FileStat, VaultListing};
use cm_note::path::NotePath;
use cm_store::vault::watch::Watch;
use cm_store::vault::{Vault, walk};

/// A listing with the number of watch events before it was made.
#[derive(Debug)]
pub(super) struct WatchedListing {
    listing: VaultListing,
    /// `None` without a working watch.
    events: Option<u64>,
    root: Option<[u64; 2]>,
    exclude: Vec<String>,
    /// Time of the last walk, in milliseconds.
    walked_at: u64,
}

impl WatchedListing {
    /// Walks the vault's folder at the time `now`, and watches every folder in it.
    pub(super) fn walk(vault: &Vault, exclude: &[String], watch: Option<&Watch>, now: u64) -> Self {
        // Taken before the walk: what happens from here on is looked at the next time.
        let events = watch.and_then(Watch::count);
        let root = vault.identity();
        let listing = walk::walk_visiting(vault.root(), exclude, &mut |folder| {
            watch.iter().for_each(|watch| watch.add(folder));
        });
        Self { listing, events, root, exclude: exclude.to_owned(), walked_at: now }
    }

    pub(super) fn listing(&self) -> &VaultListing {
        &self.listing
    }

    /// Time of the last walk, in milliseconds.
    pub(super) fn walked_at(&self) -> u64 {
        self.walked_at
    }

    /// Brings the listing up to date and returns the notes that were changed, created or deleted.
    /// Walks only if the watch cannot tell where something changed.
    pub(super) fn update(
        &mut self,
        vault: &Vault,
        exclude: &[String],
        watch: Option<&Watch>,
        now: u64,
    ) -> BTreeSet<NotePath> {
        self.relist(vault, exclude, watch).unwrap_or_else(|| {
            let before = std::mem::replace(self, Self::walk(vault, exclude, watch, now));
            differing(&before.listing.files, &self.listing.files)
        })
    }

    fn relist(
        &mut self,
        vault: &Vault,
        exclude: &[String],
        watch: Option<&Watch>,
    ) -> Option<BTreeSet<NotePath>> {
        let (watch, since) = (watch?, self.events?);
        let events = watch.count()?;
        let changed = watch.changed_since(since)?;
        if self.exclude != exclude || self.root != vault.identity() {
            return None;
        }
        let visit = &mut |folder: &str| watch.add(folder);
        let notes = walk::relist(vault.root(), exclude, &mut self.listing, &changed, visit)?;
        self.events = Some(events);
        Some(notes)
    }
}

/// Returns the files that only one of the lists has, or that differ. Both are sorted by path.
pub(super) fn differing(before: &[FileStat], now: &[FileStat]) -> BTreeSet<NotePath> {
    let others = |one: &[FileStat], other: &[FileStat]| -> Vec<NotePath> {
        let is_there = |file: &&FileStat| {
            other
                .binary_search_by(|there| there.path.cmp(&file.path))
                .is_ok_and(|at| other.get(at) == Some(file))
        };
        one.iter().filter(|file| !is_there(file)).map(|file| file.path.clone()).collect()
    };
    others(before, now).into_iter().chain(others(now, before)).collect()
}
