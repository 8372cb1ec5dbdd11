//! Adds proposed rules, or credits the existing rule that says the same.

use std::collections::HashSet;

use super::Authority;
use super::admission::{Admission, AdmittedRule, ConflictElsewhere, ProposedRule};
use super::apply::{Curation, NewContradiction};
use super::delta::{AddDelta, StatedRule};
use super::later_word::AGAIN;
use super::report::{RuleConflict, RuleReplacement, UnappliedCode, UnappliedDelta};
use crate::conflict::Similarity;
use cm_note::bullet::content::RuleHash;
use cm_note::bullet::id::BulletId;
use cm_note::bullet::{
    Bullet, BulletFields, BulletKind, BulletState, BulletType, DerivedFrom, Maturity, SessionSource, content,
};
use cm_note::id::NoteId;
use cm_note::instant::Instant;
use cm_note::note::check::{MAX_TAGS, is_category};
use cm_note::note::name::file_name;
use cm_note::note::{Feedback, FeedbackSignal};
use cm_note::path::NotePath;

impl Curation<'_> {
    pub(super) fn add(&mut self, add: &AddDelta) {
        let bullet_type = type_of(add);
        let proposal = &add.bullet;
        let rule_scope = proposal.rule_scope();
        let (content, category) = (proposal.content.as_str(), proposal.category.as_str());
        let candidate = ProposedRule { content, category, bullet_type, rule_scope, excludes: &add.excludes };
        if proposal.tags.len() > MAX_TAGS {
            let reason =
                format!("a note may have at most {MAX_TAGS} tags; this one has {}", proposal.tags.len());
            return self.refuse(None, UnappliedCode::TooManyTags, reason);
        }
        match self.admission_check().admit(candidate) {
            Admission::Malformed(error) => self.refuse(None, UnappliedCode::NotARule, error.to_string()),
            Admission::BadCategory => {
                let shown: String = add.bullet.category.chars().take(60).collect();
                self.refuse(
                    None,
                    UnappliedCode::BadCategory,
                    format!("`{shown}` is not a valid category: use a letter first, then letters, digits, `_` and `-`, all lower case, at most 50"),
                );
            }
            Admission::Duplicate { at, reworded } => {
                self.replace_by_duplicate(at, candidate);
                self.credit(at, reworded, add);
            }
            Admission::Elsewhere { id } => {
                let reason = "the other vault has it".to_owned();
                let passed = UnappliedDelta {
                    id: Some(id),
                    ..self.passed(None, UnappliedCode::DuplicateElsewhere, reason)
                };
                self.report.skipped.push(passed);
            }
            Admission::Blocked { id, reason, near } => {
                let reason = blocked_words(reason.as_deref(), near);
                self.refuse_naming(id, UnappliedCode::Blocked, reason);
            }
            Admission::Deprecated { at } => {
                let reason = deprecated_words(self.bullet_index.get(at));
                self.refuse(Some(at), UnappliedCode::Deprecated, reason);
            }
            Admission::Failed(evidence) => self.refuse(
                None,
                UnappliedCode::EvidenceAgainst,
                format!("{} sessions failed with it and {} succeeded", evidence.failures, evidence.successes),
            ),
            Admission::Admitted(admitted) => self.enter(add, bullet_type, admitted),
        }
    }

    pub(super) fn enter(&mut self, add: &AddDelta, bullet_type: BulletType, admitted: AdmittedRule) {
        let bullet = self.new_bullet(add, bullet_type, &admitted);
        let at = self.bullet_index.push(bullet);
        self.added_bullets.insert(at);
        let draft =
            (!admitted.because.is_empty()).then(|| format!("a draft: {}", admitted.because.join("; ")));
        let refined = admitted.refines.map(|of| self.bullet_index.get(of));
        let refines = refined.map(|of| format!("adds to {}: {}", of.id, of.content()));
        let near = |(of, near): &(usize, Similarity)| {
            let of = self.bullet_index.get(*of);
            format!("similar to {} ({near}): {}", of.id, of.content())
        };
        let neighbours = admitted.neighbours.iter().map(near);
        let notes: Vec<String> = draft.into_iter().chain(refines).chain(neighbours).collect();
        self.applied(at, (!notes.is_empty()).then(|| notes.join("; ")));
        self.retire_replaced(at, &admitted.replaced);
        for (with, reason) in admitted.conflicts {
            self.contradict(at, with, reason);
        }
        for ConflictElsewhere { id: with, content: with_content, reason } in admitted.conflicts_elsewhere {
            self.report_conflict(at, with, with_content, reason);
        }
    }

    pub(super) fn contradict(&mut self, at: usize, with: usize, reason: String) {
        let reference = |bullet: &Bullet| (bullet.id.clone(), bullet.content().to_owned());
        let (from, to) = (reference(self.bullet_index.get(at)), reference(self.bullet_index.get(with)));
        self.report_conflict(at, to.0.to_string(), to.1.clone(), reason.clone());
        self.contradictions.push(NewContradiction { from, to, reason });
    }

    pub(super) fn report_conflict(&mut self, at: usize, with: String, with_content: String, reason: String) {
        let bullet = self.bullet_index.get(at);
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

    /// Creates the bullet that an add delta proposes, with a new id and the state from the
    /// admission check.
    pub(super) fn new_bullet(
        &self,
        add: &AddDelta,
        bullet_type: BulletType,
        admitted: &AdmittedRule,
    ) -> Bullet {
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

    /// Creates a bullet with only an id and a text: a candidate, created at the time of the
    /// curation.
    pub(super) fn blank(
        &self,
        rule: &str,
        category: &str,
        bullet_type: BulletType,
        fields: BulletFields,
    ) -> Bullet {
        self.with_id(self.new_id(rule), rule, category, bullet_type, fields)
    }

    /// Creates a bullet with the opposite of another. Its id follows from the id of the other, so
    /// that two clones that invert a rule create one bullet.
    pub(super) fn opposite_of(
        &self,
        old: &Bullet,
        rule: &str,
        bullet_type: BulletType,
        fields: BulletFields,
    ) -> Bullet {
        let entropy = derived_bytes(&["inversion", old.id.as_str()]);
        let id = self.free_id(old.created.unwrap_or(Instant::from_unix(0)), entropy);
        self.with_id(id, rule, &old.category, bullet_type, fields)
    }

    fn with_id(
        &self,
        id: NoteId,
        rule: &str,
        category: &str,
        bullet_type: BulletType,
        fields: BulletFields,
    ) -> Bullet {
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

    /// Derives a new note id from the rule's text and the time, so that it does not depend on the
    /// order of the deltas.
    pub(super) fn new_id(&self, rule: &str) -> NoteId {
        let hash = RuleHash::of(rule);
        let mut entropy = [0; 16];
        entropy.copy_from_slice(&hash.bytes()[..16]);
        self.free_id(self.request.now, entropy)
    }

    fn free_id(&self, at: Instant, mut entropy: [u8; 16]) -> NoteId {
        loop {
            let id = BulletId::generate(at, &entropy);
            if !self.bullet_index.contains_id(id.as_str()) && !self.elsewhere.contains_id(id.as_str()) {
                return id.into();
            }
            entropy = u128::from_be_bytes(entropy).wrapping_add(1).to_be_bytes();
        }
    }

    /// Adds a helpful event to an existing rule that was proposed again, once per session, or once
    /// per person and day without a session. The event stores the proposed text. If a person
    /// repeated an active rule that the session had been shown, the event is `ignored` and stores
    /// the person's words.
    pub(super) fn credit(&mut self, at: usize, reworded: bool, add: &AddDelta) {
        let session = self.session(add.session.as_deref());
        let bullet = self.bullet_index.get(at);
        let pinned = bullet.pinned && self.request.authority == Authority::Automation;
        let repeated = self.repeated_although_shown(bullet, session.as_deref(), add);
        let signal = if repeated.is_some() { FeedbackSignal::Ignored } else { FeedbackSignal::Helpful };
        let is_same_event = |event: &Feedback| {
            (event.signal == signal || event.signal == FeedbackSignal::Ignored) && event.session == session
        };
        let again = session.is_some() && bullet.feedback.iter().any(is_same_event);
        let its_own = session.is_some()
            && bullet.fields.sources.iter().any(|source| Some(&source.session) == session.as_ref());
        let draft = bullet.state == BulletState::Draft;
        let uncounted = self.uncounted(at, signal, session.as_deref());
        let today = session.is_none() && uncounted.is_some();
        let credited = !(pinned || again || its_own || today || self.closed(at).is_some());
        let mut reason = if reworded {
            format!("it already exists in other words: {}", bullet.content())
        } else {
            "it already exists".to_owned()
        };
        if let Some(why) = uncounted.filter(|_| credited) {
            reason += &format!("; the feedback has no weight: {why}");
        }
        if repeated.is_some() {
            reason += "; this session was shown it and did not follow it";
        }
        if draft {
            reason += &format!("; it is a draft: accept it with `cm review --accept {}`", bullet.id);
        }
        let code = if reworded { UnappliedCode::NearDuplicate } else { UnappliedCode::Duplicate };
        let passed = UnappliedDelta { credited, ..self.passed(Some(at), code, reason) };
        self.report.skipped.push(passed);
        if credited {
            let weight = if uncounted.is_some() { 0.0 } else { 1.0 };
            let event = self.event(signal, session);
            let event = match repeated {
                Some(stated) => Feedback { at: stated.at, note: Some(stated.quote), ..event },
                None => {
                    let note = format!("{AGAIN}: {}", content::fold_whitespace(&add.bullet.content));
                    Feedback { note: Some(note), ..self.dated_by_session(event) }
                }
            };
            self.give(at, Feedback { weight, ..event });
        }
    }

    /// Returns the person's statement if it repeats an active rule that its session had been shown.
    fn repeated_although_shown(
        &self,
        bullet: &Bullet,
        session: Option<&str>,
        add: &AddDelta,
    ) -> Option<StatedRule> {
        let stated = add.stated.clone().filter(|_| bullet.state == BulletState::Active)?;
        let shown = self.request.history.was_shown(session?, bullet.id.as_str(), stated.at);
        shown.then_some(stated)
    }

    /// Retires the bullets that the bullet at index `at` replaces.
    pub(super) fn retire_replaced(&mut self, at: usize, replaced: &[(usize, String)]) {
        let to = self.bullet_index.get(at).id.to_string();
        for (old, reason) in replaced.iter().filter(|(old, _)| *old != at) {
            self.retire(*old, &format!("a person said otherwise later: {reason}"), Some(to.clone()));
            let bullet = self.bullet_index.get(*old);
            self.report.replaced.push(RuleReplacement {
                from: bullet.id.to_string(),
                content: bullet.content().to_owned(),
                to: to.clone(),
                reason: reason.clone(),
            });
        }
        if let [(first, _), ..] = replaced {
            let first = self.bullet_index.get(*first).id.to_string();
            self.bullet_index.get_mut(at).fields.supersedes.get_or_insert(first);
        }
    }

    /// Retires the bullets that a statement replaces which says the same as the bullet at index `at`,
    /// if only they keep that one from being active.
    pub(super) fn replace_by_duplicate(&mut self, at: usize, candidate: ProposedRule<'_>) {
        if self.is_doubtful(at) || self.closed(at).is_some() {
            return;
        }
        let (replaced, _) = self.admission_check().excluded(&candidate);
        if !replaced.is_empty() {
            self.touched.insert(at);
            self.retire_replaced(at, &replaced);
        }
    }
}

/// Determines whether a proposed bullet is a rule or an anti-pattern: by its `type`, else by its
/// kind, else by the prefix `avoid:` of its text.
pub(super) fn type_of(add: &AddDelta) -> BulletType {
    let proposal = &add.bullet;
    let warns =
        proposal.content.trim_start().get(..6).is_some_and(|begin| begin.eq_ignore_ascii_case("avoid:"));
    proposal.bullet_type.unwrap_or(match proposal.kind {
        Some(BulletKind::AntiPattern) => BulletType::AntiPattern,
        _ if warns => BulletType::AntiPattern,
        _ => BulletType::Rule,
    })
}

/// Normalizes tags: strips a leading `#`, folds white space, and drops empty tags and duplicates.
pub(super) fn tags<'t>(tags: impl Iterator<Item = &'t String>) -> Vec<String> {
    let mut seen: HashSet<String> = HashSet::new();
    let clean = tags.map(|tag| content::fold_whitespace(tag.trim_start_matches('#')));
    clean.filter(|tag| !tag.is_empty() && seen.insert(tag.clone())).collect()
}

/// Returns the default path of a new bullet, a file in its category's folder. Invalid categories,
/// which can only be hand-written, become `general`.
#[allow(
    clippy::expect_used,
    reason = "a checked category and a file name of letters, digits and dashes are a sound path"
)]
fn path_of(category: &str, rule: &str, id: &NoteId) -> NotePath {
    let category = if is_category(category) { category } else { "general" };
    NotePath::below(&format!("playbook/{category}"), &file_name(rule, id)).expect("made of sound parts only")
}

/// Returns bytes that depend on these texts alone.
pub(super) fn derived_bytes(parts: &[&str]) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&blake3::hash(parts.join("\n").as_bytes()).as_bytes()[..16]);
    bytes
}

pub(super) fn blocked_words(reason: Option<&str>, near: Option<Similarity>) -> String {
    let what = match near {
        None => "its text is blocked".to_owned(),
        Some(near) => format!("a similar text is blocked ({near})"),
    };
    reason.map_or(what.clone(), |reason| format!("{what}: {reason}"))
}

pub(super) fn deprecated_words(bullet: &Bullet) -> String {
    let mut words = "it was deprecated".to_owned();
    if let Some(reason) = &bullet.fields.deprecation_reason {
        words += &format!(": {reason}");
    }
    if let Some(heir) = &bullet.fields.replaced_by {
        words += &format!("; {heir} replaces it");
    }
    words
}
