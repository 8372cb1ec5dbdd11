//! Tests of the generated file: fixed lists, limits, and hostile titles.

use proptest::prelude::*;

use super::*;
use cm_note::bullet::Maturity;
use cm_note::graph::Graph;
use cm_note::graph::sample::{edge, note};
use cm_note::instant::Instant;
use cm_note::markdown::outline;
use cm_note::note::{Note, RelationTable, TypeTable, read};
use cm_note::path::NotePath;
use cm_note::score::bullet::EffectiveScore;
use cm_note::score::{DecayScore, Scoring};

fn plan_core(entries: &[CoreEntry], settings: &CoreSettings, day: &str) -> GeneratedFile {
    core_contents(entries, settings, day).file
}

fn entry(id: &str, note_type: &str, title: &str, score: f64) -> CoreEntry {
    CoreEntry {
        id: id.to_owned(),
        short_id: id.to_owned(),
        title: title.to_owned(),
        path: NotePath::parse(&format!("graph/{note_type}s/{id}.md")).unwrap(),
        target: id.to_owned(),
        note_type: note_type.to_owned(),
        tags: Vec::new(),
        worth: EntryScore::Memory(DecayScore::new(score)),
        pinned: score >= 999.0,
        plain: false,
        links: 0,
        changed: None,
    }
}

fn bullet(id: &str, anti_pattern: bool, maturity: Maturity, rule: &str, standing: f64) -> CoreEntry {
    CoreEntry {
        path: NotePath::parse(&format!("playbook/testing/{id}.md")).unwrap(),
        note_type: String::new(),
        worth: EntryScore::Bullet { anti_pattern, maturity, standing: EffectiveScore::new(standing) },
        ..entry(id, "rule", rule, 0.0)
    }
}

fn rule(id: &str, maturity: Maturity, rule: &str, standing: f64) -> CoreEntry {
    bullet(id, false, maturity, rule, standing)
}

fn score(entry: &CoreEntry) -> DecayScore {
    match entry.worth {
        EntryScore::Memory(score) => score,
        EntryScore::Bullet { standing, .. } => DecayScore::new(standing.value()),
    }
}

