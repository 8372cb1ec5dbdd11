//! Round trips of import and export; everything that is lost must be reported.

use proptest::prelude::*;

use super::*;
use crate::exchange::plan::{BulletImportPlan, BulletSkipReason, VaultContents, plan};
use crate::exchange::{PlaybookFormat, write};

fn now() -> Instant {
    Instant::parse("2026-11-21T12:00:00Z").unwrap()
}

fn of(text: &str) -> ImportedDocument {
    read(text, "playbook.yaml", now()).unwrap()
}

fn messages(document: &ImportedDocument) -> Vec<&str> {
    document.findings.iter().map(|found| found.message.as_str()).collect()
}

/// A file of format version 1.
const FIRST: &str = "\
schemaVersion: 1
name: my playbook
description: What we learned
metadata:
  createdAt: 2026-01-02T03:04:05.678Z
  totalReflections: 7
  mood: good
deprecatedPatterns:
- pattern: sleep(1)
  deprecatedAt: 2026-05-01T00:00:00Z
  reason: it only hides the race
  replacement: wait for the condition
- replacement: nothing
bullets:
# The first.
- id: b-1
  scope: language
  scopeKey: rust
  category: Code Style
  content: |
    Name every number
    with its unit.
  searchPointer: units
  type: anti-pattern
  isNegative: true
  kind: workflow_rule
  state: active
  maturity: established
  helpfulCount: 3
  harmfulCount: 1
  feedbackEvents:
  - {type: helpful, timestamp: '2026-06-01T10:00:00.123Z', sessionPath: /s/1.jsonl, decayedValue: 0.4}
  - type: harmful
    timestamp: 2026-07-01T10:00:00Z
    reason: wasted_time
    context: 'twice: \"so\"'
  confidenceDecayHalfLifeDays: 60
  createdAt: 2026-01-03T00:00:00Z
  updatedAt: 2026-08-01T00:00:00Z
  pinned: true
  pinnedReason: law
  deprecated: false
  sourceSessions: [/s/1.jsonl, /s/2.jsonl]
  sourceAgents: [claude]
  tags: ['#units', naming, naming]
  reasoning: A metre is no foot.
  effectiveScore: 12.5
- content: No id and no dates at all
  helpful_count: 2
- {id: b-3, content: 'Old: do that', category: testing, deprecated: true, replacedBy: b-1, colour: red}
- just a text
- id: b-5
";

#[test]
fn the_first_version_is_read_whole_and_what_has_no_place_is_listed() {
    let document = of(FIRST);
    assert_eq!(
        messages(&document),
        [
            "rule b-1: the category `Code Style` was renamed to `code-style`",
            "rule b-3: `colour` is not supported here and was skipped",
            "item 4 of `bullets` is not a mapping and was skipped",
            "rule b-5: it has no `content` and was skipped",
            "deprecated pattern 2: it has no `pattern` and was skipped",
            "deprecated pattern 2: `replacement` is not supported here and was skipped",
            "the playbook: `metadata`: `mood` is not supported here and was skipped",
            "the playbook: `description` is not supported here and was skipped",
        ]
    );
    let lines: Vec<_> = document.findings.iter().map(|found| found.line.unwrap()).collect();
    assert_eq!(lines, [16, 50, 51, 52, 13, 13, 1, 1]);
    let [first, second, third] = &document.bullets[..] else { panic!("{:?}", document.bullets) };
    assert_eq!(first.content(), "Name every number with its unit.");
    assert_eq!(first.path.as_str(), "playbook/code-style/name-every-number-with-its-unit-cd44bb.md");
    assert_eq!(first.bullet_type, BulletType::AntiPattern);
    assert_eq!(first.tags, ["units", "naming"]);
    let events: Vec<String> = first
        .feedback
        .iter()
        .map(|event| format!("{} {:?} {}", event.at, event.signal, event.note.as_deref().unwrap_or("")))
        .collect();
    assert_eq!(
        events,
        [
            "2026-06-01T10:00:00Z Helpful ",
            "2026-07-01T10:00:00Z Harmful twice: \"so\"",
            "2026-08-01T00:00:00Z Helpful imported count",
            "2026-08-01T00:00:00Z Helpful imported count",
        ]
    );
    let source = |session: &str| SessionSource {
        session: session.to_owned(),
        agent: Some("claude".to_owned()),
        line: None,
    };
    assert_eq!(first.fields.sources, [source("/s/1.jsonl"), source("/s/2.jsonl")]);
    assert_eq!((second.state, second.category.as_str()), (BulletState::Active, "general"));
    assert_eq!(second.feedback[1].at.to_string(), "2026-01-02T03:04:05Z");
    assert!(BulletId::parse(second.id.as_str()).is_ok());
    assert_eq!((third.state, third.maturity), (BulletState::Retired, Maturity::Deprecated));
    assert_eq!(document.blocked[0].text(), "sleep(1)");
}

