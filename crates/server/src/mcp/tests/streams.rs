//! Tests of the streams: invalid lines, length limits, and shutdown.

use serde_json::json;
use tokio::io::AsyncWriteExt;

use super::{CURRENT, Client, REVISIONS, server};
use crate::mcp::McpLimits;
use crate::operations::Caller;

fn silent(limits: McpLimits) -> Client {
    Client::silent(&server(limits, Some(Caller::local())), CURRENT)
}

#[tokio::test]
async fn a_client_that_looks_who_is_there_and_goes_ends_it_well() {
    let (last, ended) = silent(McpLimits::default()).close().await;
    assert!(last.is_empty() && ended.is_ok());
    let mut client = silent(McpLimits::default());
    client.ask("server/discover", json!({})).await;
    let (last, ended) = client.close().await;
    assert!(last.is_empty() && ended.is_ok());
}

#[tokio::test]
async fn what_was_asked_before_the_end_is_answered() {
    for revision in REVISIONS {
        let server = server(McpLimits::default(), Some(Caller::local()));
        let mut client = Client::of(&server, revision).await;
        let id = client
            .begin("tools/call", json!({ "name": "memory_reflect", "arguments": { "steps": 3 } }))
            .await;
        let (last, ended) = client.close().await;
        assert_eq!(last.len(), 1, "{revision}");
        assert_eq!(last[0]["id"], id);
        assert!(ended.is_ok());
    }
}

#[tokio::test]
async fn who_listens_does_not_hold_up_the_end() {
    let mut client = Client::new().await;
    let id = client
        .begin("subscriptions/listen", json!({ "notifications": { "resourcesListChanged": true } }))
        .await;
    client.notification("notifications/subscriptions/acknowledged").await;
    let (last, ended) = client.close().await;
    assert_eq!(last[0]["id"], id, "the stream of news ends with an answer");
    assert!(ended.is_ok());
}

#[tokio::test]
async fn what_is_no_message_gets_the_answer_that_there_is_for_it_and_the_next_one_its_own() {
    let mut client = silent(McpLimits::default());
    for (line, id, code) in [
        ("{\"jsonrpc\": \"2.0\", \"id\"", json!(null), -32700),
        ("\u{0}\u{1}", json!(null), -32700),
        ("[]", json!(null), -32600),
        ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", json!(null), -32600),
        ("3", json!(null), -32600),
        ("{\"id\": 5, \"method\": \"ping\"}", json!(5), -32600),
        ("{\"jsonrpc\": \"1.0\", \"id\": \"a\", \"method\": \"ping\"}", json!("a"), -32600),
        ("{\"jsonrpc\": \"2.0\", \"id\": {}, \"method\": \"ping\"}", json!(null), -32600),
    ] {
        client.say_bytes(format!("{line}\n").as_bytes()).await;
        let answer = client.receive().await.unwrap();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{line}");
    }
    client.say_bytes(b"\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unknown\"}\n").await;
    client.say_bytes(b"{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}\n").await;
    client.say_bytes(b"{\"jsonrpc\":\"2.0\",\"method\":\"$/x\"}\n\xef\xbb\xbf").await;
    let answer = client.call("memory_search", json!({ "query": "x" })).await;
    assert_eq!(answer["result"]["isError"], false);
    assert!(client.pending.is_empty());
}

#[tokio::test]
async fn a_message_that_is_too_long_is_said_to_be_and_skipped() {
    let mut client = silent(McpLimits { message: 1000, ..McpLimits::default() });
    for length in [1001, 5000, 100_000] {
        client.say_bytes(&vec![b'x'; length]).await;
        let answer = client.receive().await.unwrap();
        assert_eq!(answer["error"]["message"], "a message may have at most 1000 bytes");
        // What comes after it on the same line belongs to it.
        client.say_bytes(b"[]\n").await;
        assert!(client.ask("tools/list", json!({})).await["result"].is_object());
        assert!(client.pending.is_empty(), "{:?}", client.pending);
    }
}

#[tokio::test]
async fn a_client_that_no_longer_reads_ends_it_even_where_it_goes_on_asking() {
    let server = server(McpLimits::default(), Some(Caller::local()));
    let (reads, write) = tokio::io::duplex(1024);
    let (mut asks, read) = tokio::io::duplex(1024);
    let serving = tokio::spawn(async move { crate::mcp::serve(&server, read, write).await });
    drop(reads);
    asks.write_all(b"[]\n[]\n").await.unwrap();
    assert!(serving.await.unwrap().is_ok());
}

#[tokio::test]
async fn closing_the_server_ends_its_sessions() {
    let server = server(McpLimits::default(), Some(Caller::local()));
    let mut client = Client::of(&server, CURRENT).await;
    client.ask("tools/list", json!({})).await;
    server.closing().cancel();
    assert!(client.receive().await.is_none());
    assert!(client.served.await.unwrap().is_ok());
}

#[tokio::test]
async fn an_empty_handshake_of_a_revision_to_come_is_answered_with_one_that_is_known() {
    let mut client = Client::silent(&server(McpLimits::default(), Some(Caller::local())), "2025-11-25");
    let answer = client.ask("initialize", super::hello("2099-01-01")).await;
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
}
