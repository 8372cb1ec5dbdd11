//! The server over streamable HTTP, nested in a router: allowed hosts and origins, limits for
//! requests, and the number of sessions. The caller is authenticated before.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use rmcp::ServerHandler;
use rmcp::model::ErrorData;
use rmcp::transport::streamable_http_server::session::SessionManager as _;
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::McpLimits;
use super::sessions::{Callers, SessionOwner};
use super::{error_response, http_batch};
use crate::serving::{TokenEnd, content_length};

/// Which hosts and web origins may send requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OriginPolicy {
    /// Only the given hosts and origins.
    Allow {
        /// Allowed `Host` values, with or without port; if empty, only loopback names.
        hosts: Vec<String>,
        /// Allowed web origins, such as `https://memory.example:443`. Requests without an origin
        /// are allowed.
        origins: Vec<String>,
    },
    /// No checks, because an outer layer has done them.
    Unchecked,
}

impl Default for OriginPolicy {
    /// Loopback hosts and origins.
    fn default() -> Self {
        let own = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];
        Self::Allow { hosts: Vec::new(), origins: own.map(str::to_owned).to_vec() }
    }
}

/// What the middleware needs to admit a request to the MCP endpoint.
#[derive(Clone)]
struct McpEndpointState {
    sessions: Arc<LocalSessionManager>,
    callers: Arc<Callers>,
    limits: Arc<McpLimits>,
}

const SESSION: &str = "mcp-session-id";
/// The only revision with batches.
const BATCHES: &str = "2025-03-26";

/// The MCP router, to be nested below a path such as `/mcp`. Each session of an older revision, and
/// each request of the current one, gets its own handler.
pub fn guarded<H: ServerHandler>(
    session: impl Fn() -> H + Send + Sync + 'static,
    guards: OriginPolicy,
    limits: &McpLimits,
    closing: &CancellationToken,
) -> Router {
    let config = StreamableHttpServerConfig::default().with_cancellation_token(closing.child_token());
    let mut config = match guards {
        OriginPolicy::Unchecked => config.disable_allowed_hosts().disable_allowed_origins(),
        OriginPolicy::Allow { hosts, origins } => {
            let config = config.with_allowed_origins(origins).enforce_origin_validation();
            // An empty list would let every host in.
            if hosts.is_empty() { config } else { config.with_allowed_hosts(hosts) }
        }
    };
    config.max_request_body_bytes = limits.message;
    let mut sessions = LocalSessionManager::default();
    sessions.session_config = SessionConfig::default();
    sessions.session_config.keep_alive = Some(limits.idle);
    let sessions = Arc::new(sessions);
    let protocol = StreamableHttpService::new(move || Ok(session()), Arc::clone(&sessions), config);
    let state = McpEndpointState { sessions, callers: Arc::default(), limits: Arc::new(limits.clone()) };
    Router::new()
        .route_service("/", protocol)
        .layer(middleware::from_fn_with_state(state, session_middleware))
}

/// The part of a message that is parsed before the SDK.
#[derive(Deserialize)]
struct MessageHead {
    method: Option<String>,
}

/// Middleware: checks the owner of the session and the number of concurrent requests.
async fn session_middleware(State(state): State<McpEndpointState>, request: Request, next: Next) -> Response {
    let owner = SessionOwner::of(request.extensions());
    if session(request.headers()).is_some_and(|session| !state.callers.may_use(&session, &owner)) {
        return no_session();
    }
    let Some(place) = state.callers.enter(&owner, state.limits.in_flight_each) else {
        return busy("this caller has too many requests in progress");
    };
    let end = request.extensions().get::<TokenEnd>().cloned().unwrap_or_default();
    let response = read_message(&state, &owner, request, next).await;
    if state.callers.has_sessions(&owner) && state.callers.follow(&owner) {
        tokio::spawn(close_at_end(state, owner, end.clone()));
    }
    place.attach_to(response, end)
}

/// Closes the sessions of a caller when their token ends.
async fn close_at_end(state: McpEndpointState, owner: SessionOwner, end: TokenEnd) {
    end.0.cancelled().await;
    for session in state.callers.end(&owner) {
        // One that is over already needs no closing.
        let _ = state.sessions.close_session(&session.into()).await;
    }
}

