//! State that a long-lived process keeps between calls: opened indexes, vectors, models, and file
//! watchers that save walking unchanged folders.
//!
//! No answer is cached. Every opened file is compared with the one on disk, and a folder that
//! cannot be watched is walked on every call.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use crate::context::meaning::ModelCache;
use crate::context::open::{Context, OpenVault, Request, VaultLevel};
use crate::error::Result;
use cm_index::{Index, Vectors};
use cm_note::listing::{FileStat, VaultListing};
use cm_store::config::keys;
use cm_store::vault::watch::Watch;
use cm_store::vault::{Vault, layout, walk};

/// Milliseconds for which the absence of watch events counts as proof. Some changes cause no event:
/// writes through hard links or mapped memory, and mounts over a folder.
const WATCH_TRUST_MS: u64 = 10_000;

/// Poll interval for watch events, and number of intervals between walks of an unwatched folder.
const PAUSE: Duration = Duration::from_millis(200);
const PAUSES: u32 = 10;
/// Capacity of the channel for changes.
const WAITING: usize = 64;

/// Cache of a process, shared by the calls in all threads.
pub struct ProcessCache {
    vaults: Mutex<HashMap<PathBuf, Arc<VaultCache>>>,
    models: Arc<ModelCache>,
    is_watching: bool,
}

impl Default for ProcessCache {
    fn default() -> Self {
        Self { vaults: Mutex::default(), models: Arc::default(), is_watching: true }
    }
}

/// Cached state of one vault.
pub struct VaultCache {
    pub(crate) index: Arc<Index>,
    pub(crate) vectors: Vectors,
    watch: Option<Watch>,
    last_indexed: Mutex<Option<IndexedVersion>>,
    refreshing: Mutex<()>,
}

/// Version stamp of a vault and its index: equal stamps mean that nothing changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct VaultVersion {
    events: u64,
    root: Option<[u64; 2]>,
    /// Settings that determine how notes are parsed and which folders are excluded.
    parse_settings: String,
    /// Version of the index.
    version: String,
}

/// A version of the vault that the index reflects.
#[derive(Debug)]
struct IndexedVersion {
    moment: VaultVersion,
    at: u64,
}

/// Changed, new or deleted files of a vault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VaultChange {
    /// Vault that contains the files.
    pub level: VaultLevel,
    /// Paths in the vault, sorted.
    pub paths: Vec<String>,
}

impl ProcessCache {
    /// Creates a cache without file watchers: every call walks the folders.
    pub fn unwatched() -> Self {
        Self { is_watching: false, ..Self::default() }
    }

    /// Opens the vaults of a call with the cached state.
    ///
    /// # Errors
    /// Returns an error if the vaults cannot be opened.
    pub fn open(self: &Arc<Self>, call: Request) -> Result<Context> {
        Context::open_with(call, Some(Arc::clone(self)))
    }

    /// Starts a thread that sends the changed files of the open vaults shortly after each change.
    /// It ends when the receiver or the cache is dropped.
    pub fn changes(self: &Arc<Self>, memory: &Context) -> Receiver<VaultChange> {
        let (out, changes) = sync_channel(WAITING);
        let followed: Vec<MonitoredVault> = memory
            .vaults
            .iter()
            .map(|open| MonitoredVault::of(open, self.vault_cache(&open.vault)))
            .collect();
        let keeper = Arc::downgrade(self);
        std::thread::spawn(move || follow(followed, &keeper, &out));
        changes
    }

    pub(crate) fn vault_cache(&self, vault: &Vault) -> Arc<VaultCache> {
        let mut vaults = self.vaults.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = vaults
            .entry(vault.root().to_owned())
            .or_insert_with(|| Arc::new(VaultCache::of(vault, self.is_watching)));
        Arc::clone(kept)
    }

    pub(crate) fn models(&self) -> Arc<ModelCache> {
        Arc::clone(&self.models)
    }
}

impl VaultCache {
    fn of(vault: &Vault, watches: bool) -> Self {
        Self {
            index: Arc::new(Index::open(&vault.index())),
            vectors: Vectors::open(&vault.vectors()),
            watch: if watches { Watch::of(vault.root()) } else { None },
            last_indexed: Mutex::default(),
            refreshing: Mutex::default(),
        }
    }

    /// Locks the refresh: only one thread at a time may refresh the index.
    pub(crate) fn lock_refresh(&self) -> MutexGuard<'_, ()> {
        self.refreshing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the current version stamp; `None` without a working file watcher or index.
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

    /// Records that the index was compared with the folders at this version and matched.
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

impl OpenVault {
    /// Describes the settings that determine how notes are parsed and which folders are excluded.
    fn parse_fingerprint(&self) -> String {
        let settings = &self.settings;
        format!("{:?}", (&settings.types, &settings.relations, settings.texts(keys::VAULT_EXCLUDE)))
    }
}

/// Files in the root other than notes for which changes are sent.
const OWN: [&str; 3] = [layout::CORE, layout::REFLECTION, layout::SETTINGS];

/// A vault that is monitored for changes.
struct MonitoredVault {
    level: VaultLevel,
    vault: Vault,
    exclude: Vec<String>,
    kept: Arc<VaultCache>,
    events: Option<u64>,
    files: BTreeMap<String, FileStat>,
}

impl MonitoredVault {
    fn of(open: &OpenVault, kept: Arc<VaultCache>) -> Self {
        let exclude = open.settings.texts(keys::VAULT_EXCLUDE);
        let (level, vault) = (open.level, open.vault.clone());
        let mut followed = Self { level, vault, exclude, kept, events: None, files: BTreeMap::new() };
        followed.events = followed.count();
        followed.files = followed.look();
        followed
    }

    fn count(&self) -> Option<u64> {
        self.kept.watch.as_ref()?.count()
    }

    fn look(&self) -> BTreeMap<String, FileStat> {
        let notes = self.kept.walk(&self.vault, &self.exclude).files;
        let own = walk::of_root(self.vault.root(), &OWN);
        notes.into_iter().chain(own).map(|file| (file.path.to_string(), file)).collect()
    }

    /// Returns the changes since the last call. With `patient`, an unwatched folder is skipped.
    fn changed(&mut self, patient: bool) -> Option<VaultChange> {
        let events = self.count();
        let quiet = if events.is_some() { events == self.events } else { patient };
        if quiet {
            return None;
        }
        self.events = events;
        let now = self.look();
        let before = std::mem::replace(&mut self.files, now);
        let differs = |(path, file): &(&String, &FileStat)| before.get(*path) != Some(*file);
        let there = self.files.iter().filter(differs).map(|(path, _)| path.clone());
        let gone = before.keys().filter(|path| !self.files.contains_key(*path)).cloned();
        let mut paths: Vec<String> = there.chain(gone).collect();
        paths.sort();
        (!paths.is_empty()).then_some(VaultChange { level: self.level, paths })
    }
}

fn follow(mut followed: Vec<MonitoredVault>, keeper: &Weak<ProcessCache>, out: &SyncSender<VaultChange>) {
    for turn in (1..=PAUSES).cycle() {
        std::thread::sleep(PAUSE);
        if keeper.strong_count() == 0 {
            return;
        }
        for changed in followed.iter_mut().filter_map(|vault| vault.changed(turn != PAUSES)) {
            if out.send(changed).is_err() {
                return;
            }
        }
    }
}
