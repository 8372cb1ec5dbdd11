//! State of one vault that a long-lived process keeps between calls.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::context::open_vault::OpenVault;
use crate::context::value_cache::ValueCache;
use cm_index::{Index, Vectors};
use cm_note::listing::VaultListing;
use cm_store::vault::watch::Watch;
use cm_store::vault::{Vault, walk};

/// Time in milliseconds for which an index counts as current without watch events. Some changes
/// cause no event: writes through hard links or mapped memory, and mounts over a folder.
const WATCH_TRUST_MS: u64 = 10_000;

/// State that a long-lived process keeps open for one vault.
pub struct VaultCache {
    pub(crate) index: Arc<Index>,
    pub(crate) vectors: Vectors,
    pub(super) watch: Option<Watch>,
    pub(crate) values: ValueCache,
    last_indexed: Mutex<Option<IndexedVersion>>,
    refreshing: Mutex<()>,
}

/// Version stamp of a vault and its index: equal stamps mean that nothing changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct VaultVersion {
    events: u64,
    root: Option<[u64; 2]>,
    /// [`OpenVault::parse_fingerprint`] at that time.
    parse_settings: String,
    /// Version of the index at that time.
    version: String,
}

/// The last vault version for which the index was found complete, with the time of the check.
#[derive(Debug)]
struct IndexedVersion {
    moment: VaultVersion,
    at: u64,
}

impl VaultCache {
    pub(super) fn of(vault: &Vault, watches: bool) -> Self {
        Self {
            index: Arc::new(Index::open(&vault.index())),
            vectors: Vectors::open(&vault.vectors()),
            watch: if watches { Watch::of(vault.root()) } else { None },
            values: ValueCache::default(),
            last_indexed: Mutex::default(),
            refreshing: Mutex::default(),
        }
    }

    /// Locks the refresh: only one thread at a time may refresh the index.
    pub(crate) fn lock_refresh(&self) -> MutexGuard<'_, ()> {
        self.refreshing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the current version stamp; `None` without a working file watch or without an index.
    pub(crate) fn current_version(&self, open: &OpenVault) -> Option<VaultVersion> {
        let events = self.watch.as_ref()?.count()?;
        let version = open.index().version().ok()?;
        Some(VaultVersion {
            events,
            root: open.vault.identity(),
            parse_settings: open.parse_fingerprint(),
            version,
        })
    }

    /// Returns whether the index reflects this version. It does not if the index was changed or has
    /// queued paths, or if the last comparison is too old.
    pub(crate) fn is_current(&self, moment: &VaultVersion, open: &OpenVault, now: u64) -> bool {
        let settled = self.last_indexed.lock().unwrap_or_else(PoisonError::into_inner);
        settled.as_ref().is_some_and(|settled| {
            settled.moment == *moment
                && now.saturating_sub(settled.at) < WATCH_TRUST_MS
                && !open.index().has_queued()
        })
    }

    /// Records that the index was complete for this version at `at`, in milliseconds.
    pub(crate) fn mark_indexed(&self, moment: VaultVersion, at: u64) {
        let settled = IndexedVersion { moment, at };
        *self.last_indexed.lock().unwrap_or_else(PoisonError::into_inner) = Some(settled);
    }

    /// Walks the vault's folder and starts to watch every folder in it.
    pub(crate) fn walk(&self, vault: &Vault, exclude: &[String]) -> VaultListing {
        walk::walk_visiting(vault.root(), exclude, &mut |folder| {
            self.watch.iter().for_each(|watch| watch.add(&vault.root().join(folder)));
        })
    }
}
