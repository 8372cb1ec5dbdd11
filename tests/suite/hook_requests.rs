//! Hooks that ask the agent to record something, or that let the agent's own command read a session:
//! long prompts, refused and failed calls, and the end of a session (`hooks.reflect`).

use std::fs;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Sandbox, SessionLine, talk, vault_of};

const SESSION: &str = "5b1d2c3e-0000-4000-8000-000000000001";
const EARLIER: &str = "6b1d2c3e-0000-4000-8000-000000000002";
const WORDS: &str = "no. from now on we always use pnpm here, never npm";
const TASK: &str = "Please add a date picker to the export page of the shop and show the two dates above the table. \
    Then run the tests, mend what fails, and show me the result when you are done with it. ";

fn shop() -> Sandbox {
    let sandbox =
        vault_of("--- .mcp.json\n{\"mcpServers\": {\"cm\": {\"command\": \"cm\", \"args\": [\"mcp\"]}}}\n");
    sandbox.cm(&["reindex"]).ok();
    sandbox
}

/// The message of an event of Claude Code, which names the log of the session.
fn message(sandbox: &Sandbox, event: &str, more: &Value) -> Value {
    let log = sandbox.vault().join(format!("../home/.claude/projects/-home-dev-demo/{SESSION}.jsonl"));
    let mut message = json!({
        "session_id": SESSION, "cwd": sandbox.vault(), "hook_event_name": event,
        "transcript_path": log.canonicalize().unwrap_or(log),
    });
    message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    message
}

fn prompt(sandbox: &Sandbox, words: &str) -> String {
    let message = message(sandbox, "UserPromptSubmit", &json!({"prompt": words}));
    sandbox.run(&["hook", "claude", "prompt"]).stdin(message.to_string()).go().ok().stdout
}

fn stop(sandbox: &Sandbox, more: &Value) -> String {
    let message = message(sandbox, "Stop", more);
    sandbox.run(&["hook", "claude", "stop"]).stdin(message.to_string()).go().ok().stdout
}

/// A session in which the agent ran npm; the person types the next prompt in the test.
fn working(sandbox: &Sandbox) {
    let lines = [
        SessionLine::Person("Add a date picker."),
        SessionLine::Ran("npm install picker", "added 12 packages"),
    ];
    talk(sandbox, SESSION, 8, &lines);
}

/// Waits until a background process has made `text` part of the signals.
fn signals_with(sandbox: &Sandbox, text: &str) -> String {
    let read = || fs::read_to_string(sandbox.private("signals.jsonl")).unwrap_or_default();
    awaited(|| read().contains(text));
    read()
}

