//! The opened vaults of one call and the context that every operation receives.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::context::actor::Actor;
use crate::context::meaning::Models;
use crate::context::process_cache::{ProcessCache, VaultCache};
use crate::context::progress::ProgressWatch;
use crate::context::snapshot::Snapshot;
use crate::context::trust;
use crate::error::Result;
use cm_index::{Index, Vectors};
use cm_note::finding::Finding;
use cm_note::instant::Instant;
use cm_note::note::Note;
use cm_store::config::{SettingOrigin, Settings, SettingsLayer, keys};
use cm_store::git::{Programs, Repo};
use cm_store::vault::trust::TrustState;
use cm_store::vault::usage::Usage;
use cm_store::vault::{self, PrivateHome, Vault, layout};

/// Parameters and environment of a call, as provided by the surface.
#[derive(Clone)]
pub struct Request {
    /// The working directory.
    pub cwd: PathBuf,
    /// The explicitly selected vault; if set, no other vault is opened.
    pub vault: Option<PathBuf>,
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// Folder of the global vault.
    pub global: Option<PathBuf>,
    /// Location of the user's private files; `None` without a home folder.
    pub private: Option<PrivateHome>,
    /// Environment variables that are settings or replace one.
    pub variables: BTreeMap<String, String>,
    /// The complete environment. Model programs receive only a small part of it.
    pub environment: BTreeMap<String, String>,
    /// The instant of the call.
    pub now: Instant,
    /// Whether `now` was set explicitly, so that it applies to all calls of a long-lived process.
    pub now_is_given: bool,
    /// Makes new IDs reproducible: equal seeds generate equal IDs.
    pub seed: Option<String>,
    /// Use indexes without a refresh.
    pub no_refresh: bool,
    /// Whether the response becomes part of an agent's prompt. Only trusted vaults are opened then.
    pub for_prompts: bool,
    /// The caller.
    pub by: CallerIdentity,
    /// Monotonic clock in milliseconds, used for time limits.
    pub clock: fn() -> u64,
    /// Maximum number of computing threads.
    pub threads: usize,
    /// The command that runs, such as `cm sessions`.
    pub verb: String,
    /// Name of this process in the lock file, such as `process 7 (cm add)`.
    pub holder: String,
    /// Reports progress to the client and receives its cancellation.
    pub watch: ProgressWatch,
}

impl fmt::Debug for Request {
    // Of the variables only the names, for one may hold a key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&String> = self.variables.keys().collect();
        let mut call = f.debug_struct("Request");
        call.field("cwd", &self.cwd).field("vault", &self.vault).field("global", &self.global);
        call.field("variables", &names).field("now", &self.now).field("seed", &self.seed);
        call.field("no_refresh", &self.no_refresh).field("by", &self.by).field("holder", &self.holder);
        call.finish()
    }
}

/// Identity of the caller, recorded with a change in addition to the commit's author.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallerIdentity {
    /// Kind of the caller, as established by the surface.
    pub kind: Actor,
    /// The agent that started this process, detected from the environment or the process ancestors.
    pub detected: Option<String>,
    /// Name of the person, if different from the commit's author.
    pub actor: Option<String>,
    /// Name of the agent.
    pub agent: Option<String>,
    /// Session ID of the agent.
    pub session: Option<String>,
    /// Reason given for the change.
    pub reason: Option<String>,
    /// Whether the caller authenticated with a token. Such a caller may use the vault, but not the
    /// agents' logs in the home folder.
    pub has_token: bool,
    /// Whether the call came over HTTP. Paths of this machine are concealed then.
    pub is_remote: bool,
}

/// Level of a vault: project or global.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum VaultLevel {
    /// The project's vault, or the explicitly selected one.
    Project,
    /// The user's own vault for all projects.
    Global,
}

impl VaultLevel {
    /// Name in JSON and in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Global => "global",
        }
    }
}

/// A vault with its settings; the repository and the index are opened on first use.
pub struct OpenVault {
    pub level: VaultLevel,
    /// Root folder and files of the vault.
    pub vault: Vault,
    pub settings: Settings,
    /// The past commit that is read, if any; such a vault is read-only.
    pub past: Option<Snapshot>,
    cache: Option<Arc<VaultCache>>,
    vectors: Vectors,
    repo: OnceCell<Option<Repo>>,
    index: OnceCell<Arc<Index>>,
    fresh: std::cell::Cell<bool>,
    notes: RefCell<Option<Rc<Vec<Note>>>>,
    unread: RefCell<Vec<Finding>>,
}

