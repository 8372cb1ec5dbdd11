//! `cm propose`: the agent in a session records what a person typed, and the program checks it.

use serde_json::{Value, json};

use crate::support::{McpClient, Sandbox, SessionLine, scripted, talk, vault_of};

const SESSION: &str = "5b1d2c3e-0000-4000-8000-000000000001";
const WORDS: &str = "no. from now on we always use pnpm here, never npm";

fn shop() -> Sandbox {
    let sandbox = vault_of("");
    sandbox.cm(&["reindex"]).ok();
    sandbox
}

/// A session in which the agent ran npm and the person typed `words`.
fn corrected(sandbox: &Sandbox, words: &str) {
    talk(
        sandbox,
        SESSION,
        8,
        &[
            SessionLine::Person("Add a date picker."),
            SessionLine::Ran("npm install picker", "added 12 packages"),
            SessionLine::Person(words),
        ],
    );
}

fn prompt(sandbox: &Sandbox, words: &str) -> String {
    let message = json!({
        "session_id": SESSION, "cwd": sandbox.vault(), "hook_event_name": "UserPromptSubmit", "prompt": words,
    });
    sandbox.run(&["hook", "claude", "prompt"]).stdin(message.to_string()).go().ok().stdout
}

fn propose(sandbox: &Sandbox, text: &str, quote: &str) -> Value {
    sandbox.cm(&["propose", text, "--quote", quote, "--session", "5b1d2c3e", "--json"]).ok().json()
}

#[test]
fn a_prompt_that_is_meant_to_last_brings_the_request_and_its_record_is_active() {
    let sandbox = shop();
    let asked = prompt(&sandbox, WORDS);
    assert!(asked.contains("memory_propose") && asked.contains("5b1d2c3e"), "{asked}");
    assert_eq!(prompt(&sandbox, "now do the same for the export page"), "");
    corrected(&sandbox, WORDS);
    let answer = propose(&sandbox, "Use pnpm, never npm.", "we always use pnpm here, never npm");
    assert_eq!((&answer["state"], &answer["neighbours"]), (&json!("active"), &json!([])), "{answer:#}");
    let why = sandbox.cm(&["why", answer["id"].as_str().unwrap(), "--json"]).ok().json();
    assert!(why.to_string().contains("we always use pnpm here"), "{why:#}");
    let briefing = sandbox.cm(&["context", "install a date picker with npm", "--json"]).ok().json();
    assert!(briefing["rules"].to_string().contains("never npm"), "{briefing:#}");
}

#[test]
fn before_the_log_has_the_prompt_what_the_hook_saw_counts() {
    let sandbox = shop();
    prompt(&sandbox, WORDS);
    let answer = propose(&sandbox, "Use pnpm, never npm.", "we always use pnpm here, never npm");
    assert_eq!(answer["state"], "active", "{answer:#}");
}

#[test]
fn what_no_person_typed_or_what_goes_beyond_their_words_is_a_draft() {
    let sandbox = shop();
    corrected(&sandbox, WORDS);
    for (text, quote, why) in [
        ("Use yarn here.", "we use yarn here", "did not type"),
        ("Use pnpm 9, never npm.", "we always use pnpm here, never npm", "`9`"),
        ("Use pnpm with `--frozen-lockfile`.", "we always use pnpm here", "frozen"),
        ("Install packages with 12 parts.", "added 12 packages", "did not type"),
    ] {
        let answer = propose(&sandbox, text, quote);
        assert_eq!(answer["state"], "draft", "{answer:#}");
        assert!(answer["why"].as_str().unwrap().contains(why), "{answer:#}");
    }
}

