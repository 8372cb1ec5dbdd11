//! The function that changes a playbook: takes deltas, returns a new playbook and a report.
//!
//! It accesses no files, clock or random numbers. IDs are derived from text and time, so the output
//! is deterministic.

use std::collections::{BTreeSet, HashSet};

use super::admission::{Admission, AdmissionCheck, AdmittedRule, ProposedRule};
use super::bullet_index::{BulletIndex, is_standing};
use super::delta::{AddDelta, CurationDelta, DeprecateDelta, FeedbackDelta, PinDelta, ReplaceDelta};
use super::history::RuleEvidenceSource;
use super::report::{AppliedDelta, CurationReport, RuleConflict, UnappliedDelta};
use super::{Authority, CurationLimits, Playbook};
use crate::conflict::{EmbeddedStatement, RuleStatement, Similarity};
use crate::embedding_model::{EmbeddingModel, WordVectors};
use cm_note::bullet::content::{self, RuleHash};
use cm_note::bullet::id::BulletId;
use cm_note::bullet::{
    Bullet, BulletFields, BulletKind, BulletState, BulletType, DerivedFrom, Maturity, RuleScope,
    SessionSource,
};
use cm_note::id::NoteId;
use cm_note::instant::Instant;
use cm_note::note::REASONS;
use cm_note::note::check::is_category;
use cm_note::note::name::file_name;
use cm_note::note::suspicion::payload;
use cm_note::note::{Feedback, FeedbackSignal};
use cm_note::path::NotePath;
use cm_note::score::Scoring;
use cm_text::canonical::CanonicalForm;

/// The origin of the deltas.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proposer {
    /// Session of deltas that name none.
    pub session: Option<String>,
    pub agent: Option<String>,
    /// The person on whose behalf the deltas are proposed.
    pub author: Option<String>,
}

/// Input of a curation besides the playbook.
#[derive(Clone, Copy)]
pub struct CurationRequest<'a> {
    /// Deltas, applied in this order.
    pub deltas: &'a [CurationDelta],
    /// Origin of the deltas.
    pub proposer: &'a Proposer,
    /// Authority of the proposer.
    pub authority: Authority,
    /// Whether the request comes from an agent or a job. It cannot rewrite, retire or pin active
    /// rules, whatever the authority.
    pub only_proposes: bool,
    /// The playbooks of other vaults that apply as well.
    pub elsewhere: &'a Playbook,
    /// Limits and thresholds.
    pub limits: &'a CurationLimits,
    /// Constants of scoring.
    pub scoring: &'a Scoring,
    /// Evidence from past sessions.
    pub history: &'a dyn RuleEvidenceSource,
    /// Embedding model for rules.
    pub meaning: &'a dyn EmbeddingModel,
    /// Current time.
    pub now: Instant,
    /// Whether to review the maturity of all bullets, not only of those that a delta touched.
    pub review_all: bool,
    /// Paths of bullets that cannot be edited, with the reason.
    pub read_only_paths: &'a [(NotePath, String)],
}

/// Result of a curation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CurationResult {
    /// The playbook: existing bullets in their order, then new ones.
    pub playbook: Playbook,
    /// Contradictions found; each becomes an edge file.
    pub contradictions: Vec<NewContradiction>,
    /// What was done and what was refused.
    pub report: CurationReport,
}

/// Two bullets that contradict each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewContradiction {
    /// ID and rule of the new bullet.
    pub from: (NoteId, String),
    /// ID and rule of the existing bullet.
    pub to: (NoteId, String),
    /// Reason for the contradiction.
    pub reason: String,
}

/// Error code for deltas that only a person may apply.
pub const PERSONS_ONLY: &str = "persons-only";

/// Maximum number of deltas per session in one curation, for programs.
pub const DELTAS_PER_SESSION: usize = 50;

