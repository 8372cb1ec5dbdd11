//! A secret in an agent's log never reaches a file of the vault, a Git object or a response, after
//! everything is learned from the session.

use std::path::Path;
use std::process::Command;

use cm_secrets::{RedactionRules, redact};
use serde_json::json;

use crate::support::{Sandbox, SessionLine, scripted, talk, vault_of};

/// Returns made-up secrets, each with its context. They are assembled at run time, so that scanners
/// do not report this file.
fn made_up() -> Vec<(String, String)> {
    let file = include_str!("../golden/secrets.tsv");
    let lines = file.lines().filter(|line| !line.starts_with('#') && !line.starts_with('-'));
    let cases = lines.filter_map(|line| {
        let text = line.split_once('\t')?.1.replace('¦', "").replace("\\n", "\n").replace("\\\\", "\\");
        let secret = text.split_once('⟦')?.1.split_once('⟧')?.0.to_owned();
        Some((secret, text.replace(['⟦', '⟧'], "")))
    });
    cases.filter(|(secret, _)| secret.len() > 7).collect()
}

/// Returns the labelled secrets that redaction finds, if `CM_EVAL` names the folder.
fn labelled() -> Vec<(String, String)> {
    let Some(folder) = std::env::var_os("CM_EVAL") else { return Vec::new() };
    let file = Path::new(&folder).join("secrets/secrets.jsonl.gz");
    let output = Command::new("gzip").arg("-dc").arg(&file).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let cases = text.lines().filter_map(|line| {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        let (text, secret) = (value["text"].as_str()?, value["secret"].as_str()?);
        Some((secret.to_owned(), text.to_owned()))
    });
    let found = |(secret, text): &(String, String)| {
        let (left, _) = redact(text, &RedactionRules::default());
        secret.len() > 7 && text.contains(secret.as_str()) && !left.as_str().contains(secret.as_str())
    };
    cases.filter(found).collect()
}

/// Returns path and content of all files below a folder.
fn files(folder: &Path, found: &mut Vec<(String, Vec<u8>)>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push((path.display().to_string(), std::fs::read(&path).unwrap()));
        }
    }
}

fn all_that_is_kept(sandbox: &Sandbox) -> Vec<(String, Vec<u8>)> {
    let mut kept = Vec::new();
    files(&sandbox.vault(), &mut kept);
    // Git's objects are compressed; this is their content.
    let objects = sandbox.git(&["cat-file", "--batch-all-objects", "--batch"]);
    kept.push(("the objects of git".to_owned(), objects.into_bytes()));
    for arguments in [
        &["sessions", "--days", "0", "--json"][..],
        &["log", "--json"],
        &["playbook", "list", "--state", "all", "--json"],
    ] {
        kept.push((arguments.join(" "), sandbox.cm(arguments).stdout.into_bytes()));
    }
    kept
}

/// Writes sessions with secrets in every kind of message, worded so that there is something to
/// learn from them.
fn tell(sandbox: &Sandbox, cases: &[(String, String)]) -> usize {
    let mut sessions = 0;
    for (at, some) in cases.chunks(25).enumerate() {
        let mut said = vec![
            ("person", format!("Deploy it with this: {}", some[0].1)),
            ("fail", "make deploy".to_owned()),
        ];
        for (_, text) in some {
            said.push(("person", format!("From now on, always deploy with this: {text}")));
            said.push((
                "agent",
                format!("The cause was the token:\n{text}\nI decided to keep it in the settings."),
            ));
            said.push(("tool", text.clone()));
            said.push(("person", format!("FYI, the staging key is {text}")));
        }
        said.push(("tool", "cargo test".to_owned()));
        said.push(("person", "Perfect, thanks, that works.".to_owned()));
        let told: Vec<SessionLine<'_>> = said
            .iter()
            .map(|(who, text)| match *who {
                "person" => SessionLine::Person(text),
                "agent" => SessionLine::Agent(text),
                "fail" => SessionLine::Ran(text, "Exit code 1\nfailed"),
                _ => SessionLine::Ran(text, text),
            })
            .collect();
        talk(sandbox, &format!("{at:08}-0000-4000-8000-000000000001"), at % 24, &told);
        sessions += 1;
    }
    sessions
}

fn hold(cases: &[(String, String)], kept: &[(String, Vec<u8>)]) {
    for (secret, text) in cases {
        for (name, bytes) in kept {
            let is_in = bytes.windows(secret.len()).any(|part| part == secret.as_bytes());
            assert!(!is_in, "a secret of `{text}` is in {name}");
        }
    }
}

#[test]
fn a_secret_of_a_log_survives_in_no_file_of_the_vault() {
    let cases = [made_up(), labelled()].concat();
    assert!(cases.len() > 30, "{}", cases.len());
    let sandbox = vault_of("");
    let sessions = tell(&sandbox, &cases);
    let learned = sandbox.cm(&["reflect", "--days", "0", "--json"]).ok().json();
    assert_eq!(
        (learned["sessions"].as_u64(), learned["failed"].as_u64()),
        (Some(sessions as u64), Some(0)),
        "{learned}"
    );
    assert!(
        learned["diaries"].as_u64() == Some(sessions as u64) && learned["applied"].as_u64() > Some(0),
        "{learned}"
    );
    sandbox.cm(&["diary", "00000000"]).ok();
    let mut kept = all_that_is_kept(&sandbox);
    kept.push(("the answer".to_owned(), learned.to_string().into_bytes()));
    hold(&cases, &kept);
}

#[test]
fn a_model_is_not_told_a_secret_and_what_it_says_of_one_is_not_kept() {
    let cases = made_up();
    let sandbox = vault_of("");
    let (secret, text) = &cases[0];
    talk(
        &sandbox,
        "aaaaaaaa-0000-4000-8000-000000000001",
        8,
        &[
            SessionLine::Person(&format!("From now on, always deploy with this: {text}")),
            SessionLine::Agent("I will deploy with the token that was named."),
        ],
    );
    // The model invents a secret with words from the session.
    let quote = "I will deploy with the token that was named";
    let diary = json!({"status": "success", "key_learnings": [{"text": format!("Deploy with {text}"), "line": 2, "quote": quote}]});
    let deltas = json!({"deltas": [
        {"type": "fact", "content": format!("The key is {}", secret.chars().take(140).collect::<String>()), "line": 2, "quote": quote},
        {"type": "add", "category": "ops", "content": format!("Always deploy with {text} at hand."), "line": 2, "quote": quote},
    ]});
    // A scripted answer for the secret is never used, because the prompt does not contain it.
    let asked = json!({"when": secret, "again": true, "error": "the model was told a secret"});
    scripted(
        &sandbox,
        "",
        &[
            asked,
            json!({"answer": diary}),
            json!({"answer": deltas}),
            json!({"again": true, "answer": {"deltas": []}}),
        ],
    );
    sandbox.cm(&["reflect", "--json"]).ok();
    let kept = all_that_is_kept(&sandbox);
    hold(&cases[..1], &kept);
}
