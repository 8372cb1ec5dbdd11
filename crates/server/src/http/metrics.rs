//! Server metrics in Prometheus format.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

/// Upper bounds of the latency histogram's buckets, in microseconds.
const LATENCY_BOUNDS_MICROS: [u64; 14] = [
    500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
    5_000_000, 10_000_000,
];

/// How a metric's value changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricKind {
    /// It only grows.
    Counter,
    Gauge,
}

/// A metric whose value is supplied by other code, such as the number of notes.
#[derive(Debug, Clone, PartialEq)]
pub struct Metric {
    /// Name, such as `cm_notes`.
    pub name: &'static str,
    /// Help text.
    pub help: &'static str,
    pub kind: MetricKind,
    /// Samples: an optional label with its value, and the number.
    pub rows: Vec<(Option<(&'static str, String)>, f64)>,
}

impl Metric {
    /// A metric with a single sample.
    pub fn of(name: &'static str, help: &'static str, kind: MetricKind, value: f64) -> Self {
        Self { name, help, kind, rows: vec![(None, value)] }
    }
}

/// Counters of the server.
#[derive(Debug, Default)]
pub struct Metrics {
    requests: Mutex<BTreeMap<(&'static str, &'static str, u16), u64>>,
    latency: Mutex<BTreeMap<&'static str, Histogram>>,
    /// Number of requests in progress.
    pub in_flight: AtomicU64,
    /// Number of open connections.
    pub connections: AtomicU64,
    /// Number of rejected connections.
    pub rejected_connections: AtomicU64,
    /// Number of requests rejected by each rate limit, in the order of [`RateLimitReason::ALL`].
    limited: [AtomicU64; RateLimitReason::ALL.len()],
    /// Number of runs and of failed runs per job.
    pub jobs: Mutex<BTreeMap<&'static str, (u64, u64)>>,
}

#[derive(Debug, Default, Clone)]
struct Histogram {
    counts: [u64; LATENCY_BOUNDS_MICROS.len()],
    count: u64,
    micros: u64,
}

/// The rate limit that rejected a request.
#[derive(Debug, Clone, Copy)]
pub enum RateLimitReason {
    Token,
    Address,
    /// Limit of failed authentications of the address.
    Failure,
}

impl RateLimitReason {
    const ALL: [Self; 3] = [Self::Token, Self::Address, Self::Failure];

    /// Value of the label `by`.
    fn label(self) -> &'static str {
        match self {
            Self::Token => "token",
            Self::Address => "address",
            Self::Failure => "failure",
        }
    }
}

impl Metrics {
    /// Counts a completed request.
    pub fn answered(&self, endpoint: &'static str, method: &'static str, status: u16, took: Duration) {
        *self.requests.lock().entry((endpoint, method, status)).or_default() += 1;
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let mut latency = self.latency.lock();
        let histogram = latency.entry(endpoint).or_default();
        histogram.count += 1;
        histogram.micros = histogram.micros.saturating_add(micros);
        for (count, bound) in histogram.counts.iter_mut().zip(LATENCY_BOUNDS_MICROS) {
            *count += u64::from(micros <= bound);
        }
    }

