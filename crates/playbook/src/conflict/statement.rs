//! A rule parsed for comparison: its content words and its claims.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use super::ConflictReason;
use super::claim::{RuleClaim, TermRole, claims};
use super::lexicon::{CueWord, LEXICON};
use super::named_choice::NamedChoice;
use super::rule_token::{RuleToken, pieces};
use super::verdict::StatementProfile;
use super::word_hashes::WordHashes;
use cm_text::canonical::CanonicalForm;
use cm_text::language::Language;
use cm_text::translation::to_english_with_names;

/// A rule, parsed once for comparison with many others.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleStatement {
    words: BTreeSet<String>,
    /// Content words by stem, with their spelling.
    written: BTreeMap<String, WrittenWord>,
    /// Hashes of the stems, for fast comparison.
    marks: WordHashes,
    /// Action words that occur only in claims that forbid (`true`) or only in claims that demand
    /// (`false`).
    signs: BTreeMap<String, bool>,
    claims: Vec<RuleClaim>,
    /// The tool, place or format that the rule chooses, if any.
    choosing: Option<NamedChoice>,
    text: String,
    canonical: OnceLock<CanonicalForm>,
    gloss: Option<String>,
    profile: OnceLock<StatementProfile>,
}

/// Spelling of a content word in a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WrittenWord {
    /// The word in lower case.
    pub(super) raw: String,
    /// Whether only the same word matches: a name, a number, or one of several alternatives such as
    /// `tabs` and `spaces`.
    pub(super) firm: bool,
}

/// Numbers of denials, negated phrases, exceptions and restrictions ("only") in a rule.
pub(super) type NegationCounts = [usize; 4];

impl RuleStatement {
    /// Parses a rule. One in another language is parsed as its known words in English.
    pub fn of(text: &str) -> Self {
        let gloss = to_english_with_names(text, is_alternative);
        let pieces = pieces(gloss.as_deref().unwrap_or(text));
        let claims = claims(&pieces);
        let written: BTreeMap<String, WrittenWord> = pieces
            .iter()
            .filter(|piece| tells(piece))
            .map(|piece| (piece.stem.clone(), WrittenWord { raw: piece.raw.clone(), firm: is_firm(piece) }))
            .collect();
        let words: BTreeSet<String> = written.keys().cloned().collect();
        let marks = WordHashes::of(words.iter().map(String::as_str));
        Self {
            words,
            written,
            marks,
            signs: signs(&claims),
            claims,
            choosing: NamedChoice::of(&pieces),
            text: text.to_owned(),
            canonical: OnceLock::new(),
            gloss,
            profile: OnceLock::new(),
        }
    }

    /// Returns a copy in which the keys of words are replaced by their values in `names`, for
    /// example to unify synonyms.
    pub(super) fn renamed(&self, names: &BTreeMap<String, String>) -> Self {
        let claims: Vec<RuleClaim> = self.claims.iter().map(|claim| claim.renamed(names)).collect();
        let words: BTreeSet<String> =
            self.words.iter().map(|word| names.get(word).unwrap_or(word).clone()).collect();
        let marks = WordHashes::of(words.iter().map(String::as_str));
        Self { words, marks, signs: signs(&claims), claims, ..self.clone() }
    }

    /// Stems of the rule's content words, without words such as "always" and "never".
    pub fn words(&self) -> &BTreeSet<String> {
        &self.words
    }

    /// The text's canonical form, for detecting equal rules; computed on first use.
    pub fn canonical(&self) -> &CanonicalForm {
        self.canonical.get_or_init(|| CanonicalForm::of(&self.text))
    }

    /// The text as the learned verdict reads it; computed on first use.
    pub(super) fn profile(&self) -> &StatementProfile {
        self.profile.get_or_init(|| StatementProfile::of(&self.text, self.gloss()))
    }

    /// The text with its known words translated to English, or as written if it is English.
    pub(crate) fn in_english(&self) -> &str {
        self.gloss().unwrap_or(&self.text)
    }

    /// A text of another language with its known words in English; `None` if it is English.
    pub(super) fn gloss(&self) -> Option<&str> {
        self.gloss.as_deref()
    }

