//! Runs of `cm reflect` that are cancelled or killed.

use std::process::Stdio;

use super::*;

/// Installs a model that records each request in the sandbox's home and answers once the file `go`
/// exists there.
#[cfg(unix)]
fn slow(sandbox: &Sandbox) {
    let script = "#!/bin/sh\ncat > /dev/null\necho x >> \"$HOME/asked\"\n\
        while [ ! -e \"$HOME/go\" ]; do sleep 0.05; done\necho '{\"status\": \"success\", \"deltas\": []}'\n";
    sandbox.write("../model", script);
    let path = sandbox.root().join("model");
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    sandbox.settings(format!("[llm]\nprovider = \"cli\"\ncommand = \"{}\"\n", path.display()));
}

#[cfg(unix)]
fn until(what: impl Fn() -> bool) {
    while !what() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[cfg(unix)]
fn signal(child: &std::process::Child, signal: rustix::process::Signal) {
    let id = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(id, signal).unwrap();
}

#[cfg(unix)]
#[test]
fn ctrl_c_finishes_the_session_in_hand_and_the_next_run_goes_on() {
    use std::io::{BufRead as _, BufReader, Read as _};

    let sandbox = two();
    slow(&sandbox);
    let mut command = sandbox.command(&["reflect", "--json"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    until(|| sandbox.root().join("home/asked").exists());
    signal(&child, rustix::process::Signal::INT);
    let mut told = String::new();
    BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut told).unwrap();
    assert!(told.contains("finishing the current session"), "{told}");
    sandbox.write("../home/go", "");
    let mut shown = String::new();
    child.stdout.as_mut().unwrap().read_to_string(&mut shown).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let answer: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(
        (outcome(&answer), &answer["interrupted"], &answer["left"]),
        ("changed", &json!(true), &json!(1))
    );
    assert_eq!(
        (states(&sandbox), commits(&sandbox)),
        (vec!["a processed".to_owned(), "b new".to_owned()], 2)
    );
    let ran = sandbox.cm(&["reflect", "--json"]).ok().json();
    assert_eq!((&ran["sessions"], commits(&sandbox)), (&json!(1), 3));
}

#[cfg(unix)]
#[test]
fn ctrl_c_twice_drops_the_session_in_hand_at_once() {
    use std::io::{BufRead as _, BufReader};

    let sandbox = two();
    slow(&sandbox);
    let mut child = sandbox.command(&["reflect"]).stderr(Stdio::piped()).spawn().unwrap();
    until(|| sandbox.root().join("home/asked").exists());
    signal(&child, rustix::process::Signal::INT);
    let mut told = String::new();
    BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut told).unwrap();
    signal(&child, rustix::process::Signal::INT);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!((states(&sandbox), commits(&sandbox)), (vec!["a new".to_owned(), "b new".to_owned()], 1));
}

#[cfg(unix)]
#[test]
fn a_run_that_is_killed_loses_nothing_and_the_next_one_goes_on() {
    let sandbox = two();
    slow(&sandbox);
    let asked =
        || std::fs::read_to_string(sandbox.root().join("home/asked")).unwrap_or_default().lines().count();
    let mut child = sandbox.command(&["reflect"]).spawn().unwrap();
    sandbox.write("../home/go", "");
    until(|| commits(&sandbox) == 2);
    std::fs::remove_file(sandbox.root().join("home/go")).unwrap();
    let done = || std::fs::read_to_string(sandbox.private("reflected.jsonl")).unwrap_or_default();
    until(|| done().lines().count() >= 1);
    if child.try_wait().unwrap().is_none() {
        child.kill().unwrap();
    }
    child.wait().unwrap();
    assert!(asked() >= 2);
    sandbox.write("../home/go", "");
    sandbox.cm(&["reflect"]);
    assert_eq!(
        (states(&sandbox), commits(&sandbox)),
        (vec!["a processed".to_owned(), "b processed".to_owned()], 3)
    );
    sandbox.cm(&["validate"]).ok();
}
