//! JSON-RPC batches, which one revision of the protocol supports.

use serde_json::{Value, json};

use super::web::TestHttpServer;
use super::{Client, server};
use crate::mcp::McpLimits;
use crate::operations::Caller;

async fn client(revision: &'static str) -> Client {
    Client::of(&server(McpLimits::default(), Some(Caller::local())), revision).await
}

fn request(id: u64, method: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": {} })
}

#[tokio::test]
async fn a_batch_of_the_revision_that_has_them_is_answered_as_one() {
    let mut client = client("2025-03-26").await;
    let notification = json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed" });
    let batch = json!([request(71, "tools/list"), notification, request(72, "prompts/list"), 7]);
    client.send(&batch).await;
    let answers = client.next().await;
    let mut ids: Vec<Value> = answers.as_array().unwrap().iter().map(|answer| answer["id"].clone()).collect();
    ids.sort_by_key(Value::to_string);
    assert_eq!(ids, [json!(71), json!(72), Value::Null], "{answers}");
    let listed = answers.as_array().unwrap().iter().find(|answer| answer["id"] == 71).unwrap();
    assert!(listed["result"]["tools"].is_array(), "{listed}");
    client.send(&json!([])).await;
    assert_eq!(client.next().await["error"]["code"], -32600);
    client.send(&request(73, "tools/list")).await;
    assert_eq!(client.next().await["id"], 73, "what is sent alone is answered alone");
}

#[tokio::test]
async fn other_revisions_have_no_batches() {
    for revision in ["2024-11-05", "2025-06-18", "2026-07-28"] {
        let mut client = client(revision).await;
        client.send(&json!([request(71, "tools/list")])).await;
        assert_eq!(client.next().await["error"]["code"], -32600, "{revision}");
    }
}

/// The session header of a new HTTP session of this revision.
async fn http_session(web: &TestHttpServer, revision: &'static str) -> String {
    let params = super::hello(revision);
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    let answer = web.post("", &hello.to_string()).await;
    format!("Mcp-Session-Id: {}\r\n", answer.header("mcp-session-id").expect("a session"))
}

fn notification() -> Value {
    json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed" })
}

#[tokio::test]
async fn a_batch_over_http_is_answered_with_one_array() {
    let web = TestHttpServer::new(McpLimits::default()).await;
    let session = http_session(&web, "2025-03-26").await;
    let batch = json!([
        request(71, "tools/list"),
        notification(),
        request(72, "prompts/list"),
        request(73, "no/such"),
        7,
        request(74, "initialize"),
        [request(75, "ping")],
    ]);
    let answer = web.post(&session, &batch.to_string()).await;
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")), "{answer:?}");
    let answers: Vec<Value> = serde_json::from_str(&answer.body).unwrap();
    let outcomes: Vec<_> =
        answers.iter().map(|one| (one["id"].clone(), one["error"]["code"].clone())).collect();
    assert_eq!(
        outcomes,
        [
            (json!(71), Value::Null),
            (json!(72), Value::Null),
            (json!(73), json!(-32601)),
            (Value::Null, json!(-32600)),
            (json!(74), json!(-32600)),
            (Value::Null, json!(-32600)),
        ]
    );
    assert!(answers[0]["result"]["tools"].is_array(), "{answers:?}");
    let alone = web.post(&session, &request(76, "tools/list").to_string()).await;
    assert_eq!(alone.message()["id"], 76, "a message that is sent alone is answered alone");
}

#[tokio::test]
async fn a_batch_of_notifications_over_http_is_accepted_without_a_body() {
    let web = TestHttpServer::new(McpLimits::default()).await;
    let session = http_session(&web, "2025-03-26").await;
    let answer = web.post(&session, &json!([notification(), notification()]).to_string()).await;
    assert_eq!((answer.status, answer.body.trim_end_matches("0\r\n\r\n")), (202, ""), "{answer:?}");
}

#[tokio::test]
async fn a_batch_over_http_that_is_empty_too_long_or_without_its_session_is_refused() {
    let web = TestHttpServer::new(McpLimits { batch: 2, ..McpLimits::default() }).await;
    let session = http_session(&web, "2025-03-26").await;
    let three: Vec<Value> = (1..4).map(|id| request(id, "ping")).collect();
    for body in [json!([]), json!(three)] {
        let answer = web.post(&session, &body.to_string()).await;
        assert_eq!(
            (answer.status, answer.message()["error"]["code"].clone()),
            (400, json!(-32600)),
            "{body}"
        );
    }
    let one = json!([request(1, "ping")]).to_string();
    assert_eq!(web.post("", &one).await.status, 400, "no session says which revision this is");
    assert_eq!(web.asked("DELETE", &session, "").await.status, 204);
    assert_eq!(web.post(&session, &one).await.status, 404);
    for revision in ["2025-06-18", "2025-11-25"] {
        let session = http_session(&web, revision).await;
        assert_eq!(web.post(&session, &one).await.status, 400, "{revision}");
    }
}
