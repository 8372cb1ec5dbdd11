//! Measures duplicate and contradiction detection on pairs of texts: by words alone, and by the
//! verdict that the program uses, by kind of pair too.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cm_embed::Embedder as _;
use cm_embed::builtin::{MiniLm, PairModel, StaticModel};
use cm_playbook::conflict::{
    ComparedRules, EmbeddedStatement, MinSimilarity, RuleStatement, StatementRelation, likeness, opposition,
};
use cm_playbook::embedding_model::{EmbeddingModel, WordVectors};
use cm_text::embedding::{Embedding, PairProbabilities};

use crate::fault::Result;
use crate::lines::{self, Line};
use crate::metrics::Tally;
use crate::set::name_of;
use crate::table::{head, row};

/// Thresholds of word similarity to test for duplicates.
const WORDS: [f64; 4] = [0.5, 0.6, 0.7, 0.85];
/// Defaults of `curation.duplicate_jaccard` and `curation.duplicate_cosine`, used for the list of
/// errors.
const DEFAULT: MinSimilarity = MinSimilarity { jaccard: 0.85, cosine: 0.85 };

/// The models used for comparing rules.
struct BuiltIn;

impl EmbeddingModel for BuiltIn {
    fn embedding(&self, text: &str) -> Option<Embedding> {
        let embedding = StaticModel::shipped().of(text);
        embedding.parts().iter().any(|part| *part != 0.0).then_some(embedding)
    }

    fn knows_word(&self, word: &str) -> bool {
        StaticModel::shipped().knows_word(word)
    }

    fn fine_embedding(&self, text: &str) -> Option<Embedding> {
        MiniLm::builtin().embed(&[text]).ok()?.pop()
    }

    fn pair_probabilities(&self, pairs: &[[&str; 2]]) -> Option<Vec<PairProbabilities>> {
        PairModel::builtin().judge(pairs).ok()
    }
}

/// Two texts with their labelled relation.
struct Pair {
    a: String,
    b: String,
    label: Label,
    /// Kind of pair, if the set tells.
    kind: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Label {
    Contradiction,
    Duplicate,
    Other,
}

/// Results for one pair.
struct Judged {
    /// Reason for a contradiction, by words alone and by the verdict.
    by_words: Option<String>,
    by_verdict: Option<String>,
    likeness: f64,
    /// Whether one text counts as a duplicate of the other.
    one: bool,
    /// Whether both texts say the same, so that they may be condensed.
    restated: bool,
    /// Whether the pair is a merge candidate.
    merging: bool,
}

impl Judged {
    fn of(pair: &Pair, word_vectors: &WordVectors<'_>) -> Self {
        let texts = [pair.a.clone(), pair.b.clone()];
        let [a, b] = texts.each_ref().map(|text| RuleStatement::of(text));
        let [at, bt] = [word_vectors.statement(&a), word_vectors.statement(&b)];
        let rules = ComparedRules::of(&texts, word_vectors);
        let one = EmbeddedStatement { statement: &a, embedding: at.as_ref() };
        let other = EmbeddedStatement { statement: &b, embedding: bt.as_ref() };
        Self {
            by_words: opposition(&a, &b).map(|found| format!("{:?}: {}", found.reason_kind, found.reason)),
            by_verdict: one
                .contradiction(&other, word_vectors)
                .map(|found| format!("{:?}: {}", found.reason_kind, found.reason)),
            likeness: likeness(&a, &b),
            one: one.verdict(&other, DEFAULT, word_vectors) == StatementRelation::Same,
            restated: one.restates(&other, word_vectors),
            merging: !rules.worth_merging(&[vec![0, 1]], DEFAULT).is_empty(),
        }
    }

