//! MCP over HTTP: sessions of older revisions, requests of the current one, and all checks.

use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::TcpStream;

use super::web::{HttpReply, TestHttpServer, current};
use crate::mcp::{ChangedFile, McpLimits, OriginPolicy};
use crate::operations::Caller;

async fn hello(web: &TestHttpServer) -> HttpReply {
    let params = super::hello("2025-11-25");
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    web.post("", &hello.to_string()).await
}

#[tokio::test]
async fn the_current_revision_needs_no_session() {
    let web = TestHttpServer::new(McpLimits::default()).await;
    let answer = web.ask("tools/call", json!({ "name": "memory_add", "arguments": { "title": "x" } })).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("mcp-session-id"), None);
    assert_eq!(answer.message()["result"]["structuredContent"]["by"]["agent"], "tester");
}

#[tokio::test]
async fn an_older_revision_has_a_session_until_it_ends_it() {
    let web = TestHttpServer::new(McpLimits::default()).await;
    let answer = hello(&web).await;
    assert_eq!(answer.message()["result"]["protocolVersion"], "2025-11-25");
    let session = format!("Mcp-Session-Id: {}\r\n", answer.header("mcp-session-id").unwrap());
    let search = json!({ "name": "memory_search", "arguments": { "query": "x" } });
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": search });
    let answer = web.post(&session, &call.to_string()).await;
    assert_eq!(answer.message()["result"]["isError"], false);
    assert_eq!(web.asked("DELETE", &session, "").await.status, 204);
    assert_eq!(web.post(&session, &call.to_string()).await.status, 404);
}

/// The next message with this method in an event stream.
async fn next_with_method(lines: &mut Lines<BufReader<TcpStream>>, method: &str) -> Value {
    loop {
        let line = lines.next_line().await.unwrap().expect("more to come");
        let data = line.strip_prefix("data: ").and_then(|data| serde_json::from_str::<Value>(data).ok());
        if let Some(message) = data.filter(|message| message["method"] == method) {
            return message;
        }
    }
}

