//! `cm embed`

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use crate::support::{Sandbox, everything, vault_of};

/// Three short notes, two of them about the same subject in different words.
fn three() -> Sandbox {
    vault_of(
        "\
--- graph/facts/throttle.md
---
id: a1a1a1a1-0000-4000-8000-000000000001
type: fact
title: The service throttles us
---
Too many requests in a minute are refused.
--- graph/facts/backup.md
---
id: b2b2b2b2-0000-4000-8000-000000000002
type: fact
title: Backups run at night
---
A copy of every database is made.
--- graph/facts/colour.md
---
id: c3c3c3c3-0000-4000-8000-000000000003
type: fact
title: Colours of the chart
---
Blue is deep water.
",
    )
}

#[cfg(feature = "multilingual")]
#[test]
fn the_multilingual_model_embeds_all_notes_and_finds_them_in_another_language() {
    let sandbox = three();
    sandbox.cm(&["embed", "use", "builtin", "--model", "e5-small"]).ok();
    sandbox.cm(&["embed"]).ok();
    let shown = status(&sandbox);
    assert!(shown.contains(&"builtin/e5-small fine true 3/3".to_owned()), "{shown:?}");
    let found = sandbox
        .cm(&["search", "¿Cuándo se hacen las copias de seguridad de la base de datos?", "--json"])
        .ok()
        .json();
    assert_eq!(found["hits"][0]["title"], "Backups run at night", "{found}");
}

#[cfg(not(feature = "multilingual"))]
#[test]
fn a_build_without_the_multilingual_model_says_so() {
    let sandbox = three();
    insta::assert_snapshot!(sandbox.cm(&["embed", "use", "builtin", "--model", "e5-small"]).snapshot(), @"
    [stderr]
    error: this build does not contain the model `e5-small`
     hint: build with the feature `multilingual`, or run `cm embed use builtin`
    [exit 1]
    ");
    let found = sandbox.run(&["search", "backup"]).env("CM_EMBEDDINGS_MODEL", "e5-small").go();
    let reason = "searched without the larger model: this build does not contain the model `e5-small`";
    assert!(found.stderr.contains(reason), "{}", found.stderr);
    assert!(found.stdout.contains("Backups run at night"), "{}", found.stdout);
}

#[test]
fn an_unknown_built_in_model_is_reported() {
    let sandbox = three();
    let status = sandbox.run(&["embed", "status"]).env("CM_EMBEDDINGS_MODEL", "e5-large").go();
    insta::assert_snapshot!(status.snapshot(), @"
    builtin/potion-256  3 of 3 passages (100 %)  coarse, 1 KiB, project vault
    builtin/minilm-l6  0 of 3 passages (0 %)  fine, 0 KiB, project vault
    `cm embed` embeds the rest
    [stderr]
    note: `embeddings.model` is `e5-large`, but the built-in models are `minilm-l6` or `e5-small`; the built-in model is used
    [exit 0]
    ");
}

/// Returns the status without model sizes.
fn status(sandbox: &Sandbox) -> Vec<String> {
    let status = sandbox.cm(&["embed", "status", "--json"]).ok().json();
    let models = status["models"].as_array().unwrap().iter();
    let shown = |model: &serde_json::Value| {
        format!("{} {} {} {}/{}", model["model"], model["role"], model["in_use"], model["done"], model["of"])
            .replace('"', "")
    };
    models.map(shown).collect()
}

#[test]
fn an_empty_vault_has_nothing_to_read() {
    let sandbox = vault_of("");
    insta::assert_snapshot!(sandbox.cm(&["embed", "status"]).snapshot(), @"
    builtin/potion-256  0 of 0 passages (100 %)  coarse, 1 KiB, project vault
    builtin/minilm-l6  0 of 0 passages (100 %)  fine, 0 KiB, project vault
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["embed", "status", "--json"]).snapshot(), @r#"
    {
      "provider": "builtin",
      "models": [
        {
          "vault": "project",
          "model": "builtin/potion-256",
          "role": "coarse",
          "in_use": true,
          "dimension": 256,
          "done": 0,
          "of": 0,
          "bytes": 38
        },
        {
          "vault": "project",
          "model": "builtin/minilm-l6",
          "role": "fine",
          "in_use": true,
          "dimension": null,
          "done": 0,
          "of": 0,
          "bytes": 0
        }
      ],
      "read": 0,
      "ms": [MS]
    }
    [exit 0]
    "#);
    let read = sandbox.cm(&["embed", "--json"]).ok().json();
    assert_eq!(read["read"], 0);
}

#[test]
fn the_finer_model_reads_what_it_has_not_read_and_nothing_twice() {
    let sandbox = three();
    insta::assert_snapshot!(sandbox.cm(&["embed", "status"]).snapshot(), @"
    builtin/potion-256  3 of 3 passages (100 %)  coarse, 1 KiB, project vault
    builtin/minilm-l6  0 of 3 passages (0 %)  fine, 0 KiB, project vault
    `cm embed` embeds the rest
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["embed"]).snapshot(), @"
    3 passages embedded  [MS] ms
    builtin/potion-256  3 of 3 passages (100 %)  coarse, 1 KiB, project vault
    builtin/minilm-l6  3 of 3 passages (100 %)  fine, 2 KiB, project vault
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["embed", "status"]).snapshot(), @"
    builtin/potion-256  3 of 3 passages (100 %)  coarse, 1 KiB, project vault
    builtin/minilm-l6  3 of 3 passages (100 %)  fine, 2 KiB, project vault
    [exit 0]
    ");
    let kept = everything(&sandbox.vault().join("_embeddings"));
    insta::assert_snapshot!(sandbox.cm(&["embed"]).snapshot(), @"
    0 passages embedded  [MS] ms
    builtin/potion-256  3 of 3 passages (100 %)  coarse, 1 KiB, project vault
    builtin/minilm-l6  3 of 3 passages (100 %)  fine, 2 KiB, project vault
    [exit 0]
    ");
    assert_eq!(everything(&sandbox.vault().join("_embeddings")), kept);
    sandbox.write("notes/new.md", "# New\n\nThe tide is late.\n");
    assert_eq!(sandbox.cm(&["embed", "--json"]).ok().json()["read"], 1);
}

#[test]
fn without_models_search_goes_by_words_and_what_they_read_is_kept_for_their_return() {
    let sandbox = three();
    sandbox.cm(&["embed"]).ok();
    let before = sandbox.cm(&["search", "rate limiting", "--json"]).ok();
    assert_eq!(before.json()["hits"][0]["title"], "The service throttles us", "{}", before.stdout);
    insta::assert_snapshot!(sandbox.cm(&["embed", "use", "none"]).snapshot(), @"
    builtin/minilm-l6  3 of 3 passages (100 %)  not in use, 2 KiB, project vault
    builtin/potion-256  3 of 3 passages (100 %)  not in use, 1 KiB, project vault
    embeddings are disabled: search uses words only
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["search", "rate limiting"]).snapshot(), @"
    [stderr]
    note: nothing found
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["search", "database", "--explain"]).snapshot(), @"
    b2b2b2b2  Backups run at night
              fact · 1.00 · graph/facts/backup.md:6
              words 1.00 (BM25 0.9), meaning 0.00: relevance 1.00; graph +0.00, age ×1.00, use ×1.00; confidence ×1.00
              A copy of every database is made.
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["embed"]).snapshot(), @"
    [stderr]
    error: embeddings are disabled
     hint: `cm embed use builtin` enables the built-in models
    [exit 2]
    ");
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "", "which model it is, is everybody's own affair");
    insta::assert_snapshot!(sandbox.cm(&["embed", "use", "builtin"]).snapshot(), @"
    embedding provider: builtin
    builtin/potion-256  3 of 3 passages (100 %)  coarse, 1 KiB, project vault
    builtin/minilm-l6  3 of 3 passages (100 %)  fine, 2 KiB, project vault
    [exit 0]
    ");
    assert_eq!(sandbox.cm(&["search", "rate limiting", "--json"]).ok().stdout, before.stdout);
    assert_eq!(sandbox.cm(&["embed", "--json"]).ok().json()["read"], 0);
}

