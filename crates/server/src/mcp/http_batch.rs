//! Batches over HTTP, which only revision 2025-03-26 has: an array of messages, answered by an
//! array of responses.
//!
//! Messages are processed one by one as single requests with the headers of the batch, so a batch
//! has no higher concurrency. The array contains no notifications from the server.

use axum::body::{Body, Bytes, to_bytes};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, TRANSFER_ENCODING};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Request, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use rmcp::model::{ClientJsonRpcMessage, ErrorData};
use serde_json::Value;

use super::error_response;

/// Maximum size of the response to one message, in bytes.
const MAX_RESPONSE_BYTES: usize = 64 << 20;

/// Answers a batch of at most `most` messages.
///
/// # Errors
/// The body is not an array, or the array is empty or too long.
pub(super) async fn answer(
    parts: &Parts,
    body: &[u8],
    most: usize,
    next: &Next,
) -> Result<Response, ErrorData> {
    let messages = serde_json::from_slice::<Vec<Value>>(body)
        .map_err(|_| ErrorData::parse_error("the body is not valid JSON", None))?;
    if messages.is_empty() || messages.len() > most {
        let message = format!("a batch may have 1 to {most} messages; this one has {}", messages.len());
        return Err(ErrorData::invalid_request(message, None));
    }
    let mut answers = Vec::new();
    for message in messages {
        let text = Bytes::from(message.to_string());
        if message["method"] == "initialize" {
            let refused = ErrorData::invalid_request("initialize cannot be part of a batch", None);
            answers.push(error_response::error(message["id"].clone(), &refused));
            continue;
        }
        match serde_json::from_value(message) {
            Ok(message) => match one(parts, text, &message, next).await {
                Ok(answer) => answers.extend(answer),
                // What the transport refuses, such as a session that is over, holds for the whole batch.
                Err(refused) if answers.is_empty() => return Ok(refused),
                Err(refused) => answers.push(failed(&message, refused.status())),
            },
            Err(_) => answers.extend(error_response::of(&text, "a batch cannot contain another batch")),
        }
    }
    if answers.is_empty() {
        return Ok(StatusCode::ACCEPTED.into_response());
    }
    let json = [(CONTENT_TYPE, "application/json")];
    Ok((json, Value::Array(answers).to_string()).into_response())
}

/// The response to one message; `None` for notifications and responses.
///
/// # Errors
/// The HTTP response if its status is not a success.
async fn one(
    parts: &Parts,
    text: Bytes,
    message: &ClientJsonRpcMessage,
    next: &Next,
) -> Result<Option<Value>, Response> {
    let id = id(message);
    let mut parts = parts.clone();
    parts.headers.remove(TRANSFER_ENCODING);
    parts.headers.insert(CONTENT_LENGTH, HeaderValue::from(text.len()));
    let response = next.clone().run(Request::from_parts(parts, Body::from(text))).await;
    if !response.status().is_success() {
        return Err(response);
    }
    if id.is_null() {
        return Ok(None);
    }
    let status = response.status();
    let body = to_bytes(response.into_body(), MAX_RESPONSE_BYTES).await.unwrap_or_default();
    Ok(Some(response_in(&body, &id).unwrap_or_else(|| failed(message, status))))
}

/// The response to this request in a JSON body or an event stream.
fn response_in(body: &[u8], id: &Value) -> Option<Value> {
    let answers = |text: &[u8]| {
        let message = serde_json::from_slice::<Value>(text).ok()?;
        let is_response = message.get("result").or_else(|| message.get("error")).is_some();
        (is_response && message.get("id") == Some(id)).then_some(message)
    };
    let mut events = body.split(|byte| *byte == b'\n').filter_map(|line| line.strip_prefix(b"data:"));
    answers(body).or_else(|| events.find_map(answers))
}

fn id(message: &ClientJsonRpcMessage) -> Value {
    match message {
        ClientJsonRpcMessage::Request(request) => serde_json::to_value(&request.id).unwrap_or_default(),
        _ => Value::Null,
    }
}

fn failed(message: &ClientJsonRpcMessage, status: StatusCode) -> Value {
    let reason = format!("the request was not answered (status {})", status.as_u16());
    error_response::error(id(message), &ErrorData::internal_error(reason, None))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_response_is_found_among_events_by_its_id() {
        let body = b"id: 0\nretry: 3000\ndata:\n\nid: 1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"x\",\"id\":7}\n\n\
            data: {\"jsonrpc\":\"2.0\",\"id\":8,\"result\":{}}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"a\":1}}\n\n";
        assert_eq!(response_in(body, &json!(7)).unwrap()["result"]["a"], 1);
        assert_eq!(response_in(body, &json!(9)), None);
        assert!(response_in(b"{\"id\":\"a\",\"error\":{}}", &json!("a")).is_some());
    }
}
