//! The features of two statements from which the verdict is computed.

use super::cue_words::qualifiers;
use super::profile::{ProfileWord, StatementProfile};
use super::quantity::compare;
use crate::conflict::lexicon::LEXICON;
use crate::conflict::similarity::{EmbeddedStatement, name_differently};
use crate::conflict::{ConflictReason, RuleStatement, opposed};
use crate::embedding_model::WordVectors;
use cm_text::spelling::begin_alike;

/// Minimum cosine, 0–1, at which a word may be the counterpart of another one.
const MIN_COUNTERPART_COSINE: f64 = 0.45;
/// Minimum cosine, 0–1, at which a name has a counterpart: names of the same kind are near each other.
const MIN_COUNTERPART_NAME_COSINE: f64 = 0.7;
/// Weight of a name in the mean of the words' cosines; any other word has 1.
const NAME_WEIGHT: f64 = 1.5;
/// Likeness, 0–1, of two words that begin alike, such as forms of one word.
const SAME_BEGINNING_LIKENESS: f64 = 0.85;
/// Share of words in the same order, 0–1, below which equal words of two statements count as swapped.
const MAX_SWAPPED_ORDER_SHARE: f64 = 0.75;

/// Number of features of one subject, and of opposition.
pub const SUBJECT_FEATURES: usize = 12;
pub const OPPOSITION_FEATURES: usize = 16;

/// Common traits and differences of two statements; each value is about 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairFeatures {
    /// Features of one subject: whether both are about one thing.
    pub subject: [f64; SUBJECT_FEATURES],
    /// Features of opposition: whether statements about one thing contradict each other.
    pub opposition: [f64; OPPOSITION_FEATURES],
    /// Whether the two agree in all that a person would notice: numbers, names, code, negation,
    /// exceptions, order, tense and dates.
    pub(super) agrees: bool,
    /// Whether one has a number that the other lacks.
    pub(super) lacks_number: bool,
    /// The difference that shows a contradiction, for display.
    pub(super) difference: Difference,
}

/// The most telling difference of two statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Difference {
    Number,
    Polarity,
    Antonym,
    Exception,
    Order,
    Name,
    Other,
}

/// Names of the features, in the order of their values.
pub const SUBJECT_NAMES: [&str; SUBJECT_FEATURES] = [
    "cosine",
    "first sentence",
    "alignment",
    "containment",
    "other language",
    "other language, cosine",
    "word exchanged",
    "word and number exchanged",
    "word exchanged and denied",
    "name exchanged",
    "claims oppose",
    "claims choose",
];
pub const OPPOSITION_NAMES: [&str; OPPOSITION_FEATURES] = [
    "number differs",
    "claims oppose",
    "claims choose",
    "lone names",
    "name exchanged",
    "one word each",
    "exception to all",
    "one denies",
    "opposite words",
    "same order",
    "order exchanged",
    "code differs",
    "length",
    "alignment",
    "lone words",
    "any difference",
];

/// The words of one statement, each with its best cosine among those of the other.
struct Alignment<'p> {
    words: Vec<(&'p ProfileWord, f64)>,
}

impl<'p> Alignment<'p> {
    fn of(ours: &'p StatementProfile, theirs: &StatementProfile, word_vectors: &WordVectors<'_>) -> Self {
        let best = |word: &ProfileWord| {
            let likeness = theirs.words.iter().map(|other| word_likeness(word, other, word_vectors));
            let joined = theirs.words.windows(2).any(|pair| is_joined(word, pair))
                || ours.words.windows(2).any(|pair| {
                    (std::ptr::eq(&pair[0], word) || std::ptr::eq(&pair[1], word))
                        && theirs.words.iter().any(|other| is_joined(other, pair))
                });
            if joined { 1.0 } else { likeness.fold(0.0, f64::max) }
        };
        Self { words: ours.words.iter().map(|word| (word, best(word))).collect() }
    }

