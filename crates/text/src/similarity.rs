//! Similarity of two texts by their words.

use std::collections::BTreeSet;

use crate::tokens::{TokenRole, Tokenizer};

/// Returns the set of stemmed words of a text.
pub fn words(text: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    Tokenizer::default().each(text, |token| {
        if token.role == TokenRole::Word {
            words.insert(token.text.to_owned());
        }
    });
    words
}

/// Jaccard similarity of two sets, 0–1; 0 if both are empty.
pub fn jaccard(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let shared = a.intersection(b).count();
    let all = a.len() + b.len() - shared;
    if all == 0 { 0.0 } else { shared as f64 / all as f64 }
}

/// Share of the smaller set that the larger one contains, 0–1. A set with fewer than `fewest` items
/// (at least 1) counts as one of `fewest`, because few common items are chance.
pub fn overlap(a: &BTreeSet<String>, b: &BTreeSet<String>, fewest: usize) -> f64 {
    let smaller = a.len().min(b.len()).max(fewest).max(1);
    a.intersection(b).count() as f64 / smaller as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_count_as_one() {
        let (a, b) = (words("Retries with jitter"), words("retry with Jitter!"));
        assert_eq!(jaccard(&a, &b), 1.0);
        assert_eq!(jaccard(&a, &words("")), 0.0);
        assert_eq!(jaccard(&words(""), &words("")), 0.0);
    }

    #[test]
    fn the_smaller_set_decides_unless_it_is_too_small() {
        let (few, many) = (words("retry jitter"), words("retry with jitter and a limit"));
        assert_eq!(overlap(&few, &many, 0), 1.0);
        assert_eq!(overlap(&many, &few, 4), 0.5);
        assert_eq!(overlap(&words(""), &many, 0), 0.0);
    }
}
