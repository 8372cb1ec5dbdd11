//! `cm sessions` with logs of all agents in the home folder.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Sandbox, everything, vault_of};

/// Log folder of each agent, relative to the home folder.
const LOGS: [(&str, &str); 11] = [
    ("claude_code", ".claude"),
    ("codex", ".codex"),
    ("cursor/User", ".config/Cursor/User"),
    ("cursor/projects", ".cursor/projects"),
    ("pi_agent", ".pi"),
    ("gemini", ".gemini"),
    ("opencode", ".local/share/opencode"),
    ("cline/globalStorage", ".config/Code/User/globalStorage"),
    ("amp/threads", ".local/share/amp/threads"),
    ("copilot_cli", ".copilot"),
    ("aider/demo", "../vault"),
];

const CLAUDE: &str = "../home/.claude/projects/-w/s1111111.jsonl";

fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let path = entry.unwrap().path();
            copy(&path, &to.join(path.file_name().unwrap()));
        }
    } else {
        fs::copy(from, to).unwrap();
    }
}

/// Creates a vault, and a home with a session of every agent except ChatGPT, and two of Aider.
fn all_agents() -> Sandbox {
    let sandbox = vault_of("");
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/sessions");
    for (from, to) in LOGS {
        copy(&golden.join(from), &sandbox.root().join("home").join(to));
    }
    sandbox
}

/// Returns a line of a Claude Code log with a message on 2026-11-20.
fn line(role: &str, text: &str) -> String {
    let message = json!({"role": role, "content": [{"type": "text", "text": text}]});
    let line = json!({
        "type": role, "sessionId": "s1111111", "cwd": "/w", "timestamp": "2026-11-20T10:00:00.000Z", "message": message
    });
    format!("{line}\n")
}

fn lines(of: &[(&str, &str)]) -> String {
    of.iter().map(|(role, text)| line(role, text)).collect()
}

/// Creates a vault, and a home with one Claude Code session.
fn one(log: &str) -> Sandbox {
    let sandbox = vault_of("");
    sandbox.write(CLAUDE, log);
    sandbox
}

