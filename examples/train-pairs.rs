//! Trains the verdict on two statements (`crates/playbook/src/conflict/verdict/`), and prints its
//! weights as they stand in `weights.rs`.
//!
//! `cargo run --release --example train-pairs -- [--read] SET[=WEIGHT]… [--write FILE]`. SET is a folder with
//! `pairs.jsonl`, a file of lines with label and two texts between tabs, or a file of blocks of statements as
//! in `assets/recipe/pairs`. With `--read`, the features' weights stay, and those that combine them with the
//! model that reads both statements are computed, from sets that the model was not trained on. WEIGHT is that of all its pairs
//! together, by default 100. It prints figures by cross-validation: with a part of all sets left out,
//! and with each set left out. The pairs are those of `cm-eval pairs`.
//!
//! `train-pairs -- --unrelated COUNT LEAST FILE…` prints pairs of statements that are about different things but
//! have similar vectors, as a set: of blocks that the fast model gives at least the probability LEAST of being about
//! one thing.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a program for developers: it reads what it is given, and prints"
)]

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use cm_embed::Embedder as _;
use cm_embed::builtin::{MiniLm, PairModel, StaticModel};
use cm_playbook::conflict::{
    EmbeddedStatement, FAST_WEIGHTS, OPPOSITION_NAMES, PairFeatures, ReadWeights, RuleStatement,
    SUBJECT_NAMES, VerdictWeights, model_scores,
};
use cm_playbook::embedding_model::{EmbeddingModel, WordVectors};
use cm_text::embedding::Embedding;

/// Inverse strength of the regularization.
const LOOSENESS: f64 = 1.0;
/// Steps of Newton's method.
const STEPS: usize = 12;
const FOLDS: usize = 5;
/// Weight of a pair whose label does not tell what the verdict should be: rules that agree, and
/// statements that name different things.
const UNCLEAR: f64 = 0.3;

/// Cosine from which the vectors of two statements are similar.
const SIMILAR: f64 = 0.35;
/// Probability of one subject from which statements of different blocks may be about the same all the same.
const MOST_LIKELY: f64 = 0.6;

struct BuiltIn;

impl EmbeddingModel for BuiltIn {
    fn embedding(&self, text: &str) -> Option<Embedding> {
        let embedding = StaticModel::shipped().of(text);
        embedding.parts().iter().any(|part| *part != 0.0).then_some(embedding)
    }

    fn knows_word(&self, word: &str) -> bool {
        StaticModel::shipped().knows_word(word)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    Same,
    Opposite,
    Different,
}

struct Example {
    set: String,
    label: Label,
    weight: f64,
    features: PairFeatures,
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == "--unrelated") {
        return unrelated(&arguments[1..]);
    }
    let is_reading = arguments.first().is_some_and(|first| first == "--read");
    if is_reading {
        arguments.remove(0);
    }
    let write = arguments.iter().position(|argument| argument == "--write").map(|at| &arguments[at + 1]);
    let sets: Vec<&String> = arguments.iter().take_while(|argument| *argument != "--write").collect();
    if sets.is_empty() {
        println!("usage: train-pairs [--read] SET[=WEIGHT]… [--write FILE]");
        return println!("       train-pairs --unrelated COUNT LEAST FILE…");
    }
    let pairs: Vec<_> = sets.iter().flat_map(|set| read(set)).collect();
    if is_reading {
        return combine(&pairs, write);
    }
    let mut table = String::new();
    for (name, about, is_fine) in [("FINE", "the slower model", true), ("FAST", "the fast model", false)] {
        println!("\n== cosines of {about}");
        let examples = compared(&pairs, is_fine);
        let all: Vec<&Example> = examples.iter().collect();
        let of_set = |example: &Example, _: usize| example.set.clone();
        report("a fifth left out", &cross_validate(&all, &|_, at| (at % FOLDS).to_string()));
        report("each set left out", &cross_validate(&all, &of_set));
        let weights = fit(&all);
        print_weights(&weights);
        table += &code(name, about, &weights);
    }
    if let Some(file) = write {
        let text = std::fs::read_to_string(file).expect("the file is there");
        let start = text.find("/// Weights for cosines").expect("the file has weights");
        std::fs::write(file, format!("{}{}", &text[..start], table.trim_start()))
            .expect("the file can be written");
        println!("\nwrote {file}");
    }
}

