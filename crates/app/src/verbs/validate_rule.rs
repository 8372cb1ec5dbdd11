//! Predicts the result of adding a rule: the admission checks, the evidence of past sessions and,
//! if inconclusive, a model's opinion. The vault is not changed.

mod model_opinion;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::cancellation::Cancellation;
use crate::context::meaning::meaning;
use crate::context::open::Context;
use crate::context::progress::Progress;
use crate::error::{Error, Result};
use crate::sessions;
use crate::sessions::evidence::SessionEvidence;
use crate::verbs::curate::elsewhere;
use crate::verbs::playbook::{as_written, limits};
use cm_note::bullet::blocked::BlockedNote;
use cm_note::bullet::content;
use cm_note::bullet::{Bullet, BulletState, BulletType, RuleScope};
use cm_playbook::conflict::{MinSimilarity, Similarity};
use cm_playbook::curation::Authority;
use cm_playbook::curation::admission::{
    Admission, AdmissionCheck, AdmittedRule, ConflictElsewhere, ProposedRule,
};
use cm_playbook::curation::bullet_index::BulletIndex;
use cm_playbook::curation::history::{GateDecision, RuleEvidenceSource, SessionCounts};
use cm_playbook::embedding_model::WordVectors;

pub use model_opinion::ModelOpinion;

/// What would happen to a rule if a program proposed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AdmissionVerdict {
    /// The rule would be active, with strong evidence.
    Accept,
    /// The rule would be active, with some evidence.
    AcceptWithCaution,
    /// The rule would be a draft that a person must accept.
    Draft,
    /// The rule would be refused.
    Reject,
}

impl AdmissionVerdict {
    /// Returns the name of the verdict as shown to users.
    pub fn name(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::AcceptWithCaution => "accept with caution",
            Self::Draft => "draft",
            Self::Reject => "reject",
        }
    }
}

/// How an existing bullet or blocked pattern is related to the checked rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RuleRelation {
    /// A bullet has the same rule.
    Duplicate,
    /// A bullet has nearly the same rule.
    NearDuplicate,
    /// A blocked pattern matches the rule.
    Blocked,
    /// The rule was deprecated before.
    Deprecated,
    /// A bullet contradicts the rule.
    Conflict,
    /// The rule extends a bullet; this does not prevent adding it.
    Refines,
    /// A bullet is similar to the rule; this does not prevent adding it.
    Similar,
}

/// A bullet or blocked pattern that is related to the checked rule.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RuleCollision {
    /// How the note is related to the rule, such as `duplicate` or `conflict`.
    pub how: RuleRelation,
    /// Id of the bullet or blocked pattern.
    pub id: String,
    /// Text of the bullet or blocked pattern.
    pub content: String,
    /// Why the note is related in this way.
    pub reason: Option<String>,
    /// Similarity by words or vectors, 0–1; null if it did not decide the relation.
    pub likeness: Option<f64>,
}

/// Result of checking whether a rule would be accepted.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RuleJudgement {
    /// Text of the rule as it would be stored.
    pub rule: String,
    /// Category under which the rule was judged.
    pub category: String,
    /// What would happen to the rule if it were proposed.
    pub verdict: AdmissionVerdict,
    /// Confidence in the verdict, 0–1; 0.5 without evidence.
    pub confidence: f64,
    /// Reasons for the verdict.
    pub why: Vec<String>,
    /// Decision of the check of evidence; null if an earlier check decided.
    pub gate: Option<GateDecision>,
    /// Number of past sessions that support or contradict the rule.
    pub evidence: SessionCounts,
    /// Related bullets and blocked patterns.
    pub collisions: Vec<RuleCollision>,
    /// Opinion of a model; null if none was asked.
    pub model: Option<ModelOpinion>,
}

/// Judges a rule as if a program proposed it, after reading new log entries unless the request has
/// `no_refresh` set. If `model` is given and the evidence is inconclusive, asks the configured
/// model; `model` cancels the request.
///
/// # Errors
/// Returns an error if the text or the category is invalid, if the notes or the session index
/// cannot be read, or if the model cannot be used.
pub fn validate_rule(
    context: &Context,
    text: &str,
    category: &str,
    model: Option<&Cancellation>,
    progress: &mut dyn FnMut(Progress),
) -> Result<RuleJudgement> {
    sessions::SessionAccess::open(context, progress)?;
    let witnesses = SessionEvidence::of(context);
    let judged = judge(context, text, category, &witnesses)?;
    let Some(stop) = model.filter(|_| judged.gate == Some(GateDecision::Draft)) else { return Ok(judged) };
    let opinion = ModelOpinion::of(context, &judged.rule, &witnesses.validation(&judged.rule)?, stop)?;
    Ok(match opinion {
        Some(opinion) => judged.with_opinion(opinion),
        None => judged,
    })
}

impl RuleJudgement {
    /// Adds a model's opinion. A model can reject a rule, but cannot make up for missing evidence.
    fn with_opinion(mut self, opinion: ModelOpinion) -> Self {
        self.why.push(opinion.summary());
        self.confidence = opinion.confidence;
        if opinion.rejects() {
            self.verdict = AdmissionVerdict::Reject;
        }
        Self { model: Some(opinion), ..self }
    }
}

