//! Pi and its fork omp: session trees.

mod log;

/// Support for this agent.
pub struct Pi;
