//! A concurrency limit that is fair between callers: they get permits in rotation, however many
//! requests each has. If the queue is full, the caller with the most waiting requests loses its
//! newest one.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{Notify, oneshot};

/// Runs at most `width` operations at once; up to `queue` more wait, each for at most `queue_timeout`.
#[derive(Debug)]
pub struct ConcurrencyLimit {
    shared: Arc<LimitState>,
    queue_timeout: Duration,
}

/// Permission to run one operation; dropping it frees the slot.
#[derive(Debug)]
pub struct Permit {
    shared: Arc<LimitState>,
    caller: String,
}

/// Error: the queue is full, or no permit became free in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Saturated;

#[derive(Debug)]
struct LimitState {
    width: usize,
    queue: usize,
    turns: Mutex<PermitQueue>,
    idle: Notify,
}

#[derive(Debug, Default)]
struct PermitQueue {
    running: usize,
    running_of: HashMap<String, usize>,
    waiting: usize,
    /// Callers with waiting requests, next one first; each has at least one.
    callers: VecDeque<(String, VecDeque<Waiter>)>,
    last: u64,
}

#[derive(Debug)]
struct Waiter {
    id: u64,
    /// Sends the permit; dropped without one if another caller's request displaces this one.
    granted: oneshot::Sender<Permit>,
}

impl ConcurrencyLimit {
    /// Creates a limit; a `width` of 0 counts as 1.
    pub fn new(width: usize, queue: usize, queue_timeout: Duration) -> Self {
        let shared = LimitState { width: width.max(1), queue, turns: Mutex::default(), idle: Notify::new() };
        Self { shared: Arc::new(shared), queue_timeout }
    }

    /// Waits for a permit.
    ///
    /// # Errors
    /// [`Saturated`]: the operation must not run.
    pub async fn acquire(&self, caller: &str) -> Result<Permit, Saturated> {
        let (granted, mut turn) = oneshot::channel();
        let id = match self.shared.enter(caller, granted)? {
            AcquireState::Runs(permit) => return Ok(permit),
            AcquireState::Waits(id) => id,
        };
        let _leave = QueueGuard { shared: &self.shared, caller, id };
        tokio::time::timeout(self.queue_timeout, &mut turn).await.ok().and_then(Result::ok).ok_or(Saturated)
    }

    /// Number of running operations.
    pub fn running(&self) -> usize {
        self.shared.turns.lock().running
    }

    /// Number of waiting requests.
    pub fn waiting(&self) -> usize {
        self.shared.turns.lock().waiting
    }

    /// Resolves when nothing runs and nothing waits.
    pub async fn empty(&self) {
        loop {
            let idle = self.shared.idle.notified();
            tokio::pin!(idle);
            // From here on a notification counts, also one that comes before the first poll.
            idle.as_mut().enable();
            if self.shared.turns.lock().is_idle() {
                return;
            }
            idle.await;
        }
    }
}

enum AcquireState {
    Runs(Permit),
    Waits(u64),
}

impl LimitState {
    /// Maximum number of permits of a caller; one permit is reserved for others if `width` exceeds
    /// 1. Callers without a name cannot be told apart and share all permits.
    fn most_of(&self, caller: &str) -> usize {
        if caller.is_empty() { self.width } else { (self.width - 1).max(1) }
    }

    fn enter(
        self: &Arc<Self>,
        caller: &str,
        granted: oneshot::Sender<Permit>,
    ) -> Result<AcquireState, Saturated> {
        let mut turns = self.turns.lock();
        if turns.running < self.width && turns.running_of(caller) < self.most_of(caller) {
            turns.begin(caller);
            return Ok(AcquireState::Runs(Permit { shared: Arc::clone(self), caller: caller.to_owned() }));
        }
        if turns.waiting >= self.queue && !turns.displace_for(caller) {
            return Err(Saturated);
        }
        Ok(AcquireState::Waits(turns.wait(caller, granted)))
    }