#[test]
fn a_model_that_does_not_answer_is_not_chosen() {
    let sandbox = three();
    sandbox.cm(&["reindex"]).ok();
    let before = everything(&sandbox.vault());
    let nowhere = ["embed", "use", "ollama", "--url", "http://127.0.0.1:1"];
    insta::assert_snapshot!(sandbox.cm(&nowhere).snapshot(), @"
    [stderr]
    error: cannot connect to http://127.0.0.1:1/api/embed: connection refused
     hint: start the server or correct `embeddings.url`; search works without it in the meantime
    [exit 7]
    ");
    assert_eq!(everything(&sandbox.vault()), before);
    insta::assert_snapshot!(sandbox.cm(&["embed", "use", "hearsay"]).snapshot(), @"
    [stderr]
    error: invalid value 'hearsay' for '<PROVIDER>'
      [possible values: builtin, fastembed, ollama, openai, none]

    For more information, try '--help'.
    [exit 2]
    ");
    assert_eq!(everything(&sandbox.vault()), before);
}

/// Starts a fake Ollama server, with vectors that count the vowels of a text. Returns its address.
fn ollama() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || listener.incoming().flatten().for_each(|stream| answer(&stream)));
    address
}

fn answer(stream: &TcpStream) {
    let mut lines = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        match line.trim_end().to_lowercase().split_once(": ") {
            Some(("content-length", value)) => length = value.parse().unwrap(),
            None if line.trim_end().is_empty() => break,
            _ => {}
        }
    }
    let mut body = vec![0; length];
    lines.read_exact(&mut body).unwrap();
    let asked: serde_json::Value = serde_json::from_slice(&body).unwrap();
    let vowels = |text: &str| ["a", "e", "i", "o", "u"].map(|vowel| text.matches(vowel).count());
    let texts = asked["input"].as_array().unwrap().iter();
    let vectors: Vec<[usize; 5]> = texts.map(|text| vowels(text.as_str().unwrap())).collect();
    let body = serde_json::json!({ "embeddings": vectors }).to_string();
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    let mut stream = stream;
    stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
}

