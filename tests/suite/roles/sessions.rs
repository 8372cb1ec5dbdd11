//! A vault reads only sessions of its own project.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::support::Sandbox;
#[cfg(unix)]
use crate::support::ServerProcess;

/// A word that occurs only in the other project's sessions.
const OTHER: &str = "walrus";
/// A word that occurs only in this project's sessions.
const OWN: &str = "pelican";

/// Runs `cm` in a folder of the sandbox and returns its output.
fn cm(sandbox: &Sandbox, folder: &str, arguments: &[&str]) -> String {
    let ran = sandbox.run(arguments).within(&format!("../{folder}")).go();
    format!("{}{}", ran.stdout, ran.stderr)
}

/// Writes a Claude Code session in a folder, with a correction, a failure with its fix, and a
/// preference.
fn session(sandbox: &Sandbox, id: &str, folder: &Path, word: &str, day: usize) {
    let mut lines = String::new();
    let mut count = 0;
    let mut put = |role: &str, content: serde_json::Value| {
        count += 1;
        let record = json!({
            "type": role, "sessionId": id, "cwd": folder, "gitBranch": "main", "userType": "external", "isSidechain": false,
            "uuid": format!("{id}-{count}-000000"), "timestamp": format!("2026-11-{day:02}T10:00:{count:02}.000Z"),
            "message": {"role": role, "model": "m", "content": content},
        });
        lines.push_str(&format!("{record}\n"));
    };
    put(
        "user",
        json!(format!("Fix the {word} importer. From now on always use the {word} fixture in tests.")),
    );
    put(
        "assistant",
        json!([{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": format!("make {word}")}}]),
    );
    put(
        "user",
        json!([{"type": "tool_result", "tool_use_id": "t1", "is_error": true, "content": format!("Exit code 2\n{word}: no such target")}]),
    );
    put(
        "assistant",
        json!([{"type": "text", "text": format!("I decided to rename the {word} target. The root cause was the {word} typo.")}]),
    );
    put(
        "assistant",
        json!([{"type": "tool_use", "id": "t2", "name": "Bash", "input": {"command": format!("git reset --hard {word}")}}]),
    );
    put("user", json!([{"type": "tool_result", "tool_use_id": "t2", "is_error": false, "content": "done"}]));
    put(
        "user",
        json!(format!(
            "oh no, all my {word} work is gone! No, never touch {word} again. We prefer {word} over mocks."
        )),
    );
    put("assistant", json!([{"type": "text", "text": format!("The {word} tests pass now.")}]));
    put("user", json!(format!("thanks, the {word} works")));
    let name = folder.to_string_lossy().replace('/', "-");
    sandbox.write(&format!("../home/.claude/projects/{name}/{id}.jsonl"), lines);
}

fn git(sandbox: &Sandbox, folder: &str, arguments: &[&str]) {
    let done = crate::support::git_command()
        .args(arguments)
        .current_dir(sandbox.root().join(folder))
        .env("GIT_CONFIG_GLOBAL", sandbox.root().join("gitconfig"))
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// Creates two projects with a vault in `.memory` each, and three sessions of each in the home
/// folder.
fn two_projects() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.reads_its_project();
    for (project, word) in [("ours", OWN), ("theirs", OTHER)] {
        let folder = sandbox.root().join(project);
        fs::create_dir(&folder).unwrap();
        git(&sandbox, project, &["init", "--quiet"]);
        fs::write(folder.join("README.md"), "# Demo\n").unwrap();
        git(&sandbox, project, &["add", "--all"]);
        git(&sandbox, project, &["commit", "--quiet", "--message", "Begin"]);
        cm(&sandbox, project, &["init", ".memory"]);
        for n in 0..3 {
            let id = format!("{}0000000-0000-4000-8000-00000000000{n}", if word == OWN { 'a' } else { 'b' });
            session(&sandbox, &id, &folder.join(if n == 2 { "src" } else { "" }), word, 17 + n);
        }
    }
    sandbox
}

/// Returns the files and Git objects below a folder that contain this word.
fn holds(sandbox: &Sandbox, folder: &str, word: &str) -> Vec<String> {
    let root = sandbox.root().join(folder);
    let found = Command::new("grep").args(["-rila", word, "."]).current_dir(&root).output().unwrap();
    let mut found: Vec<String> = String::from_utf8_lossy(&found.stdout).lines().map(str::to_owned).collect();
    let log = crate::support::git_command().args(["log", "--all", "-p"]).current_dir(&root).output().unwrap();
    if String::from_utf8_lossy(&log.stdout).to_lowercase().contains(word) {
        found.push("git log".to_owned());
    }
    found
}

#[test]
fn nothing_of_another_projects_sessions_reaches_a_projects_vault() {
    let sandbox = two_projects();
    let ours = ["a0000000", "friction", "b0000000"];
    for arguments in [
        &["sessions"][..],
        &["sessions", "search", OTHER],
        &["sessions", "show", ours[2]],
        &["diary", ours[0]],
        &["diary", ours[2]],
        &["outcome", "b0000000-0000-4000-8000-000000000000", "success"],
        &["reflect", "--days", "30"],
        &["remember"],
        &["friction", "--days", "30"],
        &["trauma", "scan"],
        &["onboard", "sample"],
        &["stash", "theirs", "--session", "b0000000-0000-4000-8000-000000000000"],
        &["context", "fix the importer: walrus pelican"],
        &["core"],
    ] {
        let shown = cm(&sandbox, "ours", arguments);
        let said = shown.to_lowercase().replace("walrus pelican", "").replace(&format!("\"{OTHER}\""), "");
        let named = arguments.contains(&OTHER);
        assert!(named || !said.contains(OTHER), "{arguments:?}:\n{shown}");
    }
    for event in ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"] {
        let message = json!({
            "session_id": "a0000000-0000-4000-8000-000000000000", "cwd": sandbox.root().join("ours"), "hook_event_name": event,
            "prompt": "fix the importer", "source": "startup",
        });
        let run = sandbox.run(&["hook", "claude"]).within("../ours");
        let shown = run.env("CM_REFLECT_AUTO", "true").stdin(message.to_string()).go().stdout;
        assert!(!shown.contains(OTHER), "{event}: {shown}");
    }
    // The background job of the hooks again, this time in the foreground.
    cm(&sandbox, "ours", &["sessions"]);
    assert_eq!(holds(&sandbox, "ours", OTHER), [""; 0]);
    assert!(!holds(&sandbox, "ours/.memory", OWN).is_empty(), "its own sessions are read");
    let found = cm(&sandbox, "ours", &["sessions", "search", OWN]);
    assert!(found.to_lowercase().contains(OWN), "{found}");
}

#[test]
fn the_vault_that_was_not_asked_holds_no_word_of_either() {
    let sandbox = two_projects();
    cm(&sandbox, "ours", &["reflect", "--days", "30"]);
    for word in [OWN, OTHER] {
        assert_eq!(holds(&sandbox, "theirs", word), [""; 0]);
    }
}

#[test]
fn a_linked_work_tree_is_of_the_project_and_a_forged_one_is_not() {
    let sandbox = two_projects();
    git(&sandbox, "ours", &["worktree", "add", "--quiet", "../branch"]);
    session(&sandbox, "c0000000-0000-4000-8000-000000000000", &sandbox.root().join("branch"), "puffin", 20);
    // An unpacked folder claims the other project's folder.
    let forged = sandbox.root().join("ours/.git/worktrees/forged");
    fs::create_dir_all(&forged).unwrap();
    fs::write(forged.join("gitdir"), format!("{}\n", sandbox.root().join("theirs/.git").display())).unwrap();
    fs::write(forged.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(forged.join("commondir"), "../..\n").unwrap();
    let listed = cm(&sandbox, "ours", &["sessions", "--days", "0"]);
    assert!(listed.contains("puffin") && listed.contains(OWN), "{listed}");
    assert!(!listed.contains(OTHER), "{listed}");
}

#[test]
fn a_project_inside_the_folder_is_another_project_and_a_former_path_is_named() {
    let sandbox = two_projects();
    let nested = sandbox.root().join("ours/vendor/lib");
    fs::create_dir_all(&nested).unwrap();
    git(&sandbox, "ours/vendor/lib", &["init", "--quiet"]);
    session(&sandbox, "d0000000-0000-4000-8000-000000000000", &nested, "ibis", 20);
    session(&sandbox, "e0000000-0000-4000-8000-000000000000", Path::new("/srv/former"), "egret", 20);
    let listed = cm(&sandbox, "ours", &["sessions", "--days", "0"]);
    assert!(listed.contains(OWN) && !listed.contains("ibis") && !listed.contains("egret"), "{listed}");
    let run = sandbox.run(&["sessions", "--days", "0"]).within("../ours");
    let listed = run.env("CM_SESSIONS_WORKSPACES", "/srv/former").go().stdout;
    assert!(listed.contains("egret") && listed.contains(OWN) && !listed.contains(OTHER), "{listed}");
}

#[test]
fn the_global_vault_reads_all_and_says_so_once() {
    let sandbox = two_projects();
    let global = sandbox.root().join("global");
    let ask = || {
        let run = sandbox.run(&["sessions", "--days", "0"]).within("../home");
        run.env("CM_GLOBAL_VAULT", global.to_str().unwrap()).go()
    };
    let init =
        sandbox.run(&["init", global.to_str().unwrap()]).env("CM_GLOBAL_VAULT", global.to_str().unwrap());
    init.go().ok();
    let first = ask();
    assert!(first.stdout.contains(OWN) && first.stdout.contains(OTHER), "{}", first.snapshot());
    assert!(first.stderr.contains("sessions of all projects"), "{}", first.stderr);
    assert!(!ask().stderr.contains("sessions of all projects"));
}

/// Runs `cm` in a folder of the sandbox with the global vault, and returns its output.
fn with_global(sandbox: &Sandbox, folder: &str, arguments: &[&str]) -> String {
    let global = sandbox.root().join("global");
    let run = sandbox.run(arguments).within(&format!("../{folder}"));
    let ran = run.env("CM_GLOBAL_VAULT", global.to_str().unwrap()).go();
    format!("{}{}", ran.stdout, ran.stderr)
}

#[test]
fn a_project_with_a_vault_of_its_own_learns_its_sessions_and_the_global_vault_does_not() {
    let sandbox = two_projects();
    let nowhere = sandbox.root().join("nowhere");
    fs::create_dir(&nowhere).unwrap();
    session(&sandbox, "d0000000-0000-4000-8000-000000000000", &nowhere, "ibis", 20);
    let global = sandbox.root().join("global");
    with_global(&sandbox, "home", &["init", global.to_str().unwrap()]);
    let rule = "Always use the pelican fixture in tests.";
    with_global(&sandbox, "home", &["playbook", "add", rule]);
    let learned = with_global(&sandbox, "home", &["reflect", "--days", "0"]);
    assert!(!holds(&sandbox, "global/playbook", "ibis").is_empty(), "{learned}");
    for word in [OWN, OTHER] {
        let diaries = holds(&sandbox, "global/diary", word);
        assert!(diaries.iter().all(|place| place == "git log"), "{word}: {learned}");
    }
    assert_eq!(holds(&sandbox, "global/playbook", OTHER), [""; 0], "{learned}");
    let again = with_global(&sandbox, "home", &["reflect", "--days", "0"]);
    assert!(again.contains("left to the vaults of their projects") || again.contains("already"), "{again}");
    let learned = with_global(&sandbox, "ours", &["reflect", "--days", "0"]);
    assert!(!holds(&sandbox, "ours/.memory/playbook", "pelican fixture").is_empty(), "{learned}");
    let listed = with_global(&sandbox, "ours", &["playbook", "list", "--json"]);
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let of_global: Vec<_> =
        listed["bullets"].as_array().unwrap().iter().filter(|bullet| bullet["vault"] == "global").collect();
    assert!(!of_global.is_empty() && of_global.iter().all(|bullet| bullet["content"] != rule), "{listed}");
}

/// Runs the server's jobs on the sandbox's vault until reflection is done, and returns the log.
#[cfg(unix)]
fn reflected_by_server(sandbox: &Sandbox) -> String {
    let long_ago = "{\"reflect\": \"2026-11-01T03:00:00Z\", \"decay\": \"2026-11-01T04:30:00Z\"}";
    sandbox.open_vault().write_private("jobs.json", long_ago).unwrap();
    let mut server = ServerProcess::of(sandbox, &["--jobs"]);
    let said = loop {
        let line = server.line();
        let message = line["message"].as_str().unwrap_or_default();
        if message.starts_with("reflect: ") {
            assert_eq!(line["notice"], "job", "{line}");
            break message.to_owned();
        }
    };
    assert_eq!(server.end(rustix::process::Signal::TERM).0, Some(143));
    said
}

#[cfg(unix)]
#[test]
fn the_jobs_of_a_server_learn_from_the_named_folders_alone() {
    let sandbox = two_projects();
    cm(&sandbox, "vault", &["init"]);
    let said = reflected_by_server(&sandbox);
    assert!(said.contains(" 0 sessions"), "no folder was named: {said}");
    assert_eq!([OWN, OTHER].map(|word| holds(&sandbox, "vault", word)), [[""; 0]; 2]);
    let named = sandbox.root().join("ours");
    cm(&sandbox, "vault", &["config", "set", "sessions.workspaces", named.to_str().unwrap(), "--private"]);
    let said = reflected_by_server(&sandbox);
    assert!(said.contains(" 3 sessions"), "{said}");
    let learned = holds(&sandbox, "vault", OWN);
    assert!(
        learned.iter().any(|file| file == "git log"),
        "the named folder's sessions are learned from: {learned:?}"
    );
    for folder in ["vault", "home/.local/state"] {
        assert_eq!(holds(&sandbox, folder, OTHER), [""; 0], "{folder}");
    }
    let found = cm(&sandbox, "vault", &["sessions", "search", OTHER, "--json"]);
    assert!(!found.replace(&format!("\"{OTHER}\""), "").to_lowercase().contains(OTHER), "{found}");
}
