//! Hash function of the vocabulary table, shared with the build script that creates the table.
//!
//! It does not resist chosen collisions and need not, because the table is fixed.

/// Number of slots in the table: a power of two, more than twice the number of tokens.
pub const SLOTS: usize = 1 << 16;

/// Marker of an empty slot. It differs from every entry, because no token has the number 65,535.
pub const EMPTY: u32 = u32::MAX;

/// 32-bit FNV-1a, computed byte by byte, so that hashing all prefixes of a word takes a single
/// pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hash(u32);

impl Hash {
    /// Hash of the empty string.
    pub const START: Self = Self(0x811c_9dc5);

    /// Returns the hash of some bytes.
    pub const fn of(bytes: &[u8]) -> Self {
        let mut hash = Self::START;
        let mut at = 0;
        while at < bytes.len() {
            hash = hash.then(bytes[at]);
            at += 1;
        }
        hash
    }

    /// Returns the hash after one more byte.
    pub const fn then(self, byte: u8) -> Self {
        Self((self.0 ^ byte as u32).wrapping_mul(0x0100_0193))
    }

    /// Returns the slot where probing starts.
    pub const fn slot(self) -> usize {
        self.0 as usize % SLOTS
    }

    /// Returns the slot content for a token: its number and the upper half of the hash.
    #[allow(dead_code, reason = "the program only reads")]
    pub const fn entry(self, token: u16) -> u32 {
        (self.0 & 0xffff_0000) | token as u32
    }

    /// Returns the token in a slot if the upper half of its hash matches.
    #[allow(dead_code, reason = "the build script only writes")]
    pub const fn token(self, entry: u32) -> Option<u16> {
        if entry & 0xffff_0000 == self.0 & 0xffff_0000 { Some(entry as u16) } else { None }
    }
}
