//! Notifications about resources: by an open request, and by session subscriptions.

use serde_json::{Value, json};

use super::{CURRENT, Client, server};
use crate::mcp::{ChangedFile, McpLimits, McpServer};
use crate::operations::Caller;

fn changed(path: &str, id: Option<&str>) -> ChangedFile {
    ChangedFile { path: path.to_owned(), id: id.map(str::to_owned) }
}

fn usual() -> McpServer {
    server(McpLimits::default(), Some(Caller::local()))
}

async fn listening(client: &mut Client, wanted: Value) -> u64 {
    let id = client.begin("subscriptions/listen", json!({ "notifications": wanted })).await;
    client.notification("notifications/subscriptions/acknowledged").await;
    // The acknowledgement is sent before the server listens; a call that is answered comes after both.
    client.ask("prompts/list", json!({})).await;
    id
}

#[tokio::test]
async fn who_listens_hears_of_what_was_asked_for() {
    let server = usual();
    let mut client = Client::of(&server, CURRENT).await;
    let wanted =
        json!({ "resourcesListChanged": true, "resourceSubscriptions": ["cm://core", "cm://note/n-1"] });
    let id = listening(&mut client, wanted).await;
    server.feed().publish([changed("graph/other.md", None), changed("CORE.md", None)]);
    let told = client.notification("notifications/resources/updated").await;
    assert_eq!(told["params"]["uri"], "cm://core");
    assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], id);
    server.feed().publish([changed("graph/n.md", Some("n-1"))]);
    client.notification("notifications/resources/list_changed").await;
    assert_eq!(
        client.notification("notifications/resources/updated").await["params"]["uri"],
        "cm://note/n-1"
    );
    assert_eq!(client.pending, Vec::<Value>::new(), "nothing else was said");
}

#[tokio::test]
async fn who_called_it_off_hears_no_more() {
    let server = usual();
    let mut client = Client::of(&server, CURRENT).await;
    let id = listening(&mut client, json!({ "resourceSubscriptions": ["cm://core"] })).await;
    client.cancel(id).await;
    client.ask("prompts/list", json!({})).await;
    server.feed().publish([changed("CORE.md", None)]);
    let again = listening(&mut client, json!({ "resourceSubscriptions": ["cm://stats"] })).await;
    server.feed().publish([changed("CORE.md", None)]);
    let told = client.notification("notifications/resources/updated").await;
    assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], again);
}

#[tokio::test]
async fn what_is_no_resource_is_not_accepted() {
    let server = usual();
    let mut client = Client::of(&server, CURRENT).await;
    let wanted = json!({ "toolsListChanged": true, "resourceSubscriptions": ["cm://core", "file:///x"] });
    client.begin("subscriptions/listen", json!({ "notifications": wanted })).await;
    let accepted = client.notification("notifications/subscriptions/acknowledged").await;
    assert_eq!(accepted["params"]["notifications"], json!({ "resourceSubscriptions": ["cm://core"] }));
}

#[tokio::test]
async fn only_so_many_listen_at_once() {
    let server = server(McpLimits { listeners: 1, ..McpLimits::default() }, Some(Caller::local()));
    let mut client = Client::of(&server, CURRENT).await;
    listening(&mut client, json!({ "resourceSubscriptions": ["cm://core"] })).await;
    let second = client
        .ask("subscriptions/listen", json!({ "notifications": { "resourcesListChanged": true } }))
        .await;
    assert_eq!(second["error"]["data"]["code"], "busy");
}

#[tokio::test]
async fn a_session_hears_of_what_it_subscribed_to_until_it_ends_that() {
    let server = usual();
    let mut client = Client::of(&server, "2025-11-25").await;
    assert_eq!(client.ask("resources/subscribe", json!({ "uri": "cm://core" })).await["result"], json!({}));
    assert_eq!(client.ask("resources/subscribe", json!({ "uri": "cm://stats" })).await["result"], json!({}));
    server.feed().publish([changed("CORE.md", None)]);
    assert_eq!(client.notification("notifications/resources/updated").await["params"]["uri"], "cm://core");
    assert_eq!(client.notification("notifications/resources/updated").await["params"]["uri"], "cm://stats");
    client.ask("resources/unsubscribe", json!({ "uri": "cm://core" })).await;
    server.feed().publish([changed("CORE.md", Some("n-1"))]);
    client.notification("notifications/resources/list_changed").await;
    assert_eq!(client.notification("notifications/resources/updated").await["params"]["uri"], "cm://stats");
    assert_eq!(client.pending, Vec::<Value>::new());
}

#[tokio::test]
async fn a_session_subscribes_to_what_there_is_and_not_to_more_than_allowed() {
    let server = server(McpLimits { subscriptions: 1, ..McpLimits::default() }, Some(Caller::local()));
    let mut client = Client::of(&server, "2025-06-18").await;
    assert_eq!(client.ask("resources/subscribe", json!({ "uri": "cm://x" })).await["error"]["code"], -32002);
    for _ in 0..2 {
        assert_eq!(
            client.ask("resources/subscribe", json!({ "uri": "cm://core" })).await["result"],
            json!({})
        );
    }
    let refused = client.ask("resources/subscribe", json!({ "uri": "cm://stats" })).await;
    assert_eq!(refused["error"]["data"]["code"], "too-many");
}
