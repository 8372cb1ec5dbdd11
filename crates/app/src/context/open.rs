//! The context that every operation receives: the opened vaults of one request.

use std::cell::{OnceCell, RefCell};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use crate::context::actor::{self, CallerIdentity};
use crate::context::layered_settings::SettingsTexts;
use crate::context::main_worktree;
use crate::context::models::Models;
use crate::context::open_vault::{OpenVault, VaultLevel};
use crate::context::process_cache::ProcessCache;
use crate::context::project_scope::{code_mark, project_of};
use crate::context::request::Request;
use crate::context::trust;
use crate::context::vault_cache::VaultCache;
use crate::error::{Error, Result};
use cm_note::instant::Instant;
use cm_note::user_text::UserText;
use cm_store::config::layer::ENVIRONMENT;
use cm_store::vault::lock::VaultLock;
use cm_store::vault::{self, Vault, layout};

/// Whether a request reads an index that may lack the latest changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Lag {
    /// No: it waits for the refresh.
    #[default]
    No,
    /// While another thread refreshes it, if the index has everything that the caller wrote.
    AfterOwnWrites,
    /// While another thread refreshes it, or if it lacks a few changes of this process.
    Any,
}

/// State of one operation: the open vaults, the request and the embedding models.
pub struct Context {
    /// The open vaults; the first is the target of writes.
    pub vaults: Vec<OpenVault>,
    pub request: Request,
    pub(super) cache: Option<Arc<ProcessCache>>,
    pub(super) models: OnceCell<Models>,
    notices: Rc<RefCell<Vec<UserText>>>,
    /// Keys of the notes that the answer of this request shows.
    shown: RefCell<Vec<String>>,
    drawn: std::cell::Cell<u64>,
    low_latency: bool,
    lag: std::cell::Cell<Lag>,
    /// Whether the project's vault was left out because the user does not trust it. Writes then
    /// fail instead of going to the global vault.
    without_project: bool,
    /// Time of the past that is read; `None` if the vaults are read as they are.
    pub(super) past_instant: Option<Instant>,
}

impl Context {
    /// Opens the vaults that the request selects.
    ///
    /// # Errors
    /// Returns an error if there is no vault, or if the settings of one cannot be read.
    pub fn open(request: Request) -> Result<Self> {
        Self::open_with(request, None)
    }

    /// Like [`Self::open`], but reuses the indexes, vectors and models in `process_cache`.
    ///
    /// # Errors
    /// The errors of [`Self::open`].
    pub(crate) fn open_with(request: Request, process_cache: Option<Arc<ProcessCache>>) -> Result<Self> {
        let found = selected_vaults(&request, &|vault| Some(vault.prepare(request.private.as_ref())))?;
        let mut vaults = with_settings(found, &request, process_cache.as_ref())?;
        let untrusted =
            if request.for_prompts { trust::leave_out_untrusted(&mut vaults)? } else { Vec::new() };
        for open in &vaults {
            // A vault on a read-only disk can still be read.
            let _ = crate::context::imported_usage::adopt_usage(open);
        }
        let mut context = Self { cache: process_cache, ..Self::with_parts(vaults, request, Rc::default()) };
        context.without_project = untrusted.iter().any(|left_out| left_out.level == VaultLevel::Project);
        untrusted.iter().for_each(|left_out| context.notice(left_out.to_string()));
        context.notice_broken_settings();
        Ok(context)
    }

    /// Like [`Self::open`], but changes no file and leaves the indexes as they are. Vaults whose
    /// caches need cleaning are left out.
    ///
    /// # Errors
    /// The errors of [`Self::open`].
    pub(crate) fn open_read_only(request: Request) -> Result<Self> {
        let found = selected_vaults(&request, &|vault| vault.prepare_read_only(request.private.as_ref()))?;
        let vaults = with_settings(found, &request, None)?;
        Ok(Self::with_parts(vaults, request, Rc::default()).low_latency())
    }

    /// Refuses to write if the project's vault was left out as untrusted.
    ///
    /// # Errors
    /// Returns `untrusted` if it was left out.
    pub(crate) fn may_write(&self) -> Result<()> {
        if self.without_project {
            Err(trust::untrusted_error(
                "the memory of this project is not trusted, so nothing is written to it",
            ))
        } else {
            Ok(())
        }
    }

