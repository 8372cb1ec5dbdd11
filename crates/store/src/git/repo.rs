//! Finding and making the repository that a vault lies in, and what state it is in.
//!
//! What it cannot work with safely (bare, foreign, of an unknown layout) it refuses here, once.

use std::fmt;
use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::bstr::{BString, ByteSlice};

use crate::git::error::{Doing, Error, InPath, Result};
use cm_note::path::NotePath;

/// The repository of one vault, opened.
#[derive(Clone)]
pub struct Repo {
    pub(super) inner: gix::Repository,
    pub(super) workdir: PathBuf,
    pub(super) index: PathBuf,
    /// The vault's folder within the work tree: empty, or with a `/` at its end.
    pub(super) prefix: String,
    /// Whether programs that the repository's own configuration names may run.
    pub(super) programs: Programs,
}

/// Whether programs may run that the repository's own configuration names: hooks, filters, signing, maintenance. An unpacked
/// folder brings a `.git/config` of somebody else along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Programs {
    /// The user trusts the repository.
    Allowed,
    /// Only what the user's and the system's configuration name.
    Denied,
}

/// The name of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CommitId(pub(super) ObjectId);

impl CommitId {
    /// The first ten hex digits, for people.
    pub fn short(&self) -> String {
        self.0.to_hex_with_len(10).to_string()
    }
}

impl fmt::Display for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Where the next commit goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The branch, without `refs/heads/`; `None` where HEAD is detached.
    pub branch: Option<String>,
    /// The newest commit; `None` before the first one.
    pub commit: Option<CommitId>,
}

/// Something that the person has begun with git and not ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// `git merge`.
    Merge,
    /// `git rebase`.
    Rebase,
    /// `git am`.
    Mailbox,
    /// `git cherry-pick`.
    CherryPick,
    /// `git revert`.
    Revert,
    /// `git bisect`.
    Bisect,
}

impl Operation {
    /// The commands that end it.
    pub fn way_out(self) -> &'static str {
        match self {
            Self::Merge => "finish it with `git merge --continue`, or drop it with `git merge --abort`",
            Self::Rebase => "finish it with `git rebase --continue`, or drop it with `git rebase --abort`",
            Self::Mailbox => "finish it with `git am --continue`, or drop it with `git am --abort`",
            Self::CherryPick => {
                "finish it with `git cherry-pick --continue`, or drop it with `git cherry-pick --abort`"
            }
            Self::Revert => "finish it with `git revert --continue`, or drop it with `git revert --abort`",
            Self::Bisect => "end it with `git bisect reset`",
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Merge => "a merge",
            Self::Rebase => "a rebase",
            Self::Mailbox => "`git am`",
            Self::CherryPick => "a cherry-pick",
            Self::Revert => "a revert",
            Self::Bisect => "a bisection",
        })
    }
}

impl Repo {
    /// Opens the repository that this folder lies in, without the programs that its own configuration names; `None` where there is
    /// none.
    pub fn discover(vault_root: &Path) -> Result<Option<Self>> {
        Self::discover_with(vault_root, Programs::Denied)
    }

    /// Like [`Repo::discover`], with those programs where they are allowed.
    pub fn discover_with(vault_root: &Path, programs: Programs) -> Result<Option<Self>> {
        let vault = vault_root.canonicalize().in_path(vault_root)?;
        let options = || {
            let options =
                gix::discover::upwards::Options { match_ceiling_dir_or_error: false, ..Default::default() };
            options.apply_environment()
        };
        let found = match gix::discover::upwards_opts(&vault, options()) {
            Ok((found, _)) => found,
            Err(err) if nothing_found(&err) => return Ok(None),
            Err(err) => return Err(err).doing("looking for a repository", &vault),
        };
        let (git_dir, worktree) = found.into_repository_and_work_tree_directories();
        check_layout(&git_dir)?;
        let mut trust = gix::sec::trust::Mapping::<gix::open::Options>::default();
        if programs == Programs::Denied {
            trust.full = trust.full.filter_config_section(is_not_the_repositorys);
        }
        let mut inner = gix::ThreadSafeRepository::discover_opts(&vault, options(), trust)
            .doing("opening the repository", &git_dir)?
            .to_thread_local();
        // A hook of another repository may have set these for itself; the vault's repository is the one found.
        inner.clear_namespace();
        if std::env::var_os("GIT_WORK_TREE").is_some() {
            inner.set_workdir(worktree).doing("opening the work tree", &git_dir)?;
        }
        Ok(Some(Self { programs, ..Self::take(inner, &vault)? }))
    }

