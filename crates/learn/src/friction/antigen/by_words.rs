//! Clusters of the observed rules: conversations in which users reacted in similar words.
//!
//! The words and word pairs (shingles) of the user messages around the reactions are compared.
//! Recurrence is counted per conversation, so a forked session does not count twice.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AntigenCandidate, PrecedingActions, add_new, median};
use crate::confidence::ConfidenceLevel;
use crate::friction::patterns::{SELF_CORRECTION, WORD};
use crate::friction::signal::SignalKind;
use cm_note::instant::Instant;
use cm_text::similarity;
use cm_text::stop_words::is_stop_word;

/// Minimum share of the smaller conversation's shingles that the larger one must contain for both
/// to be in one cluster.
const MIN_CLUSTER_OVERLAP: f64 = 0.5;
/// Words without a meaning of their own, besides stop words: fillers, contractions, and names that
/// occur in every project.
const FILLERS: [&str; 50] = [
    "again", "app", "being", "build", "can't", "claude", "code", "command", "commands", "config", "didn't",
    "doesn't", "don't", "done", "file", "files", "get", "got", "him", "home", "html", "index", "json", "let",
    "lib", "like", "log", "made", "main", "make", "memory", "more", "need", "now", "one", "only", "other",
    "package", "projects", "readme", "spec", "src", "stash", "test", "tests", "that's", "tmp", "use", "want",
    "your",
];

/// Kind of note suggested for a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SuggestedNote {
    /// Severe and recurring: a rule that prevents it.
    Antigen,
    /// Recurring but mild: a fact about the user's preferences.
    Fact,
    /// Severe but not recurring: a record of the event.
    Episode,
    /// Neither severe nor recurring: nothing.
    Drop,
}

/// Severity of the friction in a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FrictionSeverity {
    /// The user swore or interrupted repeatedly, or tools failed.
    Severe,
    /// No strong reaction, or the user only corrected themselves.
    Mild,
}

/// Conversations in which users reacted in similar words.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WordCluster {
    /// Topic, as up to four shingles joined with ` / `.
    pub theme: String,
    /// Suggested kind of note.
    pub suggested_artifact: SuggestedNote,
    /// Confidence in the suggestion.
    pub confidence: ConfidenceLevel,
    pub severity: FrictionSeverity,
    /// Number of reactions of each kind.
    pub signals: BTreeMap<SignalKind, usize>,
    /// Most frequent kind of reaction.
    pub anchor_signal: SignalKind,
    /// Suggestion and severity, such as `antigen/severe`. The field keeps the name of the classic
    /// report so that other tools can read it.
    pub tool_pattern: String,
    /// Number of conversations.
    pub count: usize,
    /// Number of conversations, doubled for severe clusters.
    pub score: f64,
    /// Number of conversations; same value as `count`.
    pub sessions: usize,
    /// Id of the first session of each conversation.
    pub session_ids: Vec<String>,
    /// End time of each conversation, parallel to `session_ids`.
    #[serde(skip)]
    pub ended: Vec<Option<Instant>>,
    /// Projects of the conversations, sorted.
    pub projects: Vec<String>,
    /// Median peak friction of the candidates' sessions.
    pub median_peak: f64,
    /// Highest peak friction of the candidates' sessions.
    pub max_peak: f64,
    /// User messages; at most 5.
    pub contexts: Vec<String>,
    /// Error lines; at most 5.
    pub errors: Vec<String>,
    /// Last actions of the agent before one of the reactions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preceding: Option<PrecedingActions>,
    /// Whether the user seems to have corrected themselves.
    pub self_suspect: bool,
    /// Shingles that occur in most conversations; at most 10.
    pub top_keywords: Vec<String>,
}

/// A candidate with information about its session.
#[derive(Debug, Clone, Copy)]
pub struct CandidateContext<'c> {
    pub candidate: &'c AntigenCandidate,
    /// Id of the conversation's first session.
    pub conversation: &'c str,
    /// Project of the session.
    pub project: &'c str,
    /// End time of the session.
    pub ended: Option<Instant>,
}

/// Returns `true` if the user corrects themselves, as in "wrong window" or "never mind".
pub(crate) fn is_self_correction(text: &str) -> bool {
    SELF_CORRECTION.is_match(text)
}

