//! All surfaces agree: every tool of `cm mcp` and of `/mcp` of `cm serve`, and every HTTP endpoint,
//! returns the JSON of its command and the same errors.

use std::collections::{BTreeSet, HashMap};

use cm_app::ErrorKind;
use cm_note::user_text::Interface;
use cm_render::status;
use cm_server::operations::{Endpoint, Method, OperationSpec, TABLE, endpoints, reword_result, tools};
use serde_json::{Value, json};

use crate::http::support::Reply;
use crate::operations::{calls, refusals, words};
use crate::support::{McpClient, Ran, Sandbox, ServerProcess, taught};

/// Maps generated ids, paths and commits of the command to those of the tool; the mapping must be
/// one-to-one.
#[derive(Default)]
struct GeneratedPairs(HashMap<String, String>);

impl GeneratedPairs {
    /// Collects the differences between two documents.
    fn differences(&mut self, at: &str, printed: &Value, given: &Value, found: &mut Vec<String>) {
        match (printed, given) {
            (Value::Object(one), Value::Object(other)) => {
                let keys: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
                for key in keys {
                    let at = format!("{at}.{key}");
                    self.differences(&at, &printed[key], &given[key], found);
                }
            }
            (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
                for (place, (one, other)) in one.iter().zip(other).enumerate() {
                    self.differences(&format!("{at}[{place}]"), one, other, found);
                }
            }
            (Value::String(one), Value::String(other)) if one != other && shape(one) == shape(other) => {
                if self.0.entry(one.clone()).or_insert_with(|| other.clone()) != other {
                    found.push(format!("{at}: {one} was not {other} before"));
                }
            }
            (one, other) if one == other => {}
            (one, other) => found.push(format!("{at}: {one} and {other}")),
        }
    }
}

/// Masks the hexadecimal digits of a text, the only part in which generated values differ.
fn shape(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_hexdigit() { 'x' } else { c }).collect()
}

/// Runs a line of the call table as a command by the agent `tester`.
fn run(sandbox: &Sandbox, line: &str) -> Ran {
    let arguments = words(line);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).chain(["--json"]).collect();
    sandbox.run(&arguments).env("CM_AGENT", "tester").go()
}

/// Sends a call of the table to its HTTP endpoint.
fn asked(server: &ServerProcess, operation: &OperationSpec, endpoint: Endpoint, given: &Value) -> Reply {
    let given = operation.named_as_http(if given.is_null() { json!({}) } else { given.clone() });
    let agent = ("cm-agent", "tester");
    match endpoint.methods[0] {
        Method::Get => {
            let target = format!("{}?{}", endpoint.path, query(&given));
            server.send("GET", &target, &[agent], "")
        }
        Method::Post => {
            let headers = [agent, ("content-type", "application/json")];
            server.send("POST", endpoint.path, &headers, &given.to_string())
        }
    }
}

/// Encodes fields as a query string: lists as repeated fields, null omitted.
fn query(given: &Value) -> String {
    let escaped = |value: &Value| -> String {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        text.bytes().map(|byte| format!("%{byte:02X}")).collect()
    };
    let mut pairs = Vec::new();
    for (name, value) in given.as_object().unwrap() {
        match value {
            Value::Null => {}
            Value::Array(items) => pairs.extend(items.iter().map(|item| format!("{name}={}", escaped(item)))),
            value => pairs.push(format!("{name}={}", escaped(value))),
        }
    }
    pairs.join("&")
}

/// Returns the operation of a tool and its HTTP endpoint.
fn operation(tool: &str) -> (&'static OperationSpec, Option<Endpoint>) {
    let operation = TABLE.iter().find(|one| one.name == tool).unwrap();
    (operation, operation.endpoint)
}

#[test]
fn every_tool_and_endpoint_gives_the_json_of_its_command() {
    let [by_hand, alone, served] = [taught(), taught(), taught()];
    let (mut agent, server) = (McpClient::of(&alone), ServerProcess::of(&served, &[]));
    let [mut twins, mut triplets] = [GeneratedPairs::default(), GeneratedPairs::default()];
    let [mut compared, mut asked_for] = [BTreeSet::new(), BTreeSet::new()];
    for (line, tool, given) in calls() {
        let printed = run(&by_hand, line).ok().json();
        let (operation, endpoint) = operation(tool);
        let over_http = match endpoint {
            Some(endpoint) => {
                let reply = asked(&server, operation, endpoint, &given);
                assert_eq!(reply.status, endpoint.success_status, "{line}: {reply:?}");
                asked_for.insert(tool);
                reply.json()
            }
            None => server.tool("", tool, &given)["structuredContent"].take(),
        };
        let mut found = Vec::new();
        // Each interface names its own searches and its own way to give feedback.
        let of_endpoint = without_own_names(worded_for(Interface::Http, &printed));
        triplets.differences("", &of_endpoint, &without_own_names(over_http), &mut found);
        let (done, printed) = (agent.done(tool, &given), worded_for(Interface::Mcp, &printed));
        // Text results have no structured content.
        if !operation.text_only {
            twins.differences("", &printed, &done, &mut found);
        }
        compared.insert(tool);
        assert_eq!(found, [""; 0], "{line}");
    }
    assert_eq!(compared, tools().map(|tool| tool.name).collect(), "every tool");
    // Operations that are not tools have no equivalent command; their own tests check the results.
    let both = endpoints().filter(|(one, _)| one.tool).map(|(one, _)| one.name);
    assert_eq!(asked_for, both.collect(), "every endpoint of a tool");
    assert_eq!(agent.leave().code, Some(0));
    let subjects = |sandbox: &Sandbox| sandbox.git(&["log", "--format=%s"]);
    assert_eq!(subjects(&alone), subjects(&by_hand), "the same history");
    assert_eq!(subjects(&served), subjects(&by_hand), "the same history");
}

