//! Jujutsu repositories that share their work tree with Git: HEAD is detached there, branches are
//! bookmarks, and manual edits are in a working-copy commit on top of HEAD.

use std::collections::HashMap;
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use gix::ObjectId;
use gix::actor::Signature;

use crate::file_lock;
use crate::git::commit::{CommitAttempt, NewCommit};
use crate::git::error::{Doing, Error, InPath, Result};
use crate::git::hooks::without_git_variables;
use crate::git::merge_driver::MergeDriver;
use crate::git::plan::CommitPlan;
use crate::git::repo::{CommitId, Operation, Programs, Repo};

const PROGRAM: &str = "jj";
/// Settings of the merge tool.
const TOOL: &str = "merge-tools.cm";
/// Arguments of the merge tool, in which Jujutsu puts the names of files.
const ARGUMENTS: &str = r#"["merge-driver", "--output", "$output", "$base", "$left", "$right", "$path"]"#;
/// Folder of a Jujutsu workspace at the root of its work tree.
const FOLDER: &str = ".jj";
/// Header of a commit in which Jujutsu stored a conflict: the trees of its sides.
const CONFLICT: &str = "jj:trees";
/// Reference by which Jujutsu gets to know a commit, for the time of one command.
const IMPORTED: &str = "refs/remotes/cm/sync";
/// Maximum time to wait for a command of Jujutsu that another process runs.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum number of bytes of the paths on a command line.
const MAX_ARGUMENT_BYTES: usize = 100_000;

/// Whether a folder is in a Jujutsu workspace that has no Git repository in its work tree.
pub fn is_jujutsu_only(folder: &Path) -> bool {
    // The folder itself may not exist yet.
    let existing = folder.ancestors().find_map(|folder| folder.canonicalize().ok());
    let has = |folder: &Path, name: &str| folder.join(name).exists();
    existing.is_some_and(|existing| {
        let repository = existing.ancestors().find(|folder| has(folder, FOLDER) || has(folder, ".git"));
        repository.is_some_and(|repository| !has(repository, ".git"))
    })
}

impl Repo {
    /// Whether Jujutsu manages the work tree, too.
    pub fn is_jujutsu(&self) -> bool {
        self.workdir.join(FOLDER).is_dir()
    }

    /// Returns the branches on which a detached HEAD builds: the nearest one, and others beside it. If
    /// HEAD builds on none, and there is only one branch, returns that one.
    ///
    /// # Errors
    /// The references or commits cannot be read.
    pub fn branches_below_head(&self) -> Result<Vec<String>> {
        const DOING: &str = "reading the branches";
        let mut branches: HashMap<ObjectId, Vec<String>> = HashMap::new();
        let references = self.inner.references().doing(DOING, self.git_dir())?;
        for found in references.local_branches().doing(DOING, self.git_dir())? {
            let mut found = found.map_err(std::io::Error::other).in_path(self.git_dir())?;
            let id = found.peel_to_id().doing(DOING, self.git_dir())?.detach();
            branches.entry(id).or_default().push(found.name().shorten().to_string());
        }
        let Some(head) = self.head_id()? else { return Ok(Vec::new()) };
        let (mut names, mut nearest) = (Vec::new(), None);
        // The second walk finds branches that are not below the nearest one.
        for _ in 0..2 {
            for id in self.walk(head, nearest, None)? {
                let id = id?;
                let Some(found) = branches.get(&id) else { continue };
                names.extend(found.iter().cloned());
                if nearest.is_none() {
                    nearest = Some(id);
                    break;
                }
            }
        }
        if names.is_empty() {
            let all: Vec<String> = branches.into_values().flatten().collect();
            names.extend(<[String; 1]>::try_from(all).into_iter().flatten());
        }
        names.sort();
        Ok(names)
    }

    /// Whether HEAD is a commit in which Jujutsu stored a conflict. Its tree has the sides of the
    /// conflict as folders, which another commit on top would keep as ordinary files.
    pub(super) fn has_stored_conflict(&self) -> bool {
        let header = |id: ObjectId| {
            let commit = self.inner.find_commit(id).ok()?;
            let commit = commit.decode().ok()?;
            commit.extra_headers().find(CONFLICT).map(|_| ())
        };
        self.is_jujutsu() && self.head_id().ok().flatten().and_then(header).is_some()
    }

