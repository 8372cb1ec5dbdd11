//! Jujutsu repositories that share their work tree with Git: HEAD is detached there, branches are
//! bookmarks, and manual edits are in a working-copy commit on top of HEAD.

use std::collections::HashMap;
use std::path::Path;
use std::process::{Command, Stdio};

use gix::ObjectId;

use crate::git::commit::{CommitAttempt, NewCommit};
use crate::git::error::{Doing, Error, InPath, Result};
use crate::git::hooks::without_git_variables;
use crate::git::plan::CommitPlan;
use crate::git::repo::{CommitId, Programs, Repo};

/// Folder of a Jujutsu workspace at the root of its work tree.
const FOLDER: &str = ".jj";
/// Header of a commit in which Jujutsu stored a conflict: the trees of its sides.
const CONFLICT: &str = "jj:trees";
/// Reference by which Jujutsu gets to know a commit, for the time of one command.
const IMPORTED: &str = "refs/remotes/cm/sync";
/// Maximum number of bytes of the paths on a command line.
const MAX_ARGUMENTS: usize = 100_000;

/// The working-copy commit, as of the last command of Jujutsu.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JujutsuWorkingCopy {
    /// Without changes and description: Jujutsu replaces it when HEAD moves.
    Empty,
    /// With changes or a description: Jujutsu keeps it beside the new HEAD when HEAD moves.
    Changed,
    /// With several parents.
    Merge,
}

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

    /// Asks Jujutsu about its working-copy commit. Returns `None` if the program does not answer, or may
    /// not run.
    pub(super) fn jujutsu_working_copy(&self) -> Option<JujutsuWorkingCopy> {
        const KIND: &str = r#"if(parents.len() > 1, "merge", if(empty && !description, "empty", "changed"))"#;
        if !self.is_jujutsu() || self.programs == Programs::Denied {
            return None;
        }
        // Imports nothing from Git and records no edits.
        let arguments = ["log", "--ignore-working-copy", "--no-graph", "--revisions=@", "--template", KIND];
        match self.jujutsu().args(arguments).output().ok()?.stdout.as_slice() {
            b"empty" => Some(JujutsuWorkingCopy::Empty),
            b"changed" => Some(JujutsuWorkingCopy::Changed),
            b"merge" => Some(JujutsuWorkingCopy::Merge),
            _ => None,
        }
    }

    /// Lets Jujutsu make the commit between HEAD and its working-copy commit, which keeps its
    /// description and other changes. Returns `None` if Jujutsu did not make it.
    pub(super) fn commit_with_jujutsu(&self, plan: &CommitPlan<'_>) -> Result<Option<CommitAttempt>> {
        // Jujutsu commits whole files.
        if let Some(path) = plan.partial() {
            return Ok(Some(CommitAttempt::Whole(path.clone())));
        }
        let paths: Vec<String> = plan.places().map(|place| fileset(&place.to_string())).collect();
        if paths.iter().map(String::len).sum::<usize>() > MAX_ARGUMENTS {
            return Ok(None);
        }
        let mut command = self.jujutsu();
        command.args(["split", "--insert-before=@", "--message", &plan.message, "--"]).args(paths);
        let ended = command.output().in_path(Path::new("jj"))?;
        let Some(head) = self.head_id()?.filter(|head| Some(*head) != plan.parent) else {
            return Ok(None);
        };
        if self.tree_of(head)? == plan.tree {
            return Ok(Some(CommitAttempt::Done(Some(NewCommit {
                id: CommitId(head),
                whole: plan.whole(),
            }))));
        }
        // Somebody else moved HEAD.
        Ok(Some(CommitAttempt::Again(Some(Error::Program {
            command: "jj split".to_owned(),
            status: ended.status.to_string(),
            output: String::from_utf8_lossy(&ended.stderr).trim().to_owned(),
        }))))
    }

    /// Lets Jujutsu rebase its working-copy commit onto a commit that has the files of the work tree, and
    /// HEAD with it. Returns whether HEAD is there.
    pub(super) fn rebase_with_jujutsu(&self, commit: ObjectId) -> Result<bool> {
        // Jujutsu only knows commits that a reference leads to.
        self.set_reference(IMPORTED, CommitId(commit))?;
        let mut command = self.jujutsu();
        command.args(["rebase", "--source=@", &format!("--onto={commit}")]);
        let ended = command.output().in_path(Path::new("jj"));
        self.remove_reference(IMPORTED)?;
        ended?;
        Ok(self.head_id()? == Some(commit))
    }

    /// Returns a `jj` command that runs in this repository, whatever the environment says.
    fn jujutsu(&self) -> Command {
        let mut command = without_git_variables("jj");
        command.args(["--no-pager", "--quiet", "--color=never"]).current_dir(&self.workdir);
        command.stdin(Stdio::null());
        command
    }
}

/// Writes a path from the root of the work tree in the language of filesets.
fn fileset(path: &str) -> String {
    format!("root-file:\"{}\"", path.replace('\\', "\\\\").replace('"', "\\\""))
}
