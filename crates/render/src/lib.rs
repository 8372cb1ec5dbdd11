//! Renders results: JSON, which is equal on every surface, and text for people.

pub mod html;
pub mod json;
pub mod layout;
pub mod markdown;
pub mod schema;
pub mod status;
pub mod text;
pub mod toon;
