//! Finds rules that want one kind of text in different languages: "English for commits" and "commit messages in French".

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

/// Names of languages, as people write them, with one form each for what they mean.
const LANGUAGES: [(&str, &[&str]); 9] = [
    ("English", &["english", "englisch", "anglais", "inglés", "ingles", "engels", "英文", "英语"]),
    (
        "French",
        &["french", "französisch", "français", "francais", "francés", "frances", "frans", "法语", "法文"],
    ),
    ("German", &["german", "deutsch", "allemand", "alemán", "aleman", "duits", "德语", "德文"]),
    ("Spanish", &["spanish", "spanisch", "espagnol", "español", "espanol", "castellano", "西班牙语"]),
    ("Portuguese", &["portuguese", "portugiesisch", "portugais", "portugués", "português"]),
    ("Italian", &["italian", "italienisch", "italien", "italiano"]),
    ("Dutch", &["dutch", "niederländisch", "néerlandais", "holandés", "nederlands"]),
    ("Polish", &["polish", "polnisch", "polonais", "polaco", "polsku"]),
    ("Chinese", &["chinese", "chinesisch", "chinois", "chino", "中文", "汉语"]),
];

/// Kinds of text, as people write them, with one form each for what they mean.
const KINDS: [(&str, &[&str]); 11] = [
    ("commits", &["commits", "commit messages?", "commit-messages?", "提交信息", "提交说明", "提交"]),
    ("comments", &["comments?", "kommentare?", "comentarios", "commentaires", "注释"]),
    ("documentation", &["docs", "documentation", "doku", "dokumentation", "documentación", "文档"]),
    ("README", &["readme"]),
    ("changelog", &["changelog", "changelog entries"]),
    ("errors", &["error messages?", "errors", "fehlermeldungen", "mensajes de error", "messages d'erreur"]),
    ("logs", &["log messages?", "log lines?"]),
    ("pull requests", &["prs", "pr descriptions?", "pr titles?", "pull requests?"]),
    ("issues", &["issues", "tickets"]),
    ("answers", &["answers", "replies", "antworten", "respuestas", "réponses"]),
    ("names", &["variable names", "identifiers", "names", "bezeichner", "branch names"]),
];

/// The forms in which people say it, with the groups `kind` and `language`.
static FORMS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let words = |all: &[(&str, &[&str])]| {
        all.iter().flat_map(|(_, forms)| forms.iter().copied()).collect::<Vec<_>>().join("|")
    };
    let (kinds, languages) = (words(&KINDS), words(&LANGUAGES));
    let form = |form: &str| Regex::new(&form.replace("KIND", &kinds).replace("LANGUAGE", &languages)).ok();
    [
        r"\b(?P<kind>KIND)\b(?:\s+\w+){0,3}?\s+(?:in|auf|en|op|po)\s+(?:plain\s+)?(?P<language>LANGUAGE)\b",
        r"\b(?P<language>LANGUAGE)\s+(?:for|für|para|pour)\s+(?:(?:the|our|all|die|alle|los|las|les)\s+)?(?:\w+\s+)?(?P<kind>KIND)\b",
        r"(?:^|\b(?:write|in|use)\s+)(?P<language>LANGUAGE)\s+(?P<kind>KIND)\b",
        r"(?P<kind>KIND)[^，。]{0,4}用(?P<language>LANGUAGE)",
    ]
    .into_iter()
    .filter_map(form)
    .collect()
});

/// Words of an exception, a condition or a place: such a clause says nothing in general.
const LIMITING: [&str; 26] = [
    "except",
    "exception",
    "only",
    "unless",
    "if",
    "when",
    "inside",
    "under",
    "below",
    "within",
    "here",
    "ausnahme",
    "außer",
    "nur",
    "wenn",
    "sauf",
    "seulement",
    "si",
    "quand",
    "excepto",
    "salvo",
    "solo",
    "sólo",
    "cuando",
    "legacy",
    "old",
];
/// Words that deny what their clause names.
const DENYING: [&str; 26] = [
    "no", "not", "never", "don", "doesn", "isn", "won", "shouldn", "dont", "without", "avoid", "instead",
    "rather", "nicht", "nie", "niemals", "kein", "keine", "ohne", "statt", "pas", "jamais", "sans", "nunca",
    "jamás", "sin",
];

/// Returns the two languages, as they are called in English, if `new` and `old` want the same kind of text in
/// different ones. A clause counts that says which language a kind of text is in, without a denial, a condition or a
/// place.
pub(super) fn other_language(new: &str, old: &str) -> Option<(&'static str, &'static str)> {
    if new.contains('/') {
        return None;
    }
    let old = wanted(old);
    wanted(new).into_iter().find_map(|(kind, language)| {
        let before = old.iter().find(|(other, _)| *other == kind)?.1;
        (before != language).then_some((language, before))
    })
}

/// Returns the kinds of text with the language that a statement wants for each.
fn wanted(text: &str) -> BTreeSet<(&'static str, &'static str)> {
    let mut wanted = BTreeSet::new();
    for clause in text.to_lowercase().split(['.', ',', ';', '!', '?', '(', ')', '—', '–', '。', '，']) {
        let mut words = clause.split(|c: char| !c.is_alphanumeric());
        let is_general = !words.any(|word| LIMITING.contains(&word) || DENYING.contains(&word))
            && !clause.contains(['不', '别', '/']);
        let found = FORMS.iter().find_map(|form| form.captures(clause)).filter(|_| is_general);
        wanted.extend(found.and_then(|found| {
            Some((
                meant(&KINDS, found.name("kind")?.as_str())?,
                meant(&LANGUAGES, found.name("language")?.as_str())?,
            ))
        }));
    }
    wanted
}

/// Returns what a word means: the first entry with a form that is the word, but for a plural at its end.
fn meant(all: &'static [(&'static str, &'static [&'static str])], word: &str) -> Option<&'static str> {
    let is_form = |form: &&str| {
        let stem = form.trim_end_matches('?');
        *form == word
            || stem == word
            || stem.len() < form.len() && stem.strip_suffix('s').or(stem.strip_suffix('e')) == Some(word)
    };
    all.iter().find(|(_, forms)| forms.iter().any(is_form)).map(|(name, _)| *name)
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
            ("Write English commit messages from now on.", "Commit messages in French."),
            ("提交信息用英文", "提交信息用中文"),
        ] {
            assert!(other_language(new, old).is_some(), "{new} / {old}");
        }
    }

    #[test]
    fn denials_exceptions_places_and_other_kinds_take_no_place() {
        let english = "Always write commit messages in English.";
        for new in [
            "Error messages in French.",
            "The site is in French and German.",
            "Ana reads no French commits.",
            "Don't write commit messages in German, ever.",
            "Avoid commit messages in German.",
            "Schreib Commits niemals auf Deutsch.",
            "Jamais de commits en français.",
            "提交信息不要用中文",
            "Always commit the German translation file.",
            "The commit hook rejects German umlauts.",
            "In legal/ the commits are always in German.",
            "Commits are in German only if the client asks.",
        ] {
            assert_eq!(other_language(new, english), None, "{new}");
        }
        for (new, old) in [
            ("Test the form with a German phone number.", "Tests are named in English."),
            ("Pull docker images from the German mirror.", "Docs are in English."),
            ("Comment out the German locale.", "Comments in English."),
            ("Translate the docs from English to French.", "Docs are in English."),
            ("Commit messages in English.", "English commit messages, short ones."),
        ] {
            assert_eq!(other_language(new, old), None, "{new} / {old}");
        }
    }
}
