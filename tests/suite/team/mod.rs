//! Several clones of one vault with a bare remote, and the real `git` between them.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

mod broken_settings;
mod by_hand;
mod decisions;
mod driver;
mod hidden_files;
mod jujutsu;
mod refusals;
mod replicas;
mod simulation;
mod situations;
mod worktrees;

use std::cell::Cell;
use std::path::PathBuf;

use cm_note::instant::Instant;
use cm_store::vault::trust::{self, TrustRecord, TrustSource};
use tempfile::TempDir;

use crate::support::{NOW, Ran, Sandbox};

/// A vault with a rule, a fact and a solution.
const VAULT: &str = "\
--- playbook/testing/seed-1.md
---
id: b-mq6d3m8l-aaaaaa
category: testing
state: active
maturity: candidate
created: 2026-06-01T08:00:00Z
---

Print the seed of every random test before it runs.
--- graph/facts/prices.md
---
id: 11111111-0000-4000-8000-000000000001
type: fact
title: Prices are cached
tags: [cache]
importance: 0.5
created: 2026-06-01T08:00:00Z
updated: 2026-06-01T08:00:00Z
---

# Prices are cached

For five minutes, in Redis.

The key has the currency.
--- graph/solutions/queue.md
---
id: 11111111-0000-4000-8000-000000000002
type: solution
title: Restart the queue
importance: 0.5
created: 2026-06-01T08:00:00Z
updated: 2026-06-01T08:00:00Z
---

Stop the workers first.
";
/// ID of the rule.
const RULE: &str = "b-mq6d3m8l-aaaaaa";
const RULE_FILE: &str = "playbook/testing/seed-1.md";
const FACT_FILE: &str = "graph/facts/prices.md";

/// A bare remote.
pub struct Remote {
    pub path: PathBuf,
    _folder: TempDir,
}

impl Remote {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("remote.git");
        let mut git = crate::support::git_command();
        git.args(["init", "--quiet", "--bare", "--initial-branch=main"]).arg(&path);
        assert!(git.env("GIT_CONFIG_NOSYSTEM", "1").status().unwrap().success());
        Self { path, _folder: folder }
    }
}

/// Two clones of a new remote.
fn pair() -> (Remote, Clone, Clone) {
    let remote = Remote::new();
    let ada = Clone::first(&remote, "ada", VAULT);
    let ben = Clone::of(&remote, "ben");
    (remote, ada, ben)
}

/// One person's clone, with a home, a clock and a seed of its own.
pub struct Clone {
    pub sandbox: Sandbox,
    name: &'static str,
    /// Minutes after noon.
    minute: Cell<u32>,
}

impl Clone {
    /// The first clone, whose vault has these files and is pushed.
    pub fn first(remote: &Remote, name: &'static str, files: &str) -> Self {
        let sandbox = crate::support::vault_of(files);
        sandbox.write(".gitattributes", "/CORE.md linguist-generated\n/REFLECTION.md linguist-generated\n");
        sandbox.commit_all("Attributes");
        sandbox.git(&["remote", "add", "origin", &remote.path.display().to_string()]);
        sandbox.git(&["push", "--quiet", "-u", "origin", "main"]);
        Self { sandbox, name, minute: Cell::new(0) }
    }

    /// Another clone of the remote.
    pub fn of(remote: &Remote, name: &'static str) -> Self {
        let sandbox = Sandbox::new();
        sandbox.git(&["clone", "--quiet", &remote.path.display().to_string(), "."]);
        Self { sandbox, name, minute: Cell::new(0) }
    }

    /// Trusts the clone as its person would.
    pub fn trust(&self, remote: &Remote) {
        let at = Instant::parse(NOW).unwrap();
        let remote = Some(remote.path.display().to_string());
        trust::grant(&self.sandbox.open_vault(), &TrustRecord { source: TrustSource::Person, at, remote })
            .unwrap();
    }

    /// Runs `cm` one minute after the last time, with IDs of this clone's own.
    pub fn cm(&self, arguments: &[&str]) -> Ran {
        let now = self.tick();
        self.sandbox.run(arguments).env("CM_NOW", &now).env("CM_SEED", self.name).go()
    }

    /// The next minute of this clone's clock.
    pub fn tick(&self) -> String {
        self.minute.set(self.minute.get() + 1);
        let (hour, minute) = (12 + self.minute.get() / 60, self.minute.get() % 60);
        format!("2026-11-{:02}T{:02}:{minute:02}:00Z", 21 + hour / 24, hour % 24)
    }

    /// Sets this clone's clock to a later minute.
    pub fn later(&self, minutes: u32) {
        self.minute.set(self.minute.get() + minutes);
    }

    /// Synchronizes and returns the document of the answer.
    pub fn sync(&self) -> serde_json::Value {
        self.cm(&["sync", "--json"]).ok().json()
    }

    /// All files that Git tracks, with their blobs.
    pub fn tree(&self) -> String {
        self.sandbox.git(&["ls-tree", "-r", "HEAD"])
    }

    /// Checks that work tree, index and history are in order.
    pub fn assert_sound(&self) {
        assert_eq!(self.sandbox.git(&["status", "--porcelain"]), "", "{}", self.name);
        let fsck = self.sandbox.git(&["fsck", "--strict", "--no-dangling"]);
        assert_eq!(fsck.trim(), "", "{}", self.name);
    }
}

/// Synchronizes clones in this order until nothing changes any more, and checks that they are equal.
pub fn settle(clones: &[&Clone]) {
    // The last clone of the first round has everything; the second round brings it to the others.
    let mut answers = Vec::new();
    for _ in 0..2 {
        for clone in clones {
            let answer = clone.sync();
            answers.push(format!("{}: {answer}", clone.name));
        }
    }
    let answers = answers.join("\n");
    for clone in clones {
        let answer = clone.sync();
        let newest = || clone.sandbox.git(&["log", "--graph", "--stat", "--format=%h %an %ad %s", "-12"]);
        assert_eq!(answer["changed"], false, "{}: {answer}\nafter\n{answers}\n{}", clone.name, newest());
        assert_eq!(clone.tree(), clones[0].tree(), "{}", clone.name);
        clone.assert_sound();
    }
}
