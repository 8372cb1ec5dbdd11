//! `cm merge-driver`

use crate::support::{Sandbox, vault_of};

fn note(keys: &str, body: &str) -> String {
    format!("---\nid: 0b8f7c52-1f0e-4d7a-9d5e-2f6f1f0b1a01\ntype: fact\ntitle: A\n{keys}---\n\n{body}\n")
}

/// Writes three versions and merges them as `path`.
fn merge(sandbox: &Sandbox, path: &str, versions: [&str; 3]) -> crate::support::Ran {
    for (name, text) in ["base", "ours", "theirs"].into_iter().zip(versions) {
        sandbox.write(name, text);
    }
    sandbox.cm(&["merge-driver", "base", "ours", "theirs", path])
}

#[test]
fn the_result_replaces_our_version_and_nothing_is_printed() {
    let sandbox = Sandbox::new();
    let versions =
        [note("tags: [a]\n", "Text."), note("tags: [a, x]\n", "Text."), note("tags: [a, b]\n", "Text.")];
    let ran = merge(&sandbox, "graph/facts/a.md", versions.each_ref().map(String::as_str)).ok();
    assert_eq!(ran.stdout, "");
    assert_eq!(sandbox.read("ours"), note("tags: [a, b, x]\n", "Text."));
    assert_eq!(sandbox.read("theirs"), versions[2]);
}

#[test]
fn a_clash_leaves_markers_and_exits_with_1() {
    let sandbox = Sandbox::new();
    let versions = [note("", "Ten."), note("", "Twelve."), note("", "Nine.")];
    let ran = merge(&sandbox, "graph/facts/a.md", versions.each_ref().map(String::as_str));
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    let marked = "<<<<<<< ours\nTwelve.\n=======\nNine.\n>>>>>>> theirs";
    assert_eq!(sandbox.read("ours"), note("", marked));
}

/// A rule that got one helpful mark in each of these sessions.
fn rule(sessions: &[&str]) -> String {
    let event = |session: &&str| {
        format!("  - at: 2026-11-01T09:00:00Z\n    signal: helpful\n    session: {session}\n")
    };
    let events: String = sessions.iter().map(event).collect();
    let feedback = if events.is_empty() { String::new() } else { format!("feedback:\n{events}") };
    format!(
        "---\nid: b-mwnpvin0-ddisyl\ncategory: ci\nstate: active\nmaturity: candidate\n{feedback}---\n\nRun the tests.\n"
    )
}

#[test]
fn the_settings_of_the_vault_around_the_path_are_used() {
    let sandbox = Sandbox::new();
    sandbox.write("notes/cm.toml", "[scoring]\nestablished_score = 0.5\n");
    let versions = [rule(&[]), rule(&["a"]), rule(&["b"])];
    let versions = versions.each_ref().map(String::as_str);
    merge(&sandbox, "notes/playbook/ci/a.md", versions).ok();
    assert!(sandbox.read("ours").contains("maturity: established\n"), "{}", sandbox.read("ours"));
    merge(&sandbox, "other/playbook/ci/a.md", versions).ok();
    assert!(sandbox.read("ours").contains("maturity: candidate\n"), "{}", sandbox.read("ours"));
    // Jujutsu runs the program where the user is; the path begins at the root all the same.
    sandbox.write(".jj/.gitignore", "/*\n");
    for (name, text) in ["base", "ours", "theirs"].into_iter().zip(versions) {
        sandbox.write(&format!("src/{name}"), text);
    }
    let arguments = ["merge-driver", "base", "ours", "theirs", "notes/playbook/ci/a.md"];
    sandbox.run(&arguments).within("src").go().ok();
    assert!(sandbox.read("src/ours").contains("maturity: established\n"), "{}", sandbox.read("src/ours"));
}

#[test]
fn a_missing_file_and_a_path_that_leads_out_are_refused() {
    let sandbox = vault_of("");
    sandbox.write("ours", "a\n");
    let ran = sandbox.cm(&["merge-driver", "base", "ours", "theirs", "a.md"]);
    assert_ne!(ran.code, 0);
    assert!(ran.stderr.contains("base"), "{}", ran.stderr);
    let ran = sandbox.cm(&["merge-driver", "ours", "ours", "ours", "../a.md"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert_eq!(sandbox.read("ours"), "a\n");
}

#[test]
fn a_result_in_another_file_leaves_the_versions_and_marks_the_base_too() {
    let sandbox = Sandbox::new();
    let versions = [note("", "Ten."), note("tags: [a]\n", "Twelve."), note("tags: [b]\n", "Nine.")];
    for (name, text) in ["base", "ours", "theirs"].into_iter().zip(&versions) {
        sandbox.write(name, text);
    }
    let arguments = ["merge-driver", "--output", "out", "base", "ours", "theirs", "graph/facts/a.md"];
    assert_eq!(sandbox.cm(&arguments).code, 1);
    assert_eq!(sandbox.read("ours"), versions[1]);
    let marked = "<<<<<<< ours\nTwelve.\n||||||| base\nTen.\n=======\nNine.\n>>>>>>> theirs";
    assert_eq!(sandbox.read("out"), note("tags: [a, b]\n", marked));
}
