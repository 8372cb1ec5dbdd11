//! Shared by the `mcp` and `http` servers: the concurrency limit, and the cancellation of requests
//! whose token ends.

mod concurrency;
mod token_end;

pub use concurrency::{ConcurrencyLimit, Permit, Saturated};
pub use token_end::TokenEnd;
