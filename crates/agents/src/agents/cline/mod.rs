//! Cline and Roo Code: tasks and sessions; hooks and skills of Cline.

pub(crate) mod hooks;
mod log;

pub struct Cline;
