//! Tracks preferences and the confidence in them. Each session that shows or contradicts a
//! preference is an observation.
//!
//! Confidence is medium from three observations on and high from five. A contradiction lowers it to
//! the start of the next lower level. The note of a preference stores all observations, so no
//! session counts twice.

use super::source::{Claim, same_place, same_session};
use super::supersession::{ClaimRef, Supersession, is_beginning};
use crate::confidence::ConfidenceLevel;
use cm_note::instant::Instant;
use cm_note::note::suspicion::payload;
use cm_note::path::NotePath;
use cm_playbook::conflict::OwnedStatement;
use cm_playbook::embedding_model::WordVectors;

/// A session or source that shows or contradicts a preference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreferenceObservation {
    /// Key of the source.
    pub from: String,
    /// Session id.
    pub session: Option<String>,
    /// Time of the source.
    pub at: Instant,
    /// Whether the source contradicts the preference.
    pub against: bool,
}

impl PreferenceObservation {
    /// Returns `true` if both observations come from the same session or source, and both show or
    /// both contradict the preference.
    fn is_same(&self, other: &Self) -> bool {
        let session = match (&self.session, &other.session) {
            (Some(a), Some(b)) => same_session(a, b),
            _ => false,
        };
        self.against == other.against && (session || self.from == other.from)
    }
}

/// How many sessions show or contradict a preference, with the resulting confidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PreferenceEvidence {
    /// Number of sessions that show the preference.
    pub observed: usize,
    /// Number of sessions that contradict the preference.
    pub against: usize,
    /// Level of confidence in the preference.
    pub level: ConfidenceLevel,
}

/// Counts the observations of a preference, given in any order.
pub fn evidence(observations: &[PreferenceObservation]) -> PreferenceEvidence {
    let mut ordered: Vec<&PreferenceObservation> = observations.iter().collect();
    ordered.sort_by_key(|observation| (observation.at, observation.against, &observation.from));
    let mut count = 0;
    for observation in &ordered {
        count = match (observation.against, ConfidenceLevel::of(count)) {
            (false, _) => count + 1,
            (true, ConfidenceLevel::High) => ConfidenceLevel::Medium.first_observation(),
            (true, ConfidenceLevel::Medium | ConfidenceLevel::Low) => {
                ConfidenceLevel::Low.first_observation()
            }
        };
    }
    let against = ordered.iter().filter(|observation| observation.against).count();
    PreferenceEvidence { observed: ordered.len() - against, against, level: ConfidenceLevel::of(count) }
}

/// A preference that already has a note in the vault.
#[derive(Debug, Clone, PartialEq)]
pub struct ExistingPreference {
    /// Id of the note, or its path if it has none.
    pub id: String,
    pub path: NotePath,
    /// Statement of the preference.
    pub text: String,
    /// Workspace in which the preference applies; `None` for all workspaces.
    pub workspace: Option<String>,
    /// Sessions that show or contradict the preference, as listed in the note.
    pub observations: Vec<PreferenceObservation>,
    /// Whether a person wrote the preference, so that sessions do not change it.
    pub is_manual: bool,
    /// Whether the preference is still valid: not superseded.
    pub live: bool,
}

/// A preference that a source states and that may not have a note yet.
#[derive(Debug, Clone, PartialEq)]
pub struct StatedPreference {
    pub claim: Claim,
    /// Workspace in which the preference applies; `None` for all workspaces.
    pub workspace: Option<String>,
    /// Agent of the session.
    pub agent: Option<String>,
    /// The source, as an observation of the preference.
    pub observation: PreferenceObservation,
}

/// A preference for which a note should be created.
#[derive(Debug, Clone, PartialEq)]
pub struct NewPreference {
    /// The claim of the first source. It is a person's only if all sources show that, and a reader's
    /// if any of them is; the preference is active at once if it has no reason for a draft.
    pub claim: Claim,
    /// Workspace in which the preference applies; `None` if several workspaces show it.
    pub workspace: Option<String>,
    /// Agent of the first session that shows the preference.
    pub agent: Option<String>,
    pub observations: Vec<PreferenceObservation>,
}

