//! Tests of resources: list, read, errors.

use serde_json::json;

use super::{Client, server};
use crate::mcp::McpLimits;
use crate::operations::Caller;

#[tokio::test]
async fn resources_are_listed_with_the_notes_that_changed_last() {
    let mut client = Client::new().await;
    let list = client.ask("resources/list", json!({})).await["result"].take();
    let uris: Vec<_> = list["resources"].as_array().unwrap().iter().map(|one| one["uri"].clone()).collect();
    assert_eq!(json!(uris), json!(["cm://core", "cm://stats", "cm://note/%C3%A4%201"]));
    assert_eq!(list["cacheScope"], "private");
    let templates = client.ask("resources/templates/list", json!({})).await["result"].take();
    assert_eq!(templates["resourceTemplates"][0]["uriTemplate"], "cm://note/{id}");
}

#[tokio::test]
async fn what_is_listed_can_be_read() {
    let mut client = Client::new().await;
    let list = client.ask("resources/list", json!({})).await["result"].take();
    for resource in list["resources"].as_array().unwrap() {
        let read = client.ask("resources/read", json!({ "uri": resource["uri"] })).await["result"].take();
        assert_eq!(read["contents"][0]["uri"], resource["uri"]);
        assert_eq!(read["contents"][0]["mimeType"], resource["mimeType"]);
        assert!(!read["contents"][0]["text"].as_str().unwrap().is_empty());
    }
}

#[tokio::test]
async fn what_is_not_there_is_said_in_the_words_of_each_revision() {
    let server = server(McpLimits::default(), Some(Caller::local()));
    for (revision, code) in [("2025-11-25", -32002), ("2026-07-28", -32602)] {
        let mut client = Client::of(&server, revision).await;
        for uri in ["cm://note/none", "cm://nothing", "file:///etc/passwd", "cm://note/../../x", ""] {
            let error = client.ask("resources/read", json!({ "uri": uri })).await["error"].take();
            assert_eq!(error["code"], code, "{uri}");
            assert_eq!(error["data"]["uri"], uri);
            assert_eq!(error["data"]["code"], "not-found");
            assert!(error["data"]["hint"].is_string());
        }
    }
}
