//! The server answers or ignores arbitrary bytes and continues.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{CURRENT, Client, server};
use crate::mcp::McpLimits;
use crate::operations::Caller;

/// Arbitrary JSON values, flat and nested.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        prop_oneof![Just("memory_search"), Just("cm://core"), Just("brief"), Just("ref/prompt")]
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let key = prop_oneof![
            "[a-z_]{0,6}",
            Just("_meta".to_owned()),
            Just("arguments".to_owned()),
            Just("name".to_owned()),
            Just("notifications".to_owned()),
            Just("progressToken".to_owned()),
            Just("query".to_owned()),
            Just("ref".to_owned()),
            Just("uri".to_owned()),
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(key, inner, 0..4).prop_map(|map| map.into_iter().collect()),
        ]
    })
}

fn message() -> impl Strategy<Value = Value> {
    let method = prop_oneof![
        Just("tools/call".to_owned()),
        Just("tools/list".to_owned()),
        Just("resources/read".to_owned()),
        Just("resources/subscribe".to_owned()),
        Just("resources/list".to_owned()),
        Just("prompts/get".to_owned()),
        Just("completion/complete".to_owned()),
        Just("initialize".to_owned()),
        Just("ping".to_owned()),
        Just("server/discover".to_owned()),
        Just("notifications/cancelled".to_owned()),
        Just("notifications/initialized".to_owned()),
        Just("logging/setLevel".to_owned()),
        "[a-z/]{0,10}",
    ];
    (method, value(), value(), any::<bool>()).prop_map(|(method, params, id, meta)| {
        let mut message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        if let (true, Some(params)) = (meta, message["params"].as_object_mut()) {
            params.insert("_meta".to_owned(), json!({
                "io.modelcontextprotocol/protocolVersion": CURRENT, "io.modelcontextprotocol/clientCapabilities": {},
            }));
        }
        message
    })
}

fn line() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..200),
        value().prop_map(|value| value.to_string().into_bytes()),
        message().prop_map(|message| message.to_string().into_bytes()),
        (message(), any::<prop::sample::Index>()).prop_map(|(message, at)| {
            let mut bytes = message.to_string().into_bytes();
            bytes.truncate(at.index(bytes.len()));
            bytes
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_end_the_server_or_leave_the_next_request_without_an_answer(
        lines in prop::collection::vec(line(), 1..8),
    ) {
        super::without_panics(async {
            let server = server(McpLimits { message: 4096, ..McpLimits::default() }, Some(Caller::local()));
            let mut client = Client::silent(&server, CURRENT);
            // Its own id is one that no generated message has by chance.
            client.id = 1 << 40;
            for line in &lines {
                client.say_bytes(line).await;
                client.say_bytes(b"\n").await;
            }
            let answer = client.call("memory_search", json!({ "query": "still there" })).await;
            assert_eq!(answer["result"]["structuredContent"]["query"], "still there", "{answer}");
            let (_, ended) = client.close().await;
            ended.unwrap();
        });
    }
}