#[test]
fn a_quote_names_its_author() {
    let sandbox = shop();
    let text = "We pin every version of a package.";
    let unknown = ["propose", "Pin versions.", "--quote", text, "--session", "s-unknown", "--json"];
    let note = |answer: &Value| {
        let why = sandbox.cm(&["why", answer["id"].as_str().unwrap(), "--json"]).ok().json();
        why["derived_from"]["quotes"][0].as_str().unwrap().to_owned()
    };
    let answer = sandbox.cm(&unknown).ok().json();
    assert_eq!(note(&answer), format!("the agent in s-unknown: {text}"));
    corrected(&sandbox, WORDS);
    let answer = propose(&sandbox, "Use yarn here.", "we use yarn here");
    assert_eq!(note(&answer), format!("the agent in {SESSION}: we use yarn here"));
    let answer = propose(&sandbox, "Use pnpm, never npm.", "we always use pnpm here, never npm");
    assert!(note(&answer).starts_with(&format!("the user in {SESSION} line ")), "{answer:#}");
}

#[test]
fn words_that_are_not_meant_to_last_make_a_draft() {
    let sandbox = shop();
    corrected(&sandbox, "wrong file, undo that");
    let answer = propose(&sandbox, "Undo the wrong file.", "wrong file, undo that");
    assert_eq!(answer["state"], "draft", "{answer:#}");
}

#[test]
fn the_object_of_a_correction_may_come_from_the_command_it_answers() {
    let sandbox = shop();
    corrected(&sandbox, "never do that again, we don't use npm without asking Ana");
    let quote = "we don't use npm without asking Ana";
    let answer = propose(&sandbox, "Never use `npm install picker` without asking Ana.", quote);
    assert_eq!(answer["state"], "active", "{answer:#}");
}

#[test]
fn a_fact_becomes_a_memory_and_verdicts_settle_neighbours() {
    let sandbox = shop();
    corrected(&sandbox, "fyi the staging server only has 2 GB of memory");
    let quote = "the staging server only has 2 GB of memory";
    let arguments = ["propose", "The staging server has 2 GB of memory.", "--kind", "fact", "--quote", quote];
    let fact = sandbox.cm(&[&arguments[..], &["--session", SESSION, "--json"]].concat()).ok().json();
    assert_eq!(fact["state"], "active", "{fact:#}");
    let first = sandbox
        .cm(&["playbook", "add", "Use pnpm for packages, not npm.", "--category", "tools", "--json"])
        .ok()
        .json();
    let first = first["id"].as_str().unwrap();
    corrected(&sandbox, WORDS);
    let second = propose(
        &sandbox,
        "Always install packages by pnpm, never by npm.",
        "we always use pnpm here, never npm",
    );
    let id = second["id"].as_str().unwrap();
    if id != first {
        let settled = sandbox.cm(&["propose", "--id", id, "--same", first, "--json"]).ok().json();
        assert_eq!(settled["state"], "retired", "{settled:#}");
        assert_eq!(settled["neighbours"][0]["verdict"], "same");
    }
    let live = sandbox.cm(&["playbook", "list", "--state", "active", "--json"]).ok().json();
    assert_eq!(live["bullets"].as_array().unwrap().len(), 1, "{live:#}");
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
}

#[test]
fn the_quoted_sentence_is_judged_and_not_the_whole_prompt() {
    let sandbox = shop();
    prompt(&sandbox, "Rename the picker to DatePicker. From now on we always use pnpm here, never npm.");
    let passing = propose(&sandbox, "Rename the picker to DatePicker.", "Rename the picker to DatePicker.");
    assert_eq!(passing["state"], "draft", "{passing:#}");
    assert!(passing["why"].as_str().unwrap().contains("meant to last"), "{passing:#}");
    let lasting = propose(&sandbox, "Use pnpm, never npm.", "we always use pnpm here, never npm");
    assert_eq!(lasting["state"], "active", "{lasting:#}");
}

#[test]
fn fenced_words_that_a_hook_saw_are_not_the_persons() {
    let sandbox = shop();
    prompt(&sandbox, "From now on we always use pnpm here. It prints:\n```\nalways run npm with sudo\n```\n");
    let answer = propose(&sandbox, "Run npm with sudo.", "always run npm with sudo");
    assert_eq!(answer["state"], "draft", "{answer:#}");
}

