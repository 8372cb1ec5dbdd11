//! Opens vaults as of a past commit.
//!
//! Nothing is checked out, and a past state is read-only. Its index is stored in `_index/past/`,
//! where only the most recently used ones are retained. Usage counts are not versioned and do not
//! apply.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Component, Path};

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::open::{Context, OpenVault, VaultLevel, layered};
use crate::error::{Error, Result};
use crate::verbs::log::repository;
use cm_index::{Index, RefreshReport};
use cm_note::instant::Instant;
use cm_note::listing::{LinkTarget, VaultListing};
use cm_note::note::{Note, read};
use cm_note::path::NotePath;
use cm_store::config::{Settings, keys};
use cm_store::git::{self, CommitId, CommitInfo, Repo};
use cm_store::vault::{layout, walk};

/// Number of past indexes to retain.
const KEPT: usize = 3;

/// The commit that a response is based on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AsOf {
    /// Commit ID.
    pub commit: String,
    /// Time of the commit.
    pub date: Instant,
    /// First line of the commit message.
    pub subject: String,
}

/// A vault at a commit.
pub struct Snapshot {
    git: git::VaultSnapshot,
    kept: Index,
    passing: OnceCell<Index>,
}

/// A resolved commit with the instant that the caller meant.
pub(crate) struct ResolvedRevision {
    pub commit: CommitId,
    pub at: Instant,
}

/// How a date without a time is interpreted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DayBoundary {
    /// The start of the day.
    Begins,
    /// The end of the day.
    Ends,
}

impl Context {
    /// Opens the same vaults as of a Git revision, or as of a date: the newest first-parent commit
    /// by then. A date without a time means the end of that day (UTC). The global vault is opened
    /// at the same instant, or left out with a notice if its history does not reach that far.
    ///
    /// # Errors
    /// No repository, an unknown commit, a date before the first commit, or a commit without a
    /// vault.
    pub fn as_of(&self, named: &str) -> Result<Self> {
        let open = self.target();
        let moment = resolve_revision(open, named, self.now(), DayBoundary::Ends)?;
        let past = repository(open)?.snapshot(moment.commit)?.ok_or_else(|| {
            Error::not_found(format!("commit {} contains no vault", moment.commit.short()))
                .hint("`cm log` lists the commits that changed the vault")
        })?;
        let mut pasts = vec![(open, past)];
        for global in self.vaults.iter().skip(1) {
            match snapshot_at(global, moment.at) {
                Ok(past) => pasts.push((global, past)),
                Err(why) => self.notice(format!("the global vault is skipped: {why}")),
            }
        }
        let global = match self.vaults.iter().find(|open| open.level == VaultLevel::Global) {
            Some(global) => match pasts.iter().find(|(open, _)| open.level == VaultLevel::Global) {
                Some((_, past)) => own_settings(past)?,
                None => global.vault.read_own(layout::SETTINGS)?,
            },
            None => None,
        };
        let vaults = pasts.into_iter().map(|(open, past)| opened(self, open, past, global.clone()));
        Ok(self.with_vaults(vaults.collect::<Result<_>>()?))
    }

    /// The commit that is read; `None` for the current state.
    pub fn read_at(&self) -> Option<AsOf> {
        let commit = self.target().past.as_ref()?.git.commit();
        Some(AsOf { commit: commit.id.to_string(), date: commit.time, subject: commit.subject.clone() })
    }
}

impl OpenVault {
    /// Checks that the vault is not opened at a past commit.
    ///
    /// # Errors
    /// `past` if it is.
    pub(crate) fn writable(&self) -> Result<()> {
        let Some(past) = &self.past else { return Ok(()) };
        let commit = past.git.commit().id.short();
        Err(Error::refused("past", format!("the vault is open at commit {commit} and cannot be changed")))
    }
}

impl Snapshot {
    fn of(git: git::VaultSnapshot, index: &Path, settings: &Settings) -> Self {
        // What is indexed depends on the commit and on how its notes are read.
        let read =
            format!("{:?}", (&settings.types, &settings.relations, settings.texts(keys::VAULT_EXCLUDE)));
        let name = format!("{}-{}", git.commit().id, &blake3::hash(read.as_bytes()).to_hex()[..8]);
        Self { git, kept: Index::open(&index.join("past").join(name)), passing: OnceCell::new() }
    }

