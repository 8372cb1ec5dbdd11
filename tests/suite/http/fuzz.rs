//! Arbitrary bytes cause no panic, no 5xx status, and no response outside the API description.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use cm_server::http::{ServerState, router};
use http_body_util::BodyExt as _;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use tower::ServiceExt as _;

use super::support::TestServerConfig;
use crate::support::Sandbox;

/// A router that is called without sockets.
struct Served {
    router: Router,
    runtime: tokio::runtime::Runtime,
    _sandbox: Sandbox,
}

impl Served {
    fn new() -> Self {
        let mut start = TestServerConfig::default();
        start.limits.token.burst = u32::MAX;
        start.limits.address.burst = u32::MAX;
        let (setup, sandbox, _) = start.setup();
        let state = Arc::new(ServerState::new(setup, "127.0.0.1:1".parse().unwrap(), true));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { router: router(&state), runtime, _sandbox: sandbox }
    }

    fn answer(&self, method: &str, target: &str, body: Vec<u8>) -> Option<(u16, Vec<u8>)> {
        let request = Request::builder().method(method).uri(target).header("host", "localhost");
        let request = request.header("content-type", "application/json").body(Body::from(body)).ok()?;
        let router = self.router.clone();
        Some(self.runtime.block_on(async {
            let response = router.oneshot(request).await.unwrap();
            let status = response.status().as_u16();
            (status, response.into_body().collect().await.unwrap().to_bytes().to_vec())
        }))
    }
}

/// Sends 120 generated inputs. `asked` returns whether the input made a request; most must.
fn all<S: Strategy>(given: S, asked: impl Fn(&Served, S::Value) -> bool) {
    let served = Served::new();
    let sent = std::cell::Cell::new(0);
    let mut runner = TestRunner::new(ProptestConfig::with_cases(120));
    runner
        .run(&given, |value| {
            sent.set(sent.get() + usize::from(asked(&served, value)));
            Ok(())
        })
        .unwrap();
    assert!(sent.get() > 60, "only {} requests were sent", sent.get());
}

const POSTS: [&str; 2] = ["/observations", "/feedback"];
const KNOWN: [u16; 9] = [200, 201, 400, 404, 405, 409, 413, 414, 415];

fn holds(target: &str, (status, body): (u16, Vec<u8>)) {
    assert!(KNOWN.contains(&status), "{target}: {status} {}", String::from_utf8_lossy(&body));
    assert!(serde_json::from_slice::<serde_json::Value>(&body).unwrap().is_object());
}

/// Strategy for JSON that resembles valid input.
fn near() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        any::<f64>().prop_map(|number| format!("{number:e}")),
        any::<i64>().prop_map(|number| number.to_string()),
        "(?s).{0,30}".prop_map(|text| serde_json::Value::from(text).to_string()),
        Just("[]".to_owned()),
        Just("[{\"role\": \"user\", \"text\": \"\\u0000\"}]".to_owned()),
        Just("{}".to_owned()),
        Just("\"helpful\"".to_owned()),
        Just("\"b-mt2ssunl\"".to_owned()),
        Just("1e999".to_owned()),
    ];
    let name = prop_oneof![
        "content|category|priority|tags|session|memoryId|id|signal|note",
        "(?s).{0,10}".prop_map(|text| text),
    ];
    prop::collection::vec((name, value), 0..6).prop_map(|fields| {
        let fields: Vec<String> = fields
            .into_iter()
            .map(|(name, value)| format!("{}: {value}", serde_json::Value::from(name)))
            .collect();
        format!("{{{}}}", fields.join(", "))
    })
}

#[test]
fn any_bytes_as_a_body_get_a_json_answer_of_a_documented_status() {
    all(
        (prop::sample::select(&POSTS[..]), prop::collection::vec(any::<u8>(), 0..400)),
        |served, (target, body)| {
            holds(target, served.answer("POST", target, body).unwrap());
            true
        },
    );
}

#[test]
fn any_json_as_a_body_gets_a_json_answer_of_a_documented_status() {
    all((prop::sample::select(&POSTS[..]), near()), |served, (target, body)| {
        holds(target, served.answer("POST", target, body.into_bytes()).unwrap());
        true
    });
}

#[test]
fn any_target_gets_a_documented_status() {
    let given = ("/(search|context|export|health|)[!$-;=?-_a-z|~]{0,40}", "GET|POST|PUT|HEAD|[A-Z]{1,9}");
    all(given, |served, (path, method)| {
        let answered = served.answer(&method, &path, Vec::new());
        if let Some((status, body)) = &answered {
            assert!(KNOWN.contains(status), "{method} {path}: {status} {}", String::from_utf8_lossy(body));
        }
        answered.is_some()
    });
}

#[test]
fn any_query_gets_a_json_answer_of_a_documented_status() {
    let field =
        ("q|task|limit|priority|category|type|max_tokens|explain|as_of|since|until|x", "[!$-;=?-~]{0,20}");
    all((prop::collection::vec(field, 0..5), "/search|/context|/export"), |served, (fields, path)| {
        let query: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let answered = served.answer("GET", &format!("{path}?{}", query.join("&")), Vec::new());
        answered.map(|answered| holds(&path, answered)).is_some()
    });
}
