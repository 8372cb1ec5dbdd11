//! Clusters of the observed rules: conversations in which people said much the same.
//!
//! Words and pairs of words (shingles) of all that a person said around the reactions of a conversation are compared.
//! Whether something recurs is counted by conversations, so that a forked session is no second witness.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Candidate, Preceding, add_new, median};
use crate::friction::patterns::{SELF_CORRECTION, WORD};
use crate::friction::signal::Kind;
use cm_note::instant::Instant;

/// From which share of the smaller one's shingles two conversations may be about the same.
const OVERLAP: f64 = 0.5;
/// In so many conversations, what is to be done about it is certain.
const HIGH: usize = 5;
/// In so many, it is likely.
const MEDIUM: usize = 3;
/// Words without a matter of their own, and names that every project has.
const FILLERS: [&str; 105] = [
    "about", "after", "again", "all", "also", "and", "any", "app", "are", "been", "before", "being", "build",
    "but", "can", "can't", "claude", "code", "command", "commands", "config", "could", "did", "didn't",
    "does", "doesn't", "doing", "don't", "done", "file", "files", "for", "from", "get", "got", "had", "has",
    "have", "her", "here", "him", "his", "home", "how", "html", "index", "into", "its", "json", "just",
    "let", "lib", "like", "log", "made", "main", "make", "memory", "more", "need", "not", "now", "one",
    "only", "other", "our", "out", "package", "please", "projects", "readme", "should", "some", "spec",
    "src", "stash", "test", "tests", "than", "that", "that's", "the", "their", "them", "then", "there",
    "these", "they", "this", "those", "tmp", "too", "use", "very", "want", "was", "were", "what", "when",
    "where", "which", "will", "with", "you", "your",
];

/// What becomes of a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Artifact {
    /// Severe and recurring: a rule against it.
    Antigen,
    /// Recurring only: a fact about how the person likes it.
    Fact,
    /// Severe only: something that happened.
    Episode,
    /// Neither.
    Drop,
}

/// How certain it is that something is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// In fewer than three conversations.
    Low,
    /// In three or four.
    Medium,
    /// In five or more.
    High,
}

impl Confidence {
    /// That of so many conversations.
    pub fn of(conversations: usize) -> Self {
        match conversations {
            HIGH.. => Self::High,
            MEDIUM.. => Self::Medium,
            _ => Self::Low,
        }
    }
}

/// How bad it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The person swore or stopped the agent again and again, or tools failed.
    Severe,
    /// None of it, or the person corrected only themselves.
    Mild,
}

/// Conversations in which people reacted in much the same words.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Cluster {
    /// What it is about, in a few shingles.
    pub theme: String,
    /// What is suggested to become of it.
    pub suggested_artifact: Artifact,
    /// How certain that is.
    pub confidence: Confidence,
    /// How bad it was.
    pub severity: Severity,
    /// How many reactions of each kind.
    pub signals: BTreeMap<Kind, usize>,
    /// The most frequent of them.
    pub anchor_signal: Kind,
    /// The suggestion and the severity in one, where other tools look for the tools.
    pub tool_pattern: String,
    /// How many conversations.
    pub count: usize,
    /// Their number, twice where it is severe.
    pub score: f64,
    /// How many conversations, once more.
    pub sessions: usize,
    /// The sessions by which the conversations are known.
    pub session_ids: Vec<String>,
    /// When each of them ended.
    #[serde(skip)]
    pub ended: Vec<Option<Instant>>,
    /// Their projects.
    pub projects: Vec<String>,
    /// The middle one of their frictions.
    pub median_peak: f64,
    /// The highest of them.
    pub max_peak: f64,
    /// What people said; at most 5.
    pub contexts: Vec<String>,
    /// Lines of failures; at most 5.
    pub errors: Vec<String>,
    /// What the agent did last before one of the reactions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preceding: Option<Preceding>,
    /// Whether a person seems to have corrected themselves.
    pub self_suspect: bool,
    /// The shingles that most conversations share; at most 10.
    pub top_keywords: Vec<String>,
}

/// A candidate with the conversation that its session is part of, by the conversation's first session.
#[derive(Debug, Clone, Copy)]
pub struct Told<'c> {
    /// The candidate.
    pub candidate: &'c Candidate,
    /// The conversation.
    pub conversation: &'c str,
    /// The project of its session.
    pub project: &'c str,
    /// When its session ended.
    pub ended: Option<Instant>,
}

/// Whether a person corrects themselves: the wrong window, never mind.
pub fn is_self_correction(text: &str) -> bool {
    SELF_CORRECTION.is_match(text)
}

/// The words and pairs of neighbouring words of a text that say something, lower-cased.
pub fn shingles(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase().replace('’', "'");
    let words: Vec<&str> =
        WORD.find_iter(&lower).map(|word| word.as_str()).filter(|word| !FILLERS.contains(word)).collect();
    let pairs = words.windows(2).map(|pair| pair.join(" "));
    words.iter().map(|word| (*word).to_owned()).chain(pairs).collect()
}