/// Applies deltas to a playbook.
pub fn curate(playbook: &Playbook, request: &CurationRequest<'_>) -> CurationResult {
    let mut curation = Curation::of(playbook, request);
    for (delta, number) in request.deltas.iter().zip(1..) {
        curation.number = number;
        curation.op = delta.name();
        if curation.has_too_many(delta) {
            curation.refuse(
                None,
                "too-many",
                format!("a session may propose at most {DELTAS_PER_SESSION} deltas"),
            );
        } else if curation.repeats(delta) {
            curation.skip(None, "equal-delta", "it repeats an earlier delta");
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
    pub(super) shelf: BulletIndex,
    elsewhere: BulletIndex,
    pub(super) sense: WordVectors<'a>,
    blocked: Vec<cm_note::bullet::blocked::BlockedNote>,
    own_blocked: Vec<cm_note::bullet::blocked::BlockedNote>,
    contradictions: Vec<NewContradiction>,
    pub(super) report: CurationReport,
    pub(super) touched: BTreeSet<usize>,
    /// Indices of bullets that this curation added.
    pub(super) added_bullets: BTreeSet<usize>,
    /// Indices of bullets that got feedback; `harmed` of those that got harmful feedback.
    pub(super) with_feedback: BTreeSet<usize>,
    pub(super) harmed: BTreeSet<usize>,
    /// Indices of rules that a person declared to be wrong, so that they are inverted.
    pub(super) inverted: BTreeSet<usize>,
    seen: HashSet<String>,
    per_session: std::collections::HashMap<String, usize>,
    number: usize,
    op: &'static str,
}

impl<'a> Curation<'a> {
    pub(super) fn of(playbook: &Playbook, request: &'a CurationRequest<'a>) -> Self {
        let mut blocked = playbook.blocked.clone();
        blocked.extend(request.elsewhere.blocked.iter().cloned());
        Self {
            request,
            shelf: BulletIndex::of(playbook),
            elsewhere: BulletIndex::of(request.elsewhere),
            sense: WordVectors::of(request.meaning),
            blocked,
            own_blocked: playbook.blocked.clone(),
            contradictions: Vec::new(),
            report: CurationReport::default(),
            touched: BTreeSet::new(),
            added_bullets: BTreeSet::new(),
            with_feedback: BTreeSet::new(),
            harmed: BTreeSet::new(),
            inverted: BTreeSet::new(),
            seen: HashSet::new(),
            per_session: std::collections::HashMap::new(),
            number: 0,
            op: "",
        }
    }

    pub(super) fn finish(self) -> CurationResult {
        CurationResult {
            playbook: Playbook { bullets: self.shelf.into_bullets(), blocked: self.own_blocked },
            contradictions: self.contradictions,
            report: self.report,
        }
    }

    /// Whether a program has exceeded its limit of deltas for one session.
    fn has_too_many(&mut self, delta: &CurationDelta) -> bool {
        let Some(session) = self.session(delta_session(delta)) else { return false };
        let count = self.per_session.entry(session).or_default();
        *count += 1;
        self.request.authority == Authority::Automation && *count > DELTAS_PER_SESSION
    }

    /// Whether an equal add, replace or merge delta precedes this one.
    fn repeats(&mut self, delta: &CurationDelta) -> bool {
        let key = match delta {
            CurationDelta::Add(add) => {
                let bullet = &add.bullet;
                let reach = (bullet.scope, &bullet.scope_key, &bullet.workspace);
                let form = CanonicalForm::of(&bullet.content);
                let hash = RuleHash::of(&bullet.content);
                format!("add {} {hash} {} {reach:?}", type_of(add).name(), form.as_str())
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
        let bullet = self.shelf.get_mut(at);
        bullet.updated = Some(self.request.now);
        self.report.applied.push(AppliedDelta {
            delta: self.number,
            op: self.op.to_owned(),
            id: bullet.id.to_string(),
            content: bullet.content().to_owned(),
            state: bullet.state,
            note,
        });
    }

    fn passed(&self, at: Option<usize>, code: &str, reason: impl Into<String>) -> UnappliedDelta {
        UnappliedDelta {
            delta: self.number,
            op: self.op.to_owned(),
            id: at.map(|at| self.shelf.get(at).id.to_string()),
            code: code.to_owned(),
            reason: reason.into(),
            credited: false,
        }
    }

    pub(super) fn skip(&mut self, at: Option<usize>, code: &str, reason: impl Into<String>) {
        let passed = self.passed(at, code, reason);
        self.report.skipped.push(passed);
    }

    pub(super) fn refuse(&mut self, at: Option<usize>, code: &str, reason: impl Into<String>) {
        let passed = self.passed(at, code, reason);
        self.report.refused.push(passed);
    }

    /// Refuses a delta with the id of an unknown bullet or of a blocked pattern.
    pub(super) fn refuse_naming(&mut self, id: String, code: &str, reason: String) {
        let passed = UnappliedDelta { id: Some(id), ..self.passed(None, code, reason) };
        self.report.refused.push(passed);
    }

    /// The blocked pattern that matches a rule: its id and the reason.
    pub(super) fn blocking_pattern(&self, rule: &str, agent_text: &str) -> Option<(String, String)> {
        let (statement, embedding) = (RuleStatement::of(agent_text), self.sense.text(agent_text));
        let meant = EmbeddedStatement { statement: &statement, embedding: embedding.as_ref() };
        match self.door().blocked(rule, meant)? {
            Admission::Blocked { id, reason, near } => {
                let words = blocked_words(reason.as_deref(), near);
                Some((id, words))
            }
            _ => None,
        }
    }

    /// The index of the bullet that a delta names; refuses the delta if the bullet may not be
    /// changed.
    pub(super) fn open_to_change(&mut self, id: &str) -> Option<usize> {
        let Some(at) = self.shelf.find(id) else {
            self.refuse_naming(id.to_owned(), "unknown-bullet", "rule not found".to_owned());
            return None;
        };
        if self.shelf.get(at).pinned && self.request.authority == Authority::Automation {
            self.refuse(Some(at), "pinned", "it is pinned; only a person can change it");
            return None;
        }
        if self.shelf.is_double(at) {
            self.refuse(Some(at), "ambiguous", "two notes have this ID; change one of them");
            return None;
        }
        if let Some(why) = self.closed(at) {
            self.refuse(Some(at), "cannot-edit", why);
            return None;
        }
        Some(at)
    }

    /// Like `open_to_change`, for deltas that rewrite or retire a bullet: agents may do so for
    /// drafts only.
    pub(super) fn open_to_rewrite(&mut self, id: &str) -> Option<usize> {
        let at = self.open_to_change(id)?;
        if self.request.only_proposes && self.shelf.get(at).state == BulletState::Active {
            self.refuse(Some(at), PERSONS_ONLY, "it is in use; only a person can rewrite or retire it");
            return None;
        }
        Some(at)
    }

    /// Refuses pinning and unpinning by agents and jobs.
    fn may_pin(&mut self, id: &str) -> bool {
        if self.request.only_proposes {
            self.refuse_naming(id.to_owned(), PERSONS_ONLY, "only a person can pin and unpin".to_owned());
        }
        !self.request.only_proposes
    }

    /// The reason why a bullet's file cannot be edited, if there is one.
    pub(super) fn closed(&self, at: usize) -> Option<String> {
        let path = &self.shelf.get(at).path;
        let found = self.request.read_only_paths.iter().find(|(closed, _)| closed == path);
        found.map(|(_, why)| format!("its file cannot be changed: {why}"))
    }

    fn door<'d>(&'d self) -> AdmissionCheck<'d> {
        AdmissionCheck {
            shelf: &self.shelf,
            other_vaults: &self.elsewhere,
            blocked: &self.blocked,
            limits: self.request.limits,
            history: self.request.history,
            sense: &self.sense,
            authority: self.request.authority,
        }
    }

    fn add(&mut self, add: &AddDelta) {
        let bullet_type = type_of(add);
        let proposal = &add.bullet;
        let reach = RuleScope {
            scope: proposal.scope.unwrap_or_default(),
            scope_key: proposal.scope_key.as_deref(),
            workspace: proposal.workspace.as_deref(),
        };
        let (content, category) = (proposal.content.as_str(), proposal.category.as_str());
        let candidate = ProposedRule { content, category, bullet_type, reach };
        match self.door().admit(candidate) {
            Admission::Malformed(error) => self.refuse(None, "not-a-rule", error.to_string()),
            Admission::BadCategory => {
                let shown: String = add.bullet.category.chars().take(60).collect();
                self.refuse(
                    None,
                    "bad-category",
                    format!("`{shown}` is not a valid category: use a letter first, then letters, digits, `_` and `-`, all lower case, at most 50"),
                );
            }
            Admission::Duplicate { at, reworded } => self.credit(at, reworded, add),
            Admission::Elsewhere { id } => {
                let reason = "the other vault has it".to_owned();
                let passed =
                    UnappliedDelta { id: Some(id), ..self.passed(None, "duplicate-elsewhere", reason) };
                self.report.skipped.push(passed);
            }
            Admission::Blocked { id, reason, near } => {
                let reason = blocked_words(reason.as_deref(), near);
                self.refuse_naming(id, "blocked", reason);
            }
            Admission::Deprecated { at } => {
                let reason = deprecated_words(self.shelf.get(at));
                self.refuse(Some(at), "deprecated", reason);
            }
            Admission::Failed(evidence) => self.refuse(
                None,
                "evidence-against",
                format!("{} sessions failed with it and {} succeeded", evidence.failures, evidence.successes),
            ),
            Admission::Admitted(admitted) => self.enter(add, bullet_type, admitted),
        }
    }

    fn enter(&mut self, add: &AddDelta, bullet_type: BulletType, admitted: AdmittedRule) {
        let bullet = self.new_bullet(add, bullet_type, &admitted);
        let at = self.shelf.push(bullet);
        self.added_bullets.insert(at);
        let draft =
            (!admitted.because.is_empty()).then(|| format!("a draft: {}", admitted.because.join("; ")));
        let refined = admitted.refines.map(|of| self.shelf.get(of));
        let refines = refined.map(|of| format!("adds to {}: {}", of.id, of.content()));
        let near = |(of, near): &(usize, Similarity)| {
            let of = self.shelf.get(*of);
            format!("similar to {} ({near}): {}", of.id, of.content())
        };
        let neighbours = admitted.neighbours.iter().map(near);
        let notes: Vec<String> = draft.into_iter().chain(refines).chain(neighbours).collect();
        self.applied(at, (!notes.is_empty()).then(|| notes.join("; ")));
        for (with, reason) in admitted.conflicts {
            self.contradict(at, with, reason);
        }
        for (with, with_content, reason) in admitted.conflicts_elsewhere {
            self.report_conflict(at, with, with_content, reason);
        }
    }

    pub(super) fn contradict(&mut self, at: usize, with: usize, reason: String) {
        let reference = |bullet: &Bullet| (bullet.id.clone(), bullet.content().to_owned());
        let (from, to) = (reference(self.shelf.get(at)), reference(self.shelf.get(with)));
        self.report_conflict(at, to.0.to_string(), to.1.clone(), reason.clone());
        self.contradictions.push(NewContradiction { from, to, reason });
    }

    fn report_conflict(&mut self, at: usize, with: String, with_content: String, reason: String) {
        let bullet = self.shelf.get(at);
        let (id, content) = (bullet.id.to_string(), bullet.content().to_owned());
        self.report.conflicts.push(RuleConflict {
            delta: self.number,
            id,
            content,
            with,
            with_content,
            reason,
        });
    }

    /// The bullet of an add delta, with a new id.
    fn new_bullet(&self, add: &AddDelta, bullet_type: BulletType, admitted: &AdmittedRule) -> Bullet {
        let proposal = &add.bullet;
        let by = &self.request.proposer;
        let session = self.session(add.session.as_deref());
        let source =
            session.map(|session| SessionSource { session, agent: by.agent.clone(), line: add.line });
        let kind = proposal.kind.unwrap_or(match bullet_type {
            BulletType::AntiPattern => BulletKind::AntiPattern,
            BulletType::Rule => BulletKind::default(),
        });
        let fields = BulletFields {
            why: proposal.reasoning.as_deref().map(content::escape_headings).filter(|why| !why.is_empty()),
            kind,
            scope_key: proposal.scope_key.clone(),
            sources: source.into_iter().collect(),
            derived_from: DerivedFrom {
                diaries: proposal.diaries.clone(),
                evidence: proposal.evidence.iter().map(|quote| content::fold_whitespace(quote)).collect(),
            },
            search_pointer: proposal.search_pointer.clone(),
            verify: proposal.verify.clone(),
            ..BulletFields::default()
        };
        let mut bullet = self.blank(&admitted.rule, &proposal.category, bullet_type, fields);
        bullet.tags = tags(proposal.tags.iter());
        bullet.scope = proposal.scope.unwrap_or_default();
        bullet.workspace.clone_from(&proposal.workspace);
        bullet.state = admitted.state;
        bullet
    }

    /// A new bullet with only a rule and an id: a candidate created now.
    pub(super) fn blank(
        &self,
        rule: &str,
        category: &str,
        bullet_type: BulletType,
        fields: BulletFields,
    ) -> Bullet {
        let id = self.new_id(rule);
        Bullet {
            path: path_of(category, rule, &id),
            id,
            bullet_type,
            category: category.to_owned(),
            scope: cm_note::bullet::Scope::default(),
            workspace: None,
            state: BulletState::Draft,
            maturity: Maturity::Candidate,
            pinned: false,
            tags: Vec::new(),
            feedback: Vec::new(),
            created: Some(self.request.now),
            updated: Some(self.request.now),
            last_checked: None,
            fields: BulletFields { content: rule.to_owned(), ..fields },
        }
    }

    /// A new id, derived from the rule and the time so that it does not depend on the order of
    /// deltas.
    fn new_id(&self, rule: &str) -> NoteId {
        let hash = RuleHash::of(rule);
        let mut entropy = [0; 16];
        entropy.copy_from_slice(&hash.bytes()[..16]);
        loop {
            let id = BulletId::generate(self.request.now, &entropy);
            if !self.shelf.contains_id(id.as_str()) && !self.elsewhere.contains_id(id.as_str()) {
                return id.into();
            }
            entropy = u128::from_be_bytes(entropy).wrapping_add(1).to_be_bytes();
        }
    }

    /// Credits an existing rule that was proposed again with one helpful event: once per session,
    /// or once per person and day without a session. The event stores the proposed text.
    fn credit(&mut self, at: usize, reworded: bool, add: &AddDelta) {
        let session = self.session(add.session.as_deref());
        let bullet = self.shelf.get(at);
        let pinned = bullet.pinned && self.request.authority == Authority::Automation;
        let is_same_event =
            |event: &Feedback| event.signal == FeedbackSignal::Helpful && event.session == session;
        let again = session.is_some() && bullet.feedback.iter().any(is_same_event);
        let its_own = session.is_some()
            && bullet.fields.sources.iter().any(|source| Some(&source.session) == session.as_ref());
        let draft = bullet.state == BulletState::Draft;
        let uncounted = self.uncounted(at, FeedbackSignal::Helpful, session.as_deref());
        let today = session.is_none() && uncounted.is_some();
        let credited = !(pinned || again || its_own || today || self.closed(at).is_some());
        let mut reason = match reworded {
            false => "it already exists".to_owned(),
            true => format!("it already exists in other words: {}", bullet.content()),
        };
        if let Some(why) = uncounted.filter(|_| credited) {
            reason += &format!("; the feedback has no weight: {why}");
        }
        if draft {
            reason += "; it is a draft: accept it with `cm review --accept`";
        }
        let code = if reworded { "near-duplicate" } else { "duplicate" };
        let passed = UnappliedDelta { credited, ..self.passed(Some(at), code, reason) };
        self.report.skipped.push(passed);
        if credited {
            let note = Some(format!("{AGAIN}: {}", content::fold_whitespace(&add.bullet.content)));
            let weight = if uncounted.is_some() { 0.0 } else { 1.0 };
            self.give(at, Feedback { note, weight, ..self.event(FeedbackSignal::Helpful, session) });
        }
    }

    /// The reason why an event has no weight: its session is unknown, or it has no session and the
    /// same person gave the same feedback on that day.
    fn uncounted(&self, at: usize, signal: FeedbackSignal, session: Option<&str>) -> Option<&'static str> {
        let seen = session.is_none_or(|session| self.request.history.has_seen(session));
        let event = self.event(signal, session.map(str::to_owned));
        uncounted_by(&self.shelf.get(at).feedback, &event, seen)
    }

    /// A feedback event with the proposer and time of this curation.
    fn event(&self, signal: FeedbackSignal, session: Option<String>) -> Feedback {
        let by = &self.request.proposer;
        Feedback {
            session,
            agent: by.agent.clone(),
            author: by.author.clone(),
            ..Feedback::new(self.request.now, signal)
        }
    }

    /// Adds an event to a bullet. Equal events get different times, so that both count.
    fn give(&mut self, at: usize, mut event: Feedback) {
        self.touched.insert(at);
        self.with_feedback.insert(at);
        if event.signal == FeedbackSignal::Harmful && event.weight > 0.0 {
            self.harmed.insert(at);
        }
        let now = self.request.now;
        let bullet = self.shelf.get_mut(at);
        while bullet.feedback.contains(&event) {
            event.at = event.at.plus_second();
        }
        bullet.feedback.push(event);
        bullet.updated = Some(now);
    }

    fn judge(&mut self, judge: &FeedbackDelta, signal: FeedbackSignal) {
        let Some(at) = self.open_to_change(&judge.id) else { return };
        let weight = judge.weight.unwrap_or(1.0);
        if !(0.0..=1.0).contains(&weight) {
            return self.refuse(Some(at), "bad-weight", format!("a weight is between 0 and 1, not {weight}"));
        }
        if judge.invert && self.request.authority == Authority::Automation {
            return self.refuse(Some(at), "person-only", "only a person can state that the opposite holds");
        }
        let session = self.session(judge.session.as_deref());
        let is_same_event = |event: &Feedback| event.signal == signal && event.session == session;
        if session.is_some() && self.shelf.get(at).feedback.iter().any(is_same_event) {
            return self.skip(Some(at), "said-already", "this session already gave this feedback");
        }
        let reason =
            judge.reason.as_deref().map(content::fold_whitespace).filter(|reason| !reason.is_empty());
        let is_known = reason
            .clone()
            .filter(|reason| REASONS.contains(&reason.as_str()) && signal == FeedbackSignal::Harmful);
        let note = if is_known.is_some() { None } else { reason };
        let uncounted = self.uncounted(at, signal, session.as_deref());
        let weight = if uncounted.is_some() { 0.0 } else { weight };
        let event = Feedback { weight, reason: is_known, note, ..self.event(signal, session) };
        if judge.invert {
            self.inverted.insert(at);
        }
        self.give(at, event);
        self.applied(at, uncounted.map(|why| format!("stored without weight: {why}")));
    }

    /// Whether a bullet contradicts one that is in use.
    pub(super) fn contradicts_live(&self, at: usize) -> bool {
        let bullet = self.shelf.get(at);
        let statement = RuleStatement::of(&bullet.agent_text());
        let meets = |other: &Bullet| {
            other.id != bullet.id && other.is_live() && other.rule_scope().overlaps(&bullet.rule_scope())
        };
        let elsewhere = |other: &Bullet| other.is_live() && other.rule_scope().overlaps(&bullet.rule_scope());
        !self.shelf.opposed(&statement, &self.sense, meets).is_empty()
            || !self.elsewhere.opposed(&statement, &self.sense, elsewhere).is_empty()
    }

    fn replace(&mut self, replace: &ReplaceDelta) {
        let Some(at) = self.open_to_rewrite(&replace.id) else { return };
        let rule = match content::rule(&replace.content) {
            Ok(rule) => rule,
            Err(error) => return self.refuse(Some(at), "not-a-rule", error.to_string()),
        };
        if rule == content::fold_whitespace(self.shelf.get(at).content()) {
            return self.skip(Some(at), "unchanged", "this rule already has the same text");
        }
        let bullet = self.shelf.get(at);
        let (own, agent_text) = (bullet.id.clone(), content::agent_text(&rule, bullet.bullet_type));
        let meets = |other: &Bullet| other.id != own && other.rule_scope().overlaps(&bullet.rule_scope());
        if let Some(other) = self.shelf.exact(&agent_text, meets) {
            return match is_standing(self.shelf.get(other)) {
                true => {
                    self.refuse(Some(other), "duplicate", "another rule has the same text; merge the two")
                }
                false => {
                    let reason = deprecated_words(self.shelf.get(other));
                    self.refuse(Some(other), "deprecated", reason)
                }
            };
        }
        let statement = RuleStatement::of(&agent_text);
        let opposed = self.shelf.opposed(&statement, &self.sense, |other| is_standing(other) && meets(other));
        if let Some((id, reason)) = self.blocking_pattern(&rule, &agent_text) {
            return self.refuse_naming(id, "blocked", reason);
        }
        if self.request.authority == Authority::Automation {
            // A rule in use is not given words that as a new one it would have to wait with.
            if let Some(why) = payload(&rule) {
                return self.refuse(Some(at), "suspicious", why);
            }
            let live = opposed.into_iter().find(|(with, _)| self.shelf.get(*with).is_live());
            if let Some((with, reason)) = live {
                return self.refuse(Some(with), "conflict", format!("they contradict each other: {reason}"));
            }
            self.shelf.reword(at, rule);
            return self.applied(at, None);
        }
        self.shelf.reword(at, rule);
        self.applied(at, None);
        for (with, reason) in opposed {
            self.contradict(at, with, reason);
        }
    }

    fn deprecate(&mut self, deprecate: &DeprecateDelta) {
        let Some(at) = self.open_to_rewrite(&deprecate.id) else { return };
        let heir = match deprecate.replaced_by.as_deref().map(|id| (id, self.shelf.find(id))) {
            None => None,
            Some((_, Some(heir))) if heir != at && is_standing(self.shelf.get(heir)) => {
                Some(self.shelf.get(heir).id.to_string())
            }
            Some((id, _)) => {
                return self.refuse(
                    Some(at),
                    "unknown-bullet",
                    format!("`{id}` is not another rule in use, so it cannot replace this one"),
                );
            }
        };
        if self.shelf.get(at).maturity == Maturity::Deprecated {
            return self.skip(Some(at), "deprecated", "it is already deprecated");
        }
        let reason = deprecate.reason.clone().unwrap_or_else(|| "no longer followed".to_owned());
        self.retire(at, &reason, heir);
        self.applied(at, None);
    }

    /// Deprecates and retires a bullet with a reason. Its content and history remain.
    pub(super) fn retire(&mut self, at: usize, reason: &str, heir: Option<String>) {
        let now = self.request.now;
        let bullet = self.shelf.get_mut(at);
        bullet.maturity = Maturity::Deprecated;
        bullet.state = BulletState::Retired;
        bullet.updated = Some(now);
        bullet.fields.deprecation_reason = Some(content::fold_whitespace(reason));
        if heir.is_some() {
            bullet.fields.replaced_by = heir;
        }
    }

    fn pin(&mut self, pin: &PinDelta) {
        let Some(at) = self.shelf.find(&pin.id) else {
            return self.refuse_naming(pin.id.clone(), "unknown-bullet", "rule not found".to_owned());
        };
        let bullet = self.shelf.get_mut(at);
        if bullet.pinned {
            return self.skip(Some(at), "pinned", "it is already pinned");
        }
        if bullet.maturity == Maturity::Deprecated {
            return self.refuse(Some(at), "deprecated", "a deprecated rule cannot be pinned");
        }
        bullet.pinned = true;
        bullet.fields.pinned_reason =
            pin.reason.as_deref().map(content::fold_whitespace).filter(|reason| !reason.is_empty());
        self.applied(at, None);
    }

    fn unpin(&mut self, pin: &PinDelta) {
        let Some(at) = self.open_to_change(&pin.id) else { return };
        let bullet = self.shelf.get_mut(at);
        if !bullet.pinned {
            return self.skip(Some(at), "not-pinned", "it is not pinned");
        }
        bullet.pinned = false;
        bullet.fields.pinned_reason = None;
        self.applied(at, None);
    }
}

/// Note of the event for a rule that was proposed again.
const AGAIN: &str = "proposed again";

/// The reason why an event has no weight given the existing events: its session is unknown, or it
/// has no session and the same person gave the same feedback on that day.
pub fn uncounted_by(there: &[Feedback], event: &Feedback, seen: bool) -> Option<&'static str> {
    let today = |old: &Feedback| {
        old.signal == event.signal
            && old.session.is_none()
            && old.author == event.author
            && old.weight > 0.0
            && old.at.day() == event.at.day()
    };
    match (&event.session, seen) {
        (Some(_), true) => None,
        (Some(_), false) => Some("its session is unknown here"),
        (None, _) => {
            there.iter().any(today).then_some("the same person already gave this feedback on this day")
        }
    }
}

