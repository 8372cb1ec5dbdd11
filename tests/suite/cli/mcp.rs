//! `cm mcp`: a client starts the real program, calls everything that it offers, and disconnects.

use std::collections::{BTreeMap, BTreeSet};

use cm_note::user_text::Interface;
use cm_server::operations::reword_result;
use serde_json::{Map, Value, json};

use crate::support::{McpClient, Sandbox, SessionLine, talk, taught, vault_of};

/// One call per tool on the example vault. Other clients use the same calls.
const CALLS: &str = include_str!("../../mcp/calls.json");

const SESSION: &str = "aaaaaaaa-0000-4000-8000-000000000001";

fn texts(list: &Value, key: &str) -> Vec<String> {
    list.as_array().unwrap().iter().map(|one| one[key].as_str().unwrap().to_owned()).collect()
}

fn contents(agent: &mut McpClient, uri: &str) -> String {
    let read = agent.ask("resources/read", json!({ "uri": uri }));
    read["contents"][0]["text"].as_str().unwrap().to_owned()
}

#[test]
fn each_tool_is_listed_within_ten_kilobytes_and_answers_twice() {
    let sandbox = taught();
    let mut agent = McpClient::of(&sandbox);
    let list = agent.ask("tools/list", json!({}));
    let size = list.to_string().len();
    assert!(size <= 10 * 1024, "{size} bytes");
    let calls: Map<String, Value> = serde_json::from_str(CALLS).unwrap();
    let called: BTreeSet<&String> = calls.keys().collect();
    let names = texts(&list["tools"], "name");
    assert_eq!(names.iter().collect::<BTreeSet<_>>(), called, "each tool that is listed has a call");
    for tool in list["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        let takes = jsonschema::draft202012::new(&tool["inputSchema"]).unwrap();
        assert!(takes.is_valid(&calls[name]), "{name}");
        for turn in 0..2 {
            let given = agent.done(name, &calls[name]);
            // A briefing is text only.
            assert_eq!(given.is_object(), name != "memory_context", "{name}, turn {turn}: {given}");
        }
    }
    let left = agent.leave();
    assert_eq!((left.code, left.last.len(), left.stderr.as_str()), (Some(0), 0, ""));
}

#[test]
fn earlier_names_work_and_are_not_listed() {
    let sandbox = taught();
    let mut agent = McpClient::of(&sandbox);
    let listed = agent.ask("tools/list", json!({})).to_string();
    for (alias, given) in [
        ("cm_context", json!({ "task": "change the retry" })),
        ("cm_mark", json!({ "id": "b-mt2ssunl-jq6d8j", "signal": "helpful" })),
        ("cm_feedback", json!({ "id": "b-mt2ssunl-jq6d8j", "signal": "helpful" })),
        ("cm_outcome", json!({ "session": "11111111", "outcome": "partial" })),
        ("memory_store", json!({ "type": "fact", "title": "Ports differ" })),
        ("memory_recall", json!({ "query": "pool" })),
    ] {
        assert!(!listed.contains(alias), "{alias}");
        agent.done(alias, &given);
    }
}

#[test]
fn resources_say_what_the_commands_say() {
    let sandbox = taught();
    let printed = |arguments: &[&str]| sandbox.cm(arguments).ok().stdout;
    let commands: BTreeMap<&str, String> = [
        ("cm://core", printed(&["core", "--print"])),
        ("cm://reflection", printed(&["reflection", "--print"])),
        ("cm://playbook", printed(&["playbook", "list", "--json"])),
        ("cm://stats", printed(&["stats", "--json"])),
        ("cm://health", printed(&["doctor", "--json"])),
    ]
    .into();
    let mut agent = McpClient::of(&sandbox);
    let list = agent.ask("resources/list", json!({}));
    let uris = texts(&list["resources"], "uri");
    assert_eq!(
        uris[..6],
        ["cm://core", "cm://reflection", "cm://playbook", "cm://diary", "cm://stats", "cm://health"]
    );
    assert!(uris.len() > 6 && uris[6..].iter().all(|uri| uri.starts_with("cm://note/")), "{uris:?}");
    for uri in &uris {
        let text = contents(&mut agent, uri);
        match commands.get(uri.as_str()) {
            Some(printed) if uri == "cm://health" => {
                let mut expected = serde_json::from_str(printed).unwrap();
                reword_result(&mut expected, Interface::Mcp);
                assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), expected);
            }
            Some(printed) => assert_eq!(text.trim_end(), printed.trim_end(), "{uri}"),
            None => assert!(!text.is_empty(), "{uri}"),
        }
    }
    let templates = agent.ask("resources/templates/list", json!({}));
    assert_eq!(templates["resourceTemplates"][0]["uriTemplate"], "cm://note/{id}");
    let note = sandbox.cm(&["get", "1bc3be", "--json"]).ok().json();
    let written = sandbox.read(note["path"].as_str().unwrap());
    assert_eq!(contents(&mut agent, "cm://note/1bc3be"), written, "as it is written");
    let diaries: Value = serde_json::from_str(&contents(&mut agent, "cm://diary")).unwrap();
    assert!(diaries["notes"].as_array().unwrap().iter().all(|note| note["kind"] == "diary"));
    assert_eq!(diaries["total"], diaries["notes"].as_array().unwrap().len());
    let refused = agent.answer("resources/read", json!({ "uri": "cm://note/nowhere" }));
    assert_eq!(
        (&refused["error"]["code"], &refused["error"]["data"]["code"]),
        (&json!(-32002), &json!("not-found"))
    );
}

