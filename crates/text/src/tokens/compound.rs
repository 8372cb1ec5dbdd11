//! Compound identifiers: their extent, their parts, and the joined forms of parts.

use super::class::{CharClass, class_of};
use super::{TokenRole, Tokenizer, fold, stem};

/// End of a run without white space, and whether the run is an identifier of several parts, as in
/// `socket_keepalive`.
pub(super) struct RunExtent {
    pub(super) end: usize,
    pub(super) compound: bool,
    /// For a run that is not compound: whether it consists of ASCII letters only.
    pub(super) letters: bool,
}

/// Separator between a part of an identifier and the previous part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PartConnection {
    First,
    /// `_`, `-` or a change of case: parts of one name.
    Inner,
    /// `.` or `::`: a name qualified by another.
    Outer,
    /// `/`: components of a path.
    Step,
}

/// A part of an identifier: bytes `from..to` of the source, `start..end` of the folded text.
#[derive(Debug, Clone, Copy)]
pub(super) struct IdentifierPart {
    from: usize,
    to: usize,
    start: usize,
    end: usize,
    joint: PartConnection,
}

/// Maximum number of parts that are joined; longer runs are data rather than names.
const MAX_PARTS: usize = 24;

const LOWER: u8 = 1;
const UPPER: u8 = 2;
const DIGIT: u8 = 4;

/// Class of each ASCII letter or digit; 0 for other bytes.
const KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte] = match byte as u8 {
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'0'..=b'9' => DIGIT,
            _ => 0,
        };
        byte += 1;
    }
    kinds
};

pub(super) fn scan(text: &str, start: usize) -> RunExtent {
    let bytes = text.as_bytes();
    let first = bytes.get(start).map_or(0, |byte| KINDS[usize::from(*byte)]);
    let (mut at, mut later) = (start + usize::from(first != 0), 0);
    while let Some(&byte) = bytes.get(at) {
        match KINDS[usize::from(byte)] {
            0 => break,
            kind => later |= kind,
        }
        at += 1;
    }
    let all = first | later;
    // A capital behind something that is none may begin a part; whether it does is told where the run is split.
    let mixed = later & UPPER != 0 && all & (LOWER | DIGIT) != 0;
    let plain_end = at;
    let end = beyond_plain(text, at);
    RunExtent { end, compound: mixed || end > plain_end, letters: all & DIGIT == 0 }
}

/// Returns the end of a run of ASCII letters and digits that continues with connectors and other
/// letters.
fn beyond_plain(text: &str, mut at: usize) -> usize {
    let bytes = text.as_bytes();
    while let Some(&byte) = bytes.get(at) {
        if KINDS[usize::from(byte)] != 0 {
            at += 1;
        } else if byte >= 0x80 {
            let Some(c) = text[at..].chars().next() else { break };
            if !matches!(class_of(c), CharClass::Word | CharClass::Mark) {
                break;
            }
            at += c.len_utf8();
        } else {
            let Some(next) = connector(text, at) else { break };
            at = next;
        }
    }
    at
}

/// Length of a contraction such as `'s`, `'t` or `'ll` at `at`, or 0.
pub(super) fn contraction(text: &str, at: usize) -> usize {
    if !matches!(text.as_bytes().get(at), Some(b'\'' | 0xe2)) {
        return 0;
    }
    let rest = &text[at..];
    let Some(mark) = rest.chars().next().filter(|c| matches!(c, '\'' | '’')) else { return 0 };
    let tail = &rest[mark.len_utf8()..];
    let length = tail.find(|c: char| class_of(c) != CharClass::Word).unwrap_or(tail.len());
    let suffix = ["s", "t", "d", "m", "ll", "re", "ve"]
        .iter()
        .any(|suffix| tail[..length].eq_ignore_ascii_case(suffix));
    if suffix { mark.len_utf8() + length } else { 0 }
}

/// Returns the offset after the connector at `at`, if the run continues there.
fn connector(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let behind = match bytes[at] {
        b'_' => at + bytes[at..].iter().take_while(|byte| **byte == b'_').count(),
        b'-' | b'.' | b'/' => at + 1,
        b':' if bytes.get(at + 1) == Some(&b':') => at + 2,
        _ => return None,
    };
    let next = text[behind..].chars().next()?;
    (class_of(next) == CharClass::Word).then_some(behind)
}

impl Tokenizer {
    /// Emits the tokens of a run that may have several parts.
    pub(super) fn compound(&mut self, text: &str, start: usize, end: usize) {
        self.split(text, start, end);
        let count = self.parts.len();
        for first in 0..count {
            if count > 1 && count <= MAX_PARTS {
                self.joins_from(first);
            }
            self.join(first, first + 1, first, TokenRole::Word);
        }
    }