#[test]
fn the_first_version_exports_as_the_second_and_stays_so() {
    let once = of(FIRST);
    let text = write(&once.bullets, &once.blocked, PlaybookFormat::Yaml);
    insta::assert_snapshot!(text, @r#"
    schema_version: 2
    name: playbook
    metadata:
      created_at: 2026-01-03T00:00:00Z
    deprecated_patterns:
    - id: ae9ee85d-afd8-81d4-9c78-9cd645c66ed2
      pattern: sleep(1)
      deprecated_at: 2026-05-01T00:00:00Z
      reason: it only hides the race
      replacement: wait for the condition
    bullets:
    - id: b-1
      scope: language
      scope_key: rust
      category: code-style
      content: Name every number with its unit.
      search_pointer: units
      type: anti-pattern
      is_negative: true
      kind: workflow_rule
      state: active
      maturity: established
      helpful_count: 3
      harmful_count: 1
      feedback_events:
      - type: helpful
        timestamp: 2026-06-01T10:00:00Z
        session_path: /s/1.jsonl
      - type: harmful
        timestamp: 2026-07-01T10:00:00Z
        reason: wasted_time
        context: 'twice: "so"'
      - type: helpful
        timestamp: 2026-08-01T00:00:00Z
        context: imported count
      - type: helpful
        timestamp: 2026-08-01T00:00:00Z
        context: imported count
      confidence_decay_half_life_days: 60
      created_at: 2026-01-03T00:00:00Z
      updated_at: 2026-08-01T00:00:00Z
      pinned: true
      pinned_reason: law
      deprecated: false
      source_sessions:
      - /s/1.jsonl
      - /s/2.jsonl
      source_agents:
      - claude
      sources:
      - session: /s/1.jsonl
        agent: claude
      - session: /s/2.jsonl
        agent: claude
      tags:
      - units
      - naming
      reasoning: A metre is no foot.
    - id: b-0-dj53ve
      scope: global
      category: general
      content: No id and no dates at all
      type: rule
      is_negative: false
      kind: stack_pattern
      state: active
      maturity: candidate
      helpful_count: 2
      harmful_count: 0
      feedback_events:
      - type: helpful
        timestamp: 2026-01-02T03:04:05Z
        context: imported count
      - type: helpful
        timestamp: 2026-01-02T03:04:05Z
        context: imported count
      pinned: false
      deprecated: false
      source_sessions: []
      source_agents: []
      tags: []
    - id: b-3
      scope: global
      category: testing
      content: 'Old: do that'
      type: rule
      is_negative: false
      kind: stack_pattern
      state: retired
      maturity: deprecated
      helpful_count: 0
      harmful_count: 0
      feedback_events: []
      pinned: false
      deprecated: true
      replaced_by: b-1
      source_sessions: []
      source_agents: []
      tags: []
    "#);
    let twice = of(&text);
    assert_eq!(messages(&twice), [""; 0]);
    assert_eq!((&twice.bullets, &twice.blocked), (&once.bullets, &once.blocked));
    assert_eq!(write(&twice.bullets, &twice.blocked, PlaybookFormat::Yaml), text);
}

#[test]
fn what_is_no_playbook_is_refused_with_its_place() {
    for (text, line, part) in [
        ("bullets:\n- id: a\n  content: [\n", 3, "not valid YAML"),
        ("# mine\n---\nbullets:\n- content: \"open\n", 4, "not valid YAML"),
        ("bullets: []\nbullets: []\n", 2, "duplicate key"),
        ("schema_version: 3\nbullets: []\n", 1, "schema_version 3"),
        ("title: x\n", 1, "no `bullets`"),
        ("", 1, "no `bullets`"),
        ("- a\n", 1, "a list"),
        ("bullets: []\n---\nbullets: []\n", 3, "second document"),
    ] {
        let refused = read(text, "p.yaml", now()).unwrap_err();
        assert_eq!(refused.line, line, "{text:?}: {refused:?}");
        assert!(refused.message.contains(part) && !refused.message.contains("frontmatter"), "{refused:?}");
    }
}

#[test]
fn documents_with_marks_of_either_kind_are_read() {
    for text in
        ["---\nbullets: []\n", "bullets: []\n...\n", "%YAML 1.2\n---\nbullets: []", "\u{feff}bullets: []\r\n"]
    {
        assert_eq!(of(text), ImportedDocument::default(), "{text:?}");
    }
}

fn held(notes: &[cm_note::note::Note]) -> VaultContents<'_> {
    VaultContents { notes, blocked: &[], block_jaccard: 0.85, same_rule_once: false }
}

