//! Finds the rules of a large playbook that can matter for a new one, from what an index stores of each.
//!
//! [`curate`](super::curate) with these rules alone decides as with all.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::adding::type_of;
use super::bullet_index::{MAX_CANDIDATES, MIN_CANDIDATE_SIMILARITY};
use super::delta::AddDelta;
use super::left_out::LeftOutRules;
use crate::conflict::StatementDigest;
use crate::embedding_model::WordVectors;
use cm_note::bullet::content::{self, RuleHash};
use cm_note::bullet::{Bullet, RuleScope, Scope};

/// Increased with every change of a digest or of how rules are parsed, so that stored digests are not used
/// again.
pub const DIGEST_FORMAT: u32 = 2;

/// Stored summary of a rule: its place, its state, and its statement in a form that is quick to compare.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RuleDigest<'a> {
    pub id: &'a str,
    pub path: &'a str,
    category: &'a str,
    scope: Scope,
    scope_key: Option<&'a str>,
    workspace: Option<&'a str>,
    is_standing: bool,
    is_live: bool,
    #[serde(borrow)]
    statement: StatementDigest<'a>,
    hash: [u8; 32],
}

impl<'a> RuleDigest<'a> {
    /// Returns the stored form of a rule's digest.
    pub fn stored(bullet: &Bullet, word_vectors: &WordVectors<'_>) -> Vec<u8> {
        let text = bullet.agent_text();
        let digest = RuleDigest {
            id: bullet.id.as_str(),
            path: bullet.path.as_str(),
            category: &bullet.category,
            scope: bullet.scope,
            scope_key: bullet.fields.scope_key.as_deref(),
            workspace: bullet.workspace.as_deref(),
            is_standing: bullet.is_standing(),
            is_live: bullet.is_live(),
            statement: StatementDigest::of(word_vectors.embed(&text).embedded()),
            hash: *RuleHash::of(&text).bytes(),
        };
        // Writing to memory cannot fail.
        postcard::to_allocvec(&digest).unwrap_or_default()
    }

    /// Reads what [`RuleDigest::stored`] returned; `None` for other bytes.
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }

    /// Adds the rule to those that are left out of a curation; `is_own` tells whether it is of the vault
    /// that the curation changes.
    pub fn leave_out(&self, left_out: &mut LeftOutRules, is_own: bool) {
        left_out.ids.push(self.id.to_owned());
        if is_own && self.is_live {
            *left_out.live.entry(self.category.to_owned()).or_default() += 1;
        }
    }

    fn rule_scope(&self) -> RuleScope<'_> {
        RuleScope { scope: self.scope, scope_key: self.scope_key, workspace: self.workspace }
    }
}

/// Returns the indices of the rules that matter for adding a rule that excludes none.
pub fn concerned(
    add: &AddDelta,
    digests: &[RuleDigest<'_>],
    word_vectors: &WordVectors<'_>,
) -> BTreeSet<usize> {
    let proposal = &add.bullet;
    let Ok(rule) = content::rule(&proposal.content) else { return BTreeSet::new() };
    let text = content::agent_text(&rule, type_of(add));
    let hash = *RuleHash::of(&text).bytes();
    let statement = word_vectors.embed(&text);
    let new = statement.embedded();
    let own = StatementDigest::of(new);
    let rule_scope = proposal.rule_scope();
    let mut found = BTreeSet::new();
    // An admission looks for the nearest of each of these groups.
    let is_in: [fn(&RuleDigest<'_>) -> bool; 3] =
        [|digest| digest.is_standing, |digest| !digest.is_standing, |digest| digest.is_live];
    let mut groups: [Vec<(f64, f64, usize)>; 3] = Default::default();
    for (at, digest) in
        digests.iter().enumerate().filter(|(_, digest)| digest.rule_scope().overlaps(&rule_scope))
    {
        let compared = digest.statement.compare(new, &own, word_vectors);
        if compared.may_concern || digest.hash == hash {
            found.insert(at);
        }
        let (least, most) = compared.alikeness.into_inner();
        if most >= MIN_CANDIDATE_SIMILARITY {
            let groups = groups.iter_mut().zip(is_in).filter(|(_, is_in)| is_in(digest));
            groups.for_each(|(group, _)| group.push((least, most, at)));
        }
    }
    for mut group in groups {
        group.sort_by(|(a, ..), (b, ..)| b.total_cmp(a));
        // So many are at least as similar as this.
        let bound = group.get(MAX_CANDIDATES - 1).map_or(0.0, |(least, ..)| *least);
        found.extend(group.into_iter().filter(|(_, most, _)| *most >= bound).map(|(.., at)| at));
    }
    found
}
