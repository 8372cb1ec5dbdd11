//! Formats of other tools: what they wrote comes in whole, and what is written for them has exactly
//! their form.

mod claude_memory;
mod folders;
mod memory_tool;
mod okf;
