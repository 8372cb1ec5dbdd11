//! `cm token`

use serde_json::json;

use crate::support::{Sandbox, vault_of};

/// Adds a token and returns the output with random parts masked.
fn add(sandbox: &Sandbox, words: &[&str]) -> String {
    let ran = sandbox.cm(&[&["token", "add"], words].concat()).ok();
    let (secret, rest) = ran.stdout.split_once('\n').unwrap();
    assert_eq!((secret.len(), &secret[..3]), (67, "cm_"), "{}", ran.snapshot());
    let id = rest.split("id ").nth(1).unwrap()[..8].to_owned();
    format!("{}{}", rest.replace(&id, "[id]"), ran.stderr)
}

#[test]
fn a_token_is_printed_once_and_kept_as_a_hash_outside_of_the_vault() {
    let sandbox = vault_of("");
    assert_eq!(add(&sandbox, &["Ada"]), "writer of Ada, id [id]; save it now, it will not be shown again\n");
    let file = sandbox.read_private("tokens.toml");
    assert!(
        file.contains("person = \"Ada\"") && file.contains("hash = \"sha256:") && !file.contains("cm_"),
        "{file}"
    );
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    assert_eq!(sandbox.git(&["log", "-1", "--format=%s"]), "Begin\n");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = sandbox.private("tokens.toml").metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn no_seed_makes_the_same_token_twice() {
    let sandbox = vault_of("");
    let made = || sandbox.cm(&["token", "add", "Ada", "--json"]).ok().json()["token"].clone();
    assert_ne!(made(), made());
}

#[test]
fn tokens_are_listed_with_what_became_of_them() {
    let sandbox = vault_of("");
    insta::assert_snapshot!(sandbox.cm(&["token", "list"]).snapshot(), @"
    no tokens; `cm token add NAME` creates one
    [exit 0]
    ");
    add(&sandbox, &["Ada", "--role", "admin"]);
    add(&sandbox, &["Build agent", "--role", "reader", "--expires", "90d"]);
    add(&sandbox, &["Bob", "--expires", "2026-12-01"]);
    let listed = sandbox.cm(&["token", "list", "--json"]).ok().json();
    let tokens = listed["tokens"].as_array().unwrap();
    let shown = |key: &str| tokens.iter().map(|token| token[key].clone()).collect::<Vec<_>>();
    assert_eq!(shown("person"), ["Ada", "Build agent", "Bob"]);
    assert_eq!(shown("role"), ["admin", "reader", "writer"]);
    assert_eq!(shown("expires"), [json!(null), json!("2027-02-19T12:00:00Z"), json!("2026-12-01T00:00:00Z")]);
    assert!(tokens.iter().all(|token| token.get("hash").is_none() && token.get("token").is_none()));
    let id = tokens[0]["id"].as_str().unwrap();
    let revoked = sandbox.cm(&["token", "revoke", &id[..7]]).ok().stdout;
    assert_eq!(revoked, format!("revoked {id} of Ada\n"));
    let later = sandbox.run(&["token", "list"]).env("CM_NOW", "2026-12-02").go().ok().stdout;
    let words: Vec<Vec<&str>> = later.lines().map(|line| line.split_whitespace().collect()).collect();
    let state: Vec<&str> = words.iter().map(|words| words[3]).collect();
    assert_eq!(state, ["revoked", "live", "expired"], "{later}");
    assert!(words.iter().all(|words| words[2] == "agent"), "{later}");
    assert!(later.contains("revoked 2026-11-21") && later.contains("until 2027-02-19"), "{later}");
}

#[test]
fn what_cannot_be_a_token_is_refused_and_nothing_is_written() {
    let sandbox = vault_of("");
    for (words, code) in [
        (&["add", " "][..], 2),
        (&["add", "Ada\nCm-Actor: root"], 2),
        (&["add", "Ada", "--role", "owner"], 2),
        (&["add", "Ada", "--expires", "2026-11-20"], 2),
        (&["add", "Ada", "--expires", "soon"], 2),
        (&["add", "Ada", "--expires", "yesterday"], 2),
        (&["revoke", "Ada"], 4),
        (&["revoke", ""], 4),
    ] {
        let ran = sandbox.cm(&[&["token"], words].concat());
        assert_eq!(ran.code, code, "{words:?}\n{}", ran.snapshot());
    }
    assert!(!sandbox.private("tokens.toml").exists());
    assert_eq!(Sandbox::new().cm(&["token", "list"]).code, 3);
}

#[test]
fn a_damaged_file_is_not_written_over_and_the_doctor_says_so() {
    let sandbox = vault_of("");
    add(&sandbox, &["Ada"]);
    let tokens = || {
        let checks = sandbox.cm(&["doctor", "--json"]).json()["checks"].clone();
        checks.as_array().unwrap().iter().find(|check| check["name"] == "tokens").unwrap().clone()
    };
    assert_eq!((&tokens()["health"], &tokens()["message"]), (&json!("ok"), &json!("1 token")));
    sandbox.open_vault().write_private("tokens.toml", "[[token]]\nid = [\n").unwrap();
    for words in [&["add", "Bob"][..], &["list"], &["revoke", "Ada"]] {
        let ran = sandbox.cm(&[&["token"], words].concat());
        assert_eq!(ran.code, 5, "{}", ran.snapshot());
        assert!(ran.stderr.contains("cannot read the tokens"), "{}", ran.snapshot());
    }
    assert_eq!(sandbox.read_private("tokens.toml"), "[[token]]\nid = [\n");
    assert_eq!(tokens()["health"], "fail");
}

#[test]
fn whoever_adds_tokens_at_once_loses_none() {
    let sandbox = vault_of("");
    std::thread::scope(|scope| {
        for person in ["Ada", "Bob", "Cem", "Dee"] {
            let sandbox = &sandbox;
            scope.spawn(move || add(sandbox, &[person]));
        }
    });
    assert_eq!(sandbox.cm(&["token", "list", "--json"]).ok().json()["tokens"].as_array().unwrap().len(), 4);
}

#[test]
fn the_log_shows_what_a_persons_tokens_were_used_for() {
    let sandbox = vault_of("");
    let id = |person: &str| {
        let made = sandbox.cm(&["token", "add", person, "--json"]).ok().json();
        made["record"]["id"].as_str().unwrap().to_owned()
    };
    let (ada, bob) = (id("Ada"), id("Bob"));
    insta::assert_snapshot!(sandbox.cm(&["token", "log"]).snapshot(), @"
    no requests to the server are recorded
    [exit 0]
    ");
    let line = |at: &str, token: &str, person: &str, operation: &str, more: &str| {
        format!(
            "{{\"at\":\"{at}\",\"surface\":\"http\",\"operation\":\"{operation}\",\"token\":\"{token}\",\
             \"person\":\"{person}\",\"agent\":\"codex\"{more},\"outcome\":\"done\"}}\n"
        )
    };
    let log = [
        line(
            "2026-11-01T08:00:00Z",
            &ada,
            "Ada",
            "memory_search",
            ",\"query\":\"0123456789abcdef\",\"ids\":[\"n1\"]",
        ),
        line("2026-11-20T08:00:00Z", &bob, "Bob", "observe", ",\"ids\":[\"n2\"]"),
        line("2026-11-20T09:00:00Z", &ada, "Ada", "memory_recent", ""),
    ];
    std::fs::write(sandbox.private("audit.jsonl"), log.concat()).unwrap();
    let shown = |words: &[&str]| {
        let ran = sandbox.cm(&[&["token", "log"], words].concat()).ok().stdout;
        ran.replace(&ada, "[ada]").replace(&bob, "[bob]")
    };
    let all = shown(&["Ada"]);
    assert!(all.contains("Ada ([ada])") && all.contains("query 0123456789abcdef n1"), "{all}");
    assert!(!all.contains("observe") && all.lines().count() == 2, "{all}");
    assert_eq!(shown(&["--since", "2026-11-10"]).lines().count(), 2);
    assert!(shown(&["--limit", "1"]).contains("2 earlier requests"));
    assert_eq!(sandbox.cm(&["token", "log", "Cy"]).code, 4);
}

#[test]
fn a_token_is_revoked_once() {
    let sandbox = vault_of("");
    add(&sandbox, &["Zed"]);
    sandbox.cm(&["token", "revoke", "Zed"]).ok();
    let again = sandbox.cm(&["token", "revoke", "Zed"]);
    assert!(again.code == 8 && again.stderr.contains("already revoked"), "{}", again.snapshot());
}
