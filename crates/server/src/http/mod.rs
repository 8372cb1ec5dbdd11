//! The team server: the table of operations over HTTP, for agents that do not have the vault on their disk.
//!
//! A request passes `connections` (how many, how slow), then `entrance` (whose host, how often, whose token), then `route`
//! (what it takes), then a lane (how many at once), and only there opens the vault. It holds no rule of the product and
//! prints nothing. This layer is asynchronous; what an operation does is not, and runs on threads of its own.

pub mod bearer;
mod body;
mod bytes_in;
mod connections;
mod entrance;
mod framing;
mod guard;
pub mod health;
mod host;
pub mod jobs;
mod lanes;
pub mod limits;
pub mod listen;
pub mod log;
pub mod metrics;
mod mount;
pub mod openapi;
mod patient;
mod problem;
mod query;
mod rate;
mod route;
pub mod schedule;
mod server;
mod shape;
mod state;
mod token_ends;

pub use jobs::Job;
pub use limits::Limits;
pub use log::Entry;
pub use metrics::Figure;
pub use mount::Mount;
pub use route::router;
pub use server::{Ended, Server, serve};
pub use state::{Clock, Figures, Opener, Setup, State, Tokens};
