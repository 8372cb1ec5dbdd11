//! `cm project`: the playbook in an agent's rule file, whose other lines stay.

use super::playbook::playbook;

#[test]
fn a_rule_file_is_made_and_then_left_alone_until_something_changes() {
    let sandbox = playbook();
    insta::assert_snapshot!(sandbox.cm(&["project", "--dry-run"]).snapshot(), @"
    + Print the seed of every randomised test before it runs.
    + network: Retrying a failed request at once.
    would make AGENTS.md with 1 rule and 1 pitfall
    [exit 0]
    ");
    assert!(!sandbox.vault().join("AGENTS.md").exists());
    insta::assert_snapshot!(sandbox.cm(&["project", "--format", "agents.md"]).snapshot(), @"
    + Print the seed of every randomised test before it runs.
    + network: Retrying a failed request at once.
    made AGENTS.md with 1 rule and 1 pitfall
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.read("AGENTS.md"), @"
    <!-- cm:begin playbook: `cm project` writes this part; changes up to the end marker are lost -->
    ## Playbook

    ### testing

    - Print the seed of every randomised test before it runs.

    ### Pitfalls

    - network: Retrying a failed request at once.
    <!-- cm:end playbook -->
    ");
    insta::assert_snapshot!(sandbox.cm(&["project"]).snapshot(), @"
    unchanged: AGENTS.md with 1 rule and 1 pitfall
    [exit 0]
    ");
    sandbox.git(&["rm", "-q", "playbook/network/avoid-2.md"]);
    insta::assert_snapshot!(sandbox.cm(&["project", "--counts"]).snapshot(), @"
    + Print the seed of every randomised test before it runs. (helpful 4, harmful 1)
    - Print the seed of every randomised test before it runs.
    - network: Retrying a failed request at once.
    wrote AGENTS.md with 1 rule and 0 pitfalls
    [exit 0]
    ");
    assert_eq!(sandbox.git(&["log", "--format=%s"]), "Begin\n", "no commit is made of it");
}

#[test]
fn what_a_person_wrote_stays_byte_for_byte() {
    let sandbox = playbook();
    let (before, after) = ("\u{feff}# Mine\r\n\r\ntext without end", "more\r\n\r\n  - last, no line break");
    sandbox.write("docs/CLAUDE.md", before);
    let project = ["project", "--format", "claude.md", "--file", "docs/CLAUDE.md"];
    sandbox.cm(&project).ok();
    let first = sandbox.read("docs/CLAUDE.md");
    assert!(first.starts_with(before) && first.contains("seed of every randomised test before it runs.\r\n"));
    assert!(!first.replace("\r\n", "").contains('\n'), "{first:?}");
    sandbox.write("docs/CLAUDE.md", format!("{first}{after}"));
    sandbox.git(&["rm", "-q", "playbook/network/avoid-2.md"]);
    sandbox.cm(&project).ok();
    let second = sandbox.read("docs/CLAUDE.md");
    assert!(second.starts_with(before) && second.ends_with(&format!("-->\r\n{after}")), "{second:?}");
    assert!(second != format!("{first}{after}"));
    sandbox.cm(&project).ok();
    assert_eq!(sandbox.read("docs/CLAUDE.md"), second);
}

#[test]
fn a_new_rule_of_cursors_is_always_shown() {
    let sandbox = playbook();
    insta::assert_snapshot!(sandbox.cm(&["project", "--format", "cursor", "--json"]).snapshot(), @r#"
    {
      "format": "cursor",
      "path": ".cursor/rules/cm.mdc",
      "created": true,
      "changed": true,
      "rules": 1,
      "pitfalls": 1,
      "omitted": 0,
      "added": [
        "Print the seed of every randomised test before it runs.",
        "network: Retrying a failed request at once."
      ],
      "removed": [],
      "dry_run": false
    }
    [exit 0]
    "#);
    let written = sandbox.read(".cursor/rules/cm.mdc");
    assert!(
        written.starts_with("---\ndescription: ") && written.contains("alwaysApply: true\n---\n"),
        "{written}"
    );
}

#[test]
fn broken_markers_are_refused_with_their_line_and_nothing_is_written() {
    let sandbox = playbook();
    let broken = "# Mine\n<!-- cm:begin playbook -->\n- old\n";
    sandbox.write("AGENTS.md", broken);
    insta::assert_snapshot!(sandbox.cm(&["project"]).snapshot(), @"
    [stderr]
    error: a begin marker stands here without an end marker
       at: AGENTS.md:2
     hint: mend the lines `<!-- cm:begin playbook … -->` and `<!-- cm:end playbook -->`; nothing was written
    [exit 5]
    ");
    assert_eq!(sandbox.read("AGENTS.md"), broken);
    sandbox.write("AGENTS.md", b"caf\xe9");
    assert_eq!(sandbox.cm(&["project"]).code, 5);
}

#[test]
fn an_empty_playbook_makes_no_file_and_clears_one() {
    let sandbox = playbook();
    sandbox.cm(&["project"]).ok();
    sandbox.git(&["rm", "-q", "-r", "playbook"]);
    insta::assert_snapshot!(sandbox.cm(&["project"]).snapshot(), @"
    - Print the seed of every randomised test before it runs.
    - network: Retrying a failed request at once.
    wrote AGENTS.md with 0 rules and 0 pitfalls
    [exit 0]
    ");
    assert!(sandbox.read("AGENTS.md").contains("No rules yet."));
    insta::assert_snapshot!(sandbox.cm(&["project", "--format", "claude.md"]).snapshot(), @"
    [stderr]
    error: no bullet is in use, and there is no file to clear
     hint: `cm playbook list --state all` shows what there is
    [exit 8]
    ");
}

#[cfg(unix)]
#[test]
fn a_link_to_the_other_agents_file_stays_a_link() {
    let sandbox = playbook();
    sandbox.write("AGENTS.md", "# Mine\n");
    std::os::unix::fs::symlink("AGENTS.md", sandbox.vault().join("CLAUDE.md")).unwrap();
    sandbox.cm(&["project", "--format", "claude.md"]).ok();
    assert!(sandbox.vault().join("CLAUDE.md").is_symlink());
    assert!(sandbox.read("AGENTS.md").starts_with("# Mine\n\n<!-- cm:begin playbook"));
}
