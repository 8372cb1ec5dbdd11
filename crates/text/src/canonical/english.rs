//! Canonical form of English statements: instructions get one shape; gerunds and passives become
//! plain verbs.

use super::token::CanonicalToken;
use super::{NOT, tables};

/// Words that introduce a circumstance ("before you push").
const OPENING: [&str; 15] = [
    "before", "after", "when", "if", "in", "on", "during", "for", "unless", "until", "while", "at", "within",
    "without", "with",
];
/// Words after which a gerund, or "you" and a verb, states the time or manner.
const TIMING: [&str; 6] = ["before", "after", "when", "while", "without", "by"];
/// Words that are dropped, because they do not change the meaning of a statement.
const ARTICLES: [&str; 5] = ["a", "an", "the", "our", "please"];
const COPULAS: [&str; 4] = ["is", "are", "was", "were"];

/// Returns the words of a statement in canonical form.
pub(super) fn folded(tokens: Vec<CanonicalToken>) -> Vec<CanonicalToken> {
    let mut tokens = phrases(tokens);
    tokens.iter_mut().for_each(replace_synonym);
    let mut tokens = circumstance_last(tokens);
    tokens = without_relatives(tokens);
    tokens.retain(|token| !token.is_one_of(&ARTICLES));
    if let Some(first) = tokens.first_mut() {
        first.breaks = false;
    }
    for token in tokens.iter_mut().skip(1).filter(|token| token.is_one_of(&["and", "or"])) {
        token.breaks = false;
    }
    tokens = unify_timing(tokens);
    let instruction = instruction(&tokens).or_else(|| from_passive(&tokens));
    let Some(mut tokens) = instruction else {
        tokens.iter_mut().filter(|token| token.is("not")).for_each(|token| token.text = NOT.to_owned());
        return tokens;
    };
    tokens.retain(|token| !token.is_one_of(&["always", "your"]));
    for token in &mut tokens {
        replace_synonym(token);
        token.text = if token.is("if") { "when".to_owned() } else { singular(&token.text) };
    }
    tokens
}

/// Drops "that" before an article: "the query that the worker sends" becomes "the query the worker
/// sends".
fn without_relatives(tokens: Vec<CanonicalToken>) -> Vec<CanonicalToken> {
    let follows = |at: usize| tokens.get(at + 1).is_some_and(|next| next.is_one_of(&ARTICLES));
    let remaining = tokens.iter().enumerate().filter(|(at, token)| !(token.is("that") && follows(*at)));
    remaining.map(|(_, token)| token.clone()).collect()
}

/// Replaces a word by the first of its exact synonyms, which also unifies spelling.
fn replace_synonym(token: &mut CanonicalToken) {
    if let Some(word) = tables::synonym(&token.text) {
        word.clone_into(&mut token.text);
    }
}

/// Replaces phrases by single words.
fn phrases(tokens: Vec<CanonicalToken>) -> Vec<CanonicalToken> {
    let mut done: Vec<CanonicalToken> = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let fits = |phrase: &&(&[&str], &str)| {
            let there = tokens.get(at..at + phrase.0.len()).unwrap_or_default();
            there.len() == phrase.0.len()
                && there.iter().zip(phrase.0).all(|(token, word)| token.is(word))
                && there.iter().skip(1).all(|token| !token.breaks)
        };
        let contrast =
            token.is("not") && token.breaks && !tokens.get(at + 1).is_some_and(|next| next.is("only"));
        match tables::PHRASES.iter().find(fits) {
            Some((phrase, word)) => {
                if !word.is_empty() {
                    done.push(CanonicalToken { text: (*word).to_owned(), breaks: token.breaks });
                }
                at += phrase.len();
            }
            None if contrast => {
                done.push(CanonicalToken { text: "insteadof".to_owned(), breaks: false });
                at += 1;
            }
            None => {
                done.push(token.clone());
                at += 1;
            }
        }
    }
    done
}

/// Moves a leading circumstance to the end: "before you push, lint" becomes "lint before you push".
fn circumstance_last(tokens: Vec<CanonicalToken>) -> Vec<CanonicalToken> {
    let leads = tokens.first().is_some_and(|first| first.is_one_of(&OPENING));
    let marks: Vec<usize> = (1..tokens.len()).filter(|at| tokens[*at].breaks).collect();
    match (leads, marks.as_slice()) {
        (true, [end]) => {
            let mut turned = tokens;
            turned.rotate_left(*end);
            turned.iter_mut().for_each(|token| token.breaks = false);
            turned
        }
        _ => tokens,
    }
}

/// Unifies "before pushing" and "before you push".
fn unify_timing(tokens: Vec<CanonicalToken>) -> Vec<CanonicalToken> {
    let mut done: Vec<CanonicalToken> = Vec::new();
    let mut verb_next = false;
    for token in tokens {
        let timing = done.last().is_some_and(|last| last.is_one_of(&TIMING));
        if timing && token.is_one_of(&["you", "we"]) {
            verb_next = true;
            continue;
        }
        let text = match (verb_next, timing) {
            (true, _) => base(&token.text),
            (false, true) => gerund(&token.text).unwrap_or_else(|| token.text.clone()),
            _ => token.text.clone(),
        };
        verb_next = false;
        done.push(CanonicalToken { text, breaks: token.breaks });
    }
    done
}

