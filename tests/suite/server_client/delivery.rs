//! Briefings, sessions and feedback between a laptop and a real server.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::json;

use super::support::{Laptop, Proxy, SECRET, SESSION, Team, behind_a_proxy, eventually};
use crate::cli::rules::SUITE;
use crate::support::everything;

const RULE: &str = "playbook/testing/run-the-whole-suite-before-you-push-75ecd8.md";
const OTHER: &str = "1c9c1f0e-6f1d-4c57-9a53-2f0f4a3f8a22";

fn helpful() -> String {
    format!("The suite found it.\n\n[cm: helpful {SUITE}]")
}

#[test]
fn a_briefing_arrives_and_the_session_and_its_feedback_reach_the_vault_without_secrets() {
    let team = Team::new();
    let server = team.serve();
    let laptop = Laptop::connected(&format!("http://{}", server.address), &team.token);
    let start = laptop.start(SESSION);
    assert!(start.contains("Run the whole suite before you push."), "{start}");
    assert_eq!(laptop.start(SESSION), "", "a session is briefed once");
    let prompt = "How do I retry requests with jitter?";
    assert!(start.contains("Retry with jitter"), "the memories for any work: {start}");
    assert!(!laptop.prompt(SESSION, prompt).contains("Retry with jitter"), "{start}");
    assert_eq!(laptop.prompt(SESSION, "How do we retry requests with more jitter?"), "", "and told it once");
    let typed = format!("Run the suite. The key is {SECRET}.");
    laptop.talk(SESSION, &[("user", &typed), ("assistant", &helpful())]);
    laptop.hook(SESSION, "stop", &json!({}));
    assert!(eventually(|| team.sandbox.read(RULE).contains("feedback:")), "{}", laptop.server());
    let rule = team.sandbox.read(RULE);
    for line in ["signal: helpful", "weight: 0.3", "agent: claude-code", "author: Ada", SESSION] {
        assert!(rule.contains(line), "{rule}");
    }
    laptop.talk(SESSION, &[("user", "Thanks.")]);
    laptop.hook(SESSION, "session-end", &json!({ "reason": "other" }));
    assert!(eventually(|| team.messages(SESSION).len() == 3), "{:?}", team.messages(SESSION));
    let roles: Vec<String> = team.messages(SESSION).into_iter().map(|(role, _)| role).collect();
    assert_eq!(roles, ["user", "assistant", "user"]);
    laptop.waits_for(0);
    assert_eq!(team.sandbox.read(RULE), rule, "a mark counts once a session");
    let outcome = team.sandbox.cm(&["outcome", SESSION, "success"]);
    let learned = team.sandbox.read(RULE).matches("signal: helpful").count();
    assert_eq!(learned, 1, "nor when the session is evaluated: {}", outcome.snapshot());
    for (folder, sandbox) in [("server", &team.sandbox), ("laptop", &laptop.sandbox)] {
        let files =
            everything(sandbox.root()).into_keys().filter(|path| !path.starts_with("home/.claude/projects"));
        for path in files {
            let bytes = std::fs::read(sandbox.root().join(&path)).unwrap_or_default();
            assert!(!String::from_utf8_lossy(&bytes).contains(SECRET), "{folder}: {path}");
        }
    }
}