/// Fits the combination of the features' logits with those of the model that reads both statements.
fn combine(pairs: &[Pair], write: Option<&String>) {
    let examples: Vec<ReadExample> = compared(pairs, false)
        .into_iter()
        .zip(pairs)
        .filter(|(_, pair)| pair.texts.iter().all(|text| RuleStatement::of(text).is_readable()))
        .map(|(example, pair)| ReadExample::of(example, pair))
        .collect();
    let all: Vec<&ReadExample> = examples.iter().collect();
    let mut left_out = Vec::new();
    for part in 0..FOLDS {
        let own = |is: bool| {
            let each = all.iter().enumerate().filter(move |(at, _)| (at % FOLDS == part) == is);
            each.map(|(_, each)| *each).collect::<Vec<_>>()
        };
        let weights = fit_combination(&own(false));
        for each in own(true) {
            left_out.push((&each.example, weights.probabilities(each.features, each.model)));
        }
    }
    report("a fifth left out", &left_out);
    let mut by_features = Vec::new();
    for each in &all {
        by_features.push((&each.example, FAST_WEIGHTS.probabilities(&each.example.features)));
    }
    report("features alone", &by_features);
    let weights = fit_combination(&all);
    let numbers = |weights: &[f64; 3]| weights.map(|weight| format!("{weight:.2}")).join(", ");
    let code = format!(
        "ReadWeights {{ subject: [{}], opposition: [{}] }};\n",
        numbers(&weights.subject),
        numbers(&weights.opposition)
    );
    println!("{code}");
    if let Some(file) = write {
        let text = std::fs::read_to_string(file).expect("the file is there");
        let start = text.find("const READ: ReadWeights =").expect("the file has weights");
        let end = start + text[start..].find(";\n").expect("a statement ends") + 2;
        let table = format!("{}const READ: ReadWeights =\n    {code}{}", &text[..start], &text[end..]);
        std::fs::write(file, table).expect("the file can be written");
    }
}

/// A pair as the features see it and as the model reads it, in logits.
struct ReadExample {
    example: Example,
    features: [f64; 2],
    model: [f64; 2],
}

impl ReadExample {
    fn of(example: Example, pair: &Pair) -> Self {
        let texts = pair.texts.each_ref().map(String::as_str);
        let read = PairModel::builtin().judge(&[texts]).expect("the model is sound").remove(0);
        Self { features: FAST_WEIGHTS.scores(&example.features), model: model_scores(&read), example }
    }
}

fn fit_combination(examples: &[&ReadExample]) -> ReadWeights {
    let rows: Vec<([f64; 2], &ReadExample, usize)> = examples
        .iter()
        .flat_map(|each| [0, 1].map(|at| ([each.features[at], each.model[at]], *each, at)))
        .collect();
    let fit = |place: usize, is: &dyn Fn(&Example) -> Option<bool>| {
        let own = rows.iter().filter(|(.., at)| *at == place);
        let own = own.filter_map(|(row, each, _)| Some((&row[..], is(&each.example)?, each.example.weight)));
        regression(&own.collect::<Vec<_>>()).try_into().expect("a bias and two weights")
    };
    ReadWeights {
        subject: fit(0, &|example| Some(example.label != Label::Different)),
        opposition: fit(1, &|example| {
            (example.label != Label::Different).then_some(example.label == Label::Opposite)
        }),
    }
}

