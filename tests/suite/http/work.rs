//! Execution of operations: concurrency limits, failures as responses, and background jobs.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use cm_app::{Error, ErrorKind};
use cm_note::instant::Instant;
use cm_server::http::Job;
use cm_server::http::schedule::JobInterval;

use super::support::{START, TestServerConfig, operation, table_with, unique_observation};

const JSON: (&str, &str) = ("content-type", "application/json");

#[test]
fn writers_at_once_lose_nothing() {
    let server = TestServerConfig::default().run();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let server = &server;
            scope.spawn(move || {
                for n in 0..5 {
                    let body = format!("{{\"content\": \"{}\"}}", unique_observation(100 * writer + n));
                    assert_eq!(server.ask("POST", "/observations", &[JSON], &body).status, 201);
                    assert_eq!(server.ask("GET", "/search?q=writer", &[], "").status, 200);
                }
            });
        }
    });
    assert_eq!(server.added(), 20);
    assert_eq!(server.sandbox.git(&["status", "--porcelain"]), "");
}

#[test]
fn the_same_observation_of_several_at_once_is_stored_once() {
    let server = TestServerConfig::default().run();
    let body = format!("{{\"content\": \"{}\"}}", unique_observation(1));
    std::thread::scope(|scope| {
        for _ in 0..6 {
            let (server, body) = (&server, &body);
            scope.spawn(move || assert_eq!(server.ask("POST", "/observations", &[JSON], body).status, 201));
        }
    });
    assert_eq!(server.added(), 1);
}

#[test]
fn who_wrote_finds_it_at_once_while_others_write() {
    let server = TestServerConfig::default().run();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let server = &server;
            scope.spawn(move || {
                for n in 0..4 {
                    let body = format!("{{\"content\": \"{}\"}}", unique_observation(50 * writer + n));
                    let made = server.ask("POST", "/observations", &[JSON], &body).json();
                    let word = unique_observation(50 * writer + n);
                    let target = format!("/search?limit=100&q={}", word.split(' ').next().unwrap());
                    let found = server.ask("GET", &target, &[], "").body;
                    assert!(found.contains(made["id"].as_str().unwrap()), "{found}");
                }
            });
        }
    });
}

/// Set to let the running operation finish.
static ENOUGH: AtomicBool = AtomicBool::new(false);

