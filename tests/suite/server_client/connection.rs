//! `cm hooks install --server`: where the address and the token are kept, and what is refused.

use std::fs;

use cm_test_server::{Reply, Server};
use serde_json::{Value, json};

use super::support::{Laptop, SESSION, Team};
use crate::cli::rules::rules;
use crate::json::assert_fits;
use crate::support::{ServerProcess, everything, vault_of};

#[test]
fn the_token_and_the_address_are_private_and_the_projects_settings_name_neither() {
    let team = Team::new();
    let server = team.serve();
    let url = format!("http://{}", server.address);
    let laptop = Laptop::new();
    let ran = laptop.install(&url, &team.token, &[]).ok();
    let shown = format!("{}{}", ran.stdout, ran.stderr);
    assert!(shown.contains(&format!("the hooks now call {url} in ")), "{shown}");
    assert!(!shown.contains(&team.token), "{shown}");
    for path in everything(&laptop.sandbox.vault()).into_keys() {
        let text = fs::read(laptop.sandbox.vault().join(&path)).unwrap();
        let text = String::from_utf8_lossy(&text);
        assert!(!text.contains(&team.token) && !text.contains(&server.address), "{path}");
    }
    let config = laptop.sandbox.private_home().config;
    let tokens: Vec<_> = fs::read_dir(config.join("servers")).unwrap().flatten().collect();
    assert_eq!(tokens.len(), 1);
    assert!(fs::read_to_string(tokens[0].path()).unwrap().contains(&team.token));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(tokens[0].metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::metadata(config.join("servers")).unwrap().permissions().mode() & 0o777, 0o700);
    }
    let again = laptop.sandbox.run(&["hooks", "install", "claude"]).go().ok();
    assert!(again.stdout.contains(&format!("the hooks call {url}")), "it stays connected: {}", again.stdout);
    let removed = laptop.sandbox.cm(&["hooks", "uninstall", "claude"]).ok();
    assert!(removed.stdout.contains(&format!("the hooks no longer call {url}")), "{}", removed.stdout);
    assert_eq!(fs::read_dir(config.join("servers")).unwrap().count(), 0);
    assert_eq!(laptop.sandbox.read(".claude/settings.json"), "{}\n");
    assert_eq!(laptop.start(SESSION), "");
}

#[test]
fn a_persons_token_for_hooks_is_named_as_one() {
    let team = Team::new();
    let made = team.sandbox.cm(&["token", "add", "Ada", "--kind", "person", "--json"]).ok().json();
    let server = team.serve();
    let url = format!("http://{}", server.address);
    let laptop = Laptop::new();
    let ran = laptop.install(&url, made["token"].as_str().unwrap(), &[]).ok();
    assert!(ran.stderr.contains("the token of a person"), "{}", ran.snapshot());
    let ran = laptop.install(&url, &team.token, &[]).ok();
    assert!(!ran.stderr.contains("the token of a person"), "{}", ran.snapshot());
}

#[test]
fn other_agents_keep_their_connection_when_one_is_uninstalled() {
    let server = Server::start(|_, _| Reply::json(&json!({ "rules": [] })));
    let laptop = Laptop::new();
    laptop.install(&server.url(), "cm_token", &["codex"]).ok();
    let removed = laptop.sandbox.cm(&["hooks", "uninstall", "codex"]).ok();
    assert!(removed.stdout.contains("the hooks call"), "{}", removed.stdout);
    assert_eq!(laptop.server()["token"], "stored");
}

