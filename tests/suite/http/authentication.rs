//! Tests of authentication and authorization.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use cm_app::verbs::token;
use cm_note::token::AccessRole;
use cm_server::http::{HttpServer, NestedService};

use super::support::{START, TestServerConfig, token_for};

const NOTE: &str = "{\"content\": \"Retry with jitter over 30 s.\"}";

fn roles() -> (super::support::TestServer, [String; 3]) {
    let start = TestServerConfig::default();
    let tokens = [(AccessRole::Reader, 1), (AccessRole::Writer, 2), (AccessRole::Admin, 3)]
        .map(|(role, random)| start.token(role, random));
    (start.run(), tokens)
}

#[test]
fn each_role_reaches_what_it_may_and_nothing_more() {
    let (server, tokens) = roles();
    let done = [
        ("GET", "/search?q=x", "", [200, 200, 200]),
        ("GET", "/context?task=xyz", "", [200, 200, 200]),
        ("POST", "/context", "{\"task\": \"xyz\"}", [200, 200, 200]),
        ("GET", "/export", "", [200, 200, 200]),
        ("GET", "/openapi.json", "", [200, 200, 200]),
        ("GET", "/health", "", [200, 200, 200]),
        ("GET", "/metrics", "", [403, 403, 200]),
        ("POST", "/observations", NOTE, [403, 201, 201]),
        ("POST", "/feedback", "{\"memoryId\": \"b-mt2ssunl\", \"signal\": \"helpful\"}", [403, 200, 200]),
    ];
    for (method, target, body, statuses) in done {
        for (token, status) in tokens.iter().zip(statuses) {
            let bearer = format!("Bearer {token}");
            let headers = [("authorization", &*bearer), ("content-type", "application/json")];
            let before = server.head();
            let reply = server.ask(method, target, &headers, body);
            assert_eq!(reply.status, status, "{method} {target}: {reply:?}");
            if status == 403 {
                assert_eq!(reply.json()["error"]["code"], "forbidden");
                assert_eq!(server.head(), before, "a refusal wrote something");
            }
        }
        let before = server.head();
        let reply = server.ask(method, target, &[("content-type", "application/json")], body);
        assert_eq!(server.head(), before, "a refusal wrote something");
        assert_eq!(reply.status, if target == "/health" { 200 } else { 401 }, "{method} {target}");
    }
    assert_eq!(server.added(), 1, "who tells the same is credited");
}

#[test]
fn a_key_that_does_not_fit_is_told_why_and_writes_nothing() {
    let start = TestServerConfig::default();
    let [good, revoked] = [1, 2].map(|random| start.token(AccessRole::Writer, random));
    let expired = token_for(&start.sandbox, "Bob", AccessRole::Admin, Some(START + 60), 3).token;
    let clock = Arc::clone(&start.clock);
    let server = start.run();
    assert_eq!(server.get("/search?q=x", &revoked).status, 200);
    assert_eq!(server.get("/metrics", &expired).status, 200);
    let id = token::list(&server.context()).unwrap().tokens[1].id.clone();
    token::revoke(&server.context(), &id).unwrap();
    clock.store(START + 60, Ordering::Relaxed);
    let unknown = format!("cm_{}", "0".repeat(64));
    for (header, code) in [
        (None, "no-token"),
        (Some(format!("Bearer {revoked}")), "token-revoked"),
        (Some(format!("Bearer {expired}")), "token-expired"),
        (Some(format!("Bearer {unknown}")), "unknown-token"),
        (Some(format!("Bearer {}", &good[..66])), "unknown-token"),
        (Some(format!("Basic {good}")), "unknown-token"),
        (Some(good.clone()), "unknown-token"),
        (Some("Bearer".into()), "unknown-token"),
        (Some(format!("Bearer {good}\r\nauthorization: Bearer {good}")), "unknown-token"),
    ] {
        let headers: Vec<_> = header.iter().map(|value| ("authorization", value.as_str())).collect();
        let reply = server.ask("GET", "/search?q=x", &headers, "");
        assert_eq!(reply.refusal(), (401, code.to_owned()), "{header:?}");
        assert_eq!(reply.header("www-authenticate"), Some("bearer realm=\"cm\""));
    }
    assert_eq!(server.ask("GET", "/health", &[("authorization", "Bearer x")], "").status, 401);
    assert_eq!(server.get("/search?q=x", &good).status, 200);
    assert_eq!(
        server.ask("GET", "/search?q=x", &[("authorization", &format!("bearer  {good} "))], "").status,
        200
    );
}

#[test]
fn a_token_in_the_query_opens_nothing() {
    let start = TestServerConfig::default();
    let token = start.token(AccessRole::Reader, 1);
    let server = start.run();
    assert_eq!(server.ask("GET", &format!("/search?q=x&token={token}"), &[], "").status, 401);
    assert!(server.log.lock().unwrap().iter().all(|line| !line.contains("cm_")));
}

