//! Tests of the team server over real sockets on a loopback address, with a real vault.

mod agents;
mod attachments;
mod authentication;
mod bounds;
mod contract;
mod ending;
mod fairness;
mod fuzz;
mod idempotency;
mod metrics;
mod note_page;
mod paths;
mod process;
pub mod support;
mod uploads;
mod web;
mod web_time;
mod wire;
mod work;
