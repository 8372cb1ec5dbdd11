//! Requests with an idempotency key: a repeated one gets the first answer, and changes nothing.

use serde_json::json;

use super::support::Reply;
use crate::cli::rules::rules;
use crate::support::{Sandbox, ServerProcess};

fn token(sandbox: &Sandbox, person: &str) -> String {
    let made = sandbox.cm(&["token", "add", person, "--json"]).ok().json();
    made["token"].as_str().unwrap().to_owned()
}

fn observe(server: &ServerProcess, token: &str, key: &str, content: &str) -> Reply {
    let bearer = format!("Bearer {token}");
    let headers = [
        ("authorization", bearer.as_str()),
        ("content-type", "application/json"),
        ("cm-agent", "codex"),
        ("idempotency-key", key),
    ];
    server.send("POST", "/observations", &headers, &json!({ "content": content }).to_string())
}

#[test]
fn a_repeated_request_gets_the_first_answer_also_from_a_restarted_server() {
    const SOCKETS: &str = "The gateway drops idle sockets after 60 s.";
    let sandbox = rules();
    let (ada, bob) = (token(&sandbox, "Ada"), token(&sandbox, "Bob"));
    let server = ServerProcess::of(&sandbox, &[]);
    let first = observe(&server, &ada, "k-1", SOCKETS);
    assert_eq!(first.status, 201, "{first:?}");
    let head = || sandbox.git(&["rev-parse", "HEAD"]);
    let written = head();
    assert_eq!(observe(&server, &ada, "k-1", SOCKETS).body, first.body);
    drop(server);
    let server = ServerProcess::of(&sandbox, &[]);
    assert_eq!(observe(&server, &ada, "k-1", SOCKETS).body, first.body);
    assert_eq!(head(), written, "nothing is written again");
    let other = observe(&server, &ada, "k-1", "The proxy has no IPv6.");
    assert_eq!((other.status, other.refusal().1), (409, "key-reused".to_owned()));
    assert_eq!(head(), written);
    let of_bob = observe(&server, &bob, "k-1", "The proxy has no IPv6.");
    assert_eq!(of_bob.status, 201, "a key belongs to its token: {of_bob:?}");
    let invalid = observe(&server, &ada, "\u{e9}", SOCKETS);
    assert_eq!((invalid.status, invalid.refusal().1), (400, "header".to_owned()));
}

#[test]
fn the_same_request_with_its_keys_in_another_order_gets_the_first_answer() {
    let sandbox = rules();
    let ada = token(&sandbox, "Ada");
    let server = ServerProcess::of(&sandbox, &[]);
    let bearer = format!("Bearer {ada}");
    let send = |body: &str| {
        let json = ("content-type", "application/json");
        let headers = [("authorization", bearer.as_str()), json, ("idempotency-key", "k")];
        server.send("POST", "/observations", &headers, body)
    };
    let first = send("{\"content\": \"The queue holds 256 calls.\", \"tags\": [\"a\", \"b\"]}");
    assert_eq!(first.status, 201, "{first:?}");
    let again = send("{ \"tags\": [\"a\", \"b\"], \"content\": \"The queue holds 256 calls.\" }");
    assert_eq!((again.status, again.body), (201, first.body));
}

#[test]
fn requests_with_one_key_at_once_are_one_change() {
    let sandbox = rules();
    let ada = token(&sandbox, "Ada");
    let server = ServerProcess::of(&sandbox, &[]);
    let before = sandbox.git(&["rev-list", "--count", "HEAD"]);
    let answers: Vec<String> = std::thread::scope(|scope| {
        let send = || scope.spawn(|| observe(&server, &ada, "k", "The queue holds 256 calls.").body);
        let running = [send(), send(), send(), send()];
        running.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    let after = sandbox.git(&["rev-list", "--count", "HEAD"]);
    let count = |text: &str| text.trim().parse::<usize>().unwrap();
    assert_eq!(count(&after), count(&before) + 1);
}

#[test]
fn a_refused_request_runs_again_under_its_key() {
    let sandbox = rules();
    let ada = token(&sandbox, "Ada");
    let server = ServerProcess::of(&sandbox, &[]);
    let secret = format!("The key is ghp_{}.", &"aB3dE5gH7j".repeat(4)[..36]);
    assert_eq!(observe(&server, &ada, "k", &secret).status, 409);
    assert_eq!(observe(&server, &ada, "k", "The key rotates each 30 days.").status, 201);
}
