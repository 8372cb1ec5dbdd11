//! `cm diary`

use serde_json::json;

use crate::support::{Sandbox, SessionLine, everything, scripted, talk, vault_of};

const SESSION: &str = "aaaaaaaa-0000-4000-8000-000000000001";

/// Creates a vault and a session in which a test was fixed.
fn mended(more: &[SessionLine<'_>]) -> Sandbox {
    let sandbox = vault_of("");
    tell(&sandbox, more);
    sandbox
}

fn tell(sandbox: &Sandbox, more: &[SessionLine<'_>]) {
    let mut said = vec![
        SessionLine::Person("The test of the tide table fails, please mend it."),
        SessionLine::Ran("cargo test", "Exit code 101\ntest tide ... FAILED"),
        SessionLine::Agent("The table is read in local time. I will read it in UTC."),
        SessionLine::Ran("cargo test", "test result: ok. 12 passed"),
        SessionLine::Person("From now on, always run the tests before you commit."),
    ];
    said.extend(more.iter().map(|one| match one {
        SessionLine::Person(text) => SessionLine::Person(text),
        SessionLine::Agent(text) => SessionLine::Agent(text),
        SessionLine::Ran(command, printed) => SessionLine::Ran(command, printed),
        SessionLine::Refused(command) => SessionLine::Refused(command),
    }));
    talk(sandbox, SESSION, 10, &said);
}

fn diaries(sandbox: &Sandbox) -> Vec<String> {
    let all = everything(&sandbox.vault().join("diary"));
    all.into_keys().collect()
}

#[test]
fn a_session_becomes_a_note_and_one_commit() {
    let sandbox = mended(&[]);
    insta::assert_snapshot!(sandbox.cm(&["diary", "aaaaaaaa"]).snapshot(), @"
    diary/the-test-of-the-tide-table-fails-please-mend-it-0f641d.md  commit [COMMIT]

    # The test of the tide table fails, please mend it.

    Extracted from the log without a model.

    Outcome: success
    - for: `cargo test` passed when it was last run (line 6)

    ## Preferences

    - Always run the tests before you commit. (person, standing, line 7)

    ## Commands

    - cargo test (line 2)
    [exit 0]
    ");
    assert_eq!(diaries(&sandbox).len(), 1);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    insta::assert_snapshot!(sandbox.git(&["log", "-1", "--format=%B"]), @r#"
    Write the diary "The test of the tide table fails, please mend it."

    Cm-Op: diary
    Cm-Id: 0f641d438e851c5251d741beaa0138b8
    Cm-Session: aaaaaaaa-0000-4000-8000-000000000001
    Cm-Agent: claude-code
    Cm-Operation: b3e0f40b5f8848cfa247ff2d7d33700e
    "#);
    sandbox.cm(&["validate"]).ok();
    let shown = sandbox.cm(&["sessions", "show", "aaaaaaaa", "--json"]).ok().json();
    assert_eq!(shown["diary"], json!(format!("diary/{}", diaries(&sandbox)[0])));
}

#[test]
fn a_session_is_found_by_the_path_of_its_log() {
    let sandbox = mended(&[]);
    let by_id = sandbox.cm(&["diary", SESSION, "--dry-run", "--json"]).ok().json();
    let log = format!("projects/-home-dev-demo/{SESSION}.jsonl");
    let by_path = sandbox.cm(&["diary", &log, "--dry-run", "--json"]).ok().json();
    assert_eq!(by_path["id"], by_id["id"]);
    assert_eq!(sandbox.cm(&["diary", "./elsewhere/none.jsonl"]).code, 4);
}

#[test]
fn a_log_that_is_not_indexed_has_a_diary_too() {
    let sandbox = mended(&[]);
    let log = format!("../home/.claude/projects/-home-dev-demo/{SESSION}.jsonl");
    sandbox.write("../elsewhere/session.jsonl", sandbox.read(&log));
    std::fs::remove_file(sandbox.vault().join(&log)).unwrap();
    let written = sandbox.cm(&["diary", "../elsewhere/session.jsonl", "--json"]).ok().json();
    assert_eq!((&written["session"], &written["status"]), (&json!(SESSION), &json!("success")));
    assert!(sandbox.read(written["path"].as_str().unwrap()).contains("Always run the tests"));
    sandbox.write("../elsewhere/notes.jsonl", "{\"text\": \"no session\"}\n");
    assert_eq!(sandbox.cm(&["diary", "../elsewhere/notes.jsonl"]).code, 4);
    sandbox.reads_its_project();
    let refused = sandbox.cm(&["diary", "../elsewhere/session.jsonl"]);
    assert!(
        refused.code == 5 && refused.stderr.contains("cm privacy"),
        "another project: {}",
        refused.snapshot()
    );
}

/// A Codex session with one prompt, on this day of November 2026.
fn codex(sandbox: &Sandbox, id: &str, day: usize, folder: &str, prompt: &str) {
    let at = format!("2026-11-{day:02}T10:00:00Z");
    let payload = json!({"id": id, "timestamp": at, "cwd": folder, "originator": "codex_cli_rs"});
    let meta = json!({"timestamp": at, "type": "session_meta", "payload": payload});
    let payload = json!({"type": "user_message", "message": prompt});
    let said = json!({"timestamp": at, "type": "event_msg", "payload": payload});
    let file =
        format!("../home/.codex/sessions/2026/11/{day:02}/rollout-2026-11-{day:02}T10-00-00-{id}.jsonl");
    sandbox.write(&file, format!("{meta}\n{said}\n"));
}

#[test]
fn sessions_of_other_agents_on_the_same_subject_are_listed_where_that_is_allowed() {
    let sandbox = mended(&[]);
    let id = |number: usize| format!("0199aaaa-0000-7000-8000-00000000000{number}");
    codex(&sandbox, &id(1), 10, "/home/dev/demo", "mend the test of the tide table");
    codex(&sandbox, &id(2), 19, "/home/dev/demo", "the test of the tide table fails again");
    codex(&sandbox, &id(3), 19, "/home/dev/demo", "change the colour of the login button");
    codex(&sandbox, &id(4), 19, "/home/dev/other", "the test of the tide table fails here too");
    let plain = sandbox.cm(&["diary", SESSION, "--dry-run", "--json"]).ok().json();
    assert!(!plain["text"].as_str().unwrap().contains("related_sessions"), "{plain:#}");
    let refused = sandbox.cm(&["diary", SESSION, "--enrich"]);
    assert!(
        refused.code == 5 && refused.stderr.contains("sessions.cross_agent true --private"),
        "{}",
        refused.snapshot()
    );
    sandbox.settings("[sessions]\ncross_agent = true\n");
    let path = sandbox.cm(&["diary", SESSION, "--enrich", "--json"]).ok().json()["path"].clone();
    let note = sandbox.read(path.as_str().unwrap());
    let place = |number: usize| note.find(&id(number));
    assert!(place(2) < place(1) && place(2).is_some(), "the nearest in time is first: {note}");
    assert!(place(3).is_none() && place(4).is_none(), "another subject, another project: {note}");
    assert!(note.contains("agent: codex") && note.contains("the tide table fails again"), "{note}");
    assert!(note.contains("2026-11-19"), "{note}");
    sandbox.cm(&["validate"]).ok();
    sandbox.cm(&["reflect", "--again", "--days", "0"]).ok();
    assert!(sandbox.read(path.as_str().unwrap()).contains(&id(2)), "reflection lists them as well");
}

#[test]
fn the_same_session_has_one_diary_which_is_renewed_when_it_goes_on() {
    let sandbox = mended(&[]);
    sandbox.cm(&["diary", "aaaaaaaa"]).ok();
    let before = sandbox.git(&["rev-parse", "HEAD"]);
    let again = sandbox.cm(&["diary", "aaaaaaaa", "--json"]).ok().json();
    assert_eq!((&again["changed"], sandbox.git(&["rev-parse", "HEAD"])), (&json!(false), before));
    let path = again["path"].as_str().unwrap().to_owned();
    let note = sandbox.read(&path);
    sandbox.write(&path, note.replace("## Preferences\n", "## Preferences\n\n- Ask Ada first."));
    sandbox.commit_all("My own words");
    tell(&sandbox, &[SessionLine::Person("Never push to main on a Friday.")]);
    let renewed = sandbox.cm(&["diary", "aaaaaaaa", "--json"]).ok().json();
    assert_eq!(
        (&renewed["changed"], &renewed["id"], &renewed["path"]),
        (&json!(true), &again["id"], &json!(path))
    );
    assert_eq!(diaries(&sandbox).len(), 1);
    let note = sandbox.read(&path);
    assert!(note.contains("ever push to main on a Friday") && note.contains("- Ask Ada first."), "{note}");
    sandbox.write(&path, note.replace("- Ask Ada first.", "- Ask Ada first.\n- Not committed yet."));
    tell(&sandbox, &[SessionLine::Person("Never push to main on a Sunday.")]);
    let refused = sandbox.cm(&["diary", "aaaaaaaa"]);
    assert!(
        refused.code == 5 && sandbox.read(&path).contains("Not committed yet."),
        "{}",
        refused.snapshot()
    );
}

#[test]
fn a_dry_run_says_what_it_would_say_and_writes_no_note() {
    let sandbox = mended(&[]);
    let ran = sandbox.cm(&["diary", "aaaaaaaa", "--dry-run", "--json"]).ok().json();
    assert!(
        ran["text"].as_str().unwrap().contains("Always run the tests") && ran["commit"].is_null(),
        "{ran}"
    );
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    assert!(!sandbox.vault().join("diary").exists());
}

#[test]
fn a_model_writes_the_diary_as_far_as_the_session_bears_it() {
    let sandbox = mended(&[]);
    let quoted = json!({"text": "The tide table was read in local time.", "line": 4, "quote": "The table is read in local time"});
    let made_up =
        json!({"text": "The moon is made of cheese.", "line": 4, "quote": "the moon is made of cheese"});
    let elsewhere = json!({"text": "The tests must run first.", "line": 9999, "quote": "always run the tests before you commit"});
    let answer = json!({"status": "failure", "key_learnings": [quoted, made_up], "preferences": [elsewhere]});
    scripted(&sandbox, "", &[json!({"answer": answer, "tokens": [900, 80]})]);
    let ran = sandbox.cm(&["diary", "aaaaaaaa", "--json"]).ok().json();
    assert_eq!(
        (&ran["made"], &ran["model"], &ran["refused"]),
        (&json!("model"), &json!("script"), &json!(1))
    );
    let text = ran["text"].as_str().unwrap();
    assert!(
        text.contains("(agent, line 4)") && text.contains("(person, line 7)"),
        "the line is the log's own:\n{text}"
    );
    assert!(!text.contains("cheese"), "{text}");
    let ledger = sandbox.read_private("models.jsonl");
    assert!(ledger.lines().count() == 1 && ledger.contains("\"input\":900"), "{ledger}");
    let without = sandbox.cm(&["diary", "aaaaaaaa", "--no-model", "--json"]).ok().json();
    assert_eq!(without["made"], "rules");
}

#[test]
fn a_bad_answer_is_put_right_once_and_after_that_rules_do_it() {
    let sandbox = mended(&[]);
    let good = json!({"status": "success", "key_learnings": [
        {"text": "It is read in UTC.", "line": 4, "quote": "I will read it in UTC"}]});
    scripted(&sandbox, "", &[json!({"answer": "I would rather not."}), json!({"answer": good})]);
    let ran = sandbox.cm(&["diary", "aaaaaaaa", "--dry-run", "--json"]).ok().json();
    assert_eq!(ran["made"], "model");
    scripted(
        &sandbox,
        "",
        &[json!({"answer": "I would rather not."}), json!({"answer": {"status": "great"}})],
    );
    let ran = sandbox.cm(&["diary", "aaaaaaaa", "--json"]).ok().json();
    assert_eq!((&ran["made"], &ran["model"]), (&json!("rules_instead"), &json!(null)));
    assert!(ran["why"].as_str().unwrap().contains("is not usable"), "{ran}");
    let note = sandbox.read(ran["path"].as_str().unwrap());
    assert!(
        note.contains("because the model's answer was not usable") && note.contains("Always run the tests"),
        "{note}"
    );
}

#[test]
fn a_model_that_does_not_answer_leaves_nothing_behind() {
    let sandbox = mended(&[]);
    let before = sandbox.git(&["rev-parse", "HEAD"]);
    sandbox.settings("[llm]\nprovider = \"cli\"\ncommand = \"sleep 60\"\ntimeout_s = 1.0\n");
    insta::assert_snapshot!(sandbox.cm(&["diary", "aaaaaaaa"]).snapshot(), @"
    [stderr]
    error: `sleep` did not answer within 1s
     hint: raise `llm.timeout_s` or choose a faster model; or do not use a model: `--no-model`
    [exit 7]
    ");
    scripted(&sandbox, "", &[json!({"error": "it is asleep"})]);
    let ran = sandbox.cm(&["diary", "aaaaaaaa"]);
    assert!(ran.code == 7 && ran.stderr.contains("asleep"), "{}", ran.snapshot());
    assert_eq!(sandbox.git(&["rev-parse", "HEAD"]), before);
    assert!(!sandbox.vault().join("diary").exists());
}

#[test]
fn a_model_that_may_cost_something_wants_a_budget_which_is_held() {
    let sandbox = mended(&[]);
    sandbox.settings("[llm]\nprovider = \"openai\"\nmodel = \"gpt-5-mini\"\nkey = \"k-12345\"\n");
    insta::assert_snapshot!(sandbox.cm(&["diary", "aaaaaaaa"]).snapshot(), @"
    [stderr]
    error: openai/gpt-5-mini may cost money, and no budget is set
     hint: run `cm config set budget.daily_usd 1 --private`, or set `budget.daily_tokens`
    [exit 5]
    ");
    scripted(&sandbox, "[budget]\ndaily_tokens = 100\n", &[json!({"answer": {"status": "success"}})]);
    let ran = sandbox.cm(&["diary", "aaaaaaaa"]);
    assert!(ran.code == 5 && ran.stderr.contains("budget.daily_tokens"), "{}", ran.snapshot());
}

#[test]
fn no_file_of_a_vault_names_a_model() {
    let sandbox = mended(&[]);
    sandbox.write("../script.jsonl", "{\"answer\": {\"status\": \"success\"}}\n");
    sandbox.write("cm.toml", "[llm]\nprovider = \"scripted\"\nscript = \"../script.jsonl\"\n");
    let ran = sandbox.cm(&["diary", "aaaaaaaa", "--dry-run", "--json"]).ok();
    assert_eq!(ran.json()["made"], "rules");
    assert!(ran.stderr.contains("`llm.provider` is ignored in cm.toml"), "{}", ran.stderr);
    sandbox.write("cm.toml", "");
    let global = sandbox.root().join("global");
    sandbox.write("../global/cm.toml", "[llm]\nprovider = \"scripted\"\nscript = \"../script.jsonl\"\n");
    let ran = sandbox.run(&["diary", "aaaaaaaa", "--dry-run", "--json"]);
    let ran = ran.env("CM_GLOBAL_VAULT", &global.to_string_lossy()).go().ok();
    assert_eq!(ran.json()["made"], "rules");
}

#[test]
fn a_session_that_tells_nothing_or_is_not_there_is_said_so() {
    let sandbox = vault_of("");
    talk(&sandbox, SESSION, 10, &[SessionLine::Person("hi")]);
    insta::assert_snapshot!(sandbox.cm(&["diary", "aaaaaaaa"]).snapshot(), @"
    [stderr]
    error: the session aaaaaaaa-0000-4000-8000-000000000001 has nothing worth a diary
     hint: `cm sessions show` shows the session
    [exit 8]
    ");
    insta::assert_snapshot!(sandbox.cm(&["diary", "bbbb"]).snapshot(), @"
    [stderr]
    error: session `bbbb` not found
     hint: `cm sessions --days 0` lists all sessions
    [exit 4]
    ");
}

#[test]
fn a_diary_is_found_by_the_error_that_its_session_met() {
    let sandbox = mended(&[
        SessionLine::Person("Why does the import stop?"),
        SessionLine::Ran("./import", "Exit code 1\nQueuePoolTimeoutError: no connection in 30 s"),
        SessionLine::Agent("The pool is too small."),
    ]);
    sandbox.cm(&["diary", "aaaaaaaa"]).ok();
    let hits = sandbox.cm(&["search", "QueuePoolTimeoutError", "--json"]).ok().json();
    assert_eq!(hits["hits"][0]["kind"], json!("diary"), "{hits}");
}
