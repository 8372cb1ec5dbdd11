//! Tests of tools: list, call, errors.

use serde_json::json;

use super::{CURRENT, Client, REVISIONS, refusal, server};
use crate::mcp::McpLimits;
use crate::operations::{AccessRole, Caller};

#[tokio::test]
async fn every_revision_lists_and_calls_tools() {
    let server = server(McpLimits::default(), Some(Caller::local()));
    for revision in REVISIONS {
        let mut client = Client::of(&server, revision).await;
        let tools = client.ask("tools/list", json!({})).await;
        assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 5, "{revision}");
        let answer = client.call("memory_search", json!({ "query": "pool", "limit": 3 })).await;
        assert_eq!(
            answer["result"]["structuredContent"],
            json!({ "query": "pool", "limit": 3 }),
            "{revision}"
        );
        assert_eq!(answer["result"]["content"], json!([{ "type": "text", "text": "3 at most for pool" }]));
        assert_eq!(answer["result"]["isError"], false);
        assert_eq!(answer["result"].get("resultType").is_some(), revision == CURRENT, "{revision}");
        assert!(client.close().await.1.is_ok());
    }
}

#[tokio::test]
async fn the_list_is_the_same_each_time_and_names_no_alias() {
    let mut client = Client::new().await;
    let first = client.ask("tools/list", json!({})).await["result"].take();
    let second = client.ask("tools/list", json!({})).await["result"].take();
    assert_eq!(first.to_string(), second.to_string());
    assert!(!first.to_string().contains("memory_recall"));
    let search = &first["tools"][1];
    assert_eq!(search["annotations"], json!({ "readOnlyHint": true, "openWorldHint": false }));
    assert_eq!(search["inputSchema"]["properties"]["limit"]["type"], "integer");
    let update = &first["tools"][3];
    let hints = json!({ "destructiveHint": true, "idempotentHint": true, "openWorldHint": false });
    assert_eq!(update["annotations"], hints);
    assert_eq!(first["cacheScope"], "public");
}

#[tokio::test]
async fn earlier_names_still_work() {
    let mut client = Client::new().await;
    let answer = client.call("memory_recall", json!({ "query": "pool" })).await;
    assert_eq!(answer["result"]["structuredContent"]["limit"], 10);
}

#[tokio::test]
async fn what_an_operation_refuses_is_a_result_with_code_and_hint() {
    let mut client = Client::new().await;
    let refused = refusal(&client.call("memory_update", json!({ "id": "n-9" })).await);
    assert_eq!(refused["code"], "not-found");
    assert_eq!(refused["hint"], "`memory_search` finds ids");
    let refused = refusal(&client.call("memory_search", json!({})).await);
    assert_eq!(refused["hint"], "for example {\"query\": \"…\"}");
    let answer = client.ask("tools/call", json!({ "name": "memory_search" })).await;
    assert_eq!(refusal(&answer)["code"], "usage");
}

#[tokio::test]
async fn what_is_wrong_with_the_request_is_an_error_of_the_protocol() {
    let mut client = Client::new().await;
    let error = client.call("memory_serch", json!({})).await["error"].take();
    assert_eq!(error["code"], -32602);
    assert!(error["data"]["hint"].as_str().unwrap().contains("memory_search"));
    for not_a_tool in ["export", "memory_export"] {
        assert_eq!(client.call(not_a_tool, json!({})).await["error"]["code"], -32602);
    }
    let error = client.ask("tools/call", json!({ "name": 7 })).await["error"].take();
    assert_eq!(error["code"], -32602);
    let error = client.ask("tools/list", json!({ "cursor": "x" })).await["error"].take();
    assert_eq!(error["code"], -32602);
    let error = client.ask("tools/destroy", json!({})).await["error"].take();
    assert_eq!(error["code"], -32601);
}

#[tokio::test]
async fn an_operation_that_breaks_down_takes_nothing_with_it() {
    let mut client = Client::new().await;
    let refused = refusal(&client.call("memory_search", json!({ "query": "break" })).await);
    assert_eq!(refused["code"], "internal");
    let answer = client.call("memory_search", json!({ "query": "pool" })).await;
    assert_eq!(answer["result"]["isError"], false);
}

#[tokio::test]
async fn the_client_is_the_agent_that_the_history_names() {
    let server = server(McpLimits::default(), Some(Caller::local()));
    for revision in REVISIONS {
        let mut client = Client::of(&server, revision).await;
        let answer = client.call("memory_add", json!({ "title": "x" })).await;
        assert_eq!(answer["result"]["structuredContent"]["by"]["agent"], "tester", "{revision}");
    }
}

#[tokio::test]
async fn who_may_read_may_not_write_and_who_is_unknown_may_do_nothing() {
    let reader = Caller { role: AccessRole::Reader, ..Caller::local() };
    let mut client = Client::of(&server(McpLimits::default(), Some(reader)), CURRENT).await;
    assert_eq!(client.call("memory_search", json!({ "query": "x" })).await["result"]["isError"], false);
    assert_eq!(refusal(&client.call("memory_add", json!({ "title": "x" })).await)["code"], "forbidden");
    assert_eq!(refusal(&client.call("memory_update", json!({ "id": "n-1" })).await)["code"], "forbidden");
    let mut client = Client::of(&server(McpLimits::default(), None), CURRENT).await;
    assert_eq!(refusal(&client.call("memory_search", json!({ "query": "x" })).await)["code"], "forbidden");
    let error = client.ask("resources/read", json!({ "uri": "cm://core" })).await["error"].take();
    assert_eq!(error["data"]["code"], "forbidden");
}

#[tokio::test]
async fn the_client_is_told_what_the_server_can_and_how_to_use_it() {
    let mut client = Client::new().await;
    let told = client.ask("server/discover", json!({})).await["result"].take();
    assert_eq!(told["supportedVersions"], json!(REVISIONS));
    let resources = json!({ "subscribe": true, "listChanged": true });
    let able = json!({ "completions": {}, "prompts": {}, "resources": resources, "tools": {} });
    assert_eq!(told["capabilities"], able);
    assert!(told["instructions"].as_str().unwrap().len() < 2048, "agents cut it there");
}
