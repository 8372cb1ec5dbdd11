//! The notes that are nearest to a proposal: what the program finds of them, and what follows from
//! a reader's verdicts on them.
//!
//! A verdict changes a confirmed note only if a person's word admits the proposal.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::actor::PERSONS_ONLY;
use crate::context::find::find;
use crate::context::meaning::meaning;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::error::{Error, ErrorKind, Result};
use crate::sessions::gathered_evidence::GatheredEvidence;
use crate::verbs::curate::{
    self, CurationInputs, CurationOptions, ExtraChangeSet, ExtraChanges, PlannedCuration, curate_with,
};
use crate::verbs::mark::{self, mark};
use crate::verbs::similar::{self, SimilarNote};
use crate::verbs::{playbook, relate};
use cm_learn::reflect::neighbour::{NeighbourVerdict, Verdict};
use cm_note::bullet::{Bullet, BulletState};
use cm_note::message::CommitOp;
use cm_note::note::types::{CONTRADICTS, SUPERSEDES};
use cm_note::note::{FeedbackSignal, Note, NoteKind};
use cm_playbook::conflict::StatementRelation;
use cm_playbook::curation::apply::{self, CurationResult};
use cm_playbook::curation::delta::{AddDelta, CurationDelta, DeltaFile, DeprecateDelta, FeedbackDelta};
use cm_playbook::curation::{CurationRequest, Playbook, review_decision};
use cm_playbook::embedding_model::WordVectors;

/// Maximum number of neighbours in an answer.
const MAX_NEIGHBOURS: usize = 5;
/// Edge type for neighbours that do not contradict.
const RELATED_TO: &str = "RELATED_TO";

/// An existing note that is near to the proposal.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Neighbour {
    /// ID of the note.
    pub id: String,
    /// Its text.
    pub text: String,
    /// The reader's verdict, or what the program finds; null if it finds nothing.
    pub verdict: Option<NeighbourVerdict>,
}

/// A proposal whose neighbours are settled.
#[derive(Debug, Clone)]
pub(crate) struct OwnProposal {
    /// ID of the new note, or of the existing one that was credited instead.
    pub id: String,
    pub session: Option<String>,
    /// Whether a person's word admits the proposal.
    pub is_stated: bool,
    /// Whether nothing was stored, because an existing note says the same.
    pub is_credited: bool,
    /// The proposed rule; `None` for a memory.
    pub rule: Option<AddDelta>,
}

/// What became of a proposal.
#[derive(Debug, Clone)]
pub(crate) struct SettledProposal {
    pub id: String,
    pub state: BulletState,
    pub why: String,
    pub neighbours: Vec<Neighbour>,
    pub commit: Option<String>,
}