    /// Refuses to write where the repository's own configuration runs a program over files and that is not allowed: without the
    /// program something else would be stored than the repository asks for.
    pub(super) fn without_denied_filters(&self) -> Result<()> {
        if self.programs == Programs::Allowed {
            return Ok(());
        }
        let config = self.inner.config_snapshot();
        let own = |meta: &gix::config::file::Metadata| !is_not_the_repositorys(meta);
        let mut filters = config.sections_by_name_and_filter("filter", own).into_iter().flatten();
        let found = filters.find(|section| {
            section
                .value_names()
                .any(|name| matches!(name.to_ascii_lowercase().as_str(), "clean" | "process"))
        });
        match found {
            None => Ok(()),
            Some(section) => Err(Error::UntrustedFilter {
                git_dir: self.git_dir().to_owned(),
                name: section.header().subsection_name().map(ToString::to_string).unwrap_or_default(),
            }),
        }
    }

    /// Makes a repository of this folder, on the branch of `init.defaultBranch` or else `main`, and opens it.
    pub fn init(path: &Path) -> Result<Self> {
        gix::ThreadSafeRepository::init(path, gix::create::Kind::WithWorktree, Default::default())
            .doing("making a repository", path)?;
        match Self::discover(path)? {
            Some(repo) => Ok(repo),
            None => Err(Error::Unsupported {
                git_dir: path.join(".git"),
                name: "GIT_CEILING_DIRECTORIES".to_owned(),
                value: path.display().to_string(),
            }),
        }
    }

    pub(super) fn take(mut inner: gix::Repository, vault: &Path) -> Result<Self> {
        let git_dir = inner.git_dir().to_owned();
        let Some(workdir) = inner.workdir().map(Path::to_owned) else { return Err(Error::Bare { git_dir }) };
        if inner.git_dir_trust() != gix::sec::Trust::Full {
            return Err(Error::ForeignOwner { git_dir, workdir });
        }
        let workdir = workdir.canonicalize().in_path(&workdir)?;
        if !belongs_to(&inner, &workdir) {
            return Err(Error::OtherWorkTree { git_dir, workdir });
        }
        let Ok(inside) = vault.strip_prefix(&workdir) else { return Err(Error::Bare { git_dir }) };
        let inside = gix::path::into_bstr(inside).doing("reading the vault's path", &git_dir)?;
        let mut prefix = gix::path::to_unix_separators_on_windows(inside)
            .to_str()
            .map_err(std::io::Error::other)
            .in_path(vault)?
            .to_owned();
        if !prefix.is_empty() {
            prefix.push('/');
        }
        inner.object_cache_size_if_unset(4 << 20);
        // Not `index_path()`: a `GIT_INDEX_FILE` in the environment is another repository's.
        let index = git_dir.join("index");
        Ok(Self { inner, workdir, index, prefix, programs: Programs::Allowed })
    }

    /// Whether the vault is the whole work tree, not a folder inside somebody's repository.
    pub fn is_own(&self) -> bool {
        self.prefix.is_empty()
    }

    /// The root of the work tree.
    pub fn workdir(&self) -> &Path {
        &self.workdir
    }

    /// The repository's own folder, of this work tree where there are several.
    pub fn git_dir(&self) -> &Path {
        self.inner.git_dir()
    }

    /// What the person has begun and not ended.
    pub fn state(&self) -> Option<Operation> {
        use gix::state::InProgress;
        Some(match self.inner.state()? {
            InProgress::Merge => Operation::Merge,
            InProgress::Rebase | InProgress::RebaseInteractive => Operation::Rebase,
            InProgress::ApplyMailbox | InProgress::ApplyMailboxRebase => Operation::Mailbox,
            InProgress::CherryPick | InProgress::CherryPickSequence => Operation::CherryPick,
            InProgress::Revert | InProgress::RevertSequence => Operation::Revert,
            InProgress::Bisect => Operation::Bisect,
        })
    }

    /// The URL of `origin`, or of the first remote by name; `None` where there is none.
    pub fn remote(&self) -> Option<String> {
        // Read as text: nothing of a remote is used, so that it need not be trusted.
        let config = self.inner.config_snapshot();
        let mut remotes: Vec<(String, String)> = config
            .sections_by_name("remote")
            .into_iter()
            .flatten()
            .filter_map(|section| {
                let name = section.header().subsection_name()?.to_string();
                Some((name, section.value("url")?.to_string()))
            })
            .collect();
        remotes.sort_by_key(|(name, _)| (name != "origin", name.clone()));
        remotes.into_iter().next().map(|(_, url)| url)
    }

    /// Where the next commit goes.
    pub fn head(&self) -> Result<Head> {
        let head = self.inner.head().doing("reading HEAD", self.git_dir())?;
        let branch = match head.is_detached() {
            true => None,
            false => head.referent_name().map(|name| name.shorten().to_string()),
        };
        Ok(Head { branch, commit: self.head_id()?.map(CommitId) })
    }

