//! Measures how well contradictions between rules are detected, on labelled pairs.
//!
//! The first file was used during development; the second was not, and measures performance on
//! unseen rules.

use cm_embed::Embedder as _;
use cm_embed::builtin::{MiniLm, PairModel, StaticModel};
use cm_playbook::conflict::{
    EmbeddedStatement, RuleStatement, Similarity, StatementRelation, opposed, opposition,
};
use cm_playbook::curation::CurationLimits;
use cm_playbook::embedding_model::{EmbeddingModel, WordVectors};
use cm_text::embedding::{Embedding, PairProbabilities};

use crate::support::vault_of;

struct BuiltIn;

impl EmbeddingModel for BuiltIn {
    fn embedding(&self, text: &str) -> Option<Embedding> {
        Some(StaticModel::shipped().of(text))
    }

    fn knows_word(&self, word: &str) -> bool {
        StaticModel::shipped().knows_word(word)
    }

    fn fine_embedding(&self, text: &str) -> Option<Embedding> {
        MiniLm::builtin().embed(&[text]).ok()?.pop()
    }

    fn pair_probabilities(&self, pairs: &[[&str; 2]]) -> Option<Vec<PairProbabilities>> {
        PairModel::builtin().judge(pairs).ok()
    }
}

/// Returns the similarity of a rule to an existing one, with the default limits.
fn near(rule: &str, there: &str) -> Option<Similarity> {
    let (a, b) = (RuleStatement::of(rule), RuleStatement::of(there));
    let (x, y) = (BuiltIn.embedding(rule), BuiltIn.embedding(there));
    let (a, b) = (
        EmbeddedStatement { statement: &a, embedding: x.as_ref() },
        EmbeddedStatement { statement: &b, embedding: y.as_ref() },
    );
    a.near(&b, CurationLimits::default().duplicate(), &WordVectors::of(&BuiltIn))
}

struct Figures {
    precision: f64,
    recall: f64,
    wrong: Vec<String>,
}

fn measure(pairs: &str) -> Figures {
    let contradict = |a: &str, b: &str| opposition(&RuleStatement::of(a), &RuleStatement::of(b)).is_some();
    measure_by(pairs, "conflict", contradict)
}

/// Measures precision and recall of a comparison for the pairs with this label.
fn measure_by(pairs: &str, wanted_label: &str, seen: impl Fn(&str, &str) -> bool) -> Figures {
    let (mut right, mut found, mut wanted) = (0.0, 0.0, 0.0);
    let mut wrong = Vec::new();
    for line in pairs.lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [label, a, b] = cells[..] else { panic!("a line has a label and two rules: {line}") };
        assert!(matches!(label, "conflict" | "agree" | "duplicate" | "unrelated"), "{line}");
        let is = label == wanted_label;
        let seen = seen(a, b);
        wanted += f64::from(is);
        found += f64::from(seen);
        right += f64::from(is && seen);
        if is != seen {
            wrong.push(line.to_owned());
        }
    }
    Figures { precision: right / found, recall: right / wanted, wrong }
}

#[test]
fn contradictions_among_the_labelled_pairs_are_found() {
    let figures = measure(include_str!("../golden/conflict-pairs.tsv"));
    assert!(figures.precision >= 0.97 && figures.recall >= 0.96, "{:#?}", figures.wrong);
}

#[test]
fn contradictions_among_pairs_that_nothing_was_tuned_on_are_found() {
    let figures = measure(include_str!("../golden/conflict-pairs-unseen.tsv"));
    assert!(figures.precision >= 0.95 && figures.recall >= 0.9, "{:#?}", figures.wrong);
}

const MEANING: &str = include_str!("../golden/meaning-pairs.tsv");
const MEANING_UNSEEN: &str = include_str!("../golden/meaning-pairs-unseen.tsv");

fn in_meaning(pairs: &str) -> Figures {
    let word_vectors = WordVectors::of(&BuiltIn);
    measure_by(pairs, "conflict", |a, b| {
        opposed(&RuleStatement::of(a), &RuleStatement::of(b), &word_vectors).is_some()
    })
}

