//! `cm reflect` with the real program: without a model, with a scripted model, cancelled, and
//! delegated to an agent.

mod stopped;
mod withdrawn;

use serde_json::{Value, json};

use crate::support::{Sandbox, SessionLine, everything, hashes, scripted, talk, vault_of};

const ONE: &str = "aaaaaaaa-0000-4000-8000-000000000001";
const TWO: &str = "bbbbbbbb-0000-4000-8000-000000000002";
const THREE: &str = "cccccccc-0000-4000-8000-000000000003";
const RULE: &str = "From now on, always run the tests before you commit.";

/// Writes a successful session in which the person states a lasting wish.
fn good(sandbox: &Sandbox, id: &str, hour: usize, wish: &str) {
    talk(
        sandbox,
        id,
        hour,
        &[
            SessionLine::Person("The test of the tide table fails, please mend it."),
            SessionLine::Ran("cargo test", "Exit code 101\ntest tide ... FAILED"),
            SessionLine::Agent("The table is read in local time. I will read it in UTC."),
            SessionLine::Ran("cargo test", "test result: ok. 12 passed"),
            SessionLine::Person(wish),
        ],
    );
}

fn two() -> Sandbox {
    let sandbox = vault_of("");
    good(&sandbox, ONE, 8, RULE);
    good(&sandbox, TWO, 9, "FYI, the staging database is reset every night at four.");
    sandbox
}

fn outcome(answer: &Value) -> &str {
    answer["outcome"].as_str().unwrap()
}

fn states(sandbox: &Sandbox) -> Vec<String> {
    let list = sandbox.cm(&["sessions", "list", "--days", "0", "--json"]).ok().json();
    let rows = list["sessions"].as_array().unwrap();
    let mut states: Vec<String> = rows
        .iter()
        .map(|row| format!("{} {}", &row["id"].as_str().unwrap()[..1], row["state"].as_str().unwrap()))
        .collect();
    states.sort();
    states
}

fn commits(sandbox: &Sandbox) -> usize {
    sandbox.git(&["rev-list", "--count", "HEAD"]).trim().parse().unwrap()
}

/// A model response that fits any of these sessions.
fn any() -> Value {
    json!({"again": true, "answer": {"status": "success", "deltas": []}})
}

