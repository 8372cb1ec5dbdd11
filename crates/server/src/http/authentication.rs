//! Authenticates requests by bearer token and determines the caller's identity and role.

use std::net::IpAddr;
use std::sync::Arc;

use axum::http::{HeaderMap, HeaderName, StatusCode, header};

use super::headers::{AGENT, SESSION};
use super::metrics::RateLimitReason;
use super::problem::Problem;
use super::rate::{RateLimitExceeded, rate_limit_key};
use super::state::ServerState;
use crate::operations::Caller;
use cm_app::{Actor, CallerIdentity};
use cm_note::token::{AccessRole, TokenKind, TokenSecret, TokenStatus, TokenStore};
use cm_note::user_text::Interface;

/// Headers added by proxies. A server without tokens rejects requests that carry one, because they
/// may come from other machines.
const FORWARDED: [&str; 9] = [
    "forwarded",
    "via",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-forwarded-server",
    "x-real-ip",
    "cf-connecting-ip",
    "true-client-ip",
];
/// Maximum length of the headers `cm-agent` and `cm-session`, in bytes.
const MAX_HEADER_BYTES: usize = 200;

/// Authenticates a request.
///
/// # Errors
/// 401 without a valid token, 429 for too many failures from one address, 503 if the tokens cannot
/// be read.
pub fn authenticate(state: &ServerState, headers: &HeaderMap, address: IpAddr) -> Result<Caller, Problem> {
    let token_store = tokens(state)?;
    if state.is_open && token_store.is_empty() {
        return without_token(headers);
    }
    let secret = secret(headers)
        .and_then(|secret| secret.ok_or_else(|| unauthorized("no-token", "this endpoint requires a token")));
    secret
        .and_then(|secret| check_token(state, &token_store, &secret, network_caller(headers)?))
        .map_err(|problem| failed(state, problem, address))
}

/// The caller of a server that needs no token.
///
/// # Errors
/// 403 if the request came through a proxy.
pub fn without_token(headers: &HeaderMap) -> Result<Caller, Problem> {
    if let Some(name) = FORWARDED.iter().find(|name| headers.contains_key(**name)) {
        let message =
            format!("the request came through a proxy (`{name}`), but this server requires no token");
        let hint = "ask whoever runs the server to create a token and to restart it";
        return Err(Problem::new(StatusCode::FORBIDDEN, "proxied", message, hint));
    }
    Ok(Caller { identity: network_caller(headers)?, role: AccessRole::Admin, token: None })
}

/// The caller with this secret, which a person typed into a form.
///
/// # Errors
/// The errors of [`authenticate`].
pub fn with_secret(
    state: &ServerState,
    secret: &str,
    headers: &HeaderMap,
    address: IpAddr,
) -> Result<Caller, Problem> {
    let token_store = tokens(state)?;
    TokenSecret::parse(secret.trim())
        .ok_or_else(|| unauthorized("unknown-token", "this is not a valid token"))
        .and_then(|secret| check_token(state, &token_store, &secret, network_caller(headers)?))
        .map_err(|problem| failed(state, problem, address))
}

/// The identity of a request over the network before its token is checked: without one, it is not
/// established to be a person.
fn network_caller(headers: &HeaderMap) -> Result<CallerIdentity, Problem> {
    let kind = Actor::Token(TokenKind::Agent);
    let (agent, session) = (header_name(headers, &AGENT)?, header_name(headers, &SESSION)?);
    Ok(CallerIdentity {
        kind,
        agent,
        session,
        is_remote: true,
        interface: Interface::Http,
        ..CallerIdentity::default()
    })
}

/// The current tokens.
fn tokens(state: &ServerState) -> Result<Arc<TokenStore>, Problem> {
    (state.setup.tokens)().map_err(|error| {
        state.notice("tokens", error.to_string());
        // What is wrong with the file is for who keeps it, not for whoever asks.
        let hint = "ask whoever runs the server: its file of tokens cannot be read";
        Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "tokens-unreadable",
            "all requests are refused for now",
            hint,
        )
        .after(30)
    })
}

