//! Lists the rules and memories that were learned, changed or retired between two commits.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::open::Context;
use crate::error::Result;
use crate::verbs::diff::{ChangedNote, ComparedCommits, NoteIdentity, VaultDiff, diff_of_notes};
use cm_note::bullet::Maturity;
use cm_note::instant::Instant;
use cm_note::note::{Note, NoteKind};
use cm_text::plural::count;

cm_text::named_enum! {
    /// Change of a note between two commits.
    pub enum LearnedChange {
        Added = "added",
        /// A draft or an unverified memory came into use.
        Activated = "activated",
        /// The maturity of a rule rose.
        Promoted = "promoted",
        /// Title or text changed.
        Changed = "changed",
        /// The maturity of a rule fell, but it is still in use.
        Demoted = "demoted",
        /// The note was retired or deprecated.
        Retired = "retired",
        /// The file was deleted.
        Removed = "removed",
    }
}

/// A rule or memory with what happened to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LearnedNote {
    pub change: LearnedChange,
    #[serde(flatten)]
    pub note: NoteIdentity,
}

/// Numbers of rules and memories to which the same happened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LearnedCount {
    pub rules: usize,
    pub memories: usize,
}

/// Rules and memories that changed between two commits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Learned {
    /// The older commit; null for everything up to the newer one.
    pub from: Option<String>,
    /// The newer commit.
    pub to: String,
    /// Time of the newer commit.
    pub at: Instant,
    /// The counts in words, such as `2 rules and 1 memory added; 1 rule retired`; `nothing` if there
    /// are none.
    pub summary: String,
    pub counts: BTreeMap<LearnedChange, LearnedCount>,
    /// Rules and memories up to the limit, by change.
    pub notes: Vec<LearnedNote>,
}

/// Returns the rules and memories that were added, activated, promoted, changed, demoted, retired
/// and removed between two revisions or dates, at most `limit` of them by name. Feedback alone is no
/// change.
///
/// # Errors
/// The errors of [`diff`](crate::verbs::diff::diff()).
pub fn learned(context: &Context, from: Option<&str>, to: Option<&str>, limit: usize) -> Result<Learned> {
    let (open, commits) = (context.target(), ComparedCommits::of(context, from, to)?);
    let parsed = open.parse_fingerprint();
    let version = format!("{:?} {} {limit} {parsed}", commits.from, commits.to.id);
    let learned =
        open.value_of_version(&version, || Ok(learned_of(diff_of_notes(context, &commits)?, limit)))?;
    Ok(Learned::clone(&learned))
}

fn learned_of(difference: VaultDiff, limit: usize) -> Learned {
    let with = |change: LearnedChange| move |note: NoteIdentity| LearnedNote { change, note };
    let changed = difference.changed.into_iter();
    let changed =
        changed.filter_map(|changed| Some(LearnedNote { change: change_of(&changed)?, note: changed.note }));
    let mut notes: Vec<LearnedNote> = difference
        .added
        .into_iter()
        .map(with(LearnedChange::Added))
        .chain(changed)
        .chain(difference.removed.into_iter().map(with(LearnedChange::Removed)))
        .filter(|learned| matches!(learned.note.kind, NoteKind::Bullet | NoteKind::Memory))
        .collect();
    notes.sort_by(|a, b| {
        (a.change, a.note.kind != NoteKind::Bullet, &a.note.title).cmp(&(
            b.change,
            b.note.kind != NoteKind::Bullet,
            &b.note.title,
        ))
    });
    let mut counts: BTreeMap<LearnedChange, LearnedCount> = BTreeMap::new();
    for learned in &notes {
        let counted = counts.entry(learned.change).or_default();
        match learned.note.kind {
            NoteKind::Bullet => counted.rules += 1,
            _ => counted.memories += 1,
        }
    }
    notes.truncate(limit);
    Learned {
        from: difference.from,
        to: difference.to,
        at: difference.at,
        summary: summary(&counts),
        counts,
        notes,
    }
}