    /// Whether the model that reads two statements together can read this one: it is English, translated to it, or
    /// too short to tell; and not so long that its end would be left out.
    pub fn is_readable(&self) -> bool {
        const MAX_READABLE_BYTES: usize = 300;
        let is_english = || matches!(self.profile().language, None | Some(Language::English));
        let text = self.in_english();
        let foreign = text.chars().filter(|c| c.is_alphabetic() && *c >= '\u{250}').count();
        // A translation may have some words that are not known.
        let is_latin = foreign * 5 <= text.chars().filter(char::is_ascii_alphabetic).count();
        text.len() <= MAX_READABLE_BYTES && is_latin && (self.gloss.is_some() || foreign == 0 && is_english())
    }

    /// The text as written.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the share of words that two rules have in common, 0–1, ignoring negation.
    pub(super) fn overlap(&self, other: &Self) -> f64 {
        let common = self.marks.common(&other.marks);
        let all = self.marks.len() + other.marks.len() - common;
        if all == 0 { 0.0 } else { common as f64 / all as f64 }
    }

    pub(super) fn claims(&self) -> &[RuleClaim] {
        &self.claims
    }

    /// Whether a word occurs only in claims that forbid (`true`) or only in claims that demand (`false`).
    pub(super) fn sign(&self, word: &str) -> Option<bool> {
        self.signs.get(word).copied()
    }

    pub(super) fn choosing(&self) -> Option<&NamedChoice> {
        self.choosing.as_ref()
    }

    /// Returns the content words with their spelling, in order of their stems.
    pub(super) fn written(&self) -> impl Iterator<Item = (&String, &WrittenWord)> {
        self.written.iter()
    }

    pub(super) fn shape(&self) -> NegationCounts {
        let count = |of: &dyn Fn(&RuleClaim) -> bool| self.claims.iter().filter(|claim| of(claim)).count();
        [
            count(&|claim| claim.denies),
            count(&|claim| claim.terms.iter().any(|term| term.lacking.is_some())),
            count(&|claim| claim.except.is_some()),
            count(&|claim| claim.only),
        ]
    }
}

/// The stems of a text's content words, like [`RuleStatement::words`] but without parsing claims.
pub fn words(text: &str) -> BTreeSet<String> {
    let gloss = to_english_with_names(text, is_alternative);
    pieces(gloss.as_deref().unwrap_or(text)).into_iter().filter(tells).map(|piece| piece.stem).collect()
}

/// Whether a word of a rule is a content word.
fn tells(piece: &RuleToken) -> bool {
    !piece.negated && counts(&piece.raw)
}

/// Whether a word has content of its own, unlike articles or words such as "always" and "never".
fn counts(word: &str) -> bool {
    !matches!(
        LEXICON.cue(word),
        Some(CueWord::Silent | CueWord::Affirm { .. } | CueWord::Deny { .. } | CueWord::All)
    )
}

fn is_firm(piece: &RuleToken) -> bool {
    piece.is_proper_name || !piece.raw.chars().all(char::is_alphabetic) || LEXICON.pole(&piece.raw).is_some()
}

fn signs(claims: &[RuleClaim]) -> BTreeMap<String, bool> {
    let mut signs: BTreeMap<String, Option<bool>> = BTreeMap::new();
    for claim in claims {
        for term in claim.terms.iter().filter(|term| term.place == TermRole::Core) {
            let sign = signs.entry(term.key.clone()).or_insert(Some(claim.denies));
            if *sign != Some(claim.denies) {
                *sign = None;
            }
        }
    }
    signs.into_iter().filter_map(|(key, sign)| Some((key, sign?))).collect()
}

/// Returns the share of common words, 0–1. A word that one rule demands and the other forbids is
/// not common, so "always X" is not similar to "never X".
pub fn likeness(a: &RuleStatement, b: &RuleStatement) -> f64 {
    let opposed =
        |word: &String| matches!((a.signs.get(word), b.signs.get(word)), (Some(a), Some(b)) if a != b);
    let (mut common, mut opposite) = (0, 0);
    for word in a.words.intersection(&b.words) {
        common += 1;
        opposite += usize::from(opposed(word));
    }
    let all = a.words.len() + b.words.len() - common;
    if all == 0 { 0.0 } else { (common - opposite) as f64 / all as f64 }
}
/// Whether a word names one of several exclusive things in English, such as a branch or a tool.
fn is_alternative(word: &str) -> bool {
    // A colour in English, a network in Spanish.
    let pole = LEXICON.pole(word).filter(|_| word != "red");
    pole.is_some_and(|pole| LEXICON.reason_kind(pole.choice) == ConflictReason::Exclusive)
}
