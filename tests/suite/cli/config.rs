//! `cm config`

use super::small::{commits, committed, message, small};
use crate::support::hashes;

#[test]
fn every_setting_is_listed_with_its_value_and_where_it_came_from() {
    let sandbox = small();
    sandbox.write("cm.toml", "[search]\nlimit = 5\n");
    sandbox.write("_config.toml", "[core]\nmax_tokens = 900\n");
    let ran = sandbox.run(&["config", "list"]).env("CM_SEARCH_LIMIT", "3").go();
    insta::assert_snapshot!(ran.snapshot(), @"
    context.max_rules                50     default          rules and anti-patterns in a briefing, at most
    context.max_tokens               2000   default          size of a briefing in tokens, at most
    core.max_entries                 15     default          entries in one section of CORE.md, at most
    core.max_tokens                  900    _config.toml     size of CORE.md in tokens, at most
    curation.duplicate_jaccard       0.85   default          share of common words from which two rules are one
    curation.max_per_category        200    default          active bullets of one category; more become drafts
    git.commit                       auto   default          commit every curation at once; by default auto in the vault's own repository, manual inside another
    git.hooks                        false  default          run git's commit hooks
    git.sign                         -      default          sign commits; by default as git's commit.gpgsign says
    lock.patience_s                  30.0   default          seconds to wait for another writer
    projects                         []     default          names of projects, for the patterns across them
    scoring.active                   0.5    default          least score of an active memory
    scoring.candidate_multiplier     0.5    default          what the score of a candidate bullet is multiplied with
    scoring.deprecated_events        3      default          helpful and harmful events before harm deprecates a bullet by its share
    scoring.deprecated_ratio         0.3    default          share of harm above which a bullet is deprecated
    scoring.dormant                  0.05   default          least score of a dormant memory
    scoring.established_multiplier   1.0    default          what the score of an established bullet is multiplied with
    scoring.established_score        2.0    default          score from which a candidate is established
    scoring.fading                   0.2    default          least score of a fading memory, and of one in CORE.md
    scoring.half_life_days           90.0   default          days after which a feedback event counts half
    scoring.harmful_multiplier       4.0    default          how much heavier harm weighs than help in the score of a bullet
    scoring.importance               0.5    default          importance of a memory that names none
    scoring.lambda                   0.03   default          how fast memories fade, per day
    scoring.pinned                   999.0  default          score of a pinned memory
    scoring.priority_factor          4.0    default          how much faster ephemeral observations fade, and critical ones slower
    scoring.proven_multiplier        1.5    default          what the score of a proven bullet is multiplied with
    scoring.proven_ratio             0.1    default          share of harm below which an established bullet may be proven
    scoring.proven_score             5.0    default          score from which an established bullet is proven
    scoring.prune_harmful_threshold  3.0    default          how far below 0 the score of a bullet may fall before it is deprecated
    scoring.recent_days              30.0   default          days in which a helpful event is recent enough to promote a bullet
    scoring.stale_days               90.0   default          days without feedback after which a bullet is stale
    scoring.unused                   0.5    default          usage of a memory that nobody asked for yet
    search.limit                     3      CM_SEARCH_LIMIT  hits of a search
    vault.exclude                    []     default          folders of the vault whose files are no notes
    [exit 0]
    ");
}

#[test]
fn a_setting_is_written_as_one_line_and_committed_and_comments_stay() {
    let sandbox = small();
    sandbox.write("cm.toml", "# Ours.\n[search]\nlimit = 5 # enough\n");
    sandbox.commit_all("Settings");
    let ran = sandbox.cm(&["config", "set", "search.limit", "7"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    search.limit = 7 in cm.toml  commit [COMMIT]
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.read("cm.toml"), @r"
    # Ours.
    [search]
    limit = 7 # enough
    ");
    insta::assert_snapshot!(message(&sandbox), @r"
    Set search.limit = 7

    Cm-Op: config
    Cm-Operation: 4ea1f3dc78894cb3ad9eb92226906fbe
    ");
    assert_eq!(committed(&sandbox), "M\tcm.toml\n");
    assert_eq!(sandbox.cm(&["config", "get", "search.limit"]).ok().stdout, "7\n");
    let ran = sandbox.cm(&["config", "set", "search.limit", "7"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    search.limit = 7 in cm.toml  nothing to change
    [exit 0]
    ");
    let ran = sandbox.cm(&["config", "unset", "search.limit"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    search.limit is not set in cm.toml  commit [COMMIT]
    [exit 0]
    ");
    assert_eq!(sandbox.cm(&["config", "get", "search.limit"]).ok().stdout, "10\n");
    assert_eq!(commits(&sandbox), 4);
}

#[test]
fn a_private_setting_is_never_committed() {
    let sandbox = small();
    let ran = sandbox.cm(&["config", "set", "search.limit", "3", "--private"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    search.limit = 3 in _config.toml  private, never committed
    [exit 0]
    ");
    assert_eq!(commits(&sandbox), 1);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    let got = sandbox.cm(&["config", "get", "search.limit", "--json"]).ok().json();
    assert_eq!(got["settings"][0]["value"], 3);
    insta::assert_snapshot!(got["settings"][0]["origin"].as_str().unwrap(), @"_config.toml");
}

#[test]
fn a_setting_that_there_is_none_of_or_a_value_of_another_kind_is_refused() {
    let sandbox = small();
    let before = hashes(&sandbox.vault());
    let ran = sandbox.cm(&["config", "get", "search.limits"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: there is no setting `search.limits`
     hint: did you mean `search.limit`?
    [exit 4]
    ");
    let ran = sandbox.cm(&["config", "set", "search.limit", "many"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: `search.limit` takes a whole number from 1 to 1000, and `many` is not that
     hint: `cm help COMMAND` shows its arguments with examples
    [exit 2]
    ");
    let ran = sandbox.cm(&["config", "set", "search.limit", "many", "--json"]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    {
      "error": {
        "code": "usage",
        "message": "`search.limit` takes a whole number from 1 to 1000, and `many` is not that",
        "hint": "`cm help COMMAND` shows its arguments with examples",
        "exit": 2
      }
    }
    [exit 2]
    "#);
    let ran = sandbox.cm(&["config", "set", "git.commit", "sometimes"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: `git.commit` takes auto or manual, and `sometimes` is not that
     hint: `cm help COMMAND` shows its arguments with examples
    [exit 2]
    ");
    assert_eq!(sandbox.cm(&["config"]).code, 2);
    assert_eq!(hashes(&sandbox.vault()), before);
}

#[test]
fn an_unknown_key_and_a_file_that_is_no_toml_are_shown_and_the_file_is_never_overwritten() {
    let sandbox = small();
    sandbox.write("cm.toml", "[search]\nlimits = 5\n");
    let listed = sandbox.cm(&["config", "list", "--json"]).ok().json();
    insta::assert_snapshot!(format!("{:#}", listed["findings"]), @r#"
    [
      {
        "path": "cm.toml",
        "line": 2,
        "column": 1,
        "code": "unknown-setting",
        "severity": "warning",
        "message": "there is no setting `search.limits`",
        "hint": "did you mean `search.limit`?"
      }
    ]
    "#);
    sandbox.write("cm.toml", "[search\n");
    let ran = sandbox.cm(&["config", "set", "search.limit", "7"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: cm.toml is no TOML: unclosed table, expected `]`
       at: cm.toml
    [exit 5]
    ");
    assert_eq!(sandbox.read("cm.toml"), "[search\n");
}

#[test]
fn nothing_is_written_by_settings_that_cannot_be_read() {
    let sandbox = small();
    sandbox.write("cm.toml", "[git]\ncommit = \"manual\"\n[[[\n");
    let before = hashes(&sandbox.vault());
    let refused = sandbox.cm(&["add", "--type", "fact", "--title", "Never", "--json"]);
    assert_eq!(refused.code, 5);
    let error = &refused.json()["error"];
    assert_eq!((error["code"].as_str(), error["path"].as_str()), (Some("invalid-setting"), Some("cm.toml")));
    assert_eq!(error["line"], 3);
    assert_eq!(hashes(&sandbox.vault()), before);
    let read = sandbox.cm(&["recent"]).ok();
    assert!(read.stderr.contains("its settings do not hold"), "{}", read.stderr);
    assert_eq!(sandbox.cm(&["validate"]).code, 1);
    assert_eq!(sandbox.cm(&["doctor"]).code, 1);
}
