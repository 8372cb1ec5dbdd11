//! Tokens of a command line, and the pieces of a word before its expansion.

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Characters that stand for themselves.
    Text { text: String, quoted: bool },
    /// `$NAME`, `${…}` or `$((…))` as written, with the commands that run while it is expanded.
    Parameter { text: String, tokens: Vec<Token>, quoted: bool },
    /// `$(…)`, backquotes, `<(…)` or `>(…)`: the text as written, and the commands within.
    Substitution { text: String, tokens: Vec<Token>, quoted: bool },
}

/// A word before its expansion.
pub type RawWord = Vec<Piece>;

/// A word, an operator, or the body of a here-document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    Word(RawWord),
    /// `;`, `&&`, `||`, `|`, `&`, a line end, or a bracket.
    Sign(&'static str),
    /// A redirection; the next word is its target.
    Redirect(&'static str),
    /// The body of a here-document.
    Body(RawWord),
}

impl Piece {
    /// The piece without its quotation marks.
    pub fn written(&self) -> &str {
        match self {
            Self::Text { text, .. } | Self::Parameter { text, .. } | Self::Substitution { text, .. } => text,
        }
    }

    /// Whether it stands in quotation marks.
    pub fn is_quoted(&self) -> bool {
        match self {
            Self::Text { quoted, .. }
            | Self::Parameter { quoted, .. }
            | Self::Substitution { quoted, .. } => *quoted,
        }
    }
}
