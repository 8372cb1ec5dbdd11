//! Translates the domain's queries to queries of the text index.

mod condition;
mod queries;

use std::collections::BTreeSet;
use std::ops::Bound;

use tantivy::Term;
use tantivy::collector::DocSetCollector;
use tantivy::query::{
    Bm25StatisticsProvider, BooleanQuery, EmptyQuery, Occur, Query as TantivyQuery, TermSetQuery,
};
use tantivy::schema::Field;

use self::queries::{basic, boosted, everything, range, ranked, starting_with, union, unranked};
use super::document::{KEY, fact};
use super::statistics::Statistics;
use cm_note::query::{BooleanGroup, DateField, QueryNode, TextCondition, TextField};
use cm_text::stop_words::is_stop_word;
use cm_text::tokens::{TokenRole, Tokenizer, fold, stem_of};
use cm_text::translation::QuestionTranslation;

type Boxed = Box<dyn TantivyQuery>;

/// Maximum number of query words. Beyond it only the rarest are used, because the others cost time
/// and add little.
const MAX_QUERY_WORDS: usize = 32;
/// Limit of the factor by which BM25 multiplies the rarity of a word, `k1 + 1`.
const MAX_TERM_FACTOR: f32 = 2.2;
/// Weight of the parts of an identifier relative to the whole.
const PART_WEIGHT: f32 = 0.5;
/// Weight of the parts of an identifier written as one word.
const JOINED_WEIGHT: f32 = 0.4;
/// Weight of an identifier as written.
const WHOLE_WEIGHT: f32 = 1.5;
/// Weight of two adjacent words that are written as one.
const RUN_TOGETHER_WEIGHT: f32 = 0.5;
/// Maximum number of spellings to try for an identifier that must match.
const MAX_SPELLINGS: usize = 16;
/// Maximum length of a word for fuzzy matching; longer words match exactly.
const MAX_FUZZY_CHARS: usize = 40;

/// Minimum length of a word that is also looked for with a number at its end.
const MIN_NUMBERED_CHARS: usize = 3;
/// Maximum number of terms that a word gets with a number at its end.
const MAX_NUMBERED_FORMS: usize = 8;

/// The fields that a query searches.
#[derive(Debug, Clone)]
pub(crate) struct SearchFields {
    /// Text fields with their weights.
    pub(crate) words: Vec<(Field, f32)>,
    /// The field that determines how rare a word is.
    pub(crate) measure: Field,
    /// Fields that a query can name. A condition on a field that is `None` matches nothing.
    pub(crate) title: Option<Field>,
    pub(crate) heading: Option<Field>,
    pub(crate) body: Option<Field>,
    pub(crate) importance: Option<Field>,
    pub(crate) created: Field,
    pub(crate) updated: Field,
    /// Field of the exact terms that select documents.
    pub(crate) facts: Field,
    /// Column and field that link a document without facts to the document that has them, such as a
    /// stretch to its session.
    pub(crate) owner: Option<(&'static str, Field)>,
}

/// Translates the nodes of a parsed query to queries of the search library.
pub(crate) struct Translator<'a> {
    places: SearchFields,
    statistics: &'a Statistics<'a>,
    tokenizer: Tokenizer,
    /// Sum of the highest scores that the optional words can give.
    highest: f32,
}

/// An optional word of a query: its terms with their weights.
struct OptionalTerm {
    terms: Vec<(String, f32)>,
    /// The word in lower case, if it is a plain word.
    plain: Option<String>,
}

impl<'a> Translator<'a> {
    pub(crate) fn new(places: SearchFields, statistics: &'a Statistics<'a>) -> Self {
        Self { places, statistics, tokenizer: Tokenizer::default(), highest: 0.0 }
    }

    /// Returns the BM25 score of an imaginary text that is full of all optional words of the queries
    /// translated so far, in the field that determines how rare a word is. A word that occurs nowhere counts
    /// as the rarest.
    pub(crate) fn highest_score(&self) -> f32 {
        self.highest
    }

    /// Translates the whole query.
    pub(crate) fn root(&mut self, node: &QueryNode) -> tantivy::Result<Boxed> {
        match node {
            QueryNode::Group(group) => self.group(group),
            node => Ok(union(self.optional_queries(std::slice::from_ref(node))?)),
        }
    }

