//! The endpoints `/health` and `/metrics`.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use super::metrics::{Metric, MetricKind};
use super::problem::Problem;
use super::route::run_limited;
use super::state::ServerState;
use crate::operations::Caller;
use cm_app::{Actor, CallerIdentity};

/// The response of `/health`; details require a token.
pub async fn health(state: &Arc<ServerState>, caller: Option<&Caller>) -> Value {
    let Some(caller) = caller else {
        return json!({ "status": "ok" });
    };
    let kind = match caller.identity.kind {
        Actor::Token(kind) if caller.token.is_some() => Some(kind.name()),
        _ => None,
    };
    let opener = Arc::clone(&state.setup.opener);
    let vault = run_limited(state, &state.reads, "", move || {
        opener(CallerIdentity::default()).map(|_| ()).map_err(Problem::from)
    })
    .await;
    let load = |value: &std::sync::atomic::AtomicU64| value.load(Ordering::Relaxed);
    json!({
        "status": if vault.is_ok() { "ok" } else { "degraded" },
        "vault": vault.err().map(|problem| problem.error.code),
        "token_kind": kind,
        "version": state.setup.version,
        "uptime_s": state.age().as_secs(),
        "stopping": state.stopping.load(Ordering::Relaxed),
        "connections": load(&state.metrics.connections),
        "in_flight": load(&state.metrics.in_flight),
        "reading": state.reads.running(),
        "writing": state.writes.running(),
        "waiting": state.reads.waiting() + state.writes.waiting(),
    })
}

/// The response of `/metrics`: the server's metrics, and the vault's if they are available.
pub async fn metrics(state: &Arc<ServerState>) -> String {
    let mut metrics = vec![
        runner_metric(
            "cm_operations_running",
            "Number of running operations.",
            [state.reads.running(), state.writes.running()],
        ),
        runner_metric(
            "cm_operations_waiting",
            "Number of waiting operations.",
            [state.reads.waiting(), state.writes.waiting()],
        ),
        Metric::of(
            "cm_uptime_seconds",
            "Seconds since the server started.",
            MetricKind::Gauge,
            state.age().as_secs_f64().floor(),
        ),
        Metric::of(
            "cm_log_dropped_total",
            "Number of dropped log lines.",
            MetricKind::Counter,
            state.log.dropped() as f64,
        ),
    ];
    if let Some(vault) = state.setup.vault_metrics.clone() {
        let opener = Arc::clone(&state.setup.opener);
        let of_vault =
            run_limited(state, &state.reads, "", move || Ok(vault(&opener(CallerIdentity::default())?)?))
                .await;
        match of_vault {
            Ok(more) => metrics.extend(more),
            Err(problem) => state.notice("figures", problem.error.to_string()),
        }
    }
    state.metrics.text(&metrics)
}

fn runner_metric(name: &'static str, help: &'static str, counts: [usize; 2]) -> Metric {
    let rows = ["read", "write"].into_iter().zip(counts);
    let rows = rows.map(|(effect, count)| (Some(("operation", effect.to_owned())), count as f64)).collect();
    Metric { name, help, kind: MetricKind::Gauge, rows }
}