#[test]
fn what_a_program_or_another_agent_typed_admits_nothing() {
    let typed = |variable: Option<(&str, &str)>, more: Value| {
        let sandbox = shop();
        let mut message = json!({
            "session_id": SESSION, "cwd": sandbox.vault(), "hook_event_name": "UserPromptSubmit", "prompt": WORDS,
        });
        message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let hook = sandbox.run(&["hook", "claude", "prompt"]).stdin(message.to_string());
        let hook = variable.into_iter().fold(hook, |hook, (name, value)| hook.env(name, value));
        let asked = hook.go().ok().stdout;
        let answer = propose(&sandbox, "Use pnpm, never npm.", "we always use pnpm here, never npm");
        (asked.contains("memory_propose"), answer["state"].as_str().unwrap().to_owned())
    };
    assert_eq!(typed(None, json!({})), (true, "active".to_owned()));
    for (variable, message) in [
        (Some(("CLAUDE_CODE_ENTRYPOINT", "sdk-cli")), json!({})),
        (None, json!({"agent_id": "a1"})),
        (None, json!({"interactive": false})),
        (None, json!({"is_background_agent": true})),
    ] {
        assert_eq!(typed(variable, message), (false, "draft".to_owned()));
    }
}

#[test]
fn what_the_agent_recorded_does_not_become_a_second_rule_when_the_session_is_read() {
    let sandbox = shop();
    prompt(&sandbox, WORDS);
    let mut agent = McpClient::of(&sandbox);
    let proposal = json!({
        "kind": "rule", "text": "Use pnpm, never npm.", "quote": "we always use pnpm here, never npm", "session": SESSION,
    });
    let answer = agent.done("memory_propose", &proposal);
    assert_eq!(answer["state"], "active", "{answer:#}");
    assert_eq!(agent.leave().code, Some(0));
    corrected(&sandbox, WORDS);
    sandbox.cm(&["reflect"]);
    let all = rules(&sandbox);
    assert_eq!(all, [("active".to_owned(), "Use pnpm, never npm.".to_owned())]);
}

#[test]
fn words_that_the_agent_embellished_replace_its_draft_when_the_session_is_read() {
    let sandbox = shop();
    corrected(&sandbox, WORDS);
    let draft = propose(&sandbox, "Use pnpm 9, never npm.", "we always use pnpm here, never npm");
    assert_eq!(draft["state"], "draft", "{draft:#}");
    sandbox.cm(&["reflect"]).ok();
    let all = rules(&sandbox);
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!(all[0].0, "active");
    assert!(!all[0].1.contains('9') && all[0].1.contains("pnpm"), "{all:?}");
}

/// State and text of all rules that are not retired.
fn rules(sandbox: &Sandbox) -> Vec<(String, String)> {
    let listed = sandbox.cm(&["playbook", "list", "--state", "all", "--json"]).ok().json();
    let text = |rule: &Value, key: &str| rule[key].as_str().unwrap().to_owned();
    let all = listed["bullets"].as_array().unwrap().iter();
    let standing = all.filter(|rule| rule["state"] != "retired" && rule["maturity"] != "deprecated");
    standing.map(|rule| (text(rule, "state"), text(rule, "content"))).collect()
}

/// A rule that is in use, and whether it is pinned.
fn standing_rule(sandbox: &Sandbox, text: &str) -> String {
    let added = sandbox.cm(&["playbook", "add", text, "--category", "tools", "--json"]).ok().json();
    added["id"].as_str().unwrap().to_owned()
}

fn over_mcp(sandbox: &Sandbox, given: &Value) -> Value {
    let mut agent = McpClient::of(sandbox);
    let answer = agent.done("memory_propose", given);
    assert_eq!(agent.leave().code, Some(0));
    answer
}

fn rule_over_mcp(sandbox: &Sandbox, text: &str, quote: &str) -> Value {
    let given = json!({"kind": "rule", "text": text, "quote": quote, "session": SESSION});
    over_mcp(sandbox, &given)
}

