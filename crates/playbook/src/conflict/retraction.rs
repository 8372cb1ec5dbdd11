//! Decides whether a later statement of a person takes the place of an earlier one.

use std::collections::BTreeSet;

use super::claim::{RuleClaim, TermRole};
use super::written_language::other_language;
use super::{ConflictReason, RuleStatement, opposed};
use crate::embedding_model::WordVectors;
use cm_text::stop_words::is_stop_word;

/// Words that do not name what a clause is about.
const SMALL: [&str; 51] = [
    "a", "an", "any", "anymore", "again", "always", "are", "be", "by", "call", "can", "do", "does", "don't",
    "don’t", "dont", "ever", "from", "have", "here", "i", "in", "is", "it", "longer", "more", "must", "need",
    "never", "no", "not", "now", "on", "or", "our", "please", "run", "should", "that", "the", "this",
    "through", "to", "use", "used", "uses", "using", "via", "we", "with", "you",
];

/// Words before a thing that a rule chooses.
const CHOOSING: [&str; 8] = ["use", "uses", "using", "used", "with", "via", "prefer", "by"];

/// Words of a statement that something has changed, in four languages.
const CHANGING: [&str; 18] = [
    "back",
    "again",
    "now",
    "switched",
    "moved",
    "instead",
    "volvimos",
    "volvemos",
    "ahora",
    "zurück",
    "wieder",
    "jetzt",
    "revenus",
    "revenu",
    "repasse",
    "maintenant",
    "désormais",
    "retour",
];

/// Words of a clause that speaks against the thing it names, in four languages.
const AGAINST: [&str; 47] = [
    "not",
    "no",
    "never",
    "don't",
    "don’t",
    "doesn't",
    "doesn’t",
    "isn't",
    "isn’t",
    "can't",
    "can’t",
    "cannot",
    "didn't",
    "didn’t",
    "without",
    "gone",
    "broken",
    "broke",
    "fails",
    "failed",
    "slow",
    "slower",
    "mess",
    "dead",
    "dropped",
    "cancelled",
    "canceled",
    "abandoned",
    "removed",
    "cancelado",
    "abgesagt",
    "annulé",
    "abandonné",
    "nunca",
    "sin",
    "tampoco",
    "nicht",
    "kein",
    "keine",
    "nie",
    "kaputt",
    "langsam",
    "pas",
    "plus",
    "jamais",
    "lent",
    "cassé",
];

/// Returns the reason, for display, why `new` takes the place of the older statement `old`; `None`
/// unless both are about the same subject, and at most one can hold: also where they want one kind of text in different
/// languages. An exception is no reason.
pub fn takes_place_of(
    new: &RuleStatement,
    old: &RuleStatement,
    word_vectors: &WordVectors<'_>,
) -> Option<String> {
    let contradiction =
        opposed(new, old, word_vectors).filter(|found| found.reason_kind != ConflictReason::Exception);
    let in_language = || {
        let (now, before) = other_language(new.text(), old.text())?;
        Some(format!("it wants {now} instead of {before}"))
    };
    contradiction
        .map(|found| found.reason)
        .or_else(|| taken_back(new, old))
        .or_else(|| exchanged(new, old))
        .or_else(in_language)
}

/// Returns the reason if `new` says that something has changed, is for what `old` is against, and against what
/// `old` is for: "back to Chrome, Firefox fails in CI" after "use Firefox, Chrome is not installed".
fn exchanged(new: &RuleStatement, old: &RuleStatement) -> Option<String> {
    if !new.text().to_lowercase().split(|c: char| !c.is_alphanumeric()).any(|word| CHANGING.contains(&word)) {
        return None;
    }
    let (new, old) = (StatementClauses::of(new), StatementClauses::of(old));
    let [(new_for, new_against), (old_for, old_against)] = [new.sides(), old.sides()];
    let only = |ours: &BTreeSet<&str>, theirs: &BTreeSet<&str>, never: [&BTreeSet<&str>; 2]| {
        let mut shared = ours.intersection(theirs);
        shared.find(|word| never.iter().all(|words| !words.contains(*word))).map(|word| (*word).to_owned())
    };
    let taken = only(&new_for, &old_against, [&new_against, &old_for])?;
    let given_up = only(&new_against, &old_for, [&new_for, &old_against])?;
    Some(format!("it takes `{taken}` instead of `{given_up}`"))
}