    /// Whether Jujutsu's working-copy commit has changes, a description or a bookmark, so that Jujutsu would keep it
    /// beside the new HEAD if HEAD moved without it. An empty one is replaced.
    ///
    /// # Errors
    /// [`Error::InProgress`] if it has several parents: Jujutsu would forget the others.
    pub(super) fn has_jujutsu_edits(&self) -> Result<bool> {
        const KIND: &str = r#"if(parents.len() > 1, "merge", if(empty && !description && !local_bookmarks, "empty", "edits"))"#;
        let kind = self.ask_jujutsu(&["log", "--no-graph", "--revisions=@", "--template", KIND]);
        match kind.as_deref() {
            Some("merge") => {
                Err(Error::InProgress { workdir: self.workdir.clone(), operation: Operation::JujutsuMerge })
            }
            kind => Ok(kind == Some("edits")),
        }
    }

    /// Returns whether `jj resolve --tool cm` runs this program. `None` if Jujutsu does not manage the
    /// work tree, does not answer, or may not run.
    pub fn jujutsu_merge_tool(&self, program: &Path) -> Option<MergeDriver> {
        let settings: toml::Table = self.ask_jujutsu(&["config", "list", TOOL])?.parse().ok()?;
        let tool = settings.get("merge-tools").and_then(|tools| tools.get("cm"));
        let has_arguments = tool.is_some_and(|tool| tool.get("merge-args").is_some());
        let tool_program = tool.and_then(|tool| tool.get("program")?.as_str());
        Some(match tool_program {
            _ if !has_arguments => MergeDriver::Missing,
            Some(other) if Path::new(other) != program => MergeDriver::Other(other.to_owned()),
            // Without a program, Jujutsu looks for `cm` on the `PATH`.
            _ => MergeDriver::Registered,
        })
    }

    /// Registers this program as the merge tool `cm` in the settings that Jujutsu has for the
    /// repository. Returns whether they changed.
    ///
    /// # Errors
    /// [`Error::Program`].
    pub fn register_jujutsu_merge_tool(&self, program: &Path) -> Result<bool> {
        if matches!(self.jujutsu_merge_tool(program), None | Some(MergeDriver::Registered)) {
            return Ok(false);
        }
        let program = toml::Value::from(program.display().to_string()).to_string();
        let settings =
            [("program", program.as_str()), ("merge-args", ARGUMENTS), ("merge-conflict-exit-codes", "[1]")];
        for (key, value) in settings {
            let mut command = self.jujutsu();
            command.args(["config", "set", "--repo", &format!("{TOOL}.{key}"), value]);
            let ended = command.output().in_path(Path::new(PROGRAM))?;
            if !ended.status.success() {
                return Err(Error::program("jj config set", &ended));
            }
        }
        Ok(true)
    }

    /// Returns what Jujutsu prints. `None` if it fails, does not manage the work tree, or may not run.
    fn ask_jujutsu(&self, arguments: &[&str]) -> Option<String> {
        if !self.is_jujutsu() || self.programs == Programs::Denied {
            return None;
        }
        // Imports nothing from Git and records no edits.
        let answer = self.jujutsu().arg("--ignore-working-copy").args(arguments).output().ok()?;
        answer.status.success().then(|| String::from_utf8_lossy(&answer.stdout).into_owned())
    }

    /// Lets Jujutsu make the commit between HEAD and its working-copy commit, which keeps its
    /// description and other changes. Returns `None` if Jujutsu did not make it.
    pub(super) fn commit_with_jujutsu(
        &self,
        plan: &CommitPlan<'_>,
        author: &Signature,
    ) -> Result<Option<CommitAttempt>> {
        // Jujutsu commits whole files.
        if let Some(path) = plan.partial() {
            return Ok(Some(CommitAttempt::Whole(path.clone())));
        }
        let paths: Vec<String> = plan.places().map(|place| fileset(&place.to_string())).collect();
        if paths.iter().map(String::len).sum::<usize>() > MAX_ARGUMENT_BYTES {
            return Ok(None);
        }
        let lock = JujutsuLock::take(self)?;
        if self.head_id()? != plan.parent {
            return Ok(Some(CommitAttempt::Again(None)));
        }
        let mut command = lock.jujutsu(self)?;
        command.args(["split", "--insert-before=@", &format!("--message={}", plan.message), "--"]);
        command.args(paths);
        let ended = command.output().in_path(Path::new(PROGRAM))?;
        self.abandon_empty_head(plan, &lock)?;
        let Some(head) = self.head_id()?.filter(|head| Some(*head) != plan.parent) else {
            return Ok(None);
        };
        if self.tree_of(head)? != plan.tree {
            // Somebody else moved HEAD.
            return Ok(Some(CommitAttempt::Again(Some(Error::program("jj split", &ended)))));
        }
        let id = CommitId(self.with_author(head, author, &lock)?);
        Ok(Some(CommitAttempt::Done(Some(NewCommit { id, whole: plan.unrequested_whole_files() }))))
    }