fn settle(sandbox: &Sandbox, proposal: &Value, other: &str, verdict: &str) -> Value {
    let verdicts = json!([{"id": other, "verdict": verdict}]);
    over_mcp(sandbox, &json!({"id": proposal["id"], "session": SESSION, "verdicts": verdicts}))
}

fn rule_state(sandbox: &Sandbox, id: &str) -> (String, String) {
    let rule = sandbox.cm(&["get", id, "--json"]).ok().json().to_string();
    let state = if rule.contains("deprecated") || rule.contains("retired") { "retired" } else { "in use" };
    (state.to_owned(), rule)
}

const LONG: &str = "we always install the packages with pnpm and never with npm, it breaks the lockfile";

#[test]
fn a_verdict_of_same_withdraws_the_agents_proposal_and_credits_the_neighbour() {
    let sandbox = shop();
    let old = standing_rule(&sandbox, "Install packages with pnpm, since npm breaks the lockfile.");
    corrected(&sandbox, LONG);
    let new = rule_over_mcp(&sandbox, "Always install the packages with pnpm, never with npm.", LONG);
    assert_ne!(new["id"], old.as_str(), "{new:#}");
    let settled = settle(&sandbox, &new, &old, "same");
    assert_eq!(
        (&settled["state"], &settled["neighbours"][0]["verdict"]),
        (&json!("retired"), &json!("same"))
    );
    let all = rules(&sandbox);
    assert_eq!(
        all,
        [("active".to_owned(), "Install packages with pnpm, since npm breaks the lockfile.".to_owned())]
    );
    let listed = sandbox.cm(&["playbook", "list", "--json"]).ok().json();
    assert_eq!(listed["bullets"][0]["helpful"], 1, "{listed:#}");
}

#[test]
fn a_verdict_of_same_never_retires_an_active_rule_for_a_draft() {
    let sandbox = shop();
    corrected(&sandbox, LONG);
    let draft = rule_over_mcp(&sandbox, "Use pnpm 9 for each package, as npm breaks the lockfile.", LONG);
    assert_eq!(draft["state"], "draft", "{draft:#}");
    let new = rule_over_mcp(&sandbox, "Always install the packages with pnpm, never with npm.", LONG);
    assert_eq!(new["state"], "active", "{new:#}");
    let settled = settle(&sandbox, &new, draft["id"].as_str().unwrap(), "same");
    assert_eq!(settled["state"], "active", "{settled:#}");
    assert_eq!(
        rules(&sandbox),
        [("active".to_owned(), "Always install the packages with pnpm, never with npm.".to_owned())]
    );
}

#[test]
fn what_refines_a_rule_replaces_it_only_by_the_persons_word() {
    let sandbox = shop();
    let old = standing_rule(&sandbox, "Install packages with pnpm.");
    corrected(&sandbox, LONG);
    let draft = rule_over_mcp(&sandbox, "Install packages with pnpm 9 and a frozen lockfile.", LONG);
    let settled = settle(&sandbox, &draft, &old, "refines");
    assert_eq!(settled["state"], "draft", "{settled:#}");
    assert_eq!(rule_state(&sandbox, &old).0, "in use");
    let new = rule_over_mcp(&sandbox, "Always install the packages with pnpm, never with npm.", LONG);
    assert_eq!(new["state"], "active", "{new:#}");
    settle(&sandbox, &new, &old, "refines");
    let (state, rule) = rule_state(&sandbox, &old);
    assert_eq!(state, "retired", "{rule}");
    assert!(rule.contains(new["id"].as_str().unwrap()), "it names what replaces it: {rule}");
}