/// The context of an operation: open vaults, call and models.
pub struct Context {
    /// The open vaults; the first is the target of writes.
    pub vaults: Vec<OpenVault>,
    pub call: Request,
    cache: Option<Arc<ProcessCache>>,
    models: OnceCell<Models>,
    notices: Rc<RefCell<Vec<String>>>,
    drawn: std::cell::Cell<u64>,
    low_latency: bool,
    /// Whether the project's vault was skipped because the user does not trust it. Writes are
    /// refused then instead of going to another vault.
    without_project: bool,
}

impl Context {
    /// Opens the vaults of a call.
    ///
    /// # Errors
    /// No vault, or a vault whose settings cannot be read.
    pub fn open(call: Request) -> Result<Self> {
        Self::open_with(call, None)
    }

    /// Like [`Self::open`], but reuses the indexes, vectors and models cached in `warm`.
    ///
    /// # Errors
    /// The errors of [`Self::open`].
    pub(crate) fn open_with(call: Request, warm: Option<Arc<ProcessCache>>) -> Result<Self> {
        let mut found = Vec::new();
        if let Some(named) = &call.vault {
            found.push((
                VaultLevel::Project,
                Vault::open(&call.cwd.join(named))?.prepare(call.private.as_ref()),
            ));
        } else {
            let above = Vault::find_upwards(&call.cwd);
            found.extend(above.map(|vault| (VaultLevel::Project, vault.prepare(call.private.as_ref()))));
            let global = call.global.as_deref().filter(|path| path.join(layout::SETTINGS).is_file());
            if let Some(global) = global {
                let global = Vault::open(global)?.prepare(call.private.as_ref());
                if found.iter().all(|(_, vault)| *vault != global) {
                    found.push((VaultLevel::Global, global));
                }
            }
        }
        if found.is_empty() {
            return Err(vault::Error::NoVault { from: call.cwd }.into());
        }
        let global =
            found.iter().find(|(level, _)| *level == VaultLevel::Global).map(|(_, vault)| vault.clone());
        let mut vaults = found
            .into_iter()
            .map(|(level, vault)| {
                let settings = settings_of(&vault, level, global.as_ref(), &call)?;
                let open = OpenVault::new(level, vault, settings);
                Ok(match &warm {
                    Some(warm) => open.with_cache(warm),
                    None => open,
                })
            })
            .collect::<Result<Vec<_>>>()?;
        let untrusted = if call.for_prompts { trust::leave_out_untrusted(&mut vaults)? } else { Vec::new() };
        for open in &vaults {
            // A vault on a read-only disk can still be read.
            let _ = crate::context::imported_usage::adopt_usage(open);
        }
        let mut memory = Self { cache: warm, ..Self::with_parts(vaults, call, Rc::default()) };
        memory.without_project = untrusted.iter().any(|left_out| left_out.level == VaultLevel::Project);
        untrusted.iter().for_each(|left_out| memory.notice(left_out.to_string()));
        memory.notice_broken_settings();
        Ok(memory)
    }

    /// Checks that the project's vault was not skipped.
    ///
    /// # Errors
    /// The vault of the project is not trusted.
    pub(crate) fn may_write(&self) -> Result<()> {
        match self.without_project {
            true => {
                Err(trust::refused("the memory of this project is not trusted, so nothing is written to it"))
            }
            false => Ok(()),
        }
    }

    fn notice_broken_settings(&self) {
        for broken in self.vaults.iter().filter_map(|open| open.settings.broken()) {
            self.notice(format!("{}: {}; its settings are ignored", broken.path, broken.message));
        }
    }

    /// Opens a newly created vault.
    ///
    /// # Errors
    /// Settings that cannot be read.
    pub fn open_new(call: Request, level: VaultLevel, vault: Vault) -> Result<Self> {
        let settings = settings_of(&vault, level, None, &call)?;
        let vaults = vec![OpenVault::new(level, vault, settings)];
        Ok(Self::with_parts(vaults, call, Rc::default()))
    }