    fn notice_broken_settings(&self) {
        for broken in self.vaults.iter().filter_map(|open| open.settings.broken()) {
            self.notice(format!("{}: {}; its settings are ignored", broken.path, broken.message));
        }
        // The environment is the same for each vault.
        let findings = self.vaults.first().map_or(&[][..], |open| &open.settings.findings);
        for invalid in findings.iter().filter(|finding| finding.path == ENVIRONMENT) {
            self.notice(format!("{}; the variable is ignored", invalid.message));
        }
    }

    /// Creates a context for a vault that was just created.
    ///
    /// # Errors
    /// Returns an error if the settings cannot be read.
    pub fn open_new(request: Request, level: VaultLevel, vault: Vault) -> Result<Self> {
        let settings = SettingsTexts::read(&vault, level, None, &request)?.parse();
        let vaults = vec![OpenVault::new(level, vault, Arc::new(settings))];
        Ok(Self::with_parts(vaults, request, Rc::default()))
    }

    /// Creates a context for the same request with other vaults; both contexts share their notices.
    pub(crate) fn with_vaults(&self, vaults: Vec<OpenVault>) -> Self {
        let base = Self::with_parts(vaults, self.request.clone(), Rc::clone(&self.notices));
        let context = Self {
            cache: self.cache.clone(),
            without_project: self.without_project,
            past_instant: self.past_instant,
            ..base
        };
        context.notice_broken_settings();
        context
    }

    fn with_parts(vaults: Vec<OpenVault>, request: Request, notices: Rc<RefCell<Vec<UserText>>>) -> Self {
        Self {
            vaults,
            request,
            cache: None,
            models: OnceCell::new(),
            notices,
            shown: RefCell::default(),
            drawn: std::cell::Cell::new(0),
            low_latency: false,
            lag: std::cell::Cell::default(),
            without_project: false,
            past_instant: None,
        }
    }

    /// Whether the caller has a person's permissions. Rules and memories of other callers start as
    /// proposals.
    pub fn is_person(&self) -> bool {
        self.request.caller.is_person()
    }

    /// Time of the first request of the server that answers; `None` for a single request.
    pub(crate) fn server_began(&self) -> Option<Instant> {
        self.cache.as_ref()?.began()
    }

    /// Requires a person; `what` completes "only a person can …".
    ///
    /// # Errors
    /// `persons-only` if the caller is not a person.
    pub fn persons_only(&self, what: &str) -> Result<()> {
        if self.is_person() {
            return Ok(());
        }
        Err(actor::persons_only_error(what, "ask the person to do it in their own terminal"))
    }

    /// Creates a context for the same request in which `open` receives the writes.
    ///
    /// # Errors
    /// A vault at a past commit, and the errors of [`Context::open`].
    pub fn for_vault(&self, open: &OpenVault) -> Result<Self> {
        open.writable()?;
        let root = Some(open.vault.root().to_owned());
        Self::open_with(Request { vault: root, ..self.request.clone() }, self.cache.clone())
    }

    /// Creates a context for the same request and vaults with another caller; notices are shared.
    ///
    /// # Errors
    /// The errors of [`Context::open`].
    pub fn with_actor(&self, caller: CallerIdentity) -> Result<Self> {
        let other = Self::open_with(Request { caller, ..self.request.clone() }, self.cache.clone())?;
        Ok(Self { notices: Rc::clone(&self.notices), lag: self.lag.clone(), ..other })
    }

    /// The vault that receives writes.
    pub fn target(&self) -> &OpenVault {
        &self.vaults[0]
    }

    /// Switches to low latency: indexes are not refreshed and the fine embedding model is not used.
    pub(crate) fn low_latency(mut self) -> Self {
        self.request.no_refresh = true;
        self.low_latency = true;
        self
    }

    /// Updates the indexes that exist once, although the request leaves them as they are otherwise.
    ///
    /// # Errors
    /// Returns an error if an index can be neither used nor rebuilt.
    pub(crate) fn with_updated_indexes(mut self) -> Result<Self> {
        let as_it_is = std::mem::replace(&mut self.request.no_refresh, false);
        for open in self.vaults.iter().filter(|open| open.index().version().is_ok()) {
            self.ensure_fresh(open)?;
        }
        self.request.no_refresh = as_it_is;
        Ok(self)
    }

