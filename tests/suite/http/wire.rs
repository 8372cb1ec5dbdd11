//! Malformed requests, and attempts at request smuggling.

use std::io::Write;

use cm_note::token::AccessRole;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::support::{Reply, TestServerConfig};

#[test]
fn a_request_with_two_lengths_is_not_two_requests() {
    let server = TestServerConfig::default().run();
    let hidden = "GET /export HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let head = "POST /observations HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
    for lengths in [
        "content-length: 0\r\ntransfer-encoding: chunked\r\n",
        "transfer-encoding: chunked\r\ncontent-length: 5\r\n",
        "content-length: 0\r\ncontent-length: 5\r\n",
        "content-length: +5\r\n",
        "content-length: 5, 5\r\n",
        "content-length: -1\r\n",
        "content-length: 0x5\r\n",
        "transfer-encoding: xchunked\r\n",
        "transfer-encoding: chunked, identity\r\n",
        "transfer-encoding : chunked\r\n",
        "transfer-encoding: chunked\r\ntransfer-encoding: x\r\n",
        "content-length: 5\r\n transfer-encoding: chunked\r\n",
    ] {
        let reply = server.send(format!("{head}{lengths}\r\n0\r\n\r\n{hidden}").as_bytes());
        assert_eq!(reply.status, 400, "{lengths:?}: {reply:?}");
        assert!(!reply.body.contains("HTTP/1.1 2"), "{lengths:?}: {reply:?}");
    }
    assert!(server.added() == 0);
    assert!(server.log.lock().unwrap().iter().all(|line| !line.contains("/export")));
}

#[test]
fn a_sound_request_whose_length_is_given_twice_is_refused_and_does_nothing() {
    let server = TestServerConfig::default().run();
    let body = r#"{"content": "The gateway drops idle sockets after 60 s.", "category": "gotcha"}"#;
    let length = body.len();
    let head = "POST /observations HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
    let chunked = format!("{length:x}\r\n{body}\r\n0\r\n\r\n");
    for (lengths, body) in [
        (format!("content-length: {length}\r\ncontent-length: {length}\r\n"), body),
        (format!("transfer-encoding: chunked\r\ncontent-length: {length}\r\n"), chunked.as_str()),
        (format!("content-length: {length}\r\ntransfer-encoding: chunked\r\n"), chunked.as_str()),
    ] {
        let reply = server.send(format!("{head}{lengths}\r\n{body}").as_bytes());
        assert_eq!(reply.status, 400, "{lengths:?}: {reply:?}");
    }
    assert_eq!(server.added(), 0);
    let reply = server.send(format!("{head}transfer-encoding: chunked\r\n\r\n{chunked}").as_bytes());
    assert!(reply.status == 200 || reply.status == 201, "{reply:?}");
}

#[test]
fn a_path_leads_to_an_endpoint_or_nowhere() {
    let server = TestServerConfig::default().run();
    for path in [
        "/",
        "//search?q=x",
        "/search/?q=x",
        "/search%00?q=x",
        "/../search?q=x",
        "/./search?q=x",
        "/%73earch?q=x",
        "/search;a=b?q=x",
        "/SEARCH?q=x",
        "/health/../metrics",
        "/..%2f..%2fetc%2fpasswd",
        "/search%0d%0aset-cookie:a",
        "/memory_tool_only",
        "/mcp",
    ] {
        let reply = server.ask("GET", path, &[], "");
        assert_eq!(reply.refusal(), (404, "no-endpoint".into()), "{path}");
        assert!(!reply.head.contains("set-cookie"));
    }
    for bytes in [
        "GET /sea rch HTTP/1.1\r\nhost: localhost\r\n\r\n",
        "GET \0 HTTP/1.1\r\n\r\n",
        "\x16\x03\x01\r\n\r\n",
        "GET\r\n\r\n",
    ] {
        assert!(matches!(server.send(bytes.as_bytes()).status, 0 | 400), "{bytes:?}");
    }
}

