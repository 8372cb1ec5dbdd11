//! Tests of explanations: what agents say about errors, causes and hints.

use super::{patterns, texts, texts_of};
use crate::recurring::support::test_traces::script;

#[test]
fn an_explanation_that_a_check_confirms_is_a_fix() {
    let cause = "A Found it. The worker was skipped because it is not registered in jobs.go yet.";
    let confirmed: &[&str] =
        &["! make test | --- FAIL: TestJobs: no job ran", "E jobs.go", "$ make test", cause];
    let fix = "fix: The worker was skipped because it is not registered in jobs.go yet";
    assert_eq!(texts_of(&[confirmed]), [fix]);
    let before: &[&str] =
        &["! make test | --- FAIL: TestJobs: no job ran", cause, "E jobs.go", "$ make test"];
    assert_eq!(texts_of(&[before]), [fix]);
    let disproved: &[&str] = &[
        "! make test | --- FAIL: TestJobs: no job ran",
        cause,
        "E jobs.go",
        "! make test | --- FAIL: TestJobs: no job ran",
        "E other.go",
        "$ make test",
    ];
    let nothing_changed: &[&str] = &["! make test | --- FAIL: TestJobs: no job ran", cause, "$ make test"];
    for other in [disproved, nothing_changed, &["$ make test", cause]] {
        assert_eq!(texts_of(&[other]), Vec::<String>::new(), "{other:?}");
    }
}

#[test]
fn another_form_of_a_command_is_a_fix_where_the_agent_names_what_the_failed_one_lacks() {
    for (failed, used, said, expected) in [
        (
            "probe-rs run fw | Error: JtagNoDeviceConnected",
            "probe-rs run --connect-under-reset fw",
            "Mit `--connect-under-reset` geht es: die Firmware belegt die SWD-Pins.",
            "fix: `probe-rs run fw` failed with \"Error: JtagNoDeviceConnected\"; `probe-rs run --connect-under-reset fw` worked instead: Mit `--connect-under-reset` geht es: die Firmware belegt die SWD-Pins",
        ),
        (
            "ssh bench uptime | ada@bench: Permission denied (publickey).",
            "ssh rig@bench uptime",
            "The test bench lets `rig@bench` in.",
            "fix: `ssh bench uptime` failed with \"ada@bench: Permission denied (publickey).\"; `ssh rig@bench uptime` worked instead: The test bench lets `rig@bench` in",
        ),
        (
            "cmake -B out && cmake --build out | CMake Error: use a preset",
            "cmake --preset arm -S .",
            "With the preset `arm` it builds without errors.",
            "fix: `cmake` failed with \"CMake Error: use a preset\": With the preset `arm` it builds without errors",
        ),
        (
            "DB=pg://127.0.0.1:5432/a make migrate | Error: connection refused",
            "DB=pg://127.0.0.1:5442/a make migrate",
            "Postgres is published on port 5442 here, not on 5432.",
            "fix: `make migrate` failed with \"Error: connection refused\": Postgres is published on port 5442 here, not on 5432",
        ),
    ] {
        let lines = [&format!("! {failed}"), &format!("$ {used}"), &format!("A {said}")];
        let lines: Vec<&str> = lines.into_iter().map(String::as_str).collect();
        assert_eq!(texts_of(&[&lines]), [expected], "{failed}");
        // Without a word about it, or after an edit, it may be chance.
        let silent = [lines[0], lines[1], "A That works now."];
        assert!(texts_of(&[&silent]).iter().all(|text| !text.contains("worked instead: ")), "{failed}");
        let edited = [lines[0], "E a.rs", lines[1], lines[2]];
        assert!(
            texts_of(&[&edited]).iter().all(|text| !text.contains(said.trim_end_matches('.'))),
            "{failed}"
        );
    }
}

#[test]
fn what_a_person_agrees_to_needs_no_further_confirmation() {
    let lines = |answer: &str| -> bool {
        let explained = "A The test bench only lets `rig@bench` in.";
        let answer = format!("U {answer}");
        let lines = [
            "! ssh bench uptime | Permission denied (publickey).",
            "$ ssh rig@bench uptime",
            explained,
            &answer,
        ];
        let found = patterns(&[script("s", &lines)]);
        assert_eq!(found.len(), 1, "{found:?}");
        found[0].support.is_acknowledged()
    };
    for answer in [
        "ah yes, of course",
        "Genau, user ist rig",
        "aha. gut dass du drauf kommst",
        "exact, j'avais oublié",
        "good catch",
    ] {
        assert!(lines(answer), "{answer}");
    }
    for answer in
        ["thanks", "now the readme", "no, not that one", "right, but only on mondays", "Why is that?", "ok"]
    {
        assert!(!lines(answer), "{answer}");
    }
}

