//! A curation with the rules that digests select decides as one with all rules.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::conflict::{EmbeddedStatement, RuleStatement, StatementDigest, opposed};
use crate::curation::rule_digest::{self, RuleDigest};
use crate::embedding_model::WordVectors;
use cm_note::bullet::Scope;
use cm_text::embedding::Embedding;

/// A model to which words are similar that begin alike.
#[derive(Debug)]
struct Beginnings;

impl EmbeddingModel for Beginnings {
    fn embedding(&self, text: &str) -> Option<Embedding> {
        let mut parts = vec![0.0; 24];
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            let hash = |text: &str| {
                blake3::hash(text.to_lowercase().as_bytes()).as_bytes()[0] as usize % parts.len()
            };
            let (first, whole) = (hash(word.get(..3).unwrap_or(word)), hash(word));
            parts[first] += 1.0;
            parts[whole] += 0.6;
        }
        Embedding::of(parts).filter(|embedding| embedding.parts().iter().any(|part| *part != 0.0))
    }
}

const VERBS: [&str; 8] = ["Run", "Never run", "Use", "Prefer", "Adopt", "Always store", "Avoid", "Deploy"];
const THINGS: [&str; 10] = [
    "tests",
    "testing",
    "Postgres",
    "PostgreSQL 16",
    "Redis",
    "migrations",
    "migrated tables",
    "5 retries",
    "`cargo fmt`",
    "the cache",
];
const ENDS: [&str; 11] = [
    "",
    "for storing",
    "as storage",
    "before a release",
    "after the release",
    "for storage",
    "for persistence",
    "with Docker",
    "in batches of 100 rows",
    "unless the build fails",
    "only on main",
];

fn any_rule() -> impl Strategy<Value = String> {
    let word =
        prop::sample::select(vec!["deploys", "queues", "borders", "units", "logs", "sockets", "quotas"]);
    let rule = (0..VERBS.len(), 0..THINGS.len(), 0..ENDS.len(), prop::collection::vec(word, 0..4));
    rule.prop_map(|(verb, thing, end, more)| {
        format!("{} {} {} {}", VERBS[verb], THINGS[thing], ENDS[end], more.join(" ")).trim_end().to_owned()
    })
}

/// Rules in all states and of several scopes.
fn any_bullets(name: &'static str) -> impl Strategy<Value = Vec<Bullet>> {
    let states = (0..8usize, any::<bool>(), 0..6usize);
    prop::collection::vec((any_rule(), states), 0..90).prop_map(move |all| {
        let made = all.into_iter().enumerate().map(|(at, (rule, (state, warns, place)))| {
            let mut bullet = bullet(&format!("{name}-{at:04}"), &rule);
            match state {
                0 => bullet.state = BulletState::Retired,
                1 => bullet.maturity = Maturity::Deprecated,
                2 => bullet.state = BulletState::Draft,
                _ => {}
            }
            if warns {
                bullet.bullet_type = BulletType::AntiPattern;
            }
            match place {
                0 => bullet.workspace = Some("tidewater".to_owned()),
                1 => (bullet.scope, bullet.fields.scope_key) = (Scope::Language, Some("rust".to_owned())),
                2 => bullet.category = "release".to_owned(),
                _ => {}
            }
            bullet
        });
        made.collect()
    })
}

/// Digests that an earlier version stored are compared with those of this one.
#[test]
fn digests_that_are_made_in_another_way_have_another_format() {
    let foreign = [
        "Benutze immer Leerzeichen, niemals Tabulatoren",
        "Nunca publiques los viernes, salvo con dos revisores",
        "N'utilise pas Yarn, préfère npm",
        "部署前先运行测试",
    ];
    let plain = VERBS.iter().flat_map(|verb| {
        THINGS.iter().flat_map(move |thing| ENDS.iter().map(move |end| format!("{verb} {thing} {end}")))
    });
    let word_vectors = WordVectors::of(&Beginnings);
    let mut hasher = blake3::Hasher::new();
    for text in plain.chain(foreign.map(str::to_owned)) {
        hasher.update(&RuleDigest::stored(&bullet("a", text.trim()), &word_vectors));
    }
    let made = hasher.finalize().to_hex();
    assert_eq!(
        (rule_digest::DIGEST_FORMAT, &made[..16]),
        (2, "dfa36c8e90bdacbb"),
        "increase DIGEST_FORMAT, and write the new hash here"
    );
}

