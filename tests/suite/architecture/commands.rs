//! Checks that every command has a test file of the same name.

use super::{Violation, files_below, none};

const COMMANDS: &str = "src/cli/commands/";
const TESTS: &str = "tests/suite/cli/";

/// Returns the command of a source file: `add` for `src/cli/commands/add.rs` and for
/// `src/cli/commands/add/mod.rs`.
fn command_of(path: &str) -> Option<&str> {
    let name = path.strip_prefix(COMMANDS)?;
    let name = name.strip_suffix("/mod.rs").or_else(|| name.strip_suffix(".rs"))?;
    (name != "mod" && !name.contains('/')).then_some(name)
}

/// Checks that a command has a test file and that the `mod.rs` of the tests (`index`) declares it.
pub fn tested(path: &str, tests: &[&str], index: &str) -> Vec<Violation> {
    let Some(command) = command_of(path) else { return Vec::new() };
    let violation = |rule, remedy| vec![Violation { path: path.to_owned(), line: 0, rule, remedy }];
    let file = format!("{TESTS}{command}.rs");
    if !tests.contains(&file.as_str()) {
        return violation(
            format!("the command `{command}` has no tests of its own"),
            format!("write {file}: what it prints, its JSON, and each of its refusals"),
        );
    }
    let declared = |line: &str| line.trim() == format!("mod {command};");
    if !index.lines().any(declared) {
        return violation(
            format!("the tests of `{command}` do not run"),
            format!("add `mod {command};` to {TESTS}mod.rs"),
        );
    }
    Vec::new()
}

#[test]
fn every_command_has_its_tests() {
    let tests = files_below(TESTS, ".rs");
    let names: Vec<&str> = tests.iter().map(|(path, _)| path.as_str()).collect();
    let index = tests.iter().find(|(path, _)| path == &format!("{TESTS}mod.rs")).map_or("", |(_, text)| text);
    let commands = files_below(COMMANDS, ".rs");
    none(commands.iter().flat_map(|(path, _)| tested(path, &names, index)));
}

#[test]
fn a_planted_command_without_tests_is_reported_with_the_rule_and_the_remedy() {
    for path in ["src/cli/commands/add.rs", "src/cli/commands/add/mod.rs"] {
        let shown = tested(path, &["tests/suite/cli/get.rs"], "mod get;\n")[0].to_string();
        assert!(shown.contains("the command `add` has no tests of its own"), "{shown}");
        assert!(shown.contains("write tests/suite/cli/add.rs"), "{shown}");
    }
}

#[test]
fn planted_tests_that_nobody_runs_are_reported_with_the_rule_and_the_remedy() {
    let tests = ["tests/suite/cli/add.rs"];
    let shown = tested("src/cli/commands/add.rs", &tests, "mod get;\n")[0].to_string();
    assert!(shown.contains("the tests of `add` do not run"), "{shown}");
    assert!(shown.contains("add `mod add;` to tests/suite/cli/mod.rs"), "{shown}");
    assert_eq!(tested("src/cli/commands/add.rs", &tests, "mod add;\n"), []);
}

#[test]
fn the_list_of_commands_and_parts_of_a_command_are_none() {
    for path in ["src/cli/commands/mod.rs", "src/cli/commands/playbook/list.rs", "crates/app/src/add.rs"] {
        assert_eq!(tested(path, &[], ""), [], "{path}");
    }
}
