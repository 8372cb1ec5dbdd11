//! Who asks over HTTP: whose a session is, and how many requests each caller has in flight.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::http::Extensions;
use axum::response::Response;
use http_body::{Frame, SizeHint};

use crate::operations::Caller;

/// Identifies a caller: the person and role of their token, or whoever asks a server without tokens.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Owner(String);

impl Owner {
    /// The caller that an earlier layer let in with this request.
    pub fn of(extensions: &Extensions) -> Self {
        let name =
            |caller: &Caller| format!("{} {}", caller.role, caller.by.actor.as_deref().unwrap_or_default());
        Self(extensions.get::<Caller>().map(name).unwrap_or_default())
    }
}

/// The callers of a server.
#[derive(Debug, Default)]
pub struct Callers {
    owners: Mutex<HashMap<String, Owner>>,
    in_flight: Arc<Mutex<HashMap<Owner, usize>>>,
}

impl Callers {
    /// Whether a session may be used by this caller: it is theirs, or unknown here.
    pub fn may_use(&self, session: &str, owner: &Owner) -> bool {
        locked(&self.owners).get(session).is_none_or(|known| known == owner)
    }

    /// Records whose a session is that has begun.
    pub fn begin(&self, session: String, owner: Owner) {
        locked(&self.owners).entry(session).or_insert(owner);
    }

    /// How many sessions of a caller are alive. The others are forgotten.
    pub fn sessions_of(&self, owner: &Owner, is_alive: impl Fn(&str) -> bool) -> usize {
        let mut owners = locked(&self.owners);
        owners.retain(|session, _| is_alive(session));
        owners.values().filter(|known| *known == owner).count()
    }

    /// A place among `most` requests of this caller; `None` where all are taken.
    pub fn enter(&self, owner: &Owner, most: usize) -> Option<Place> {
        let mut in_flight = locked(&self.in_flight);
        let count = in_flight.entry(owner.clone()).or_default();
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(Place { owner: owner.clone(), in_flight: Arc::clone(&self.in_flight) })
    }
}

/// A request in flight, until this is dropped.
#[derive(Debug)]
pub struct Place {
    owner: Owner,
    in_flight: Arc<Mutex<HashMap<Owner, usize>>>,
}

impl Place {
    /// The response, which takes the place until its body has been sent.
    pub fn held_by(self, response: Response) -> Response {
        response.map(|body| Body::new(Held { body, _place: self }))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut in_flight = locked(&self.in_flight);
        if let Some(count) = in_flight.get_mut(&self.owner) {
            *count -= 1;
            if *count == 0 {
                in_flight.remove(&self.owner);
            }
        }
    }
}

/// A body that holds a place.
struct Held {
    body: Body,
    _place: Place,
}

impl http_body::Body for Held {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A panic elsewhere leaves these maps as they were.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operations::Role;
    use crate::ops::By;

    fn owner(name: &str) -> Owner {
        let mut extensions = Extensions::new();
        let by = By { actor: Some(name.to_owned()), ..By::default() };
        extensions.insert(Caller { by, role: Role::Writer });
        Owner::of(&extensions)
    }

    #[test]
    fn a_session_is_its_callers_alone() {
        let callers = Callers::default();
        callers.begin("s1".to_owned(), owner("ada"));
        callers.begin("s1".to_owned(), owner("bob"));
        assert!(callers.may_use("s1", &owner("ada")) && !callers.may_use("s1", &owner("bob")));
        assert!(callers.may_use("unknown", &owner("bob")), "the SDK refuses what it does not know");
        assert_eq!(callers.sessions_of(&owner("ada"), |_| true), 1);
        assert_eq!(callers.sessions_of(&owner("ada"), |_| false), 0);
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
