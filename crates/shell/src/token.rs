//! Tokens of a command line, and the pieces of a word before expansion.

/// Part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WordPiece {
    /// Literal characters.
    Text { text: String, quoted: bool },
    /// `$NAME`, `${…}` or `$((…))` as written, with the commands that its expansion runs.
    Parameter { text: String, tokens: Vec<ShellToken>, quoted: bool },
    /// `$(…)`, backquotes, `<(…)` or `>(…)`: the text as written, and its commands.
    Substitution { text: String, tokens: Vec<ShellToken>, quoted: bool },
}

/// A word before expansion.
pub type RawWord = Vec<WordPiece>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShellToken {
    Word(RawWord),
    /// A control operator: `;`, `&&`, `||`, `|`, `&`, a newline, or a bracket.
    Sign(&'static str),
    /// A redirection operator; the next word is its target.
    Redirect(&'static str),
    /// The body of a here-document.
    Body(RawWord),
}

impl WordPiece {
    /// Returns the text of the piece without quotes.
    pub fn written(&self) -> &str {
        match self {
            Self::Text { text, .. } | Self::Parameter { text, .. } | Self::Substitution { text, .. } => text,
        }
    }

    /// Whether the piece is quoted.
    pub fn is_quoted(&self) -> bool {
        match self {
            Self::Text { quoted, .. }
            | Self::Parameter { quoted, .. }
            | Self::Substitution { quoted, .. } => *quoted,
        }
    }
}
