//! Condenses observations: those that say the same become one memory that names its sources.
//!
//! One of them stays as it is written and takes over tags and feedback; the others get
//! `condensed_into`. No text is rewritten and no note is removed, so the commit can be undone.

use std::collections::HashMap;

use yaml_serde::{Mapping, Value};

use crate::context::actor::{Actor, CallerIdentity};
use crate::context::find::{ResolvedNote, load};
use crate::context::last_run;
use crate::context::meaning::meaning;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::scoring::scoring;
use crate::context::write;
use crate::error::Result;
use crate::verbs::{mark, playbook};
use cm_note::change::{ChangeSet, ContentHash, VaultFileChange};
use cm_note::frontmatter::edit::Edit;
use cm_note::message::{CommitMessage, CommitOp};
use cm_note::note::bullet::event;
use cm_note::note::types::DERIVED_FROM;
use cm_note::note::{Feedback, FeedbackSignal, Note, Priority};
use cm_playbook::conflict::{restated, statement_of_note};
use cm_playbook::embedding_model::WordVectors;
use cm_store::config::keys;

/// Name of the job in the record of last runs.
pub const JOB: &str = "condense";

/// Result of condensing the observations of one vault.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CondenseResult {
    /// Memories that took over others, in order of their paths.
    pub memories: Vec<CondensedMemory>,
    /// Hash of the new commit; `None` if automatic commits are off or nothing changed.
    pub commit: Option<String>,
}

impl CondenseResult {
    /// Number of observations that were condensed into others.
    pub fn condensed(&self) -> usize {
        self.memories.iter().map(|one| one.sources.len()).sum()
    }
}

/// A memory with the observations that were condensed into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CondensedMemory {
    /// Id of the memory that stays in use.
    pub id: String,
    /// Ids of the observations that say the same, in order of their paths.
    pub sources: Vec<String>,
}

/// Whether the settings allow condensing.
pub(crate) fn is_wanted(context: &Context) -> bool {
    context.target().settings.flag(keys::CURATION_CONDENSE) != Some(false)
}

/// Condenses the observations of the target vault if the settings allow it and the last run was
/// more than a day ago.
///
/// # Errors
/// The errors of [`condense()`]; the next call tries again.
pub(crate) fn condense_daily(context: &Context) -> Result<()> {
    if !last_run::is_due_today(context, JOB) {
        return Ok(());
    }
    if is_wanted(context) {
        condense(context)?;
    }
    last_run::done(context, JOB, context.now())
}

/// Condenses the observations of the target vault in one commit, as a job rather than as the caller.
///
/// # Errors
/// Notes that cannot be read, and the errors of [`write::apply`].
pub fn condense(context: &Context) -> Result<CondenseResult> {
    let open = context.target();
    let found = observations(context, open)?;
    let groups = groups(open, &found);
    if groups.is_empty() {
        return Ok(CondenseResult::default());
    }
    let mut changes = Vec::new();
    let mut memories = Vec::new();
    for (target, sources) in &groups {
        changes.extend(plan(context, target, sources));
        memories.push(CondensedMemory {
            id: target.note.key().to_owned(),
            sources: sources.iter().map(|source| source.note.key().to_owned()).collect(),
        });
    }
    let mut outcome = CondenseResult { memories, commit: None };
    let job = CallerIdentity {
        kind: Actor::Job,
        actor: context.request.caller.actor.clone(),
        ..CallerIdentity::default()
    };
    let written =
        write::apply(&context.with_actor(job)?, ChangeSet { message: message(&outcome, &groups), changes })?;
    outcome.commit = written.commit;
    Ok(outcome)
}

/// An observation that stays, with those that are condensed into it.
type Group<'o, 'v> = (&'o ResolvedNote<'v>, Vec<&'o ResolvedNote<'v>>);

/// The observations in use that may be condensed, by path. Pinned ones, drafts, and those that did
/// harm are left as they are.
fn observations<'v>(context: &Context, open: &'v OpenVault) -> Result<Vec<ResolvedNote<'v>>> {
    let notes = playbook::notes_as_written(context, open)?;
    let found = notes.iter().filter(|note| is_open(note)).filter_map(|note| load(open, &note.path).ok());
    Ok(found.filter(|found| is_open(&found.note)).collect())
}

fn is_open(note: &Note) -> bool {
    let harmed = |event: &Feedback| event.signal != FeedbackSignal::Helpful && event.weight > 0.0;
    note.note_type.as_deref() == Some(Note::OBSERVATION)
        && note.id.is_some()
        && !note.pinned
        && note.condensed_into.is_empty()
        && !(note.is_draft() || note.is_retired())
        && !note.is_deprecated()
        && !note.feedback.iter().any(harmed)
}

