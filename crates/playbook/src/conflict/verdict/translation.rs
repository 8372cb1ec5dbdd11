//! Translates statements from German, Spanish, French and Chinese to English word by word, so that statements
//! in two languages can be compared.
//!
//! It is a glossary, not a translator: grammar is ignored, and unknown words stay as they are.

use super::glossary::Glossary;
use cm_text::language::Language;

/// Expressions of several words, with and without a capital letter, with an English expression.
const EXPRESSIONS: [(&str, &str); 9] = [
    ("en lugar de ", "instead of "),
    ("En lugar de ", "instead of "),
    ("en vez de ", "instead of "),
    ("En vez de ", "instead of "),
    ("au lieu de ", "instead of "),
    ("Au lieu de ", "instead of "),
    ("au lieu d'", "instead of "),
    ("plutôt que ", "rather than "),
    ("a menos que ", "unless "),
];

/// Returns a statement in another language with its known words in English; `None` for English.
pub(in crate::conflict) fn gloss(text: &str) -> Option<String> {
    let language = Glossary::language_of(text)?;
    let glossary = Glossary::of(language)?;
    let mut gloss =
        Gloss { language, glossary, text: String::with_capacity(text.len()), clause: 0, has_ne: false };
    for (at, part) in text.split('`').enumerate() {
        if at > 0 {
            gloss.text.push('`');
        }
        // Code stays as it is.
        if at % 2 == 1 { gloss.text.push_str(part) } else { gloss.push(part) }
    }
    Some(gloss.text)
}

/// A statement while it is translated.
struct Gloss {
    language: Language,
    glossary: &'static Glossary,
    /// The translation so far.
    text: String,
    /// Where the current clause begins in it.
    clause: usize,
    /// Whether the clause has the French "ne", with which "plus" denies.
    has_ne: bool,
}

impl Gloss {
    fn push(&mut self, text: &str) {
        let mut text = text.to_owned();
        for (expression, english) in EXPRESSIONS {
            if text.contains(expression) {
                text = text.replace(expression, english);
            }
        }
        let mut rest = text.as_str();
        while let Some(first) = rest.chars().next() {
            let (is_word, is_wide) = (first.is_alphabetic(), is_ideograph(first));
            let same = |c: char| c.is_alphabetic() == is_word && is_ideograph(c) == is_wide;
            let (run, after) = rest.split_at(rest.find(|c: char| !same(c)).unwrap_or(rest.len()));
            match (is_wide, is_word) {
                (true, _) => self.push_chinese(run),
                (_, true) => self.push_word(run),
                _ => self.push_marks(run),
            }
            rest = after;
        }
    }

    fn push_marks(&mut self, marks: &str) {
        let mut marks = marks.replace('。', ". ").replace(['，', '、'], ", ");
        if self.language == Language::French {
            marks = marks.replace(['\'', '’'], " ");
        }
        self.text.push_str(&marks);
        if marks.contains(['.', ',', ';', '；', ':', '：']) {
            (self.clause, self.has_ne) = (self.text.len(), false);
        }
    }

    fn push_word(&mut self, word: &str) {
        let lower = word.to_lowercase();
        self.has_ne |= self.language == Language::French && matches!(lower.as_str(), "ne" | "n");
        let is_cased = word.chars().skip(1).any(char::is_uppercase);
        match self.glossary.english(&lower).as_slice() {
            _ if is_cased => self.text.push_str(word),
            ["more"] if self.has_ne => self.push_denial("not"),
            // "Nicht mehr".
            ["more"] if self.text.trim_end().ends_with("not") => {}
            [denial @ ("not" | "never")] => self.push_denial(denial),
            // German writes all nouns with a capital letter, so that it tells nothing.
            [] if self.language == Language::German => self.text.push_str(&lower),
            [] => self.text.push_str(word),
            words => self.text.push_str(&words.join(" ")),
        }
    }

    /// Pushes a word that denies, unless it repeats the denial of its clause: in Spanish and French, "no …
    /// nunca" denies once.
    fn push_denial(&mut self, denial: &str) {
        let clause = self.text.get(self.clause..).unwrap_or_default();
        let is_denied = clause.split_whitespace().any(|word| matches!(word, "not" | "never"));
        if !(is_denied && matches!(self.language, Language::Spanish | Language::French)) {
            self.text.push_str(denial);
        }
    }

    fn push_chinese(&mut self, run: &str) {
        for word in self.glossary.segments(run) {
            match word {
                "之前" | "以前" | "前" => self.put_first("before"),
                "之后" | "以后" | "后" => self.put_first("after"),
                _ => {
                    self.text.push(' ');
                    self.text.push_str(self.glossary.get(word).unwrap_or(word));
                }
            }
        }
        self.text.push(' ');
    }

    /// Puts a word that orders steps, which stands behind the first of them in Chinese, before it as in
    /// English: "before merging, test".
    fn put_first(&mut self, order: &str) {
        if self.text.get(self.clause..).is_some_and(|step| !step.trim().is_empty()) {
            self.text.insert_str(self.clause, &format!(" {order} "));
            self.text.push(',');
        }
    }
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_structure_a_statement_are_those_of_english() {
        let words = |text: &str| gloss(text).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words("Verwende niemals yarn, sondern pnpm"), "use never yarn, but pnpm");
        assert_eq!(words("Wir nutzen yarn nicht mehr"), "we use yarn not");
        assert_eq!(words("No uses nunca npm en lugar de pnpm"), "not use npm instead of pnpm");
        assert_eq!(words("N'utilise jamais npm au lieu de pnpm"), "use never npm instead of pnpm");
        assert_eq!(words("On n'utilise plus npm"), "use not npm");
        assert_eq!(words("合并之前必须测试"), "before merge, always test");
        assert_eq!(words("Nutze `ohne nie` immer"), "use `ohne nie` always");
        assert_eq!(gloss("Never use yarn"), None);
    }
}
