//! Loads the rules that matter for adding others, by what the index stores of each rule.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use super::{current, of_notes};
use crate::context::meaning::meaning;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::error::Result;
use cm_note::bullet::Bullet;
use cm_note::note::{Note, NoteKind};
use cm_note::path::NotePath;
use cm_playbook::curation::Playbook;
use cm_playbook::curation::delta::{AddDelta, CurationDelta};
use cm_playbook::curation::left_out::LeftOutRules;
use cm_playbook::curation::rule_digest::{DIGEST_FORMAT, RuleDigest, concerned};
use cm_playbook::embedding_model::{EmbeddingModel, WordVectors};
use cm_store::config::keys;

/// Name of the file with the digests.
const NAME: &str = "rule-digests";
/// Number of rules up to which they are found among the others one by one.
const MAX_ADDED_RULES: usize = 16;

/// The rules that matter for some deltas.
pub(crate) struct ConcernedRules {
    pub own: Playbook,
    /// Rules of other vaults, without those that the vault overrides.
    pub elsewhere: Playbook,
    pub left_out: LeftOutRules,
}

/// Finds the rules that matter for the deltas; `None` if others than a few adds are among them, or if a stored
/// digest cannot be read. Fails like [`super::as_written`], and does not repair a damaged index.
pub(crate) fn concerned_rules(
    context: &Context,
    open: &OpenVault,
    deltas: &[CurationDelta],
) -> Result<Option<ConcernedRules>> {
    let plain = |delta: &CurationDelta| match delta {
        CurationDelta::Add(add) if add.excludes.is_empty() => Some((**add).clone()),
        _ => None,
    };
    let adds: Option<Vec<AddDelta>> = deltas.iter().map(plain).collect();
    let Some(adds) = adds.filter(|adds| (1..=MAX_ADDED_RULES).contains(&adds.len())) else { return Ok(None) };
    let mut search =
        Search { context, adds, model: meaning(open), basis: basis(open), left_out: LeftOutRules::default() };
    context.ensure_fresh(open)?;
    // Taken before the index is read: a path that it gets in between is read twice, and not missed.
    let queued = open.index().queued();
    let written: HashSet<&str> = queued.iter().map(NotePath::as_str).collect();
    let is_indexed = |digest: &RuleDigest<'_>| !written.contains(digest.path);
    let Some((notes, mut ids)) = search.notes(open, true, &is_indexed)? else { return Ok(None) };
    let own = of_notes(&current(open, Arc::new(notes.into()), &queued));
    ids.extend(own.bullets.iter().map(|bullet| bullet.id.to_string()));
    let mut elsewhere = Playbook::default();
    for other in context.vaults.iter().filter(|other| other.level != open.level) {
        context.ensure_fresh(other)?;
        let found = search.notes(other, false, &|digest| !ids.contains(digest.id))?;
        let Some((notes, _)) = found else { return Ok(None) };
        let more = of_notes(&notes);
        elsewhere.bullets.extend(more.bullets);
        elsewhere.blocked.extend(more.blocked);
    }
    Ok(Some(ConcernedRules { own, elsewhere, left_out: search.left_out }))
}

/// Names everything beside the rules on which the digests depend.
fn basis(open: &OpenVault) -> String {
    let provider = open.settings.text(keys::EMBEDDINGS_PROVIDER).unwrap_or_default();
    format!("{DIGEST_FORMAT} {provider}")
}

/// A search for the rules that some adds need.
struct Search<'a> {
    context: &'a Context,
    adds: Vec<AddDelta>,
    model: &'a dyn EmbeddingModel,
    basis: String,
    left_out: LeftOutRules,
}

impl Search<'_> {
    /// Returns the rules of a vault that matter, of those for which `counts` returns true, with its blocked
    /// patterns, sorted by path; and the ids of all its rules that count. `None` if a digest cannot be read.
    fn notes(
        &mut self,
        open: &OpenVault,
        is_own: bool,
        counts: &dyn Fn(&RuleDigest<'_>) -> bool,
    ) -> Result<Option<(Vec<Note>, HashSet<String>)>> {
        let word_vectors = WordVectors::of(self.model);
        let digest = |note: &Note| {
            Bullet::of(note).map(|bullet| RuleDigest::stored(&bullet, &word_vectors)).unwrap_or_default()
        };
        let records = self
            .context
            .query_index(open, |index| index.note_records(NAME, &self.basis, NoteKind::Bullet, &digest))?;
        let stored = records.iter().enumerate().filter(|(_, record)| !record.is_empty());
        let read: Option<Vec<_>> = stored.map(|(at, record)| Some((at, RuleDigest::read(record)?))).collect();
        let Some(read) = read else { return Ok(None) };
        let (places, digests): (Vec<usize>, Vec<RuleDigest<'_>>) =
            read.into_iter().filter(|(_, digest)| counts(digest)).unzip();
        let found: BTreeSet<usize> =
            self.adds.iter().flat_map(|add| concerned(add, &digests, &word_vectors)).collect();
        let left_out = digests.iter().enumerate().filter(|(at, _)| !found.contains(at));
        left_out.for_each(|(_, digest)| digest.leave_out(&mut self.left_out, is_own));
        let ids = digests.iter().map(|digest| digest.id.to_owned()).collect();
        let mut notes = records.notes(found.into_iter().map(|at| places[at]))?;
        notes.extend(self.context.query_index(open, |index| index.notes_of(&[NoteKind::Blocked]))?);
        notes.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Some((notes, ids)))
    }
}
