//! The vaults as they were: the same reading, upon a commit instead of the folder.
//!
//! Nothing is checked out, and nothing can be written to a past. Its index lies in `_index/past/`, of which the few used
//! last are kept; how often notes were read by then is not known, so that no use counts.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Component, Path};

use schemars::JsonSchema;
use serde::Serialize;

use super::error::{Error, Result};
use super::log::repository;
use super::memory::{Level, Memory, OpenVault, layered};
use cm_index::{Index, Refreshed};
use cm_note::instant::Instant;
use cm_note::listing::{Listing, Target};
use cm_note::note::{Note, read};
use cm_note::path::NotePath;
use cm_store::config::Settings;
use cm_store::git::{self, CommitId, CommitInfo, Repo};
use cm_store::vault::{layout, walk};

/// So many indexes of pasts are kept.
const KEPT: usize = 3;

/// The commit that an answer is from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AsOf {
    /// Its id.
    pub commit: String,
    /// When it was made.
    pub date: Instant,
    /// The first line of its message.
    pub subject: String,
}

/// A vault at a commit.
pub struct Past {
    git: git::Past,
    kept: Index,
    passing: OnceCell<Index>,
}

/// A commit that somebody named, and the instant that was meant by it.
pub(super) struct Moment {
    pub commit: CommitId,
    pub at: Instant,
}

/// What a date without a time means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Day {
    /// Its first instant.
    Begins,
    /// Its last one.
    Ends,
}

impl Memory {
    /// The same vaults as they were at a commit, by any name that git knows it by, or at a date: then at the newest commit of
    /// that time on the branch's own line. Of a date without a time, the end of the day (in UTC) counts. The global vault
    /// is as it was at the same instant, and left out with a notice where it has no history of then.
    ///
    /// # Errors
    /// No repository, no such commit, a date before the first one, or a commit that has no vault yet.
    pub fn as_of(&self, named: &str) -> Result<Self> {
        let open = self.target();
        let moment = moment(open, named, self.now(), Day::Ends)?;
        let past = repository(open)?.past(moment.commit)?.ok_or_else(|| {
            Error::not_found(format!("commit {} has no vault yet", moment.commit.short()))
                .hint("`cm log` lists the commits that changed it")
        })?;
        let mut pasts = vec![(open, past)];
        for global in self.vaults.iter().skip(1) {
            match then(global, moment.at) {
                Ok(past) => pasts.push((global, past)),
                Err(why) => self.notice(format!("the global vault is left out: {why}")),
            }
        }
        let global = match self.vaults.iter().find(|open| open.level == Level::Global) {
            Some(global) => match pasts.iter().find(|(open, _)| open.level == Level::Global) {
                Some((_, past)) => own_settings(past)?,
                None => global.vault.read_own(layout::SETTINGS)?,
            },
            None => None,
        };
        let vaults = pasts.into_iter().map(|(open, past)| opened(self, open, past, global.clone()));
        Ok(self.upon(vaults.collect::<Result<_>>()?))
    }

    /// The commit that this memory is read at; `None` where it is read as it is.
    pub fn read_at(&self) -> Option<AsOf> {
        let commit = self.target().past.as_ref()?.git.commit();
        Some(AsOf { commit: commit.id.to_string(), date: commit.time, subject: commit.subject.clone() })
    }
}

impl OpenVault {
    /// Refuses what would write to a past.
    ///
    /// # Errors
    /// Refused.
    pub(super) fn writable(&self) -> Result<()> {
        let Some(past) = &self.past else { return Ok(()) };
        let commit = past.git.commit().id.short();
        Err(Error::refused(
            "past",
            format!("the vault is open as of commit {commit}, which cannot be changed"),
        ))
    }
}

impl Past {
    fn of(git: git::Past, index: &Path, settings: &Settings) -> Self {
        // What is indexed depends on the commit and on how its notes are read.
        let read = format!("{:?}", (&settings.types, &settings.relations, settings.texts("vault.exclude")));
        let name = format!("{}-{}", git.commit().id, &blake3::hash(read.as_bytes()).to_hex()[..8]);
        Self { git, kept: Index::open(&index.join("past").join(name)), passing: OnceCell::new() }
    }

    /// The index of this past.
    pub(super) fn index(&self) -> &Index {
        self.passing.get().unwrap_or(&self.kept)
    }

    /// Whether its index is to be kept for others.
    pub(super) fn is_kept(&self) -> bool {
        self.passing.get().is_none()
    }

    /// Goes on with an index for this call alone; where there is no room for one either, with the error.
    pub(super) fn keep_nothing(&self, error: cm_index::Error) -> Result<()> {
        let Ok(passing) = Index::passing() else { return Err(error.into()) };
        self.passing.get_or_init(|| passing);
        Ok(())
    }

    /// Before its index is used: lets old pasts go, and keeps others from letting this one go.
    pub(super) fn hold(&self) {
        self.index().hold_among(KEPT);
    }

    /// Tells what git could not read.
    pub(super) fn tell(&self, memory: &Memory, refreshed: &Refreshed) {
        if let [first, rest @ ..] = refreshed.findings.as_slice() {
            let more = if rest.is_empty() { String::new() } else { format!(", and {} more", rest.len()) };
            let commit = self.git.commit().id.short();
            memory.notice(format!("of commit {commit}, {} {}{more}", first.path, first.message));
        }
    }

