//! Middleware for all requests: assigns an id, authenticates, limits, logs and measures.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State as Given;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Request, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tokio::time::Instant as MonotonicInstant;

use super::authentication::{authenticate, needs_none, rate_limited_response};
use super::log::LogEntry;
use super::metrics::RateLimitReason;
use super::problem::Problem;
use super::rate::rate_limit_key;
use super::state::ServerState;
use super::{body, body_limit, request_checks};
use crate::serving::TokenEnd;
use crate::web::WebState;
use cm_note::instant::Instant;

/// The client's address.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub IpAddr);

pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Middleware: authenticates, rate-limits, logs and measures every request.
pub async fn middleware(
    Given(state): Given<Arc<ServerState>>,
    request: Request<Body>,
    next: Next,
) -> Response {
    let (mut parts, body) = request.into_parts();
    let mut span = RequestSpan::begin(Arc::clone(&state), &parts);
    let answer = match authenticate_request(&state, &mut parts, span.address) {
        Ok(token) => {
            span.token = token;
            let body = body_limit::bounded(body, &state.setup.limits);
            next.run(Request::from_parts(parts, body)).await
        }
        Err(problem) => {
            // Dropped before the answer: what is left of it is read and forgotten when the connection closes.
            drop(body);
            problem.into_response()
        }
    };
    span.end(answer)
}

/// All checks that do not depend on the endpoint, cheapest first; returns the name of the token.
/// `/health` needs no token.
fn authenticate_request(
    state: &ServerState,
    parts: &mut Parts,
    address: IpAddr,
) -> Result<Option<String>, Problem> {
    request_checks::check(parts, &state.hosts)?;
    let rate_key = rate_limit_key(address);
    let now = state.age();
    state
        .by_address
        .take(&rate_key, now)
        .map_err(|often| rate_limited_response(state, RateLimitReason::Address, often))?;
    if let Some(web) = state.web.as_deref()
        && state.is_page(parts.uri.path(), &parts.headers)
    {
        return authenticate_page(state, web, parts, &rate_key, now);
    }
    let is_bare = !parts.headers.contains_key(header::AUTHORIZATION);
    if parts.uri.path() == "/health" && is_bare && !needs_none(state) {
        return Ok(None);
    }
    let caller = authenticate(state, &parts.headers, address)?;
    let token = caller.token.clone();
    take_token_permit(state, token.as_deref(), &rate_key, now)?;
    body::check_content_length(&parts.headers, &state.setup.limits)?;
    parts.extensions.insert(caller);
    parts.extensions.insert(state.token_ends.of(token.as_deref()));
    Ok(token)
}

/// Adds the login of a browser, if it has one, to a request for a page; returns the name of its token.
/// Without a login, the page leads to it.
fn authenticate_page(
    state: &ServerState,
    web: &WebState,
    parts: &mut Parts,
    rate_key: &IpAddr,
    now: Duration,
) -> Result<Option<String>, Problem> {
    body::check_content_length(&parts.headers, &state.setup.limits)?;
    let Some(session) = web.session(&parts.headers, (state.setup.clock)()) else { return Ok(None) };
    let token = session.caller.token.clone();
    if !is_live(state, token.as_deref()) {
        return Ok(None);
    }
    take_token_permit(state, token.as_deref(), rate_key, now)?;
    // A login without a token ends with none, except where the first token closes an open server.
    let ends_with_tokens = token.is_some() || state.is_open;
    let end = if ends_with_tokens { state.token_ends.of(token.as_deref()) } else { TokenEnd::default() };
    parts.extensions.insert(end);
    parts.extensions.insert(session);
    Ok(token)
}

/// Counts a request of a token, or of an address without one.
fn take_token_permit(
    state: &ServerState,
    token: Option<&str>,
    rate_key: &IpAddr,
    now: Duration,
) -> Result<(), Problem> {
    let name = token.map_or_else(|| rate_key.to_string(), str::to_owned);
    let taken = state.by_token.take(&name, now);
    taken.map_err(|often| rate_limited_response(state, RateLimitReason::Token, often))
}

/// Whether the token of a login still holds. A login without one does not depend on a token.
fn is_live(state: &ServerState, token: Option<&str>) -> bool {
    let Some(id) = token else { return true };
    (state.setup.tokens)().is_ok_and(|token_store| token_store.is_live(id, (state.setup.clock)()))
}

/// A request in progress. If it is dropped without a response, the client has disconnected.
struct RequestSpan {
    state: Arc<ServerState>,
    at: Instant,
    began: MonotonicInstant,
    request: String,
    method: &'static str,
    endpoint: &'static str,
    address: IpAddr,
    token: Option<String>,
    status: u16,
}

/// Logged status of requests whose client disconnected.
const CLIENT_LEFT: u16 = 499;

impl RequestSpan {
    fn begin(state: Arc<ServerState>, parts: &Parts) -> Self {
        state.metrics.in_flight.fetch_add(1, Ordering::Relaxed);
        let address = parts.extensions.get::<Peer>().map_or(IpAddr::from([0, 0, 0, 0]), |peer| peer.0);
        Self {
            at: (state.setup.clock)(),
            began: MonotonicInstant::now(),
            request: request_id(&state, &parts.headers),
            method: method(&parts.method),
            endpoint: state.endpoint(parts.uri.path()),
            address,
            token: None,
            status: CLIENT_LEFT,
            state,
        }
    }

    fn end(mut self, mut answer: Response) -> Response {
        self.status = answer.status().as_u16();
        let headers = answer.headers_mut();
        if let Ok(name) = HeaderValue::from_str(&self.request) {
            headers.insert(REQUEST_ID, name);
        }
        // Proxies must not cache memories, and browsers must not guess their type.
        headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        answer
    }
}

impl Drop for RequestSpan {
    fn drop(&mut self) {
        let took: Duration = self.began.elapsed();
        self.state.metrics.in_flight.fetch_sub(1, Ordering::Relaxed);
        self.state.metrics.answered(self.endpoint, self.method, self.status, took);
        self.state.log.write(LogEntry::Request {
            at: self.at,
            request: std::mem::take(&mut self.request),
            method: self.method,
            endpoint: self.endpoint,
            status: self.status,
            micros: u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
            address: self.address,
            token: self.token.take(),
        });
    }
}

/// The request id from the client or proxy if it is valid, else a new one.
fn request_id(state: &ServerState, headers: &HeaderMap) -> String {
    let plain = |text: &&str| {
        (1..=64).contains(&text.len())
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
    };
    let client_id = headers.get(REQUEST_ID).and_then(|name| name.to_str().ok()).filter(plain);
    client_id
        .map(str::to_owned)
        .unwrap_or_else(|| format!("{:x}-{:x}", state.boot(), state.sequence.fetch_add(1, Ordering::Relaxed)))
}

fn method(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::HEAD => "HEAD",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        Method::PATCH => "PATCH",
        Method::OPTIONS => "OPTIONS",
        _ => "OTHER",
    }
}
