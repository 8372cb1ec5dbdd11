//! Trains the classifiers of statements (`crates/learn/src/statement/`) and of reports of harm
//! (`crates/learn/src/trauma/reaction.rs`), and writes their weights.
//!
//! `cargo run --release --example train-statements -- TRAIN [TEST] [--write FILE]`. TRAIN and TEST
//! are folders of files `LANGUAGE.tsv` or `LANGUAGE-N.tsv` with one example per line: label, context
//! and text, separated by tabs. It prints figures by cross-validation and, with TEST, on those
//! examples. `assets/statements.bin` was written with `examples/statements/train`.
//!
//! `… -- --built-in TEST` prints the figures of the built-in weights on those examples, with those of the
//! fine-tuned model that `assets/recipe/statement_adapter.py` trains.
//!
//! `… -- --english FOLDER` prints language, label, context and text of each example, separated by tabs, with
//! texts in other languages in English word by word.
//!
//! `… -- --reactions PERSON AGENT ORDINARY [--write FILE]` reads examples of label (`harm` or `none`)
//! and text from PERSON and AGENT. The statements in ORDINARY report no harm.
//! `assets/reactions.bin` was written with `examples/reactions/person`, `examples/reactions/agent`
//! and `examples/statements/train`.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a program for developers: it reads what it is given, and prints"
)]

use std::collections::BTreeMap;
use std::path::Path;

use cm_embed::Embedder as _;
use cm_embed::builtin::{MiniLm, StatementModel};
use cm_learn::statement::classifier::{EMBEDDING_DIMENSION, KindWeights, softmax};
use cm_learn::statement::features::{FEATURE_BUCKETS, hashed};
use cm_learn::statement::{
    KIND_COUNT, KindProbabilities, StatementClassifier, StatementContext, StatementKind, THRESHOLD_ASK,
    THRESHOLD_HIGH, THRESHOLD_MEDIUM,
};
use cm_learn::trauma::reaction::{HarmWeights, ReactionClassifier};
use cm_text::translation::to_english;

/// Steps of gradient descent.
const STEPS: usize = 350;
/// Step width of Adam.
const RATE: f32 = 0.08;
/// Inverse strength of the regularization, relative to one example.
const LOOSENESS: f32 = 4.0;
/// Weight of a passing statement in a language that the embedding model knows little of: there, a
/// wrong rule costs more than a missed one. English has 1.
const CAUTION: f32 = 3.0;
/// Number of parts for cross-validation.
const FOLDS: usize = 5;

struct Example {
    language: String,
    kind: usize,
    features: Vec<(usize, f32)>,
    embedding: Vec<f32>,
    context: StatementContext,
    text: String,
}

impl Example {
    fn weight(&self) -> f32 {
        let is_passing = self.kind == StatementKind::Passing as usize;
        if is_passing && self.language != "en" { CAUTION } else { 1.0 }
    }
}

/// Weights during training.
#[derive(Clone)]
struct Weights {
    bias: [f32; KIND_COUNT],
    dense: Vec<[f32; KIND_COUNT]>,
    hashed: Vec<[f32; KIND_COUNT]>,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let write = arguments.iter().position(|argument| argument == "--write").map(|at| &arguments[at + 1]);
    let folders: Vec<&String> = arguments.iter().take_while(|argument| *argument != "--write").collect();
    if let [flag, person, agent, ordinary] = folders.as_slice()
        && *flag == "--reactions"
    {
        return train_reactions([person, agent, ordinary].map(Path::new), write.map(Path::new));
    }
    if let [flag, test] = folders.as_slice()
        && *flag == "--built-in"
    {
        return evaluate_built_in(Path::new(test));
    }
    if let [flag, folder] = folders.as_slice()
        && *flag == "--english"
    {
        return print_in_english(Path::new(folder));
    }
    let [train, test @ ..] = folders.as_slice() else {
        return println!(
            "usage: train-statements [--reactions PERSON AGENT ORDINARY | --built-in TEST | --english FOLDER | TRAIN [TEST]] [--write FILE]"
        );
    };
    let examples = read(Path::new(train));
    println!("{} examples", examples.len());
    for with_embedding in [true, false] {
        println!("\n== {} embedding", if with_embedding { "with" } else { "without" });
        report("cross-validation", &cross_validate(&examples, with_embedding), false);
        if let Some(test) = test.first() {
            let weights = fit(&examples.iter().collect::<Vec<_>>(), with_embedding);
            let examples = read(Path::new(test));
            let judged: Vec<_> =
                examples.iter().map(|example| (example, weights.judge(example, with_embedding))).collect();
            report("test", &judged, std::env::var_os("SHOW").is_some());
        }
    }
    if let Some(file) = write {
        let all: Vec<&Example> = examples.iter().collect();
        let classifier = StatementClassifier {
            with_embedding: fit(&all, true).packed(true),
            without_embedding: fit(&all, false).packed(false),
        };
        std::fs::write(file, classifier.write()).expect("the file can be written");
        println!("\nwrote {file}");
    }
}

