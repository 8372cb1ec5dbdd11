//! MCP Apps: only clients that show them hear of them.

use serde_json::{Value, json};

use super::*;

const APP: &str = "text/html;profile=mcp-app";

fn capabilities() -> Value {
    json!({ "extensions": { "io.modelcontextprotocol/ui": { "mimeTypes": [APP] } } })
}

#[tokio::test]
async fn a_client_that_shows_apps_finds_them_at_tools_and_among_resources() {
    let server = server(McpLimits::default(), Some(Caller::local()));
    let mut client = Client::silent(&server, "2025-11-25");
    let mut greeting = hello("2025-11-25");
    greeting["capabilities"] = capabilities();
    client.ask("initialize", greeting).await;
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;

    let tools = client.ask("tools/list", json!({})).await["result"].take();
    let linked: Vec<&Value> =
        tools["tools"].as_array().unwrap().iter().filter(|tool| tool.get("_meta").is_some()).collect();
    assert!(!linked.is_empty() && linked.iter().all(|tool| tool["_meta"]["ui"]["resourceUri"].is_string()));
    let resources = client.ask("resources/list", json!({})).await["result"].take();
    let apps = resources["resources"].as_array().unwrap().iter().filter(|one| one["mimeType"] == APP).count();
    assert_eq!(apps, 3);
    let app = client.ask("resources/read", json!({ "uri": "ui://cm/note" })).await["result"].take();
    let text = app["contents"][0]["text"].as_str().unwrap();
    assert!(text.contains("data-app=\"note-view\"") && !text.contains("/* s"), "it is complete");
    assert!(!text.contains("src=\"") && !text.contains("href=\""), "it loads nothing");
    assert_eq!(app["contents"][0]["mimeType"], APP);
    let page = client.ask("resources/read", json!({ "uri": "ui://cm/page/note/b-1" })).await["result"].take();
    assert_eq!(page["contents"][0]["text"], "<main>/note/b-1</main>");
}

#[tokio::test]
async fn a_client_that_shows_none_gets_the_same_lists_as_before() {
    let mut client = Client::new().await;
    let tools = client.ask("tools/list", json!({})).await.to_string();
    let resources = client.ask("resources/list", json!({})).await.to_string();
    assert!(!tools.contains("ui://") && !resources.contains("ui://"));
}
