//! What both servers, `mcp` and `http`, share: how many operations run at once, fairly between callers, and the end of
//! a caller's token. It does not know what an operation does or how a request looks.

mod concurrency;
mod token_end;

pub use concurrency::{ConcurrencyLimit, Permit, Saturated};
pub use token_end::TokenEnd;
