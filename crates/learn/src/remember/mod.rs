//! Converts stashes, diaries and friction reports to facts, preferences and episodes, and renders
//! them into a rule file.
//!
//! The notes alone record the sources that were remembered: episodes and facts list their sources,
//! preferences their observations. A second run therefore finds nothing new, even if all caches are
//! lost.

pub mod episodes;
pub mod facts;
pub mod files;
mod filter;
pub mod friction_reports;
pub mod parse;
pub mod preferences;
pub mod reading;
pub mod render;
pub mod section;
pub mod source;
pub mod supersession;

pub use friction_reports::SkippedCounts;

use episodes::{RememberedSources, SourceStatus, standing};
use source::{MemorySource, SourceKind};

use cm_note::graph::Graph;
use cm_note::instant::Instant;
use cm_note::note::Note;
use cm_note::note::compose::EpisodeEntry;
use cm_playbook::current_notes::live;
use cm_playbook::embedding_model::WordVectors;

/// What the vault remembers before a run.
#[derive(Debug, Clone, Default)]
pub struct ExistingMemory {
    /// All facts with a note, including superseded ones.
    pub facts: Vec<facts::ExistingFact>,
    pub preferences: Vec<preferences::ExistingPreference>,
    /// All fixes with a note.
    pub fixes: Vec<facts::ExistingFact>,
    /// Sources that earlier runs remembered.
    pub done: RememberedSources,
}

/// Number of sources read, by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, schemars::JsonSchema)]
pub struct SourceCounts {
    /// Stashes, of the vault and of other tools.
    pub stashes: usize,
    pub diaries: usize,
    /// Sessions in friction reports.
    pub friction: usize,
    /// Sources among these in which nothing is worth remembering.
    pub empty: usize,
    /// Sources that were already remembered and did not change.
    pub before: usize,
}

/// Changes of the memory that a run plans.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RememberPlan {
    /// Changes of the facts.
    pub facts: facts::FactPlan,
    /// Changes of the preferences.
    pub preferences: preferences::PreferencePlan,
    /// Causes of problems that need a note.
    pub fixes: Vec<facts::NewFact>,
    /// New entries of the daily logs, in order of time.
    pub episodes: Vec<EpisodeEntry>,
    /// Numbers of sources that were read, by kind.
    pub taken: SourceCounts,
    /// Numbers of statements that were not remembered, by reason.
    pub left_out: SkippedCounts,
}

impl RememberPlan {
    /// Returns `true` if the run has nothing to write.
    pub fn is_empty(&self) -> bool {
        let facts = self.facts.new.is_empty() && self.facts.confirmed.is_empty();
        facts
            && self.fixes.is_empty()
            && self.preferences.new.is_empty()
            && self.preferences.changed.is_empty()
            && self.episodes.is_empty()
    }
}

/// For each note, returns whether it is valid: not superseded, and not waiting for review by a
/// person.
pub fn valid_notes(notes: &[Note]) -> Vec<bool> {
    live(&Graph::connect(notes))
}

/// Plans how a run changes the memory, given its sources.
pub fn plan(
    sources: &[MemorySource],
    existing: &ExistingMemory,
    word_vectors: &WordVectors<'_>,
    now: Instant,
) -> RememberPlan {
    let mut plan = RememberPlan::default();
    let mut fresh: Vec<(&MemorySource, SourceStatus)> = Vec::new();
    for source in sources {
        match (standing(source, &existing.done), source.origin) {
            (SourceStatus::Before, _) => {
                plan.taken.before += 1;
                continue;
            }
            (_, SourceKind::Stash) => plan.taken.stashes += 1,
            (_, SourceKind::Diary) => plan.taken.diaries += 1,
            (_, SourceKind::Friction) => plan.taken.friction += 1,
        }
        let is_empty = !source.is_event && source.has_no_claims();
        plan.taken.empty += usize::from(is_empty);
        plan.left_out.add(source.skipped);
        fresh.push((source, standing(source, &existing.done)));
    }
    plan.facts = facts::compare(
        &existing.facts,
        fresh.iter().flat_map(|(source, _)| stated_facts(source, &source.facts)).collect(),
        word_vectors,
    );
    // One cause replaces no other: both problems were there.
    plan.fixes = facts::compare(
        &existing.fixes,
        fresh.iter().flat_map(|(source, _)| stated_facts(source, &source.fixes)).collect(),
        word_vectors,
    )
    .new;
    let stated = fresh.iter().flat_map(|(source, _)| stated_preferences(source)).collect();
    plan.preferences = preferences::compare(&existing.preferences, stated, word_vectors);
    plan.episodes = entries(&fresh, now);
    plan
}

