//! What a server keeps of a version of its vault, because it takes long to compute, does not outlive
//! that version: after each change its answer is the one of a command that keeps nothing.

use std::fmt::Debug;
use std::sync::Arc;

use cm_app::Context;
use cm_app::context::process_cache::ProcessCache;
use cm_app::verbs::{doctor, inbox, inbox_details, learned, validate};
use cm_note::instant::Instant;
use cm_store::config::keys;

use crate::support::{Sandbox, request, vault_of};

const RULES: &str = "--- playbook/git/a.md
---
id: b-mt2ssunl-000001
category: git
state: active
updated: 2026-11-20
---

Always squash commits before merging a branch.
--- playbook/git/b.md
---
id: b-mt2ssunl-000002
category: git
state: active
updated: 2026-11-20
---

Never squash commits before merging a branch.
--- graph/facts/c.md
---
id: 00000001-0000-4000-8000-000000000001
type: fact
title: Tides
updated: 2026-11-20
---

See [[Moon]].
";

/// A server that keeps values between its requests.
struct Server<'a> {
    sandbox: &'a Sandbox,
    warm: Arc<ProcessCache>,
}

impl Server<'_> {
    /// Returns an answer, after checking that a context that keeps nothing gives the same one.
    #[track_caller]
    fn answer<T: Debug + PartialEq>(&self, now: &str, verb: impl Fn(&Context) -> T) -> T {
        let at = || {
            let mut request = request(self.sandbox, &[]);
            request.now = Instant::parse(now).unwrap();
            request
        };
        let answer = verb(&self.warm.open(at()).unwrap());
        assert_eq!(answer, verb(&Context::open(at()).unwrap()));
        assert_eq!(answer, verb(&self.warm.open(at()).unwrap()), "asked again");
        answer
    }

    /// Number of entries in a section of the inbox.
    #[track_caller]
    fn waiting(&self, kind: inbox::InboxKind, now: &str) -> usize {
        let options = inbox::Options { section: Some(kind), limit: 9 };
        let alone = self.answer(now, |context| inbox::inbox(context, &options).unwrap());
        let options = inbox_details::Options { section: None, limit: 9, offset: 0 };
        let all = self.answer(now, |context| inbox_details::inbox_details(context, &options).unwrap());
        assert_eq!(alone.total, all.counts.get(&kind).copied().unwrap_or_default());
        alone.total
    }
}

const NOW: &str = "2026-11-21";

#[test]
fn contradictions_are_those_of_the_rules_after_an_edit_by_hand_a_commit_and_a_setting() {
    let sandbox = vault_of(RULES);
    let server = Server { sandbox: &sandbox, warm: Arc::default() };
    let conflicts = || server.waiting(inbox::InboxKind::Conflicts, NOW);
    assert_eq!(conflicts(), 1);
    let rule = sandbox.read("playbook/git/b.md");
    sandbox.write("playbook/git/b.md", rule.replace("Never squash commits", "Do sign commits"));
    assert_eq!(conflicts(), 0, "an edit by hand");
    sandbox.write("playbook/git/b.md", &rule);
    assert_eq!(conflicts(), 1, "and back");
    sandbox.cm(&["review", "--reject", "b-mt2ssunl-000001"]).ok();
    assert_eq!(conflicts(), 0, "a decision of another process");
    sandbox.git(&["revert", "--no-edit", "HEAD"]);
    assert_eq!(conflicts(), 1, "a commit that takes it back");
    let near = rule.replace("Never squash commits before merging a branch", "Use squash merges");
    sandbox.write("playbook/git/b.md", near);
    let merges = || server.waiting(inbox::InboxKind::Merges, NOW);
    assert_eq!(merges(), 1);
    sandbox.write("cm.toml", "[embeddings]\nprovider = \"none\"\n");
    assert_eq!(merges(), 0, "a setting");
}