    fn group(&mut self, group: &BooleanGroup) -> tantivy::Result<Boxed> {
        let mut clauses: Vec<(Occur, Boxed)> = Vec::new();
        for node in &group.must {
            clauses.push((Occur::Must, self.required_query(node)?));
        }
        let optional = self.optional_queries(&group.should)?;
        if !group.must.is_empty() {
            clauses.extend(optional.into_iter().map(|query| (Occur::Should, query)));
        } else if !group.should.is_empty() {
            clauses.push((Occur::Must, union(optional)));
        }
        for node in &group.filter {
            clauses.push((Occur::Must, unranked(self.required_query(node)?)));
        }
        if clauses.is_empty() {
            clauses.push((Occur::Must, everything()));
        }
        for node in &group.not {
            clauses.push((Occur::MustNot, self.required_query(node)?));
        }
        Ok(match clauses.len() {
            1 => clauses.swap_remove(0).1,
            _ => Box::new(BooleanQuery::new(clauses)),
        })
    }

    /// Translates a node that must match.
    fn required_query(&mut self, node: &QueryNode) -> tantivy::Result<Boxed> {
        Ok(match node {
            QueryNode::Everything => everything(),
            QueryNode::Nothing => Box::new(EmptyQuery),
            QueryNode::Text { field, text } => self.text(*field, text)?,
            QueryNode::Label { label, value, prefix } => {
                let term = Term::from_field_text(self.places.facts, &fact(*label, value));
                self.owned(if *prefix { starting_with(term) } else { basic(term) })?
            }
            QueryNode::Path(pattern) => self.owned(Box::new(TermSetQuery::new(self.paths(pattern)?)))?,
            QueryNode::Dated { date, from, until } => {
                let field = match date {
                    DateField::Created => self.places.created,
                    DateField::Updated => self.places.updated,
                };
                let term = |seconds| Term::from_field_i64(field, seconds);
                let from = from.map_or(Bound::Unbounded, |from| Bound::Included(term(from.unix())));
                let until = until.map_or(Bound::Unbounded, |until| Bound::Excluded(term(until.unix())));
                range(from, until)
            }
            QueryNode::Importance { least, most } => match self.places.importance {
                None => Box::new(EmptyQuery),
                Some(field) => {
                    let bound = |number: f64| match number.is_finite() {
                        true => Bound::Included(Term::from_field_f64(field, number)),
                        false => Bound::Unbounded,
                    };
                    range(bound(*least), bound(*most))
                }
            },
            QueryNode::Group(group) => self.group(group)?,
        })
    }

    /// Returns a query for the documents that `having` finds or, if there is an owner field, for
    /// all documents of the owners found, such as the stretches of a session.
    fn owned(&self, having: Boxed) -> tantivy::Result<Boxed> {
        let Some((column, field)) = self.places.owner else { return Ok(unranked(having)) };
        let searcher = self.statistics.searcher();
        let found = searcher.search(&*having, &DocSetCollector)?;
        let segments = searcher.segment_readers().iter();
        let columns = segments.map(|segment| segment.fast_fields().u64(column));
        let columns = columns.collect::<tantivy::Result<Vec<_>>>()?;
        let owners = found.into_iter().filter_map(|at| columns[at.segment_ord as usize].first(at.doc_id));
        let terms = owners.map(|owner| Term::from_field_u64(field, owner));
        Ok(unranked(Box::new(TermSetQuery::new(terms))))
    }

    /// Returns the key terms of the documents with paths that match a pattern, see [`path_fits`].
    fn paths(&self, pattern: &str) -> tantivy::Result<Vec<Term>> {
        let mut terms = Vec::new();
        for segment in self.statistics.segments() {
            let index = segment.inverted_index(self.places.facts)?;
            let mut stream = index.terms().range().ge(KEY).into_stream()?;
            while stream.advance() {
                let Some(key) = stream.key().strip_prefix(KEY.as_bytes()) else { break };
                let path =
                    std::str::from_utf8(key).unwrap_or_default().split('\0').next().unwrap_or_default();
                if path_fits(path, pattern) {
                    let term = std::str::from_utf8(stream.key()).unwrap_or_default();
                    terms.push(Term::from_field_text(self.places.facts, term));
                }
            }
        }
        Ok(terms)
    }