/// Returns the shingles of a text: its words and pairs of adjacent words, in lower case and without
/// stop words.
pub(crate) fn shingles(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase().replace('’', "'");
    let words: Vec<&str> =
        WORD.find_iter(&lower).map(|word| word.as_str()).filter(|word| !is_filler(word)).collect();
    let pairs = words.windows(2).map(|pair| pair.join(" "));
    words.iter().map(|word| (*word).to_owned()).chain(pairs).collect()
}

fn is_filler(word: &str) -> bool {
    is_stop_word(word) || FILLERS.contains(&word)
}

/// Returns the share of the smaller set of shingles that the other contains, 0–1; 0 if both have no
/// word pair in common.
pub fn overlap(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let has_pair = a.intersection(b).any(|shingle| shingle.contains(' '));
    if has_pair { similarity::overlap(a, b, 0) } else { 0.0 }
}

/// Groups similar conversations into clusters, highest score first. A topic counts as recurring
/// from `recurring` conversations on; clusters with [`SuggestedNote::Drop`] are left out.
pub fn clusters(contexts: &[CandidateContext<'_>], recurring: usize) -> Vec<WordCluster> {
    let mut groups: Vec<ConversationGroup> = Vec::new();
    for voice in reactions_by_conversation(contexts) {
        let best = groups
            .iter()
            .enumerate()
            .map(|(at, group)| (overlap(&voice.shingles, &group.seed), at))
            .filter(|(overlap, _)| *overlap >= MIN_CLUSTER_OVERLAP)
            .fold(None::<(f64, usize)>, |best, next| match best {
                Some(best) if best.0 >= next.0 => Some(best),
                _ => Some(next),
            });
        match best {
            Some((_, at)) => groups[at].voices.push(voice),
            None => groups.push(ConversationGroup { seed: voice.shingles.clone(), voices: vec![voice] }),
        }
    }
    let mut clusters: Vec<WordCluster> = groups.iter().map(|group| group.cluster(recurring)).collect();
    clusters.retain(|cluster| cluster.suggested_artifact != SuggestedNote::Drop);
    clusters.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.sessions.cmp(&a.sessions)));
    clusters
}

/// The messages and candidates of one conversation in which the user reacted to friction.
struct ConversationReactions<'c> {
    conversation: &'c str,
    project: &'c str,
    ended: Option<Instant>,
    texts: Vec<&'c str>,
    shingles: BTreeSet<String>,
    candidates: Vec<&'c AntigenCandidate>,
}

fn reactions_by_conversation<'c>(contexts: &[CandidateContext<'c>]) -> Vec<ConversationReactions<'c>> {
    let mut voices: Vec<ConversationReactions<'c>> = Vec::new();
    for context in contexts {
        let at =
            voices.iter().position(|voice| voice.conversation == context.conversation).unwrap_or_else(|| {
                voices.push(ConversationReactions {
                    conversation: context.conversation,
                    project: context.project,
                    ended: None,
                    texts: Vec::new(),
                    shingles: BTreeSet::new(),
                    candidates: Vec::new(),
                });
                voices.len() - 1
            });
        let voice = &mut voices[at];
        voice.candidates.push(context.candidate);
        voice.ended = voice.ended.max(context.ended);
        for text in &context.candidate.user_context {
            if !voice.texts.contains(&text.as_str()) {
                voice.texts.push(text);
                voice.shingles.extend(shingles(text));
            }
        }
    }
    voices
}

/// A group of similar conversations. A conversation joins if it is similar to the group's first
/// one.
struct ConversationGroup<'c> {
    seed: BTreeSet<String>,
    voices: Vec<ConversationReactions<'c>>,
}

