//! Lets one note replace another: a replaced rule is deprecated and names its successor, a replaced
//! memory gets a SUPERSEDES edge.

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::find::find_in_target;
use crate::context::open::Context;
use crate::error::{Error, Result};
use crate::verbs::curate::{CurationOptions, curate_one};
use crate::verbs::relate;
use crate::verbs::review::{self, CommitsPer, ReviewDecision};
use cm_note::message::CommitOp;
use cm_note::note::types::SUPERSEDES;
use cm_note::note::{Note, NoteKind};
use cm_playbook::curation::delta::{CurationDelta, DeprecateDelta};

/// A note that replaced another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Supersession {
    /// Id of the replaced note.
    pub older: String,
    /// Id of the note that replaces it.
    pub newer: String,
    /// Hashes of the new commits, oldest first; empty if automatic commits are off (`git.commit`).
    pub commits: Vec<String>,
}

/// Lets a note replace another. If the note that replaces is a draft or unverified, it is accepted
/// first, in its own commit.
///
/// # Errors
/// A caller that is not a person, a note that is not found, a rule and a memory, the same note
/// twice, and the errors of a curation, of [`relate::relate`] and of [`review::apply_decisions`].
pub fn supersede(context: &Context, older: &str, newer: &str) -> Result<Supersession> {
    context.persons_only("let a note replace another")?;
    let (older, newer) = (find_in_target(context, older)?.note, find_in_target(context, newer)?.note);
    check(&older, &newer)?;
    let mut commits = Vec::new();
    if newer.is_waiting() {
        let accept = [(ReviewDecision::Accept, vec![newer.key().to_owned()])];
        let accepted = review::apply_decisions(context, &accept, CommitsPer::Decision)?;
        commits.extend(accepted.decisions.into_iter().filter_map(|decision| decision.commit));
    }
    commits.extend(match older.kind {
        NoteKind::Bullet => deprecate(context, &older, &newer)?,
        _ => connect(context, &older, &newer)?,
    });
    Ok(Supersession { older: older.key().to_owned(), newer: newer.key().to_owned(), commits })
}

fn check(older: &Note, newer: &Note) -> Result<()> {
    if older.path == newer.path {
        return Err(Error::usage(format!("\"{}\" cannot replace itself", older.title)));
    }
    let both = |kind| older.kind == kind && newer.kind == kind;
    if both(NoteKind::Bullet) || both(NoteKind::Memory) {
        return Ok(());
    }
    let message =
        format!("{} is a {} and {} is a {}", newer.path, newer.kind.name(), older.path, older.kind.name());
    Err(Error::usage(message).hint("a rule replaces a rule, and a memory replaces a memory"))
}

fn deprecate(context: &Context, older: &Note, newer: &Note) -> Result<Option<String>> {
    let delta = DeprecateDelta {
        id: older.key().to_owned(),
        reason: context.request.caller.reason.clone(),
        replaced_by: Some(newer.key().to_owned()),
        ..DeprecateDelta::default()
    };
    let how = CurationOptions::by_person(CommitOp::Review)
        .with_subject(format!("Replace \"{}\" by \"{}\"", older.title, newer.title));
    Ok(curate_one(context, CurationDelta::Deprecate(delta), &how)?.commit)
}

fn connect(context: &Context, older: &Note, newer: &Note) -> Result<Option<String>> {
    let edge = relate::Options {
        from: newer.key().to_owned(),
        to: older.key().to_owned(),
        relation: Some(SUPERSEDES.to_owned()),
        why: context.request.caller.reason.clone(),
        ..relate::Options::default()
    };
    Ok(relate::relate(context, &edge)?.commit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture_vault::FixtureVault;
    use crate::verbs::inbox::InboxKind;
    use crate::verbs::{get, inbox_details, undo};

    const FIX: [&str; 2] = ["00000001-0000-4000-8000-000000000001", "00000002-0000-4000-8000-000000000001"];
    const RULE: [&str; 2] = ["b-mt2ssunl-000001", "b-mt2ssunl-000002"];

    fn filled() -> FixtureVault {
        let mut files = Vec::new();
        for (number, id) in (1..).zip(FIX) {
            let text =
                format!("---\nid: {id}\ntype: fix\ntitle: Fix {number}\ncreated: 2026-01-01\n---\n\nText.\n");
            files.push((format!("graph/fixes/{number}.md"), text));
        }
        for ((id, state), text) in
            RULE.into_iter().zip(["active", "draft"]).zip(["before a push", "at night"])
        {
            let text = format!(
                "---\nid: {id}\ncategory: testing\nstate: {state}\ncreated: 2026-01-01\n---\n\nRun all tests {text}.\n"
            );
            files.push((format!("playbook/testing/{id}.md"), text));
        }
        let files: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let vault = FixtureVault::new();
        vault.commit("2026-01-01", &files);
        vault
    }

    #[test]
    fn a_memory_that_another_replaces_leaves_the_inbox_and_keeps_its_file() {
        let vault = filled();
        let context = vault.at("2026-12-01");
        let due = |context: &Context| {
            let options = inbox_details::Options { section: Some(InboxKind::Due), limit: 10, offset: 0 };
            let found = inbox_details::inbox_details(context, &options).unwrap();
            found.entries.iter().map(|entry| entry.entry.notes[0].id.clone()).collect::<Vec<_>>()
        };
        assert!(due(&context).contains(&FIX[0].to_owned()));
        let done = supersede(&context, FIX[0], FIX[1]).unwrap();
        assert_eq!((done.older.as_str(), done.newer.as_str(), done.commits.len()), (FIX[0], FIX[1], 1));
        assert!(!due(&vault.at("2026-12-01")).contains(&FIX[0].to_owned()));
    }

    #[test]
    fn a_draft_that_replaces_a_rule_is_accepted_and_both_commits_can_be_taken_back() {
        let vault = filled();
        let context = vault.at("2026-12-01");
        let done = supersede(&context, RULE[0], RULE[1]).unwrap();
        assert_eq!(done.commits.len(), 2);
        let state = |id: &str| {
            let note = get::get(&vault.at("2026-12-01"), id, None).unwrap();
            let text =
                |key: &str| note.frontmatter.get(key).and_then(|value| value.as_str().map(str::to_owned));
            (text("state"), text("replaced_by"))
        };
        assert_eq!(state(RULE[0]), (Some("retired".to_owned()), Some(RULE[1].to_owned())));
        assert_eq!(state(RULE[1]).0.as_deref(), Some("active"));
        for commit in done.commits.iter().rev() {
            undo::undo(&vault.at("2026-12-02"), Some(commit)).unwrap();
        }
        assert_eq!(
            (state(RULE[0]).0.as_deref(), state(RULE[1]).0.as_deref()),
            (Some("active"), Some("draft"))
        );
    }

    #[test]
    fn agents_and_notes_of_two_kinds_are_refused() {
        let vault = filled();
        let error = supersede(&vault.at_by("2026-12-01", "claude-code", "s-1"), FIX[0], FIX[1]).unwrap_err();
        assert_eq!(error.code, "persons-only");
        let context = vault.at("2026-12-01");
        assert_eq!(supersede(&context, FIX[0], RULE[0]).unwrap_err().code, "usage");
        assert_eq!(supersede(&context, FIX[0], FIX[0]).unwrap_err().code, "usage");
    }
}
