//! Sets of rules that come with the program: which there are, and putting one into the playbook.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::error::Result;
use super::memory::Memory;
use super::playbook::merged;
use crate::curate::starters::{self, Starter};
use crate::domain::bullet::Scope;
use crate::domain::bullet::content::RuleHash;

/// A set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Set {
    /// Its name.
    pub name: String,
    /// What it is.
    pub about: String,
    /// How far its rules reach.
    pub scope: Scope,
    /// The language or framework that they are for.
    pub scope_key: Option<String>,
    /// The categories of its rules.
    pub categories: Vec<String>,
    /// How many rules it has.
    pub rules: usize,
    /// How many of them the playbook has already.
    pub present: usize,
}

/// The sets, by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Starters {
    /// The sets.
    pub starters: Vec<Set>,
}

/// The sets that come with the program.
///
/// # Errors
/// Where the notes cannot be read.
pub fn list(memory: &Memory) -> Result<Starters> {
    let known = known(memory)?;
    let set = |starter: Starter| {
        let mut categories: Vec<String> = starter.rules.iter().map(|rule| rule.category.clone()).collect();
        categories.sort();
        categories.dedup();
        Set {
            name: starter.name.to_owned(),
            scope: starter.scope,
            categories,
            rules: starter.rules.len(),
            present: starter.rules.iter().filter(|rule| known.contains(&rule.hash())).count(),
            about: starter.about,
            scope_key: starter.scope_key,
        }
    };
    Ok(Starters { starters: starters::all().into_iter().map(set).collect() })
}

/// The rules that the playbook has, in use or not.
fn known(memory: &Memory) -> Result<HashSet<RuleHash>> {
    let bullets = merged(memory)?.bullets;
    Ok(bullets.iter().map(|shelved| RuleHash::of(shelved.bullet.content())).collect())
}
