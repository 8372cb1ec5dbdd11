//! Tokens of the team server: a secret that is shown once, and the record that knows it again.
//!
//! Nothing here draws randomness or touches a file. `secret.rs` is what a person carries, `keyring.rs` what the vault keeps.

pub mod keyring;
pub mod kind;
pub mod role;
pub mod secret;

pub use keyring::{Keyring, Token, Unreadable, Verdict};
pub use kind::TokenKind;
pub use role::Role;
pub use secret::{Hash, Secret};

/// The longest name of a token's person, in characters.
const LONGEST_PERSON: usize = 100;

/// A name that cannot be a token's person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a token's person is a name of 1 to {LONGEST_PERSON} characters on one line")]
pub struct NoPerson;

/// The name of a token's person without blanks around it. Every commit that the token makes carries it.
///
/// # Errors
/// [`NoPerson`] where it is empty, too long, or holds characters that are not seen.
pub fn person(text: &str) -> Result<&str, NoPerson> {
    let name = text.trim();
    let fits = (1..=LONGEST_PERSON).contains(&name.chars().count());
    if fits && !name.chars().any(hidden) { Ok(name) } else { Err(NoPerson) }
}

/// A character that is not seen, or turns the line around.
fn hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(c, '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_is_a_visible_name_on_one_line() {
        assert_eq!(person("  Ada Lovelace "), Ok("Ada Lovelace"));
        assert_eq!(person("李雷"), Ok("李雷"));
        for bad in ["", "  ", "a\nCm-Actor: root", "a\u{202e}b", "a\u{200b}b", "a\0b", &"a".repeat(101)] {
            assert_eq!(person(bad), Err(NoPerson), "{bad:?}");
        }
    }
}
