//! A vault that a request opened, with what was read from it so far.

use std::cell::{OnceCell, RefCell};
use std::sync::Arc;
use std::time::Duration;

use crate::context::snapshot::Snapshot;
use crate::context::vault_cache::VaultCache;
use crate::error::{Error, Result};
use cm_index::{Index, IndexVersion, Overview, Vectors};
use cm_note::finding::Finding;
use cm_note::graph::LinkedNotes;
use cm_store::config::{Settings, keys};
use cm_store::git::{Programs, Repo};
use cm_store::vault::Vault;
use cm_store::vault::note_folders::template_folders;
use cm_store::vault::trust::TrustState;
use cm_store::vault::usage::Usage;
use cm_text::named_enum;

named_enum! {
    /// Level of a vault: project or global.
    pub enum VaultLevel {
        /// The project's vault, or the explicitly selected one.
        Project = "project",
        /// The user's own vault for all projects.
        Global = "global",
    }
}

/// Folders at the top of a vault in which cm writes notes.
const FOLDERS_OF_CM: [&str; 7] = ["graph", "playbook", "blocked", "diary", "vault", "episodes", "log"];

/// A vault with its settings; the repository and the index are opened on first use.
pub struct OpenVault {
    pub level: VaultLevel,
    /// Root folder and files of the vault.
    pub vault: Vault,
    pub settings: Arc<Settings>,
    /// Commit whose files are read instead of the current ones; such a vault is read-only.
    pub past: Option<Snapshot>,
    cache: Option<Arc<VaultCache>>,
    vectors: Vectors,
    repo: OnceCell<Option<Repo>>,
    index: OnceCell<Arc<Index>>,
    /// Index of this request, because none can be stored; with the reason.
    temporary_index: OnceCell<(Index, String)>,
    fresh: std::cell::Cell<bool>,
    lagging: std::cell::Cell<bool>,
    /// The notes of this request; in a long-lived process with the version of the index.
    notes: RefCell<Option<(Arc<LinkedNotes>, Option<IndexVersion>)>>,
    /// The overview of this request; `None` in a long-lived process.
    overview: RefCell<Option<Arc<Overview>>>,
    /// Problems that the last walk of this request found.
    walk_findings: RefCell<Option<Vec<Finding>>>,
    unread: RefCell<Vec<Finding>>,
    ignores_usage: bool,
}

impl OpenVault {
    /// Creates a vault handle; nothing else is opened yet.
    pub fn new(level: VaultLevel, vault: Vault, settings: Arc<Settings>) -> Self {
        Self {
            level,
            settings,
            past: None,
            cache: None,
            vectors: Vectors::open(&vault.vectors()),
            vault,
            repo: OnceCell::new(),
            index: OnceCell::new(),
            temporary_index: OnceCell::new(),
            fresh: std::cell::Cell::new(false),
            lagging: std::cell::Cell::new(false),
            notes: RefCell::default(),
            overview: RefCell::default(),
            walk_findings: RefCell::default(),
            unread: RefCell::default(),
            ignores_usage: false,
        }
    }

    /// Replaces the index and vectors with those that a long-lived process keeps open.
    pub(super) fn with_cache(self, vault_cache: Arc<VaultCache>) -> Self {
        Self {
            vectors: vault_cache.vectors.clone(),
            index: OnceCell::from(Arc::clone(&vault_cache.index)),
            cache: Some(vault_cache),
            ..self
        }
    }

    /// Returns the state that a long-lived process caches for the vault; `None` in a single
    /// command.
    pub(crate) fn cached(&self) -> Option<&VaultCache> {
        self.cache.as_deref()
    }

