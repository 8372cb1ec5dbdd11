//! Ends open streams and sessions when their token is revoked, removed or expires.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::sleep;

use super::shutdown::shutdown_requested;
use super::state::ServerState;
use crate::serving::TokenEnd;

/// Interval at which tokens are checked.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// Cancellation handles of used tokens by id; `None` is the key of requests without a token.
#[derive(Debug, Default)]
pub(super) struct TokenEnds(Mutex<HashMap<Option<String>, TokenEnd>>);

impl TokenEnds {
    /// The cancellation handle of a token, shared by all its requests.
    pub(super) fn of(&self, token: Option<&str>) -> TokenEnd {
        self.0.lock().entry(token.map(str::to_owned)).or_default().clone()
    }

    /// Cancels and removes the handles of tokens for which `is_live` returns false.
    fn sweep(&self, is_live: impl Fn(Option<&str>) -> bool) {
        self.0.lock().retain(|token, end| {
            let live = is_live(token.as_deref());
            if !live {
                end.0.cancel();
            }
            live
        });
    }
}

/// Cancels the handles of tokens that end, until shutdown. While the tokens cannot be read, nothing
/// is cancelled; new requests are rejected then.
pub(super) async fn watch(state: Arc<ServerState>, mut stop: watch::Receiver<bool>) {
    loop {
        tokio::select! {
            () = sleep(CHECK_INTERVAL) => {}
            () = shutdown_requested(&mut stop) => return,
        }
        let Ok(token_store) = (state.setup.tokens)() else { continue };
        let now = (state.setup.clock)();
        state.token_ends.sweep(|token| match token {
            Some(id) => token_store.is_live(id, now),
            None => state.is_open && token_store.is_empty(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tokens_that_are_not_live_end_and_a_later_request_begins_anew() {
        let ends = TokenEnds::default();
        let (ada, bob) = (ends.of(Some("ada")), ends.of(Some("bob")));
        ends.sweep(|token| token == Some("bob"));
        assert!(ada.0.is_cancelled() && !bob.0.is_cancelled());
        assert!(!ends.of(Some("ada")).0.is_cancelled());
    }
}
