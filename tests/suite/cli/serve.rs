//! `cm serve` as a process, from its first output line to its end by a signal.

use serde_json::{Value, json};

use crate::cli::rules::rules;
use crate::support::{Sandbox, ServerProcess};

fn token(sandbox: &Sandbox, person: &str, role: &str) -> String {
    let made = sandbox.cm(&["token", "add", person, "--role", role, "--json"]).ok().json();
    made["token"].as_str().unwrap().to_owned()
}

#[cfg(unix)]
#[test]
fn an_observation_over_the_wire_is_a_commit_in_the_name_of_the_tokens_person() {
    let sandbox = rules();
    let (ada, bob) = (token(&sandbox, "Ada", "writer"), token(&sandbox, "Bob", "reader"));
    let server = ServerProcess::of(&sandbox, &[]);
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
    // A token that is revoked while the server runs.
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
    let server = ServerProcess::of(&sandbox, &["--quiet"]);
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
fn the_export_is_the_document_that_the_command_prints_and_the_contract_is_shown() {
    let sandbox = rules();
    let server = ServerProcess::of(&sandbox, &[]);
    let (_, answer) = server.ask("GET", "/export", "", "");
    let document = serde_json::from_str::<Value>(&answer).unwrap()["document"].clone();
    assert_eq!(document.as_str().unwrap(), sandbox.cm(&["export", "--format", "memory.md"]).ok().stdout);
    let (_, shown) = server.ask("GET", "/openapi.json", "", "");
    let contract: Value = serde_json::from_str(&shown).unwrap();
    for (_, endpoint) in cm_server::operations::endpoints() {
        assert!(contract["paths"].get(endpoint.path).is_some(), "{}", endpoint.path);
    }
}

#[cfg(unix)]
#[test]
fn jobs_that_were_missed_are_done_once_the_server_runs_and_their_time_is_kept() {
    let sandbox = crate::support::taught();
    let long_ago = "{\"reflect\": \"2026-11-01T03:00:00Z\", \"condense\": \"2026-11-01T03:30:00Z\", \"decay\": \"2026-11-01T04:30:00Z\"}";
    sandbox.open_vault().write_private("jobs.json", long_ago).unwrap();
    let before = sandbox.read("CORE.md");
    sandbox.write("CORE.md", before.replace("- ", "* "));
    let mut server = ServerProcess::of(&sandbox, &["--jobs"]);
    let mut said = Vec::new();
    while said.len() < 3 {
        said.extend(Some(server.line()).filter(|line| line["notice"] != Value::Null));
    }
    let words = |name: &str| {
        let found = said.iter().find(|line| line["message"].as_str().unwrap().starts_with(name));
        found.unwrap_or_else(|| panic!("{name}: {said:?}"))["message"].as_str().unwrap().to_owned()
    };
    assert!(said.iter().all(|line| line["notice"] == "job"), "{said:?}");
    assert!(words("reflect: ").contains("sessions"), "{said:?}");
    assert!(words("condense: ").contains("observations"), "{said:?}");
    assert!(words("decay: ").contains("active"), "{said:?}");
    // Its time is recorded shortly after the response.
    while sandbox.read_private("jobs.json").contains("2026-11-01") {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let kept: Value = serde_json::from_str(&sandbox.read_private("jobs.json")).unwrap();
    assert_eq!(kept["reflect"], "2026-11-21T12:00:00Z");
    assert_eq!(server.end(rustix::process::Signal::TERM).0, Some(143));
    assert_eq!(sandbox.read("CORE.md"), before, "what was done to it by hand is written anew");
}

#[test]
fn a_job_that_was_never_done_waits_for_its_time_from_now_on() {
    let sandbox = rules();
    let server = ServerProcess::of(&sandbox, &["--jobs"]);
    assert_eq!(server.ask("GET", "/health", "", "").0, 200);
    let kept: Value = serde_json::from_str(&sandbox.read_private("jobs.json")).unwrap();
    let at = "2026-11-21T12:00:00Z";
    assert_eq!(kept, json!({ "reflect": at, "condense": at, "decay": at }));
    let figures = server.ask("GET", "/metrics", "", "").1;
    assert!(!figures.contains("cm_job_runs_total{"), "{figures}");
}

#[test]
fn what_cannot_be_served_is_refused_before_it_listens() {
    let sandbox = rules();
    let ran = sandbox.cm(&["serve", "--listen", "0.0.0.0:0"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    [stderr]
    error: other machines can reach 0.0.0.0:0, and there is no valid token
     hint: create one with `cm token add NAME`, or listen on 127.0.0.1 behind a proxy or tunnel
    [exit 5]
    ");
    insta::assert_snapshot!(sandbox.cm(&["serve", "--listen", "nowhere"]).snapshot(), @"
    [stderr]
    error: `nowhere` is not an address to listen on
     hint: for example 127.0.0.1:7700
    [exit 2]
    ");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let ran = sandbox.cm(&["serve", "--listen", &taken.local_addr().unwrap().to_string()]);
    assert_eq!(ran.code, 1, "{}", ran.snapshot());
    assert!(ran.stderr.contains("listen"), "{}", ran.snapshot());
    assert_eq!(Sandbox::new().cm(&["serve"]).code, 3);
}

#[test]
fn the_demo_shows_the_example_vault_to_everyone_and_has_no_endpoints() {
    let sandbox = Sandbox::new();
    let server = ServerProcess::of(&sandbox, &["--demo"]);
    let page = server.send("GET", "/playbook", &[("accept", "text/html")], "");
    assert!(page.status == 200 && page.body.contains("example vault, read-only"), "{page:?}");
    assert!(!page.body.contains("/act/"), "{page:?}");
    assert_eq!(server.ask("POST", "/observations", "", "{\"content\": \"x\"}").0, 401);
    assert_eq!(server.ask("GET", "/export", "", "").0, 401);
}

#[cfg(unix)]
#[test]
fn a_certificate_of_its_own_is_made_once_and_speaks_no_plain_http() {
    use std::io::{Read as _, Write as _};
    let sandbox = rules();
    token(&sandbox, "Ada", "reader");
    let start = || {
        let server = ServerProcess::of(&sandbox, &["--tls-self-signed"]);
        let said: Value = serde_json::from_str(&server.said).unwrap();
        assert!(said["address"].as_str().unwrap().starts_with("https://"), "{said}");
        (server, said["fingerprint"].as_str().unwrap().to_owned())
    };
    let (server, fingerprint) = start();
    assert_eq!(fingerprint.len(), 95);
    let mut plain = std::net::TcpStream::connect(server.address.trim_start_matches("https://")).unwrap();
    plain.write_all(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    assert!(!String::from_utf8_lossy(&answer).contains("HTTP/1.1"), "{answer:?}");
    assert_eq!(server.end(rustix::process::Signal::TERM).0, Some(143));
    let (server, again) = start();
    assert_eq!(again, fingerprint);
    server.end(rustix::process::Signal::TERM);
    let of_host = || {
        let server = ServerProcess::of(&sandbox, &["--tls-self-signed", "--host-name", "memory.example"]);
        let printed: Value = serde_json::from_str(&server.said).unwrap();
        server.end(rustix::process::Signal::TERM);
        printed["fingerprint"].as_str().unwrap().to_owned()
    };
    let other = of_host();
    assert_ne!(other, fingerprint, "the certificate lacked the new name");
    assert_eq!(of_host(), other);
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::metadata(sandbox.private("tls-key.pem")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}
