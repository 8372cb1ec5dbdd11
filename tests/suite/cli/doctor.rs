//! `cm doctor`

use std::fmt::Write as _;

use super::small::{RETRY, commits, inside, message, small};
use crate::support::{Sandbox, vault_of};

#[test]
fn a_sound_vault_is_well_in_every_check() {
    let sandbox = small();
    sandbox.cm(&["init"]).ok();
    sandbox.write(RETRY, sandbox.read(RETRY) + "By hand.\n");
    let ran = sandbox.cm(&["doctor", "--fix"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    ok    settings      all valid
    ok    repository    its own; changes are committed immediately
    ok    author        Ada Example <ada@example.org>
    ok    merge driver  Git merges notes with cm
    ok    hand edits    1 file not committed yet
                        hint: `cm commit` commits them
    ok    git rules     derived and private files are ignored
    ok    trust         agents may read it
    ok    journal       nothing is unfinished
    ok    folders       no folder is too large
    ok    notes         4 notes, 0 errors, 0 warnings
    ok    secrets       none found
    [exit 0]
    ");
    assert_eq!(sandbox.cm(&["doctor"]).ok().stdout, ran.stdout, "there was nothing to fix");
}

#[test]
fn a_note_that_is_broken_fails_and_a_fix_does_not_touch_it() {
    let sandbox = small();
    sandbox.write(RETRY, sandbox.read(RETRY).replace("importance: 0.8", "importance: ["));
    let broken = sandbox.read(RETRY);
    let ran = sandbox.cm(&["doctor", "--fix", "--json"]);
    assert_eq!(ran.code, 1);
    let checks = ran.json()["checks"].as_array().unwrap().clone();
    let notes = checks.iter().find(|check| check["name"] == "notes").unwrap();
    insta::assert_snapshot!(format!("{notes:#}"), @r#"
    {
      "name": "notes",
      "health": "fail",
      "message": "4 notes, 2 errors, 0 warnings",
      "hint": "`cm validate` lists them"
    }
    "#);
    assert_eq!(sandbox.read(RETRY), broken);
}

#[test]
fn what_is_missing_around_the_notes_is_named_and_fixed_in_a_commit() {
    let sandbox = small();
    sandbox.write(".gitignore", "*.swp\n");
    sandbox.write("cm.toml", "[search]\nlimits = 5\n");
    sandbox.commit_all("Slips");
    let ran = sandbox.cm(&["doctor"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    warn  settings      unknown setting `search.limits`
                        hint: `cm validate` lists the lines, `cm config list` the settings
    ok    repository    its own; changes are committed immediately
    ok    author        Ada Example <ada@example.org>
    warn  merge driver  not registered in this clone, so Git merges notes as text
                        hint: `cm doctor --fix` registers it
    ok    hand edits    all committed
    warn  git rules     lines are missing in .gitattributes and .gitignore
                        hint: `cm doctor --fix` adds them
    ok    trust         agents may read it
    ok    journal       nothing is unfinished
    ok    folders       no folder is too large
    warn  notes         4 notes, 0 errors, 1 warning
                        hint: `cm validate` lists them
    ok    secrets       none found
    [exit 0]
    ");
    let ran = sandbox.cm(&["doctor", "--fix"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    fixed: added the Git rules
    fixed: registered the merge driver
    warn  settings      unknown setting `search.limits`
                        hint: `cm validate` lists the lines, `cm config list` the settings
    ok    repository    its own; changes are committed immediately
    ok    author        Ada Example <ada@example.org>
    ok    merge driver  Git merges notes with cm
    ok    hand edits    all committed
    ok    git rules     derived and private files are ignored
    ok    trust         agents may read it
    ok    journal       nothing is unfinished
    ok    folders       no folder is too large
    warn  notes         4 notes, 0 errors, 1 warning
                        hint: `cm validate` lists them
    ok    secrets       none found
    [exit 0]
    ");
    assert!(sandbox.read(".gitignore").starts_with("*.swp\n"));
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
}

#[test]
fn where_git_knows_no_author_and_where_there_is_no_repository_it_says_so() {
    let sandbox = inside();
    std::fs::write(sandbox.root().join("gitconfig"), "").unwrap();
    let ran = sandbox.run(&["doctor"]).within("memory").go();
    insta::assert_snapshot!(ran.snapshot(), @"
    ok    settings      all valid
    ok    repository    inside another; `cm commit` commits
    warn  author        no Git author is set, so commits use cm <cm@localhost>
                        hint: run `git config --global user.name NAME` and `git config --global user.email ADDRESS`
    warn  merge driver  not registered in this clone, so Git merges notes as text
                        hint: `cm doctor --fix` registers it
    ok    hand edits    all committed
    warn  git rules     lines are missing in .gitattributes and .gitignore
                        hint: `cm doctor --fix` adds them
    warn  trust         not trusted, so agents get nothing from it
                        hint: `cm trust` allows it
    ok    journal       nothing is unfinished
    ok    folders       no folder is too large
    ok    notes         4 notes, 0 errors, 0 warnings
    ok    secrets       none found
    [exit 0]
    ");
    let bare = Sandbox::new();
    bare.write("cm.toml", "");
    let ran = bare.cm(&["doctor"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    ok    settings      all valid
    warn  repository    the vault is not in a Git repository
                        hint: `cm init` creates one; without it nothing can be undone
    warn  git rules     lines are missing in .gitattributes and .gitignore
                        hint: `cm doctor --fix` adds them
    warn  trust         not trusted, so agents get nothing from it
                        hint: `cm trust` allows it
    ok    journal       nothing is unfinished
    ok    folders       no folder is too large
    ok    notes         0 notes, 0 errors, 0 warnings
    ok    secrets       none found
    [exit 0]
    ");
}

#[test]
fn a_crowded_folder_is_spread_in_one_commit_and_every_note_is_still_found() {
    let mut files = String::new();
    for n in 0..1001 {
        let _ = write!(
            files,
            "--- graph/facts/n{n}.md\n---\nid: {:08x}-0000-4000-8000-000000000000\ntype: fact\ntitle: Fact {n}\n\
             importance: 0.5\ncreated: 2026-11-01\nupdated: 2026-11-01\n---\n\nAfter [[Fact {}]].\n",
            n * 0x0040_0000_u32,
            (n + 1) % 1001,
        );
    }
    let sandbox = vault_of(&files);
    sandbox.cm(&["init"]).ok();
    sandbox.write("graph/facts/n7.md", sandbox.read("graph/facts/n7.md") + "By hand.\n");
    let ran = sandbox.cm(&["doctor", "--fix"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    fixed: moved 1001 notes into subfolders
    ok    settings      all valid
    ok    repository    its own; changes are committed immediately
    ok    author        Ada Example <ada@example.org>
    ok    merge driver  Git merges notes with cm
    ok    hand edits    1 file not committed yet
                        hint: `cm commit` commits them
    ok    git rules     derived and private files are ignored
    ok    trust         agents may read it
    ok    journal       nothing is unfinished
    ok    folders       no folder is too large
    ok    notes         1001 notes, 0 errors, 0 warnings
    ok    secrets       none found
    [exit 0]
    ");
    assert_eq!(commits(&sandbox), 3);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), " M graph/facts/01/n7.md\n");
    insta::assert_snapshot!(message(&sandbox), @r"
    Move 1001 notes into subfolders

    Cm-Op: doctor
    Cm-Operation: 843e6103537f496dade9461589013f65
    ");
    let renames =
        sandbox.git(&["show", "--find-renames=100%", "--format=", "--diff-filter=R", "--name-only"]);
    assert_eq!(renames.lines().count(), 1001, "no byte changed");
    assert_eq!(sandbox.cm(&["search", "+after", "--limit", "1", "--json"]).ok().json()["total"], 1001);
    let got = sandbox.cm(&["get", "Fact 700", "--json"]).ok().json();
    assert_eq!(got["path"], "graph/facts/af/n700.md");
    assert_eq!(got["backlinks"][0]["title"], "Fact 699");
    assert_eq!(sandbox.cm(&["get", "af000000", "--json"]).ok().json()["title"], "Fact 700");
    assert_eq!(sandbox.cm(&["doctor", "--fix", "--json"]).ok().json()["fixed"], serde_json::json!([]));
}

#[test]
fn what_was_not_understood_of_agents_logs_is_told_by_agent_and_kind() {
    let sandbox = vault_of("");
    let line = |kind: &str| {
        let message = "{\"role\":\"user\",\"content\":\"hello\"}";
        format!("{{\"type\":\"{kind}\",\"sessionId\":\"s1\",\"message\":{message}}}\n")
    };
    let claude = "../home/.claude/projects/-w/s1111111.jsonl";
    let pi = "../home/.pi/agent/sessions/--w--/2026-10-05T12-00-00-000Z_33333333-0000-7000-8000-000000000004.jsonl";
    let told = || {
        let doctor = sandbox.cm(&["doctor"]).ok().stdout;
        let lines: Vec<&str> = doctor.lines().skip_while(|line| !line.contains("  sessions ")).collect();
        lines.join("\n")
    };
    sandbox.write(claude, line("user").repeat(3));
    assert_eq!(told(), "", "nothing was read yet");
    sandbox.cm(&["sessions"]).ok();
    insta::assert_snapshot!(told(), @"ok    sessions      1 log read, all parsed");
    sandbox.write(claude, line("user").repeat(3) + &line("martian") + &line("venusian").repeat(2));
    sandbox.cm(&["sessions"]).ok();
    insta::assert_snapshot!(told(), @"ok    sessions      1 log read; not parsed: claude-code 3 of 6 records (venusian 2, martian 1)");
    sandbox.write(pi, "{\"type\":\"nebula\",\"id\":\"1\"}\n");
    sandbox.cm(&["sessions"]).ok();
    insta::assert_snapshot!(told(), @"
    warn  sessions      2 logs read; not parsed: claude-code 3 of 6 records (venusian 2, martian 1); pi 1 of 1 record (nebula 1)
                        hint: another version of the agent may have written them; the parsed part can be searched
    ");
}
