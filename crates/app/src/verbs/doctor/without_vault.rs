//! Checks of a machine without a vault, whose hooks call a team server.

use super::{HealthCheck, HealthReport, count};
use crate::context::request::Request;
use crate::error::Result;
use crate::verbs::hooks::{ServerState, TokenOrigin, used_server};
use crate::verbs::server_client::api::ServerApi;
use crate::verbs::server_client::connection::ServerConnection;
use crate::verbs::server_client::reachability::Outage;
use std::time::Duration;

/// Maximum wait for the server's answer.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Checks the settings, the connection and what waits for the server; `None` if the hooks of this folder
/// call none.
///
/// # Errors
/// Private files that cannot be read.
pub fn without_vault(request: &Request) -> Result<Option<HealthReport>> {
    let Some((connection, state)) = ServerConnection::of_request(request)?.zip(used_server(request)?) else {
        return Ok(None);
    };
    let state = answered(request, &connection, state)?;
    let mut checks = vec![settings(request, &connection), server(&state), token(&state)];
    checks.extend(uploads(&state));
    Ok(Some(HealthReport { vault: None, checks, fixed: Vec::new() }))
}

/// Asks the server for what a hook would get, and returns the state with its answer.
fn answered(request: &Request, connection: &ServerConnection, state: ServerState) -> Result<ServerState> {
    let refuses_uploads = Outage::of(connection).is_some_and(|outage| outage.is_read_only);
    Ok(match ServerApi::with(connection, request, None, None)?.memory_md(TIMEOUT) {
        Err(failure) => ServerState {
            failing_since: state.failing_since.or_else(|| Some(request.now.to_string())),
            cause: Some(failure.cause),
            ..state
        },
        Ok(_) if refuses_uploads => state,
        Ok(_) => ServerState { failing_since: None, cause: None, ..state },
    })
}

fn settings(request: &Request, connection: &ServerConnection) -> HealthCheck {
    match connection.settings(request) {
        Ok(_) => HealthCheck::ok("settings", "all valid"),
        Err(error) => HealthCheck::of_error("settings", error),
    }
}

fn server(state: &ServerState) -> HealthCheck {
    const NAME: &str = "server";
    let url = &state.url;
    match (&state.failing_since, &state.cause) {
        (Some(since), Some(cause)) => {
            let message = format!("{url} is failing since {since}: {cause}");
            match is_token_refused(state) {
                true => HealthCheck::warn(NAME, message, NEW_TOKEN),
                false => HealthCheck::warn(NAME, message, "`cm hooks deliver` tries again"),
            }
        }
        _ => HealthCheck::ok(NAME, format!("{url} answers")),
    }
}

/// Remedy for a token that the server does not accept.
const NEW_TOKEN: &str = "get a new token from who runs the server, and pass it with `cm hooks install --server URL --token-file FILE`";

/// Whether the server's last answer refused the token.
fn is_token_refused(state: &ServerState) -> bool {
    state.cause.as_ref().is_some_and(|cause| cause.contains("status 401"))
}

fn token(state: &ServerState) -> HealthCheck {
    let message = match state.token {
        TokenOrigin::Stored => "in your private files",
        TokenOrigin::Environment => "in the environment variable CM_TOKEN",
        TokenOrigin::None => "none",
    };
    match is_token_refused(state) {
        true => HealthCheck::warn("token", format!("{message}; the server does not accept it"), NEW_TOKEN),
        false => HealthCheck::ok("token", message),
    }
}

fn uploads(state: &ServerState) -> Vec<HealthCheck> {
    const NAME: &str = "uploads";
    let waiting = match (state.waiting, state.incomplete) {
        (0, 0) => HealthCheck::ok(NAME, "no pending uploads"),
        (waiting, 0) => HealthCheck::ok(NAME, format!("{} waiting", count(waiting, "upload"))),
        (waiting, incomplete) => {
            let message = format!(
                "the outbox is full: {} waiting, and a part of {}",
                count(waiting, "upload"),
                count(incomplete, "session")
            );
            HealthCheck::warn(NAME, message, "`cm hooks deliver` sends them")
        }
    };
    let refused = (state.refused_total > 0).then(|| {
        let message = format!("{} rejected permanently", count(state.refused_total, "upload"));
        let hint = "`cm hooks status` shows why, and `cm hooks deliver --refused` sends them again";
        HealthCheck::warn("refused", message, hint)
    });
    [waiting].into_iter().chain(refused).collect()
}