#[tokio::test]
async fn news_come_on_the_stream_of_the_request_that_listens() {
    let web = TestHttpServer::new(McpLimits::default()).await;
    let (headers, body) = current(
        "subscriptions/listen",
        json!({ "notifications": { "resourceSubscriptions": ["cm://core"] } }),
    );
    let stream = web.open_with(web.request("POST", &headers, &body).as_bytes()).await;
    let mut lines = BufReader::new(stream).lines();
    next_with_method(&mut lines, "notifications/subscriptions/acknowledged").await;
    // Told again until it is heard, for the acknowledgement is sent before the server listens.
    let notify = async {
        loop {
            web.server.feed().publish([ChangedFile { path: "CORE.md".to_owned(), id: None }]);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::select! {
        told = next_with_method(&mut lines, "notifications/resources/updated") => assert_eq!(told["params"]["uri"], "cm://core"),
        () = notify => {}
    }
}

#[tokio::test]
async fn other_hosts_and_pages_of_others_are_turned_away() {
    let web = TestHttpServer::new(McpLimits::default()).await;
    let (headers, body) = current("tools/list", json!({}));
    for (more, status) in [
        ("Host: evil.example\r\n", 403),
        ("Host: 127.0.0.1.evil.example\r\n", 403),
        ("Host: localhost\r\n", 200),
        ("Origin: https://evil.example\r\n", 403),
        ("Origin: null\r\n", 403),
        ("Origin: http://localhost.evil.example\r\n", 403),
        ("Origin: not an origin\r\n", 403),
        ("Origin: http://localhost:3000\r\n", 200),
        ("Origin: http://127.0.0.1\r\n", 200),
        ("Origin: http://[::1]:8080\r\n", 200),
        ("Host: [::1]:8080\r\n", 200),
    ] {
        let answer = web.post(&format!("{headers}{more}"), &body).await;
        assert_eq!(answer.status, status, "{more}: {}", answer.body);
    }
}

#[tokio::test]
async fn a_server_for_others_lets_its_own_name_in_and_no_page() {
    let guards = OriginPolicy::Allow { hosts: vec!["memory.example".to_owned()], origins: Vec::new() };
    let web = TestHttpServer::of(McpLimits::default(), guards, Some(Caller::local())).await;
    let (headers, body) = current("tools/list", json!({}));
    for (more, status) in [
        ("Host: memory.example\r\n", 200),
        ("Host: 127.0.0.1\r\n", 403),
        ("Host: memory.example\r\nOrigin: https://memory.example\r\n", 403),
    ] {
        assert_eq!(web.post(&format!("{headers}{more}"), &body).await.status, status, "{more}");
    }
}

#[tokio::test]
async fn who_was_not_let_in_gets_no_answer_from_the_memory() {
    let web = TestHttpServer::of(McpLimits::default(), OriginPolicy::default(), None).await;
    let answer =
        web.ask("tools/call", json!({ "name": "memory_search", "arguments": { "query": "x" } })).await;
    assert_eq!(super::refusal(&answer.message())["code"], "forbidden");
}

#[tokio::test]
async fn a_body_that_is_too_large_is_turned_away_announced_or_not() {
    let web = TestHttpServer::new(McpLimits { message: 2000, ..McpLimits::default() }).await;
    let large = "x".repeat(3000);
    assert_eq!(web.post("", &large).await.status, 413);
    let chunked = format!(
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\nbb8\r\n{large}\r\n0\r\n\r\n"
    );
    let mut said = String::new();
    web.open_with(chunked.as_bytes()).await.read_to_string(&mut said).await.unwrap();
    assert!(said.starts_with("HTTP/1.1 413"), "{said}");
}

#[tokio::test]
async fn a_body_that_does_not_arrive_is_not_waited_for() {
    let web =
        TestHttpServer::new(McpLimits { arrival: Duration::from_millis(50), ..McpLimits::default() }).await;
    let mut request = web.request("POST", "", "{\"jsonrpc\": \"2.0\"}");
    request.truncate(request.len() - 5);
    let mut said = String::new();
    web.open_with(request.as_bytes()).await.read_to_string(&mut said).await.unwrap();
    assert!(said.starts_with("HTTP/1.1 408"), "{said}");
}

#[tokio::test]
async fn sessions_are_bounded_and_requests_without_one_are_not() {
    let web = TestHttpServer::new(McpLimits { sessions: 2, ..McpLimits::default() }).await;
    assert_eq!(hello(&web).await.status, 200);
    assert_eq!(hello(&web).await.status, 200);
    let refused = hello(&web).await;
    assert_eq!(refused.status, 503);
    assert_eq!(refused.header("retry-after"), Some("30"));
    assert_eq!(refused.message()["error"]["data"]["code"], "busy");
    assert_eq!(web.ask("tools/list", json!({})).await.status, 200);
}

#[tokio::test]
async fn a_session_that_says_nothing_is_forgotten() {
    let web = TestHttpServer::new(McpLimits {
        idle: Duration::from_millis(50),
        sessions: 1,
        ..McpLimits::default()
    })
    .await;
    assert_eq!(hello(&web).await.status, 200);
    while hello(&web).await.status == 503 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn what_is_no_message_is_said_to_be_none() {
    let web = TestHttpServer::new(McpLimits::default()).await;
    for (body, code) in [
        ("", -32700),
        ("{", -32700),
        ("\u{7}", -32700),
        ("[]", -32600),
        ("[\"initialize\"]", -32600),
        ("3", -32600),
    ] {
        let answer = web.post("", body).await;
        assert_eq!(answer.status, 400, "{body:?}");
        assert_eq!(answer.message()["error"]["code"], code, "{body:?}");
    }
    for method in ["PUT", "PATCH", "OPTIONS"] {
        assert_eq!(web.asked(method, "", "").await.status, 405, "{method}");
    }
}

#[tokio::test]
async fn a_client_that_hangs_up_calls_its_request_off() {
    let web = TestHttpServer::new(McpLimits { running: 1, ..McpLimits::default() }).await;
    let (headers, body) =
        current("tools/call", json!({ "name": "memory_reflect", "arguments": { "steps": 1_000_000_000 } }));
    let mut stream = web.open_with(web.request("POST", &headers, &body).as_bytes()).await;
    stream.flush().await.unwrap();
    while web.server.calls().running() == 0 {
        tokio::task::yield_now().await;
    }
    drop(stream);
    // There is one place: this is answered only when the other has ended.
    let answer =
        web.ask("tools/call", json!({ "name": "memory_search", "arguments": { "query": "x" } })).await;
    assert_eq!(answer.message()["result"]["isError"], false);
}

/// Bodies that start like messages, and other text.
fn body() -> impl Strategy<Value = String> {
    let method = "(ping|tools/call|initialize)";
    let begun = format!("(\\{{\"jsonrpc\":\"2.0\",(\"id\":[0-9],)?\"method\":\"{method}\"[,:}}]{{0,3}})?");
    prop::string::string_regex(&format!("{begun}\\PC{{0,60}}")).expect("it is one")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn no_body_makes_the_server_fail(body in body(), method in "(tools/call|x)?") {
        super::without_panics(async {
            let web = TestHttpServer::new(McpLimits::default()).await;
            for headers in ["", &format!("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n")] {
                let answer = web.post(headers, &body).await;
                assert!((200..500).contains(&answer.status), "{answer:?}");
            }
            assert_eq!(web.ask("tools/list", json!({})).await.status, 200);
        });
    }
}