/// Returns the words of an instruction, its verb first and with at most one negation; `None` if the
/// statement is not an instruction.
fn instruction(tokens: &[CanonicalToken]) -> Option<Vec<CanonicalToken>> {
    let mut rest = tokens;
    let mut denies = false;
    while let Some((first, more)) = rest.split_first() {
        let next = more.first();
        if first.is("never") || first.is("not") && rest.len() < tokens.len() {
            denies = !denies;
        } else if first.is("do") && next.is_some_and(|next| next.is("not")) {
            denies = !denies;
            rest = more.split_first()?.1;
            continue;
        } else if !(first.is_one_of(&["always", "should", "must"])
            || first.is_one_of(&["you", "we"]) && next.is_some_and(opens))
        {
            break;
        }
        rest = more;
    }
    let (verb, more) = rest.split_first()?;
    let clause = more.iter().take_while(|token| !token.breaks && !token.is_one_of(&OPENING));
    let tells = clause.clone().any(|token| token.is_one_of(&COPULAS)) && !verb.is("ensure");
    let modal = clause.clone().any(|token| token.is_one_of(&["must", "should"]));
    if !tables::is_verb(&verb.text) || tells || modal || verb.breaks && rest.len() < tokens.len() {
        return None;
    }
    Some(build_instruction(denies, &base(&verb.text), more))
}

fn opens(token: &CanonicalToken) -> bool {
    tables::is_verb(&token.text) || token.is_one_of(&["should", "must", "always", "never", "do"])
}

fn build_instruction<'t>(
    denies: bool,
    verb: &str,
    rest: impl IntoIterator<Item = &'t CanonicalToken>,
) -> Vec<CanonicalToken> {
    let word = |text: &str| CanonicalToken { text: text.to_owned(), breaks: false };
    let denial = denies.then(|| word(NOT));
    let mut after = rest.into_iter().cloned().peekable();
    // "Ensure that" is "ensure".
    if verb == base("ensure") && after.peek().is_some_and(|token| token.is("that")) {
        after.next();
    }
    denial.into_iter().chain([word(verb)]).chain(after).collect()
}

/// Turns a passive such as "secrets must be stored in Vault" into an instruction.
fn from_passive(tokens: &[CanonicalToken]) -> Option<Vec<CanonicalToken>> {
    let modal = tokens.iter().position(|token| token.is_one_of(&["should", "must"]))?;
    let (subject, rest) = tokens.split_at(modal);
    let plain = |token: &CanonicalToken| {
        !token.breaks && !token.is_one_of(&OPENING) && !token.is_one_of(&["not", "only", "that"])
    };
    if subject.is_empty() || !subject.iter().all(plain) {
        return None;
    }
    let mut rest = rest.get(1..)?;
    let mut denies = false;
    while let Some(first) = rest.first().filter(|token| token.is_one_of(&["always", "not", "never"])) {
        denies ^= !first.is("always");
        rest = rest.get(1..)?;
    }
    let (be, rest) = rest.split_first()?;
    let (verb, rest) = rest.split_first()?;
    let verb = participle(&verb.text).filter(|_| be.is("be"))?;
    Some(build_instruction(denies, &verb, subject.iter().chain(rest)))
}

/// Stem that the forms of a verb share.
fn base(verb: &str) -> String {
    undoubled(verb.strip_suffix('e').filter(|rest| rest.len() > 1).unwrap_or(verb))
}

fn undoubled(stem: &str) -> String {
    let mut chars: Vec<char> = stem.chars().collect();
    if chars.len() > 2 && chars[chars.len() - 1] == chars[chars.len() - 2] {
        chars.pop();
    }
    chars.into_iter().collect()
}

fn gerund(word: &str) -> Option<String> {
    let stem = word.strip_suffix("ing").filter(|stem| stem.len() > 2)?;
    Some(undoubled(stem))
}

fn participle(word: &str) -> Option<String> {
    if let Some(verb) = tables::irregular(word) {
        return Some(base(verb));
    }
    if let Some(stem) = word.strip_suffix("ied") {
        return Some(format!("{stem}y"));
    }
    let stem = word.strip_suffix("ed").filter(|stem| stem.len() > 1)?;
    Some(undoubled(stem))
}

/// Stem that the forms of a word share, found by its suffix alone.
pub(super) fn lemma(word: &str) -> String {
    if word.chars().all(char::is_alphabetic) { base(&singular(word)) } else { word.to_owned() }
}

fn singular(word: &str) -> String {
    let remaining = word.len() < 4
        || !word.chars().all(char::is_alphabetic)
        || ["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    if remaining {
        return word.to_owned();
    }
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() > 1) {
        return format!("{stem}y");
    }
    let hissing = ["sses", "xes", "ches", "shes", "zes"].iter().any(|end| word.ends_with(end));
    let end = if hissing { "es" } else { "s" };
    word.strip_suffix(end).unwrap_or(word).to_owned()
}
