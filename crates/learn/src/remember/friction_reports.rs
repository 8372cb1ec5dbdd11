//! Reads the friction reports in a project, written by cm or another tool, as sources: candidates,
//! clusters and the review.
//!
//! Only user statements are used, and each session counts once. The most detailed file is
//! preferred: candidates and clusters contain session ids; the review does not, so each of its
//! quotes counts as a session.

use serde::Deserialize;

use super::filter::{RejectReason, fact, preference, without_curses};
use super::source::{Claim, MemorySource, SourceKind, hash, same_session};
use crate::diary::{UtteranceKind, utterances};
use crate::prose::cut;
use cm_note::instant::Instant;
use cm_note::markdown::escape::visible;

/// Maximum length of a quote from a friction report, in characters.
const MAX_QUOTE_CHARS: usize = 120;
/// Contents of a project's friction reports, without secrets; `None` for missing files.
#[derive(Debug, Clone, Default)]
pub struct FrictionReports {
    /// Path of the project.
    pub project: String,
    /// Content of `antigen_candidates.json`.
    pub candidates: Option<String>,
    /// Content of `antigen_clusters.json`.
    pub clusters: Option<String>,
    /// Content of `antigen_review.md`.
    pub review: Option<String>,
}

/// An entry of `antigen_candidates.json`; unknown fields are ignored.
#[derive(Debug, Deserialize)]
struct WireCandidate {
    session_id: String,
    #[serde(default)]
    anchor_ts: String,
    #[serde(default)]
    user_context: Vec<String>,
}

/// An entry of `antigen_clusters.json`; unknown fields are ignored.
#[derive(Debug, Deserialize)]
struct WireCluster {
    #[serde(default)]
    suggested_artifact: String,
    #[serde(default)]
    session_ids: Vec<String>,
    #[serde(default)]
    contexts: Vec<String>,
}

/// Returns one source per session in the reports, and notices about files that cannot be parsed.
/// `at` is the reports' time, which candidates without a time get.
pub fn sources(left: &FrictionReports, at: Instant) -> (Vec<MemorySource>, Vec<String>) {
    let mut notices = Vec::new();
    let candidates: Vec<WireCandidate> =
        parse_json(left.candidates.as_deref(), "antigen_candidates.json", &mut notices);
    let clusters: Vec<WireCluster> =
        parse_json(left.clusters.as_deref(), "antigen_clusters.json", &mut notices);
    let clusters: Vec<WireCluster> =
        clusters.into_iter().filter(|cluster| !cluster.session_ids.is_empty()).collect();
    let mut sources: Vec<MemorySource> = Vec::new();
    for candidate in &candidates {
        of_candidate(&mut sources, candidate, left, at);
    }
    for cluster in
        clusters.iter().filter(|cluster| matches!(cluster.suggested_artifact.as_str(), "antigen" | "fact"))
    {
        of_cluster(&mut sources, cluster, left, at);
    }
    if candidates.is_empty() && clusters.is_empty() {
        of_review(&mut sources, left, at);
    }
    sources.iter_mut().for_each(set_hash);
    (sources, notices)
}

fn parse_json<T: serde::de::DeserializeOwned>(
    text: Option<&str>,
    name: &str,
    notices: &mut Vec<String>,
) -> Vec<T> {
    match text.map(serde_json::from_str).transpose() {
        Ok(read) => read.unwrap_or_default(),
        Err(error) => {
            notices.push(format!("{name} was skipped, because it is not a valid list: {error}"));
            Vec::new()
        }
    }
}

/// Returns the source of a session in the list, and adds it if it is missing.
fn session<'s>(
    sources: &'s mut Vec<MemorySource>,
    id: &str,
    left: &FrictionReports,
    at: Instant,
) -> &'s mut MemorySource {
    let existing = sources
        .iter()
        .position(|source| source.session.as_deref().is_some_and(|there| same_session(there, id)));
    let place = existing.unwrap_or_else(|| {
        let mut source = MemorySource::new(format!("friction:{id}"), SourceKind::Friction, at);
        source.session = Some(id.to_owned());
        source.workspace = Some(left.project.clone());
        source.title = format!("Friction in {}", visible(id));
        source.tags = vec!["friction".to_owned()];
        source.is_event = false;
        sources.push(source);
        sources.len() - 1
    });
    &mut sources[place]
}

