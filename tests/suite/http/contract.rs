//! The server's behavior matches the API description that it publishes.

use cm_server::http::openapi::document;
use cm_server::operations::TABLE;
use serde_json::Value;

use super::support::TestServerConfig;

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/openapi.json");

#[test]
fn the_contract_is_the_one_that_is_kept() {
    let made = serde_json::to_string_pretty(&document(TABLE, "0.0.0")).unwrap() + "\n";
    assert_eq!(made, serde_json::to_string_pretty(&document(TABLE, "0.0.0")).unwrap() + "\n");
    if std::env::var_os("CM_BLESS").is_some() {
        std::fs::write(GOLDEN, &made).unwrap();
    }
    assert!(
        made == std::fs::read_to_string(GOLDEN).unwrap(),
        "the contract differs: read it, then CM_BLESS=1"
    );
    assert!(!made.contains("#/$defs"));
}

#[test]
fn every_reference_of_the_contract_leads_somewhere() {
    let contract = document(TABLE, "0.0.0");
    fn check(value: &Value, contract: &Value) {
        match value {
            Value::Object(object) => {
                if let Some(Value::String(name)) = object.get("$ref") {
                    assert!(contract.pointer(name.strip_prefix('#').unwrap()).is_some(), "{name}");
                }
                object.values().for_each(|value| check(value, contract));
            }
            Value::Array(items) => items.iter().for_each(|item| check(item, contract)),
            _ => {}
        }
    }
    check(&contract, &contract);
}

#[test]
fn what_is_answered_is_what_the_contract_says() {
    let server = TestServerConfig::default().run();
    let contract = server.ask("GET", "/openapi.json", &[], "").json();
    let json = ("content-type", "application/json");
    let secret =
        format!("{{\"content\": \"The key is ghp_{}.\"}}", "aB3dE5gH7j".repeat(4).get(..36).unwrap());
    for (method, target, body) in [
        ("POST", "/observations", "{\"content\": \"Retry with jitter over 30 s.\"}"),
        ("POST", "/observations", "{\"content\": \"\"}"),
        ("POST", "/observations", &secret),
        ("POST", "/observations", "{"),
        ("GET", "/search?q=x", ""),
        ("GET", "/search?limit=x", ""),
        ("GET", "/context?task=xyz", ""),
        ("POST", "/context", "{\"task\": \"xyz\"}"),
        ("POST", "/context", "{\"task\": \"x\"}"),
        ("POST", "/feedback", "{\"memoryId\": \"99\", \"signal\": \"helpful\"}"),
        ("GET", "/export", ""),
        ("GET", "/health", ""),
        ("GET", "/openapi.json", ""),
    ] {
        let reply = server.ask(method, target, &[json], body);
        let path = target.split('?').next().unwrap();
        let responses = &contract["paths"][path][method.to_lowercase()]["responses"];
        let mut said = &responses[reply.status.to_string()];
        assert!(!said.is_null(), "{method} {target} answers {} without saying so", reply.status);
        if let Some(name) = said["$ref"].as_str() {
            said = contract.pointer(&name[1..]).unwrap();
        }
        let mut schema = said["content"]["application/json"]["schema"].clone();
        schema["components"] = contract["components"].clone();
        let fits = jsonschema::validator_for(&schema).unwrap();
        assert!(fits.is_valid(&reply.json()), "{method} {target}: {}", reply.body);
    }
}

#[test]
fn a_briefing_needs_no_task_an_export_takes_a_threshold_and_older_names_are_taken() {
    let server = TestServerConfig::default().run();
    let json = ("content-type", "application/json");
    let observed = server.ask(
        "POST",
        "/observations",
        &[json],
        "{\"content\": \"Retry with jitter over 30 s.\", \"userId\": \"ada\", \"sessionId\": \"s-1\"}",
    );
    assert_eq!(observed.status, 201, "{}", observed.json());
    let briefing = server.ask("GET", "/context", &[], "");
    assert_eq!(briefing.status, 200, "{}", briefing.json());
    for threshold in ["score_threshold=0.1", "scoreThreshold=1"] {
        let export = server.ask("GET", &format!("/export?{threshold}"), &[], "");
        assert_eq!(export.status, 200, "{}", export.json());
    }
    let refused = server.ask("GET", "/search?q=", &[], "").json();
    let hint = refused["error"]["hint"].as_str().unwrap();
    assert!(hint.contains("`GET /search?q=%22connection+pool%22+type%3Afix`"), "{hint}");
}
