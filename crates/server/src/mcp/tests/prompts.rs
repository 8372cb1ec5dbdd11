//! Tests of prompts: list, get, errors.

use serde_json::json;

use super::Client;

#[tokio::test]
async fn the_four_prompts_are_listed_and_given() {
    let mut client = Client::new().await;
    let list = client.ask("prompts/list", json!({})).await["result"].take();
    let names: Vec<_> = list["prompts"].as_array().unwrap().iter().map(|one| one["name"].clone()).collect();
    assert_eq!(json!(names), json!(["brief", "remember", "reflect", "review"]));
    for name in ["remember", "reflect", "review"] {
        let prompt = client.ask("prompts/get", json!({ "name": name })).await["result"].take();
        let text = prompt["messages"][0]["content"]["text"].as_str().unwrap();
        assert!(text.contains("memory_") && !text.contains("{{"), "{text}");
    }
}

#[tokio::test]
async fn a_briefing_comes_with_the_prompt_that_asks_for_it() {
    let mut client = Client::new().await;
    let asked = json!({ "name": "brief", "arguments": { "task": "repair the {{pool}}" } });
    let messages = client.ask("prompts/get", asked).await["result"]["messages"].take();
    assert!(messages[0]["content"]["text"].as_str().unwrap().contains("\nrepair the {{pool}}\n"));
    assert_eq!(messages[1]["content"]["text"], "For repair the {{pool}}: nothing yet.");
}

#[tokio::test]
async fn arguments_that_are_missing_unknown_or_no_text_are_refused() {
    let mut client = Client::new().await;
    for (asked, word) in [
        (json!({ "name": "brief" }), "requires task"),
        (json!({ "name": "brief", "arguments": { "task": "  " } }), "requires task"),
        (json!({ "name": "brief", "arguments": { "task": "x", "taks": "y" } }), "no argument \"taks\""),
        (json!({ "name": "remember", "arguments": { "what": 7 } }), "not text"),
        (json!({ "name": "remember", "arguments": { "what": "x".repeat(20_001) } }), "longer than"),
        (json!({ "name": "breif" }), "unknown prompt"),
    ] {
        let error = client.ask("prompts/get", asked).await["error"].take();
        assert_eq!(error["code"], -32602);
        assert!(error["message"].as_str().unwrap().contains(word), "{error}");
        assert!(error["data"]["hint"].is_string());
    }
}