/// An existing preference that further sessions show or contradict.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangedPreference {
    /// Index in the existing preferences that were passed to [`compare`].
    pub at: usize,
    /// Observations that the note does not list yet.
    pub added: Vec<PreferenceObservation>,
    /// Counts and confidence without the new observations.
    pub before: PreferenceEvidence,
    /// Counts and confidence with the new observations.
    pub after: PreferenceEvidence,
    /// Whether the preference now applies to all workspaces and did not before.
    pub everywhere: bool,
}

/// What to change in the vault so that it contains all stated preferences.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PreferencePlan {
    /// Preferences that need a note.
    pub new: Vec<NewPreference>,
    /// Existing preferences that need new observations in their notes.
    pub changed: Vec<ChangedPreference>,
    /// Contradictions: a preference that a person wrote, and the contradicting statement.
    pub conflicts: Vec<(String, String)>,
    /// New preferences that replace older ones, which as many sessions contradict as show.
    pub supersessions: Vec<Supersession>,
}

/// A new or existing preference, while stated preferences are compared with it.
struct ComparedPreference<'k> {
    existing: Option<(usize, &'k ExistingPreference)>,
    claim: Claim,
    statement: OwnedStatement,
    workspace: Option<String>,
    agent: Option<String>,
    observations: Vec<PreferenceObservation>,
    added: Vec<PreferenceObservation>,
}

/// Compares stated preferences with existing ones, in order of time, and plans new notes and
/// observations.
pub fn compare(
    existing: &[ExistingPreference],
    mut preferences: Vec<StatedPreference>,
    word_vectors: &WordVectors<'_>,
) -> PreferencePlan {
    preferences.sort_by(|a, b| {
        let (one, other) = (&a.observation, &b.observation);
        (one.at, &one.from, &a.claim.text).cmp(&(other.at, &other.from, &b.claim.text))
    });
    let mut entries: Vec<ComparedPreference<'_>> = existing
        .iter()
        .enumerate()
        .map(|(at, existing)| ComparedPreference::existing(at, existing, word_vectors))
        .collect();
    let mut settled = PreferencePlan::default();
    let mut oppositions: Vec<Opposition> = Vec::new();
    for stated in preferences {
        let new = ComparedPreference::stated(stated, word_vectors);
        let same = entries.iter().position(|entry| entry.is_like(&new, word_vectors));
        let newer = same.unwrap_or(entries.len());
        for (older, entry) in entries.iter_mut().enumerate().filter(|(at, _)| Some(*at) != same) {
            let Some(reason) = entry.opposition(&new, word_vectors) else { continue };
            oppositions.push(Opposition { older, newer, reason });
            match entry.existing.filter(|(_, existing)| existing.is_manual) {
                Some((_, existing)) => {
                    let pair = (existing.text.clone(), new.claim.text.clone());
                    if !settled.conflicts.contains(&pair) {
                        settled.conflicts.push(pair);
                    }
                }
                None => new
                    .observations
                    .iter()
                    .for_each(|seen| entry.take(PreferenceObservation { against: true, ..seen.clone() })),
            }
        }
        match entries.get_mut(newer) {
            Some(entry) => entry.join(new),
            None => entries.push(new),
        }
    }
    settled.supersessions = supersessions(&entries, oppositions);
    for entry in entries {
        entry.settle(&mut settled);
    }
    settled
}

/// A later statement that contradicts an earlier one, by their indices in the list of entries.
struct Opposition {
    older: usize,
    newer: usize,
    reason: String,
}

