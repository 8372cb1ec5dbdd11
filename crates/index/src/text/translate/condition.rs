//! Translates the conditions on texts: words, phrases, prefixes, and words with a typing error.

use tantivy::Term;
use tantivy::query::{Bm25StatisticsProvider, FuzzyTermQuery, PhrasePrefixQuery};
use tantivy::schema::Field;

use super::queries::{boosted, in_order, ranked, starting_with, union};
use super::{Boxed, MAX_FUZZY_CHARS, MAX_SPELLINGS, Translator, is_lone};
use crate::text::expand::{completions, corrections};
use cm_note::query::{TextCondition, TextField};
use cm_text::tokens::{TokenRole, TokenUnit, fold, stem_of};

impl Translator<'_> {
    pub(super) fn text(&mut self, field: Option<TextField>, text: &TextCondition) -> tantivy::Result<Boxed> {
        let places = self.fields(field);
        match text {
            TextCondition::Word(words) | TextCondition::Phrase(words) => {
                let phrases = self.phrases(words);
                Ok(union(
                    places
                        .into_iter()
                        .flat_map(|(field, weight)| {
                            let mut queries: Vec<Boxed> =
                                phrases.iter().map(|phrase| in_order(field, phrase)).collect();
                            if is_lone(words) {
                                queries.push(starting_with(Term::from_field_text(field, words)));
                            }
                            queries.into_iter().map(move |query| boosted(query, weight)).collect::<Vec<_>>()
                        })
                        .collect(),
                ))
            }
            TextCondition::Prefix(prefix) => Ok(self.prefix(&places, prefix)),
            TextCondition::Fuzzy(word, distance) => self.fuzzy(&places, word, *distance),
        }
    }

    /// Returns the terms of a phrase with their offsets, once per possible spelling.
    fn phrases(&mut self, words: &str) -> Vec<Vec<(usize, String)>> {
        let (mut at, mut base, mut units) = (0, 0, 0);
        let mut phrase = Vec::new();
        let mut spellings = Vec::new();
        while let Some(unit) = self.tokenizer.next_unit(words, &mut at) {
            units += 1;
            if units == 1 {
                spellings = spelled(unit);
            }
            let exact = unit.tokens().find(|token| token.role == TokenRole::Exact);
            match exact {
                Some(token) => phrase.push((base, token.text.to_owned())),
                None => phrase.extend(
                    unit.tokens()
                        .filter(|token| token.role == TokenRole::Word)
                        .map(|token| (base + token.position as usize, token.text.to_owned())),
                ),
            }
            base += unit.width() as usize;
        }
        if units == 1 { spellings } else { vec![phrase] }
    }

    fn prefix(&mut self, places: &[(Field, f32)], prefix: &str) -> Boxed {
        let mut raw = String::new();
        fold(prefix, &mut raw);
        let joined: String = raw.chars().filter(|c| c.is_alphanumeric()).collect();
        let mut queries = Vec::new();
        let stems = completions(&joined);
        let row = self.row(prefix);
        for (field, weight) in places {
            if row.len() > 1 {
                let terms = row.iter().map(|(offset, term)| (*offset, Term::from_field_text(*field, term)));
                queries.push(boosted(Box::new(PhrasePrefixQuery::new_with_offset(terms.collect())), *weight));
            }
            let mut forms = vec![joined.as_str(), raw.as_str()];
            forms.dedup();
            for form in forms.into_iter().filter(|form| !form.is_empty()) {
                queries.push(boosted(starting_with(Term::from_field_text(*field, form)), *weight));
            }
            for stem in &stems {
                queries.push(boosted(ranked(Term::from_field_text(*field, stem)), *weight));
            }
        }
        union(queries)
    }

    /// Returns the terms of a phrase prefix with their offsets, the last word unstemmed.
    fn row(&mut self, prefix: &str) -> Vec<(usize, String)> {
        let mut row = Vec::new();
        let mut last = String::new();
        let (mut at, mut base) = (0, 0);
        while let Some(unit) = self.tokenizer.next_unit(prefix, &mut at) {
            for token in unit.tokens().filter(|token| token.role == TokenRole::Word) {
                row.push((base + token.position as usize, token.text.to_owned()));
                last.clear();
                fold(&prefix[token.from..token.to], &mut last);
            }
            base += unit.width() as usize;
        }
        if let Some((_, text)) = row.last_mut() {
            *text = last;
        }
        row
    }

    fn fuzzy(&mut self, places: &[(Field, f32)], word: &str, distance: u8) -> tantivy::Result<Boxed> {
        let mut folded = String::new();
        fold(word, &mut folded);
        folded.retain(char::is_alphanumeric);
        if distance == 0 || folded.len() > MAX_FUZZY_CHARS {
            return Ok(union(
                places
                    .iter()
                    .map(|(field, weight)| {
                        boosted(ranked(Term::from_field_text(*field, &stem_of(&folded))), *weight)
                    })
                    .collect(),
            ));
        }
        let mut forms = vec![stem_of(&folded), folded.clone()];
        forms.dedup();
        let stems = corrections(&folded);
        let mut queries = Vec::new();
        for (field, weight) in places {
            for form in &forms {
                let term = Term::from_field_text(*field, form);
                queries.push(boosted(Box::new(FuzzyTermQuery::new(term, distance.min(2), true)), *weight));
            }
            for stem in &stems {
                let term = Term::from_field_text(*field, stem);
                if self.statistics.doc_freq(&term)? > 0 {
                    queries.push(boosted(ranked(term), *weight));
                }
            }
        }
        Ok(union(queries))
    }
}

/// Returns the spellings of an identifier, each as terms with offsets.
fn spelled(unit: &TokenUnit) -> Vec<Vec<(usize, String)>> {
    if let Some(token) = unit.tokens().find(|token| token.role == TokenRole::Exact) {
        return vec![vec![(0, token.text.to_owned())]];
    }
    let tokens: Vec<_> = unit.tokens().filter(|token| token.role != TokenRole::Tail).collect();
    let unspaced = !tokens.iter().any(|token| token.role == TokenRole::Whole);
    if unspaced {
        return vec![tokens.iter().map(|token| (token.position as usize, token.text.to_owned())).collect()];
    }
    let end = tokens.iter().map(|token| token.to).max().unwrap_or_default();
    let mut open: Vec<(usize, Vec<(usize, String)>)> = vec![(0, Vec::new())];
    let mut spellings = Vec::new();
    // Each step appends a token that begins where the last one ended, separators aside.
    while let Some((from, row)) = open.pop() {
        if from >= end || spellings.len() >= MAX_SPELLINGS {
            spellings.push(row);
            continue;
        }
        let Some(next) = tokens.iter().map(|token| token.from).filter(|begin| *begin >= from).min() else {
            continue;
        };
        // The longest begins first in a unit and is taken last here, so that it is the first to be finished.
        for token in tokens.iter().filter(|token| token.from == next).rev() {
            let mut longer = row.clone();
            longer.push((longer.len(), token.text.to_owned()));
            open.push((token.to, longer));
        }
    }
    spellings.truncate(MAX_SPELLINGS);
    spellings
}