/// The rules of a playbook that an add needs; the others are added to `left_out`.
fn selected(
    bullets: &[Bullet],
    adds: &[CurationDelta],
    meaning: &dyn EmbeddingModel,
    (left_out, is_own): (&mut LeftOutRules, bool),
) -> Vec<Bullet> {
    let word_vectors = WordVectors::of(meaning);
    let stored: Vec<Vec<u8>> =
        bullets.iter().map(|bullet| RuleDigest::stored(bullet, &word_vectors)).collect();
    let digests: Vec<RuleDigest<'_>> = stored.iter().map(|bytes| RuleDigest::read(bytes).unwrap()).collect();
    let mut found = std::collections::BTreeSet::new();
    for delta in adds {
        let CurationDelta::Add(add) = delta else { panic!("{delta:?}") };
        found.extend(rule_digest::concerned(add, &digests, &word_vectors));
    }
    digests
        .iter()
        .enumerate()
        .filter(|(at, _)| !found.contains(at))
        .for_each(|(_, digest)| digest.leave_out(left_out, is_own));
    found.into_iter().map(|at| bullets[at].clone()).collect()
}

/// Runs the adds on all rules and on the selected ones; returns both results without the rules that
/// did not change, and the number of rules left out.
fn both(
    asking: &mut TestRequest,
    own: Vec<Bullet>,
    elsewhere: Vec<Bullet>,
    adds: &[CurationDelta],
) -> ([String; 2], usize) {
    let outcome = |asking: &TestRequest, there: &Playbook| {
        let done = asking.curate(there, adds);
        let changed = done.playbook.bullets.iter().filter(|bullet| !there.bullets.contains(bullet));
        format!("{:#?}\n{:#?}\n{:#?}", done.report, done.contradictions, changed.collect::<Vec<_>>())
    };
    let mut left_out = LeftOutRules::default();
    let few = selected(&own, adds, (asking.meaning)(), (&mut left_out, true));
    let few_elsewhere = selected(&elsewhere, adds, (asking.meaning)(), (&mut left_out, false));
    asking.elsewhere = playbook(elsewhere);
    let with_all = outcome(asking, &playbook(own));
    let number = left_out.ids.len();
    (asking.elsewhere, asking.left_out) = (playbook(few_elsewhere), left_out);
    ([with_all, outcome(asking, &playbook(few))], number)
}

fn any_add() -> impl Strategy<Value = CurationDelta> {
    (any_rule(), any::<bool>(), 0..4usize).prop_map(|(rule, warns, place)| {
        let bullet = RuleProposal {
            category: "testing".to_owned(),
            content: rule,
            bullet_type: warns.then_some(BulletType::AntiPattern),
            workspace: (place == 0).then(|| "tidewater".to_owned()),
            scope: (place == 1).then_some(Scope::Language),
            scope_key: (place == 1).then(|| "rust".to_owned()),
            ..RuleProposal::default()
        };
        CurationDelta::Add(Box::new(AddDelta { bullet, ..AddDelta::default() }))
    })
}

