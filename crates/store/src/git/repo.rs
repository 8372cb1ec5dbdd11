//! Discovers and creates the repository of a vault, and reports its state.
//!
//! Repositories that cannot be used safely (bare, owned by another user, or of an unknown format)
//! are rejected on opening.

use std::fmt;
use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::bstr::{BString, ByteSlice};

use crate::git::error::{Doing, Error, InPath, Result};
use cm_note::path::NotePath;

/// The opened repository of a vault.
#[derive(Clone)]
pub struct Repo {
    pub(super) inner: gix::Repository,
    pub(super) workdir: PathBuf,
    pub(super) index: PathBuf,
    /// Path of the vault within the work tree: empty, or with a trailing `/`.
    pub(super) prefix: String,
    /// Whether programs in the repository's own configuration may run.
    pub(super) programs: Programs,
}

/// Whether programs in the repository's own configuration may run: hooks, filters, signing,
/// maintenance. An unpacked archive may contain a `.git/config` written by someone else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Programs {
    /// The user trusts the repository.
    Allowed,
    /// Only programs in the user's and the system's configuration may run.
    Denied,
}

/// Size in bytes of the cache of [`Repo::for_walks`].
const WALK_CACHE_BYTES: usize = 32 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CommitId(pub(super) ObjectId);

impl CommitId {
    /// Parses a complete id in hex.
    pub fn parse(hex: &str) -> Option<Self> {
        ObjectId::from_hex(hex.as_bytes()).ok().map(Self)
    }

    /// Returns the first ten hex digits, for display.
    pub fn short(&self) -> String {
        self.0.to_hex_with_len(10).to_string()
    }
}

impl fmt::Display for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// The current HEAD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepoHead {
    /// Branch name without `refs/heads/`; `None` if HEAD is detached.
    pub branch: Option<String>,
    /// Newest commit; `None` if there is no commit yet.
    pub commit: Option<CommitId>,
}

/// An unfinished Git operation of the user.
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
    /// A conflict that Jujutsu stored in the commit of HEAD.
    StoredConflict,
    /// A working copy of Jujutsu with several parents; HEAD is the first of them.
    JujutsuMerge,
}

impl Operation {
    /// Returns the commands that finish or abort the operation.
    pub fn remedy(self) -> &'static str {
        match self {
            Self::Merge => "finish it with `git merge --continue` or abort it with `git merge --abort`",
            Self::Rebase => "finish it with `git rebase --continue` or abort it with `git rebase --abort`",
            Self::Mailbox => "finish it with `git am --continue` or abort it with `git am --abort`",
            Self::CherryPick => {
                "finish it with `git cherry-pick --continue` or abort it with `git cherry-pick --abort`"
            }
            Self::Revert => "finish it with `git revert --continue` or abort it with `git revert --abort`",
            Self::Bisect => "end it with `git bisect reset`",
            Self::StoredConflict => {
                "resolve it with `jj resolve -r @-`, or start from another commit with `jj new COMMIT`"
            }
            Self::JujutsuMerge => "run `jj new`, which goes on from the merge",
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
            Self::StoredConflict => "the resolution of a conflict of Jujutsu",
            Self::JujutsuMerge => "a merge of Jujutsu",
        })
    }
}

impl Repo {
    /// Opens the repository around this folder, without running programs of its own configuration.
    /// Returns `None` if there is no repository.
    pub fn discover(vault_root: &Path) -> Result<Option<Self>> {
        Self::discover_with(vault_root, Programs::Denied)
    }

    /// Like [`Repo::discover`], with a choice whether programs of the repository's configuration
    /// may run.
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

    /// Refuses to write if the repository's own configuration defines a filter program that may not
    /// run. Without the filter, the stored content would be wrong.
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

