//! Tests of clustering by words and of the suggested artifact.

use super::*;

/// Builds a candidate from an anchor signal, a user message and an optional error line.
fn reaction(anchor: SignalKind, text: &str, error: Option<&str>) -> AntigenCandidate {
    AntigenCandidate {
        session_id: String::new(),
        anchor_signal: anchor,
        anchor_ts: String::new(),
        peak_friction: 8.0,
        turns_in_window: 1,
        files: Vec::new(),
        tool_sequence: Vec::new(),
        errors: error.into_iter().map(str::to_owned).collect(),
        preceding: None,
        self_suspect: Some(is_self_correction(text)),
        keywords: Vec::new(),
        user_context: vec![text.to_owned()],
        inhibitory_instruction: String::new(),
        record: None,
    }
}

fn clustered(candidates: &[(&str, AntigenCandidate)]) -> Vec<WordCluster> {
    let candidate_contexts: Vec<CandidateContext<'_>> = candidates
        .iter()
        .map(|(conversation, candidate)| CandidateContext {
            candidate,
            conversation,
            project: "demo",
            ended: None,
        })
        .collect();
    clusters(&candidate_contexts, 3)
}

const PORT: &str = "no, stop using port eighty for the proxy";

#[test]
fn shingles_are_words_and_pairs_of_those_that_say_something() {
    let found = shingles("Don’t use the staging Server!");
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["server", "staging", "staging server"]);
}

#[test]
fn texts_that_share_no_pair_of_words_have_nothing_in_common() {
    let of = |a: &str, b: &str| overlap(&shingles(a), &shingles(b));
    assert_eq!(of("staging server", "server staging"), 0.0);
    assert_eq!(of("staging server", "the staging server"), 1.0);
    assert_eq!(of("", ""), 0.0);
    assert!(of("staging server broke again with logs", "staging server") >= MIN_CLUSTER_OVERLAP);
}

#[test]
fn the_grid_of_severe_and_recurring_makes_the_suggestion() {
    let many = |anchor: SignalKind, error: Option<&str>, conversations: usize| {
        let names = ["a", "b", "c", "d", "e"];
        let candidates: Vec<(&str, AntigenCandidate)> =
            names[..conversations].iter().map(|name| (*name, reaction(anchor, PORT, error))).collect();
        clustered(&candidates).first().map(|cluster| (cluster.suggested_artifact, cluster.confidence))
    };
    assert_eq!(many(SignalKind::UserCurse, None, 3), Some((SuggestedNote::Antigen, ConfidenceLevel::Medium)));
    assert_eq!(
        many(SignalKind::UserCorrection, Some("Exit code 1"), 5),
        Some((SuggestedNote::Antigen, ConfidenceLevel::High))
    );
    assert_eq!(
        many(SignalKind::UserCorrection, None, 3),
        Some((SuggestedNote::Fact, ConfidenceLevel::Medium))
    );
    assert_eq!(
        many(SignalKind::InterruptCascade, None, 2),
        Some((SuggestedNote::Episode, ConfidenceLevel::Low))
    );
    assert_eq!(many(SignalKind::UserCorrection, None, 2), None);
}

#[test]
fn who_corrects_only_themselves_is_not_severe() {
    let wrong =
        |name| (name, reaction(SignalKind::UserCurse, "damn, wrong window for this deploy script", None));
    let found = clustered(&[wrong("a"), wrong("b"), wrong("c")]);
    assert_eq!(
        (found[0].severity, found[0].suggested_artifact, found[0].self_suspect),
        (FrictionSeverity::Mild, SuggestedNote::Fact, true)
    );
    for text in
        ["never mind", "nevermind", "NVM", "scratch that", "ignore this", "my bad", "oops", "wrong repo"]
    {
        assert!(is_self_correction(text), "{text}");
    }
    for text in ["wrong answer", "ignore case", "mind the gap", "bad"] {
        assert!(!is_self_correction(text), "{text}");
    }
}

#[test]
fn the_same_conversation_is_one_witness() {
    let found = clustered(&[
        ("a", reaction(SignalKind::UserCurse, PORT, None)),
        ("a", reaction(SignalKind::UserCurse, PORT, None)),
        ("a", reaction(SignalKind::UserCurse, PORT, None)),
    ]);
    assert_eq!((found[0].count, found[0].signals[&SignalKind::UserCurse]), (1, 3));
}

#[test]
fn other_words_are_another_cluster() {
    let other = "why do you keep rewriting the migration files";
    let found = clustered(&[
        ("a", reaction(SignalKind::UserCurse, PORT, None)),
        ("b", reaction(SignalKind::UserCurse, other, None)),
        ("c", reaction(SignalKind::UserCurse, PORT, None)),
    ]);
    assert_eq!(found.iter().map(|cluster| cluster.count).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(found[0].contexts, [PORT]);
    assert_eq!(found[0].score, 4.0);
}
