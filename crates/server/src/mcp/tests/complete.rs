//! Completion by prefix, limited to the protocol's maximum.

use serde_json::{Value, json};

use super::Client;

async fn completed(client: &mut Client, reference: Value, name: &str, value: &str) -> Value {
    let params = json!({ "ref": reference, "argument": { "name": name, "value": value } });
    client.ask("completion/complete", params).await
}

#[tokio::test]
async fn ids_categories_and_types_are_completed() {
    let mut client = Client::new().await;
    let note = json!({ "type": "ref/resource", "uri": "cm://note/{id}" });
    let remember = json!({ "type": "ref/prompt", "name": "remember" });
    let ids = completed(&mut client, note.clone(), "id", "n-14").await["result"]["completion"].take();
    assert_eq!(ids["values"].as_array().unwrap().len(), 11);
    assert_eq!(ids["hasMore"], false);
    let ids = completed(&mut client, note, "id", "n").await["result"]["completion"].take();
    assert_eq!((ids["values"].as_array().unwrap().len(), &ids["hasMore"]), (100, &json!(true)));
    let types = completed(&mut client, remember.clone(), "type", "d").await;
    assert_eq!(types["result"]["completion"]["values"], json!(["decision"]));
    let categories = completed(&mut client, remember.clone(), "category", "te").await;
    assert_eq!(categories["result"]["completion"]["values"], json!(["testing"]));
    let free = completed(&mut client, remember, "what", "x").await;
    assert_eq!(free["result"]["completion"]["values"], json!([]));
}

#[tokio::test]
async fn what_is_not_there_is_not_completed() {
    let mut client = Client::new().await;
    for (reference, name) in [
        (json!({ "type": "ref/resource", "uri": "cm://core" }), "id"),
        (json!({ "type": "ref/resource", "uri": "cm://note/{id}" }), "name"),
        (json!({ "type": "ref/prompt", "name": "remember" }), "nothing"),
        (json!({ "type": "ref/prompt", "name": "nothing" }), "what"),
    ] {
        let answer = completed(&mut client, reference, name, "").await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
}
