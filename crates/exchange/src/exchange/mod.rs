//! Bullets that come from elsewhere or go there: the YAML playbook of other tools, and agents' rule files.
//!
//! Reading gives bullets and blocked patterns ([`Document`]), [`plan::plan`] says which of them come into a vault. No
//! file is touched here, and nothing is judged: what evidence there is for a rule is for curation to ask.

mod keys;
pub mod plan;
pub mod playbook;
pub mod rule_file;
mod write;

use cm_note::bullet::Bullet;
use cm_note::bullet::blocked::Blocked;
use cm_note::finding::Finding;
use cm_note::note::check::is_category;

pub use write::{Form, write};

/// What a file of another tool says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Document {
    /// Its bullets, in order.
    pub bullets: Vec<Bullet>,
    /// Its deprecated patterns, in order.
    pub blocked: Vec<Blocked>,
    /// What could not be taken over, or not as it stands there.
    pub findings: Vec<Finding>,
    /// What was left out, and why.
    pub left_out: Vec<LeftOut>,
}

/// A kind of text that is no rule, with how often it was met.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct LeftOut {
    /// What it is, in words.
    pub what: String,
    /// How often.
    pub count: usize,
}

/// The category of bullets that have none.
pub const GENERAL: &str = "general";

/// A name as a category: `[a-z][a-z0-9_-]{0,49}`.
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
