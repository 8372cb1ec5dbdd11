//! Character classes of the tokenizer.

use unicode_normalization::char::is_combining_mark;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CharClass {
    /// A letter or digit of a script with word spaces.
    Word,
    /// A character of a script without word spaces: Han, kana, hangul, Thai and similar scripts.
    Unspaced,
    /// A diacritic or invisible character, which does not affect word boundaries.
    Mark,
    /// An emoji, which is a word by itself.
    Emoji,
    /// Any other character.
    Other,
}

pub(super) fn class_of(c: char) -> CharClass {
    match c {
        '\0'..='\u{7f}' if c.is_ascii_alphanumeric() => CharClass::Word,
        '\0'..='\u{7f}' => CharClass::Other,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => {
            CharClass::Mark
        }
        '\u{feff}' | '\u{fe00}'..='\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}' => CharClass::Mark,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' => CharClass::Unspaced,
        '\u{1100}'..='\u{11ff}' | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' if c != '・' => {
            CharClass::Unspaced
        }
        '\u{3130}'..='\u{318f}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' => CharClass::Unspaced,
        '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' => CharClass::Unspaced,
        '\u{ff66}'..='\u{ffdc}' | '\u{20000}'..='\u{3ffff}' => CharClass::Unspaced,
        '\u{2300}'..='\u{23ff}' | '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}' => CharClass::Emoji,
        '\u{1f000}'..='\u{1faff}' => CharClass::Emoji,
        _ if is_combining_mark(c) => CharClass::Mark,
        _ if c.is_alphanumeric() => CharClass::Word,
        _ => CharClass::Other,
    }
}