    pub(super) fn walk(&self, exclude: &[String]) -> Listing {
        let entries = |folder: &str| self.git.entries(folder).map_err(io::Error::other);
        let target = |link: &str| self.git.target(link).unwrap_or(Target::Nowhere);
        walk::walk_recorded(&walk::Recorded { entries: &entries, target: &target }, exclude)
    }

    pub(super) fn read(&self, path: &NotePath) -> io::Result<Vec<u8>> {
        self.git.read(path)
    }

    /// A path as it was typed, where a file lay there then.
    pub(super) fn locate(&self, root: &Path, cwd: &Path, typed: &str) -> Option<NotePath> {
        let from_cwd = within(root, &cwd.join(typed));
        from_cwd.into_iter().chain(NotePath::parse(typed).ok()).find(|path| self.git.holds(path))
    }
}

/// A vault at a commit, with the settings of that commit upon those of the global vault.
fn opened(memory: &Memory, open: &OpenVault, past: git::Past, global: Option<String>) -> Result<OpenVault> {
    let global = global.filter(|_| open.level == Level::Project);
    let settings = layered(global, own_settings(&past)?, &open.vault, &memory.call)?;
    let past = Past::of(past, &open.vault.index(), &settings);
    let mut then = OpenVault::new(open.level, open.vault.clone(), settings);
    then.past = Some(past);
    Ok(then)
}

/// The notes of a vault at a commit, by path: most are as they are now, and only those that differ are read from git.
/// All of them are read by the settings of now, so that they can be compared.
///
/// # Errors
/// Those of [`Memory::notes_of`], or objects that cannot be read.
pub(super) fn notes_at(memory: &Memory, open: &OpenVault, commit: CommitId) -> Result<Vec<Note>> {
    let repo = repository(open)?;
    let Some(past) = repo.past(commit)? else { return Ok(Vec::new()) };
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

/// The path in the vault that leads to the same place, by its words alone: the folders of then may be gone.
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

/// The global vault as it was at an instant, or why it cannot be known.
fn then(open: &OpenVault, at: Instant) -> std::result::Result<git::Past, String> {
    let history = || -> Result<Option<git::Past>> {
        let Some(repo) = open.repo()? else { return Ok(None) };
        let Some(commit) = repo.at_time(at)? else { return Ok(None) };
        Ok(repo.past(commit.id)?)
    };
    match history() {
        Ok(Some(past)) => Ok(past),
        Ok(None) => Err(format!("it has no history of {at}")),
        Err(error) => Err(error.to_string()),
    }
}

fn own_settings(past: &git::Past) -> Result<Option<String>> {
    let Ok(path) = NotePath::parse(layout::SETTINGS) else { return Ok(None) };
    match past.read(&path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(unreadable(past.commit(), "it is no UTF-8")),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(past.commit(), &error.to_string())),
    }
}

fn unreadable(commit: &CommitInfo, why: &str) -> Error {
    let message = format!("{} of commit {} cannot be read: {why}", layout::SETTINGS, commit.id.short());
    Error::new(super::error::Kind::Failed, "io", message)
}

/// What a person calls a commit, or a date: the newest commit that was there then.
///
/// # Errors
/// No repository, neither a commit nor a date, several commits, or a date before the first one.
pub(super) fn moment(open: &OpenVault, named: &str, now: Instant, day: Day) -> Result<Moment> {
    let repo = repository(open)?;
    match repo.resolve(named) {
        Ok(commit) => Ok(Moment { commit, at: repo.commit_info(commit)?.time }),
        Err(git::Error::UnknownRevision { .. }) => {
            let read = if day == Day::Ends { Instant::parse_typed_to_end } else { Instant::parse_typed };
            let neither = format!("`{named}` is neither a commit of this repository nor a date");
            let at = read(named, now).map_err(|_| Error::not_found(neither).hint(NAMES))?;
            match repo.at_time(at)? {
                Some(commit) => Ok(Moment { commit: commit.id, at }),
                None => Err(too_early(repo, at)),
            }
        }
        Err(error) => Err(error.into()),
    }
}

/// How commits and dates are written.
const NAMES: &str =
    "`cm log` lists the commits; a date is 2026-11-01 or 2026-11-01T09:30:00Z, an age 7d or 12h";

fn too_early(repo: &Repo, at: Instant) -> Error {
    let error = Error::not_found(format!("there was no commit yet at {at}"));
    match repo.first_commit() {
        Ok(Some(_)) if repo.is_cut_off() => {
            error.hint("the history was cut off when it was cloned: `git fetch --unshallow` brings the rest")
        }
        Ok(Some(first)) => error.hint(format!("the first one is of {}", first.time)),
        _ => error,
    }
}

/// The same for those who need the commit alone, and begin a day with its first instant.
///
/// # Errors
/// Those of [`moment`].
pub(super) fn revision(memory: &Memory, named: &str) -> Result<CommitId> {
    Ok(moment(memory.target(), named, memory.now(), Day::Begins)?.commit)
}