fn notes_of(plan: &BulletImportPlan) -> Vec<cm_note::note::Note> {
    use cm_note::note::{RelationTable, TypeTable, read};
    let bullets = plan.bullets.iter().map(|(bullet, text)| (&bullet.path, text));
    let files = bullets.chain(plan.blocked.iter().map(|(blocked, text)| (&blocked.path, text)));
    files
        .map(|(path, text)| {
            read::read(path, text.as_bytes(), &TypeTable::default(), &RelationTable::default()).note
        })
        .collect()
}

/// Imports a document and reads it back from the notes.
fn through_notes(document: ImportedDocument) -> (Vec<Bullet>, Vec<BlockedNote>) {
    let mut document = document;
    let plan = plan(&mut document, &held(&[]), "p.yaml");
    assert_eq!(plan.skipped, []);
    let notes = notes_of(&plan);
    (notes.iter().filter_map(Bullet::of).collect(), notes.iter().filter_map(BlockedNote::of).collect())
}

#[test]
fn a_large_playbook_goes_through_a_vault_and_comes_out_the_same() {
    let bullets: Vec<Bullet> = (0..156).map(everything).collect();
    let text = write(&bullets, &[pattern(0), pattern(1)], PlaybookFormat::Yaml);
    let (once, blocked) = through_notes(of(&text));
    assert_eq!(once.len(), 156);
    let exported = write(&once, &blocked, PlaybookFormat::Yaml);
    assert_eq!(exported, text);
    let (twice, blocked) = through_notes(of(&exported));
    assert_eq!(twice, once);
    assert_eq!(write(&twice, &blocked, PlaybookFormat::Yaml), exported);
    let json = write(&once, &blocked, PlaybookFormat::Json);
    assert_eq!(of(&json).bullets, of(&text).bullets);
}

#[test]
fn a_second_import_brings_nothing_and_what_differs_is_listed() {
    let mut first = of(FIRST);
    let plan_of = plan(&mut first, &held(&[]), "p.yaml");
    let notes = notes_of(&plan_of);
    let mut second = of(&FIRST.replace("Old: do that", "Old: do this"));
    let again = plan(&mut second, &held(&notes), "p.yaml");
    assert!(again.bullets.is_empty() && again.blocked.is_empty());
    let whys: Vec<BulletSkipReason> = again.skipped.iter().map(|skipped| skipped.why).collect();
    assert_eq!(
        whys,
        [
            BulletSkipReason::ThereAlready,
            BulletSkipReason::ThereAlready,
            BulletSkipReason::IdTaken,
            BulletSkipReason::ThereAlready
        ]
    );
}

