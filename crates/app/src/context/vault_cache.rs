//! State of one vault that a long-lived process keeps between requests.

use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};

use crate::context::open_vault::OpenVault;
use crate::context::recent_writes::{RecentWrites, WriteTurns};
use crate::context::value_cache::ValueCache;
use crate::context::watched_listing::WatchedListing;
use cm_index::{Index, IndexVersion, Vectors};
use cm_note::listing::VaultListing;
use cm_store::vault::Vault;
use cm_store::vault::watch::Watch;

/// Time in milliseconds for which an index counts as current without watch events. Some changes
/// cause no event: writes through hard links or mapped memory, and mounts over a folder.
const WATCH_TRUST_MS: u64 = 10_000;

/// Maximum number of changed paths that an index may lack and still count as nearly current, and the
/// time in milliseconds for which it does.
const NEARLY_PATHS: usize = 16;
const NEARLY_MS: u64 = 2_000;

/// State that a long-lived process keeps open for one vault.
pub struct VaultCache {
    pub(crate) index: Arc<Index>,
    pub(crate) vectors: Vectors,
    pub(super) watch: Option<Watch>,
    pub(crate) values: ValueCache,
    last_indexed: Mutex<Option<IndexedVersion>>,
    refreshing: Mutex<Option<WatchedListing>>,
    writes: Mutex<RecentWrites>,
    pub(super) write_turns: WriteTurns,
}

/// Lock of the refresh, with the listing of the last one.
pub(super) type RefreshTurn<'a> = MutexGuard<'a, Option<WatchedListing>>;

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
            writes: Mutex::default(),
            write_turns: WriteTurns::default(),
        }
    }

    /// Locks the refresh: only one thread at a time may refresh the index.
    pub(super) fn lock_refresh(&self) -> RefreshTurn<'_> {
        self.refreshing.lock()
    }

    /// Like [`Self::lock_refresh`]; `None` if another thread refreshes the index.
    pub(super) fn try_lock_refresh(&self) -> Option<RefreshTurn<'_>> {
        self.refreshing.try_lock()
    }

    /// Changes that were made through this process.
    pub(crate) fn writes(&self) -> MutexGuard<'_, RecentWrites> {
        self.writes.lock()
    }

    /// Whether the index was complete at some time, so that it can answer as it is.
    pub(crate) fn was_complete(&self) -> bool {
        self.last_indexed.lock().is_some()
    }

    /// Brings the listing of the last refresh up to date. It walks the folder where the watch cannot
    /// tell what changed, and when the last walk is too old.
    pub(super) fn relist<'a>(
        &self,
        turn: &'a mut RefreshTurn<'_>,
        open: &OpenVault,
        now: u64,
    ) -> &'a VaultListing {
        let (vault, exclude) = (&open.vault, open.excluded_folders());
        let watch = self.watch.as_ref();
        let listing = turn.take().filter(|listing| now.saturating_sub(listing.walked_at()) < WATCH_TRUST_MS);
        let listing = match listing {
            Some(mut listing) => {
                listing.update(vault, &exclude, watch, now);
                listing
            }
            None => WatchedListing::walk(vault, &exclude, watch, now),
        };
        turn.insert(listing).listing()
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
        let settled = self.last_indexed.lock();
        settled.as_ref().is_some_and(|settled| {
            settled.moment == *moment
                && now.saturating_sub(settled.at) < WATCH_TRUST_MS
                && !open.index().has_queued()
        })
    }

    /// Returns whether the index was complete a moment ago, and lacks only a few changes of this process since.
    pub(super) fn is_nearly_current(&self, open: &OpenVault, now: u64) -> bool {
        let complete = {
            let settled = self.last_indexed.lock();
            let recent = settled.as_ref().filter(|settled| now.saturating_sub(settled.at) < NEARLY_MS);
            recent.map(|settled| settled.moment.clone())
        };
        let is_the_same = |complete: &VaultVersion| {
            complete.root == open.vault.identity()
                && complete.parse_settings == open.parse_fingerprint()
                && open.index().version().is_ok_and(|version| version == complete.version)
        };
        let Some(complete) = complete.filter(is_the_same) else { return false };
        let changed = self.watch.as_ref().and_then(|watch| watch.changed_since(complete.events));
        let writes = self.writes();
        writes.unindexed() <= NEARLY_PATHS
            && changed.is_some_and(|changed| changed.iter().all(|path| writes.explains(path)))
    }

    /// Records that the index was complete at `at`, in milliseconds: since `begun`, in its version
    /// `version`.
    pub(crate) fn mark_indexed(&self, begun: VaultVersion, version: IndexVersion, at: u64) {
        let settled = IndexedVersion { moment: VaultVersion { version, ..begun }, at };
        *self.last_indexed.lock() = Some(settled);
    }
}
