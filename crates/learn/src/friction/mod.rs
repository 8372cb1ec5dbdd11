//! Friction: where sessions went badly, by signs in their logs, and what to avoid.
//!
//! Two sets of rules. `classic` counts as other tools count, fault for fault. `observed` believes what people were seen
//! to do, and machines hardly. A log becomes records ([`claude_lines`] or [`events`]), each is examined by itself
//! ([`examine`]), and all together are concluded ([`conclude`]) and written down ([`files`]). What recurs over weeks is
//! kept in a [`ledger`]. No file, clock or model has a part in it.
//!
//! ```
//! use cm_learn::friction::{Config, Rules, claude_lines, conclude, examine, files};
//! use cm_note::instant::Instant;
//! let config = Config::of(Rules::Classic);
//! let line = br#"{"type":"user","timestamp":"2026-10-01T10:00:00Z","message":{"content":"damn"}}"#;
//! let log = claude_lines::log("-home-demo", "aaaa1111-0000", line);
//! let analysis = conclude(vec![examine(&log, &config)], &config, Instant::from_unix(0));
//! assert_eq!(analysis.sessions[0].session_id, "demo/1001-1000-aaaa1111");
//! assert_eq!(analysis.sessions[0].peak(), 5.0);
//! assert_eq!(files(&analysis).len(), 7);
//! ```

pub mod analysis;
pub mod antigen;
mod classic;
pub mod claude_lines;
pub mod config;
pub mod events;
mod examined;
mod forks;
pub mod ledger;
mod observed;
mod patterns;
pub mod record;
pub mod report;
pub mod score;
pub mod signal;
pub mod summary;

pub use analysis::{Analysis, conclude};
pub use config::{Config, Rules};
pub use examined::{Examined, examine};
pub use report::{File, files};