    /// Mean of the words' cosines.
    fn soft(&self) -> f64 {
        let weight = |word: &ProfileWord| if word.is_name { NAME_WEIGHT } else { 1.0 };
        let all: f64 = self.words.iter().map(|(word, _)| weight(word)).sum();
        let sum: f64 = self.words.iter().map(|(word, cosine)| weight(word) * cosine).sum();
        if all == 0.0 { 0.0 } else { sum / all }
    }

    /// Words without a counterpart.
    fn lone(&self) -> impl Iterator<Item = &'p ProfileWord> {
        self.words
            .iter()
            .filter(|(word, cosine)| {
                *cosine < if word.is_name { MIN_COUNTERPART_NAME_COSINE } else { MIN_COUNTERPART_COSINE }
            })
            .map(|(word, _)| *word)
    }
}

fn is_joined(word: &ProfileWord, pair: &[ProfileWord]) -> bool {
    word.raw.len() == pair[0].raw.len() + pair[1].raw.len()
        && word.raw.starts_with(&pair[0].raw)
        && word.raw.ends_with(&pair[1].raw)
}

fn word_likeness(one: &ProfileWord, other: &ProfileWord, word_vectors: &WordVectors<'_>) -> f64 {
    if one.stem == other.stem || one.raw == other.raw {
        return 1.0;
    }
    if let (Some(a), Some(b)) = (one.pole, other.pole)
        && a.choice == b.choice
    {
        return if a == b { 1.0 } else { 0.0 };
    }
    let alike = if begin_alike(&one.raw, &other.raw) { SAME_BEGINNING_LIKENESS } else { 0.0 };
    let names = one.is_name && other.is_name;
    if names { alike } else { word_vectors.likeness(&one.raw, &other.raw).max(alike) }
}

impl StatementProfile {
    /// Whether the statement allows no exception.
    fn is_general(&self) -> bool {
        self.is_absolute || self.denies && self.exceptions == 0 && !self.is_conditional
    }
}

impl PairFeatures {
    /// Compares two statements. `cosine` returns the cosine of two texts.
    pub fn of(
        one: &EmbeddedStatement<'_>,
        other: &EmbeddedStatement<'_>,
        cosine: &dyn Fn(&str, &str) -> f64,
        word_vectors: &WordVectors<'_>,
    ) -> Self {
        let (a, b) = (one.statement, other.statement);
        let (ours, theirs) = (a.profile(), b.profile());
        let (there, back) =
            (Alignment::of(ours, theirs, word_vectors), Alignment::of(theirs, ours, word_vectors));
        let numbers = compare(&ours.quantities, &theirs.quantities);
        let (lone_a, lone_b): (Vec<_>, Vec<_>) = (there.lone().collect(), back.lone().collect());
        let names = |lone: &[&ProfileWord]| lone.iter().filter(|word| word.is_name).count();
        let substitutions = substitutions(&lone_a, &lone_b);
        let is_slot = (1..=2).contains(&lone_a.len()) && (1..=2).contains(&lone_b.len());
        let named_slot = is_slot && names(&lone_a) > 0 && names(&lone_b) > 0 && name_differently(a, b);
        let single_slot = lone_a.len() == 1 && lone_b.len() == 1;
        let alignment = there.soft().min(back.soft());
        let denials = Denials::of(a, b, word_vectors);
        // Claims of numbers are compared as they are written: "1,000" and "1000".
        let is_equal_number =
            numbers.conflicting == 0 && numbers.equal > 0 && lone_a.is_empty() && lone_b.is_empty();
        let claims = opposed(a, b, word_vectors).filter(|_| !is_equal_number).map(|found| found.reason_kind);
        let chooses = claims == Some(ConflictReason::Exclusive);
        let opposes = claims.is_some() && !chooses;
        let may_both_hold =
            numbers.conflicting > 0 && (ours.is_open && theirs.is_open || ours.is_past != theirs.is_past);
        let number_differs = numbers.conflicting > 0 && !may_both_hold;
        let differs_in_language = ours.language.zip(theirs.language).is_some_and(|(one, other)| one != other);
        let [meaning, first_meaning] = cosines(a, b, cosine);
        let share = |count: usize| count.min(4) as f64 / 4.0;
        let flag = |is: bool| f64::from(u8::from(is));
        let exchanged = share(substitutions.len() * 2);
        let lengths = [a, b].map(|statement| statement.text().chars().count().max(1) as f64);
        let any = number_differs || denials.any() || opposes || chooses;
        let is_code_equal = code(a.text()) == code(b.text());
        let is_dated = ours.dates != theirs.dates;
        let agrees = !any
            && numbers.missing == 0
            && numbers.conflicting == 0
            && !denials.restricts
            && names(&lone_a) + names(&lone_b) == 0
            && lone_a.is_empty()
            && lone_b.is_empty()
            && is_code_equal
            && !is_dated
            && ours.is_past == theirs.is_past
            && a.shape() == b.shape()
            && !swapped(ours, theirs)
            && agree_in_detail(a, b);
        let difference = if number_differs {
            Difference::Number
        } else if denials.exception {
            Difference::Exception
        } else if denials.order == Some(true) {
            Difference::Order
        } else if denials.antonym {
            Difference::Antonym
        } else if denials.polarity {
            Difference::Polarity
        } else if names(&lone_a).min(names(&lone_b)) > 0 {
            Difference::Name
        } else {
            Difference::Other
        };
        Self {
            subject: [
                meaning,
                first_meaning,
                alignment,
                contain(a, b).min(contain(b, a)),
                flag(differs_in_language),
                flag(differs_in_language) * meaning,
                exchanged,
                flag(numbers.conflicting > 0) * exchanged.min(0.5) * 2.0,
                flag(denials.polarity) * exchanged,
                flag(named_slot),
                flag(opposes),
                flag(chooses),
            ],
            opposition: [
                flag(number_differs),
                flag(opposes),
                flag(chooses),
                share(names(&lone_a).min(names(&lone_b))),
                flag(named_slot),
                flag(single_slot),
                flag(denials.exception_to_all),
                flag(denials.polarity) * alignment,
                flag(denials.antonym) * alignment,
                flag(denials.order == Some(false)),
                flag(denials.order == Some(true)),
                flag(!is_code_equal),
                (lengths[0] / lengths[1]).ln().abs().min(2.0) / 2.0,
                alignment,
                share(lone_a.len().max(lone_b.len())),
                flag(any),
            ],
            agrees,
            lacks_number: numbers.missing > 0,
            difference,
        }
    }
}

