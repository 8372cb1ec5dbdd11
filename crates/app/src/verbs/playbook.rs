//! The merged playbook of all open vaults: the project's bullets take precedence, feedback is
//! combined, and blocks of every vault apply.

pub(crate) mod concerned;
pub mod export;
pub mod get;
pub mod import;
pub mod list;
pub mod row;
pub(crate) mod rule_pairs;

use std::collections::HashMap;
use std::sync::Arc;

use crate::context::find::{ResolvedNote, find, load};
use crate::context::open::Context;
use crate::context::open_vault::{OpenVault, VaultLevel};
use crate::context::scoring::scoring;
use crate::error::{Error, Result};
use cm_note::bullet::blocked::BlockedNote;
use cm_note::bullet::content::fold_whitespace;
use cm_note::bullet::visibility::may_be_shown;
use cm_note::bullet::{Bullet, merge_feedback};
use cm_note::graph::LinkedNotes;
use cm_note::note::{Note, NoteKind};
use cm_note::path::NotePath;
use cm_note::score::Scoring;
use cm_playbook::curation::{CurationLimits, Playbook};
use cm_store::config::keys;
use cm_text::plural::count_is;

pub use row::BulletRow;

/// A bullet and the vault that contains it: project or global.
#[derive(Debug, Clone, PartialEq)]
pub struct VaultBullet {
    pub level: VaultLevel,
    pub bullet: Bullet,
}

/// The playbooks of all open vaults, merged.
#[derive(Debug, Clone, Default)]
pub struct MergedPlaybook {
    /// The bullets, the project's first.
    pub bullets: Vec<VaultBullet>,
    /// Blocked patterns of all open vaults, each with its vault.
    pub blocked: Vec<(VaultLevel, BlockedNote)>,
}

/// Loads and merges the playbooks of all open vaults.
///
/// # Errors
/// Returns an error if the notes cannot be read.
pub fn merged(context: &Context) -> Result<MergedPlaybook> {
    let mut playbooks = Vec::new();
    for open in &context.vaults {
        playbooks.push((open.level, of_vault(context, open)?));
    }
    Ok(merge(playbooks))
}

/// Returns the scoring constants from the settings of the vault of this level.
pub fn constants(context: &Context, level: VaultLevel) -> Scoring {
    let open = context.vaults.iter().find(|open| open.level == level);
    open.map_or_else(Scoring::default, |open| scoring(&open.settings))
}

/// Bullets and blocked patterns of one vault.
///
/// # Errors
/// Returns an error if the notes cannot be read.
pub fn of_vault(context: &Context, open: &OpenVault) -> Result<Playbook> {
    let notes = context.playbook_notes(open)?;
    Ok(of_notes(&notes))
}

/// Extracts the bullets and blocked patterns from notes.
pub fn of_notes(notes: &[Note]) -> Playbook {
    Playbook {
        bullets: notes.iter().filter_map(Bullet::of).collect(),
        blocked: notes.iter().filter_map(BlockedNote::of).collect(),
    }
}

/// Loads bullets and blocked patterns from the current files of a vault, including changes that are
/// not indexed yet. For a writer that holds the lock.
///
/// # Errors
/// Returns an error if the notes cannot be read.
pub fn as_written(context: &Context, open: &OpenVault) -> Result<Playbook> {
    let notes = context.playbook_notes(open)?;
    Ok(of_notes(&current(open, notes, &open.index().queued())))
}

/// Loads all notes from the current files of a vault, including changes that are not indexed yet.
///
/// # Errors
/// Returns an error if the notes cannot be read.
pub fn notes_as_written(context: &Context, open: &OpenVault) -> Result<Arc<LinkedNotes>> {
    let notes = context.notes_of(open)?;
    Ok(current(open, notes, &open.index().queued()))
}

