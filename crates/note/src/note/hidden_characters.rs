//! Detects invisible characters that can hide text from readers, except those that a script or an
//! emoji requires.

use crate::finding::{Finding, FindingCode, Severity};
use crate::markdown::escape::is_hidden;
use crate::path::NotePath;
use cm_text::position::line_and_column;

/// Returns one finding for each suspicious character: its first location and its number of
/// occurrences.
pub(super) fn findings(path: &NotePath, text: &str) -> Vec<Finding> {
    if text.is_ascii() {
        return Vec::new();
    }
    let mut found: Vec<(char, usize, usize)> = Vec::new();
    let mut before = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if !c.is_ascii() && is_hidden(c) {
            let next = chars.peek().map(|(_, next)| *next);
            // The first character of a file may be a byte-order mark.
            let expected = at == 0 && c == '\u{feff}' || is_needed(before, c, next);
            let room = found.len() < MAX_REPORTED_CHARACTERS;
            match found.iter_mut().find(|(counted, ..)| *counted == c) {
                _ if expected => {}
                Some((_, _, count)) => *count += 1,
                None if room => found.push((c, at, 1)),
                None => {}
            }
        }
        before = Some(c);
    }
    found.into_iter().map(|(c, at, count)| finding(path, text, c, at, count)).collect()
}

/// Maximum number of distinct characters reported for one note.
const MAX_REPORTED_CHARACTERS: usize = 8;

/// Whether the hidden character `c` is legitimate between its neighbors, because a script or an
/// emoji requires it there.
fn is_needed(before: Option<char>, c: char, next: Option<char>) -> bool {
    let shown = |c: Option<char>| c.is_some_and(|c| !c.is_ascii() && !is_hidden(c));
    match c {
        // Joiners within emoji and within words of Indic and Arabic script, variants of ideographs and symbols.
        '\u{200c}' | '\u{200d}' => shown(before) && shown(next),
        '\u{fe00}'..='\u{fe0e}' | '\u{e0100}'..='\u{e01ef}' | '\u{180b}'..='\u{180f}' => shown(before),
        // Direction marks beside letters of a script that runs from right to left.
        '\u{200e}' | '\u{200f}' | '\u{61c}' => [before, next].into_iter().flatten().any(runs_leftwards),
        // The flags of England, Scotland and Wales are a black flag and tags.
        '\u{e0061}'..='\u{e007f}' => {
            before.is_some_and(|c| c == '\u{1f3f4}' || ('\u{e0061}'..='\u{e007a}').contains(&c))
        }
        _ => false,
    }
}

fn runs_leftwards(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}')
}

fn finding(path: &NotePath, text: &str, c: char, at: usize, count: usize) -> Finding {
    let (line, column) = line_and_column(text, at);
    let times = if count == 1 { String::new() } else { format!(", {count} times") };
    let message = format!("a hidden character (U+{:04X}, {}){times}", u32::from(c), what(c));
    Finding::new(path, FindingCode::HiddenCharacter, Severity::Warning, message)
        .with_location(line, column)
        .with_hint(
            "remove it unless you need it: hidden characters can hide text from people that agents read",
        )
}

fn what(c: char) -> &'static str {
    match c {
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}' => {
            "changes the direction of text"
        }
        '\u{e0000}'..='\u{e007f}' => "an invisible tag",
        '\u{fe00}'..='\u{fe0e}' | '\u{e0100}'..='\u{e01ef}' | '\u{180b}'..='\u{180f}' => {
            "a lone variation mark"
        }
        '\u{feff}' => "a byte-order mark in the middle of the text",
        _ => "has no width",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(u32, u32)> {
        let path = NotePath::parse("a.md").unwrap();
        findings(&path, text).iter().map(|finding| (finding.line.unwrap(), finding.column.unwrap())).collect()
    }

    #[test]
    fn smuggled_characters_are_found_at_their_first_place() {
        assert_eq!(found("a\nbé\u{202e}c\u{202e}"), [(2, 3)]);
        assert_eq!(found("pass\u{200b}word and \u{e0041}\u{e0042}"), [(1, 5), (1, 15), (1, 16)]);
        assert_eq!(found("\u{feff}x\u{feff}"), [(1, 3)]);
        assert_eq!(found("a\u{200d}b"), [(1, 2)]);
    }

    #[test]
    fn what_a_script_or_an_emoji_needs_is_left_alone() {
        for text in [
            "👩\u{200d}💻 ☀\u{fe0f} ❤\u{fe0f}\u{200d}🔥",
            "می\u{200c}خواهم",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
            "שלום\u{200f}!",
            "क्\u{200d}ष",
            "葛\u{e0100}",
            "Grüße, 世界",
        ] {
            assert_eq!(found(text), [], "{text:?}");
        }
    }
}
