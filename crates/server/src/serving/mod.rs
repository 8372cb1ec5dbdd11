//! Shared by the `mcp` and `http` servers: the concurrency limit, signals, the length of bodies, and
//! the cancellation of requests whose token ends.

mod concurrency;
mod content_length;
mod stop_signal;
mod token_end;

pub use concurrency::{ConcurrencyLimit, Permit, Saturated};
pub(crate) use content_length::content_length;
pub use stop_signal::StopSignal;
pub(crate) use stop_signal::TerminationSignals;
pub use token_end::TokenEnd;
