//! Lexer for command lines.

use super::ansi;
use super::scan::{after, backquote, braced, name_length, redirect, split};
use super::token::{RawWord, ShellToken, WordPiece};

/// Maximum nesting depth of substitutions that are parsed.
const MAX_NESTING: usize = 16;

/// A here-document whose body has not been read yet.
struct PendingHereDocument {
    end: String,
    tabs: bool,
    expands: bool,
    place: usize,
}

struct ShellLexer<'t> {
    text: &'t str,
    at: usize,
    tokens: Vec<ShellToken>,
    pending: Vec<PendingHereDocument>,
    nesting: usize,
    /// Number of open brackets within the current substitution.
    brackets: usize,
    /// Number of open `case` statements: a closing bracket ends one of their patterns.
    cases: usize,
    /// Whether the lexer stops at the bracket that closes the substitution.
    enclosed: bool,
}

/// Splits a text into tokens.
pub fn tokens(text: &str) -> Vec<ShellToken> {
    nested(text, 0)
}

fn nested(text: &str, nesting: usize) -> Vec<ShellToken> {
    if nesting > MAX_NESTING {
        return Vec::new();
    }
    let mut lexer = ShellLexer::new(text, nesting, false);
    while lexer.at < text.len() {
        lexer.step();
    }
    lexer.tokens
}

/// Control operators, longest first.
const SIGNS: [&str; 12] = ["&&", "||", "|&", ";;", ";", "|", "&", "(", ")", "\n", "`", "\r"];

/// The word that is being read.
#[derive(Default)]
struct WordDraft {
    pieces: RawWord,
    /// Whether backslashes are path separators, as in `C:\Users`.
    windows: bool,
}

impl WordDraft {
    fn push(&mut self, character: char, quoted: bool) {
        self.push_str(character.encode_utf8(&mut [0; 4]), quoted);
    }

    fn push_str(&mut self, more: &str, quoted: bool) {
        match self.pieces.last_mut() {
            Some(WordPiece::Text { text, quoted: before }) if *before == quoted => text.push_str(more),
            _ => self.pieces.push(WordPiece::Text { text: more.to_owned(), quoted }),
        }
    }

    /// Whether a backslash after these characters is a Windows path separator.
    fn keeps_backslash(&mut self) -> bool {
        self.windows = self.windows
            || match self.pieces.as_slice() {
                [WordPiece::Text { text, quoted: false }] => {
                    text.as_bytes().get(1) == Some(&b':')
                        || matches!(text.as_str(), "." | "..")
                        || text.ends_with('%') && text.len() > 1
                }
                [WordPiece::Parameter { text, .. }, WordPiece::Text { text: rest, .. }] => {
                    text == "$env" && rest.starts_with(':')
                }
                _ => false,
            };
        self.windows
    }
}

impl<'t> ShellLexer<'t> {
    fn new(text: &'t str, nesting: usize, enclosed: bool) -> Self {
        let (tokens, pending) = (Vec::new(), Vec::new());
        Self { text, at: 0, tokens, pending, nesting, brackets: 0, cases: 0, enclosed }
    }