    /// Emits the joined forms that begin with part `first`: the whole run, the name, and pairs of
    /// neighbors.
    fn joins_from(&mut self, first: usize) {
        let count = self.parts.len();
        let name_end = self.name_end(first);
        let begins_name = self.parts[first].joint != PartConnection::Inner;
        if first == 0 {
            self.join(0, count, 0, TokenRole::Whole);
        }
        if begins_name && name_end - first > 1 && name_end - first < count {
            self.join(first, name_end, first, TokenRole::Whole);
        }
        if begins_name && self.parts.get(name_end).is_some_and(|next| next.joint == PartConnection::Outer) {
            let pair_end = self.name_end(name_end);
            if pair_end - first < count {
                self.join(first, pair_end, first, TokenRole::Joined);
            }
        }
        let second_is_last = first + 2 >= name_end && begins_name;
        if first + 1 < name_end && !second_is_last && self.is_worded(first) && self.is_worded(first + 1) {
            self.join(first, first + 2, first, TokenRole::Joined);
        }
    }

    /// Returns the index after the last part of the name that `first` belongs to.
    fn name_end(&self, first: usize) -> usize {
        let rest = &self.parts[first + 1..];
        first + 1 + rest.iter().take_while(|part| part.joint == PartConnection::Inner).count()
    }

    fn is_worded(&self, part: usize) -> bool {
        let part = self.parts[part];
        self.folded[part.start..part.end].chars().all(char::is_alphabetic)
    }

    /// Emits a token of the parts `first..past`, joined without separators except between digits.
    fn join(&mut self, first: usize, past: usize, position: usize, role: TokenRole) {
        let Self { unit, folded, parts, .. } = self;
        let span = (parts[first].from, parts[past - 1].to);
        let joined = &folded[parts[first].start..parts[past - 1].end];
        unit.push(span, position as u32, role, |out| stem::write(joined, out));
    }

    /// Fills `parts` and `folded`: the folded parts are adjacent, so that any sequence of parts is
    /// a slice.
    fn split(&mut self, text: &str, start: usize, end: usize) {
        self.parts.clear();
        self.folded.clear();
        let run = &text[start..end];
        let (mut from, mut joint) = (0, PartConnection::First);
        let mut chars = run.char_indices().peekable();
        let mut last: Option<char> = None;
        while let Some((at, c)) = chars.next() {
            if !matches!(class_of(c), CharClass::Word | CharClass::Mark) {
                self.part(text, start + from, start + at, joint);
                while chars.next_if(|(_, next)| class_of(*next) == CharClass::Other).is_some() {}
                from = chars.peek().map_or(run.len(), |(next, _)| *next);
                joint = match c {
                    '_' | '-' => PartConnection::Inner,
                    '/' => PartConnection::Step,
                    _ => PartConnection::Outer,
                };
                last = None;
                continue;
            }
            if last.is_some_and(|last| case_changes(last, c, &run[at + c.len_utf8()..]))
                && run[from..at].chars().nth(1).is_some()
            {
                self.part(text, start + from, start + at, joint);
                (from, joint) = (at, PartConnection::Inner);
            }
            last = Some(c);
        }
        self.part(text, start + from, end, joint);
    }

    fn part(&mut self, text: &str, from: usize, to: usize, joint: PartConnection) {
        let digit = |c: Option<char>| c.is_some_and(char::is_numeric);
        if let Some(before) = self.parts.last()
            && digit(self.folded.chars().next_back())
            && digit(text[from..to].chars().next())
        {
            self.folded.push_str(&text[before.to..from]);
        }
        let start = self.folded.len();
        fold(&text[from..to], &mut self.folded);
        let joint = if self.parts.is_empty() { PartConnection::First } else { joint };
        self.parts.push(IdentifierPart { from, to, start, end: self.folded.len(), joint });
    }
}

/// Whether a new part begins with `c`: `socketKeep`, `utf8Decoder`, `HTTPServer`, but not `APIs` or
/// `IPv4`.
fn case_changes(last: char, c: char, rest: &str) -> bool {
    let mut ahead = rest.chars();
    let (next, after) = (ahead.next(), ahead.next());
    let lower = |c: Option<char>| c.is_some_and(char::is_lowercase);
    c.is_uppercase()
        && (last.is_lowercase()
            || last.is_numeric() && lower(next)
            || last.is_uppercase() && lower(next) && lower(after))
}
