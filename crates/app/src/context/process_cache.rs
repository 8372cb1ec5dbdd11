//! State that a long-lived process keeps between requests: opened indexes, vectors, models, settings, and
//! file watchers that save walking unchanged folders.
//!
//! A value is cached only with the version of everything on which it depends (`ValueCache`). Every
//! opened file is compared with the one on disk, and a folder that cannot be watched is walked on
//! every request.

use crate::context::models::ModelCache;
use crate::context::open::Context;
use crate::context::open_vault::{OpenVault, VaultLevel};
use crate::context::request::Request;
use crate::context::vault_cache::VaultCache;
use crate::context::watched_listing::{WatchedListing, differing};
use crate::error::Result;
use cm_note::instant::Instant;
use cm_note::listing::FileStat;
use cm_store::vault::watch::Watch;
use cm_store::vault::{Vault, layout, walk};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use parking_lot::Mutex;

/// Interval at which watch events are polled.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// Number of polls after which a folder without a watch is walked.
const POLLS_PER_WALK: u32 = 10;
/// Number of [`VaultChange`]s that can wait for the receiver.
const MAX_WAITING_CHANGES: usize = 64;

/// State that a long-lived process shares between requests: indexes, vectors, models and file watches.
pub struct ProcessCache {
    vaults: Mutex<HashMap<PathBuf, Arc<VaultCache>>>,
    models: Arc<ModelCache>,
    is_watching: bool,
    /// Time of the first request.
    began: OnceLock<Instant>,
}

impl Default for ProcessCache {
    fn default() -> Self {
        Self { vaults: Mutex::default(), models: Arc::default(), is_watching: true, began: OnceLock::new() }
    }
}

/// A batch of files of one vault that were changed, created or deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VaultChange {
    /// Vault that contains the files: project or global.
    pub level: VaultLevel,
    /// Paths of the files, relative to the vault root and sorted.
    pub paths: Vec<String>,
}

impl ProcessCache {
    /// Creates a cache without file watchers: every request walks the folders.
    pub fn unwatched() -> Self {
        Self { is_watching: false, ..Self::default() }
    }

    /// Opens the vaults of a request with the cached indexes, vectors and models.
    ///
    /// # Errors
    /// Returns an error if the vaults cannot be opened.
    pub fn open(self: &Arc<Self>, request: Request) -> Result<Context> {
        self.began.get_or_init(|| request.now);
        Context::open_with(request, Some(Arc::clone(self)))
    }

    /// Time of the first request; `None` before it.
    pub(crate) fn began(&self) -> Option<Instant> {
        self.began.get().copied()
    }

    /// Starts a thread that sends the changed files of the open vaults shortly after each change.
    /// It ends when the receiver or the cache is dropped.
    pub fn changes(self: &Arc<Self>, context: &Context) -> Receiver<VaultChange> {
        let (out, changes) = sync_channel(MAX_WAITING_CHANGES);
        let followed: Vec<MonitoredVault> = context
            .vaults
            .iter()
            .map(|open| MonitoredVault::of(open, self.vault_cache(&open.vault)))
            .collect();
        let keeper = Arc::downgrade(self);
        std::thread::spawn(move || follow(followed, &keeper, &out));
        changes
    }

    pub(crate) fn vault_cache(&self, vault: &Vault) -> Arc<VaultCache> {
        let mut vaults = self.vaults.lock();
        let vault_cache = vaults
            .entry(vault.root().to_owned())
            .or_insert_with(|| Arc::new(VaultCache::of(vault, self.is_watching)));
        Arc::clone(vault_cache)
    }

    pub(crate) fn models(&self) -> Arc<ModelCache> {
        Arc::clone(&self.models)
    }
}

/// Files in the vault root that are watched in addition to the notes.
const OWN: [&str; 3] = [layout::CORE, layout::REFLECTION, layout::SETTINGS];

/// A vault that is monitored for changes.
struct MonitoredVault {
    level: VaultLevel,
    vault: Vault,
    exclude: Vec<String>,
    cache: Arc<VaultCache>,
    events: Option<u64>,
    listing: WatchedListing,
    own: Vec<FileStat>,
}

impl MonitoredVault {
    fn of(open: &OpenVault, cache: Arc<VaultCache>) -> Self {
        let exclude = open.excluded_folders();
        let (level, vault) = (open.level, open.vault.clone());
        let events = cache.watch.as_ref().and_then(Watch::count);
        let listing = WatchedListing::walk(&vault, &exclude, cache.watch.as_ref(), 0);
        let own = walk::of_root(vault.root(), &OWN);
        Self { level, vault, exclude, cache, events, listing, own }
    }

    /// Returns the changes since the last call; `None` if there are none. With `patient`, a folder
    /// without a working watch is not walked.
    fn changed(&mut self, patient: bool) -> Option<VaultChange> {
        let watch = self.cache.watch.as_ref();
        let events = watch.and_then(Watch::count);
        let quiet = if events.is_some() { events == self.events } else { patient };
        if quiet {
            return None;
        }
        self.events = events;
        let notes = self.listing.update(&self.vault, &self.exclude, watch, 0);
        let own = walk::of_root(self.vault.root(), &OWN);
        let before = std::mem::replace(&mut self.own, own);
        let paths = notes.into_iter().chain(differing(&before, &self.own));
        let mut paths: Vec<String> = paths.map(|path| path.to_string()).collect();
        paths.sort();
        (!paths.is_empty()).then_some(VaultChange { level: self.level, paths })
    }
}

fn follow(mut followed: Vec<MonitoredVault>, keeper: &Weak<ProcessCache>, out: &SyncSender<VaultChange>) {
    for turn in (1..=POLLS_PER_WALK).cycle() {
        std::thread::sleep(POLL_INTERVAL);
        if keeper.strong_count() == 0 {
            return;
        }
        for changed in followed.iter_mut().filter_map(|vault| vault.changed(turn != POLLS_PER_WALK)) {
            if out.send(changed).is_err() {
                return;
            }
        }
    }
}
