//! Progress, cancellation, and limits of concurrency.

use std::time::Duration;

use serde_json::{Value, json};

use super::{CURRENT, Client, REVISIONS, refusal, server};
use crate::mcp::McpLimits;
use crate::operations::Caller;

/// A number of steps that is never completed.
const ENDLESS: u64 = 1_000_000_000;

/// Parameters of a call with this number of steps and with progress reports.
fn work(steps: u64) -> Value {
    json!({ "name": "memory_reflect", "arguments": { "steps": steps }, "_meta": { "progressToken": "t" } })
}

#[tokio::test]
async fn a_long_operation_tells_its_steps_to_whoever_asked_to_be_told() {
    let server = server(McpLimits::default(), Some(Caller::local()));
    for revision in REVISIONS {
        let mut client = Client::of(&server, revision).await;
        let answer = client.ask("tools/call", work(3)).await;
        assert_eq!(answer["result"]["structuredContent"]["steps"], 3);
        let told: Vec<_> = client.pending.iter().map(|message| message["params"].clone()).collect();
        let step = |n: u64| {
            let message = format!("step {n}");
            json!({ "progressToken": "t", "progress": n as f64, "total": 3.0, "message": message })
        };
        assert_eq!(json!(told), json!([step(1), step(2), step(3)]), "{revision}");
        client.pending.clear();
        client.call("memory_reflect", json!({ "steps": 2 })).await;
        assert_eq!(client.pending, Vec::<Value>::new(), "nobody asked");
    }
}

#[tokio::test]
async fn a_call_that_was_called_off_ends_and_is_not_answered() {
    let server = server(McpLimits { running: 1, ..McpLimits::default() }, Some(Caller::local()));
    for revision in ["2025-11-25", CURRENT] {
        let mut client = Client::of(&server, revision).await;
        let id = client.begin("tools/call", work(ENDLESS)).await;
        client.notification("notifications/progress").await;
        client.cancel(id).await;
        // There is one place: this is answered only when the other has ended.
        let answer = client.call("memory_search", json!({ "query": "x" })).await;
        assert_eq!(answer["result"]["isError"], false);
        assert!(client.pending.iter().all(|message| message["id"] != id));
    }
}

#[tokio::test]
async fn calls_that_find_no_place_wait_and_those_beyond_are_told_that_it_is_busy() {
    let limits = McpLimits { running: 1, waiting: 1, ..McpLimits::default() };
    let server = server(limits, Some(Caller::local()));
    let mut client = Client::of(&server, CURRENT).await;
    let first = client.begin("tools/call", work(ENDLESS)).await;
    client.notification("notifications/progress").await;
    let second =
        client.begin("tools/call", json!({ "name": "memory_search", "arguments": { "query": "x" } })).await;
    client.ask("prompts/list", json!({})).await;
    let third = client.call("memory_search", json!({ "query": "y" })).await;
    let refused = refusal(&third);
    assert_eq!(refused["code"], "busy");
    assert!(refused["hint"].as_str().unwrap().contains("try again"));
    assert_eq!(
        client.ask("resources/read", json!({ "uri": "cm://core" })).await["error"]["data"]["code"],
        "busy"
    );
    client.cancel(first).await;
    assert_eq!(client.answer(second).await["result"]["isError"], false);
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_called_off() {
    let limits = McpLimits { call: Duration::from_millis(50), ..McpLimits::default() };
    let mut client = Client::of(&server(limits, Some(Caller::local())), CURRENT).await;
    let answer = client.call("memory_reflect", json!({ "steps": ENDLESS })).await;
    assert_eq!(refusal(&answer)["code"], "too-long");
    assert!(client.close().await.1.is_ok());
}

#[tokio::test]
async fn many_calls_at_once_are_each_answered() {
    let mut client = Client::new().await;
    let mut ids = Vec::new();
    for n in 0..50 {
        let params = json!({ "name": "memory_search", "arguments": { "query": format!("q{n}") } });
        ids.push((client.begin("tools/call", params).await, format!("q{n}")));
    }
    let mut answers = std::collections::BTreeMap::new();
    while answers.len() < ids.len() {
        let message = client.receive().await.unwrap();
        answers
            .insert(message["id"].as_u64().unwrap(), message["result"]["structuredContent"]["query"].clone());
    }
    for (id, query) in ids {
        assert_eq!(answers[&id], query);
    }
}