#[test]
fn an_answer_confirms_the_remark_that_it_answers_and_no_other_one() {
    let run: [&str; 2] = ["! ssh bench uptime | Permission denied (publickey).", "$ ssh rig@bench uptime"];
    let lines = |first: &'static str, second: &'static str, answers: [&'static str; 2]| {
        let [one, other] = answers;
        let session = [run[0], run[1], first, one, run[0], run[1], second, other];
        let found = patterns(&[script("s", &session)]);
        assert_eq!(found.len(), 1, "{found:?}");
        (texts(&[script("s", &session)]).remove(0), found[0].support.is_acknowledged())
    };
    let (wrong, right) = ("A The user `rig` may do anything.", "A The bench lets `rig@bench` in.");
    for (first, second, answers) in
        [(wrong, right, ["U now the readme", "U genau"]), (right, wrong, ["U genau", "U now the readme"])]
    {
        let (text, is_acknowledged) = lines(first, second, answers);
        assert!(is_acknowledged && text.ends_with("worked instead: The bench lets `rig@bench` in"), "{text}");
    }
}

#[test]
fn how_an_error_ended_is_a_fix_where_the_person_says_that_it_was_found_out() {
    let fixes = |said: &str, answer: &str| {
        let answer = format!("U {answer}");
        let lines = [
            "! make jobs | panic: worker for kind \"mail\" not registered",
            said,
            "E jobs/register.go",
            "$ make jobs",
            "A The retry is a job now.",
            &answer,
        ];
        texts_of(&[&lines]).into_iter().filter(|text| text.contains("The retry")).collect::<Vec<_>>()
    };
    let said = "A A worker must be added in jobs/register.go as well. I add it.";
    let fix = "fix: A worker must be added in jobs/register.go as well. The retry is a job now";
    assert_eq!(fixes(said, "ah, that's it. ship it"), [fix]);
    assert_eq!(fixes(said, "nice catch"), [fix]);
    for answer in ["ok, now the readme", "thanks", "good, next one"] {
        assert_eq!(fixes(said, answer), Vec::<String>::new(), "{answer}");
    }
    assert_eq!(
        fixes("A I add the worker to the list, it must be there.", "nice catch"),
        Vec::<String>::new()
    );
}

#[test]
fn a_cause_that_an_agent_names_after_a_wrong_guess_is_a_fix() {
    let found = "A So there was no variable: the cause was that the worker does not reload code. After a change it has to be restarted.";
    let fix = "fix: So there was no variable: the cause was that the worker does not reload code. After a change it has to be restarted";
    let guess = "A The limit had nothing to do with it, the value is still the old one.";
    assert_eq!(texts_of(&[&["$ make up", guess, "$ docker compose restart worker", found]]), [fix]);
    let none = Vec::<String>::new();
    assert_eq!(texts_of(&[&["$ make up", "$ docker compose restart worker", found]]), none);
    assert_eq!(texts_of(&[&["$ make up", guess, found]]), none, "nothing was tried since");
    let unsure = "A It was probably the worker that does not reload code, I think.";
    assert_eq!(texts_of(&[&["$ make up", guess, "$ docker compose restart worker", unsure]]), none);
}

#[test]
fn an_explanation_is_a_fix_where_the_person_confirms_or_accepts_what_came_of_it() {
    let explained = "A It is not the cache. The index is localised as Oslo time although the reads are in UTC, so all values after the clock change move by an hour.";
    let of_answer =
        |answer: &'static str| texts_of(&[&[explained, "E src/prep.py", "A The forecast fits now.", answer]]);
    let is_confirmed = |last: &str| {
        let cause = "A Uploads fail because the server of the vendor only accepts requests of version 2.1.";
        let found = patterns(&[script("s", &[cause, "E src/up.ts", last, "U nice catch"])]);
        assert_eq!(found.len(), 1, "{found:?}");
        found[0].support.is_acknowledged()
    };
    assert!(!is_confirmed("A The typo in the changelog is gone, too."), "the answer may be about the typo");
    assert!(is_confirmed(
        "A The old client sent requests of version 1, and uploads failed because the server of the vendor rejects these."
    ));
    let fix = "fix: The index is localised as Oslo time although the reads are in UTC, so all values after the clock change move by an hour";
    assert_eq!(of_answer("U good catch. add a test for october too"), [fix]);
    assert_eq!(of_answer("U and now the colours"), Vec::<String>::new());
    assert_eq!(
        of_answer("U thanks"),
        Vec::<String>::new(),
        "thanks confirm no text that is not plainly an explanation"
    );
    let cause =
        "A The list jumps because `items` has no key, so that Compose identifies rows by their position.";
    for answer in ["U yes! finally", "U do it", "U sii!! buenísimo, llevaba semanas así"] {
        let found = texts_of(&[&[cause, answer]]);
        assert_eq!(found.len(), 1, "{answer}: {found:?}");
    }
    for answer in ["U why?", "U no, that's wrong", "U great, but are you sure?"] {
        assert_eq!(texts_of(&[&[cause, answer]]), Vec::<String>::new(), "{answer}");
    }
}

