//! Compares two statements in different languages by the names in them: commands, programs, paths,
//! words that both use.
//!
//! The built-in models know little of other languages than English, so meaning is not compared.

use std::collections::BTreeSet;

use crate::statement::features::is_code;
use cm_text::language::{Language, is_ideograph};

/// Minimum number of names in both statements if one of the names is code.
const MIN_NAMES_WITH_CODE: usize = 2;
/// Minimum number of names in both statements if none of the names is code.
const MIN_NAMES_WITHOUT_CODE: usize = 3;

/// Returns `true` if two statements are in different languages and probably say the same: they share
/// names in the same order, neither has code or a number that the other lacks, and both reject
/// something or neither does.
pub(super) fn says_the_same(one: &str, other: &str) -> bool {
    let different = match (Language::of(one), Language::of(other)) {
        (Some(a), Some(b)) => a != b,
        _ => false,
    };
    if !different || rejects(one) != rejects(other) {
        return false;
    }
    let (a, b) = (tokens(one), tokens(other));
    let shared = shared(&a, &b);
    let has_code =
        |tokens: &[Token]| tokens.iter().any(|token| token.is_code && shared.contains(&token.word));
    let least = if has_code(&a) || has_code(&b) { MIN_NAMES_WITH_CODE } else { MIN_NAMES_WITHOUT_CODE };
    let only_shared = |tokens: &[Token]| {
        tokens.iter().filter(|token| token.is_exact).all(|token| shared.contains(&token.word))
    };
    shared.len() >= least
        && only_shared(&a)
        && only_shared(&b)
        && in_order(&a, &shared) == in_order(&b, &shared)
}

/// A word of a statement in lower case.
struct Token {
    word: String,
    /// Whether it stands in backticks, or is a path, flag or identifier.
    is_code: bool,
    /// Whether a translation keeps it as it is: code or a number.
    is_exact: bool,
}

fn tokens(text: &str) -> Vec<Token> {
    let mut all = Vec::new();
    for (at, part) in text.split('`').enumerate() {
        for word in
            part.split(|c: char| c.is_whitespace() || is_ideograph(c) || ",;()\"!?，。；：".contains(c))
        {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !"-/._@".contains(c));
            let word = word.trim_end_matches(['.', '-']);
            let is_code = at % 2 == 1 || is_code(word);
            let is_exact = is_code || word.contains(|c: char| c.is_ascii_digit());
            let lower = word.to_lowercase();
            if lower.chars().count() >= 2 && (is_code || !Language::is_function_word(&lower)) {
                all.push(Token { word: lower, is_code, is_exact });
            }
        }
    }
    all
}

fn shared(a: &[Token], b: &[Token]) -> BTreeSet<String> {
    let words = |tokens: &[Token]| tokens.iter().map(|token| token.word.clone()).collect::<BTreeSet<_>>();
    words(a).intersection(&words(b)).cloned().collect()
}

/// Returns the shared words of a statement, each where it stands first.
fn in_order<'t>(tokens: &'t [Token], shared: &BTreeSet<String>) -> Vec<&'t str> {
    let mut seen = BTreeSet::new();
    let words = tokens.iter().map(|token| token.word.as_str());
    words.filter(|word| shared.contains(*word) && seen.insert(*word)).collect()
}

/// Whether a statement says what not to do or what something is used instead of.
fn rejects(text: &str) -> bool {
    const WORDS: [&str; 33] = [
        "not", "no", "never", "don't", "dont", "cannot", "can't", "without", "instead", "avoid", "stop",
        "nicht", "kein", "keine", "keinen", "nie", "niemals", "ohne", "statt", "anstatt", "pas", "jamais",
        "sans", "lieu", "plutôt", "aucun", "nunca", "jamás", "sin", "lugar", "ningún", "evita", "tampoco",
    ];
    const CHINESE: [char; 5] = ['不', '别', '没', '勿', '非'];
    let lower = text.to_lowercase().replace('’', "'");
    lower.contains(CHINESE)
        || lower.split(|c: char| !c.is_alphanumeric() && c != '\'').any(|word| WORDS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_commands_in_the_same_order_say_the_same_in_another_language() {
        let rule = "Run the migrations with `just migrate`, not with sqlx.";
        for other in [
            "die Migrationen laufen hier mit `just migrate`, nicht mit sqlx",
            "les migrations se lancent avec `just migrate`, pas avec sqlx",
            "las migraciones se lanzan con `just migrate`, no con sqlx",
            "迁移用 `just migrate`，不要用 sqlx",
        ] {
            assert!(says_the_same(rule, other), "{other}");
            assert!(says_the_same(other, rule), "{other}");
        }
    }

    #[test]
    fn the_opposite_another_command_a_number_or_the_same_language_are_not_the_same() {
        let rule = "Run the migrations with `just migrate`, not with sqlx.";
        for other in [
            "die Migrationen laufen mit sqlx, nicht mit `just migrate`",
            "die Migrationen laufen mit `just migrate` und mit sqlx",
            "die Migrationen laufen mit `just migrate --all`, nicht mit sqlx",
            "bei `just migrate` fehlt auf dem Server noch Python 3.12",
            "the migrations run with `just migrate`, not with sqlx",
        ] {
            assert!(!says_the_same(rule, other), "{other}");
        }
        assert!(!says_the_same("Deploy the server to staging.", "auf Staging ist der Server langsam"));
    }
}
