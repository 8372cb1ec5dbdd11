//! Folders of the earlier Python tool, schema 3.0.0.

use serde_json::{Value, json};

use crate::support::exchange::{beside_golden, files, uses};
use crate::support::{Sandbox, vault_of};

const SOURCE: &str = "../source";

fn document(sandbox: &Sandbox, path: &str) -> Value {
    serde_json::from_str(&sandbox.read(path)).unwrap()
}

/// The notes of a folder except generated ones.
fn notes(sandbox: &Sandbox, folder: &str) -> Vec<(String, Vec<u8>)> {
    files(sandbox, folder).into_iter().filter(|(path, _)| path != "CORE.md").collect()
}

fn keys(document: &Value) -> Vec<&str> {
    document.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn a_folder_of_schema_3_comes_in_whole_and_goes_out_in_the_same_form() {
    let sandbox = beside_golden("claude-memory");
    let imported = sandbox.cm(&["import", SOURCE, "--json"]).ok().json();
    assert_eq!((&imported["from"], &imported["usage"]), (&json!("claude-memory"), &json!(2)));
    assert_eq!(imported["because"], "it has _index.json and _state.json");
    assert_eq!(notes(&sandbox, "."), notes(&sandbox, SOURCE));

    sandbox.cm(&["export", "--format", "claude-memory", "--out", "../out"]).ok();
    assert_eq!(notes(&sandbox, "../out"), notes(&sandbox, SOURCE));
    let both = |name: &str| {
        (document(&sandbox, &format!("../out/{name}")), document(&sandbox, &format!("{SOURCE}/{name}")))
    };
    let (mut index, mut expected) = both("_index.json");
    assert_eq!(keys(&index), keys(&expected));
    assert_eq!(index["updated"], "2026-11-21T12:00:00+00:00");
    let scores = document(&sandbox, "../out/_state.json")["entries"].clone();
    (index["updated"], expected["updated"]) = (Value::Null, Value::Null);
    for (id, entry) in index["entries"].as_object_mut().unwrap() {
        assert_eq!(entry["decay_score"], scores[id]["decay_score"]);
        entry["decay_score"] = expected["entries"][id]["decay_score"].clone();
    }
    assert_eq!(index, expected);
    let (state, expected) = both("_state.json");
    assert_eq!(keys(&state), keys(&expected));
    for (id, expected) in expected["entries"].as_object().unwrap() {
        let entry = &state["entries"][id];
        assert_eq!(keys(entry), keys(expected), "{id}");
        assert_eq!(entry["access_count"], expected["access_count"]);
        assert_eq!(entry.get("last_accessed"), expected.get("last_accessed"));
        let (score, expected) =
            (entry["decay_score"].as_f64().unwrap(), expected["decay_score"].as_f64().unwrap());
        assert!(if expected == 999.0 { score == 999.0 } else { score < 999.0 }, "{id} has {score}");
    }
    let (embeddings, expected) = both("_embeddings.json");
    assert_eq!(keys(&embeddings), keys(&expected));
    let vectors = embeddings["entries"].as_object().unwrap();
    assert_eq!(embeddings["count"], vectors.len());
    assert_eq!(embeddings["model"].is_string(), !vectors.is_empty());
    let (config, expected) = both("_config.json");
    assert_eq!(config, expected);

    let third = vault_of("");
    let out = sandbox.root().join("out").to_string_lossy().into_owned();
    let again = third.cm(&["import", &out, "--json"]).ok().json();
    assert_eq!(notes(&third, "."), notes(&sandbox, "."));
    assert_eq!(uses(&third), uses(&sandbox));
    assert_eq!(again["findings"].as_array().unwrap().len(), 0, "{}", again["findings"]);
}

#[test]
fn the_settings_of_schema_3_are_read_and_no_key_is_taken_or_shown() {
    let sandbox = beside_golden("claude-memory");
    let config = r#"{"embedding_provider": "openai", "openai_api_key": "hush-hush",
        "ollama_model": "nomic-embed-text", "openai_model": "text-embedding-3-large"}"#;
    sandbox.write("../source/_config.json", config);
    let ran = sandbox.cm(&["import", SOURCE, "--json"]).ok();
    assert!(!ran.stdout.contains("hush"), "{}", ran.stdout);
    let findings: Vec<Value> = ran.json()["findings"].as_array().unwrap().clone();
    let message = |at: usize| findings[at]["message"].as_str().unwrap().to_owned();
    assert_eq!(findings.len(), 2, "{findings:?}");
    assert_eq!(
        message(0),
        "the notes were embedded by openai with the model text-embedding-3-large; this vault keeps its own model"
    );
    assert_eq!(message(1), "an API key was skipped");
    let everything = sandbox.cm(&["config", "list", "--json"]).ok();
    assert!(!everything.stdout.contains("hush") && !everything.stdout.contains("text-embedding-3-large"));
}

#[test]
fn an_export_beside_the_notes_updates_its_own_files_and_no_other() {
    let sandbox = beside_golden("claude-memory");
    sandbox.cm(&["import", SOURCE]).ok();
    let export = ["export", "--format", "claude-memory", "--json"];
    assert_eq!(sandbox.cm(&export).ok().json()["written"].as_array().unwrap().len(), 4);
    let later = [&export[..], &["--now", "2026-11-22T00:00:00Z"]].concat();
    assert_eq!(sandbox.cm(&later).ok().json()["written"].as_array().unwrap().len(), 3);
    sandbox.write("_index.json", "{}");
    assert_eq!(sandbox.cm(&export).code, 5);
    assert_eq!(sandbox.read("_index.json"), "{}");
}
