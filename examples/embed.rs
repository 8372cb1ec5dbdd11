//! Embeds texts with a built-in model, or measures its speed.
//!
//! `cargo run --release --example embed -- MODEL` reads one text per line and writes one JSON array
//! per line; `MODEL` is `builtin/potion-256`, `builtin/minilm-l6`, or, with `--features multilingual`,
//! `builtin/e5-small`. With `--questions` they are embedded as questions. With `--bench` it splits its
//! input into texts of 8, 40 and 200 words, and prints how many it embeds per second of CPU time.
//! `--question` embeds the first line once, like a command. For a comparison with the reference see
//! `tests/golden/embedding/reference.py`.
#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a program for developers: it reads what it is given, and prints"
)]

use std::io::{BufRead, Write};

use cm_embed::builtin::StaticModel;
use cm_embed::{BuiltinModel, Embedder};
use cm_text::embedding::Embedding;

/// Number of texts of each length.
const TEXTS: usize = 64;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let begun = cpu_seconds();
    let name = arguments.first().and_then(|name| name.strip_prefix("builtin/")).unwrap_or_default();
    let model: &dyn Embedder = match (name, BuiltinModel::of(name)) {
        ("potion-256", _) => StaticModel::shipped(),
        (_, Some(model)) => model.open().expect("the build contains the model"),
        (_, None) => {
            return println!("usage: embed builtin/MODEL [--bench|--question|--questions] < TEXTS");
        }
    };
    let loaded = cpu_seconds() - begun;
    let lines: Vec<String> =
        std::io::stdin().lock().lines().collect::<Result<_, _>>().expect("texts are UTF-8");
    match arguments.get(1).map(String::as_str) {
        Some("--bench") => measure(model, &lines.join(" ")),
        Some("--question") => {
            let begun = cpu_seconds();
            model.embed_query(&lines[0]).expect("the model is sound");
            let milliseconds = (loaded + cpu_seconds() - begun) * 1000.0;
            println!("a question, with loading: {milliseconds:.2} ms");
        }
        Some("--questions") => {
            let questions = lines.iter().map(|line| model.embed_query(line).expect("the model is sound"));
            write(questions);
        }
        _ => {
            let texts: Vec<&str> = lines.iter().map(String::as_str).collect();
            let all = texts.chunks(model.batch());
            write(all.flat_map(|texts| model.embed(texts).expect("the model is sound")));
        }
    }
}

/// Writes one vector per line.
fn write(vectors: impl Iterator<Item = Embedding>) {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for vector in vectors {
        let line = serde_json::to_string(vector.parts()).expect("numbers are JSON");
        writeln!(out, "{line}").expect("the output is read");
    }
}

/// Prints the best of five rounds.
fn measure(model: &dyn Embedder, text: &str) {
    let words: Vec<&str> = text.split_whitespace().collect();
    for length in [8, 40, 200] {
        let texts: Vec<String> =
            words.chunks_exact(length).take(TEXTS).map(|words| words.join(" ")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let rounds = (0..5).map(|_| {
            let begun = cpu_seconds();
            model.embed(&texts).expect("the model is sound");
            cpu_seconds() - begun
        });
        let best = rounds.fold(f64::INFINITY, f64::min);
        let (count, second) = (texts.len(), texts.len() as f64 / best);
        println!("{length:>4} words: {second:.1} texts a second of CPU time ({count} texts)");
    }
}

/// Returns the processor time of this process in seconds.
#[cfg(unix)]
fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Returns the elapsed time in seconds, on platforms without processor time.
#[cfg(not(unix))]
#[allow(clippy::disallowed_methods, reason = "it measures")]
fn cpu_seconds() -> f64 {
    use std::time::Instant;
    static BEGUN: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    BEGUN.elapsed().as_secs_f64()
}
