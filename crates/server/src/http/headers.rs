//! Headers that clients send besides the standard ones.

use axum::http::HeaderName;

/// Header with the agent's name.
pub const AGENT: HeaderName = HeaderName::from_static("cm-agent");
/// Header with a key of the client's choice: a write that is sent again with it runs once.
pub const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// Header with the agent's session.
pub const SESSION: HeaderName = HeaderName::from_static("cm-session");
