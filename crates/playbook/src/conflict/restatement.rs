//! Decides whether two statements say the same, so that one may stand for both, and groups the
//! statements that do.
//!
//! Stricter than a neighbour: a pair that differs in a number, a name, a version, a path, code, a
//! negation or the order of its words is never one statement.

use std::collections::HashMap;

use super::neighbours::neighbours;
use super::pairs::alike;
use super::similarity::EmbeddedStatement;
use super::{RuleStatement, StatementVerdict};
use crate::embedding_model::WordVectors;
use cm_note::bullet::content::fold_whitespace;
use cm_note::frontmatter::split::Split;
use cm_text::embedding::Embedding;

/// Minimum cosine and minimum share of common words of statements that are compared.
const MIN_CANDIDATE_WORD_SHARE: f64 = 0.5;
const MIN_CANDIDATE_COSINE: f64 = 0.5;
/// Maximum length of a note's text, in characters; longer ones say more than one thing.
const MAX_STATEMENT_CHARS: usize = 1_000;
/// How many nearest neighbours by embedding each statement is compared with.
const NEIGHBOURS_PER_STATEMENT: usize = 8;

impl EmbeddedStatement<'_> {
    /// Whether both statements say the same, with the same literals. Symmetric.
    pub fn restates(&self, other: &Self, word_vectors: &WordVectors<'_>) -> bool {
        let (one, another) = (self.statement, other.statement);
        if literals(one.text()) != literals(another.text()) {
            return false;
        }
        let (ours, theirs) = (one.canonical(), another.canonical());
        if ours == theirs {
            return true;
        }
        StatementVerdict::is_one_statement(self, other, word_vectors)
    }
}

/// Returns what a note says: its text, with the title in front if the text does not begin with it;
/// `None` if it says too much for one statement.
pub fn statement_of_note(title: &str, text: &str) -> Option<String> {
    let body = Split::of(text).body().trim();
    let body = match body.strip_prefix("# ") {
        Some(heading) => heading.split_once('\n').map_or("", |(_, rest)| rest.trim()),
        None => body,
    };
    let title = title.trim().trim_end_matches(['.', '…']);
    let statement = match (body.is_empty(), fold_whitespace(body).starts_with(&*fold_whitespace(title))) {
        (true, _) => title.to_owned(),
        (false, true) => body.to_owned(),
        (false, false) => format!("{title}. {body}"),
    };
    (!statement.is_empty() && statement.chars().count() <= MAX_STATEMENT_CHARS).then_some(statement)
}

/// Groups texts that say the same, by index: each group has at least two, in ascending order, and
/// every pair in it says the same. Groups are in the order of their first text.
pub fn restated(texts: &[String], word_vectors: &WordVectors<'_>) -> Vec<Vec<usize>> {
    let statements: Vec<RuleStatement> = texts.iter().map(|text| RuleStatement::of(text)).collect();
    let embeddings: Vec<Option<Embedding>> =
        statements.iter().map(|statement| word_vectors.statement(statement)).collect();
    let embedded =
        |at: usize| EmbeddedStatement { statement: &statements[at], embedding: embeddings[at].as_ref() };
    let mut earlier: HashMap<usize, Vec<usize>> = HashMap::new();
    for (a, b) in candidates(&statements, &embeddings) {
        if embedded(a).restates(&embedded(b), word_vectors) {
            earlier.entry(b).or_default().push(a);
        }
    }
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for at in 0..texts.len() {
        let same = earlier.remove(&at).unwrap_or_default();
        let fitting = groups.iter_mut().find(|group| group.iter().all(|one| same.contains(one)));
        match fitting {
            Some(group) => group.push(at),
            None => groups.push(vec![at]),
        }
    }
    groups.retain(|group| group.len() > 1);
    groups
}