/// Prints the figures of the weights that the program ships.
fn evaluate_built_in(test: &Path) {
    let examples = read(test);
    let classifier = StatementClassifier::builtin();
    let sentences: Vec<(&str, usize)> =
        examples.iter().map(|example| (example.text.as_str(), example.context as usize)).collect();
    let readings = StatementModel::builtin().read(&sentences).expect("the model is sound");
    for with_model in [true, false] {
        println!("\n== {} the model", if with_model { "with" } else { "without" });
        let judged: Vec<_> = examples
            .iter()
            .zip(&readings)
            .map(|(example, reading)| {
                let reading = with_model.then_some(reading);
                (example, classifier.probabilities(&example.text, example.context, reading))
            })
            .collect();
        report("test", &judged, std::env::var_os("SHOW").is_some());
    }
}

fn print_in_english(folder: &Path) {
    let labels = ["none", "rule", "decision", "fact", "preference"];
    for Example { language, kind, context, text, .. } in read(folder) {
        let english = to_english(&text).unwrap_or(text);
        println!("{language}\t{}\t{}\t{english}", labels[kind], context.name());
    }
}

/// Trains the weights for both authors of reports of harm, prints their figures and writes them.
fn train_reactions([person, agent, ordinary]: [&Path; 3], write: Option<&Path>) {
    let with_ordinary = |folder: &Path| {
        let mut examples = read(folder);
        examples.extend(read(ordinary).into_iter().map(|example| Example { kind: 0, ..example }));
        mixed(examples)
    };
    let [person, agent] =
        [("person", with_ordinary(person)), ("agent", with_ordinary(agent))].map(|(author, examples)| {
            let weights = [true, false].map(|with_embedding| {
                println!("\n== {author}, {} embedding", if with_embedding { "with" } else { "without" });
                report(
                    "cross-validation",
                    &cross_validate(&examples, with_embedding),
                    std::env::var_os("SHOW").is_some(),
                );
                let [none, harm, ..] =
                    fit(&examples.iter().collect::<Vec<_>>(), with_embedding).packed(with_embedding);
                difference(&harm, &none)
            });
            let [with_embedding, without_embedding] = weights;
            HarmWeights { with_embedding, without_embedding }
        });
    if let Some(file) = write {
        std::fs::write(file, ReactionClassifier { person, agent }.write()).expect("the file can be written");
        println!("\nwrote {}", file.display());
    }
}

/// Returns the weights of the difference of two scores.
fn difference(one: &KindWeights, other: &KindWeights) -> KindWeights {
    let hashed: Vec<f32> = one
        .hashed
        .iter()
        .zip(&other.hashed)
        .map(|(a, b)| f32::from(*a) * one.scale - f32::from(*b) * other.scale)
        .collect();
    let (scale, hashed) = quantized(&hashed);
    let dense = one.dense.iter().zip(&other.dense).map(|(a, b)| a - b).collect();
    KindWeights { bias: one.bias - other.bias, dense, scale, hashed }
}

/// Returns values as multiples of a scale.
fn quantized(values: &[f32]) -> (f32, Vec<i8>) {
    let most = values.iter().map(|value| value.abs()).fold(f32::MIN_POSITIVE, f32::max);
    let scale = most / 127.0;
    (scale, values.iter().map(|value| (value / scale).round() as i8).collect())
}

fn cross_validate(examples: &[Example], with_embedding: bool) -> Vec<(&Example, KindProbabilities)> {
    let mut judged = Vec::new();
    for fold in 0..FOLDS {
        let part =
            |rest: bool| examples.iter().enumerate().filter(move |(at, _)| (at % FOLDS == fold) != rest);
        let weights = fit(&part(true).map(|(_, example)| example).collect::<Vec<_>>(), with_embedding);
        judged.extend(part(false).map(|(_, example)| (example, weights.judge(example, with_embedding))));
    }
    judged
}

