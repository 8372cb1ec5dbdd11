//! Cached English stemmer: stemming a word is much slower than a lookup.

use std::cell::RefCell;

use rust_stemmers::{Algorithm, Stemmer};

thread_local! {
    static STEMS: RefCell<StemCache> = RefCell::default();
}

/// Appends the stem of a folded word. A word with characters other than `a`–`z` is its own stem.
pub(super) fn write(word: &str, out: &mut String) {
    if !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return out.push_str(word);
    }
    match packed(word) {
        Some(key) => STEMS.with_borrow_mut(|stems| stems.write(key, word, out)),
        None => out.push_str(&stem(word)),
    }
}

/// Appends the stem of a word of ASCII letters in any case.
pub(super) fn write_letters(word: &str, out: &mut String) {
    match packed(word) {
        Some(key) => {
            // One bit makes a letter lower case; the length in the last byte is left alone.
            let key = key | LOWER & ((1 << (8 * word.len())) - 1);
            STEMS.with_borrow_mut(|stems| stems.write(key, word, out));
        }
        None => out.push_str(&stem(&word.to_ascii_lowercase())),
    }
}

/// Hash table of recent words and their stems, one for each thread.
#[derive(Default)]
struct StemCache {
    rows: Vec<CacheRow>,
    misses: usize,
}

/// Two words with their stems, in one CPU cache line.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct CacheRow {
    words: [u128; 2],
    stems: [u128; 2],
}

/// Initial number of rows. The table starts small, because most processes tokenize little text, and
/// grows on misses.
const INITIAL_ROWS: usize = 1 << 8;
const MAX_ROWS: usize = 1 << 15;

impl StemCache {
    /// Appends the stem of a word, whose packed form in lower case is `key`.
    fn write(&mut self, key: u128, word: &str, out: &mut String) {
        if self.misses > self.rows.len() && self.rows.len() < MAX_ROWS {
            let rows = if self.rows.is_empty() { INITIAL_ROWS } else { self.rows.len() * 4 };
            self.rows = vec![CacheRow::default(); rows.min(MAX_ROWS)];
            self.misses = 0;
        }
        if let Some(row) = self.rows.get(slot_of(key, self.rows.len())) {
            let place = usize::from(row.words[0] != key);
            if row.words[place] == key {
                return write_unpacked(row.stems[place], word, out);
            }
        }
        self.misses += 1;
        let stem = stem(&word.to_ascii_lowercase());
        out.push_str(&stem);
        let slot = slot_of(key, self.rows.len());
        if let (Some(row), Some(stem)) = (self.rows.get_mut(slot), packed(&stem)) {
            // The later one goes first, and the earlier one is forgotten next.
            *row = CacheRow { words: [key, row.words[0]], stems: [stem, row.stems[0]] };
        }
    }
}

/// Maximum length of a stemmed word in bytes; longer words are usually concatenated identifiers.
const MAX_WORD_BYTES: usize = 20;

fn stem(word: &str) -> String {
    if word.len() > MAX_WORD_BYTES {
        return word.to_owned();
    }
    Stemmer::create(Algorithm::English).stem(word).into_owned()
}

const LOWER: u128 = u128::from_le_bytes([0x20; 16]);

/// Packs a word of up to 15 bytes into one integer, its length in the highest byte; `None` for
/// longer words.
fn packed(word: &str) -> Option<u128> {
    let mut bytes = [0; 16];
    bytes.get_mut(..word.len()).filter(|_| word.len() <= 15)?.copy_from_slice(word.as_bytes());
    bytes[15] = word.len() as u8;
    Some(u128::from_le_bytes(bytes))
}

fn write_unpacked(stem: u128, word: &str, out: &mut String) {
    let bytes = stem.to_le_bytes();
    // Only texts were packed, so the bytes are one.
    out.push_str(std::str::from_utf8(&bytes[..usize::from(bytes[15])]).unwrap_or(word));
}

fn slot_of(key: u128, rows: usize) -> usize {
    let mixed = (key as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ ((key >> 64) as u64);
    let hash = mixed.wrapping_mul(0xd6e8_feb8_6659_fd93) >> 40;
    hash as usize & rows.wrapping_sub(1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_stem_is_the_same_whether_it_is_remembered_or_not(words in proptest::collection::vec("[A-Za-z]{1,22}", 1..600)) {
            for word in words.iter().chain(&words) {
                let (mut typed, mut folded) = (String::new(), String::new());
                write_letters(word, &mut typed);
                write(&word.to_ascii_lowercase(), &mut folded);
                prop_assert_eq!(&typed, &stem(&word.to_ascii_lowercase()));
                prop_assert_eq!(typed, folded);
            }
        }
    }
}