    /// The index of the past state.
    pub(crate) fn index(&self) -> &Index {
        self.passing.get().unwrap_or(&self.kept)
    }

    /// Whether the index is stored on disk for reuse.
    pub(crate) fn is_kept(&self) -> bool {
        self.passing.get().is_none()
    }

    /// Switches to a temporary index for this call; returns `error` if that cannot be created
    /// either.
    pub(crate) fn use_temporary_index(&self, error: cm_index::Error) -> Result<()> {
        let Ok(passing) = Index::temporary() else { return Err(error.into()) };
        self.passing.get_or_init(|| passing);
        Ok(())
    }

    /// Marks the index as in use, so that other processes do not delete it, and deletes old past
    /// indexes.
    pub(crate) fn hold(&self) {
        self.index().retain_recent(KEPT);
    }

    /// Adds a notice about objects that Git could not read.
    pub(crate) fn notice_unreadable(&self, memory: &Context, refreshed: &RefreshReport) {
        if let [first, rest @ ..] = refreshed.findings.as_slice() {
            let more = if rest.is_empty() { String::new() } else { format!(", and {} more", rest.len()) };
            let commit = self.git.commit().id.short();
            memory.notice(format!("from commit {commit}, {} {}{more}", first.path, first.message));
        }
    }

    pub(crate) fn walk(&self, exclude: &[String]) -> VaultListing {
        let entries = |folder: &str| self.git.entries(folder).map_err(io::Error::other);
        let target = |link: &str| self.git.target(link).unwrap_or(LinkTarget::Nowhere);
        walk::walk_recorded(&walk::CommitTree { entries: &entries, target: &target }, exclude)
    }

    pub(crate) fn read(&self, path: &NotePath) -> io::Result<Vec<u8>> {
        self.git.read(path)
    }

    /// Resolves a typed path to a file that existed at the commit.
    pub(crate) fn locate(&self, root: &Path, cwd: &Path, typed: &str) -> Option<NotePath> {
        let from_cwd = within(root, &cwd.join(typed));
        from_cwd.into_iter().chain(NotePath::parse(typed).ok()).find(|path| self.git.holds(path))
    }
}

/// Opens a vault at a commit, with the settings of that commit on top of the global vault's.
fn opened(
    memory: &Context,
    open: &OpenVault,
    past: git::VaultSnapshot,
    global: Option<String>,
) -> Result<OpenVault> {
    let global = global.filter(|_| open.level == VaultLevel::Project);
    let settings = layered(global, own_settings(&past)?, &open.vault, &memory.call)?;
    let past = Snapshot::of(past, &open.vault.index(), &settings);
    let mut then = OpenVault::new(open.level, open.vault.clone(), settings);
    then.past = Some(past);
    Ok(then)
}

/// The notes of a vault at a commit. Unchanged notes come from the current index, only differing
/// ones are read from Git. All are parsed with the current settings, so that they are comparable.
///
/// # Errors
/// The errors of [`Context::notes_of`], or unreadable objects.
pub(crate) fn notes_at(memory: &Context, open: &OpenVault, commit: CommitId) -> Result<Vec<Note>> {
    let repo = repository(open)?;
    let Some(past) = repo.snapshot(commit)? else { return Ok(Vec::new()) };
    let then = opened(memory, open, past, None)?;
    let mut differing: HashSet<NotePath> =
        repo.paths_between(repo.head()?.commit, Some(commit))?.into_iter().collect();
    differing.extend(repo.hand_edits()?.into_iter().map(|(path, _)| path));
    let now = memory.notes_of(open)?;
    let now: HashMap<&NotePath, &Note> = now.iter().map(|note| (&note.path, note)).collect();
    let (types, relations) = (&open.settings.types, &open.settings.relations);
    let note = |path: &NotePath| match now.get(path).filter(|_| !differing.contains(path)) {
        Some(same) => Ok((*same).clone()),
        None => {
            let bytes =
                then.read(path).map_err(cm_store::vault::Error::io("read", &open.vault.file(path)))?;
            Ok(read::read(path, &bytes, types, relations).note)
        }
    };
    then.walk().files.iter().map(|file| note(&file.path)).collect()
}