#[test]
fn what_an_agent_says_after_a_hint_is_a_fact() {
    let hinted = |hint: &'static str, said: &'static str| {
        texts_of(&[&["E src/report.qmd", "A The report is there.", hint, said, "U yes"]])
    };
    assert_eq!(
        hinted(
            "U look at its neighbours next time",
            "A I see: reports sit in `reports/`, and their name begins with the year."
        ),
        ["fact: Reports sit in `reports/`, and their name begins with the year"]
    );
    assert_eq!(
        hinted(
            "U have you seen drivers/sensor/ds18 at all",
            "A That one is a proper driver with a binding, and the application uses its interface. I do the same."
        ),
        [
            "fact: drivers/sensor/ds18: That one is a proper driver with a binding, and the application uses its interface"
        ]
    );
    assert_eq!(
        hinted(
            "U mira dags/vigo.py",
            "A Vigo parses in a pod of its own and not in the Airflow worker. I do it the same way."
        ),
        ["fact: Vigo parses in a pod of its own and not in the Airflow worker"]
    );
    assert_eq!(
        hinted(
            "U 200 branches? where do the port names come from",
            "A From a seed, dbt/seeds/ports.csv. I put the species into a seed as well."
        ),
        ["fact: Where do the port names come from? From a seed, dbt/seeds/ports.csv"]
    );
    for (hint, said, fact) in [
        (
            "U Te he tocado una línea, a ver si ves cuál. Las demás pantallas van todas igual.",
            "A La petición: las pantallas no usan axios directamente sino el composable useApi. Lo tengo en cuenta.",
            "fact: La petición: las pantallas no usan axios directamente sino el composable useApi",
        ),
        (
            "U El test que has dejado, lo he reescrito yo mientras comía.",
            "A Ya veo, está en Pest con `it()` y `expect()` en lugar de una clase de PHPUnit.",
            "fact: Está en Pest con `it()` y `expect()` en lugar de una clase de PHPUnit",
        ),
        (
            "U Ich habe deinen Test umgeschrieben.",
            "A Tests stehen neben dem Modul, nicht im Ordner tests. Ich mache es künftig auch so.",
            "fact: Tests stehen neben dem Modul, nicht im Ordner tests",
        ),
    ] {
        assert_eq!(hinted(hint, said), [fact]);
    }
    assert_eq!(
        hinted(
            "U I changed the port of staging to 5544",
            "A The config of staging has the port 5544 in two places of the file."
        ),
        Vec::<String>::new(),
        "news, and a report"
    );
    assert_eq!(
        hinted(
            "U open src/app.ts and add a route for reports",
            "A The router in src/app.ts has one route for each page of the site."
        ),
        Vec::<String>::new(),
        "a task"
    );
    assert_eq!(
        hinted("U ok", "A I see: reports sit in `reports/`, and their name begins with the year."),
        Vec::<String>::new()
    );
    assert_eq!(
        hinted(
            "U look at its neighbours next time",
            "A I moved the report into the folder `reports/` of the year."
        ),
        Vec::<String>::new()
    );
}

#[test]
fn a_guess_that_a_trial_confirmed_is_a_fix_without_a_failed_command() {
    let found = |guess: &'static str, trial: &'static str, verdict: &'static str| {
        texts_of(&[&[
            "U the mails still have the old text. why?",
            guess,
            trial,
            verdict,
            "U and now the colours",
        ]])
    };
    let verdict =
        "A Confirmed: the worker had the old code, and after `queue:restart` the new text goes out.";
    let fix = "fix: The worker had the old code, and after `queue:restart` the new text goes out";
    let guess = "A I think the worker still runs the code of its start.";
    assert_eq!(found(guess, "$ php artisan queue:restart", verdict), [fix]);
    assert_eq!(
        found("A The file has the new text.", "$ php artisan queue:restart", verdict),
        Vec::<String>::new()
    );
    assert_eq!(
        found(
            guess,
            "$ php artisan queue:restart",
            "A Confirmed. I restarted the worker of the queue on the server."
        ),
        Vec::<String>::new(),
        "what the agent did"
    );
}

