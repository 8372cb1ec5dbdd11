//! `cm serve`: the program as a process, from its first line to the signal that ends it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::cli::rules::{SUITE, rules};
use crate::support::Sandbox;

/// The program as it serves; ended when dropped.
struct Serving {
    child: Child,
    address: String,
    /// What it said when it began.
    said: String,
}

impl Serving {
    fn of(sandbox: &Sandbox, words: &[&str]) -> Self {
        let mut command = sandbox.command(&[&["serve", "--listen", "127.0.0.1:0", "--json"], words].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
        let mut said = String::new();
        while !said.ends_with("}\n") {
            said.push_str(&lines.next().expect("it says where it listens").unwrap());
            said.push('\n');
        }
        let address: Value = serde_json::from_str(&said).unwrap();
        let address = address["address"].as_str().unwrap().trim_start_matches("http://").to_owned();
        Self { child, address, said }
    }

    /// Asks, and gives status and body.
    fn ask(&self, method: &str, target: &str, token: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        let head = format!(
            "{method} {target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nauthorization: Bearer {token}\r\n\
             content-type: application/json\r\ncm-agent: codex\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    /// Sends it a signal; its exit code and its log.
    #[cfg(unix)]
    fn end(mut self, signal: rustix::process::Signal) -> (Option<i32>, String) {
        let id = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(id, signal).unwrap();
        let mut log = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
        (self.child.wait().unwrap().code(), log)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn token(sandbox: &Sandbox, person: &str, role: &str) -> String {
    let made = sandbox.cm(&["token", "add", person, "--role", role, "--json"]).ok().json();
    made["token"].as_str().unwrap().to_owned()
}

#[cfg(unix)]
#[test]
fn an_observation_over_the_wire_is_a_commit_in_the_name_of_the_tokens_person() {
    let sandbox = rules();
    let (ada, bob) = (token(&sandbox, "Ada", "writer"), token(&sandbox, "Bob", "reader"));
    let server = Serving::of(&sandbox, &[]);
    let said: Value = serde_json::from_str(&server.said).unwrap();
    assert_eq!(said["open"], json!(false));
    let body = "{\"content\": \"The gateway drops idle sockets after 60 s.\", \"category\": \"gotcha\"}";
    assert_eq!(server.ask("POST", "/observations", &bob, body).0, 403);
    let (status, answer) = server.ask("POST", "/observations", &ada, body);
    assert_eq!(status, 201, "{answer}");
    let made: Value = serde_json::from_str(&answer).unwrap();
    let commit = sandbox.git(&["log", "-1", "--format=%B"]);
    for line in [
        "Cm-Op: add",
        "Cm-Actor: Ada",
        "Cm-Agent: codex",
        &format!("Cm-Id: {}", made["id"].as_str().unwrap()),
    ] {
        assert!(commit.lines().any(|found| found == line), "{line} in\n{commit}");
    }
    assert_eq!(sandbox.cm(&["get", made["id"].as_str().unwrap(), "--json"]).ok().json()["id"], made["id"]);
    let (status, found) = server.ask("GET", "/search?q=idle%20sockets", &bob, "");
    assert_eq!(status, 200);
    assert!(found.contains(made["id"].as_str().unwrap()), "{found}");
    assert_eq!(server.ask("GET", "/search?q=x", "cm_nonsense", "").0, 401);
    // A token that is taken back while the server runs.
    sandbox.cm(&["token", "revoke", "Bob"]).ok();
    assert_eq!(server.ask("GET", "/search?q=x", &bob, "").0, 401);
    let (code, log) = server.end(rustix::process::Signal::TERM);
    assert_eq!(code, Some(143), "{log}");
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.iter().any(|line| line["endpoint"] == "/observations" && line["status"] == 201), "{log}");
    assert!(!log.contains("cm_") && !log.contains("idle") && !log.contains("Ada"), "{log}");
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_it_and_two_observations_of_a_second_have_two_ids() {
    let sandbox = rules();
    let server = Serving::of(&sandbox, &["--quiet"]);
    let said: Value = serde_json::from_str(&server.said).unwrap();
    assert_eq!(said["open"], json!(true), "there is no token yet");
    let told = |text: &str| {
        let (status, answer) =
            server.ask("POST", "/observations", "", &json!({ "content": text }).to_string());
        assert_eq!(status, 201, "{answer}");
        serde_json::from_str::<Value>(&answer).unwrap()["id"].clone()
    };
    assert_ne!(told("Otters sleep on their backs."), told("The linker wants eight gigabytes."));
    let (status, figures) = server.ask("GET", "/metrics", "", "");
    assert_eq!(status, 200);
    assert!(figures.contains("cm_notes{kind=\"bullet\"} 2\n"), "{figures}");
    assert_eq!(server.end(rustix::process::Signal::INT), (Some(130), String::new()));
}

#[test]
fn every_endpoint_answers_with_the_json_of_its_command() {
    let (served, by_hand) = (rules(), rules());
    let server = Serving::of(&served, &[]);
    for (method, target, given, line) in [
        ("GET", "/search?q=retry&limit=2", "", "search retry --limit 2"),
        (
            "GET",
            "/context?task=change+the+retry&max_tokens=900",
            "",
            "context change+the+retry --max-tokens 900",
        ),
        (
            "POST",
            "/feedback",
            "{\"memoryId\": \"b-mt2ssunl\", \"signal\": \"helpful\", \"session\": \"s1\"}",
            "mark b-mt2ssunl --helpful --session s1",
        ),
    ] {
        let words: Vec<String> = line.split(' ').map(|word| word.replace('+', " ")).collect();
        let words: Vec<&str> =
            words.iter().map(String::as_str).chain(["--agent", "codex", "--json"]).collect();
        let mut printed = by_hand.cm(&words).ok().json();
        let (status, answer) = server.ask(method, target, "", given);
        assert_eq!(status, 200, "{target}: {answer}");
        let mut answered: Value = serde_json::from_str(&answer).unwrap();
        for one in [&mut printed, &mut answered] {
            // Each operation has a name of its own in its commit.
            one.as_object_mut().unwrap().remove("commit");
        }
        assert_eq!(answered, printed, "{target}");
    }
    let (_, answer) = server.ask("GET", "/export", "", "");
    let document = serde_json::from_str::<Value>(&answer).unwrap()["document"].clone();
    assert_eq!(document.as_str().unwrap(), by_hand.cm(&["export", "--format", "memory.md"]).ok().stdout);
    assert!(document.as_str().unwrap().is_empty() || document.as_str().unwrap().contains("# "), "{document}");
    let (_, shown) = server.ask("GET", "/openapi.json", "", "");
    let contract: Value = serde_json::from_str(&shown).unwrap();
    let paths: Vec<&String> = contract["paths"].as_object().unwrap().keys().collect();
    assert!(
        ["/search", "/context", "/feedback", "/observations", "/export"]
            .iter()
            .all(|path| paths.iter().any(|there| there == path)),
        "{paths:?}"
    );
    assert_eq!(served.cm(&["get", SUITE]).ok().stdout, by_hand.cm(&["get", SUITE]).ok().stdout);
}

#[test]
fn what_cannot_be_served_is_refused_before_it_listens() {
    let sandbox = rules();
    let ran = sandbox.cm(&["serve", "--listen", "0.0.0.0:0"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    [stderr]
    error: other machines reach 0.0.0.0:0, and there is no token that is live
     hint: make one with `cm token add NAME`, or listen on 127.0.0.1 and let a proxy or a tunnel lead there
    [exit 5]
    ");
    insta::assert_snapshot!(sandbox.cm(&["serve", "--listen", "nowhere"]).snapshot(), @"
    [stderr]
    error: `nowhere` is no address to listen on
     hint: for example 127.0.0.1:7700
    [exit 2]
    ");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let ran = sandbox.cm(&["serve", "--listen", &taken.local_addr().unwrap().to_string()]);
    assert_eq!(ran.code, 1, "{}", ran.snapshot());
    assert!(ran.stderr.contains("listen"), "{}", ran.snapshot());
    assert_eq!(Sandbox::new().cm(&["serve"]).code, 3);
}