proptest! {
    #[test]
    fn an_add_to_the_rules_that_digests_select_has_the_result_of_an_add_to_all(
        own in any_bullets("own"),
        elsewhere in any_bullets("other"),
        adds in prop::collection::vec(any_add(), 1..3),
        has_model in any::<bool>(),
        by_person in any::<bool>(),
        max_per_category in 20..60usize,
    ) {
        let mut asking = if by_person { TestRequest::default() } else { TestRequest::automation() };
        asking.limits = CurationLimits { max_per_category, ..CurationLimits::default() };
        if has_model {
            asking.meaning = || &Beginnings;
        }
        let ([all, few], _) = both(&mut asking, own, elsewhere, &adds);
        prop_assert_eq!(all, few);
    }
}

/// How many pairs of rules are related in each way that a digest must not miss.
#[derive(Debug, Default)]
struct RelatedPairs {
    equal: usize,
    opposed: usize,
    refined: usize,
}

#[test]
fn no_digest_misses_a_rule_that_equals_contradicts_or_refines_another() {
    let word_vectors = WordVectors::of(&Beginnings);
    let rule =
        |verb: &str, thing: &str, end: &str| RuleStatement::of(format!("{verb} {thing} {end}").trim_end());
    let rules: Vec<RuleStatement> = VERBS
        .iter()
        .flat_map(|verb| {
            THINGS.iter().flat_map(move |thing| ENDS.iter().map(move |end| rule(verb, thing, end)))
        })
        .collect();
    let meant: Vec<EmbeddedStatement<'_>> =
        rules.iter().map(|statement| EmbeddedStatement { statement, embedding: None }).collect();
    let digests: Vec<StatementDigest<'_>> = meant.iter().map(|rule| StatementDigest::of(*rule)).collect();
    let mut found = RelatedPairs::default();
    for (new, own) in meant.iter().zip(&digests) {
        for (old, digest) in meant.iter().zip(&digests) {
            let is_equal = new.statement.is_same(old.statement);
            let is_opposed = opposed(new.statement, old.statement, &word_vectors).is_some();
            let is_refined = new.refines(old, &word_vectors);
            found.equal += usize::from(is_equal);
            found.opposed += usize::from(is_opposed);
            found.refined += usize::from(is_refined);
            let is_found = digest.compare(*new, own, &word_vectors).may_concern;
            assert!(is_found || !(is_equal || is_opposed || is_refined), "{new:?} {old:?}");
        }
    }
    assert!(found.equal >= rules.len() && found.opposed > 1000 && found.refined > 20, "{found:?}");
}

#[test]
fn rules_without_common_words_and_of_other_meaning_are_left_out() {
    let own: Vec<Bullet> =
        (0..40).map(|n| bullet(&format!("{n}"), &format!("Zip archive{n} nightly."))).collect();
    let one = bullet("one", "Run the whole suite before a release.");
    let all = own.into_iter().chain([one]).collect();
    let ([all, few], left_out) = both(&mut TestRequest::default(), all, Vec::new(), &[add(SUITE)]);
    assert_eq!(all, few);
    assert_eq!(left_out, 40);
}

#[test]
fn a_category_is_full_by_rules_that_are_left_out() {
    let left_out = LeftOutRules { ids: Vec::new(), live: BTreeMap::from([("testing".to_owned(), 3)]) };
    let limits = CurationLimits { max_per_category: 3, ..CurationLimits::default() };
    let asking = TestRequest { limits, left_out, ..TestRequest::default() };
    let added = asking.curate(&Playbook::default(), &[add(SUITE)]);
    assert_eq!(
        added.report.applied[0].note.as_deref(),
        Some("a draft: `testing` already has 3 active rules")
    );
}

#[test]
fn no_new_rule_gets_the_id_of_one_that_is_left_out() {
    let first =
        TestRequest::default().curate(&Playbook::default(), &[add(SUITE)]).playbook.bullets[0].id.clone();
    let left_out = LeftOutRules { ids: vec![first.to_string()], ..LeftOutRules::default() };
    let asking = TestRequest { left_out, ..TestRequest::default() };
    assert_ne!(asking.curate(&Playbook::default(), &[add(SUITE)]).playbook.bullets[0].id, first);
}