fn judge(
    context: &Context,
    text: &str,
    category: &str,
    history: &dyn RuleEvidenceSource,
) -> Result<RuleJudgement> {
    let open = context.target();
    let own = as_written(context, open)?;
    let other = elsewhere(context, open, &own)?;
    let blocked = [own.blocked.clone(), other.blocked.clone()].concat();
    let checker =
        RuleChecker { bullet_index: BulletIndex::of(&own), elsewhere: BulletIndex::of(&other), category };
    let limits = limits(open);
    let word_vectors = WordVectors::of(meaning(open));
    let admission_check = AdmissionCheck {
        bullet_index: &checker.bullet_index,
        other_vaults: &checker.elsewhere,
        blocked: &blocked,
        limits: &limits,
        history,
        word_vectors: &word_vectors,
        authority: Authority::Automation,
    };
    let bullet_type = type_of(text);
    let admission = admission_check.admit(ProposedRule {
        content: text,
        category,
        bullet_type,
        rule_scope: RuleScope::default(),
        excludes: &[],
    });
    let mut judged = checker.judgement(content::fold_whitespace(text), admission, &blocked)?;
    checker.add_similar(&mut judged, bullet_type, limits.merge(), &word_vectors);
    Ok(judged)
}

/// Estimates the probability of an outcome from its count and that of the other outcome, by
/// Laplace's rule of succession.
fn success_share(of_kind: usize, others: usize) -> f64 {
    (of_kind + 1) as f64 / (of_kind + others + 2) as f64
}

/// Returns the type of a rule: an anti-pattern if the text begins with `AVOID:`.
fn type_of(text: &str) -> BulletType {
    let avoids = text.trim_start().get(..6).is_some_and(|head| head.eq_ignore_ascii_case("avoid:"));
    if avoids { BulletType::AntiPattern } else { BulletType::Rule }
}

fn collision(how: RuleRelation, bullet: &Bullet, near: Option<Similarity>) -> RuleCollision {
    let content = content::fold_whitespace(bullet.content());
    let reason = near.filter(|near| matches!(near, Similarity::Meaning(_))).map(|near| near.to_string());
    RuleCollision { how, id: bullet.id.to_string(), content, reason, likeness: near.map(Similarity::value) }
}

/// Compares a rule with existing bullets of the target vault and the other vaults.
struct RuleChecker<'a> {
    bullet_index: BulletIndex,
    elsewhere: BulletIndex,
    category: &'a str,
}