/// Reads all examples of a folder, in an order that mixes files and does not depend on the machine.
fn read(folder: &Path) -> Vec<Example> {
    let mut files: Vec<_> = std::fs::read_dir(folder).expect("the folder is there").flatten().collect();
    files.sort_by_key(std::fs::DirEntry::file_name);
    let mut examples = Vec::new();
    for file in files {
        let name = file.file_name().to_string_lossy().into_owned();
        let language = name.split(['-', '.']).next().unwrap_or_default().to_owned();
        let text = std::fs::read_to_string(file.path()).expect("the file is text");
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let fields: Vec<&str> = line.split('\t').collect();
            let (label, context, text) = match fields.as_slice() {
                [label, context, text] => (label, *context, text),
                [label, text] => (label, StatementContext::Plain.name(), text),
                _ => panic!("{name}: {line}"),
            };
            let labels = ["none", "rule", "decision", "fact", "preference"];
            let kind = if *label == "harm" { Some(1) } else { labels.iter().position(|kind| kind == label) };
            let context = [StatementContext::Plain, StatementContext::Refused, StatementContext::After]
                .into_iter()
                .find(|other| other.name() == context)
                .unwrap_or_else(|| panic!("{name}: {line}"));
            examples.push(Example {
                language: language.clone(),
                kind: kind.unwrap_or_else(|| panic!("{name}: {line}")),
                features: hashed(text, context),
                embedding: Vec::new(),
                context,
                text: (*text).to_owned(),
            });
        }
    }
    let texts: Vec<&str> = examples.iter().map(|example| example.text.as_str()).collect();
    let model = MiniLm::builtin();
    let mut vectors = Vec::new();
    for texts in texts.chunks(model.batch()) {
        vectors.extend(model.embed_wording(texts).expect("the model is sound"));
    }
    for (example, vector) in examples.iter_mut().zip(vectors) {
        example.embedding = vector.parts().to_vec();
    }
    mixed(examples)
}

/// Reorders examples by a fixed permutation, so that each part of a cross-validation has all files.
fn mixed(examples: Vec<Example>) -> Vec<Example> {
    let count = examples.len();
    let mut mixed: Vec<(usize, Example)> =
        examples.into_iter().enumerate().map(|(at, example)| (at * 7_919 % count.max(1), example)).collect();
    mixed.sort_by_key(|(at, _)| *at);
    mixed.into_iter().map(|(_, example)| example).collect()
}

/// Mean and scale of each value of the embeddings.
struct Scaling {
    mean: Vec<f32>,
    scale: Vec<f32>,
}

impl Scaling {
    fn of(examples: &[&Example]) -> Self {
        let count = examples.len() as f32;
        let mean: Vec<f32> = (0..EMBEDDING_DIMENSION)
            .map(|at| examples.iter().map(|example| example.embedding[at]).sum::<f32>() / count)
            .collect();
        let scale = (0..EMBEDDING_DIMENSION).map(|at| {
            let square = |example: &&Example| (example.embedding[at] - mean[at]).powi(2);
            let deviation = (examples.iter().map(square).sum::<f32>() / count).sqrt();
            1.0 / (deviation.max(1e-6) * (EMBEDDING_DIMENSION as f32).sqrt())
        });
        Self { scale: scale.collect(), mean }
    }
}

/// Fits softmax regression with all examples at once, so that the result depends on nothing else.
fn fit(examples: &[&Example], with_embedding: bool) -> Weights {
    let scaling = Scaling::of(examples);
    let inputs: Vec<Vec<(usize, f32)>> =
        examples.iter().map(|example| inputs(example, &scaling, with_embedding)).collect();
    let size = 1 + EMBEDDING_DIMENSION + FEATURE_BUCKETS;
    let mut weights = vec![[0.0_f32; KIND_COUNT]; size];
    let (mut first, mut second) = (weights.clone(), weights.clone());
    let decay = 1.0 / LOOSENESS;
    for turn in 1..=STEPS {
        let mut gradient = vec![[0.0_f32; KIND_COUNT]; size];
        for (example, input) in examples.iter().zip(&inputs) {
            let probabilities = softmax(scores(&weights, input));
            let weight = example.weight();
            for kind in 0..KIND_COUNT {
                let error = weight * (probabilities[kind] - f32::from(u8::from(kind == example.kind)));
                input.iter().for_each(|(at, value)| gradient[*at][kind] += error * value);
            }
        }
        let rate = RATE * (1.0 - turn as f32 / (STEPS + 1) as f32);
        for at in 0..size {
            for kind in 0..KIND_COUNT {
                let slope = gradient[at][kind] + if at == 0 { 0.0 } else { decay * weights[at][kind] };
                first[at][kind] = 0.9 * first[at][kind] + 0.1 * slope;
                second[at][kind] = 0.99 * second[at][kind] + 0.01 * slope * slope;
                let [one, two] = [0.9_f32, 0.99].map(|share| 1.0 - share.powi(turn as i32));
                weights[at][kind] -=
                    rate * (first[at][kind] / one) / ((second[at][kind] / two).sqrt() + 1e-6);
            }
        }
    }
    Weights::of(&weights, &scaling)
}

