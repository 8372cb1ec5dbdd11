//! The rules of a playbook that a curation is not given.

use std::collections::BTreeMap;

/// Rules that a curation is not given because they cannot matter for its deltas.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeftOutRules {
    /// Their ids, so that no new rule gets one of them.
    pub ids: Vec<String>,
    /// Numbers of live rules of the vault by category.
    pub live: BTreeMap<String, usize>,
}
