//! Tokenizer for search: stemmed words, and identifiers as a whole, in parts and joined.
//!
//! Notes and queries are tokenized in the same way, so `socket_keepalive`, `SocketKeepAlive` and
//! `socket keepalive` match each other.

mod class;
mod compound;
mod stem;

use class::{CharClass, class_of};

/// Role of a token in its source text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenRole {
    /// A word, or part of an identifier.
    Word,
    /// Two adjacent parts of an identifier, joined: `keepalive` in `SocketKeepAlive`.
    Joined,
    /// A whole identifier without separators: `socketkeepalive`.
    Whole,
    /// The exact text in lower case: `c++`, `--no-verify`, `#123`.
    Exact,
    /// The last character of a run that is split into pairs, so that it can be found alone.
    Tail,
}

/// A term with its source location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchToken<'a> {
    /// The normalized term.
    pub text: &'a str,
    /// Byte offset of its start in the source.
    pub from: usize,
    /// Byte offset of its end in the source.
    pub to: usize,
    /// Word position in its unit, from 0.
    pub position: u32,
    pub role: TokenRole,
}

/// The tokens of one word or identifier, which has no white space.
#[derive(Debug, Clone, Default)]
pub struct TokenUnit {
    text: String,
    entries: Vec<TokenEntry>,
    width: u32,
}

#[derive(Debug, Clone, Copy)]
struct TokenEntry {
    start: usize,
    end: usize,
    from: usize,
    to: usize,
    position: u32,
    role: TokenRole,
}

impl TokenUnit {
    /// Iterates over the tokens in order of position.
    pub fn tokens(&self) -> impl Iterator<Item = SearchToken<'_>> {
        (0..self.len()).map(|index| self.token(index))
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the unit has no tokens, because its text is too long for a word.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns a token by index, from 0.
    pub fn token(&self, index: usize) -> SearchToken<'_> {
        let entry = self.entries[index];
        let TokenEntry { from, to, position, role, .. } = entry;
        SearchToken { text: &self.text[entry.start..entry.end], from, to, position, role }
    }

    /// Number of word positions in the unit.
    pub fn width(&self) -> u32 {
        self.width
    }

    fn clear(&mut self) {
        self.text.clear();
        self.entries.clear();
        self.width = 0;
    }

    /// Appends a token with the text that `write` produces; drops it if it is empty or too long.
    fn push(
        &mut self,
        span: (usize, usize),
        position: u32,
        role: TokenRole,
        write: impl FnOnce(&mut String),
    ) {
        let start = self.text.len();
        write(&mut self.text);
        let end = self.text.len();
        if end > start && end - start <= Tokenizer::MAX_TOKEN_BYTES {
            self.entries.push(TokenEntry { start, end, from: span.0, to: span.1, position, role });
        }
        self.width = self.width.max(position + 1);
    }
}

/// Returns the stem of a folded word, the form in which search compares it.
pub fn stem_of(word: &str) -> String {
    let mut stem = String::new();
    stem::write(word, &mut stem);
    stem
}

/// Splits text into tokens. Its buffers are reused from one text to the next.
#[derive(Debug, Clone, Default)]
pub struct Tokenizer {
    unit: TokenUnit,
    folded: String,
    parts: Vec<compound::IdentifierPart>,
    initials: Option<Initials>,
}

/// First letters of words, in either case.
#[derive(Debug, Clone, Copy, Default)]
struct Initials(u32);

impl Initials {
    fn bit(letter: u8) -> u32 {
        if letter.is_ascii_alphabetic() { 1 << (letter & 0x1f) } else { 0 }
    }
}

impl Tokenizer {
    /// Maximum length of a token in bytes; longer tokens are dropped.
    pub const MAX_TOKEN_BYTES: usize = 200;

    /// From now on, leaves out plain words of the letters `a` to `z` that begin with none of these letters,
    /// which saves stemming them. Tokens that begin with one of them, and all positions, stay the same.
    pub fn skip_words_except(&mut self, initials: impl Iterator<Item = u8>) {
        self.initials = Some(Initials(initials.fold(0, |bits, letter| bits | Initials::bit(letter))));
    }

