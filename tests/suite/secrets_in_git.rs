//! All content is checked before it is committed; a note with a secret blocks only that note.

use serde_json::Value;

use crate::support::{McpClient, Sandbox, vault_of};

const NOTE: &str = "graph/facts/deploy.md";

fn note(number: u32, body: &str) -> String {
    format!(
        "---\nid: a0a0a0a0-0000-4000-8000-{number:012}\ntype: fact\ntitle: Note {number}\n---\n\n{body}\n"
    )
}

/// Returns a made-up key, assembled at run time, so that scanners do not report this file.
fn key() -> String {
    ["AK", "IAEQ3KDFYSPSC5LKR4"].concat()
}

/// Creates three notes by hand; the second has a key in line 7.
fn three() -> Sandbox {
    let sandbox = vault_of("");
    for (number, body) in
        [(1, "First.".to_owned()), (2, format!("With {}.", key())), (3, "Third.".to_owned())]
    {
        sandbox.write(&format!("graph/facts/n{number}.md"), note(number, &body));
    }
    sandbox
}

/// Returns everything stored by Git: objects, reflogs and the index.
fn kept_by_git(sandbox: &Sandbox) -> String {
    let mut kept = sandbox.git(&["log", "--all", "--format=%an %ae %B", "--name-only"]);
    for object in sandbox.git(&["cat-file", "--batch-all-objects", "--batch-check"]).lines() {
        let (id, kind) = object.split_once(' ').unwrap();
        let kind = kind.split(' ').next().unwrap();
        kept += &sandbox.git(&["cat-file", if kind == "tree" { "-p" } else { kind }, id]);
    }
    kept += &sandbox.git(&["reflog", "--all"]);
    kept + &sandbox.git(&["ls-files", "--stage"])
}

#[test]
fn one_secret_stops_its_note_alone() {
    let sandbox = three();
    let ran = sandbox.cm(&["commit"]);
    assert_eq!(ran.code, 1, "{}", ran.snapshot());
    for shown in ["2 files", "graph/facts/n2.md:7  aws-access-key  fingerprint ", "cm:allow-secret"] {
        assert!(ran.stdout.contains(shown), "{shown}: {}", ran.snapshot());
    }
    let listed = sandbox.git(&["ls-files", "graph"]);
    assert_eq!(listed, "graph/facts/n1.md\ngraph/facts/n3.md\n");
    assert!(!kept_by_git(&sandbox).contains(&key()));
    let again = sandbox.cm(&["commit", "--json"]);
    assert_eq!(again.code, 5, "nothing else is left to commit: {}", again.snapshot());
    let outcome: Value = serde_json::from_str(&again.stdout).unwrap();
    let stopped = &outcome["stopped"][0];
    assert_eq!((&stopped["path"], &stopped["line"]), (&"graph/facts/n2.md".into(), &7.into()), "{outcome}");
    sandbox.write("graph/facts/n2.md", note(2, "With <key>."));
    sandbox.cm(&["commit"]).ok();
}

#[test]
fn a_person_allows_a_line_in_place_or_by_its_fingerprint() {
    let sandbox = three();
    sandbox.write("graph/facts/n2.md", note(2, &format!("With {}. <!-- cm:allow-secret -->", key())));
    sandbox.cm(&["commit"]).ok();
    let doctor = sandbox.cm(&["doctor"]);
    assert!(doctor.stdout.contains("none found; 1 allowed"), "{}", doctor.snapshot());

    sandbox.write("graph/facts/n3.md", note(3, &format!("Also {}.", key())));
    let ran = sandbox.cm(&["commit", "--json"]);
    let outcome: Value = serde_json::from_str(&ran.stdout).unwrap();
    let fingerprint = outcome["stopped"][0]["fingerprint"].as_str().unwrap();
    assert_eq!(fingerprint.len(), 16);
    sandbox.write("cm.toml", format!("[redaction]\nallow = [\"{fingerprint}\"]\n"));
    sandbox.cm(&["commit"]).ok();
    sandbox.cm(&["update", "Note 2", "--add-tag", "ops"]).ok();
}

#[test]
fn what_is_allowed_counts_for_no_command_agent_or_session() {
    let sandbox = three();
    let ran = sandbox.cm(&["commit", "--json"]);
    let outcome: Value = serde_json::from_str(&ran.stdout).unwrap();
    let fingerprint = outcome["stopped"][0]["fingerprint"].as_str().unwrap().to_owned();
    sandbox.write("cm.toml", format!("[redaction]\nallow = [\"{fingerprint}\"]\n"));
    sandbox.write("graph/facts/n2.md", note(2, &format!("With {}. cm:allow-secret", key())));
    let by_agent = sandbox.cm(&["commit", "--agent", "claude-code"]);
    assert_eq!(by_agent.code, 1, "{}", by_agent.snapshot());
    let body = format!("With {}. cm:allow-secret", key());
    assert_eq!(sandbox.cm(&["add", "--type", "fact", "--title", "By command", "--body", &body]).code, 5);
    sandbox.run(&["stash", "Raw"]).stdin(body).go().ok();
    let stashed = sandbox.cm(&["stash", "show", "Raw"]).ok().stdout;
    assert!(stashed.contains("cm:allow-secret") && !stashed.contains(&key()), "{stashed}");
    assert!(!kept_by_git(&sandbox).contains(&key()));
}

