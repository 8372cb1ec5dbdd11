//! Rules, facts and preferences that a person withdraws in a later session.

use super::*;

const SORTED: &str = "Always sort the tide tables by port.";

#[test]
fn a_rule_that_the_person_withdraws_in_a_later_session_is_retired() {
    // A hook reflects on behalf of the agent, but it is the person who withdraws the rule.
    for (withdrawn, is_by_agent) in [
        ("Forget the rule about the tide tables.", false),
        ("We no longer sort the tide tables by port.", true),
    ] {
        let sandbox = vault_of("");
        good(&sandbox, ONE, 8, &format!("From now on, {SORTED}"));
        sandbox.cm(&["reflect"]).ok();
        assert_eq!(in_use(&sandbox), [SORTED]);
        good(&sandbox, TWO, 9, withdrawn);
        let reflect = sandbox.run(&["reflect", "--json"]);
        let ran = if is_by_agent { reflect.env("CLAUDECODE", "1") } else { reflect }.go().ok().json();
        let learned = ran["worked"][0]["learned"].as_array().unwrap();
        assert!(learned.iter().any(|one| one["what"] == "deprecate"), "{withdrawn}: {learned:?}");
        assert!(!in_use(&sandbox).contains(&SORTED.to_owned()), "{withdrawn}");
        let id = learned.iter().find(|one| one["what"] == "deprecate").unwrap()["id"].as_str().unwrap();
        let file = sandbox.cm(&["get", id]).ok().stdout;
        // Where the later word is a rule of its own, it replaces the earlier one.
        let reasons = [withdrawn.trim_end_matches('.'), "a person said otherwise later"];
        assert!(reasons.iter().any(|reason| file.contains(reason)), "{file}");
    }
}

#[test]
fn what_is_known_of_a_tool_that_is_gone_is_retired_and_what_took_its_place_is_learned() {
    let sandbox = vault_of("");
    good(&sandbox, ONE, 7, "From now on, run tidecheck before each commit.");
    good(&sandbox, TWO, 8, "Remember that tidecheck writes its log to var/tide.log.");
    sandbox.cm(&["reflect"]).ok();
    assert_eq!(
        in_use(&sandbox),
        ["Tidecheck writes its log to var/tide.log.", "Run tidecheck before each commit."]
    );
    good(&sandbox, THREE, 9, "tidecheck is gone since Monday. From now on, push with `just harbour` only.");
    let ran = sandbox.cm(&["reflect", "--json"]).ok();
    assert_eq!(in_use(&sandbox), ["Push with `just harbour` only."], "{}", ran.stdout);
}

#[test]
fn refusing_a_command_retires_the_rule_that_recommends_it_if_something_changed_since() {
    let old = "Deploy with `make deploy ENV=live REGION=eu`.";
    for (words, is_retired) in [
        ("We no longer deploy from laptops, a tag on main does it now.", true),
        ("Not now, Ana is still testing.", false),
    ] {
        let sandbox = vault_of("");
        good(&sandbox, ONE, 8, &format!("From now on, {}", old.replacen('D', "d", 1)));
        sandbox.cm(&["reflect"]).ok();
        assert_eq!(in_use(&sandbox), [old]);
        let refused = [
            SessionLine::Person("The fix is approved, bring it out."),
            SessionLine::Refused("make deploy ENV=live REGION=eu"),
            SessionLine::Person(words),
            SessionLine::Ran("git log -1", "commit 1"),
            SessionLine::Agent("I left it."),
            SessionLine::Person("thanks"),
        ];
        talk(&sandbox, TWO, 9, &refused);
        let ran = sandbox.cm(&["reflect", "--json"]);
        assert!([0, 8].contains(&ran.code), "{}", ran.snapshot());
        assert_eq!(!in_use(&sandbox).contains(&old.to_owned()), is_retired, "{words}: {}", ran.stdout);
    }
}

