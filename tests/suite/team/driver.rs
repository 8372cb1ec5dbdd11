//! What two clones do to the same files, merged by `git pull` with the merge driver.
//!
//! | # | both did | here |
//! |---|---|---|
//! | 1, 2 | wrote CORE.md | ours stays; `cm sync` writes it anew |
//! | 3, 4 | logged episodes of one day | yes |
//! | 5, 6 | gave feedback | yes |
//! | 7, 8, 10, 22 | updated a note | yes |
//! | 9 | edited other paragraphs | yes |
//! | 11, 12 | wrote the same edge, fact or rule as two files | `cm sync` and the inbox |
//! | 13 | added the same rule in one second | Git: the files are equal |
//! | 14, 15 | harmed or forgot a rule | yes |
//! | 16, 17 | renamed; deleted and edited | `cm sync`; Git asks |
//! | 18, 19 | pinned or renamed, and updated | yes |
//! | 20 | changed settings | yes |
//! | 21 | wrote rules into AGENTS.md | yes |
//! | 23 | gave feedback, with `git pull --rebase` | yes |
//! | 24 | committed conflict markers | yes |
//! | 25 | edited by hand before the pull | Git refuses; `cm sync` commits first |

use super::{Clone, FACT_FILE, RULE, RULE_FILE, Remote, VAULT};

/// Title of the note in [`FACT_FILE`].
const FACT: &str = "Prices are cached";

struct Pair {
    remote: Remote,
    ada: Clone,
    ben: Clone,
}

impl Pair {
    /// Two clones with the driver, as `cm init` registers it.
    fn new() -> Self {
        let remote = Remote::new();
        let ada = Clone::first(&remote, "ada", VAULT);
        ada.cm(&["init"]).ok();
        ada.sandbox.git(&["push", "--quiet"]);
        let ben = Clone::of(&remote, "ben");
        ben.cm(&["init"]);
        ben.later(7);
        Self { remote, ada, ben }
    }

    /// Ada pushes, and Ben pulls and pushes with Git alone; then both clones have the same files.
    fn pull(&self, options: &[&str]) {
        self.ada.sandbox.git(&["push", "--quiet"]);
        self.ben.sandbox.git(&[&["pull", "--quiet", "--no-edit"], options].concat());
        self.ben.sandbox.git(&["push", "--quiet"]);
        self.ada.sandbox.git(&["pull", "--quiet", "--ff-only"]);
        self.ada.assert_sound();
        assert_eq!(self.ada.tree(), self.ben.tree());
    }

    fn merge(&self) {
        self.pull(&["--no-rebase"]);
    }

    /// A file after the merge, which has no marker and no leftover.
    fn clean(&self, path: &str) -> String {
        let text = self.ada.sandbox.read(path);
        assert!(!text.contains("<<<<<<<") && !text.contains("merge:\n"), "{text}");
        text
    }
}

#[test]
fn init_registers_the_driver_and_git_runs_it() {
    let pair = Pair::new();
    for clone in [&pair.ada, &pair.ben] {
        let command = clone.sandbox.git(&["config", "--local", "merge.cm.driver"]);
        assert!(command.trim().ends_with("merge-driver %O %A %B %P"), "{command}");
    }
    let attributes =
        pair.ada.sandbox.git(&["check-attr", "merge", FACT_FILE, "cm.toml", "episodes/x.md", "x.txt"]);
    let drivers: Vec<&str> = attributes.lines().filter_map(|line| line.rsplit(' ').next()).collect();
    assert_eq!(drivers, ["cm", "cm", "cm", "unspecified"]);
}

#[test]
fn doctor_reports_a_clone_without_the_driver_and_registers_it() {
    let pair = Pair::new();
    let health = |clone: &Clone, arguments: &[&str]| {
        let report = clone.cm(arguments).json();
        let checks = report["checks"].as_array().unwrap().clone();
        checks.into_iter().find(|check| check["name"] == "merge driver").unwrap()["health"].clone()
    };
    pair.ben.sandbox.git(&["config", "--local", "--remove-section", "merge.cm"]);
    assert_eq!(health(&pair.ben, &["doctor", "--json"]), "warn");
    pair.ben.sandbox.git(&["config", "--local", "merge.cm.driver", "other %A"]);
    assert_eq!(health(&pair.ben, &["doctor", "--json"]), "warn");
    assert_eq!(health(&pair.ben, &["doctor", "--fix", "--json"]), "ok");
    let command = pair.ben.sandbox.git(&["config", "--local", "merge.cm.driver"]);
    assert!(command.contains("merge-driver"), "{command}");
}

