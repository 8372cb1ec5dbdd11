//! One library, two surfaces: every tool of a real `cm mcp` gives the JSON of its command, and refuses in the same words.

use std::collections::{BTreeSet, HashMap};

use cm::operations::tools;
use serde_json::Value;

use crate::operations::{calls, refusals, words};
use crate::support::{Agent, Ran, Sandbox, taught};

/// Ids, paths and commits that were drawn twice, as the command has them and as the tool does. Each stands for one thing.
#[derive(Default)]
struct Twins(HashMap<String, String>);

impl Twins {
    /// Where two documents say different things.
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

/// A text with its hexadecimal digits alike: what is drawn differs in them alone.
fn shape(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_hexdigit() { 'x' } else { c }).collect()
}

/// A line of the table of calls as a command of the agent that asks over the protocol.
fn run(sandbox: &Sandbox, line: &str) -> Ran {
    let arguments = words(line);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).chain(["--json"]).collect();
    sandbox.run(&arguments).env("CM_AGENT", "tester").go()
}

#[test]
fn every_tool_gives_the_json_of_its_command() {
    let [by_hand, served] = [taught(), taught()];
    let mut agent = Agent::of(&served);
    let mut twins = Twins::default();
    let mut compared = BTreeSet::new();
    for (line, tool, given) in calls() {
        let printed = run(&by_hand, line).ok().json();
        let answered = agent.done(tool, &given);
        let mut found = Vec::new();
        twins.differences("", &printed, &answered, &mut found);
        assert_eq!(found, [""; 0], "{line}");
        compared.insert(tool);
    }
    assert_eq!(compared, tools().map(|tool| tool.name).collect(), "every tool");
    assert_eq!(agent.leave().code, Some(0));
    let subjects = |sandbox: &Sandbox| sandbox.git(&["log", "--format=%s"]);
    assert_eq!(subjects(&served), subjects(&by_hand), "the same history");
}

#[test]
fn every_tool_refuses_as_its_command_does() {
    let [by_hand, served] = [taught(), taught()];
    let mut agent = Agent::of(&served);
    let mut compared = BTreeSet::new();
    for (line, tool, given) in refusals() {
        let mut printed = run(&by_hand, line).json();
        let refused = agent.refused(tool, &given);
        // Where nothing else is to be said, the command line leads to its own help.
        if refused["error"]["hint"].is_null() {
            assert!(printed["error"]["hint"].take().as_str().unwrap().starts_with("`cm help"), "{line}");
        }
        assert_eq!(refused, printed, "{line}");
        compared.insert(tool);
    }
    let refusing: BTreeSet<&str> = tools().map(|tool| tool.name).collect();
    let never = ["memory_core", "memory_recent"];
    assert_eq!(compared, refusing.into_iter().filter(|name| !never.contains(name)).collect());
}

#[test]
fn a_planted_difference_is_seen() {
    let planted = |one: Value, other: Value| {
        let mut found = Vec::new();
        Twins::default().differences("", &one, &other, &mut found);
        found.len()
    };
    let sound = serde_json::json!({ "id": "a1", "n": 1, "ids": ["a1", "b2"] });
    assert_eq!(planted(sound.clone(), sound.clone()), 0);
    assert_eq!(planted(sound.clone(), serde_json::json!({ "id": "c3", "n": 1, "ids": ["c3", "b2"] })), 0);
    assert_eq!(planted(sound.clone(), serde_json::json!({ "id": "c3", "n": 1, "ids": ["d4", "b2"] })), 1);
    assert_eq!(planted(sound.clone(), serde_json::json!({ "id": "z1", "n": 2, "ids": ["a1"] })), 3);
    assert_eq!(planted(sound, serde_json::json!({ "id": "a1", "n": 1 })), 1);
}
