//! The block between `---` lines at the top of a note: found, parsed with places, and edited without losing a byte.

pub mod edit;
pub mod parse;
pub mod split;
