//! Sections on the state of the playbook and on contradictions.

use std::collections::{HashMap, HashSet};

use super::{MAX_CONTRADICTIONS, ReflectionSettings, SectionLines, VaultView};
use crate::current_notes::in_place;
use crate::generated::link;
use crate::health::{ContradictingRules, PlaybookHealth, health};
use crate::rule_pairs::PairFinder;
use cm_note::bullet::{Bullet, BulletState, Maturity};
use cm_note::graph::Edge;
use cm_note::instant::Instant;
use cm_note::markdown::escape::escape_inline;
use cm_note::note::NoteKind;
use cm_note::note::types::CONTRADICTS;
use cm_note::score::Scoring;
use cm_note::score::bullet::silent_days;

/// Maximum number of bullets or pairs that one line names.
const MAX_LISTED_BULLETS: usize = 5;

/// The bullets of a vault with their statistics and note indices.
pub(super) struct PlaybookView {
    bullets: Vec<Bullet>,
    /// Index of the note for each bullet id.
    notes: HashMap<String, usize>,
    health: PlaybookHealth,
}

impl PlaybookView {
    pub(super) fn of(
        view: &VaultView<'_, '_>,
        settings: &ReflectionSettings,
        pairs: &PairFinder<'_>,
        now: Instant,
    ) -> Self {
        let found = view.graph.notes().iter().enumerate();
        let (at, bullets): (Vec<usize>, Vec<Bullet>) =
            found.filter_map(|(at, note)| Some((at, Bullet::of(note)?))).unzip();
        // Of two with one id the first counts.
        let notes = bullets.iter().zip(at).rev().map(|(bullet, at)| (bullet.id.to_string(), at)).collect();
        let health = health(&bullets, now, &settings.scoring, pairs);
        Self { bullets, notes, health }
    }

    /// Returns the contradictions between live bullets that were found by comparing their texts.
    fn detected(&self) -> &[ContradictingRules] {
        &self.health.conflicts
    }

    /// Returns the live bullets without recent feedback, longest without first, with the date of
    /// the last feedback or else of their creation.
    fn stale(&self, now: Instant, scoring: &Scoring) -> Vec<(Option<Instant>, &Bullet)> {
        let live = self.bullets.iter().filter(|bullet| bullet.is_live());
        let stale = live.filter(|bullet| silent_days(bullet, now) >= scoring.stale_days);
        let last = |bullet: &Bullet| bullet.feedback.iter().map(|event| event.at).max().or(bullet.created);
        let mut stale: Vec<(Option<Instant>, &Bullet)> = stale.map(|bullet| (last(bullet), bullet)).collect();
        stale.sort_by(|(a, one), (b, other)| a.cmp(b).then_with(|| one.id.cmp(&other.id)));
        stale
    }
}

impl VaultView<'_, '_> {
    /// Summarizes the playbook: counts by maturity and state, harmful rules, rules without recent
    /// feedback, and merge candidates. Scores and ages are left out, so that the text does not
    /// change daily.
    pub(super) fn playbook(
        &self,
        bullet_index: &PlaybookView,
        settings: &ReflectionSettings,
        now: Instant,
    ) -> SectionLines {
        let health = &bullet_index.health;
        let linked = |id: &str, content: &str| match bullet_index.notes.get(id) {
            Some(note) => self.link(*note),
            None => escape_inline(content),
        };
        let count = |name: &str, count: Option<&usize>| count.map(|count| format!("{name} {count}"));
        let maturities =
            Maturity::ALL.iter().filter_map(|key| count(key.name(), health.by_maturity.get(key)));
        let states = BulletState::ALL.iter().filter_map(|key| count(key.name(), health.by_state.get(key)));
        let lines = [
            line("By maturity", None, maturities),
            line("By state", None, states),
            line(
                "At risk",
                Some(health.at_risk.len()),
                health.at_risk.iter().map(|one| linked(&one.id, &one.content)),
            ),
            line(
                "Stale",
                Some(health.stale),
                bullet_index.stale(now, &settings.scoring).iter().map(|(last, bullet)| {
                    let since = last.map_or(String::new(), |last| format!(" (since {})", last.day()));
                    linked(bullet.id.as_str(), bullet.content()) + &since
                }),
            ),
            line(
                "Merge candidates",
                Some(health.merge_candidates_total),
                health.merge_candidates.iter().map(|pair| {
                    let [a, b] = [0, 1].map(|side| linked(&pair.ids[side], &pair.contents[side]));
                    format!("{a} and {b} (similarity {:.2})", pair.likeness)
                }),
            ),
        ];
        SectionLines { lines: lines.into_iter().flatten().collect(), more: 0 }
    }

    /// Lists pairs of contradictory notes: first those with an edge, then those found by comparing
    /// texts. Drafts are included, because the contradiction may be the reason why they are drafts.
    pub(super) fn contradictions(&self, bullet_index: &PlaybookView) -> SectionLines {
        let open = self.open();
        let listed: HashSet<(usize, usize)> = self
            .graph
            .edges()
            .iter()
            .filter(|edge| edge.relation == CONTRADICTS)
            .map(|edge: &Edge| ordered(edge.from, edge.to))
            .collect();
        let mut pairs: Vec<(bool, (usize, usize), String)> = listed
            .iter()
            .filter(|(a, b)| open[*a] && open[*b])
            .map(|pair| (false, *pair, String::new()))
            .collect();
        for found in bullet_index.detected() {
            let sides = [0, 1].map(|side| bullet_index.notes.get(&found.ids[side]).copied());
            let [Some(a), Some(b)] = sides else { continue };
            let pair = ordered(a, b);
            if a != b && open[a] && open[b] && !listed.contains(&pair) {
                pairs.push((true, pair, format!(" (detected: {})", escape_inline(&found.reason))));
            }
        }
        pairs.sort_by_key(|(detected, (a, b), _)| {
            (*detected, self.note(*a).key(), self.note(*b).key(), *a, *b)
        });
        SectionLines::all(&pairs, MAX_CONTRADICTIONS, |(_, (a, b), how)| {
            format!("{} contradicts {}{how}", self.marked(*a), self.marked(*b))
        })
    }

    /// For each note, whether its contradictions should be listed, because it is live or a draft.
    fn open(&self) -> Vec<bool> {
        let notes = self.graph.notes().iter().zip(in_place(self.graph)).zip(&self.live);
        notes
            .map(|((note, in_place), live)| match note.kind {
                NoteKind::Bullet if note.is_deprecated() => false,
                NoteKind::Bullet => *live || in_place && note.is_draft(),
                _ => *live,
            })
            .collect()
    }

    /// Formats a link to a note, followed by ` (draft)` if the note is a draft.
    fn marked(&self, note: usize) -> String {
        let note = self.note(note);
        link(&note.title, &note.path) + if note.is_draft() { " (draft)" } else { "" }
    }
}

/// Formats a line with a name, a total and the first [`MAX_LISTED_BULLETS`] items; `None` if there are no
/// items.
fn line(name: &str, total: Option<usize>, items: impl Iterator<Item = String>) -> Option<String> {
    let items: Vec<String> = items.take(MAX_LISTED_BULLETS).collect();
    let count = total.map_or(String::new(), |total| format!(" ({total})"));
    let more = match total.unwrap_or(items.len()).saturating_sub(items.len()) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    (!items.is_empty()).then(|| format!("**{name}**{count}: {}{more}", items.join(", ")))
}

fn ordered(a: usize, b: usize) -> (usize, usize) {
    (a.min(b), a.max(b))
}
