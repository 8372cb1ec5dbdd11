//! How memories fade: their decay scores at an instant. Nothing is written; scores are a function of notes and use.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::error::Result;
use super::memory::{Level, Memory, OpenVault};
use cm_note::instant::Instant;
use cm_note::note::{Kind, Note};
use cm_note::score::{self, Score, Scoring, Status, Usage};
use cm_store::config::Settings;
use cm_store::vault::usage::Used;

/// Which memories.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Of this status only.
    pub status: Option<Status>,
    /// At most so many.
    pub limit: usize,
}

/// A memory with its score.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Fading {
    /// What it answers to.
    pub id: String,
    /// Its type.
    #[serde(rename = "type")]
    pub note_type: Option<String>,
    /// Its title.
    pub title: String,
    /// Its file.
    pub path: String,
    /// Its decay score; 999 where it is pinned.
    pub score: Score,
    /// What that means.
    pub status: Status,
    /// How often it was read.
    pub accesses: u64,
    /// Which vault it is from.
    pub vault: Level,
}

/// Memories by score, the highest first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Decayed {
    /// The instant of the scores.
    pub at: Instant,
    /// How many memories have each status.
    pub counts: BTreeMap<Status, usize>,
    /// The memories.
    pub notes: Vec<Fading>,
    /// How many there are of the wanted status.
    pub total: usize,
}

/// Scores all memories.
///
/// # Errors
/// Where the index can neither be used nor rebuilt, or usage cannot be read.
pub fn decay(memory: &Memory, options: &Options) -> Result<Decayed> {
    let shelves =
        memory.vaults.iter().map(|open| Ok((open, memory.notes_of(open)?))).collect::<Result<Vec<_>>>()?;
    let mut counts = BTreeMap::new();
    let mut ranked = Vec::new();
    for (open, notes) in &shelves {
        let constants = scoring(&open.settings);
        for scored in scored(memory, open)? {
            let status = Status::of(scored.score, &constants);
            *counts.entry(status).or_default() += 1;
            if options.status.is_none_or(|wanted| status == wanted) {
                ranked.push((scored.score, status, &notes[scored.at], scored.used.accesses, open.level));
            }
        }
    }
    ranked.sort_unstable_by(|(a, _, note, ..), (b, _, other, ..)| {
        b.cmp(a).then_with(|| note.key().cmp(other.key()))
    });
    let total = ranked.len();
    let listed = |(score, status, note, accesses, vault): (Score, Status, &Note, u64, Level)| Fading {
        id: note.key().to_owned(),
        note_type: note.note_type.clone(),
        title: note.title.clone(),
        path: note.path.to_string(),
        score,
        status,
        accesses,
        vault,
    };
    let notes = ranked.into_iter().take(options.limit).map(listed).collect();
    Ok(Decayed { at: memory.now(), counts, notes, total })
}

/// A memory's use and score, with its place among the notes of its vault.
pub(super) struct Scored {
    pub at: usize,
    pub used: Used,
    pub score: Score,
}

/// The memories of a vault with their use and score.
pub(super) fn scored(memory: &Memory, open: &OpenVault) -> Result<Vec<Scored>> {
    let notes = memory.notes_of(open)?;
    let (usage, notices) = open.usage().load();
    notices.into_iter().for_each(|notice| memory.notice(notice));
    let constants = scoring(&open.settings);
    let memories = notes.iter().enumerate().filter(|(_, note)| note.kind == Kind::Memory);
    let scored = memories.map(|(at, note)| {
        let used = usage.get(note.key()).copied().unwrap_or_default();
        Scored { at, used, score: score_of(note, used, &open.settings, &constants, memory.now()) }
    });
    Ok(scored.collect())
}

/// The decay score of one memory.
pub(super) fn score_of(
    note: &Note,
    used: Used,
    settings: &Settings,
    constants: &Scoring,
    now: Instant,
) -> Score {
    let weight =
        note.note_type.as_deref().and_then(|name| settings.types.get(name)).map_or(1.0, |known| known.weight);
    let usage = Usage { accesses: used.accesses, last_access: used.last };
    score::decay(note, &usage, weight, now, constants)
}

/// The constants that the settings give.
pub(super) fn scoring(settings: &Settings) -> Scoring {
    let number = |name: &str| settings.number(&format!("scoring.{name}"));
    Scoring {
        lambda: number("lambda"),
        half_life_days: number("half_life_days"),
        harmful_multiplier: number("harmful_multiplier"),
        prune_harmful_threshold: number("prune_harmful_threshold"),
        multipliers: ["candidate_multiplier", "established_multiplier", "proven_multiplier"].map(number),
        established_score: number("established_score"),
        proven_score: number("proven_score"),
        proven_ratio: number("proven_ratio"),
        deprecated_ratio: number("deprecated_ratio"),
        deprecated_events: settings.whole("scoring.deprecated_events"),
        recent_days: number("recent_days"),
        stale_days: number("stale_days"),
        priority_factor: number("priority_factor"),
        unused: number("unused"),
        importance: number("importance"),
        pinned: number("pinned"),
        active: number("active"),
        fading: number("fading"),
        dormant: number("dormant"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cm_store::config::{Layer, Origin};

    #[test]
    fn settings_that_nobody_made_are_the_constants_of_the_domain() {
        assert_eq!(scoring(&Settings::of(Vec::new())), Scoring::default());
    }

    #[test]
    fn every_constant_can_be_set() {
        let fields = serde_json::to_value(Scoring::default()).unwrap();
        let mut names: Vec<&str> = fields.as_object().unwrap().keys().map(String::as_str).collect();
        names.retain(|name| *name != "multipliers");
        names.extend(["candidate_multiplier", "established_multiplier", "proven_multiplier"]);
        for name in names {
            let value = match name {
                "deprecated_events" => "7",
                "pinned" => "700.0",
                _ => "0.7",
            };
            let layer = Layer::of_toml("cm.toml", &format!("[scoring]\n{name} = {value}\n"));
            let settings = Settings::of(vec![(layer, Origin::Vault)]);
            assert_ne!(scoring(&settings), Scoring::default(), "{name}");
        }
    }
}