#[test]
fn the_same_rule_with_other_feedback_is_no_other_rule() {
    let text =
        |helpful: usize| format!("bullets:\n- {{id: a, content: Run all tests, helpful_count: {helpful}}}\n");
    let mut first = of(&text(1));
    let notes = notes_of(&plan(&mut first, &held(&[]), "p.yaml"));
    let mut second = of(&text(2));
    let again = plan(&mut second, &held(&notes), "p.yaml");
    assert_eq!(again.skipped[0].why, BulletSkipReason::OtherFields);
    assert!(!BulletSkipReason::OtherFields.failed());
}

#[test]
fn blocked_rules_stay_out_and_hidden_characters_make_a_draft() {
    let toxic = BlockedNote {
        kind: BlockKind::Toxic,
        fields: BlockedFields {
            content: Some("Retry a failed request at once".to_owned()),
            ..BlockedFields::default()
        },
        ..pattern(0)
    };
    let text = "bullets:\n- {id: a, content: 'retry a FAILED request at once'}\n- {id: b, content: 'Run\u{200b} the tests'}\n- {id: a2, content: 'Retry a failed request at once', state: retired}\n- {id: b, content: Another of that id}\n- {id: c, content: \"Ring \\u0007 the bell\"}\n";
    let mut document = of(text);
    let held = VaultContents { blocked: &[toxic], ..held(&[]) };
    let plan = plan(&mut document, &held, "p.yaml");
    let states: Vec<_> = plan.bullets.iter().map(|(bullet, _)| (bullet.id.as_str(), bullet.state)).collect();
    assert_eq!(states, [("b", BulletState::Draft), ("a2", BulletState::Retired)]);
    let whys: Vec<_> = plan.skipped.iter().map(|skipped| (skipped.id.as_str(), skipped.why)).collect();
    assert_eq!(
        whys,
        [("a", BulletSkipReason::Blocked), ("b", BulletSkipReason::IdTaken), ("c", BulletSkipReason::NoRule)]
    );
    assert_eq!(messages(&document).len(), 1, "{:?}", document.findings);
}

fn pattern(number: usize) -> BlockedNote {
    let id = NoteId::parse(&format!("k-{number}")).unwrap();
    BlockedNote {
        path: NotePath::parse(&format!("blocked/pattern-{number}-{}.md", id.short())).unwrap(),
        id,
        kind: BlockKind::Deprecated,
        created: Some(now()),
        fields: BlockedFields {
            pattern: Some(format!("pattern: {number}")),
            reason: Some("because".to_owned()),
            replacement: Some("\"other\"".to_owned()),
            source_bullet: Some("b-1".to_owned()),
            ..BlockedFields::default()
        },
    }
}

