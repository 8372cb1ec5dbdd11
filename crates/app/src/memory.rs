//! The opened vaults of one call, and everything that an operation is given: the only wiring there is.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::actor::Actor;
use super::error::Result;
use super::meaning::Models;
use super::past::Past;
use super::trust;
use super::warm::{Kept, Warm};
use super::watch::Watch;
use cm_index::{Index, Vectors};
use cm_note::finding::Finding;
use cm_note::instant::Instant;
use cm_note::note::Note;
use cm_store::config::{Layer, Origin, Settings};
use cm_store::git::{Programs, Repo};
use cm_store::vault::trust::Trust;
use cm_store::vault::usage::Usage;
use cm_store::vault::{self, PrivateHome, Vault, layout};

/// What the surface knows about the call.
#[derive(Clone)]
pub struct Call {
    /// The working folder.
    pub cwd: PathBuf,
    /// The vault that was named, which is then the only one.
    pub vault: Option<PathBuf>,
    /// The person's home folder.
    pub home: Option<PathBuf>,
    /// The folder of the global vault.
    pub global: Option<PathBuf>,
    /// Where the user's private files lie; `None` where there is no home folder.
    pub private: Option<PrivateHome>,
    /// Environment variables that are settings, or stand in for one.
    pub variables: BTreeMap<String, String>,
    /// All of the environment, of which a program that answers for a model is given a small part.
    pub environment: BTreeMap<String, String>,
    /// The instant of the call.
    pub now: Instant,
    /// Whether somebody said which instant that is, so that it holds for all calls of a process that lives on.
    pub now_is_given: bool,
    /// Makes new ids repeatable: the same seed draws the same ids.
    pub seed: Option<String>,
    /// Answer from the index as it stands.
    pub no_refresh: bool,
    /// Whether the answer reaches an agent's prompt, so that only vaults count that the user trusts.
    pub for_prompts: bool,
    /// Who asks.
    pub by: By,
    /// Milliseconds since some moment, for what a command may take.
    pub clock: fn() -> u64,
    /// How many threads may compute at once.
    pub threads: usize,
    /// The command that is carried out, such as `cm sessions`.
    pub verb: String,
    /// How the lock names us, such as `process 7 (cm add)`.
    pub holder: String,
    /// Who waits for the answer: hears how far it is, and may call it off.
    pub watch: Watch,
}

impl fmt::Debug for Call {
    // Of the variables only the names, for one may hold a key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&String> = self.variables.keys().collect();
        let mut call = f.debug_struct("Call");
        call.field("cwd", &self.cwd).field("vault", &self.vault).field("global", &self.global);
        call.field("variables", &names).field("now", &self.now).field("seed", &self.seed);
        call.field("no_refresh", &self.no_refresh).field("by", &self.by).field("holder", &self.holder);
        call.finish()
    }
}

/// Who caused a change, beside the commit's author.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct By {
    /// Who calls, as the surface established it.
    pub kind: Actor,
    /// The agent that started this process, where the environment or its ancestors show one.
    pub detected: Option<String>,
    /// A person, where it is not the author.
    pub actor: Option<String>,
    /// The agent that asked.
    pub agent: Option<String>,
    /// The agent's session.
    pub session: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// Whether they were let in by a token: the vault is theirs to ask, and agents' logs in somebody's home folder are not.
    pub is_guest: bool,
    /// Whether they ask over HTTP: paths of this machine are none of theirs.
    pub is_remote: bool,
}

/// Which of the two vaults.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The project's, or the one that was named.
    Project,
    /// The person's own, for all projects.
    Global,
}

impl Level {
    /// Its name in JSON and in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Global => "global",
        }
    }
}

/// A vault with its settings; repository and index are opened when first asked for.
pub struct OpenVault {
    /// Which it is.
    pub level: Level,
    /// Its files.
    pub vault: Vault,
    /// Its settings.
    pub settings: Settings,
    /// The commit that it is read at, where it is read as it was; nothing can be written to it then.
    pub past: Option<Past>,
    kept: Option<Arc<Kept>>,
    vectors: Vectors,
    repo: OnceCell<Option<Repo>>,
    index: OnceCell<Arc<Index>>,
    fresh: std::cell::Cell<bool>,
    notes: RefCell<Option<Rc<Vec<Note>>>>,
    unread: RefCell<Vec<Finding>>,
}

