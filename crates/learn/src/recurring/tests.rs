//! Tests of the patterns that are found in traces, from scripts of commands and edits.

use cm_note::instant::Instant;
use cm_playbook::curation::delta::CurationDelta;
use cm_session::status::SessionStatus;
use proptest::prelude::*;

use super::outlived_rules;
use super::pattern::{PatternNote, RecurringPattern};
use super::support::test_traces::script;
use super::trace::SessionTrace;
use crate::outcome::feedback::RuleRef;
use crate::reflect::draft::{DraftChange, ReflectionDraft};

mod remarks;

const REFUSED: &str = "! make itest | Error: connect ECONNREFUSED 127.0.0.1:5433";

fn patterns(traces: &[SessionTrace]) -> Vec<RecurringPattern> {
    super::proposal::patterns(&traces.iter().collect::<Vec<_>>())
}

fn texts(traces: &[SessionTrace]) -> Vec<String> {
    let text = |note: PatternNote| match note {
        PatternNote::Rule { text, .. } => format!("rule: {text}"),
        PatternNote::Fact { text } => format!("fact: {text}"),
        PatternNote::Fix { text } => format!("fix: {text}"),
    };
    patterns(traces).into_iter().map(|one| text(one.note)).collect()
}

fn texts_of(scripts: &[&[&str]]) -> Vec<String> {
    let traces: Vec<SessionTrace> =
        scripts.iter().enumerate().map(|(at, lines)| script(&format!("s{at}"), lines)).collect();
    texts(&traces)
}

#[test]
fn a_command_that_needs_another_one_is_a_fix_once_and_a_rule_twice() {
    let once: &[&str] = &[REFUSED, "$ ls", "$ docker compose up -d db", "$ make itest"];
    assert_eq!(
        texts_of(&[once]),
        [
            "fix: `make itest` failed with \"Error: connect ECONNREFUSED 127.0.0.1:5433\" until `docker compose up -d db` was run"
        ]
    );
    let rule = "rule: Run `docker compose up -d db` before `make itest`: without it, it failed with \"Error: connect ECONNREFUSED 127.0.0.1:5433\"";
    assert_eq!(texts_of(&[once, once]), [rule]);
    let other_error: &[&str] = &[
        REFUSED,
        "$ docker compose up -d db",
        "! make itest | --- FAIL: TestCart",
        "E a.go",
        "$ make itest",
    ];
    assert_eq!(texts_of(&[once, other_error]), [rule]);
}

#[test]
fn errors_that_differ_in_names_only_are_one_if_the_same_command_helped() {
    let failed =
        |column: &str| format!("! mix test | ERROR 42703 (undefined_column) column {column} does not exist");
    let (quality, source) = (failed("g0.quality"), failed("g0.source_id"));
    let migrated = "$ MIX_ENV=test mix ecto.migrate";
    let one: &[&str] = &[&quality, migrated, "$ mix test"];
    let other: &[&str] = &[&source, migrated, "$ mix test"];
    assert_eq!(
        texts_of(&[one, other]),
        [
            "rule: Run `MIX_ENV=test mix ecto.migrate` before `mix test`: without it, it failed with \"ERROR 42703 (undefined_column) column g0.quality does not exist\""
        ]
    );
    let elsewhere: &[&str] = &[&source, "$ make seed", "$ mix test"];
    assert_eq!(texts_of(&[one, elsewhere]).len(), 2);
}

#[test]
fn another_value_of_an_option_is_a_fix_if_the_error_names_the_old_one() {
    let scheme =
        ["! xcodebuild test -scheme App | error: no scheme named App", "$ xcodebuild test -scheme Tides"];
    assert_eq!(
        texts_of(&[&scheme]),
        [
            "fix: `xcodebuild test -scheme App` failed with \"error: no scheme named App\"; `xcodebuild test -scheme Tides` worked instead"
        ]
    );
    let region =
        ["! aws s3 ls --region us-east-1 | Error: us-east-1 is disabled", "$ aws s3 ls --region eu-west-3"];
    assert_eq!(texts_of(&[&region]).len(), 1);
    let unrelated =
        ["! xcodebuild test -scheme App | error: linker command failed", "$ xcodebuild test -scheme Tides"];
    let other_test =
        ["! cargo test --test web | error: no test target named `web`", "$ cargo test --test http"];
    for lines in [&unrelated, &other_test] {
        assert_eq!(texts_of(&[lines]), Vec::<String>::new(), "{lines:?}");
    }
}

