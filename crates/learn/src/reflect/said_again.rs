//! Recognizes that a person says again, in other words, what a rule or memory was learned from.

use std::collections::BTreeSet;

use super::other_language;
use crate::diary::StatementAuthor;
use crate::evidence_quote::EvidenceQuote;
use cm_note::bullet::Bullet;
use cm_note::note::Note;
use cm_playbook::conflict::RuleStatement;
use cm_playbook::embedding_model::EmbeddingModel;
use cm_text::embedding::Embedding;

/// Minimum cosine of two statements that name the same code in backticks.
const MIN_SAME_CODE_COSINE: f64 = 0.6;
/// Number of characters above which the same words are a prompt that was sent again.
const MAX_RESTATED_CHARS: usize = 60;
/// Minimum cosine of two statements without code.
const MIN_NO_CODE_COSINE: f64 = 0.85;

/// A statement that is compared with existing ones.
struct ComparedText<'t> {
    text: &'t str,
    statement: RuleStatement,
    embedding: Embedding,
    code: BTreeSet<&'t str>,
}

impl<'t> ComparedText<'t> {
    fn of(text: &'t str, model: &dyn EmbeddingModel) -> Option<Self> {
        let text = text.trim_end_matches('.');
        let embedding = model.embedding(text)?;
        Some(Self { text, statement: RuleStatement::of(text), embedding, code: code_of(text) })
    }

    /// Returns the cosine with a statement of another session that says the same: both name the same
    /// code, numbers and names, both forbid or neither does, and their meaning is close. The very same
    /// words are no evidence if they are many: the prompt was sent again.
    fn likeness(&self, other: &str, model: &dyn EmbeddingModel) -> Option<f64> {
        let other = other.trim_end_matches('.');
        let is_sent_again = other == self.text && self.text.chars().count() > MAX_RESTATED_CHARS;
        if is_sent_again
            || code_of(other) != self.code
            || !self.statement.may_be_one_with(&RuleStatement::of(other))
        {
            return None;
        }
        let least = if self.code.is_empty() { MIN_NO_CODE_COSINE } else { MIN_SAME_CODE_COSINE };
        let cosine = model.embedding(other)?.cosine(&self.embedding);
        (cosine >= least).then_some(cosine)
    }
}

/// Returns the most similar rule that a person stated in another session and that says what `text`
/// says: by its names and its meaning, or in another language by its names.
pub fn said_again<'a>(
    text: &str,
    session: &str,
    rules: &[&'a Bullet],
    model: &dyn EmbeddingModel,
) -> Option<&'a Bullet> {
    let compared = ComparedText::of(text, model)?;
    let of_person = EvidenceQuote::lead(StatementAuthor::Person);
    let is_of_person = |rule: &&&Bullet| {
        rule.fields.derived_from.evidence.iter().any(|quote| quote.starts_with(of_person))
            && rule.fields.sources.iter().all(|source| source.session != session)
    };
    let likeness = |rule: &Bullet| {
        let is_translated = other_language::says_the_same(rule.content(), text);
        if is_translated { Some(1.0) } else { compared.likeness(rule.content(), model) }
    };
    let near = rules.iter().filter(is_of_person).filter_map(|rule| Some((likeness(rule)?, *rule)));
    near.max_by(|(a, one), (b, other)| a.total_cmp(b).then_with(|| other.id.cmp(&one.id)))
        .map(|(_, rule)| rule)
}

/// Returns the memory that a person stated in another session and that says what `text` says; of
/// several, the most similar one.
pub fn memory_said_again<'n>(
    text: &str,
    session: &str,
    notes: impl Iterator<Item = &'n Note>,
    model: &dyn EmbeddingModel,
) -> Option<&'n Note> {
    let compared = ComparedText::of(text, model)?;
    let others = notes.filter(|note| note.session.as_deref().is_some_and(|own| own != session));
    let near = others.filter_map(|note| Some((compared.likeness(&note.title, model)?, note)));
    near.max_by(|(a, one), (b, other)| a.total_cmp(b).then_with(|| other.path.cmp(&one.path)))
        .map(|(_, note)| note)
}

/// Returns the texts in backticks.
fn code_of(text: &str) -> BTreeSet<&str> {
    text.split('`').skip(1).step_by(2).map(str::trim).filter(|code| !code.is_empty()).collect()
}