/// The share of the smaller set that both have; 0 where they share no pair of words.
pub fn overlap(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let smaller = a.len().min(b.len());
    let shared: Vec<&String> = a.intersection(b).collect();
    if smaller == 0 || !shared.iter().any(|shingle| shingle.contains(' ')) {
        return 0.0;
    }
    shared.len() as f64 / smaller as f64
}

/// Clusters worth keeping, by score, the highest first. `recurring` is from how many conversations on something recurs.
pub fn clusters(told: &[Told<'_>], recurring: usize) -> Vec<Cluster> {
    let mut groups: Vec<Group> = Vec::new();
    for voice in voices(told) {
        let best = groups
            .iter()
            .enumerate()
            .map(|(at, group)| (overlap(&voice.shingles, &group.seed), at))
            .filter(|(overlap, _)| *overlap >= OVERLAP)
            .fold(None::<(f64, usize)>, |best, next| match best {
                Some(best) if best.0 >= next.0 => Some(best),
                _ => Some(next),
            });
        match best {
            Some((_, at)) => groups[at].voices.push(voice),
            None => groups.push(Group { seed: voice.shingles.clone(), voices: vec![voice] }),
        }
    }
    let mut clusters: Vec<Cluster> = groups.iter().map(|group| group.cluster(recurring)).collect();
    clusters.retain(|cluster| cluster.suggested_artifact != Artifact::Drop);
    clusters.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.sessions.cmp(&a.sessions)));
    clusters
}

/// All reactions of one conversation.
struct Voice<'c> {
    conversation: &'c str,
    project: &'c str,
    ended: Option<Instant>,
    texts: Vec<&'c str>,
    shingles: BTreeSet<String>,
    candidates: Vec<&'c Candidate>,
}

fn voices<'c>(told: &[Told<'c>]) -> Vec<Voice<'c>> {
    let mut voices: Vec<Voice<'c>> = Vec::new();
    for told in told {
        let at =
            voices.iter().position(|voice| voice.conversation == told.conversation).unwrap_or_else(|| {
                voices.push(Voice {
                    conversation: told.conversation,
                    project: told.project,
                    ended: None,
                    texts: Vec::new(),
                    shingles: BTreeSet::new(),
                    candidates: Vec::new(),
                });
                voices.len() - 1
            });
        let voice = &mut voices[at];
        voice.candidates.push(told.candidate);
        voice.ended = voice.ended.max(told.ended);
        for text in &told.candidate.user_context {
            if !voice.texts.contains(&text.as_str()) {
                voice.texts.push(text);
                voice.shingles.extend(shingles(text));
            }
        }
    }
    voices
}

/// Conversations that are alike; the first one is what the others are compared with.
struct Group<'c> {
    seed: BTreeSet<String>,
    voices: Vec<Voice<'c>>,
}

impl Group<'_> {
    fn cluster(&self, recurring: usize) -> Cluster {
        let candidates: Vec<&Candidate> =
            self.voices.iter().flat_map(|voice| voice.candidates.iter().copied()).collect();
        let mut signals: BTreeMap<Kind, usize> = BTreeMap::new();
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
        let strong = [Kind::UserCurse, Kind::InterruptCascade].iter().any(|kind| signals.contains_key(kind));
        let severe = (strong || !errors.is_empty()) && !all_self;
        let count = self.voices.len();
        let (suggested_artifact, artifact) = artifact(severe, count >= recurring);
        let (severity, how) = if severe { (Severity::Severe, "severe") } else { (Severity::Mild, "mild") };
        let peaks: Vec<f64> = candidates.iter().map(|candidate| candidate.peak_friction).collect();
        let projects: BTreeSet<&str> = self.voices.iter().map(|voice| voice.project).collect();
        let top_keywords = self.top_shingles();
        Cluster {
            theme: theme(&top_keywords),
            suggested_artifact,
            confidence: Confidence::of(count),
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

    /// Of what was said in a conversation, what has most of the group's words.
    fn best_quote<'v>(&self, voice: &Voice<'v>) -> Option<&'v str> {
        let shared = |text: &str| shingles(text).intersection(&self.seed).count();
        voice.texts.iter().copied().fold(None, |best, text| match best {
            Some(best) if shared(best) >= shared(text) => Some(best),
            _ => Some(text),
        })
    }

    /// The shingles of most conversations; of equally many, the longer, then by the alphabet.
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

fn artifact(severe: bool, recurring: bool) -> (Artifact, &'static str) {
    match (severe, recurring) {
        (true, true) => (Artifact::Antigen, "antigen"),
        (false, true) => (Artifact::Fact, "fact"),
        (true, false) => (Artifact::Episode, "episode"),
        (false, false) => (Artifact::Drop, "drop"),
    }
}

fn theme(top: &[String]) -> String {
    let first = &top[..top.len().min(4)];
    if first.is_empty() { "(no words)".to_owned() } else { first.join(" / ") }
}

/// The most frequent kind; of equally many, the first in the order of kinds.
fn dominant(signals: &BTreeMap<Kind, usize>) -> Kind {
    let most = signals.values().max().copied().unwrap_or_default();
    signals.iter().find(|(_, count)| **count == most).map_or(Kind::UserCorrection, |(kind, _)| *kind)
}

#[cfg(test)]
mod tests;