/// Prints pairs of statements of different blocks whose vectors are similar, evenly chosen among all.
fn unrelated(arguments: &[String]) {
    let [count, least, files @ ..] = arguments else { panic!("COUNT LEAST FILE…") };
    let (count, least): (usize, f64) = (count.parse().expect("a number"), least.parse().expect("a number"));
    // Each block's first statement, and the first that says the same and that opposes it.
    let mut statements: Vec<(String, String, RuleStatement)> = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(file).expect("the file can be read");
        let mut taken = BTreeSet::new();
        for (label, first, other) in blocks(&text) {
            for (label, text) in [("first", &first), (label, &other)] {
                if label != "different" && taken.insert((label, first.clone())) {
                    statements.push((first.clone(), text.clone(), RuleStatement::of(text)));
                }
            }
        }
    }
    let word_vectors = WordVectors::of(&BuiltIn);
    let embeddings: Vec<Option<Embedding>> =
        statements.iter().map(|(.., statement)| word_vectors.statement(statement)).collect();
    let cosine =
        |a: &str, b: &str| word_vectors.text(a).zip(word_vectors.text(b)).map_or(0.0, |(a, b)| a.cosine(&b));
    let mut found = Vec::new();
    for (at, (block, text, one)) in statements.iter().enumerate() {
        for (other_at, (other_block, other_text, other)) in statements.iter().enumerate().skip(at + 1) {
            let both = embeddings[at].as_ref().zip(embeddings[other_at].as_ref());
            if block == other_block || both.is_none_or(|(one, other)| one.cosine(other) < SIMILAR) {
                continue;
            }
            let mut pair = [(text, one), (other_text, other)];
            pair.sort_by_key(|(text, _)| *text);
            let [a, b] = pair.map(|(_, statement)| EmbeddedStatement { statement, embedding: None });
            let [same, opposite] =
                FAST_WEIGHTS.probabilities(&PairFeatures::of(&a, &b, &cosine, &word_vectors));
            if (least..MOST_LIKELY).contains(&(same + opposite)) {
                found.push(pair.map(|(text, _)| text));
            }
        }
    }
    for [a, b] in found.iter().step_by((found.len() / count).max(1)).take(count) {
        println!("{}", serde_json::json!({ "a": a, "b": b, "label": "different" }));
    }
}

/// Reads blocks of statements: `A:` is one, `S:` says the same, `O KIND:` cannot hold together with it, and
/// `D KIND:` differs.
fn blocks(text: &str) -> Vec<(&'static str, String, String)> {
    let mut pairs = Vec::new();
    let mut first = "";
    for (head, statement) in text.lines().filter_map(|line| line.split_once(": ")) {
        let label = match head.split(' ').next() {
            Some("A") => {
                first = statement;
                continue;
            }
            Some("S") => "same",
            Some("O") => "conflict",
            _ => "different",
        };
        pairs.push((label, first.to_owned(), statement.to_owned()));
    }
    pairs
}

/// A pair of a set with its label and weight.
struct Pair {
    set: String,
    label: Label,
    weight: f64,
    texts: [String; 2],
}

fn read(argument: &str) -> Vec<Pair> {
    let (path, total) = argument
        .rsplit_once('=')
        .map_or((argument, 100.0), |(path, weight)| (path, weight.parse().expect("the weight is a number")));
    let path = Path::new(path);
    let set = path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().replace("-unseen", ""));
    let file = if path.is_dir() { path.join("pairs.jsonl") } else { path.to_owned() };
    let text = std::fs::read_to_string(&file).expect("the set can be read");
    let is_json = file.extension().is_some_and(|extension| extension == "jsonl");
    let pair = |label: &str, a: String, b: String, each: f64| {
        let is = match label {
            "duplicate" | "same" => Label::Same,
            "contradiction" | "conflict" | "number" | "unit" | "version" | "negation" => Label::Opposite,
            _ => Label::Different,
        };
        let weight = if matches!(label, "agree" | "name") { UNCLEAR * each } else { each };
        Pair { set: set.clone(), label: is, weight, texts: [a, b] }
    };
    if text.starts_with("A: ") {
        let blocks = blocks(&text);
        let each = total / blocks.len().max(1) as f64;
        return blocks.into_iter().map(|(label, a, b)| pair(label, a, b, each)).collect();
    }
    let lines: Vec<&str> =
        text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()).collect();
    let each = total / lines.len().max(1) as f64;
    let of_line = |line: &&str| {
        let [name, a, b] = if is_json {
            let object: serde_json::Value = serde_json::from_str(line).expect("the line is JSON");
            ["label", "a", "b"].map(|key| object[key].as_str().unwrap_or_default().to_owned())
        } else {
            let cells: Vec<&str> = line.split('\t').collect();
            let [label, a, b] = cells[..] else { panic!("{line}") };
            [label, a, b].map(str::to_owned)
        };
        pair(&name, a, b, each)
    };
    lines.iter().map(of_line).collect()
}