    /// The same call with other vaults; notices are shared with this context.
    pub(crate) fn with_vaults(&self, vaults: Vec<OpenVault>) -> Self {
        let upon = Self::with_parts(vaults, self.call.clone(), Rc::clone(&self.notices));
        let memory = Self { cache: self.cache.clone(), without_project: self.without_project, ..upon };
        memory.notice_broken_settings();
        memory
    }

    fn with_parts(vaults: Vec<OpenVault>, call: Request, notices: Rc<RefCell<Vec<String>>>) -> Self {
        Self {
            vaults,
            call,
            cache: None,
            models: OnceCell::new(),
            notices,
            drawn: std::cell::Cell::new(0),
            low_latency: false,
            without_project: false,
        }
    }

    /// The embedding models selected by the settings.
    pub fn models(&self) -> &Models {
        self.models.get_or_init(|| {
            let kept = self.cache.as_ref().map(|warm| warm.models());
            Models::of(crate::context::embedding::choice(self, self.target()), kept)
        })
    }

    /// The same call for one of the open vaults, which becomes the target of writes.
    ///
    /// # Errors
    /// A vault at a past commit, and the errors of [`Context::open`].
    pub fn for_vault(&self, open: &OpenVault) -> Result<Self> {
        open.writable()?;
        let named = Some(open.vault.root().to_owned());
        Self::open_with(Request { vault: named, ..self.call.clone() }, self.cache.clone())
    }

    /// The same call with another caller; notices are shared with this context.
    ///
    /// # Errors
    /// The errors of [`Context::open`].
    pub fn with_actor(&self, by: CallerIdentity) -> Result<Self> {
        let other = Self::open_with(Request { by, ..self.call.clone() }, self.cache.clone())?;
        Ok(Self { notices: Rc::clone(&self.notices), ..other })
    }

    /// The vault that receives writes.
    pub fn target(&self) -> &OpenVault {
        &self.vaults[0]
    }

    /// Switches to low latency: indexes are used without a refresh, and the fine model is not used.
    pub(crate) fn low_latency(mut self) -> Self {
        self.call.no_refresh = true;
        self.low_latency = true;
        self
    }

    /// Whether low latency was requested.
    pub(crate) fn is_low_latency(&self) -> bool {
        self.low_latency
    }

    /// Name of the project: the vault's folder, or the parent folder of a hidden one such as
    /// `.memory`.
    pub fn workspace(&self) -> String {
        let root = self.target().vault.root();
        let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
        match name(root) {
            Some(hidden) if hidden.starts_with('.') => root.parent().and_then(name).unwrap_or(hidden),
            Some(name) => name,
            None => String::new(),
        }
    }

    /// The instant of the call.
    pub fn now(&self) -> Instant {
        self.call.now
    }

    /// Adds a notice for the user; duplicates are dropped.
    pub fn notice(&self, text: impl Into<String>) {
        let text = text.into();
        let mut notices = self.notices.borrow_mut();
        if !notices.contains(&text) {
            notices.push(text);
        }
    }

    /// Drains the pending notices.
    pub fn take_notices(&self) -> Vec<String> {
        self.notices.take()
    }

    /// Generates a UUID for a new ID; reproducible if the call has a seed.
    #[allow(clippy::disallowed_methods, reason = "the one place that draws ids")]
    pub fn new_uuid(&self) -> uuid::Uuid {
        let Some(seed) = &self.call.seed else { return uuid::Uuid::new_v4() };
        let count = self.drawn.get();
        self.drawn.set(count + 1);
        let mut bytes = [0; 16];
        let text = format!("{seed} {} {count}", self.call.now);
        bytes.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
        uuid::Builder::from_random_bytes(bytes).into_uuid()
    }
}

impl OpenVault {
    /// Creates a vault handle; nothing else is opened yet.
    pub fn new(level: VaultLevel, vault: Vault, settings: Settings) -> Self {
        Self {
            level,
            settings,
            past: None,
            cache: None,
            vectors: Vectors::open(&vault.vectors()),
            vault,
            repo: OnceCell::new(),
            index: OnceCell::new(),
            fresh: std::cell::Cell::new(false),
            notes: RefCell::default(),
            unread: RefCell::default(),
        }
    }