/// Pairs that may say the same, by ascending index: equal after normalization, with common words,
/// or near in meaning.
fn candidates(
    statements: &[RuleStatement],
    embeddings: &[Option<Embedding>],
) -> std::collections::BTreeSet<(usize, usize)> {
    let mut pairs = std::collections::BTreeSet::new();
    let mut equal: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, statement) in statements.iter().enumerate() {
        let others = equal.entry(statement.canonical().as_str()).or_default();
        pairs.extend(others.iter().map(|other| (*other, at)));
        others.push(at);
    }
    let all: Vec<&RuleStatement> = statements.iter().collect();
    pairs.extend(alike(&all, MIN_CANDIDATE_WORD_SHARE).into_iter().map(|(a, b, _)| (a, b)));
    pairs.extend(
        neighbours(embeddings, MIN_CANDIDATE_COSINE, NEIGHBOURS_PER_STATEMENT)
            .into_iter()
            .map(|(a, b, _)| (a, b)),
    );
    pairs
}

/// The words that mean something only as they are written, sorted: paths, file and module names,
/// options, addresses, identifiers and code spans.
fn literals(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, part) in text.split('`').enumerate() {
        // An odd part stands between two backticks.
        if at % 2 == 1 {
            found.push(fold_whitespace(part));
            continue;
        }
        let trim =
            |c: char| matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '"' | '\'' | '(' | ')' | '“' | '”');
        let words = part.split_whitespace().map(|word| word.trim_matches(trim));
        found.extend(words.filter(|word| is_literal(word)).map(str::to_owned));
    }
    found.sort_unstable();
    found
}

fn is_literal(word: &str) -> bool {
    let letters = word.chars().any(char::is_alphabetic);
    let inner_capital = word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase);
    let sign = |c: char| matches!(c, '/' | '\\' | '_' | '@' | '=' | '$' | '*' | '~' | '#' | '<' | '>' | '+');
    letters
        && (word.contains(sign)
            || word.contains("::")
            || word.starts_with('-')
            || inner_capital
            || word.split('.').filter(|part| !part.is_empty()).count() > 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedding_model::NoEmbeddings;

    fn groups(texts: &[&str]) -> Vec<Vec<usize>> {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        restated(&texts, &WordVectors::of(&NoEmbeddings))
    }

    #[test]
    fn what_is_written_otherwise_and_says_the_same_is_one_group() {
        let texts = [
            "The cache expires after 10 minutes.",
            "Pre-commit hooks run the formatter",
            "the cache expires after 10 min",
            "pre commit hooks run the formatter",
            "The cache expires after ten minutes",
        ];
        assert_eq!(groups(&texts), [vec![0, 2, 4], vec![1, 3]]);
    }

    #[test]
    fn texts_that_differ_in_what_counts_are_never_one() {
        for [one, other] in [
            ["The cache expires after 10 minutes", "The cache expires after 10 seconds"],
            ["The build needs node 20.1", "The build needs node 20.2"],
            ["The seeds lie in `db/seeds`", "The seeds lie in `db/seed`"],
            ["The report is written to out/pre-view.txt", "The report is written to out/preview.txt"],
            ["Run it with -k", "Run it with -K"],
            ["The worker may restart", "The worker may not restart"],
            ["The gateway calls the ledger", "The ledger calls the gateway"],
            ["readFile blocks the loop", "readfile blocks the loop"],
            ["The cache is cleared in staging", "The cache is cleared"],
        ] {
            assert_eq!(groups(&[one, other]), Vec::<Vec<usize>>::new(), "{one} / {other}");
        }
    }

    #[test]
    fn words_that_are_read_as_they_are_written_are_literals() {
        assert_eq!(
            literals("Call `cargo  test` in crates/text, see lib.rs; not std::fs. Use --all, HashMap."),
            ["--all", "HashMap", "cargo test", "crates/text", "lib.rs", "std::fs"]
        );
        assert!(literals("At 10.5 seconds, e. g. later.").is_empty());
    }
}
