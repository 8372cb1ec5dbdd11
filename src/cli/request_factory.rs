//! RequestFactory of a long-running process. Each has its own time and ids; all share the caches.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cm_app::context::process_cache::ProcessCache;
use cm_app::{CallerIdentity, Context, ProgressWatch, Request, Result};
use cm_note::instant::Instant;

/// State shared by the requests of a process.
pub struct RequestFactory {
    /// Caches shared between requests.
    pub cache: Arc<ProcessCache>,
    /// The request that started the process.
    pub first: Request,
    count: AtomicU64,
}

impl RequestFactory {
    /// Derives requests from `first`. Their answers are read by agents.
    pub fn like(first: Request) -> Self {
        let first = Request { for_prompts: true, ..first };
        Self { cache: Arc::default(), first, count: AtomicU64::new(0) }
    }

    /// Derives requests whose answers people read: they may look at a vault that they do not trust yet.
    #[must_use]
    pub fn for_people(mut self) -> Self {
        self.first.for_prompts = false;
        self
    }

    /// The current time, or the fixed time given with `--now`.
    pub fn now(&self) -> Instant {
        if self.first.now_is_given {
            self.first.now
        } else {
            Instant::from(chrono::Utc::now()).truncate_to_second()
        }
    }

    /// Opens a context for the next request.
    ///
    /// # Errors
    /// See [`Context::open`].
    pub fn open(&self, caller: CallerIdentity, watch: ProgressWatch) -> Result<Context> {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        // Two requests within a second must not generate the same ids.
        let seed = self.first.seed.as_ref().map(|seed| format!("{seed} {count}"));
        self.cache.open(Request { caller, watch, seed, now: self.now(), ..self.first.clone() })
    }
}
