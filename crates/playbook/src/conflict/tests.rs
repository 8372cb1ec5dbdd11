//! Properties of the comparison, on fixed pairs and on generated text.

use proptest::prelude::*;

use super::*;
use crate::embedding_model::{EmbeddingModel, NoEmbeddings, WordVectors};
use cm_text::embedding::Embedding;

/// A test model with a few synonyms; other words have zero vectors.
struct Synonyms;

impl EmbeddingModel for Synonyms {
    fn embedding(&self, text: &str) -> Option<Embedding> {
        const KNOWN: [&[&str]; 4] = [
            &["deploy", "release"],
            &["fridays", "friday"],
            &["tests", "commit"],
            &["tabs", "unwrap", "rule"],
        ];
        let text = text.to_lowercase();
        let part =
            |same: &&[&str]| f32::from(same.iter().any(|word| text.split(' ').any(|other| other == *word)));
        Embedding::of(KNOWN.iter().map(part).collect())
    }
}

fn reason_kind(a: &str, b: &str) -> Option<ConflictReason> {
    opposition(&RuleStatement::of(a), &RuleStatement::of(b)).map(|opposition| opposition.reason_kind)
}

/// Pairs that contradict each other by words alone, found by way of the candidate pairs.
fn oppositions(rules: &[RuleStatement]) -> Vec<(usize, usize, RuleContradiction)> {
    let pairs = pairs::may_oppose(rules).into_iter();
    pairs.filter_map(|(a, b)| Some((a, b, opposition(&rules[a], &rules[b])?))).collect()
}

#[test]
fn denial_is_found_and_double_denial_is_none() {
    assert_eq!(
        reason_kind("Always use `unwrap` in tests", "Never use `unwrap` in tests"),
        Some(ConflictReason::Polarity)
    );
    assert_eq!(reason_kind("Never commit without tests", "Always commit with tests"), None);
    assert_eq!(reason_kind("Avoid tabs; use spaces", "Use spaces, not tabs"), None);
    assert_eq!(
        reason_kind("Enable telemetry in CI", "Disable telemetry in CI"),
        Some(ConflictReason::Directive)
    );
    assert_eq!(reason_kind("Enable telemetry in CI", "Don't disable telemetry in CI"), None);
}

#[test]
fn another_circumstance_or_object_is_no_contradiction() {
    assert_eq!(reason_kind("Use unwrap in tests", "Never use unwrap in production"), None);
    assert_eq!(reason_kind("Never log passwords", "Log password resets"), None);
    assert_eq!(reason_kind("Never commit secrets", "Always commit lock files"), None);
}

#[test]
fn choices_exclude_each_other_where_the_rest_is_shared() {
    assert_eq!(
        reason_kind("Use tabs for indentation", "Use spaces for indentation"),
        Some(ConflictReason::Exclusive)
    );
    assert_eq!(reason_kind("Use async drivers", "Use sync drivers"), Some(ConflictReason::Antonym));
    assert_eq!(reason_kind("Write small commits", "Never write large commits"), None);
    assert_eq!(
        reason_kind("Run the formatter before committing", "Run the formatter after committing"),
        Some(ConflictReason::Directive)
    );
}

#[test]
fn an_exception_contradicts_an_absolute_but_not_what_it_names() {
    assert_eq!(
        reason_kind("Always squash commits", "Squash commits unless they are reviewed"),
        Some(ConflictReason::Exception)
    );
    assert_eq!(reason_kind("Never use unwrap except in tests", "Use unwrap in tests"), None);
}

#[test]
fn a_reason_names_the_opposed_words() {
    let found =
        opposition(&RuleStatement::of("Always mock the clock"), &RuleStatement::of("Do not mock the clock"))
            .unwrap();
    assert_eq!(found.reason, "“always” against “do not” about mock, clock");
    assert_eq!(found.shared, 1.0);
}

#[test]
fn avoiding_something_is_the_opposite_of_doing_it_however_it_is_written() {
    let avoided = RuleStatement::of("AVOID: mock the clock");
    assert!(opposition(&avoided, &RuleStatement::of("Mock the clock")).is_some());
    assert_eq!(avoided.claims(), RuleStatement::of("Avoid: mock the clock").claims());
}

#[test]
fn opposite_rules_are_not_alike() {
    let like = |a, b| likeness(&RuleStatement::of(a), &RuleStatement::of(b));
    assert!(like("Always use unwrap in tests", "Never use unwrap in tests") < 0.7);
    assert_eq!(like("Always run the tests", "Run tests"), 1.0);
    assert_eq!(like("", ""), 0.0);
}

#[test]
fn all_pairs_are_those_that_comparing_each_with_each_finds() {
    let subjects =
        ["unwrap in tests", "tabs for indentation", "spaces for indentation", "small commits", "mocks"];
    let verbs = ["Always use", "Never use", "Avoid", "Prefer", "Use only", "Do not write"];
    let rules: Vec<RuleStatement> = subjects
        .iter()
        .flat_map(|s| verbs.iter().map(move |v| RuleStatement::of(&format!("{v} {s}"))))
        .collect();
    let mut opposed = Vec::new();
    let mut like = Vec::new();
    for a in 0..rules.len() {
        for b in a + 1..rules.len() {
            opposed.extend(opposition(&rules[a], &rules[b]).map(|found| (a, b, found)));
            like.extend(Some((a, b, likeness(&rules[a], &rules[b]))).filter(|(_, _, alike)| *alike >= 0.5));
        }
    }
    assert!(opposed.len() > 10 && like.len() > 10);
    assert_eq!(oppositions(&rules), opposed);
    assert_eq!(alike(&rules.iter().collect::<Vec<_>>(), 0.5), like);
}