fn awaited(is_done: impl Fn() -> bool) {
    for _ in 0..1_200 {
        if is_done() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("the background process did not finish its work");
}

#[test]
fn a_long_prompt_is_judged_in_the_background_and_asked_about_at_the_next_prompt() {
    let sandbox = shop();
    working(&sandbox);
    assert_eq!(prompt(&sandbox, &format!("{TASK}From now on we always use pnpm here, never npm.")), "");
    let signals = signals_with(&sandbox, "long_prompt");
    assert!(signals.contains("always use pnpm") && !signals.contains("date picker"), "{signals}");
    let asked = prompt(&sandbox, "now do the same for the import page");
    assert!(asked.contains(r#"If \"From now on we always use pnpm here"#), "{asked}");
    assert!(asked.contains("memory_propose") && asked.contains("5b1d2c3e"), "{asked}");
    assert_eq!(prompt(&sandbox, "now do the same for the start page"), "", "it is asked once");
    let quote = "From now on we always use pnpm here, never npm.";
    let proposed = ["propose", "Use pnpm, never npm.", "--quote", quote, "--session", SESSION, "--json"];
    let answer = sandbox.cm(&proposed).ok().json();
    assert_eq!(answer["state"], "active", "what the background process saw is a typed word: {answer:#}");
}

#[test]
fn a_long_prompt_without_sentence_ends_is_judged_too() {
    let sandbox = shop();
    working(&sandbox);
    let task = "so the picker should open when I click on the field and close again when I press escape and then the \
        dates should be shown above the table with the name of the month ";
    let token = format!("ghp_{}", "R7kQ2mZ9xT4vB8nL1cW6yH3jF5pD0sGaEuIo");
    let rule = format!("and from now on we always use pnpm with {token} in this repository and never npm");
    let words = format!("{}{rule} {task}", task.repeat(4));
    assert!(words.len() > 600, "a sentence of this length is left out of diaries");
    assert_eq!(prompt(&sandbox, &words), "");
    let signals = signals_with(&sandbox, "long_prompt");
    assert!(signals.contains("always use pnpm") && !signals.contains(&token), "without secrets: {signals}");
    assert!(prompt(&sandbox, "now do the same for the import page").contains("memory_propose"));
}

#[test]
fn what_is_still_unasked_is_part_of_the_request_at_the_end() {
    let sandbox = shop();
    working(&sandbox);
    prompt(&sandbox, &format!("{TASK}From now on we always use pnpm here, never npm."));
    signals_with(&sandbox, "long_prompt");
    let asked: Value = serde_json::from_str(&stop(&sandbox, &json!({}))).unwrap();
    assert!(asked["reason"].as_str().unwrap().contains("- \"From now on we always use pnpm here"), "{asked}");
    assert_eq!(prompt(&sandbox, "now do the same for the import page"), "", "it was asked at the end");
}

#[test]
fn a_refused_call_is_asked_about_at_the_prompt_that_answers_it() {
    let sandbox = shop();
    talk(
        &sandbox,
        SESSION,
        8,
        &[SessionLine::Person("Clean up."), SessionLine::Refused("rm -rf build cache")],
    );
    let words = "we never delete build by hand here, always use `make clean`";
    let asked = prompt(&sandbox, words);
    assert!(asked.contains("the refusal of `rm -rf build cache`") && asked.contains("answers"), "{asked}");
    let propose = |text: &str, answers: &str| {
        let arguments =
            ["propose", text, "--quote", words, "--session", SESSION, "--answers", answers, "--json"];
        sandbox.cm(&arguments).ok().json()
    };
    let answer = propose("Never run `rm -rf build cache`; always use `make clean`.", "rm -rf build cache");
    assert_eq!(answer["state"], "active", "the object stands in the refused call: {answer:#}");
    let answer = propose("Never run `terraform destroy`; always use `make clean`.", "terraform destroy");
    assert_eq!(answer["state"], "draft", "no such call was refused: {answer:#}");
}

#[test]
fn a_failure_that_ended_is_asked_about_at_the_next_prompt_once() {
    let sandbox = shop();
    let lines = [
        SessionLine::Person("Run the integration tests."),
        SessionLine::Ran("pnpm test:int", "Exit code 1\nconnect ECONNREFUSED 127.0.0.1:5432"),
        SessionLine::Ran("docker compose up -d db", "started"),
        SessionLine::Ran("pnpm test:int", "12 passed"),
    ];
    talk(&sandbox, SESSION, 8, &lines);
    let asked = prompt(&sandbox, "now do the same for the import page");
    assert!(asked.contains("what fixed `pnpm test:int`") && asked.contains("answers"), "{asked}");
    assert_eq!(prompt(&sandbox, "and for the start page"), "");
}

#[test]
fn at_the_end_an_interactive_session_is_asked_once_about_what_is_unread() {
    let sandbox = shop();
    working(&sandbox);
    assert_eq!(stop(&sandbox, &json!({})), "", "nothing is unread");
    prompt(&sandbox, WORDS);
    assert_eq!(stop(&sandbox, &json!({"stop_hook_active": true})), "", "a hook made it go on");
    let asked: Value = serde_json::from_str(&stop(&sandbox, &json!({}))).unwrap();
    let reason = asked["reason"].as_str().unwrap();
    assert_eq!(asked["decision"], "block");
    assert!(reason.contains(WORDS) && reason.contains("memory_propose"), "{reason}");
    assert_eq!(stop(&sandbox, &json!({})), "", "it is asked once");
}

#[test]
fn a_session_that_is_recorded_off_without_means_or_without_a_person_is_not_asked() {
    let asked = |arrange: &dyn Fn(&Sandbox)| {
        let sandbox = shop();
        working(&sandbox);
        prompt(&sandbox, WORDS);
        arrange(&sandbox);
        stop(&sandbox, &json!({}))
    };
    assert!(asked(&|_| {}).contains("memory_propose"));
    assert_eq!(asked(&|sandbox| sandbox.settings("[hooks]\nreflect = \"off\"\n")), "");
    assert_eq!(asked(&|sandbox| sandbox.settings("[hooks]\npropose = false\n")), "");
    assert_eq!(asked(&|sandbox| fs::remove_file(sandbox.vault().join(".mcp.json")).unwrap()), "");
    let recorded = |sandbox: &Sandbox| {
        let quote = "from now on we always use pnpm here, never npm";
        let arguments = ["propose", "Use pnpm, never npm.", "--quote", quote, "--session", SESSION];
        sandbox.cm(&arguments).ok();
    };
    assert_eq!(asked(&recorded), "", "it is recorded");
    let headless = |sandbox: &Sandbox| {
        let log = format!("../home/.claude/projects/-home-dev-demo/{SESSION}.jsonl");
        let text =
            sandbox.read(&log).replace("\"isSidechain\"", "\"entrypoint\":\"sdk-cli\",\"isSidechain\"");
        sandbox.write(&log, text);
    };
    assert_eq!(asked(&headless), "", "nobody types its prompts");
}

/// Runs the hook at the end of the session with a command `claude` on the path, which writes its
/// input to a file and answers with a fact.
#[cfg(unix)]
fn end_with_agent(sandbox: &Sandbox) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = sandbox.root().join("bin");
    fs::create_dir_all(&folder).unwrap();
    let (program, input) = (folder.join("claude"), folder.join("input"));
    let fact = json!({"type": "fact", "content": "Packages are installed with pnpm.", "line": 4, "quote": "we always use pnpm here"});
    let answer = json!({"deltas": [fact]});
    let script = format!("#!/bin/sh\ncat > {0}.part\nmv {0}.part {0}\necho '{answer}'\n", input.display());
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let message = message(sandbox, "SessionEnd", &json!({"reason": "other"})).to_string();
    sandbox.run(&["hook", "claude", "session-end"]).env("PATH", &path).stdin(message).go().ok();
    input
}

#[cfg(unix)]
fn facts(sandbox: &Sandbox) -> String {
    sandbox.cm(&["search", "packages installed pnpm", "--type", "fact", "--json"]).stdout
}

#[cfg(unix)]
#[test]
fn in_the_background_the_agents_own_command_reads_the_session_beside_reflect_auto() {
    let sandbox = shop();
    sandbox.settings("[hooks]\nreflect = \"background\"\n[reflect]\nauto = true\nnative = false\n");
    let earlier =
        [SessionLine::Person("Mend the test."), SessionLine::Ran("cargo test", "test result: ok. 1 passed")];
    talk(&sandbox, EARLIER, 7, &earlier);
    working(&sandbox);
    prompt(&sandbox, WORDS);
    let lines = [
        SessionLine::Person("Add a date picker."),
        SessionLine::Ran("npm install picker", "added 12 packages"),
        SessionLine::Person(WORDS),
        SessionLine::Agent("Understood."),
    ];
    talk(&sandbox, SESSION, 8, &lines);
    assert_eq!(stop(&sandbox, &json!({})), "", "the agent is not asked");
    let input = end_with_agent(&sandbox);
    awaited(|| fs::read_to_string(sandbox.private("reflected.jsonl")).unwrap_or_default().contains(EARLIER));
    assert!(fs::read_to_string(&input).unwrap().contains("always use pnpm here"), "it gets the work package");
    assert!(facts(&sandbox).contains("Packages are installed with pnpm"), "its answer is learned");
    fs::remove_file(&input).unwrap();
    end_with_agent(&sandbox);
    awaited(|| fs::read_to_string(sandbox.private("reads.jsonl")).is_ok());
    assert!(!input.exists(), "nothing is unread, and no agent is started");
}

#[cfg(unix)]
#[test]
fn no_agent_is_started_where_that_is_off_or_a_shared_file_wants_it() {
    for (own, shared) in [("[hooks]\nreflect = \"off\"\n", ""), ("", "[hooks]\nreflect = \"background\"\n")] {
        let sandbox = shop();
        sandbox.settings(own);
        sandbox.write("cm.toml", shared);
        working(&sandbox);
        prompt(&sandbox, WORDS);
        let input = end_with_agent(&sandbox);
        awaited(|| sandbox.vault().join("_index/sessions").exists());
        assert!(!input.exists());
    }
}