#[test]
fn an_edit_a_retry_or_a_file_change_in_between_is_no_prerequisite() {
    for lines in [
        [REFUSED, "$ make up", "E a.go", "$ make itest"],
        [REFUSED, "$ make up", "$ git checkout a.go", "$ make itest"],
        [REFUSED, "$ go test ./a", "$ ls", "$ make itest"],
        [REFUSED, "$ git commit -m 'a b'", "$ ls", "$ make itest"],
    ] {
        let found = texts_of(&[&lines, &lines]);
        assert!(found.iter().all(|text| !text.contains("before `make itest`")), "{lines:?}: {found:?}");
    }
    let chance: &[&str] = &[REFUSED, "$ make itest"];
    let once: &[&str] = &[REFUSED, "$ make up", "$ make itest"];
    assert_eq!(texts_of(&[once, once, chance, chance]), Vec::<String>::new());
}

#[test]
fn another_task_of_the_same_program_can_be_a_prerequisite_and_a_part_of_the_command_cannot() {
    for (command, before, expected) in [
        ("npx playwright test", "npx playwright install", 1),
        ("python manage.py test", "python manage.py migrate", 1),
        ("make itest", "make up", 1),
        ("docker compose up", "docker compose up -d db", 0),
        ("cargo build", "cargo build -p a", 0),
        ("npm run e2e", "npx vitest run", 0),
    ] {
        let failed = format!("! {command} | Error: the thing is missing");
        let lines = [failed.as_str(), &format!("$ {before}"), &format!("$ {command}")];
        assert_eq!(texts_of(&[&lines]).len(), expected, "{command}");
    }
}

#[test]
fn a_commit_that_a_check_stops_needs_what_made_it_pass() {
    let lines: &[&str] = &[
        "E a.go",
        "! git commit -m 'a b' | error: gofmt: 2 files are not formatted",
        "$ make fmt",
        "$ git add -A",
        "$ git commit -m 'a b'",
    ];
    let found = texts_of(&[lines, lines]);
    assert_eq!(
        found[0],
        "rule: Run `make fmt` before `git commit`: without it, it failed with \"error: gofmt: 2 files are not formatted\""
    );
}

#[test]
fn dangerous_and_one_off_commands_are_not_learned() {
    for command in
        ["rm -rf data", "terraform destroy -auto-approve", "scripts/load.sh 2026-10-01", "make seed X='a b'"]
    {
        let line = format!("$ {command}");
        let lines: &[&str] = &[REFUSED, &line, "$ make itest"];
        assert_eq!(texts_of(&[lines, lines]), Vec::<String>::new(), "{command}");
    }
}