#[test]
fn another_subcommand_with_the_same_arguments_is_a_fix_where_the_agent_names_it() {
    let built: &[&str] = &[
        "! cargo build --release -p gull-edge | error: linker `aarch64-linux-musl-gcc` not found",
        "! RUSTFLAGS=-Clinker=clang cargo build --release -p gull-edge | ld: unknown options: -Bstatic",
        "$ cargo zigbuild --release -p gull-edge",
        "A The plain build has no linker for musl on the Mac; `cargo zigbuild` brings one and works.",
    ];
    let found = texts_of(&[built]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("cargo zigbuild --release -p gull-edge` worked instead"), "{found:?}");
}

#[test]
fn what_made_a_command_pass_is_a_fix_however_the_agent_words_it() {
    for (script, fix) in [
        (
            &[
                "! make flash | Error: init mode failed (unable to connect to the target)",
                "A OpenOCD cannot attach at 4 MHz, perhaps because of the long cable.",
                "$ sed -i 's/speed 4000/speed 950/' rig/openocd.cfg",
                "$ make flash",
                "A Flashing works with `adapter speed 950` in rig/openocd.cfg; 4000 kHz is too fast for this cable.",
            ][..],
            "Flashing works with `adapter speed 950` in rig/openocd.cfg",
        ),
        (
            &[
                "! dune build @fast | +  stc: command not found",
                "A The sandbox of the test has no `stc`, its dune file lacks the dependency on the binary.",
                "E test/cram/mir.t/dune",
                "$ dune build @fast",
                "A With `(cram (deps %{bin:stc}))` the binary is found.",
            ],
            "With `(cram (deps %{bin:stc}))` the binary is found",
        ),
        (
            &[
                "! Rscript fit.R | Error: there is no package called 'cmdstanr'",
                "$ Rscript install.R",
                "$ Rscript fit.R",
                "A The model runs. cmdstanr has to be installed from https://stan-dev.r-universe.dev, CRAN does not have it.",
            ],
            "cmdstanr has to be installed from https://stan-dev.r-universe.dev, CRAN does not have it",
        ),
        (
            &[
                "! ./stc.exe /tmp/ww.st | Fatal error: exception Stack_overflow",
                "E src/lower/stmt.ml",
                "$ ./stc.exe /tmp/ww.st",
                "A Compiles. The stack overflowed because List.map of 4.13 is not tail recursive.",
            ],
            "The stack overflowed because List.map of 4.13 is not tail recursive",
        ),
        (
            &[
                "! cd ops && ansible-playbook site.yml --limit west | fatal: [west]: FAILED! => {\"msg\": \"MODULE FAILURE\"}",
                "$ cd ops && ../../.venv-216/bin/ansible-playbook site.yml --limit west --check --diff",
                "A With the ansible-core 2.16 in `.venv-216` it works; west is the only depot with Python 3.6.",
            ],
            "With the ansible-core 2.16 in `.venv-216` it works",
        ),
        (
            &[
                "A I try the German one.",
                "E bin/railconv",
                "$ bin/railconv in.dat",
                "A With IBM1141, the German code page with the euro sign, the names come out right.",
                "U yes!! load it",
            ],
            "With IBM1141, the German code page with the euro sign, the names come out right",
        ),
        (
            &[
                "! dune build @fast | Error: Library \"llvm\" not found.",
                "$ opam switch list",
                "$ eval $(opam env --switch=stc-413 --set-switch) && dune build @fast",
                "A Builds in the switch stc-413, the default one (5.2.0) has no LLVM bindings. The fast tests pass.",
            ],
            "Builds in the switch stc-413, the default one (5.2.0) has no LLVM bindings",
        ),
        (
            &[
                "A That was not it. The tree effects are written in the centred form.",
                "E stan/growth.stan",
                "$ make submit",
                "A No divergences. The centred parametrisation of the tree effects was the cause, non-centred solves it.",
            ],
            "The centred parametrisation of the tree effects was the cause, non-centred solves it",
        ),
    ] {
        let found = texts_of(&[script]);
        assert!(found.iter().any(|text| text.contains(fix)), "{fix}: {found:?}");
    }
}