/// Returns which new entries replace older ones, at most one for each older one.
fn supersessions(entries: &[ComparedPreference<'_>], oppositions: Vec<Opposition>) -> Vec<Supersession> {
    let first_new = entries.iter().take_while(|entry| entry.existing.is_some()).count();
    let mut found: Vec<Supersession> = Vec::new();
    // The latest contradiction says what holds now.
    for Opposition { older, newer, reason } in oppositions.into_iter().rev() {
        let (old, new) = (&entries[older], &entries[newer]);
        let (before, now) = (evidence(&old.observations), evidence(&new.observations));
        let has_fallen = before.against >= before.observed && before.level == ConfidenceLevel::Low;
        let holds = newer >= first_new && now.against < now.observed && payload(&new.claim.text).is_none();
        let is_valid = old.existing.is_none_or(|(_, existing)| !existing.is_manual && existing.live);
        let older = match old.existing {
            Some((at, _)) => ClaimRef::Known(at),
            None => ClaimRef::New(older - first_new),
        };
        if has_fallen && holds && is_valid && found.iter().all(|step| step.older != older) {
            let why = format!("They contradict each other: {reason}.");
            found.push(Supersession { newer: ClaimRef::New(newer - first_new), older, why });
        }
    }
    found.reverse();
    found
}

impl<'k> ComparedPreference<'k> {
    fn existing(at: usize, existing: &'k ExistingPreference, word_vectors: &WordVectors<'_>) -> Self {
        Self {
            existing: Some((at, existing)),
            claim: Claim { text: existing.text.clone(), ..Claim::default() },
            statement: word_vectors.embed(&existing.text),
            workspace: existing.workspace.clone(),
            agent: None,
            observations: existing.observations.clone(),
            added: Vec::new(),
        }
    }

    fn stated(stated: StatedPreference, word_vectors: &WordVectors<'_>) -> Self {
        Self {
            existing: None,
            statement: word_vectors.embed(&stated.claim.text),
            claim: stated.claim,
            workspace: stated.workspace,
            agent: stated.agent,
            observations: vec![stated.observation],
            added: Vec::new(),
        }
    }

    /// Returns the reason why `new` contradicts this preference; `None` if it does not.
    fn opposition(&self, new: &Self, word_vectors: &WordVectors<'_>) -> Option<String> {
        // What waits for a person contradicts nothing yet.
        let may_be = new.claim.draft.is_none()
            && same_place(self.workspace.as_deref(), new.workspace.as_deref())
            && self.is_older(new);
        let opposition = may_be
            .then(|| self.statement.embedded().contradiction(&new.statement.embedded(), word_vectors))??;
        Some(opposition.reason.to_string())
    }

    /// Returns `true` if this preference was first shown earlier than `new`. Only a later statement
    /// can contradict an earlier one.
    fn is_older(&self, new: &Self) -> bool {
        let first = |entry: &Self| {
            let shows = entry.observations.iter().filter(|seen| !seen.against);
            shows.map(|seen| (seen.at, seen.from.clone())).min()
        };
        first(self) < first(new)
    }

    /// Whether both preferences say the same.
    fn is_like(&self, new: &Self, word_vectors: &WordVectors<'_>) -> bool {
        if self.statement.statement.is_same(&new.statement.statement)
            || is_beginning(&new.claim.text, &self.claim.text)
        {
            return true;
        }
        self.statement.embedded().restates(&new.statement.embedded(), word_vectors)
    }

    /// Adds the observations of an equivalent preference. Preferences that a person wrote do not
    /// change.
    fn join(&mut self, other: Self) {
        if self.existing.is_some_and(|(_, existing)| existing.is_manual) {
            return;
        }
        if !same_place(self.workspace.as_deref(), other.workspace.as_deref()) {
            self.workspace = None;
        }
        self.claim.is_persons &= other.claim.is_persons;
        self.claim.is_readers |= other.claim.is_readers;
        other.observations.into_iter().for_each(|seen| self.take(seen));
    }

    fn take(&mut self, seen: PreferenceObservation) {
        if !self.observations.iter().any(|existing| existing.is_same(&seen)) {
            self.observations.push(seen.clone());
            self.added.push(seen);
        }
    }

    fn settle(self, settled: &mut PreferencePlan) {
        match self.existing {
            Some((at, existing)) => {
                let everywhere = existing.workspace.is_some() && self.workspace.is_none();
                if !self.added.is_empty() {
                    settled.changed.push(ChangedPreference {
                        at,
                        added: self.added,
                        before: evidence(&existing.observations),
                        after: evidence(&self.observations),
                        everywhere,
                    });
                }
            }
            None => settled.new.push(NewPreference {
                claim: Claim { draft: payload(&self.claim.text).or(self.claim.draft), ..self.claim },
                workspace: self.workspace,
                agent: self.agent,
                observations: self.observations,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use cm_playbook::embedding_model::NoEmbeddings;

    fn seen(session: &str, day: i64, against: bool) -> PreferenceObservation {
        let at = Instant::from_unix(day * 86_400);
        PreferenceObservation {
            from: format!("diary:{session}"),
            session: Some(format!("{session}-session")),
            at,
            against,
        }
    }

    fn stated(text: &str, session: &str, day: i64) -> StatedPreference {
        StatedPreference {
            claim: Claim { text: text.to_owned(), is_persons: true, ..Claim::default() },
            workspace: None,
            agent: None,
            observation: seen(session, day, false),
        }
    }

    fn existing(text: &str, observations: Vec<PreferenceObservation>) -> ExistingPreference {
        let path = NotePath::parse("graph/preferences/a.md").unwrap();
        ExistingPreference {
            id: "a".into(),
            path,
            text: text.into(),
            workspace: None,
            observations,
            is_manual: false,
            live: true,
        }
    }

    fn settled(existing: &[ExistingPreference], all: Vec<StatedPreference>) -> PreferencePlan {
        compare(existing, all, &WordVectors::of(&NoEmbeddings))
    }

    #[test]
    fn three_sessions_make_it_likely_and_five_certain() {
        let levels: Vec<ConfidenceLevel> = (1..=6)
            .map(|n| {
                evidence(&(0..n).map(|day| seen(&format!("s{day}"), day, false)).collect::<Vec<_>>()).level
            })
            .collect();
        use ConfidenceLevel::{High, Low, Medium};
        assert_eq!(levels, [Low, Low, Medium, Medium, High, High]);
    }

    #[test]
    fn the_same_session_is_never_counted_twice() {
        let all = vec![
            stated("Use pnpm here", "one", 1),
            stated("use pnpm here!", "one", 2),
            stated("Use pnpm here", "two", 3),
        ];
        let first = settled(&[], all.clone());
        assert_eq!(first.new.len(), 1);
        assert_eq!(first.new[0].observations.len(), 2);
        let again = settled(&[existing("Use pnpm here", first.new[0].observations.clone())], all);
        assert_eq!(again, PreferencePlan::default());
    }

    #[test]
    fn what_is_contradicted_falls_by_one_step_and_the_contrary_begins() {
        let five: Vec<PreferenceObservation> =
            (0..5).map(|day| seen(&format!("s{day}"), day, false)).collect();
        let before = [existing("Always use tabs for indentation", five)];
        let after = settled(&before, vec![stated("Never use tabs for indentation", "new", 9)]);
        assert_eq!(after.changed.len(), 1);
        let changed = &after.changed[0];
        assert_eq!(
            (changed.before.level, changed.after.level),
            (ConfidenceLevel::High, ConfidenceLevel::Medium)
        );
        assert_eq!(after.new[0].claim.text, "Never use tabs for indentation");
        assert_eq!(after.supersessions, []);
    }

    #[test]
    fn a_fragment_of_a_preference_does_not_replace_it() {
        let whole = "We never delete tags here. Bump the patch version instead: edit VERSION.";
        let before = [existing(whole, vec![seen("one", 1, false)])];
        let after = settled(&before, vec![stated("We never delete tags here", "two", 2)]);
        assert_eq!((after.new.len(), after.supersessions.len()), (0, 0), "{after:?}");
    }

    #[test]
    fn a_contradicted_preference_that_has_fallen_is_replaced() {
        let before = [existing("Always use tabs for indentation", vec![seen("one", 1, false)])];
        let after = settled(&before, vec![stated("Never use tabs for indentation", "two", 2)]);
        let [step] = after.supersessions.as_slice() else { panic!("{after:?}") };
        assert_eq!((step.newer, step.older), (ClaimRef::New(0), ClaimRef::Known(0)));
        let gone = [ExistingPreference { live: false, ..before[0].clone() }];
        let again = settled(&gone, vec![stated("Never use tabs for indentation", "two", 2)]);
        assert_eq!(again.supersessions, []);
    }

    #[test]
    fn a_persons_own_word_is_not_moved_by_a_session() {
        let word =
            ExistingPreference { is_manual: true, ..existing("Always use tabs for indentation", Vec::new()) };
        let after = settled(&[word], vec![stated("Never use tabs for indentation", "new", 9)]);
        assert_eq!((after.changed.len(), after.conflicts.len(), after.new.len()), (0, 1, 1));
    }

    #[test]
    fn what_several_projects_show_holds_everywhere_and_contraries_of_two_projects_are_none() {
        let at = |text: &str, session: &str, place: &str| StatedPreference {
            workspace: Some(place.to_owned()),
            ..stated(text, session, 1)
        };
        let both =
            settled(&[], vec![at("Use pnpm here", "a", "/src/shop"), at("Use pnpm here", "b", "/src/blog")]);
        assert_eq!((both.new.len(), both.new[0].workspace.as_deref()), (1, None));
        let apart = settled(
            &[],
            vec![
                at("Always use tabs for indentation", "a", "/src/shop"),
                at("Never use tabs for indentation", "b", "/src/blog"),
            ],
        );
        assert!(apart.new.iter().all(|new| new.observations.iter().all(|seen| !seen.against)), "{apart:?}");
    }

    proptest! {
        #[test]
        fn another_observation_never_lowers_and_a_contradiction_always_does_unless_it_is_lowest(
            signs in prop::collection::vec(any::<bool>(), 0..16), against in any::<bool>()
        ) {
            let all: Vec<PreferenceObservation> =
                (0..).zip(&signs).map(|(day, against)| seen(&format!("s{day}"), day, *against)).collect();
            let before = evidence(&all).level;
            let mut more = all.clone();
            more.push(seen("last", 99, against));
            let after = evidence(&more).level;
            if against {
                prop_assert!(after < before || before == ConfidenceLevel::Low);
            } else {
                prop_assert!(after >= before);
            }
            let mut turned = more.clone();
            turned.reverse();
            prop_assert_eq!(evidence(&turned), evidence(&more));
        }

        #[test]
        fn what_was_settled_once_is_settled(texts in prop::collection::vec(0_usize..4, 0..8)) {
            let say = ["Always use tabs for indentation", "Never use tabs for indentation", "Name the unit", "Use pnpm here"];
            let all: Vec<StatedPreference> = (0..).zip(&texts)
                .map(|(day, text)| stated(say[*text], &format!("s{}", day % 3), day)).collect();
            let first = settled(&[], all.clone());
            let gone = |at: usize| first.supersessions.iter().any(|step| step.older == ClaimRef::New(at));
            let notes: Vec<ExistingPreference> = first.new.iter().enumerate().map(|(at, new)| ExistingPreference {
                live: !gone(at),
                ..existing(&new.claim.text, new.observations.clone())
            }).collect();
            prop_assert_eq!(settled(&notes, all), PreferencePlan::default());
        }
    }
}