#[test]
fn a_provider_out_of_reach_is_told_once_and_search_goes_on_without_it() {
    let sandbox = three();
    let (url, nowhere) = (ollama(), "http://127.0.0.1:1".to_owned());
    let reach = |url: &str, arguments: &[&str]| {
        let run = sandbox.run(arguments).env("CM_EMBEDDINGS_PROVIDER", "ollama");
        run.env("CM_EMBEDDINGS_URL", url).go()
    };
    // The model has embedded nothing of this vault, so a search does not use it.
    let before = reach(&nowhere, &["search", "database", "--json"]).ok();
    assert_eq!(before.stderr, "");
    let read = reach(&nowhere, &["embed"]).snapshot();
    insta::assert_snapshot!(read, @"
    [stderr]
    error: cannot connect to http://127.0.0.1:1/api/embed: connection refused
     hint: start the server or correct `embeddings.url`; search works without it in the meantime
    [exit 7]
    ");
    insta::assert_snapshot!(reach(&url, &["embed"]).snapshot(), @"
    3 passages embedded  [MS] ms
    builtin/potion-256  3 of 3 passages (100 %)  coarse, 1 KiB, project vault
    ollama/nomic-embed-text  3 of 3 passages (100 %)  fine, 1 KiB, project vault
    [exit 0]
    ");
    assert_eq!(reach(&url, &["search", "database"]).ok().stderr, "");
    insta::assert_snapshot!(reach(&nowhere, &["search", "database"]).snapshot(), @"
    b2b2b2b2  Backups run at night
              fact · 0.87 · graph/facts/backup.md:6
              A copy of every database is made.
    [stderr]
    note: searched without the larger model: cannot connect to http://127.0.0.1:1/api/embed: connection refused
    [exit 0]
    ");
    assert_eq!(reach(&nowhere, &["search", "database", "--json"]).ok().stdout, before.stdout);
    let briefing = reach(&nowhere, &["context", "copy the database"]).ok();
    assert_eq!(briefing.stderr.lines().count(), 1, "{}", briefing.stderr);
    assert_eq!(reach(&nowhere, &["search", "database", "--no-vectors"]).ok().stderr, "");
}

#[test]
fn rebuild_reads_everything_anew_and_comes_to_the_same() {
    let sandbox = three();
    sandbox.cm(&["embed"]).ok();
    let (before, answer) = (status(&sandbox), sandbox.cm(&["search", "rate limiting", "--json"]).ok().stdout);
    assert_eq!(sandbox.cm(&["embed", "rebuild", "--json"]).ok().json()["read"], 3);
    assert_eq!(status(&sandbox), before);
    assert_eq!(sandbox.cm(&["search", "rate limiting", "--json"]).ok().stdout, answer);
}

#[test]
fn a_vault_with_no_time_to_spare_leaves_notes_to_the_coarse_model_which_says_the_rest() {
    let sandbox = three();
    sandbox.cm(&["search", "database"]).ok();
    let coarse = status(&sandbox);
    assert!(coarse[0].ends_with("coarse true 3/3") && coarse[1].ends_with("fine true 0/3"), "{coarse:?}");
    let spent = sandbox.run(&["add", "--type", "fact", "--title", "Tides differ", "--body", "By an hour."]);
    spent.env("CM_EMBEDDINGS_BUDGET_MS", "60000").go().ok();
    let after = sandbox.run(&["search", "database"]).env("CM_EMBEDDINGS_BUDGET_MS", "60000").go().ok();
    assert_eq!(after.stderr, "");
    assert!(status(&sandbox)[1].ends_with("fine true 4/4"), "{:?}", status(&sandbox));
}

#[test]
fn an_unknown_built_in_model_is_refused_and_not_stored() {
    let sandbox = three();
    let model = || sandbox.cm(&["config", "get", "embeddings.model"]).ok().stdout;
    let before = model();
    let ran = sandbox.cm(&["embed", "use", "builtin", "--model", "nope"]);
    assert_eq!(ran.code, 2, "{}", ran.snapshot());
    assert!(ran.stderr.contains("there is no built-in model `nope`"), "{}", ran.stderr);
    assert!(ran.stderr.contains("`minilm-l6` or `e5-small`"), "{}", ran.stderr);
    assert_eq!(model(), before);
}
