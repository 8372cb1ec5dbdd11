//! Runs operations on blocking threads, with limits for running and waiting ones.
//!
//! Reads share one limit and writes another, so that writers wait without blocking readers. Callers
//! take turns. A started operation runs to completion even if the client disconnects.

use std::time::Duration;

use crate::serving::ConcurrencyLimit;

/// Runs blocking operations within a concurrency limit.
#[derive(Debug)]
pub struct OperationRunner(ConcurrencyLimit);

/// Why an operation returned no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunError {
    /// The queue is full or the wait was too long; the operation was not started.
    Busy,
    /// The operation panicked.
    Panicked,
}

impl OperationRunner {
    /// Runs at most `width` operations at once and queues at most `queue`, each for at most
    /// `queue_timeout`.
    pub fn new(width: usize, queue: usize, queue_timeout: Duration) -> Self {
        Self(ConcurrencyLimit::new(width, queue, queue_timeout))
    }

    /// Waits for a permit and runs the work on a blocking thread.
    ///
    /// # Errors
    /// [`RunError`].
    pub async fn run<T: Send + 'static>(
        &self,
        caller: &str,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, RunError> {
        let permit = self.0.acquire(caller).await.map_err(|_| RunError::Busy)?;
        // The permit goes with the work: a client that leaves does not make room for another one.
        let work = move || {
            let done = work();
            drop(permit);
            done
        };
        tokio::task::spawn_blocking(work).await.map_err(|_| RunError::Panicked)
    }

    /// Number of running operations.
    pub fn running(&self) -> usize {
        self.0.running()
    }

    /// Number of waiting operations.
    pub fn waiting(&self) -> usize {
        self.0.waiting()
    }

    /// Resolves when no operation is running or waiting.
    pub async fn empty(&self) {
        self.0.empty().await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, mpsc};

    use super::*;

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
    }

    #[test]
    fn beyond_the_queue_work_is_refused_and_not_begun() {
        runtime().block_on(async {
            let runner = Arc::new(OperationRunner::new(1, 1, Duration::from_secs(60)));
            let (release, wait) = mpsc::channel::<()>();
            let first = tokio::spawn({
                let runner = Arc::clone(&runner);
                async move { runner.run("", move || wait.recv().is_ok()).await }
            });
            while runner.running() == 0 {
                tokio::task::yield_now().await;
            }
            let second = tokio::spawn({
                let runner = Arc::clone(&runner);
                async move { runner.run("", || 2).await }
            });
            while runner.waiting() == 0 {
                tokio::task::yield_now().await;
            }
            assert_eq!(runner.run("", || 3).await, Err(RunError::Busy));
            release.send(()).unwrap();
            assert_eq!((first.await.unwrap(), second.await.unwrap()), (Ok(true), Ok(2)));
            runner.empty().await;
            assert_eq!((runner.running(), runner.waiting()), (0, 0));
        });
    }

    #[test]
    fn a_panic_is_an_answer_and_frees_its_turn() {
        runtime().block_on(async {
            let runner = OperationRunner::new(1, 0, Duration::from_secs(60));
            assert_eq!(runner.run("", || panic!("as asked for")).await.map(|()| 1), Err(RunError::Panicked));
            assert_eq!(runner.run("", || 1).await, Ok(1));
        });
    }

    #[test]
    fn work_whose_client_left_runs_to_its_end() {
        runtime().block_on(async {
            let runner = Arc::new(OperationRunner::new(1, 0, Duration::from_secs(60)));
            let (began, begins) = mpsc::channel();
            let (release, wait) = mpsc::channel::<()>();
            let (done, ends) = mpsc::channel();
            let client = tokio::spawn({
                let runner = Arc::clone(&runner);
                async move { runner.run("", move || (began.send(()), wait.recv(), done.send(())).2.is_ok()).await }
            });
            while begins.try_recv().is_err() {
                tokio::task::yield_now().await;
            }
            client.abort();
            let _ = client.await;
            assert_eq!(runner.running(), 1);
            release.send(()).unwrap();
            runner.empty().await;
            assert!(ends.try_recv().is_ok());
        });
    }
}
