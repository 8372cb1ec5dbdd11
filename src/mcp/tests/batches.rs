//! Batches of JSON-RPC, which one revision of the protocol has.

use serde_json::{Value, json};

use super::{Client, server};
use crate::mcp::Limits;
use crate::operations::Caller;

async fn client(revision: &'static str) -> Client {
    Client::of(&server(Limits::default(), Some(Caller::local())), revision).await
}

fn request(id: u64, method: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": {} })
}

#[tokio::test]
async fn a_batch_of_the_revision_that_has_them_is_answered_as_one() {
    let mut client = client("2025-03-26").await;
    let notification = json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed" });
    let batch = json!([request(71, "tools/list"), notification, request(72, "prompts/list"), 7]);
    client.say(&batch).await;
    let answers = client.next().await;
    let mut ids: Vec<Value> = answers.as_array().unwrap().iter().map(|answer| answer["id"].clone()).collect();
    ids.sort_by_key(Value::to_string);
    assert_eq!(ids, [json!(71), json!(72), Value::Null], "{answers}");
    let listed = answers.as_array().unwrap().iter().find(|answer| answer["id"] == 71).unwrap();
    assert!(listed["result"]["tools"].is_array(), "{listed}");
    client.say(&json!([])).await;
    assert_eq!(client.next().await["error"]["code"], -32600);
    client.say(&request(73, "tools/list")).await;
    assert_eq!(client.next().await["id"], 73, "what is sent alone is answered alone");
}

#[tokio::test]
async fn other_revisions_have_no_batches() {
    for revision in ["2024-11-05", "2025-06-18", "2026-07-28"] {
        let mut client = client(revision).await;
        client.say(&json!([request(71, "tools/list")])).await;
        assert_eq!(client.next().await["error"]["code"], -32600, "{revision}");
    }
}