#[test]
fn a_token_belongs_to_its_server_and_is_deleted_with_the_last_connection_to_it() {
    let answer = || Server::start(|_, _| Reply::json(&json!({ "rules": [] })));
    let (first, second) = (answer(), answer());
    let laptop = Laptop::new();
    laptop.install(&first.url(), "cm_first", &[]).ok();
    laptop.install(&second.url(), "cm_second", &[]).ok();
    let tokens = || {
        let files = fs::read_dir(laptop.sandbox.private_home().config.join("servers")).unwrap().flatten();
        let tokens = files.filter(|file| file.path().extension().is_some_and(|ending| ending == "token"));
        tokens.map(|file| fs::read_to_string(file.path()).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(tokens(), ["cm_second"]);
    for token in ["", " \n", "two words", "line\nbreak", "ключ", &"x".repeat(5_000)] {
        let ran = laptop.install(&second.url(), token, &["--json"]);
        assert_eq!(ran.json()["error"]["code"], "usage", "{token:?}");
    }
    assert_eq!(tokens(), ["cm_second"]);
}

#[test]
fn a_new_token_leaves_the_copy_of_memory_md_as_it_is() {
    let team = Team::new();
    let server = team.serve();
    let url = format!("http://{}", server.address);
    let laptop = Laptop::new();
    laptop.install(&url, &team.token, &["--memory-file", "MEMORY.md"]).ok();
    laptop.install(&url, &team.token, &[]).ok();
    laptop.start(SESSION);
    let list = fs::read_to_string(laptop.sandbox.private_home().servers()).unwrap();
    assert!(list.contains("\"MEMORY.md\""), "{list}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_project_whose_path_is_no_text_is_refused_and_the_other_connections_stay() {
    use std::os::unix::ffi::OsStrExt as _;
    let server = Server::start(|_, _| Reply::json(&json!({ "rules": [] })));
    let laptop = Laptop::new();
    laptop.install(&server.url(), "cm_token", &[]).ok();
    let list = laptop.sandbox.private_home().servers();
    let before = fs::read(&list).unwrap();
    let odd = laptop.sandbox.root().join(std::ffi::OsStr::from_bytes(b"a\xffb"));
    fs::create_dir_all(odd.join(".claude")).unwrap();
    let install = ["hooks", "install", "claude", "--project", "--server", &server.url()];
    let mut command = laptop.sandbox.command(&install);
    let ran = command.current_dir(&odd).env("CM_TOKEN", "cm_token").status().unwrap();
    assert_eq!((ran.code(), fs::read(&list).unwrap()), (Some(2), before));
}

#[test]
fn what_would_send_the_token_in_the_open_or_to_nobody_is_refused_and_nothing_is_written() {
    let refusing = Server::start(|_, _| Reply::status(401, "{\"error\": {\"code\": \"unknown-token\"}}"));
    let laptop = Laptop::new();
    let before = everything(laptop.sandbox.root());
    laptop.sandbox.write("notes.md", "Mine.\n");
    let install = |url: &str, more: &[&str]| {
        let ran = laptop.install(url, "cm_token", &[more, &["--json"]].concat());
        ran.json()["error"]["code"].as_str().unwrap().to_owned()
    };
    assert_eq!(install("http://memory.example.org", &[]), "unencrypted");
    assert_eq!(install("memory.example.org", &[]), "usage");
    assert_eq!(install("https://ada:secret@memory.example.org", &[]), "usage");
    assert_eq!(install(&refusing.url(), &[]), "token-refused");
    let other = Server::start(|_, _| Reply::status(404, "<html>Not found</html>"));
    assert_eq!(install(&other.url(), &[]), "no-server");
    assert_eq!(install(&refusing.url(), &["--memory-file", "notes.md"]), "not-ours");
    assert_eq!(install(&refusing.url(), &["--memory-file", "../notes.md"]), "usage");
    assert_eq!(install(&refusing.url(), &["--certificate", "notes.md"]), "usage");
    let without =
        laptop.sandbox.cm(&["hooks", "install", "claude", "--server", "https://memory.example.org"]);
    assert_eq!(without.code, 2);
    assert!(without.stderr.contains("there is no token"), "{}", without.stderr);
    let skills = laptop.install(&refusing.url(), "cm_token", &["--skills"]);
    assert_eq!(skills.code, 2);
    let dry = laptop.install("https://memory.example.org", "cm_token", &["--dry-run"]).ok();
    assert!(dry.stdout.contains("the hooks would call https://memory.example.org"), "{}", dry.stdout);
    fs::remove_file(laptop.sandbox.vault().join("notes.md")).unwrap();
    assert_eq!(everything(laptop.sandbox.root()), before);
}

#[test]
fn the_token_may_come_from_the_environment_and_is_not_stored_then() {
    let team = Team::new();
    let server = team.serve();
    let url = format!("http://{}", server.address);
    let laptop = Laptop::new();
    let install = ["hooks", "install", "claude", "--server", &url];
    let ran = laptop.sandbox.run(&install).env("CM_TOKEN", &team.token).go().ok();
    assert!(ran.stderr.contains("the token comes from CM_TOKEN"), "{}", ran.stderr);
    for path in everything(laptop.sandbox.root()).into_keys() {
        let text = fs::read(laptop.sandbox.root().join(&path)).unwrap();
        assert!(!String::from_utf8_lossy(&text).contains(&team.token), "{path}");
    }
    let message = json!({ "session_id": SESSION, "cwd": laptop.sandbox.vault(), "source": "startup" });
    let start = |token: &str| {
        let run = laptop.sandbox.run(&["hook", "claude", "session-start"]).env("CM_TOKEN", token);
        run.stdin(message.to_string()).go().ok().stdout
    };
    assert!(start("").contains("does not accept the token"));
    assert!(start(&team.token).contains("Run the whole suite"));
}

#[test]
fn a_server_without_tokens_on_this_machine_needs_none() {
    let sandbox = rules();
    sandbox.cm(&["reindex"]).ok();
    let server = ServerProcess::of(&sandbox, &[]);
    let laptop = Laptop::new();
    let url = format!("http://{}", server.address);
    let ran = laptop.sandbox.cm(&["hooks", "install", "claude", "--server", &url]).ok();
    assert!(ran.stdout.contains("no token is used"), "{}", ran.stdout);
    assert!(laptop.start(SESSION).contains("Run the whole suite"));
}

#[test]
fn a_projects_connection_comes_before_its_vault_and_the_users_after_it() {
    let server =
        Server::start(|_, _| Reply::json(&json!({ "rules": [{ "id": "b-1", "content": "From afar." }] })));
    let sandbox = vault_of("--- CORE.md\n# Core memory\n\n## Rules\n\n- From here.\n");
    sandbox.cm(&["reindex"]).ok();
    sandbox.write(".claude/settings.json", "{}\n");
    let laptop = Laptop { sandbox };
    fs::create_dir_all(laptop.sandbox.root().join("home/.claude")).unwrap();
    laptop.install(&server.url(), "cm_token", &["--user"]).ok();
    assert!(laptop.start("one").contains("From here."));
    let ran = laptop.install(&server.url(), "cm_token", &["--project"]).ok();
    assert!(ran.stderr.contains("hooks no longer use the vault"), "{}", ran.stderr);
    assert!(laptop.start("two").contains("From afar."));
    let other = laptop.sandbox.root().join("tmp");
    let message = json!({ "session_id": "three", "cwd": other, "source": "startup" });
    let ran = laptop.sandbox.run(&["hook", "claude", "session-start"]).stdin(message.to_string()).go().ok();
    assert!(ran.stdout.contains("From afar."), "{}", ran.stdout);
}

#[test]
fn a_self_signed_server_is_trusted_by_its_certificate_alone() {
    let team = Team::new();
    let server = ServerProcess::of(&team.sandbox, &["--tls-self-signed"]);
    let url = server.address.clone();
    assert!(url.starts_with("https://"), "{url}");
    let certificate = team.sandbox.private("tls-cert.pem");
    let laptop = Laptop::new();
    let unknown = laptop.install(&url, &team.token, &[]).ok();
    assert!(unknown.stderr.contains("the server could not be asked"), "{}", unknown.stderr);
    assert!(laptop.start("one").contains("is not available"));
    laptop.install(&url, &team.token, &["--certificate", &certificate.display().to_string()]).ok();
    assert!(laptop.start("two").contains("Run the whole suite"), "{}", laptop.server());
}

#[test]
fn a_dry_run_says_of_the_token_what_would_be() {
    let laptop = Laptop::new();
    let url = "https://memory.example.org";
    let dry = laptop.install(url, "cm_token", &["--dry-run"]).ok();
    assert!(dry.stdout.contains("the token would be stored in your private files"), "{}", dry.stdout);
    let server = Server::start(|_, _| Reply::json(&json!({ "rules": [] })));
    laptop.install(&server.url(), "cm_token", &[]).ok();
    let words = ["hooks", "install", "claude", "--server", &server.url(), "--dry-run"];
    let again = laptop.sandbox.cm(&words).ok();
    assert!(again.stdout.contains("the token is in your private files"), "it is: {}", again.stdout);
}

#[test]
fn two_spellings_of_one_address_are_one_server() {
    let server = Server::start(|_, _| Reply::json(&json!({ "rules": [] })));
    let url = server.url().replace("127.0.0.1", "localhost");
    let laptop = Laptop::connected(&url, "cm_token");
    laptop.install(&url.to_uppercase(), "cm_other", &["--user"]).ok();
    let servers = laptop.sandbox.cm(&["hooks", "status", "--json"]).ok().json()["servers"].clone();
    let urls: Vec<&str> =
        servers.as_array().unwrap().iter().map(|one| one["url"].as_str().unwrap()).collect();
    assert_eq!(urls, [url.as_str(), url.as_str()]);
    let tokens = fs::read_dir(laptop.sandbox.private_home().config.join("servers")).unwrap();
    assert_eq!(tokens.count(), 1);
}

#[test]
fn privacy_and_doctor_say_on_a_laptop_without_a_vault_where_texts_go_and_what_waits() {
    let laptop = Laptop::new();
    for command in ["privacy", "doctor"] {
        let ran = laptop.sandbox.cm(&[command, "--json"]);
        assert_eq!((ran.code, &ran.json()["error"]["code"]), (3, &json!("no-vault")), "{command}");
    }
    let server = Server::start(|number, _| match number {
        0 => Reply::json(&json!({ "session": "check", "received": 0 })),
        _ => Reply::status(502, "<html>Bad gateway</html>"),
    });
    let url = server.url();
    laptop.install(&url, "cm_token", &[]).ok();
    laptop.talk(SESSION, &[("user", "Run the suite.")]);
    laptop.deliver("claude-code", SESSION);
    let shown = |command: &str| laptop.sandbox.cm(&[command]).snapshot().replace(&url, "[SERVER]");
    insta::assert_snapshot!(shown("privacy"), @"
    agents        all: claude-code, codex, cursor, aider, pi, gemini, chatgpt, opencode, cline, amp, copilot-cli, qwen
    folders       [ROOT]/vault; and of these only /
    cross-agent   each agent sees only its own sessions
    redaction     secrets are removed by the built-in rules
    model         none: session text is sent to no model
    server        [SERVER]: the hooks of this folder send sessions and prompts there, without secrets
                  1 upload waiting on this machine
    cass          is not used
    latest reads; `cm privacy log` lists more
      none
    [exit 0]
    ");
    insta::assert_snapshot!(shown("doctor"), @"
    ok    settings      all valid
    warn  server        [SERVER] is failing since 2026-11-21T12:00:00Z: the server returned status 502: <html>Bad gateway</html>
                        hint: `cm hooks deliver` tries again
    ok    token         in your private files
    ok    uploads       1 upload waiting
    [exit 0]
    ");
    for command in ["privacy", "doctor"] {
        assert_fits(command, &laptop.sandbox.cm(&[command, "--json"]));
    }
    let log = laptop.sandbox.cm(&["privacy", "log", "--json"]);
    assert_eq!(log.code, 3, "the log belongs to a vault");
    fs::create_dir_all(laptop.sandbox.private_home().config).unwrap();
    let settings = laptop.sandbox.private_home().config.join("config.toml");
    fs::write(&settings, "[sessions]\nagents = [\"codex\"]\nworkspaces = [\"~/src\"]\n").unwrap();
    let status = laptop.sandbox.cm(&["privacy", "--json"]).ok().json();
    assert_eq!((&status["agents"], status["workspaces"].as_array().unwrap().len()), (&json!(["codex"]), 2));
    fs::write(&settings, "[hooks]\ncapture = \"maybe\"\n").unwrap();
    assert_eq!(laptop.sandbox.cm(&["doctor"]).code, 1, "settings that stop everything");
}

#[test]
fn doctor_and_deliver_ask_the_server_where_nothing_waits() {
    let team = Team::new();
    let server = team.serve();
    let url = format!("http://{}", server.address);
    let laptop = Laptop::connected(&url, &team.token);
    let examined = laptop.sandbox.cm(&["doctor"]).ok().stdout;
    assert!(examined.contains(&format!("{url} answers")), "{examined}");
    team.sandbox.cm(&["token", "revoke", "Ada"]).ok();
    let examined = laptop.sandbox.cm(&["doctor"]).ok().stdout;
    assert_eq!(examined.matches("get a new token").count(), 2, "{examined}");
    server.end(rustix::process::Signal::TERM);
    let examined = laptop.sandbox.cm(&["doctor"]).ok().stdout;
    assert!(examined.contains("is failing since"), "{examined}");
    let delivered = laptop.sandbox.cm(&["hooks", "deliver", "--json"]);
    assert_eq!(delivered.code, 7, "{}", delivered.snapshot());
}

#[test]
fn the_start_of_a_session_has_the_rules_for_any_work_and_searches_no_word_of_cm() {
    let team = Team::new();
    for rule in ["A change of prices needs two reviewers.", "Never log a position together with an ID."] {
        team.sandbox.cm(&["playbook", "add", rule]).ok();
    }
    let decision =
        ["add", "--type", "decision", "--title", "Bookings live in Postgres", "--body", "In Graz."];
    team.sandbox.cm(&decision).ok();
    team.sandbox.cm(&["add", "--type", "fact", "--title", "Roof key", "--body", "With Jan."]).ok();
    let server = team.serve();
    let laptop = Laptop::connected(&format!("http://{}", server.address), &team.token);
    let start = laptop.start(SESSION);
    assert!(start.contains("two reviewers") && start.contains("Bookings live in Postgres"), "{start}");
    assert!(start.contains("Roof key"), "a new fact is in use: {start}");
    assert!(!start.contains("current work"), "{start}");
    laptop.sandbox.git(&["commit", "--quiet", "--allow-empty", "-m", "log the position of a ride"]);
    let start = laptop.start("0b9c1f0e-6f1d-4c57-9a53-2f0f4a3f8a12");
    assert!(start.contains("two reviewers") && start.contains("current work"), "{start}");
    let (status, briefing) = server.ask("GET", "/context", &team.token, "");
    let briefing: Value = serde_json::from_str(&briefing).unwrap();
    assert_eq!((status, &briefing["searches"]), (200, &json!([])), "{briefing}");
}
