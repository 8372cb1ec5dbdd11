//! Imports and exports bullets: the YAML playbook of other tools, and agents' rule files.
//!
//! Parsers return a [`ImportedDocument`]; [`plan::plan`] decides which of its bullets enter a vault. This
//! module accesses no files and does not check evidence for rules.

mod mapping_reader;
pub mod plan;
pub mod playbook;
pub mod rule_file;
mod write;

use cm_note::bullet::Bullet;
use cm_note::bullet::blocked::BlockedNote;
use cm_note::finding::Finding;
use cm_note::note::check::is_category;

pub use write::{PlaybookFormat, write};

/// The contents of another tool's file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ImportedDocument {
    /// Bullets, in the order of the file.
    pub bullets: Vec<Bullet>,
    /// Deprecated patterns, in the order of the file.
    pub blocked: Vec<BlockedNote>,
    /// Parts that could not be imported, or only with changes.
    pub findings: Vec<Finding>,
    /// Parts that were left out, with counts.
    pub left_out: Vec<LeftOutKind>,
}

/// A kind of text that is not a rule, with its number of occurrences.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct LeftOutKind {
    /// Description of the kind.
    pub what: String,
    /// Number of occurrences.
    pub count: usize,
}

/// Category of bullets that name none.
pub(crate) const GENERAL: &str = "general";

/// Converts a name to a valid category: `[a-z][a-z0-9_-]{0,49}`.
pub fn category(name: &str) -> String {
    let name = name.trim();
    if is_category(name) {
        return name.to_owned();
    }
    let words: String = name.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { ' ' }).collect();
    let slug = slug::slugify(words);
    let letters = slug.trim_start_matches(|c: char| !c.is_ascii_lowercase());
    let folded: String = letters.chars().take(50).collect();
    let folded = folded.trim_end_matches('-');
    if folded.is_empty() { GENERAL.to_owned() } else { folded.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_become_categories_that_still_say_the_same() {
        for (name, expected) in [
            ("testing", "testing"),
            ("Code Style", "code-style"),
            ("1. Setup & build", "setup-build"),
            ("Größe", "grosse"),
            ("🦀", "general"),
            ("", "general"),
        ] {
            assert_eq!(category(name), expected);
        }
    }

    proptest! {
        #[test]
        fn every_name_folds_to_a_category_once(name in ".{0,80}") {
            let folded = category(&name);
            prop_assert!(is_category(&folded), "{}", folded);
            prop_assert_eq!(category(&folded), folded);
        }
    }
}
