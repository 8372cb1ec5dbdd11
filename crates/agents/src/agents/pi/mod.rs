//! Pi and its fork omp: session trees, the extension that calls cm, and skills.

mod hooks;
mod log;

pub struct Pi;
