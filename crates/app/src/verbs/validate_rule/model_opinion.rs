//! Asks a model for its opinion of a rule, given the evidence of past sessions.

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::cancellation::Cancellation;
use crate::context::open::Context;
use crate::context::provider::{LanguageModel, ModelFailure};
use crate::context::secrets;
use crate::error::Result;
use crate::sessions::logs;
use cm_learn::reflect::answer::{RuleAnswer, RuleOpinion as Advice, rule_schema};
use cm_learn::reflect::evidence::{RuleValidation, RuleVerdict};
use cm_learn::reflect::package;
use cm_note::bullet::content;

/// Verdict of a language model on a rule.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ModelOpinion {
    /// Whether the model accepts or rejects the rule.
    pub verdict: Advice,
    /// Reason that the model gives, with secrets redacted.
    pub reason: String,
    /// Improved wording of the rule; null if the model suggests none.
    pub refined: Option<String>,
    /// Confidence of the model, 0–1.
    pub confidence: f64,
    /// Numbers, from 1, of the quotes in the prompt that support the verdict.
    pub evidence: Vec<usize>,
    /// Name of the model that gave the opinion.
    pub name: String,
}

impl ModelOpinion {
    /// Asks the configured model if the evidence is inconclusive and comes from at least two
    /// sessions; otherwise returns `None`. Two useless answers result in a notice and `None`.
    ///
    /// # Errors
    /// Returns an error if a setting is invalid or if the model does not answer.
    pub fn of(
        context: &Context,
        rule: &str,
        validation: &RuleValidation,
        stop: &Cancellation,
    ) -> Result<Option<Self>> {
        if validation.verdict != RuleVerdict::Refine || validation.evidence.sessions < 2 {
            return Ok(None);
        }
        let rules = secrets::rules_of_logs(context, context.target())?.0;
        let Some(language_model) = LanguageModel::open(context, &rules, stop)? else { return Ok(None) };
        let prompt = package::validate(rule, validation);
        let answer = match language_model.ask(&prompt, ("verdict", rule_schema()), in_range) {
            Ok(answered) => answered.value,
            Err(ModelFailure::Useless(why)) => {
                context.notice(format!("the model's answer is not usable: {why}"));
                return Ok(None);
            }
            Err(ModelFailure::Silent { error, .. }) => return Err(error),
        };
        let clean = |text: &str| content::fold_whitespace(&logs::text(text, &rules));
        let shown = validation.evidence.quotes.len();
        Ok(Some(Self {
            verdict: answer.verdict,
            reason: clean(&answer.reason),
            // Words that can be no rule are not handed on.
            refined: answer.refined.and_then(|text| content::rule(&clean(&text)).ok()),
            confidence: answer.confidence,
            evidence: answer.evidence.into_iter().filter(|number| (1..=shown).contains(number)).collect(),
            name: language_model.name(),
        }))
    }

    /// Describes the opinion in one sentence.
    pub fn summary(&self) -> String {
        let verb = match self.verdict {
            Advice::Accept => "accepts it",
            Advice::AcceptWithCaution => "accepts it with caution",
            Advice::Reject => "rejects it",
        };
        format!("the model {} {verb}: {}", self.name, self.reason)
    }

    /// Returns whether the model rejects the rule.
    pub fn rejects(&self) -> bool {
        self.verdict == Advice::Reject
    }
}

fn in_range(answer: &RuleAnswer) -> std::result::Result<(), Vec<String>> {
    match (0.0..=1.0).contains(&answer.confidence) {
        true => Ok(()),
        false => Err(vec!["`confidence` must be a number from 0 to 1".to_owned()]),
    }
}
