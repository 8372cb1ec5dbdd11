//! Recognizes that a person says again, in other words, what a rule was learned from.

use std::collections::BTreeSet;

use super::other_language;
use cm_note::bullet::Bullet;
use cm_playbook::conflict::RuleStatement;
use cm_playbook::embedding_model::EmbeddingModel;

/// Minimum cosine of two statements that name the same code in backticks.
const SAME_CODE: f64 = 0.6;
/// Number of characters above which the same words are a prompt that was sent again.
const SENT_AGAIN: usize = 60;
/// Minimum cosine of two statements without code.
const NO_CODE: f64 = 0.85;

/// Returns the most similar rule that a person stated in another session and that says what `text`
/// says: both name the same code, numbers and names, both forbid or neither does, and their meaning
/// is close, or they are in different languages and share their names. The very same words are no evidence if they are many: the prompt was sent again.
pub fn said_again<'a>(
    text: &str,
    session: &str,
    rules: &[&'a Bullet],
    model: &dyn EmbeddingModel,
) -> Option<&'a Bullet> {
    let statement = RuleStatement::of(text);
    let (code, embedding) = (code_of(text), model.embedding(text)?);
    let least = if code.is_empty() { NO_CODE } else { SAME_CODE };
    let is_of_person = |rule: &&&Bullet| {
        rule.fields.derived_from.evidence.iter().any(|quote| quote.starts_with("the user in "))
            && rule.fields.sources.iter().all(|source| source.session != session)
    };
    let near = rules.iter().filter(is_of_person).filter_map(|rule| {
        if other_language::says_the_same(rule.content(), text) {
            return Some((1.0, *rule));
        }
        let is_sent_again = rule.content() == text && text.chars().count() > SENT_AGAIN;
        if is_sent_again
            || code_of(rule.content()) != code
            || !statement.may_be_one_with(&RuleStatement::of(rule.content()))
        {
            return None;
        }
        let cosine = model.embedding(rule.content())?.cosine(&embedding);
        (cosine >= least).then_some((cosine, *rule))
    });
    near.max_by(|(a, one), (b, other)| a.total_cmp(b).then_with(|| other.id.cmp(&one.id)))
        .map(|(_, rule)| rule)
}

/// Returns the texts in backticks.
fn code_of(text: &str) -> BTreeSet<&str> {
    text.split('`').skip(1).step_by(2).map(str::trim).filter(|code| !code.is_empty()).collect()
}