#[test]
fn entries_of_one_day_on_both_sides_are_all_there_in_order_3_4() {
    let pair = Pair::new();
    pair.ada.cm(&["episode", "Deploy", "--summary", "Went well"]).ok();
    pair.ben.cm(&["episode", "Rollback", "--summary", "Went well"]).ok();
    pair.merge();
    pair.ada.cm(&["episode", "Second deploy"]).ok();
    pair.ben.cm(&["episode", "Postmortem"]).ok();
    pair.merge();
    let day = pair.clean("episodes/2026-11-21.md");
    let times: Vec<&str> = day.lines().filter(|line| line.starts_with("## ")).collect();
    assert_eq!(times.len(), 4, "{day}");
    assert!(times.is_sorted(), "{day}");
    assert_eq!((day.matches("Went well").count(), day.matches("# 2026-11-21").count()), (2, 1), "{day}");
}

#[test]
fn feedback_of_both_sides_counts_and_the_maturity_follows_5_6_23() {
    for options in [["--no-rebase"], ["--rebase"]] {
        let pair = Pair::new();
        for clone in [&pair.ada, &pair.ben] {
            for _ in 0..5 {
                clone.later(24 * 60);
                clone.cm(&["mark", RULE, "--helpful"]).ok();
            }
        }
        pair.pull(&options);
        let rule = pair.clean(RULE_FILE);
        assert_eq!(rule.matches("signal: helpful").count(), 10, "{options:?} {rule}");
        assert!(rule.contains("maturity: proven"), "{options:?} {rule}");
    }
}

#[test]
fn updates_of_both_sides_are_joined_7_8_10_22() {
    let pair = Pair::new();
    pair.ada.cm(&["update", FACT, "--add-tag", "redis", "--append", "Ada measured it."]).ok();
    pair.ben.cm(&["update", FACT, "--add-tag", "prices", "--append", "Ben doubts it."]).ok();
    let relation = |target: &str| format!("relations:\n  - target: {target}\n    type: REQUIRES\ncreated:");
    for (clone, target) in [(&pair.ada, "aaaaaaaa"), (&pair.ben, "bbbbbbbb")] {
        let text = clone.sandbox.read(FACT_FILE).replace("created:", &relation(target));
        clone.sandbox.write(FACT_FILE, text);
        clone.cm(&["commit"]).ok();
    }
    pair.merge();
    let fact = pair.clean(FACT_FILE);
    assert!(fact.contains("tags: [cache, prices, redis]"), "{fact}");
    let place = |text: &str| fact.find(text).unwrap_or_else(|| panic!("{text}: {fact}"));
    assert!(place("Ada measured it.") < place("Ben doubts it."));
    assert!(place("target: aaaaaaaa") < place("target: bbbbbbbb"));
    assert_eq!(pair.ada.cm(&["validate", "--json"]).json()["errors"], 0);
}

#[test]
fn other_paragraphs_and_a_rename_are_joined_9_18_19() {
    let pair = Pair::new();
    let edit = |clone: &Clone, from: &str, to: &str| {
        clone.sandbox.write(FACT_FILE, clone.sandbox.read(FACT_FILE).replace(from, to));
        clone.cm(&["commit"]).ok();
    };
    edit(&pair.ada, "five", "ten");
    edit(&pair.ben, "the currency", "the currency and the day");
    pair.ben.cm(&["pin", FACT]).ok();
    pair.ada.cm(&["mark", FACT, "--helpful"]).ok();
    pair.merge();
    let path = pair.ada.sandbox.git(&["ls-files", "vault"]);
    let fact = pair.clean(path.trim());
    for part in ["ten minutes", "and the day", "signal: helpful"] {
        assert!(fact.contains(part), "{part}: {fact}");
    }
}

#[test]
fn of_two_values_the_later_stands_and_the_inbox_settles_the_other_7() {
    let pair = Pair::new();
    pair.ada.cm(&["update", FACT, "--set", "importance=0.9"]).ok();
    pair.ben.cm(&["update", FACT, "--set", "importance=0.2"]).ok();
    pair.merge();
    assert!(pair.ada.sandbox.read(FACT_FILE).contains("importance: 0.2\n"));
    let inbox = pair.ada.cm(&["review", "--kind", "leftovers"]).ok();
    assert!(inbox.stdout.contains("another version has `importance`: `0.9`"), "{}", inbox.stdout);
    pair.ada.cm(&["review", "--take", FACT]).ok();
    assert!(pair.clean(FACT_FILE).contains("importance: 0.9\n"));
    let refused = pair.ada.cm(&["review", "--keep", FACT]);
    assert!(refused.stderr.contains("has nothing left over"), "{}", refused.stderr);
}