    /// Counts a rate-limited request.
    pub fn limit(&self, why: RateLimitReason) {
        self.limited[why as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a run of a job.
    pub fn job(&self, name: &'static str, failed: bool) {
        let mut jobs = self.jobs.lock();
        let (runs, failures) = jobs.entry(name).or_default();
        *runs += 1;
        *failures += u64::from(failed);
    }

    /// All metrics in Prometheus' text format, followed by `others`.
    pub fn text(&self, others: &[Metric]) -> String {
        let mut out = String::new();
        head(&mut out, "cm_http_requests_total", "Requests by endpoint, method and status.", "counter");
        for ((endpoint, method, status), count) in self.requests.lock().iter() {
            let labels = format!("endpoint=\"{endpoint}\",method=\"{method}\",status=\"{status}\"");
            line(&mut out, &format!("cm_http_requests_total{{{labels}}} {count}"));
        }
        self.histograms(&mut out);
        head(&mut out, "cm_http_rate_limited_total", "Requests refused by the rate limit.", "counter");
        for (count, why) in self.limited.iter().zip(RateLimitReason::ALL) {
            let (count, by) = (count.load(Ordering::Relaxed), why.label());
            line(&mut out, &format!("cm_http_rate_limited_total{{by=\"{by}\"}} {count}"));
        }
        let load = |value: &AtomicU64| value.load(Ordering::Relaxed) as f64;
        let own = [
            Metric::of(
                "cm_http_in_flight",
                "Requests in progress.",
                MetricKind::Gauge,
                load(&self.in_flight),
            ),
            Metric::of(
                "cm_http_connections",
                "Open connections.",
                MetricKind::Gauge,
                load(&self.connections),
            ),
            Metric::of(
                "cm_http_turned_away_total",
                "Refused connections.",
                MetricKind::Counter,
                load(&self.rejected_connections),
            ),
        ];
        own.iter().chain(others).for_each(|figure| figure_text(&mut out, figure));
        head(&mut out, "cm_job_runs_total", "Runs of scheduled jobs.", "counter");
        for (name, (runs, failures)) in self.jobs.lock().iter() {
            line(&mut out, &format!("cm_job_runs_total{{job=\"{name}\",result=\"ok\"}} {}", runs - failures));
            line(&mut out, &format!("cm_job_runs_total{{job=\"{name}\",result=\"failed\"}} {failures}"));
        }
        out
    }

    fn histograms(&self, out: &mut String) {
        let name = "cm_http_request_seconds";
        head(out, name, "Request duration by endpoint.", "histogram");
        for (endpoint, histogram) in self.latency.lock().iter() {
            for (count, bound) in histogram.counts.iter().zip(LATENCY_BOUNDS_MICROS) {
                let bound = bound as f64 / 1e6;
                line(out, &format!("{name}_bucket{{endpoint=\"{endpoint}\",le=\"{bound}\"}} {count}"));
            }
            let count = histogram.count;
            line(out, &format!("{name}_bucket{{endpoint=\"{endpoint}\",le=\"+Inf\"}} {count}"));
            let seconds = histogram.micros as f64 / 1e6;
            line(out, &format!("{name}_sum{{endpoint=\"{endpoint}\"}} {seconds}"));
            line(out, &format!("{name}_count{{endpoint=\"{endpoint}\"}} {count}"));
        }
    }
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

fn head(out: &mut String, name: &str, help: &str, kind: &str) {
    // Writing to a string cannot fail.
    let _ = write!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
}

fn figure_text(out: &mut String, figure: &Metric) {
    head(out, figure.name, figure.help, if figure.kind == MetricKind::Counter { "counter" } else { "gauge" });
    for (label, value) in &figure.rows {
        let labels = label.as_ref().map(|(name, text)| format!("{{{name}=\"{}\"}}", escaped(text)));
        line(out, &format!("{}{} {value}", figure.name, labels.unwrap_or_default()));
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_written_in_the_format_of_prometheus() {
        let metrics = Metrics::default();
        metrics.answered("/search", "GET", 200, Duration::from_micros(1_500));
        metrics.answered("/search", "GET", 200, Duration::from_secs(20));
        metrics.limit(RateLimitReason::Failure);
        metrics.job("reflect", true);
        let notes = Metric {
            name: "cm_notes",
            help: "Notes of the vault.",
            kind: MetricKind::Gauge,
            rows: vec![(Some(("type", "a \"b\"\n\\".into())), 3.0)],
        };
        insta::assert_snapshot!(metrics.text(&[notes]), @r#"
        # HELP cm_http_requests_total Requests by endpoint, method and status.
        # TYPE cm_http_requests_total counter
        cm_http_requests_total{endpoint="/search",method="GET",status="200"} 2
        # HELP cm_http_request_seconds Request duration by endpoint.
        # TYPE cm_http_request_seconds histogram
        cm_http_request_seconds_bucket{endpoint="/search",le="0.0005"} 0
        cm_http_request_seconds_bucket{endpoint="/search",le="0.001"} 0
        cm_http_request_seconds_bucket{endpoint="/search",le="0.0025"} 1
        cm_http_request_seconds_bucket{endpoint="/search",le="0.005"} 1
        cm_http_request_seconds_bucket{endpoint="/search",le="0.01"} 1
        cm_http_request_seconds_bucket{endpoint="/search",le="0.025"} 1
        cm_http_request_seconds_bucket{endpoint="/search",le="0.05"} 1
        cm_http_request_seconds_bucket{endpoint="/search",le="0.1"} 1
        cm_http_request_seconds_bucket{endpoint="/search",le="0.25"} 1
        cm_http_request_seconds_bucket{endpoint="/search",le="0.5"} 1
        cm_http_request_seconds_bucket{endpoint="/search",le="1"} 1
        cm_http_request_seconds_bucket{endpoint="/search",le="2.5"} 1
        cm_http_request_seconds_bucket{endpoint="/search",le="5"} 1
        cm_http_request_seconds_bucket{endpoint="/search",le="10"} 1
        cm_http_request_seconds_bucket{endpoint="/search",le="+Inf"} 2
        cm_http_request_seconds_sum{endpoint="/search"} 20.0015
        cm_http_request_seconds_count{endpoint="/search"} 2
        # HELP cm_http_rate_limited_total Requests refused by the rate limit.
        # TYPE cm_http_rate_limited_total counter
        cm_http_rate_limited_total{by="token"} 0
        cm_http_rate_limited_total{by="address"} 0
        cm_http_rate_limited_total{by="failure"} 1
        # HELP cm_http_in_flight Requests in progress.
        # TYPE cm_http_in_flight gauge
        cm_http_in_flight 0
        # HELP cm_http_connections Open connections.
        # TYPE cm_http_connections gauge
        cm_http_connections 0
        # HELP cm_http_turned_away_total Refused connections.
        # TYPE cm_http_turned_away_total counter
        cm_http_turned_away_total 0
        # HELP cm_notes Notes of the vault.
        # TYPE cm_notes gauge
        cm_notes{type="a \"b\"\n\\"} 3
        # HELP cm_job_runs_total Runs of scheduled jobs.
        # TYPE cm_job_runs_total counter
        cm_job_runs_total{job="reflect",result="ok"} 0
        cm_job_runs_total{job="reflect",result="failed"} 1
        "#);
    }
}
