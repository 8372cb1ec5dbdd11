//! A client with many requests does not delay those of others, over real connections.

use std::io::Write as _;
use std::sync::{Condvar, Mutex};

use cm_app::Context;
use cm_note::token::AccessRole;
use cm_server::operations::OperationResult;
use serde_json::{Value, json};

use super::support::{Reply, TestServerConfig, request, table_with, token_for};

/// Whether operations may continue, and the clients served so far, in order.
static SERVED: Mutex<(bool, Vec<String>)> = Mutex::new((false, Vec::new()));
static OPENED: Condvar = Condvar::new();

fn search(context: &Context, _: Value) -> cm_app::Result<OperationResult> {
    let mut served = OPENED.wait_while(SERVED.lock().unwrap(), |(open, _)| !*open).unwrap();
    served.1.push(context.request.caller.actor.clone().unwrap_or_default());
    Ok(OperationResult { json: json!({}), text: String::new() })
}

#[test]
fn a_caller_with_one_request_is_served_among_the_first_of_one_with_many() {
    let mut start = TestServerConfig { table: table_with("/search", search), ..TestServerConfig::default() };
    start.limits.readers = 1;
    let [ada, bob, eve] = [("Ada", 1), ("Bob", 2), ("Eve", 3)]
        .map(|(name, random)| token_for(&start.sandbox, name, AccessRole::Admin, None, random).token);
    let server = start.run();
    let asking = |token: &str| {
        let mut stream = server.connect();
        let bearer = format!("Bearer {token}");
        stream.write_all(&request("GET", "/search?q=x", &[("authorization", &bearer)], b"")).unwrap();
        stream
    };
    let waiting = |count: usize| {
        let line = format!("cm_operations_waiting{{operation=\"read\"}} {count}\n");
        while !server.get("/metrics", &eve).body.contains(&line) {
            std::thread::yield_now();
        }
    };
    let mut streams: Vec<_> = (0..40).map(|_| asking(&ada)).collect();
    waiting(39);
    streams.push(asking(&bob));
    waiting(40);
    SERVED.lock().unwrap().0 = true;
    OPENED.notify_all();
    for stream in &mut streams {
        assert_eq!(Reply::read(stream).status, 200);
    }
    let place = SERVED.lock().unwrap().1.iter().position(|name| name == "Bob").unwrap();
    assert!(place <= 2, "Bob was served after {place} requests of Ada");
}
