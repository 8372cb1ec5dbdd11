//! Finds rules that want one kind of text in different languages: "English for commits" and "commit messages in French".

use std::collections::BTreeSet;

/// Names of languages in the languages that people write rules in, with one form each for what they mean.
const LANGUAGES: [(&str, &str); 34] = [
    ("english", "English"),
    ("englisch", "English"),
    ("anglais", "English"),
    ("inglés", "English"),
    ("ingles", "English"),
    ("英文", "English"),
    ("英语", "English"),
    ("french", "French"),
    ("französisch", "French"),
    ("français", "French"),
    ("francais", "French"),
    ("francés", "French"),
    ("frances", "French"),
    ("german", "German"),
    ("deutsch", "German"),
    ("allemand", "German"),
    ("alemán", "German"),
    ("aleman", "German"),
    ("spanish", "Spanish"),
    ("spanisch", "Spanish"),
    ("espagnol", "Spanish"),
    ("español", "Spanish"),
    ("espanol", "Spanish"),
    ("castellano", "Spanish"),
    ("portuguese", "Portuguese"),
    ("portugiesisch", "Portuguese"),
    ("portugais", "Portuguese"),
    ("portugués", "Portuguese"),
    ("italian", "Italian"),
    ("italienisch", "Italian"),
    ("italien", "Italian"),
    ("italiano", "Italian"),
    ("chinese", "Chinese"),
    ("中文", "Chinese"),
];

/// Beginnings of words that name a kind of text, with one form each for what they mean.
const KINDS: [(&str, &str); 32] = [
    ("commit", "commits"),
    ("comment", "comments"),
    ("kommentar", "comments"),
    ("comentario", "comments"),
    ("注释", "comments"),
    ("doc", "documentation"),
    ("doku", "documentation"),
    ("readme", "README"),
    ("changelog", "changelog"),
    ("error", "errors"),
    ("fehlermeldung", "errors"),
    ("log", "logs"),
    ("test", "tests"),
    ("label", "labels"),
    ("ui", "labels"),
    ("pr", "pull requests"),
    ("prs", "pull requests"),
    ("pull", "pull requests"),
    ("issue", "issues"),
    ("ticket", "issues"),
    ("answer", "answers"),
    ("repl", "answers"),
    ("antwort", "answers"),
    ("respuesta", "answers"),
    ("respond", "answers"),
    ("réponse", "answers"),
    ("répond", "answers"),
    ("variable", "names"),
    ("identifier", "names"),
    ("bezeichner", "names"),
    ("branch", "branches"),
    ("提交", "commits"),
];
/// Kinds of which only the whole word counts, because other words begin with them.
const WHOLE: [&str; 5] = ["pr", "prs", "ui", "log", "test"];

/// Returns the two languages, as they are called in English, if `new` and `old` want the same kind of text in
/// different ones. Only a clause that names exactly one language and a kind of text counts.
pub(super) fn other_language(new: &str, old: &str) -> Option<(&'static str, &'static str)> {
    let old = wanted(old);
    wanted(new).into_iter().find_map(|(kind, language)| {
        let before = old.iter().find(|(other, _)| *other == kind)?.1;
        (before != language).then_some((language, before))
    })
}

/// Returns the kinds of text with the language that a statement wants for each.
fn wanted(text: &str) -> BTreeSet<(&'static str, &'static str)> {
    let mut wanted = BTreeSet::new();
    for clause in text.split(['.', ',', ';', '!', '(', ')', '—', '–', '。', '，']) {
        let clause = clause.to_lowercase();
        let words: Vec<&str> = clause.split(|c: char| !c.is_alphanumeric()).collect();
        let is_meant = |name: &str, begins: bool| {
            let is_ideograph = name.starts_with(|c: char| c >= '\u{2e80}');
            is_ideograph && clause.contains(name)
                || words.iter().any(|word| *word == name || begins && word.starts_with(name))
        };
        let languages: BTreeSet<&str> = LANGUAGES
            .iter()
            .filter(|(name, _)| is_meant(name, false))
            .map(|(_, language)| *language)
            .collect();
        let denies = words
            .iter()
            .any(|word| ["no", "not", "never", "nicht", "kein", "keine", "pas", "nunca"].contains(word));
        let (Some(language), 1, false) = (languages.first(), languages.len(), denies) else { continue };
        let kinds = KINDS.iter().filter(|(name, _)| is_meant(name, !WHOLE.contains(name)));
        wanted.extend(kinds.map(|(_, kind)| (*kind, *language)));
    }
    wanted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_kind_of_text_in_another_language_is_found_across_languages() {
        for (new, old) in [
            (
                "English for commits from today, Ana reads no french",
                "Commit messages in french pls. look at the log.",
            ),
            ("Commits ab jetzt auf Englisch", "write commit messages in German"),
            ("los comentarios en inglés", "Code comments are in Spanish."),
            ("提交信息用英文", "Commit messages in Chinese."),
        ] {
            assert!(other_language(new, old).is_some(), "{new} / {old}");
        }
        for (new, old) in [
            ("Error messages in English.", "Commit messages in French."),
            ("Commit messages in English.", "English commit messages, short ones."),
            ("The site is in French and German.", "Commit messages in English."),
            ("Ana reads no French commits.", "Commit messages in English."),
            ("Translate the docs from English to French.", "Docs are in English."),
        ] {
            assert_eq!(other_language(new, old), None, "{new} / {old}");
        }
    }
}
