//! Tests with dangerous settings in the files of an untrusted folder.

use std::path::Path;

use super::published;
use crate::support::{Sandbox, log};

/// Creates a program that writes the file `ran`, as a hostile folder would contain it.
fn trap(sandbox: &Sandbox) -> (String, std::path::PathBuf) {
    let mark = sandbox.root().join("ran");
    let script = format!("#!/bin/sh\ntouch {}\n", mark.display());
    sandbox.write("trap.sh", script);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let file = sandbox.vault().join("trap.sh");
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    (sandbox.vault().join("trap.sh").display().to_string(), mark)
}

/// Creates the vault with and without its own repository, with this text in a settings file.
fn folders(file: &str, text: &dyn Fn(&str) -> String) -> Vec<(Sandbox, std::path::PathBuf)> {
    [true, false]
        .into_iter()
        .map(|git| {
            let sandbox = published();
            let (program, mark) = trap(&sandbox);
            sandbox.write(file, text(&program));
            if git {
                sandbox.git(&["add", "--all", "--force"]);
                sandbox.git(&["commit", "--quiet", "--message", "Settings"]);
            } else {
                std::fs::remove_dir_all(sandbox.vault().join(".git")).unwrap();
            }
            (sandbox, mark)
        })
        .collect()
}

fn session(sandbox: &Sandbox) {
    let said = [("Always run the linter before a commit.", "make lint", true)];
    log(sandbox, "11111111-aaaa-4bbb-8ccc-000000000001", &said);
}

#[test]
fn a_folder_names_no_program_that_answers_for_a_model() {
    for file in ["_config.toml", "cm.toml"] {
        let text = |program: &str| {
            format!(
                "[llm]\nprovider = \"cli\"\ncommand = \"{program}\"\napi_key_cmd = \"{program}\"\n[reflect]\nauto = true\n[budget]\ndaily_usd = 5.0\n"
            )
        };
        for (sandbox, mark) in folders(file, &text) {
            session(&sandbox);
            sandbox.cm(&["reflect", "--days", "3650"]);
            sandbox.cm(&["validate-rule", "Always run the linter before a commit."]);
            let end = r#"{"session_id":"11111111-aaaa-4bbb-8ccc-000000000001","hook_event_name":"SessionEnd","cwd":"."}"#;
            sandbox.run(&["hook", "claude"]).stdin(end).go();
            assert!(!mark.exists(), "{file}");
        }
    }
}

#[test]
fn a_folder_names_no_library_that_a_search_loads() {
    for file in ["_config.toml", "cm.toml"] {
        let text = |program: &str| {
            format!("[embeddings]\nprovider = \"fastembed\"\npath = \".\"\nruntime = \"{program}\"\n")
        };
        for (sandbox, _) in folders(file, &text) {
            let ran = sandbox.cm(&["search", "pool"]);
            assert!(!ran.stderr.contains("trap.sh cannot be loaded"), "{}", ran.snapshot());
            let status = sandbox.cm(&["embed", "status"]);
            assert!(!status.stdout.contains("fastembed"), "{file}: {}", status.snapshot());
        }
    }
}

#[test]
fn no_setting_with_power_counts_from_the_files_of_a_folder() {
    let powerful = [
        ("llm.provider", "\"ollama\""),
        ("llm.base_url", "\"http://10.0.0.7\""),
        ("llm.model", "\"m\""),
        ("llm.fallback", "[\"cli\"]"),
        ("embeddings.url", "\"http://10.0.0.7\""),
        ("embeddings.provider", "\"openai\""),
        ("embeddings.runtime", "\"/tmp/x.so\""),
        ("embeddings.path", "\"/tmp/x\""),
        ("git.hooks", "true"),
        ("redaction.enabled", "false"),
        ("redaction.rules", "\"rules.toml\""),
        ("reflect.auto", "true"),
        ("sources.cass", "true"),
        ("sessions.workspaces", "[\"/\"]"),
        ("sessions.cross_agent", "true"),
        ("sessions.exports", "[\"/\"]"),
    ];
    let text: String = powerful.iter().map(|(name, value)| format!("{name} = {value}\n")).collect();
    for file in ["_config.toml", "cm.toml"] {
        let sandbox = published();
        sandbox.write(file, &text);
        let listed = sandbox.cm(&["config", "list", "--json"]).json();
        for setting in listed["settings"].as_array().unwrap() {
            let name = setting["key"].as_str().unwrap();
            if powerful.iter().any(|(powerful, _)| *powerful == name) {
                let origin = setting["origin"].as_str().unwrap();
                assert!(origin == "default" || origin.starts_with("CM_"), "{file}: {name}: {origin}");
            }
        }
        if file == "cm.toml" {
            let findings = listed["findings"].as_array().unwrap();
            assert_eq!(findings.len(), powerful.len(), "each is reported: {findings:?}");
        }
    }
}

#[test]
fn what_lies_in_the_former_places_of_private_files_is_ignored_and_reported() {
    let sandbox = published();
    sandbox.write("_config.toml", "search.limit = 1\n");
    sandbox.write("_tokens.toml", "");
    sandbox.write("_state/journal/a.pending", "{}");
    let limit = sandbox.cm(&["config", "get", "search.limit"]).ok();
    assert!(limit.stdout.contains("10"), "{}", limit.snapshot());
    let doctor = sandbox.cm(&["doctor"]);
    for name in ["_config.toml", "_tokens.toml", "_state/journal"] {
        assert!(doctor.stdout.contains(name), "{name}: {}", doctor.snapshot());
    }
    assert!(Path::new(&sandbox.vault()).join("_config.toml").exists(), "it stays where it was");
}
