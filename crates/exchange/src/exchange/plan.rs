//! Plans the import of bullets: which enter a vault, and which are left out as existing or blocked.

use std::collections::{HashMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::ImportedDocument;
use cm_note::bullet::blocked::{BlockKind, BlockedNote};
use cm_note::bullet::content::{RuleHash, escape_headings};
use cm_note::bullet::{Bullet, BulletState};
use cm_note::finding::{Finding, FindingCode};
use cm_note::id::NoteId;
use cm_note::note::suspicion::suspicion;
use cm_note::note::{Note, NoteKind, RelationTable, TypeTable, compose, read};
use cm_playbook::conflict::{EmbeddedStatement, MinSimilarity, RuleStatement};
use cm_playbook::embedding_model::{NoEmbeddings, WordVectors};

pub struct VaultContents<'a> {
    pub notes: &'a [Note],
    /// Blocked patterns of all open vaults.
    pub blocked: &'a [BlockedNote],
    /// Similarity from which a rule counts as a blocked one.
    pub block_jaccard: f64,
    /// Whether to leave out rules that the vault has under another id.
    pub same_rule_once: bool,
}

/// Why a bullet was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BulletSkipReason {
    /// The vault has an identical bullet.
    ThereAlready,
    /// The vault has the same rule under another ID.
    SameRule,
    /// The vault has the same rule under this ID, with other fields such as feedback. It stays as it is.
    OtherFields,
    /// The vault, or the file itself, has a different bullet with this ID.
    IdTaken,
    /// The rule is blocked.
    Blocked,
    /// The text cannot be stored unchanged, for example because of control characters.
    NoRule,
}

impl BulletSkipReason {
    /// Whether this is a failure, as opposed to a duplicate.
    pub fn failed(self) -> bool {
        matches!(self, Self::IdTaken | Self::Blocked | Self::NoRule)
    }
}

/// A bullet that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SkippedBullet {
    pub id: String,
    /// Text of the rule.
    pub content: String,
    pub why: BulletSkipReason,
}

/// Result of planning an import.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BulletImportPlan {
    /// Bullets with the text of their notes.
    pub bullets: Vec<(Bullet, String)>,
    /// Blocked patterns with the text of their notes.
    pub blocked: Vec<(BlockedNote, String)>,
    /// Bullets and patterns that are left out.
    pub skipped: Vec<SkippedBullet>,
}

/// Plans an import. Findings about quarantined bullets are added to the document's.
pub fn plan(document: &mut ImportedDocument, held: &VaultContents<'_>, file: &str) -> BulletImportPlan {
    let mut plan = BulletImportPlan::default();
    let mut existing = ExistingBullets::of(held);
    for bullet in std::mem::take(&mut document.bullets) {
        let quarantined = quarantined(bullet, file, &mut document.findings);
        match existing.bullet(quarantined, held) {
            Ok(composed) => plan.bullets.push(composed),
            Err(skipped) => plan.skipped.push(skipped),
        }
    }
    for blocked in std::mem::take(&mut document.blocked) {
        match existing.pattern(blocked) {
            Ok(composed) => plan.blocked.push(composed),
            Err(skipped) => plan.skipped.push(skipped),
        }
    }
    plan
}

/// Turns the bullet into a draft if it contains invisible characters or text that resembles
/// instructions to the agent, so that a person must review it.
fn quarantined(mut bullet: Bullet, file: &str, findings: &mut Vec<Finding>) -> Bullet {
    let note = read(&bullet);
    if suspicion(bullet.content()).is_some() && bullet.state == BulletState::Active {
        bullet.state = BulletState::Draft;
    }
    for found in note.findings {
        let hidden = found.code == FindingCode::HiddenCharacter;
        if hidden && bullet.state == BulletState::Active {
            bullet.state = BulletState::Draft;
        }
        if hidden || matches!(found.code, FindingCode::OutOfRange) {
            let message = format!("bullet {}: {}", bullet.id, found.message);
            findings.push(Finding { path: file.to_owned(), line: None, column: None, message, ..found });
        }
    }
    bullet
}