/// Returns the rules and memories that are nearest to a text, with what the program finds of them.
///
/// # Errors
/// An index that can be neither used nor rebuilt.
pub(crate) fn neighbours(context: &Context, text: &str) -> Result<Vec<Neighbour>> {
    let mut alike = Vec::new();
    for kind in [NoteKind::Bullet, NoteKind::Memory] {
        alike.extend(similar::similar_to_text(context, text, kind, MAX_NEIGHBOURS)?);
    }
    alike.sort_by(|(a, _), (b, _)| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    alike.truncate(MAX_NEIGHBOURS);
    let word_vectors = WordVectors::of(meaning(context.target()));
    let least = playbook::limits(context.target()).duplicate();
    let own = word_vectors.embed(text);
    let own = own.embedded();
    let found = |note: &SimilarNote| {
        let other = word_vectors.embed(&note.title);
        let other = other.embedded();
        match own.verdict(&other, least, &word_vectors) {
            StatementRelation::Same => Some(NeighbourVerdict::Same),
            StatementRelation::Contradicts(_) => Some(NeighbourVerdict::Contradicts),
            _ => own.refines(&other, &word_vectors).then_some(NeighbourVerdict::Refines),
        }
    };
    let neighbour =
        |(note, _): (SimilarNote, String)| Neighbour { verdict: found(&note), id: note.id, text: note.title };
    Ok(alike.into_iter().map(neighbour).collect())
}

/// Settles the neighbours of a proposal by its reader's verdicts.
///
/// # Errors
/// A note that does not exist, and the errors of [`crate::context::write::apply`].
pub(crate) fn settle(context: &Context, own: OwnProposal, verdicts: &[Verdict]) -> Result<SettledProposal> {
    let note = find(context, &own.id)?.note;
    let mut settling = VerdictApplication {
        context,
        id: own.id.clone(),
        kind: note.kind,
        state: state_of(&note),
        why: "its neighbours are settled".to_owned(),
        unrelated: HashSet::new(),
        commit: None,
        own,
    };
    let mut neighbours = Vec::new();
    for Verdict { id, verdict } in verdicts {
        let other = find(context, id)?.note;
        settling.apply(&other, *verdict)?;
        let (id, text) = (other.key().to_owned(), other.title);
        neighbours.push(Neighbour { id, text, verdict: Some(*verdict) });
    }
    let VerdictApplication { id, state, why, commit, .. } = settling;
    Ok(SettledProposal { id, state, why, neighbours, commit })
}

/// State of a rule; a memory that waits for confirmation counts as a draft.
fn state_of(note: &Note) -> BulletState {
    Bullet::of(note).map_or_else(
        || if note.is_waiting() { BulletState::Draft } else { BulletState::Active },
        |bullet| bullet.state,
    )
}

/// The proposal while its verdicts are applied.
struct VerdictApplication<'a> {
    context: &'a Context,
    own: OwnProposal,
    id: String,
    kind: NoteKind,
    state: BulletState,
    why: String,
    /// Neighbours that have nothing to do with the proposal, or yield to it.
    unrelated: HashSet<String>,
    commit: Option<String>,
}