#[test]
fn of_contradicting_rules_the_persons_later_word_wins_unless_the_other_is_pinned() {
    for pinned in [false, true] {
        let sandbox = shop();
        let old = standing_rule(&sandbox, "Install packages the way that the readme of the package tells.");
        if pinned {
            sandbox.cm(&["pin", &old]).ok();
        }
        corrected(&sandbox, LONG);
        let new = rule_over_mcp(&sandbox, "Always install the packages with pnpm, never with npm.", LONG);
        let settled = settle(&sandbox, &new, &old, "contradicts");
        assert_eq!(settled["state"], "active", "{settled:#}");
        let related = sandbox.cm(&["related", new["id"].as_str().unwrap(), "--json"]).ok().stdout;
        assert_eq!(related.contains("CONTRADICTS"), pinned, "a settled contradiction is none: {related}");
        let state = if pinned { "in use" } else { "retired" };
        assert_eq!(rule_state(&sandbox, &old).0, state, "{settled:#}");
    }
}

#[test]
fn what_refines_a_pinned_rule_that_the_program_takes_for_contradictory_stays_a_draft() {
    let sandbox = shop();
    let old = standing_rule(&sandbox, "Always install the packages with npm.");
    sandbox.cm(&["pin", &old]).ok();
    corrected(&sandbox, LONG);
    let new = rule_over_mcp(&sandbox, "Always install the packages with pnpm, never with npm.", LONG);
    assert_eq!(new["state"], "draft", "{new:#}");
    let settled = settle(&sandbox, &new, &old, "refines");
    assert_eq!(settled["state"], "draft", "{settled:#}");
    assert_eq!(rule_state(&sandbox, &old).0, "in use");
    let related = sandbox.cm(&["related", new["id"].as_str().unwrap(), "--json"]).ok().stdout;
    assert!(related.contains("CONTRADICTS"), "{related}");
}

#[test]
fn a_verdict_of_unrelated_lifts_a_contradiction_that_the_program_found() {
    let sandbox = shop();
    let old = standing_rule(&sandbox, "Always install the packages with npm.");
    corrected(&sandbox, LONG);
    let new = rule_over_mcp(&sandbox, "Always install the packages with pnpm, never with npm.", LONG);
    let neighbour =
        new["neighbours"].as_array().unwrap().iter().find(|one| one["id"] == old.as_str()).unwrap();
    assert_eq!(neighbour["verdict"], "contradicts", "{new:#}");
    let settled = settle(&sandbox, &new, &old, "unrelated");
    assert_eq!(settled["state"], "active", "{settled:#}");
    assert_eq!(rule_state(&sandbox, &old).0, "in use");
}

#[test]
fn verdicts_on_memories_leave_one_that_holds() {
    for verdict in ["same", "refines", "contradicts"] {
        let sandbox = shop();
        let title = "The staging server of the shop has 4 GB of memory";
        let old = sandbox.cm(&["add", "--type", "fact", "--title", title, "--json"]).ok().json();
        let old = old["id"].as_str().unwrap();
        let words = "fyi the staging server only has 2 GB of memory";
        corrected(&sandbox, words);
        let given = json!({
            "kind": "fact", "text": "The staging server has 2 GB of memory.", "quote": words, "session": SESSION,
        });
        let new = over_mcp(&sandbox, &given);
        assert_eq!(new["state"], "active", "{new:#}");
        let id = new["id"].as_str().unwrap();
        let flag = format!("--{verdict}");
        let arguments =
            ["propose", "--id", id, &flag, old, "--session", SESSION, "--agent", "codex", "--json"];
        let settled = sandbox.run(&arguments).env("CM_NOW", "2026-11-21T13:00:00Z").go().ok().json();
        let is_withdrawn = settled["state"] == "retired";
        assert_eq!(is_withdrawn, verdict == "same", "{settled:#}");
        let related = sandbox.cm(&["related", id, "--json"]).ok().stdout;
        assert!(related.contains("SUPERSEDES"), "{verdict}: {related}");
        assert!(related.contains(old), "{related}");
    }
}

