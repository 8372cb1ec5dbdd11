//! `cm search --as-of`

use crate::cli::small::small;

#[test]
fn as_of_tells_which_commit_answers() {
    let sandbox = small();
    sandbox.run(&["delete", "1f0c99"]).env("CM_NOW", "2026-11-22T10:00:00Z").go().ok();
    let ran = sandbox.cm(&["search", "idle", "--as-of", "HEAD~1"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    as of 2026-11-21 11:59, commit [COMMIT]  Begin
    1f0c9900  Close idle connections
              fix · 1.00 · graph/fixes/close-idle-connections-1f0c99.md:13
              After 240 s.
    [exit 0]
    ");
    let ran = sandbox.cm(&["search", "idle", "--as-of", "HEAD", "--json"]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    {
      "query": "idle",
      "as_of": {
        "commit": "[COMMIT]",
        "date": "2026-11-22T10:00:00Z",
        "subject": "Delete \"Close idle connections\"",
        "instant": "2026-11-21T12:00:00Z"
      },
      "answered": false,
      "hits": [],
      "total": 0,
      "notices": [],
      "next": null
    }
    [exit 0]
    "#);
    let ran = sandbox.cm(&["search", "idle", "--as-of", "HEAD"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    [stderr]
    note: nothing found
    [exit 0]
    ");
}

#[test]
fn a_date_names_the_newest_commit_of_then_and_a_day_counts_to_its_end() {
    let sandbox = small();
    for (when, key) in
        [("2026-11-22T10:00:00Z", "0.1"), ("2026-11-22T20:00:00Z", "0.2"), ("2026-11-23T10:00:00Z", "0.3")]
    {
        let set = format!("importance={key}");
        sandbox.run(&["update", "1f0c2a", "--set", &set]).env("CM_NOW", when).go().ok();
    }
    let dated = |when: &str| {
        let ran = sandbox
            .run(&["search", "retry", "--as-of", when, "--json"])
            .env("CM_NOW", "2026-11-24T12:00:00Z");
        ran.go().ok().json()["as_of"]["date"].as_str().unwrap().to_owned()
    };
    for (when, found) in [
        ("2026-11-22", "2026-11-22T20:00:00Z"),
        ("2026-11-22T12:00:00Z", "2026-11-22T10:00:00Z"),
        ("2026-11-22T20:00:00+02:00", "2026-11-22T10:00:00Z"),
        ("yesterday", "2026-11-23T10:00:00Z"),
        ("36h", "2026-11-22T20:00:00Z"),
        ("2026-11-21", "2026-11-21T11:59:00Z"),
        ("2031-01-01", "2026-11-23T10:00:00Z"),
    ] {
        assert_eq!(dated(when), found, "{when}");
    }
}

#[test]
fn what_a_merge_brought_later_was_not_there_before_it() {
    let sandbox = small();
    sandbox.git(&["checkout", "--quiet", "-b", "side"]);
    sandbox.write("graph/facts/side.md", "---\nid: 51de0000-1\ntype: fact\ntitle: Side\n---\nAside.\n");
    sandbox.git(&["add", "--all"]);
    sandbox.git_at("2026-11-22T10:00:00Z", &["commit", "--quiet", "--message", "Aside"]);
    sandbox.git(&["checkout", "--quiet", "main"]);
    sandbox.git_at("2026-11-24T10:00:00Z", &["merge", "--quiet", "--no-ff", "--message", "Merge", "side"]);
    let total = |when: &str| {
        let ran = sandbox.run(&["search", "aside", "--as-of", when, "--json"]).env("CM_NOW", "2026-11-25");
        ran.go().ok().json()["total"].clone()
    };
    assert_eq!((total("2026-11-23"), total("2026-11-24"), total("side")), (0.into(), 1.into(), 1.into()));
}

#[test]
fn a_past_that_there_is_not_is_refused_with_the_way_out() {
    let sandbox = small();
    let mut shown = String::new();
    for when in ["2026-01-01", "soon", "HEAD~9", "deadbeef"] {
        shown += &sandbox.cm(&["search", "retry", "--as-of", when]).snapshot();
    }
    std::fs::remove_dir_all(sandbox.vault().join(".git")).unwrap();
    shown += &sandbox.cm(&["search", "retry", "--as-of", "HEAD", "--json"]).snapshot();
    sandbox.git(&["init", "--quiet"]);
    shown += &sandbox.cm(&["search", "retry", "--as-of", "2026-11-20"]).snapshot();
    std::fs::create_dir(sandbox.vault().join("inner")).unwrap();
    sandbox.commit_all("Begin");
    sandbox.write("inner/cm.toml", "");
    shown += &sandbox.run(&["search", "retry", "--as-of", "HEAD"]).within("inner").go().snapshot();
    insta::assert_snapshot!(shown, @r#"
    [stderr]
    error: no commits before 2026-01-01T23:59:59Z
     hint: the first commit is from 2026-11-21T11:59:00Z
    [exit 4]
    [stderr]
    error: `soon` is neither a commit of this repository nor a date
     hint: `cm log` lists the commits; a date is 2026-11-01 or 2026-11-01T09:30:00Z, an age is 7d or 12h
    [exit 4]
    [stderr]
    error: `HEAD~9` is neither a commit of this repository nor a date
     hint: `cm log` lists the commits; a date is 2026-11-01 or 2026-11-01T09:30:00Z, an age is 7d or 12h
    [exit 4]
    [stderr]
    error: `deadbeef` is neither a commit of this repository nor a date
     hint: `cm log` lists the commits; a date is 2026-11-01 or 2026-11-01T09:30:00Z, an age is 7d or 12h
    [exit 4]
    {
      "error": {
        "code": "no-repository",
        "message": "the vault is not in a Git repository",
        "hint": "`cm init` creates one"
      }
    }
    [exit 5]
    [stderr]
    error: no commits before 2026-11-20T23:59:59Z
    [exit 4]
    [stderr]
    error: commit [COMMIT] contains no vault
     hint: `cm log` lists the commits that changed the vault
    [exit 4]
    "#);
}

#[test]
fn a_beginning_that_several_commits_share_is_ambiguous() {
    let sandbox = small();
    // Enough commits that two of them share their first four digits.
    let text: String = (0..700)
        .map(|n| {
            format!(
                "commit refs/heads/many\ncommitter A <a@example.org> {} +0000\ndata 1\nx\n",
                1_700_000_000 + n
            )
        })
        .collect();
    let stream = sandbox.root().join("stream");
    std::fs::write(&stream, text).unwrap();
    let mut git = crate::support::git_command();
    git.args(["fast-import", "--quiet"]).current_dir(sandbox.vault());
    assert!(git.stdin(std::fs::File::open(&stream).unwrap()).status().unwrap().success());
    let mut ids: Vec<String> =
        sandbox.git(&["log", "--all", "--format=%H"]).lines().map(str::to_owned).collect();
    ids.sort();
    let pair =
        ids.windows(2).find(|pair| pair[0][..4] == pair[1][..4]).expect("700 commits share beginnings");
    let ran = sandbox.cm(&["search", "retry", "--as-of", &pair[0][..4]]);
    assert_eq!(ran.code, 4);
    assert!(ran.stderr.contains("matches several commits"), "{}", ran.snapshot());
    assert!(pair.iter().all(|id| ran.stderr.contains(&id[..5])), "{}", ran.snapshot());
}
