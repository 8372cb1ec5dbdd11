//! Tests of the team server over real sockets on a loopback address, with a real vault.

mod agents;
mod bounds;
mod contract;
mod doors;
mod ending;
mod fairness;
mod figures;
mod fuzz;
mod paths;
mod process;
mod sent;
pub mod support;
mod wire;
mod work;