/// Returns the reason if a clause of `new` forbids, without a condition, a thing that `old` demands.
fn taken_back(new: &RuleStatement, old: &RuleStatement) -> Option<String> {
    let (new, old) = (StatementClauses::of(new), StatementClauses::of(old));
    let denials = new.clauses.iter().filter(|clause| clause.forbids_in_general());
    denials.into_iter().find_map(|clause| {
        let things: Vec<&str> = clause.things().collect();
        let is_demanded = match things[..] {
            [] => false,
            [thing] => (new.is_name(thing) || new.names_another(clause)) && old.chooses(thing),
            _ => old.demands(&things),
        };
        (is_demanded && !new.demands(&things)).then(|| format!("it takes back `{}`", things.join(" ")))
    })
}

/// A clause of a rule, parsed alone, because a denial ends with its clause.
struct StatementClause {
    statement: RuleStatement,
    /// All words in lower case.
    words: Vec<String>,
}

impl StatementClause {
    fn of(text: &str) -> Self {
        let lower = text.to_lowercase();
        let bare = lower
            .split(|c: char| c.is_whitespace() || c == '`')
            .map(|word| word.trim_matches(|c: char| ".,;:!?\"()".contains(c)));
        let words = bare.filter(|word| !word.is_empty()).map(str::to_owned).collect();
        Self { statement: RuleStatement::of(text), words }
    }

    fn demands_any(&self) -> bool {
        let claims = self.statement.claims();
        !claims.is_empty() && claims.iter().all(|claim| !claim.denies)
    }

    /// Whether the clause forbids something everywhere, for any purpose and without exception.
    fn forbids_in_general(&self) -> bool {
        let claims = self.statement.claims();
        let is_conditional = |claim: &RuleClaim| {
            claim.except.is_some() || claim.has(TermRole::Where) || claim.has(TermRole::Purpose)
        };
        claims.iter().any(|claim| claim.denies) && !claims.iter().any(is_conditional)
    }

    /// Words that name what the clause is about.
    fn things(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str).filter(|word| !SMALL.contains(word))
    }
}

/// The clauses of a rule.
struct StatementClauses<'s> {
    whole: &'s RuleStatement,
    clauses: Vec<StatementClause>,
}

impl<'s> StatementClauses<'s> {
    fn of(whole: &'s RuleStatement) -> Self {
        let mut is_code = false;
        let ends = |c: char| {
            is_code ^= c == '`';
            !is_code && matches!(c, ',' | ';' | ':' | '!' | '.' | '–' | '—')
        };
        let clauses = whole.text().split(ends).filter(|clause| !clause.trim().is_empty());
        Self { whole, clauses: clauses.map(StatementClause::of).collect() }
    }

    /// Words of the clauses that speak for what they name, and words of those that speak against it.
    fn sides(&self) -> (BTreeSet<&str>, BTreeSet<&str>) {
        let (mut spoken_for, mut spoken_against) = (BTreeSet::new(), BTreeSet::new());
        for clause in &self.clauses {
            let is_against = clause.words.iter().any(|word| AGAINST.contains(&word.as_str()));
            let side = if is_against { &mut spoken_against } else { &mut spoken_for };
            let is_thing =
                |word: &&str| word.chars().count() > 2 && !AGAINST.contains(word) && !is_stop_word(word);
            side.extend(clause.things().filter(is_thing));
        }
        (spoken_for, spoken_against)
    }

    /// Whether a word is a name or stands in backticks alone.
    fn is_name(&self, word: &str) -> bool {
        self.whole.written().any(|(_, written)| written.firm && written.raw == word)
            || self.whole.text().to_lowercase().contains(&format!("`{word}`"))
    }

    /// Whether a clause forbids the use of a thing, and another one demands something in its place.
    fn names_another(&self, denied: &StatementClause) -> bool {
        let is_use = denied.words.iter().any(|word| word.starts_with("us")) || denied.words.len() <= 2;
        is_use && self.clauses.iter().any(StatementClause::demands_any)
    }