#[test]
fn a_change_is_attributed_to_the_tokens_person() {
    let (server, [_, writer, _]) = roles();
    let bearer = format!("Bearer {writer}");
    let headers = [
        ("authorization", &*bearer),
        ("content-type", "application/json"),
        ("cm-agent", "claude"),
        ("cm-session", "s-1"),
    ];
    assert_eq!(server.ask("POST", "/observations", &headers, NOTE).status, 201);
    let commit = server.sandbox.git(&["log", "-1", "--format=%B"]);
    for who in ["Cm-Actor: Ada the writer", "Cm-Agent: claude", "Cm-Session: s-1"] {
        assert!(commit.lines().any(|line| line == who), "{commit}");
    }
    let log = server.sandbox.cm(&["log", "-n", "1"]).ok().stdout;
    assert!(log.contains("Ada the writer"), "{log}");
    let signed = server.sandbox.git(&["log", "-1", "--format=%an <%ae>, %cn"]);
    assert_eq!(signed.trim(), "Ada the writer <ada.the.writer@localhost>, Ada Example");
    let found = server.ask("GET", "/search?q=jitter", &headers[..1], "").json();
    assert_eq!(found["hits"][0]["author"], "Ada the writer", "{found}");
    let undone = server.sandbox.cm(&["undo"]);
    assert!(undone.code != 0 && undone.stderr.contains("cm log"), "{undone:?}");
    for bad in ["", "é", &"a".repeat(201), "a\r\ncm-agent: b"] {
        let headers = [("authorization", &*bearer), ("cm-agent", bad)];
        assert_eq!(server.ask("GET", "/search?q=x", &headers, "").refusal(), (400, "header".into()), "{bad}");
    }
}

#[test]
fn without_any_token_only_this_machine_is_let_in() {
    let server = TestServerConfig::default().run();
    assert_eq!(
        server.ask("POST", "/observations", &[("content-type", "application/json")], NOTE).status,
        201
    );
    assert_eq!(server.ask("GET", "/metrics", &[], "").status, 200);
    // The first token enables authentication immediately.
    let made = token_for(&server.sandbox, "Ada", AccessRole::Admin, None, 1);
    assert_eq!(server.ask("GET", "/search?q=x", &[], "").status, 401);
    assert_eq!(server.ask("GET", "/health", &[], "").body, "{\"status\":\"ok\"}");
    assert_eq!(server.get("/search?q=x", &made.token).status, 200);
    token::revoke(&server.context(), &made.record.id).unwrap();
    assert_eq!(
        server.ask("GET", "/search?q=x", &[], "").status,
        401,
        "taking the last one back opens nothing"
    );

    let (setup, _folder, _log) = TestServerConfig::default().setup();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let refused = runtime.block_on(HttpServer::bind("0.0.0.0:0".parse().unwrap(), setup)).err().unwrap();
    assert_eq!(refused.code, "open-door");
    assert!(refused.hint.unwrap().for_terminal().contains("cm token add"));
}

#[test]
fn a_file_of_tokens_that_is_damaged_lets_nobody_in() {
    let (server, [_, _, admin]) = roles();
    let good = server.vault().read_private(token::FILE).unwrap().unwrap();
    server.vault().write_private(token::FILE, &format!("{good}x = [")).unwrap();
    let reply = server.get("/search?q=x", &admin);
    assert_eq!(reply.refusal(), (503, "tokens-unreadable".into()));
    assert!(reply.header("retry-after").is_some() && !reply.body.contains("_tokens"));
    server.vault().write_private(token::FILE, &good).unwrap();
    assert_eq!(server.get("/search?q=x", &admin).status, 200);
}

#[test]
fn a_name_that_is_led_here_and_a_foreign_page_reach_nothing() {
    let server = TestServerConfig::default().run();
    let port = server.address.port();
    let own = format!("http://localhost:{port}");
    let host = format!("localhost:{port}");
    for (headers, note) in [
        (vec![("host", "evil.example")], 421),
        (vec![("host", "evil.example:80"), ("origin", "http://evil.example:80")], 421),
        (vec![("host", &*host), ("origin", "http://evil.example")], 403),
        (vec![("host", &*host), ("origin", "null")], 403),
        (vec![("host", &*host), ("sec-fetch-site", "cross-site")], 403),
        (vec![("host", &*host), ("origin", &*own), ("sec-fetch-site", "same-origin")], 201),
        (vec![("host", "memory.example")], 421),
        (vec![("x-forwarded-for", "10.0.0.7")], 403),
        (vec![("forwarded", "for=10.0.0.7")], 403),
        (vec![("host", "127.0.0.1")], 201),
    ]
    .into_iter()
    .zip(30..)
    .map(|(case, seconds)| (case, NOTE.replace("30", &seconds.to_string())))
    {
        let (mut headers, status) = headers;
        headers.push(("content-type", "application/json"));
        let before = server.head();
        assert_eq!(server.ask("POST", "/observations", &headers, &note).status, status, "{headers:?}");
        assert_eq!(server.head() != before, status == 201, "{headers:?}");
    }
    assert_eq!(server.ask("OPTIONS", "/observations", &[("origin", &own), ("host", &host)], "").status, 405);
    let form = [("content-type", "text/plain")];
    assert_eq!(server.ask("POST", "/observations", &form, NOTE).refusal(), (415, "media-type".into()));
}

#[test]
fn what_is_mounted_has_the_same_doors() {
    use axum::extract::Request;
    let echo = |request: Request| async move {
        let caller = request.extensions().get::<cm_server::operations::Caller>().unwrap();
        format!("{} {:?}", caller.role, caller.identity.actor)
    };
    let mut start = TestServerConfig::default();
    let token = start.token(AccessRole::Writer, 1);
    start.mounted = vec![NestedService::of("/mcp", axum::Router::new().fallback(echo))];
    let server = start.run();
    assert_eq!(server.get("/mcp", &token).body, "writer Some(\"Ada the writer\")");
    assert_eq!(server.ask("POST", "/mcp", &[], "{}").status, 401);
    let bearer = format!("Bearer {token}");
    let led = [("authorization", &*bearer), ("host", "evil.example")];
    assert_eq!(server.ask("POST", "/mcp", &led, "{}").status, 421);
    let long = [("authorization", &*bearer), ("content-length", "99999999")];
    assert_eq!(server.ask("POST", "/mcp", &long, "").status, 413);
    server.until_logged("\"endpoint\":\"/mcp\"");
}