    /// Grants all free permits. They are sent without holding the lock, so a permit whose receiver
    /// is gone can return.
    fn hand_out(self: &Arc<Self>) {
        loop {
            let Some((caller, waiter)) = self.turns.lock().next(self.width, &|caller| self.most_of(caller))
            else {
                break;
            };
            // A request that was given up returns the permit by dropping it.
            let _ = waiter.granted.send(Permit { shared: Arc::clone(self), caller });
        }
        self.notify_if_idle();
    }

    fn notify_if_idle(&self) {
        if self.turns.lock().is_idle() {
            self.idle.notify_waiters();
        }
    }
}

impl PermitQueue {
    fn is_idle(&self) -> bool {
        self.running == 0 && self.waiting == 0
    }

    fn running_of(&self, caller: &str) -> usize {
        self.running_of.get(caller).copied().unwrap_or(0)
    }

    fn begin(&mut self, caller: &str) {
        self.running += 1;
        *self.running_of.entry(caller.to_owned()).or_default() += 1;
    }

    fn end(&mut self, caller: &str) {
        self.running -= 1;
        if let Some(count) = self.running_of.get_mut(caller) {
            *count -= 1;
            if *count == 0 {
                self.running_of.remove(caller);
            }
        }
    }

    fn wait(&mut self, caller: &str, granted: oneshot::Sender<Permit>) -> u64 {
        self.last += 1;
        self.waiting += 1;
        let waiter = Waiter { id: self.last, granted };
        match self.callers.iter_mut().find(|(name, _)| name == caller) {
            Some((_, waiters)) => waiters.push_back(waiter),
            None => self.callers.push_back((caller.to_owned(), VecDeque::from([waiter]))),
        }
        self.last
    }

    /// Drops the newest request of the caller with the most waiting requests; false if this caller
    /// would have at least as many.
    fn displace_for(&mut self, caller: &str) -> bool {
        let own =
            self.callers.iter().find(|(name, _)| name == caller).map_or(0, |(_, waiters)| waiters.len());
        let Some((_, most)) = self.callers.iter_mut().max_by_key(|(_, waiters)| waiters.len()) else {
            return false;
        };
        if most.len() <= own + 1 {
            return false;
        }
        most.pop_back();
        self.waiting -= 1;
        true
    }

    /// Removes the next runnable request and counts it as running. Callers rotate; those at their
    /// own limit are skipped.
    fn next(&mut self, width: usize, most_of: &dyn Fn(&str) -> usize) -> Option<(String, Waiter)> {
        if self.running >= width {
            return None;
        }
        let place = self.callers.iter().position(|(name, _)| self.running_of(name) < most_of(name))?;
        let (caller, mut waiters) = self.callers.remove(place)?;
        let waiter = waiters.pop_front()?;
        if !waiters.is_empty() {
            self.callers.push_back((caller.clone(), waiters));
        }
        self.waiting -= 1;
        self.begin(&caller);
        Some((caller, waiter))
    }

    /// Removes a waiting request; does nothing if it was granted or displaced.
    fn remove(&mut self, caller: &str, id: u64) {
        let Some(place) = self.callers.iter().position(|(name, _)| name == caller) else { return };
        let waiters = &mut self.callers[place].1;
        let before = waiters.len();
        waiters.retain(|waiter| waiter.id != id);
        self.waiting -= before - waiters.len();
        if waiters.is_empty() {
            self.callers.remove(place);
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.shared.turns.lock().end(&self.caller);
        self.shared.hand_out();
    }
}

/// Removes a request from the queue when its future is dropped.
struct QueueGuard<'a> {
    shared: &'a LimitState,
    caller: &'a str,
    id: u64,
}

impl Drop for QueueGuard<'_> {
    fn drop(&mut self) {
        self.shared.turns.lock().remove(self.caller, self.id);
        self.shared.notify_if_idle();
    }
}

impl fmt::Display for Saturated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the server is busy")
    }
}

impl std::error::Error for Saturated {}

#[cfg(test)]
mod tests {
    use tokio::task::JoinHandle;

    use super::*;

    type Acquired = JoinHandle<Result<Permit, Saturated>>;

    fn limit(width: usize, queue: usize) -> Arc<ConcurrencyLimit> {
        Arc::new(ConcurrencyLimit::new(width, queue, Duration::from_secs(60)))
    }