fn append(sandbox: &Sandbox, text: &str) {
    let mut file = File::options().append(true).open(sandbox.vault().join(CLAUDE)).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

fn ids(answer: &Value) -> Vec<&str> {
    answer["sessions"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect()
}

fn said(answer: &Value) -> Vec<(u64, &str)> {
    let said = answer["said"].as_array().unwrap().iter();
    said.map(|one| (one["line"].as_u64().unwrap(), one["text"].as_str().unwrap())).collect()
}

#[test]
fn sessions_of_all_agents_are_listed_and_older_ones_are_counted() {
    let sandbox = all_agents();
    insta::assert_snapshot!(sandbox.cm(&["sessions"]).snapshot(), @"
    no sessions in the last 7 days; 12 sessions older: --days 0
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["sessions", "--days", "0", "--agent", "codex,claude-code,cursor,pi"]).snapshot(), @"
    33333333  pi           46 d  6 events  180 B  new  /home/dev/demo  Find migrations
    0199aaaa  codex        47 d  5 events  278 B  new  /home/dev/demo  Build failure
    22222222  cursor       47 d  4 events  169 B  new  /home/dev/demo  Rename store module
    11111111  claude-code  47 d  8 events  386 B  new  /home/dev/demo  Run the unit tests and fix the failing one.
    4 sessions
    [exit 0]
    ");
    let all = sandbox.cm(&["sessions", "--days", "0", "--json"]).ok().json();
    let mut agents: Vec<&str> =
        all["sessions"].as_array().unwrap().iter().map(|row| row["agent"].as_str().unwrap()).collect();
    agents.sort_unstable();
    agents.dedup();
    assert_eq!((agents.len(), &all["total"], &all["next"]), (10, &json!(12), &Value::Null));
    let here = sandbox.cm(&["sessions", "--days", "0", "--workspace", ".", "--json"]).ok().json();
    assert_eq!(here["total"], 2, "those of Aider, whose log lies in the project");
    let page =
        sandbox.cm(&["sessions", "--days", "0", "--limit", "5", "--offset", "10", "--json"]).ok().json();
    assert_eq!((ids(&page), &page["next"]), (ids(&all)[10..].to_vec(), &Value::Null));
    assert_eq!(sandbox.cm(&["sessions", "--days", "0", "-n", "5", "--json"]).ok().json()["next"], 5);
}

#[test]
fn reading_logs_changes_none_of_them_and_nothing_that_git_sees() {
    let sandbox = all_agents();
    sandbox.commit_all("Logs");
    // The log of reads is a private file and not an agent's log.
    let logs = || {
        let mut home = everything(&sandbox.root().join("home"));
        home.retain(|path, _| !path.starts_with(".local/state/cm/"));
        home
    };
    let home = logs();
    sandbox.cm(&["sessions", "--days", "0"]).ok();
    assert_eq!(logs(), home);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_session_is_shown_with_the_lines_of_its_log() {
    let sandbox = all_agents();
    insta::assert_snapshot!(sandbox.cm(&["sessions", "show", "11111111"]).snapshot(), @"
    11111111-aaaa-4bbb-8ccc-000000000001  Run the unit tests and fix the failing one.
    claude-code  /home/dev/demo  2026-10-05 09:00 to 2026-10-05 09:02  8 events, 386 B
        1  2026-10-05 09:00  person  Run the unit tests and fix the failing one.
        2  2026-10-05 09:00  agent   Running the tests.
        2  2026-10-05 09:00  tool    $ cargo test
        3  2026-10-05 09:00  tool    failed: assertion 'left == right' failed: decay_half_life
        4  2026-10-05 09:00  agent   All fixed: I deleted the failing test.
        5  2026-10-05 09:01  person  no, never delete tests. Fix src/decay.rs instead.
        6  2026-10-05 09:01  stop
        7  2026-10-05 09:02  summed  This session is being continued from a previous conversation. Summary: half-life bug in src/decay.rs; tests must not be deleted.
    [exit 0]
    ");
    let all = sandbox.cm(&["sessions", "show", "11111111", "--tools", "--json"]).ok().json();
    assert!(said(&all).iter().any(|(line, text)| *line == 3 && text.contains("decay_half_life")), "{all}");
    let page = sandbox.cm(&["sessions", "show", "11111111", "--limit", "2", "--json"]).ok().json();
    assert_eq!((said(&page).len(), &page["next"]), (3, &json!(3)), "a line of the log is not cut in two");
    let rest = sandbox.cm(&["sessions", "show", "11111111", "--from", "4", "--json"]).ok().json();
    assert_eq!((said(&rest)[0].0, &rest["next"]), (4, &Value::Null));
}

#[test]
fn a_prefix_of_several_ids_lists_them_and_one_of_none_says_so() {
    let sandbox = all_agents();
    insta::assert_snapshot!(sandbox.cm(&["sessions", "show", "1"]).snapshot(), @"
    [stderr]
    error: `1` matches several sessions
     hint: use one of 1791216000000 (cline), 11111111-aaaa-4bbb-8ccc-000000000001 (claude-code)
    [exit 4]
    ");
    insta::assert_snapshot!(sandbox.cm(&["sessions", "expand", "nope", "--line", "1"]).snapshot(), @"
    [stderr]
    error: session `nope` not found
     hint: `cm sessions --days 0` lists all sessions
    [exit 4]
    ");
    insta::assert_snapshot!(sandbox.cm(&["sessions", "expand", "11111111", "--line", "90"]).snapshot(), @"
    [stderr]
    error: lines 87 to 93 of the log contain no messages
     hint: `cm sessions show` shows line numbers; use `--context` to include more lines
    [exit 4]
    ");
    assert_eq!(sandbox.cm(&["sessions", "--agent", "otter"]).code, 2);
    assert_eq!(sandbox.cm(&["sessions", "--days", "3", "show", "1111"]).code, 2);
    assert_eq!(
        sandbox.cm(&["sessions", "--json", "show", "11111111"]).ok().json()["session"]["agent"],
        "claude-code"
    );
}

#[test]
fn a_search_tells_the_lines_and_looks_at_tools_only_where_asked() {
    let sandbox = all_agents();
    insta::assert_snapshot!(sandbox.cm(&["sessions", "search", "never delete tests", "--agent", "claude-code"]).snapshot(), @"
    11111111  Run the unit tests and fix the failing one.  claude-code 2026-10-05 · 1.69
        5  person  no, never delete tests. Fix src/decay.rs instead.
        1  person  Run the unit tests and fix the failing one.
        2  agent   Running the tests.
           lines 1, 2, 4, 5, 7
    [exit 0]
    ");
    assert_eq!(sandbox.cm(&["sessions", "search", "assertion", "--json"]).ok().json()["total"], 0);
    let tools = sandbox.cm(&["sessions", "search", "assertion", "--tools", "--json"]).ok().json();
    assert_eq!(
        (&tools["hits"][0]["places"][0]["line"], &tools["hits"][0]["places"][0]["speaker"]),
        (&json!(3), &json!("tool"))
    );
    let only = |words: &str| {
        let ran =
            sandbox.cm(&["sessions", "search", words, "--agent", "claude-code", "--in", "tools", "--json"]);
        let places = ran.ok().json()["hits"][0]["places"].clone();
        places.as_array().into_iter().flatten().map(|place| place["speaker"].clone()).collect::<Vec<_>>()
    };
    assert!(only("cargo test").iter().all(|speaker| speaker == "tool") && !only("cargo test").is_empty());
    assert!(only("never delete").is_empty(), "what was said is no tool output");
    assert_eq!(sandbox.cm(&["sessions", "search", "cargo", "--in", "tools", "--tools"]).code, 2);
    let codex = sandbox.cm(&["sessions", "search", "lambda", "--agent", "pi", "--json"]).ok().json();
    assert_eq!(codex["total"], 0);
    insta::assert_snapshot!(sandbox.cm(&["sessions", "search", "xylophone"]).snapshot(), @"
    nothing found
    [exit 0]
    ");
    assert_eq!(sandbox.cm(&["sessions", "search", " "]).code, 2);
}

#[test]
fn days_are_told_and_lines_expanded_and_sessions_exported() {
    let sandbox = all_agents();
    let days =
        sandbox.cm(&["sessions", "timeline", "--days", "0", "--agent", "gemini,codex", "--json"]).ok().json();
    assert_eq!(days["days"][0]["day"], "2026-10-05");
    assert_eq!(days["days"][0]["agents"], json!({"codex": 1, "gemini": 1}));
    assert_eq!(days["days"][1]["workspaces"], json!({"/home/dev/demo": 1}));
    assert_eq!(days["total"], 3);
    insta::assert_snapshot!(sandbox.cm(&["sessions", "timeline"]).snapshot(), @"
    no sessions in the last 7 days
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["sessions", "expand", "0199aaaa", "--line", "6", "--context", "1"]).snapshot(), @"
    0199aaaa-0000-7000-8000-000000000002  Build failure
    codex  /home/dev/demo  2026-10-05 10:00 to 2026-10-05 10:00  5 events, 278 B
        5  2026-10-05 10:00  tool
           exec_command
           cmd: cargo build
           workdir: /home/dev/demo
        6  2026-10-05 10:00  tool
           Chunk ID: a1b2c3
           Wall time: 12.5000 seconds
           Process exited with code 101
           Original token count: 9
           Output:
           error[E0425]: cannot find value `lambda`
        7  2026-10-05 10:00  agent   `lambda` is undefined in src/decay.rs; add the constant.
    [exit 0]
    ");
    let exported = sandbox.cm(&["sessions", "export", "11111111"]).ok().stdout;
    let begin = "# Run the unit tests and fix the failing one.\n\n- **Session**: 11111111-aaaa-4bbb-8ccc-000000000001\n";
    assert!(exported.starts_with(begin), "{exported}");
    let call = "## Tool (tool call, line 2, 09:00)\n\n```\n$ cargo test\n```\n";
    assert!(
        exported.contains(call) && exported.contains("\n## Event (interrupt, line 6, 09:01)\n\n## Agent"),
        "{exported}"
    );

    let exported = sandbox.cm(&["sessions", "export", "11111111", "--format", "json", "--tools"]).ok().json();
    assert_eq!(said(&exported).len(), 8);
}

#[test]
fn a_log_that_grows_is_read_on_from_where_the_last_reading_ended() {
    let padding = "word ".repeat(1_200);
    let sandbox = one(&lines(&[("user", &padding), ("assistant", "the original plan"), ("user", &padding)]));
    let plan =
        |query: &str| sandbox.cm(&["sessions", "search", query, "--json"]).ok().json()["total"].clone();
    assert_eq!(plan("original"), 1);
    // Far from both ends of the part that was read, so that only a complete reading detects it.
    let log = sandbox.read(CLAUDE).replace("the original plan", "the replaced plan");
    let mut file = File::options().write(true).open(sandbox.vault().join(CLAUDE)).unwrap();
    file.write_all(log.as_bytes()).unwrap();
    append(&sandbox, &line("user", "a xylophone please"));
    assert_eq!((plan("xylophone"), plan("original"), plan("replaced")), (json!(1), json!(1), json!(0)));
    let all = sandbox.cm(&["sessions", "show", "s1111111", "--json"]).ok().json();
    assert_eq!(said(&all).iter().map(|(line, _)| *line).collect::<Vec<_>>(), [1, 2, 3, 4]);
}

#[test]
fn a_torn_last_line_waits_until_it_is_whole() {
    let last = line("user", "and then the xylophone");
    let (begun, rest) = last.split_at(last.len() / 2);
    let sandbox = one(&(lines(&[("user", "first things first")]) + begun));
    let count = || said(&sandbox.cm(&["sessions", "show", "s1111111", "--json"]).ok().json()).len();
    assert_eq!(count(), 1);
    append(&sandbox, rest);
    assert_eq!(count(), 2);
    assert_eq!(sandbox.cm(&["sessions", "search", "xylophone", "--json"]).ok().json()["total"], 1);
}

#[test]
fn no_refresh_answers_from_what_was_read() {
    let sandbox = one(&lines(&[("user", "first things first")]));
    insta::assert_snapshot!(sandbox.cm(&["sessions", "--no-refresh"]).snapshot(), @"
    no sessions in the last 7 days
    [stderr]
    note: the session index was not updated (`--no-refresh`)
    [exit 0]
    ");
    sandbox.cm(&["sessions"]).ok();
    append(&sandbox, &line("user", "a xylophone please"));
    let total = |more: &[&str]| {
        let words = [&["sessions", "search", "xylophone", "--json"], more].concat();
        sandbox.cm(&words).ok().json()["total"].clone()
    };
    assert_eq!((total(&["--no-refresh"]), total(&[])), (json!(0), json!(1)));
}

#[test]
fn a_session_that_cm_caused_is_left_out() {
    let sandbox = one(&lines(&[("user", "Sum up.\n<!-- cm:model-call -->"), ("assistant", "a xylophone")]));
    assert_eq!(sandbox.cm(&["sessions", "--json"]).ok().json()["total"], 0);
    assert_eq!(sandbox.cm(&["sessions", "search", "xylophone", "--json"]).ok().json()["total"], 0);
}

#[test]
fn a_secret_of_a_log_reaches_no_answer_and_no_file() {
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let key = "sk-ant-api03-Zx9Yw8Vu7Ts6Rq5Po4Nm3Lk2Ji1Hg0Fe9Dc8Ba7Zx9Yw8Vu7Ts6Rq5Po4Nm3Lk2Ji1Hg0Fe9Dc8Ba7Zx9Yw8Vu7TsAA";
    let padding = "x".repeat(60);
    let sandbox = one(&lines(&[
        ("user", &format!("{padding} log in with {token}")),
        ("assistant", &format!("I use {token} and {key}")),
    ]));
    for words in [
        vec!["sessions", "--json"],
        vec!["sessions", "show", "s1111111", "--tools", "--json"],
        vec!["sessions", "search", "log", "--json"],
        vec!["sessions", "search", &token, "--json"],
        vec!["sessions", "search", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", "--tools", "--json"],
        vec!["sessions", "export", "s1111111", "--tools"],
        vec!["sessions", "timeline"],
    ] {
        let ran = sandbox.cm(&words).ok();
        let answer = ran.stdout.replace(&format!("\"query\": \"{token}\""), "");
        let answer = answer.replace("\"query\": \"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8\"", "");
        for part in ["a1B2c3D4e5", "Zx9Yw8Vu7T", "ghp_"] {
            assert!(!answer.contains(part), "{words:?}: {part}\n{answer}");
        }
    }
    assert!(sandbox.cm(&["sessions", "show", "s1111111"]).ok().stdout.contains("[redacted: "));
    let mut files = Vec::new();
    below(&sandbox.vault(), &mut files);
    assert!(files.iter().any(|path| path.ends_with("_index/sessions/lock")), "{files:?}");
    for file in files {
        let bytes = fs::read(&file).unwrap();
        for part in [b"a1B2c3D4e5".as_slice(), b"Zx9Yw8Vu7T", b"a1b2c3d4e5", b"zx9yw8vu7t"] {
            assert!(!bytes.windows(part.len()).any(|window| window == part), "{}", file.display());
        }
    }
}

fn below(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { below(&path, files) } else { files.push(path) }
    }
}

#[test]
fn a_new_pattern_of_secrets_takes_out_what_was_read_before() {
    let sandbox = one(&lines(&[("user", "the door code is xylophone-17")]));
    let total = || sandbox.cm(&["sessions", "search", "xylophone", "--json"]).ok().json()["total"].clone();
    assert_eq!(total(), 1);
    sandbox.settings("[redaction]\nextra = [\"door = xylophone-[0-9]+\"]\n");
    assert_eq!(total(), 0);
    // A shared settings file can add patterns but not remove any.
    sandbox.write("cm.toml", "[redaction]\nenabled = false\nextra = []\n");
    let ran = sandbox.cm(&["sessions", "search", "xylophone", "--json"]).ok();
    assert_eq!(ran.json()["total"], 0);
}

#[test]
fn settings_say_whose_sessions_are_read_and_a_shared_file_only_narrows_them() {
    let sandbox = all_agents();
    let agents = || {
        let all = sandbox.cm(&["sessions", "--days", "0", "--json"]).ok().json();
        let rows = all["sessions"].as_array().unwrap().iter();
        let mut agents: Vec<String> = rows.map(|row| row["agent"].as_str().unwrap().to_owned()).collect();
        agents.sort();
        agents.join(" ")
    };
    assert!(agents().contains("gemini"));
    sandbox.settings("[sessions]\nagents = [\"codex\", \"pi\"]\n");
    assert_eq!(agents(), "codex pi");
    sandbox.write("cm.toml", "[sessions]\nagents = [\"pi\", \"gemini\"]\n");
    assert_eq!(agents(), "pi");
    sandbox.settings("");
    assert_eq!(agents(), "gemini gemini pi");
}

#[test]
fn sessions_of_other_folders_are_not_written_down() {
    let sandbox = one(&lines(&[("user", "a xylophone please")]));
    sandbox.reads_its_project();
    sandbox.settings("[sessions]\nworkspaces = [\"/elsewhere\"]\n");
    let total = || sandbox.cm(&["sessions", "search", "xylophone", "--json"]).ok().json()["total"].clone();
    assert_eq!(total(), 0);
    assert_eq!(sandbox.cm(&["sessions", "--json"]).ok().json()["total"], 0);
    sandbox.settings("[sessions]\nworkspaces = [\"/w\", \"/elsewhere\"]\n");
    assert_eq!(total(), 1);
    append(&sandbox, &line("user", "and a glockenspiel"));
    assert_eq!(sandbox.cm(&["sessions", "search", "glockenspiel", "--json"]).ok().json()["total"], 1);
}

#[test]
fn an_export_of_chatgpt_is_read_where_the_person_names_it_and_nobody_else() {
    let sandbox = vault_of("");
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/sessions/chatgpt");
    copy(&golden, &sandbox.root().join("exports"));
    sandbox.write("cm.toml", "[sessions]\nexports = [\"../exports\"]\n");
    let total = || sandbox.cm(&["sessions", "--days", "0", "--json"]).ok().json()["total"].clone();
    assert_eq!(total(), 0);
    sandbox.write("cm.toml", "");
    sandbox.settings("[sessions]\nexports = [\"../exports\"]\n");
    assert_eq!(total(), 1);
}

#[test]
fn a_log_that_is_mostly_not_understood_is_told_as_such() {
    let sandbox = one(
        &(line("user", "hello there") + &"{\"type\":\"martian\",\"sessionId\":\"s1111111\"}\n".repeat(9))
    );
    insta::assert_snapshot!(sandbox.cm(&["sessions"]).snapshot(), @"
    s1111111  claude-code  26 h  1 event  11 B  new  /w  hello there (mostly not parsed)
    1 session in the last 7 days
    [stderr]
    note: mostly not parsed, maybe written by another version of the agent: [ROOT]/home/.claude/projects/-w/s1111111.jsonl (9 of 10 records: martian)
    [exit 0]
    ");
    assert_eq!(sandbox.cm(&["sessions", "--json"]).ok().json()["sessions"][0]["mostly_unknown"], true);
}

#[test]
fn while_another_process_reads_what_is_there_answers() {
    let sandbox = one(&lines(&[("user", "first things first")]));
    sandbox.cm(&["sessions"]).ok();
    append(&sandbox, &line("user", "a xylophone please"));
    let lock = File::options().write(true).open(sandbox.vault().join("_index/sessions/lock")).unwrap();
    lock.lock().unwrap();
    insta::assert_snapshot!(sandbox.cm(&["sessions"]).snapshot(), @"
    s1111111  claude-code  26 h  1 event  18 B  new  /w  first things first
    1 session in the last 7 days
    [stderr]
    note: another process is reading sessions; the answer uses what is indexed so far
    [exit 0]
    ");
    drop(lock);
    assert_eq!(sandbox.cm(&["sessions", "search", "xylophone", "--json"]).ok().json()["total"], 1);
}

#[test]
fn a_damaged_index_is_made_anew_from_the_logs() {
    let sandbox = one(&lines(&[("user", "first things first")]));
    sandbox.cm(&["sessions"]).ok();
    let mut files = Vec::new();
    below(&sandbox.vault().join("_index/sessions/documents"), &mut files);
    for file in files.iter().filter(|file| file.extension().is_some_and(|name| name != "json")) {
        fs::write(file, "damaged").unwrap();
    }
    assert_eq!(sandbox.cm(&["sessions", "--json"]).ok().json()["total"], 1);
    fs::remove_dir_all(sandbox.vault().join("_index")).unwrap();
    assert_eq!(sandbox.cm(&["sessions", "--json"]).ok().json()["total"], 1);
}

#[test]
fn without_a_project_the_global_vault_keeps_the_index_and_without_logs_there_is_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("../no-global-vault/cm.toml", "");
    insta::assert_snapshot!(sandbox.cm(&["sessions", "--days", "0"]).snapshot(), @"
    no sessions
    [exit 0]
    ");
    sandbox.write(CLAUDE, lines(&[("user", "first things first")]));
    // The calling agent is not the agent in the filter.
    let ran = sandbox.run(&["sessions", "--json"]).env("CM_AGENT", "codex").go().ok();
    assert_eq!(ids(&ran.json()), ["s1111111"]);
    assert!(sandbox.root().join("no-global-vault/_index/sessions").is_dir());
    assert_eq!(Sandbox::new().cm(&["sessions"]).code, 3);
}

/// Installs a fake program `cass` and enables it in the settings.
#[cfg(unix)]
fn with_cass(script: &str) -> Sandbox {
    let sandbox = one(&lines(&[("user", "the pool was empty")]));
    sandbox.settings("[sources]\ncass = true\n");
    // Written by another process, so that this one has no open file handle for writing when it starts.
    let made = std::process::Command::new("sh")
        .args([
            "-c",
            "mkdir ../bin && printf '%s' \"$1\" > ../bin/cass && chmod +x ../bin/cass",
            "sh",
            script,
        ])
        .current_dir(sandbox.vault())
        .status();
    assert!(made.unwrap().success());
    sandbox
}

#[cfg(unix)]
fn with_path(sandbox: &Sandbox, words: &[&str]) -> crate::support::Ran {
    let path = format!("{}/bin:{}", sandbox.root().display(), std::env::var("PATH").unwrap());
    sandbox.run(words).env("PATH", &path).env("SECRET_OF_MINE", "x").env("CM_EMBEDDINGS_KEY", "y").go()
}

/// Script that records its arguments and environment, and prints a file of the home folder.
#[cfg(unix)]
const ECHO: &str = "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$HOME/cass-words\"\nenv > \"$HOME/cass-env\"\ncat \"$HOME/cass-answer\"\n";

#[cfg(unix)]
#[test]
fn what_cass_finds_stands_beside_our_own_hits_without_secrets() {
    let sandbox = with_cass(ECHO);
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let known = sandbox.root().join("home/.claude/projects/-w/s1111111.jsonl");
    let answer = json!({"hits": [
        {"source_path": "/l/x.jsonl", "line_number": 7, "agent": "codex", "title": "Pool", "score": 2.5,
         "created_at": 1_790_000_000, "workspace": "/w", "snippet": format!("the pool of {token}")},
        {"source_path": known, "snippet": "the pool was empty"},
    ]});
    sandbox.write("../home/cass-answer", answer.to_string());
    let ran = with_path(&sandbox, &["sessions", "search", "--limit", "4", "pool"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    s1111111  the pool was empty  claude-code 2026-11-20 · 1.20
        1  person  the pool was empty
    cass  Pool  codex 2026-09-21  /l/x.jsonl
        7  the pool of [redacted: github-token]
    [exit 0]
    ");
    assert_eq!(sandbox.read("../home/cass-words"), "search\npool\n--robot\n--limit\n4\n");
    let seen = sandbox.read("../home/cass-env");
    assert!(!seen.contains("SECRET_OF_MINE") && !seen.contains("CM_"), "{seen}");
    let json = with_path(&sandbox, &["sessions", "search", "pool", "--json"]).ok().json();
    assert_eq!((&json["elsewhere"][0]["source"], &json["elsewhere"][0]["line"]), (&json!("cass"), &json!(7)));
    assert_eq!((&json["total"], json["elsewhere"].as_array().unwrap().len()), (&json!(1), 1));
    let count = |words: &[&str]| {
        let words = [&["sessions", "search", "pool", "--json"], words].concat();
        with_path(&sandbox, &words).ok().json()["elsewhere"].as_array().map_or(0, Vec::len)
    };
    assert_eq!([count(&["--agent", "codex"]), count(&["--agent", "pi"])], [1, 0]);
    assert_eq!([count(&["--workspace", "/w"]), count(&["--workspace", "/v"])], [1, 0]);
    assert_eq!([count(&["--days", "90"]), count(&["--days", "1"]), count(&["--offset", "1"])], [1, 0, 0]);
    assert!(sandbox.cm(&["privacy", "log", "-n", "90"]).ok().stdout.contains("  cass  "));
    with_path(&sandbox, &["sessions", "search", "--", "-pool"]).ok();
    assert!(sandbox.read("../home/cass-words").starts_with("search\n -pool\n"), "no query is a flag");
    sandbox.settings("[sources]\ncass = true\n[sessions]\nagents = [\"pi\"]\n");
    assert_eq!(count(&[]), 0, "what may not be read is not shown");
}

#[cfg(unix)]
#[test]
fn cass_that_is_missing_slow_or_mad_changes_nothing() {
    let told = |script: &str, settings: &str| {
        let sandbox = with_cass(script);
        sandbox.settings(format!("[sources]\ncass = true\n{settings}"));
        let ran = with_path(&sandbox, &["sessions", "search", "pool"]).ok();
        let own = "s1111111  the pool was empty  claude-code 2026-11-20";
        assert!(ran.stdout.starts_with(own) && !ran.stdout.contains("cass"), "{}", ran.snapshot());
        ran.stderr
    };
    assert_eq!(
        told("#!/bin/sh\necho no index\n", ""),
        "note: the answer of cass is not valid; its sessions are skipped\n"
    );
    assert_eq!(
        told("#!/bin/sh\necho '{\"hits\": []}'\necho secret words >&2\nexit 3\n", ""),
        "note: cass failed with exit status: 3; its sessions are skipped\n"
    );
    assert_eq!(
        told("#!/bin/sh\nsleep 600\n", "cass_timeout_s = 0.2\n"),
        "note: cass did not answer within 200ms; its sessions are skipped\n"
    );
    let sandbox = one(&lines(&[("user", "the pool was empty")]));
    sandbox.settings("[sources]\ncass = true\n");
    let ran = sandbox.run(&["sessions", "search", "pool"]).env("PATH", "/nowhere").go().ok();
    assert_eq!(ran.stderr, "note: cass is not installed; its sessions are skipped\n");
}

#[cfg(unix)]
#[test]
fn a_shared_file_starts_no_program() {
    let sandbox = with_cass(ECHO);
    sandbox.settings("");
    sandbox.write("cm.toml", "[sources]\ncass = true\n");
    let ran = with_path(&sandbox, &["sessions", "search", "pool"]).ok();
    assert!(ran.stderr.contains("`sources.cass` is ignored in cm.toml"), "{}", ran.snapshot());
    assert!(!sandbox.root().join("home/cass-words").exists());
}

#[test]
fn a_file_of_rules_for_secrets_takes_out_what_was_read_before() {
    let sandbox = one(&lines(&[("user", "my badge is XY-123456, ask at the desk")]));
    let total = |word: &str| sandbox.cm(&["sessions", "search", word, "--json"]).ok().json()["total"].clone();
    assert_eq!(total("123456"), 1);
    let rules =
        "[[rules]]\nid = \"badge\"\nregex = \"badge is ([A-Z]{2}-[0-9]{6})\"\nkeywords = [\"badge\"]\n";
    sandbox.write("../badges.toml", rules);
    sandbox.settings("[redaction]\nrules = \"../badges.toml\"\n");
    assert_eq!(total("123456"), 0);
    let shown = sandbox.cm(&["sessions", "show", "s1111111"]).ok().stdout;
    assert!(shown.contains("badge is [redacted: badge], ask"), "{shown}");
    sandbox.write("../badges.toml", rules.replace("badge is", "badge was"));
    assert_eq!(total("123456"), 1, "a change of the file is a change of the rules");
}