#[test]
fn sections_come_in_order_and_entries_by_score_and_id() {
    let tagged = |tags: &[&str], entry: CoreEntry| CoreEntry {
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        ..entry
    };
    let entries = [
        entry("s2", "solution", "Second solution", 0.9),
        tagged(&["net", "retry policy"], entry("s1", "solution", "Retry uploads with `jitter`", 0.9)),
        entry("s3", "solution", "Best solution", 1.5),
        entry("d1", "decision", "Use <b>Postgres</b>", 0.7),
        tagged(&["", "#ops"], entry("w1", "workflow", "Deploy", 0.3)),
        entry("p1", "procedure", "Rotate keys", 0.4),
        entry("i1", "insight", "Caches lie", 0.6),
        entry("f1", "fact", "Office is in Köln", 0.25),
        entry("g1", "general", "Chatter", 0.8),
        entry("o1", "solution", "Old", 0.19),
        entry("v1", "error", "Never drop the table", 999.0),
    ];
    let file = plan_core(&entries, &CoreSettings::default(), "2026-11-21");
    insta::assert_snapshot!(file.text, @r"
    # Core memory

    > Written 2026-11-21 by `cm core`; changes by hand are lost.
    > 11 memories; 11 listed, 1 of them fading. Nothing left out.

    ## Pinned

    - [Never drop the table](graph/errors/v1.md)

    ## Critical Solutions

    - [Best solution](graph/solutions/s3.md)
    - [Retry uploads with \`jitter\`](graph/solutions/s1.md) (net, retry policy)
    - [Second solution](graph/solutions/s2.md)

    ## Active Decisions

    - Use &lt;b>Postgres&lt;/b> `d1`

    ## Patterns & Workflows

    - Rotate keys `p1`
    - Deploy (\#ops) `w1`

    ## Preferences & Facts

    - Office is in Köln `f1`

    ## Insights

    - Caches lie `i1`

    ## Other

    - [Chatter](graph/generals/g1.md)

    ## Fading

    - Old `o1`
    ");
    assert_eq!((file.entries, file.omitted, file.tokens), (11, 0, file.text.chars().count().div_ceil(4)));
}

#[test]
fn an_empty_vault_has_a_header_and_nothing_else() {
    let file = plan_core(&[], &CoreSettings::default(), "2026-11-21");
    insta::assert_snapshot!(file.text, @"
    # Core memory

    > Written 2026-11-21 by `cm core`; changes by hand are lost.
    > 0 memories; 0 listed. Nothing left out.
    ");
    assert_eq!((file.entries, file.omitted), (0, 0));
}

#[test]
fn a_section_holds_fifteen_but_every_pinned_memory_is_listed() {
    let many = |note_type: &'static str, score| {
        (0..20).map(move |i| entry(&format!("{note_type}{i:02}"), note_type, "T", score))
    };
    let entries: Vec<CoreEntry> = many("fix", 0.8).chain(many("fact", 999.0)).collect();
    let file = plan_core(&entries, &CoreSettings::default(), "2026-11-21");
    assert_eq!((file.entries, file.omitted), (35, 5));
    assert!(file.text.contains("fix14") && !file.text.contains("fix15"));
    assert!(file.text.contains("> 40 memories; 35 listed. Left out: 5 beyond 15 a section."));
}

#[test]
fn the_budget_drops_the_lowest_scores_of_all_sections_and_whole_lines() {
    let entries: Vec<CoreEntry> = ["solution", "fix", "decision"]
        .iter()
        .flat_map(|kind| {
            (0..10).map(move |i| {
                entry(&format!("{kind}{i}"), kind, &"long title ".repeat(5), 0.3 + 0.01 * f64::from(i))
            })
        })
        .collect();
    let full = plan_core(&entries, &CoreSettings::default(), "2026-11-21");
    assert_eq!(full.omitted, 0);
    for budget in [0, 60, 200, 400, full.tokens - 1] {
        let file =
            plan_core(&entries, &CoreSettings { tokens: budget, ..CoreSettings::default() }, "2026-11-21");
        assert!(file.tokens <= budget || file.entries == 0, "{budget}");
        assert_eq!((file.entries + file.omitted, file.omitted > 0), (30, true));
        let listed: Vec<&str> = file.text.lines().filter(|line| line.starts_with("- ")).collect();
        assert_eq!(listed.len(), file.entries);
        assert!(listed.iter().all(|line| line.ends_with(".md)") || line.ends_with('`')), "no line is cut");
        // What stays scores at least as high as what goes.
        let stays = |entry: &CoreEntry| {
            file.text.contains(&format!("/{}.md)", entry.id))
                || file.text.contains(&format!("`{}`", entry.id))
        };
        let least = entries.iter().filter(|entry| stays(entry)).map(score).min();
        let most = entries.iter().filter(|entry| !stays(entry)).map(score).max();
        assert!(least.is_none() || least >= most, "{budget}");
    }
    let file =
        plan_core(&entries, &CoreSettings { tokens: full.tokens, ..CoreSettings::default() }, "2026-11-21");
    assert_eq!(file, full);
}

#[test]
fn history_and_drafts_are_not_listed_pinned_or_not() {
    let draft = |note: Note| Note { state: Some("draft".into()), ..note };
    let notes = [
        note("graph/facts/a.md", "Old").with_id("id-a"),
        note("graph/facts/b.md", "New")
            .with_id("id-b")
            .with_body("SUPERSEDES:: [[Old]] SUPERSEDES:: [[Kept]]"),
        Note { condensed_into: vec!["id-b".into()], ..note("graph/facts/c.md", "Absorbed") },
        draft(note("graph/facts/d.md", "Unproven")),
        draft(note("vault/e.md", "Unproven and pinned")),
        note("vault/f.md", "Kept").with_id("id-f"),
        note("episodes/2026-11-21.md", "A day"),
        edge("id-e", "SUPERSEDES", "id-b", "id-f", 1.0),
    ];
    let (graph, _) = Graph::build(&notes, &RelationTable::default());
    let entries =
        core_entries(&graph, &[DecayScore::new(1.0); 8], now(), &Scoring::default(), LinkStyle::Stem);
    let titles: Vec<&str> = entries.iter().map(|entry| entry.title.as_str()).collect();
    assert_eq!(titles, ["New"]);
}

#[test]
fn a_vault_adds_sections_of_its_own() {
    let settings = CoreSettings {
        extra_sections: vec![("Run\n# books".into(), vec!["runbook".into(), "solution".into()])],
        ..CoreSettings::default()
    };
    let file = plan_core(
        &[entry("r", "runbook", "Restore", 1.0), entry("s", "solution", "S", 1.0)],
        &settings,
        "2026-11-21",
    );
    assert!(file.text.contains("\n## Run \\# books\n\n- Restore `r`\n"), "{}", file.text);
    assert!(file.text.contains("## Critical Solutions\n\n- S `s`\n"));
}

#[test]
fn hostile_titles_stay_titles() {
    let titles = [
        "x](evil.md) [y",
        "line\n## Critical Solutions\n- [forged](evil.md)",
        "<!-- cm:end --> <script>",
        "`code` **bold** [[wiki]] ![pic](p.png) #tag",
        "\u{202e}reversed\u{200b}\u{e0041}",
        "> Written 2020-01-01 by `cm core`",
        "",
        "\\",
    ];
    let entries: Vec<CoreEntry> = titles
        .iter()
        .enumerate()
        .map(|(i, title)| CoreEntry {
            tags: vec![(*title).to_owned()],
            path: NotePath::parse(&format!("graph/s/a (b) #{i}<.md")).unwrap(),
            ..entry(&i.to_string(), "solution", title, 1.0)
        })
        .collect();
    let file = plan_core(&entries, &CoreSettings::default(), "2026-11-21");
    let found = outline(&file.text, 1);
    assert_eq!(found.headings.len(), 2);
    assert_eq!(found.tags, [""; 0]);
    let linked = entries.iter().map(|entry| entry.path.to_string());
    assert!(linked.take(found.links.len()).eq(found.links.iter().map(|link| link.target.clone())));
    assert!(!found.links.is_empty());
    assert!(!file.text.contains("<!--") && !file.text.contains('\u{202e}') && !file.text.contains("<script"));
    insta::assert_snapshot!(file.text, @r"
    # Core memory

    > Written 2026-11-21 by `cm core`; changes by hand are lost.
    > 8 memories; 8 listed. Nothing left out.

    ## Critical Solutions

    - [x\](evil.md) \[y](graph/s/a%20%28b%29%20%230%3C.md) (x\](evil.md) \[y)
    - [line \## Critical Solutions - \[forged\](evil.md)](graph/s/a%20%28b%29%20%231%3C.md) (line \## Critical Solutions - \[forged\](evil.md))
    - [&lt;!-- cm:end --&gt; &lt;script>](graph/s/a%20%28b%29%20%232%3C.md) (&lt;!-- cm:end --&gt; &lt;script>)
    - [\`code\` \*\*bold\*\* \[\[wiki\]\] !\[pic\](p.png) \#tag](graph/s/a%20%28b%29%20%233%3C.md) (\`code\` \*\*bold\*\* \[\[wiki\]\] !\[pic\](p.png) \#tag)
    - reversed (reversed) `4`
    - &gt; Written 2020-01-01 by \`cm core\` (> Written 2020-01-01 by \`cm core\`) `5`
    - a (b) \#6< `6`
    - \\ (\\) `7`
    ");
}

#[test]
fn no_vault_with_notes_gives_an_empty_file_and_what_fades_comes_last() {
    let plain = |path: &str, body: &str| note(path, path.trim_end_matches(".md")).with_body(body);
    let notes = [
        plain("inbox/linked.md", ""),
        plain("inbox/lonely.md", "[[linked]]"),
        plain("CORE.md", ""),
        note("graph/facts/faded.md", "Faded").with_id("0a1b2c3d-0000-4000-8000-000000000000"),
        note("graph/problems/p.md", "A problem").with_id("0a1b2c3e-0000-4000-8000-000000000000"),
        Note { state: Some("unverified".into()), ..note("graph/facts/u.md", "Unverified") },
    ];
    let (graph, _) = Graph::build(&notes, &RelationTable::default());
    let scores = [0.0, 0.0, 0.0, 0.01, 0.7, 0.9].map(DecayScore::new);
    let entries = core_entries(&graph, &scores, now(), &Scoring::default(), LinkStyle::Stem);
    let settings = CoreSettings { links: LinkStyle::Stem, ..CoreSettings::default() };
    insta::assert_snapshot!(plan_core(&entries, &settings, "2026-11-21").text, @"
    # Core memory

    > Written 2026-11-21 by `cm core`; changes by hand are lost.
    > 2 memories, 2 plain notes; 4 listed, 1 of them fading. Nothing left out.

    ## Other

    - [[p|A problem]]

    ## Notes

    - [[linked|inbox/linked]]
    - [[lonely|inbox/lonely]]

    ## Fading

    - [[faded|Faded]]
    ");
}

fn now() -> Instant {
    Instant::parse("2026-11-21").unwrap()
}

/// A bullet parsed from frontmatter and body.
fn bullet_note(name: &str, yaml: &str, body: &str) -> Note {
    let path = NotePath::parse(&format!("playbook/testing/{name}.md")).unwrap();
    let text = format!("---\nid: b-mt2ssunl-00000{name}\n{yaml}\n---\n\n{body}\n");
    read::read(&path, text.as_bytes(), &TypeTable::default(), &RelationTable::default()).note
}

#[test]
fn bullets_are_listed_by_their_rule_after_the_built_in_sections() {
    let entries = [
        entry("i1", "insight", "Caches lie", 0.6),
        entry("w1", "workflow", "Deploy", 0.3),
        entry("v1", "fact", "Pinned fact", 999.0),
        rule("b1", Maturity::Candidate, "Ask for a span of time, not for a number of readings.", 1.9),
        rule("b2", Maturity::Proven, "Put a limit on every call.\nA call without one hangs.", 0.3),
        rule("b3", Maturity::Established, "Name `height_mm` and `at_utc` with **their** unit.", 2.5),
        rule("b4", Maturity::Established, "Read the diff first.", 2.5),
        CoreEntry { pinned: true, ..rule("b5", Maturity::Candidate, "Never print a secret.", -1.0) },
        rule("b6", Maturity::Candidate, "Nobody cared.", 0.19),
        CoreEntry {
            tags: vec!["retry".into()],
            ..bullet("b7", true, Maturity::Candidate, "AVOID: `retry()` at once.", 0.5)
        },
        bullet("b8", true, Maturity::Proven, "AVOID: casting a timestamp to a date.", 0.4),
    ];
    let file = plan_core(&entries, &CoreSettings::default(), "2026-11-21");
    insta::assert_snapshot!(file.text, @"
    # Core memory

    > Written 2026-11-21 by `cm core`; changes by hand are lost.
    > 3 memories, 8 rules in use; 11 listed, 1 of them fading. Nothing left out.

    ## Pinned

    - [Pinned fact](graph/facts/v1.md)

    ## Patterns & Workflows

    - [Deploy](graph/workflows/w1.md)

    ## Rules

    - Never print a secret. `b5`
    - Put a limit on every call. A call without one hangs. `b2`
    - Name `height_mm` and `at_utc` with **their** unit. `b3`
    - Read the diff first. `b4`
    - Ask for a span of time, not for a number of readings. `b1`

    ## Pitfalls

    - AVOID: casting a timestamp to a date. `b8`
    - AVOID: `retry()` at once. (retry) `b7`

    ## Insights

    - [Caches lie](graph/insights/i1.md)

    ## Fading

    - Nobody cared. `b6`
    ");
}

#[test]
fn only_bullets_that_agents_are_shown_are_listed() {
    let active = "state: active\ncreated: 2026-11-20";
    let notes = [
        bullet_note("a", active, "Run the tests before a commit.\n\n## Why\n\nIt broke."),
        bullet_note("b", "created: 2026-11-20", "A draft waits for a person."),
        bullet_note("c", "state: retired\npinned: true", "A retired rule, pinned."),
        bullet_note(
            "d",
            &format!("{active}\nmaturity: deprecated\npinned: true"),
            "A deprecated rule, pinned.",
        ),
        bullet_note("e", active, "A rule with a hid\u{200b}den character."),
        bullet_note("f", "state: active\ncreated: 2025-01-01", "A rule that nobody judged for two years."),
        bullet_note("g", &format!("{active}\ntype: anti_pattern"), "AVOID: a rule that another supersedes."),
        edge("x", "SUPERSEDES", "b-mt2ssunl-00000a", "b-mt2ssunl-00000g", 1.0),
    ];
    let (graph, _) = Graph::build(&notes, &RelationTable::default());
    let entries =
        core_entries(&graph, &[DecayScore::default(); 8], now(), &Scoring::default(), LinkStyle::Stem);
    let rules: Vec<&str> = entries.iter().map(|entry| entry.title.as_str()).collect();
    assert_eq!(rules, ["Run the tests before a commit.", "A rule that nobody judged for two years."]);
    let text = plan_core(&entries, &CoreSettings::default(), "2026-11-21").text;
    assert!(text.contains("> 2 rules in use; 2 listed, 1 of them fading."), "{text}");
}

#[test]
fn a_bullet_and_a_memory_are_weighed_against_each_other_where_space_is_short() {
    let settings = CoreSettings::default();
    let proven = |standing| rule("b", Maturity::Proven, "A rule.", standing);
    // Rising, bounded, and the least that is listed is the same on both scales.
    let rank = |entry: &CoreEntry| entry.comparable(settings.least_score).value();
    assert!((rank(&proven(0.2)) - 0.2).abs() < 1e-9);
    let steps = [0.0, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 50.0, 1e6];
    assert!(steps.windows(2).all(|pair| rank(&proven(pair[0])) < rank(&proven(pair[1]))));
    assert!(rank(&proven(1e300)) <= 2.0 && rank(&proven(-5.0)) == 0.0);

    let entries = [
        entry("m1", "solution", "Read every day", 2.1),
        proven(100.0),
        entry("m2", "fix", "Read today", 1.0),
        rule("c", Maturity::Candidate, "A new rule.", 0.5),
        entry("m3", "decision", "Fading", 0.25),
        CoreEntry { pinned: true, ..rule("p", Maturity::Candidate, "A pinned rule.", -2.0) },
    ];
    let titles = ["Fading", "A new rule.", "Read today", "A rule.", "Read every day", "A pinned rule."];
    let mut budget = plan_core(&entries, &settings, "2026-11-21").tokens;
    let mut left = Vec::new();
    while budget > 0 {
        budget -= 1;
        let text =
            plan_core(&entries, &CoreSettings { tokens: budget, ..settings.clone() }, "2026-11-21").text;
        let gone = titles.iter().filter(|title| !text.contains(**title));
        for title in gone {
            if !left.contains(title) {
                left.push(*title);
            }
        }
    }
    assert_eq!(left, titles);
}

#[test]
fn five_hundred_bullets_fill_two_sections_and_no_more() {
    let mut entries: Vec<CoreEntry> = (0..500)
        .map(|i| {
            let maturity = Maturity::ALL[i % 3];
            bullet(
                &format!("b{i:03}"),
                i % 2 == 0,
                maturity,
                &format!("Rule number {i} of many."),
                0.01 * i as f64,
            )
        })
        .collect();
    let file = plan_core(&entries, &CoreSettings::default(), "2026-11-21");
    assert_eq!((file.entries, file.omitted), (50, 450));
    assert!(file.text.contains("500 rules in use; 50 listed, 20 of them fading"), "{}", file.text);
    assert!(file.tokens <= 3_000, "{}", file.text);
    let first = file.text.lines().find(|line| line.starts_with("- ")).unwrap();
    assert!(first.contains("Rule number 497 "), "proven first, then by score: {first}");
    // Every pinned one is listed, and none of the others then.
    entries.iter_mut().take(40).for_each(|entry| entry.pinned = true);
    let file = plan_core(&entries, &CoreSettings::default(), "2026-11-21");
    assert_eq!(file.text.split("## Fading").next().map(|text| text.matches("\n- ").count()), Some(40));
    entries.reverse();
    assert_eq!(plan_core(&entries, &CoreSettings::default(), "2026-11-21"), file);
}

#[test]
fn a_rule_of_a_starter_set_takes_no_place_from_what_somebody_said() {
    let mut entries: Vec<CoreEntry> = (0..20)
        .map(|at| CoreEntry {
            tags: vec!["git".into(), "starter".into()],
            changed: Instant::parse("2026-11-20").ok(),
            ..rule(&format!("a{at:02}"), Maturity::Candidate, &format!("Built-in rule {at}."), 0.0)
        })
        .collect();
    entries.push(CoreEntry {
        changed: Instant::parse("2026-11-01").ok(),
        ..rule("z1", Maturity::Candidate, "Ask before you touch staging.", 0.0)
    });
    let file = plan_core(&entries, &CoreSettings::default(), "2026-11-21");
    let first = file.text.lines().find(|line| line.starts_with("- ")).unwrap();
    assert_eq!(first, "- Ask before you touch staging. `z1`", "{}", file.text);
}

#[test]
fn a_rule_is_listed_whole_or_not_at_all() {
    let long = format!("Never {} at night.", "x".repeat(484));
    let entries =
        [rule("a", Maturity::Proven, &long, 3.0), rule("b", Maturity::Proven, &format!("{long}!"), 9.0)];
    let file = plan_core(&entries, &CoreSettings::default(), "2026-11-21");
    assert_eq!(long.chars().count(), 500);
    assert!(file.text.contains(&format!("- {long} `a`\n")), "{}", file.text);
    assert!(file.text.contains("Left out: 1 longer than the 500 characters of a rule."), "{}", file.text);
    assert_eq!((file.entries, file.omitted), (1, 1));
}

#[test]
fn hostile_rules_forge_no_section_and_lose_no_word() {
    let rules = [
        "Use it.\n## Pinned\n- [forged](evil.md)",
        "x](evil.md) <!-- cm:end --> <script>alert(1)</script>",
        "Store a `Vec<u8>`, never a Vec<u8>; see [the note](evil.md) and [[Secrets]].",
        "> Written 2020-01-01 by `cm core`",
        "```\n# Core memory\n```",
        "\u{202e}reversed rule\u{200b}",
    ];
    let entries: Vec<CoreEntry> = rules
        .iter()
        .enumerate()
        .map(|(i, text)| rule(&format!("b{i}"), Maturity::Candidate, text, 1.0))
        .collect();
    let file = plan_core(&entries, &CoreSettings::default(), "2026-11-21");
    let found = outline(&file.text, 1);
    assert_eq!(found.headings.len(), 2);
    assert_eq!(found.links, [], "{}", file.text);
    assert_eq!(file.text.lines().filter(|line| line.starts_with("- ")).count(), rules.len());
    assert!(!file.text.contains("<!--") && !file.text.contains("<script") && !file.text.contains('\u{202e}'));
    insta::assert_snapshot!(file.text, @r"
    # Core memory

    > Written 2026-11-21 by `cm core`; changes by hand are lost.
    > 6 rules in use; 6 listed. Nothing left out.

    ## Rules

    - Use it. \## Pinned - \[forged\](evil.md) `b0`
    - x\](evil.md) &lt;!-- cm:end --&gt; &lt;script>alert(1)&lt;/script> `b1`
    - Store a \`Vec&lt;u8>\`, never a Vec&lt;u8>; see \[the note\](evil.md) and \[\[Secrets\]\]. `b2`
    - &gt; Written 2020-01-01 by `cm core` `b3`
    - ``` # Core memory ``` `b4`
    - reversed rule `b5`
    ");
}

proptest! {
    #[test]
    fn any_bullets_give_one_line_each_in_the_same_order(
        texts in prop::collection::vec(("(\\PC|[\\[\\]()#`<>!\n*|\\\\-]){0,30}", 0.0..9.0, 0usize..3, any::<bool>(), any::<bool>()), 0..20),
        budget in 50usize..800,
    ) {
        let entries: Vec<CoreEntry> = texts.iter().enumerate()
            .map(|(i, (text, standing, maturity, anti, pinned))| CoreEntry {
                pinned: *pinned,
                ..bullet(&format!("b{i}"), *anti, Maturity::ALL[*maturity], text, *standing)
            })
            .collect();
        let settings = CoreSettings { tokens: budget, ..CoreSettings::default() };
        let file = plan_core(&entries, &settings, "2026-11-21");
        prop_assert!(file.tokens <= budget || file.entries == 0);
        prop_assert_eq!(outline(&file.text, 1).links, []);
        prop_assert_eq!(file.text.lines().filter(|line| line.starts_with("- ")).count(), file.entries);
        let mut shuffled = entries;
        shuffled.reverse();
        prop_assert_eq!(plan_core(&shuffled, &settings, "2026-11-21"), file);
    }
}

proptest! {
    #[test]
    fn any_titles_give_one_line_each_within_the_budget(
        titles in prop::collection::vec("(\\PC|[\\[\\]()#`<>!\n*|\\\\-]){0,20}", 0..20), budget in 50usize..800,
    ) {
        let entries: Vec<CoreEntry> = titles.iter().enumerate()
            .map(|(i, title)| CoreEntry { tags: vec![title.clone()], ..entry(&i.to_string(), "solution", title, 1.0 + i as f64) })
            .collect();
        let settings = CoreSettings { tokens: budget, ..CoreSettings::default() };
        let file = plan_core(&entries, &settings, "2026-11-21");
        prop_assert!(file.tokens <= budget || file.entries == 0);
        let paths: usize = outline(&file.text, 1).links.iter().map(|link| link.target.len()).sum();
        prop_assert!(paths * 5 <= file.text.chars().count());
        prop_assert_eq!(file.text.lines().filter(|line| line.starts_with("- ")).count(), file.entries);
        prop_assert_eq!(file.entries + file.omitted, entries.len());
        let mut shuffled = entries;
        shuffled.reverse();
        prop_assert_eq!(plan_core(&shuffled, &settings, "2026-11-21"), file);
    }
}