#[test]
fn no_field_of_a_command_brings_a_secret_into_git() {
    let sandbox = vault_of(&format!("--- {NOTE}\n{}", note(1, "By hand.")));
    let key = key();
    let said = format!("because of {key}");
    let add = ["add", "--type", "fact", "--body", "Plain."];
    let ways: Vec<Vec<&str>> = vec![
        [&add[..], &["--title", &said]].concat(),
        [&add[..], &["--title", "T", "--tags", &key]].concat(),
        [&add[..], &["--title", "T", "--set", &key]].concat(),
        [&add[..], &["--title", "T", "--reason", &said]].concat(),
        [&add[..], &["--title", "T", "--actor", &key]].concat(),
        [&add[..], &["--title", "T", "--agent", &key]].concat(),
        [&add[..], &["--title", "T", "--session", &key]].concat(),
        vec!["update", "Note 1", "--title", &said],
        vec!["update", "Note 1", "--add-tag", &key],
        vec!["update", "Note 1", "--add-tag", "ops", "--reason", &said],
        vec!["delete", "Note 1", "--reason", &said],
        vec!["pin", "Note 1", "--reason", &said],
        vec!["mark", "Note 1", "helpful", "--reason", &said],
        vec!["episode", &said],
        vec!["relate", "Note 1", "supports", &said],
        vec!["playbook", "add", "--category", "ops", &said],
        vec!["config", "set", "projects", &key],
    ];
    for way in &ways {
        let ran = sandbox.cm(way);
        assert_ne!(ran.code, 0, "{way:?}: {}", ran.snapshot());
    }
    for encoded in
        [hex(&key), key.chars().map(|c| format!("{c}\u{200b}")).collect(), key.replacen("EQ3", "**EQ3**", 1)]
    {
        let ran =
            sandbox.cm(&[&add[..], &["--title", "T", "--reason", &format!("because of {encoded}")]].concat());
        assert_eq!(ran.code, 5, "{encoded}: {}", ran.snapshot());
    }
    sandbox.write(NOTE, note(1, "Another."));
    assert_eq!(sandbox.cm(&["commit", "-m", &said]).code, 5);
    assert_eq!(sandbox.cm(&["commit", "--reason", &said]).code, 5);
    assert!(!kept_by_git(&sandbox).contains(&key));
    sandbox.cm(&["commit"]).ok();
}

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_file_name_with_a_secret_stays_out() {
    let sandbox = vault_of("");
    sandbox.write(&format!("graph/facts/{}.md", key()), note(1, "Plain."));
    sandbox.write("graph/facts/n2.md", note(2, "Plain."));
    let ran = sandbox.cm(&["commit"]);
    assert_eq!(ran.code, 1, "{}", ran.snapshot());
    assert!(
        ran.stdout.contains("graph/facts/[redacted: aws-access-key].md (its name)"),
        "{}",
        ran.snapshot()
    );
    assert!(!kept_by_git(&sandbox).contains(&key()));
}

#[test]
fn an_agent_over_mcp_brings_no_secret_into_git() {
    let sandbox = vault_of(&format!("--- {NOTE}\n{}", note(1, "By hand.")));
    let mut agent = McpClient::of(&sandbox);
    let said = format!("because of {}", key());
    for given in [
        serde_json::json!({"type": "fact", "title": said, "body": "Plain."}),
        serde_json::json!({"type": "fact", "title": "T", "body": said}),
        serde_json::json!({"type": "fact", "title": "T", "body": "Plain.", "tags": [key()]}),
        serde_json::json!({"type": "fact", "title": "T", "body": "Plain.", "reason": said}),
    ] {
        agent.call("memory_add", &given);
    }
    agent.leave();
    assert!(!kept_by_git(&sandbox).contains(&key()));
}

#[test]
fn an_import_leaves_the_notes_with_secrets_where_they_are() {
    let sandbox = vault_of("");
    sandbox.write("../old/plain.md", "# Plain\n\nOf no secret.\n");
    sandbox.write("../old/keys.md", format!("# Keys\n\nWith {}.\n", key()));
    let ran = sandbox.cm(&["import", "../old"]);
    assert_eq!(ran.code, 1, "{}", ran.snapshot());
    assert!(ran.stdout.contains("keys.md:3"), "{}", ran.snapshot());
    assert!(sandbox.git(&["ls-files"]).contains("plain.md"));
    assert!(!kept_by_git(&sandbox).contains(&key()));
}
