//! The end of a token, for answers and sessions that outlive the request that began them.

use tokio_util::sync::CancellationToken;

/// Cancelled when the caller's token is revoked, removed or expired. The HTTP server puts one into the extensions of
/// each request; requests of one token share it.
#[derive(Debug, Clone, Default)]
pub struct TokenEnd(pub CancellationToken);
