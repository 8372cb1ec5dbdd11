//! Compares this layer with the `git` program, on repositories in many states.

mod dirty;
mod divergence;
mod history;
mod layouts;
mod locking;
mod signing;
mod status;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::git::{NewCommit, Options, PathChange, PathChangeKind, Programs, Reapply, Repo, Result};
use cm_note::instant::Instant;
use cm_note::message::{CommitMessage, CommitOp};
use cm_note::path::NotePath;

/// A temporary folder with repositories, isolated from the Git configuration of the user.
struct Sandbox {
    dir: tempfile::TempDir,
    root: PathBuf,
}

/// A note with a line for operations to change and lines for manual edits.
const NOTE: &str = "---\nid: n\nscore: 1\ntags: [a]\n---\nFirst line.\n\nLast line.\n";

impl Sandbox {
    fn new() -> Self {
        Self::with(&[])
    }

    /// Creates an empty repository with extra arguments for `git init`.
    fn with(arguments: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().join("repo");
        fs::create_dir(&root).unwrap();
        let sandbox = Self { dir, root };
        sandbox.git(&[&["init", "-q", "-b", "main"], arguments].concat());
        sandbox.settle();
        sandbox
    }

    /// Sets all Git options that the tests depend on.
    fn settle(&self) {
        for (key, value) in [
            ("user.name", "Ann"),
            ("user.email", "ann@example.org"),
            ("commit.gpgsign", "false"),
            ("core.autocrlf", "false"),
            ("core.excludesFile", "/dev/null"),
            ("core.attributesFile", "/dev/null"),
        ] {
            self.git(&["config", key, value]);
        }
    }

    /// Creates a repository with a committed note, `graph/a.md`, and another file.
    fn with_note() -> Self {
        let sandbox = Self::new();
        sandbox.begin();
        sandbox
    }

    fn begin(&self) {
        self.write("graph/a.md", NOTE);
        self.write("graph/b.md", "b\n");
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", "Begin"]);
    }

    /// Returns a view of the sandbox at another folder in it.
    fn at(&self, folder: &str) -> Place<'_> {
        Place { sandbox: self, root: self.dir.path().canonicalize().unwrap().join(folder) }
    }

    fn here(&self) -> Place<'_> {
        Place { sandbox: self, root: self.root.clone() }
    }

    fn git(&self, arguments: &[&str]) -> String {
        self.here().git(arguments)
    }

    fn write(&self, path: &str, text: &str) {
        self.here().write(path, text);
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap()
    }

    fn repo(&self) -> Repo {
        self.here().repo()
    }

    /// Returns `git status --porcelain` without the lines of these paths.
    fn others(&self, paths: &[&str]) -> String {
        self.here().others(paths)
    }

    fn fsck(&self) {
        self.git(&["fsck", "--strict", "--no-dangling"]);
    }
}

/// A working folder in the sandbox.
struct Place<'s> {
    sandbox: &'s Sandbox,
    root: PathBuf,
}

impl Place<'_> {
    fn command(&self) -> Command {
        let mut command = Command::new("git");
        let keep: Vec<_> = std::env::vars_os().filter(|(name, _)| name == "PATH").collect();
        command.env_clear().envs(keep).env("HOME", self.sandbox.dir.path());
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("LC_ALL", "C").arg("-C").arg(&self.root);
        command
    }

    fn git(&self, arguments: &[&str]) -> String {
        let output = self.command().args(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let erred = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {said}{erred}");
        said
    }

    fn fails(&self, arguments: &[&str]) {
        let output = self.command().args(arguments).output().unwrap();
        assert!(!output.status.success(), "git {arguments:?} was to fail");
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.root.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn repo(&self) -> Repo {
        Repo::discover_with(&self.root, Programs::Allowed).unwrap().unwrap()
    }

    fn others(&self, paths: &[&str]) -> String {
        let status = self.git(&["status", "--porcelain=v2", "--untracked-files=all", "--ignored"]);
        let rest = status.lines().filter(|line| !paths.iter().any(|path| line.ends_with(path)));
        rest.fold(String::new(), |all, line| all + line + "\n")
    }

    /// Changes score 1 to 2 in a note of the work tree and commits the change.
    fn curate(&self, path: &str) -> Result<Option<NewCommit>> {
        let note = NotePath::parse(path).unwrap();
        let repo = self.repo();
        let file = repo.file(&note);
        let before = fs::read(&file).ok();
        let text = before.as_deref().map_or(NOTE.to_owned(), |old| String::from_utf8(old.to_vec()).unwrap());
        let after = raise(&text).unwrap();
        self.sandbox_write(&file, &after);
        let kind = PathChangeKind::Write { before, after: after.into_bytes(), reapply: Some(&raise) };
        repo.commit(&[PathChange { path: note, from: Vec::new(), kind }], &message(path), &options())
    }

    fn sandbox_write(&self, file: &Path, text: &str) {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
}

/// The change used by these tests; it applies only to texts with the expected line.
fn raise(text: &str) -> Option<String> {
    text.contains("score: 1").then(|| text.replace("score: 1", "score: 2"))
}

fn message(path: &str) -> CommitMessage {
    CommitMessage::new(CommitOp::Pin, format!("Pin {path}")).id("n")
}

fn options() -> Options {
    Options { wait: Duration::from_secs(20), ..Options::new(Instant::parse("2026-11-01T09:30:00Z").unwrap()) }
}

fn write<'a>(path: &str, before: Option<&str>, after: &str, reapply: Option<Reapply<'a>>) -> PathChange<'a> {
    let kind = PathChangeKind::Write {
        before: before.map(|text| text.as_bytes().to_vec()),
        after: after.into(),
        reapply,
    };
    PathChange { path: NotePath::parse(path).unwrap(), from: Vec::new(), kind }
}

fn remove(path: &str) -> PathChange<'static> {
    PathChange { path: NotePath::parse(path).unwrap(), from: Vec::new(), kind: PathChangeKind::Remove }
}

#[test]
fn a_repository_can_be_handed_to_another_thread() {
    fn is_send<T: Send>() {}
    is_send::<Repo>();
}