    /// Lets Jujutsu remove a new commit without changes, which it makes if its settings exclude the note.
    fn abandon_empty_head(&self, plan: &CommitPlan<'_>, lock: &JujutsuLock) -> Result<()> {
        let Some(head) = self.head_id()?.filter(|head| Some(*head) != plan.parent) else { return Ok(()) };
        if let [parent] = self.links(head, false)?.parents.as_slice()
            && self.tree_of(*parent)? == self.tree_of(head)?
        {
            lock.jujutsu(self)?.args(["abandon", &head.to_string()]).output().in_path(Path::new(PROGRAM))?;
        }
        Ok(())
    }

    /// Lets Jujutsu change the author of the commit of HEAD, and returns the new commit. Jujutsu takes
    /// that of the working-copy commit at first.
    fn with_author(&self, head: ObjectId, author: &Signature, lock: &JujutsuLock) -> Result<ObjectId> {
        const DOING: &str = "reading a commit";
        let commit = self.inner.find_commit(head).doing(DOING, self.git_dir())?;
        let taken = commit.author().doing(DOING, self.git_dir())?;
        if taken.name != author.name || taken.email != author.email {
            let author = format!("--author={} <{}>", author.name, author.email);
            // Without an answer the author stays.
            let _ = lock.jujutsu(self)?.args(["metaedit", &author, &head.to_string()]).output();
        }
        Ok(self.head_id()?.unwrap_or(head))
    }

    /// Lets Jujutsu rebase its working-copy commit onto a commit that has the files of the work tree, and
    /// HEAD with it. Returns whether HEAD is there.
    pub(super) fn rebase_with_jujutsu(&self, commit: ObjectId) -> Result<bool> {
        let lock = JujutsuLock::take(self)?;
        // Jujutsu only knows commits that a reference leads to.
        self.set_reference(IMPORTED, CommitId(commit))?;
        let mut command = lock.jujutsu(self)?;
        command.args(["rebase", "--source=@", &format!("--onto={commit}")]);
        let ended = command.output().in_path(Path::new(PROGRAM));
        self.remove_reference(IMPORTED)?;
        ended?;
        // Without it, the next command of Jujutsu would abandon the commit, because the bookmark moves only
        // after the push.
        let mut forget = lock.jujutsu(self)?;
        forget.args(["--config=git.abandon-unreachable-commits=false", "git", "import"]);
        let ended = forget.output().in_path(Path::new(PROGRAM))?;
        if !ended.status.success() {
            return Err(Error::program("jj git import", &ended));
        }
        Ok(self.head_id()? == Some(commit))
    }

    /// Returns a `jj` command that runs in this repository, whatever the environment says.
    fn jujutsu(&self) -> Command {
        let mut command = without_git_variables(PROGRAM);
        command.args(["--no-pager", "--quiet", "--color=never"]).current_dir(&self.workdir);
        command.stdin(Stdio::null());
        command
    }
}

/// Lets one process at a time change the repository with Jujutsu. A program that outlives a process that
/// was killed keeps the lock, because two at once would leave two versions of the working-copy commit.
struct JujutsuLock(File);

impl JujutsuLock {
    /// Waits for the lock.
    ///
    /// # Errors
    /// [`Error::Locked`] if another process holds it for [`LOCK_TIMEOUT`].
    fn take(repo: &Repo) -> Result<Self> {
        let path = repo.git_dir().join("cm-jujutsu");
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.open(&path).in_path(&path)?;
        match file_lock::wait(LOCK_TIMEOUT, Duration::from_millis(20), || file.try_lock()).in_path(&path)? {
            true => Ok(Self(file)),
            false => Err(Error::Locked { path, waited: LOCK_TIMEOUT }),
        }
    }

    /// Returns a `jj` command that has the locked, empty file as its input.
    fn jujutsu(&self, repo: &Repo) -> Result<Command> {
        let mut command = repo.jujutsu();
        command.stdin(self.0.try_clone().in_path(repo.git_dir())?);
        Ok(command)
    }
}

/// Writes a path from the root of the work tree in the language of filesets.
fn fileset(path: &str) -> String {
    format!("root-file:\"{}\"", path.replace('\\', "\\\\").replace('"', "\\\""))
}
