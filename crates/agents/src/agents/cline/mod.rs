//! Cline and Roo Code: tasks and sessions.

mod log;

pub struct Cline;
