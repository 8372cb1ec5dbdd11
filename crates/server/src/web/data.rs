//! Data that the scripts of a page load.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use serde::Serialize;

use super::headers;
use super::page::PageRequest;
use cm_app::verbs::attachment::{Attachment, ImageFormat};
use cm_app::{Context, Error, ErrorKind, Result};

/// A source of data for `GET`. What follows its path is the reference to a part.
pub(super) struct DataSpec {
    /// Path as a pattern of the router; also the name in the audit log.
    pub(super) path: &'static str,
    pub(super) load: fn(&Context, &PageRequest) -> Result<WebData>,
}

/// Data of one response.
pub(super) enum WebData {
    Json(Vec<u8>),
    /// A file of the vault: shown if it is an image, else a download.
    File(Attachment),
    /// Bytes compressed with gzip, which a browser may reuse while the version is the same.
    Gzip {
        bytes: Vec<u8>,
        version: String,
    },
}

impl WebData {
    /// Encodes a value.
    ///
    /// # Errors
    /// A value that JSON cannot express.
    pub(super) fn json(value: &impl Serialize) -> Result<Self> {
        let bytes = serde_json::to_vec(value);
        bytes.map(Self::Json).map_err(|error| Error::new(ErrorKind::Failed, "json", error.to_string()))
    }

    /// The response to a request with these headers; without a body if the browser has the version.
    pub(super) fn response(self, request: &HeaderMap) -> Response {
        let (mut response, media_type, is_gzip) = match self {
            Self::File(file) => return file_response(file, request),
            Self::Json(bytes) => (Response::new(Body::from(bytes)), "application/json", false),
            Self::Gzip { bytes, version } => {
                (cached(bytes, &version, request), "application/octet-stream", true)
            }
        };
        let all = response.headers_mut();
        headers::protect(all, request.get(header::HOST));
        all.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
        if is_gzip {
            all.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            all.insert(header::CACHE_CONTROL, MAY_REUSE);
        }
        response
    }
}

/// A browser may keep the response, and asks each time whether it has changed.
const MAY_REUSE: HeaderValue = HeaderValue::from_static("private, no-cache");

/// A response with a version; without a body if the browser has that version.
fn cached(bytes: Vec<u8>, version: &str, request: &HeaderMap) -> Response {
    let tag = HeaderValue::from_str(&format!("\"{version}\"")).ok();
    let is_cached = tag.is_some() && request.get(header::IF_NONE_MATCH) == tag.as_ref();
    let mut response = Response::new(if is_cached { Body::empty() } else { Body::from(bytes) });
    if is_cached {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    response.headers_mut().extend(tag.map(|tag| (header::ETAG, tag)));
    response
}

/// A browser runs nothing of a file and loads nothing for it. Only images by their content are shown.
fn file_response(file: Attachment, request: &HeaderMap) -> Response {
    let version = blake3::hash(&file.bytes).to_hex();
    let mut response = cached(file.bytes, &version, request);
    let all = response.headers_mut();
    headers::protect_file(all);
    let policy = HeaderValue::from_static("sandbox; default-src 'none'");
    all.insert(header::CONTENT_SECURITY_POLICY, policy);
    let media_type = file.image.map_or("application/octet-stream", ImageFormat::media_type);
    all.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    let kind = if file.image.is_some() { "inline" } else { "attachment" };
    let disposition = format!("{kind}; filename*=UTF-8''{}", cm_render::html::encode(&file.name));
    let disposition = HeaderValue::from_str(&disposition).unwrap_or(HeaderValue::from_static("attachment"));
    all.insert(header::CONTENT_DISPOSITION, disposition);
    all.insert(header::CACHE_CONTROL, MAY_REUSE);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_that_has_the_version_gets_no_body() {
        let image = || WebData::Gzip { bytes: vec![1, 2], version: "g-1-1".to_owned() };
        let first = image().response(&HeaderMap::new());
        assert_eq!(first.status(), StatusCode::OK);
        assert_eq!(first.headers()[header::CONTENT_ENCODING], "gzip");
        let tag = first.headers()[header::ETAG].clone();
        let again = HeaderMap::from_iter([(header::IF_NONE_MATCH, tag)]);
        assert_eq!(image().response(&again).status(), StatusCode::NOT_MODIFIED);
        let other = HeaderMap::from_iter([(header::IF_NONE_MATCH, HeaderValue::from_static("\"g-0-1\""))]);
        assert_eq!(image().response(&other).status(), StatusCode::OK);
    }
}