/// The constant input, the scaled embedding and the hashed features.
fn inputs(example: &Example, scaling: &Scaling, with_embedding: bool) -> Vec<(usize, f32)> {
    let mut inputs = vec![(0, 1.0)];
    if with_embedding {
        let values = example.embedding.iter().zip(&scaling.mean).zip(&scaling.scale).enumerate();
        inputs.extend(values.map(|(at, ((value, mean), scale))| (1 + at, (value - mean) * scale)));
    }
    inputs.extend(example.features.iter().map(|(bucket, value)| (1 + EMBEDDING_DIMENSION + bucket, *value)));
    inputs
}

fn scores(weights: &[[f32; KIND_COUNT]], input: &[(usize, f32)]) -> [f32; KIND_COUNT] {
    let mut scores = [0.0; KIND_COUNT];
    for (at, value) in input {
        (0..KIND_COUNT).for_each(|kind| scores[kind] += value * weights[*at][kind]);
    }
    scores
}

impl Weights {
    /// Converts weights of scaled values to those of plain ones.
    fn of(weights: &[[f32; KIND_COUNT]], scaling: &Scaling) -> Self {
        let dense: Vec<[f32; KIND_COUNT]> = (0..EMBEDDING_DIMENSION)
            .map(|at| weights[1 + at].map(|weight| weight * scaling.scale[at]))
            .collect();
        let bias = std::array::from_fn(|kind| {
            let shift: f32 = dense.iter().zip(&scaling.mean).map(|(weight, mean)| weight[kind] * mean).sum();
            weights[0][kind] - shift
        });
        Self { bias, dense, hashed: weights[1 + EMBEDDING_DIMENSION..].to_vec() }
    }

    fn judge(&self, example: &Example, with_embedding: bool) -> KindProbabilities {
        let mut scores = self.bias;
        for (bucket, value) in &example.features {
            (0..KIND_COUNT).for_each(|kind| scores[kind] += value * self.hashed[*bucket][kind]);
        }
        if with_embedding {
            for (at, value) in example.embedding.iter().enumerate() {
                (0..KIND_COUNT).for_each(|kind| scores[kind] += value * self.dense[at][kind]);
            }
        }
        KindProbabilities(softmax(scores))
    }

    fn packed(&self, with_embedding: bool) -> [KindWeights; KIND_COUNT] {
        std::array::from_fn(|kind| {
            let (scale, hashed) =
                quantized(&self.hashed.iter().map(|weight| weight[kind]).collect::<Vec<_>>());
            KindWeights {
                bias: self.bias[kind],
                dense: if with_embedding {
                    self.dense.iter().map(|weight| weight[kind]).collect()
                } else {
                    Vec::new()
                },
                scale,
                hashed,
            }
        })
    }
}

/// Prints how many lasting and passing statements are found at some thresholds, by language, and
/// how often the kind is right.
fn report(title: &str, judged: &[(&Example, KindProbabilities)], show: bool) {
    let lasting = |example: &Example| example.kind != StatementKind::Passing as usize;
    let share = |of: &[&(&Example, KindProbabilities)], least: f32| {
        let flagged = of.iter().filter(|(_, judged)| judged.lasting() >= least).count();
        100.0 * flagged as f32 / of.len().max(1) as f32
    };
    println!("{title}: lasting flagged % / passing flagged %, by threshold");
    let mut languages: BTreeMap<&str, Vec<&(&Example, KindProbabilities)>> = BTreeMap::new();
    for one in judged {
        languages.entry(&one.0.language).or_default().push(one);
        languages.entry("all").or_default().push(one);
    }
    for (language, of) in &languages {
        let (yes, no): (Vec<_>, Vec<_>) = of.iter().copied().partition(|(example, _)| lasting(example));
        print!("  {language:4} {:4}/{:4}", yes.len(), no.len());
        for least in [0.2, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95] {
            print!("  {least}: {:.0}/{:.1}", share(&yes, least), share(&no, least));
        }
        println!();
    }
    let (yes, no): (Vec<_>, Vec<_>) = judged.iter().partition(|(example, _)| lasting(example));
    println!(
        "  asked about at {THRESHOLD_ASK}: {:.1} % of lasting statements (goal 90 or more), {:.1} % of passing ones (goal 10 or less)",
        share(&yes, THRESHOLD_ASK),
        share(&no, THRESHOLD_ASK),
    );
    let found: Vec<_> =
        judged.iter().filter(|(example, judged)| lasting(example) && judged.lasting() >= 0.5).collect();
    let right = found.iter().filter(|(example, judged)| judged.kind() as usize == example.kind).count();
    println!("  kind right: {right} of {}", found.len());
    if show {
        for (example, judged) in judged {
            let (last, is) = (judged.lasting(), lasting(example));
            if is && last < THRESHOLD_MEDIUM || !is && last >= THRESHOLD_HIGH {
                println!("  {} {last:.2} {}", if is { "missed" } else { "wrong " }, example.text);
            }
        }
    }
}
