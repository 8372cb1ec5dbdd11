//! `cm hook` where the index or the vault cannot be used: no agent is interrupted.

use super::*;

#[test]
fn a_missing_index_is_written_down_and_nothing_is_told() {
    let sandbox = shop();
    fs::remove_dir_all(sandbox.vault().join("_index")).unwrap();
    for event in ["session-start", "prompt"] {
        assert_eq!(told(&sandbox, "claude", event).stdout, "");
        assert_eq!(told(&sandbox, "gemini", event).stdout, "{}\n");
    }
    assert!(!sandbox.vault().join("_index").exists(), "a hook builds no index");
    let log = failures(&sandbox);
    assert_eq!(log.lines().count(), 3, "a start asks nothing of Gemini: {log}");
    let last: Value = serde_json::from_str(log.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&last["agent"], &last["event"], &last["session"]),
        (&"gemini".into(), &"prompt".into(), &SESSION.into())
    );
    assert!(last["message"].as_str().unwrap().contains("index"), "{last}");
    let status = sandbox.cm(&["hooks", "status", "--json"]).ok().json();
    assert_eq!(status["failures"][0]["message"], last["message"]);
}

#[test]
fn a_damaged_index_is_left_as_it_is() {
    let sandbox = shop();
    for entry in walkdir(&sandbox.vault().join("_index")) {
        fs::write(entry, "damaged").unwrap();
    }
    assert_eq!(told(&sandbox, "claude", "prompt").stdout, "");
    assert_ne!(failures(&sandbox), "");
    assert!(
        walkdir(&sandbox.vault().join("_index")).iter().all(|file| fs::read(file).unwrap() == b"damaged")
    );
}

fn walkdir(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        match entry.path() {
            path if path.is_dir() => files.extend(walkdir(&path)),
            path => files.push(path),
        }
    }
    files
}

#[test]
fn an_unreadable_vault_is_written_down_and_nothing_is_told() {
    let sandbox = shop();
    sandbox.write("cm.toml", b"\xff\xfe");
    for event in ["session-start", "prompt", "stop"] {
        assert_eq!(told(&sandbox, "claude", event).stdout, "");
    }
    assert_eq!(failures(&sandbox).lines().count(), 3);
    // Even if the error cannot be logged, the agent gets no output.
    fs::remove_dir_all(sandbox.vault().join("_state")).unwrap();
    sandbox.write("_state", "a file where a folder should be");
    assert_eq!(told(&sandbox, "claude", "prompt").stdout, "");
}

#[test]
fn what_cannot_be_written_down_is_not_told_for_it_would_be_told_again() {
    let sandbox = shop();
    fs::remove_dir_all(sandbox.vault().join("_state/hooks")).ok();
    sandbox.write("_state/hooks", "a file where a folder should be");
    assert_eq!(told(&sandbox, "claude", "prompt").stdout, "");
    assert_eq!(failures(&sandbox).lines().count(), 1);
}

#[test]
fn a_locked_vault_keeps_no_agent_waiting() {
    let sandbox = shop();
    fs::create_dir_all(sandbox.vault().join("_state")).unwrap();
    let lock = fs::File::create(sandbox.vault().join("_state/lock")).unwrap();
    lock.lock().unwrap();
    for (count, event) in (1..).zip(["session-start", "prompt"]) {
        assert_eq!(told(&sandbox, "claude", event).stdout, "", "{event}");
        let failures = failures(&sandbox);
        assert!(failures.lines().count() == count && failures.contains("locked"), "{failures}");
    }
    assert!(told(&sandbox, "claude", "pre-tool").stdout.contains("deny"), "the guard waits for nobody");
    drop(lock);
    assert!(words(&told(&sandbox, "claude", "prompt")).contains("b-mt2ssunl-jq6d8j"));
}

#[test]
fn without_a_vault_a_hook_does_nothing_and_leaves_nothing() {
    let sandbox = Sandbox::new();
    for (agent, nothing) in [("claude", ""), ("cursor", "{}\n")] {
        for event in ["session-start", "prompt", "stop"] {
            assert_eq!(told(&sandbox, agent, event).stdout, nothing);
        }
    }
    assert_eq!(fs::read_dir(sandbox.vault()).unwrap().count(), 0);
}

#[test]
fn a_vault_that_is_named_is_named_from_where_the_hook_was_started() {
    let sandbox = shop();
    let message = recorded(&sandbox, "claude", "prompt");
    let elsewhere = message.replace("/vault\"", "/tmp\"");
    assert_ne!(message, elsewhere);
    let run = sandbox.run(&["--vault", "../vault", "hook", "claude", "prompt"]).within("../home");
    assert!(words(&run.stdin(elsewhere).go()).contains("b-mt2ssunl-jq6d8j"));
}

#[test]
fn no_arguments_and_no_message_break_an_agent() {
    let sandbox = shop();
    for (words, nothing) in [
        (&["claude", "no-such-event"] as &[&str], ""),
        (&["cursor", "no-such-event"], "{}\n"),
        (&["nobody"], ""),
        (&["--polite"], ""),
        (&["gemini", "prompt", "--polite"], "{}\n"),
        (&["claude", "prompt", "more", "words"], ""),
        (&[], ""),
    ] {
        assert_eq!(hooked(&sandbox, words, "{}").stdout, nothing, "{words:?}");
    }
    for stdin in [
        "",
        "no json",
        "[1]",
        "{\"prompt\": 7}",
        "{\"session_id\": \"../../x\", \"prompt\": \"upload test\"}",
    ] {
        hooked(&sandbox, &["claude", "prompt"], stdin);
    }
    let ran = sandbox.run(&["--now", "never", "hook", "cursor", "prompt"]).stdin("{}").go();
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "{}\n", ""));
    let help = sandbox.cm(&["hook", "--help"]);
    assert!(help.code == 0 && help.stdout.contains("session-start"));
}
