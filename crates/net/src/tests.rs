//! Tests with servers that are slow, busy, unreachable or faulty, on the loopback interface.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;

use super::*;
use cm_test_server::{ReceivedRequest, Reply, Server};

const KEY: &str = "sk-secret-12345";
/// A timeout that is never reached in practice.
const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(100);

const PATIENCE: RetryPolicy = RetryPolicy {
    retries: 2,
    pause: Duration::from_secs(1),
    growth: 3,
    longest: Duration::from_secs(30),
    jitter: None,
    retry_timeouts: true,
};

/// Returns a client that does not really sleep, and the recorded delays.
fn client(retry_policy: RetryPolicy) -> (Client, Arc<Mutex<Vec<Duration>>>) {
    let waits = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&waits);
    let retry_sleeper = RetrySleeper::new(move |wait| kept.lock().unwrap().push(wait), || false);
    let key = ApiKey::of(KEY).map(|key| (key, AuthHeader::Header("x-api-key")));
    (
        Client::new(ClientConfig {
            key,
            headers: vec![("x-version", "1")],
            max_response_bytes: 1 << 20,
            retry_policy,
            retry_sleeper,
            certificate: None,
        }),
        waits,
    )
}

/// Sends a request and returns the result, the delays and the number of requests as text, with the
/// port masked.
fn asked(script: impl Fn(usize, &ReceivedRequest) -> Reply + Send + 'static, timeout: Duration) -> String {
    let server = Server::start(script);
    let (client, waits) = client(PATIENCE);
    let address = ServerUrl::parse(&server.url()).unwrap();
    let result = client.post(&address.below("v1"), &json!({}), timeout);
    let debug = format!("{result:?}");
    let said = match result {
        Ok(body) => String::from_utf8_lossy(&body).into_owned(),
        Err(error) => error.to_string().replace(&address.to_string(), "http://HOST"),
    };
    assert!(!said.contains("12345") && !debug.contains("12345"), "{said} {debug}");
    let waits: Vec<_> = waits.lock().unwrap().iter().map(Duration::as_secs).collect();
    format!("{said}\n{} asked, waits {waits:?}", server.requests().len())
}

#[test]
fn a_key_goes_in_its_header_and_the_others_beside_it() {
    let server = Server::start(|_, _| Reply::status(200, "ok"));
    let (client, _) = client(PATIENCE);
    assert_eq!(
        client.post(&ServerUrl::parse(&server.url()).unwrap().below("v1"), &json!({ "a": 1 }), LONG).unwrap(),
        b"ok"
    );
    let request = server.requests().remove(0);
    assert_eq!((request.line.as_str(), request.body.clone()), ("POST /v1 HTTP/1.1", json!({ "a": 1 })));
    assert_eq!(request.header("X-Api-Key"), Some(KEY));
    assert_eq!(request.header("X-Version"), Some("1"));
    assert_eq!(request.header("Authorization"), None);
    assert!(!format!("{client:?}").contains("12345"));
}