fn compared(pairs: &[Pair], is_fine: bool) -> Vec<Example> {
    let word_vectors = WordVectors::of(&BuiltIn);
    let cached: RefCell<HashMap<String, Embedding>> = RefCell::default();
    let embedded = |text: &str| {
        if let Some(embedding) = cached.borrow().get(text) {
            return embedding.clone();
        }
        let embedding = if is_fine {
            MiniLm::builtin().embed(&[text]).expect("the model is sound").remove(0)
        } else {
            StaticModel::shipped().of(text)
        };
        cached.borrow_mut().insert(text.to_owned(), embedding.clone());
        embedding
    };
    let cosine = |one: &str, other: &str| embedded(one).cosine(&embedded(other));
    let example = |pair: &Pair| {
        let mut texts = pair.texts.each_ref();
        texts.sort();
        let [a, b] = texts.map(|text| RuleStatement::of(text));
        let without_embedding = |statement| EmbeddedStatement { statement, embedding: None };
        let features =
            PairFeatures::of(&without_embedding(&a), &without_embedding(&b), &cosine, &word_vectors);
        Example { set: pair.set.clone(), label: pair.label, weight: pair.weight, features }
    };
    pairs.iter().map(example).collect()
}

fn fit(examples: &[&Example]) -> VerdictWeights {
    let subject: Vec<_> = examples
        .iter()
        .map(|example| (&example.features.subject[..], example.label != Label::Different, example.weight))
        .collect();
    let opposition: Vec<_> = examples
        .iter()
        .filter(|example| example.label != Label::Different)
        .map(|example| (&example.features.opposition[..], example.label == Label::Opposite, example.weight))
        .collect();
    let (subject, opposition) = (regression(&subject), regression(&opposition));
    let array = |weights: &[f64]| weights[1..].to_vec();
    VerdictWeights {
        subject_bias: subject[0],
        subject: array(&subject).try_into().expect("a weight for each feature"),
        opposition_bias: opposition[0],
        opposition: array(&opposition).try_into().expect("a weight for each feature"),
    }
}

/// Fits a logistic regression by Newton's method; the first weight is the bias, which is not
/// regularized.
fn regression(examples: &[(&[f64], bool, f64)]) -> Vec<f64> {
    let size = 1 + examples.first().map_or(0, |(values, ..)| values.len());
    let mut weights = vec![0.0; size];
    for _ in 0..STEPS {
        let mut gradient = vec![0.0; size];
        let mut hessian = vec![vec![0.0; size]; size];
        for at in 1..size {
            gradient[at] = weights[at] / LOOSENESS;
            hessian[at][at] = 1.0 / LOOSENESS;
        }
        for (values, is, weight) in examples {
            let input: Vec<f64> = std::iter::once(1.0).chain(values.iter().copied()).collect();
            let score: f64 = input.iter().zip(&weights).map(|(value, weight)| value * weight).sum();
            let probability = 1.0 / (1.0 + (-score).exp());
            let error = weight * (probability - f64::from(u8::from(*is)));
            let slope = weight * probability * (1.0 - probability);
            for (at, value) in input.iter().enumerate() {
                gradient[at] += error * value;
                input
                    .iter()
                    .enumerate()
                    .for_each(|(other, factor)| hessian[at][other] += slope * value * factor);
            }
        }
        let step = solve(hessian, gradient);
        weights.iter_mut().zip(step).for_each(|(weight, step)| *weight -= step);
    }
    weights
}