impl VerdictApplication<'_> {
    fn apply(&mut self, other: &Note, verdict: NeighbourVerdict) -> Result<()> {
        let is_own = other.key() == self.id;
        match verdict {
            NeighbourVerdict::Unrelated => self.unrelated(other, is_own),
            _ if is_own || self.own.is_credited || self.state == BulletState::Retired => Ok(()),
            NeighbourVerdict::Same => self.same(other),
            NeighbourVerdict::Refines => self.refines(other),
            NeighbourVerdict::Contradicts => self.contradicts(other),
        }
    }

    /// Withdraws the proposal in favour of a note that says the same, and credits that note. A draft
    /// never takes the place of an active proposal: it is retired instead.
    fn same(&mut self, other: &Note) -> Result<()> {
        let theirs = state_of(other);
        if other.kind != self.kind || theirs == BulletState::Retired {
            return self.relate(other, RELATED_TO, "says the same");
        }
        if self.state == BulletState::Active && theirs == BulletState::Draft {
            self.supersede(other, "says the same and was not confirmed")?;
            return Ok(());
        }
        let key = other.key().to_owned();
        let reason = format!("{key} says the same");
        if self.kind == NoteKind::Bullet {
            let mut deltas = vec![retire(&self.id, &key, &reason)];
            let is_of_session = Bullet::of(other).is_some_and(|bullet| {
                let sources = &bullet.fields.sources;
                sources.iter().any(|source| Some(&source.session) == self.own.session.as_ref())
            });
            if !is_of_session {
                deltas.push(CurationDelta::Helpful(FeedbackDelta {
                    id: key.clone(),
                    session: self.own.session.clone(),
                    reason: Some(format!("{} says the same", self.id)),
                    ..FeedbackDelta::default()
                }));
            }
            self.curate(deltas)?;
        } else {
            self.link((&key, &self.id.clone()), SUPERSEDES, "says the same")?;
            let helpful = mark::Options {
                signal: FeedbackSignal::Helpful,
                because: Some(format!("{} says the same", self.id)),
                weight: None,
                invert: false,
            };
            let marked = mark(self.context, &key, &helpful)?;
            self.record(marked.commit);
        }
        (self.state, self.why) = (BulletState::Retired, reason);
        Ok(())
    }

    /// A proposal that a person's word admits replaces what it says more precisely. A contradiction that the
    /// program found between the two is lifted, unless the other is pinned.
    fn refines(&mut self, other: &Note) -> Result<()> {
        let is_pinned = Bullet::of(other).is_some_and(|bullet| bullet.pinned);
        if self.own.is_stated && self.state == BulletState::Draft && other.kind == self.kind && !is_pinned {
            self.unrelated(other, false)?;
        }
        let replaces = self.own.is_stated && self.state == BulletState::Active && other.kind == self.kind;
        if replaces && self.supersede(other, "it says the same more precisely")? {
            return Ok(());
        }
        self.relate(other, RELATED_TO, "refines it")
    }

    /// The person's later word wins; without it both stay with a contradiction, and a person decides.
    fn contradicts(&mut self, other: &Note) -> Result<()> {
        let may_win = self.own.is_stated && other.kind == self.kind;
        if may_win && self.state == BulletState::Draft {
            self.unrelated.insert(other.key().to_owned());
            self.admit_without_unrelated()?;
        }
        let wins = may_win && self.state == BulletState::Active;
        if wins && self.supersede(other, "a person said otherwise later")? {
            return self.lift_contradiction(other);
        }
        self.relate(other, CONTRADICTS, "the agent that read both says so")
    }

    /// Removes the contradiction that the program found between the proposal and a neighbour, if any.
    fn lift_contradiction(&mut self, other: &Note) -> Result<()> {
        let edge = edge((&self.id, other.key()), CONTRADICTS, None);
        match relate::unrelate(self.context, &edge) {
            Ok(done) => self.record(done.commit),
            Err(error) if error.kind == ErrorKind::NotFound || error.code == PERSONS_ONLY => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Lifts what the program found against the proposal because of this neighbour.
    fn unrelated(&mut self, other: &Note, is_own: bool) -> Result<()> {
        self.unrelated.insert(other.key().to_owned());
        if is_own != self.own.is_credited {
            return Ok(());
        }
        if !is_own {
            self.lift_contradiction(other)?;
        }
        if is_own || self.own.is_stated && self.state == BulletState::Draft {
            self.admit_without_unrelated()?;
        }
        Ok(())
    }

    /// Replaces a neighbour by the proposal. Returns false if only a person can, because it is pinned.
    fn supersede(&mut self, other: &Note, reason: &str) -> Result<bool> {
        let key = other.key().to_owned();
        match Bullet::of(other) {
            Some(bullet) if bullet.pinned => {
                self.why = format!("{key} is pinned, so a person decides");
                return Ok(false);
            }
            Some(bullet) if bullet.state == BulletState::Retired => return Ok(false),
            Some(_) => self.curate(vec![retire(&key, &self.id, reason)])?,
            None => self.link((&self.id.clone(), &key), SUPERSEDES, reason)?,
        }
        self.why = format!("it replaces {key}: {reason}");
        Ok(true)
    }

    /// Repeats the admission check of the proposed rule without the unrelated neighbours. If it passes,
    /// the draft becomes active; a rule that was taken for an existing one is stored.
    fn admit_without_unrelated(&mut self) -> Result<()> {
        let Some(add) = self.own.rule.clone() else { return Ok(()) };
        let (context, own) = (self.context, (!self.own.is_credited).then(|| self.id.clone()));
        let mut gathered = GatheredEvidence::default();
        if self.own.is_stated {
            gathered.admit(&add.bullet.content);
        }
        let deltas = [CurationDelta::Add(Box::new(add))];
        let file = DeltaFile { session: self.own.session.clone(), ..DeltaFile::default() };
        let how = options(format!("Admit {}: its neighbours are unrelated", self.id));
        let proposer = curate::proposer(context, &file);
        let plan = |open: &OpenVault| {
            let before = playbook::as_written(context, open)?;
            let elsewhere = curate::elsewhere(context, open, &before)?;
            let is_compared = |bullet: &&Bullet| {
                Some(bullet.id.as_str()) != own.as_deref() && !self.unrelated.contains(bullet.id.as_str())
            };
            let rest = Playbook {
                bullets: before.bullets.iter().filter(is_compared).cloned().collect(),
                blocked: before.blocked.clone(),
            };
            let compared = rest.bullets.len();
            let inputs = CurationInputs::of(context, &proposer, &how);
            let request = inputs.request(&elsewhere, &deltas);
            let judged = apply::curate(&rest, &CurationRequest { history: &gathered, ..request });
            let new = judged.playbook.bullets.into_iter().nth(compared);
            let mut after = before.clone();
            match (new, own.as_deref()) {
                (Some(new), None) => after.bullets.push(new),
                (Some(new), Some(own)) if new.state == BulletState::Active => {
                    let at = after.bullets.iter().position(|bullet| bullet.id.as_str() == own);
                    let draft = at.and_then(|at| after.bullets.get_mut(at));
                    if let Some(draft) = draft
                        && let Ok(accepted) = review_decision::accept(draft, context.now())
                    {
                        *draft = accepted;
                    }
                }
                _ => {}
            }
            let curated = CurationResult { playbook: after, ..CurationResult::default() };
            Ok(PlannedCuration { before, curated, extra: ExtraChangeSet::default() })
        };
        let (outcome, ()) = match curate::write_curation(context, &how, &proposer, plan) {
            Err(error) if error.kind == ErrorKind::NothingDone => return Ok(()),
            outcome => outcome?,
        };
        let is_new = |bullet: &&Bullet| Some(bullet.content()) == self.proposed_text();
        let found = match &own {
            Some(id) => outcome.bullet(id),
            None => outcome.playbook.bullets.iter().rev().find(is_new),
        };
        if let Some(bullet) = found {
            (self.id, self.state) = (bullet.id.to_string(), bullet.state);
            self.own.is_credited = false;
            if bullet.state == BulletState::Active {
                self.why = "a person typed it in this session as lasting".to_owned();
            }
        }
        self.record(outcome.commit);
        Ok(())
    }

    /// Keeps the newest commit; a step without one leaves the one before.
    fn record(&mut self, commit: Option<String>) {
        self.commit = commit.or(self.commit.take());
    }

    fn proposed_text(&self) -> Option<&str> {
        self.own.rule.as_ref().map(|add| add.bullet.content.as_str())
    }

    /// Applies deltas that may retire the proposal and what it replaces, although an agent asks.
    fn curate(&mut self, deltas: Vec<CurationDelta>) -> Result<()> {
        let file = DeltaFile { session: self.own.session.clone(), deltas, ..DeltaFile::default() };
        let how = options(format!("Settle the neighbours of {}", self.id));
        let extra = ExtraChanges { may_rewrite: true, ..ExtraChanges::NOTHING };
        let (outcome, ()) = curate_with(self.context, &file, &how, &extra)?;
        self.record(outcome.commit.clone());
        curate::check_refusals(&outcome.report)
    }

    fn relate(&mut self, other: &Note, relation: &str, why: &str) -> Result<()> {
        let edge = edge((&self.id, other.key()), relation, Some(why));
        self.record(relate::relate(self.context, &edge)?.commit);
        Ok(())
    }

    /// Writes an edge that only the proposal's standing allows.
    fn link(&mut self, ends: (&str, &str), relation: &str, why: &str) -> Result<()> {
        let edge = edge(ends, relation, Some(why));
        self.record(relate::connect(self.context, &edge)?.commit);
        Ok(())
    }
}

fn edge((from, to): (&str, &str), relation: &str, why: Option<&str>) -> relate::Options {
    relate::Options {
        from: from.to_owned(),
        to: to.to_owned(),
        relation: Some(relation.to_owned()),
        strength: None,
        why: why.map(str::to_owned),
    }
}

fn retire(id: &str, heir: &str, reason: &str) -> CurationDelta {
    CurationDelta::Deprecate(DeprecateDelta {
        id: id.to_owned(),
        reason: Some(reason.to_owned()),
        replaced_by: Some(heir.to_owned()),
        ..DeprecateDelta::default()
    })
}

fn options(subject: String) -> CurationOptions {
    CurationOptions::by_program(CommitOp::Propose).with_subject(subject)
}

/// Checks that verdicts are about notes that were listed as neighbours.
///
/// # Errors
/// A usage error that names the first other note.
pub(crate) fn check_listed(context: &Context, verdicts: &[Verdict], listed: &[String]) -> Result<()> {
    for verdict in verdicts {
        let key = find(context, &verdict.id)?.note.key().to_owned();
        if !listed.contains(&key) {
            return Err(Error::usage(format!("{key} is not a neighbour of this proposal"))
                .hint("the answer to the proposal lists its neighbours"));
        }
    }
    Ok(())
}
