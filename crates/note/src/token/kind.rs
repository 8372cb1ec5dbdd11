//! Kind of token holder: a person or an agent.

use cm_text::named_enum;
use std::fmt;

named_enum! {
    /// Holder of a token. Agents propose changes; persons decide on them.
    #[derive(Default)]
    pub enum TokenKind {
        /// An agent; its additions need confirmation.
        #[default]
        Agent = "agent",
        /// A person; their changes take effect directly.
        Person = "person",
    }
}

/// Error: a text is not a kind of token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a kind of token: use agent or person")]
pub struct UnknownTokenKind(String);

impl fmt::Display for TokenKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for TokenKind {
    type Err = UnknownTokenKind;

    fn from_str(text: &str) -> Result<Self, UnknownTokenKind> {
        let all = [Self::Agent, Self::Person];
        all.into_iter().find(|kind| kind.name() == text).ok_or_else(|| UnknownTokenKind(text.to_owned()))
    }
}