/// A bullet with all fields set, different for each number.
fn everything(number: usize) -> Bullet {
    let day = |days: usize| Some(now().minus_days((number + days) as f64));
    let text = |what: &str| Some(format!("{what}: {number} # \"x\""));
    let content = format!("Rule {number}: say `what` #is [so] & why - always");
    let id = NoteId::parse(&format!("b-mq6d3m8l-{number:06}")).unwrap();
    let category = ["testing", "network", "time"][number % 3];
    let event = |days: usize, signal| Feedback {
        weight: if number.is_multiple_of(2) { 1.0 } else { 0.25 },
        session: text("session"),
        agent: Some("claude".to_owned()),
        author: Some("Mara".to_owned()),
        reason: (signal == FeedbackSignal::Harmful).then(|| "wasted_time".to_owned()),
        note: text("note"),
        ..Feedback::new(day(days).unwrap(), signal)
    };
    Bullet {
        path: NotePath::parse(&format!("playbook/{category}/{}", name::file_name(&content, &id))).unwrap(),
        id,
        bullet_type: BulletType::ALL[number % 2],
        category: category.to_owned(),
        scope: Scope::ALL[number % 5],
        workspace: text("workspace"),
        state: BulletState::ALL[number % 3],
        maturity: if number % 3 == 2 { Maturity::Deprecated } else { Maturity::ALL[number % 3] },
        pinned: number.is_multiple_of(2),
        tags: vec!["a-tag".to_owned(), format!("nr-{number}"), "is".to_owned()],
        feedback: (0..number % 4)
            .map(|days| {
                event(
                    days,
                    [FeedbackSignal::Helpful, FeedbackSignal::Harmful, FeedbackSignal::Irrelevant][days % 3],
                )
            })
            .collect(),
        created: day(9),
        updated: day(3),
        last_checked: day(1),
        fields: BulletFields {
            content,
            why: Some(format!("Line one of {number}.\n\n- a list\n- and `more`: yes")),
            kind: BulletKind::ALL[number % 4],
            scope_key: text("key"),
            pinned_reason: text("pinned"),
            half_life_days: Some(if number.is_multiple_of(2) { 30.0 } else { 12.5 }),
            sources: vec![
                SessionSource { session: format!("s-{number}"), agent: None, line: None },
                SessionSource { session: "s-x".to_owned(), agent: Some("codex".to_owned()), line: Some(7) },
            ],
            derived_from: DerivedFrom {
                diaries: vec!["d-1".to_owned()],
                evidence: vec!["it said: \"no\"".to_owned()],
            },
            search_pointer: text("pointer"),
            verify: Some(Verify {
                kind: VerifyKind::ALL[number % 3],
                pattern: "un(wrap|expect)\\(".to_owned(),
                mode: VerifyMode::ALL[number % 2],
            }),
            incident: number.is_multiple_of(2).then(|| Incident {
                class: "hard-reset".to_owned(),
                shape: format!("git reset: --hard #{number}"),
                session: text("session"),
                date: Some("2026-11-20".to_owned()),
            }),
            supersedes: Some("b-old".to_owned()),
            replaced_by: Some("b-new".to_owned()),
            deprecation_reason: text("gone"),
            promoted_at: day(2),
            last_validated_at: day(4),
        },
    }
}

/// Any trimmed single-line text, usually with YAML syntax characters.
fn line() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        1 => "[\\PC]{1,4}",
        3 => prop::sample::select(vec![
            ": ", "#", " #", "- ", "'", "\"", "{", "}", "[", "]", "|", ">", "&a", "*a", "!", "%", "@", "`", "\\", "null",
            "true", "1.0", "0x1f", "2026-01-01", "~", "---", "a", "word", " ", "é", "🦀",
        ]).prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 1..8)
        .prop_map(|pieces| fold_whitespace(&pieces.concat()))
        .prop_filter("empty", |it| !it.is_empty())
}

proptest! {
    #[test]
    fn whatever_a_bullet_says_is_read_back(
        texts in prop::collection::vec(line(), 6),
        number in 0_usize..60,
    ) {
        let mut bullet = everything(number);
        let [content, reason, note, why, workspace, session] = <[String; 6]>::try_from(texts).unwrap();
        bullet.path = NotePath::parse(&format!("playbook/{}/{}", bullet.category, name::file_name(&content, &bullet.id))).unwrap();
        bullet.fields.content = content;
        bullet.fields.deprecation_reason = Some(reason);
        bullet.fields.why = Some(why);
        bullet.workspace = Some(workspace);
        bullet.fields.sources[0].session = session;
        bullet.feedback.push(Feedback { note: Some(note), ..Feedback::new(now(), FeedbackSignal::Helpful) });
        for form in [PlaybookFormat::Yaml, PlaybookFormat::Json] {
            let text = write(std::slice::from_ref(&bullet), &[], form);
            let read = of(&text);
            prop_assert_eq!(&read.bullets, &[bullet.clone()], "{}", text);
            prop_assert_eq!(write(&read.bullets, &[], form), text);
        }
    }

    #[test]
    fn no_text_is_too_odd_to_be_answered(text in "(.|\n){0,120}") {
        let _ = read(&text, "p.yaml", now());
        let _ = read(&format!("bullets:\n- {text}"), "p.yaml", now());
    }
}