#[test]
fn alternatives_that_no_list_names_are_found_where_both_are_chosen_for_one_job() {
    let figures = in_meaning(MEANING);
    assert!(figures.precision >= 0.95 && figures.recall >= 0.6, "{:#?}", figures.wrong);
}

#[test]
fn alternatives_among_pairs_that_nothing_was_tuned_on_are_found() {
    let figures = in_meaning(MEANING_UNSEEN);
    assert!(figures.precision >= 0.9 && figures.recall >= 0.4, "{:#?}", figures.wrong);
}

#[test]
fn meaning_takes_nothing_from_what_words_find() {
    for pairs in
        [include_str!("../golden/conflict-pairs.tsv"), include_str!("../golden/conflict-pairs-unseen.tsv")]
    {
        let (words, meaning) = (measure(pairs), in_meaning(pairs));
        assert!(
            meaning.precision >= words.precision && meaning.recall >= words.recall,
            "{:#?}",
            meaning.wrong
        );
    }
}

#[test]
fn no_rule_is_dropped_that_says_something_else() {
    for pairs in [MEANING, MEANING_UNSEEN, include_str!("../golden/conflict-pairs-unseen.tsv")] {
        for line in pairs.lines().filter(|line| !line.starts_with('#')) {
            let [label, a, b] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
            assert!(label == "duplicate" || !same(a, b), "{line}");
        }
        let figures = measure_by(pairs, "duplicate", |a, b| near(a, b).is_some());
        assert!(figures.precision >= 0.95, "{:#?}", figures.wrong);
    }
}

/// Whether either rule counts as a duplicate of the other.
fn same(a: &str, b: &str) -> bool {
    RuleStatement::of(a).is_same(&RuleStatement::of(b)) || RuleStatement::of(b).is_same(&RuleStatement::of(a))
}

const SAME_PAIRS: [(&str, f64); 2] = [
    (include_str!("../golden/same-pairs.tsv"), 0.95),
    (include_str!("../golden/same-pairs-unseen.tsv"), 0.75),
];

#[test]
fn nothing_is_swallowed_and_most_of_what_says_the_same_is_credited() {
    let word_vectors = WordVectors::of(&BuiltIn);
    let verdict = |a: &str, b: &str| {
        let (one, other) = (RuleStatement::of(a), RuleStatement::of(b));
        let (x, y) = (BuiltIn.embedding(a), BuiltIn.embedding(b));
        let one = EmbeddedStatement { statement: &one, embedding: x.as_ref() };
        let other = EmbeddedStatement { statement: &other, embedding: y.as_ref() };
        one.verdict(&other, CurationLimits::default().duplicate(), &word_vectors)
    };
    for (pairs, least) in SAME_PAIRS {
        let (mut counts, mut credited) = (std::collections::BTreeMap::<(&str, &str), usize>::new(), 0.0);
        for line in pairs.lines().filter(|line| !line.starts_with('#')) {
            let [label, a, b] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
            let (there, back) = (verdict(a, b), verdict(b, a));
            let name = match there {
                StatementRelation::Same => "credited",
                StatementRelation::Contradicts(_) => "flagged",
                StatementRelation::Near(_) => "stored as near",
                StatementRelation::Different => "stored",
            };
            *counts.entry((label, name)).or_default() += 1;
            assert_eq!(there == StatementRelation::Same, back == StatementRelation::Same, "{line}");
            assert!(label == "same" || there != StatementRelation::Same, "swallowed: {line}");
            credited += f64::from(there == StatementRelation::Same);
        }
        println!("{counts:#?}");
        let wanted = pairs.lines().filter(|line| line.starts_with("same\t")).count();
        assert!(credited / wanted as f64 >= least, "{credited} of {wanted}");
    }
}

const TEAM: &str = include_str!("../golden/team-notes/pairs.jsonl");