impl RuleChecker<'_> {
    /// Words the result of the admission check.
    ///
    /// # Errors
    /// The text is not a rule, or the category is invalid.
    fn judgement(
        &self,
        rule: String,
        admission: Admission,
        blocked: &[BlockedNote],
    ) -> Result<RuleJudgement> {
        Ok(match admission {
            Admission::Malformed(error) => {
                return Err(Error::usage(error.to_string())
                    .hint("for example `cm validate-rule \"Run the whole suite before you push.\"`"));
            }
            Admission::BadCategory => {
                return Err(Error::usage(format!("`{}` is not a valid category", self.category)).hint(
                    "use a letter first, then letters, digits, `_` and `-`, all lower case, at most 50",
                ));
            }
            Admission::Duplicate { at, reworded } => {
                let near = reworded.then_some(Similarity::Words(1.0));
                self.duplicate(rule, self.bullet_index.get(at), near, "a rule with the same text exists")
            }
            Admission::Elsewhere { id } => match self.elsewhere.find(&id) {
                Some(at) => self.duplicate(rule, self.elsewhere.get(at), None, "the other vault has it"),
                None => self.rejected(rule, 1.0, "the other vault has it".to_owned(), Vec::new()),
            },
            Admission::Blocked { id, reason, near } => {
                let text =
                    blocked.iter().find(|blocked| blocked.id.as_str() == id).map(|blocked| blocked.text());
                let content = text.unwrap_or_default().to_owned();
                let likeness = near.map(Similarity::value);
                let collision = RuleCollision { how: RuleRelation::Blocked, id, content, reason, likeness };
                self.rejected(rule, likeness.unwrap_or(1.0), "it is blocked".to_owned(), vec![collision])
            }
            Admission::Deprecated { at } => {
                let bullet = self.bullet_index.get(at);
                let reason = bullet.fields.deprecation_reason.clone();
                let collision = RuleCollision { reason, ..collision(RuleRelation::Deprecated, bullet, None) };
                self.rejected(
                    rule,
                    1.0,
                    "it was deprecated before and cannot be added again".to_owned(),
                    vec![collision],
                )
            }
            Admission::Failed(evidence) => {
                let why = format!(
                    "{} sessions failed with it and {} succeeded",
                    evidence.failures, evidence.successes
                );
                let confidence = success_share(evidence.failures, evidence.successes);
                RuleJudgement {
                    gate: Some(GateDecision::Refused),
                    evidence,
                    ..self.rejected(rule, confidence, why, Vec::new())
                }
            }
            Admission::Admitted(admitted) => self.admitted(admitted),
        })
    }

    fn rejected(
        &self,
        rule: String,
        confidence: f64,
        why: String,
        collisions: Vec<RuleCollision>,
    ) -> RuleJudgement {
        RuleJudgement {
            rule,
            category: self.category.to_owned(),
            verdict: AdmissionVerdict::Reject,
            confidence,
            why: vec![why],
            gate: None,
            evidence: SessionCounts::default(),
            collisions,
            model: None,
        }
    }

    fn duplicate(&self, rule: String, bullet: &Bullet, near: Option<Similarity>, why: &str) -> RuleJudgement {
        let how = if near.is_some() { RuleRelation::NearDuplicate } else { RuleRelation::Duplicate };
        self.rejected(
            rule,
            near.map_or(1.0, Similarity::value),
            why.to_owned(),
            vec![collision(how, bullet, near)],
        )
    }

    fn admitted(&self, admitted: AdmittedRule) -> RuleJudgement {
        let verdict = match (admitted.state, admitted.gate) {
            (BulletState::Active, GateDecision::Certain) => AdmissionVerdict::Accept,
            (BulletState::Active, _) => AdmissionVerdict::AcceptWithCaution,
            _ => AdmissionVerdict::Draft,
        };
        let evidence = admitted.evidence;
        let mut why = admitted.because;
        if why.is_empty() {
            why.push(format!("{} sessions succeeded with it and none failed", evidence.successes));
        }
        let of = |at: usize, reason: String| RuleCollision {
            reason: Some(reason),
            ..collision(RuleRelation::Conflict, self.bullet_index.get(at), None)
        };
        let own = admitted.conflicts.into_iter().map(|(at, reason)| of(at, reason));
        let other =
            admitted.conflicts_elsewhere.into_iter().map(|ConflictElsewhere { id, content, reason }| {
                RuleCollision {
                    how: RuleRelation::Conflict,
                    id,
                    content,
                    reason: Some(reason),
                    likeness: None,
                }
            });
        let refined =
            admitted.refines.map(|at| collision(RuleRelation::Refines, self.bullet_index.get(at), None));
        RuleJudgement {
            rule: admitted.rule,
            category: self.category.to_owned(),
            verdict,
            confidence: success_share(evidence.successes, evidence.failures),
            why,
            gate: Some(admitted.gate),
            collisions: own.chain(other).chain(refined).collect(),
            evidence,
            model: None,
        }
    }

    /// Adds the most similar bullet to the related notes, unless it is among them already.
    fn add_similar(
        &self,
        judged: &mut RuleJudgement,
        bullet_type: BulletType,
        least: MinSimilarity,
        word_vectors: &WordVectors<'_>,
    ) {
        let agent_text = content::agent_text(&judged.rule, bullet_type);
        let rule = word_vectors.embed(&agent_text);
        let near = self.bullet_index.near(rule.embedded(), least, word_vectors, Bullet::is_standing);
        let Some((at, near)) = near else { return };
        let bullet = self.bullet_index.get(at);
        if judged.collisions.iter().all(|collision| collision.id != bullet.id.as_str()) {
            judged.collisions.push(collision(RuleRelation::Similar, bullet, Some(near)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(state: BulletState, successes: usize, failures: usize) -> (AdmissionVerdict, f64) {
        let evidence =
            SessionCounts { sessions: successes + failures, successes, failures, quotes: Vec::new() };
        let playbook = cm_playbook::curation::Playbook::default();
        let checker = RuleChecker {
            bullet_index: BulletIndex::of(&playbook),
            elsewhere: BulletIndex::of(&playbook),
            category: "testing",
        };
        let judged = checker.admitted(AdmittedRule {
            rule: "Run the tests first.".to_owned(),
            state,
            because: Vec::new(),
            refines: None,
            neighbours: Vec::new(),
            conflicts: Vec::new(),
            replaced: Vec::new(),
            conflicts_elsewhere: Vec::new(),
            gate: GateDecision::of(&evidence),
            evidence,
        });
        (judged.verdict, (judged.confidence * 100.0).round() / 100.0)
    }

    #[test]
    fn the_verdict_is_what_an_add_would_come_to_and_grows_surer_with_the_evidence() {
        assert_eq!(verdict(BulletState::Active, 5, 0), (AdmissionVerdict::Accept, 0.86));
        assert_eq!(verdict(BulletState::Active, 3, 0), (AdmissionVerdict::AcceptWithCaution, 0.8));
        assert_eq!(verdict(BulletState::Draft, 5, 0).0, AdmissionVerdict::Draft);
        assert_eq!(verdict(BulletState::Draft, 0, 0), (AdmissionVerdict::Draft, 0.5));
        assert_eq!(verdict(BulletState::Draft, 1, 3), (AdmissionVerdict::Draft, 0.33));
    }

    #[test]
    fn a_text_that_begins_with_avoid_says_what_to_avoid() {
        assert_eq!(type_of(" Avoid: sleeping in tests."), BulletType::AntiPattern);
        assert_eq!(type_of("Avoidance é"), BulletType::Rule);
    }
}
