//! A temporary vault whose commits have given times and authors, for tests of verbs.
#![allow(clippy::disallowed_methods, reason = "tests write files and the configuration of the repository")]

use std::path::PathBuf;

use crate::context::actor::{Actor, CallerIdentity};
use crate::context::open::Context;
use crate::context::progress::ProgressWatch;
use crate::context::request::Request;
use crate::context::write;
use crate::verbs::{commit, init};
use cm_note::change::{ChangeSet, ContentHash, VaultFileChange};
use cm_note::instant::Instant;
use cm_note::message::{CommitMessage, CommitOp};
use cm_note::path::NotePath;
use cm_note::user_text::Interface;
use cm_store::vault::PrivateHome;

/// A vault in a temporary folder, committed to by Ann.
pub(crate) struct FixtureVault {
    folder: tempfile::TempDir,
}

impl FixtureVault {
    /// Creates an empty vault on 2026-01-01.
    pub fn new() -> Self {
        let vault = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir(vault.root()).unwrap();
        init::init(vault.request("2026-01-01", CallerIdentity::default()), &init::Options::default())
            .unwrap();
        let config = vault.file(".git/config");
        let text = std::fs::read_to_string(&config).unwrap();
        let own = "[user]\n\tname = Ann\n\temail = ann@example.org\n[commit]\n\tgpgsign = false\n";
        std::fs::write(&config, text + own).unwrap();
        vault
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("demo")
    }

    /// Returns the path of a file in the vault.
    pub fn file(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    fn request(&self, now: &str, caller: CallerIdentity) -> Request {
        let below = |name: &str| self.folder.path().join(name);
        Request {
            cwd: self.root(),
            vault: Some(self.root()),
            home: Some(below("home")),
            global: None,
            private: Some(PrivateHome { state: below("state"), config: below("config") }),
            variables: Default::default(),
            environment: Default::default(),
            now: Instant::parse(now).unwrap(),
            now_is_given: true,
            seed: None,
            no_refresh: false,
            for_prompts: false,
            caller,
            clock: || 0,
            threads: 1,
            verb: "cm test".to_owned(),
            holder: "a test".to_owned(),
            watch: ProgressWatch::default(),
        }
    }

    /// Opens the vault for a person at this time.
    pub fn at(&self, now: &str) -> Context {
        Context::open(self.request(now, CallerIdentity::default())).unwrap()
    }

    /// Opens the vault for an agent in a session.
    pub fn at_by(&self, now: &str, agent: &str, session: &str) -> Context {
        let caller = CallerIdentity {
            kind: Actor::Agent,
            agent: Some(agent.to_owned()),
            session: Some(session.to_owned()),
            interface: Interface::default(),
            ..CallerIdentity::default()
        };
        Context::open(self.request(now, caller)).unwrap()
    }

    /// Writes a file without a commit.
    pub fn put(&self, path: &str, text: &str) {
        std::fs::create_dir_all(self.file(path).parent().unwrap()).unwrap();
        std::fs::write(self.file(path), text).unwrap();
    }

    /// Writes files by hand and commits them; returns the hash of the commit.
    pub fn commit(&self, now: &str, files: &[(&str, &str)]) -> String {
        files.iter().for_each(|(path, text)| self.put(path, text));
        commit::commit(&self.at(now), None).unwrap().commit.unwrap()
    }
}

/// Replaces the text of a note, as the caller of the context; returns the hash of the commit.
pub(crate) fn replace(context: &Context, path: &str, text: &str) -> String {
    let path = NotePath::parse(path).unwrap();
    apply(context, VaultFileChange::Replace { path, expected: None, text: text.to_owned() })
}

/// Moves a note; returns the hash of the commit.
pub(crate) fn rename(context: &Context, from: &str, to: &str) -> String {
    let (from, to) = (NotePath::parse(from).unwrap(), NotePath::parse(to).unwrap());
    let expected = ContentHash::of(&context.target().vault.read(&from).unwrap());
    apply(context, VaultFileChange::Move { from, to, expected, edits: Vec::new() })
}

fn apply(context: &Context, change: VaultFileChange) -> String {
    let message = CommitMessage::new(CommitOp::Update, format!("Update {}", change.path()));
    write::apply(context, ChangeSet { message, changes: vec![change] }).unwrap().commit.unwrap()
}

/// Path and text of a rule with these further keys.
pub(crate) fn rule(number: usize, keys: &str, text: &str) -> (String, String) {
    let text = format!(
        "---\nid: b-mt2ssunl-{number:06}\ncategory: testing\ncreated: 2026-01-01\n{keys}\n---\n\n{text}\n"
    );
    (format!("playbook/testing/{number}.md"), text)
}

/// Path and text of a memory.
pub(crate) fn memory_note(number: usize, text: &str) -> (String, String) {
    let text = format!(
        "---\nid: {number:08}-0000-4000-8000-000000000001\ntype: fix\ntitle: Fix {number}\ncreated: 2026-01-01\n---\n\n{text}\n"
    );
    (format!("graph/fixes/{number}.md"), text)
}

/// Writes and commits files, and returns the commit.
pub(crate) fn commit(vault: &FixtureVault, day: &str, files: &[(String, String)]) -> String {
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    vault.commit(day, &files)
}