    /// Reuses the index and vectors that a long-lived process caches for the vault.
    fn with_cache(self, warm: &ProcessCache) -> Self {
        let kept = warm.vault_cache(&self.vault);
        Self {
            vectors: kept.vectors.clone(),
            index: OnceCell::from(Arc::clone(&kept.index)),
            cache: Some(kept),
            ..self
        }
    }

    /// The cached data of the vault in a long-lived process.
    pub(crate) fn kept(&self) -> Option<&VaultCache> {
        self.cache.as_deref()
    }

    /// Vectors of the vault's current notes.
    pub fn vectors(&self) -> Vectors {
        self.vectors.clone()
    }

    /// The repository that contains the vault; `None` outside a repository.
    ///
    /// # Errors
    /// A repository that cannot be opened.
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

    /// The index, without a refresh.
    pub fn index(&self) -> &Index {
        match &self.past {
            Some(past) => past.index(),
            None => self.index.get_or_init(|| Arc::new(Index::open(&self.vault.index()))),
        }
    }

    /// Whether the index was refreshed in this call.
    pub fn is_fresh(&self) -> bool {
        self.fresh.get()
    }

    /// Marks the index as refreshed for this call.
    pub fn set_fresh(&self) {
        self.fresh.set(true);
    }

    /// Marks the index as outdated and drops the cached notes, after a change of the folder.
    pub fn set_stale(&self) {
        self.fresh.set(false);
        self.notes.take();
    }

    /// The notes cached in this call.
    pub fn read_notes(&self) -> Option<Rc<Vec<Note>>> {
        self.notes.borrow().clone()
    }

    /// Caches the notes for the rest of the call.
    pub fn keep_notes(&self, notes: Vec<Note>) -> Rc<Vec<Note>> {
        let notes = Rc::new(notes);
        *self.notes.borrow_mut() = Some(Rc::clone(&notes));
        notes
    }

    /// Findings about files that the last refresh of this call could not read.
    pub fn unread(&self) -> Vec<Finding> {
        self.unread.borrow().clone()
    }

    /// Stores the findings of a refresh.
    pub fn set_unread(&self, findings: Vec<Finding>) {
        *self.unread.borrow_mut() = findings;
    }

    /// Usage counts of the notes; empty for a past commit.
    pub fn usage(&self) -> Usage {
        // Counts are of now; how often a note was read by then is not known.
        if self.past.is_some() { Usage::none() } else { Usage::of(&self.vault) }
    }

    /// Maximum time to wait for another writer; `lock.patience_s`, at most one hour.
    pub fn lock_timeout(&self) -> Duration {
        Duration::from_secs_f64(self.settings.number(keys::LOCK_PATIENCE_S).clamp(0.0, 3600.0))
    }
}

/// Loads the settings of a vault, in increasing precedence: defaults, the global vault's file, the
/// vault's file, the user's private files, the environment.
pub(crate) fn settings_of(
    vault: &Vault,
    level: VaultLevel,
    global: Option<&Vault>,
    call: &Request,
) -> Result<Settings> {
    let global = match global.filter(|_| level == VaultLevel::Project) {
        Some(global) => global.read_own(layout::SETTINGS)?,
        None => None,
    };
    layered(global, vault.read_own(layout::SETTINGS)?, vault, call)
}

/// Combines the texts of the global and the vault's settings files with the private files and the
/// environment.
///
/// # Errors
/// A private file that cannot be read.
pub(crate) fn layered(
    global: Option<String>,
    own: Option<String>,
    vault: &Vault,
    call: &Request,
) -> Result<Settings> {
    let mut layers = Vec::new();
    let mut file = |name: &str, text: Option<String>, origin: SettingOrigin| {
        layers.extend(text.map(|text| (SettingsLayer::parse_toml(name, &text), origin)));
    };
    file(layout::SETTINGS, global, SettingOrigin::Global);
    file(layout::SETTINGS, own, SettingOrigin::Vault);
    if let Ok(private) = vault.private() {
        file("config.toml", private.read(&private.user_settings())?, SettingOrigin::User);
        file("config.toml", private.read(&private.settings())?, SettingOrigin::Private);
    }
    layers.extend(SettingsLayer::of_environment(&call.variables));
    Ok(Settings::of(layers))
}

/// Formats a path for users: relative to the working directory if it is below it.
pub fn shown(path: &Path, cwd: &Path) -> String {
    path.strip_prefix(cwd).unwrap_or(path).display().to_string()
}
