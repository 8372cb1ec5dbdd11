//! Whether a token was issued to a person or to an agent.

use std::fmt;

/// To whom a token was issued. An agent's proposes; a person's decides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, schemars::JsonSchema, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TokenKind {
    /// An agent: what it adds waits for confirmation.
    #[default]
    Agent,
    /// A person: what they say holds.
    Person,
}

/// A text that names no kind of token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no kind of token: write agent or person")]
pub struct UnknownKind(String);

impl TokenKind {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Person => "person",
        }
    }
}

impl fmt::Display for TokenKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for TokenKind {
    type Err = UnknownKind;

    fn from_str(text: &str) -> Result<Self, UnknownKind> {
        let all = [Self::Agent, Self::Person];
        all.into_iter().find(|kind| kind.name() == text).ok_or_else(|| UnknownKind(text.to_owned()))
    }
}