#[test]
fn prompts_name_tools_that_are_there_and_a_briefing_comes_with_its_material() {
    let sandbox = taught();
    let mut agent = McpClient::of(&sandbox);
    let tools = texts(&agent.ask("tools/list", json!({}))["tools"], "name");
    let names = texts(&agent.ask("prompts/list", json!({}))["prompts"], "name");
    assert_eq!(names, ["brief", "remember", "reflect", "review"]);
    let task = "change the retry of gauge fetches";
    let mut said = include_str!("../../../templates/mcp/instructions.md").to_owned();
    for name in &names {
        let given = if name == "brief" { json!({ "task": task }) } else { json!({}) };
        let prompt = agent.ask("prompts/get", json!({ "name": name, "arguments": given }));
        said.push_str(prompt["messages"][0]["content"]["text"].as_str().unwrap());
        if name == "brief" {
            let briefing = sandbox.cm(&["context", task, "--agent", "tester"]).ok().stdout;
            let material = prompt["messages"][1]["content"]["text"].as_str().unwrap();
            let first = briefing.split("\n## ").next().unwrap();
            assert!(material.starts_with(first.trim_end()), "{material}");
            assert!(!material.contains("`cm "), "a shell command in {material}");
        }
    }
    let named: BTreeSet<&str> = said
        .split(|c: char| !(c.is_ascii_lowercase() || c == '_'))
        .filter(|word| word.starts_with("memory_"))
        .collect();
    assert!(named.len() > 5 && named.iter().all(|name| tools.iter().any(|tool| tool == name)), "{named:?}");
}

#[test]
fn ids_categories_and_types_are_completed() {
    let sandbox = taught();
    let mut agent = McpClient::of(&sandbox);
    let mut complete = |reference: Value, name: &str, typed: &str| {
        let argument = json!({ "name": name, "value": typed });
        let answer = agent.ask("completion/complete", json!({ "ref": reference, "argument": argument }));
        answer["completion"]["values"].clone()
    };
    let note = json!({ "type": "ref/resource", "uri": "cm://note/{id}" });
    let ids = complete(note.clone(), "id", "1BC3");
    assert_eq!(ids.as_array().unwrap().len(), 1, "{ids}");
    assert!(ids[0].as_str().unwrap().starts_with("1bc3be"));
    assert!(complete(note, "id", "").as_array().unwrap().len() > 10);
    let remember = json!({ "type": "ref/prompt", "name": "remember" });
    assert_eq!(complete(remember.clone(), "type", "pro"), json!(["procedure", "problem"]));
    assert_eq!(complete(remember, "category", "test"), json!(["testing"]));
}

const NOTE: &str = "--- graph/facts/tide.md\n---\nid: 5d5d5d5d-0000-4000-8000-000000000001\ntype: fact\ntitle: Tide\n---\nHigh at six.\n";