#[test]
fn no_value_of_a_request_becomes_a_line_of_an_answer_or_of_the_log() {
    let server = TestServerConfig::default().run();
    for (given, kept) in
        [("abc-1.2_3", true), ("a b", false), ("a\"b", false), ("{}", false), (&*"a".repeat(65), false)]
    {
        let reply = server.ask("GET", "/health", &[("x-request-id", given)], "");
        let name = reply.header("x-request-id").unwrap();
        assert_eq!(name == given, kept, "{given}");
        assert!(!name.is_empty());
    }
    let reply =
        server.ask("GET", "/search?q=needle-in-the-query%0a%22x", &[("user-agent", "needle\\u0022")], "");
    assert_eq!(reply.status, 200);
    server.ask("GET", "/needle-in-the-path", &[], "");
    server.ask("NEEDLE", "/search", &[], "");
    server.until_logged("OTHER");
    let log = server.log.lock().unwrap().join("\n");
    assert!(!log.to_ascii_lowercase().contains("needle"), "{log}");
    for line in log.lines() {
        assert!(serde_json::from_str::<serde_json::Value>(line).unwrap().is_object());
    }
}

#[test]
fn methods_that_lead_elsewhere_lead_nowhere() {
    let server = TestServerConfig::default().run();
    let asked = |line: &str| {
        server.send(format!("{line} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").as_bytes())
    };
    assert_eq!(asked("CONNECT evil.example:443").refusal(), (400, "host".into()));
    assert!(matches!(asked("CONNECT localhost:443").status, 400 | 404 | 405));
    assert_eq!(asked("OPTIONS *").status, 404);
    assert_eq!(asked("GET http://evil.example/search?q=x").refusal(), (400, "host".into()));
    assert_eq!(asked("GET http://localhost/search?q=x").status, 200);
    assert!(matches!(server.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").status, 0 | 400 | 505));
    assert_eq!(server.send(b"GET /health HTTP/1.0\r\n\r\n").refusal(), (400, "host".into()));
}

#[test]
fn any_bytes_on_a_connection() {
    let server = TestServerConfig::default().run();
    let given = ("(GET|POST) /(search|observations)", prop::collection::vec(any::<u8>(), 0..300));
    let asked = |(head, bytes): (String, Vec<u8>)| {
        let whole =
            [head.as_bytes(), b" HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n", &bytes].concat();
        for said in [&bytes, &whole] {
            let mut stream = server.connect();
            stream.write_all(said).unwrap();
            let _ = stream.shutdown(std::net::Shutdown::Write);
            let reply = Reply::read(&mut stream);
            prop_assert!(reply.status < 500, "{:?}", reply);
        }
        prop_assert_eq!(server.ask("GET", "/health", &[], "").status, 200);
        Ok(())
    };
    TestRunner::new(ProptestConfig::with_cases(64)).run(&given, asked).unwrap();
}

#[test]
fn several_requests_on_one_connection_are_answered_in_order() {
    let server = TestServerConfig::default().run();
    let mut stream = server.connect();
    let one = "GET /health HTTP/1.1\r\nhost: localhost\r\nx-request-id: one\r\n\r\n";
    let two = "GET /nowhere HTTP/1.1\r\nhost: localhost\r\nx-request-id: two\r\nconnection: close\r\n\r\n";
    stream.write_all(format!("{one}{two}").as_bytes()).unwrap();
    let reply = Reply::read(&mut stream);
    assert!(
        reply.head.contains("x-request-id: one") && reply.body.contains("x-request-id: two"),
        "{reply:?}"
    );
}

#[test]
fn every_answer_is_json_with_its_headers_and_other_methods_are_named() {
    let start = TestServerConfig::default();
    let token = start.token(AccessRole::Admin, 1);
    let server = start.run();
    for (method, target, status) in [
        ("GET", "/health", 200),
        ("GET", "/search?q=x", 200),
        ("GET", "/search", 400),
        ("GET", "/search?q=x&nope=1", 400),
        ("GET", "/nowhere", 404),
        ("POST", "/search", 405),
        ("DELETE", "/health", 405),
        ("GET", "/observations", 405),
        ("TRACE", "/search", 405),
    ] {
        let reply = server.ask(method, target, &[("authorization", &format!("Bearer {token}"))], "");
        assert_eq!(reply.status, status, "{method} {target}");
        assert!(reply.json().is_object());
        assert_eq!(reply.header("content-type"), Some("application/json"));
        assert_eq!(reply.header("cache-control"), Some("no-store"));
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        assert!(reply.header("x-request-id").is_some());
        if status == 405 {
            assert!(reply.header("allow").is_some(), "{reply:?}");
        }
    }
    let head = server.ask("HEAD", "/search?q=x", &[("authorization", &format!("Bearer {token}"))], "");
    assert_eq!((head.status, head.body.as_str()), (200, ""));
}
