//! A rule prepared for comparing: its words, and its claims.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use super::choosing::Choosing;
use super::claim::{Claim, Place, claims};
use super::lexicon::{Cue, LEXICON};
use super::marks::Marks;
use super::piece::{Piece, pieces};
use cm_text::canonical::Canonical;

/// A rule, prepared once for comparing it with many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    words: BTreeSet<String>,
    /// The same as they are written, by their stems.
    written: BTreeMap<String, Written>,
    /// The same words, to compare fast.
    marks: Marks,
    /// The words that only denying claims have, and only affirming ones.
    signs: BTreeMap<String, bool>,
    claims: Vec<Claim>,
    /// What it chooses by name.
    choosing: Option<Choosing>,
    text: String,
    canonical: OnceLock<Canonical>,
}

/// A word as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Written {
    /// In lower case.
    pub(super) raw: String,
    /// Whether nothing stands for it: a name, a number, one of things that exclude each other.
    pub(super) firm: bool,
}

/// How often a rule denies, lacks, leaves out and limits.
pub(super) type Shape = [usize; 4];

impl Statement {
    /// Prepares a rule.
    pub fn of(text: &str) -> Self {
        let pieces = pieces(text);
        let claims = claims(&pieces);
        let written: BTreeMap<String, Written> = pieces
            .iter()
            .filter(|piece| tells(piece))
            .map(|piece| (piece.stem.clone(), Written { raw: piece.raw.clone(), firm: is_firm(piece) }))
            .collect();
        let words: BTreeSet<String> = written.keys().cloned().collect();
        let marks = Marks::of(words.iter().map(String::as_str));
        Self {
            words,
            written,
            marks,
            signs: signs(&claims),
            claims,
            choosing: Choosing::of(&pieces),
            text: text.to_owned(),
            canonical: OnceLock::new(),
        }
    }

    /// The same with other keys for some words.
    pub(super) fn renamed(&self, names: &BTreeMap<String, String>) -> Self {
        let claims: Vec<Claim> = self.claims.iter().map(|claim| claim.renamed(names)).collect();
        let words: BTreeSet<String> =
            self.words.iter().map(|word| names.get(word).unwrap_or(word).clone()).collect();
        let marks = Marks::of(words.iter().map(String::as_str));
        Self { words, marks, signs: signs(&claims), claims, ..self.clone() }
    }

    /// The stems of its words, without those that only steer.
    pub fn words(&self) -> &BTreeSet<String> {
        &self.words
    }

    /// Its canonical form, made when it is first asked for.
    pub fn canonical(&self) -> &Canonical {
        self.canonical.get_or_init(|| Canonical::of(&self.text))
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

    pub(super) fn choosing(&self) -> Option<&Choosing> {
        self.choosing.as_ref()
    }

    /// Its words as they are written, by their stems.
    pub(super) fn written(&self) -> impl Iterator<Item = (&String, &Written)> {
        self.written.iter()
    }

    pub(super) fn shape(&self) -> Shape {
        let count = |of: &dyn Fn(&Claim) -> bool| self.claims.iter().filter(|claim| of(claim)).count();
        [
            count(&|claim| claim.denies),
            count(&|claim| claim.terms.iter().any(|term| term.lacking.is_some())),
            count(&|claim| claim.except.is_some()),
            count(&|claim| claim.only),
        ]
    }
}

/// The stems of a text's words, without those that only steer: [`Statement::words`] of texts of which nothing else is asked.
pub fn words(text: &str) -> BTreeSet<String> {
    pieces(text).into_iter().filter(tells).map(|piece| piece.stem).collect()
}

/// Whether a piece is a word that tells rules apart.
fn tells(piece: &Piece) -> bool {
    !piece.negated && counts(&piece.raw)
}

/// Whether a word tells rules apart, rather than only steering them.
fn counts(word: &str) -> bool {
    !matches!(LEXICON.cue(word), Some(Cue::Silent | Cue::Affirm { .. } | Cue::Deny { .. } | Cue::All))
}

fn is_firm(piece: &Piece) -> bool {
    piece.named || !piece.raw.chars().all(char::is_alphabetic) || LEXICON.pole(&piece.raw).is_some()
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
