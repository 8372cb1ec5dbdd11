//! English stems, remembered: stemming a word costs far more than looking it up.

use rust_stemmers::{Algorithm, Stemmer};

/// A table of the words met last, each at the place that its hash gives.
#[derive(Clone, Default)]
pub(super) struct StemCache {
    words: Vec<u128>,
    stems: Vec<u128>,
}

const SLOTS: usize = 1 << 13;

impl StemCache {
    /// Appends the stem of a folded word; a word that is not purely `a`–`z` is its own stem.
    pub(super) fn write(&mut self, word: &str, out: &mut String) {
        if !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return out.push_str(word);
        }
        let Some(key) = packed(word) else { return out.push_str(&stem(word)) };
        if self.words.is_empty() {
            self.words = vec![0; SLOTS];
            self.stems = vec![0; SLOTS];
        }
        let slot = slot_of(key);
        if self.words[slot] != key {
            let stem = stem(word);
            let Some(value) = packed(&stem) else { return out.push_str(&stem) };
            self.words[slot] = key;
            self.stems[slot] = value;
        }
        let bytes = self.stems[slot].to_le_bytes();
        // Only texts were packed, so the bytes are one.
        out.push_str(std::str::from_utf8(&bytes[..usize::from(bytes[15])]).unwrap_or(word));
    }
}

impl std::fmt::Debug for StemCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StemCache")
    }
}

fn stem(word: &str) -> String {
    Stemmer::create(Algorithm::English).stem(word).into_owned()
}

/// Up to 15 bytes and their number in one integer.
fn packed(word: &str) -> Option<u128> {
    let mut bytes = [0; 16];
    bytes.get_mut(..word.len()).filter(|_| word.len() <= 15)?.copy_from_slice(word.as_bytes());
    bytes[15] = word.len() as u8;
    Some(u128::from_le_bytes(bytes))
}

fn slot_of(key: u128) -> usize {
    let mixed = (key as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ ((key >> 64) as u64);
    (mixed.wrapping_mul(0xd6e8_feb8_6659_fd93) >> 51) as usize % SLOTS
}