    /// Translates nodes that are optional but raise the score.
    fn optional_queries(&mut self, nodes: &[QueryNode]) -> tantivy::Result<Vec<Boxed>> {
        let mut queries = Vec::new();
        let mut words = Vec::new();
        let translation = QuestionTranslation::of(&optional_words(nodes).collect::<Vec<_>>().join(" "));
        for node in nodes {
            match node {
                QueryNode::Text { field: None, text: TextCondition::Word(word) } if !is_lone(word) => {
                    let first = words.len();
                    self.add_optional_terms(word, &mut words);
                    if let Some(translation) = &translation {
                        self.add_translations(&translation.english(word), first, &mut words);
                    }
                }
                node => queries.push(self.required_query(node)?),
            }
        }
        // Words that say nothing count only where there is nothing else.
        if words.iter().any(|optional| !optional.is_stop_word()) {
            words.retain(|optional| !optional.is_stop_word());
        }
        let mut words = self.rarest(words)?;
        for optional in &mut words {
            self.add_numbered_forms(optional)?;
        }
        for (index, optional) in words.iter().enumerate() {
            self.highest += self.highest_of(optional)?;
            for (term, weight) in &optional.terms {
                queries.extend(self.in_all_fields(term, *weight));
            }
            if let (Some(first), Some(Some(second))) =
                (&optional.plain, words.get(index + 1).map(|next| &next.plain))
            {
                let together = stem_of(&format!("{first}{second}"));
                queries.extend(self.in_all_fields(&together, RUN_TOGETHER_WEIGHT));
            }
        }
        Ok(queries)
    }

    fn add_optional_terms(&mut self, word: &str, optional_terms: &mut Vec<OptionalTerm>) {
        let mut at = 0;
        while let Some(unit) = self.tokenizer.next_unit(word, &mut at) {
            let single = unit.len() == 1;
            let plain = single.then(|| {
                let token = unit.token(0);
                let mut plain = String::new();
                fold(&word[token.from..token.to], &mut plain);
                plain
            });
            let is_name =
                unit.tokens().any(|token| matches!(token.role, TokenRole::Whole | TokenRole::Exact));
            let terms = unit.tokens().filter(|token| token.role != TokenRole::Tail).filter_map(|token| {
                let weight = match token.role {
                    TokenRole::Whole | TokenRole::Exact => WHOLE_WEIGHT,
                    TokenRole::Joined => JOINED_WEIGHT,
                    TokenRole::Word | TokenRole::Tail if is_name => PART_WEIGHT,
                    TokenRole::Word | TokenRole::Tail => 1.0,
                };
                let noise = is_name && token.role == TokenRole::Word && is_stop_word(token.text);
                (!noise).then(|| (token.text.to_owned(), weight))
            });
            let terms: Vec<(String, f32)> = terms.collect();
            optional_terms.push(OptionalTerm {
                terms,
                plain: plain.filter(|plain| plain.chars().all(char::is_alphanumeric)),
            });
        }
    }

    /// Adds the terms that consist of the word and a number, as in `uuid7`, to a plain word that occurs nowhere.
    fn add_numbered_forms(&self, optional: &mut OptionalTerm) -> tantivy::Result<()> {
        let [(term, _)] = optional.terms.as_slice() else { return Ok(()) };
        let Some(plain) = optional.plain.as_ref().filter(|plain| may_be_numbered(plain)) else {
            return Ok(());
        };
        let fields = self.places.words.iter().map(|(field, _)| *field);
        let mut stems = vec![term.clone(), plain.clone()];
        stems.dedup();
        let mut numbered = BTreeSet::new();
        for field in fields {
            if self.statistics.doc_freq(&Term::from_field_text(field, term))? > 0 {
                return Ok(());
            }
            for (segment, stem) in
                self.statistics.segments().iter().flat_map(|one| stems.iter().map(move |stem| (one, stem)))
            {
                let index = segment.inverted_index(field)?;
                let range = index.terms().range().ge(format!("{stem}0")).lt(format!("{stem}:"));
                let mut stream = range.into_stream()?;
                while numbered.len() < MAX_NUMBERED_FORMS && stream.advance() {
                    let Ok(found) = std::str::from_utf8(stream.key()) else { continue };
                    if found[stem.len()..].bytes().all(|byte| byte.is_ascii_digit()) {
                        numbered.insert(found.to_owned());
                    }
                }
            }
        }
        optional.terms.extend(numbered.into_iter().map(|term| (term, 1.0)));
        Ok(())
    }

    /// Adds the English words for a word of the query, whose own terms are `terms[first..]`: one to these terms,
    /// so that either counts as the word; several as optional words of their own.
    fn add_translations(&mut self, english: &[&str], first: usize, terms: &mut Vec<OptionalTerm>) {
        let mut translated = Vec::new();
        english.iter().for_each(|word| self.add_optional_terms(word, &mut translated));
        match (&mut terms[first..], translated.as_slice()) {
            ([optional], [english]) => {
                if english.is_stop_word() {
                    optional.plain.clone_from(&english.plain);
                } else {
                    optional.terms.extend(english.terms.iter().cloned());
                }
            }
            _ => terms.append(&mut translated),
        }
    }