#[test]
fn most_contradictions_of_a_team_are_found_and_nothing_else_is_credited() {
    let word_vectors = WordVectors::of(&BuiltIn);
    let (mut found, mut right, mut offered, mut credited) = (0, 0, 0, Vec::new());
    for line in TEAM.lines() {
        let pair: serde_json::Value = serde_json::from_str(line).unwrap();
        let [label, a, b] = ["label", "a", "b"].map(|key| pair[key].as_str().unwrap());
        let (one, other) = (RuleStatement::of(a), RuleStatement::of(b));
        let (x, y) = (word_vectors.statement(&one), word_vectors.statement(&other));
        let one = EmbeddedStatement { statement: &one, embedding: x.as_ref() };
        let other = EmbeddedStatement { statement: &other, embedding: y.as_ref() };
        match one.verdict(&other, CurationLimits::default().duplicate(), &word_vectors) {
            StatementRelation::Contradicts(_) => {
                found += 1;
                right += usize::from(label == "contradiction");
            }
            StatementRelation::Same if label != "duplicate" => credited.push(line),
            StatementRelation::Same | StatementRelation::Near(Similarity::Verdict(_)) => {
                offered += usize::from(label == "duplicate");
            }
            StatementRelation::Near(_) | StatementRelation::Different => {}
        }
    }
    assert_eq!(credited, Vec::<&str>::new());
    assert!(right >= 40 && f64::from(right as u32) >= 0.9 * f64::from(found as u32), "{right} of {found}");
    assert!(offered >= 36, "{offered}");
}

const TESTED: &str = "
--- playbook/api/one.md
---
id: b-mq6d3m8l-d4d4d4
type: rule
category: api
state: active
maturity: established
feedback:
  - {signal: helpful, at: 2026-11-01T10:00:00Z, session: s-1}
  - {signal: helpful, at: 2026-11-02T10:00:00Z, session: s-2}
---
The public API allows 100 requests per minute and client.
";

#[test]
fn a_draft_that_contradicts_a_rule_leaves_its_credit_as_it_was() {
    let sandbox = vault_of(TESTED);
    let rule = || sandbox.cm(&["playbook", "get", "b-mq6d3m8l-d4d4d4", "--json"]).ok().json();
    let before = rule();
    let words = [
        "playbook",
        "add",
        "--category",
        "api",
        "Each client may call the public API at most 1000 times a minute.",
        "--json",
    ];
    let added = sandbox.cm(&words).ok().json();
    assert_eq!(added["state"], "draft", "{added}");
    assert_eq!(added["conflicts"][0]["with"], "b-mq6d3m8l-d4d4d4", "{added}");
    assert_eq!(rule(), before);
}

#[test]
fn what_means_the_same_is_near_and_what_differs_in_a_name_or_a_number_is_not() {
    assert!(matches!(
        near("Keep controllers thin", "Controllers should be kept thin"),
        Some(Similarity::Meaning(_))
    ));
    assert!(near("Prefer Postgres", "Use PostgreSQL 16").is_some());
    for (rule, there) in [
        ("Use PostgreSQL 16", "Prefer Postgres"),
        ("Use Node 20", "Use Node.js 18"),
        ("Use MySQL", "Use PostgreSQL"),
        ("Mock the clock in all tests", "Mock the network in all tests"),
        ("Always run the whole suite", "Never run the whole suite"),
        // Names that no model knows, with a fragment in common.
        ("Run seacheck before each commit", "Run tidecheck before each commit"),
    ] {
        assert_eq!(near(rule, there), None, "{rule} / {there}");
    }
}

#[test]
fn neither_a_rule_and_itself_nor_a_rule_and_its_duplicate_contradict() {
    let word_vectors = WordVectors::of(&BuiltIn);
    for line in
        [MEANING, MEANING_UNSEEN].into_iter().flat_map(str::lines).filter(|line| !line.starts_with('#'))
    {
        let [label, a, b] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let (one, other) = (RuleStatement::of(a), RuleStatement::of(b));
        assert!(opposed(&one, &one, &word_vectors).is_none(), "{a}");
        assert_eq!(
            opposed(&one, &other, &word_vectors).is_some(),
            opposed(&other, &one, &word_vectors).is_some(),
            "{line}"
        );
        assert!(label != "duplicate" || opposed(&one, &other, &word_vectors).is_none(), "{line}");
    }
}

