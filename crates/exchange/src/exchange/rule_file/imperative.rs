//! A word-based heuristic for imperative sentences. If in doubt, text is not classified as a rule.

/// First words of imperative sentences.
const BEGINNINGS: &str = "\
    add always answer apply ask assume avoid begin be break build call change check choose clean close commit configure \
    consider continue convert copy create declare define delete deploy describe document do don't dont ensure escape \
    explain fetch fix focus follow format generate give group handle ignore implement import include initialize \
    install invoke keep leave let limit link list load log look maintain make mark match merge minimize mock move \
    name never only open organize parse pass place prefer preserve provide publish pull push put raise read rebase \
    refactor refer remember remove rename replace report request require resolve respect restart return reuse \
    review run save see send separate set show simplify skip sort specify split start stick stop store structure \
    submit summarize support sync tag target test treat try type understand update use validate verify wait wrap \
    write";

/// Phrases that make a sentence imperative at any position.
const DEMANDS: [&str; 12] = [
    " must ",
    " should ",
    " never ",
    " always ",
    " do not ",
    " don't ",
    " cannot ",
    " shall ",
    " may not ",
    " required to ",
    " is required",
    " are required",
];

/// First words of negative rules.
const NEGATIONS: [&str; 7] = ["never ", "avoid ", "don't ", "dont ", "do not ", "must not ", "no "];

pub(super) fn is_one_sentence(text: &str) -> bool {
    let ends = |(at, _): (usize, &str)| {
        let after = text[at + 1..].trim_start_matches(['"', '\'', ')', '*', '_']);
        let abbreviated = ["e.g", "i.e", "etc", "vs", "approx"].iter().any(|word| text[..at].ends_with(word));
        !abbreviated
            && after.starts_with(' ')
            && after.trim_start().starts_with(|c: char| c.is_uppercase() || c == '`')
    };
    !text.match_indices(['.', '!', '?']).any(ends)
}

/// Whether a sentence is an instruction.
pub(super) fn is_imperative(text: &str) -> bool {
    let lower = text.to_lowercase().replace('’', "'");
    let first = lower.split(|c: char| !c.is_alphanumeric() && c != '\'').find(|word| !word.is_empty());
    let begins = first.is_some_and(|first| BEGINNINGS.split_whitespace().any(|word| word == first));
    begins || DEMANDS.iter().any(|word| lower.contains(word))
}

/// Whether a rule is negative, so that it becomes an anti-pattern.
pub(super) fn is_negative(text: &str) -> bool {
    let lower = text.to_lowercase().replace('’', "'");
    // What stands before a colon only says what it is about.
    let variants = [lower.as_str(), lower.split_once(": ").map_or("", |(_, rest)| rest)];
    variants
        .iter()
        .any(|text| NEGATIONS.iter().any(|word| text.trim_start_matches(['*', '_', '"']).starts_with(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_distinguished_from_descriptions() {
        for text in [
            "Use `pnpm` for everything.",
            "**Never** commit secrets",
            "All public items must have a doc comment.",
            "Don’t touch generated files",
        ] {
            assert!(is_imperative(text), "{text}");
        }
        for text in ["This project is a web server.", "The folder `src` holds the code", "Users like it", ""]
        {
            assert!(!is_imperative(text), "{text}");
        }
    }

    #[test]
    fn a_sentence_ends_where_another_begins() {
        assert!(is_one_sentence("Use node.js 20, e.g. The LTS one."));
        assert!(is_one_sentence("Run it (always)."));
        assert!(!is_one_sentence("Run it. Then stop."));
        assert!(!is_one_sentence("Run it! `x` is next"));
    }

    #[test]
    fn what_to_avoid_is_seen_behind_its_subject() {
        assert!(is_negative("Testing: never mock the database"));
        assert!(is_negative("Avoid globals"));
        assert!(!is_negative("Use never-type aliases"));
        assert!(!is_negative("Note the port"));
    }
}
