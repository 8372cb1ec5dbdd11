//! Error responses: a status, and the JSON error document that all surfaces share.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::operations::worded;
use cm_app::{Error, ErrorKind};
use cm_note::user_text::Interface;
use cm_render::{json, status};

/// An error response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub status: StatusCode,
    /// Error with message and hint.
    pub error: Box<Error>,
    /// Value of `Retry-After`, in seconds.
    pub retry_after: Option<u64>,
    /// Value of `Allow`: methods of the path.
    pub allow: Option<String>,
}

impl Problem {
    /// An error that HTTP itself causes.
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>, hint: &str) -> Self {
        let kind = match status {
            StatusCode::NOT_FOUND => ErrorKind::NotFound,
            StatusCode::SERVICE_UNAVAILABLE => ErrorKind::Locked,
            StatusCode::INTERNAL_SERVER_ERROR => ErrorKind::Failed,
            StatusCode::UNAUTHORIZED => ErrorKind::Refused,
            StatusCode::FORBIDDEN => ErrorKind::Forbidden,
            _ => ErrorKind::Usage,
        };
        let error = Box::new(Error::new(kind, code, message).hint(hint));
        Self { status, error, retry_after: None, allow: None }
    }

    /// A 400 error.
    pub fn bad(code: &'static str, message: impl Into<String>, hint: &str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, message, hint)
    }

    /// A 503 error because of overload.
    pub fn busy(message: &str, retry_after: u64) -> Self {
        let hint = "try again after the number of seconds in `Retry-After`";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", message, hint).after(retry_after)
    }

    /// Sets `Retry-After`.
    pub fn after(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds);
        self
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let status =
            StatusCode::from_u16(status::http(error.kind)).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let retry_after = (status == StatusCode::SERVICE_UNAVAILABLE).then_some(1);
        Self { status, error: Box::new(error), retry_after, allow: None }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = {
            let hint = self.error.hint.as_ref().map(|hint| worded(hint, Interface::Http));
            answer(self.status, json::error_value(&self.error, hint.as_deref()).to_string().into_bytes())
        };
        let headers = response.headers_mut();
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if let Some(methods) = self.allow.and_then(|methods| HeaderValue::from_str(&methods).ok()) {
            headers.insert(header::ALLOW, methods);
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"cm\""));
        }
        response
    }
}

/// A JSON response.
pub fn answer(status: StatusCode, document: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(document));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
