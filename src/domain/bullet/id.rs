//! The ids that bullets get: `b-{base-36 milliseconds since 1970}-{six base-36 digits}`, such as `b-mt2ssunl-jq6d8j`.
//!
//! Ids of other tools are accepted as they stand and are no [`BulletId`].

use std::fmt;

use crate::domain::id::NoteId;
use crate::domain::instant::Instant;

/// The id of a bullet in our own grammar.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BulletId(String);

/// A text that is no such id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a bullet's id looks like b-mt2ssunl-jq6d8j")]
pub struct NotABulletId;

const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
/// The digits that tell bullets of one instant apart.
const RANDOM: usize = 6;
/// The most digits of the time: enough for every date that a calendar holds.
const TIME: usize = 12;

impl BulletId {
    /// The id of a bullet that is made at an instant; equal bytes give equal ids.
    ///
    /// ```
    /// use cm::domain::bullet::id::BulletId;
    /// use cm::domain::instant::Instant;
    /// let id = BulletId::draw(Instant::parse("2026-11-22")?, &[7; 16]);
    /// assert_eq!(BulletId::parse(&id.to_string()), Ok(id));
    /// # Ok::<(), cm::domain::instant::NotADate>(())
    /// ```
    pub fn draw(at: Instant, entropy: &[u8; 16]) -> Self {
        let milliseconds = u64::try_from(at.unix().max(0)).unwrap_or(0).saturating_mul(1000);
        let random = u128::from_be_bytes(*entropy) % 36_u128.pow(6);
        // The remainder is below 36^6 and so fits.
        let random = u64::try_from(random).unwrap_or(0);
        Self(format!("b-{}-{:0>RANDOM$}", base_36(milliseconds), base_36(random)))
    }

    /// Takes a text in the grammar; upper case is read as lower.
    ///
    /// # Errors
    /// Any other text.
    pub fn parse(text: &str) -> Result<Self, NotABulletId> {
        let id = text.trim().to_ascii_lowercase();
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        let parts = id.strip_prefix("b-").and_then(|rest| rest.split_once('-'));
        let sound = parts.is_some_and(|(time, random)| {
            (1..=TIME).contains(&time.len()) && random.len() == RANDOM && digits(time) && digits(random)
        });
        if sound { Ok(Self(id)) } else { Err(NotABulletId) }
    }

    /// The id as text.
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
    fn from(id: BulletId) -> Self {
        // Letters, digits and dashes, a few of them: always a sound id.
        Self::try_from(id.0).unwrap_or_else(|_| uuid::Uuid::nil().into())
    }
}
