//! Responses never contain absolute paths of the server, whatever is wrong with the vault.

use serde_json::{Value, json};

use crate::cli::rules::rules;
use crate::support::{Sandbox, ServerProcess};
use cm_server::operations::{Method, TABLE};

/// Calls each operation with its example, over HTTP and as a tool, and returns responses that
/// contain folders of the machine.
fn asked(sandbox: &Sandbox, server: &ServerProcess, token: &str, state: &str) -> Vec<String> {
    let root = sandbox.root().to_str().unwrap();
    let mut leaks = Vec::new();
    let mut seen = |what: String, answer: String| {
        if answer.contains(root) {
            leaks.push(format!("{state}: {what}: {answer}"));
        }
    };
    for operation in TABLE {
        let given: Value = serde_json::from_str(operation.example).unwrap();
        if operation.tool {
            seen(operation.name.to_owned(), server.tool(token, operation.name, &given).to_string());
        }
        let Some(endpoint) = operation.endpoint else { continue };
        let named = operation.named_as_http(given);
        for method in endpoint.methods {
            let (method, target, body) = match method {
                Method::Post => ("POST", endpoint.path.to_owned(), named.to_string()),
                Method::Get => {
                    let pairs = named.as_object().unwrap().iter().map(|(key, value)| {
                        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                        format!("{key}={}", text.replace(' ', "%20").replace('"', "%22"))
                    });
                    let query: Vec<String> = pairs.collect();
                    ("GET", format!("{}?{}", endpoint.path, query.join("&")), String::new())
                }
            };
            seen(target.clone(), server.ask(method, &target, token, &body).1);
        }
    }
    for uri in ["cm://core", "cm://playbook", "cm://stats", "cm://health", "cm://note/b-mt2ssunl-jq6d8j"] {
        let bearer = format!("Bearer {token}");
        let read = server.message("resources/read", json!({ "uri": uri }), &[("authorization", &*bearer)]);
        seen(uri.to_owned(), read.body);
    }
    leaks
}

#[test]
fn no_answer_and_no_refusal_names_an_absolute_path() {
    let sandbox = rules();
    let made = sandbox.cm(&["token", "add", "Ada", "--role", "admin", "--json"]).ok().json();
    let token = made["token"].as_str().unwrap().to_owned();
    let server = ServerProcess::of(&sandbox, &[]);
    let mut leaks = asked(&sandbox, &server, &token, "sound");
    let vault = sandbox.vault();
    let settings = std::fs::read(vault.join("cm.toml")).unwrap();
    let states: [(&str, &dyn Fn()); 4] = [
        ("settings that are no TOML", &|| sandbox.write("cm.toml", "[[[")),
        ("a rebase that goes on", &|| {
            sandbox.write("cm.toml", &settings);
            std::fs::create_dir_all(vault.join(".git/rebase-merge")).unwrap();
        }),
        ("a repository that is none", &|| {
            std::fs::remove_dir_all(vault.join(".git/rebase-merge")).unwrap();
            std::fs::rename(vault.join(".git/HEAD"), vault.join(".git/HEAD.away")).unwrap();
        }),
        ("a vault that is gone", &|| std::fs::rename(&vault, vault.with_extension("away")).unwrap()),
    ];
    for (state, make) in states {
        make();
        leaks.extend(asked(&sandbox, &server, &token, state));
    }
    assert!(leaks.is_empty(), "{}", leaks.join("\n"));
}
