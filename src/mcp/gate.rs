//! The gate that calls pass one by one: so many work at once, so many wait, and the next is told so.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::Limits;
use crate::ops::{Error, Kind};

/// The gate of a server.
#[derive(Debug)]
pub struct Gate {
    places: Arc<Semaphore>,
    running: usize,
    waiting: AtomicUsize,
    most_waiting: usize,
    patience: Duration,
}

/// The right to work, given back when it is dropped.
#[derive(Debug)]
pub struct Pass(#[expect(dead_code, reason = "held for its end")] OwnedSemaphorePermit);

/// Too many are at work already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Full;

impl Gate {
    /// A gate with these bounds.
    pub fn new(limits: &Limits) -> Self {
        Self {
            places: Arc::new(Semaphore::new(limits.running)),
            running: limits.running,
            waiting: AtomicUsize::new(0),
            most_waiting: limits.waiting,
            patience: limits.patience,
        }
    }

    /// Waits for a place, in the order of coming.
    ///
    /// # Errors
    /// Where too many wait already, or none became free in time.
    pub async fn enter(&self) -> Result<Pass, Full> {
        if let Ok(place) = Arc::clone(&self.places).try_acquire_owned() {
            return Ok(Pass(place));
        }
        let _turn = self.queue().ok_or(Full)?;
        let place = tokio::time::timeout(self.patience, Arc::clone(&self.places).acquire_owned());
        place.await.ok().and_then(Result::ok).map(Pass).ok_or(Full)
    }

    /// Waits until nothing is at work any more, but no longer than this; tells whether that is so.
    pub async fn empty(&self, patience: Duration) -> bool {
        let all = u32::try_from(self.running).unwrap_or(u32::MAX);
        tokio::time::timeout(patience, self.places.acquire_many(all)).await.is_ok()
    }

    /// How many are at work, and how many wait for it.
    pub fn busy(&self) -> usize {
        let at_work = self.running.saturating_sub(self.places.available_permits());
        at_work + self.waiting.load(Ordering::Acquire)
    }

    fn queue(&self) -> Option<Turn<'_>> {
        let next = |waiting| (waiting < self.most_waiting).then_some(waiting + 1);
        let queued = self.waiting.fetch_update(Ordering::AcqRel, Ordering::Acquire, next);
        queued.ok().map(|_| Turn(&self.waiting))
    }
}

/// A place in the queue, left when it is dropped: those who no longer wait do not count.
struct Turn<'a>(&'a AtomicUsize);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the server is busy with other calls")
    }
}

impl std::error::Error for Full {}

impl From<Full> for Error {
    fn from(full: Full) -> Self {
        Self::new(Kind::Failed, "busy", full.to_string()).hint("try again in a moment; nothing was done")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(running: usize, waiting: usize) -> Gate {
        Gate::new(&Limits { running, waiting, ..Limits::default() })
    }

    #[tokio::test]
    async fn those_who_find_no_place_wait_and_those_who_find_no_place_to_wait_are_sent_away() {
        let gate = Arc::new(gate(1, 1));
        let first = gate.enter().await.unwrap();
        let second = tokio::spawn({
            let gate = Arc::clone(&gate);
            async move { gate.enter().await.map(drop) }
        });
        while gate.waiting.load(Ordering::Acquire) == 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(gate.enter().await.unwrap_err(), Full);
        drop(first);
        assert_eq!(second.await.unwrap(), Ok(()));
        assert_eq!(gate.waiting.load(Ordering::Acquire), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_waits_for_ever() {
        let gate = gate(1, 1);
        let _first = gate.enter().await.unwrap();
        assert_eq!(gate.enter().await.unwrap_err(), Full);
    }

    #[tokio::test]
    async fn who_no_longer_waits_leaves_the_queue() {
        let gate = gate(1, 1);
        let _first = gate.enter().await.unwrap();
        tokio::select! {
            biased;
            _ = gate.enter() => unreachable!("the place is taken"),
            () = tokio::task::yield_now() => {}
        }
        assert_eq!(gate.waiting.load(Ordering::Acquire), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_gate_is_empty_when_the_last_pass_is_back() {
        let gate = gate(2, 0);
        let pass = gate.enter().await.unwrap();
        assert!(!gate.empty(Duration::from_secs(1)).await);
        assert_eq!(gate.busy(), 1);
        drop(pass);
        assert!(gate.empty(Duration::from_secs(1)).await);
        assert_eq!(gate.busy(), 0);
    }
}