/// Replaces notes that are queued for indexing by their current files.
fn current(open: &OpenVault, notes: Arc<LinkedNotes>, queued: &[NotePath]) -> Arc<LinkedNotes> {
    if queued.is_empty() {
        return notes;
    }
    let mut current: Vec<Note> = notes.iter().filter(|note| !queued.contains(&note.path)).cloned().collect();
    // A file that is gone again is no note.
    current.extend(queued.iter().filter_map(|path| Some(load(open, path).ok()?.note)));
    current.sort_by(|a, b| a.path.cmp(&b.path));
    Arc::new(current.into())
}

/// Merges playbooks in order of precedence. If several vaults have a bullet with the same ID, or with the
/// same text and equally in force, the first one is used, with the feedback of all.
pub fn merge(playbooks: Vec<(VaultLevel, Playbook)>) -> MergedPlaybook {
    let mut merged = MergedPlaybook::default();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut texts: HashMap<(String, bool), usize> = HashMap::new();
    for (level, playbook) in playbooks {
        for bullet in playbook.bullets {
            let text = (fold_whitespace(bullet.content()), bullet.is_live());
            match places.get(bullet.id.as_str()).or_else(|| texts.get(&text)) {
                Some(at) if merged.bullets[*at].level != level => {
                    let winner = &mut merged.bullets[*at].bullet;
                    winner.feedback = merge_feedback(&winner.feedback, &bullet.feedback);
                }
                _ => {
                    places.entry(bullet.id.to_string()).or_insert(merged.bullets.len());
                    texts.entry(text).or_insert(merged.bullets.len());
                    merged.bullets.push(VaultBullet { level, bullet });
                }
            }
        }
        merged.blocked.extend(playbook.blocked.into_iter().map(|blocked| (level, blocked)));
    }
    merged
}

/// Returns the bullets that may be shown to an agent, and a notice if live bullets were left out.
/// The notes are those that the bullets come from.
pub fn showable(
    bullets: Vec<VaultBullet>,
    notes: &[(VaultLevel, &[Note])],
) -> (Vec<VaultBullet>, Option<String>) {
    let notes: HashMap<(VaultLevel, &NotePath), &Note> = notes
        .iter()
        .flat_map(|(level, notes)| notes.iter().map(|note| ((*level, &note.path), note)))
        .collect();
    let may = |vault_bullet: &VaultBullet| {
        let note = notes.get(&(vault_bullet.level, &vault_bullet.bullet.path));
        note.is_some_and(|note| may_be_shown(&vault_bullet.bullet, note))
    };
    let (shown, others): (Vec<VaultBullet>, Vec<VaultBullet>) = bullets.into_iter().partition(may);
    let skipped = others.iter().filter(|vault_bullet| vault_bullet.bullet.is_live()).count();
    if skipped == 0 {
        return (shown, None);
    }
    let rules = count_is(skipped, "rule");
    (shown, Some(format!("{rules} skipped because of hidden characters: `cm validate` shows them")))
}

/// Reads the curation limits, such as similarity thresholds, from the settings of a vault.
pub fn limits(open: &OpenVault) -> CurationLimits {
    CurationLimits {
        duplicate_cosine: open.settings.number(keys::CURATION_DUPLICATE_COSINE),
        block_cosine: open.settings.number(keys::CURATION_BLOCK_COSINE),
        merge_cosine: open.settings.number(keys::CURATION_MERGE_COSINE),
        duplicate_jaccard: open.settings.number(keys::CURATION_DUPLICATE_JACCARD),
        max_per_category: open.settings.integer(keys::CURATION_MAX_PER_CATEGORY),
        ..CurationLimits::default()
    }
}

