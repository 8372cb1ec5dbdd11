//! What a long-lived process keeps between calls: opened indexes, vectors and models, and a watch over each vault's folders,
//! so that a call walks no folder while nothing happened in it.
//!
//! It keeps no answer, and nothing that it keeps is taken for true without a look: opened files are compared with those that
//! lie there, and where a folder cannot be watched, each call walks it.

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

/// For so many milliseconds a quiet watch is believed. Some changes make no sound: those through a hard link of another
/// folder or through mapped memory, and a disk that is mounted over a folder.
const BELIEVED: u64 = 10_000;

/// How often it is asked whether anything happened, and how often a folder is walked that cannot be watched.
const PAUSE: Duration = Duration::from_millis(200);
const PAUSES: u32 = 10;
/// Changes that may wait for who listens.
const WAITING: usize = 64;

/// What a process keeps; calls in any of its threads share it.
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

/// What is kept of one vault.
pub struct Kept {
    pub(super) index: Arc<Index>,
    pub(super) vectors: Vectors,
    watch: Option<Watch>,
    settled: Mutex<Option<Settled>>,
    refreshing: Mutex<()>,
}

/// A moment of a vault's folders and its index: the same one as long as nothing happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Moment {
    events: u64,
    root: Option<[u64; 2]>,
    /// How notes are read, and which folders are left out.
    read: String,
    /// The index.
    version: String,
}

/// A moment that the index answers for.
#[derive(Debug)]
struct Settled {
    moment: Moment,
    at: u64,
}

/// Files of a vault that changed, appeared or went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Whose they are.
    pub level: Level,
    /// Their paths in the vault, sorted.
    pub paths: Vec<String>,
}

impl Warm {
    /// The same, but that nothing is watched: each call walks.
    pub fn unwatched() -> Self {
        Self { watches: false, ..Self::default() }
    }

    /// Opens the vaults that a call is about, with what is kept of them.
    ///
    /// # Errors
    /// Those of [`Memory::open`].
    pub fn open(self: &Arc<Self>, call: Call) -> Result<Memory> {
        Memory::open_with(call, Some(Arc::clone(self)))
    }

    /// Tells from now on which files of a memory's vaults change, a moment after they did, until nobody listens or nothing
    /// is kept any more.
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

    /// Only one thread refreshes, as long as this is held.
    pub(super) fn alone(&self) -> MutexGuard<'_, ()> {
        self.refreshing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The moment that it is in the folders; `None` where nobody can tell.
    pub(super) fn moment(&self, open: &OpenVault) -> Option<Moment> {
        let events = self.watch.as_ref()?.count()?;
        let version = open.index().version().ok()?;
        Some(Moment { events, root: open.vault.identity(), read: open.reading(), version })
    }

    /// Whether the index answers for this moment. It does not where somebody else has changed the index since, or has
    /// left something for it on its queue.
    pub(super) fn is_as_of(&self, moment: &Moment, open: &OpenVault, now: u64) -> bool {
        let settled = self.settled.lock().unwrap_or_else(PoisonError::into_inner);
        settled.as_ref().is_some_and(|settled| {
            settled.moment == *moment
                && now.saturating_sub(settled.at) < BELIEVED
                && !open.index().has_queued()
        })
    }

    /// Notes that the index of this moment was compared with the folders, and nothing differed.
    pub(super) fn settle(&self, moment: Moment, at: u64) {
        let settled = Settled { moment, at };
        *self.settled.lock().unwrap_or_else(PoisonError::into_inner) = Some(settled);
    }

    /// Walks the vault's folder, and watches each folder of it from then on.
    pub(super) fn walk(&self, vault: &Vault, exclude: &[String]) -> Listing {
        walk::walk_visiting(vault.root(), exclude, &mut |folder| {
            self.watch.iter().for_each(|watch| watch.add(&vault.root().join(folder)));
        })
    }
}

impl OpenVault {
    /// How its notes are read, and which folders are left out.
    fn reading(&self) -> String {
        let settings = &self.settings;
        format!("{:?}", (&settings.types, &settings.relations, settings.texts("vault.exclude")))
    }
}

/// Files of the root that are no notes, and that somebody may wait for.
const OWN: [&str; 3] = [layout::CORE, layout::REFLECTION, layout::SETTINGS];

/// A vault whose changes are told.
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

    /// What changed since it was last asked; `patient` leaves a folder that nobody watches for later.
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
