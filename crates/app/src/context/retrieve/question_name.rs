//! Puts a note first if the question is its title, one of its aliases or its file name.

use super::hit::RankedNote;
use cm_note::note::Note;
use cm_note::rank::confidence::Confidence;

/// Maximum length of a question in bytes that may be a name.
const MAX_NAME_CHARS: usize = 120;
/// Maximum number of characters of a word in a script without spaces.
const MAX_WIDE_CHARS: usize = 4;

/// A question as a name: its words in lower case, joined by single spaces.
pub(super) struct QuestionName(String);

impl QuestionName {
    /// Returns `None` if the question is too long or has no word.
    pub fn of(question: &str) -> Option<Self> {
        let folded = folded(question);
        (question.len() <= MAX_NAME_CHARS && !folded.is_empty()).then_some(Self(folded))
    }

    /// Whether the question is a single word.
    pub fn is_word(&self) -> bool {
        let is_wide = self.0.chars().any(|c| !c.is_ascii() && !c.is_lowercase());
        !self.0.contains(' ') && (!is_wide || self.0.chars().count() <= MAX_WIDE_CHARS)
    }

    fn is_of(&self, note: &Note) -> bool {
        let stem = note.path.stem();
        let names = note.aliases.iter().map(String::as_str).chain([note.title.as_str(), stem]);
        // Most names are of another length, whatever their punctuation.
        names.filter(|name| name.len() + 8 >= self.0.len()).any(|name| folded(name) == self.0)
    }

    /// Raises the notes that the question names to the best score.
    pub fn raise(&self, ranked: &mut [RankedNote<'_>]) {
        let best = ranked.iter().map(|one| one.score).fold(0.0, f64::max);
        for one in ranked.iter_mut().filter(|one| self.is_of(&one.note)) {
            one.parts.title = (best - one.score).max(0.0);
            one.score = one.score.max(best);
            one.is_named = true;
            one.confidence = one.confidence.map(Confidence::with_title);
        }
    }
}

fn folded(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_a_name_without_regard_to_case_and_punctuation() {
        let name = |question: &str| QuestionName::of(question).map(|name| name.0);
        assert_eq!(name("\"Tokyo  trip\"").as_deref(), Some("tokyo trip"));
        assert_eq!(name("Klaus Brömmelkamp?").as_deref(), Some("klaus brömmelkamp"));
        assert_eq!((name(" - "), name(&"a".repeat(200))), (None, None));
        let is_word = |question: &str| QuestionName::of(question).unwrap().is_word();
        assert!(is_word("snorkel") && is_word("京成") && is_word("\"Öffnungszeiten\""));
        assert!(!is_word("heat pump") && !is_word("我们的服务器在哪里"));
    }
}