    /// Creates a repository in this folder, on the branch `init.defaultBranch` or `main`, and opens
    /// it.
    pub fn init(path: &Path) -> Result<Self> {
        gix::ThreadSafeRepository::init(path, gix::create::Kind::WithWorktree, Default::default())
            .doing("creating a repository", path)?;
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

    /// Returns a handle that caches the bases of packed objects. Versions of one folder are stored as
    /// differences to each other, so that walks over the history read each base many times.
    pub fn for_walks(&self) -> Self {
        let mut repo = self.clone();
        let cache = || Box::new(gix::odb::pack::cache::lru::MemoryCappedHashmap::new(WALK_CACHE_BYTES));
        repo.inner.objects.set_pack_cache(move || cache());
        // A walk reads each object once, so that copies of whole objects would only cost time.
        repo.inner.object_cache_size(None);
        repo
    }

    /// Whether the vault is the whole work tree and not a folder within it.
    pub fn is_own(&self) -> bool {
        self.prefix.is_empty()
    }

    pub fn workdir(&self) -> &Path {
        &self.workdir
    }

    /// Returns the repository's folder; for a linked work tree its private one.
    pub fn git_dir(&self) -> &Path {
        self.inner.git_dir()
    }

    /// Returns the unfinished operation of the user, if there is one.
    pub fn state(&self) -> Option<Operation> {
        use gix::state::InProgress;
        let Some(state) = self.inner.state() else {
            return self.has_stored_conflict().then_some(Operation::StoredConflict);
        };
        Some(match state {
            InProgress::Merge => Operation::Merge,
            InProgress::Rebase | InProgress::RebaseInteractive => Operation::Rebase,
            InProgress::ApplyMailbox | InProgress::ApplyMailboxRebase => Operation::Mailbox,
            InProgress::CherryPick | InProgress::CherryPickSequence => Operation::CherryPick,
            InProgress::Revert | InProgress::RevertSequence => Operation::Revert,
            InProgress::Bisect => Operation::Bisect,
        })
    }

    /// Returns the URL of `origin`, or of the first remote by name. `None` if there are no remotes.
    pub fn remote(&self) -> Option<String> {
        self.remotes().into_iter().next().map(|remote| remote.url)
    }

    /// Returns the current branch and commit.
    pub fn head(&self) -> Result<RepoHead> {
        let head = self.inner.head().doing("reading HEAD", self.git_dir())?;
        let branch = match head.is_detached() {
            true => None,
            // Jujutsu lets HEAD refer to `refs/jj/root` until there is a commit.
            false => head
                .referent_name()
                .and_then(|name| Some(name.as_bstr().to_str_lossy().strip_prefix("refs/heads/")?.to_owned())),
        };
        Ok(RepoHead { branch, commit: self.head_id()?.map(CommitId) })
    }

    /// Returns the commit that HEAD refers to.
    pub(super) fn head_id(&self) -> Result<Option<ObjectId>> {
        let head = self.inner.head().doing("reading HEAD", self.git_dir())?;
        Ok(head.try_into_peeled_id().doing("reading HEAD", self.git_dir())?.map(gix::Id::detach))
    }

    /// Converts a note's path to a path from the root of the work tree.
    pub(super) fn place(&self, path: &NotePath) -> BString {
        format!("{}{path}", self.prefix).into()
    }

    /// Converts a path from the root of the work tree to a note's path, if it is in the vault.
    pub(super) fn note_path(&self, place: &[u8]) -> Option<NotePath> {
        NotePath::parse(place.to_str().ok()?.strip_prefix(&self.prefix)?).ok()
    }

    /// Returns the absolute path of a note's file.
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

/// Whether the repository refers back to the work tree. An unpacked archive may contain a `.git`
/// file that names any repository of the user, which would then receive its notes.
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
    let configured_worktree = repo.config_snapshot().string("core.worktree");
    let configured_worktree =
        configured_worktree.and_then(|path| Some(git_dir.join(gix::path::from_bstr(path.as_bstr()).ok()?)));
    let by_environment = std::env::var_os("GIT_WORK_TREE").is_some() || std::env::var_os("GIT_DIR").is_some();
    linked.is_some_and(|path| same(&path))
        || configured_worktree.is_some_and(|path| same(&path))
        || by_environment
}

/// Whether a configuration section comes from the user or the system instead of the repository.
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

/// Checks the configuration for formats that gix misreads or reports unclearly.
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
            let (is_supported, written) = match name.to_string().to_ascii_lowercase().as_str() {
                "refstorage" => (value == "files", "refStorage".to_owned()),
                "objectformat" => (matches!(value.as_str(), "sha1" | "sha256"), name.to_string()),
                "noop" | "noop-v1" | "preciousobjects" | "partialclone" | "worktreeconfig"
                | "relativeworktrees" => (true, name.to_string()),
                // Version 0 has git ignore what it does not know.
                _ => (version == "0", name.to_string()),
            };
            if !is_supported {
                return unsupported(format!("extensions.{written}"), value);
            }
        }
    }
    Ok(())
}
