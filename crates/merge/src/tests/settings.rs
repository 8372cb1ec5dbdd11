//! Merges of `cm.toml` and of files with sections that programs write.

use super::*;

#[test]
fn settings_of_both_sides_stand_with_their_comments() {
    let base = "# Settings.\nprojects = [\"a\"]\n\n# Weights.\n[scoring]\nlambda = 0.03 # slow\n";
    let ours = "# Settings.\nprojects = [\"a\", \"x\"]\nlanguage = \"de\"\n\n# Weights.\n[scoring]\nlambda = 0.03 # slow\n";
    let theirs = "# Settings.\nprojects = [\"a\", \"b\"]\n\n# Weights.\n[scoring]\nlambda = 0.05 # faster\n\n# Ours.\n[types.runbook]\nfolder = \"runbooks\"\n";
    assert_eq!(
        synced("cm.toml", base, ours, theirs),
        "# Settings.\nprojects = [\"a\", \"b\", \"x\"]\nlanguage = \"de\"\n\n# Weights.\n[scoring]\nlambda = 0.05 # faster\n\n# Ours.\n[types.runbook]\nfolder = \"runbooks\"\n"
    );
}

#[test]
fn of_two_values_the_greater_stands_and_the_other_is_a_comment() {
    let text = synced("cm.toml", "a = 1\n", "a = 2\n", "a = 3\n");
    assert_eq!(text, "# cm merge: another side set `a = 2`\na = 3\n");
    assert_eq!(synced("cm.toml", "a = 1\n", &text, "a = 2\n"), text);
}

#[test]
fn numbers_are_compared_as_numbers() {
    let text = synced("cm.toml", "a = 1\n", "a = 50\n", "a = 100\n");
    assert_eq!(text, "# cm merge: another side set `a = 50`\na = 100\n");
    assert_eq!(lost_values(&text).collect::<Vec<_>>(), ["another side set `a = 50`"]);
    let text = synced("cm.toml", "a = 1\n", "a = -2.5\n", "a = -1_000\n");
    assert_eq!(text, "# cm merge: another side set `a = -1_000`\na = -2.5\n");
}

#[test]
fn a_comment_that_both_sides_append_something_to_stands_once() {
    let base = "a = 1\n\n# Own types:\n# folder = \"x\"\n";
    let side = |name: &str| format!("{base}\n[types.{name}]\nfolder = \"{name}\"\n");
    assert_eq!(
        synced("cm.toml", base, &side("one"), &side("two")),
        format!("{}\n[types.two]\nfolder = \"two\"\n", side("one"))
    );
    let side = |name: &str| format!("{base}\n# Ours.\n[{name}]\nx = 1\n");
    assert_eq!(
        synced("cm.toml", base, &side("one"), &side("two")),
        format!("{}\n# Ours.\n[two]\nx = 1\n", side("one"))
    );
    let side = |name: &str| format!("a = 1\n# b = 2\n{name} = 3\n\n[t]\nx = 1\n");
    assert_eq!(
        synced("cm.toml", "a = 1\n# b = 2\n\n[t]\nx = 1\n", &side("c"), &side("d")),
        "a = 1\n# b = 2\nc = 3\nd = 3\n\n[t]\nx = 1\n"
    );
}

#[test]
fn settings_that_were_examples_in_comments_stay_where_they_are() {
    let base = "# Projects:\n# projects = [\"api\"]\n\n# When to commit:\n# [git]\n# commit = \"auto\"\n\n# Types:\n# [types.x]\n# folder = \"x\"\n";
    let ours = base.replace("# projects", "projects");
    let theirs = base.replace("# [git]\n# commit", "[git]\ncommit");
    assert_eq!(synced("cm.toml", base, &ours, &theirs), ours.replace("# [git]\n# commit", "[git]\ncommit"));
}

#[test]
fn a_setting_that_one_side_removed_is_gone() {
    assert_eq!(synced("cm.toml", "a = 1\nb = 1\n", "b = 1\n", "a = 1\nb = 2\n"), "b = 2\n");
}

#[test]
fn settings_that_do_not_parse_are_merged_as_text() {
    assert_eq!(
        synced("cm.toml", "a = 1\nb = 1\nc = 1\n", "a = 2\nb = 1\nc = 1\n", "a = 1\nb = 1\nc = \n"),
        "a = 2\nb = 1\nc = \n"
    );
}

#[test]
fn a_section_that_a_program_writes_is_not_merged() {
    let file = |top: &str, rules: &str, end: &str| {
        format!(
            "# {top}\n\n<!-- cm:begin playbook: written -->\n{rules}\n<!-- cm:end playbook -->\n\n{end}\n"
        )
    };
    let merge = |ours: &str, theirs: &str| synced("AGENTS.md", &file("Top", "- a", "End."), ours, theirs);
    assert_eq!(
        merge(&file("My top", "- a\n- b", "End."), &file("Top", "- a\n- c", "My end.")),
        file("My top", "- a\n- c", "My end.")
    );
    assert_eq!(
        merge(&file("My top", "- a", "End."), &file("Top", "- c", "End.")),
        file("My top", "- c", "End.")
    );
}
