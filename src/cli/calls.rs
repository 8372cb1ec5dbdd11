//! The calls of a process that serves many: each at its own instant, with ids of its own, and with what is kept between them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cm_app::warm::ProcessCache;
use cm_app::{CallerIdentity, Context, ProgressWatch, Request, Result};
use cm_note::instant::Instant;

/// What the calls of a process have in common.
pub struct Calls {
    /// What is kept between them.
    pub warm: Arc<ProcessCache>,
    /// The call that the process was started with.
    pub first: Request,
    count: AtomicU64,
}

impl Calls {
    /// Calls like this one, whose answers reach agents.
    pub fn like(first: Request) -> Self {
        let first = Request { for_prompts: true, ..first };
        Self { warm: Arc::default(), first, count: AtomicU64::new(0) }
    }

    /// The instant that it is now; one that was given stands still.
    pub fn now(&self) -> Instant {
        if self.first.now_is_given {
            self.first.now
        } else {
            Instant::from(chrono::Utc::now()).truncate_to_second()
        }
    }

    /// Opens the memory for the next call.
    ///
    /// # Errors
    /// Those of [`Memory::open`].
    pub fn open(&self, by: CallerIdentity, watch: ProgressWatch) -> Result<Context> {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        // Two calls of a second must not draw the same ids.
        let seed = self.first.seed.as_ref().map(|seed| format!("{seed} {count}"));
        self.warm.open(Request { by, watch, seed, now: self.now(), ..self.first.clone() })
    }
}
