//! Tests of limits: size, rate, timeouts and number of connections.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use cm_note::token::AccessRole;
use cm_server::http::HttpLimits;

use super::support::{Reply, TestServer, TestServerConfig, request, table_with, unique_observation};

const JSON: (&str, &str) = ("content-type", "application/json");

fn with(change: impl FnOnce(&mut HttpLimits)) -> TestServer {
    let mut start = TestServerConfig::default();
    change(&mut start.limits);
    start.run()
}

#[test]
fn a_body_beyond_five_mebibytes_is_refused_however_it_comes() {
    let server = with(|_| {});
    let big = format!("{{\"content\": \"{}\"}}", "a".repeat(6 << 20));
    assert_eq!(server.ask("POST", "/observations", &[JSON], &big).refusal(), (413, "too-long".into()));
    // Without a `Content-Length`.
    let chunk = "a".repeat(1 << 20);
    let chunks: String = (0..6).map(|_| format!("100000\r\n{chunk}\r\n")).collect();
    let head = "POST /observations HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n\
        transfer-encoding: chunked\r\n\r\n";
    assert_eq!(
        server.send(format!("{head}{chunks}0\r\n\r\n").as_bytes()).refusal(),
        (413, "too-long".into())
    );
    // Announced but never sent: the server does not wait.
    let announced = "POST /observations HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n\
        content-length: 9999999999\r\nexpect: 100-continue\r\n\r\n";
    let reply = server.send(announced.as_bytes());
    assert_eq!(reply.refusal(), (413, "too-long".into()));
    assert!(server.added() == 0);
    let fits = format!("{{\"content\": \"{}\"}}{}", unique_observation(1), " ".repeat((5 << 20) - 200));
    assert_eq!(server.ask("POST", "/observations", &[JSON], &fits).status, 201);
}

#[test]
fn a_head_that_is_too_long_is_refused() {
    let server = with(|_| {});
    let long = "a".repeat(20 << 10);
    assert_eq!(server.ask("GET", "/health", &[("x-long", &long)], "").status, 431);
    let many: Vec<String> = (0..100).map(|n| format!("x-{n}")).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|name| (name.as_str(), "1")).collect();
    assert_eq!(server.ask("GET", "/health", &many, "").status, 431);
    let target = format!("/search?q={}", "a".repeat(9_000));
    assert_eq!(server.ask("GET", &target, &[], "").refusal(), (414, "uri-too-long".into()));
    assert_eq!(server.ask("GET", "/health", &[], "").status, 200);
}

#[test]
fn a_head_that_does_not_end_is_hung_up_on() {
    let server = with(|limits| limits.head_timeout = Duration::from_millis(200));
    for begin in ["", "GET /hea", "GET /health HTTP/1.1\r\nhost: localhost\r\nx: "] {
        let mut stream = server.connect();
        stream.write_all(begin.as_bytes()).unwrap();
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
        let said = String::from_utf8_lossy(&rest);
        assert!(said.is_empty() || said.starts_with("HTTP/1.1 408"), "{begin}: {said}");
    }
    // A body that arrives slowly.
    let mut stream = server.connect();
    stream.set_nodelay(true).unwrap();
    let trickle = b"GET /health HTTP/1.1\r\nx-a: ".iter().chain(std::iter::repeat(&b'a'));
    let ended = trickle.take(3_000).any(|byte| {
        std::thread::sleep(Duration::from_millis(5));
        stream.write_all(&[*byte]).is_err()
    });
    assert!(ended, "a trickle is never hung up on");
}

