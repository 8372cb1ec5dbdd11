//! The team server on a loopback address, asked over real sockets, with a real vault behind it.

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