/// Reads a request within its limits; rejects invalid messages and sessions beyond the limit.
async fn read_message(
    state: &McpEndpointState,
    owner: &SessionOwner,
    request: Request,
    next: Next,
) -> Response {
    match *request.method() {
        Method::POST => {}
        Method::DELETE => return ended(next.run(request).await),
        _ => return next.run(request).await,
    }
    let (parts, body) = request.into_parts();
    let body = match whole(&parts.headers, body, &state.limits).await {
        Ok(body) => body,
        Err(refused) => return refused.into_response(),
    };
    if body.trim_ascii_start().starts_with(b"[") && state.takes_batches(&parts.headers) {
        let answered = http_batch::answer(&parts, &body, state.limits.batch, &next).await;
        return answered.unwrap_or_else(|error| ErrorReply(StatusCode::BAD_REQUEST, error).into_response());
    }
    let head = match head(&body) {
        Ok(head) => head,
        Err(refused) => return refused.into_response(),
    };
    if head.method.as_deref() != Some("initialize") {
        return next.run(Request::from_parts(parts, Body::from(body))).await;
    }
    if !state.has_room(owner).await {
        return busy("there are too many sessions");
    }
    let takes_batches = requested_revision(&body).as_deref() == Some(BATCHES);
    let response = next.run(Request::from_parts(parts, Body::from(body))).await;
    if let Some(session) = session(response.headers()) {
        state.callers.begin(session, owner.clone(), takes_batches);
    }
    response
}

/// The session id in the headers.
fn session(headers: &HeaderMap) -> Option<String> {
    headers.get(SESSION).and_then(|id| id.to_str().ok()).map(str::to_owned)
}

/// The protocol revision that an `initialize` request asks for.
fn requested_revision(body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Params {
        protocol_version: String,
    }
    #[derive(Deserialize)]
    struct Initialize {
        params: Params,
    }
    serde_json::from_slice::<Initialize>(body).ok().map(|message| message.params.protocol_version)
}

/// Changes the status of a deleted session from 202 to 204, which clients expect.
fn ended(mut response: Response) -> Response {
    if response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
}

impl McpEndpointState {
    fn takes_batches(&self, headers: &HeaderMap) -> bool {
        session(headers).is_some_and(|session| self.callers.takes_batches(&session))
    }

    async fn has_room(&self, owner: &SessionOwner) -> bool {
        let alive = self.sessions.sessions.read().await;
        let own = self.callers.sessions_of(owner, |session| alive.contains_key(session));
        alive.len() < self.limits.sessions && own < self.limits.sessions_each
    }
}

async fn whole(headers: &HeaderMap, body: Body, limits: &McpLimits) -> Result<Bytes, ErrorReply> {
    let longest = limits.message;
    let too_long = || {
        let message = format!("a message may have at most {longest} bytes");
        ErrorReply(StatusCode::PAYLOAD_TOO_LARGE, ErrorData::invalid_request(message, None))
    };
    if content_length(headers).is_some_and(|length| length > longest as u64) {
        return Err(too_long());
    }
    match tokio::time::timeout(limits.arrival, to_bytes(body, longest)).await {
        Ok(Ok(body)) => Ok(body),
        Ok(Err(_)) => Err(too_long()),
        Err(_) => {
            let message = format!("the request did not arrive within {} s", limits.arrival.as_secs());
            Err(ErrorReply(StatusCode::REQUEST_TIMEOUT, ErrorData::invalid_request(message, None)))
        }
    }
}

fn head(body: &[u8]) -> Result<MessageHead, ErrorReply> {
    let read = match serde_json::from_slice::<MessageHead>(body) {
        // A list would do for a struct, and is a batch.
        Ok(head) if body.trim_ascii_start().starts_with(b"{") => return Ok(head),
        read => read,
    };
    let error = match read {
        Err(error) if !error.is_data() => ErrorData::parse_error("the body is not valid JSON", None),
        _ => ErrorData::invalid_request("this is not a single JSON-RPC 2.0 message", None),
    };
    Err(ErrorReply(StatusCode::BAD_REQUEST, error))
}

/// The error for another caller's session, equal to that for an unknown session.
fn no_session() -> Response {
    ErrorReply(StatusCode::NOT_FOUND, ErrorData::invalid_request("unknown session", None)).into_response()
}

fn busy(why: &'static str) -> Response {
    let data =
        json!({ "code": "busy", "hint": "end a session, or use revision 2026-07-28, which has no sessions" });
    let error = ErrorData::internal_error(why, Some(data));
    let mut response = ErrorReply(StatusCode::SERVICE_UNAVAILABLE, error).into_response();
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("30"));
    response
}

/// An error response without id, for a body that is not a valid request.
struct ErrorReply(StatusCode, ErrorData);

impl IntoResponse for ErrorReply {
    fn into_response(self) -> Response {
        let body = error_response::error(Value::Null, &self.1).to_string();
        (self.0, [(CONTENT_TYPE, "application/json")], body).into_response()
    }
}