#[test]
fn different_names_for_one_job_are_alternatives_and_names_for_areas_are_not() {
    for (a, b) in [
        ("Use Terraform for infrastructure", "Use Pulumi for infrastructure"),
        ("Deploy with Ansible", "Always deploy with Chef"),
        ("Use Bazel to build", "Use Buck to build"),
        ("Use `ufmt` for formatting", "Use `blue` for formatting"),
    ] {
        assert_eq!(reason_kind(a, b), Some(ConflictReason::Exclusive), "{a} / {b}");
    }
    for (a, b) in [
        ("Use React for the frontend", "Use TypeScript for the frontend"),
        ("Use retries for network calls", "Use timeouts for network calls"),
        ("Use UTC for timestamps", "Use ISO8601 for timestamps"),
        ("Test on Linux", "Test on Illumos"),
        ("Use Kubernetes for hosting", "Use k8s for hosting"),
        ("Store blobs in Google Cloud Storage", "Store blobs in GCS"),
        ("Use Kafka for queueing", "Use Apache Kafka 3 for queueing"),
        ("Use Terraform and Pulumi for infrastructure", "Use Pulumi for infrastructure"),
        ("Deploy with Ansible in staging", "Deploy with Chef in production"),
    ] {
        assert_eq!(reason_kind(a, b), None, "{a} / {b}");
    }
}

#[test]
fn a_denial_is_found_in_other_words_where_a_model_knows_them() {
    let (a, b) = (RuleStatement::of("Deploy on Fridays"), RuleStatement::of("Never release on a Friday"));
    assert_eq!(opposed(&a, &b, &WordVectors::of(&NoEmbeddings)), None);
    let found = opposed(&a, &b, &WordVectors::of(&Synonyms)).map(|found| found.reason_kind);
    assert_eq!(found, Some(ConflictReason::Polarity));
}

/// Generates rules from cue words and content words, so that all kinds of clauses occur.
fn rules() -> impl Strategy<Value = String> {
    let words = "always never avoid use not without only unless except in when for because and but or , ; : . tabs \
                 spaces before after enable disable skip tests commit unwrap instead of over prefer don't no 2 4 to with S3 GitHub";
    let words: Vec<&str> = words.split_whitespace().collect();
    prop::collection::vec(prop::sample::select(words), 0..14).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn the_words_of_a_text_are_those_of_its_statement(rule in rules(), text in "\\PC{0,80}") {
        for text in [rule, text] {
            prop_assert_eq!(words(&text), RuleStatement::of(&text).words().clone());
        }
    }

    #[test]
    fn it_does_not_matter_which_rule_comes_first(a in rules(), b in rules()) {
        let (a, b) = (RuleStatement::of(&a), RuleStatement::of(&b));
        prop_assert_eq!(opposition(&a, &b).is_some(), opposition(&b, &a).is_some());
        prop_assert_eq!(likeness(&a, &b), likeness(&b, &a));
        prop_assert!(opposition(&a, &a).is_none());
    }

    #[test]
    fn it_does_not_matter_which_rule_comes_first_in_meaning_either(a in rules(), b in rules()) {
        let word_vectors = WordVectors::of(&Synonyms);
        let (a, b) = (RuleStatement::of(&a), RuleStatement::of(&b));
        prop_assert_eq!(opposed(&a, &b, &word_vectors).is_some(), opposed(&b, &a, &word_vectors).is_some());
        prop_assert_eq!(opposed(&a, &b, &word_vectors), opposed(&a, &b, &WordVectors::of(&Synonyms)));
        prop_assert!(opposed(&a, &a, &word_vectors).is_none());
    }

    #[test]
    fn all_pairs_leave_out_none(rules in prop::collection::vec(rules(), 0..12)) {
        let rules: Vec<RuleStatement> = rules.iter().map(|rule| RuleStatement::of(rule)).collect();
        let mut opposed = Vec::new();
        for a in 0..rules.len() {
            for b in a + 1..rules.len() {
                opposed.extend(opposition(&rules[a], &rules[b]).map(|_| (a, b)));
            }
        }
        let found: Vec<(usize, usize)> = oppositions(&rules).into_iter().map(|(a, b, _)| (a, b)).collect();
        prop_assert_eq!(found, opposed);
    }

    #[test]
    fn any_text_can_be_compared(a in "\\PC{0,80}", b in "(.|\n){0,80}") {
        let (a, b) = (RuleStatement::of(&a), RuleStatement::of(&b));
        prop_assert_eq!(opposition(&a, &b).is_some(), opposition(&b, &a).is_some());
        prop_assert!((0.0..=1.0).contains(&likeness(&a, &b)));
    }
}
