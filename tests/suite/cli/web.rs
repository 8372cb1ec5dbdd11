//! `cm web` as a process: its link, who may change what, and its end.

use serde_json::Value;

use crate::cli::rules::rules;
use crate::http::support::Reply;
use crate::support::ServerProcess;

/// The link and the host of a page.
fn link(server: &ServerProcess) -> (String, String) {
    let said: Value = serde_json::from_str(&server.said).unwrap();
    let (address, link) = (said["address"].as_str().unwrap(), said["link"].as_str().unwrap());
    let host = address.strip_prefix("http://").unwrap();
    (link.strip_prefix(address).unwrap().to_owned(), host.to_owned())
}

/// Opens the link and returns the page at this path.
fn opened(server: &ServerProcess, path: &str) -> Reply {
    let (target, host) = link(server);
    let login = server.send("GET", &target, &[("host", &host)], "");
    assert_eq!((login.status, login.header("location")), (303, Some("/")), "{login:?}");
    let cookie = login.header("set-cookie").unwrap();
    assert!(cookie.contains("httponly") && cookie.contains("samesite=strict"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap();
    server.send("GET", path, &[("host", &host), ("cookie", cookie)], "")
}

#[cfg(unix)]
#[test]
fn the_link_shows_the_vault_to_a_person_and_ctrl_c_ends_the_page() {
    let sandbox = rules();
    let server = ServerProcess::page(&sandbox, &[]);
    let page = opened(&server, "/playbook");
    assert!(page.status == 200 && page.body.contains("Run the whole suite"), "{page:?}");
    assert!(opened_before(&server), "the link works once");
    let host = link(&server).1;
    assert!(host.starts_with("cm-") && host.contains(".localhost:"), "{host}");
    assert_eq!(server.send("GET", "/search?q=a", &[("host", &host)], "").status, 303);
    assert_eq!(server.end(rustix::process::Signal::INT), (Some(0), String::new()));
}

fn opened_before(server: &ServerProcess) -> bool {
    let (target, host) = link(server);
    server.send("GET", &target, &[("host", &host)], "").status == 403
}

#[test]
fn a_page_that_an_agent_starts_only_reads() {
    let sandbox = rules();
    let person = ServerProcess::page(&sandbox, &[]);
    assert!(opened(&person, "/log").body.contains("/act/undo"));
    let agent = ServerProcess::page(&sandbox, &[("CLAUDECODE", "1")]);
    let page = opened(&agent, "/log");
    assert!(page.status == 200 && !page.body.contains("/act/"), "{page:?}");
}