#[test]
fn sessions_become_diaries_drafts_and_memories_by_rules_alone() {
    let sandbox = two();
    insta::assert_snapshot!(sandbox.cm(&["reflect"]).snapshot(), @"
    aaaaaaaa  claude-code  success  The test of the tide table fails, please mend it.
        diary       diary/the-test-of-the-tide-table-fails-please-mend-it-0f641d.md
        add         Always run the tests before you commit.  line 7
    bbbbbbbb  claude-code  success  The test of the tide table fails, please mend it.
        diary       diary/the-test-of-the-tide-table-fails-please-mend-it-67ca2a.md
        fact        The staging database is reset every night at four
    changed: 2 sessions, 2 diaries, 2 proposed, 2 applied, 0 refused
    [exit 0]
    ");
    assert_eq!(commits(&sandbox), 3, "one commit a session");
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    insta::assert_snapshot!(sandbox.git(&["log", "-1", "--format=%B"]), @"
    Reflect on claude-code session bbbbbbbb: The test of the tide table fails, please mend it.

    Cm-Op: reflect
    Cm-Id: 67ca2a5516d2b4f9fabd9291c8bc60e3
    Cm-Id: 5c70554b-ba3f-4a0b-94ae-a015c6826cfc
    Cm-Session: bbbbbbbb-0000-4000-8000-000000000002
    Cm-Agent: claude-code
    Cm-Operation: 3e7172a4e8e24ccba59daf113298a8e5
    ");
    sandbox.cm(&["validate"]).ok();
    insta::assert_snapshot!(sandbox.cm(&["sessions"]).snapshot(), @"
    bbbbbbbb  claude-code  26 h  7 events  267 B  learned 1  /home/dev/demo  The test of the tide table fails, please mend it. (success)
    aaaaaaaa  claude-code  27 h  7 events  264 B  learned 1  /home/dev/demo  The test of the tide table fails, please mend it. (success)
    2 sessions in the last 7 days
    [exit 0]
    ");
    let bullets = sandbox.cm(&["playbook", "list", "--state", "all", "--json"]).ok().json();
    let bullet = &bullets["bullets"][0];
    assert_eq!((&bullet["state"], &bullet["maturity"]), (&json!("active"), &json!("candidate")), "{bullets}");
    insta::assert_snapshot!(sandbox.cm(&["reflect"]).snapshot(), @"
    nothing to do
      all 2 matching sessions were already processed
    [exit 8]
    ");
    let nothing = sandbox.cm(&["reflect", "--json"]);
    assert_eq!((outcome(&nothing.json()), nothing.code), ("nothing_to_do", 8));
}

#[test]
fn a_dry_run_writes_nothing_but_the_index() {
    let sandbox = two();
    sandbox.cm(&["sessions"]).ok();
    sandbox.cm(&["search", "tide"]);
    let (before, notes) = (everything(&sandbox.vault().join(".git")), hashes(&sandbox.vault()));
    let ran = sandbox.cm(&["reflect", "--dry-run", "--json"]).ok().json();
    assert_eq!((outcome(&ran), &ran["dry_run"], &ran["diaries"]), ("changed", &json!(true), &json!(2)));
    assert_eq!((everything(&sandbox.vault().join(".git")), hashes(&sandbox.vault())), (before, notes));
    assert_eq!(states(&sandbox), ["a new", "b new"]);
}

#[test]
fn a_session_that_went_on_is_learned_from_again_and_nothing_is_written_twice() {
    let sandbox = two();
    sandbox.cm(&["reflect"]).ok();
    let notes = |sandbox: &Sandbox| hashes(&sandbox.vault()).len();
    let before = notes(&sandbox);
    let fact = "FYI, the staging database is reset every night at four.";
    talk(
        &sandbox,
        TWO,
        9,
        &[
            SessionLine::Person("The test of the tide table fails, please mend it."),
            SessionLine::Ran("cargo test", "Exit code 101\ntest tide ... FAILED"),
            SessionLine::Agent("The table is read in local time. I will read it in UTC."),
            SessionLine::Ran("cargo test", "test result: ok. 12 passed"),
            SessionLine::Person(fact),
            SessionLine::Person("Never push to main on a Friday."),
        ],
    );
    assert_eq!(states(&sandbox), ["a processed", "b grown"]);
    let ran = sandbox.cm(&["reflect", "--json"]).ok().json();
    assert_eq!(
        (&ran["sessions"], &ran["diaries"], &ran["applied"]),
        (&json!(1), &json!(1), &json!(1)),
        "{ran}"
    );
    assert_eq!(notes(&sandbox), before + 1, "a new rule, and no second diary or memory");
    assert_eq!(states(&sandbox), ["a processed", "b processed"]);
    // Without the record everything is processed again and found to exist.
    std::fs::remove_file(sandbox.private("reflected.jsonl")).unwrap();
    let count = commits(&sandbox);
    let ran = sandbox.cm(&["reflect", "--json"]);
    assert_eq!(
        (outcome(&ran.json()), ran.code, commits(&sandbox)),
        ("nothing_learned", 8, count),
        "{}",
        ran.snapshot()
    );
}

#[test]
fn a_new_vault_in_the_folder_of_a_deleted_one_learns_from_all_sessions_again() {
    let sandbox = two();
    assert_eq!(sandbox.cm(&["reflect", "--json"]).ok().json()["sessions"], 2);
    for entry in std::fs::read_dir(sandbox.vault()).unwrap().map(Result::unwrap) {
        match entry.path().is_dir() {
            true => std::fs::remove_dir_all(entry.path()).unwrap(),
            false => std::fs::remove_file(entry.path()).unwrap(),
        }
    }
    let made = sandbox.cm(&["init"]).ok();
    assert!(made.stderr.contains("an earlier vault in this folder"), "{}", made.stderr);
    let again = sandbox.cm(&["reflect", "--json"]).ok().json();
    assert_eq!((&again["sessions"], again["applied"].as_u64() > Some(0)), (&json!(2), true), "{again}");
}

#[test]
fn a_limit_leaves_the_rest_for_the_next_run() {
    let sandbox = two();
    let ran = sandbox.cm(&["reflect", "--max-sessions", "1", "--json"]).ok().json();
    assert_eq!((&ran["sessions"], &ran["left"]), (&json!(1), &json!(1)));
    assert_eq!(states(&sandbox), ["a processed", "b new"], "what ended first is first");
    let none = sandbox.cm(&["reflect", "--agent", "codex", "--json"]);
    assert_eq!((outcome(&none.json()), none.code), ("nothing_to_do", 8));
    sandbox.cm(&["reflect", "--workspace", "/home/dev/demo"]).ok();
    assert_eq!(states(&sandbox), ["a processed", "b processed"]);
    assert_eq!(sandbox.cm(&["reflect", "--agent", "nobody"]).code, 2);
}

#[test]
fn a_model_proposes_and_the_program_says_where_it_comes_from() {
    let sandbox = vault_of("");
    good(&sandbox, ONE, 8, RULE);
    let diary = json!({"status": "success", "key_learnings": [
        {"text": "The tide table was read in local time.", "line": 4, "quote": "The table is read in local time"}]});
    let add = |line: usize, quote: &str, content: &str| {
        json!({"type": "add", "category": "testing", "content": content, "line": line, "quote": quote,
            "session": "forged", "agent": "forged"})
    };
    let deltas = json!({"deltas": [
        add(9999, "always run the tests before you commit", "Run all tests before each commit."),
        add(4, "the moon is made of cheese", "Eat more cheese while the moon is up."),
        {"type": "fact", "content": "Tide tables are in UTC.", "line": 4, "quote": "I will read it in UTC"},
        {"type": "helpful", "id": "b-00000000-000000", "line": 4, "quote": "I will read it in UTC"},
    ]});
    let again = json!({"deltas": [add(7, "always run the tests", "run all tests before each commit")]});
    scripted(&sandbox, "", &[json!({"answer": diary}), json!({"answer": deltas}), json!({"answer": again})]);
    insta::assert_snapshot!(sandbox.cm(&["reflect"]).snapshot(), @"
    aaaaaaaa  claude-code  success  The test of the tide table fails, please mend it.
        diary       diary/the-test-of-the-tide-table-fails-please-mend-it-0f641d.md
        add         Run all tests before each commit.  line 7
        fact        Tide tables are in UTC (unverified)
    changed: 1 session, with scripted/script, 1 diary, 4 proposed, 2 applied, 2 refused
    1 to accept or reject: `cm review`
    [exit 0]
    ");
    let bullets = sandbox.cm(&["playbook", "list", "--state", "all", "--json"]).ok().json();
    let note = sandbox.read(bullets["bullets"][0]["path"].as_str().unwrap());
    assert!(note.contains(ONE) && note.contains("line: 7") && !note.contains("forged"), "{note}");
    let facts: Vec<String> =
        hashes(&sandbox.vault()).into_keys().filter(|path| path.contains("facts/")).collect();
    let fact = sandbox.read(&facts[0]);
    assert!(fact.contains(&format!("session: {ONE}")) && fact.contains("agent: claude-code"), "{fact}");
    assert_eq!(sandbox.read_private("models.jsonl").lines().count(), 3, "a line a call");
}

#[test]
fn a_session_that_was_read_by_rules_alone_is_open_to_a_model_once() {
    let sandbox = vault_of("");
    good(&sandbox, ONE, 8, RULE);
    let by_rules = sandbox.cm(&["reflect", "--json"]).ok().json();
    assert_eq!((&by_rules["sessions"], outcome(&by_rules)), (&json!(1), "changed"));
    assert_eq!(outcome(&sandbox.cm(&["reflect", "--json"]).json()), "nothing_to_do", "rules read it once");
    assert!(sandbox.cm(&["reflect", "--emit"]).ok().stdout.contains(ONE), "an agent may answer as a model");
    let fact = json!({"type": "fact", "content": "Tide tables are in UTC.", "line": 4, "quote": "I will read it in UTC"});
    scripted(&sandbox, "", &[json!({"again": true, "answer": {"status": "success", "deltas": [fact]}})]);
    assert_eq!(outcome(&sandbox.cm(&["reflect", "--no-model", "--json"]).json()), "nothing_to_do");
    let by_model = sandbox.cm(&["reflect", "--json"]).ok().json();
    assert_eq!((&by_model["sessions"], outcome(&by_model)), (&json!(1), "changed"), "{by_model}");
    assert!(by_model.to_string().contains("Tide tables are in UTC"), "{by_model}");
    assert_eq!(outcome(&sandbox.cm(&["reflect", "--json"]).json()), "nothing_to_do", "a model reads it once");
    let bullets = sandbox.cm(&["playbook", "list", "--state", "all", "--json"]).ok().json();
    assert_eq!(bullets["bullets"].as_array().unwrap().len(), 1, "the rule is not proposed again: {bullets}");
}

#[test]
fn a_model_that_is_used_for_the_first_time_reads_once_what_an_agent_has_read() {
    let sandbox = two();
    for session in [ONE, TWO] {
        sandbox.write("answer.json", json!({"reflects": session, "deltas": []}).to_string());
        sandbox.cm(&["curate", "answer.json"]).ok();
    }
    assert_eq!(outcome(&sandbox.cm(&["reflect", "--json"]).json()), "nothing_to_do", "an agent is no worse");
    scripted(&sandbox, "", &[any()]);
    // The sessions are older than the days that are read by default.
    let reflect = |more: &[&str]| {
        let arguments = [&["reflect", "--json"], more].concat();
        let ran = sandbox.run(&arguments).env("CM_NOW", "2027-02-01T12:00:00Z").go().json();
        ran["sessions"].clone()
    };
    assert_eq!(reflect(&["--days", "7"]), json!(0), "the person said which days");
    assert_eq!(reflect(&["--max-sessions", "1"]), json!(1));
    assert_eq!(reflect(&[]), json!(1), "the other one");
    assert_eq!(reflect(&[]), json!(0), "once");
    sandbox.write("answer.json", json!({"reflects": ONE, "deltas": []}).to_string());
    sandbox.cm(&["curate", "answer.json"]).ok();
    assert_eq!(reflect(&[]), json!(0), "what an agent reads from then on is read");
}

#[test]
fn again_opens_every_session_and_proposes_nothing_twice() {
    let sandbox = vault_of("");
    good(&sandbox, ONE, 8, RULE);
    sandbox.cm(&["reflect"]).ok();
    let fact = json!({"type": "fact", "content": "Tide tables are in UTC.", "line": 4, "quote": "I will read it in UTC"});
    let answer = json!({"reflects": ONE, "deltas": [fact]});
    sandbox.write("answer.json", answer.to_string());
    sandbox.cm(&["curate", "answer.json"]).ok();
    let refused = sandbox.cm(&["reflect", "--emit"]);
    assert!(refused.stderr.contains("--again"), "an agent has read it: {}", refused.stderr);
    let named = sandbox.cm(&["reflect", "--emit", "aaaaaaaa"]).ok().stdout;
    assert!(named.contains(ONE), "a session that is named is handed out in any case: {named}");
    assert!(sandbox.cm(&["reflect", "--emit", "--again"]).ok().stdout.contains(ONE));
    let before = sandbox.git(&["ls-files", "playbook", "graph"]);
    let ran = sandbox.cm(&["reflect", "--again", "--json"]).json();
    assert_eq!((&ran["sessions"], outcome(&ran)), (&json!(1), "nothing_learned"), "{ran}");
    assert_eq!(sandbox.git(&["ls-files", "playbook", "graph"]), before);
}

#[test]
fn what_a_model_cannot_say_twice_is_done_by_rules_and_told() {
    let sandbox = vault_of("");
    good(&sandbox, ONE, 8, RULE);
    scripted(&sandbox, "", &[json!({"again": true, "answer": "I would rather not."})]);
    let ran = sandbox.cm(&["reflect", "--json"]).ok().json();
    assert_eq!((outcome(&ran), &ran["worked"][0]["made"]), ("changed", &json!("rules_instead")));
    let told = ran["reasons"].to_string();
    assert!(
        told.contains("the diary was extracted by rules")
            && told.contains("the proposals were extracted by rules"),
        "{told}"
    );
    assert!(sandbox.read(ran["worked"][0]["path"].as_str().unwrap()).contains("not usable"));
    assert_eq!(ran["worked"][0]["learned"][0]["what"], "add");
}

#[test]
fn a_run_that_failed_in_part_or_as_a_whole_says_so_and_tries_again() {
    let sandbox = two();
    let silent = |when: &str| json!({"when": when, "again": true, "error": "it is asleep"});
    scripted(&sandbox, "", &[silent("every night at four"), any()]);
    let ran = sandbox.cm(&["reflect", "--json"]);
    assert_eq!((outcome(&ran.json()), ran.code), ("partly_failed", 1), "{}", ran.snapshot());
    assert_eq!(states(&sandbox), ["a processed", "b failed"]);
    let count = commits(&sandbox);
    insta::assert_snapshot!(sandbox.cm(&["reflect"]).snapshot(), @"
    bbbbbbbb  claude-code  unknown  The test of the tide table fails, please mend it.
        failed: the answer script reports an error: it is asleep
    failed: 1 session, with scripted/script, 0 diaries, 0 proposed, 0 applied, 0 refused
      the answer script reports an error: it is asleep
    [exit 7]
    ");
    assert_eq!(commits(&sandbox), count);
    scripted(&sandbox, "", &[any()]);
    let ran = sandbox.cm(&["reflect", "--json"]).ok().json();
    assert_eq!((outcome(&ran), &ran["sessions"]), ("changed", &json!(1)));
}

#[test]
fn a_model_that_does_not_answer_in_time_fails_the_run() {
    let sandbox = two();
    sandbox.settings("[llm]\nprovider = \"cli\"\ncommand = \"sleep 60\"\ntimeout_s = 1.0\n");
    let ran = sandbox.cm(&["reflect", "--json"]);
    assert_eq!((outcome(&ran.json()), ran.code), ("failed", 7), "{}", ran.snapshot());
    assert!(ran.json()["reasons"].to_string().contains("did not answer within 1s"), "{}", ran.stdout);
    sandbox.settings("[llm]\nprovider = \"cli\"\ncommand = \"no-such-program-here\"\n");
    let ran = sandbox.cm(&["reflect", "--json"]).json();
    assert_eq!(
        (&ran["outcome"], &ran["left"]),
        (&json!("failed"), &json!(2)),
        "nobody else would fare better: {ran}"
    );
}

#[test]
fn a_budget_that_is_used_up_ends_the_run_and_keeps_what_was_done() {
    let sandbox = two();
    let spent = json!({"again": true, "answer": {"status": "success", "deltas": []}, "tokens": [20_000, 10]});
    scripted(&sandbox, "[budget]\ndaily_tokens = 50000\n", &[spent]);
    let ran = sandbox.cm(&["reflect", "--json"]);
    let answer = ran.json();
    assert_eq!(
        (outcome(&answer), ran.code, &answer["left"]),
        ("partly_failed", 1, &json!(1)),
        "{}",
        ran.snapshot()
    );
    assert!(answer["reasons"].to_string().contains("budget.daily_tokens"), "{answer}");
    assert_eq!(states(&sandbox), ["a processed", "b new"]);
    let ran = sandbox.cm(&["reflect", "--json"]);
    assert_eq!((outcome(&ran.json()), ran.code), ("failed", 5), "{}", ran.snapshot());
}

#[test]
fn work_is_handed_to_the_agent_that_runs_and_its_answer_is_taken() {
    let sandbox = vault_of("");
    good(&sandbox, ONE, 8, RULE);
    let before = hashes(&sandbox.vault());
    let handed = sandbox.cm(&["reflect", "--emit", "--json"]).ok().json();
    let package = &handed["packages"][0];
    assert_eq!((package["session"].as_str(), hashes(&sandbox.vault())), (Some(ONE), before));
    let prompt = package["prompt"].as_str().unwrap();
    assert!(prompt.contains("always run the tests") && prompt.contains(&format!("\"reflects\": \"{ONE}\"")));
    assert_eq!(sandbox.cm(&["reflect", "--emit"]).ok().stdout.trim_end(), prompt.trim_end());
    let quote = "always run the tests before you commit";
    let answer = json!({"reflects": ONE, "agent": "claude-code", "deltas": [
        {"type": "add", "category": "testing", "content": "Run all tests before each commit.", "line": 7, "quote": quote},
        {"type": "preference", "content": "Wants the tests to be run first.", "line": 7, "quote": quote},
        {"type": "add", "category": "testing", "content": "Eat more cheese.", "line": 7, "quote": "more cheese, please"},
    ]});
    let validator = jsonschema::draft202012::new(&package["schema"]).unwrap();
    assert!(validator.is_valid(&answer), "the answer fits the schema that was handed on");
    sandbox.write("../answer.json", answer.to_string());
    let ran = sandbox.run(&["curate", "../answer.json"]).env("CM_AGENT", "codex").go();
    insta::assert_snapshot!(ran.snapshot(), @"
           add  b-mwqcvpc0-3tcwgh  Run all tests before each commit.
       refused  delta 3 (add)  the session does not contain `more cheese, please`
          note  diary/the-test-of-the-tide-table-fails-please-mend-it-0f641d.md
          note  graph/preferences/wants-the-tests-to-be-run-first-15b295.md
    1 delta applied, 0 skipped, 1 refused  commit [COMMIT]
    [exit 1]
    ");
    assert_eq!(states(&sandbox), ["a processed"]);
    assert_eq!(commits(&sandbox), 2, "diary, rule and memory are one commit");
    assert_eq!(sandbox.cm(&["reflect", "--emit"]).code, 8);
    let count = commits(&sandbox);
    sandbox.cm(&["curate", "../answer.json"]);
    assert_eq!(commits(&sandbox), count, "the same answer a second time changes nothing");
    sandbox.write("../answer.json", json!({"reflects": ONE}).to_string());
    assert_eq!(sandbox.cm(&["curate", "../answer.json"]).code, 2);
    sandbox.write("../answer.json", json!({"reflects": "cccc", "deltas": []}).to_string());
    assert_eq!(sandbox.cm(&["curate", "../answer.json"]).code, 4);
}

/// Returns a playbook of `count` rules, the rules section of the briefing, and the ids.
fn rules(count: usize) -> (String, String, Vec<String>) {
    let (mut files, mut briefing, mut ids) = (String::new(), String::new(), Vec::new());
    for at in 0..count {
        let id = format!("b-mq6d3m{at:02}-x1y2z3");
        let text = format!("Look at the tide table number {at} before harbour {at} is charted.");
        files.push_str(&format!(
            "--- playbook/testing/{id}.md\n---\nid: {id}\ntype: rule\ncategory: testing\nstate: active\n\
             created: 2026-11-12T09:00:00Z\nupdated: 2026-11-12T09:00:00Z\n---\n{text}\n"
        ));
        briefing.push_str(&format!("- [{id}] {text}\n"));
        ids.push(id);
    }
    (files, format!("<!-- cm:begin context -->\n{briefing}<!-- cm:end context -->\n"), ids)
}

#[test]
fn one_session_verdict_never_credits_a_rule_that_the_session_did_not_cite() {
    let (files, briefing, ids) = rules(56);
    let sandbox = vault_of(&files);
    let cited = format!("Following {} I looked at the table before anything else.", ids[7]);
    talk(
        &sandbox,
        ONE,
        8,
        &[
            SessionLine::Ran("cm context tides", &briefing),
            SessionLine::Person(&format!("{briefing}\nThe test of the tide table fails, please mend it.")),
            SessionLine::Ran("cargo test", "Exit code 101\ntest tide ... FAILED"),
            SessionLine::Agent(&cited),
            SessionLine::Ran("cargo test", "test result: ok. 12 passed"),
            SessionLine::Person("Perfect, thanks, that works."),
        ],
    );
    let ran = sandbox.cm(&["reflect", "--json"]).ok().json();
    assert_eq!(ran["worked"][0]["status"], "success", "{ran}");
    let with_feedback: Vec<&String> = ids
        .iter()
        .filter(|id| sandbox.read(&format!("playbook/testing/{id}.md")).contains("feedback:"))
        .collect();
    assert_eq!(with_feedback, [&ids[7]]);
    let credited = sandbox.read(&format!("playbook/testing/{}.md", ids[7]));
    assert!(credited.contains("weight: 0.3") && credited.contains(ONE), "{credited}");
    // Counted once per session and rule, however often the session is processed.
    std::fs::remove_file(sandbox.private("reflected.jsonl")).unwrap();
    sandbox.cm(&["reflect"]);
    assert_eq!(sandbox.read(&format!("playbook/testing/{}.md", ids[7])), credited);
}

#[test]
fn what_follows_of_an_outcome_never_goes_on_top_of_an_explicit_mark() {
    let (files, _, ids) = rules(2);
    let sandbox = vault_of(&files);
    let said = format!("Following {} I looked at the table. [cm: harmful {} wasted_time]", ids[0], ids[1]);
    let cited_too = format!("Following {} I looked again.", ids[1]);
    talk(
        &sandbox,
        ONE,
        8,
        &[
            SessionLine::Person("The test of the tide table fails, please mend it."),
            SessionLine::Ran("cargo test", "Exit code 101\ntest tide ... FAILED"),
            SessionLine::Agent(&said),
            SessionLine::Agent(&cited_too),
            SessionLine::Ran("cargo test", "test result: ok. 12 passed"),
            SessionLine::Person("Perfect, thanks, that works."),
        ],
    );
    sandbox.cm(&["mark", &ids[0], "--harmful", "--session", ONE]).ok();
    sandbox.cm(&["reflect"]).ok();
    let [first, second] = [0, 1].map(|at| sandbox.read(&format!("playbook/testing/{}.md", ids[at])));
    assert!(first.contains("harmful") && !first.contains("helpful"), "{first}");
    assert!(second.contains("harmful") && !second.contains("helpful"), "{second}");
}

#[test]
fn sessions_of_our_own_and_of_sub_agents_are_left_out() {
    let sandbox = vault_of("");
    let ours = format!("<!-- cm:model-call -->\nSum this up. {RULE}");
    talk(&sandbox, ONE, 8, &[SessionLine::Person(&ours), SessionLine::Agent("{\"status\": \"success\"}")]);
    let ran = sandbox.cm(&["reflect", "--json"]);
    assert_eq!((outcome(&ran.json()), ran.code), ("nothing_to_do", 8));
}
