//! Shared by the `mcp` and `http` servers: the concurrency limit, and the cancellation of requests
//! whose token ends.

mod concurrency;
mod stop_signal;
mod token_end;

pub use concurrency::{ConcurrencyLimit, Permit, Saturated};
pub use stop_signal::StopSignal;
pub use token_end::TokenEnd;
