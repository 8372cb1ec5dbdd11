//! Where a vault is synchronized: branch, remote and the branch there, and the states of a repository
//! in which that cannot be done safely.

use super::Options;
use crate::error::{Error, Result};
use cm_store::git::{self, CommitId, Repo};
use cm_text::plural::count;

/// Maximum number of paths that a message names.
const MAX_PATHS: usize = 5;
/// Maximum number of branches that a message names.
const MAX_BRANCHES: usize = 5;

/// A branch and its counterpart on a remote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyncTarget {
    pub remote: String,
    /// Branch on the remote.
    pub branch: String,
    /// The local branch. Jujutsu detaches HEAD from it, so that it has to be moved after HEAD.
    pub local: String,
}

impl SyncTarget {
    /// Selects the remote and the branch of a repository that can be synchronized.
    ///
    /// # Errors
    /// `in-progress`, `shallow` or `detached` if the repository is in such a state; `no-remote` if
    /// there is no remote, or several without a choice.
    pub fn of(repo: &Repo, options: &Options) -> Result<Self> {
        if let Some(operation) = repo.state() {
            return Err(git::Error::InProgress { workdir: repo.workdir().to_owned(), operation }.into());
        }
        if repo.is_shallow() {
            return Err(Error::refused("shallow", "this is a shallow clone, which lacks the common history")
                .hint("`git fetch --unshallow` gets the rest"));
        }
        Self::selected(repo, options)
    }

    /// Selects the remote and the branch, also while a merge is in progress.
    ///
    /// # Errors
    /// `detached` and `no-remote` as [`SyncTarget::of`].
    pub fn selected(repo: &Repo, options: &Options) -> Result<Self> {
        let local = match repo.head()?.branch {
            Some(branch) => branch,
            None if repo.is_jujutsu() => bookmark(repo, options)?,
            None => {
                return Err(detached(repo.count_unreferenced_commits()?));
            }
        };
        let (followed, upstream) = repo.upstream(&local);
        let remotes = repo.remotes();
        let is_remote = |name: &String| remotes.iter().any(|remote| remote.name == *name);
        let remote = match &options.remote {
            Some(remote_name) if is_remote(remote_name) => remote_name.clone(),
            Some(remote_name) => {
                return Err(Error::refused("no-remote", format!("there is no remote `{remote_name}`"))
                    .hint("`git remote -v` lists the remotes"));
            }
            None => {
                let first = remotes.first().filter(|first| first.name == "origin" || remotes.len() == 1);
                followed.clone().filter(is_remote).or(first.map(|first| first.name.clone())).ok_or_else(
                    || match remotes.is_empty() {
                        true => Error::refused("no-remote", "the repository has no remote")
                            .hint("`git remote add origin URL` adds one"),
                        false => Error::refused("no-remote", "the repository has several remotes")
                            .hint("name one with `--remote`"),
                    },
                )?
            }
        };
        let upstream = upstream.filter(|_| followed.as_ref() == Some(&remote));
        let branch = options.branch.clone().or(upstream).unwrap_or_else(|| local.clone());
        Ok(Self { remote, branch, local })
    }

    /// Moves a bookmark of Jujutsu to HEAD, as Git moves a branch that is checked out. One that has
    /// commits of its own stays.
    pub(super) fn move_bookmark(&self, repo: &Repo) -> Result<()> {
        let head = repo.head()?;
        let name = format!("refs/heads/{}", self.local);
        if let (None, Some(head), Some(old)) = (head.branch, head.commit, repo.reference(&name)?)
            && repo.contains(head, old)?
        {
            repo.set_reference(&name, head)?;
        }
        Ok(())
    }

    /// Lets the branch follow its counterpart, as `git push -u` does, if it follows none and the request
    /// names none. Only Git uses this setting, so errors are ignored.
    pub(super) fn follow(&self, repo: &Repo, options: &Options) {
        if options.remote.is_none() && options.branch.is_none() && !repo.is_jujutsu() {
            let _ = repo.follow(&self.local, &self.remote, &self.branch);
        }
    }

    /// Name of the reference to the commit at which both sides last agreed.
    pub fn synced_reference(&self) -> String {
        format!("refs/cm/synced/{}/{}", self.remote, self.branch)
    }

    /// Returns our newest commit if the remote branch no longer has the commits at which both sides last
    /// agreed. `None` if it has them, or if the user has taken over its new history.
    pub(crate) fn abandoned_head(&self, repo: &Repo, theirs: CommitId) -> Result<Option<CommitId>> {
        let Some(agreed) = repo.reference(&self.synced_reference())? else { return Ok(None) };
        if repo.contains(theirs, agreed)? {
            return Ok(None);
        }
        let head = repo.head()?.commit;
        Ok(head.filter(|head| repo.contains(*head, theirs).is_ok_and(|contained| !contained)))
    }