/// Returns a changed frontmatter value before and after; `None` if it did not change. A value that is
/// absent or no text is `None`.
fn values<'c>(changed: &'c ChangedNote, key: &str) -> Option<(Option<&'c str>, Option<&'c str>)> {
    let field = changed.fields.iter().find(|field| field.key == key)?;
    Some((field.old.as_str(), field.new.as_str()))
}

/// Returns what happened to a note that both commits have; `None` if neither its text nor its state
/// changed.
fn change_of(changed: &ChangedNote) -> Option<LearnedChange> {
    let retired = Some(Note::RETIRED);
    let level = |word: Option<&str>| word.and_then(Maturity::of).unwrap_or_default();
    let maturity = values(changed, "maturity").map(|(old, new)| (level(old), level(new)));
    let state = values(changed, "state");
    match (state, maturity) {
        (Some((old, new)), _) if old != retired && new == retired => Some(LearnedChange::Retired),
        (_, Some((_, Maturity::Deprecated))) => Some(LearnedChange::Retired),
        (Some((Some(Note::DRAFT | Note::UNVERIFIED), _)), _) => Some(LearnedChange::Activated),
        (_, Some((old, new))) if new > old => Some(LearnedChange::Promoted),
        (_, Some((old, new))) if new < old => Some(LearnedChange::Demoted),
        _ if changed.words_added + changed.words_removed > 0 || changed.retitled_from.is_some() => {
            Some(LearnedChange::Changed)
        }
        _ => None,
    }
}

fn summary(counts: &BTreeMap<LearnedChange, LearnedCount>) -> String {
    let part = |(change, counted): (&LearnedChange, &LearnedCount)| {
        let parts = [(counted.rules, "rule"), (counted.memories, "memory")];
        let parts = parts.into_iter().filter(|(number, _)| *number > 0);
        let parts: Vec<String> = parts.map(|(number, noun)| count(number, noun)).collect();
        format!("{} {}", parts.join(" and "), change.name())
    };
    let parts: Vec<String> = counts.iter().map(part).collect();
    if parts.is_empty() { "nothing".to_owned() } else { parts.join("; ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture_vault::{FixtureVault, commit, memory_note, rule};

    #[test]
    fn what_was_learned_is_told_in_words_and_figures() {
        let vault = FixtureVault::new();
        let begin = commit(
            &vault,
            "2026-01-02",
            &[
                rule(1, "state: draft", "Run the tests."),
                rule(2, "state: active", "Pin the versions."),
                rule(3, "state: active", "Write it down."),
                memory_note(1, "Old text."),
                memory_note(2, "Stays."),
            ],
        );
        let end = commit(
            &vault,
            "2026-01-09",
            &[
                rule(1, "state: active", "Run the tests."),
                rule(2, "state: active\nmaturity: established", "Pin the versions."),
                rule(3, "state: retired", "Write it down."),
                rule(4, "state: draft", "Ask first."),
                memory_note(1, "New text."),
                memory_note(3, "New."),
                memory_note(4, "New."),
            ],
        );
        let context = vault.at("2026-01-10");
        let found = learned(&context, Some(&begin), None, 3).unwrap();
        assert_eq!(
            found.summary,
            "1 rule and 2 memories added; 1 rule activated; 1 rule promoted; 1 memory changed; 1 rule retired"
        );
        assert_eq!((found.notes.len(), found.notes[0].note.title.as_str()), (3, "Ask first."));
        assert_eq!((found.from.as_deref(), found.to.as_str()), (Some(begin.as_str()), end.as_str()));
        let week = learned(&context, Some("7d"), None, 9).unwrap();
        assert_eq!(week.counts, found.counts);
        assert_eq!(learned(&context, Some("HEAD"), None, 9).unwrap().summary, "nothing");
    }
}