    /// Allows answers from the index as it is while another thread refreshes it, so that a reader does
    /// not wait for writers. What the caller itself wrote is always in the index.
    #[must_use]
    pub fn allow_lag(self) -> Self {
        self.lag.set(Lag::AfterOwnWrites);
        self
    }

    /// Runs `compare` on the index as it is if another thread refreshes it, or if it lacks only a few of the latest
    /// changes. The index may lack what was written since
    /// [`RecentWrites::indexed`](crate::context::recent_writes::RecentWrites).
    pub(crate) fn with_lag<T>(&self, compare: impl FnOnce() -> T) -> T {
        let before = self.lag.replace(Lag::Any);
        let result = compare();
        self.lag.set(before);
        self.vaults.iter().for_each(OpenVault::end_lag);
        result
    }

    /// Whether this request can be answered from an index that lacks recent changes.
    pub(super) fn may_lag(&self, vault_cache: &VaultCache) -> bool {
        match self.lag.get() {
            Lag::No => false,
            Lag::AfterOwnWrites => vault_cache.writes().has_all_of(self.request.caller.actor.as_deref()),
            Lag::Any => true,
        }
    }

    /// Whether this request reads the latest changes from their files, so that the index may lack them.
    pub(super) fn may_trail(&self) -> bool {
        self.lag.get() == Lag::Any
    }

    /// Reads and writes no usage counts: an answer depends on the notes and the time only, and leaves
    /// no trace.
    pub fn without_usage(mut self) -> Self {
        self.vaults.iter_mut().for_each(OpenVault::ignore_usage);
        self
    }

    /// Whether [`Self::low_latency`] is in effect.
    pub(crate) fn is_low_latency(&self) -> bool {
        self.low_latency
    }

    /// Name of the project: the vault's folder, or the parent folder of a hidden one such as
    /// `.memory`; with the vault for all projects, the repository or folder of the request.
    pub fn workspace(&self) -> String {
        let root = self.target().vault.root();
        if self.target().level == VaultLevel::Global && !self.request.cwd.starts_with(root) {
            return project_of(&self.request.cwd).unwrap_or_default();
        }
        let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
        match name(root) {
            Some(hidden) if hidden.starts_with('.') => root.parent().and_then(name).unwrap_or(hidden),
            Some(name) => name,
            None => String::new(),
        }
    }

    /// Time from which ages, decay and scores count: that of the past that this context reads, else
    /// the time at which the request began. Constant during the request.
    pub fn now(&self) -> Instant {
        self.past_instant.unwrap_or(self.request.now)
    }

    /// Adds a notice for the user; duplicates are dropped.
    pub fn notice(&self, text: impl Into<UserText>) {
        let text = text.into();
        let mut notices = self.notices.borrow_mut();
        if !notices.contains(&text) {
            notices.push(text);
        }
    }

    /// Drains the pending notices.
    pub fn take_notices(&self) -> Vec<UserText> {
        self.notices.take()
    }

    /// Counts notes of a vault as retrieved, and keeps their keys for the receipt of the answer. Notes
    /// of the past are not counted.
    pub(crate) fn count_retrieved(&self, open: &OpenVault, keys: &[&str]) {
        if open.past.is_some() {
            return;
        }
        // A vault on a read-only disk can still be read from.
        let _ = open.usage().retrieved(keys, self.now());
        if open.usage().is_long()
            && let Ok(_lock) = VaultLock::take(&open.vault, &self.request.holder, Duration::ZERO)
        {
            let _ = open.usage().compact();
        }
        self.shown.borrow_mut().extend(keys.iter().map(|key| (*key).to_owned()));
    }

    /// Drains the keys of the notes that the answer shows.
    pub(super) fn take_shown(&self) -> Vec<String> {
        self.shown.take()
    }

    /// Generates a UUID for a new ID; reproducible if the request has a seed.
    #[allow(clippy::disallowed_methods, reason = "the one place that draws ids")]
    pub fn new_uuid(&self) -> uuid::Uuid {
        let Some(seed) = &self.request.seed else { return uuid::Uuid::new_v4() };
        let count = self.drawn.get();
        self.drawn.set(count + 1);
        let mut bytes = [0; 16];
        let text = format!("{seed} {} {count}", self.request.now);
        bytes.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
        uuid::Builder::from_random_bytes(bytes).into_uuid()
    }
}