#[test]
fn a_command_of_the_same_purpose_replaces_one_that_cannot_run() {
    let lines: &[&str] = &["! npm test | npm ERR! Missing script: \"test\"", "$ pnpm test:unit"];
    assert_eq!(
        texts_of(&[lines]),
        ["fix: `npm test` failed with \"npm ERR! Missing script: 'test'\"; `pnpm test:unit` worked instead"]
    );
    assert_eq!(
        texts_of(&[lines, lines]),
        ["rule: Use `pnpm test:unit`, not `npm test`, which failed with \"npm ERR! Missing script: 'test'\""]
    );
    let flag: &[&str] = &[
        "! west build -b v3 app | FATAL ERROR: the folder targets another board",
        "$ west build -p always -b v3 app",
    ];
    assert!(texts_of(&[flag])[0].ends_with("`west build -p always -b v3 app` worked instead"));
    assert!(texts_of(&[flag, flag])[0].starts_with("rule: Use `west build -p always -b v3 app`"));
    let script: &[&str] = &[
        "! npm install react | npm ERR! could not resolve, retry with --legacy-peer-deps",
        "$ npm install react --legacy-peer-deps",
    ];
    assert!(texts_of(&[script])[0].ends_with("`npm install react --legacy-peer-deps` worked instead"));
    let unlike: &[&str] =
        &["! pytest tests | ERROR: no tests were collected here", "$ west twister -T tests"];
    assert_eq!(texts_of(&[unlike]), Vec::<String>::new());
    assert!(
        texts_of(&[unlike, unlike])[0].starts_with("rule: Use `west twister -T tests`, not `pytest tests`")
    );
    let works: &[&str] = &["$ npm test"];
    assert_eq!(texts_of(&[lines, lines, works, works]), Vec::<String>::new());
    let env: &[&str] = &["! pnpm deploy | Error: AWS_PROFILE is not set", "$ AWS_PROFILE=shop pnpm deploy"];
    assert_eq!(
        texts_of(&[env, env]),
        [
            "rule: Run `AWS_PROFILE=shop pnpm deploy`, not plain `pnpm deploy`, which failed with \"Error: AWS_PROFILE is not set\""
        ]
    );
    let renamed: &[&str] = &["! python a.py | bash: python: command not found", "$ python3 a.py"];
    assert_eq!(texts_of(&[renamed]).len(), 1);
    for other in [
        ["! cargo test | test result: FAILED. 1 failed", "$ cargo check"],
        ["! cargo test | test result: FAILED. 1 failed", "$ cargo test -p a"],
        ["! pytest | Error: no such option", "$ pytest tests/a.py"],
        ["! make deploy | Error: token expired", "$ make login"],
    ] {
        assert_eq!(texts_of(&[&other, &other]), Vec::<String>::new(), "{other:?}");
    }
}

#[test]
fn an_error_that_comes_back_is_learned_with_what_ended_it() {
    let one: &[&str] = &[REFUSED, "$ make up", "$ make itest"];
    let two: &[&str] =
        &["! make migrate | Error: connect ECONNREFUSED 127.0.0.1:5433", "$ make up", "$ make migrate"];
    let found = texts_of(&[one, two]);
    assert!(found.iter().any(|text| text.starts_with("rule: When a command fails with") && text.contains("run `make up`")), "{found:?}");
    let edit: &[&str] = &["! make gen | Error: unknown plugin foo in line 3", "E buf.gen.yaml", "$ make gen"];
    let found = texts_of(&[edit, edit]);
    assert!(found[0].contains("look at `buf.gen.yaml` first"), "{found:?}");
    assert_eq!(
        texts_of(&[edit]),
        [
            "fix: `make gen` failed with \"Error: unknown plugin foo in line 3\" until `b` was added to `buf.gen.yaml`"
        ]
    );
    let refused = "! make migrate | StandardError: this migration was canceled:\n=== Dangerous\nThe index blocks writes.";
    let first: &[&str] = &[refused, "E db/1.rb | disable_ddl_transaction! / index :a", "$ make migrate"];
    let second: &[&str] = &[refused, "E db/2.rb | disable_ddl_transaction! / index :b", "$ make migrate"];
    assert_eq!(
        texts_of(&[first, second]),
        [
            "rule: When `make migrate` fails with \"StandardError: this migration was canceled: The index blocks writes.\", add `disable_ddl_transaction!`: that ended the error each time"
        ]
    );
    let bug: &[&str] = &["! make test | --- FAIL: TestCart: expected 3 to be 2", "E cart.go", "$ make test"];
    assert_eq!(texts_of(&[bug]), Vec::<String>::new(), "a mistake in the code is fixed once");
}