#[test]
fn settings_are_those_of_the_files_and_of_the_environment() {
    let sandbox = vault_of(RULES);
    let server = Server { sandbox: &sandbox, warm: Arc::default() };
    let patience = || server.answer(NOW, |context| context.target().settings.number(keys::LOCK_PATIENCE_S));
    let before = patience();
    sandbox.write("cm.toml", "[lock]\npatience_s = 7\n");
    assert_eq!(patience(), 7.0);
    sandbox.cm(&["config", "set", "lock.patience_s", "8", "--private"]).ok();
    assert_eq!(patience(), 8.0);
    let mut request = request(&sandbox, &[]);
    request.variables.insert("CM_LOCK_PATIENCE_S".to_owned(), "9".to_owned());
    let context = server.warm.open(request).unwrap();
    assert_eq!(context.target().settings.number(keys::LOCK_PATIENCE_S), 9.0);
    assert_eq!(patience(), 8.0, "without the variable");
    sandbox.cm(&["config", "unset", "lock.patience_s", "--private"]).ok();
    sandbox.write("cm.toml", "");
    assert_eq!(patience(), before);
}

#[test]
fn notes_become_due_as_time_passes_though_nothing_changes() {
    let sandbox = vault_of(RULES);
    let server = Server { sandbox: &sandbox, warm: Arc::default() };
    let due = |now| server.waiting(inbox::InboxKind::Due, now);
    assert_eq!((due(NOW), due("2027-05-18"), due("2027-05-20"), due(NOW)), (0, 0, 3, 0));
}

#[test]
fn checks_are_those_of_the_notes_after_an_edit_and_a_setting() {
    let sandbox = vault_of(RULES);
    let server = Server { sandbox: &sandbox, warm: Arc::default() };
    let findings = || {
        let all = |context: &Context| validate::validate(context, &validate::Options::default()).unwrap();
        server.answer(NOW, all).findings.len()
    };
    let secrets = || {
        let report = server.answer(NOW, |context| doctor::doctor(context, false).unwrap());
        report.checks.into_iter().find(|check| check.name == "secrets").unwrap().message
    };
    assert_eq!((findings(), secrets().as_str()), (3, "none found"), "a link without a note");
    let fact = sandbox.read("graph/facts/c.md");
    let key = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    sandbox.write("graph/facts/c.md", fact.replace("[[Moon]]", &key));
    assert_eq!(findings(), 2, "the link is gone");
    assert!(secrets().starts_with("1 possible secret"), "{}", secrets());
    sandbox.write("graph/facts/c.md", fact.replace("[[Moon]]", &format!("{key} <!-- cm:allow-secret -->")));
    assert!(secrets().starts_with("none found; 1 allowed"), "{}", secrets());
    sandbox.write("graph/facts/c.md", fact);
    assert_eq!((findings(), secrets().as_str()), (3, "none found"), "and back");
    sandbox.write("graph/facts/d.md", "---\nid: 00000001-0000-4000-8000-000000000001\n---\n\nTwice.\n");
    assert!(findings() > 3, "an id that is used twice");
}

#[test]
fn what_was_learned_grows_with_each_commit_and_not_with_an_edit_by_hand() {
    let sandbox = vault_of(RULES);
    let server = Server { sandbox: &sandbox, warm: Arc::default() };
    let begin = sandbox.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let learned = |limit| {
        let since = |context: &Context| learned::learned(context, Some(&begin), None, limit).unwrap();
        server.answer(NOW, since)
    };
    assert_eq!(learned(9).summary, "nothing");
    let fact = sandbox.read("graph/facts/c.md");
    sandbox.write("graph/facts/c.md", fact.replace("Moon", "Sun"));
    assert_eq!(learned(9).summary, "nothing", "not committed");
    sandbox.commit_all("Change");
    let changed = learned(9);
    assert_eq!((changed.summary.as_str(), changed.notes.len()), ("1 memory changed", 1));
    sandbox.cm(&["add", "--type", "fact", "--title", "Moon", "--body", "It is round."]).ok();
    assert_eq!(learned(9).summary, "1 memory added; 1 memory changed");
    assert_eq!(learned(1).notes.len(), 1, "another limit");
}
