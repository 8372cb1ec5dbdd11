//! `cm config`

use super::small::{commits, committed, message, small};
use crate::support::hashes;

#[test]
fn every_setting_is_listed_with_its_value_and_where_it_came_from() {
    let sandbox = small();
    sandbox.write("cm.toml", "[search]\nlimit = 5\n");
    sandbox.settings("[core]\nmax_tokens = 900\n");
    let ran = sandbox.run(&["config", "list"]).env("CM_SEARCH_LIMIT", "3").go();
    insta::assert_snapshot!(ran.snapshot(), @r#"
    budget.call_tokens                 100000   default                      tokens of one call of a model, both ways, at most; 0 for no limit
    budget.daily_tokens                0        default                      tokens that models may take in a day, by UTC; 0 for no limit
    budget.daily_usd                   0.0      default                      dollars that models may cost in a day, by UTC; a model that costs something wants a budget
    budget.monthly_tokens              0        default                      tokens that models may take in a month; 0 for no limit
    budget.monthly_usd                 0.0      default                      dollars that models may cost in a month
    context.max_history                10       default                      past sessions in a briefing, at most
    context.max_rules                  50       default                      rules and anti-patterns in a briefing, at most
    context.max_tokens                 2000     default                      size of a briefing in tokens, at most
    core.links                         path     default                      links in CORE.md: relative paths, or wikilinks with the file's name
    core.max_entries                   15       default                      entries in one section of CORE.md, at most
    core.max_tokens                    900      your settings of this vault  size of CORE.md in tokens, at most
    core.usage                         auto     default                      whether CORE.md counts how often notes were read here; `auto` counts it in a vault without a remote
    curation.block_cosine              0.85     default                      cosine above which a rule is as good as blocked
    curation.duplicate_cosine          0.85     default                      cosine from which a rule is named as a neighbour of a new one
    curation.duplicate_jaccard         0.85     default                      share of common words from which a rule is named as a neighbour of a new one
    curation.max_per_category          200      default                      active bullets of one category; more become drafts
    curation.merge_cosine              0.85     default                      cosine from which two rules are worth merging
    embeddings.budget_ms               0        CM_EMBEDDINGS_BUDGET_MS      milliseconds that a command may spend on embedding new notes with the finer model
    embeddings.key                     -        default                      key of the server that embeds; from your own settings or CM_EMBEDDINGS_KEY only, for OpenAI's own server also OPENAI_API_KEY
    embeddings.model                   -        default                      model that embeds, such as bge-small-en-v1.5; by default the provider's own
    embeddings.path                    -        default                      folder of an ONNX model for fastembed; from your own settings only
    embeddings.provider                builtin  default                      what embeds notes; anything but builtin and none from your own settings only
    embeddings.runtime                 -        default                      ONNX Runtime library for fastembed; from your own settings only
    embeddings.timeout_s               30.0     default                      seconds to wait for a server that embeds; its first answer to notes may take 300
    embeddings.url                     -        default                      server that embeds, such as http://localhost:11434; from your own settings only
    git.commit                         auto     default                      commit every curation at once, the vault's notes alone; `manual` leaves them to `cm commit`
    git.hooks                          false    default                      run git's commit hooks; from your own settings only
    git.sign                           -        default                      sign commits; by default as git's commit.gpgsign says
    hooks.capture                      true     default                      whether a hook has what is new in agents' logs read in the background when a session is compacted or ends
    hooks.max_characters               2000     default                      size of what an agent is given at a prompt, in characters, at most
    hooks.max_notes                    5        default                      rules and memories that an agent is given at a prompt, at most
    hooks.start_tokens                 2000     default                      size of what an agent is given when a session begins, in tokens, at most
    hooks.threshold                    0.5      default                      least fit of a rule or memory that an agent is given at a prompt
    llm.api_key_cmd                    -        default                      command that prints the key of the model's server; from your own settings only
    llm.base_url                       -        default                      server of the model, such as http://localhost:11434/v1; from your own settings only
    llm.command                        -        default                      command that answers a prompt on its standard input, such as `claude -p`; from your own settings only
    llm.command_env                    []       default                      variables that the command is given besides the usual ones, such as ANTHROPIC_API_KEY or AWS_*; from your own settings only
    llm.fallback                       []       default                      models that are asked where the first does not answer, such as ollama/qwen3:8b or cli; from your own settings only
    llm.key                            -        default                      key of the model's server; from your own settings or CM_LLM_KEY only, for the provider's own server also its usual variable
    llm.max_tokens                     4096     default                      length of an answer of a model in tokens, its thoughts included
    llm.model                          -        default                      model that answers, for providers have no default; from your own settings only
    llm.prices                         []       default                      what models cost in dollars for a million tokens in and out, such as "gpt-5-mini 0.25 2"; from your own settings only
    llm.provider                       none     default                      whose model reads sessions for `cm diary` and `cm reflect`; from your own settings only
    llm.retries                        3        default                      how often a server that is busy or silent is asked again
    llm.script                         -        default                      file of answers for the provider `scripted`, a JSON object a line; from your own settings only
    llm.timeout_s                      60.0     default                      seconds to wait for an answer of a model, each time
    lock.patience_s                    30.0     default                      seconds to wait for another writer
    projects                           []       default                      names of projects, for the patterns across them
    redaction.allow                    []       default                      fingerprints, as `cm commit` shows them, of texts that look like secrets and that a person may commit; sessions lose them all the same
    redaction.enabled                  true     default                      whether secrets are taken out of what is read, and refused in what is written; from your own settings only
    redaction.extra                    []       default                      patterns of further secrets: regular expressions, each with `label = ` before it where its placeholder is to say more
    redaction.rules                    -        default                      file of further rules for secrets, as gitleaks reads it; from your own settings only
    reflect.auto                       false    default                      whether a hook starts `cm reflect` in the background when a session ends, which Codex and opencode do not tell; from your own settings only
    reflect.max_deltas                 50       default                      proposals that one session may make, at most
    reflect.max_iterations             3        default                      how often a model is asked for proposals from one session, at most
    scoring.active                     0.5      default                      least score of an active memory
    scoring.candidate_multiplier       0.5      default                      what the score of a candidate bullet is multiplied with
    scoring.deprecated_events          3        default                      helpful and harmful events before harm deprecates a bullet by its share
    scoring.deprecated_ratio           0.3      default                      share of harm above which a bullet is deprecated
    scoring.dormant                    0.05     default                      least score of a dormant memory
    scoring.established_multiplier     1.0      default                      what the score of an established bullet is multiplied with
    scoring.established_score          2.0      default                      score from which a candidate is established
    scoring.fading                     0.2      default                      least score of a fading memory, and of one in CORE.md
    scoring.half_life_days             90.0     default                      days after which a feedback event counts half
    scoring.harmful_multiplier         4.0      default                      how much heavier harm weighs than help in the score of a bullet
    scoring.importance                 0.5      default                      importance of a memory that names none
    scoring.lambda                     0.03     default                      how fast memories fade, per day
    scoring.pinned                     999.0    default                      score of a pinned memory
    scoring.priority_factor            4.0      default                      how much faster ephemeral observations fade, and critical ones slower
    scoring.proven_multiplier          1.5      default                      what the score of a proven bullet is multiplied with
    scoring.proven_ratio               0.1      default                      share of harm below which an established bullet may be proven
    scoring.proven_score               5.0      default                      score from which an established bullet is proven
    scoring.prune_harmful_threshold    3.0      default                      how far below 0 the score of a bullet may fall before it is deprecated
    scoring.recent_days                30.0     default                      days in which a helpful event is recent enough to promote a bullet
    scoring.stale_days                 90.0     default                      days without feedback after which a bullet is stale
    scoring.unused                     0.5      default                      usage of a memory that nobody asked for yet
    search.graph_share                 0.4      default                      share of its score that a hit hands on to notes that it is related to
    search.limit                       3        CM_SEARCH_LIMIT              hits of a search
    search.weight_blend                0.2      default                      share of the coarse model in nearness, where the finer one has read notes
    search.weight_coarse               6.0      default                      points of BM25 that a nearness of 1 is worth, where only the coarse model has read notes
    search.weight_fine                 20.0     default                      points of BM25 that a nearness of 1 is worth, where the finer model has read notes
    sessions.agents                    []       default                      agents whose sessions are read, such as claude-code; all where none is named; a project's cm.toml can only narrow it
    sessions.cross_agent               false    default                      whether an agent that asks may be shown sessions of another; from your own settings only
    sessions.exports                   []       default                      files or folders of ChatGPT exports that are read as sessions; from your own settings only
    sessions.lookback_days             7.0      default                      days that `cm sessions` and its timeline look back; 0 for all
    sessions.max_file_mb               50       default                      megabytes from which the reading of a log is told, for it takes a while
    sessions.validation_lookback_days  90.0     default                      days of sessions that speak for or against a rule, and that `cm audit` looks through
    sessions.workspaces                ["/"]    CM_SESSIONS_WORKSPACES       folders whose sessions are read: of a project's vault beside its own, of the global one and of jobs these alone; from your own settings only
    sources.cass                       false    default                      whether `cm sessions search` asks the program `cass` too, where it is installed; from your own settings only
    sources.cass_timeout_s             10.0     default                      seconds to wait for what `cass` finds
    vault.exclude                      []       default                      folders of the vault whose files are no notes
    [exit 0]
    "#);
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
    insta::assert_snapshot!(ran.snapshot(), @"
    search.limit = 3 in your settings of this vault  private, never committed
    [exit 0]
    ");
    assert_eq!(commits(&sandbox), 1);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    let got = sandbox.cm(&["config", "get", "search.limit", "--json"]).ok().json();
    assert_eq!(got["settings"][0]["value"], 3);
    insta::assert_snapshot!(got["settings"][0]["origin"].as_str().unwrap(), @"your settings of this vault");
}

#[test]
fn a_key_is_kept_in_the_private_file_and_never_shown() {
    let sandbox = small();
    let key = "sk-12345";
    let refused = sandbox.cm(&["config", "set", "embeddings.key", key]);
    insta::assert_snapshot!(refused.snapshot(), @"
    [stderr]
    error: `embeddings.key` is a secret, and cm.toml is shared
     hint: cm config set embeddings.key … --private
    [exit 2]
    ");
    let set = sandbox.cm(&["config", "set", "embeddings.key", key, "--private"]);
    insta::assert_snapshot!(set.snapshot(), @"
    embeddings.key = (set) in your settings of this vault  private, never committed
    [exit 0]
    ");
    let private = sandbox.open_vault().private().unwrap().settings();
    assert!(std::fs::read_to_string(private).unwrap().contains(key));
    assert_eq!(sandbox.cm(&["config", "get", "embeddings.key"]).ok().stdout, "(set)\n");
    for arguments in [
        &["config", "list"][..],
        &["config", "list", "--json"],
        &["config", "get", "embeddings.key", "--json"],
        &["config", "set", "embeddings.key", key, "--private", "--json"],
        &["doctor", "--json"],
        &["validate", "--json"],
        &["config", "unset", "embeddings.key", "--private"],
    ] {
        let ran = sandbox.run(arguments).env("CM_EMBEDDINGS_KEY", "sk-12345-too").go();
        assert!(!ran.stdout.contains("12345") && !ran.stderr.contains("12345"), "{arguments:?} {ran:?}");
    }
    assert_eq!(sandbox.cm(&["config", "get", "embeddings.key"]).ok().stdout, "-\n");
}

#[test]
fn a_provider_that_the_shared_file_may_not_choose_is_refused_when_it_is_set() {
    let sandbox = small();
    let ran = sandbox.cm(&["config", "set", "embeddings.provider", "openai"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    [stderr]
    error: `embeddings.provider` does not count in cm.toml, which others can write
     hint: cm config set embeddings.provider … --private
    [exit 2]
    ");
    let ran = sandbox.cm(&["config", "set", "embeddings.provider", "openai", "--private"]);
    assert_eq!(ran.ok().stderr, "");
    sandbox.cm(&["config", "set", "embeddings.provider", "none"]).ok();
}

#[test]
fn a_key_in_the_shared_file_does_not_count_and_is_told() {
    let sandbox = small();
    sandbox.write("cm.toml", "[embeddings]\nkey = \"sk-12345\"\n");
    let listed = sandbox.cm(&["config", "get", "embeddings.key", "--json"]).ok();
    assert!(!listed.stdout.contains("12345"), "{}", listed.stdout);
    assert!(listed.json()["settings"][0]["value"].is_null());
    insta::assert_snapshot!(format!("{:#}", listed.json()["findings"]), @r#"
    [
      {
        "path": "cm.toml",
        "line": 2,
        "column": 1,
        "code": "invalid-setting",
        "severity": "warning",
        "message": "`embeddings.key` does not count in cm.toml, which others can write",
        "hint": "take it out, get a new one if others saw it, then: cm config set embeddings.key … --private"
      }
    ]
    "#);
    // Removing it needs no permission.
    sandbox.cm(&["config", "unset", "embeddings.key"]).ok();
    assert!(!sandbox.read("cm.toml").contains("12345"));
}

#[test]
fn a_setting_that_there_is_none_of_or_a_value_of_another_kind_is_refused() {
    let sandbox = small();
    let before = hashes(&sandbox.vault());
    let ran = sandbox.cm(&["config", "get", "search.limits"]);
    insta::assert_snapshot!(ran.snapshot(), @"
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
