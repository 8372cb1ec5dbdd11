//! Programs as models: valid ones, and ones that fail, hang, write too much or leave child
//! processes behind.
#![cfg(unix)]
#![allow(clippy::disallowed_methods, reason = "a test looks at the processes and files that a program left")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;

fn variables() -> BTreeMap<String, String> {
    let path = std::env::var("PATH").unwrap_or_else(|_| "/usr/bin:/bin".to_owned());
    [("PATH", path.as_str()), ("HOME", "/nowhere"), ("OPENAI_API_KEY", KEY), ("EXTRA", "given")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into()
}

/// Creates a model that runs a shell script.
fn model(script: &str, retry_sleeper: RetrySleeper) -> BoxedLlm {
    let line = shell_words::join(["sh", "-c", script]);
    let command = ModelCommand::parse(&line, &variables(), &["EXTRA".to_owned()]).unwrap();
    open(&ModelSelection::Cli(command, "mine".to_owned()), retry_policy(3, 7), retry_sleeper)
        .unwrap()
        .unwrap()
}

fn said(script: &str, timeout: Duration) -> String {
    let mut request = request();
    request.timeout = timeout;
    match model(script, RetrySleeper::default()).complete(&request) {
        Ok(reply) => reply.text,
        Err(error) => {
            let hint = error.hint().map(|hint| format!("\n hint: {hint}")).unwrap_or_default();
            format!("{error}{hint}")
        }
    }
}

#[test]
fn a_program_gets_the_whole_question_and_its_answer_is_taken() {
    let mut asked = request();
    asked.timeout = LONG;
    let model = model("cat", RetrySleeper::default());
    assert_eq!((model.provider(), model.model()), ("cli", "mine"));
    let reply = model.complete(&asked).unwrap();
    assert_eq!(reply.text, asked.as_text());
    assert!(reply.text.starts_with(MARKER) && reply.text.contains("\"title\"") && reply.usage.is_estimated);
}

#[test]
fn a_program_sees_only_its_part_of_the_environment_and_an_empty_folder() {
    let text = said("env | cut -d= -f1 | grep -v -e ^PWD -e ^SHLVL -e ^_ -e ^OLDPWD | sort; ls -A", LONG);
    insta::assert_snapshot!(text, @"
    CM_MODEL_CALL
    EXTRA
    HOME
    PATH
    ");
}

#[test]
fn a_program_that_fails_is_told_with_the_end_of_its_complaint() {
    insta::assert_snapshot!(said("cat >/dev/null; echo 'not\tlogged in' >&2; exit 3", LONG), @"`sh` failed with exit status: 3: not logged in");
    insta::assert_snapshot!(said("echo 'Credit balance is too low'; exit 1", LONG), @"`sh` failed with exit status: 1: Credit balance is too low");
    insta::assert_snapshot!(said("kill -9 $$", LONG), @"`sh` failed with signal: 9 (SIGKILL)");
    let long = said("i=0; while [ $i -lt 3000 ]; do echo line $i >&2; i=$((i+1)); done; exit 1", LONG);
    assert!(long.contains(": …") && long.ends_with("line 2999") && long.len() < 500, "{long}");
}

#[test]
fn a_program_that_is_not_there_is_told() {
    let command = ModelCommand::parse("no-such-model -p", &variables(), &[]).unwrap();
    let model =
        open(&ModelSelection::Cli(command, String::new()), retry_policy(3, 7), RetrySleeper::default())
            .unwrap()
            .unwrap();
    let error = model.complete(&request()).unwrap_err();
    insta::assert_snapshot!(format!("{error}\n hint: {}", error.hint().unwrap()), @"
    cannot start `no-such-model`
     hint: check that the program is installed and that `llm.command` is correct
    ");
}

#[test]
fn a_program_that_says_too_much_is_stopped_and_garbage_is_a_text() {
    insta::assert_snapshot!(said("yes", LONG), @"`sh` printed more than 4096 KiB");
    assert_eq!(said(r"printf '\377\376{\000'", LONG), "\u{fffd}\u{fffd}{\0");
    // Much, but not too much; and neither side waits for the other.
    assert_eq!(said("head -c 2000000 /dev/zero; head -c 2000000 /dev/zero >&2", LONG).len(), 2_000_000);
}

/// Waits up to ten seconds for the process with the id in `file` to exit; returns whether it did.
fn is_gone(file: &Path) -> bool {
    let id: i32 = std::fs::read_to_string(file).unwrap().trim().parse().unwrap();
    let id = rustix::process::Pid::from_raw(id).unwrap();
    for _ in 0..500 {
        if rustix::process::test_kill_process(id).is_err() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

#[test]
fn a_program_that_hangs_is_ended_with_all_that_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("child");
    // One that ends at a word, and one that does not.
    for trap in ["", "trap '' TERM;"] {
        let script =
            format!("{trap} sleep 1000 & echo $! >'{}'; echo started; wait; sleep 1000", file.display());
        // A busy machine may not even have started it by the first time-out.
        for millis in [500, 5_000, 50_000] {
            let text = said(&script, Duration::from_millis(millis));
            let expected =
                format!("`sh` did not answer within {:?}\n hint: raise", Duration::from_millis(millis));
            assert!(text.starts_with(&expected), "{text}");
            if file.exists() {
                break;
            }
        }
        assert!(is_gone(&file), "{trap}");
        std::fs::remove_file(&file).unwrap();
    }
}

#[test]
fn what_a_program_leaves_running_holds_up_nobody_and_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("child");
    let script = format!("sleep 1000 & echo $! >'{}'; echo done", file.display());
    // The sleeper holds the output open, so that its end is never heard.
    let text = said(&script, LONG);
    assert!(is_gone(&file));
    assert_eq!(text, "done\n");
}

#[test]
fn who_is_called_off_ends_the_program() {
    let over = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&over);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("started");
    let shown = file.clone();
    let retry_sleeper = RetrySleeper::until(move || seen.load(Ordering::SeqCst) || shown.exists());
    let mut request = request();
    request.timeout = LONG;
    let model = model(&format!("echo $$ >'{}'; sleep 1000", file.display()), retry_sleeper);
    assert!(matches!(model.complete(&request), Err(LlmError::Cancelled)));
    assert!(is_gone(&file));
    over.store(true, Ordering::SeqCst);
    assert!(matches!(model.complete(&request), Err(LlmError::Cancelled)), "it is not even started");
}

#[test]
fn a_key_is_the_first_line_that_a_command_prints_and_is_never_told() {
    let retry_sleeper = RetrySleeper::default();
    let key = |script: &str| {
        let line = shell_words::join(["sh", "-c", script]);
        key_from(&line, &variables(), &retry_sleeper)
    };
    let expected = ApiKey::of(KEY).unwrap();
    assert_eq!(key(&format!("echo {KEY}; echo login: me")).unwrap(), expected);
    for script in
        ["exit 2", "echo", "true", &format!("echo {KEY}; exit 1"), &format!("echo {KEY} >&2; exit 1")]
    {
        let error = key(script).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("12345"), "{error:?}");
    }
    insta::assert_snapshot!(key("exit 2").unwrap_err(), @"`sh` failed with exit status: 2");
    insta::assert_snapshot!(key("true").unwrap_err(), @"`llm.api_key_cmd` does not print a key in its first line");
    insta::assert_snapshot!(key_from("./key", &variables(), &retry_sleeper).unwrap_err(), @"`llm.api_key_cmd` names a program by a relative path");
}
