//! Callers over HTTP: their sessions, and the number of their running requests.

use std::collections::{HashMap, HashSet};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::http::Extensions;
use axum::response::Response;
use http_body::{Frame, SizeHint};
use parking_lot::Mutex;
use tokio_util::sync::WaitForCancellationFutureOwned;

use crate::operations::Caller;
use crate::serving::TokenEnd;

/// Identity of a caller: the id of the token, or `None` for all callers of a server without tokens.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SessionOwner(Option<String>);

impl SessionOwner {
    /// The caller that the authentication layer stored with the request.
    pub fn of(extensions: &Extensions) -> Self {
        Self(extensions.get::<Caller>().and_then(|caller| caller.token.clone()))
    }
}

/// A session of an older protocol revision.
#[derive(Debug, Clone, PartialEq, Eq)]
struct OwnedSession {
    owner: SessionOwner,
    /// Whether its revision supports batches.
    takes_batches: bool,
}

/// The callers of a server.
#[derive(Debug, Default)]
pub struct Callers {
    sessions: Mutex<HashMap<String, OwnedSession>>,
    /// Callers whose sessions are closed when their token ends.
    followed: Mutex<HashSet<SessionOwner>>,
    in_flight: Arc<Mutex<HashMap<SessionOwner, usize>>>,
}

impl Callers {
    /// Whether the caller may use a session: it is theirs or unknown.
    pub fn may_use(&self, session: &str, owner: &SessionOwner) -> bool {
        self.sessions.lock().get(session).is_none_or(|entry| entry.owner == *owner)
    }

    /// Whether the session's revision supports batches.
    pub fn takes_batches(&self, session: &str) -> bool {
        self.sessions.lock().get(session).is_some_and(|entry| entry.takes_batches)
    }

    /// Records the owner of a new session.
    pub fn begin(&self, session: String, owner: SessionOwner, takes_batches: bool) {
        self.sessions.lock().entry(session).or_insert(OwnedSession { owner, takes_batches });
    }

    pub fn has_sessions(&self, owner: &SessionOwner) -> bool {
        self.sessions.lock().values().any(|entry| entry.owner == *owner)
    }

    /// Marks the caller as followed until their token ends; returns whether this is new.
    pub fn follow(&self, owner: &SessionOwner) -> bool {
        self.followed.lock().insert(owner.clone())
    }

    /// Removes and returns the sessions of a caller whose token has ended.
    pub fn end(&self, owner: &SessionOwner) -> Vec<String> {
        self.followed.lock().remove(owner);
        let mut ended = Vec::new();
        self.sessions.lock().retain(|session, entry| {
            let is_theirs = entry.owner == *owner;
            if is_theirs {
                ended.push(session.clone());
            }
            !is_theirs
        });
        ended
    }

    /// Number of live sessions of a caller; sessions that are not alive are removed.
    pub fn sessions_of(&self, owner: &SessionOwner, is_alive: impl Fn(&str) -> bool) -> usize {
        let mut sessions = self.sessions.lock();
        sessions.retain(|session, _| is_alive(session));
        sessions.values().filter(|entry| entry.owner == *owner).count()
    }

    /// Reserves one of `most` concurrent requests of this caller; `None` if all are in use.
    pub fn enter(&self, owner: &SessionOwner, most: usize) -> Option<RequestSlot> {
        let mut in_flight = self.in_flight.lock();
        let count = in_flight.entry(owner.clone()).or_default();
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(RequestSlot { owner: owner.clone(), in_flight: Arc::clone(&self.in_flight) })
    }
}

/// A running request; dropping it frees the slot.
#[derive(Debug)]
pub struct RequestSlot {
    owner: SessionOwner,
    in_flight: Arc<Mutex<HashMap<SessionOwner, usize>>>,
}

impl RequestSlot {
    /// Attaches the slot to a response until its body is sent or the caller's token ends.
    pub fn attach_to(self, response: Response, end: TokenEnd) -> Response {
        let ended = Box::pin(end.0.cancelled_owned());
        response.map(|body| Body::new(SlotBody { body, ended, _place: self }))
    }
}

impl Drop for RequestSlot {
    fn drop(&mut self) {
        let mut in_flight = self.in_flight.lock();
        if let Some(count) = in_flight.get_mut(&self.owner) {
            *count -= 1;
            if *count == 0 {
                in_flight.remove(&self.owner);
            }
        }
    }
}

/// A response body that occupies a slot.
struct SlotBody {
    body: Body,
    ended: Pin<Box<WaitForCancellationFutureOwned>>,
    _place: RequestSlot,
}

impl http_body::Body for SlotBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.ended.as_mut().poll(context).is_ready() {
            // What the response still waits for is called off.
            self.body = Body::empty();
            return Poll::Ready(None);
        }
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(token: &str) -> SessionOwner {
        let mut extensions = Extensions::new();
        extensions.insert(Caller { token: Some(token.to_owned()), ..Caller::local() });
        SessionOwner::of(&extensions)
    }

    #[test]
    fn a_session_is_its_callers_alone() {
        let callers = Callers::default();
        callers.begin("s1".to_owned(), owner("ada"), true);
        callers.begin("s1".to_owned(), owner("bob"), false);
        assert!(callers.may_use("s1", &owner("ada")) && !callers.may_use("s1", &owner("bob")));
        assert!(callers.may_use("unknown", &owner("bob")), "the SDK refuses what it does not know");
        assert_eq!(callers.sessions_of(&owner("ada"), |_| true), 1);
        assert!(callers.takes_batches("s1") && !callers.takes_batches("unknown"));
        assert_eq!(callers.sessions_of(&owner("ada"), |_| false), 0);
    }

    #[test]
    fn the_end_of_a_token_takes_its_sessions_and_no_others() {
        let callers = Callers::default();
        for (session, token) in [("s1", "ada"), ("s2", "bob"), ("s3", "ada")] {
            callers.begin(session.to_owned(), owner(token), false);
        }
        assert!(callers.follow(&owner("ada")) && !callers.follow(&owner("ada")));
        let mut ended = callers.end(&owner("ada"));
        ended.sort();
        assert_eq!(ended, ["s1", "s3"]);
        assert_eq!(callers.sessions_of(&owner("bob"), |_| true), 1);
        assert!(
            callers.follow(&owner("ada")),
            "a later session of a token in the file again is followed anew"
        );
    }

    #[test]
    fn one_caller_takes_no_places_of_another() {
        let callers = Callers::default();
        let (first, second) = (callers.enter(&owner("ada"), 2), callers.enter(&owner("ada"), 2));
        assert!(first.is_some() && second.is_some() && callers.enter(&owner("ada"), 2).is_none());
        assert!(callers.enter(&owner("bob"), 2).is_some());
        drop(first);
        assert!(callers.enter(&owner("ada"), 2).is_some());
    }
}
