//! Opens the vaults of a request as of a revision or date.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::layered_settings::SettingsTexts;
use crate::context::open::Context;
use crate::context::open_vault::{OpenVault, VaultLevel, repository};
use crate::context::request::Request;
use crate::context::snapshot::Snapshot;
use crate::error::{Error, Result};
use cm_note::instant::Instant;
use cm_note::note::Note;
use cm_note::path::NotePath;
use cm_store::git::{self, CommitId, CommitInfo, Repo};
use cm_store::vault::layout;

/// The commit that a response is based on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AsOf {
    /// Commit ID.
    pub commit: String,
    /// Time of the commit.
    pub date: Instant,
    /// First line of the commit message.
    pub subject: String,
    /// Instant from which ages and scores count: the date that was given, or the time of the commit.
    pub instant: Instant,
}

impl fmt::Display for AsOf {
    /// As in "as of 2026-11-01 09:30, commit 0123456789".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let commit = self.commit.get(..10).unwrap_or(&self.commit);
        write!(f, "as of {}, commit {commit}", self.date.date_and_time())
    }
}

/// A commit that a revision or date resolved to, with the instant to show in the response.
pub(crate) struct ResolvedRevision {
    pub commit: CommitId,
    pub at: Instant,
}

/// Whether a date without a time stands for the start or the end of that day (UTC).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DayBoundary {
    /// 00:00 UTC of the day.
    Begins,
    Ends,
}

impl Context {
    /// Opens the vaults that the request selects, as they were at a revision or date if one is given.
    ///
    /// # Errors
    /// The errors of [`Context::open`] and [`Context::as_of`].
    pub fn open_as_of(request: Request, revision: Option<&str>) -> Result<Self> {
        let context = Self::open(request)?;
        match revision {
            Some(revision) => context.as_of(revision),
            None => Ok(context),
        }
    }

    /// Opens the vaults of this context as they were at a Git revision or date. A date selects the
    /// newest first-parent commit by then; without a time it means the end of that day (UTC). Ages and
    /// scores count from that date, or from the time of the commit. The global vault is opened at the
    /// same instant, or left out with a notice if its history starts later.
    ///
    /// # Errors
    /// No repository, an unknown commit, a date before the first commit, or a commit without a
    /// vault.
    pub fn as_of(&self, reference: &str) -> Result<Self> {
        let open = self.target();
        let moment = resolve_revision(open, reference, self.now(), DayBoundary::Ends)?;
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
        let mut then = self.with_vaults(vaults.collect::<Result<_>>()?);
        then.past_instant = Some(moment.at.min(self.now()));
        Ok(then)
    }

    /// Calls `read` with the vaults as of a revision or date, or as they are if none is given.
    ///
    /// # Errors
    /// The errors of [`Context::as_of`] and of `read`.
    pub fn at_time<T>(&self, revision: Option<&str>, read: impl FnOnce(&Self) -> Result<T>) -> Result<T> {
        match revision {
            Some(revision) => read(&self.as_of(revision)?),
            None => read(self),
        }
    }

    /// Returns the commit that this context reads; `None` if it reads the current files.
    pub fn read_at(&self) -> Option<AsOf> {
        let commit = self.target().past.as_ref()?.commit();
        Some(AsOf {
            commit: commit.id.to_string(),
            date: commit.time,
            subject: commit.subject.clone(),
            instant: self.now(),
        })
    }
}

/// Opens a vault at a commit, with the settings of that commit on top of the global vault's.
fn opened(
    context: &Context,
    open: &OpenVault,
    past: git::VaultSnapshot,
    global: Option<String>,
) -> Result<OpenVault> {
    let global = global.filter(|_| open.level == VaultLevel::Project);
    let settings = SettingsTexts::with(global, own_settings(&past)?, &open.vault, &context.request)?.parse();
    let mut then = OpenVault::new(open.level, open.vault.clone(), Arc::new(settings));
    then.past = Some(Snapshot::of(past, &open.vault.index(), &then.parse_fingerprint()));
    Ok(then)
}

/// The paths of the notes of a vault at a commit, by the settings of that commit.
///
/// # Errors
/// No repository, or unreadable objects.
pub(crate) fn note_paths_at(context: &Context, open: &OpenVault, commit: CommitId) -> Result<Vec<NotePath>> {
    let Some(past) = repository(open)?.snapshot(commit)? else { return Ok(Vec::new()) };
    let files = opened(context, open, past, None)?.walk().files;
    Ok(files.into_iter().map(|file| file.path).collect())
}

/// The notes of a vault at a commit. Unchanged notes come from the current index, only differing
/// ones are read from Git. All are parsed with the current settings, so that they are comparable.
///
/// # Errors
/// The errors of [`Context::notes_of`], or unreadable objects.
pub(crate) fn notes_at(context: &Context, open: &OpenVault, commit: CommitId) -> Result<Vec<Note>> {
    let repo = repository(open)?;
    let Some(past) = repo.snapshot(commit)? else { return Ok(Vec::new()) };
    let then = opened(context, open, past, None)?;
    let mut differing: HashSet<NotePath> =
        repo.paths_between(repo.head()?.commit, Some(commit))?.into_iter().collect();
    differing.extend(repo.hand_edits()?.into_iter().map(|(path, _)| path));
    let now = context.notes_of(open)?;
    let now: HashMap<&NotePath, &Note> = now.iter().map(|note| (&note.path, note)).collect();
    let note = |path: &NotePath| match now.get(path).filter(|_| !differing.contains(path)) {
        Some(same) => Ok((*same).clone()),
        None => {
            let bytes = then.read_file(path)?;
            Ok(open.parse(path, &bytes).note)
        }
    };
    then.walk().files.iter().map(|file| note(&file.path)).collect()
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
    revision: &str,
    now: Instant,
    day: DayBoundary,
) -> Result<ResolvedRevision> {
    let repo = repository(open)?;
    match repo.resolve(revision) {
        Ok(commit) => Ok(ResolvedRevision { commit, at: repo.commit_info(commit)?.time }),
        Err(git::Error::UnknownRevision { .. }) => {
            let read =
                if day == DayBoundary::Ends { Instant::parse_typed_to_end } else { Instant::parse_typed };
            let neither = format!("`{revision}` is neither a commit of this repository nor a date");
            let at = read(revision, now).map_err(|_| Error::not_found(neither).hint(NAMES))?;
            match repo.at_time(at)? {
                Some(commit) => Ok(ResolvedRevision { commit: commit.id, at }),
                None => Err(too_early(repo, at)),
            }
        }
        Err(error) => Err(error.into()),
    }
}

/// Whether the text is a date or an age, and the repository, of which this clone has the whole history, began later.
pub(crate) fn is_before_first_commit(open: &OpenVault, revision: &str, now: Instant) -> Result<bool> {
    let repo = repository(open)?;
    match (repo.resolve(revision), Instant::parse_typed(revision, now)) {
        (Err(git::Error::UnknownRevision { .. }), Ok(at)) => {
            Ok(!repo.is_shallow() && repo.first_commit()?.is_some_and(|first| at < first.time))
        }
        _ => Ok(false),
    }
}

/// Hint for an unresolvable revision: the accepted forms of commits, dates and ages.
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
pub(crate) fn revision(context: &Context, reference: &str) -> Result<CommitId> {
    Ok(resolve_revision(context.target(), reference, context.now(), DayBoundary::Begins)?.commit)
}

#[cfg(test)]
mod tests;