    /// Returns a value that depends on nothing but what `version` names. A long-lived process computes
    /// it once for each version; the last value of its type is cached.
    ///
    /// # Errors
    /// Returns the error of `compute`.
    pub(crate) fn value_of_version<V: Send + Sync + 'static>(
        &self,
        version: &str,
        compute: impl FnOnce() -> Result<V>,
    ) -> Result<Arc<V>> {
        match self.cached() {
            Some(vault_cache) => vault_cache.values.of_version(version, compute),
            None => Ok(Arc::new(compute()?)),
        }
    }

    /// Vectors of the vault's current notes.
    pub fn vectors(&self) -> Vectors {
        self.vectors.clone()
    }

    /// The repository that contains the vault; `None` outside a repository.
    ///
    /// # Errors
    /// Returns an error if the repository cannot be opened.
    pub fn repo(&self) -> Result<Option<&Repo>> {
        if self.repo.get().is_none() {
            let mut found = Repo::discover(self.vault.root())?;
            let trust = found.as_ref().map(|repo| TrustState::of(&self.vault, || repo.remote()));
            // Without private files nothing is trusted.
            if trust.is_some_and(|trust| trust.is_ok_and(|trust| trust.is_trusted())) {
                found = Repo::discover_with(self.vault.root(), Programs::Allowed)?;
            }
            return Ok(self.repo.get_or_init(|| found).as_ref());
        }
        Ok(self.repo.get().and_then(Option::as_ref))
    }

    /// Returns the index as it is, without a refresh.
    pub fn index(&self) -> &Index {
        match (&self.past, self.temporary_index.get()) {
            (Some(past), _) => past.index(),
            (None, Some((index, _))) => index,
            (None, None) => self.index.get_or_init(|| Arc::new(Index::open(&self.vault.index()))),
        }
    }

    /// Uses a temporary index because the stored one failed with `error`.
    ///
    /// # Errors
    /// Returns `error` if a temporary index would not help, or cannot be created.
    pub(super) fn use_temporary_index(&self, error: cm_index::Error) -> Result<()> {
        match &self.past {
            Some(past) if past.is_kept() => past.use_temporary_index(error),
            None => {
                let cm_index::Error::Io { path, source } = &error else { return Err(error.into()) };
                let is_usable = self.cached().is_none() && self.temporary_index.get().is_none();
                let Some(index) = Index::temporary().ok().filter(|_| is_usable) else {
                    return Err(error.into());
                };
                let why = format!("cannot write `{}`: {source}", path.display());
                self.temporary_index.get_or_init(|| (index, why));
                Ok(())
            }
            Some(_) => Err(error.into()),
        }
    }

    /// Why the index of this request cannot be stored; `None` if it can.
    pub(super) fn index_storage_error(&self) -> Option<&str> {
        self.temporary_index.get().map(|(_, why)| why.as_str())
    }

    /// Whether [`Self::set_fresh`] was called since the last change by this call.
    pub fn is_fresh(&self) -> bool {
        self.fresh.get()
    }

    /// Marks the index as refreshed for this request.
    pub fn set_fresh(&self) {
        self.fresh.set(true);
    }

    /// Records that this request reads the index as it is, which may lack the latest changes.
    pub(super) fn set_lagging(&self) {
        self.lagging.set(true);
    }

    /// Whether [`Self::set_lagging`] was called.
    pub(crate) fn is_lagging(&self) -> bool {
        self.lagging.get()
    }

    /// Makes the next read of this request refresh the index, if the last one did not.
    pub(super) fn end_lag(&self) {
        if self.lagging.replace(false) {
            self.set_stale();
        }
    }

    /// Records that the vault's files changed: the index must be refreshed and the cached notes are
    /// dropped.
    pub fn set_stale(&self) {
        self.fresh.set(false);
        self.notes.take();
        self.overview.take();
        self.walk_findings.take();
    }

    /// Returns the notes that `keep_notes` stored; `None` if they were not loaded yet.
    pub fn read_notes(&self) -> Option<Arc<LinkedNotes>> {
        self.notes.borrow().as_ref().map(|(notes, _)| Arc::clone(notes))
    }

    /// Returns the version of the notes that [`Self::read_notes`] returns; `None` in a single command,
    /// and for a past commit.
    pub(super) fn notes_version(&self) -> Option<IndexVersion> {
        self.notes.borrow().as_ref()?.1.clone()
    }

    /// Stores the notes for later reads in the same request and returns them.
    pub(super) fn keep_notes(
        &self,
        notes: Arc<LinkedNotes>,
        version: Option<IndexVersion>,
    ) -> Arc<LinkedNotes> {
        *self.notes.borrow_mut() = Some((Arc::clone(&notes), version));
        notes
    }

    /// Returns the overview that [`Self::keep_overview`] stored.
    pub(super) fn loaded_overview(&self) -> Option<Arc<Overview>> {
        self.overview.borrow().clone()
    }

    /// Stores the overview for later reads in the same request.
    pub(super) fn keep_overview(&self, overview: Arc<Overview>) {
        *self.overview.borrow_mut() = Some(overview);
    }

    /// Returns the problems that the last walk of this request found; `None` if there was no walk.
    pub(super) fn walk_findings(&self) -> Option<Vec<Finding>> {
        self.walk_findings.borrow().clone()
    }

    /// Stores the problems that a walk found for [`Self::walk_findings`].
    pub(super) fn set_walk_findings(&self, findings: Vec<Finding>) {
        *self.walk_findings.borrow_mut() = Some(findings);
    }

    /// Returns the problems with files that the last refresh could not read.
    pub fn unread(&self) -> Vec<Finding> {
        self.unread.borrow().clone()
    }

    /// Stores the problems with unreadable files for [`Self::unread`].
    pub fn set_unread(&self, findings: Vec<Finding>) {
        *self.unread.borrow_mut() = findings;
    }

    /// Reads and writes no usage counts from now on.
    pub(super) fn ignore_usage(&mut self) {
        self.ignores_usage = true;
    }

    /// Opens the usage counts of the notes; empty if a past commit is read, or after
    /// `ignore_usage`.
    pub fn usage(&self) -> Usage {
        // Counts are of now; how often a note was read by then is not known.
        if self.past.is_some() || self.ignores_usage { Usage::none() } else { Usage::of(&self.vault) }
    }

    /// How long to wait for the lock of another writer: `lock.patience_s`, at most one hour.
    pub fn lock_timeout(&self) -> Duration {
        Duration::from_secs_f64(self.settings.number(keys::LOCK_PATIENCE_S).clamp(0.0, 3600.0))
    }

    /// Checks that the vault is not opened at a past commit.
    ///
    /// # Errors
    /// `past` if it is.
    pub(crate) fn writable(&self) -> Result<()> {
        let Some(past) = &self.past else { return Ok(()) };
        let commit = past.commit().id.short();
        Err(Error::refused("past", format!("the vault is open at commit {commit} and cannot be changed")))
    }

    /// Returns a text that changes whenever note types, relations or excluded folders change in the
    /// settings.
    pub(crate) fn parse_fingerprint(&self) -> String {
        let settings = &self.settings;
        format!("{:?}", (&settings.types, &settings.relations, self.excluded_folders()))
    }

    /// Returns the folders whose files are not notes: those of `vault.exclude`, and those from which
    /// Obsidian makes new notes, as paths that begin with `/`, unless cm writes notes there.
    pub fn excluded_folders(&self) -> Vec<String> {
        let mut folders = self.settings.texts(keys::VAULT_EXCLUDE);
        // The settings of an editor do not switch off rules or memories.
        let is_of_cm = |folder: &String| {
            let first = folder.split('/').next().unwrap_or_default();
            FOLDERS_OF_CM.contains(&first.to_lowercase().as_str())
        };
        let templates = template_folders(self.vault.root()).into_iter().filter(|folder| !is_of_cm(folder));
        folders.extend(templates.map(|folder| format!("/{folder}")));
        folders
    }
}

/// The repository of a vault.
///
/// # Errors
/// `no-repository` if the vault is not in one.
pub(crate) fn repository(open: &OpenVault) -> Result<&Repo> {
    open.repo()?.ok_or_else(Error::no_repository)
}
