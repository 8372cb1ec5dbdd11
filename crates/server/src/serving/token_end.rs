//! Signals the end of a token to responses and sessions that outlive their request.

use tokio_util::sync::CancellationToken;

/// Cancelled when the caller's token is revoked, removed or expired. The HTTP server adds it to the
/// extensions of each request; requests with one token share it.
#[derive(Debug, Clone, Default)]
pub struct TokenEnd(pub CancellationToken);