#[test]
fn what_runs_before_nearly_every_commit_is_a_routine() {
    let with: &[&str] = &["E a.go", "$ make fmt", "$ git commit -m 'a b'"];
    let without: &[&str] = &["E a.go", "$ git commit -m 'a b'"];
    assert_eq!(
        texts_of(&[with, with, with]),
        [
            "rule: Run `make fmt` before each commit: nearly every successful session here does",
            "fact: The linter of this project runs with `make fmt`"
        ][..1]
    );
    assert_eq!(texts_of(&[with, with]), Vec::<String>::new());
    assert!(!texts_of(&[with, with, with, without]).iter().any(|text| text.contains("commit")));
}

#[test]
fn only_successful_sessions_make_a_routine() {
    let with: &[&str] = &["E a.go", "$ make fmt", "$ git commit -m 'a b'"];
    let failed = |name: &str| SessionTrace { status: SessionStatus::Failure, ..script(name, with) };
    assert_eq!(texts(&[script("a", with), script("b", with), failed("c")]), Vec::<String>::new());
    let all = [script("a", with), script("b", with), script("c", with), failed("d")];
    assert_eq!(
        texts(&all),
        ["rule: Run `make fmt` before each commit: nearly every successful session here does"]
    );
}

#[test]
fn what_nearly_every_successful_session_runs_is_a_routine() {
    let with: &[&str] = &["$ make deps", "E a.go"];
    let without: &[&str] = &["$ make other", "E a.go"];
    assert_eq!(
        texts_of(&[with, with, with]),
        ["rule: Run `make deps` in each session: nearly every successful session here does"]
    );
    assert_eq!(texts_of(&[with, with]), Vec::<String>::new());
    assert_eq!(texts_of(&[with, with, with, without, without]), Vec::<String>::new());
}

#[test]
fn the_check_that_most_sessions_use_is_a_fact() {
    let full: &[&str] = &["E a.go", "$ make test"];
    let single: &[&str] = &["E a.go", "$ go test ./a"];
    assert_eq!(
        texts_of(&[full, full, full, single]),
        ["fact: The tests of this project run with `make test`"]
    );
    assert_eq!(texts_of(&[full, full]), Vec::<String>::new());
}

#[test]
fn files_that_change_together_are_a_fact() {
    let both: &[&str] = &["E api/schema.proto", "E web/client.ts"];
    let other: &[&str] = &["E README.md"];
    let found = texts_of(&[both, both, both, other, other, other]);
    assert_eq!(found, ["fact: Changes of `api/schema.proto` come with changes of `web/client.ts`"]);
    assert_eq!(
        texts_of(&[both, both, both]),
        Vec::<String>::new(),
        "a file that always changes goes with everything"
    );
}

#[test]
fn a_fork_and_a_second_copy_of_a_session_count_once() {
    let lines = [REFUSED, "$ make up", "$ make itest"];
    let one = script("a", &lines);
    let fork = SessionTrace { conversation: one.conversation, ..script("b", &lines) };
    let found = texts(&[one.clone(), fork, one]);
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("fix: "), "{found:?}");
}

#[test]
fn a_proposal_quotes_and_dates_its_sessions_and_names_its_own_first() {
    let lines = [REFUSED, "$ make up", "$ make itest"];
    let traces = [script("a", &lines), script("b", &lines)];
    let proposed = super::proposals(&[&traces[0], &traces[1]], &traces[1]);
    assert_eq!(proposed.len(), 1);
    assert_eq!((proposed[0].counts.successes, proposed[0].counts.failures), (2, 0));
    assert_eq!(proposed[0].draft.origins[0].session, "b");
    let evidence = &proposed[0].counts.quotes;
    assert_eq!(evidence.len(), 2);
    let DraftChange::Delta(CurationDelta::Add(add)) = &proposed[0].draft.what else { panic!("{proposed:?}") };
    assert_eq!(add.session.as_deref(), Some("b"));
    assert_eq!(
        add.bullet.evidence[0],
        "the log of a line 1 on 1970-01-01: `make itest` failed with \"Error: connect ECONNREFUSED 127.0.0.1:5433\", `make up` ran, then `make itest` passed"
    );
}

