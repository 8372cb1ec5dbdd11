//! Predicts the result of adding a rule: the admission checks, the evidence of past sessions and,
//! if inconclusive, a model's opinion. The vault is not changed.

mod opinion;

use schemars::JsonSchema;
use serde::Serialize;

use super::curate::elsewhere;
use super::error::{Error, Result};
use super::meaning::meaning;
use super::memory::Memory;
use super::playbook::{as_written, limits};
use super::sessions::{self, Progress};
use super::stop::Stop;
use super::witnesses::Witnesses;
use cm_note::bullet::content;
use cm_note::bullet::{Bullet, BulletType, Reach, State};
use cm_playbook::conflict::{Meant, Near, Nearness, Statement};
use cm_playbook::curation::Authority;
use cm_playbook::curation::admission::{Admission, Admitted, Candidate, Door};
use cm_playbook::curation::history::{Evidence, Gate, History};
use cm_playbook::curation::shelf::{Shelf, stands};
use cm_playbook::meaning::Sense;

pub use opinion::Opinion;

/// Predicted result for the rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The rule would be active, with strong evidence.
    Accept,
    /// The rule would be active, with some evidence.
    AcceptWithCaution,
    /// The rule would be a draft that a person must accept.
    Draft,
    /// The rule would be refused.
    Reject,
}

impl Verdict {
    /// Returns the name as shown to users.
    pub fn name(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::AcceptWithCaution => "accept with caution",
            Self::Draft => "draft",
            Self::Reject => "reject",
        }
    }
}

/// Relation between the rule and an existing note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum How {
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

/// An existing note that is related to the rule.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Collision {
    /// How the note is related to the rule, such as `duplicate` or `conflict`.
    pub how: How,
    /// Id of the bullet or blocked pattern.
    pub id: String,
    /// Text of the bullet or blocked pattern.
    pub content: String,
    /// Why the note is related in this way.
    pub reason: Option<String>,
    /// Similarity by words or vectors, 0–1, if it was decisive.
    pub likeness: Option<f64>,
}

/// Result of judging a rule.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Judged {
    /// Text of the rule as it would be written.
    pub rule: String,
    /// Category under which the rule was judged.
    pub category: String,
    /// What would happen to the rule if it were added.
    pub verdict: Verdict,
    /// Confidence in the verdict, 0–1; 0.5 without evidence.
    pub confidence: f64,
    /// Reasons for the verdict.
    pub why: Vec<String>,
    /// Result of the evidence check; null if another check decided first.
    pub gate: Option<Gate>,
    /// Evidence of past sessions.
    pub evidence: Evidence,
    /// Related bullets and blocked patterns.
    pub collisions: Vec<Collision>,
    /// Opinion of a model; null if none was asked.
    pub model: Option<Opinion>,
}