/// Operation that runs until `ENOUGH` is set.
fn busy(_: &cm_app::Context, _: serde_json::Value) -> cm_app::Result<cm_server::operations::OperationResult> {
    while !ENOUGH.load(Ordering::Relaxed) {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    Ok(cm_server::operations::OperationResult {
        json: serde_json::json!({ "hits": [], "total": 0 }),
        text: String::new(),
    })
}

#[test]
fn who_finds_all_turns_taken_is_told_to_come_back() {
    let mut start = TestServerConfig { table: table_with("/search", busy), ..TestServerConfig::default() };
    start.limits.readers = 1;
    start.limits.queue = 0;
    let server = start.run();
    std::thread::scope(|scope| {
        let first = scope.spawn(|| server.ask("GET", "/search?q=x", &[], ""));
        server.until_metric("cm_operations_running{operation=\"read\"} 1");
        let reply = server.ask("GET", "/search?q=x", &[], "");
        assert_eq!(reply.refusal(), (503, "busy".into()));
        assert_eq!(reply.header("retry-after"), Some("1"));
        // Running readers do not block writers.
        let enough = format!("{{\"content\": \"{}\"}}", unique_observation(1));
        assert_eq!(server.ask("POST", "/observations", &[JSON], &enough).status, 201);
        ENOUGH.store(true, Ordering::Relaxed);
        assert_eq!(first.join().unwrap().status, 200);
    });
}

/// Operation that panics on the content `boom`.
fn broken(
    context: &cm_app::Context,
    given: serde_json::Value,
) -> cm_app::Result<cm_server::operations::OperationResult> {
    assert!(given["content"] != "boom", "as asked for");
    (operation("/observations").run)(context, given)
}

#[test]
fn a_panic_is_one_answer_and_not_the_end() {
    let server =
        TestServerConfig { table: table_with("/observations", broken), ..TestServerConfig::default() }.run();
    let reply = server.ask("POST", "/observations", &[JSON], "{\"content\": \"boom\"}");
    assert_eq!(reply.refusal(), (500, "internal".into()));
    assert!(!reply.body.contains("as asked for"));
    assert_eq!(server.ask("POST", "/observations", &[JSON], "{\"content\": \"fine as it is\"}").status, 201);
    server.until_logged("panic");
}

#[test]
fn a_refusal_of_an_operation_is_the_document_of_all_surfaces() {
    let server = TestServerConfig::default().run();
    let mut printed = server.sandbox.cm(&["mark", "nowhere", "--helpful", "--json"]).json();
    printed["error"]["hint"] = "`GET /search` finds notes by their words".into();
    let reply =
        server.ask("POST", "/feedback", &[JSON], "{\"memoryId\": \"nowhere\", \"signal\": \"helpful\"}");
    assert_eq!((reply.status, reply.json()), (404, printed));
    let heavy = "{\"memoryId\": \"b-mt2ssunl\", \"signal\": \"helpful\", \"weight\": 3}";
    assert_eq!(server.ask("POST", "/feedback", &[JSON], heavy).refusal(), (400, "usage".into()));
    let secret =
        format!("{{\"content\": \"The key is ghp_{}.\"}}", "aB3dE5gH7j".repeat(4).get(..36).unwrap());
    assert_eq!(server.ask("POST", "/observations", &[JSON], &secret).status, 409);
    assert_eq!(server.added(), 0);
}

fn job(
    name: &'static str,
    interval: JobInterval,
    last: Option<i64>,
    fails: usize,
) -> (Job, Arc<AtomicUsize>, Arc<Mutex<Vec<i64>>>) {
    let (runs, done) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(Vec::new())));
    let (counted, kept) = (Arc::clone(&runs), Arc::clone(&done));
    let job = Job {
        name,
        interval,
        last: last.map(Instant::from_unix),
        run: Arc::new(move |_| {
            if counted.fetch_add(1, Ordering::Relaxed) < fails {
                return Err(Error::new(ErrorKind::Failed, "model", "the model is away"));
            }
            Ok("3 rules".to_owned())
        }),
        done: Arc::new(move |at| {
            kept.lock().unwrap().push(at.unix());
            Ok(())
        }),
    };
    (job, runs, done)
}

#[test]
fn jobs_run_when_the_clock_says_so_and_what_failed_is_tried_again() {
    let (reflect, reflected, kept) =
        job("reflect", JobInterval::Daily { minute_of_day: 180 }, Some(START - 3 * 86_400), 1);
    let (decay, decayed, _) = job("decay", JobInterval::Weekly { weekday: 6, minute_of_day: 270 }, None, 0);
    let start = TestServerConfig { jobs: vec![reflect, decay], ..TestServerConfig::default() };
    let clock = Arc::clone(&start.clock);
    let mut server = start.run();
    server.until_logged("reflect: the model is away");
    assert_eq!((reflected.load(Ordering::Relaxed), decayed.load(Ordering::Relaxed)), (1, 0));
    clock.store(START + 3_600, Ordering::Relaxed);
    server.until_logged("reflect: 3 rules");
    clock.store(START + 8 * 86_400, Ordering::Relaxed);
    server.until_logged("decay: 3 rules");
    while kept.lock().unwrap().len() < 2 {
        std::thread::yield_now();
    }
    assert_eq!(*kept.lock().unwrap(), [START + 3_600, START + 8 * 86_400]);
    let metrics = server.ask("GET", "/metrics", &[], "").body;
    assert!(metrics.contains("cm_job_runs_total{job=\"reflect\",result=\"failed\"} 1\n"), "{metrics}");
    server.end();
}
