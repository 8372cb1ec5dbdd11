//! The running program with hostile clients: all get documented responses, and nothing is changed.

use std::io::Write as _;

use serde_json::Value;

use super::support::{Reply, request};
use crate::cli::rules::rules;
use crate::support::{ServerProcess, everything};

const NOTE: &str = "{\"content\": \"The gateway drops idle sockets after 60 s.\"}";

#[test]
fn a_real_server_holds_its_doors_and_keeps_hashes_only() {
    let sandbox = rules();
    let made = sandbox.cm(&["token", "add", "Ada", "--role", "writer", "--json"]).ok().json();
    let token = made["token"].as_str().unwrap();
    let server = ServerProcess::of(&sandbox, &[]);
    let head = sandbox.git(&["rev-parse", "HEAD"]);
    let bearer = format!("Bearer {token}");
    let json = ("content-type", "application/json");
    let with = |more: (&'static str, &'static str)| vec![("authorization", bearer.as_str()), json, more];
    let code = |reply: &Reply| (reply.status, reply.refusal().1);
    for (headers, status, name) in [
        (vec![json], 401, "no-token"),
        (vec![json, ("authorization", "Bearer cm_0000")], 401, "unknown-token"),
        (with(("host", "evil.example")), 421, "host"),
        (with(("origin", "https://evil.example")), 403, "origin"),
        (with(("sec-fetch-site", "cross-site")), 403, "origin"),
        (with(("cm-agent", "x\u{e9}")), 400, "header"),
        (with(("cm-agent", "a\r\ncm-agent: b")), 400, "header"),
    ] {
        let reply = server.send("POST", "/observations", &headers, NOTE);
        assert_eq!(code(&reply), (status, name.to_owned()), "{headers:?}");
    }
    let six = format!("{{\"content\": \"{}\"}}", "a".repeat(6 << 20));
    let reply = server.send("POST", "/observations", &with(("cm-agent", "codex")), &six);
    assert_eq!(code(&reply), (413, "too-long".to_owned()));
    for path in ["/../_tokens.toml", "/_tokens.toml", "/..%2f_tokens.toml", "/search%0d%0aset-cookie:a"] {
        let reply = server.send("GET", path, &with(("cm-agent", "codex")), "");
        assert_eq!(code(&reply), (404, "no-endpoint".to_owned()), "{path}");
        assert!(!reply.head.contains("set-cookie"), "{reply:?}");
    }
    assert_eq!(sandbox.git(&["rev-parse", "HEAD"]), head, "nothing came of it");
    let kept = sandbox.read_private("tokens.toml");
    assert!(kept.contains("sha256:") && !kept.contains(&token[3..20]), "{kept}");
    assert_eq!(server.send("POST", "/observations", &with(("cm-agent", "codex")), NOTE).status, 201);
    for path in everything(&sandbox.vault()).keys() {
        let bytes = std::fs::read(sandbox.vault().join(path)).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains(&token[3..]), "{path}");
    }
}

#[test]
fn many_that_say_half_a_word_keep_nobody_waiting() {
    let sandbox = rules();
    let server = ServerProcess::of(&sandbox, &[]);
    let half = |_| {
        let mut stream = server.connect();
        stream.write_all(b"GET /search?q=po").unwrap();
        stream
    };
    let crowd: Vec<_> = (0..200).map(half).collect();
    let mut proper = server.connect();
    proper.write_all(&request("GET", "/search?q=suite", &[], b"")).unwrap();
    let reply = Reply::read(&mut proper);
    assert_eq!(reply.status, 200, "{reply:?}");
    let figures = server.send("GET", "/metrics", &[], "").body;
    let open = figures.lines().find_map(|line| line.strip_prefix("cm_http_connections ")).unwrap();
    assert!(open.parse::<usize>().unwrap() > crowd.len(), "{open}");
    let health: Value = server.send("GET", "/health", &[], "").json();
    assert_eq!(health["status"], "ok");
}
