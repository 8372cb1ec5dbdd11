//! Reads a request body as a JSON object.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, StatusCode, header};
use http_body_util::BodyExt as _;
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::body_limit::BodyError;
use super::limits::HttpLimits;
use super::problem::Problem;
use crate::serving::content_length;

/// Minimum size that a body is counted as, in bytes.
const MIN_COUNTED_BYTES: usize = 1 << 10;

/// A body, with the memory reserved for it until it is dropped.
pub struct ReadBody {
    pub bytes: Bytes,
    _room: OwnedSemaphorePermit,
}

/// Rejects a body whose `Content-Length` exceeds the limit, before reading it.
pub fn check_content_length(headers: &HeaderMap, limits: &HttpLimits) -> Result<(), Problem> {
    let is_too_long = content_length(headers).is_some_and(|length| length > limits.body as u64);
    if is_too_long { Err(too_long(limits)) } else { Ok(()) }
}

/// Reads a JSON body.
///
/// # Errors
/// 415 for another media type, 413 if too large, 408 if too slow, 503 if too many bodies are being
/// read, 400 if the transfer fails.
pub async fn read_json(
    headers: &HeaderMap,
    body: Body,
    limits: &HttpLimits,
    room: &Arc<Semaphore>,
) -> Result<ReadBody, Problem> {
    media(headers)?;
    let length = content_length(headers).and_then(|length| usize::try_from(length).ok());
    let units = length.unwrap_or(limits.body).min(limits.body).div_ceil(MIN_COUNTED_BYTES).max(1);
    let units = u32::try_from(units).unwrap_or(u32::MAX);
    let waited = timeout(limits.body_pause_timeout, Arc::clone(room).acquire_many_owned(units)).await;
    let Ok(Ok(room)) = waited else { return Err(Problem::busy("too many request bodies are being read", 1)) };
    match body.collect().await {
        Ok(whole) => Ok(ReadBody { bytes: whole.to_bytes(), _room: room }),
        Err(error) => Err(match error.into_inner().downcast_ref::<BodyError>() {
            Some(BodyError::TooLong) => too_long(limits),
            Some(BodyError::TooSlow) => {
                let message = "the body did not arrive in time";
                Problem::new(StatusCode::REQUEST_TIMEOUT, "slow-body", message, "send it without pauses")
            }
            None => Problem::bad("broken-body", "the body is incomplete", "send it completely"),
        }),
    }
}

/// The semaphore for memory of bodies, in units of [`MIN_COUNTED_BYTES`] bytes.
pub fn room(limits: &HttpLimits) -> Semaphore {
    Semaphore::new(limits.bodies.max(limits.body).div_ceil(MIN_COUNTED_BYTES))
}

/// Parses bytes as a JSON object, without checking its fields.
///
/// # Errors
/// 400 if the bytes are not a JSON object.
pub fn input(bytes: &[u8]) -> Result<Value, Problem> {
    const HINT: &str = "send one JSON object, as described in /openapi.json";
    let input: Value = serde_json::from_slice(bytes)
        .map_err(|error| Problem::bad("no-json", format!("the body is not valid JSON: {error}"), HINT))?;
    if input.is_object() {
        Ok(input)
    } else {
        Err(Problem::bad("no-object", "the body is not an object", HINT))
    }
}

/// Requires the media type JSON. Browsers send it to other origins only after a preflight, so forms
/// of foreign pages are rejected.
fn media(headers: &HeaderMap) -> Result<(), Problem> {
    let hint = "send `Content-Type: application/json`";
    let refuse =
        |message: &str| Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "media-type", message, hint));
    let mut types = headers.get_all(header::CONTENT_TYPE).iter();
    let (Some(Ok(media)), None) = (types.next().map(|media| media.to_str()), types.next()) else {
        return refuse("`Content-Type` is missing or given twice");
    };
    let (name, rest) = media.split_once(';').unwrap_or((media, ""));
    let media_type = name.trim().to_ascii_lowercase();
    let charset = rest.trim().to_ascii_lowercase().replace('"', "");
    if media_type != "application/json" || !matches!(charset.as_str(), "" | "charset=utf-8") {
        return refuse("the body is not JSON in UTF-8");
    }
    match headers
        .get(header::CONTENT_ENCODING)
        .map(|coding| coding.as_bytes().eq_ignore_ascii_case(b"identity"))
    {
        Some(false) => refuse("the body is compressed"),
        _ => Ok(()),
    }
}

fn too_long(limits: &HttpLimits) -> Problem {
    let message = format!("the body is longer than {} bytes", limits.body);
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too-long", message, "send it in parts")
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn json_alone_is_taken_and_told_once() {
        let verdict = |types: &[&'static str], coding: Option<&'static str>| {
            let mut headers = HeaderMap::new();
            for media in types {
                headers.append("content-type", HeaderValue::from_static(media));
            }
            if let Some(coding) = coding {
                headers.insert("content-encoding", HeaderValue::from_static(coding));
            }
            media(&headers).is_ok()
        };
        for good in
            ["application/json", "Application/JSON; charset=UTF-8", "application/json;charset=\"utf-8\""]
        {
            assert!(verdict(&[good], None), "{good}");
        }
        assert!(
            verdict(&["application/json"], Some("identity")) && !verdict(&["application/json"], Some("gzip"))
        );
        for bad in [
            "text/plain",
            "application/x-www-form-urlencoded",
            "application/json; charset=latin1",
            "",
            "json",
        ] {
            assert!(!verdict(&[bad], None), "{bad}");
        }
        assert!(!verdict(&[], None) && !verdict(&["application/json", "text/plain"], None));
    }

    #[test]
    fn one_object_is_taken() {
        assert!(input(b"{\"n\": 3.0}").is_ok());
        for bad in ["", "[]", "null", "{", "{\"n\": 1e999}", "{\"x\": \"\\ud800\"}", &"[".repeat(100_000)] {
            assert_eq!(input(bad.as_bytes()).unwrap_err().status, 400, "{bad:.20}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = input(&bytes);
        }
    }
}
