//! Layered settings, each value with its source.
//!
//! This module parses text and names passed to it. It does not choose the files and does not
//! interpret the settings.

pub mod keys;
pub mod layer;
pub mod schema;
pub mod settings;

pub use layer::{SettingOrigin, SettingsLayer};
pub use settings::{CommitMode, Settings};
