//! The words and signs of a command line.

use super::Word;

/// A word, a sign, or text that is a command of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    Word(Word),
    /// `;`, `&&`, `||`, `|`, `&`, a line end, or a bracket.
    Sign(&'static str),
    /// A sign that redirects; the next word is its target.
    Redirect(&'static str),
    /// The body of a here-document.
    Body(String),
    /// What stood within `$(…)`, backquotes, `<(…)`: a command that runs.
    Nested(String),
}

/// A here-document whose body is still to come.
struct Pending {
    end: String,
    tabs: bool,
    place: usize,
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    tokens: Vec<Token>,
    pending: Vec<Pending>,
}

/// All tokens of a text.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut lexer = Lexer { text, at: 0, tokens: Vec::new(), pending: Vec::new() };
    while lexer.at < text.len() {
        lexer.step();
    }
    lexer.tokens
}

/// Signs from the longest on.
const SIGNS: [&str; 12] = ["&&", "||", "|&", ";;", ";", "|", "&", "(", ")", "\n", "`", "\r"];
const REDIRECTS: [&str; 10] = ["&>>", "&>", "<<<", "<<-", "<<", ">>", ">|", ">&", "<&", ">"];

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn step(&mut self) {
        let rest = self.rest();
        let first = rest.as_bytes()[0];
        if matches!(first, b' ' | b'\t' | b'\r') {
            self.at += 1;
        } else if rest.starts_with("\\\n") {
            self.at += 2;
        } else if first == b'#' {
            self.at += rest.find('\n').unwrap_or(rest.len());
        } else if first == b'\n' {
            self.at += 1;
            self.tokens.push(Token::Sign("\n"));
            self.bodies();
        } else if rest.starts_with("<(") || rest.starts_with(">(") {
            let begin = self.at;
            self.nested(2, ')');
            self.tokens.push(Token::Word(Word { text: self.text[begin..self.at].to_owned(), quoted: false }));
        } else if let Some(sign) = redirect(rest) {
            self.at += sign.len();
            self.tokens.push(Token::Redirect(sign));
            if sign == "<<" || sign == "<<-" {
                self.document(sign == "<<-");
            }
        } else if let Some(sign) = SIGNS.iter().find(|sign| first != b'`' && rest.starts_with(**sign)) {
            self.at += sign.len();
            self.tokens.push(Token::Sign(sign));
        } else {
            self.word();
        }
    }

    /// A word, with the commands in it as tokens before it.
    fn word(&mut self) {
        let mut word = Word::default();
        let begin = self.at;
        while self.at < self.text.len() {
            let rest = self.rest();
            let Some(first) = rest.chars().next() else { break };
            match first {
                ' ' | '\t' | '\n' | '\r' | ';' | '|' | '&' | '(' | ')' | '<' | '>' => break,
                '\'' => self.single(&mut word),
                '"' => self.double(&mut word),
                '\\' => self.escaped(&mut word),
                '`' => self.substitution(&mut word, 1, '`'),
                '$' if rest.starts_with("$((") => self.arithmetic(&mut word),
                '$' if rest.starts_with("$(") => self.substitution(&mut word, 2, ')'),
                '$' if rest.starts_with("${") => self.braces(&mut word),
                '$' if rest.starts_with("$'") || rest.starts_with("$\"") => self.at += 1,
                _ => {
                    word.text.push(first);
                    self.at += first.len_utf8();
                }
            }
        }
        if self.at == begin {
            // A sign that begins no word and is none of ours: it is passed over.
            self.at += self.rest().chars().next().map_or(1, char::len_utf8);
            return;
        }
        let number = word.text.bytes().all(|byte| byte.is_ascii_digit()) && !word.quoted;
        // The number of `2>` belongs to the sign.
        if !(number && self.rest().starts_with(['<', '>']) && !word.text.is_empty()) {
            self.tokens.push(Token::Word(word));
        }
    }

    fn single(&mut self, word: &mut Word) {
        let inner = &self.text[self.at + 1..];
        let end = inner.find('\'').unwrap_or(inner.len());
        word.text.push_str(&inner[..end]);
        word.quoted = true;
        self.at = (self.at + end + 2).min(self.text.len());
    }

    fn double(&mut self, word: &mut Word) {
        word.quoted = true;
        self.at += 1;
        while let Some(first) = self.rest().chars().next() {
            let rest = self.rest();
            match first {
                '"' => {
                    self.at += 1;
                    return;
                }
                '\\' => {
                    let next = rest[1..].chars().next();
                    if !matches!(next, Some('"' | '\\' | '$' | '`' | '\n')) {
                        word.text.push('\\');
                    }
                    word.text.extend(next.filter(|next| *next != '\n'));
                    self.at += 1 + next.map_or(0, char::len_utf8);
                }
                '`' => self.substitution(word, 1, '`'),
                '$' if rest.starts_with("$((") => self.arithmetic(word),
                '$' if rest.starts_with("$(") => self.substitution(word, 2, ')'),
                '$' if rest.starts_with("${") => self.braces(word),
                _ => {
                    word.text.push(first);
                    self.at += first.len_utf8();
                }
            }
        }
    }

    fn escaped(&mut self, word: &mut Word) {
        let next = self.rest()[1..].chars().next();
        // A folder of Windows (`C:\Users`) keeps its signs: no shell of theirs takes them as an escape.
        let windows = word.text.len() >= 2 && word.text.as_bytes()[1] == b':'
            || word.text.contains('\\')
            || matches!(word.text.as_str(), "." | "..");
        if windows {
            word.text.push('\\');
            if next.is_some_and(char::is_whitespace) {
                self.at += 1;
                return;
            }
        }
        word.text.extend(next.filter(|next| *next != '\n'));
        self.at += 1 + next.map_or(0, char::len_utf8);
    }

    fn substitution(&mut self, word: &mut Word, open: usize, close: char) {
        let begin = self.at;
        self.nested(open, close);
        word.text.push_str(&self.text[begin..self.at]);
    }

    fn arithmetic(&mut self, word: &mut Word) {
        let end = self.rest().find("))").map_or(self.text.len(), |end| self.at + end + 2);
        word.text.push_str(&self.text[self.at..end]);
        self.at = end;
    }

    fn braces(&mut self, word: &mut Word) {
        let end = self.rest().find('}').map_or(self.text.len(), |end| self.at + end + 1);
        word.text.push_str(&self.text[self.at..end]);
        self.at = end;
    }

    /// A command within the text: it becomes a token, to be read by itself.
    fn nested(&mut self, open: usize, close: char) {
        let from = self.at + open;
        let length = if close == '`' { backquoted(&self.text[from..]) } else { enclosed(&self.text[from..]) };
        self.tokens.push(Token::Nested(self.text[from..from + length].to_owned()));
        self.at = (from + length + 1).min(self.text.len());
    }

    /// Takes the word that ends a here-document, and waits for the body.
    fn document(&mut self, tabs: bool) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t']).len();
        if self.at >= self.text.len() {
            return;
        }
        let before = self.tokens.len();
        self.word();
        let word = self.tokens.drain(before..).find_map(|token| match token {
            Token::Word(word) => Some(word.text),
            _ => None,
        });
        let place = self.tokens.len();
        self.tokens.push(Token::Body(String::new()));
        self.pending.push(Pending { end: word.unwrap_or_default(), tabs, place });
    }

    /// Reads the bodies that begin on this line.
    fn bodies(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            let mut body = String::new();
            while self.at < self.text.len() {
                let rest = self.rest();
                let length = rest.find('\n').map_or(rest.len(), |end| end + 1);
                let line = &rest[..length];
                self.at += length;
                let bare = line.trim_end_matches(['\n', '\r']);
                if (if pending.tabs { bare.trim_start_matches('\t') } else { bare }) == pending.end {
                    break;
                }
                body.push_str(line);
            }
            if let Some(Token::Body(place)) = self.tokens.get_mut(pending.place) {
                *place = body;
            }
        }
    }
}

fn redirect(rest: &str) -> Option<&'static str> {
    let found = REDIRECTS.iter().find(|sign| rest.starts_with(**sign)).copied();
    found.or_else(|| rest.starts_with('<').then_some("<"))
}

/// How far it is to the bracket that closes, past quotes and brackets within.
fn enclosed(text: &str) -> usize {
    let mut open = Vec::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match (open.last(), character) {
            (Some('\''), '\'') => {
                open.pop();
            }
            (Some('\''), _) => {}
            (_, '\\') => {
                characters.next();
            }
            (Some('"'), '"') => {
                open.pop();
            }
            (Some('"'), '(') if text[..at].ends_with('$') => open.push('('),
            (Some('"'), _) => {}
            (_, '\'' | '"' | '(') => open.push(character),
            (Some(_), ')') => {
                open.pop();
            }
            (None, ')') => return at,
            _ => {}
        }
    }
    text.len()
}

/// How far it is to the backquote that closes.
fn backquoted(text: &str) -> usize {
    let mut escaped = false;
    for (at, character) in text.char_indices() {
        if character == '`' && !escaped {
            return at;
        }
        escaped = character == '\\' && !escaped;
    }
    text.len()
}