    /// Whether a clause demands something with these words in sequence.
    fn demands(&self, things: &[&str]) -> bool {
        let has = |clause: &StatementClause| {
            let own: Vec<&str> = clause.things().collect();
            own.windows(things.len()).any(|run| run == things)
        };
        !things.is_empty() && self.clauses.iter().any(|clause| clause.demands_any() && has(clause))
    }

    fn chooses(&self, thing: &str) -> bool {
        let is_choice = |pair: &[String]| CHOOSING.contains(&pair[0].as_str()) && pair[1] == thing;
        let mut demands = self.clauses.iter().filter(|clause| clause.demands_any());
        demands.any(|clause| clause.words.windows(2).any(is_choice))
    }
}

impl RuleStatement {
    /// Whether any clause demands something.
    pub fn is_demand(&self) -> bool {
        StatementClauses::of(self).clauses.iter().any(StatementClause::demands_any)
    }

    /// Whether a clause demands something with the words of a command in sequence.
    pub fn demands(&self, command: &str) -> bool {
        let command = StatementClause::of(command);
        StatementClauses::of(self).demands(&command.things().collect::<Vec<_>>())
    }

    /// Whether a clause demands a thing as its means: "with X", "use X". The thing is in lower case.
    pub fn chooses(&self, thing: &str) -> bool {
        StatementClauses::of(self).chooses(thing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedding_model::NoEmbeddings;

    fn replaced(old: &str, new: &str) -> Option<String> {
        takes_place_of(&RuleStatement::of(new), &RuleStatement::of(old), &WordVectors::of(&NoEmbeddings))
    }

    #[test]
    fn a_statement_that_takes_a_thing_back_replaces_the_one_that_demands_it() {
        for (old, new) in [
            ("We deploy with make ship.", "We don't use make ship any more, deploy with just ship."),
            ("We deploy with `make ship`.", "We don't use `make ship` anymore, deploy with `just ship`."),
            ("Deploy with `make ship`.", "Don't use make ship."),
            ("Always install packages with yarn.", "Never use yarn, we use pnpm now."),
            ("Use tabs for indentation.", "Use spaces for indentation."),
            (
                "System specs run with firefox, chrome is not installed.",
                "We're back to chrome headless for the system specs, firefox does not work in CI.",
            ),
            (
                "Security wants vault, so new secrets go into vault, not ssm.",
                "Vault got cancelled friday. so we're back to ssm for secrets.",
            ),
            (
                "Los system spec van con firefox, chrome no lo tengo instalado",
                "Volvimos a chrome headless para los system spec, firefox no anda en el CI",
            ),
            ("Always squash commits.", "Never squash commits."),
            (
                "We don't use `make ship` any more, from now on always deploy with `just ship`.",
                "Never use `just ship`. From now on we always deploy with `make ship`.",
            ),
        ] {
            let claims = RuleStatement::of(new);
            assert!(replaced(old, new).is_some(), "{old} / {new}: {:?}", claims.claims());
        }
    }

    #[test]
    fn a_statement_about_another_thing_place_or_exception_replaces_nothing() {
        for (old, new) in [
            ("We deploy with `make ship`.", "Don't use `make test`."),
            ("We use pnpm.", "Don't use pnpm in the docs folder."),
            ("Never push to main.", "Never push to main unless it is a hotfix."),
            ("Run the tests before each commit.", "Never run the tests of the worker on battery."),
            ("We deploy with make ship.", "Run make ship from the main branch."),
            ("Run npm audit before a release.", "We don't use npm, use pnpm."),
            ("Use pnpm, not npm.", "Don't use npm."),
            ("System specs run with firefox, chrome is not installed.", "Firefox is back in CI."),
            (
                "`just t`. pulls the envtest bins first, plain go test has no etcd to talk to.",
                "Your diff has the old crd yaml, types moved but no `just gen`.",
            ),
        ] {
            assert_eq!(replaced(old, new), None, "{old} / {new}");
        }
    }
}
