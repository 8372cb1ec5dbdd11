//! A set of words as sorted numbers: how many two sets have in common is told without comparing text.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Words as sorted numbers, each once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Marks(Vec<u64>);

impl Marks {
    /// The marks of some words.
    pub(super) fn of<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        let mut marks: Vec<u64> = words.map(mark).collect();
        marks.sort_unstable();
        marks.dedup();
        Self(marks)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// How many both have.
    pub(super) fn common(&self, other: &Self) -> usize {
        let (mut at, mut against, mut count) = (0, 0, 0);
        while let (Some(one), Some(another)) = (self.0.get(at), other.0.get(against)) {
            at += usize::from(one <= another);
            against += usize::from(another <= one);
            count += usize::from(one == another);
        }
        count
    }
}

/// The hasher has no secret: the same word has the same mark in every run.
fn mark(word: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    word.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_both_have_are_counted_once() {
        let marks = |text: &str| Marks::of(text.split(' '));
        assert_eq!(marks("a b a c").len(), 3);
        assert_eq!(marks("a b a c").common(&marks("c a x")), 2);
        assert_eq!(marks("a").common(&marks("b")), 0);
    }
}
