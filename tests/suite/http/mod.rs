//! The team server on a loopback address, asked over real sockets, with a real vault behind it.

mod bounds;
mod contract;
mod doors;
mod ending;
mod figures;
mod fuzz;
mod support;
mod wire;
mod work;