/// The ways in which one of two statements denies what the other affirms.
struct Denials {
    polarity: bool,
    antonym: bool,
    rejects: bool,
    exception: bool,
    exception_to_all: bool,
    restricts: bool,
    /// Whether the steps are exchanged; `None` without an order.
    order: Option<bool>,
}

impl Denials {
    fn of(a: &RuleStatement, b: &RuleStatement, word_vectors: &WordVectors<'_>) -> Self {
        let (ours, theirs) = (a.profile(), b.profile());
        // "Avoid X; use Y" demands as much as it forbids.
        let is_mixed = |statement: &RuleStatement| {
            let claims = statement.claims();
            claims.iter().any(|claim| claim.denies) && claims.iter().any(|claim| !claim.denies)
        };
        let denies = |statement: &RuleStatement| statement.profile().denies && !is_mixed(statement);
        // "Nothing is merged unless two approve" demands; beside another denial it is an exception.
        let is_demand =
            |one: &StatementProfile, other: &StatementProfile| one.is_conditional && !other.denies;
        let has_exception = |one: &StatementProfile, other: &StatementProfile| {
            one.exceptions > 0 || one.is_conditional && other.denies
        };
        let (excepts, excepted) = (has_exception(ours, theirs), has_exception(theirs, ours));
        let mut polarity = denies(a) != denies(b) && !is_demand(ours, theirs) && !is_demand(theirs, ours);
        let mut antonym = antonym(ours, theirs);
        let mut order = order(ours, theirs, word_vectors);
        // Two opposites agree: "write small commits", "never write large commits".
        if polarity && antonym {
            (polarity, antonym) = (false, false);
        } else if polarity && order == Some(true) {
            (polarity, order) = (false, None);
        }
        Self {
            polarity,
            antonym,
            rejects: rejects(ours, theirs) || rejects(theirs, ours),
            exception: excepts != excepted,
            exception_to_all: excepts != excepted && (if excepts { theirs } else { ours }).is_general(),
            restricts: (ours.restrictions > 0) != (theirs.restrictions > 0),
            order,
        }
    }

