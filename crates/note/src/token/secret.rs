//! Secrets of tokens, and their stored hashes.
//!
//! A secret is 256 random bits, so a single round of SHA-256 protects it. Slow hashes are for
//! passwords chosen by people, and would only slow down each request. The vault never stores the
//! secret.

use std::fmt;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use subtle::{Choice, ConstantTimeEq};

/// Prefix of every secret, so that secret scanners can recognize it.
const PREFIX: &str = "cm_";
/// Number of random bytes.
const SECRET_BYTES: usize = 32;

/// Secret of a token. It has no `Display`, and `Debug` prints no content, so that it cannot be
/// logged by accident.
#[derive(Clone)]
pub struct TokenSecret(String);

impl TokenSecret {
    /// Creates a secret from random bytes: `cm_` and 64 hexadecimal digits.
    pub fn of(random: [u8; SECRET_BYTES]) -> Self {
        Self(format!("{PREFIX}{}", HEXLOWER.encode(&random)))
    }

    /// Parses a secret; `None` if the text does not have its form.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(PREFIX)?;
        let right = digits.len() == 2 * SECRET_BYTES
            && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        right.then(|| Self(text.to_owned()))
    }

    /// Returns the secret itself, to be shown once.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Computes the hash that is stored.
    pub fn hash(&self) -> SecretHash {
        SecretHash(Sha256::digest(self.0.as_bytes()).into())
    }

    /// Last four characters, by which its holder recognizes a token. 240 bits remain secret.
    pub fn last_four(&self) -> &str {
        &self.0[self.0.len() - 4..]
    }
}

impl fmt::Debug for TokenSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// SHA-256 hash of a secret.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SecretHash([u8; 32]);

/// Prefix of a hash in a file.
const ALGORITHM: &str = "sha256:";

impl SecretHash {
    /// Parses the printed form of a hash, `sha256:` and 64 hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(ALGORITHM)?;
        HEXLOWER.decode(digits.as_bytes()).ok()?.try_into().ok().map(Self)
    }

    /// Compares two hashes in constant time.
    pub fn ct_eq(&self, other: &Self) -> Choice {
        self.0.ct_eq(&other.0)
    }

    /// First eight hexadecimal digits, the id of a token in lists and logs. They do not help to
    /// guess the secret.
    pub fn short(&self) -> String {
        HEXLOWER.encode(&self.0[..4])
    }
}

impl fmt::Display for SecretHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{ALGORITHM}{}", HEXLOWER.encode_display(&self.0))
    }
}

impl fmt::Debug for SecretHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash({})", self.short())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_read_back_and_known_by_its_hash_alone() {
        let secret = TokenSecret::of([0xa7; 32]);
        let again = TokenSecret::parse(secret.expose()).unwrap();
        assert!(bool::from(again.hash().ct_eq(&secret.hash())));
        assert!(!bool::from(TokenSecret::of([0xa8; 32]).hash().ct_eq(&secret.hash())));
        let written = secret.hash().to_string();
        assert_eq!(SecretHash::parse(&written), Some(secret.hash()));
        assert!(!written.contains(&secret.expose()[3..]));
        assert_eq!(secret.last_four(), "a7a7");
    }

    #[test]
    fn nothing_prints_a_secret_by_accident() {
        let secret = TokenSecret::of([7; 32]);
        assert_eq!(format!("{secret:?}"), "Secret(…)");
    }

    #[test]
    fn what_no_secret_looks_like_is_refused() {
        let long = format!("cm_{}", "0".repeat(65));
        let upper = format!("cm_{}", "A".repeat(64));
        for bad in ["", "cm_", "cm_00", &long, &upper, &"0".repeat(67), &format!("cm_{}", "é".repeat(32))] {
            assert!(TokenSecret::parse(bad).is_none(), "{bad}");
        }
        for bad in ["", "sha256:", "sha256:00", "md5:00", &format!("sha256:{}", "é".repeat(32))] {
            assert!(SecretHash::parse(bad).is_none(), "{bad}");
        }
    }
}
