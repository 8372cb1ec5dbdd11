//! Cached English stemmer: stemming a word is much slower than a lookup.

use rust_stemmers::{Algorithm, Stemmer};

/// Hash table of recent words and their stems.
#[derive(Clone, Default)]
pub(super) struct StemCache {
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
const FEW: usize = 1 << 8;
const MANY: usize = 1 << 15;

impl StemCache {
    /// Appends the stem of a folded word. A word with characters other than `a`–`z` is its own
    /// stem.
    pub(super) fn write(&mut self, word: &str, out: &mut String) {
        if !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return out.push_str(word);
        }
        match packed(word) {
            Some(key) => self.write_packed(key, word, out),
            None => out.push_str(&stem(word)),
        }
    }

    /// Appends the stem of a word of ASCII letters in any case.
    pub(super) fn write_letters(&mut self, word: &str, out: &mut String) {
        match packed(word) {
            // One bit makes a letter lower case; the length in the last byte is left alone.
            Some(key) => self.write_packed(key | LOWER & ((1 << (8 * word.len())) - 1), word, out),
            None => out.push_str(&stem(&word.to_ascii_lowercase())),
        }
    }

    fn write_packed(&mut self, key: u128, word: &str, out: &mut String) {
        if self.misses > self.rows.len() && self.rows.len() < MANY {
            let rows = if self.rows.is_empty() { FEW } else { self.rows.len() * 4 };
            self.rows = vec![CacheRow::default(); rows.min(MANY)];
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

impl std::fmt::Debug for StemCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StemCache")
    }
}

/// Maximum length of a stemmed word in bytes; longer words are usually concatenated identifiers.
const LONGEST: usize = 20;

fn stem(word: &str) -> String {
    if word.len() > LONGEST {
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