const DATABASES: &str = "
--- playbook/db/one.md
---
id: b-mq6d3m8l-a1a1a1
type: rule
category: database
state: active
---
Prefer PostgreSQL for storage
--- playbook/db/two.md
---
id: b-mq6d3m8l-b2b2b2
type: rule
category: database
state: active
---
Use PostgreSQL 16
--- playbook/code/three.md
---
id: b-mq6d3m8l-c3c3c3
type: rule
category: code
state: active
---
Keep controllers thin
";

#[test]
fn a_rule_that_chooses_another_thing_for_the_same_job_is_a_draft_that_conflicts() {
    let sandbox = vault_of(DATABASES);
    for rule in ["Use SQLite for storage", "Use FoundationDB for storage"] {
        let added = sandbox.cm(&["playbook", "add", "--category", "database", rule, "--json"]).ok().json();
        assert_eq!(added["state"], "draft", "{added}");
        let with: Vec<_> =
            added["conflicts"].as_array().unwrap().iter().map(|found| &found["with"]).collect();
        assert!(with.contains(&&"b-mq6d3m8l-a1a1a1".into()), "{added}");
    }
    let stats = sandbox.cm(&["stats", "--json"]).ok().json();
    assert_eq!(stats["playbook"]["conflicts_total"], 0, "drafts hold nowhere: {stats}");
}

#[test]
fn the_same_name_without_its_version_is_no_conflict_and_is_stored_with_its_neighbour() {
    let sandbox = vault_of(DATABASES);
    let added =
        sandbox.cm(&["playbook", "add", "--category", "database", "Prefer Postgres", "--json"]).ok().json();
    assert_eq!((&added["added"], &added["credited"]), (&true.into(), &false.into()), "{added}");
    let note = added["note"].as_str().unwrap();
    assert!(note.contains("similar to b-mq6d3m8l-b2b2b2"), "{note}");
}

#[test]
fn a_version_of_the_same_name_is_no_conflict_and_names_the_rule_that_it_refines() {
    let rule = "--- playbook/db/one.md\n---\nid: b-mq6d3m8l-a1a1a1\ntype: rule\ncategory: database\nstate: active\n---\nPrefer Postgres\n";
    let sandbox = vault_of(rule);
    let judged = sandbox.cm(&["validate-rule", "Use PostgreSQL 16", "--json"]).ok().json();
    assert_eq!(judged["collisions"][0]["how"], "refines", "{judged}");
    assert_eq!(judged["collisions"][0]["id"], "b-mq6d3m8l-a1a1a1", "{judged}");
    let words = ["playbook", "add", "--category", "database", "Use PostgreSQL 16", "--json"];
    let added = sandbox.cm(&words).ok().json();
    assert_eq!((&added["added"], &added["state"]), (&true.into(), &"active".into()), "{added}");
    assert_eq!(added["note"], "adds to b-mq6d3m8l-a1a1a1: Prefer Postgres", "{added}");
    assert_eq!(added["conflicts"], serde_json::json!([]), "{added}");
}

#[test]
fn a_rule_in_other_words_credits_the_one_that_is_there_with_embeddings_or_without() {
    let sandbox = vault_of(DATABASES);
    let rule = "Controllers should be kept thin";
    let off = sandbox.run(&["validate-rule", rule, "--json"]).env("CM_EMBEDDINGS_PROVIDER", "none").go().ok();
    assert_eq!(off.json()["collisions"][0]["how"], "near_duplicate", "{}", off.stdout);
    let added = sandbox.cm(&["playbook", "add", "--category", "code", rule, "--json"]).ok().json();
    assert_eq!((&added["added"], &added["credited"]), (&false.into(), &true.into()), "{added}");
}
