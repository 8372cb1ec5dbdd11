//! Text output of `cm memory-tool`.

use super::style::{count, safe};
use cm_app::verbs::memory_tool::MemoryToolAnswer;

/// The content of the tool result.
pub fn answered(answer: &MemoryToolAnswer) -> String {
    format!("{}\n", safe(&answer.content))
}

/// A number of secrets, such as `2 secrets`.
pub fn secrets(number: usize) -> String {
    count(number, "secret")
}
