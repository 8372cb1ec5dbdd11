//! Tests of the server's metrics.

use std::sync::Arc;

use cm_app::verbs::stats;
use cm_app::{Error, ErrorKind};
use cm_note::token::AccessRole;
use cm_server::http::{Metric, MetricKind};

use super::support::TestServerConfig;

#[test]
fn liveness_is_for_everybody_and_details_are_for_who_has_a_token() {
    let start = TestServerConfig::default();
    let token = start.token(AccessRole::Reader, 1);
    let server = start.run();
    assert_eq!(server.ask("GET", "/health", &[], "").body, "{\"status\":\"ok\"}");
    let details = server.get("/health", &token).json();
    for key in ["version", "uptime_s", "connections", "in_flight", "waiting", "stopping"] {
        assert!(details.get(key).is_some(), "{key} in {details}");
    }
}

#[test]
fn figures_count_what_was_answered() {
    let start = TestServerConfig::default();
    let token = start.token(AccessRole::Admin, 1);
    let server = start.run();
    server.get("/search?q=x", &token);
    server.get("/search?q=x&limit=no", &token);
    server.ask("GET", "/nowhere", &[], "");
    let text = server.get("/metrics", &token).body;
    for line in [
        "cm_http_requests_total{endpoint=\"/search\",method=\"GET\",status=\"200\"} 1",
        "cm_http_requests_total{endpoint=\"/search\",method=\"GET\",status=\"400\"} 1",
        "cm_http_requests_total{endpoint=\"other\",method=\"GET\",status=\"401\"} 1",
        "cm_http_request_seconds_count{endpoint=\"/search\"} 2",
        "cm_http_in_flight 1",
        "cm_operations_waiting{operation=\"write\"} 0",
        "cm_log_dropped_total 0",
    ] {
        assert!(text.lines().any(|found| found == line), "no {line} in {text}");
    }
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (_, value) = line.rsplit_once(' ').unwrap();
        assert!(value.parse::<f64>().is_ok(), "{line}");
    }
}

#[test]
fn figures_of_the_vault_stand_beside_and_their_failure_hides_no_other() {
    for fails in [false, true] {
        let asked = move |context: &cm_app::Context| {
            if fails {
                return Err(Error::new(ErrorKind::Failed, "index", "the index is away"));
            }
            Ok(vec![Metric::of(
                "cm_notes",
                "Notes of the vault.",
                MetricKind::Gauge,
                stats::kinds(context)?.values().sum::<usize>() as f64,
            )])
        };
        let start = TestServerConfig { vault_metrics: Some(Arc::new(asked)), ..TestServerConfig::default() };
        let server = start.run();
        let text = server.ask("GET", "/metrics", &[], "").body;
        assert!(text.contains("cm_http_in_flight 1\n"));
        assert_eq!(text.contains("cm_notes 1\n"), !fails, "{text}");
        if fails {
            server.until_logged("the index is away");
        }
    }
}

#[test]
fn the_log_has_a_line_a_request() {
    let start = TestServerConfig::default();
    let token = start.token(AccessRole::Reader, 1);
    let server = start.run();
    server.get("/search?q=quiet", &token);
    let line: serde_json::Value = serde_json::from_str(&server.until_logged("/search")).unwrap();
    assert_eq!(line["endpoint"], "/search");
    assert_eq!(line["status"], 200);
    assert_eq!(line["address"], "127.0.0.1");
    assert_eq!(line["token"].as_str().unwrap().len(), 8);
    assert!(!token.contains(line["token"].as_str().unwrap()) && !line.to_string().contains("quiet"));
}
