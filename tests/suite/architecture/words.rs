//! Forbidden paths and macros per layer.

use super::code::{Named, named};
use super::{Violation, hold, layer_of, planted};

/// Forbidden words with the affected layers, the reason, and the alternative.
struct Ban {
    /// Paths, or macros with a trailing `!`.
    words: &'static [&'static str],
    layers: Layers,
    rule: &'static str,
    remedy: &'static str,
}

enum Layers {
    /// Only these layers; never files without a layer such as `src/lib.rs`.
    Of(&'static [&'static str]),
    /// All layers except these.
    AllBut(&'static [&'static str]),
    Everywhere,
}

const PURE: Layers = Layers::Of(&[
    "text", "secrets", "shell", "session", "map", "note", "playbook", "learn", "exchange", "merge",
]);
const BELOW_SURFACES: Layers = Layers::AllBut(&["cli", "server"]);

const BANS: [Ban; 10] = [
    Ban {
        words: &["std::fs", "File::open", "File::create"],
        layers: PURE,
        rule: "touches no file",
        remedy: "take the bytes as an argument; store and index own files",
    },
    Ban {
        words: &["std::env", "std::process", "std::net"],
        layers: PURE,
        rule: "knows no environment, process or network",
        remedy: "take the value as an argument; surfaces read the environment, git and agents start programs",
    },
    Ban {
        words: &["SystemTime", "Instant::now", "Utc::now", "Local::now", "std::time::Instant"],
        layers: PURE,
        rule: "reads no clock",
        remedy: "take `now: cm_note::instant::Instant` as an argument",
    },
    Ban {
        words: &["rand", "getrandom", "new_v4", "thread_rng"],
        layers: PURE,
        rule: "draws no random number",
        remedy: "take the id or the seed as an argument; `Context::new_uuid` in cm-app is the one place that generates IDs",
    },
    Ban {
        words: &["io::stdin", "io::stdout", "io::stderr"],
        layers: PURE,
        rule: "reads and writes no stream",
        remedy: "return the value; the surface prints it",
    },
    Ban {
        words: &["println!", "print!", "eprintln!", "eprint!", "dbg!"],
        layers: Layers::AllBut(&["cli"]),
        rule: "prints nothing",
        remedy: "return the value, or give it as a notice; `cli::answer` prints",
    },
    Ban {
        words: &["clap", "rmcp", "axum", "ExitCode", "process::exit"],
        layers: BELOW_SURFACES,
        rule: "does not know that there are surfaces",
        remedy: "return an outcome or a `cm_app::Error`; `render::status` maps kinds to codes, the surface returns them",
    },
    Ban {
        words: &["tokio", "tokio_util", "hyper"],
        layers: Layers::AllBut(&["server"]),
        rule: "knows no runtime",
        remedy: "write it as it runs in one thread; the server runs it in a thread of its own",
    },
    Ban {
        words: &["clippy::disallowed_methods"],
        layers: Layers::Of(&[
            "text", "secrets", "shell", "session", "map", "note", "playbook", "learn", "exchange", "merge",
            "render",
        ]),
        rule: "lifts no ban of clippy.toml",
        remedy: "move the call to the layer that owns the thing, whose lib.rs or mod.rs lifts the ban",
    },
    Ban {
        words: &["unsafe"],
        layers: Layers::Everywhere,
        rule: "uses no `unsafe`",
        remedy: "use a safe crate for it, such as rustix",
    },
];

impl Layers {
    fn hold_in(&self, layer: Option<&str>) -> bool {
        match (self, layer) {
            (Self::Everywhere, _) => true,
            // src/lib.rs and src/main.rs belong to no layer.
            (_, None) => false,
            (Self::Of(layers), Some(layer)) => layers.contains(&layer),
            (Self::AllBut(layers), Some(layer)) => !layers.contains(&layer),
        }
    }
}

fn says(named: &Named, word: &str) -> bool {
    match word.strip_suffix('!') {
        Some(name) => named.is_macro && named.segments.last().is_some_and(|last| last == name),
        None => named.contains(&word.split("::").collect::<Vec<_>>()),
    }
}

/// Checks that a file uses no word that is forbidden in its layer.
pub fn banned(path: &str, text: &str) -> Vec<Violation> {
    let layer = layer_of(path);
    let bans: Vec<_> = BANS.iter().filter(|ban| ban.layers.hold_in(layer)).collect();
    let mut found = Vec::new();
    for named in named(text) {
        for ban in &bans {
            if let Some(word) = ban.words.iter().find(|word| says(&named, word)) {
                let who = layer.map_or_else(|| "the project".to_owned(), |layer| format!("`{layer}`"));
                found.push(Violation {
                    path: path.to_owned(),
                    line: named.line,
                    rule: format!("{who} {}, and says `{word}`", ban.rule),
                    remedy: ban.remedy.to_owned(),
                });
            }
        }
    }
    found
}

#[test]
fn no_file_says_a_word_that_its_layer_may_not_say() {
    hold(banned);
}

#[test]
fn every_ban_reports_each_of_its_words_with_the_rule_and_the_remedy() {
    for ban in &BANS {
        let layer = match ban.layers {
            Layers::Of(layers) => layers[0],
            Layers::AllBut(_) => "store",
            Layers::Everywhere => "cli",
        };
        for word in ban.words {
            let use_of_it = if word.ends_with('!') { format!("{word}(\"x\");") } else { format!("{word};") };
            let shown =
                planted(banned, &format!("crates/{layer}/src/x.rs"), &format!("//! x\n{use_of_it}\n"));
            assert!(shown.contains(&format!(":2: `{layer}` {}, and says `{word}`", ban.rule)), "{shown}");
            assert!(shown.contains(ban.remedy), "{shown}");
        }
    }
}

#[test]
fn a_word_in_a_group_or_behind_a_longer_path_is_found() {
    for text in
        ["use std::{collections::BTreeMap, fs};", "let a = std::fs::read(b);", "use std::{io, fs::{self}};"]
    {
        assert!(planted(banned, "crates/note/src/x.rs", text).contains("touches no file"), "{text}");
    }
    assert!(planted(banned, "crates/app/src/x.rs", "use std::process::ExitCode;").contains("ExitCode"));
    assert!(planted(banned, "src/lib.rs", "unsafe { a() }").contains("the project uses no `unsafe`"));
}

#[test]
fn our_own_instant_and_words_in_text_pass() {
    for (path, text) in [
        (
            "crates/note/src/x.rs",
            "use crate::instant::Instant; let a = Instant::parse(b); Instant::from_unix(1)",
        ),
        (
            "crates/note/src/x.rs",
            "//! std::fs, unsafe\nlet a = \"println!\"; let rand_like = 1; let print = 2;",
        ),
        ("crates/store/src/vault/x.rs", "use std::fs; use std::time::SystemTime;"),
        ("src/cli/x.rs", "use clap::Args; use std::process::ExitCode; anstream::println!(\"x\");"),
        ("src/main.rs", "fn main() -> std::process::ExitCode {}"),
    ] {
        assert_eq!(banned(path, text), [], "{path}: {text}");
    }
}