/// Resolves a reference to a bullet in any open vault.
///
/// # Errors
/// Returns an error if no note, or more than one, matches the reference, or if it is not a bullet.
pub fn find_bullet<'a>(context: &'a Context, reference: &str) -> Result<(ResolvedNote<'a>, Bullet)> {
    let found = find(context, reference)?;
    let kind = found.note.kind;
    match Bullet::of(&found.note) {
        Some(bullet) if kind == NoteKind::Bullet => Ok((found, bullet)),
        _ => Err(Error::usage(format!("{} is not a rule; its kind is `{}`", found.note.path, kind.name()))
            .hint("`cm playbook list` lists the rules")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cm_note::bullet::BulletState;
    use cm_note::id::NoteId;
    use cm_note::instant::Instant;
    use cm_note::note::{Feedback, FeedbackSignal, RelationTable, TypeTable, read};

    fn bullet(rule: &str, days: &[&str]) -> Playbook {
        let path = NotePath::parse("playbook/testing/a.md").unwrap();
        let text = format!("---\nid: b-mt2ssunl-jq6d8j\nstate: active\n---\n\n{rule}\n");
        let note = read::read(&path, text.as_bytes(), &TypeTable::default(), &RelationTable::default()).note;
        let mut playbook = of_notes(&[note]);
        playbook.bullets[0].feedback = days
            .iter()
            .map(|day| Feedback::new(Instant::parse(day).unwrap(), FeedbackSignal::Helpful))
            .collect();
        playbook
    }

    #[test]
    fn the_projects_words_win_and_the_feedback_of_both_counts() {
        let project = bullet("Run the tests of this project.", &["2026-01-01", "2026-02-01"]);
        let global = bullet("Run the tests of the world.", &["2026-02-01", "2026-03-01", "2026-03-01"]);
        let merged = merge(vec![(VaultLevel::Project, project), (VaultLevel::Global, global)]);
        assert_eq!(merged.bullets.len(), 1);
        let one = &merged.bullets[0];
        assert_eq!(
            (one.level, one.bullet.content()),
            (VaultLevel::Project, "Run the tests of this project.")
        );
        assert_eq!(one.bullet.feedback.len(), 4);
    }

    #[test]
    fn an_equal_rule_of_two_vaults_is_one() {
        let project = bullet("Run the tests  of the world.", &["2026-01-01"]);
        let mut global = bullet("Run the tests of the world.", &["2026-03-01"]);
        global.bullets[0].id = NoteId::parse("b-mt2ssunl-aaaaaa").unwrap();
        global.bullets.push(Bullet { state: BulletState::Retired, ..global.bullets[0].clone() });
        let merged = merge(vec![(VaultLevel::Project, project), (VaultLevel::Global, global)]);
        let states: Vec<BulletState> = merged.bullets.iter().map(|one| one.bullet.state).collect();
        assert_eq!(states, [BulletState::Active, BulletState::Retired], "a retired rule says something else");
        assert_eq!(merged.bullets[0].bullet.feedback.len(), 2);
    }

    #[test]
    fn a_row_counts_events_and_fades_scores() {
        let mut playbook = bullet("Run the tests first.", &["2026-01-01", "2026-04-01"]);
        playbook.bullets[0]
            .feedback
            .push(Feedback::new(Instant::parse("2026-04-01").unwrap(), FeedbackSignal::Irrelevant));
        let merged = merge(vec![(VaultLevel::Project, playbook)]);
        let row =
            BulletRow::of(&merged.bullets[0], Instant::parse("2026-04-01").unwrap(), &Scoring::default());
        assert_eq!((row.helpful, row.harmful, row.score.value()), (2, 0, 0.75));
        let json = serde_json::to_value(&row).unwrap();
        assert_eq!((&json["type"], &json["state"]), (&"rule".into(), &"active".into()));
    }

    #[test]
    fn two_files_of_one_vault_with_one_id_both_stay() {
        let mut twice = bullet("Run the tests of this project.", &[]);
        twice.bullets.extend(bullet("Another rule with that id.", &[]).bullets);
        assert_eq!(merge(vec![(VaultLevel::Project, twice)]).bullets.len(), 2);
    }
}