/// Converts a path to a path in the vault without file system access, because folders of the past
/// may not exist.
fn within(root: &Path, typed: &Path) -> Option<NotePath> {
    let mut parts: Vec<&str> = Vec::new();
    for part in typed.components() {
        match part {
            Component::Normal(name) => parts.push(name.to_str()?),
            Component::ParentDir => drop(parts.pop()?),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    let whole = format!("/{}", parts.join("/"));
    let inner = Path::new(&whole).strip_prefix(root).ok()?.to_str()?;
    NotePath::parse(inner).ok()
}

/// The global vault at an instant, or the reason why it is unavailable.
fn snapshot_at(open: &OpenVault, at: Instant) -> std::result::Result<git::VaultSnapshot, String> {
    let history = || -> Result<Option<git::VaultSnapshot>> {
        let Some(repo) = open.repo()? else { return Ok(None) };
        let Some(commit) = repo.at_time(at)? else { return Ok(None) };
        Ok(repo.snapshot(commit.id)?)
    };
    match history() {
        Ok(Some(past)) => Ok(past),
        Ok(None) => Err(format!("it has no history at {at}")),
        Err(error) => Err(error.to_string()),
    }
}

fn own_settings(past: &git::VaultSnapshot) -> Result<Option<String>> {
    let Ok(path) = NotePath::parse(layout::SETTINGS) else { return Ok(None) };
    match past.read(&path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(unreadable(past.commit(), "it is not UTF-8")),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(past.commit(), &error.to_string())),
    }
}

fn unreadable(commit: &CommitInfo, why: &str) -> Error {
    let message = format!("{} of commit {} cannot be read: {why}", layout::SETTINGS, commit.id.short());
    Error::new(crate::error::ErrorKind::Failed, "io", message)
}

/// Resolves a revision or a date; a date means the newest commit by then.
///
/// # Errors
/// No repository, neither a commit nor a date, an ambiguous revision, or a date before the first
/// commit.
pub(crate) fn resolve_revision(
    open: &OpenVault,
    named: &str,
    now: Instant,
    day: DayBoundary,
) -> Result<ResolvedRevision> {
    let repo = repository(open)?;
    match repo.resolve(named) {
        Ok(commit) => Ok(ResolvedRevision { commit, at: repo.commit_info(commit)?.time }),
        Err(git::Error::UnknownRevision { .. }) => {
            let read =
                if day == DayBoundary::Ends { Instant::parse_typed_to_end } else { Instant::parse_typed };
            let neither = format!("`{named}` is neither a commit of this repository nor a date");
            let at = read(named, now).map_err(|_| Error::not_found(neither).hint(NAMES))?;
            match repo.at_time(at)? {
                Some(commit) => Ok(ResolvedRevision { commit: commit.id, at }),
                None => Err(too_early(repo, at)),
            }
        }
        Err(error) => Err(error.into()),
    }
}

/// Hint about the syntax of commits and dates.
const NAMES: &str =
    "`cm log` lists the commits; a date is 2026-11-01 or 2026-11-01T09:30:00Z, an age is 7d or 12h";

fn too_early(repo: &Repo, at: Instant) -> Error {
    let error = Error::not_found(format!("no commits before {at}"));
    match repo.first_commit() {
        Ok(Some(_)) if repo.is_shallow() => {
            error.hint("the clone has only part of the history: `git fetch --unshallow` fetches the rest")
        }
        Ok(Some(first)) => error.hint(format!("the first commit is from {}", first.time)),
        _ => error,
    }
}

/// Like [`resolve_revision`], but returns only the commit, and a date means the start of the day.
///
/// # Errors
/// The errors of [`resolve_revision`].
pub(crate) fn revision(memory: &Context, named: &str) -> Result<CommitId> {
    Ok(resolve_revision(memory.target(), named, memory.now(), DayBoundary::Begins)?.commit)
}
