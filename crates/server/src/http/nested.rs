//! Nested services, such as MCP, behind the same middleware.

use std::fmt;
use std::sync::Arc;

use axum::Router;

#[derive(Clone)]
pub struct NestedService {
    /// Path, such as `/mcp`.
    pub path: &'static str,
    /// Router of the service. Its requests carry a [`Caller`](crate::operations::Caller) as
    /// extension.
    pub router: Router,
    /// Number of running calls; shutdown waits for them.
    pub at_work: Arc<dyn Fn() -> usize + Send + Sync>,
    /// Ends open streams at shutdown; must not block.
    pub end: Arc<dyn Fn() + Send + Sync>,
}

impl NestedService {
    /// A service without open streams or background work.
    pub fn of(path: &'static str, router: Router) -> Self {
        Self { path, router, at_work: Arc::new(|| 0), end: Arc::new(|| ()) }
    }
}

impl fmt::Debug for NestedService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NestedService").field("path", &self.path).finish_non_exhaustive()
    }
}
