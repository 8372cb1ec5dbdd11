//! Scripts, styles and icons of the page, compiled in and served with their hash in the address.

use std::sync::LazyLock;

use axum::body::Body;
use axum::extract::Path;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;

use super::headers;

struct Asset {
    name: &'static str,
    media_type: &'static str,
    bytes: &'static [u8],
}

macro_rules! asset {
    ($name:literal, $media_type:literal) => {
        Asset {
            name: $name,
            media_type: $media_type,
            bytes: include_bytes!(concat!("../../../../assets/web/", $name)),
        }
    };
}

const CSS: &str = "style.css";
const SCRIPT: &str = "page.js";
const HTMX: &str = "htmx.min.js";

static ASSETS: [Asset; 6] = [
    asset!("style.css", "text/css; charset=utf-8"),
    asset!("map.css", "text/css; charset=utf-8"),
    asset!("map.js", "text/javascript; charset=utf-8"),
    asset!("page.js", "text/javascript; charset=utf-8"),
    asset!("htmx.min.js", "text/javascript; charset=utf-8"),
    asset!("icon.svg", "image/svg+xml"),
];

/// Addresses of the assets that every page loads.
#[derive(Debug, Clone)]
pub(super) struct AssetAddresses {
    pub(super) style: String,
    pub(super) script: String,
    pub(super) htmx: String,
    pub(super) icon: String,
}

pub(super) static ADDRESSES: LazyLock<AssetAddresses> = LazyLock::new(|| AssetAddresses {
    style: address(CSS),
    script: address(SCRIPT),
    htmx: address(HTMX),
    icon: address("icon.svg"),
});

/// The address of an asset. It changes with the content, so that browsers may keep it for good.
pub(super) fn address(name: &str) -> String {
    let bytes = ASSETS.iter().find(|asset| asset.name == name).map_or(&[][..], |asset| asset.bytes);
    format!("/assets/{name}?v={}", &blake3::hash(bytes).to_hex()[..12])
}

/// Names and contents of all assets, for a site of files.
pub(super) fn all() -> impl Iterator<Item = (&'static str, &'static [u8])> {
    ASSETS.iter().map(|asset| (asset.name, asset.bytes))
}

/// Serves an asset.
pub(super) async fn serve(Path(name): Path<String>) -> Response {
    let found = ASSETS.iter().find(|asset| asset.name == name);
    let mut response = Response::new(found.map_or_else(Body::empty, |asset| Body::from(asset.bytes)));
    let all = response.headers_mut();
    headers::protect_file(all);
    match found {
        Some(asset) => {
            all.insert(header::CONTENT_TYPE, HeaderValue::from_static(asset.media_type));
            let forever = HeaderValue::from_static("public, max-age=31536000, immutable");
            all.insert(header::CACHE_CONTROL, forever);
        }
        None => *response.status_mut() = StatusCode::NOT_FOUND,
    }
    response
}