/// All that an operation works on.
pub struct Memory {
    /// The vaults, the one that is written to first.
    pub vaults: Vec<OpenVault>,
    /// The call.
    pub call: Call,
    warm: Option<Arc<Warm>>,
    models: OnceCell<Models>,
    notices: Rc<RefCell<Vec<String>>>,
    drawn: std::cell::Cell<u64>,
    in_haste: bool,
    /// Whether the project's vault was left out because the user does not trust it: then nothing is written to another one in
    /// its place.
    without_project: bool,
}

impl Memory {
    /// Opens the vaults that the call is about.
    ///
    /// # Errors
    /// No vault, or a vault whose settings cannot be read.
    pub fn open(call: Call) -> Result<Self> {
        Self::open_with(call, None)
    }

    /// The same, with what a long-lived process keeps.
    pub(super) fn open_with(call: Call, warm: Option<Arc<Warm>>) -> Result<Self> {
        let mut found = Vec::new();
        if let Some(named) = &call.vault {
            found.push((Level::Project, Vault::open(&call.cwd.join(named))?.ready(call.private.as_ref())));
        } else {
            let above = Vault::above(&call.cwd);
            found.extend(above.map(|vault| (Level::Project, vault.ready(call.private.as_ref()))));
            let global = call.global.as_deref().filter(|path| path.join(layout::SETTINGS).is_file());
            if let Some(global) = global {
                let global = Vault::open(global)?.ready(call.private.as_ref());
                if found.iter().all(|(_, vault)| *vault != global) {
                    found.push((Level::Global, global));
                }
            }
        }
        if found.is_empty() {
            return Err(vault::Error::NoVault { from: call.cwd }.into());
        }
        let global = found.iter().find(|(level, _)| *level == Level::Global).map(|(_, vault)| vault.clone());
        let mut vaults = found
            .into_iter()
            .map(|(level, vault)| {
                let settings = settings_of(&vault, level, global.as_ref(), &call)?;
                let open = OpenVault::new(level, vault, settings);
                Ok(match &warm {
                    Some(warm) => open.kept_by(warm),
                    None => open,
                })
            })
            .collect::<Result<Vec<_>>>()?;
        let untrusted = if call.for_prompts { trust::leave_out_untrusted(&mut vaults)? } else { Vec::new() };
        for open in &vaults {
            // A vault on a read-only disk can still be read.
            let _ = super::import::adopt_usage(open);
        }
        let mut memory = Self { warm, ..Self::upon_these(vaults, call, Rc::default()) };
        memory.without_project = untrusted.iter().any(|left_out| left_out.level == Level::Project);
        untrusted.iter().for_each(|left_out| memory.notice(left_out.to_string()));
        memory.tell_broken();
        Ok(memory)
    }

    /// Refuses to change a vault in place of the project's, which the user does not trust.
    ///
    /// # Errors
    /// That the project's vault was left out.
    pub(super) fn may_write(&self) -> Result<()> {
        match self.without_project {
            true => {
                Err(trust::refused("the memory of this project is not trusted, so nothing is written to it"))
            }
            false => Ok(()),
        }
    }

    fn tell_broken(&self) {
        for broken in self.vaults.iter().filter_map(|open| open.settings.broken()) {
            self.notice(format!("{}: {}; its settings do not hold", broken.path, broken.message));
        }
    }

    /// The one vault that was just made.
    ///
    /// # Errors
    /// Settings that cannot be read.
    pub fn open_new(call: Call, level: Level, vault: Vault) -> Result<Self> {
        let settings = settings_of(&vault, level, None, &call)?;
        let vaults = vec![OpenVault::new(level, vault, settings)];
        Ok(Self::upon_these(vaults, call, Rc::default()))
    }

