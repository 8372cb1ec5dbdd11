//! Built-in sets of rules for common stacks.
//!
//! The rules of a set are proposed as deltas; admission checks decide which are accepted.

use serde::Deserialize;

use crate::curation::delta::{AddDelta, CurationDelta, RuleProposal};
use cm_note::bullet::content::RuleHash;
use cm_note::bullet::{BulletKind, BulletType, RuleScope, Scope};

/// Tag of every rule that was added from a starter set.
pub const TAG: &str = "starter";

/// Name and YAML text of each built-in starter set.
const SETS: [(&str, &str); 10] = [
    ("git", include_str!("../../../templates/starters/git.yaml")),
    ("go", include_str!("../../../templates/starters/go.yaml")),
    ("node", include_str!("../../../templates/starters/node.yaml")),
    ("python", include_str!("../../../templates/starters/python.yaml")),
    ("react", include_str!("../../../templates/starters/react.yaml")),
    ("rust", include_str!("../../../templates/starters/rust.yaml")),
    ("security", include_str!("../../../templates/starters/security.yaml")),
    ("sql", include_str!("../../../templates/starters/sql.yaml")),
    ("testing", include_str!("../../../templates/starters/testing.yaml")),
    ("typescript", include_str!("../../../templates/starters/typescript.yaml")),
];

/// A built-in set of rules for a new vault, for example for a language.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Starter {
    #[serde(skip)]
    pub name: &'static str,
    /// Description of the set in one line.
    pub about: String,
    /// Scope that all rules of the set get.
    pub scope: Scope,
    /// Language or framework to which the rules of the set are limited, if any.
    #[serde(default)]
    pub scope_key: Option<String>,
    /// Tags that every rule of the set gets, in addition to [`TAG`].
    #[serde(default)]
    pub tags: Vec<String>,
    pub rules: Vec<StarterRule>,
}

/// A rule in a starter set.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StarterRule {
    pub category: String,
    /// Text of the rule.
    pub content: String,
    /// Whether the bullet is a rule or an anti-pattern.
    #[serde(default, rename = "type")]
    pub bullet_type: BulletType,
}

impl StarterRule {
    /// Hash of the text, by which an already added rule is recognized in a vault.
    pub fn hash(&self) -> RuleHash {
        RuleHash::of(&self.content)
    }
}

/// Returns all built-in starter sets, sorted by name.
pub fn all() -> Vec<Starter> {
    SETS.iter().filter_map(|(name, text)| read(name, text)).collect()
}

pub fn names() -> impl Iterator<Item = &'static str> {
    SETS.iter().map(|(name, _)| *name)
}

pub fn find_starter(name: &str) -> Option<Starter> {
    let (name, text) = SETS.iter().find(|(other, _)| *other == name)?;
    read(name, text)
}

/// Parses the YAML text of a set. `None` is impossible for built-in sets: a test checks them.
fn read(name: &'static str, text: &str) -> Option<Starter> {
    let starter: Starter = yaml_serde::from_str(text).ok()?;
    Some(Starter { name, ..starter })
}

impl Starter {
    /// Returns where the rules of the set apply: its scope and key, in every workspace.
    pub fn rule_scope(&self) -> RuleScope<'_> {
        RuleScope { scope: self.scope, scope_key: self.scope_key.as_deref(), workspace: None }
    }

    /// Returns the delta that adds a rule of this set to a playbook.
    pub fn delta(&self, rule: &StarterRule) -> CurationDelta {
        let kind = match (rule.bullet_type, self.scope) {
            (BulletType::AntiPattern, _) => BulletKind::AntiPattern,
            (BulletType::Rule, Scope::Global) => BulletKind::WorkflowRule,
            (BulletType::Rule, _) => BulletKind::StackPattern,
        };
        let mut tags = self.tags.clone();
        tags.push(TAG.to_owned());
        CurationDelta::Add(Box::new(AddDelta {
            bullet: RuleProposal {
                category: rule.category.clone(),
                content: rule.content.clone(),
                bullet_type: Some(rule.bullet_type),
                kind: Some(kind),
                tags,
                scope: Some(self.scope),
                scope_key: self.scope_key.clone(),
                ..RuleProposal::default()
            },
            ..AddDelta::default()
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use cm_note::bullet::content;
    use cm_text::similarity::{jaccard, words};

    #[test]
    fn every_set_is_read_and_its_rules_are_rules() {
        assert_eq!(all().len(), SETS.len());
        assert!(names().is_sorted());
        for starter in all() {
            assert!((8..=14).contains(&starter.rules.len()), "{}", starter.name);
            assert_eq!(starter.scope == Scope::Global, starter.scope_key.is_none(), "{}", starter.name);
            for rule in &starter.rules {
                assert_eq!(
                    content::rule(&rule.content).as_deref(),
                    Ok(rule.content.as_str()),
                    "{}",
                    starter.name
                );
                let sound = |c: char| c.is_ascii_lowercase() || c == '-';
                assert!(rule.category.chars().all(sound), "{}", rule.category);
                let avoids = rule.content.starts_with("AVOID: ");
                assert_eq!(avoids, rule.bullet_type == BulletType::AntiPattern, "{}", rule.content);
            }
        }
    }

    #[test]
    fn no_two_rules_of_all_sets_are_alike() {
        let rules: Vec<_> = all().into_iter().flat_map(|starter| starter.rules).collect();
        let hashes: BTreeSet<_> = rules.iter().map(StarterRule::hash).collect();
        assert_eq!(hashes.len(), rules.len());
        let words: Vec<_> = rules.iter().map(|rule| words(&rule.content)).collect();
        for (at, one) in words.iter().enumerate() {
            for other in &words[at + 1..] {
                assert!(jaccard(one, other) < 0.5, "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn a_rule_is_proposed_with_its_stack_and_the_tag() {
        let rust = find_starter("rust").unwrap();
        let CurationDelta::Add(add) = rust.delta(&rust.rules[0]) else { panic!("a rule is added") };
        assert_eq!(add.bullet.tags, ["rust", "starter"]);
        assert_eq!(
            (add.bullet.scope, add.bullet.scope_key.as_deref()),
            (Some(Scope::Language), Some("rust"))
        );
        assert!(find_starter("cobol").is_none());
    }
}