#[test]
fn a_busy_server_is_asked_again_after_growing_waits() {
    for status in [408, 429, 500, 503, 529] {
        let text = asked(move |nth, _| Reply::status(if nth < 2 { status } else { 200 }, "ok"), LONG);
        assert_eq!(text, "ok\n3 asked, waits [1, 3]", "{status}");
    }
    insta::assert_snapshot!(asked(|_, _| Reply::status(503, r#"{"error":{"message":"loading"}}"#), LONG), @"
    http://HOST/v1 returned status 503: loading
    3 asked, waits [1, 3]
    ");
}

#[test]
fn a_server_that_asks_for_a_wait_gets_it_unless_it_is_too_long() {
    let resting = |seconds: &'static str| {
        move |nth: usize, _: &ReceivedRequest| match nth {
            0 => Reply::Answer(429, vec![("Retry-After", seconds.to_owned())], Vec::new()),
            _ => Reply::status(200, "ok"),
        }
    };
    assert_eq!(asked(resting("7"), LONG), "ok\n2 asked, waits [7]");
    insta::assert_snapshot!(asked(resting("3600"), LONG), @"
    http://HOST/v1 returned status 429 (retry after 3600 s)
    1 asked, waits []
    ");
}

#[test]
fn a_refusal_is_final_and_says_why_without_the_key() {
    for status in [400, 401, 404, 422] {
        let text = asked(move |_, _| Reply::status(status, &format!("the key {KEY} is wrong")), LONG);
        let expected =
            format!("http://HOST/v1 returned status {status}: the key … is wrong\n1 asked, waits []");
        assert_eq!(text, expected);
    }
}

#[test]
fn a_silent_server_is_asked_again_only_by_the_patient() {
    insta::assert_snapshot!(asked(|_, _| Reply::Silence, SHORT), @"
    cannot connect to http://HOST/v1: no answer within 100ms
    3 asked, waits [1, 3]
    ");
    let server = Server::start(|_, _| Reply::Silence);
    let (client, _) = client(RetryPolicy { retry_timeouts: false, ..PATIENCE });
    client.post(&ServerUrl::parse(&server.url()).unwrap().below("v1"), &json!({}), SHORT).unwrap_err();
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn an_answer_that_breaks_off_is_asked_for_again() {
    let text = asked(
        |nth, _| match nth {
            0 => Reply::Cut("o".to_owned()),
            1 => Reply::Close,
            _ => Reply::Chunks(vec!["o".to_owned(), "k".to_owned()]),
        },
        LONG,
    );
    assert_eq!(text, "ok\n3 asked, waits [1, 3]");
}

#[test]
fn answers_that_are_none_or_have_no_end_are_not_asked_for_again() {
    insta::assert_snapshot!(asked(|_, _| Reply::Endless, LONG), @"
    http://HOST/v1 returned an invalid response: more than 1 MiB
    1 asked, waits []
    ");
    insta::assert_snapshot!(asked(|_, _| Reply::Raw(b"SSH-2.0-OpenSSH_9.9\r\n\r\n"), LONG), @"
    http://HOST/v1 returned an invalid response: http parse fail: invalid HTTP version
    1 asked, waits []
    ");
}

#[test]
fn nobody_there_is_told_at_once() {
    let server = Server::start(|_, _| Reply::Last(String::new()));
    let (client, waits) = client(PATIENCE);
    let url = ServerUrl::parse(&server.url()).unwrap().below("v1");
    client.post(&url, &json!({}), LONG).unwrap();
    let error = client.post(&url, &json!({}), LONG).unwrap_err().to_string();
    assert!(error.starts_with("cannot connect to") && error.ends_with(": connection refused"), "{error}");
    let error = client.post("http://nowhere.invalid/", &json!({}), LONG).unwrap_err();
    assert!(matches!(error, Error::Unreachable { .. }), "{error}");
    assert!(waits.lock().unwrap().is_empty());
}

#[test]
fn a_redirect_is_not_followed_so_the_key_goes_nowhere_else() {
    let other = Server::start(|_, _| Reply::status(200, "ok"));
    for status in [301, 302, 307, 308] {
        let target = ServerUrl::parse(&other.url()).unwrap().to_string();
        let text = asked(
            move |_, _| Reply::Answer(status, vec![("Location", format!("{target}/{KEY}"))], Vec::new()),
            LONG,
        );
        assert!(text.contains("it redirects to"), "{text}");
    }
    assert!(other.requests().is_empty());
}

#[test]
fn a_key_that_no_header_takes_is_not_sent_and_not_shown() {
    let server = Server::start(|_, _| Reply::Close);
    let key = ApiKey::of(&format!("{KEY}\n{KEY}")).map(|key| (key, AuthHeader::Bearer));
    let config = ClientConfig {
        key,
        headers: Vec::new(),
        max_response_bytes: 1,
        retry_policy: PATIENCE,
        retry_sleeper: RetrySleeper::default(),
        certificate: None,
    };
    let error = Client::new(config)
        .post(&ServerUrl::parse(&server.url()).unwrap().below("v1"), &json!({}), LONG)
        .unwrap_err();
    assert!(!format!("{error} {error:?}").contains("12345"), "{error:?}");
    assert!(matches!(error, Error::Key { .. }) && server.requests().is_empty());
}

#[test]
fn who_is_called_off_asks_no_further() {
    // Before the first try, and between two.
    for (tries, called_off_from) in [(0, 0), (1, 1), (2, 2)] {
        let server = Server::start(|_, _| Reply::status(503, ""));
        let looks = AtomicUsize::new(0);
        let retry_sleeper =
            RetrySleeper::new(|_| (), move || looks.fetch_add(1, Ordering::SeqCst) >= called_off_from);
        let config = ClientConfig {
            key: None,
            headers: Vec::new(),
            max_response_bytes: 1,
            retry_policy: PATIENCE,
            retry_sleeper,
            certificate: None,
        };
        let error = Client::new(config)
            .post(&ServerUrl::parse(&server.url()).unwrap().below("v1"), &json!({}), LONG)
            .unwrap_err();
        assert!(matches!(error, Error::Cancelled { .. }), "{error}");
        assert_eq!(server.requests().len(), tries);
    }
}

#[test]
fn a_get_has_its_headers_and_a_refusal_its_code() {
    let server = Server::start(|number, _| match number {
        0 => Reply::status(200, "ok"),
        1 => Reply::status(409, r#"{"error":{"code":"in-progress","message":"a merge"}}"#),
        _ => Reply::status(404, r#"{"error":{"code":7}}"#),
    });
    let (client, _) = client(PATIENCE);
    let url = ServerUrl::parse(&server.url()).unwrap().below("context?task=a");
    assert_eq!(client.get(&url, &[("cm-agent", "codex")], LONG).unwrap(), b"ok");
    let headers = [("idempotency-key", "k-1")];
    let code = |result: Result<Vec<u8>>| match result {
        Err(Error::Refused { status, code, .. }) => (status, code),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        code(client.post_with(&url, &json!({ "a": 1 }), &headers, LONG)),
        (409, Some("in-progress".to_owned()))
    );
    assert_eq!(code(client.get(&url, &[], LONG)), (404, None));
    let requests = server.requests();
    assert_eq!(requests[0].line, "GET /context?task=a HTTP/1.1");
    assert_eq!((requests[0].header("cm-agent"), requests[0].header("x-api-key")), (Some("codex"), Some(KEY)));
    assert_eq!((requests[1].header("idempotency-key"), &requests[1].body), (Some("k-1"), &json!({ "a": 1 })));
}
