//! Stored summaries of rules for a first comparison: they tell which of many rules can matter for a new one,
//! so that only these are read and parsed.
//!
//! The comparisons here must find every rule that the exact ones find, and may find others.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::claim_comparison::MIN_COMMON_SHARE;
use super::named_choice::NamedChoice;
use super::similarity::EmbeddedStatement;
use super::word_hashes::mark;
use crate::embedding_model::WordVectors;
use cm_text::embedding::RoundedEmbedding;

/// The parts of a parsed rule that decide whether another rule can equal, contradict, refine or resemble
/// it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct StatementDigest<'a> {
    /// Hash of the canonical form.
    canonical: u64,
    /// The content words, ascending by hash: [`WORD_BYTES`] bytes each, the last one with its flags.
    #[serde(borrow)]
    words: Cow<'a, [u8]>,
    choosing: Option<NamedChoice>,
    #[serde(borrow)]
    embedding: Option<RoundedEmbedding<'a>>,
}

/// Length of a word in bytes.
const WORD_BYTES: usize = 9;
/// Bits of a word's last byte.
const FIRM: u8 = 1;
const DEMANDED: u8 = 2;
const FORBIDDEN: u8 = 4;

/// Numbers of the words of two rules.
#[derive(Default)]
struct WordCounts {
    common: usize,
    all: usize,
    /// Common words that one rule demands and the other forbids.
    opposite: usize,
    /// Whether each word that only one rule has is a name or a number.
    only_firm_differ: bool,
}

/// How a rule relates to a new one, judged by its digest alone.
pub(crate) struct DigestComparison {
    /// Bounds of the greater of the cosine and the share of common words.
    pub(crate) alikeness: RangeInclusive<f64>,
    /// Whether the new rule may say the same, contradict this one by its claims or its choice, or state
    /// it more precisely.
    pub(crate) may_concern: bool,
}

impl StatementDigest<'_> {
    pub(crate) fn of(rule: EmbeddedStatement<'_>) -> Self {
        let mut words: Vec<(u64, u8)> = rule
            .statement
            .written()
            .map(|(stem, word)| {
                let sign = match rule.statement.sign(stem) {
                    Some(true) => FORBIDDEN,
                    Some(false) => DEMANDED,
                    None => 0,
                };
                (mark(stem), sign | if word.firm { FIRM } else { 0 })
            })
            .collect();
        words.sort_unstable();
        let words = words.into_iter().flat_map(|(hash, flags)| {
            let mut bytes = [flags; WORD_BYTES];
            bytes[..WORD_BYTES - 1].copy_from_slice(&hash.to_le_bytes());
            bytes
        });
        Self {
            canonical: mark(rule.statement.canonical().as_str()),
            words: Cow::Owned(words.collect()),
            choosing: rule.statement.choosing().cloned(),
            embedding: rule.embedding.map(RoundedEmbedding::of),
        }
    }

    /// Compares this rule with a new one; `own` is the digest of the new one.
    pub(crate) fn compare(
        &self,
        new: EmbeddedStatement<'_>,
        own: &Self,
        word_vectors: &WordVectors<'_>,
    ) -> DigestComparison {
        let counts = self.counts(own);
        let share = |number: usize| if counts.all == 0 { 0.0 } else { number as f64 / counts.all as f64 };
        let likeness = share(counts.common - counts.opposite);
        let cosine = match (&self.embedding, new.embedding) {
            (Some(rounded), Some(exact)) => rounded.cosine(exact),
            _ => 0.0..=0.0,
        };
        let like = |one: &str, other: &str| word_vectors.likeness(one, other);
        let excludes = || match (&own.choosing, &self.choosing) {
            (Some(new), Some(old)) => new.against(old, &like).is_some(),
            _ => false,
        };
        DigestComparison {
            alikeness: cosine.start().max(likeness)..=cosine.end().max(likeness),
            may_concern: self.canonical == own.canonical
                || share(counts.common) >= MIN_COMMON_SHARE
                || counts.only_firm_differ
                || excludes(),
        }
    }

    fn counts(&self, other: &Self) -> WordCounts {
        let (mut ours, mut theirs) = (self.words().peekable(), other.words().peekable());
        let mut counts = WordCounts { only_firm_differ: true, ..WordCounts::default() };
        loop {
            let (hash, flags) = match (ours.peek(), theirs.peek()) {
                (Some((one, flags)), Some((another, others))) if one == another => {
                    counts.common += 1;
                    counts.opposite +=
                        usize::from((flags | others) & (DEMANDED | FORBIDDEN) == DEMANDED | FORBIDDEN);
                    (*one, FIRM)
                }
                (Some(one), Some(another)) => *one.min(another),
                (Some(one), None) | (None, Some(one)) => *one,
                (None, None) => return counts,
            };
            counts.all += 1;
            counts.only_firm_differ &= flags & FIRM != 0;
            ours.next_if(|(one, _)| *one == hash);
            theirs.next_if(|(one, _)| *one == hash);
        }
    }

    /// The content words with their flags, ascending by hash.
    fn words(&self) -> impl Iterator<Item = (u64, u8)> {
        self.words
            .as_chunks::<WORD_BYTES>()
            .0
            .iter()
            .map(|[hash @ .., flags]| (u64::from_le_bytes(*hash), *flags))
    }
}
