//! `cm update`

use super::small::{CLOSE, RETRY, commits, committed, inside, message, moved, small};
use crate::support::hashes;

#[test]
fn a_type_that_there_is_not_is_refused_as_when_a_note_is_added() {
    let sandbox = small();
    let refused = sandbox.cm(&["update", "1f0c2a", "--set", "type=nonsense"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.starts_with("error: unknown type `nonsense`"), "{}", refused.stderr);
    sandbox.cm(&["update", "1f0c2a", "--set", "type=code-pattern"]).ok();
    assert!(sandbox.read(RETRY).contains("type: code_pattern\n"));
}

#[test]
fn a_note_without_an_id_is_checked_as_one_with_an_id() {
    let sandbox = small();
    sandbox.write("Plain.md", "---\ntags: [a]\n---\nBody\n");
    sandbox.commit_all("Plain");
    let before = hashes(&sandbox.vault());
    for set in ["id=mine", "created=yesterday", "updated=", "type=nonsense", "importance=2", "title="] {
        assert_eq!(sandbox.cm(&["update", "Plain.md", "--set", set]).code, 2, "{set}");
        let add = ["add", "--type", "fact", "--title", "Two", "--set", set];
        assert_eq!(sandbox.cm(&add).code, 2, "{set}");
    }
    assert_eq!(hashes(&sandbox.vault()), before);
    let ran = sandbox.cm(&["update", "Plain.md", "--set", "created=yesterday"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: created must be a date, not `yesterday`
     hint: write 2026-11-01 or 2026-11-01T09:30:00Z
    [exit 2]
    ");
    sandbox.cm(&["update", "Plain.md", "--set", "created=2026-11-01", "--set", "type=fix"]).ok();
}

#[test]
fn only_the_named_lines_and_the_date_change() {
    let sandbox = small();
    let ran = sandbox.cm(&[
        "update",
        "1f0c2a",
        "--set",
        "importance=0.9",
        "--set",
        "area=network",
        "--add-tag",
        "postgres",
        "--remove-tag",
        "net",
        "--append",
        "Seen again on Friday.",
    ]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    1f0c2a00-0000-4000-8000-000000000001  graph/solutions/retry-with-jitter-1f0c2a.md  commit [COMMIT]
    [exit 0]
    ");
    let patch = sandbox.git(&["show", "--format=", "--unified=0"]);
    let lines: Vec<&str> = patch.lines().skip(4).filter(|line| !line.starts_with("@@")).collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
    -tags: [net, retry]  # by hand
    -importance: 0.8
    +tags: [retry, postgres]  # by hand
    +importance: 0.9
    -updated: 2026-11-01T08:00:00Z
    +updated: 2026-11-21T12:00:00Z
    +area: network
    +
    +Seen again on Friday.
    ");
    insta::assert_snapshot!(message(&sandbox), @r#"
    Update "Retry with jitter": importance, area, tags, body

    Cm-Op: update
    Cm-Id: 1f0c2a00-0000-4000-8000-000000000001
    Cm-Operation: ae73b3c8262942cabe166248bc53c5bc
    "#);
}

#[test]
fn a_half_edited_and_staged_note_keeps_what_the_person_did_to_it() {
    let sandbox = small();
    let staged = sandbox.read(RETRY).replace("Spread retries", "Spread all retries");
    sandbox.write(RETRY, &staged);
    sandbox.git(&["add", RETRY]);
    sandbox.write(RETRY, staged + "Half a thought\n");
    sandbox.cm(&["update", "1f0c2a", "--set", "importance=0.9"]).ok();
    let one = |patch: String| {
        let body = |line: &&str| {
            line.starts_with(['+', '-']) && !line.starts_with("+++") && !line.starts_with("---")
        };
        patch.lines().filter(body).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(one(sandbox.git(&["show", "--format="])), @r"
    -importance: 0.8
    +importance: 0.9
    -updated: 2026-11-01T08:00:00Z
    +updated: 2026-11-21T12:00:00Z
    ");
    insta::assert_snapshot!(one(sandbox.git(&["diff", "--cached"])), @r"
    -Spread retries over 30 s.
    +Spread all retries over 30 s.
    ");
    insta::assert_snapshot!(one(sandbox.git(&["diff"])), @"+Half a thought");
}

#[test]
fn an_update_that_changes_nothing_makes_no_commit() {
    let sandbox = small();
    let ran = sandbox.cm(&["update", "1f0c2a", "--set", "importance=0.8", "--add-tag", "net"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    1f0c2a00-0000-4000-8000-000000000001  graph/solutions/retry-with-jitter-1f0c2a.md  nothing to change
    [exit 0]
    ");
    assert_eq!(commits(&sandbox), 1);
    let ran = sandbox.cm(&["update", "1f0c2a", "--remove", "priority", "--json"]).ok().json();
    assert_eq!((&ran["changed"], &ran["commit"]), (&false.into(), &serde_json::Value::Null));
}

#[test]
fn a_new_body_from_standard_input_keeps_the_frontmatter() {
    let sandbox = small();
    let ran = sandbox
        .run(&["update", CLOSE, "--body", "-"])
        .stdin("# Close idle connections\n\nAfter 120 s.\n")
        .go();
    insta::assert_snapshot!(ran.snapshot(), @r"
    1f0c9900-0000-4000-8000-000000000002  graph/fixes/close-idle-connections-1f0c99.md  commit [COMMIT]
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.read(CLOSE), @r"
    ---
    id: 1f0c9900-0000-4000-8000-000000000002
    type: fix
    title: Close idle connections
    tags: [net]
    importance: 0.5
    created: 2026-11-02T08:00:00Z
    updated: 2026-11-21T12:00:00Z
    ---

    # Close idle connections

    After 120 s.
    ");
}

#[test]
fn a_new_body_without_a_heading_does_not_cost_the_title() {
    let sandbox = small();
    sandbox.cm(&["update", CLOSE, "--body", "# Close idle connections\n\nAfter 120 s."]).ok();
    sandbox.cm(&["update", CLOSE, "--body", "After 90 s."]).ok();
    assert!(
        sandbox.read(CLOSE).ends_with("---\n\n# Close idle connections\n\nAfter 90 s.\n"),
        "{}",
        sandbox.read(CLOSE)
    );
    sandbox.cm(&["update", CLOSE, "--body", "## Limits\n\nAfter 90 s."]).ok();
    assert!(sandbox.read(CLOSE).ends_with("---\n\n## Limits\n\nAfter 90 s.\n"), "{}", sandbox.read(CLOSE));
}

#[test]
fn inside_a_larger_repository_the_commit_is_left_to_the_person() {
    let sandbox = inside();
    let ran = sandbox.run(&["update", "1f0c2a", "--set", "importance=0.9"]).within("memory").go();
    insta::assert_snapshot!(ran.snapshot(), @r"
    1f0c2a00-0000-4000-8000-000000000001  graph/solutions/retry-with-jitter-1f0c2a.md  not committed
    [exit 0]
    ");
    assert_eq!(sandbox.git(&["status", "--porcelain"]), format!(" M memory/{RETRY}\n"));
}

#[test]
fn refusals_name_the_reason_and_change_nothing() {
    let sandbox = small();
    let before = hashes(&sandbox.vault());
    let ran = sandbox.cm(&["update", "1f0c", "--add-tag", "x"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    [stderr]
    error: `1f0c` matches 2 notes
     hint: use one of
           1f0c9900-0000-4000-8000-000000000002  Close idle connections
           1f0c2a00-0000-4000-8000-000000000001  Retry with jitter
    [exit 4]
    ");
    let ran = sandbox.cm(&["update", "1f0c", "--add-tag", "x", "--json"]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    {
      "error": {
        "code": "ambiguous",
        "message": "`1f0c` matches 2 notes",
        "hint": "use one of\n1f0c9900-0000-4000-8000-000000000002  Close idle connections\n1f0c2a00-0000-4000-8000-000000000001  Retry with jitter"
      }
    }
    [exit 4]
    "#);
    let ran = sandbox.cm(&["update", "idle", "--add-tag", "x"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: note `idle` not found
     hint: did you mean 1f0c9900-0000-4000-8000-000000000002 (Close idle connections)?
    [exit 4]
    ");
    let ran = sandbox.cm(&["update", "1f0c2a"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: nothing to change
     hint: for example `--set importance=0.9` or `--add-tag rust`
    [exit 2]
    ");
    let ran = sandbox.cm(&["update", "1f0c2a", "--set", "importance"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    [stderr]
    error: invalid value 'importance' for '--set <KEY=VALUE>': expected KEY=VALUE

    For more information, try '--help'.
    [exit 2]
    ");
    let ran = sandbox.cm(&["update", "1f0c2a", "--set", "id=2"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: an ID cannot be set
     hint: it never changes, because other notes refer to it; `cm adopt` adds a missing one
    [exit 2]
    ");
    let ran = sandbox.cm(&["update", "1f0c2a", "--set", "importance=7"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: importance must be between 0.0 and 1.0, not 7
     hint: `cm help update` shows its arguments with examples
    [exit 2]
    ");
    assert_eq!(hashes(&sandbox.vault()), before);
    assert_eq!(commits(&sandbox), 1);
}

#[test]
fn a_note_whose_frontmatter_is_broken_is_refused_with_its_line() {
    let sandbox = small();
    sandbox.write(RETRY, sandbox.read(RETRY).replace("importance: 0.8", "importance: ["));
    let before = hashes(&sandbox.vault());
    let ran = sandbox.cm(&["update", RETRY, "--set", "importance=0.9"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: the frontmatter is not valid YAML: did not find expected ',' or ']', while parsing a flow sequence
       at: graph/solutions/retry-with-jitter-1f0c2a.md:6:1
     hint: close the bracket, or put the value in quotes
    [exit 5]
    ");
    assert_eq!(hashes(&sandbox.vault()), before);
    assert_eq!(committed(&sandbox).lines().count(), 6, "still the first commit");
}

#[test]
fn a_note_that_was_moved_by_hand_stays_one_note() {
    for (with_git, more) in [(false, ""), (true, ""), (false, "Half a thought\n"), (true, "Half a thought\n")]
    {
        let sandbox = small();
        let old = sandbox.read(RETRY);
        moved(&sandbox, "graph/moved/retry.md", with_git);
        sandbox.write("graph/moved/retry.md", old.clone() + more);
        sandbox.cm(&["update", "1f0c2a", "--add-tag", "moved"]).ok();
        assert_eq!(committed(&sandbox), format!("A\tgraph/moved/retry.md\nD\t{RETRY}\n"));
        let diff = sandbox.git(&["diff", "--no-color", "-M10%", "HEAD~1", "HEAD"]);
        let lines =
            |sign: char| diff.lines().filter(|line| line.starts_with(sign)).skip(1).collect::<Vec<_>>();
        assert_eq!(lines('-'), ["-tags: [net, retry]  # by hand", "-updated: 2026-11-01T08:00:00Z"]);
        assert_eq!(lines('+'), ["+tags: [net, retry, moved]  # by hand", "+updated: 2026-11-21T12:00:00Z"]);
        let status = sandbox.git(&["status", "--porcelain"]);
        assert_eq!(status, if more.is_empty() { "" } else { " M graph/moved/retry.md\n" });
        let history = sandbox.cm(&["history", "1f0c2a", "--json"]).ok().json();
        assert_eq!(history["versions"][0]["moved_from"], RETRY);
        assert_eq!(history["versions"].as_array().unwrap().len(), 2);

        let undone = sandbox.cm(&["undo"]);
        if more.is_empty() {
            undone.ok();
            assert_eq!(sandbox.read(RETRY), old);
        } else {
            assert_eq!(undone.code, 5);
            assert!(sandbox.read("graph/moved/retry.md").ends_with(more));
        }
    }
}

#[test]
fn a_body_may_begin_with_a_list_item() {
    let sandbox = small();
    sandbox.cm(&["update", "1f0c2a", "--body", "- item"]).ok();
    assert!(sandbox.read(RETRY).ends_with("\n\n- item\n"), "{}", sandbox.read(RETRY));
    sandbox.cm(&["update", "1f0c2a", "--append", "- another"]).ok();
    assert!(sandbox.read(RETRY).ends_with("- item\n- another\n"), "{}", sandbox.read(RETRY));
    let added =
        sandbox.cm(&["add", "--type", "fact", "--title", "Listed", "--body", "- item", "--json"]).ok();
    let path = added.json()["path"].as_str().unwrap().to_owned();
    assert!(sandbox.read(&path).contains("\n- item\n"));
}

#[test]
fn a_new_title_points_to_the_command_that_takes_links_along() {
    let sandbox = small();
    let ran = sandbox.cm(&["update", "1f0c99", "--set", "title=Close idle sockets"]).ok();
    assert!(ran.stderr.contains("`cm rename` changes the title"), "{}", ran.stderr);
    let ran = sandbox.cm(&["update", "1f0c99", "--set", "title=Close idle sockets"]).ok();
    assert!(!ran.stderr.contains("cm rename"), "{}", ran.stderr);
}

#[test]
fn an_update_of_another_revision_is_refused_with_both_texts_and_loses_nothing() {
    let sandbox = small();
    let read = sandbox.cm(&["get", "1f0c2a", "--json"]).ok().json();
    let revision = read["revision"].as_str().unwrap().to_owned();
    let append = |revision: &str, text: &str| {
        sandbox.cm(&["update", "1f0c2a", "--append", text, "--expected-revision", revision, "--json"])
    };
    let first = append(&revision[..8], "One.").ok().json();
    let before = sandbox.read(RETRY);
    assert_ne!(first["revision"], revision.as_str());
    let refused = append(&revision, "Two.");
    assert_eq!(refused.code, 5, "{}", refused.snapshot());
    let error = &refused.json()["error"];
    assert_eq!((&error["code"], &error["conflict"]["revision"]), (&"conflict".into(), &first["revision"]));
    assert_eq!(error["conflict"]["current"], before);
    assert!(error["conflict"]["proposed"].as_str().unwrap().ends_with("One.\n\nTwo.\n"), "{error}");
    assert_eq!(sandbox.read(RETRY), before);
    append(first["revision"].as_str().unwrap(), "Two.").ok();
    assert!(sandbox.read(RETRY).ends_with("One.\n\nTwo.\n"));
    assert_eq!(append("1f", "x").code, 2);
}

#[test]
fn a_new_body_does_not_replace_words_that_no_commit_has() {
    let sandbox = small();
    sandbox.write(CLOSE, sandbox.read(CLOSE) + "An hour of writing.\n");
    let before = hashes(&sandbox.vault());
    let ran = sandbox.cm(&["update", "1f0c99", "--body", "Anew."]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: graph/fixes/close-idle-connections-1f0c99.md has uncommitted changes
       at: graph/fixes/close-idle-connections-1f0c99.md
     hint: commit them with `cm commit`, then run the command again
    [exit 5]
    ");
    assert_eq!(hashes(&sandbox.vault()), before);
    sandbox.cm(&["update", "1f0c99", "--append", "And more."]).ok();
    assert!(sandbox.read(CLOSE).contains("An hour of writing."));
}

#[test]
fn an_id_is_not_removed() {
    let sandbox = small();
    let ran = sandbox.cm(&["update", "1f0c99", "--remove", "id"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: an ID never changes
     hint: other notes refer to it by its ID
    [exit 2]
    ");
}

#[cfg(unix)]
#[test]
fn a_link_to_a_note_is_not_written_through() {
    let sandbox = small();
    let link = sandbox.vault().join("graph/fixes/link.md");
    std::os::unix::fs::symlink("close-idle-connections-1f0c99.md", &link).unwrap();
    let before = hashes(&sandbox.vault());
    let ran = sandbox.cm(&["update", "graph/fixes/link.md", "--append", "More."]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: graph/fixes/link.md is a symbolic link to close-idle-connections-1f0c99.md
       at: graph/fixes/link.md
     hint: change the note that it leads to
    [exit 5]
    ");
    assert!(link.is_symlink());
    assert_eq!(hashes(&sandbox.vault()), before);
}

#[test]
fn tags_may_be_given_by_the_name_that_another_command_uses() {
    let sandbox = small();
    sandbox.cm(&["update", "1f0c2a", "--tags", "sea,tide"]).ok();
    let found = sandbox.cm(&["ls", "--tags", "tide", "--json"]).ok().stdout;
    assert!(found.contains("1f0c2a00"), "{found}");
    sandbox.cm(&["add", "Tides are in UTC", "--tag", "tide"]).ok();
    assert_eq!(
        sandbox.cm(&["ls", "--tag", "tide", "--json"]).ok().json()["notes"].as_array().unwrap().len(),
        2
    );
}

#[test]
fn what_a_merge_left_is_not_set_and_a_note_has_no_more_tags_than_can_be_read() {
    let sandbox = small();
    let before = hashes(&sandbox.vault());
    let ran = sandbox.cm(&["update", "1f0c2a", "--set", "merge=[{value: x}]"]);
    assert!(ran.code == 2 && ran.stderr.contains("`merge` cannot be set"), "{}", ran.snapshot());
    let tags: Vec<String> = (0..101).map(|number| format!("t{number}")).collect();
    let ran = sandbox.cm(&["update", "1f0c2a", "--add-tag", &tags.join(",")]);
    assert!(ran.code == 2 && ran.stderr.contains("at most 100 tags"), "{}", ran.snapshot());
    assert_eq!(hashes(&sandbox.vault()), before);
}