/// Judges a rule as if a program proposed it, after reading new log entries unless the call has
/// `no_refresh` set. If `model` is given and the evidence is inconclusive, asks the configured
/// model; `model` cancels the request.
///
/// # Errors
/// Returns an error if the text or the category is invalid, if the notes or the session index
/// cannot be read, or if the model cannot be used.
pub fn validate_rule(
    memory: &Memory,
    text: &str,
    category: &str,
    model: Option<&Stop>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Judged> {
    sessions::Shelf::open(memory, progress)?;
    let witnesses = Witnesses::of(memory);
    let judged = judge(memory, text, category, &witnesses)?;
    let Some(stop) = model.filter(|_| judged.gate == Some(Gate::Draft)) else { return Ok(judged) };
    let opinion = Opinion::of(memory, &judged.rule, &witnesses.validation(&judged.rule)?, stop)?;
    Ok(match opinion {
        Some(opinion) => judged.heeding(opinion),
        None => judged,
    })
}

impl Judged {
    /// Adds a model's opinion. A model can reject a rule, but cannot make up for missing evidence.
    fn heeding(mut self, opinion: Opinion) -> Self {
        self.why.push(opinion.told());
        self.confidence = opinion.confidence;
        if opinion.rejects() {
            self.verdict = Verdict::Reject;
        }
        Self { model: Some(opinion), ..self }
    }
}

fn judge(memory: &Memory, text: &str, category: &str, history: &dyn History) -> Result<Judged> {
    let open = memory.target();
    let own = as_written(memory, open)?;
    let other = elsewhere(memory, open, &own)?;
    let blocked = [own.blocked.clone(), other.blocked.clone()].concat();
    let bench = Bench { shelf: Shelf::of(&own), elsewhere: Shelf::of(&other), category };
    let limits = limits(open);
    let sense = Sense::of(meaning(open));
    let door = Door {
        shelf: &bench.shelf,
        elsewhere: &bench.elsewhere,
        blocked: &blocked,
        limits: &limits,
        history,
        sense: &sense,
        authority: Authority::Automation,
    };
    let bullet_type = type_of(text);
    let rule = content::folded(text);
    let mut judged =
        match door.admit(Candidate { content: text, category, bullet_type, reach: Reach::default() }) {
            Admission::Malformed(error) => {
                return Err(Error::usage(error.to_string())
                    .hint("for example: cm validate-rule \"Run the whole suite before you push.\""));
            }
            Admission::BadCategory => {
                return Err(Error::usage(format!("`{category}` is no category"))
                    .hint("a letter first, then letters, digits, `_` and `-`, all lower case, at most 50"));
            }
            Admission::Duplicate { at, reworded } => {
                let near = reworded.then_some(Near::Words(1.0));
                bench.duplicate(rule, bench.shelf.get(at), near, "a bullet says so already")
            }
            Admission::Elsewhere { id } => match bench.elsewhere.find(&id) {
                Some(at) => bench.duplicate(rule, bench.elsewhere.get(at), None, "the other vault has it"),
                None => bench.rejected(rule, 1.0, "the other vault has it".to_owned(), Vec::new()),
            },
            Admission::Blocked { id, reason, near } => {
                let text =
                    blocked.iter().find(|blocked| blocked.id.as_str() == id).map(|blocked| blocked.text());
                let content = text.unwrap_or_default().to_owned();
                let likeness = near.map(Near::value);
                let collision = Collision { how: How::Blocked, id, content, reason, likeness };
                bench.rejected(rule, likeness.unwrap_or(1.0), "it is blocked".to_owned(), vec![collision])
            }
            Admission::Deprecated { at } => {
                let bullet = bench.shelf.get(at);
                let reason = bullet.fields.deprecation_reason.clone();
                let collision = Collision { reason, ..collision(How::Deprecated, bullet, None) };
                bench.rejected(
                    rule,
                    1.0,
                    "it was deprecated before, and does not come back this way".to_owned(),
                    vec![collision],
                )
            }
            Admission::Failed(evidence) => {
                let why = format!(
                    "{} sessions failed with it and {} succeeded",
                    evidence.failures, evidence.successes
                );
                let confidence = borne(evidence.failures, evidence.successes);
                Judged {
                    gate: Some(Gate::Refused),
                    evidence,
                    ..bench.rejected(rule, confidence, why, Vec::new())
                }
            }
            Admission::Admitted(admitted) => bench.admitted(admitted),
        };
    bench.add_similar(&mut judged, bullet_type, limits.merge(), &sense);
    Ok(judged)
}

/// Estimates the share of one outcome by Laplace's rule of succession, from the counts of both
/// outcomes.
fn borne(of_kind: usize, others: usize) -> f64 {
    (of_kind + 1) as f64 / (of_kind + others + 2) as f64
}

/// Returns the type of a rule: an anti-pattern if the text begins with `AVOID:`.
fn type_of(text: &str) -> BulletType {
    let avoids = text.trim_start().get(..6).is_some_and(|head| head.eq_ignore_ascii_case("avoid:"));
    if avoids { BulletType::AntiPattern } else { BulletType::Rule }
}

fn collision(how: How, bullet: &Bullet, near: Option<Near>) -> Collision {
    let content = content::folded(bullet.content());
    let reason = near.filter(|near| matches!(near, Near::Meaning(_))).map(|near| near.to_string());
    Collision { how, id: bullet.id.to_string(), content, reason, likeness: near.map(Near::value) }
}

/// Existing bullets of this and the other vault.
struct Bench<'a> {
    shelf: Shelf,
    elsewhere: Shelf,
    category: &'a str,
}