fn any_line() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        REFUSED,
        "! make itest | --- FAIL: TestCart",
        "$ make itest",
        "$ make up",
        "$ docker compose up -d db",
        "! npm test | npm ERR! Missing script: \"test\"",
        "$ pnpm test:unit",
        "$ A=1 make itest",
        "E api/a.go",
        "E web/b.ts",
        "$ git commit -m 'a b'",
        "$ rm x",
        "$ make fmt",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn the_order_of_sessions_and_a_session_twice_change_nothing(
        scripts in prop::collection::vec(prop::collection::vec(any_line(), 0..10), 1..6)
    ) {
        let traces: Vec<SessionTrace> =
            scripts.iter().enumerate().map(|(at, lines)| script(&format!("s{at}"), lines)).collect();
        let found = patterns(&traces);
        let mut shuffled: Vec<SessionTrace> = traces.iter().rev().cloned().collect();
        shuffled.extend(traces.iter().take(1).cloned());
        prop_assert_eq!(&patterns(&shuffled), &found);
        for pattern in &found {
            prop_assert!(pattern.support.count() <= traces.len() && pattern.support.count() >= 1);
        }
    }
}

/// The trace of a session on this day, with its lines in the form of [`script`].
fn on_day(day: i64, session: &str, lines: &[&str]) -> SessionTrace {
    let mut trace = script(session, lines);
    trace.ended = Some(Instant::from_unix(day * 86_400));
    trace.steps.iter_mut().for_each(|step| step.at = None);
    trace
}

#[test]
fn a_rule_about_an_option_ends_when_two_later_sessions_do_without_it() {
    let fail: &[&str] = &[
        "! dbt build -s orders | Error: Could not find profile named 'shop'",
        "$ dbt build -s orders --profiles-dir .",
    ];
    let with: &[&str] = &["$ dbt parse --profiles-dir ."];
    let days: Vec<SessionTrace> = [
        (1, "a", fail),
        (2, "b", with),
        (3, "c", &["$ dbt test"]),
        (4, "d", &["$ dbt seed"]),
        (5, "e", with),
    ]
    .into_iter()
    .map(|(day, session, lines)| on_day(day, session, lines))
    .collect();
    let content = "Add `--profiles-dir .` to `dbt`: without it, it failed with \"Error\".";
    let rules = [
        RuleRef { id: "b-1", content: "Add `--profiles-dir .` to `dbtx`: without it, it failed." },
        RuleRef { id: "b-2", content },
    ];
    let ended = |until: usize, own: usize| {
        let traces: Vec<&SessionTrace> = days[..until].iter().collect();
        outlived_rules(&traces, &days[own], &rules)
    };
    let found = ended(4, 3);
    let [ReflectionDraft { what: DraftChange::Delta(CurationDelta::Deprecate(deprecate)), .. }] = &found[..]
    else {
        panic!("{found:?}")
    };
    assert_eq!(deprecate.id, "b-2");
    let reason = deprecate.reason.as_deref().unwrap();
    assert!(reason.contains("`dbt test` passed without `--profiles-dir .`"), "{reason}");
    assert!(ended(3, 2).is_empty(), "one session is not enough");
    assert!(ended(4, 1).is_empty(), "a session with the option ends nothing");
    assert!(ended(5, 3).is_empty(), "it is in use again");
}