#[test]
fn every_tool_and_endpoint_refuses_as_its_command_does() {
    let [by_hand, alone, served] = [taught(), taught(), taught()];
    let (mut agent, server) = (McpClient::of(&alone), ServerProcess::of(&served, &[]));
    let mut compared = BTreeSet::new();
    for (line, tool, given) in refusals() {
        let ran = run(&by_hand, line);
        let mut printed = ran.json();
        let refused = agent.refused(tool, &given);
        // Without a specific hint, the command line refers to its own help.
        if refused["error"]["hint"].is_null() {
            assert!(printed["error"]["hint"].take().as_str().unwrap().starts_with("`cm help"), "{line}");
        }
        assert_eq!(refused, worded_for(Interface::Mcp, &printed), "{line}");
        compared.insert(tool);
        let (over_http, interface) = match operation(tool) {
            (operation, Some(endpoint)) => {
                let reply = asked(&server, operation, endpoint, &given);
                assert_eq!(Some(reply.status), status_of(ran.code), "{line}: {reply:?}");
                (reply.json(), Interface::Http)
            }
            _ => {
                let answer = server.tool("", tool, &given);
                let text = answer["content"][0]["text"].as_str().unwrap();
                (serde_json::from_str(text).unwrap(), Interface::Mcp)
            }
        };
        assert_eq!(over_http, worded_for(interface, &printed), "{line}");
        for answer in [refused, over_http] {
            let error = &answer["error"];
            assert!(!error.to_string().contains("`cm "), "a command in {answer}");
            assert!(error.get("exit").is_none(), "an exit code in {answer}");
        }
    }
    let refusing: BTreeSet<&str> = tools().map(|tool| tool.name).collect();
    let never = ["memory_core", "memory_recent"];
    assert_eq!(compared, refusing.into_iter().filter(|name| !never.contains(name)).collect());
}

/// The JSON of a command with its hints worded for an interface.
fn worded_for(interface: Interface, printed: &Value) -> Value {
    let mut worded = printed.clone();
    reword_result(&mut worded, interface);
    worded
}

/// A briefing without the fields that depend on the interface's own names for searches and feedback,
/// and on their length.
fn without_own_names(mut answer: Value) -> Value {
    if answer.get("pitfalls").is_some() {
        for name in ["text", "feedback", "tokens", "searches"] {
            answer.as_object_mut().unwrap().remove(name);
        }
    }
    answer
}

/// Returns the HTTP status for a command's exit code.
fn status_of(exit: i32) -> Option<u16> {
    const KINDS: [ErrorKind; 8] = [
        ErrorKind::Failed,
        ErrorKind::Usage,
        ErrorKind::NoVault,
        ErrorKind::NotFound,
        ErrorKind::Refused,
        ErrorKind::Locked,
        ErrorKind::Provider,
        ErrorKind::NothingDone,
    ];
    KINDS.into_iter().find(|kind| i32::from(status::exit(*kind)) == exit).map(status::http)
}

#[test]
fn a_planted_difference_is_seen() {
    let planted = |one: Value, other: Value| {
        let mut found = Vec::new();
        GeneratedPairs::default().differences("", &one, &other, &mut found);
        found.len()
    };
    let sound = serde_json::json!({ "id": "a1", "n": 1, "ids": ["a1", "b2"] });
    assert_eq!(planted(sound.clone(), sound.clone()), 0);
    assert_eq!(planted(sound.clone(), serde_json::json!({ "id": "c3", "n": 1, "ids": ["c3", "b2"] })), 0);
    assert_eq!(planted(sound.clone(), serde_json::json!({ "id": "c3", "n": 1, "ids": ["d4", "b2"] })), 1);
    assert_eq!(planted(sound.clone(), serde_json::json!({ "id": "z1", "n": 2, "ids": ["a1"] })), 3);
    assert_eq!(planted(sound, serde_json::json!({ "id": "a1", "n": 1 })), 1);
}
