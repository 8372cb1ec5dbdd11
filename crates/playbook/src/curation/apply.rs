//! The function that changes a playbook: takes deltas, returns a new playbook and a report.
//!
//! It accesses no files, clock or random numbers. IDs are derived from text and time, so the output
//! is deterministic.

use std::collections::{BTreeSet, HashSet};

use super::adding::{blocked_words, type_of};
use super::admission::{Admission, AdmissionCheck};
use super::bullet_index::BulletIndex;
use super::delta::{CurationDelta, DeltaKind};
use super::history::RuleEvidenceSource;
use super::left_out::LeftOutRules;
use super::report::{AppliedDelta, CurationReport, UnappliedCode, UnappliedDelta};
use super::{Authority, CurationLimits, Playbook};
use crate::conflict::{EmbeddedStatement, RuleStatement};
use crate::embedding_model::{EmbeddingModel, WordVectors};
use cm_note::bullet::BulletState;
use cm_note::bullet::content::RuleHash;
use cm_note::id::NoteId;
use cm_note::instant::Instant;
use cm_note::note::FeedbackSignal;
use cm_note::path::NotePath;
use cm_note::score::Scoring;
use cm_text::canonical::CanonicalForm;

/// The session, agent or person that proposes deltas.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proposer {
    /// Session id for deltas that do not name a session.
    pub session: Option<String>,
    pub agent: Option<String>,
    /// The person on whose behalf the deltas are proposed.
    pub author: Option<String>,
    /// Name of the person for feedback outside of sessions, where `author` is unknown.
    pub own_name: Option<String>,
}

/// Input of a curation: the deltas, their origin, and what they are checked against.
#[derive(Clone, Copy)]
pub struct CurationRequest<'a> {
    /// Deltas, applied in this order.
    pub deltas: &'a [CurationDelta],
    /// The session, agent or person that proposes the deltas.
    pub proposer: &'a Proposer,
    /// On whose authority the deltas are applied.
    pub authority: Authority,
    /// Whether the request comes from an agent or a job. It cannot rewrite, retire or pin active
    /// rules, whatever the authority.
    pub only_proposes: bool,
    /// Bullets of other vaults that apply in the same workspace.
    pub elsewhere: &'a Playbook,
    /// Bullets of this and other vaults that are in neither playbook, because they cannot matter.
    pub left_out: &'a LeftOutRules,
    /// Limits and thresholds.
    pub limits: &'a CurationLimits,
    /// Constants for computing scores from feedback.
    pub scoring: &'a Scoring,
    /// Lookup of past sessions that support or refute a rule.
    pub history: &'a dyn RuleEvidenceSource,
    /// Embedding model for rules.
    pub meaning: &'a dyn EmbeddingModel,
    /// Current time.
    pub now: Instant,
    pub sweep: SweepScope,
    /// Paths of bullets whose files cannot be edited, each with the reason for display.
    pub read_only_paths: &'a [(NotePath, String)],
}

/// Which bullets a curation evaluates again after its deltas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SweepScope {
    /// Those that a delta changed.
    #[default]
    Changed,
    /// Also all drafts, which become active if their evidence is now sufficient.
    Drafts,
    /// All bullets, with their maturity.
    All,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct CurationResult {
    /// The curated playbook: existing bullets in their order, then new ones.
    pub playbook: Playbook,
    /// Contradictions found; each becomes an edge file.
    pub contradictions: Vec<NewContradiction>,
    /// Applied, skipped and refused deltas, and changes of maturity.
    pub report: CurationReport,
}

/// Two bullets that contradict each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewContradiction {
    /// ID and rule of the new bullet.
    pub from: (NoteId, String),
    /// ID and rule of the existing bullet.
    pub to: (NoteId, String),
    pub reason: String,
}

/// Error code for deltas that only a person may apply.
pub const PERSONS_ONLY: &str = "persons-only";

/// Maximum number of deltas that one session may propose in a curation; applies to agents and jobs,
/// not to people.
pub const MAX_DELTAS_PER_SESSION: usize = 50;

/// Applies deltas to a copy of the playbook, in order; deltas that are not allowed are refused in
/// the report.
pub fn curate(playbook: &Playbook, request: &CurationRequest<'_>) -> CurationResult {
    let mut curation = Curation::of(playbook, request);
    for (delta, number) in request.deltas.iter().zip(1..) {
        curation.number = number;
        curation.op = delta.kind();
        if curation.has_too_many(delta) {
            curation.refuse(
                None,
                UnappliedCode::TooMany,
                format!("a session may propose at most {MAX_DELTAS_PER_SESSION} deltas"),
            );
        } else if curation.repeats(delta) {
            curation.skip(None, UnappliedCode::EqualDelta, "it repeats an earlier delta");
        } else {
            curation.carry_out(delta);
        }
    }
    curation.settle();
    curation.finish()
}