#[test]
fn what_waits_for_a_former_address_is_named_and_sent_to_the_new_one_on_request() {
    let (team, server, proxy, laptop) = behind_a_proxy();
    proxy.lead_to(None);
    drop(server);
    laptop.talk(SESSION, &[("user", "Run the suite."), ("assistant", "It passes.")]);
    laptop.hook(SESSION, "session-end", &json!({ "reason": "other" }));
    laptop.waits_for(1);
    let former_url = laptop.server()["url"].as_str().unwrap().to_owned();
    let server = team.serve();
    let ran = laptop.install(&format!("http://{}", server.address), &team.token, &[]).ok();
    assert!(ran.stderr.contains("`cm hooks deliver --from "), "{}", ran.snapshot());
    let deliver = |more: &[&str]| laptop.sandbox.run(&[&["hooks", "deliver"], more].concat()).go();
    for shown in [laptop.sandbox.cm(&["hooks", "status"]).ok().stdout, deliver(&[]).ok().stdout] {
        assert!(shown.contains("which no folder calls any more"), "{shown}");
    }
    assert_eq!(team.messages(SESSION).len(), 0, "nothing is sent to another server by itself");
    let refused = laptop.sandbox.run(&["hooks", "deliver", "--from", &former_url, "--json"]);
    let refused = refused.env("CLAUDECODE", "1").go().json();
    assert_eq!(refused["error"]["code"], "persons-only", "{refused}");
    assert_eq!(deliver(&["--from", "other"]).code, 4);
    let sent = deliver(&["--from", &former_url]).ok().stdout;
    assert!(sent.contains("1 upload delivered") && !sent.contains("no folder"), "{sent}");
    assert_eq!(team.messages(SESSION).len(), 2);
    assert_eq!(deliver(&["--from", &former_url]).ok().stdout, "no pending uploads\n");
}

#[test]
fn a_server_that_is_away_breaks_no_hook_and_gets_everything_once_when_it_is_back() {
    let (team, server, proxy, laptop) = behind_a_proxy();
    proxy.lead_to(None);
    drop(server);
    let commits = team.commits();
    let start = laptop.start(SESSION);
    assert!(start.contains("is not available") && !start.contains("Run the whole suite"), "{start}");
    assert_eq!(laptop.prompt(SESSION, "run the whole suite before the push"), "");
    for session in [SESSION, OTHER] {
        laptop.talk(session, &[("user", "Run the suite."), ("assistant", &helpful())]);
        laptop.hook(session, "stop", &json!({}));
        laptop.hook(session, "stop", &json!({}));
        laptop.hook(session, "session-end", &json!({ "reason": "other" }));
    }
    laptop.waits_for(4);
    let shown = laptop.sandbox.cm(&["hooks", "status"]).ok().stdout;
    assert!(shown.contains("4 uploads wait") && shown.contains("failing since"), "{shown}");
    assert!(laptop.start(SESSION).contains("4 uploads wait on this machine."));
    assert_eq!(team.commits(), commits);
    let server = team.serve();
    proxy.lead_to(Some(&server));
    let start = laptop.start(SESSION);
    assert!(start.contains("Run the whole suite"), "what was missing is given now: {start}");
    laptop.waits_for(0);
    for session in [SESSION, OTHER] {
        assert_eq!(team.messages(session).len(), 2, "{session}");
    }
    assert_eq!(team.commits(), commits + 2, "one change for each mark");
    assert_eq!(team.sandbox.read(RULE).matches("signal: helpful").count(), 2);
    assert!(eventually(|| laptop.server()["failing_since"].is_null()), "{}", laptop.server());
}

