//! Lays the vocabulary of the built-in models out as a table that is looked up as it lies in the program.
//!
//! Building a map of 29,528 tokens at each start would take longer than embedding a question.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "a build script reads the vocabulary and writes the table; a failure is meant to stop the build"
)]

use std::path::Path;

#[path = "src/embed/builtin/wordpiece/hash.rs"]
mod hash;

use hash::{EMPTY, Hash, SLOTS};

const VOCABULARY: &str = "assets/vocab.txt";

fn main() {
    println!("cargo::rerun-if-changed={VOCABULARY}");
    println!("cargo::rerun-if-changed=src/embed/builtin/wordpiece/hash.rs");
    let text = std::fs::read_to_string(VOCABULARY).expect("assets/vocab.txt lies in the package");
    let out = std::env::var_os("OUT_DIR").expect("cargo says where a build script writes");
    write(&Path::new(&out).join("vocabulary.slots"), &slots(&text));
    write(&Path::new(&out).join("vocabulary.starts"), &starts(&text));
}

/// The table: a token lies in the first free slot from the one that its hash names.
fn slots(text: &str) -> Vec<u32> {
    let mut slots = vec![EMPTY; SLOTS];
    for (id, token) in text.lines().enumerate() {
        let hash = Hash::of(token.as_bytes());
        let mut at = hash.slot();
        while slots[at] != EMPTY {
            at = (at + 1) % SLOTS;
        }
        slots[at] = hash.entry(u16::try_from(id).expect("a token's number fits 16 bits"));
    }
    slots
}

/// Where each token begins in the vocabulary's text, and where one more would.
fn starts(text: &str) -> Vec<u32> {
    let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
    std::iter::once(0)
        .chain(breaks)
        .map(|at| u32::try_from(at).expect("the vocabulary is far smaller than 4 GiB"))
        .collect()
}

fn write(path: &Path, numbers: &[u32]) {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    std::fs::write(path, bytes).expect("cargo's output folder can be written");
}
