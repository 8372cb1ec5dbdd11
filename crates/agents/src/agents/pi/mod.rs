//! Pi and its fork omp: session trees.

mod log;

pub struct Pi;
