//! Shutdown: running requests finish, new ones are refused, and nothing waits forever.

use std::io::Write;
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use cm_app::Context;
use cm_note::instant::Instant;
use cm_server::http::schedule::JobInterval;
use cm_server::http::{Job, NestedService, ShutdownResult};
use cm_server::operations::OperationResult;
use cm_server::serving::StopSignal;
use serde_json::{Value, json};

use super::support::{Reply, START, TestServerConfig, operation, request, table_with, unique_observation};

/// Operation that blocks until the test releases it, then writes.
fn held(context: &Context, _: Value) -> cm_app::Result<OperationResult> {
    let (began, release) = GATE.get().unwrap();
    began.send(()).unwrap();
    release.lock().unwrap().recv().unwrap();
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    (operation("/observations").run)(context, json!({ "content": unique_observation(number) }))
}

type Gate = (mpsc::Sender<()>, Mutex<mpsc::Receiver<()>>);
static GATE: OnceLock<Gate> = OnceLock::new();
static COUNT: AtomicUsize = AtomicUsize::new(0);

#[test]
fn what_was_asked_before_the_end_is_done_and_what_comes_after_is_refused() {
    let (began, begins) = mpsc::channel();
    let (release, released) = mpsc::channel();
    assert!(GATE.set((began, Mutex::new(released))).is_ok());
    let mut start =
        TestServerConfig { table: table_with("/observations", held), ..TestServerConfig::default() };
    start.limits.writers = 1;
    let mut server = start.run();
    let post =
        request("POST", "/observations", &[("content-type", "application/json")], b"{\"content\": \"x\"}");
    let mut running = server.connect();
    running.write_all(&post).unwrap();
    begins.recv().unwrap();
    // This request is queued.
    let mut waiting = server.connect();
    waiting.write_all(&post).unwrap();
    server.until_metric("cm_operations_waiting{operation=\"write\"} 1");
    // The client of this one disconnects, so the operation never starts.
    let mut left = server.connect();
    left.write_all(&post).unwrap();
    server.until_metric("cm_operations_waiting{operation=\"write\"} 2");
    drop(left);
    server.until_metric("cm_operations_waiting{operation=\"write\"} 1");
    let idle = server.connect();
    server.request_shutdown();
    server.until_logged("stopping");
    while TcpStream::connect(server.address).is_ok() {
        std::thread::sleep(Duration::from_millis(5));
    }
    release.send(()).unwrap();
    release.send(()).unwrap();
    for mut stream in [running, waiting] {
        let reply = Reply::read(&mut stream);
        assert_eq!(reply.status, 201, "{reply:?}");
    }
    assert_eq!(
        server.end(),
        ShutdownResult {
            signal: Some(StopSignal::Terminate),
            aborted_connections: 0,
            unfinished_operations: 0
        }
    );
    assert_eq!(server.added(), 2);
    drop(idle);
}

#[test]
fn who_does_not_end_in_time_is_cut_off() {
    let mut start = TestServerConfig::default();
    start.limits.grace = Duration::from_millis(300);
    let mut server = start.run();
    let mut slow = server.connect();
    let head = "POST /observations HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{";
    slow.write_all(head.as_bytes()).unwrap();
    server.until_metric("cm_http_in_flight 2");
    assert_eq!(server.end().aborted_connections, 1);
}

#[test]
fn what_is_mounted_and_keeps_answers_open_is_told_to_end_them() {
    use axum::body::{Body, Bytes};
    use http_body_util::channel::Channel;
    let (said, told) = tokio::sync::watch::channel(false);
    let stream = move || {
        let mut told = told.clone();
        async move {
            let (mut sender, body) = Channel::<Bytes, axum::Error>::new(1);
            tokio::spawn(async move {
                let _ = sender.send_data(Bytes::from_static(b"first")).await;
                let _ = told.wait_for(|told| *told).await;
                drop(sender);
            });
            Body::new(body)
        }
    };
    let end = Arc::new(move || said.send(true).unwrap_or_default());
    let mount = NestedService { end, ..NestedService::of("/mcp", axum::Router::new().fallback(stream)) };
    let mut server = TestServerConfig { mounted: vec![mount], ..TestServerConfig::default() }.run();
    let mut open = server.connect();
    open.write_all(&request("GET", "/mcp", &[], b"")).unwrap();
    server.until_logged("\"/mcp\"");
    assert_eq!(
        server.end(),
        ShutdownResult {
            signal: Some(StopSignal::Terminate),
            aborted_connections: 0,
            unfinished_operations: 0
        }
    );
    assert!(Reply::read(&mut open).body.contains("first"));
}

#[test]
fn a_job_is_told_to_end_and_waited_for() {
    let done = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&done);
    let job = Job {
        name: "reflect",
        interval: JobInterval::Daily { minute_of_day: 0 },
        last: Some(Instant::from_unix(START - 200_000)),
        run: Arc::new(move |stop| {
            while !stop.is_requested() {
                std::thread::yield_now();
            }
            Ok("ended early".into())
        }),
        done: Arc::new(move |at| {
            kept.lock().unwrap().push(at);
            Ok(())
        }),
    };
    let mut server = TestServerConfig { jobs: vec![job], ..TestServerConfig::default() }.run();
    assert_eq!(server.ask("GET", "/health", &[], "").status, 200);
    let log = Arc::clone(&server.log);
    assert_eq!(server.end().unfinished_operations, 0);
    let job_began = log.lock().unwrap().iter().any(|line| line.contains("ended early"));
    assert_eq!(job_began, done.lock().unwrap().len() == 1);
}