/// Groups the observations of each workspace that say the same; the one that stays comes first.
fn groups<'o, 'v>(open: &OpenVault, found: &'o [ResolvedNote<'v>]) -> Vec<Group<'o, 'v>> {
    let mut by_workspace: HashMap<Option<&str>, Vec<&ResolvedNote<'v>>> = HashMap::new();
    for one in found {
        by_workspace.entry(one.note.workspace.as_deref()).or_default().push(one);
    }
    let word_vectors = WordVectors::of(meaning(open));
    let mut groups = Vec::new();
    for members in by_workspace.into_values() {
        let (texts, members): (Vec<String>, Vec<_>) = members
            .into_iter()
            .filter_map(|one| Some((statement_of_note(&one.note.title, &one.text())?, one)))
            .unzip();
        for group in restated(&texts, &word_vectors) {
            let mut group: Vec<_> = group.into_iter().map(|at| members[at]).collect();
            let first = (0..group.len()).min_by_key(|at| rank(&group[*at].note)).unwrap_or_default();
            let target = group.remove(first);
            groups.push((target, group));
        }
    }
    groups.sort_by(|(a, _), (b, _)| a.note.path.cmp(&b.note.path));
    groups
}

/// Order in which one of several equal observations stays: confirmed, lasting, with sources of its
/// own, more helpful, older.
fn rank(note: &Note) -> impl Ord + use<> {
    let lasting = match note.priority {
        Some(Priority::Critical) => 0,
        None | Some(Priority::Moderate) => 1,
        Some(Priority::Ephemeral) => 2,
    };
    let sources = note.relations.iter().filter(|entry| entry.relation == DERIVED_FROM).count();
    let helpful = Feedback::count(&note.feedback, FeedbackSignal::Helpful);
    (
        note.is_unverified(),
        lasting,
        std::cmp::Reverse(sources),
        std::cmp::Reverse(helpful),
        note.created.is_none(),
        note.created,
        note.path.clone(),
    )
}

/// The changes that condense `sources` into `target`. Each file must be as it was read.
fn plan(context: &Context, target: &ResolvedNote<'_>, sources: &[&ResolvedNote<'_>]) -> Vec<VaultFileChange> {
    let change = |found: &ResolvedNote<'_>, mut edits: Vec<Edit>| {
        edits.push(Edit::set_text("updated", context.now().to_string()));
        let (path, expected) = (found.note.path.clone(), ContentHash::of(&found.bytes));
        VaultFileChange::Edit { path, expected: Some(expected), edits }
    };
    let push = |key: &str, item: Value| Edit::Push { key: key.to_owned(), item };
    let mut edits = Vec::new();
    let mut note = target.note.clone();
    let constants = scoring(&context.target().settings);
    for source in sources {
        for tag in source.note.tags.iter().filter(|tag| !target.note.tags.contains(tag)) {
            edits.push(push("tags", Value::String(tag.clone())));
        }
        for feedback in &source.note.feedback {
            let is_counted = |old: &Feedback| {
                old == feedback
                    || old.session.is_some()
                        && old.session == feedback.session
                        && old.signal == feedback.signal
            };
            if note.feedback.iter().any(is_counted) {
                continue;
            }
            note.feedback.push(feedback.clone());
            edits.push(push("feedback", event(feedback)));
            edits.extend(mark::matured(&mut note, feedback, &constants));
        }
        edits.push(push("relations", derived_from(&source.note)));
    }
    let absorbed = sources.iter().map(|source| {
        change(source, vec![push("condensed_into", Value::String(target.note.key().to_owned()))])
    });
    std::iter::once(change(target, edits)).chain(absorbed).collect()
}

/// The relation to a source, with where the source comes from.
fn derived_from(source: &Note) -> Value {
    let fields = [
        ("target", source.key().to_owned()),
        ("type", DERIVED_FROM.to_owned()),
        ("context", format!("says the same; noted by {}", source.origin())),
    ];
    let text = |(key, value): (&str, String)| (Value::String(key.to_owned()), Value::String(value));
    Value::Mapping(fields.into_iter().map(text).collect::<Mapping>())
}

fn message(outcome: &CondenseResult, groups: &[Group<'_, '_>]) -> CommitMessage {
    let subject = match groups {
        [(target, sources)] => match sources.len() {
            1 => format!("Condense an observation into \"{}\"", target.note.title),
            count => format!("Condense {count} observations into \"{}\"", target.note.title),
        },
        _ => format!("Condense {} observations into {}", outcome.condensed(), groups.len()),
    };
    let ids = groups.iter().flat_map(|(target, sources)| std::iter::once(target).chain(sources));
    ids.fold(CommitMessage::new(CommitOp::Condense, subject), |message, one| message.id(one.note.key()))
}
