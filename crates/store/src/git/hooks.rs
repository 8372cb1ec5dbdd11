//! Commits through the `git` program, for repositories with hooks.
//!
//! Git gets a separate index with the parent's files and the operation's changes, so that hooks see
//! exactly the commit and the user's index stays unchanged.

use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gix::ObjectId;
use gix::actor::Signature;
use gix::bstr::{BString, ByteSlice};
use gix::index::entry::Stage;

use crate::git::commit::{CommitAttempt, NewCommit, Options};
use crate::git::error::{Doing, Error, InPath, Result};
use crate::git::identity::Signatures;
use crate::git::lock::IndexLock;
use crate::git::plan::CommitPlan;
use crate::git::repo::{CommitId, Repo};
use crate::git::staging::{IndexSlot, Staging};

/// Environment variables that Git sets for hooks and child processes, and that would misdirect
/// another Git process.
const LOCAL: [&str; 12] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_GRAFT_FILE",
    "GIT_SHALLOW_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_QUARANTINE_PATH",
];

/// A temporary index file, removed when dropped.
struct OwnIndex(PathBuf);

impl Drop for OwnIndex {
    fn drop(&mut self) {
        // Whatever stays behind is a file that nothing reads.
        let _ = fs::remove_file(&self.0);
    }
}

impl Repo {
    /// Creates the commit with `git` from a temporary index, then updates the real index.
    pub(super) fn commit_with_hooks(
        &self,
        mut plan: CommitPlan<'_>,
        signatures: &Signatures,
        options: &Options,
    ) -> Result<CommitAttempt> {
        if let Some(path) = self.stage(&mut Staging::open(self)?, &plan)? {
            return Ok(CommitAttempt::Whole(path));
        }
        let id = self.commit_through_git(&plan, signatures, options.sign)?;
        let tree = self.tree_of(id)?;
        for item in &mut plan.items {
            // A hook may have changed the note on its way.
            let committed = self.trail(Some(tree), item.place.as_ref(), None)?.file();
            if let (Some(content), Some(leaf)) = (&mut item.content, committed) {
                content.committed_blob = leaf.id;
            }
        }
        let lock = IndexLock::take(self, options.wait)?;
        let mut staging = loop {
            let mut staging = Staging::open(self)?;
            match self.stage(&mut staging, &plan)? {
                None => break staging,
                // Staged anew while the hooks ran: it stays as the person left it.
                Some(path) => plan.items.retain(|item| *item.path != path),
            }
        };
        self.stage_of_hooks(&mut staging, &plan, id)?;
        if staging.is_changed() {
            staging.write(&lock)?;
            lock.publish()?;
        }
        Ok(CommitAttempt::Done(Some(NewCommit { id: CommitId(id), whole: plan.unrequested_whole_files() })))
    }

    /// Stages paths that a hook added to the commit, unless the user has staged other content for
    /// them.
    fn stage_of_hooks(
        &self,
        staging: &mut Staging<'_>,
        plan: &CommitPlan<'_>,
        commit: ObjectId,
    ) -> Result<()> {
        let old = plan.parent.map(|parent| self.tree_of(parent)).transpose()?;
        let mut changed = Vec::new();
        self.compare(old, Some(self.tree_of(commit)?), &BString::default(), &mut changed)?;
        for (place, old, new) in changed {
            if plan.items.iter().any(|item| item.place == place) {
                continue;
            }
            let staged = match staging.slot(place.as_ref())? {
                IndexSlot::Staged { id, .. } => Some(id),
                IndexSlot::Empty => None,
                IndexSlot::Conflict => continue,
            };
            if staged != old.map(|leaf| leaf.id) {
                continue;
            }
            match new {
                Some(leaf) => {
                    let file = self.workdir.join(gix::path::from_bstr(place.as_bstr()).unwrap_or_default());
                    let stat = match leaf.is_file() {
                        true => self.stat_of(&file, &self.blob(leaf.id)?)?,
                        false => None,
                    };
                    staging.put(place.as_ref(), leaf.id, leaf.mode.into(), stat);
                }
                None => staging.remove(place.as_ref()),
            }
        }
        Ok(())
    }
    /// Returns a `git` command that runs in this repository, whatever the environment says.
    pub(super) fn git(&self) -> Command {
        let mut command = without_git_variables("git");
        command.arg("-C").arg(&self.workdir);
        command
    }