#[test]
fn verdicts_are_taken_only_on_the_neighbours_of_what_this_session_proposed() {
    let sandbox = shop();
    let old = standing_rule(&sandbox, "Install packages with pnpm, since npm breaks the lockfile.");
    let far = standing_rule(&sandbox, "Spell the names of the months in full.");
    corrected(&sandbox, LONG);
    let new = rule_over_mcp(&sandbox, "Always install the packages with pnpm, never with npm.", LONG);
    let mut agent = McpClient::of(&sandbox);
    let verdict = |id: &Value, session: &str, other: &str| json!({"id": id, "session": session, "verdicts": [{"id": other, "verdict": "same"}]});
    agent.refused("memory_propose", &verdict(&json!(old), SESSION, &far));
    agent.refused("memory_propose", &verdict(&new["id"], "another-session", &old));
    agent.refused("memory_propose", &verdict(&new["id"], SESSION, &far));
    assert_eq!(agent.leave().code, Some(0));
    assert_eq!(rules(&sandbox).len(), 3);
}

#[test]
fn an_answer_to_a_work_package_is_admitted_by_the_persons_word_alone_and_settles_neighbours() {
    let sandbox = shop();
    let old = standing_rule(&sandbox, "Install packages with whatever works.");
    corrected(&sandbox, &format!("{LONG}. also rename the picker"));
    let package = sandbox.cm(&["reflect", "--emit", "--json"]).ok().json();
    assert!(package["packages"][0]["rules"].to_string().contains(&old), "{package:#}");
    let line = 4;
    let answer = json!({"reflects": SESSION, "agent": "claude-code", "deltas": [
        {"type": "add", "category": "tools", "content": "Install packages with pnpm, never with npm.", "line": line, "quote": LONG,
            "verdicts": [{"id": old, "verdict": "refines"}]},
        {"type": "add", "category": "tools", "content": "Install packages with pnpm 9 alone.", "line": line, "quote": LONG},
        {"type": "add", "category": "tools", "content": "Rename the picker of each page.", "line": line, "quote": "also rename the picker"},
        {"type": "decision", "content": "Packages come from pnpm, because npm breaks the lockfile.", "line": line, "quote": LONG},
        {"type": "fix", "content": "The lockfile was broken by npm; pnpm ended it.", "line": line, "quote": LONG},
    ]});
    let validator = jsonschema::draft202012::new(&package["packages"][0]["schema"]).unwrap();
    assert!(validator.is_valid(&answer), "the answer fits the schema that was handed on");
    sandbox.write("../answer.json", answer.to_string());
    let ran = sandbox.run(&["curate", "../answer.json"]).env("CM_AGENT", "codex").go();
    let mut all = rules(&sandbox);
    all.sort();
    let texts = |state: &str| {
        let of = all.iter().filter(|(is, _)| is == state);
        of.map(|(_, text)| text.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(texts("active"), ["Install packages with pnpm, never with npm."], "{}", ran.snapshot());
    assert_eq!(texts("draft").len(), 2, "{all:?}");
    assert_eq!(rule_state(&sandbox, &old).0, "retired");
    for kind in ["decisions", "fixes"] {
        assert!(sandbox.git(&["ls-files", "graph"]).contains(&format!("graph/{kind}/")), "{kind}");
    }
}

#[test]
fn a_models_wording_wins_over_the_raw_sentence_and_other_sentences_are_kept() {
    let sandbox = shop();
    talk(
        &sandbox,
        SESSION,
        8,
        &[
            SessionLine::Person("Add a date picker."),
            SessionLine::Ran("npm install picker", "added 12 packages"),
            SessionLine::Person(WORDS),
            SessionLine::Agent("Understood."),
            SessionLine::Person("Never push to main on a Friday."),
        ],
    );
    let add = json!({"type": "add", "category": "tools", "content": "Use pnpm, never npm.", "line": 4, "quote": "we always use pnpm here, never npm"});
    scripted(&sandbox, "", &[json!({"again": true, "answer": {"status": "success", "deltas": [add]}})]);
    sandbox.cm(&["reflect"]).ok();
    let mut all = rules(&sandbox);
    all.sort();
    let texts: Vec<&str> = all.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(texts, ["Never push to main on a Friday.", "Use pnpm, never npm."], "{all:?}");
    assert!(all.iter().all(|(state, _)| state == "active"), "{all:?}");
}