/// Whether requests need no token: the server started without tokens, and none was ever issued.
pub fn needs_none(state: &ServerState) -> bool {
    state.is_open && (state.setup.tokens)().is_ok_and(|token_store| token_store.is_empty())
}

fn check_token(
    state: &ServerState,
    token_store: &TokenStore,
    secret: &TokenSecret,
    identity: CallerIdentity,
) -> Result<Caller, Problem> {
    match token_store.check(secret, (state.setup.clock)()) {
        TokenStatus::Valid(token) => {
            let kind = Actor::Token(token.kind);
            let identity =
                CallerIdentity { kind, actor: Some(token.person.clone()), has_token: true, ..identity };
            Ok(Caller { identity, role: token.role, token: Some(token.id.clone()) })
        }
        TokenStatus::Expired(_) => Err(unauthorized("token-expired", "the token has expired")),
        TokenStatus::Revoked(_) => Err(unauthorized("token-revoked", "the token was revoked")),
        TokenStatus::Unknown => Err(unauthorized("unknown-token", "unknown token")),
    }
}

fn unauthorized(code: &'static str, message: &str) -> Problem {
    let hint = "send `Authorization: Bearer cm_…`; whoever runs the server creates tokens";
    Problem::new(StatusCode::UNAUTHORIZED, code, message, hint)
}

/// The secret in the `Authorization` header; `None` without the header.
fn secret(headers: &HeaderMap) -> Result<Option<TokenSecret>, Problem> {
    let refuse = |message: &str| {
        let hint = "send exactly one header `Authorization: Bearer cm_…`";
        Err(Problem::new(StatusCode::UNAUTHORIZED, "unknown-token", message, hint))
    };
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return refuse("there are two tokens");
    }
    let parts = value.to_str().ok().and_then(|value| value.trim().split_once(' '));
    let bearer = parts.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    match bearer.and_then(|(_, text)| TokenSecret::parse(text.trim())) {
        Some(secret) => Ok(Some(secret)),
        None => refuse("this is not a valid token"),
    }
}

/// Counts an authentication failure against its address. Valid tokens are never blocked by
/// failures, because others may share the address.
fn failed(state: &ServerState, problem: Problem, address: IpAddr) -> Problem {
    if problem.status != StatusCode::UNAUTHORIZED {
        return problem;
    }
    match state.failures.take(&rate_limit_key(address), state.age()) {
        Ok(()) => problem,
        Err(often) => rate_limited_response(state, RateLimitReason::Failure, often),
    }
}

/// The 429 response for a caller that exceeded a rate limit.
pub fn rate_limited_response(state: &ServerState, why: RateLimitReason, often: RateLimitExceeded) -> Problem {
    state.metrics.limit(why);
    let message = match why {
        RateLimitReason::Token => "this token sends too many requests",
        RateLimitReason::Address => "this address sends too many requests",
        RateLimitReason::Failure => "this address sent too many requests without a valid token",
    };
    let hint = "wait for the number of seconds in `Retry-After`";
    Problem::new(StatusCode::TOO_MANY_REQUESTS, "too-often", message, hint).after(often.retry_after)
}

/// A name from a header, which becomes a trailer of commits.
pub fn header_name(headers: &HeaderMap, name: &HeaderName) -> Result<Option<String>, Problem> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let text =
        value.to_str().ok().map(str::trim).filter(|text| text.len() <= MAX_HEADER_BYTES && !text.is_empty());
    match (text, values.next()) {
        (Some(text), None) => Ok(Some(text.to_owned())),
        _ => {
            let message = format!("`{name}` is not a valid name");
            let hint = format!("send it once, with 1 to {MAX_HEADER_BYTES} visible ASCII characters");
            Err(Problem::bad("header", message, &hint))
        }
    }
}
