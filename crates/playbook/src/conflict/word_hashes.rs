//! A set of words as sorted hashes, which makes the size of an intersection cheap to compute.

/// Hashes of a set of words, ascending and without duplicates.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct WordHashes(Vec<u64>);

impl WordHashes {
    pub(super) fn of<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        let mut marks: Vec<u64> = words.map(mark).collect();
        marks.sort_unstable();
        marks.dedup();
        Self(marks)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the number of hashes in both sets.
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

/// Hashes a word by FNV-1a, so that the value can be stored.
pub(super) fn mark(word: &str) -> u64 {
    word.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_both_have_are_counted_once() {
        let marks = |text: &str| WordHashes::of(text.split(' '));
        assert_eq!(marks("a b a c").len(), 3);
        assert_eq!(marks("a b a c").common(&marks("c a x")), 2);
        assert_eq!(marks("a").common(&marks("b")), 0);
    }
}
