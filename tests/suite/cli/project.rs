//! `cm project`: writes the playbook to an agent's rule file and preserves the other lines.

use super::playbook::playbook;
use crate::support::vault_of;

#[test]
fn a_rule_file_is_made_and_then_left_alone_until_something_changes() {
    let sandbox = playbook();
    insta::assert_snapshot!(sandbox.cm(&["project", "--dry-run"]).snapshot(), @"
    + Print the seed of every randomised test before it runs. `b-mq6d3m8l-aaaaaa`
    + network: Retrying a failed request at once. `b-mq6d3m8l-bbbbbb`
    would create AGENTS.md with 1 rule and 1 pitfall
    [exit 0]
    ");
    assert!(!sandbox.vault().join("AGENTS.md").exists());
    insta::assert_snapshot!(sandbox.cm(&["project", "--format", "agents.md"]).snapshot(), @"
    + Print the seed of every randomised test before it runs. `b-mq6d3m8l-aaaaaa`
    + network: Retrying a failed request at once. `b-mq6d3m8l-bbbbbb`
    made AGENTS.md with 1 rule and 1 pitfall
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.read("AGENTS.md"), @"
    <!-- cm:begin playbook: written by `cm project`; changes up to the end marker are lost -->
    ## Playbook

    ### testing

    - Print the seed of every randomised test before it runs. `b-mq6d3m8l-aaaaaa`

    ### Pitfalls

    - network: Retrying a failed request at once. `b-mq6d3m8l-bbbbbb`
    <!-- cm:end playbook -->
    ");
    insta::assert_snapshot!(sandbox.cm(&["project"]).snapshot(), @"
    unchanged: AGENTS.md with 1 rule and 1 pitfall
    [exit 0]
    ");
    sandbox.git(&["rm", "-q", "playbook/network/avoid-2.md"]);
    insta::assert_snapshot!(sandbox.cm(&["project", "--counts"]).snapshot(), @"
    + Print the seed of every randomised test before it runs. (helpful 4, harmful 1) `b-mq6d3m8l-aaaaaa`
    - Print the seed of every randomised test before it runs. `b-mq6d3m8l-aaaaaa`
    - network: Retrying a failed request at once. `b-mq6d3m8l-bbbbbb`
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
    assert!(
        first.starts_with(before)
            && first.contains("seed of every randomised test before it runs. `b-mq6d3m8l-aaaaaa`\r\n")
    );
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
        "Print the seed of every randomised test before it runs. `b-mq6d3m8l-aaaaaa`",
        "network: Retrying a failed request at once. `b-mq6d3m8l-bbbbbb`"
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
    error: a begin marker without an end marker
       at: AGENTS.md:2
     hint: fix the lines `<!-- cm:begin playbook … -->` and `<!-- cm:end playbook -->`; nothing was written
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
    - Print the seed of every randomised test before it runs. `b-mq6d3m8l-aaaaaa`
    - network: Retrying a failed request at once. `b-mq6d3m8l-bbbbbb`
    wrote AGENTS.md with 0 rules and 0 pitfalls
    [exit 0]
    ");
    assert!(sandbox.read("AGENTS.md").contains("No rules yet."));
    insta::assert_snapshot!(sandbox.cm(&["project", "--format", "claude.md"]).snapshot(), @"
    [stderr]
    error: no rule is in use, and there is no file to clear
     hint: `cm playbook list --state all` lists all rules
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

/// A rule with a hidden character, one with a hidden character in its reasoning, and a valid rule.
const HIDING: &str = "\
--- playbook/net/hidden-1.md
---
id: b-mq6d3m8l-aaaaaa
category: net
state: active
maturity: proven
pinned: true
created: 2026-10-01T08:00:00Z
---

Give every re\u{200b}quest a timeout of a minute.
--- playbook/net/reasons-2.md
---
id: b-mq6d3m8l-bbbbbb
category: net
state: active
maturity: proven
created: 2026-10-01T08:00:00Z
---

Give every request a number of its own.

## Why

An\u{202e}swers get lost.
--- playbook/net/sound-3.md
---
id: b-mq6d3m8l-cccccc
category: net
state: active
maturity: proven
created: 2026-10-01T08:00:00Z
---

Log a request by its id and never by its body.
";

#[test]
fn a_bullet_with_hidden_characters_is_in_no_file_that_an_agent_reads() {
    let sandbox = vault_of(HIDING);
    insta::assert_snapshot!(sandbox.cm(&["project"]).snapshot(), @"
    + Log a request by its id and never by its body. `b-mq6d3m8l-cccccc`
    made AGENTS.md with 1 rule and 0 pitfalls
    [stderr]
    note: 2 rules are skipped because of hidden characters: `cm validate` shows them
    [exit 0]
    ");
    let exported = sandbox.cm(&["export", "--format", "memory.md"]).ok().stdout;
    assert!(exported.contains("- net: Log a request") && exported.contains("; 2 left out."), "{exported}");
    assert!(!exported.contains("minute") && !exported.contains("number of its own"), "{exported}");
}

#[test]
fn a_rule_of_another_project_is_none_of_this_one() {
    let rule = |id: &str, project: &str, rule: &str| {
        format!(
            "--- playbook/net/{id}.md\n---\nid: b-mq6d3m8l-{id}\ncategory: net\nscope: workspace\n\
             workspace: {project}\nstate: active\nmaturity: proven\ncreated: 2026-10-01T08:00:00Z\n---\n\n{rule}\n"
        )
    };
    let own = rule("aaaaaa", "elsewhere", "Ask the tide tables of the harbour first.");
    let shared = rule("bbbbbb", "other", "Deploy the shop with the blue script.")
        + &rule("cccccc", "Vault", "Say which station a height belongs to.");
    let (project, global) = (vault_of(&own), vault_of(&shared));
    project.trust(&global.vault());
    let folder = global.vault().display().to_string();
    insta::assert_snapshot!(project.run(&["project"]).env("CM_GLOBAL_VAULT", &folder).go().snapshot(), @"
    + Ask the tide tables of the harbour first. `b-mq6d3m8l-aaaaaa`
    + Say which station a height belongs to. `b-mq6d3m8l-cccccc`
    made AGENTS.md with 2 rules and 0 pitfalls
    [exit 0]
    ");
}

#[test]
fn only_a_rule_in_cursors_own_format_begins_with_frontmatter() {
    let sandbox = playbook();
    sandbox.cm(&["project", "--format", "cursor", "--file", ".cursorrules"]).ok();
    assert!(sandbox.read(".cursorrules").starts_with("<!-- cm:begin"));
    sandbox.cm(&["project", "--format", "cursor"]).ok();
    assert!(sandbox.read(".cursor/rules/cm.mdc").starts_with("---\n"));
}
