//! Which tokens still open the server, for answers and sessions that stay open: each token's end is cancelled when the
//! token is revoked, removed or expired.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

use super::jobs::told;
use super::state::State;
use crate::serving::TokenEnd;

/// How often the tokens are looked at, while one has been used.
const INTERVAL: Duration = Duration::from_millis(500);

/// The ends of the tokens that were used, by their ids; `None` for requests that needed no token.
#[derive(Debug, Default)]
pub(super) struct TokenEnds(Mutex<HashMap<Option<String>, TokenEnd>>);

impl TokenEnds {
    /// The end of this token, the same for all of its requests.
    pub(super) fn of(&self, token: Option<&str>) -> TokenEnd {
        self.locked().entry(token.map(str::to_owned)).or_default().clone()
    }

    /// Ends the tokens that are not live.
    fn sweep(&self, is_live: impl Fn(Option<&str>) -> bool) {
        self.locked().retain(|token, end| {
            let live = is_live(token.as_deref());
            if !live {
                end.0.cancel();
            }
            live
        });
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<Option<String>, TokenEnd>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends tokens as they stop being live, until the server ends. While the tokens cannot be read, none is ended: new
/// requests are refused then.
pub(super) async fn watch(state: Arc<State>, mut stop: watch::Receiver<bool>) {
    loop {
        tokio::select! {
            () = sleep(INTERVAL) => {}
            () = told(&mut stop) => return,
        }
        let Ok(ring) = (state.tokens)() else { continue };
        let now = (state.clock)();
        state.token_ends.sweep(|token| match token {
            Some(id) => ring.tokens().iter().any(|token| token.id == id && token.is_live(now)),
            None => state.is_open && ring.is_empty(),
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
