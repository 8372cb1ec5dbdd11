//! `cm completions`

use cm_app::verbs::completions::{CompletionSubject, completions};

use super::small::{CLOSE, small};
use crate::support::{Sandbox, everything, request, vault_of};

const SHELLS: [&str; 6] = ["bash", "elvish", "fish", "nushell", "powershell", "zsh"];

#[test]
fn every_shell_gets_a_script_that_asks_the_program_without_a_vault() {
    for shell in SHELLS {
        let ran = Sandbox::new().cm(&["completions", shell]).ok();
        assert!(ran.stdout.contains(&format!("cm completions {shell}")), "{shell}: {}", ran.stdout);
        assert_eq!(ran.stderr, "");
    }
}

#[test]
fn the_help_installs_the_script_of_every_shell_in_one_line() {
    let help = Sandbox::new().cm(&["help", "completions"]).ok().stdout;
    for shell in SHELLS {
        let lines: Vec<&str> = help
            .lines()
            .filter(|line| line.trim_start().starts_with(shell) && line.contains("cm completions"))
            .collect();
        assert_eq!(lines.len(), 1, "{shell}: {help}");
    }
}

#[test]
fn bash_itself_completes_a_command_with_the_script() {
    let sandbox = small();
    sandbox.cm(&["reindex"]).ok();
    let script = sandbox.cm(&["completions", "bash"]).ok().stdout;
    sandbox.write("cm.bash", script);
    let program = env!("CARGO_BIN_EXE_cm");
    let ask = format!(
        "source ./cm.bash; command() {{ shift; {program} \"$@\"; }}; COMP_LINE='cm get Retr'; \
         COMP_POINT=11; _cm cm Retr get; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    );
    let output = std::process::Command::new("bash").args(["-c", &ask]).current_dir(sandbox.vault()).output();
    // Skipped on machines without bash.
    let Ok(output) = output else { return };
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "Retry\\ with\\ jitter\n",
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn an_unknown_shell_is_refused_with_the_known_ones() {
    let ran = Sandbox::new().cm(&["completions", "tcsh"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: invalid value 'tcsh' for '<SHELL>'
      [possible values: bash, elvish, fish, nushell, powershell, zsh]

      tip: a similar value exists: 'zsh'

    For more information, try '--help'.
    [exit 2]
    ");
    let ran = Sandbox::new().cm(&["completions", "--json"]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    {
      "error": {
        "code": "usage",
        "message": "the following required arguments were not provided: <SHELL>",
        "hint": "`cm help` lists the commands, `cm help COMMAND` their arguments"
      }
    }
    [exit 2]
    "#);
}

#[test]
fn the_json_of_a_script_holds_its_shell() {
    let document = Sandbox::new().cm(&["completions", "fish", "--json"]).ok().json();
    assert_eq!(document["shell"], "fish");
    assert!(document["script"].as_str().unwrap().contains("--command cm"));
}

/// Returns the values for an argument, separated by ` | `.
fn values(sandbox: &Sandbox, subject: CompletionSubject, typed: &str) -> String {
    let found = completions(&request(sandbox, &[]), subject, typed);
    found.into_iter().map(|one| one.value).collect::<Vec<_>>().join(" | ")
}

#[test]
fn notes_are_suggested_by_title_and_by_id() {
    let sandbox = small();
    sandbox.cm(&["reindex"]).ok();
    let notes = |typed: &str| values(&sandbox, CompletionSubject::Note, typed);
    assert_eq!(notes("Retry"), "Retry with jitter");
    assert_eq!(notes("retry WITH j"), "Retry with jitter");
    assert_eq!(notes("connections"), "");
    assert_eq!(notes("1f0c"), "1f0c9900-0000-4000-8000-000000000002 | 1f0c2a00-0000-4000-8000-000000000001");
    let all = notes("");
    assert_eq!(all.split(" | ").count(), 4, "{all}");
}

#[test]
fn titles_that_do_not_name_a_note_are_left_out_for_the_id() {
    let note = |path: &str, id: &str, title: &str| {
        format!(
            "--- graph/facts/{path}.md\n---\nid: {id}\ntype: fact\ntitle: {title}\nimportance: 0.5\n---\n\nText.\n"
        )
    };
    let text = [
        note("a", "aaaa0000-0000-4000-8000-000000000001", "Twice"),
        note("b", "bbbb0000-0000-4000-8000-000000000002", "Twice"),
        note("c", "cccc0000-0000-4000-8000-000000000003", "\"Bell\\a \\e]0;x\""),
        note("d", "dddd0000-0000-4000-8000-000000000004", "\"Turned \\u202eround\""),
        note("e", "eeee0000-0000-4000-8000-000000000005", "\"--vault=x\""),
    ];
    let sandbox = vault_of(&text.concat());
    sandbox.cm(&["reindex"]).ok();
    let all = values(&sandbox, CompletionSubject::Note, "");
    let mut ids: Vec<&str> = all.split(" | ").map(|id| &id[..4]).collect();
    ids.sort_unstable();
    assert_eq!(ids, ["aaaa", "bbbb", "cccc", "dddd", "eeee"]);
    for shell in SHELLS {
        let shown = sandbox.cm(&["completions", shell, "--word=", "--", "cm", "get"]).ok().stdout;
        assert!(!shown.chars().any(|c| c.is_control() && c != '\n' && c != '\t'), "{shell}: {shown:?}");
        assert!(!shown.contains('\u{202e}'), "{shell}: {shown:?}");
    }
}

#[test]
fn types_tags_edges_categories_and_settings_are_suggested() {
    let sandbox = crate::support::example();
    sandbox.write("cm.toml", "relations = [\"BLOCKS\"]\n[types.runbook]\nfolder = \"runbooks\"\n");
    sandbox.cm(&["reindex"]).ok();
    let of = |subject, typed: &str| values(&sandbox, subject, typed);
    assert_eq!(of(CompletionSubject::Type, "r"), "runbook");
    assert_eq!(of(CompletionSubject::TypeOrKind, "b"), "bullet | blocked");
    assert_eq!(of(CompletionSubject::Relation, "b"), "BUILDS_ON | BLOCKS");
    assert_eq!(of(CompletionSubject::Setting, "git.c"), "git.commit");
    assert!(of(CompletionSubject::Category, "test").contains("testing"));
    let tags = of(CompletionSubject::Tag, "");
    assert!(tags.split(" | ").count() > 3, "{tags}");
    assert!(of(CompletionSubject::Bullet, "b-mt2ssunl").starts_with("b-mt2ssunl-"));
}

#[test]
fn candidates_fit_the_argument_and_the_vault_of_the_line() {
    let (sandbox, other) = (small(), small());
    for vault in [&sandbox, &other] {
        vault.cm(&["reindex"]).ok();
    }
    other.cm(&["add", "--type", "fact", "--title", "Only there", "--body", "x"]).ok();
    other.cm(&["reindex"]).ok();
    let ask = |line: &str, word: &str| {
        let word = format!("--word={word}");
        let words = ["completions", "fish", &word, "--"].into_iter().chain(line.split(' '));
        let shown = sandbox.cm(&words.collect::<Vec<_>>()).ok();
        assert_eq!(shown.stderr, "");
        let values = shown.stdout.lines().map(|line| line.split('\t').next().unwrap_or_default().to_owned());
        values.collect::<Vec<_>>().join(" | ")
    };
    assert_eq!(ask("cm", "unre"), "unrelate");
    assert_eq!(ask("cm help", "unre"), "unrelate");
    assert_eq!(ask("cm search --tag", "re"), "retry");
    assert_eq!(ask("cm search", "--tag=re"), "--tag=retry");
    assert_eq!(ask("cm add --tags", "net,re"), "net,retry");
    assert_eq!(ask("cm relate --type", "solv"), "SOLVES");
    assert_eq!(ask("cm config set", "git.com"), "git.commit");
    assert_eq!(ask("cm new --type", "prefe"), "preference");
    assert_eq!(ask("cm playbook add --type", "anti"), "anti_pattern");
    assert_eq!(ask("cm get", "--no-r"), "--no-refresh");
    assert_eq!(ask("cm get", "Only"), "");
    let vault = other.vault();
    assert_eq!(ask(&format!("cm --vault {} get", vault.display()), "Only"), "Only there");
    assert_eq!(ask(&format!("cm get --vault={}", vault.display()), "Only"), "Only there");
    assert_eq!(ask("cm --vault /nowhere get", "Only"), "");
    for command in [
        "get",
        "open",
        "edit",
        "mark",
        "related",
        "relate",
        "unrelate",
        "update",
        "delete",
        "pin",
        "unpin",
        "history",
        "why",
        "graph",
        "similar",
        "restore",
        "log --id",
        "episode --memory",
    ] {
        assert_eq!(ask(&format!("cm {command}"), "Retry"), "Retry with jitter", "{command}");
    }
}

#[test]
fn sessions_are_suggested_from_the_session_index() {
    let sandbox = crate::support::example();
    crate::support::regretted(&sandbox);
    sandbox.run(&["sessions", "--days", "0"]).env("CM_SESSIONS_WORKSPACES", "/").go().ok();
    let all = values(&sandbox, CompletionSubject::Session, "");
    assert!(!all.is_empty());
    let first = all.split(" | ").next().unwrap();
    assert_eq!(values(&sandbox, CompletionSubject::Session, &first[..first.len() - 1]), first);
}

#[test]
fn completion_changes_no_file_and_says_nothing_whatever_it_meets() {
    let sandbox = small();
    let ask = || {
        for subject in [CompletionSubject::Note, CompletionSubject::Tag, CompletionSubject::Session] {
            values(&sandbox, subject, "");
        }
        let ran = sandbox.cm(&["completions", "zsh", "--word=Re", "--", "cm", "get"]);
        assert_eq!((ran.code, &*ran.stderr), (0, ""));
        ran.stdout
    };
    // Without an index, with one that is out of date, and with a damaged one.
    let before = everything(&sandbox.vault());
    assert_eq!(ask(), "");
    assert_eq!(everything(&sandbox.vault()), before);
    sandbox.cm(&["reindex"]).ok();
    sandbox.write(CLOSE, "---\ntitle: Reopened\n---\n");
    let before = everything(&sandbox.vault());
    assert_eq!(ask(), "Retry with jitter\tsolution\n");
    assert_eq!(everything(&sandbox.vault()), before);
    sandbox.write("_index/current", "gibberish");
    let before = everything(&sandbox.vault());
    assert_eq!(ask(), "");
    assert_eq!(everything(&sandbox.vault()), before);
}

#[cfg(unix)]
#[test]
fn an_index_that_is_a_link_is_neither_followed_nor_removed() {
    let (sandbox, other) = (small(), small());
    other.cm(&["reindex"]).ok();
    std::os::unix::fs::symlink(other.vault().join("_index"), sandbox.vault().join("_index")).unwrap();
    assert_eq!(values(&sandbox, CompletionSubject::Note, "Re"), "");
    assert!(sandbox.vault().join("_index").is_symlink());
}