    /// Returns a `git` command that runs in this repository and starts no hook and no file monitor.
    pub(super) fn git_without_hooks(&self) -> Command {
        let mut command = self.git();
        let nowhere = if cfg!(windows) { "NUL" } else { "/dev/null" };
        command.args(["-c", &format!("core.hooksPath={nowhere}"), "-c", "core.fsmonitor=false"]);
        command
    }

    /// Commits the planned tree with `git`. Hooks may reject or change it.
    fn commit_through_git(
        &self,
        plan: &CommitPlan<'_>,
        signatures: &Signatures,
        signed: Option<bool>,
    ) -> Result<ObjectId> {
        let index = self.index_of(plan.tree)?;
        let mut command = self.git();
        command.args(["commit", "--quiet", "--no-status", "--cleanup=verbatim", "--file=-"]);
        command.args(signed.map(|signed| if signed { "--gpg-sign" } else { "--no-gpg-sign" }));
        command.env("GIT_INDEX_FILE", &index.0);
        sign(&mut command, "AUTHOR", &signatures.author);
        sign(&mut command, "COMMITTER", &signatures.committer);
        let program = Path::new("git");
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .in_path(program)?;
        if let Some(mut stdin) = child.stdin.take() {
            // A hook that refuses early closes the pipe; its own words follow below.
            let _ = stdin.write_all(plan.message.as_bytes());
        }
        let output = child.wait_with_output().in_path(program)?;
        if !output.status.success() {
            let printed = [output.stderr, output.stdout].concat();
            return Err(Error::Program {
                command: "git commit".to_owned(),
                status: output.status.to_string(),
                output: String::from_utf8_lossy(&printed).trim().to_owned(),
            });
        }
        match self.head_id()? {
            Some(id) => Ok(id),
            None => Err(Error::Moved { git_dir: self.git_dir().to_owned(), attempts: 1 }),
        }
    }

    /// Creates an index of this tree. Stat data are copied from the real index where contents
    /// match, so that Git need not hash the whole work tree.
    fn index_of(&self, tree: ObjectId) -> Result<OwnIndex> {
        let mut index = self.inner.index_from_tree(&tree).doing("creating an index", self.git_dir())?;
        let real = Staging::open(self)?;
        let (entries, paths) = index.entries_mut_and_pathbacking();
        for entry in entries {
            let place = entry.path_in(paths);
            let current_entry = real.index().entry_by_path_and_stage(place, Stage::Unconflicted);
            if let Some(current_entry) = current_entry.filter(|current_entry| current_entry.id == entry.id) {
                entry.stat = current_entry.stat;
                entry.flags = current_entry.flags;
            }
        }
        let path = self.git_dir().join(format!("cm-commit-{}.index", std::process::id()));
        let own = OwnIndex(path);
        let file = fs::File::create(&own.0).in_path(&own.0)?;
        let mut out = BufWriter::new(file);
        index.write_to(&mut out, Default::default()).doing("writing an index", self.git_dir())?;
        out.flush().in_path(&own.0)?;
        Ok(own)
    }
}

/// Returns a command that finds a repository by itself, even if a hook of another one runs it.
pub(super) fn without_git_variables(program: &str) -> Command {
    let mut command = Command::new(program);
    for name in LOCAL {
        command.env_remove(name);
    }
    command
}

fn sign(command: &mut Command, who: &str, signature: &Signature) {
    let offset = signature.time.offset / 60;
    let sign = if offset < 0 { '-' } else { '+' };
    let zone = format!("{sign}{:02}{:02}", offset.abs() / 60, offset.abs() % 60);
    let text = |text: &BString| text.to_string();
    command.env(format!("GIT_{who}_NAME"), text(&signature.name));
    command.env(format!("GIT_{who}_EMAIL"), text(&signature.email));
    command.env(format!("GIT_{who}_DATE"), format!("@{} {zone}", signature.time.seconds));
}