    /// Starts a request of `caller` and waits until it is queued.
    async fn waiter(limit: &Arc<ConcurrencyLimit>, caller: &'static str) -> Acquired {
        let before = limit.shared.turns.lock().last;
        let own = Arc::clone(limit);
        let acquired = tokio::spawn(async move { own.acquire(caller).await });
        while limit.shared.turns.lock().last == before && !acquired.is_finished() {
            tokio::task::yield_now().await;
        }
        acquired
    }

    #[tokio::test]
    async fn callers_take_turns_whatever_the_number_of_their_requests() {
        let limit = limit(1, 100);
        let mut running = limit.acquire("ada").await.unwrap();
        let mut queued = Vec::new();
        for _ in 0..20 {
            queued.push(("ada", waiter(&limit, "ada").await));
        }
        for name in ["bob", "bob", "eve"] {
            queued.push((name, waiter(&limit, name).await));
        }
        let mut order = Vec::new();
        for _ in 0..5 {
            drop(running);
            let place = loop {
                match queued.iter().position(|(_, acquired)| acquired.is_finished()) {
                    Some(place) => break place,
                    None => tokio::task::yield_now().await,
                }
            };
            let (name, acquired) = queued.remove(place);
            order.push(name);
            running = acquired.await.unwrap().unwrap();
        }
        assert_eq!(order, ["ada", "bob", "eve", "ada", "bob"]);
    }

    #[tokio::test]
    async fn one_caller_leaves_a_permit_to_others() {
        let limit = limit(3, 10);
        let _running = [limit.acquire("ada").await.unwrap(), limit.acquire("ada").await.unwrap()];
        let third = waiter(&limit, "ada").await;
        assert!(!third.is_finished());
        let other = limit.acquire("bob").await.unwrap();
        drop(other);
        tokio::task::yield_now().await;
        assert!(!third.is_finished(), "what another returned is not the third of one caller");
        drop(_running);
        assert!(third.await.unwrap().is_ok());
    }

    #[tokio::test]
    async fn callers_without_a_name_share_all_permits() {
        let limit = limit(2, 10);
        let _running = [limit.acquire("").await.unwrap(), limit.acquire("").await.unwrap()];
        assert!(!waiter(&limit, "").await.is_finished());
    }

    #[tokio::test]
    async fn a_full_queue_is_shared_and_beyond_its_share_a_caller_is_refused() {
        let limit = limit(1, 4);
        let running = limit.acquire("ada").await.unwrap();
        let mut ada = Vec::new();
        for _ in 0..4 {
            ada.push(waiter(&limit, "ada").await);
        }
        assert_eq!(limit.acquire("ada").await.unwrap_err(), Saturated);
        let bob = [waiter(&limit, "bob").await, waiter(&limit, "bob").await];
        assert_eq!(ada.pop().unwrap().await.unwrap().unwrap_err(), Saturated, "the newest goes first");
        assert_eq!(ada.pop().unwrap().await.unwrap().unwrap_err(), Saturated);
        assert_eq!(limit.acquire("bob").await.unwrap_err(), Saturated, "half is Bob's share");
        drop(running);
        let [first, second] = bob;
        let third = ada.remove(0);
        for acquired in [third, first, ada.remove(0), second] {
            assert!(acquired.await.unwrap().is_ok());
        }
        limit.empty().await;
        assert_eq!((limit.running(), limit.waiting()), (0, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_waits_no_longer_than_the_timeout_of_the_queue() {
        let limit = limit(1, 1);
        let _running = limit.acquire("ada").await.unwrap();
        assert_eq!(limit.acquire("bob").await.unwrap_err(), Saturated);
        assert_eq!(limit.waiting(), 0);
    }

    #[tokio::test]
    async fn a_request_that_is_given_up_leaves_the_queue_and_loses_no_permit() {
        let limit = limit(1, 2);
        let running = limit.acquire("ada").await.unwrap();
        let (first, second) = (waiter(&limit, "bob").await, waiter(&limit, "eve").await);
        first.abort();
        drop(running);
        assert!(second.await.unwrap().is_ok());
        assert!(first.await.is_err());
        limit.empty().await;
        assert_eq!((limit.running(), limit.waiting()), (0, 0));
    }
}
