//! Writes the vocabulary of the built-in models as a hash table that the program reads in place.
//!
//! Building a map of 29,528 tokens at each start would take longer than embedding a query.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "a build script reads the vocabulary and writes the table; a failure is meant to stop the build"
)]

use std::path::Path;

#[path = "src/slots.rs"]
mod slots;

use slots::{EMPTY, Hash, SLOTS};

const VOCABULARY: &str = "../../assets/vocab.txt";

fn main() {
    println!("cargo::rerun-if-changed={VOCABULARY}");
    println!("cargo::rerun-if-changed=src/slots.rs");
    let text = std::fs::read_to_string(VOCABULARY).expect("assets/vocab.txt is part of the package");
    let out = std::env::var_os("OUT_DIR").expect("cargo says where a build script writes");
    write(&Path::new(&out).join("vocabulary.slots"), &table(&text));
    write(&Path::new(&out).join("vocabulary.starts"), &starts(&text));
}

/// The hash table: a token is stored in the first free slot from its hash's on.
fn table(text: &str) -> Vec<u32> {
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

/// Byte offset of each token in the vocabulary's text, and the text's length as the last.
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