/// The session that a delta names.
pub fn delta_session(delta: &CurationDelta) -> Option<&str> {
    match delta {
        CurationDelta::Add(add) => add.session.as_deref(),
        CurationDelta::Helpful(judge) | CurationDelta::Harmful(judge) | CurationDelta::Irrelevant(judge) => {
            judge.session.as_deref()
        }
        _ => None,
    }
}

/// The type of a proposed bullet: its `type`, else by its kind, else by the prefix `avoid:`.
fn type_of(add: &AddDelta) -> BulletType {
    let proposal = &add.bullet;
    let warns =
        proposal.content.trim_start().get(..6).is_some_and(|begin| begin.eq_ignore_ascii_case("avoid:"));
    proposal.bullet_type.unwrap_or(match proposal.kind {
        Some(BulletKind::AntiPattern) => BulletType::AntiPattern,
        _ if warns => BulletType::AntiPattern,
        _ => BulletType::Rule,
    })
}

/// Tags without `#` and spaces, deduplicated.
pub(super) fn tags<'t>(tags: impl Iterator<Item = &'t String>) -> Vec<String> {
    let mut clean: Vec<String> = Vec::new();
    for tag in tags {
        let tag = content::fold_whitespace(tag.trim_start_matches('#'));
        if !tag.is_empty() && !clean.contains(&tag) {
            clean.push(tag);
        }
    }
    clean
}

/// The default path of a new bullet. Bullets with an invalid hand-written category go to `general`.
#[allow(
    clippy::expect_used,
    reason = "a checked category and a file name of letters, digits and dashes are a sound path"
)]
fn path_of(category: &str, rule: &str, id: &NoteId) -> NotePath {
    let category = if is_category(category) { category } else { "general" };
    NotePath::below(&format!("playbook/{category}"), &file_name(rule, id)).expect("made of sound parts only")
}

fn blocked_words(reason: Option<&str>, near: Option<Similarity>) -> String {
    let what = match near {
        None => "its text is blocked".to_owned(),
        Some(near) => format!("a similar text is blocked ({near})"),
    };
    reason.map_or(what.clone(), |reason| format!("{what}: {reason}"))
}

fn deprecated_words(bullet: &Bullet) -> String {
    let mut words = "it was deprecated".to_owned();
    if let Some(reason) = &bullet.fields.deprecation_reason {
        words += &format!(": {reason}");
    }
    if let Some(heir) = &bullet.fields.replaced_by {
        words += &format!("; {heir} replaces it");
    }
    words
}