fn of_candidate(
    sources: &mut Vec<MemorySource>,
    candidate: &WireCandidate,
    left: &FrictionReports,
    at: Instant,
) {
    let at = Instant::parse(&candidate.anchor_ts).unwrap_or(at);
    let source = session(sources, &candidate.session_id, left, at);
    for text in &candidate.user_context {
        take_report(source, text);
    }
}

/// Adds the statements in a cluster's messages to the source of each of its sessions.
fn of_cluster(sources: &mut Vec<MemorySource>, cluster: &WireCluster, left: &FrictionReports, at: Instant) {
    let mut probe = MemorySource::new(String::new(), SourceKind::Friction, at);
    cluster.contexts.iter().for_each(|text| take_report(&mut probe, text));
    for id in &cluster.session_ids {
        let source = session(sources, id, left, at);
        // One statement stands for the cluster, so that its sessions are observations of the same.
        probe.preferences.iter().take(1).for_each(|claim| add(&mut source.preferences, claim.clone()));
        probe.facts.iter().take(1).for_each(|claim| add(&mut source.facts, claim.clone()));
    }
}

fn of_review(sources: &mut Vec<MemorySource>, left: &FrictionReports, at: Instant) {
    let Some(review) = left.review.as_deref().filter(|text| text.contains("Antigen")) else { return };
    let generated = review.lines().find_map(|line| Instant::parse(line.strip_prefix("Generated: ")?).ok());
    for quote in review.lines().filter_map(|line| line.strip_prefix("> ")) {
        let mut source = MemorySource::new(
            format!("friction:quote:{}", hash(quote)),
            SourceKind::Friction,
            generated.unwrap_or(at),
        );
        source.workspace = Some(left.project.clone());
        source.title = format!("Friction: {}", quoted(quote));
        source.tags = vec!["friction".to_owned()];
        source.is_event = false;
        take_report(&mut source, quote);
        let is_empty = source.facts.is_empty() && source.preferences.is_empty();
        if !is_empty && sources.iter().all(|there| there.key != source.key) {
            sources.push(source);
        }
    }
}

/// Adds the facts and preferences that a user message states to a source.
fn take_report(source: &mut MemorySource, text: &str) {
    for statement in utterances(&without_curses(text), true) {
        let (claims, judged) = match statement.kind {
            UtteranceKind::Preference | UtteranceKind::Decision => {
                (&mut source.preferences, preference(&statement.text))
            }
            UtteranceKind::Learning => (&mut source.facts, fact(&statement.text)),
            UtteranceKind::Retraction => continue,
        };
        match judged {
            Ok(text) => add(claims, Claim { text, ..Claim::default() }),
            Err(unfit) => source.skipped.count(unfit),
        }
    }
}

fn add(claims: &mut Vec<Claim>, claim: Claim) {
    if claims.iter().all(|there| there.text != claim.text) {
        claims.push(claim);
    }
}

fn quoted(text: &str) -> String {
    format!("“{}”", cut(&visible(text), MAX_QUOTE_CHARS))
}

/// Sets the content hash of a source; it does not depend on the order of the statements.
fn set_hash(source: &mut MemorySource) {
    let mut statement: Vec<&str> =
        source.facts.iter().chain(&source.preferences).map(|claim| claim.text.as_str()).collect();
    statement.sort_unstable();
    source.hash = hash(&format!("{} {}", source.title, statement.join(" ")));
    source.text = statement.iter().map(|text| format!("- {text}\n")).collect();
}

/// Numbers of statements that were not remembered, by reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SkippedCounts {
    /// Statements with too little content or only about the current task.
    pub slight: usize,
    /// Statements that are longer than facts may be.
    pub too_long: usize,
    /// Statements that curse or insult.
    pub anger: usize,
    /// Statements that end with their session, as the classifier judged.
    pub passing: usize,
    /// Statements that a rule, decision or blocked pattern of the vault makes already.
    pub existing: usize,
}

impl SkippedCounts {
    /// Counts a statement that was rejected for this reason.
    pub fn count(&mut self, unfit: RejectReason) {
        match unfit {
            RejectReason::Slight => self.slight += 1,
            RejectReason::TooLong => self.too_long += 1,
            RejectReason::Anger => self.anger += 1,
        }
    }