#[test]
fn an_option_that_later_sessions_use_from_the_start_is_needed() {
    let first: &[&str] = &[
        "! dbt build -s orders | Error: Could not find profile named 'shop'",
        "$ dbt build -s orders --profiles-dir .",
    ];
    assert_eq!(
        texts_of(&[first]),
        [
            "fix: `dbt build -s orders` failed with \"Error: Could not find profile named 'shop'\"; `dbt build -s orders --profiles-dir .` worked instead"
        ]
    );
    let rule = "rule: Add `--profiles-dir .` to `dbt`: without it, it failed with \"Error: Could not find profile named 'shop'\"";
    let another: &[&str] =
        &["! dbt run | Error: Could not find profile named 'shop'", "$ dbt run --profiles-dir ."];
    assert_eq!(texts_of(&[first, another]), [rule]);
    assert_eq!(texts_of(&[first, &["$ dbt parse --profiles-dir ."]]), [rule]);
    let works_without =
        texts_of(&[first, &["$ dbt parse --profiles-dir ."], &["$ dbt test"], &["$ dbt seed"]]);
    assert!(works_without.len() == 1 && works_without[0].starts_with("fix: "), "{works_without:?}");
    let java: &[&str] = &[
        "! ./gradlew :db:test | Unsupported class file major version 67",
        "$ JAVA_HOME=$(/usr/libexec/java_home -v 17) ./gradlew :db:test",
    ];
    let later: &[&str] = &["$ JAVA_HOME=$(/usr/libexec/java_home -v 17) ./gradlew :app:lint"];
    assert_eq!(
        texts_of(&[java, later]),
        [
            "rule: Set `JAVA_HOME=$(/usr/libexec/java_home -v 17)` for `./gradlew`: without it, it failed with \"Unsupported class file major version 67\""
        ]
    );
    let ruby: &[&str] = &[
        "! bundle exec rspec | Your Ruby version is 2.6.10, but your Gemfile specified 3.4.2",
        "$ mise exec -- bundle exec rspec",
    ];
    assert_eq!(
        texts_of(&[ruby, &["$ mise exec -- bundle exec rubocop app"]]),
        [
            "rule: Put `mise exec --` before `bundle exec`: without it, it failed with \"Your Ruby version is 2.6.10, but your Gemfile specified 3.4.2\""
        ]
    );
    let module: &[&str] = &[
        "! Rscript scripts/a.R | bash: Rscript: command not found",
        "$ module load R/4.4.2 && Rscript scripts/a.R",
    ];
    let rule = texts_of(&[module, &["$ module load R/4.4.2 && Rscript scripts/b.R"]]).remove(0);
    assert!(rule.starts_with("rule: Put `module load R/4.4.2 &&` before `Rscript`: without it"), "{rule}");
    let alone: &[&str] = &["! npm ci | Error: unsupported engine", "$ nvm use 20", "$ npm ci"];
    assert!(texts_of(&[alone])[0].ends_with("until `nvm use 20` was run"));
    let secret: &[&str] = &["! make x | Error: KEY is not set", "$ KEY=$(cat /home/mara/.key) make x"];
    assert_eq!(texts_of(&[secret]), Vec::<String>::new(), "a path of one machine");
    let narrower: &[&str] = &["! tool check | Error: the index is missing", "$ tool check --skip-index"];
    assert_eq!(texts_of(&[narrower]), Vec::<String>::new(), "with less to do it passes");
}

#[test]
fn a_date_is_no_part_of_a_command_and_a_start_that_failed_is_no_verdict() {
    let dated: &[&str] = &[
        "! airflow tasks run daily 2026-05-21 | OperationalError: no such table: dag",
        "$ airflow db migrate",
        "$ airflow tasks run daily 2026-05-21",
    ];
    assert_eq!(
        texts_of(&[dated]),
        [
            "fix: `airflow tasks run daily DATE` failed with \"OperationalError: no such table: dag\" until `airflow db migrate` was run"
        ]
    );
    let start: &[&str] = &[
        "! ./gradlew deviceTest | Failed to start emulator: HVF error: another hypervisor is running",
        "$ docker desktop stop",
        "$ ./gradlew deviceTest",
    ];
    assert!(texts_of(&[start])[0].ends_with("until `docker desktop stop` was run"));
}

#[test]
fn a_setting_that_is_exported_before_the_command_is_one_of_the_command() {
    let built: &[&str] = &[
        "! pnpm android --variant release | SDK location not found",
        "$ export ANDROID_HOME=$HOME/Android/Sdk && pnpm android --variant release",
    ];
    let found = texts_of(&[built, built]);
    assert!(found.iter().any(|text| text.contains("ANDROID_HOME")), "{found:?}");
}