impl Bench<'_> {
    fn rejected(&self, rule: String, confidence: f64, why: String, collisions: Vec<Collision>) -> Judged {
        Judged {
            rule,
            category: self.category.to_owned(),
            verdict: Verdict::Reject,
            confidence,
            why: vec![why],
            gate: None,
            evidence: Evidence::default(),
            collisions,
            model: None,
        }
    }

    fn duplicate(&self, rule: String, bullet: &Bullet, near: Option<Near>, why: &str) -> Judged {
        let how = if near.is_some() { How::NearDuplicate } else { How::Duplicate };
        self.rejected(rule, near.map_or(1.0, Near::value), why.to_owned(), vec![collision(how, bullet, near)])
    }

    fn admitted(&self, admitted: Admitted) -> Judged {
        let verdict = match (admitted.state, admitted.gate) {
            (State::Active, Gate::Certain) => Verdict::Accept,
            (State::Active, _) => Verdict::AcceptWithCaution,
            _ => Verdict::Draft,
        };
        let evidence = admitted.evidence;
        let mut why = admitted.because;
        if why.is_empty() {
            why.push(format!("{} sessions succeeded with it and none failed", evidence.successes));
        }
        let of = |at: usize, reason: String| Collision {
            reason: Some(reason),
            ..collision(How::Conflict, self.shelf.get(at), None)
        };
        let own = admitted.conflicts.into_iter().map(|(at, reason)| of(at, reason));
        let other = admitted.conflicts_elsewhere.into_iter().map(|(id, content, reason)| Collision {
            how: How::Conflict,
            id,
            content,
            reason: Some(reason),
            likeness: None,
        });
        let refined = admitted.refines.map(|at| collision(How::Refines, self.shelf.get(at), None));
        Judged {
            rule: admitted.rule,
            category: self.category.to_owned(),
            verdict,
            confidence: borne(evidence.successes, evidence.failures),
            why,
            gate: Some(admitted.gate),
            collisions: own.chain(other).chain(refined).collect(),
            evidence,
            model: None,
        }
    }

    /// Adds the most similar bullet, unless it is already among the collisions.
    fn add_similar(&self, judged: &mut Judged, bullet_type: BulletType, least: Nearness, sense: &Sense<'_>) {
        let told = content::told(&judged.rule, bullet_type);
        let (statement, embedding) = (Statement::of(&told), sense.text(&told));
        let meant = Meant { statement: &statement, embedding: embedding.as_ref() };
        let Some((at, near)) = self.shelf.near(meant, least, sense, stands) else { return };
        let bullet = self.shelf.get(at);
        if judged.collisions.iter().all(|known| known.id != bullet.id.as_str()) {
            judged.collisions.push(collision(How::Similar, bullet, Some(near)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(state: State, successes: usize, failures: usize) -> (Verdict, f64) {
        let evidence = Evidence { sessions: successes + failures, successes, failures, quotes: Vec::new() };
        let playbook = cm_playbook::curation::Playbook::default();
        let bench =
            Bench { shelf: Shelf::of(&playbook), elsewhere: Shelf::of(&playbook), category: "testing" };
        let judged = bench.admitted(Admitted {
            rule: "Run the tests first.".to_owned(),
            state,
            because: Vec::new(),
            refines: None,
            neighbours: Vec::new(),
            conflicts: Vec::new(),
            conflicts_elsewhere: Vec::new(),
            gate: Gate::of(&evidence),
            evidence,
        });
        (judged.verdict, (judged.confidence * 100.0).round() / 100.0)
    }

    #[test]
    fn the_verdict_is_what_an_add_would_come_to_and_grows_surer_with_the_evidence() {
        assert_eq!(verdict(State::Active, 5, 0), (Verdict::Accept, 0.86));
        assert_eq!(verdict(State::Active, 3, 0), (Verdict::AcceptWithCaution, 0.8));
        assert_eq!(verdict(State::Draft, 5, 0).0, Verdict::Draft);
        assert_eq!(verdict(State::Draft, 0, 0), (Verdict::Draft, 0.5));
        assert_eq!(verdict(State::Draft, 1, 3), (Verdict::Draft, 0.33));
    }

    #[test]
    fn a_text_that_begins_with_avoid_says_what_to_avoid() {
        assert_eq!(type_of(" Avoid: sleeping in tests."), BulletType::AntiPattern);
        assert_eq!(type_of("Avoidance é"), BulletType::Rule);
    }
}
