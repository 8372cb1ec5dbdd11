//! Scores how relevant a note is to the agent's current work, on an absolute scale, so that nothing
//! is injected if nothing fits.

use std::collections::BTreeSet;

use cm_text::similarity;

/// Minimum length of the shorter text, in words, for the share of common words; prevents high
/// scores of very short texts.
const MIN_SHORTER_WORDS: usize = 4;
/// Cosine similarity at or below which two texts are unrelated.
const UNRELATED_COSINE: f64 = 0.25;
/// Cosine similarity from which two texts mean the same.
const EQUAL_COSINE: f64 = 0.75;
/// Weight of the lower of the two scores (words and meaning).
const LOWER_SCORE_WEIGHT: f64 = 0.5;

/// The distinct content words of a text, stemmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentWords(BTreeSet<String>);

impl ContentWords {
    /// Extracts the content words of a text. `says_nothing` returns `true` for stop words.
    pub fn of(text: &str, says_nothing: impl Fn(&str) -> bool) -> Self {
        let words = similarity::words(text).into_iter();
        Self(words.filter(|word| word.chars().count() > 1 && !says_nothing(word)).collect())
    }

    /// Returns `true` if the text has no content words.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Types of memories that may help after a command failed.
pub const FAILURE_TYPES: [&str; 5] = ["fix", "error", "solution", "problem", "fact"];

/// Words before a quoted error message.
const BEFORE_MESSAGE: [&str; 13] = [
    "with",
    "error",
    "errors",
    "message",
    "exception",
    "says",
    "said",
    "throws",
    "fails",
    "failed",
    "mit",
    "con",
    "avec",
];
/// Quotation marks with those that end them.
const QUOTATION_MARKS: [(char, [char; 2]); 4] =
    [('"', ['"', '"']), ('“', ['”', '"']), ('„', ['“', '”']), ('«', ['»', '»'])];
/// Minimum number of content words of a quoted error message.
const MIN_MESSAGE_WORDS: usize = 2;
/// Minimum share of the words of a quoted error message that the same failure has.
const MIN_MESSAGE_SHARE: f64 = 0.6;

/// Whether a note quotes error messages, none of which is in a failed command and its output: it is about
/// another failure. `says_nothing` returns `true` for stop words.
///
/// ```
/// use cm_agents::hook::relevance::is_of_other_failure;
/// let note = "`make test` failed with \"connection refused\" until `make db` was run";
/// assert!(!is_of_other_failure(note, "make test\npsql: Connection refused", |_| false));
/// assert!(is_of_other_failure(note, "make test\nassertion failed: 3 == 4", |_| false));
/// assert!(!is_of_other_failure("After a change run \"make gen proto\"", "make\nstale", |_| false));
/// ```
#[must_use]
pub fn is_of_other_failure(note: &str, failure: &str, says_nothing: impl Fn(&str) -> bool) -> bool {
    let messages = quoted_messages(note).into_iter().map(|quote| ContentWords::of(quote, &says_nothing).0);
    let mut messages = messages.filter(|words| words.len() >= MIN_MESSAGE_WORDS).peekable();
    let failure = ContentWords::of(failure, &says_nothing).0;
    let is_of_failure = |words: BTreeSet<String>| {
        words.intersection(&failure).count() as f64 >= MIN_MESSAGE_SHARE * words.len() as f64
    };
    messages.peek().is_some() && !messages.any(is_of_failure)
}

/// Returns the quotations of a note that a word such as "with" or "error" announces.
fn quoted_messages(note: &str) -> Vec<&str> {
    let (mut messages, mut from) = (Vec::new(), 0);
    let opening = |text: &str| {
        text.char_indices().find_map(|(at, c)| {
            let (_, ends) = QUOTATION_MARKS.iter().find(|(begin, _)| *begin == c)?;
            Some((at, at + c.len_utf8(), *ends))
        })
    };
    while let Some((at, begin, ends)) = opening(&note[from..]) {
        let rest = &note[from + begin..];
        let Some(length) = rest.find(ends) else { break };
        let before = note[..from + at].trim_end().trim_end_matches([':', ',']);
        let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
        if BEFORE_MESSAGE.contains(&word.as_str()) {
            messages.push(&rest[..length]);
        }
        let end = from + begin + length;
        from = end + note[end..].chars().next().map_or(0, char::len_utf8);
    }
    messages
}

/// Scores the relevance of a note to a question, 0–1, by their common words and their cosine
/// similarity (−1 to 1; `None` if the note has no embedding).
#[must_use]
pub fn relevance(question: &ContentWords, note: &ContentWords, cosine: Option<f64>) -> f64 {
    let words = similarity::overlap(&question.0, &note.0, MIN_SHORTER_WORDS);
    let meaning = cosine.map_or(0.0, |cosine| {
        ((cosine - UNRELATED_COSINE) / (EQUAL_COSINE - UNRELATED_COSINE)).clamp(0.0, 1.0)
    });
    let (better, other) = if words > meaning { (words, meaning) } else { (meaning, words) };
    (better + LOWER_SCORE_WEIGHT * other).min(1.0)
}

/// Confidence of search, by the fine model, that corresponds to a relevance of one half. On labelled tasks, two of three
/// rules with at least this confidence fit the task.
const HALF_CONFIDENCE: f64 = 0.3;

/// Converts the confidence, 0–1, that a note answers the question to the scale of [`relevance`].
///
/// ```
/// use cm_agents::hook::relevance::relevance_of_confidence;
/// assert_eq!([0.0, 0.3, 1.0].map(relevance_of_confidence), [0.0, 0.5, 1.0]);
/// ```
#[must_use]
pub fn relevance_of_confidence(confidence: f64) -> f64 {
    piecewise(confidence, HALF_CONFIDENCE)
}

/// Need for a note that corresponds to a relevance of one half. On labelled tasks, two of three rules with at least
/// this need fit the task.
const HALF_NEED: f64 = 0.3;

/// Converts how much an agent needs a note for its task, 0–1, to the scale of [`relevance`].
#[must_use]
pub fn relevance_of_need(need: f64) -> f64 {
    piecewise(need, HALF_NEED)
}

/// Maps 0, `half` and 1 to 0, one half and 1, and what is between linearly.
fn piecewise(value: f64, half: f64) -> f64 {
    match value < half {
        true => value / half / 2.0,
        false => 0.5 + (value - half) / (1.0 - half) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn telling(text: &str) -> ContentWords {
        ContentWords::of(text, |word| ["the", "is", "it", "and", "its"].contains(&word))
    }

    #[test]
    fn a_note_fits_by_words_by_meaning_or_by_some_of_both() {
        let question = telling("the upload test is flaky again");
        let rule = telling("Give the upload test its own port, and it is never flaky.");
        let other = telling("Write the changelog before the release.");
        assert!(relevance(&question, &rule, None) >= 0.5);
        assert!(relevance(&question, &other, Some(0.3)) < 0.5);
        assert!(relevance(&question, &other, Some(0.6)) >= 0.5);
        assert!(relevance(&telling("the test"), &rule, None) < 0.5, "one word is chance");
        assert!(telling("it is the").is_empty());
    }

    proptest! {
        #[test]
        fn a_fit_is_a_share_and_grows_with_nearness(a in "[a-e ]{0,20}", b in "[a-e ]{0,20}", near in -1.0_f64..1.0) {
            let (a, b) = (telling(&a), telling(&b));
            let one = relevance(&a, &b, Some(near));
            prop_assert!((0.0..=1.0).contains(&one));
            prop_assert!(relevance(&a, &b, Some(near + 0.1)) >= one && one >= relevance(&a, &b, None));
        }
    }
}