    /// The commit that HEAD leads to.
    pub(super) fn head_id(&self) -> Result<Option<ObjectId>> {
        let head = self.inner.head().doing("reading HEAD", self.git_dir())?;
        Ok(head.try_into_peeled_id().doing("reading HEAD", self.git_dir())?.map(gix::Id::detach))
    }

    /// The path of a note from the root of the work tree.
    pub(super) fn place(&self, path: &NotePath) -> BString {
        format!("{}{path}", self.prefix).into()
    }

    /// The note at this path of the work tree, where it is one of the vault.
    pub(super) fn note_path(&self, place: &[u8]) -> Option<NotePath> {
        NotePath::parse(place.to_str().ok()?.strip_prefix(&self.prefix)?).ok()
    }

    /// The file of a note.
    pub(super) fn file(&self, path: &NotePath) -> PathBuf {
        let mut file = self.workdir.join(&self.prefix);
        file.push(path.as_str());
        file
    }
}

impl fmt::Debug for Repo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Repo").field("git_dir", &self.git_dir()).field("prefix", &self.prefix).finish()
    }
}

/// Whether a repository knows the work tree that names it. An unpacked folder may bring a `.git` file that names any repository of
/// the user, which would then take its notes.
fn belongs_to(repo: &gix::Repository, workdir: &Path) -> bool {
    let same = |path: &Path| path.canonicalize().is_ok_and(|path| path == workdir);
    let git_dir = repo.git_dir();
    if git_dir.parent().is_some_and(same) {
        return true;
    }
    // A linked work tree is named by a file of its own; a submodule, or a folder made with `--separate-git-dir`, by the
    // configuration. Where the environment names the work tree, the user does.
    let linked = gix::discover::path::from_plain_file(&git_dir.join("gitdir"));
    let linked =
        linked.and_then(Result::ok).and_then(|file| file.parent().map(|folder| git_dir.join(folder)));
    let named = repo.config_snapshot().string("core.worktree");
    let named = named.and_then(|path| Some(git_dir.join(gix::path::from_bstr(path.as_bstr()).ok()?)));
    let by_environment = std::env::var_os("GIT_WORK_TREE").is_some() || std::env::var_os("GIT_DIR").is_some();
    linked.is_some_and(|path| same(&path)) || named.is_some_and(|path| same(&path)) || by_environment
}

/// Whether a section of the configuration is the user's or the system's, and not the repository's own.
fn is_not_the_repositorys(meta: &gix::config::file::Metadata) -> bool {
    meta.source.kind() != gix::config::source::Kind::Repository
}

fn nothing_found(err: &gix::Error) -> bool {
    use gix::discover::upwards::Error as Missing;
    matches!(
        err.downcast_any_ref::<Missing>(),
        Some(
            Missing::NoGitRepository { .. }
                | Missing::NoGitRepositoryWithinCeiling { .. }
                | Missing::NoGitRepositoryWithinFs { .. }
        )
    )
}

/// gix reads some layouts wrongly or fails with words that lead astray; this reads the configuration first.
fn check_layout(git_dir: &Path) -> Result<()> {
    let shared = gix::discover::path::from_plain_file(&git_dir.join("commondir"));
    let common = match shared {
        Some(shared) => git_dir.join(shared.in_path(&git_dir.join("commondir"))?),
        None => git_dir.to_owned(),
    };
    let path = common.join("config");
    if !path.is_file() {
        return Ok(());
    }
    let config = gix::config::File::from_path_no_includes(path, gix::config::Source::Local)
        .doing("reading the configuration", git_dir)?;
    let unsupported =
        |name: String, value: String| Err(Error::Unsupported { git_dir: git_dir.to_owned(), name, value });
    let version = config.string("core.repositoryFormatVersion").unwrap_or_else(|| "0".into()).to_string();
    if !matches!(version.as_str(), "0" | "1") {
        return unsupported("core.repositoryFormatVersion".to_owned(), version);
    }
    for section in config.sections_by_name("extensions").into_iter().flatten() {
        for name in section.value_names() {
            let value = section.value(name.to_string().as_str()).unwrap_or_default().to_string();
            let (known, written) = match name.to_string().to_ascii_lowercase().as_str() {
                "refstorage" => (value == "files", "refStorage".to_owned()),
                "objectformat" => (matches!(value.as_str(), "sha1" | "sha256"), name.to_string()),
                "noop" | "noop-v1" | "preciousobjects" | "partialclone" | "worktreeconfig"
                | "relativeworktrees" => (true, name.to_string()),
                // Version 0 has git ignore what it does not know.
                _ => (version == "0", name.to_string()),
            };
            if !known {
                return unsupported(format!("extensions.{written}"), value);
            }
        }
    }
    Ok(())
}