#[test]
fn a_connection_that_says_nothing_more_is_hung_up_on() {
    let server = with(|limits| limits.head_timeout = Duration::from_millis(200));
    let mut stream = server.connect();
    stream.write_all(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    let reply = Reply::read(&mut stream);
    assert_eq!(reply.status, 200);
}

#[test]
fn a_body_that_does_not_come_is_a_time_out() {
    let server = with(|limits| {
        limits.body_pause_timeout = Duration::from_millis(200);
        limits.body_timeout = Duration::from_millis(600);
    });
    let head = "POST /observations HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n\
        content-length: 1000\r\n\r\n{";
    assert_eq!(server.send(head.as_bytes()).refusal(), (408, "slow-body".into()));
    // A slow body without long pauses still exceeds the total time.
    let mut stream = server.connect();
    stream.write_all(head.as_bytes()).unwrap();
    let mut writing = stream.try_clone().unwrap();
    std::thread::spawn(move || {
        for _ in 0..999 {
            std::thread::sleep(Duration::from_millis(20));
            if writing.write_all(b" ").is_err() {
                return;
            }
        }
    });
    assert_eq!(Reply::read(&mut stream).refusal(), (408, "slow-body".into()));
    // A truncated body does not create a note.
    let mut stream = server.connect();
    stream.write_all(head.as_bytes()).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let reply = Reply::read(&mut stream);
    assert!(matches!(reply.status, 0 | 400), "{reply:?}");
    assert!(server.added() == 0);
}

/// Operation with a result of 12 MiB.
fn long(_: &cm_app::Context, _: serde_json::Value) -> cm_app::Result<cm_server::operations::OperationResult> {
    let json = serde_json::json!({ "document": "a".repeat(12 << 20) });
    Ok(cm_server::operations::OperationResult { json, text: String::new() })
}

#[test]
fn a_client_that_does_not_take_its_answer_is_hung_up_on() {
    let mut start = TestServerConfig { table: table_with("/export", long), ..TestServerConfig::default() };
    start.limits.write_timeout = Duration::from_millis(200);
    let server = start.run();
    let mut stream = server.connect();
    stream.write_all(&request("GET", "/export", &[], b"")).unwrap();
    server.until_logged("/export");
    server.until_metric("cm_http_connections 1");
    drop(stream);
}

#[test]
fn who_asks_too_often_is_told_when_to_come_back() {
    let mut start = TestServerConfig::default();
    let [ada, bob] = [1, 2].map(|random| start.token(AccessRole::Reader, random));
    start.limits.token.burst = 3;
    start.limits.token.per_second = 1;
    let server = start.run();
    let replies: Vec<Reply> = (0..5).map(|_| server.get("/search?q=x", &ada)).collect();
    assert!(replies[..3].iter().all(|reply| reply.status == 200), "{replies:?}");
    let refused = replies.iter().find(|reply| reply.status != 200).expect("five at once are too many");
    assert_eq!(refused.refusal(), (429, "too-often".into()));
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(server.get("/search?q=x", &bob).status, 200, "one does not use up another's");
}

#[test]
fn an_address_has_a_share_of_its_own_whoever_asks_from_it() {
    let server = with(|limits| {
        limits.address.burst = 3;
        limits.address.per_second = 1;
    });
    let statuses: Vec<u16> = (0..8).map(|_| server.ask("GET", "/health", &[], "").status).collect();
    assert!(statuses.starts_with(&[200, 200, 200]) && statuses.contains(&429), "{statuses:?}");
    #[cfg(target_os = "linux")]
    assert_eq!(from(&server, [127, 0, 0, 2]).status, 200);
}

#[test]
fn who_tries_keys_is_slowed_down_and_locks_nobody_out() {
    let mut start = TestServerConfig::default();
    let good = start.token(AccessRole::Reader, 1);
    start.limits.failures.burst = 5;
    start.limits.failures.per_second = 1;
    let server = start.run();
    let wrong = format!("cm_{}", "1".repeat(64));
    let statuses: Vec<u16> = (0..12).map(|_| server.get("/search?q=x", &wrong).status).collect();
    assert!(statuses.starts_with(&[401; 5]) && statuses.contains(&429), "{statuses:?}");
    assert_eq!(server.get("/search?q=x", &good).status, 200);
}

/// Opens `count` connections with incomplete requests, or as many as the system allows.
fn half_words(server: &TestServer, count: usize) -> Vec<TcpStream> {
    let half = |_| {
        let mut stream = TcpStream::connect(server.address).ok()?;
        let _ = stream.write_all(b"GET /se");
        Some(stream)
    };
    (0..count).map_while(half).collect()
}

/// Sends a request from another loopback address.
#[cfg(target_os = "linux")]
fn from(server: &TestServer, own: [u8; 4]) -> Reply {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut stream = runtime.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind((own, 0).into()).unwrap();
        socket.connect(server.address).await.unwrap().into_std().unwrap()
    });
    stream.set_nonblocking(false).unwrap();
    stream.write_all(&request("GET", "/search?q=x", &[], b"")).unwrap();
    Reply::read(&mut stream)
}

