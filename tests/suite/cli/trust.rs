//! `cm trust`

use cm_app::Context;
use cm_app::verbs::legacy_private;

use super::small::small;
use crate::support::request;

#[test]
fn it_says_what_is_trusted_and_what_that_lets_through() {
    let sandbox = small();
    insta::assert_snapshot!(sandbox.cm(&["trust", "--revoke"]).snapshot(), @"
    [ROOT]/vault: no longer trusted
    no remote; 0 rules
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["trust"]).snapshot(), @"
    [ROOT]/vault: now trusted
    no remote; 0 rules
    [exit 0]
    ");
    let status = sandbox.cm(&["trust", "--status", "--json"]).ok().json();
    assert_eq!(
        (&status["trusted"], &status["source"], &status["changed"]),
        (&true.into(), &"person".into(), &false.into())
    );
}

#[test]
fn private_files_of_an_earlier_version_are_taken_over_where_a_person_confirms_and_power_never() {
    let sandbox = small();
    sandbox.write("_config.toml", "search.limit = 3\n[llm]\nprovider = \"cli\"\ncommand = \"sh evil\"\n");
    sandbox.write("_tokens.toml", "[[token]]\n");
    sandbox.write("_state/reflected.jsonl", "{}\n");
    sandbox.write("_state/sessions/codex/s-1.jsonl", "{}\n");
    sandbox.write("_state/journal/a.pending", "{}");
    let context = || Context::open(request(&sandbox, &[])).unwrap();
    let none = legacy_private::import(&context(), &mut |_| false).unwrap();
    assert!(none.taken.is_empty());
    let mut asked = Vec::new();
    let outcome = legacy_private::import(&context(), &mut |item| {
        asked.push(format!("{item:?}"));
        true
    });
    let outcome = outcome.unwrap();
    assert_eq!((outcome.taken.len(), asked.len()), (3, 3), "{asked:?}");
    assert_eq!(outcome.left.len(), 4, "{:?}", outcome.left);
    let text = format!("{:?}", outcome.taken);
    assert!(!text.contains("llm") && !text.contains("tokens") && !text.contains("journal"), "{text}");
    let limit = sandbox.cm(&["config", "get", "search.limit"]).ok();
    assert!(limit.stdout.contains('3'), "{}", limit.snapshot());
    assert!(legacy_private::import(&context(), &mut |_| true).unwrap().taken.is_empty(), "once is enough");
    assert!(sandbox.vault().join("_state/sessions/codex/s-1.jsonl").exists(), "nothing is removed");
}

#[test]
fn without_a_terminal_nobody_answers_and_nothing_is_taken_over() {
    let sandbox = small();
    sandbox.write("_config.toml", "search.limit = 3\n");
    insta::assert_snapshot!(sandbox.cm(&["trust", "--import-private"]).snapshot(), @"
    [stderr]
    error: each private file needs confirmation in a terminal
     hint: run the command in a terminal
    [exit 5]
    ");
}