    /// Returns the highest BM25 score that a word can give.
    fn highest_of(&self, optional: &OptionalTerm) -> tantivy::Result<f32> {
        let mut count = 0;
        for (term, _) in &optional.terms {
            let term = Term::from_field_text(self.places.measure, term);
            count = count.max(self.statistics.doc_freq(&term)?);
        }
        let documents = self.statistics.total_num_docs()?.max(count);
        let (with, without) = (count as f32, (documents - count) as f32);
        Ok((1.0 + (without + 0.5) / (with + 0.5)).ln() * MAX_TERM_FACTOR)
    }

    fn rarest(&self, mut words: Vec<OptionalTerm>) -> tantivy::Result<Vec<OptionalTerm>> {
        if words.len() <= MAX_QUERY_WORDS {
            return Ok(words);
        }
        let mut counts = Vec::new();
        for (index, optional) in words.iter().enumerate() {
            let mut count = u64::MAX;
            for (term, _) in &optional.terms {
                let term = Term::from_field_text(self.places.measure, term);
                count = count.min(self.statistics.doc_freq(&term)?);
            }
            // What occurs nowhere is the rarest and the most useless.
            counts.push((if count == 0 { u64::MAX } else { count }, index));
        }
        counts.sort_unstable();
        counts.truncate(MAX_QUERY_WORDS);
        let rarest_places: Vec<usize> = counts.into_iter().map(|(_, index)| index).collect();
        let mut index = 0;
        words.retain(|_| {
            index += 1;
            rarest_places.contains(&(index - 1))
        });
        Ok(words)
    }

    /// Returns queries for a term in all text fields, with their weights.
    fn in_all_fields(&self, term: &str, weight: f32) -> Vec<Boxed> {
        let query = |(field, of_field): (Field, f32)| {
            boosted(ranked(Term::from_field_text(field, term)), weight * of_field)
        };
        self.places.words.iter().copied().map(query).collect()
    }

    fn fields(&self, field: Option<TextField>) -> Vec<(Field, f32)> {
        let term_field = match field {
            None => return self.places.words.clone(),
            Some(TextField::Title) => self.places.title,
            Some(TextField::Body) => self.places.body,
            Some(TextField::Heading) => self.places.heading,
        };
        term_field.map(|field| (field, 1.0)).into_iter().collect()
    }
}

/// The optional words among the nodes of a query.
fn optional_words(nodes: &[QueryNode]) -> impl Iterator<Item = &str> {
    nodes.iter().filter_map(|node| match node {
        QueryNode::Text { field: None, text: TextCondition::Word(word) } if !is_lone(word) => {
            Some(word.as_str())
        }
        _ => None,
    })
}

impl OptionalTerm {
    fn is_stop_word(&self) -> bool {
        self.plain.as_deref().is_some_and(is_stop_word)
    }
}

/// Whether a number at the end makes another name of the same thing from the word.
fn may_be_numbered(word: &str) -> bool {
    word.len() >= MIN_NUMBERED_CHARS
        && word.bytes().all(|byte| byte.is_ascii_lowercase())
        && !is_stop_word(word)
}

/// Whether the word is a single non-ASCII character, which may start a pair in scripts that are
/// indexed by pairs.
fn is_lone(word: &str) -> bool {
    word.chars().count() == 1 && !word.is_ascii()
}

/// Whether a lower-case path contains the pattern or, if the pattern has `*`, matches it as a
/// whole.
pub(super) fn path_fits(path: &str, pattern: &str) -> bool {
    let Some((head, tail)) = pattern.split_once('*') else { return path.contains(pattern) };
    let Some(mut rest) = path.strip_prefix(head) else { return false };
    let mut parts: Vec<&str> = tail.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_part_of_a_whole_path() {
        for (pattern, fits) in [
            ("fix", true),
            ("graph/*", true),
            ("*.md", true),
            ("graph/*/a*.md", true),
            ("*fixes*", true),
            ("*a*a*a*", true),
            ("*a*a*a*a*", false),
            ("raph/*", false),
            ("graph/*.markdown", false),
            ("graph/fixes/a.md*a.md", false),
        ] {
            assert_eq!(path_fits("graph/fixes/aa.md", pattern), fits, "{pattern}");
        }
    }
}