fn read(bullet: &Bullet) -> Note {
    let (types, relations) = (TypeTable::default(), RelationTable::default());
    read::read(&bullet.path, compose::bullet(bullet).as_bytes(), &types, &relations).note
}

/// The bullet after a round trip through its note, which adds, for example, inline tags.
fn round_tripped(bullet: &Bullet) -> Option<Bullet> {
    Bullet::of(&read(bullet))
}

/// The bullet in a form that its note can represent, and the bullet after a round trip. Headings in
/// its reasoning become plain text; `None` if anything else would change.
fn representable(mut bullet: Bullet) -> Option<(Bullet, Bullet)> {
    if bullet.content().chars().any(char::is_control) {
        return None;
    }
    let mut noted = round_tripped(&bullet)?;
    if noted.fields.why != bullet.fields.why {
        bullet.fields.why = bullet.fields.why.as_deref().map(escape_headings).filter(|why| !why.is_empty());
        noted = round_tripped(&bullet)?;
    }
    let whole =
        noted.content() == bullet.content() && noted.fields.why == bullet.fields.why && noted.id == bullet.id;
    whole.then_some((bullet, noted))
}

struct ExistingBullets<'a> {
    ids: HashMap<&'a str, &'a Note>,
    added: HashSet<NoteId>,
    rules: HashSet<RuleHash>,
    toxic: Vec<(Option<RuleHash>, RuleStatement)>,
}

impl<'a> ExistingBullets<'a> {
    fn of(held: &VaultContents<'a>) -> Self {
        let bullets = held.notes.iter().filter(|note| note.kind == NoteKind::Bullet);
        let toxic = held.blocked.iter().filter(|blocked| blocked.kind == BlockKind::Toxic);
        Self {
            ids: held.notes.iter().map(|note| (note.key(), note)).collect(),
            added: HashSet::new(),
            rules: bullets.filter_map(|note| Some(RuleHash::of(&note.bullet.as_ref()?.content))).collect(),
            toxic: toxic.map(|blocked| (blocked.hash(), RuleStatement::of(blocked.text()))).collect(),
        }
    }

    fn bullet(
        &mut self,
        bullet: Bullet,
        held: &VaultContents<'_>,
    ) -> Result<(Bullet, String), SkippedBullet> {
        let (id, content) = (bullet.id.to_string(), bullet.content().to_owned());
        let left_out = |why| SkippedBullet { id: id.clone(), content: content.clone(), why };
        let (bullet, noted) = representable(bullet).ok_or_else(|| left_out(BulletSkipReason::NoRule))?;
        let there = self.ids.get(bullet.id.as_str());
        if there.and_then(|there| Bullet::of(there)).is_some_and(|there| same(&there, &noted)) {
            return Err(left_out(BulletSkipReason::ThereAlready));
        }
        let hash = RuleHash::of(bullet.content());
        // An id that a rule file gives comes from its rule, so that the same line again has the same id.
        if held.same_rule_once && self.rules.contains(&hash) {
            return Err(left_out(BulletSkipReason::SameRule));
        }
        if there
            .and_then(|there| there.bullet.as_ref())
            .is_some_and(|there| RuleHash::of(&there.content) == hash)
        {
            return Err(left_out(BulletSkipReason::OtherFields));
        }
        if there.is_some() || self.added.contains(&bullet.id) {
            return Err(left_out(BulletSkipReason::IdTaken));
        }
        if self.is_blocked(&bullet, hash, held.block_jaccard) {
            return Err(left_out(BulletSkipReason::Blocked));
        }
        self.added.insert(bullet.id.clone());
        self.rules.insert(hash);
        let text = compose::bullet(&bullet);
        Ok((bullet, text))
    }

    /// Whether a toxic pattern matches the rule. Retired and deprecated bullets are imported as
    /// history.
    fn is_blocked(&self, bullet: &Bullet, hash: RuleHash, most: f64) -> bool {
        if !bullet.is_standing() {
            return false;
        }
        let own = RuleStatement::of(&bullet.agent_text());
        let least = MinSimilarity { jaccard: most, cosine: f64::INFINITY };
        let without_embedding = |statement| EmbeddedStatement { statement, embedding: None };
        let nearly = |other| {
            without_embedding(&own)
                .evades(&without_embedding(other), least, &WordVectors::of(&NoEmbeddings))
                .is_some()
        };
        self.toxic.iter().any(|(toxic, other)| *toxic == Some(hash) || nearly(other))
    }