    fn any(&self) -> bool {
        self.polarity
            || self.antonym
            || self.rejects
            || self.exception
            || self.restricts
            || self.order == Some(true)
    }
}

/// Whether two statements have the same numbers, negations, letter case and qualifying words, and
/// not merely the same words in another order.
fn agree_in_detail(a: &RuleStatement, b: &RuleStatement) -> bool {
    let (ours, theirs) = (a.canonical(), b.canonical());
    ours.numbers() == theirs.numbers()
        && ours.negations() == theirs.negations()
        && !ours.differs_in_case(theirs)
        && !ours.is_opposite(theirs)
        && !ours.has_words_of(theirs)
        && qualifiers(a.text()) == qualifiers(b.text())
}

/// Share of `a`'s words that `b` has.
fn contain(a: &RuleStatement, b: &RuleStatement) -> f64 {
    let common = a.words().intersection(b.words()).count();
    if a.words().is_empty() { 0.0 } else { common as f64 / a.words().len() as f64 }
}

/// Pairs of words without counterpart that stand at the same place: next to equal words.
fn substitutions<'p>(
    ours: &[&'p ProfileWord],
    theirs: &[&'p ProfileWord],
) -> Vec<(&'p ProfileWord, &'p ProfileWord)> {
    let mut rest: Vec<&ProfileWord> = theirs.to_vec();
    let mut pairs = Vec::new();
    for one in ours {
        let fits = |other: &&ProfileWord| {
            let [before, after] = [0, 1].map(|at| one.around[at] == other.around[at]);
            before && after
                || before && !one.around[0].is_empty() && one.around[0].len() > 2
                || after && one.around[1].len() > 3
        };
        if let Some(at) = rest.iter().position(fits) {
            pairs.push((*one, rest.remove(at)));
        }
    }
    pairs
}

/// Share of the longer statement's words that stand in the same order in both.
fn parallel(ours: &StatementProfile, theirs: &StatementProfile) -> f64 {
    let (a, b) = (&ours.words, &theirs.words);
    let mut row = vec![0_usize; b.len() + 1];
    for one in a {
        let mut diagonal = 0;
        for (at, other) in b.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if one.stem == other.stem { diagonal + 1 } else { above.max(row[at]) };
            diagonal = above;
        }
    }
    let longest = a.len().max(b.len());
    if longest == 0 { 0.0 } else { row[b.len()] as f64 / longest as f64 }
}

/// Whether two statements have the same words, and some of them beside other ones.
fn swapped(ours: &StatementProfile, theirs: &StatementProfile) -> bool {
    let sorted = |profile: &StatementProfile| {
        let mut stems: Vec<String> = profile.words.iter().map(|word| word.stem.clone()).collect();
        stems.sort_unstable();
        stems
    };
    let (a, b) = (sorted(ours), sorted(theirs));
    let common = a.iter().filter(|stem| b.contains(stem)).count();
    common >= 3 && common + 1 >= a.len().max(b.len()) && parallel(ours, theirs) < MAX_SWAPPED_ORDER_SHARE
}

/// Whether each statement has one of two opposite words that the other lacks.
fn antonym(ours: &StatementProfile, theirs: &StatementProfile) -> bool {
    let poles = |profile: &StatementProfile| {
        profile.words.iter().filter(|word| !word.is_rejected).filter_map(|word| word.pole).collect::<Vec<_>>()
    };
    let (a, b) = (poles(ours), poles(theirs));
    let opposite = a.iter().any(|one| {
        !b.contains(one)
            && b.iter()
                .any(|other| other.choice == one.choice && other.option != one.option && !a.contains(other))
            && LEXICON.reason_kind(one.choice) == ConflictReason::Antonym
    });
    let prefixed = |one: &StatementProfile, other: &StatementProfile| {
        one.words.iter().any(|word| {
            let bare = ["un", "in", "non", "non-", "dis", "de", "im"]
                .iter()
                .filter_map(|prefix| word.raw.strip_prefix(prefix));
            let mut bare = bare.filter(|bare| bare.len() >= 4);
            bare.any(|bare| {
                let is = |other: &ProfileWord| {
                    other.raw == bare
                        || other.raw.len() >= 4 && bare.starts_with(other.raw.trim_end_matches("ed"))
                };
                other.words.iter().any(is) && !one.words.iter().any(is)
            })
        })
    };
    opposite || prefixed(ours, theirs) || prefixed(theirs, ours)
}