    fn rest(&self) -> &'t str {
        after(self.text, self.at)
    }

    fn step(&mut self) {
        let rest = self.rest();
        let first = rest.bytes().next().unwrap_or_default();
        if matches!(first, b' ' | b'\t' | b'\r') {
            self.at += 1;
        } else if rest.starts_with("\\\n") {
            self.at += 2;
        } else if first == b'#' {
            self.at += rest.find('\n').unwrap_or(rest.len());
        } else if first == b'\n' {
            self.at += 1;
            self.tokens.push(ShellToken::Sign("\n"));
            self.bodies();
        } else if let Some(length) = self.arithmetic() {
            self.at += length;
        } else if rest.starts_with("<(") || rest.starts_with(">(") {
            self.word();
        } else if let Some(sign) = redirect(rest) {
            self.at += sign.len();
            self.tokens.push(ShellToken::Redirect(sign));
            if sign == "<<" || sign == "<<-" {
                self.document(sign == "<<-");
            }
        } else if let Some(sign) = SIGNS.iter().find(|sign| first != b'`' && rest.starts_with(**sign)) {
            self.at += sign.len();
            self.bracket(sign);
            self.tokens.push(ShellToken::Sign(sign));
        } else {
            self.word();
        }
    }

    fn at_command(&self) -> bool {
        matches!(self.tokens.last(), None | Some(ShellToken::Sign(_)))
    }

    /// Returns the length of an arithmetic command `((…))` that begins here.
    fn arithmetic(&self) -> Option<usize> {
        let rest = self.rest().as_bytes();
        if !rest.starts_with(b"((") || !self.at_command() {
            return None;
        }
        // One that is longer than this is read as commands in brackets.
        rest.windows(2).take(1023).position(|pair| pair == b"))").map(|end| end + 2)
    }

    fn bracket(&mut self, sign: &str) {
        match sign {
            "(" => self.brackets += 1,
            ")" => self.brackets = self.brackets.saturating_sub(1),
            _ => {}
        }
    }

    /// Reads up to the bracket that closes the substitution; returns the tokens and the offset
    /// after the bracket.
    fn enclosed(mut self) -> (Vec<ShellToken>, usize) {
        while self.at < self.text.len() {
            if self.brackets == 0 && self.cases == 0 && self.rest().starts_with(')') {
                return (self.tokens, self.at + 1);
            }
            self.step();
        }
        (self.tokens, self.text.len())
    }

    fn word(&mut self) {
        let mut word = WordDraft::default();
        let begin = self.at;
        while let Some(first) = self.rest().chars().next() {
            let rest = self.rest();
            match first {
                '<' | '>' if self.at == begin && after(rest, 1).starts_with('(') => {
                    self.substitution(&mut word, 2, false);
                }
                ' ' | '\t' | '\n' | '\r' | ';' | '|' | '&' | '(' | ')' | '<' | '>' => break,
                '\'' => self.single(&mut word),
                '"' => self.double(&mut word),
                '\\' => self.escaped(&mut word),
                '`' | '$' => self.dollar(&mut word, false),
                _ => {
                    word.push(first, false);
                    self.at += first.len_utf8();
                }
            }
        }
        if self.at == begin {
            // A character that begins no word and no operator is passed over.
            self.at += self.rest().chars().next().map_or(1, char::len_utf8);
            return;
        }
        self.end_word(word.pieces);
    }

    fn end_word(&mut self, pieces: RawWord) {
        if let [WordPiece::Text { text, quoted: false }] = pieces.as_slice() {
            // The number of `2>` belongs to the redirection.
            let number = text.bytes().all(|byte| byte.is_ascii_digit());
            if number && self.rest().starts_with(['<', '>']) {
                return;
            }
            match text.as_str() {
                "case" if self.enclosed => self.cases += 1,
                "esac" => self.cases = self.cases.saturating_sub(1),
                _ => {}
            }
        }
        self.tokens.push(ShellToken::Word(pieces));
    }

    fn single(&mut self, word: &mut WordDraft) {
        let inner = after(self.text, self.at + 1);
        let end = inner.find('\'').unwrap_or(inner.len());
        word.push_str(split(inner, end).0, true);
        self.at = (self.at + end + 2).min(self.text.len());
    }

    fn double(&mut self, word: &mut WordDraft) {
        word.push_str("", true);
        self.at += 1;
        if self.quoted_text(word, true) {
            self.at += 1;
        }
    }

    /// Reads text under the rules of double quotes, up to the closing quote or the end of a
    /// here-document. Returns whether it found a closing quote.
    fn quoted_text(&mut self, word: &mut WordDraft, closes: bool) -> bool {
        while let Some(first) = self.rest().chars().next() {
            match first {
                '"' if closes => return true,
                '\\' => {
                    let next = after(self.rest(), 1).chars().next();
                    if !matches!(next, Some('"' | '\\' | '$' | '`' | '\n')) {
                        word.push('\\', true);
                    }
                    if let Some(next) = next.filter(|next| *next != '\n') {
                        word.push(next, true);
                    }
                    self.at += 1 + next.map_or(0, char::len_utf8);
                }
                '`' | '$' => self.dollar(word, true),
                _ => {
                    word.push(first, true);
                    self.at += first.len_utf8();
                }
            }
        }
        false
    }

    fn escaped(&mut self, word: &mut WordDraft) {
        let next = after(self.rest(), 1).chars().next();
        if word.keeps_backslash() {
            word.push('\\', false);
            self.at += 1;
            if let Some(next) = next.filter(|next| !next.is_whitespace()) {
                word.push(next, false);
                self.at += next.len_utf8();
            }
            return;
        }
        if let Some(next) = next.filter(|next| *next != '\n') {
            word.push(next, true);
        }
        self.at += 1 + next.map_or(0, char::len_utf8);
    }

    /// Reads an expansion that begins with a dollar sign or a backquote.
    fn dollar(&mut self, word: &mut WordDraft, quoted: bool) {
        let rest = self.rest();
        if rest.starts_with('`') {
            self.backquoted(word, quoted);
        } else if rest.starts_with("$((") {
            let length = rest.find("))").map_or(rest.len(), |end| end + 2);
            self.parameter(word, length, quoted);
        } else if rest.starts_with("$(") {
            self.substitution(word, 2, quoted);
        } else if rest.starts_with("${") {
            let length = braced(rest);
            self.parameter(word, length, quoted);
        } else if let Some(inner) = rest.strip_prefix("$'").filter(|_| !quoted) {
            let (text, length) = ansi::unescaped(inner);
            word.push_str(&text, true);
            self.at += 2 + length;
        } else if rest.starts_with("$\"") && !quoted {
            self.at += 1;
        } else {
            match name_length(after(rest, 1)) {
                0 => {
                    word.push('$', quoted);
                    self.at += 1;
                }
                length => self.parameter(word, 1 + length, quoted),
            }
        }
    }

    fn parameter(&mut self, word: &mut WordDraft, length: usize, quoted: bool) {
        let (text, _) = split(self.rest(), length);
        let runs = text.starts_with("${") || text.starts_with("$((");
        let inner = after(text, 2);
        let tokens = if runs && inner.contains(['$', '`']) && self.nesting < MAX_NESTING {
            vec![ShellToken::Word(expanding(inner, self.nesting + 1))]
        } else {
            Vec::new()
        };
        word.pieces.push(WordPiece::Parameter { text: text.to_owned(), tokens, quoted });
        self.at += length;
    }

    fn substitution(&mut self, word: &mut WordDraft, open: usize, quoted: bool) {
        let inner = after(self.rest(), open);
        let (tokens, length) = if self.nesting < MAX_NESTING {
            ShellLexer::new(inner, self.nesting + 1, true).enclosed()
        } else {
            (too_deep(), inner.len())
        };
        let text = split(self.rest(), open + length).0.to_owned();
        self.at += text.len();
        word.pieces.push(WordPiece::Substitution { text, tokens, quoted });
    }

    fn backquoted(&mut self, word: &mut WordDraft, quoted: bool) {
        let inner = after(self.rest(), 1);
        let length = backquote(inner);
        let tokens = nested(&split(inner, length).0.replace("\\`", "`"), self.nesting + 1);
        let end = (1 + length + 1).min(self.rest().len());
        let text = split(self.rest(), end).0.to_owned();
        self.at += end;
        word.pieces.push(WordPiece::Substitution { text, tokens, quoted });
    }

    /// Reads the delimiter of a here-document and reserves the place of its body.
    fn document(&mut self, tabs: bool) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t']).len();
        if self.at >= self.text.len() {
            return;
        }
        let before = self.tokens.len();
        self.word();
        let word = self.tokens.drain(before..).find_map(|token| match token {
            ShellToken::Word(pieces) => Some(pieces),
            _ => None,
        });
        let pieces = word.unwrap_or_default();
        let expands = !pieces.iter().any(|piece| matches!(piece, WordPiece::Text { quoted: true, .. }));
        let end = pieces.iter().map(WordPiece::written).collect();
        let place = self.tokens.len();
        self.tokens.push(ShellToken::Body(RawWord::new()));
        self.pending.push(PendingHereDocument { end, tabs, expands, place });
    }

    /// Reads the bodies of the pending here-documents, which begin on this line.
    fn bodies(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            let mut body = String::new();
            while self.at < self.text.len() {
                let rest = self.rest();
                let length = rest.find('\n').map_or(rest.len(), |end| end + 1);
                let (line, _) = split(rest, length);
                self.at += length;
                let bare = line.trim_end_matches(['\n', '\r']);
                if (if pending.tabs { bare.trim_start_matches('\t') } else { bare }) == pending.end {
                    break;
                }
                body.push_str(line);
            }
            let pieces = if pending.expands && self.nesting < MAX_NESTING {
                expanding(&body, self.nesting + 1)
            } else {
                vec![WordPiece::Text { text: body, quoted: true }]
            };
            if let Some(ShellToken::Body(place)) = self.tokens.get_mut(pending.place) {
                *place = pieces;
            }
        }
    }
}

/// Parses a text in which variables and commands are expanded, such as a here-document.
fn expanding(text: &str, nesting: usize) -> RawWord {
    let (mut lexer, mut word) = (ShellLexer::new(text, nesting, false), WordDraft::default());
    lexer.quoted_text(&mut word, false);
    word.pieces
}

/// Returns tokens nested deeper than the limit, which mark the script as truncated.
fn too_deep() -> Vec<ShellToken> {
    (0..=super::MAX_DEPTH).fold(Vec::new(), |tokens, _| {
        vec![ShellToken::Word(vec![WordPiece::Substitution { text: String::new(), tokens, quoted: true }])]
    })
}