#[test]
fn a_rule_that_both_sides_forgot_leaves_one_block_and_one_warning_14_15() {
    let pair = Pair::new();
    pair.ada.cm(&["forget", RULE, "--reason", "too slow", "--invert"]).ok();
    pair.ben.cm(&["forget", RULE, "--reason", "caused an outage", "--invert"]).ok();
    pair.merge();
    let files = pair.ada.sandbox.git(&["ls-files", "blocked", "playbook"]);
    assert_eq!(files.lines().filter(|path| path.starts_with("blocked/")).count(), 1, "{files}");
    assert_eq!(files.lines().filter(|path| path.starts_with("playbook/")).count(), 2, "{files}");
    let block = pair.clean(files.lines().next().unwrap());
    assert!(block.contains("too slow") && block.contains("caused an outage"), "{block}");
    let rule = pair.clean(RULE_FILE);
    assert!(rule.contains("state: retired") && rule.matches("replaced_by").count() == 1, "{rule}");
}

#[test]
fn settings_and_generated_sections_do_not_conflict_20_21() {
    let pair = Pair::new();
    pair.ada.cm(&["config", "set", "core.max_entries", "9"]);
    pair.ada.cm(&["config", "set", "scoring.lambda", "0.05"]).ok();
    pair.ben.cm(&["config", "set", "scoring.half_life_days", "30"]).ok();
    for (clone, rule) in [(&pair.ada, "Ada's rule of the house"), (&pair.ben, "Ben's rule of the house")] {
        let section = format!("# Agents\n\n<!-- cm:begin playbook -->\n- {rule}\n<!-- cm:end playbook -->\n");
        clone.sandbox.write("AGENTS.md", section);
        clone.sandbox.git(&["add", "AGENTS.md"]);
        clone.sandbox.commit_all("Rules");
    }
    pair.merge();
    let settings = pair.clean("cm.toml");
    assert!(settings.contains("lambda = 0.05") && settings.contains("half_life_days = 30"), "{settings}");
    let agents = pair.clean("AGENTS.md");
    assert_eq!(agents.matches("of the house").count(), 1, "{agents}");
}

#[test]
fn a_clash_is_marked_in_its_paragraph_alone_and_kept_from_agents_24() {
    let pair = Pair::new();
    for (clone, minutes) in [(&pair.ada, "ten"), (&pair.ben, "twenty")] {
        let text =
            clone.sandbox.read(FACT_FILE).replace("For five minutes, in Redis.", &format!("Kept {minutes}."));
        clone.sandbox.write(FACT_FILE, text);
        clone.cm(&["commit"]).ok();
        clone.cm(&["update", FACT, "--add-tag", minutes]).ok();
    }
    pair.ada.sandbox.git(&["push", "--quiet"]);
    let pulled = pair.ben.sandbox.shell("git pull --no-rebase --no-edit");
    assert_ne!(pulled.code, 0, "{}", pulled.stdout);
    let fact = pair.ben.sandbox.read(FACT_FILE);
    assert!(fact.contains("tags: [cache, ten, twenty]"), "{fact}");
    assert!(fact.contains("<<<<<<< ours\nKept twenty.\n=======\nKept ten.\n>>>>>>> theirs\n"), "{fact}");
    pair.ben.sandbox.git(&["add", "."]);
    pair.ben.sandbox.git(&["commit", "--quiet", "-m", "Markers and all"]);
    let findings = pair.ben.cm(&["validate", "--json"]).json();
    let marker =
        findings["findings"].as_array().unwrap().iter().find(|found| found["code"] == "conflict-marker");
    assert!(marker.is_some_and(|found| found["line"].is_u64() && found["severity"] == "error"), "{findings}");
    pair.ben.cm(&["core"]).ok();
    assert!(!pair.ben.sandbox.read("CORE.md").contains(FACT));
    pair.ben.trust(&pair.remote);
    let briefing = pair.ben.cm(&["context", "how long are prices cached"]).ok();
    assert!(!briefing.stdout.contains(FACT), "{}", briefing.stdout);
    pair.ben.sandbox.write(FACT_FILE, format!("{fact}\nMore.\n"));
    let refused = pair.ben.cm(&["commit"]);
    assert!(refused.stderr.contains("unresolved merge conflict"), "{}", refused.stderr);
}