    /// The same call upon other vaults; what there is to hear of them is heard through this memory.
    pub(super) fn upon(&self, vaults: Vec<OpenVault>) -> Self {
        let upon = Self::upon_these(vaults, self.call.clone(), Rc::clone(&self.notices));
        let memory = Self { warm: self.warm.clone(), without_project: self.without_project, ..upon };
        memory.tell_broken();
        memory
    }

    fn upon_these(vaults: Vec<OpenVault>, call: Call, notices: Rc<RefCell<Vec<String>>>) -> Self {
        Self {
            vaults,
            call,
            warm: None,
            models: OnceCell::new(),
            notices,
            drawn: std::cell::Cell::new(0),
            in_haste: false,
            without_project: false,
        }
    }

    /// The models that the settings name.
    pub fn models(&self) -> &Models {
        self.models.get_or_init(|| {
            let kept = self.warm.as_ref().map(|warm| warm.models());
            Models::of(super::embedding::choice(self, self.target()), kept)
        })
    }

    /// The same call upon one of the open vaults alone, so that it is the one that is written to.
    ///
    /// # Errors
    /// Those of [`Memory::open`].
    pub fn alone(&self, open: &OpenVault) -> Result<Self> {
        open.writable()?;
        let named = Some(open.vault.root().to_owned());
        Self::open_with(Call { vault: named, ..self.call.clone() }, self.warm.clone())
    }

    /// The same call by somebody else; what there is to hear of it is heard through this memory too.
    ///
    /// # Errors
    /// Those of [`Memory::open`].
    pub fn as_by(&self, by: By) -> Result<Self> {
        let other = Self::open_with(Call { by, ..self.call.clone() }, self.warm.clone())?;
        Ok(Self { notices: Rc::clone(&self.notices), ..other })
    }

    /// The vault that is written to.
    pub fn target(&self) -> &OpenVault {
        &self.vaults[0]
    }

    /// The same for somebody who waits for nothing: indexes answer as they stand or not at all, and the fine model is not
    /// asked.
    pub(super) fn in_haste(mut self) -> Self {
        self.call.no_refresh = true;
        self.in_haste = true;
        self
    }

    /// Whether nobody may be kept waiting.
    pub(super) fn is_in_haste(&self) -> bool {
        self.in_haste
    }

    /// The name of the project that the vault belongs to: of its folder, or of the one above a `.memory`.
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

    /// Something that the person should hear, once.
    pub fn notice(&self, text: impl Into<String>) {
        let text = text.into();
        let mut notices = self.notices.borrow_mut();
        if !notices.contains(&text) {
            notices.push(text);
        }
    }

    /// What there is to hear, taken.
    pub fn take_notices(&self) -> Vec<String> {
        self.notices.take()
    }

