//! `cm rename`

use super::small::{CLOSE, GAUGES, RETRY, UNITS, commits, message, small};
use crate::obsidian::pairs;
use crate::support::{ObsidianVault, Sandbox, hashes, vault_of};

/// Returns the changed lines of the newest commit, without those of moved files that did not change.
fn changed_lines(sandbox: &Sandbox) -> String {
    let patch = sandbox.git(&["show", "--format=", "--unified=0", "--find-renames=20%"]);
    let keep = |line: &&str| {
        line.starts_with(['+', '-', 'r']) && !line.starts_with("+++") && !line.starts_with("---")
    };
    patch.lines().filter(keep).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_renamed_note_takes_its_file_its_links_and_its_edges_along() {
    let sandbox = small();
    sandbox.cm(&["relate", "1f0c99", "REQUIRES", "1f0c2a", "--why", "Both are needed."]).ok();
    sandbox.cm(&["episode", "Tried it", "--memory", "1f0c2a"]).ok();
    let before = commits(&sandbox);
    let ran = sandbox.cm(&["rename", "1f0c2a", "Spread retries: \"jitter\" helps"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    1f0c2a00-0000-4000-8000-000000000001  graph/solutions/spread-retries-jitter-helps-1f0c2a.md  commit [COMMIT]
    links changed in 2 files
    [exit 0]
    ");
    assert_eq!(commits(&sandbox), before + 1);
    insta::assert_snapshot!(message(&sandbox), @r#"
    Rename "Retry with jitter" to "Spread retries: "jitter" helps"

    Cm-Op: rename
    Cm-Id: 1f0c2a00-0000-4000-8000-000000000001
    Cm-Operation: 043bef4e138649c6afdc74b87b67c287
    "#);
    insta::assert_snapshot!(changed_lines(&sandbox), @r#"
    -- **Memory**: [Retry with jitter](../graph/solutions/retry-with-jitter-1f0c2a.md)
    +- **Memory**: [Spread retries: "jitter" helps](../graph/solutions/spread-retries-jitter-helps-1f0c2a.md)
    -to_title: Retry with jitter
    +to_title: 'Spread retries: "jitter" helps'
    -[[close-idle-connections-1f0c99|Close idle connections]] REQUIRES [[retry-with-jitter-1f0c2a|Retry with jitter]]
    +[[close-idle-connections-1f0c99|Close idle connections]] REQUIRES [[spread-retries-jitter-helps-1f0c2a|Spread retries: "jitter" helps]]
    rename from graph/solutions/retry-with-jitter-1f0c2a.md
    rename to graph/solutions/spread-retries-jitter-helps-1f0c2a.md
    -title: Retry with jitter
    +title: 'Spread retries: "jitter" helps'
    -updated: 2026-11-01T08:00:00Z
    +updated: 2026-11-21T12:00:00Z
    +aliases: [Retry with jitter]
    -# Retry with jitter
    +# Spread retries: "jitter" helps
    "#);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    let by_title = ["graph/solutions/spread-retries-jitter-helps-1f0c2a.md:16: Gauges time out"];
    assert_eq!(ObsidianVault::read(&sandbox.vault()).broken(), by_title, "the note's own words stay");
    let old_title = sandbox.cm(&["get", "Retry with jitter", "--json"]).ok().json();
    assert_eq!(old_title["title"], "Spread retries: \"jitter\" helps", "the old title still finds it");
}

#[test]
fn undo_takes_a_rename_back_byte_for_byte() {
    let sandbox = small();
    sandbox.cm(&["relate", "77ab01", "REQUIRES", "1f0c2a"]).ok();
    let before = hashes(&sandbox.vault());
    sandbox.cm(&["rename", "1f0c2a", "Another title"]).ok();
    sandbox.cm(&["rename", "77ab01", "Another problem"]).ok();
    sandbox.cm(&["undo"]).ok();
    sandbox.cm(&["undo"]).ok();
    assert_eq!(hashes(&sandbox.vault()), before);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_dry_run_shows_the_changes_and_writes_nothing() {
    let sandbox = small();
    let before = hashes(&sandbox.vault());
    insta::assert_snapshot!(sandbox.cm(&["rename", "Gauges time out", "Gauges answer late", "--dry-run"]).snapshot(), @r"
    77ab0100-0000-4000-8000-000000000003  graph/problems/gauges-answer-late-77ab01.md  nothing written (dry run)
    links would change in 1 file

    rename from graph/problems/gauges-time-out-77ab01.md
    rename to graph/problems/gauges-answer-late-77ab01.md
    --- a/graph/problems/gauges-time-out-77ab01.md
    +++ b/graph/problems/gauges-answer-late-77ab01.md
    @@ -2,11 +2,12 @@
     id: 77ab0100-0000-4000-8000-000000000003
     type: problem
    -title: Gauges time out
    +title: Gauges answer late
     importance: 0.6
     created: 2026-11-03T08:00:00Z
    -updated: 2026-11-03T08:00:00Z
    +updated: 2026-11-21T12:00:00Z
    +aliases: [Gauges time out]
     ---
     
    -# Gauges time out
    +# Gauges answer late
     
     All stations at the full hour.
    --- a/graph/solutions/retry-with-jitter-1f0c2a.md
    +++ b/graph/solutions/retry-with-jitter-1f0c2a.md
    @@ -13,3 +13,3 @@
     Spread retries over 30 s.
     
    -SOLVES:: [[Gauges time out]]
    +SOLVES:: [[gauges-answer-late-77ab01|Gauges answer late]]
    [exit 0]
    ");
    assert_eq!((hashes(&sandbox.vault()), commits(&sandbox)), (before, 1));
    let json = sandbox.cm(&["rename", GAUGES, "Gauges answer late", "--dry-run", "--json"]).ok().json();
    assert_eq!(
        (&json["dry_run"], &json["changed"], &json["commit"]),
        (&true.into(), &true.into(), &serde_json::Value::Null)
    );
    assert_eq!(json["path"], "graph/problems/gauges-answer-late-77ab01.md");
    assert_eq!(json["linked"], serde_json::json!([RETRY]));
}

/// A vault of hand-made notes with every form of link.
const BY_HAND: &str = r#"
--- Home.md
---
up: "[[Topics/Cats|All cats]]"
also: ['[[Cats]]', other]  # by hand
---
# Home

[[Cats]], [[topics/cats#Food|them]], ![[Cats^block]], [[All cats]], [[Felines]] and [md](Topics/Cats.md#All%20cats)
`[[Cats]]` %%[[Cats]]%% [[Cats|All cats]] [All cats](<Topics/Cats.md>) [ref]

| table |
|---|
| [[Cats\|All cats]] [[All cats]] |

```
[[Cats]]
```

[ref]: Topics/Cats.md "Title"
--- Topics/Cats.md [crlf, cut]
---
aliases: Felines
---
# All cats #

## Food
See [[#All cats]] and [[Dogs]]. [home](../Home.md)
--- Topics/Dogs.md
EXTENDS:: [[Cats]], [[Home]]
[[../Home]] [[Big dogs]]
--- Other/Big dogs.md
Far away. [[Topics/Dogs]] [[Dogs]]
--- Other/Dogs.md
[cats](../Topics/Cats.md) [[Nothing there]]
"#;

#[test]
fn every_link_of_a_vault_leads_to_the_same_note_before_and_after() {
    let sandbox = vault_of(BY_HAND);
    let (before, obsidian) = (pairs(&sandbox), ObsidianVault::read(&sandbox.vault()).pairs());
    sandbox.cm(&["rename", "Topics/Cats.md", "Big dogs"]).ok();
    let placed = |pairs: &std::collections::BTreeSet<String>| {
        pairs
            .iter()
            .map(|pair| pair.replace("Topics/Cats.md", "Topics/Big dogs.md"))
            .collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(pairs(&sandbox), placed(&before));
    assert!(placed(&obsidian).is_subset(&ObsidianVault::read(&sandbox.vault()).pairs()));
    insta::assert_snapshot!(changed_lines(&sandbox), @r##"
    -up: "[[Topics/Cats|All cats]]"
    -also: ['[[Cats]]', other]  # by hand
    +up: "[[Topics/Big dogs|Big dogs]]"
    +also: ['[[Topics/Big dogs]]', other]  # by hand
    -[[Cats]], [[topics/cats#Food|them]], ![[Cats^block]], [[All cats]], [[Felines]] and [md](Topics/Cats.md#All%20cats)
    -`[[Cats]]` %%[[Cats]]%% [[Cats|All cats]] [All cats](<Topics/Cats.md>) [ref]
    +[[Topics/Big dogs]], [[topics/Big dogs#Food|them]], ![[Topics/Big dogs^block]], [[Topics/Big dogs|Big dogs]], [[Felines]] and [md](Topics/Big%20dogs.md#Big%20dogs)
    +`[[Cats]]` %%[[Cats]]%% [[Topics/Big dogs|Big dogs]] [Big dogs](<Topics/Big dogs.md>) [ref]
    -| [[Cats\|All cats]] [[All cats]] |
    +| [[Topics/Big dogs\|Big dogs]] [[Topics/Big dogs\|Big dogs]] |
    -[ref]: Topics/Cats.md "Title"
    +[ref]: Topics/Big%20dogs.md "Title"
    -[cats](../Topics/Cats.md) [[Nothing there]]
    +[cats](../Topics/Big%20dogs.md) [[Nothing there]]
    +---
    +aliases: [Felines, All cats]
    +---
    +# Big dogs #
    +
    +## Food
    +See [[#Big dogs]] and [[Dogs]]. [home](../Home.md)
    -aliases: Felines
    -# All cats #
    -
    -## Food
    -See [[#All cats]] and [[Dogs]]. [home](../Home.md)
    -EXTENDS:: [[Cats]], [[Home]]
    -[[../Home]] [[Big dogs]]
    +EXTENDS:: [[Big dogs]], [[Home]]
    +[[../Home]] [[Other/Big dogs]]
    "##);
    assert!(sandbox.read("Topics/Big dogs.md").ends_with("[home](../Home.md)"), "no line break is added");
    assert_eq!(
        sandbox.read("Topics/Big dogs.md").matches('\n').count(),
        sandbox.read("Topics/Big dogs.md").matches("\r\n").count()
    );
}

#[test]
fn a_file_name_from_a_title_holds_only_what_obsidian_allows() {
    let sandbox = vault_of("--- a/Plan.md\n[[Plan]]\n--- b.md\n[[Plan]]\n");
    let renamed = sandbox.cm(&["rename", "a/Plan.md", "TCP/IP: what [is] it? #1", "--json"]).ok().json();
    assert_eq!(renamed["path"], "a/TCP-IP what is it 1.md");
    assert_eq!(sandbox.read("b.md"), "[[TCP-IP what is it 1]]\n");
    assert_eq!(
        sandbox.cm(&["get", "b.md", "--json"]).ok().json()["links"][0]["title"],
        "TCP/IP: what [is] it? #1"
    );
    let back = sandbox.cm(&["rename", "a/TCP-IP what is it 1.md", "Plan", "--json"]).ok().json();
    assert_eq!((&back["path"], &*sandbox.read("b.md")), (&"a/Plan.md".into(), "[[Plan]]\n"));
}

#[test]
fn edits_by_hand_stay_uncommitted() {
    let sandbox = small();
    let text = sandbox.read(GAUGES) + "\nHalf a thought [[Retry with jitter]]\n";
    sandbox.write(GAUGES, &text);
    sandbox.cm(&["rename", "1f0c2a", "Jitter"]).ok();
    assert!(sandbox.read(GAUGES).contains("Half a thought [[jitter-1f0c2a|Jitter]]\n"));
    assert!(!sandbox.git(&["show", &format!("HEAD:{GAUGES}")]).contains("Half a thought"));
}

#[test]
fn a_title_that_another_note_has_as_well_becomes_no_alias() {
    let sandbox = vault_of("--- a/x.md\n# Plan\n--- b/y.md\n# Plan\n--- c.md\n[[Plan]] [[x]]\n");
    let before = pairs(&sandbox);
    sandbox.cm(&["rename", "a/x.md", "Other"]).ok();
    assert!(!sandbox.read("a/Other.md").contains("aliases"));
    assert!(sandbox.read("c.md").contains("[[Other]]"));
    assert_eq!(before.len(), 1);
}

#[test]
fn what_cannot_be_renamed_is_refused_with_a_reason() {
    let sandbox = small();
    let same = sandbox.cm(&["rename", UNITS, "Names carry their unit", "--json"]).ok().json();
    assert_eq!((&same["changed"], &same["commit"]), (&false.into(), &serde_json::Value::Null));
    sandbox.cm(&["relate", "1f0c99", "REQUIRES", "1f0c2a"]).ok();
    let edge = sandbox.git(&["show", "--name-only", "--format="]);
    let refused = sandbox.cm(&["rename", edge.trim(), "An edge", "--json"]);
    assert_eq!((refused.code, &refused.json()["error"]["code"]), (5, &"not-renamable".into()));
    assert_eq!(sandbox.cm(&["rename", CLOSE, " "]).code, 2);
    assert_eq!(sandbox.cm(&["rename", "nowhere", "Title"]).code, 4);
    let agent = sandbox.run(&["rename", CLOSE, "Title", "--json"]).env("CM_AGENT", "codex").go();
    assert_eq!(agent.json()["error"]["code"], "persons-only");
    sandbox.write("Free.md", "One");
    sandbox.write("Taken.md", "Two");
    let taken = sandbox.cm(&["rename", "Free.md", "Taken", "--json"]);
    assert_eq!((taken.code, &taken.json()["error"]["code"]), (5, &"exists".into()));
    let case = sandbox.cm(&["rename", "Free.md", "taken", "--json"]);
    assert_eq!((case.code, &case.json()["error"]["code"]), (5, &"exists".into()));
    assert_eq!(sandbox.read("Free.md"), "One");
    sandbox.cm(&["rename", "Free.md", "free"]).ok();
}

#[test]
fn canvases_show_a_note_after_it_was_renamed_and_moved() {
    let sandbox = vault_of(
        "--- boat/Pump.md\n---\nid: 1f0c2a00-0000-4000-8000-000000000001\ntype: fact\ntitle: Pump\n\
         importance: 0.5\ncreated: 2026-11-01\nupdated: 2026-11-01\n---\nIt runs.\n",
    );
    let canvas = |file: &str, size: u32| {
        format!(
            "{{\n\t\"nodes\":[\n\t\t{{\"id\":\"a\",\"type\":\"file\",\"file\":\"{file}\"}},\n\t\t{{\"id\":\"b\",\"width\":{size}}}\n\t]\n}}"
        )
    };
    sandbox.write("boards/Board.canvas", canvas("boat/Pump.md", 1));
    sandbox.commit_all("A board");
    sandbox.write("boards/Board.canvas", canvas("boat/Pump.md", 2));
    let renamed = sandbox.cm(&["rename", "Pump", "Bilge pump", "--json"]).ok().json();
    assert_eq!(renamed["linked"], serde_json::json!(["boards/Board.canvas"]));
    assert_eq!(sandbox.read("boards/Board.canvas"), canvas("boat/Bilge pump.md", 2));
    let committed = sandbox.git(&["show", "HEAD:boards/Board.canvas"]);
    assert_eq!(committed, canvas("boat/Bilge pump.md", 1), "the person's own change stays uncommitted");
    sandbox.cm(&["pin", "1f0c2a"]).ok();
    assert_eq!(sandbox.read("boards/Board.canvas"), canvas("vault/Bilge pump.md", 2));
    sandbox.cm(&["unpin", "1f0c2a"]).ok();
    assert_eq!(sandbox.read("boards/Board.canvas"), canvas("boat/Bilge pump.md", 2));
}

#[test]
fn a_title_makes_a_file_name_that_every_system_can_hold() {
    let sandbox = vault_of("--- a.md\n# A\n");
    let renamed = |title: &str| {
        let json = sandbox.cm(&["rename", "A", title, "--dry-run", "--json"]).ok().json();
        (json["title"].as_str().unwrap().to_owned(), json["path"].as_str().unwrap().to_owned())
    };
    assert_eq!(renamed("Pump.md"), ("Pump".to_owned(), "Pump.md".to_owned()));
    assert_eq!(renamed("Bilge pump.md").0, "Bilge pump");
    assert_eq!(renamed("About README.md").0, "About README.md");
    assert_eq!(renamed("con"), ("con".to_owned(), "con_.md".to_owned()));
    assert_eq!(renamed("v1.2"), ("v1.2".to_owned(), "v1.2.md".to_owned()));
    for title in [".", "..", ".md", " "] {
        assert_eq!(sandbox.cm(&["rename", "A", title]).code, 2, "{title}");
    }
}