    pub fn add(&mut self, other: Self) {
        self.slight += other.slight;
        self.too_long += other.too_long;
        self.anger += other.anger;
        self.passing += other.passing;
        self.existing += other.existing;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn left(candidates: &str, clusters: &str, review: &str) -> Vec<MemorySource> {
        let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let left = FrictionReports {
            project: "shop".into(),
            candidates: some(candidates),
            clusters: some(clusters),
            review: some(review),
        };
        sources(&left, Instant::from_unix(0)).0
    }

    #[test]
    fn candidates_tell_what_people_wanted_and_make_no_episodes() {
        let sources = left(
            r#"[{"session_id": "demo/1002-1000-bbbb2222", "anchor_signal": "user_curse", "anchor_ts": "2026-10-02T10:01:10.000Z",
                 "user_context": ["damn, always run the linter before you commit"], "unknown": 1},
                {"session_id": "demo/1003-1000-cccc3333", "anchor_signal": "user_correction", "user_context": ["no, use pnpm instead of npm"]},
                {"session_id": "demo/1004-1000-dddd4444", "anchor_signal": "user_correction", "user_context": ["thanks"]}]"#,
            "",
            "> ignored, for the candidates say more\n",
        );
        let summaries: Vec<(&str, bool, usize)> = sources
            .iter()
            .map(|source| (source.key.as_str(), source.is_event, source.preferences.len()))
            .collect();
        assert_eq!(
            summaries,
            [
                ("friction:demo/1002-1000-bbbb2222", false, 1),
                ("friction:demo/1003-1000-cccc3333", false, 1),
                ("friction:demo/1004-1000-dddd4444", false, 0)
            ]
        );
        assert_eq!(sources[1].preferences[0].text, "Use pnpm instead of npm");
    }

    #[test]
    fn what_recurs_is_an_observation_in_each_of_its_sessions() {
        let cluster = |artifact: &str| {
            format!(
                r#"[{{"suggested_artifact": "{artifact}", "session_ids": ["d/1001-1000-aaaa0001", "d/1001-1000-aaaa0002"], "contexts": ["stop touching the lock file"]}}]"#
            )
        };
        let antigen = left("", &cluster("antigen"), "");
        assert_eq!(antigen.len(), 2);
        assert_eq!(antigen[0].preferences, antigen[1].preferences);
        assert_eq!(left("", &cluster("drop"), ""), []);
        let angry = cluster("antigen").replace("stop touching the lock file", "you fucking broke it again");
        assert!(left("", &angry, "").iter().all(|source| source.preferences.is_empty()));
    }

    #[test]
    fn a_review_alone_is_read_by_its_quotes() {
        let review = "# Friction Antigen Clusters\n\nGenerated: 2026-11-20T20:36:45.513Z\n\n## Cluster 1: user_correction | fact/mild\n\n\
                      ### User Context (what the user said)\n\n> no, use pnpm instead of npm\n\n> try with clang\n";
        let sources = left("", "", review);
        assert_eq!(sources.len(), 1);
        assert_eq!(
            (sources[0].preferences[0].text.as_str(), sources[0].at.day().as_str()),
            ("Use pnpm instead of npm", "2026-11-20")
        );
    }

    #[test]
    fn the_same_files_in_another_order_say_the_same() {
        let one = r#"{"session_id": "d/1001-1000-aaaa0001", "anchor_signal": "user_correction", "user_context": ["no, use pnpm instead of npm"]}"#;
        let two = r#"{"session_id": "d/1001-1000-aaaa0001", "anchor_signal": "user_correction", "user_context": ["always run the linter before you commit"]}"#;
        let (a, b) = (left(&format!("[{one},{two}]"), "", ""), left(&format!("[{two},{one}]"), "", ""));
        assert_eq!(a[0].hash, b[0].hash);
    }

    #[test]
    fn a_file_of_another_form_is_reported_and_left_out() {
        let left =
            FrictionReports { candidates: Some("{\"no\": \"list\"}".into()), ..FrictionReports::default() };
        let (sources, notices) = sources(&left, Instant::from_unix(0));
        assert!(
            sources.is_empty() && notices[0].starts_with("antigen_candidates.json was skipped"),
            "{notices:?}"
        );
    }

    proptest! {
        #[test]
        fn any_review_is_read(text in "(Antigen|> |#|[a-z ,'.]|\n){0,80}") {
            left("", "", &text);
        }
    }
}
