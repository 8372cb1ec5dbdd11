//! Observations that say the same become one memory that names its sources, once a day.

use cm_app::Context;
use cm_app::verbs::observe::{self, observe};

use crate::support::{Sandbox, request, vault_of};

/// Two pairs that say the same, one observation that differs in a number, and one of another
/// workspace.
const OBSERVATIONS: &str = "\
--- graph/observations/cache.md
---
id: a1a1a1a1-0000-4000-8000-000000000001
type: observation
title: The price cache expires after 10 minutes
importance: 0.5
tags: [cache]
created: 2026-11-10T10:00:00Z
updated: 2026-11-10T10:00:00Z
---

The price cache expires after 10 minutes.
--- graph/observations/cache-again.md
---
id: b2b2b2b2-0000-4000-8000-000000000002
type: observation
title: the price cache expires after ten min
importance: 0.5
tags: [prices]
state: unverified
agent: codex
session: 11111111-aaaa-4bbb-8ccc-222222222222
created: 2026-11-12T10:00:00Z
updated: 2026-11-12T10:00:00Z
feedback:
  - {at: 2026-11-13, signal: helpful, session: s-2}
---

the price cache expires after ten min
--- graph/observations/cache-once-more.md
---
id: c3c3c3c3-0000-4000-8000-000000000003
type: observation
title: The price cache expires after 10 min.
importance: 0.5
created: 2026-11-13T10:00:00Z
updated: 2026-11-13T10:00:00Z
---

The price cache expires after 10 min.
--- graph/observations/cache-other.md
---
id: d4d4d4d4-0000-4000-8000-000000000004
type: observation
title: The price cache expires after 20 minutes
importance: 0.5
created: 2026-11-14T10:00:00Z
updated: 2026-11-14T10:00:00Z
---

The price cache expires after 20 minutes.
--- graph/observations/cache-elsewhere.md
---
id: e5e5e5e5-0000-4000-8000-000000000005
type: observation
title: The price cache expires after 10 minutes
importance: 0.5
workspace: /srv/other
created: 2026-11-14T10:00:00Z
updated: 2026-11-14T10:00:00Z
---

The price cache expires after 10 minutes.
";

/// Runs the background work of hooks at an instant.
fn read_at(sandbox: &Sandbox, now: &str) {
    sandbox.cm(&["hook", "read", "--now", now]).ok();
}

fn commits(sandbox: &Sandbox) -> Vec<String> {
    sandbox.git(&["log", "--format=%s"]).lines().map(str::to_owned).collect()
}

#[test]
fn observations_that_say_the_same_become_one_memory_with_sources_in_one_commit() {
    let sandbox = vault_of(OBSERVATIONS);
    let before = commits(&sandbox).len();
    read_at(&sandbox, "2026-11-21T12:00:00Z");
    let after = commits(&sandbox);
    assert_eq!(after.len(), before + 1, "{after:?}");
    assert_eq!(after[0], "Condense 2 observations into \"The price cache expires after 10 minutes\"");
    insta::assert_snapshot!(sandbox.read("graph/observations/cache.md"), @"
    ---
    id: a1a1a1a1-0000-4000-8000-000000000001
    type: observation
    title: The price cache expires after 10 minutes
    importance: 0.5
    tags: [cache, prices]
    created: 2026-11-10T10:00:00Z
    updated: 2026-11-21T12:00:00Z
    feedback:
      - at: 2026-11-13T00:00:00Z
        signal: helpful
        session: s-2
    relations:
      - target: b2b2b2b2-0000-4000-8000-000000000002
        type: DERIVED_FROM
        context: says the same; noted by codex, session 11111111
      - target: c3c3c3c3-0000-4000-8000-000000000003
        type: DERIVED_FROM
        context: says the same; noted by a person
    ---

    The price cache expires after 10 minutes.
    ");
    let condensed = sandbox.read("graph/observations/cache-again.md");
    assert!(condensed.contains("condensed_into: [a1a1a1a1-0000-4000-8000-000000000001]"), "{condensed}");
    for other in ["cache-other", "cache-elsewhere"] {
        let text = sandbox.read(&format!("graph/observations/{other}.md"));
        assert!(!text.contains("condensed_into"), "{text}");
    }
    let stale = sandbox.cm(&["stale", "--json"]).ok().json();
    let ids = stale["observations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].as_str().unwrap()[..2].to_owned());
    assert_eq!(ids.collect::<Vec<_>>(), ["b2", "c3"]);
    let due = sandbox.cm(&["review", "--json"]).ok().stdout;
    assert!(!due.contains("no longer valid"), "{due}");
    assert_eq!(sandbox.cm(&["validate"]).code, 0);
}

#[test]
fn undo_takes_a_condensation_back_byte_for_byte() {
    let sandbox = vault_of(OBSERVATIONS);
    let names = ["cache", "cache-again", "cache-once-more"];
    let texts = || names.map(|name| sandbox.read(&format!("graph/observations/{name}.md")));
    let before = texts();
    read_at(&sandbox, "2026-11-21T12:00:00Z");
    assert_ne!(texts(), before);
    sandbox.cm(&["undo"]).ok();
    assert_eq!(texts(), before);
}

#[test]
fn condensing_waits_a_day_and_can_be_switched_off() {
    let sandbox = vault_of(
        "--- graph/observations/one.md\n---\nid: a1a1a1a1-0000-4000-8000-000000000001\ntype: observation\ntitle: One\n---\nThe gauge is slow.\n",
    );
    let count = || commits(&sandbox).iter().filter(|subject| subject.starts_with("Condense")).count();
    read_at(&sandbox, "2026-11-21T12:00:00Z");
    sandbox.write(
        "graph/observations/two.md",
        "---\nid: b2b2b2b2-0000-4000-8000-000000000002\ntype: observation\ntitle: One\n---\nthe gauge is slow\n",
    );
    read_at(&sandbox, "2026-11-21T23:00:00Z");
    assert_eq!(count(), 0, "a run a day");
    let settings = sandbox.read("cm.toml");
    sandbox.write("cm.toml", format!("{settings}\n[curation]\ncondense = false\n"));
    read_at(&sandbox, "2026-11-22T13:00:00Z");
    assert_eq!(count(), 0, "the setting");
    sandbox.write("cm.toml", settings);
    read_at(&sandbox, "2026-11-23T14:00:00Z");
    assert_eq!(count(), 1);
    read_at(&sandbox, "2026-11-24T15:00:00Z");
    assert_eq!(count(), 1, "nothing is left to condense");
}

#[test]
fn what_is_pinned_or_did_harm_or_is_edited_meanwhile_is_left_as_it_is() {
    let kept = OBSERVATIONS.replace("tags: [prices]", "pinned: true").replace(
        "title: The price cache expires after 10 min.\n",
        "title: The price cache expires after 10 min.\nfeedback:\n  - {at: 2026-11-14, signal: harmful}\n",
    );
    let sandbox = vault_of(&kept);
    let before = commits(&sandbox);
    read_at(&sandbox, "2026-11-21T12:00:00Z");
    assert_eq!(commits(&sandbox), before);
}

#[test]
fn an_observation_that_repeats_a_condensed_one_credits_the_memory_in_use() {
    let sandbox = vault_of(OBSERVATIONS);
    read_at(&sandbox, "2026-11-21T12:00:00Z");
    let again = observe::Options {
        content: "The price cache expires after ten min".to_owned(),
        ..observe::Options::default()
    };
    let observed = observe(&Context::open(request(&sandbox, &[])).unwrap(), &again).unwrap();
    assert_eq!((&observed.id[..2], observed.added, observed.credited), ("a1", false, true));
}
