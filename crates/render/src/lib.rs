//! What outcomes look like: JSON, one contract for every surface, and text for people. No rule of the product lives here.

pub mod json;
pub mod schema;
pub mod status;
pub mod text;
pub mod toon;