fn stated_facts<'s>(
    source: &'s MemorySource,
    claims: &'s [source::Claim],
) -> impl Iterator<Item = facts::StatedFact> + use<'s> {
    claims.iter().map(|claim| facts::StatedFact {
        claim: claim.clone(),
        workspace: source.workspace.clone(),
        at: source.at,
        place: facts::FactSource {
            from: source.key.clone(),
            session: source.session.clone(),
            agent: source.agent.clone(),
            line: claim.line,
        },
    })
}

fn stated_preferences(source: &MemorySource) -> impl Iterator<Item = preferences::StatedPreference> {
    source.preferences.iter().map(|claim| preferences::StatedPreference {
        claim: source::Claim {
            // Without a reader, only what a person stated in a session is a preference of its diary.
            is_persons: claim.is_persons || !claim.is_readers && source.origin == SourceKind::Diary,
            ..claim.clone()
        },
        workspace: source.workspace.clone(),
        agent: source.agent.clone(),
        observation: preferences::PreferenceObservation {
            from: source.key.clone(),
            session: source.session.clone(),
            at: source.at,
            against: false,
        },
    })
}

/// Builds one log entry per event, and a common one for all sources that contain only preferences
/// and facts.
fn entries(fresh: &[(&MemorySource, SourceStatus)], now: Instant) -> Vec<EpisodeEntry> {
    let events = fresh.iter().filter(|(source, _)| source.is_event);
    let mut entries: Vec<EpisodeEntry> =
        events.map(|(source, standing)| episodes::entry(source, *standing)).collect();
    let asides: Vec<&MemorySource> =
        fresh.iter().filter(|(source, _)| !source.is_event).map(|(source, _)| *source).collect();
    entries.extend(episodes::combined_entry(&asides, now));
    entries.sort_by(|a, b| (a.at, &a.source).cmp(&(b.at, &b.source)));
    entries
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use cm_note::note::compose;
    use cm_playbook::embedding_model::NoEmbeddings;
    use source::Claim;

    fn source(key: &str, day: i64, fact: &str, wants: &str, is_event: bool) -> MemorySource {
        let claim =
            |text: &str| Claim { text: text.to_owned(), line: 1, is_explicit: true, ..Claim::default() };
        MemorySource {
            title: key.to_owned(),
            hash: source::hash(&format!("{fact} {wants}")),
            session: Some(format!("{key}-0000-4000")),
            facts: vec![claim(fact)],
            preferences: vec![claim(wants)],
            is_event,
            ..MemorySource::new(key.to_owned(), SourceKind::Diary, Instant::from_unix(day * 86_400))
        }
    }

    fn planned(sources: &[MemorySource], existing: &ExistingMemory) -> RememberPlan {
        plan(sources, existing, &WordVectors::of(&NoEmbeddings), Instant::from_unix(999_999_999))
    }

    /// Returns the sources that are known after a plan was carried out.
    fn after(plan: &RememberPlan) -> ExistingMemory {
        let days: Vec<episodes::LoggedEpisode> =
            plan.episodes.iter().flat_map(|entry| episodes::parse("d", &compose::episode(entry))).collect();
        ExistingMemory { done: episodes::done(&days), ..ExistingMemory::default() }
    }

    #[test]
    fn what_was_remembered_is_not_remembered_again_though_its_notes_are_gone() {
        let sources = [
            source("diary:one", 1, "The API listens on port 8080", "Use pnpm here", true),
            source("friction:two", 2, "Readings are kept for a year", "Name the unit", false),
        ];
        let first = planned(&sources, &ExistingMemory::default());
        assert_eq!((first.facts.new.len(), first.preferences.new.len(), first.episodes.len()), (2, 2, 2));
        let second = planned(&sources, &after(&first));
        assert!(second.is_empty(), "{second:?}");
        assert_eq!(second.taken.before, 2);
    }

    proptest! {
        #[test]
        fn the_order_of_sources_does_not_matter(days in prop::collection::vec((0_i64..5, 0_usize..3, 0_usize..3, any::<bool>()), 0..7)) {
            let facts = ["The API listens on port 8080", "The API listens on port 9090", "Readings are kept for a year"];
            let wants = ["Always use tabs for indentation", "Never use tabs for indentation", "Name the unit"];
            let mut sources: Vec<MemorySource> = (0..).zip(&days).map(|(n, (day, fact, want, event))| {
                source(&format!("key{n}aaaa"), *day, facts[*fact], wants[*want], *event)
            }).collect();
            let one = planned(&sources, &ExistingMemory::default());
            sources.reverse();
            prop_assert_eq!(planned(&sources, &ExistingMemory::default()), one);
        }
    }
}
