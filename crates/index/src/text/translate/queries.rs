//! Builds the simple queries of the text index that others are made of.

use std::ops::Bound;

use tantivy::Term;
use tantivy::query::{
    AllQuery, BooleanQuery, BoostQuery, ConstScoreQuery, EmptyQuery, FuzzyTermQuery, PhraseQuery, RangeQuery,
    TermQuery,
};
use tantivy::schema::{Field, IndexRecordOption};

use super::Boxed;

pub(super) fn in_order(field: Field, phrase: &[(usize, String)]) -> Boxed {
    let mut terms: Vec<(usize, Term)> =
        phrase.iter().map(|(offset, term)| (*offset, Term::from_field_text(field, term))).collect();
    match terms.len() {
        0 => Box::new(EmptyQuery),
        1 => ranked(terms.swap_remove(0).1),
        _ => Box::new(PhraseQuery::new_with_offset(terms)),
    }
}

pub(super) fn ranked(term: Term) -> Boxed {
    Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs))
}

pub(super) fn basic(term: Term) -> Boxed {
    Box::new(TermQuery::new(term, IndexRecordOption::Basic))
}

pub(super) fn boosted(query: Boxed, weight: f32) -> Boxed {
    Box::new(BoostQuery::new(query, weight))
}

pub(super) fn starting_with(term: Term) -> Boxed {
    Box::new(FuzzyTermQuery::new_prefix(term, 0, false))
}

pub(super) fn unranked(query: Boxed) -> Boxed {
    Box::new(ConstScoreQuery::new(query, 0.0))
}

pub(super) fn everything() -> Boxed {
    unranked(Box::new(AllQuery))
}

pub(super) fn union(mut queries: Vec<Boxed>) -> Boxed {
    match queries.len() {
        0 => Box::new(EmptyQuery),
        1 => queries.swap_remove(0),
        _ => Box::new(BooleanQuery::union(queries)),
    }
}

pub(super) fn range(from: Bound<Term>, until: Bound<Term>) -> Boxed {
    match (&from, &until) {
        (Bound::Unbounded, Bound::Unbounded) => everything(),
        _ => unranked(Box::new(RangeQuery::new(from, until))),
    }
}