/// Finds the vaults that the request selects, the project's first. Those for which `prepare`
/// returns `None` are left out.
///
/// # Errors
/// Returns an error if there is no vault.
fn selected_vaults(
    request: &Request,
    prepare: &dyn Fn(Vault) -> Option<Vault>,
) -> Result<Vec<(VaultLevel, Vault)>> {
    let mut found = Vec::new();
    if let Some(folder) = &request.vault {
        found.push((VaultLevel::Project, Vault::open(&request.cwd.join(folder))?));
    } else {
        found.extend(Vault::find_upwards(&request.cwd).map(|vault| (VaultLevel::Project, vault)));
        let global = request.global.as_deref().filter(|path| path.join(layout::SETTINGS).is_file());
        if let Some(global) = global.map(Vault::open).transpose()?
            && found.iter().all(|(_, vault)| *vault != global)
        {
            found.push((VaultLevel::Global, global));
        }
    }
    let mut found: Vec<_> =
        found.into_iter().filter_map(|(level, vault)| Some((level, prepare(vault)?))).collect();
    if request.vault.is_none() {
        for (_, vault) in found.iter_mut().filter(|(level, _)| *level == VaultLevel::Project) {
            if let Some(main) = main_worktree::of_main(vault, request)?.and_then(prepare) {
                *vault = main;
            }
        }
    }
    if found.is_empty() {
        return Err(no_vault(request));
    }
    Ok(found)
}

/// The error that no vault is found: in a repository with code, its hint offers a vault beside the code.
fn no_vault(request: &Request) -> Error {
    let error = Error::from(vault::Error::NoVault { from: request.cwd.clone() });
    let repository = request.cwd.ancestors().find(|folder| folder.join(".git").exists());
    let Some(root) = repository.filter(|root| code_mark(root).is_some()) else { return error };
    let place = if request.cwd == *root { "here" } else { "in the folder of the repository" };
    error.hint(format!(
        "create one beside the code with `cm init .memory` {place}, or select one with `--vault` or CM_VAULT"
    ))
}

/// Reads the settings of each vault.
///
/// # Errors
/// Returns an error if the settings of one cannot be read.
fn with_settings(
    found: Vec<(VaultLevel, Vault)>,
    request: &Request,
    process_cache: Option<&Arc<ProcessCache>>,
) -> Result<Vec<OpenVault>> {
    let global = found.iter().find(|(level, _)| *level == VaultLevel::Global).map(|(_, vault)| vault.clone());
    found
        .into_iter()
        .map(|(level, vault)| {
            let texts = SettingsTexts::read(&vault, level, global.as_ref(), request)?;
            let Some(process_cache) = process_cache else {
                return Ok(OpenVault::new(level, vault, Arc::new(texts.parse())));
            };
            let cache = process_cache.vault_cache(&vault);
            let settings = cache.values.of_version(&texts.version(), || Ok(texts.parse()))?;
            Ok(OpenVault::new(level, vault, settings).with_cache(cache))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "tests write files")]

    use super::*;
    use crate::fixture_vault::FixtureVault;

    #[test]
    fn a_vault_that_is_only_read_from_keeps_no_log_without_limit() {
        let vault = FixtureVault::new();
        let context = vault.at("2026-02-01");
        let open = context.target();
        let keys: Vec<String> = (0..20_000).map(|number| format!("note-{number}")).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        context.count_retrieved(open, &keys);
        let (log, aside) = (vault.file("_state/usage.log"), vault.file("_state/usage.log.1"));
        assert!(!log.exists() && aside.exists(), "a long log is set aside");
        let held = VaultLock::take(&open.vault, "another", Duration::ZERO).unwrap();
        context.count_retrieved(open, &keys);
        assert!(log.exists(), "a reader does not wait for a writer");
        drop(held);
        let earlier = std::time::SystemTime::now() - Duration::from_secs(60);
        std::fs::File::options().append(true).open(&aside).unwrap().set_modified(earlier).unwrap();
        context.count_retrieved(open, &["note-0"]);
        assert!(!aside.exists() && vault.file("_state/usage.json").exists());
        assert_eq!(open.usage().load().0["note-0"].retrievals, 3);
    }
}