/// Solves a system of linear equations with a positive definite matrix.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for at in 0..size {
        for row in at + 1..size {
            let factor = matrix[row][at] / (matrix[at][at] + 1e-9);
            let above = matrix[at].clone();
            matrix[row].iter_mut().zip(above).for_each(|(cell, above)| *cell -= factor * above);
            right[row] -= factor * right[at];
        }
    }
    for at in (0..size).rev() {
        let rest: f64 = (at + 1..size).map(|other| matrix[at][other] * right[other]).sum();
        right[at] = (right[at] - rest) / (matrix[at][at] + 1e-9);
    }
    right
}

/// An example with the probabilities that both statements say the same, and that they contradict
/// each other.
type JudgedExample<'e> = (&'e Example, [f64; 2]);

fn cross_validate<'e>(
    examples: &[&'e Example],
    part: &dyn Fn(&Example, usize) -> String,
) -> Vec<JudgedExample<'e>> {
    let parts: Vec<String> = examples.iter().enumerate().map(|(at, example)| part(example, at)).collect();
    let mut judged = Vec::new();
    for left_out in parts.iter().collect::<BTreeSet<_>>() {
        let own = |is: bool| {
            examples
                .iter()
                .zip(&parts)
                .filter(move |(_, part)| (*part == left_out) == is)
                .map(|(example, _)| *example)
        };
        let weights = fit(&own(false).collect::<Vec<_>>());
        judged.extend(own(true).map(|example| (example, weights.probabilities(&example.features))));
    }
    judged
}

/// Prints how many pairs are found right and found at all, by set and threshold.
fn report(title: &str, judged: &[JudgedExample<'_>]) {
    println!("{title}: right/found at thresholds of probability");
    let sets: BTreeSet<&str> = judged.iter().map(|(example, _)| example.set.as_str()).collect();
    for set in sets {
        for (at, label) in [(0, Label::Same), (1, Label::Opposite)] {
            let own = judged.iter().filter(|(example, _)| example.set == set);
            let expected = own.clone().filter(|(example, _)| example.label == label).count();
            print!("  {set:24} {label:?} {expected:4}");
            for least in [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9] {
                let found = own.clone().filter(|(_, both)| both[at] >= least && both[at] >= both[1 - at]);
                let right = found.clone().filter(|(example, _)| example.label == label).count();
                print!("  {least}: {right}/{}", found.count());
            }
            println!();
        }
    }
}

fn print_weights(weights: &VerdictWeights) {
    println!("one subject: {:.2}", weights.subject_bias);
    SUBJECT_NAMES.iter().zip(weights.subject).for_each(|(name, weight)| println!("  {weight:6.2} {name}"));
    println!("opposite: {:.2}", weights.opposition_bias);
    OPPOSITION_NAMES
        .iter()
        .zip(weights.opposition)
        .for_each(|(name, weight)| println!("  {weight:6.2} {name}"));
}

fn code(name: &str, about: &str, weights: &VerdictWeights) -> String {
    let rows = |names: &[&str], weights: &[f64]| {
        let row = |(name, weight): (&&str, &f64)| format!("        {weight:.2}, // {name}\n");
        names.iter().zip(weights).map(row).collect::<String>()
    };
    format!(
        "\n/// Weights for cosines of {about}.\npub const {name}: VerdictWeights = VerdictWeights {{\n    subject_bias: {:.2},\n    subject: [\n{}    ],\n    opposition_bias: {:.2},\n    opposition: [\n{}    ],\n}};\n",
        weights.subject_bias,
        rows(&SUBJECT_NAMES, &weights.subject),
        weights.opposition_bias,
        rows(&OPPOSITION_NAMES, &weights.opposition),
    )
}
