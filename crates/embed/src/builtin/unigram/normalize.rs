//! Normalization before the unigram tokenizer: NFKC, without control characters, and with a blank
//! for every character that separates words.
//!
//! The rules are those of SentencePiece's `nmt_nfkc`, which the model was trained with.

use unicode_normalization::UnicodeNormalization;

/// Fullwidth tilde, which stays as it is.
const TILDE: char = '\u{FF5E}';
/// Private character that stands for [`TILDE`] during normalization.
const PLACEHOLDER: char = '\u{F8FF}';

/// Returns the normalized characters of a text.
pub fn characters(text: &str) -> impl Iterator<Item = char> {
    let clean = text.chars().filter_map(|character| match character {
        '\u{1}'..='\u{8}' | '\u{B}' | '\u{E}'..='\u{1F}' | '\u{7F}' | '\u{8F}' | '\u{9F}' => None,
        '\t' | '\n' | '\u{C}' | '\r' | '\u{1680}' | '\u{200B}'..='\u{200F}' | '\u{2028}' | '\u{2029}' => {
            Some(' ')
        }
        '\u{2581}' | '\u{FEFF}' | '\u{FFFD}' => Some(' '),
        TILDE => Some(PLACEHOLDER),
        other => Some(other),
    });
    clean.nfkc().map(|character| if character == PLACEHOLDER { TILDE } else { character })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal(text: &str) -> String {
        characters(text).collect()
    }

    #[test]
    fn forms_of_a_character_become_one() {
        assert_eq!(normal("ＡＢＣ①ﬁ㍿ｶﾞ"), "ABC1fi株式会社ガ");
        assert_eq!(normal("e\u{301}"), "é");
        assert_eq!(normal("1～2"), "1～2");
    }

    #[test]
    fn what_separates_words_becomes_a_blank_and_control_characters_nothing() {
        assert_eq!(normal("a\tb\u{200B}c\u{3000}d\u{FEFF}e▁f"), "a b c d e f");
        assert_eq!(normal("a\u{1}b\u{7F}c\u{B}d"), "abcd");
    }
}