#[test]
fn an_upload_whose_answer_is_lost_is_delivered_once() {
    let (team, server, proxy, laptop) = behind_a_proxy();
    let commits = team.commits();
    laptop.talk(SESSION, &[("user", "Run the suite."), ("assistant", &helpful())]);
    // First the answer about the session is lost, then that about the feedback.
    proxy.lose(1);
    laptop.hook(SESSION, "stop", &json!({}));
    assert!(eventually(|| proxy.are_answers_lost()));
    laptop.waits_for(2);
    proxy.lead_to(None);
    drop(server);
    let server = team.serve();
    proxy.lead_to(Some(&server));
    let sent = proxy.count("POST /feedback");
    laptop.hook(SESSION, "pre-tool", &json!({ "tool_name": "Read", "tool_input": {} }));
    assert_eq!(proxy.count("POST /feedback"), sent, "an event without work sends nothing");
    laptop.hook(SESSION, "session-end", &json!({}));
    laptop.waits_for(0);
    assert_eq!(team.commits(), commits + 1);
    laptop.talk(OTHER, &[("user", "Run it."), ("assistant", &helpful())]);
    laptop.hook(OTHER, "stop", &json!({}));
    assert!(eventually(|| team.commits() == commits + 2));
    laptop.waits_for(0);
    let third = "2d9c1f0e-6f1d-4c57-9a53-2f0f4a3f8a33";
    laptop.talk(third, &[("assistant", &helpful())]);
    proxy.lose(2);
    laptop.hook(third, "stop", &json!({}));
    laptop.waits_for(2);
    laptop.hook(third, "session-end", &json!({}));
    assert!(eventually(|| proxy.are_answers_lost()));
    laptop.hook(third, "session-end", &json!({}));
    laptop.waits_for(0);
    assert_eq!(team.commits(), commits + 3, "{}", team.sandbox.git(&["log", "--oneline"]));
    assert_eq!(team.sandbox.read(RULE).matches("signal: helpful").count(), 3);
    assert_eq!(
        (team.messages(SESSION).len(), team.messages(OTHER).len(), team.messages(third).len()),
        (2, 2, 1)
    );
}

#[test]
fn hooks_at_the_same_time_queue_and_deliver_each_upload_once() {
    let team = Team::new();
    let proxy = Proxy::start();
    let laptop = Laptop::new();
    let server = team.serve();
    proxy.lead_to(Some(&server));
    laptop.install(&proxy.url, &team.token, &[]).ok();
    let checked = proxy.count("POST /sessions");
    laptop.talk(SESSION, &[("user", "Run the suite."), ("assistant", &helpful())]);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| laptop.hook(SESSION, "stop", &json!({})));
        }
    });
    assert!(eventually(|| team.sandbox.read(RULE).contains("signal: helpful")));
    laptop.waits_for(0);
    assert_eq!(team.messages(SESSION).len(), 2);
    assert_eq!((proxy.count("POST /sessions") - checked, proxy.count("POST /feedback")), (1, 1));
}

#[test]
fn what_the_server_never_accepts_is_set_aside_with_its_reason_and_holds_up_nothing() {
    let team = Team::new();
    let server = team.serve();
    let laptop = Laptop::connected(&format!("http://{}", server.address), &team.token);
    let marks = format!("[cm: helpful b-zzzzzzzz-zzzzzz]\n\n{}", helpful());
    laptop.talk(SESSION, &[("user", "Run the suite."), ("assistant", &marks)]);
    laptop.hook(SESSION, "session-end", &json!({ "reason": "other" }));
    assert!(eventually(|| laptop.server()["refused_total"] == 1), "{}", laptop.server());
    laptop.waits_for(0);
    assert!(team.sandbox.read(RULE).contains("signal: helpful"));
    let state = laptop.server();
    assert_eq!(
        (&state["refused"][0]["kind"], &state["refused"][0]["session"]),
        (&json!("feedback"), &json!(SESSION))
    );
    let reason = state["refused"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("404") && reason.contains("b-zzzzzzzz-zzzzzz"), "{reason}");
    let shown = laptop.sandbox.cm(&["hooks", "status"]).ok().stdout;
    assert!(shown.contains("1 upload rejected permanently"), "{shown}");
}

#[test]
fn a_session_is_found_without_the_path_of_its_log_and_a_subagents_is_not_sent() {
    let team = Team::new();
    let server = team.serve();
    let laptop = Laptop::connected(&format!("http://{}", server.address), &team.token);
    for session in [SESSION, OTHER] {
        laptop.talk(session, &[("user", "Run the suite.")]);
    }
    laptop.hook(OTHER, "stop", &json!({ "agent_id": "a-1" }));
    laptop.hook(SESSION, "session-end", &json!({ "transcript_path": null }));
    assert!(eventually(|| team.messages(SESSION).len() == 1), "{}", laptop.server());
    laptop.waits_for(0);
    assert!(team.messages(OTHER).is_empty());
}