/// State of a running curation.
pub(super) struct Curation<'a> {
    pub(super) request: &'a CurationRequest<'a>,
    pub(super) bullet_index: BulletIndex,
    pub(super) elsewhere: BulletIndex,
    pub(super) word_vectors: WordVectors<'a>,
    pub(super) blocked: Vec<cm_note::bullet::blocked::BlockedNote>,
    pub(super) own_blocked: Vec<cm_note::bullet::blocked::BlockedNote>,
    pub(super) contradictions: Vec<NewContradiction>,
    pub(super) report: CurationReport,
    pub(super) touched: BTreeSet<usize>,
    /// Indices of bullets that this curation added.
    pub(super) added_bullets: BTreeSet<usize>,
    /// Indices of bullets that got feedback in this curation. `harmed` are those with harmful
    /// feedback.
    pub(super) with_feedback: BTreeSet<usize>,
    pub(super) harmed: BTreeSet<usize>,
    pub(super) seen: HashSet<String>,
    pub(super) per_session: std::collections::HashMap<String, usize>,
    pub(super) number: usize,
    pub(super) op: DeltaKind,
}

impl<'a> Curation<'a> {
    pub(super) fn of(playbook: &Playbook, request: &'a CurationRequest<'a>) -> Self {
        let mut blocked = playbook.blocked.clone();
        blocked.extend(request.elsewhere.blocked.iter().cloned());
        Self {
            request,
            bullet_index: BulletIndex::of(playbook).with_left_out(request.left_out),
            elsewhere: BulletIndex::of(request.elsewhere),
            word_vectors: WordVectors::of(request.meaning),
            blocked,
            own_blocked: playbook.blocked.clone(),
            contradictions: Vec::new(),
            report: CurationReport::default(),
            touched: BTreeSet::new(),
            added_bullets: BTreeSet::new(),
            with_feedback: BTreeSet::new(),
            harmed: BTreeSet::new(),
            seen: HashSet::new(),
            per_session: std::collections::HashMap::new(),
            number: 0,
            op: DeltaKind::Add,
        }
    }

    pub(super) fn finish(self) -> CurationResult {
        CurationResult {
            playbook: Playbook { bullets: self.bullet_index.into_bullets(), blocked: self.own_blocked },
            contradictions: self.contradictions,
            report: self.report,
        }
    }

    /// Counts a delta for its session, and returns `true` if an automated caller exceeds
    /// [`MAX_DELTAS_PER_SESSION`] with it. People have no limit.
    fn has_too_many(&mut self, delta: &CurationDelta) -> bool {
        let Some(session) = self.session(delta_session(delta)) else { return false };
        let count = self.per_session.entry(session).or_default();
        *count += 1;
        self.request.authority == Authority::Automation && *count > MAX_DELTAS_PER_SESSION
    }

    /// Returns `true` if an equal add, replace or merge delta was already processed in this
    /// curation.
    fn repeats(&mut self, delta: &CurationDelta) -> bool {
        let key = match delta {
            CurationDelta::Add(add) => {
                let bullet = &add.bullet;
                let rule_scope = (bullet.scope, &bullet.scope_key, &bullet.workspace);
                let form = CanonicalForm::of(&bullet.content);
                let hash = RuleHash::of(&bullet.content);
                format!("add {} {hash} {} {rule_scope:?}", type_of(add).name(), form.as_str())
            }
            CurationDelta::Replace(replace) => {
                format!("replace {} {}", replace.id, RuleHash::of(&replace.content))
            }
            CurationDelta::Merge(merge) => {
                let mut ids = merge.ids.clone();
                ids.sort_unstable();
                format!("merge {}", ids.join(" "))
            }
            _ => return false,
        };
        !self.seen.insert(key)
    }

    fn carry_out(&mut self, delta: &CurationDelta) {
        match delta {
            CurationDelta::Add(add) => self.add(add),
            CurationDelta::Helpful(judge) => self.judge(judge, FeedbackSignal::Helpful),
            CurationDelta::Harmful(judge) => self.judge(judge, FeedbackSignal::Harmful),
            CurationDelta::Irrelevant(judge) => self.judge(judge, FeedbackSignal::Irrelevant),
            CurationDelta::Replace(replace) => self.replace(replace),
            CurationDelta::Deprecate(deprecate) => self.deprecate(deprecate),
            CurationDelta::Merge(merge) => self.merge(merge),
            CurationDelta::Pin(pin) if self.may_pin(&pin.id) => self.pin(pin),
            CurationDelta::Unpin(pin) if self.may_pin(&pin.id) => self.unpin(pin),
            CurationDelta::Pin(_) | CurationDelta::Unpin(_) => {}
        }
    }

    pub(super) fn session(&self, own: Option<&str>) -> Option<String> {
        own.map(str::to_owned).or_else(|| self.request.proposer.session.clone())
    }

    pub(super) fn applied(&mut self, at: usize, note: Option<String>) {
        self.touched.insert(at);
        let bullet = self.bullet_index.get_mut(at);
        bullet.updated = Some(self.request.now);
        self.report.applied.push(AppliedDelta {
            delta: self.number,
            op: self.op,
            id: bullet.id.to_string(),
            content: bullet.content().to_owned(),
            state: bullet.state,
            note,
        });
    }