/// Whether `ours` rejects a word that `theirs` affirms.
fn rejects(ours: &StatementProfile, theirs: &StatementProfile) -> bool {
    let affirms = |profile: &StatementProfile, stem: &str| {
        profile.words.iter().any(|word| !word.is_rejected && word.stem == stem)
    };
    let mut rejected = ours.words.iter().filter(|word| word.is_rejected);
    !theirs.denies && rejected.any(|word| affirms(theirs, &word.stem) && !affirms(ours, &word.stem))
}

/// Minimum likeness of the steps of two statements, as a sum over both steps, at which they order the same things.
const MIN_STEP_LIKENESS: f64 = 1.0;

/// Whether the steps of two statements about order are exchanged; `None` if one gives no order, or the order of other
/// things.
fn order(ours: &StatementProfile, theirs: &StatementProfile, word_vectors: &WordVectors<'_>) -> Option<bool> {
    let step = |profile: &StatementProfile, at: u8| {
        profile.words.iter().filter(|word| word.step == Some(at)).cloned().collect::<Vec<_>>()
    };
    let [a1, a2, b1, b2] = [step(ours, 0), step(ours, 1), step(theirs, 0), step(theirs, 1)];
    if [&a1, &a2, &b1, &b2].iter().any(|words| words.is_empty()) {
        return None;
    }
    let like = |one: &[ProfileWord], other: &[ProfileWord]| {
        let best = |word: &ProfileWord| {
            other.iter().map(|other| word_likeness(word, other, word_vectors)).fold(0.0, f64::max)
        };
        one.iter().map(best).sum::<f64>() / one.len() as f64
    };
    let straight = like(&a1, &b1) + like(&a2, &b2);
    let crossed = like(&a1, &b2) + like(&a2, &b1);
    (crossed.max(straight) >= MIN_STEP_LIKENESS).then_some(crossed > straight)
}

/// Cosines of two statements: of the whole texts, and of their first sentences. Depends on nothing but
/// the cosines of texts.
pub(super) fn cosines(a: &RuleStatement, b: &RuleStatement, cosine: &dyn Fn(&str, &str) -> f64) -> [f64; 2] {
    let (text_a, text_b) = (a.in_english(), b.in_english());
    let mut whole = cosine(text_a, text_b);
    if a.gloss().is_some() || b.gloss().is_some() {
        whole = whole.max(cosine(a.text(), b.text()));
    }
    [whole, first_sentences(text_a, text_b, whole, cosine)]
}

/// The highest cosine of the first sentences and the whole texts, whose own cosine is `whole`.
fn first_sentences(a: &str, b: &str, whole: f64, cosine: &dyn Fn(&str, &str) -> f64) -> f64 {
    let (x, y) = (first_sentence(a), first_sentence(b));
    if x.len() == a.len() && y.len() == b.len() {
        return whole;
    }
    cosine(x, y).max(cosine(x, b)).max(cosine(a, y))
}

fn first_sentence(text: &str) -> &str {
    let end = [". ", ".\n", "\n\n", "。", "; "].iter().filter_map(|stop| text.find(stop)).min();
    match end {
        Some(end) if end >= 15 => text.get(..end).unwrap_or(text),
        _ => text,
    }
}

/// The texts in backticks, sorted.
fn code(text: &str) -> Vec<&str> {
    let mut code: Vec<&str> = text.split('`').skip(1).step_by(2).map(str::trim).collect();
    code.sort_unstable();
    code.dedup();
    code
}