#[test]
fn a_token_that_can_only_read_or_was_revoked_loses_nothing() {
    let team = Team::new();
    let made = team.sandbox.cm(&["token", "add", "Bob", "--role", "reader", "--json"]).ok().json();
    let server = team.serve();
    let url = format!("http://{}", server.address);
    let laptop = Laptop::new();
    let ran = laptop.install(&url, made["token"].as_str().unwrap(), &[]).ok();
    assert!(ran.stderr.contains("the token can only read"), "{}", ran.stderr);
    assert!(laptop.start(SESSION).contains("Run the whole suite"));
    laptop.talk(SESSION, &[("user", "Run the suite.")]);
    laptop.hook(SESSION, "stop", &json!({}));
    laptop.waits_for(1);
    assert!(eventually(|| laptop.server()["cause"].to_string().contains("403")), "{}", laptop.server());
    let prompt = laptop.prompt(OTHER, "run the whole suite before the push");
    assert!(prompt.contains("Run the whole suite"), "briefings go on: {prompt}");
    team.sandbox.cm(&["token", "revoke", "Bob"]).ok();
    let start = laptop.start("after-the-end-of-the-token");
    assert!(start.contains("does not accept the token of this machine. "), "{start}");
    laptop.install(&url, &team.token, &[]).ok();
    assert!(laptop.start("after-the-new-token").contains("Run the whole suite"));
    laptop.waits_for(0);
    assert_eq!(team.messages(SESSION).len(), 1);
    assert!(eventually(|| laptop.server()["cause"].is_null()), "{}", laptop.server());
}

#[test]
fn a_delivery_that_is_killed_between_change_and_answer_is_completed_once() {
    let (team, _server, proxy, laptop) = behind_a_proxy();
    let commits = team.commits();
    laptop.talk(SESSION, &[("user", "Run the suite."), ("assistant", &helpful())]);
    let task = json!({
        "agent": "claude-code", "refresh_memory": true,
        "session": { "agent": "claude-code", "session": SESSION, "transcript": laptop.transcript(SESSION) },
    });
    for endpoint in ["POST /sessions", "POST /feedback"] {
        let before = proxy.count(endpoint);
        proxy.hold(Some(endpoint));
        let mut command = laptop.sandbox.command(&["hook", "deliver"]);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(task.to_string().as_bytes()).unwrap();
        assert!(eventually(|| proxy.count(endpoint) == before + 1), "{endpoint}");
        child.kill().unwrap();
        child.wait().unwrap();
        proxy.hold(None);
    }
    let run = laptop.sandbox.run(&["hook", "deliver"]).stdin(task.to_string()).go();
    assert_eq!(run.code, 0);
    laptop.waits_for(0);
    assert_eq!((team.commits(), team.messages(SESSION).len()), (commits + 1, 2));
    assert_eq!(team.sandbox.read(RULE).matches("signal: helpful").count(), 1);
}

#[test]
fn a_session_is_queued_while_another_process_delivers_and_that_one_sends_it_too() {
    let (team, _server, proxy, laptop) = behind_a_proxy();
    let checked = proxy.count("POST /sessions");
    for session in [SESSION, OTHER] {
        laptop.talk(session, &[("user", "Run the suite."), ("assistant", &helpful())]);
    }
    let task = |session: &str| {
        let transcript = laptop.transcript(session);
        let reference = json!({ "agent": "claude-code", "session": session, "transcript": transcript });
        json!({ "agent": "claude-code", "refresh_memory": false, "session": reference }).to_string()
    };
    proxy.hold(Some("POST /sessions"));
    let mut command = laptop.sandbox.command(&["hook", "deliver"]);
    let mut first = command.stdin(Stdio::piped()).spawn().unwrap();
    first.stdin.take().unwrap().write_all(task(SESSION).as_bytes()).unwrap();
    assert!(eventually(|| proxy.count("POST /sessions") == checked + 1));
    assert_eq!(laptop.sandbox.run(&["hook", "deliver"]).stdin(task(OTHER)).go().code, 0);
    assert!(first.try_wait().unwrap().is_none(), "the second waited for the delivery of the first");
    assert_eq!(laptop.server()["waiting"], 4, "{}", laptop.server());
    proxy.hold(None);
    assert!(first.wait().unwrap().success());
    assert_eq!(laptop.server()["waiting"], 0, "{}", laptop.server());
    assert_eq!((team.messages(SESSION).len(), team.messages(OTHER).len()), (2, 2));
}