#[cfg(target_os = "linux")]
#[test]
fn hundreds_of_half_words_keep_nobody_else_out() {
    let server = with(|limits| {
        limits.connections = 40;
        limits.connections_each = 20;
        limits.head_timeout = Duration::from_secs(5);
    });
    let crowd = half_words(&server, 300);
    assert_eq!(crowd.len(), 300, "the system gives fewer connections");
    assert_eq!(from(&server, [127, 0, 0, 2]).status, 200, "another address has its own share");
    let metrics = from(&server, [127, 0, 0, 2]);
    assert_eq!(metrics.status, 200);
    // Connections above the limit are refused with a response.
    let told = crowd.iter().skip(20).any(|stream| {
        let mut stream = stream.try_clone().unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
        let reply = Reply::read(&mut stream);
        reply.status == 503 && reply.refusal().1 == "connections" && reply.header("retry-after").is_some()
    });
    assert!(told, "none of those that were turned away heard why");
    // After the timeout of the incomplete requests, their address is served again.
    while server.ask("GET", "/search?q=x", &[], "").status != 200 {
        std::thread::sleep(Duration::from_millis(50));
    }
    drop(crowd);
}

#[cfg(target_os = "linux")]
#[test]
fn half_words_make_room_sooner_where_an_address_has_many_of_them() {
    let server = with(|limits| {
        limits.connections = 40;
        limits.connections_each = 20;
        limits.head_timeout = Duration::from_secs(600);
        limits.crowded_head_timeout = Duration::from_millis(200);
    });
    let crowd = half_words(&server, 60);
    assert_eq!(from(&server, [127, 0, 0, 2]).status, 200);
    while server.ask("GET", "/search?q=x", &[], "").status != 200 {
        std::thread::sleep(Duration::from_millis(50));
    }
    drop(crowd);
}

#[test]
fn a_note_with_thousands_of_tags_is_refused_before_anything_is_done_with_them() {
    let server = TestServerConfig::default().run();
    let tags: Vec<String> = (0..200_000).map(|number| format!("t{number}")).collect();
    let content = unique_observation(1);
    let sent = serde_json::json!({ "content": content, "tags": tags }).to_string();
    let reply = server.ask("POST", "/observations", &[JSON], &sent);
    assert_eq!(reply.status, 400, "{reply:?}");
    assert!(reply.body.contains("at most 100 tags; this one has 200000"), "{}", reply.body);
    let sent = serde_json::json!({ "content": content, "tags": tags[..100] }).to_string();
    let reply = server.ask("POST", "/observations", &[JSON], &sent);
    assert_eq!(reply.status, 201, "{reply:?}");
    let id = reply.json()["id"].as_str().unwrap().to_owned();
    for more in [serde_json::json!({ "add_tags": ["more"] }), serde_json::json!({ "set": { "tags": tags } })]
    {
        let mut sent = more;
        sent["id"] = id.clone().into();
        let reply = server.ask("POST", "/update", &[JSON], &sent.to_string());
        assert!(reply.status == 400 && reply.body.contains("at most 100 tags"), "{reply:?}");
    }
}

#[test]
fn a_control_character_is_named_as_the_reason() {
    let server = TestServerConfig::default().run();
    let sent = serde_json::json!({ "content": "hello \0 nul in a longer text here" }).to_string();
    let reply = server.ask("POST", "/observations", &[JSON], &sent);
    assert!(reply.status == 400 && reply.body.contains("U+0000"), "{reply:?}");
}
