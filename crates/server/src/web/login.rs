//! Logs browsers in and out.

use std::sync::Arc;

use askama::Template;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;

use super::assets::{ADDRESSES, AssetAddresses};
use super::forms::Fields;
use super::response::{html, redirect};
use super::sessions::{COOKIE, LIFETIME_SECONDS};
use super::setup::{Visitor, WebState};
use crate::http::{Problem, ServerState, authentication};
use crate::operations::Caller;
use cm_render::html::escape;

#[derive(Template)]
#[template(path = "login.html")]
struct LoginPage<'a> {
    assets: &'static AssetAddresses,
    /// Page to show after the login.
    next: &'a str,
    problem: Option<String>,
    asks_for_token: bool,
}

/// Answers `GET /login`: uses a login link, logs in whoever needs no token, or asks for one.
pub(super) fn show(state: &Arc<ServerState>, web: &WebState, parts: &Parts) -> Response {
    let query = Fields::parse(parts.uri.query().unwrap_or_default().as_bytes());
    let next = query.get("next").unwrap_or("/");
    match &web.setup.visitor {
        Visitor::LoginLink { caller, role, .. } => match query.get("once") {
            Some(secret) if web.sessions.use_link(secret) => {
                let caller = Caller { identity: caller.clone(), role: *role, token: None };
                log_in(state, web, caller, next, parts)
            }
            Some(_) => {
                ask(parts, StatusCode::FORBIDDEN, next, Some("this link was used before".into()), false)
            }
            None => ask(parts, StatusCode::UNAUTHORIZED, next, None, false),
        },
        Visitor::Everyone { .. } => redirect(next, &parts.headers),
        Visitor::TokenHolder if authentication::needs_none(state) => {
            match authentication::without_token(&parts.headers) {
                Ok(caller) => log_in(state, web, caller, next, parts),
                Err(problem) => ask(parts, problem.status, next, Some(problem.error.message), false),
            }
        }
        Visitor::TokenHolder => ask(parts, StatusCode::OK, next, None, true),
    }
}

/// Answers `POST /login` with the token in a form.
pub(super) fn with_token(
    state: &Arc<ServerState>,
    web: &WebState,
    parts: &Parts,
    form: &Fields,
    check: impl FnOnce(&str) -> Result<Caller, Problem>,
) -> Response {
    let next = form.get("next").unwrap_or("/");
    match check(form.get("token").unwrap_or_default()) {
        Ok(caller) => log_in(state, web, caller, next, parts),
        Err(problem) => ask(parts, problem.status, next, Some(problem.error.message), true),
    }
}

/// Ends the login of a browser.
pub(super) fn log_out(state: &ServerState, web: &WebState, parts: &Parts) -> Response {
    web.sessions.end(&parts.headers);
    let mut response = redirect("/login", &parts.headers);
    set_cookie(state, &mut response, "", 0);
    response
}

fn log_in(state: &ServerState, web: &WebState, caller: Caller, next: &str, parts: &Parts) -> Response {
    let Ok(secret) = web.sessions.create(caller, (state.setup.clock)()) else {
        let problem = Some("the system has no random numbers".to_owned());
        return ask(parts, StatusCode::INTERNAL_SERVER_ERROR, next, problem, false);
    };
    let mut response = redirect(next, &parts.headers);
    set_cookie(state, &mut response, &secret, LIFETIME_SECONDS);
    response
}

fn set_cookie(state: &ServerState, response: &mut Response, value: &str, seconds: i64) {
    let cookie = cookie(value, seconds, state.setup.tls.is_some());
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
}

/// The header that sets the cookie; browsers send it over encrypted connections only if the server has
/// such connections.
fn cookie(value: &str, seconds: i64, is_encrypted: bool) -> String {
    let secure = if is_encrypted { "; Secure" } else { "" };
    format!("{COOKIE}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}")
}

fn ask(
    parts: &Parts,
    status: StatusCode,
    next: &str,
    problem: Option<String>,
    asks_for_token: bool,
) -> Response {
    let page = LoginPage { assets: &ADDRESSES, next, problem, asks_for_token };
    match page.render() {
        Ok(text) => html(status, text, &parts.headers),
        Err(error) => html(StatusCode::INTERNAL_SERVER_ERROR, escape(&error.to_string()), &parts.headers),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cookie_of_an_encrypted_server_stays_on_encrypted_connections() {
        assert!(cookie("x", LIFETIME_SECONDS, true).ends_with("; SameSite=Strict; Secure"));
        assert!(!cookie("x", LIFETIME_SECONDS, false).contains("Secure"));
    }
}