#[test]
fn a_linked_work_tree_belongs_to_the_project_and_a_repository_inside_it_does_not() {
    let team = Team::new();
    let server = team.serve();
    let laptop = Laptop::connected(&format!("http://{}", server.address), &team.token);
    let project = laptop.sandbox.vault();
    laptop.sandbox.git(&["commit", "--quiet", "--allow-empty", "--message", "Begin"]);
    laptop.sandbox.git(&["worktree", "add", "--quiet", "../tree"]);
    laptop.sandbox.git(&["init", "--quiet", "vendor"]);
    let folders = [(SESSION, laptop.sandbox.root().join("tree")), (OTHER, project.join("vendor"))];
    for (session, folder) in &folders {
        laptop.talk(session, &[("user", "Run the suite.")]);
        let path = laptop.transcript(session);
        let (from, to) = (project.display().to_string(), folder.display().to_string());
        std::fs::write(&path, std::fs::read_to_string(&path).unwrap().replace(&from, &to)).unwrap();
    }
    let start = |session, folder| {
        laptop.added(session, "session-start", &json!({ "source": "startup", "cwd": folder }))
    };
    assert!(start(SESSION, &folders[0].1).contains("Run the whole suite"));
    assert_eq!(start(OTHER, &folders[1].1), "");
    for (session, folder) in &folders {
        laptop.hook(session, "session-end", &json!({ "cwd": folder }));
    }
    laptop.hook(OTHER, "session-end", &json!({}));
    assert!(eventually(|| team.messages(SESSION).len() == 1), "{}", laptop.server());
    laptop.waits_for(0);
    assert!(team.messages(OTHER).is_empty(), "a session of another repository");
}

#[test]
fn after_the_end_of_a_token_every_hint_leads_to_a_new_one_and_the_server_is_named() {
    let team = Team::new();
    let server = team.serve();
    let url = format!("http://{}", server.address);
    let made = team.sandbox.cm(&["token", "add", "Bob", "--json"]).ok().json();
    let laptop = Laptop::new();
    laptop.install(&url, made["token"].as_str().unwrap(), &[]).ok();
    let home = laptop.sandbox.cm(&[]).ok().stdout;
    assert!(home.contains(&format!("next: cm hooks status shows the connection to {url}")), "{home}");
    let search = laptop.sandbox.cm(&["search", "suite"]);
    assert!(search.stderr.contains(&format!("the memory of this folder is on {url}")), "{}", search.stderr);
    team.sandbox.cm(&["token", "revoke", "Bob"]).ok();
    assert!(laptop.start(SESSION).contains("does not accept the token"));
    let delivered = laptop.sandbox.cm(&["hooks", "deliver", "--json"]);
    assert_eq!(delivered.code, 7, "{}", delivered.snapshot());
    assert!(delivered.json()["failure"].as_str().unwrap().contains("401"), "{}", delivered.stdout);
    let examined = laptop.sandbox.cm(&["doctor"]).ok().stdout;
    assert_eq!(examined.matches("get a new token").count(), 2, "{examined}");
    laptop.install(&url, &team.token, &[]).ok();
    laptop.sandbox.cm(&["hooks", "deliver"]).ok();
    assert!(!laptop.sandbox.cm(&["doctor"]).ok().stdout.contains("failing since"));
}
