//! Which rules and memories the briefing of `cm context` selects for a task.

use serde_json::Value;

use crate::support::{Sandbox, vault_of};

/// Rules of a project, of which a task needs few.
const RULES: [(&str, &str); 8] = [
    ("000001", "After a change of the schema run `make generate`, CI compares the generated files."),
    ("000002", "The nickname of the staging server is Bertha."),
    ("000003", "Deploys go out by a tag that the release manager pushes, never from a laptop."),
    ("000004", "Ask before you add a dependency, legal looks at each licence."),
    ("000005", "Times are stored in UTC and shown in the customer's zone."),
    ("000006", "Mail templates have a plain text part beside the HTML."),
    ("000007", "No secrets in the repository, they come from Vault."),
    ("000008", "Run `just check` before you say that something is done."),
];

fn vault() -> Sandbox {
    let file = |(id, text): (&str, &str)| {
        format!("--- playbook/work/{id}.md\n---\nid: b-mq6d3m8l-{id}\nstate: active\n---\n\n{text}\n")
    };
    let sandbox = vault_of(&RULES.map(file).concat());
    sandbox.cm(&["embed"]).ok();
    sandbox
}

/// Returns the last six digits of the IDs of the rules for a task.
fn rules(sandbox: &Sandbox, task: &str) -> Vec<String> {
    let briefing: Value = sandbox.cm(&["context", task, "--json"]).json();
    let rules = briefing["rules"].as_array().unwrap().iter();
    rules.map(|rule| rule["id"].as_str().unwrap()["b-mq6d3m8l-".len()..].to_owned()).collect()
}

#[test]
fn a_task_gets_the_rule_that_it_needs_without_a_common_word_and_not_all_rules() {
    let sandbox = vault();
    for (task, needed) in [
        ("add a discount field to the order", "000001"),
        ("roll this out tonight", "000003"),
        ("could we use lodash for the deep clone?", "000004"),
        ("the invoice shows the wrong day for our client in Tokyo", "000005"),
        ("we need an api key for the new mail provider", "000007"),
        ("is my branch ready for review?", "000008"),
    ] {
        let shown = rules(&sandbox, task);
        assert_eq!(shown.first().map(String::as_str), Some(needed), "{task}: {shown:?}");
        assert!(shown.len() < RULES.len(), "{task}: {shown:?}");
    }
}

#[test]
fn a_task_gets_the_memory_that_it_needs_without_a_common_word_and_not_all_memories() {
    let file = |(id, text): (&str, &str)| {
        let id = format!("a1a1a1a1-0000-4000-8000-000000{id}");
        format!("--- graph/facts/{id}.md\n---\nid: {id}\ntype: fact\ntitle: {text:?}\n---\n\n{text}\n")
    };
    let sandbox = vault_of(&RULES.map(file).concat());
    sandbox.cm(&["embed"]).ok();
    for (task, needed) in [
        ("add a discount field to the order", "000001"),
        ("roll this out tonight", "000003"),
        ("could we use lodash for the deep clone?", "000004"),
        ("the invoice shows the wrong day for our client in Tokyo", "000005"),
    ] {
        let briefing: Value = sandbox.cm(&["context", task, "--json"]).json();
        let shown: Vec<&str> = briefing["memories"]
            .as_array()
            .unwrap()
            .iter()
            .map(|memory| memory["id"].as_str().unwrap())
            .collect();
        assert!(shown.iter().take(2).any(|id| id.ends_with(needed)), "{task}: {shown:?}");
        assert!(shown.len() < RULES.len(), "{task}: {shown:?}");
    }
}

#[test]
fn an_unconfirmed_memory_hides_no_rule() {
    let sandbox = vault();
    let task = "add a discount field to the order";
    let before = rules(&sandbox, task);
    let other = "An order with a discount field needs `make generate` and a discount code.";
    sandbox.write(
        "graph/facts/discount.md",
        format!(
            "---\nid: a1a1a1a1-0000-4000-8000-000000000009\ntype: fact\nstate: unverified\ntitle: {other:?}\n---\n\n{other}\n"
        ),
    );
    sandbox.cm(&["embed"]).ok();
    let shown = rules(&sandbox, task);
    assert_eq!((before.len() >= 2, &shown[..2]), (true, &before[..2]), "{before:?}, {shown:?}");
}

#[test]
fn without_embeddings_a_task_gets_the_rules_with_its_words() {
    let sandbox = vault();
    sandbox.cm(&["config", "set", "embeddings.provider", "none"]).ok();
    assert_eq!(rules(&sandbox, "rename the staging server"), ["000002"]);
}