impl ConversationGroup<'_> {
    fn cluster(&self, recurring: usize) -> WordCluster {
        let candidates: Vec<&AntigenCandidate> =
            self.voices.iter().flat_map(|voice| voice.candidates.iter().copied()).collect();
        let mut signals: BTreeMap<SignalKind, usize> = BTreeMap::new();
        let (mut contexts, mut errors) = (Vec::new(), Vec::new());
        for candidate in &candidates {
            *signals.entry(candidate.anchor_signal).or_default() += 1;
            candidate.errors.iter().for_each(|error| add_new(&mut errors, error, 5));
        }
        for voice in &self.voices {
            if let Some(quote) = self.best_quote(voice) {
                add_new(&mut contexts, quote, 5);
            }
        }
        let all_self = !contexts.is_empty() && contexts.iter().all(|text| is_self_correction(text));
        let strong = [SignalKind::UserCurse, SignalKind::InterruptCascade]
            .iter()
            .any(|kind| signals.contains_key(kind));
        let severe = (strong || !errors.is_empty()) && !all_self;
        let count = self.voices.len();
        let (suggested_artifact, artifact) = artifact(severe, count >= recurring);
        let (severity, how) =
            if severe { (FrictionSeverity::Severe, "severe") } else { (FrictionSeverity::Mild, "mild") };
        let peaks: Vec<f64> = candidates.iter().map(|candidate| candidate.peak_friction).collect();
        let projects: BTreeSet<&str> = self.voices.iter().map(|voice| voice.project).collect();
        let top_keywords = self.top_shingles();
        WordCluster {
            theme: theme(&top_keywords),
            suggested_artifact,
            confidence: ConfidenceLevel::of(count),
            severity,
            anchor_signal: dominant(&signals),
            signals,
            tool_pattern: format!("{artifact}/{how}"),
            count,
            score: count as f64 * if severe { 2.0 } else { 1.0 },
            sessions: count,
            session_ids: self.voices.iter().map(|voice| voice.conversation.to_owned()).collect(),
            ended: self.voices.iter().map(|voice| voice.ended).collect(),
            projects: projects.into_iter().map(str::to_owned).collect(),
            median_peak: median(&peaks),
            max_peak: peaks.iter().copied().fold(0.0, f64::max),
            self_suspect: all_self || candidates.iter().any(|candidate| candidate.self_suspect == Some(true)),
            contexts,
            errors,
            preceding: candidates
                .iter()
                .filter_map(|candidate| candidate.preceding.clone())
                .find(|p| p.action != "none"),
            top_keywords,
        }
    }

    /// Returns the message of a conversation that has the most shingles in common with the group;
    /// on ties, the first one.
    fn best_quote<'v>(&self, voice: &ConversationReactions<'v>) -> Option<&'v str> {
        let shared = |text: &str| shingles(text).intersection(&self.seed).count();
        voice.texts.iter().copied().fold(None, |best, text| match best {
            Some(best) if shared(best) >= shared(text) => Some(best),
            _ => Some(text),
        })
    }

    /// Returns the shingles that occur in the most conversations of the group; on ties, longer ones
    /// first, then in alphabetical order.
    fn top_shingles(&self) -> Vec<String> {
        let mut counted: BTreeMap<&String, usize> = BTreeMap::new();
        for shingle in self.voices.iter().flat_map(|voice| &voice.shingles) {
            *counted.entry(shingle).or_default() += 1;
        }
        let mut counted: Vec<(&String, usize)> = counted.into_iter().collect();
        counted.sort_by(|a, b| b.1.cmp(&a.1).then(b.0.len().cmp(&a.0.len())));
        counted.into_iter().take(10).map(|(shingle, _)| shingle.clone()).collect()
    }
}

fn artifact(severe: bool, recurring: bool) -> (SuggestedNote, &'static str) {
    match (severe, recurring) {
        (true, true) => (SuggestedNote::Antigen, "antigen"),
        (false, true) => (SuggestedNote::Fact, "fact"),
        (true, false) => (SuggestedNote::Episode, "episode"),
        (false, false) => (SuggestedNote::Drop, "drop"),
    }
}

fn theme(top: &[String]) -> String {
    let first = &top[..top.len().min(4)];
    if first.is_empty() { "(no words)".to_owned() } else { first.join(" / ") }
}

/// Returns the most frequent kind of signal; on ties, the first in the order of [`SignalKind`].
fn dominant(signals: &BTreeMap<SignalKind, usize>) -> SignalKind {
    let most = signals.values().max().copied().unwrap_or_default();
    signals.iter().find(|(_, count)| **count == most).map_or(SignalKind::UserCorrection, |(kind, _)| *kind)
}

#[cfg(test)]
mod tests;