    /// Refuses a remote branch whose history was rewritten. Our side is then kept under `refs/cm/rescue/`.
    pub(super) fn refuse_rewritten(&self, repo: &Repo, theirs: CommitId) -> Result<()> {
        let Some(head) = self.abandoned_head(repo, theirs)? else { return Ok(()) };
        let rescue = format!("refs/cm/rescue/{}-{}", self.branch, head.short());
        repo.set_reference(&rescue, head)?;
        let message = format!("the history of {}/{} was rewritten", self.remote, self.branch);
        let hint = format!(
            "your side is kept as {rescue}; if the new history is right, `git reset --hard {id}` takes it, and `git merge --allow-unrelated-histories {id}` joins both",
            id = theirs.short()
        );
        Err(Error::refused("rewritten", message).hint(hint))
    }

    /// Refuses to create the branch on a remote that has only `others`, with their newest commits, unless it is a new
    /// branch of the same history: one that was renamed or removed there would come back, and an unrelated one would
    /// divide the vault.
    pub(super) fn refuse_new_branch(
        &self,
        repo: &Repo,
        head: CommitId,
        others: &[(String, CommitId)],
        options: &Options,
    ) -> Result<()> {
        let Some((first, _)) = others.first() else { return Ok(()) };
        let Self { remote, branch, local } = self;
        let names: Vec<&str> = others.iter().map(|(name, _)| name.as_str()).take(MAX_BRANCHES).collect();
        let names = names.join(", ");
        let create = format!("`git push {remote} HEAD:refs/heads/{branch}` creates it");
        if options.branch.is_some() {
            return Err(
                Error::not_found(format!("{remote} has no branch `{branch}`; it has {names}")).hint(create)
            );
        }
        if repo.reference(&self.synced_reference())?.is_some() {
            let message = format!("{remote} no longer has the branch `{branch}`; it has {names}");
            return Err(Error::refused("gone", message).hint(format!(
                "if it was renamed to `{first}`, `git branch -m {local} {first}` and `git branch --unset-upstream` follow it; {create} again"
            )));
        }
        let tips: Vec<CommitId> = others.iter().map(|(_, tip)| *tip).collect();
        if repo.is_related(head, remote, &tips)? {
            return Ok(());
        }
        let message =
            format!("{remote} has no branch `{branch}`, and this branch shares no history with {names}");
        Err(Error::refused("unrelated", message).hint(format!(
            "check the URL with `git remote -v`; `git branch -m {local} {first}` names this branch like the other one, and `cm sync` then says how to join both; {create} beside it"
        )))
    }

    /// Whether one of two sides changed files outside of the vault since their common ancestor.
    pub(crate) fn changes_outside(&self, repo: &Repo, ours: CommitId, theirs: CommitId) -> Result<bool> {
        if repo.is_own() {
            return Ok(false);
        }
        let base = repo.merge_bases(ours, theirs)?.first().copied();
        let changes = |tip| Result::Ok(!repo.foreign_paths(base, tip)?.outside.is_empty());
        Ok(changes(ours)? || changes(theirs)?)
    }

    /// Refuses commits that change files outside of the vault: publishing code or taking it over is the
    /// person's own act.
    pub(super) fn refuse_outside(&self, repo: &Repo, base: Option<CommitId>, tip: CommitId) -> Result<()> {
        if repo.is_own() {
            return Ok(());
        }
        let outside = repo.foreign_paths(base, tip)?.outside;
        if outside.is_empty() {
            return Ok(());
        }
        let shown_paths: Vec<&str> = outside.iter().take(MAX_PATHS).map(String::as_str).collect();
        let more = match outside.len().saturating_sub(MAX_PATHS) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let message =
            format!("the commits also change files outside the vault: {}{more}", shown_paths.join(", "));
        Err(Error::refused("outside-vault", message)
            .hint("use `git pull` and `git push`, which merge notes as cm does where the merge driver is registered"))
    }
}

/// `count`: number of commits that no branch has, and that a switch to another branch would leave behind.
fn detached(count: usize) -> Error {
    match count {
        0 => Error::refused("detached", "HEAD is not on a branch")
            .hint("`git switch main` returns to a branch, `git switch -c NAME` makes one here"),
        _ => Error::refused("detached", format!("HEAD is not on a branch, and {}", on_no_branch(count)))
            .hint(KEEP_COMMITS),
    }
}

/// How commits of a detached HEAD come to a branch.
pub(crate) const KEEP_COMMITS: &str = "`git switch -c NAME` makes a branch of them before anything else; then `git switch main` and `git merge NAME` take them over";

/// Formats a number of commits that no branch has, as a clause.
pub(crate) fn on_no_branch(commits: usize) -> String {
    let verb = if commits == 1 { "is" } else { "are" };
    format!("{} {verb} on no branch", count(commits, "commit"))
}

/// Selects the bookmark of Jujutsu that HEAD builds on.
fn bookmark(repo: &Repo, options: &Options) -> Result<String> {
    if let Some(branch) = &options.branch {
        return Ok(branch.clone());
    }
    let mut names = repo.branches_below_head()?;
    match names.pop() {
        Some(only) if names.is_empty() => Ok(only),
        None => Err(Error::refused("detached", "the working copy builds on no bookmark")
            .hint("`jj bookmark create main -r @-` makes one; `--branch NAME` names one of the remote")),
        Some(last) => {
            let message =
                format!("the working copy builds on several bookmarks: {}, {last}", names.join(", "));
            Err(Error::refused("detached", message).hint("name one with `--branch`"))
        }
    }
}
