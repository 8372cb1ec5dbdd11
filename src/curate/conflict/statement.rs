//! A rule prepared for comparing: its words, and its claims.

use std::collections::{BTreeMap, BTreeSet};

use super::claim::{Claim, Place, claims};
use super::lexicon::{Cue, LEXICON};
use super::marks::Marks;
use super::piece::pieces;

/// A rule, prepared once for comparing it with many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    words: BTreeSet<String>,
    /// The same words, to compare fast.
    marks: Marks,
    /// The words that only denying claims have, and only affirming ones.
    signs: BTreeMap<String, bool>,
    claims: Vec<Claim>,
}

impl Statement {
    /// Prepares a rule.
    pub fn of(text: &str) -> Self {
        let pieces = pieces(text);
        let claims = claims(&pieces);
        let words: BTreeSet<String> = pieces
            .iter()
            .filter(|piece| !piece.negated && counts(&piece.raw))
            .map(|piece| piece.stem.clone())
            .collect();
        let marks = Marks::of(words.iter().map(String::as_str));
        Self { words, marks, signs: signs(&claims), claims }
    }

    /// The stems of its words, without those that only steer.
    pub fn words(&self) -> &BTreeSet<String> {
        &self.words
    }

    /// The share of words that both have, whatever is said of them.
    pub(super) fn overlap(&self, other: &Self) -> f64 {
        let common = self.marks.common(&other.marks);
        let all = self.marks.len() + other.marks.len() - common;
        if all == 0 { 0.0 } else { common as f64 / all as f64 }
    }

    pub(super) fn claims(&self) -> &[Claim] {
        &self.claims
    }
}

/// Whether a word tells rules apart, rather than only steering them.
fn counts(word: &str) -> bool {
    !matches!(LEXICON.cue(word), Some(Cue::Silent | Cue::Affirm { .. } | Cue::Deny { .. } | Cue::All))
}

fn signs(claims: &[Claim]) -> BTreeMap<String, bool> {
    let mut signs: BTreeMap<String, Option<bool>> = BTreeMap::new();
    for claim in claims {
        for term in claim.terms.iter().filter(|term| term.place == Place::Core) {
            let sign = signs.entry(term.key.clone()).or_insert(Some(claim.denies));
            if *sign != Some(claim.denies) {
                *sign = None;
            }
        }
    }
    signs.into_iter().filter_map(|(key, sign)| Some((key, sign?))).collect()
}

/// Whether two rules may have at least so much in common, told at little cost.
pub fn may_be_like(a: &Statement, b: &Statement, least: f64) -> bool {
    a.overlap(b) >= least
}

/// How much two rules have in common: the share of words that both have, 0–1. A word that one affirms and the other
/// denies is none that they share, so that "always X" is not like "never X".
pub fn likeness(a: &Statement, b: &Statement) -> f64 {
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