    pub(super) fn passed(
        &self,
        at: Option<usize>,
        code: UnappliedCode,
        reason: impl Into<String>,
    ) -> UnappliedDelta {
        UnappliedDelta {
            delta: self.number,
            op: self.op.name().to_owned(),
            id: at.map(|at| self.bullet_index.get(at).id.to_string()),
            code,
            reason: reason.into(),
            credited: false,
        }
    }

    pub(super) fn skip(&mut self, at: Option<usize>, code: UnappliedCode, reason: impl Into<String>) {
        let passed = self.passed(at, code, reason);
        self.report.skipped.push(passed);
    }

    pub(super) fn refuse(&mut self, at: Option<usize>, code: UnappliedCode, reason: impl Into<String>) {
        let passed = self.passed(at, code, reason);
        self.report.refused.push(passed);
    }

    /// Refuses a delta that names an unknown bullet or matches a blocked pattern; `id` is that id.
    pub(super) fn refuse_naming(&mut self, id: String, code: UnappliedCode, reason: String) {
        let passed = UnappliedDelta { id: Some(id), ..self.passed(None, code, reason) };
        self.report.refused.push(passed);
    }

    /// Returns the id of the blocked pattern that matches a rule, and the reason for display;
    /// `None` if no pattern matches.
    pub(super) fn blocking_pattern(&self, rule: &str, agent_text: &str) -> Option<(String, String)> {
        let (statement, embedding) = (RuleStatement::of(agent_text), self.word_vectors.text(agent_text));
        let embedded = EmbeddedStatement { statement: &statement, embedding: embedding.as_ref() };
        match self.admission_check().blocked(rule, embedded)? {
            Admission::Blocked { id, reason, near } => {
                let words = blocked_words(reason.as_deref(), near);
                Some((id, words))
            }
            _ => None,
        }
    }

    /// Finds the bullet with this id and returns its index; refuses the delta if the id is unknown
    /// or the bullet may not be changed.
    pub(super) fn open_to_change(&mut self, id: &str) -> Option<usize> {
        let Some(at) = self.bullet_index.find(id) else {
            self.refuse_naming(id.to_owned(), UnappliedCode::UnknownBullet, "rule not found".to_owned());
            return None;
        };
        if self.bullet_index.get(at).pinned && self.request.authority == Authority::Automation {
            self.refuse(Some(at), UnappliedCode::Pinned, "it is pinned; only a person can change it");
            return None;
        }
        if self.bullet_index.is_double(at) {
            self.refuse(Some(at), UnappliedCode::Ambiguous, "two notes have this ID; change one of them");
            return None;
        }
        if let Some(why) = self.closed(at) {
            self.refuse(Some(at), UnappliedCode::CannotEdit, why);
            return None;
        }
        Some(at)
    }

    /// Like `open_to_change`, for deltas that rewrite or retire a bullet: agents may do so for
    /// drafts only.
    pub(super) fn open_to_rewrite(&mut self, id: &str) -> Option<usize> {
        let at = self.open_to_change(id)?;
        if self.request.only_proposes && self.bullet_index.get(at).state == BulletState::Active {
            self.refuse(
                Some(at),
                UnappliedCode::PersonsOnly,
                "it is in use; only a person can rewrite or retire it",
            );
            return None;
        }
        Some(at)
    }

    /// Returns whether the caller may pin and unpin; refuses the delta of an agent or job.
    pub(super) fn may_pin(&mut self, id: &str) -> bool {
        if self.request.only_proposes {
            self.refuse_naming(
                id.to_owned(),
                UnappliedCode::PersonsOnly,
                "only a person can pin and unpin".to_owned(),
            );
        }
        !self.request.only_proposes
    }

    /// Returns the reason why a bullet's file cannot be edited; `None` if it can.
    pub(super) fn closed(&self, at: usize) -> Option<String> {
        let path = &self.bullet_index.get(at).path;
        let found = self.request.read_only_paths.iter().find(|(closed, _)| closed == path);
        found.map(|(_, why)| format!("its file cannot be changed: {why}"))
    }

    pub(super) fn admission_check<'d>(&'d self) -> AdmissionCheck<'d> {
        AdmissionCheck {
            bullet_index: &self.bullet_index,
            other_vaults: &self.elsewhere,
            blocked: &self.blocked,
            limits: self.request.limits,
            history: self.request.history,
            word_vectors: &self.word_vectors,
            authority: self.request.authority,
        }
    }
}

/// The session id in a delta; `None` if the delta names no session or its type has none.
pub fn delta_session(delta: &CurationDelta) -> Option<&str> {
    match delta {
        CurationDelta::Add(add) => add.session.as_deref(),
        CurationDelta::Helpful(judge) | CurationDelta::Harmful(judge) | CurationDelta::Irrelevant(judge) => {
            judge.session.as_deref()
        }
        _ => None,
    }
}
