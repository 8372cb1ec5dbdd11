//! `cm propose`: the agent in a session records what a person typed, and the program checks it.

use serde_json::{Value, json};

use crate::support::{Sandbox, SessionLine, talk, vault_of};

const SESSION: &str = "5b1d2c3e-0000-4000-8000-000000000001";
const WORDS: &str = "no. from now on we always use pnpm here, never npm";

fn shop() -> Sandbox {
    let sandbox = vault_of("");
    sandbox.cm(&["reindex"]).ok();
    sandbox
}

/// A session in which the agent ran npm and the person typed `words`.
fn corrected(sandbox: &Sandbox, words: &str) {
    talk(
        sandbox,
        SESSION,
        8,
        &[
            SessionLine::Person("Add a date picker."),
            SessionLine::Ran("npm install picker", "added 12 packages"),
            SessionLine::Person(words),
        ],
    );
}

fn prompt(sandbox: &Sandbox, words: &str) -> String {
    let message = json!({
        "session_id": SESSION, "cwd": sandbox.vault(), "hook_event_name": "UserPromptSubmit", "prompt": words,
    });
    sandbox.run(&["hook", "claude", "prompt"]).stdin(message.to_string()).go().ok().stdout
}

fn propose(sandbox: &Sandbox, text: &str, quote: &str) -> Value {
    sandbox.cm(&["propose", text, "--quote", quote, "--session", "5b1d2c3e", "--json"]).ok().json()
}

#[test]
fn a_prompt_that_is_meant_to_last_brings_the_request_and_its_record_is_active() {
    let sandbox = shop();
    let asked = prompt(&sandbox, WORDS);
    assert!(asked.contains("memory_propose") && asked.contains("5b1d2c3e"), "{asked}");
    assert_eq!(prompt(&sandbox, "now do the same for the export page"), "");
    corrected(&sandbox, WORDS);
    let answer = propose(&sandbox, "Use pnpm, never npm.", "we always use pnpm here, never npm");
    assert_eq!((&answer["state"], &answer["neighbours"]), (&json!("active"), &json!([])), "{answer:#}");
    let why = sandbox.cm(&["why", answer["id"].as_str().unwrap(), "--json"]).ok().json();
    assert!(why.to_string().contains("we always use pnpm here"), "{why:#}");
    let briefing = sandbox.cm(&["context", "install a date picker with npm", "--json"]).ok().json();
    assert!(briefing["rules"].to_string().contains("never npm"), "{briefing:#}");
}

#[test]
fn before_the_log_has_the_prompt_what_the_hook_saw_counts() {
    let sandbox = shop();
    prompt(&sandbox, WORDS);
    let answer = propose(&sandbox, "Use pnpm, never npm.", "we always use pnpm here, never npm");
    assert_eq!(answer["state"], "active", "{answer:#}");
}

#[test]
fn what_no_person_typed_or_what_goes_beyond_their_words_is_a_draft() {
    let sandbox = shop();
    corrected(&sandbox, WORDS);
    for (text, quote, why) in [
        ("Use yarn here.", "we use yarn here", "did not type"),
        ("Use pnpm 9, never npm.", "we always use pnpm here, never npm", "`9`"),
        ("Use pnpm with `--frozen-lockfile`.", "we always use pnpm here", "frozen"),
        ("Install packages with 12 parts.", "added 12 packages", "did not type"),
    ] {
        let answer = propose(&sandbox, text, quote);
        assert_eq!(answer["state"], "draft", "{answer:#}");
        assert!(answer["why"].as_str().unwrap().contains(why), "{answer:#}");
    }
}

#[test]
fn words_that_are_not_meant_to_last_make_a_draft() {
    let sandbox = shop();
    corrected(&sandbox, "wrong file, undo that");
    let answer = propose(&sandbox, "Undo the wrong file.", "wrong file, undo that");
    assert_eq!(answer["state"], "draft", "{answer:#}");
}

#[test]
fn the_object_of_a_correction_may_come_from_the_command_it_answers() {
    let sandbox = shop();
    corrected(&sandbox, "never do that again, we don't use npm without asking Ana");
    let quote = "we don't use npm without asking Ana";
    let answer = propose(&sandbox, "Never use `npm install picker` without asking Ana.", quote);
    assert_eq!(answer["state"], "active", "{answer:#}");
}

#[test]
fn a_fact_becomes_a_memory_and_verdicts_settle_neighbours() {
    let sandbox = shop();
    corrected(&sandbox, "fyi the staging server only has 2 GB of memory");
    let quote = "the staging server only has 2 GB of memory";
    let arguments = ["propose", "The staging server has 2 GB of memory.", "--kind", "fact", "--quote", quote];
    let fact = sandbox.cm(&[&arguments[..], &["--session", SESSION, "--json"]].concat()).ok().json();
    assert_eq!(fact["state"], "active", "{fact:#}");
    let first = sandbox
        .cm(&["playbook", "add", "Use pnpm for packages, not npm.", "--category", "tools", "--json"])
        .ok()
        .json();
    let first = first["id"].as_str().unwrap();
    corrected(&sandbox, WORDS);
    let second = propose(
        &sandbox,
        "Always install packages by pnpm, never by npm.",
        "we always use pnpm here, never npm",
    );
    let id = second["id"].as_str().unwrap();
    if id != first {
        let settled = sandbox.cm(&["propose", "--id", id, "--same", first, "--json"]).ok().json();
        assert_eq!(settled["state"], "retired", "{settled:#}");
        assert_eq!(settled["neighbours"][0]["verdict"], "same");
    }
    let live = sandbox.cm(&["playbook", "list", "--state", "active", "--json"]).ok().json();
    assert_eq!(live["bullets"].as_array().unwrap().len(), 1, "{live:#}");
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
}
