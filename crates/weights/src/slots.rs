//! Where a token lies in the vocabulary's table; the build script, which makes the table, shares it.
//!
//! It is no hash for input that somebody chooses to collide: the table is fixed.

/// How many slots the table has: a power of two, more than twice as many as there are tokens.
pub const SLOTS: usize = 1 << 16;

/// A slot that holds no token. It differs from every entry, since no token has the number 65,535.
pub const EMPTY: u32 = u32::MAX;

/// FNV-1a with 32 bits, which grows byte by byte: the hashes of all beginnings of a word cost one pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hash(u32);

impl Hash {
    /// That of no bytes.
    pub const START: Self = Self(0x811c_9dc5);

    /// That of some bytes.
    pub const fn of(bytes: &[u8]) -> Self {
        let mut hash = Self::START;
        let mut at = 0;
        while at < bytes.len() {
            hash = hash.then(bytes[at]);
            at += 1;
        }
        hash
    }

    /// That of one byte more.
    pub const fn then(self, byte: u8) -> Self {
        Self((self.0 ^ byte as u32).wrapping_mul(0x0100_0193))
    }

    /// The slot at which the search begins.
    pub const fn slot(self) -> usize {
        self.0 as usize % SLOTS
    }

    /// What the slot of a token holds: its number, and the half of the hash that does not name the slot.
    #[allow(dead_code, reason = "the program only reads")]
    pub const fn entry(self, token: u16) -> u32 {
        (self.0 & 0xffff_0000) | token as u32
    }

    /// The number of the token in a slot, if the hash may be that token's.
    #[allow(dead_code, reason = "the build script only writes")]
    pub const fn token(self, entry: u32) -> Option<u16> {
        if entry & 0xffff_0000 == self.0 & 0xffff_0000 { Some(entry as u16) } else { None }
    }
}