    /// Sixteen random bytes for a new id; repeatable where the call has a seed.
    #[allow(clippy::disallowed_methods, reason = "the one place that draws ids")]
    pub fn draw(&self) -> uuid::Uuid {
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
    /// A vault with these settings, nothing else opened yet.
    pub fn new(level: Level, vault: Vault, settings: Settings) -> Self {
        Self {
            level,
            settings,
            past: None,
            kept: None,
            vectors: Vectors::open(&vault.vectors()),
            vault,
            repo: OnceCell::new(),
            index: OnceCell::new(),
            fresh: std::cell::Cell::new(false),
            notes: RefCell::default(),
            unread: RefCell::default(),
        }
    }

    /// The same vault, with what a long-lived process keeps of it.
    fn kept_by(self, warm: &Warm) -> Self {
        let kept = warm.of(&self.vault);
        Self {
            vectors: kept.vectors.clone(),
            index: OnceCell::from(Arc::clone(&kept.index)),
            kept: Some(kept),
            ..self
        }
    }

    /// What is kept of it between calls, where anything is.
    pub(super) fn kept(&self) -> Option<&Kept> {
        self.kept.as_deref()
    }

    /// The vectors of its notes, as they are now.
    pub fn vectors(&self) -> Vectors {
        self.vectors.clone()
    }

    /// The repository that the vault lies in.
    ///
    /// # Errors
    /// What git says of a repository that cannot be used.
    pub fn repo(&self) -> Result<Option<&Repo>> {
        if self.repo.get().is_none() {
            let mut found = Repo::discover(self.vault.root())?;
            let trust = found.as_ref().map(|repo| Trust::of(&self.vault, || repo.remote()));
            // Without private files nothing is trusted.
            if trust.is_some_and(|trust| trust.is_ok_and(|trust| trust.is_trusted())) {
                found = Repo::discover_with(self.vault.root(), Programs::Allowed)?;
            }
            return Ok(self.repo.get_or_init(|| found).as_ref());
        }
        Ok(self.repo.get().and_then(Option::as_ref))
    }

    /// The index, as fresh as it was left.
    pub fn index(&self) -> &Index {
        match &self.past {
            Some(past) => past.index(),
            None => self.index.get_or_init(|| Arc::new(Index::open(&self.vault.index()))),
        }
    }

    /// Whether the index was brought up to date in this call.
    pub fn is_fresh(&self) -> bool {
        self.fresh.get()
    }

    /// Notes that it was.
    pub fn set_fresh(&self) {
        self.fresh.set(true);
    }

    /// Notes that the folder was changed in this call.
    pub fn set_stale(&self) {
        self.fresh.set(false);
        self.notes.take();
    }

    /// The notes, where this call has read them already.
    pub fn read_notes(&self) -> Option<Rc<Vec<Note>>> {
        self.notes.borrow().clone()
    }

    /// Keeps the notes for the rest of the call.
    pub fn keep_notes(&self, notes: Vec<Note>) -> Rc<Vec<Note>> {
        let notes = Rc::new(notes);
        *self.notes.borrow_mut() = Some(Rc::clone(&notes));
        notes
    }

    /// Files that the last refresh of this call could not read.
    pub fn unread(&self) -> Vec<Finding> {
        self.unread.borrow().clone()
    }

    /// Notes which those were.
    pub fn set_unread(&self, findings: Vec<Finding>) {
        *self.unread.borrow_mut() = findings;
    }

    /// How often its notes were read.
    pub fn usage(&self) -> Usage {
        // Counts are of now; how often a note was read by then is not known.
        if self.past.is_some() { Usage::none() } else { Usage::of(&self.vault) }
    }

    /// How long a writer waits for another.
    pub fn patience(&self) -> Duration {
        Duration::from_secs_f64(self.settings.number("lock.patience_s").clamp(0.0, 3600.0))
    }
}

/// The settings of a vault: defaults, the global vault's file, its own, its private one, the environment.
pub(super) fn settings_of(
    vault: &Vault,
    level: Level,
    global: Option<&Vault>,
    call: &Call,
) -> Result<Settings> {
    let global = match global.filter(|_| level == Level::Project) {
        Some(global) => global.read_own(layout::SETTINGS)?,
        None => None,
    };
    layered(global, vault.read_own(layout::SETTINGS)?, vault, call)
}

/// The settings that these files give, the global vault's and the vault's own, with the private one and the environment.
///
/// # Errors
/// Where the private file cannot be read.
pub(super) fn layered(
    global: Option<String>,
    own: Option<String>,
    vault: &Vault,
    call: &Call,
) -> Result<Settings> {
    let mut layers = Vec::new();
    let mut file = |name: &str, text: Option<String>, origin: Origin| {
        layers.extend(text.map(|text| (Layer::of_toml(name, &text), origin)));
    };
    file(layout::SETTINGS, global, Origin::Global);
    file(layout::SETTINGS, own, Origin::Vault);
    if let Ok(private) = vault.private() {
        file("config.toml", private.read(&private.user_settings())?, Origin::User);
        file("config.toml", private.read(&private.settings())?, Origin::Private);
    }
    layers.extend(Layer::of_environment(&call.variables));
    Ok(Settings::of(layers))
}

/// A path as people read it: relative to the working folder where it lies below.
pub fn shown(path: &Path, cwd: &Path) -> String {
    path.strip_prefix(cwd).unwrap_or(path).display().to_string()
}
