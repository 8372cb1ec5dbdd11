//! What is served beside the endpoints, behind the same doors, and how it is ended.

use std::fmt;
use std::sync::Arc;

use axum::Router;

/// Something that is served below a path, such as `/mcp`.
#[derive(Clone)]
pub struct Mount {
    /// The path.
    pub path: &'static str,
    /// What answers below it. Its requests carry a [`Caller`](crate::operations::Caller).
    pub router: Router,
    /// How many calls are at work; when the server ends, they are waited for.
    pub at_work: Arc<dyn Fn() -> usize + Send + Sync>,
    /// Ends the answers that it keeps open; it must not wait.
    pub end: Arc<dyn Fn() + Send + Sync>,
}

impl Mount {
    /// One that keeps no answer open and works on nothing.
    pub fn of(path: &'static str, router: Router) -> Self {
        Self { path, router, at_work: Arc::new(|| 0), end: Arc::new(|| ()) }
    }
}

impl fmt::Debug for Mount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mount").field("path", &self.path).finish_non_exhaustive()
    }
}