#[test]
fn an_edit_by_hand_a_new_note_and_a_removed_one_are_told() {
    let sandbox = vault_of(NOTE);
    let mut agent = McpClient::of(&sandbox);
    let uri = "cm://note/5d5d5d5d-0000-4000-8000-000000000001";
    for wanted in [uri, "cm://stats", "cm://playbook"] {
        agent.ask("resources/subscribe", json!({ "uri": wanted }));
    }
    let changed = sandbox.read("graph/facts/tide.md").replace("six", "seven");
    sandbox.write("graph/facts/tide.md", changed);
    agent.wait_for_notification("notifications/resources/updated", Some(uri));
    assert!(contents(&mut agent, uri).contains("seven"));
    sandbox.write(
        "playbook/testing/b-mq6d3m8l-x1y2z3.md",
        "---\nid: b-mq6d3m8l-x1y2z3\ntype: rule\ncategory: testing\nstate: active\n---\nRun the whole suite before you push.\n",
    );
    agent.wait_for_notification("notifications/resources/updated", Some("cm://playbook"));
    let done = agent.done("memory_search", &json!({ "query": "whole suite" }));
    assert_eq!(done["hits"][0]["id"], "b-mq6d3m8l-x1y2z3", "the tools see what was told");
    std::fs::remove_file(sandbox.vault().join("graph/facts/tide.md")).unwrap();
    agent.wait_for_notification("notifications/resources/list_changed", None);
    assert_eq!(agent.leave().code, Some(0));
}

#[test]
fn each_call_draws_ids_of_its_own_and_the_history_names_the_agent() {
    let sandbox = vault_of("");
    let mut agent = McpClient::of(&sandbox);
    let ids: BTreeSet<String> = (0..3)
        .map(|count| {
            let given = json!({ "type": "fact", "title": format!("Harbour {count}") });
            agent.done("memory_add", &given)["id"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(ids.len(), 3);
    assert_eq!(agent.leave().code, Some(0));
    let log = sandbox.cm(&["log", "--json"]).ok().json();
    assert_eq!(log["commits"][0]["agent"], "tester", "{log}");
    assert_eq!(log["commits"].as_array().unwrap().len(), 1 + 3, "the first is the person's");
}

#[test]
fn the_agent_itself_learns_from_a_session_and_its_answer_is_held_against_the_log() {
    let sandbox = vault_of("");
    talk(
        &sandbox,
        SESSION,
        8,
        &[
            SessionLine::Person("The test of the tide table fails, please mend it."),
            SessionLine::Ran("cargo test", "Exit code 101\ntest tide ... FAILED"),
            SessionLine::Agent("The table is read in local time. I will read it in UTC."),
            SessionLine::Ran("cargo test", "test result: ok. 12 passed"),
            SessionLine::Person("From now on, always run the tests before you commit."),
        ],
    );
    let mut agent = McpClient::of(&sandbox);
    let handed = agent.done("memory_reflect", &json!({}));
    let package = &handed["packages"][0];
    assert_eq!((&package["session"], &handed["left"]), (&json!(SESSION), &json!(0)));
    let quote = "always run the tests before you commit";
    let answer = json!({ "reflects": SESSION, "deltas": [
        { "type": "add", "category": "testing", "content": "Run all tests before each commit.", "line": 7, "quote": quote },
        { "type": "add", "category": "food", "content": "Eat more cheese at work.", "line": 7, "quote": "more cheese, please" },
    ] });
    assert!(jsonschema::draft202012::new(&package["schema"]).unwrap().is_valid(&answer));
    let curated = agent.done("memory_reflect", &json!({ "answer": answer }));
    assert_eq!(curated["applied"].as_array().unwrap().len(), 1, "{curated}");
    assert_eq!(curated["refused"][0]["code"], "unfounded", "{curated}");
    for more in [json!({ "again": true }), json!({ "session": handed["packages"][0]["session"] })] {
        assert_eq!(
            agent.done("memory_reflect", &more)["packages"][0]["session"],
            handed["packages"][0]["session"]
        );
    }
    let refused = agent.refused("memory_reflect", &json!({}));
    assert_eq!(refused["error"]["code"], "nothing-done", "all was learned from");
    let refused = agent.refused("memory_reflect", &json!({ "answer": { "reflects": SESSION } }));
    assert_eq!(refused["error"]["code"], "usage");
}

#[test]
fn without_a_vault_it_does_not_begin() {
    let sandbox = Sandbox::new();
    let ran = sandbox.cm(&["mcp"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (3, ""));
    assert!(ran.stderr.contains("cm init"), "{}", ran.stderr);
}

#[test]
fn an_agent_that_says_nothing_is_left_in_peace() {
    let sandbox = vault_of("");
    let ran = sandbox.cm(&["mcp"]);
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it_with_its_own_code() {
    use rustix::process::{Pid, Signal, kill_process};
    let sandbox = vault_of("");
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let agent = McpClient::of(&sandbox);
        kill_process(Pid::from_raw(i32::try_from(agent.process()).unwrap()).unwrap(), signal).unwrap();
        assert_eq!(agent.end().code, Some(code));
    }
}