#[test]
fn a_pinned_rule_that_the_person_withdraws_is_named_and_stays() {
    let sandbox = vault_of("");
    good(&sandbox, ONE, 8, &format!("From now on, {SORTED}"));
    let ran = sandbox.cm(&["reflect", "--json"]).ok().json();
    sandbox.cm(&["pin", ran["worked"][0]["learned"][0]["id"].as_str().unwrap()]).ok();
    good(&sandbox, TWO, 9, "Forget the rule about the tide tables.");
    let ran = sandbox.cm(&["reflect", "--json"]).ok().json();
    let notices = ran["worked"][0]["notices"].to_string();
    assert!(notices.contains("may withdraw a rule") && notices.contains(SORTED), "{ran}");
    assert_eq!(in_use(&sandbox), [SORTED]);
}

#[test]
fn a_withdrawal_that_fits_a_rule_only_in_part_names_it() {
    let sandbox = vault_of("");
    good(&sandbox, ONE, 8, "From now on keep commit messages under 60 characters.");
    sandbox.cm(&["reflect"]).ok();
    good(&sandbox, TWO, 9, "Forget the rule about the commit message length.");
    let ran = sandbox.cm(&["reflect", "--json"]).ok().json();
    let notices = ran["worked"][0]["notices"].to_string();
    assert!(notices.contains("may withdraw a rule") && notices.contains("under 60"), "{ran}");
    assert_eq!(in_use(&sandbox), ["Keep commit messages under 60 characters."]);
}

#[test]
fn a_fact_or_preference_that_the_person_withdraws_in_a_later_session_is_retired() {
    for (stated, withdrawn) in [
        (
            "Remember that the staging database is wiped every night.",
            "Forget what I said about the staging database.",
        ),
        ("I prefer short commit messages.", "forget my preference for short commit messages, please"),
    ] {
        let sandbox = vault_of("");
        good(&sandbox, ONE, 8, stated);
        let ran = sandbox.cm(&["reflect", "--json"]).ok().json();
        let learned = ran["worked"][0]["learned"][0].clone();
        assert!(["fact", "preference"].map(Value::from).contains(&learned["what"]), "{ran}");
        good(&sandbox, TWO, 9, withdrawn);
        let ran = sandbox.cm(&["reflect", "--json"]).ok().json();
        let (id, title) = (learned["id"].as_str().unwrap(), learned["text"].as_str().unwrap());
        let change = &ran["worked"][0]["learned"][0];
        assert_eq!([&change["what"], &change["id"], &change["text"]], ["deprecate", id, title], "{ran}");
        let file = sandbox.cm(&["get", id]).ok().stdout;
        assert!(file.contains("retired") && file.contains(withdrawn.trim_end_matches('.')), "{file}");
        let found =
            sandbox.cm(&["context", "wipe the staging database, short commit messages", "--json"]).json();
        assert!(!found["memories"].to_string().contains(id), "{found}");
    }
}

#[test]
fn a_withdrawal_that_several_facts_fit_is_told_and_retires_none() {
    let sandbox = vault_of("");
    good(&sandbox, ONE, 8, "Remember that the staging database is wiped every night.");
    sandbox.cm(&["reflect"]).ok();
    sandbox.cm(&["add", "The staging database has no backups", "--type", "fact"]).ok();
    good(&sandbox, TWO, 9, "Remember that the staging database is in Frankfurt.");
    sandbox.cm(&["reflect"]).ok();
    good(&sandbox, THREE, 10, "Forget what I said about the staging database.");
    let ran = sandbox.cm(&["reflect", "--json"]).ok().json();
    let notices = ran["worked"][0]["notices"].to_string();
    assert!(notices.contains("Frankfurt") && notices.contains("wiped"), "{ran}");
    // What a person wrote into the vault was learned from no session.
    assert!(!notices.contains("backups"), "{ran}");
    assert!(!ran["worked"][0]["learned"].to_string().contains("deprecate"), "{ran}");
}

/// The texts of the rules in use.
fn in_use(sandbox: &Sandbox) -> Vec<String> {
    let listed = sandbox.cm(&["playbook", "list", "--json"]).json();
    let rules = listed["bullets"].as_array().unwrap();
    rules.iter().map(|rule| rule["content"].as_str().unwrap().to_owned()).collect()
}