    fn is_alike(&self, least: f64) -> bool {
        self.by_words.is_none() && self.likeness >= least
    }
}

/// Returns the metrics of these sets as a table; with `show`, also the errors.
///
/// # Errors
///
/// A file cannot be read, or contains an invalid line.
pub fn report(sets: &[PathBuf], show: bool) -> Result<String> {
    let mut text =
        head(&["set", "pairs", "what", "precision", "recall", "F1", "right", "wrong", "missed"], 3);
    let (mut kinds, mut wrong) = (String::new(), String::new());
    let word_vectors = WordVectors::of(&BuiltIn).reading_at_most(usize::MAX);
    for set in sets {
        let file = if set.is_dir() { set.join("pairs.jsonl") } else { set.clone() };
        let pairs = read(&file, &lines::read(&file)?)?;
        let judged: Vec<Judged> = pairs.iter().map(|pair| Judged::of(pair, &word_vectors)).collect();
        for (what, tally) in tallies(&pairs, &judged) {
            text += &figures(&name_of(set), pairs.len(), &what, tally);
        }
        kinds += &confusion(&name_of(set), &pairs, &judged);
        if show {
            wrong += &format!("\n{}\n{}", name_of(set), mistakes(&pairs, &judged));
        }
    }
    Ok(text
        + "\n"
        + &head(&["set", "kind", "label", "pairs", "contradiction", "taken for one", "worth merging"], 3)
        + &kinds
        + &wrong)
}

fn tallies(pairs: &[Pair], judged: &[Judged]) -> Vec<(String, Tally)> {
    let count = |label: Label, found: &dyn Fn(&Judged) -> bool| {
        Tally::of(pairs.iter().zip(judged).map(|(pair, judged)| (pair.label == label, found(judged))))
    };
    let contradiction = |name: &str, found: &dyn Fn(&Judged) -> bool| {
        (format!("contradictions, {name}"), count(Label::Contradiction, found))
    };
    let duplicate = |name: String, found: &dyn Fn(&Judged) -> bool| {
        (format!("duplicates, {name}"), count(Label::Duplicate, found))
    };
    let mut tallies = vec![
        contradiction("by words", &|judged| judged.by_words.is_some()),
        contradiction("by verdict", &|judged| judged.by_verdict.is_some()),
    ];
    tallies
        .extend(WORDS.map(|least| duplicate(format!("words ≥ {least}"), &|judged| judged.is_alike(least))));
    tallies.push(duplicate("taken for one".to_owned(), &|judged| judged.one));
    tallies.push(duplicate("says the same".to_owned(), &|judged| judged.restated));
    tallies.push(duplicate("worth merging".to_owned(), &|judged| judged.merging));
    tallies
        .push(duplicate("taken for one or worth merging".to_owned(), &|judged| judged.one || judged.merging));
    // A set without a label says nothing about finding it.
    tallies.retain(|(_, tally)| tally.right + tally.missed > 0);
    tallies
}

/// Counts what each kind of pair was taken for.
fn confusion(set: &str, pairs: &[Pair], judged: &[Judged]) -> String {
    let mut kinds: BTreeMap<(&str, Label), [usize; 4]> = BTreeMap::new();
    for (pair, judged) in pairs.iter().zip(judged) {
        let counts = kinds.entry((&pair.kind, pair.label)).or_default();
        let found = [true, judged.by_verdict.is_some(), judged.one, judged.merging];
        counts.iter_mut().zip(found).for_each(|(count, found)| *count += usize::from(found));
    }
    let line = |((kind, label), counts): ((&str, Label), [usize; 4])| {
        let names = [set.to_owned(), kind.to_owned(), format!("{label:?}").to_lowercase()];
        row(names.into_iter().chain(counts.map(|count| count.to_string())))
    };
    kinds.into_iter().map(line).collect()
}

fn figures(set: &str, pairs: usize, what: &str, tally: Tally) -> String {
    let shares = [tally.precision(), tally.recall(), tally.f1()].map(|share| format!("{share:.3}"));
    let counts = [tally.right, tally.wrong, tally.missed].map(|count| count.to_string());
    let names = [set.to_owned(), pairs.to_string(), what.to_owned()];
    row(names.into_iter().chain(shares).chain(counts))
}

fn mistakes(pairs: &[Pair], judged: &[Judged]) -> String {
    let mut text = String::new();
    for (pair, judged) in pairs.iter().zip(judged) {
        let contradicts = judged.by_verdict.is_some() != (pair.label == Label::Contradiction);
        let duplicates = judged.one != (pair.label == Label::Duplicate);
        let condensed = judged.restated && pair.label != Label::Duplicate;
        if contradicts || duplicates || condensed {
            let why = judged.by_verdict.as_deref().unwrap_or("not opposed");
            let one = if judged.one { ", taken for one" } else { "" };
            let (same, like) = (if judged.restated { ", says the same" } else { "" }, judged.likeness);
            text += &format!(
                "  {why}{one}{same}, likeness {like:.2} [{:?}]\n    {}\n    {}\n",
                pair.label, pair.a, pair.b
            );
        }
    }
    text
}

fn read(path: &Path, text: &str) -> Result<Vec<Pair>> {
    if path.extension().is_some_and(|extension| extension == "tsv") {
        let pair_lines = lines::lines(path, text).filter(|line| !line.text.starts_with('#'));
        return pair_lines.map(|line| cells(&line)).collect();
    }
    let pairs = lines::objects(path, text).map(|object| {
        let object = object?;
        let label = object.text("label")?;
        let kind = object.text("kind").or_else(|_| object.text("source")).unwrap_or_else(|_| label.clone());
        Ok(Pair { a: object.text("a")?, b: object.text("b")?, label: Label::of(&label), kind })
    });
    pairs.collect()
}

fn cells(line: &Line<'_>) -> Result<Pair> {
    match line.text.split('\t').collect::<Vec<_>>().as_slice() {
        [label, a, b] => Ok(Pair {
            a: (*a).to_owned(),
            b: (*b).to_owned(),
            label: Label::of(label),
            kind: (*label).to_owned(),
        }),
        cells => Err(line.fault(format!("a pair has 3 cells between tabs, and this one {}", cells.len()))),
    }
}

impl Label {
    fn of(name: &str) -> Self {
        match name {
            "contradiction" | "conflict" => Self::Contradiction,
            "duplicate" | "same" => Self::Duplicate,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_read_from_json_lines_and_from_cells() {
        let json = "{\"a\":\"x\",\"b\":\"y\",\"label\":\"duplicate\"}\n";
        assert_eq!(read(Path::new("p.jsonl"), json).unwrap()[0].label, Label::Duplicate);
        let tsv = "# label, one, other\nconflict\tx\ty\nagree\tx\ty\n";
        let labels: Vec<Label> =
            read(Path::new("p.tsv"), tsv).unwrap().iter().map(|pair| pair.label).collect();
        assert_eq!(labels, [Label::Contradiction, Label::Other]);
    }

    #[test]
    fn a_bad_line_is_named() {
        for (path, text, expected) in [
            ("p.tsv", "# x\nconflict\tx", "p.tsv:2: a pair has 3 cells between tabs, and this one 2"),
            ("p.jsonl", "{\"a\":\"x\",\"b\":\"y\"}", "p.jsonl:1: the line has no `label`"),
            ("p.jsonl", "\n{", "p.jsonl:2: no JSON"),
        ] {
            let said = read(Path::new(path), text).map(|_| ()).unwrap_err().to_string();
            assert!(said.contains(expected), "{said}");
        }
    }

    #[test]
    fn the_figures_are_those_of_the_labels() {
        let tsv = "conflict\tAlways squash commits.\tNever squash commits.\n\
                   duplicate\tRun the tests first.\tRun the tests first!\n\
                   other\tRun the tests first.\tRun the tests first, please.\n";
        let pairs = read(Path::new("p.tsv"), tsv).unwrap();
        let word_vectors = WordVectors::of(&BuiltIn);
        let judged: Vec<Judged> = pairs.iter().map(|pair| Judged::of(pair, &word_vectors)).collect();
        let tallies = tallies(&pairs, &judged);
        let of = |what: &str| tallies.iter().find(|(name, _)| name == what).unwrap().1;
        assert_eq!(of("contradictions, by words"), Tally { right: 1, wrong: 0, missed: 0 });
        assert_eq!(of("contradictions, by verdict"), Tally { right: 1, wrong: 0, missed: 0 });
        assert_eq!(of("duplicates, taken for one").right, 1);
        let row = figures("p", 3, "x", Tally { right: 1, wrong: 1, missed: 0 });
        assert_eq!(row, "| p | 3 | x | 0.500 | 1.000 | 0.667 | 1 | 1 | 0 |\n");
    }
}