    fn pattern(&mut self, blocked: BlockedNote) -> Result<(BlockedNote, String), SkippedBullet> {
        let left_out =
            |why| SkippedBullet { id: blocked.id.to_string(), content: blocked.text().to_owned(), why };
        if let Some(there) = self.ids.get(blocked.id.as_str()) {
            let same = BlockedNote::of(there).is_some_and(|there| {
                (there.kind, there.created, &there.fields) == (blocked.kind, blocked.created, &blocked.fields)
            });
            return Err(left_out(if same {
                BulletSkipReason::ThereAlready
            } else {
                BulletSkipReason::IdTaken
            }));
        }
        if !self.added.insert(blocked.id.clone()) {
            return Err(left_out(BulletSkipReason::IdTaken));
        }
        let text = compose::blocked(&blocked, "");
        Ok((blocked, text))
    }
}

/// Whether two bullets are equal except for their paths.
fn same(a: &Bullet, b: &Bullet) -> bool {
    *a == Bullet { path: a.path.clone(), ..b.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::{playbook, rule_file};
    use cm_note::instant::Instant;
    use cm_note::note::read::read;
    use cm_note::path::NotePath;

    fn toxic(rule: &str) -> BlockedNote {
        let path = NotePath::parse("blocked/a.md").unwrap();
        let text =
            format!("---\nid: 0b10c4ed-0000-4000-8000-000000000001\nkind: toxic\ncontent: {rule}\n---\n");
        let note = read(&path, text.as_bytes(), &TypeTable::default(), &RelationTable::default()).note;
        BlockedNote::of(&note).unwrap()
    }

    fn planned(
        mut document: ImportedDocument,
        blocked: &[BlockedNote],
        same_rule_once: bool,
    ) -> BulletImportPlan {
        let held = VaultContents { notes: &[], blocked, block_jaccard: 0.85, same_rule_once };
        plan(&mut document, &held, "a file")
    }

    fn rules(text: &str, blocked: &[BlockedNote]) -> BulletImportPlan {
        planned(rule_file::read(text, "AGENTS.md", Instant::from_unix(0)), blocked, true)
    }

    #[test]
    fn a_line_that_a_rule_file_says_twice_comes_in_once_and_is_no_failure() {
        let plan = rules("## Tests\n\n- Print the seed of a test.\n- Print the seed of a test.\n", &[]);
        assert_eq!((plan.bullets.len(), plan.skipped.len()), (1, 1));
        assert_eq!(plan.skipped[0].why, BulletSkipReason::SameRule);
    }

    #[test]
    fn what_warns_of_a_blocked_rule_comes_in_and_what_nearly_says_it_does_not() {
        let blocked = [toxic("Cache every answer of the gateway for an hour.")];
        let plan = rules(
            "- Never cache every answer of the gateway for an hour.\n- Always cache every answer of the gateway for an \
             hour!\n",
            &blocked,
        );
        let labels: Vec<_> = plan.bullets.iter().map(|(bullet, _)| bullet.content()).collect();
        assert_eq!(labels, ["Never cache every answer of the gateway for an hour."]);
        assert_eq!(plan.skipped[0].why, BulletSkipReason::Blocked);
    }

    #[test]
    fn reasons_with_a_heading_come_in_as_text() {
        let text = "bullets:\n- id: b-mq6d3m8l-aaaaaa\n  content: Print the seed of a test.\n  category: testing\n  reasoning: |-\n    # Seeds\n    It broke.\n";
        let document = playbook::read(text, "a.yaml", Instant::from_unix(0)).unwrap();
        let plan = planned(document, &[], false);
        assert_eq!(plan.skipped, []);
        assert_eq!(plan.bullets[0].0.fields.why.as_deref(), Some("\\# Seeds\nIt broke."));
    }
}
