//! Access tokens of the team server: secrets that are shown once, and their stored records.
//!
//! No randomness and no file access. A [`TokenSecret`] belongs to its holder; the vault stores
//! the [`TokenStore`].

pub mod kind;
pub mod role;
pub mod secret;
pub mod token_store;

pub use kind::TokenKind;
pub use role::AccessRole;
pub use secret::{SecretHash, TokenSecret};
pub use token_store::{AccessToken, TokenFileError, TokenStatus, TokenStore};

use crate::markdown::escape::is_hidden;

/// Maximum length of an owner's name, in characters.
const MAX_PERSON_CHARS: usize = 100;

/// Error: a text is not a valid owner's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the owner of a token must be a name of 1 to {MAX_PERSON_CHARS} characters on one line")]
pub struct InvalidOwnerName;

/// Validates and trims the name of a token's owner, which is recorded in every commit that the
/// token makes.
///
/// # Errors
/// Returns [`InvalidOwnerName`] if the name is empty, too long, or has invisible characters.
pub fn person(text: &str) -> Result<&str, InvalidOwnerName> {
    let name = text.trim();
    let fits = (1..=MAX_PERSON_CHARS).contains(&name.chars().count());
    if fits && !name.chars().any(|c| is_hidden(c) || c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')) {
        Ok(name)
    } else {
        Err(InvalidOwnerName)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_is_a_visible_name_on_one_line() {
        assert_eq!(person("  Ada Lovelace "), Ok("Ada Lovelace"));
        assert_eq!(person("李雷"), Ok("李雷"));
        for bad in ["", "  ", "a\nCm-Actor: root", "a\u{202e}b", "a\u{200b}b", "a\0b", &"a".repeat(101)] {
            assert_eq!(person(bad), Err(InvalidOwnerName), "{bad:?}");
        }
    }
}
