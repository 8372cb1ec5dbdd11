//! Responses of the page: HTML, redirects and error pages.

use askama::Template;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;

use super::headers;
use super::page::{PageRequest, Shell};
use crate::http::Problem;
use crate::operations::worded;
use cm_note::user_text::Interface;

/// A page of HTML.
pub(super) fn html(status: StatusCode, html: String, request: &HeaderMap) -> Response {
    let mut response = Response::new(Body::from(html));
    *response.status_mut() = status;
    let all = response.headers_mut();
    all.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers::protect(all, request.get(header::HOST));
    response
}

/// Leads the browser to an address of this page, which it requests with `GET`.
pub(super) fn redirect(address: &str, request: &HeaderMap) -> Response {
    let mut response = html(StatusCode::SEE_OTHER, String::new(), request);
    let address = HeaderValue::from_str(own_address(address));
    response
        .headers_mut()
        .insert(header::LOCATION, address.unwrap_or_else(|_| HeaderValue::from_static("/")));
    response
}

/// The address, if it is a path of this server; else the home page.
///
/// A browser reads `//host` and `/\host` as other servers.
pub(super) fn own_address(address: &str) -> &str {
    let is_path = address.starts_with('/') && !address.starts_with("//") && !address.contains('\\');
    if is_path && address.bytes().all(|byte| byte > b' ' && byte < 0x7f) { address } else { "/" }
}

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage {
    shell: Shell,
    message: String,
    hint: Option<String>,
    code: &'static str,
}

/// The page for a request that failed.
pub(super) fn error(problem: &Problem, request: &PageRequest, sent: &HeaderMap) -> Response {
    let title = match problem.status {
        StatusCode::NOT_FOUND => "Not found",
        StatusCode::FORBIDDEN => "Not allowed",
        StatusCode::SERVICE_UNAVAILABLE => "Busy",
        _ => "That did not work",
    };
    let page = ErrorPage {
        shell: Shell::without_vault(request, "", title),
        message: problem.error.message.clone(),
        hint: problem.error.hint.as_ref().map(|hint| worded(hint, Interface::Http)),
        code: problem.error.code,
    };
    let text = page.render().unwrap_or_else(|_| cm_render::html::escape(&problem.error.message));
    html(problem.status, text, sent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redirect_never_leaves_this_server() {
        assert_eq!(own_address("/note/a?b=c"), "/note/a?b=c");
        for foreign in
            ["//evil.example", "/\\evil.example", "https://evil.example", "", "/a\nb", "javascript:x"]
        {
            assert_eq!(own_address(foreign), "/", "{foreign}");
        }
    }
}
