//! Server-sent events: tell open pages that files of the vault changed.

use std::convert::Infallible;
use std::sync::Arc;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;

use crate::serving::TokenEnd;

/// Number of changes that a slow page may lag behind; it then reloads once.
const MAX_LAG_CHANGES: usize = 16;

/// Distributes changes of the vault's files to open pages.
#[derive(Debug, Clone)]
pub struct ChangeFeed(broadcast::Sender<Arc<Vec<String>>>);

impl Default for ChangeFeed {
    fn default() -> Self {
        Self(broadcast::channel(MAX_LAG_CHANGES).0)
    }
}

impl ChangeFeed {
    /// Reports changed files by their paths in the vault.
    pub fn publish(&self, paths: Vec<String>) {
        // Without an open page nobody receives it.
        let _ = self.0.send(Arc::new(paths));
    }

    /// A stream of changes that ends with the caller's token or with the server.
    pub(super) fn stream(&self, end: TokenEnd, closing: CancellationToken) -> Response {
        let begin = (self.0.subscribe(), end, closing);
        let stream = futures_util::stream::unfold(begin, |(mut changes, end, closing)| async move {
            let paths = tokio::select! {
                () = end.0.cancelled() => return None,
                () = closing.cancelled() => return None,
                change = changes.recv() => match change {
                    Ok(paths) => paths.join("\n"),
                    Err(RecvError::Lagged(_)) => String::new(),
                    Err(RecvError::Closed) => return None,
                },
            };
            let event = Event::default().event("change").data(paths);
            Some((Ok::<_, Infallible>(event), (changes, end, closing)))
        });
        Sse::new(stream).keep_alive(KeepAlive::default()).into_response()
    }
}
