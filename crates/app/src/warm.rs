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

use super::error::Result;
use super::meaning::KeptModels;
use super::memory::{Call, Level, Memory, OpenVault};
use cm_index::{Index, Vectors};
use cm_note::listing::{FileStat, Listing};
use cm_store::vault::watch::Watch;
use cm_store::vault::{Vault, layout, walk};

/// Milliseconds for which the absence of watch events counts as proof. Some changes cause no event:
/// writes through hard links or mapped memory, and mounts over a folder.
const BELIEVED: u64 = 10_000;

/// Poll interval for watch events, and number of intervals between walks of an unwatched folder.
const PAUSE: Duration = Duration::from_millis(200);
const PAUSES: u32 = 10;
/// Capacity of the channel for changes.
const WAITING: usize = 64;

/// Cache of a process, shared by the calls in all threads.
pub struct Warm {
    vaults: Mutex<HashMap<PathBuf, Arc<Kept>>>,
    models: Arc<KeptModels>,
    watches: bool,
}

impl Default for Warm {
    fn default() -> Self {
        Self { vaults: Mutex::default(), models: Arc::default(), watches: true }
    }
}

/// Cached state of one vault.
pub struct Kept {
    pub(super) index: Arc<Index>,
    pub(super) vectors: Vectors,
    watch: Option<Watch>,
    settled: Mutex<Option<Settled>>,
    refreshing: Mutex<()>,
}

/// Version stamp of a vault and its index: equal stamps mean that nothing changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Moment {
    events: u64,
    root: Option<[u64; 2]>,
    /// Settings that determine how notes are parsed and which folders are excluded.
    read: String,
    /// Version of the index.
    version: String,
}

/// A version of the vault that the index reflects.
#[derive(Debug)]
struct Settled {
    moment: Moment,
    at: u64,
}

/// Changed, new or deleted files of a vault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Vault that contains the files.
    pub level: Level,
    /// Paths in the vault, sorted.
    pub paths: Vec<String>,
}

impl Warm {
    /// Creates a cache without file watchers: every call walks the folders.
    pub fn unwatched() -> Self {
        Self { watches: false, ..Self::default() }
    }

    /// Opens the vaults of a call with the cached state.
    ///
    /// # Errors
    /// Returns an error if the vaults cannot be opened.
    pub fn open(self: &Arc<Self>, call: Call) -> Result<Memory> {
        Memory::open_with(call, Some(Arc::clone(self)))
    }

    /// Starts a thread that sends the changed files of the open vaults shortly after each change.
    /// It ends when the receiver or the cache is dropped.
    pub fn changes(self: &Arc<Self>, memory: &Memory) -> Receiver<Changed> {
        let (out, changes) = sync_channel(WAITING);
        let followed: Vec<Followed> =
            memory.vaults.iter().map(|open| Followed::of(open, self.of(&open.vault))).collect();
        let keeper = Arc::downgrade(self);
        std::thread::spawn(move || follow(followed, &keeper, &out));
        changes
    }

    pub(super) fn of(&self, vault: &Vault) -> Arc<Kept> {
        let mut vaults = self.vaults.lock().unwrap_or_else(PoisonError::into_inner);
        let kept =
            vaults.entry(vault.root().to_owned()).or_insert_with(|| Arc::new(Kept::of(vault, self.watches)));
        Arc::clone(kept)
    }

    pub(super) fn models(&self) -> Arc<KeptModels> {
        Arc::clone(&self.models)
    }
}

impl Kept {
    fn of(vault: &Vault, watches: bool) -> Self {
        Self {
            index: Arc::new(Index::open(&vault.index())),
            vectors: Vectors::open(&vault.vectors()),
            watch: if watches { Watch::of(vault.root()) } else { None },
            settled: Mutex::default(),
            refreshing: Mutex::default(),
        }
    }

    /// Locks the refresh: only one thread at a time may refresh the index.
    pub(super) fn alone(&self) -> MutexGuard<'_, ()> {
        self.refreshing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the current version stamp; `None` without a working file watcher or index.
    pub(super) fn moment(&self, open: &OpenVault) -> Option<Moment> {
        let events = self.watch.as_ref()?.count()?;
        let version = open.index().version().ok()?;
        Some(Moment { events, root: open.vault.identity(), read: open.reading(), version })
    }

    /// Returns whether the index reflects this version. It does not if the index was changed or has
    /// queued paths, or if the last comparison is too old.
    pub(super) fn is_as_of(&self, moment: &Moment, open: &OpenVault, now: u64) -> bool {
        let settled = self.settled.lock().unwrap_or_else(PoisonError::into_inner);
        settled.as_ref().is_some_and(|settled| {
            settled.moment == *moment
                && now.saturating_sub(settled.at) < BELIEVED
                && !open.index().has_queued()
        })
    }

    /// Records that the index was compared with the folders at this version and matched.
    pub(super) fn settle(&self, moment: Moment, at: u64) {
        let settled = Settled { moment, at };
        *self.settled.lock().unwrap_or_else(PoisonError::into_inner) = Some(settled);
    }

    /// Walks the vault's folder and starts to watch every folder in it.
    pub(super) fn walk(&self, vault: &Vault, exclude: &[String]) -> Listing {
        walk::walk_visiting(vault.root(), exclude, &mut |folder| {
            self.watch.iter().for_each(|watch| watch.add(&vault.root().join(folder)));
        })
    }
}

impl OpenVault {
    /// Describes the settings that determine how notes are parsed and which folders are excluded.
    fn reading(&self) -> String {
        let settings = &self.settings;
        format!("{:?}", (&settings.types, &settings.relations, settings.texts("vault.exclude")))
    }
}

/// Files in the root other than notes for which changes are sent.
const OWN: [&str; 3] = [layout::CORE, layout::REFLECTION, layout::SETTINGS];

/// A vault that is monitored for changes.
struct Followed {
    level: Level,
    vault: Vault,
    exclude: Vec<String>,
    kept: Arc<Kept>,
    events: Option<u64>,
    files: BTreeMap<String, FileStat>,
}

impl Followed {
    fn of(open: &OpenVault, kept: Arc<Kept>) -> Self {
        let exclude = open.settings.texts("vault.exclude");
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
    fn changed(&mut self, patient: bool) -> Option<Changed> {
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
        (!paths.is_empty()).then_some(Changed { level: self.level, paths })
    }
}

fn follow(mut followed: Vec<Followed>, keeper: &Weak<Warm>, out: &SyncSender<Changed>) {
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
