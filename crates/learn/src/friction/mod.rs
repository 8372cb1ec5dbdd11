//! Friction: finds sessions that went badly, by signals in their logs, and collects candidates for
//! rules.
//!
//! Two rule sets exist: `classic` reproduces the counts of other tools, including their faults;
//! `observed` relies on user reactions rather than on tool output. A log becomes records
//! ([`claude_lines`] or [`events`]); each log is examined separately ([`examine`]), the results are
//! combined ([`conclude`]) and rendered as [`files`]. No function here accesses files, clocks or
//! models.
//!
//! ```
//! use cm_learn::friction::{FrictionConfig, FrictionRules, claude_lines, conclude, examine, files};
//! use cm_note::instant::Instant;
//! let config = FrictionConfig::of(FrictionRules::Classic);
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
mod examined_log;
mod forks;
mod observed;
mod patterns;
pub mod record;
pub mod report;
pub mod score;
pub mod signal;
pub mod summary;

pub use analysis::{FrictionAnalysis, conclude};
pub use config::{FrictionConfig, FrictionRules};
pub use examined_log::{ExaminedLog, HarmDone, examine};
pub use report::{ReportFile, files};
