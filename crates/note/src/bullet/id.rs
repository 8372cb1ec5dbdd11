//! IDs of bullets: `b-{base-36 milliseconds since 1970}-{six base-36 digits}`, such as
//! `b-mt2ssunl-jq6d8j`.
//!
//! Other tools' ids are accepted as they are, but are not a [`BulletId`].

use std::fmt;

use crate::id::NoteId;
use crate::instant::Instant;

/// Id of a bullet in cm's own format, `b-{base-36 time}-{random}`, such as `b-mt2ssunl-jq6d8j`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BulletId(String);

/// Error: a text is not a bullet id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a rule's ID looks like b-mt2ssunl-jq6d8j")]
pub struct InvalidBulletId;

const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
/// Number of random base-36 digits at the end of an id.
const RANDOM_DIGITS: usize = 6;
/// Maximum number of base-36 digits of the creation time in an id, enough for every calendar date.
const MAX_TIME_DIGITS: usize = 12;

impl BulletId {
    /// Generates an id from a time and random bytes; equal arguments give equal ids.
    ///
    /// ```
    /// use cm_note::bullet::id::BulletId;
    /// use cm_note::instant::Instant;
    /// let id = BulletId::generate(Instant::parse("2026-11-22")?, &[7; 16]);
    /// assert_eq!(BulletId::parse(&id.to_string()), Ok(id));
    /// # Ok::<(), cm_note::instant::InvalidDate>(())
    /// ```
    pub fn generate(at: Instant, entropy: &[u8; 16]) -> Self {
        let milliseconds = u64::try_from(at.unix().max(0)).unwrap_or(0).saturating_mul(1000);
        let random = u128::from_be_bytes(*entropy) % 36_u128.pow(6);
        // The remainder is below 36^6 and so fits.
        let random = u64::try_from(random).unwrap_or(0);
        Self(format!("b-{}-{:0>RANDOM_DIGITS$}", base_36(milliseconds), base_36(random)))
    }

    /// Parses an id; upper case is read as lower.
    ///
    /// # Errors
    /// Returns [`InvalidBulletId`] if the text does not have the form of an id.
    pub fn parse(text: &str) -> Result<Self, InvalidBulletId> {
        let id = text.trim().to_ascii_lowercase();
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        let parts = id.strip_prefix("b-").and_then(|rest| rest.split_once('-'));
        let sound = parts.is_some_and(|(time, random)| {
            (1..=MAX_TIME_DIGITS).contains(&time.len())
                && random.len() == RANDOM_DIGITS
                && digits(time)
                && digits(random)
        });
        if sound { Ok(Self(id)) } else { Err(InvalidBulletId) }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn base_36(mut number: u64) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(DIGITS[(number % 36) as usize]);
        number /= 36;
        if number == 0 {
            break;
        }
    }
    digits.iter().rev().map(|digit| char::from(*digit)).collect()
}

impl fmt::Display for BulletId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<BulletId> for NoteId {
    #[allow(clippy::expect_used, reason = "a few letters, digits and dashes are a sound id")]
    fn from(id: BulletId) -> Self {
        Self::try_from(id.0).expect("made of at most 21 letters, digits and dashes")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;
    use regex::Regex;

    use super::*;

    /// Seconds between 2001 and 2058, when the time has eight digits.
    const CURRENT: std::ops::Range<i64> = 980_000_000..2_800_000_000;

    #[test]
    fn an_id_is_its_time_and_its_random_digits() {
        let id = |at: &str, entropy| BulletId::generate(Instant::parse(at).unwrap(), &entropy).to_string();
        assert_eq!(id("1970-01-01T00:00:00Z", [0; 16]), "b-0-000000");
        assert_eq!(id("1969-01-01T00:00:00Z", [0; 16]), "b-0-000000");
        assert_eq!(id("2026-11-21T12:00:00Z", 35_u128.to_be_bytes()), "b-mwqcvpc0-00000z");
        assert_eq!(id("2026-11-21T12:00:00Z", (36_u128.pow(6) - 1).to_be_bytes()), "b-mwqcvpc0-zzzzzz");
    }

    #[test]
    fn upper_case_and_blanks_around_are_forgiven_and_nothing_else() {
        let id = BulletId::parse(" B-MT2SSUNL-jq6d8j\n").unwrap();
        assert_eq!(id.as_str(), "b-mt2ssunl-jq6d8j");
        assert_eq!(BulletId::parse("b-0-000000").map(|id| id.to_string()), Ok("b-0-000000".to_owned()));
        for other in [
            "",
            "b",
            "b-",
            "b--jq6d8j",
            "b-mt2ssunl",
            "b-mt2ssunl-",
            "b-mt2ssunl-jq6d8",
            "b-mt2ssunl-jq6d8jx",
            "b-mt2ssunl1234x-jq6d8j",
            "a-mt2ssunl-jq6d8j",
            "b_mt2ssunl-jq6d8j",
            "b-mt2s-sunl-jq6d8j",
            "b-mt2ssünl-jq6d8j",
            "b-mt2ssunl-jq6d\u{212a}j",
            "b-mt2 sunl-jq6d8j",
            "b-mt2ssunl-jq6d8j.md",
        ] {
            assert_eq!(BulletId::parse(other), Err(InvalidBulletId), "{other}");
        }
    }

    /// The grammar as a regular expression, independent of [`BulletId::parse`].
    fn fits(text: &str) -> bool {
        static GRAMMAR: LazyLock<Regex> =
            LazyLock::new(|| Regex::new("^b-[0-9a-z]{1,12}-[0-9a-z]{6}$").unwrap());
        GRAMMAR.is_match(&text.trim().to_ascii_lowercase())
    }

    proptest! {
        #[test]
        fn a_drawn_id_is_one_for_every_instant_and_entropy(at: i64, entropy: [u8; 16]) {
            let id = BulletId::generate(Instant::from_unix(at), &entropy);
            prop_assert!(fits(id.as_str()), "{}", id);
            prop_assert_eq!(BulletId::parse(&id.to_string()), Ok(id.clone()));
            prop_assert_eq!(BulletId::generate(Instant::from_unix(at), &entropy), id.clone());
            prop_assert_eq!(NoteId::from(id.clone()).to_string(), id.to_string());
        }

        #[test]
        fn what_does_not_fit_the_grammar_is_no_id(text in prop_oneof![".{0,24}", "[bB-][0-9a-zA-Z_-]{0,24}", "b-[0-9a-z]{0,14}-[0-9a-zA-Z]{5,7}"]) {
            prop_assert_eq!(BulletId::parse(&text).is_ok(), fits(&text), "{}", text);
        }

        #[test]
        fn what_is_printed_is_read_as_the_same(text in "[bB]-[0-9a-zA-Z]{1,12}-[0-9a-zA-Z]{6}") {
            let id = BulletId::parse(&text).unwrap();
            prop_assert_eq!(BulletId::parse(&id.to_string()), Ok(id));
        }

        #[test]
        fn ids_sort_by_their_time(one in CURRENT, other in CURRENT, entropy: [u8; 16], another: [u8; 16]) {
            prop_assume!(one < other);
            let id = |at, entropy| BulletId::generate(Instant::from_unix(at), entropy);
            prop_assert!(id(one, &entropy) < id(other, &another));
        }

        #[test]
        fn other_entropy_gives_another_id(at in CURRENT, one in 0..36_u128.pow(6), other in 0..36_u128.pow(6)) {
            let id = |entropy: u128| BulletId::generate(Instant::from_unix(at), &entropy.to_be_bytes());
            prop_assert_eq!(id(one) == id(other), one == other);
        }
    }
}