    /// Returns the next unit at or after `at`, and moves `at` behind it; `None` at the end of the
    /// text.
    pub fn next_unit(&mut self, text: &str, at: &mut usize) -> Option<&TokenUnit> {
        let bytes = text.as_bytes();
        self.unit.clear();
        while *at < bytes.len() {
            let start = *at;
            let byte = bytes[start];
            if byte.is_ascii_alphanumeric() {
                *at = self.run(text, start, start);
            } else if byte < 0x80 {
                *at = match marked_run(text, start) {
                    Some(run) => self.run(text, start, run),
                    None => start + 1,
                };
            } else {
                *at = self.beyond_ascii(text, start);
            }
            if self.unit.width > 0 {
                return Some(&self.unit);
            }
        }
        None
    }

    /// Returns the unit that [`Tokenizer::next_unit`] read last.
    pub fn unit(&self) -> &TokenUnit {
        &self.unit
    }

    /// Clears the most recent unit, so that [`Tokenizer::unit`] is empty.
    pub fn clear_unit(&mut self) {
        self.unit.clear();
    }

    /// Calls `sink` for every token of `text`, with positions counted from the start of the text.
    pub fn each(&mut self, text: &str, mut sink: impl FnMut(SearchToken<'_>)) {
        let (mut at, mut base) = (0, 0);
        while let Some(unit) = self.next_unit(text, &mut at) {
            for token in unit.tokens() {
                sink(SearchToken { position: base + token.position, ..token });
            }
            base += unit.width;
        }
    }

    /// Reads a unit with its first letter or digit at `start` and its leading marks (`--`, `#`,
    /// `@`) at `mark`; returns its end.
    fn run(&mut self, text: &str, mark: usize, start: usize) -> usize {
        let scan = compound::scan(text, start);
        let mut end = scan.end;
        let mut exact = mark < start;
        if !scan.compound {
            let suffix = exact_suffix(text, start, end);
            exact |= suffix > 0;
            end += suffix;
        }
        if exact {
            self.unit.push((mark, end), 0, TokenRole::Exact, |out| fold(&text[mark..end], out));
        }
        if scan.compound {
            self.compound(text, start, scan.end);
        } else if scan.letters {
            let word = &text[start..scan.end];
            // A stem begins with the letter of its word.
            if self.initials.is_some_and(|initials| initials.0 & Initials::bit(word.as_bytes()[0]) == 0) {
                self.unit.width = self.unit.width.max(1);
                return end + compound::contraction(text, end);
            }
            self.unit.push((start, scan.end), 0, TokenRole::Word, |out| stem::write_letters(word, out));
        } else {
            self.folded.clear();
            fold(&text[start..scan.end], &mut self.folded);
            let Self { unit, folded, .. } = self;
            unit.push((start, scan.end), 0, TokenRole::Word, |out| stem::write(folded, out));
        }
        end + compound::contraction(text, end)
    }

    /// Reads text that begins with a non-ASCII character: a word, a run without word spaces, an
    /// emoji, or nothing.
    fn beyond_ascii(&mut self, text: &str, start: usize) -> usize {
        let Some(first) = text[start..].chars().next() else { return text.len() };
        match class_of(first) {
            CharClass::Word => self.run(text, start, start),
            CharClass::Unspaced => self.pairs(text, start),
            CharClass::Emoji => {
                let end = start + first.len_utf8();
                self.unit.push((start, end), 0, TokenRole::Word, |out| out.push(first));
                end
            }
            CharClass::Mark | CharClass::Other => start + first.len_utf8(),
        }
    }

    /// Reads a run in a script without word spaces; each pair of adjacent characters is a token.
    fn pairs(&mut self, text: &str, start: usize) -> usize {
        use unicode_normalization::UnicodeNormalization;
        let belongs = |c: char| matches!(class_of(c), CharClass::Unspaced | CharClass::Mark);
        let end = text[start..].find(|c| !belongs(c)).map_or(text.len(), |length| start + length);
        let source = &text[start..end];
        let chars: Vec<char> = source.nfkc().collect();
        // Where normalising changed nothing, each character has its own place; else all share the run's.
        let places: Vec<usize> = if source.chars().eq(chars.iter().copied()) {
            source.char_indices().map(|(at, _)| start + at).chain([end]).collect()
        } else {
            Vec::new()
        };
        let span = |first: usize, past: usize| match places.is_empty() {
            true => (start, end),
            false => (places[first], places[past]),
        };
        for (index, pair) in chars.windows(2).enumerate() {
            self.unit.push(span(index, index + 2), index as u32, TokenRole::Word, |out| out.extend(pair));
        }
        if let Some(last) = chars.last() {
            let index = chars.len() - 1;
            let role = if index == 0 { TokenRole::Word } else { TokenRole::Tail };
            self.unit.push(span(index, index + 1), index as u32, role, |out| out.push(*last));
        }
        end
    }
}

/// Returns the offset of the word after the marks at `start`: `--flag`, `-f`, `#12`, `@name`.
fn marked_run(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let word = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    let run = match bytes[start] {
        b'#' if bytes.get(start + 1).is_some_and(u8::is_ascii_digit) => return Some(start + 1),
        b'@' | b'-' if word(start + 1) => start + 1,
        b'-' if bytes.get(start + 1) == Some(&b'-') && word(start + 2) => start + 2,
        _ => return None,
    };
    let before = text[..start].chars().next_back();
    before.is_none_or(|c| c != '-' && class_of(c) != CharClass::Word).then_some(run)
}

/// Length of the suffix that distinguishes `C++`, `g++`, `C#` and `F#`, or 0.
fn exact_suffix(text: &str, start: usize, end: usize) -> usize {
    let rest = &text.as_bytes()[end..];
    if !matches!(rest.first(), Some(b'+' | b'#')) {
        return 0;
    }
    let alone =
        |at: usize| !rest.get(at).is_some_and(|next| next.is_ascii_alphanumeric() || *next == rest[0]);
    if rest.starts_with(b"++") && rest.get(2) != Some(&b'+') {
        2
    } else if rest.starts_with(b"#") && end - start <= 2 && alone(1) {
        1
    } else {
        0
    }
}

/// Appends text in lower case and without diacritics.
pub fn fold(text: &str, out: &mut String) {
    use unicode_normalization::UnicodeNormalization;
    if text.is_ascii() {
        let from = out.len();
        out.push_str(text);
        out[from..].make_ascii_lowercase();
        return;
    }
    for c in text.nfkd().filter(|c| class_of(*c) != CharClass::Mark) {
        match c {
            'ß' => out.push_str("ss"),
            'æ' | 'Æ' => out.push_str("ae"),
            'œ' | 'Œ' => out.push_str("oe"),
            'ø' | 'Ø' => out.push('o'),
            'đ' | 'Đ' | 'ð' | 'Ð' => out.push('d'),
            'ł' | 'Ł' => out.push('l'),
            'þ' | 'Þ' => out.push_str("th"),
            'ı' => out.push('i'),
            _ => out.extend(c.to_lowercase().filter(|c| class_of(*c) != CharClass::Mark)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn terms(text: &str) -> Vec<String> {
        let mut terms = Vec::new();
        Tokenizer::default().each(text, |token| terms.push(token.text.to_owned()));
        terms
    }

    fn placed(text: &str) -> Vec<(u32, String)> {
        let mut terms = Vec::new();
        Tokenizer::default().each(text, |token| terms.push((token.position, token.text.to_owned())));
        terms
    }

    #[test]
    fn words_are_lower_case_stems_without_diacritics() {
        assert_eq!(terms("Running the cafés, Überblick"), ["run", "the", "cafe", "uberblick"]);
        assert_eq!(terms("don't John's we'll"), ["don", "john", "we"]);
        assert_eq!(terms("straße Straße STRASSE"), ["strass", "strass", "strass"]);
    }

    #[test]
    fn the_spellings_of_an_identifier_share_their_terms() {
        let snake = terms("socket_keepalive");
        let camel = terms("SocketKeepAlive");
        let words = terms("socket keepalive");
        let whole = stem_of("socketkeepalive");
        assert!(snake.contains(&whole) && camel.contains(&whole), "{snake:?} {camel:?}");
        assert!(words.iter().all(|word| snake.contains(word) && camel.contains(word)), "{words:?}");
        assert_eq!(terms("SocketKeepAlive").len(), 6);
    }

    #[test]
    fn what_is_more_than_its_letters_stays_exact() {
        for (text, exact) in [
            ("C++", "c++"),
            ("(C++)", "c++"),
            ("C#,", "c#"),
            ("F#", "f#"),
            ("E0502", "e0502"),
            ("--no-verify", "--no-verify"),
            ("`-Wall`", "-wall"),
            ("see #123", "#123"),
            ("repo#123", "#123"),
            ("@scope/pkg", "@scope/pkg"),
            ("v1.2.3", "v1.2.3"),
            ("2026-11-01", "2026-11-01"),
            ("node.js", "nodej"),
            ("std::fs::read", "stdfsread"),
            ("src/index/mod.rs", "modr"),
            ("8f6ffb24df98", "8f6ffb24df98"),
            ("file.read_to_string()", "readtostr"),
        ] {
            assert!(terms(text).contains(&exact.to_owned()), "{text}: {:?}", terms(text));
        }
    }

    #[test]
    fn acronyms_and_short_forms_are_not_torn_apart() {
        assert_eq!(terms("HTTPServer"), ["httpserver", "http", "server"]);
        assert_eq!(terms("APIs IPv4 iOS OAuth"), ["api", "ipv4", "io", "oauth"]);
        assert_eq!(terms("utf8Decoder"), ["utf8decoder", "utf8", "decod"]);
        assert_eq!(terms("a--b ... - -- ---x :: /"), ["a", "b", "x"]);
    }

    #[test]
    fn scripts_without_blanks_are_cut_in_pairs() {
        assert_eq!(terms("日本語"), ["日本", "本語", "語"]);
        assert_eq!(terms("メモ: 犬"), ["メモ", "モ", "犬"]);
        assert_eq!(terms("안녕 abc"), ["안녕", "녕", "abc"]);
        assert_eq!(terms("🧠 Заметка"), ["🧠", "заметка"]);
    }

    #[test]
    fn positions_count_words_so_that_phrases_match_across_spellings() {
        let placed = placed("use SocketKeepAlive here");
        let at = |term: &str| placed.iter().find(|(_, text)| text == term).map(|(at, _)| *at);
        assert_eq!((at("use"), at("socket"), at("keep"), at("here")), (Some(0), Some(1), Some(2), Some(4)));
        assert_eq!(at(&stem_of("keepalive")), Some(2));
    }

    #[test]
    fn hidden_characters_do_not_split_a_word() {
        assert_eq!(terms("pass\u{200b}word soft\u{ad}ware"), ["password", "softwar"]);
    }

    proptest! {
        #[test]
        fn any_text_is_cut_within_its_bounds_and_in_order(text in "\\PC*|[a-zA-Z0-9_./:#@+ -]{0,60}|[à-ÿ日本ｶﾞ🧠a-z\u{300}\u{200d} ]{0,30}") {
            let mut last = 0;
            let mut sound = true;
            Tokenizer::default().each(&text, |token| {
                sound &= token.position >= last && token.from < token.to && token.to <= text.len();
                sound &= text.is_char_boundary(token.from) && text.is_char_boundary(token.to) && !token.text.is_empty();
                last = token.position;
            });
            prop_assert!(sound);
        }

        #[test]
        fn words_that_are_skipped_change_no_other_token(text in "[A-Za-z0-9_.'é語 -]{0,60}", initials in "[a-z]{0,3}") {
            let tokens = |tokenizer: &mut Tokenizer| {
                let mut found = Vec::new();
                tokenizer.each(&text, |token| {
                    if initials.bytes().any(|letter| token.text.as_bytes()[0] == letter) {
                        found.push((token.text.to_owned(), token.from, token.to, token.position, token.role));
                    }
                });
                found
            };
            let mut skipping = Tokenizer::default();
            skipping.skip_words_except(initials.bytes());
            prop_assert_eq!(tokens(&mut skipping), tokens(&mut Tokenizer::default()));
        }

        #[test]
        fn a_term_does_not_depend_on_what_was_cut_before(texts in proptest::collection::vec("[A-Za-z0-9_./é-]{1,18}", 1..40)) {
            let mut shared = Tokenizer::default();
            for text in &texts {
                let mut fresh = Vec::new();
                Tokenizer::default().each(text, |token| fresh.push(token.text.to_owned()));
                let mut again = Vec::new();
                shared.each(text, |token| again.push(token.text.to_owned()));
                prop_assert_eq!(fresh, again);
            }
        }
    }
}
