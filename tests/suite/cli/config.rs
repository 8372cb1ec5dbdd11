//! `cm config`

use super::small::{commits, committed, message, small};
use crate::support::{Sandbox, hashes, vault_of};

#[test]
fn every_setting_is_listed_with_its_value_and_where_it_came_from() {
    let sandbox = small();
    sandbox.write("cm.toml", "[search]\nlimit = 5\n");
    sandbox.settings("[core]\nmax_tokens = 900\n");
    let ran = sandbox.run(&["config", "list"]).env("CM_SEARCH_LIMIT", "3").go();
    insta::assert_snapshot!(ran.snapshot(), @r#"
    budget.call_tokens                 100000   default                       token limit of one model call, input and output together; 0 for no limit
    budget.daily_tokens                0        default                       daily token limit for models (UTC); 0 for no limit
    budget.daily_usd                   0.0      default                       daily spending limit for models (USD, UTC day); required for paid models
    budget.monthly_tokens              0        default                       monthly token limit for models; 0 for no limit
    budget.monthly_usd                 0.0      default                       monthly spending limit for models (USD)
    context.max_history                10       default                       maximum number of past sessions in `cm context`
    context.max_rules                  50       default                       maximum number of rules and anti-patterns in `cm context`
    context.max_tokens                 2000     default                       token limit of `cm context`
    core.links                         path     default                       link style in CORE.md: relative paths, or wikilinks with the file name
    core.max_entries                   15       default                       maximum number of entries per section of CORE.md
    core.max_tokens                    900      your settings for this vault  token limit of CORE.md
    core.usage                         auto     default                       whether CORE.md counts how often notes were read here; `auto` counts in a vault without a remote
    curation.block_cosine              0.85     default                       cosine similarity above which a new rule counts as blocked
    curation.condense                  true     default                       once a day, in hooks and in the server's jobs, join observations that say the same; `cm undo` takes it back
    curation.duplicate_cosine          0.85     default                       minimum cosine similarity to list a rule as a neighbour of a new one
    curation.duplicate_jaccard         0.85     default                       minimum share of common words to list a rule as a neighbour of a new one
    curation.max_per_category          200      default                       maximum number of active rules per category; further rules become drafts
    curation.merge_cosine              0.85     default                       cosine similarity from which merge candidates need less certainty
    embeddings.budget_ms               0        CM_EMBEDDINGS_BUDGET_MS       milliseconds that a command may spend on embedding new notes with the larger model, and again for each session log that it reads; `cm reflect` spends up to ten seconds on what it learned, unless this is 0
    embeddings.key                     -        default                       API key of the embedding server; only from your own settings or CM_EMBEDDINGS_KEY, for OpenAI's own server also OPENAI_API_KEY
    embeddings.model                   -        default                       embedding model, such as bge-small-en-v1.5; built in are minilm-l6 (English) and, in builds that contain it, e5-small (multilingual) [default: chosen by the provider]
    embeddings.path                    -        default                       folder of an ONNX model for fastembed; only from your own settings
    embeddings.provider                builtin  default                       embedding provider; only from your own settings, except builtin and none
    embeddings.runtime                 -        default                       ONNX Runtime library for fastembed; only from your own settings
    embeddings.timeout_s               30.0     default                       timeout of the embedding server in seconds; its first answer to notes may take 300
    embeddings.url                     -        default                       URL of the embedding server, such as http://localhost:11434; only from your own settings
    git.commit                         auto     default                       commit every change immediately, only the vault's own notes; with `manual`, use `cm commit`
    git.hooks                          false    default                       run Git commit hooks; only from your own settings
    git.sign                           -        default                       sign commits [default: Git's commit.gpgsign]
    hooks.capture                      true     default                       read new log entries in the background when a session is compacted or ends
    hooks.max_characters               2000     default                       maximum number of characters added to a prompt
    hooks.max_notes                    5        default                       maximum number of rules and memories added to a prompt
    hooks.propose                      true     default                       ask the agent to record what you type if it may be meant to last
    hooks.reflect                      ask      default                       what happens to unrecorded statements at the end of a session: `ask` the agent once, where cm's MCP server or skills are installed; read the session in the `background` with the agent's own command; or `off`
    hooks.start_tokens                 2000     default                       token limit of the context added at session start
    hooks.sync                         false    default                       run `cm sync` in the background when a session ends; only from your own settings
    hooks.threshold                    0.5      default                       minimum relevance of a rule or memory added to a prompt
    llm.api_key_cmd                    -        default                       command that prints the API key of the model server; only from your own settings
    llm.base_url                       -        default                       URL of the model server, such as http://localhost:11434/v1; only from your own settings
    llm.command                        -        default                       command that reads a prompt from standard input and prints the answer, such as `claude -p`; only from your own settings
    llm.command_env                    []       default                       extra environment variables for the command, such as ANTHROPIC_API_KEY or AWS_*; only from your own settings
    llm.fallback                       []       default                       fallback models if the first does not answer, such as ollama/qwen3:8b or cli; only from your own settings
    llm.key                            -        default                       API key of the model server; only from your own settings or CM_LLM_KEY, for the provider's own server also its usual variable
    llm.max_tokens                     4096     default                       maximum number of tokens of a model's answer, including reasoning
    llm.model                          -        default                       model name, required by providers without a default; only from your own settings
    llm.prices                         []       default                       model prices in USD per million input and output tokens, such as "gpt-5-mini 0.25 2"; only from your own settings
    llm.provider                       none     default                       provider of the model that reads sessions for `cm diary` and `cm reflect`; only from your own settings
    llm.retries                        3        default                       number of retries if a server is busy or does not answer
    llm.script                         -        default                       file with answers for the provider `scripted`, one JSON object per line; only from your own settings
    llm.timeout_s                      60.0     default                       timeout of one model call in seconds
    lock.patience_s                    30.0     default                       seconds to wait for another process that holds the vault lock
    projects                           []       default                       project names, used to find patterns across projects
    redaction.allow                    []       default                       fingerprints, as `cm commit` shows them, of texts that look like secrets but may be committed; they are still removed from sessions
    redaction.enabled                  true     default                       remove secrets from what is read and refuse them in what is written; only from your own settings
    redaction.extra                    []       default                       additional secret patterns: regular expressions, optionally with `label = ` in front for the placeholder
    redaction.rules                    -        default                       file with additional secret rules in gitleaks format; only from your own settings
    reflect.auto                       false    default                       start `cm reflect` in the background when a session ends; only from your own settings
    reflect.max_deltas                 50       default                       maximum number of proposals from one session
    reflect.max_iterations             3        default                       maximum number of model calls for proposals from one session
    reflect.native                     true     default                       `cm reflect` also takes over what Claude Code and Codex remember by themselves, as unverified memories
    scoring.active                     0.5      default                       minimum score of an active memory
    scoring.candidate_multiplier       0.5      default                       score factor of a candidate rule
    scoring.deprecated_events          3        default                       minimum number of helpful and harmful events before the harmful share can deprecate a rule
    scoring.deprecated_ratio           0.3      default                       harmful share above which a rule is deprecated
    scoring.dormant                    0.05     default                       minimum score of a dormant memory
    scoring.established_multiplier     1.0      default                       score factor of an established rule
    scoring.established_score          2.0      default                       minimum score to promote a candidate to established
    scoring.fading                     0.2      default                       minimum score of a fading memory, and of a memory in CORE.md
    scoring.half_life_days             90.0     default                       half-life of a feedback event in days
    scoring.harmful_multiplier         4.0      default                       weight of harmful feedback relative to helpful feedback
    scoring.importance                 0.5      default                       importance of a memory that does not set it
    scoring.lambda                     0.03     default                       decay rate of memories per day
    scoring.pinned                     999.0    default                       score of a pinned memory
    scoring.priority_factor            4.0      default                       decay factor: ephemeral observations fade this much faster, critical ones this much slower
    scoring.proven_multiplier          1.5      default                       score factor of a proven rule
    scoring.proven_ratio               0.1      default                       harmful share below which an established rule may become proven
    scoring.proven_score               5.0      default                       minimum score to promote an established rule to proven
    scoring.prune_harmful_threshold    3.0      default                       how far below 0 a rule's score may fall before the rule is deprecated
    scoring.recent_days                30.0     default                       days in which a helpful event counts as recent for promotion
    scoring.stale_days                 90.0     default                       days without feedback after which a rule is stale
    scoring.unused                     0.5      default                       usage value of a memory that was never read
    search.graph_share                 0.4      default                       share of its score that a result passes on to related notes
    search.limit                       3        CM_SEARCH_LIMIT               maximum number of search results
    search.weight_blend                0.1      default                       weight of the small model in semantic similarity, for notes embedded by both models
    search.weight_coarse               6.0      default                       BM25 points for a similarity of 1, for notes embedded by the small model only
    search.weight_fine                 20.0     default                       BM25 points for a similarity of 1, for notes embedded by the larger model
    sessions.agents                    []       default                       agents whose sessions are read, such as claude-code; empty for all; a project's cm.toml can only narrow the list
    sessions.cross_agent               false    default                       show agents the sessions of other agents, and list them in diaries; only from your own settings
    sessions.exports                   []       default                       ChatGPT export files or folders to read as sessions; only from your own settings
    sessions.lookback_days             7.0      default                       days that `cm sessions` and its timeline cover; 0 for all
    sessions.max_file_mb               50       default                       log size in megabytes from which cm reports progress
    sessions.validation_lookback_days  90.0     default                       days of sessions used to check rules and by `cm audit`
    sessions.workspaces                ["/"]    CM_SESSIONS_WORKSPACES        folders whose sessions are read: in addition to a project vault's own folder, and the only ones for the global vault and jobs; only from your own settings
    sources.cass                       false    default                       also search sessions with the program `cass`, if it is installed; only from your own settings
    sources.cass_timeout_s             10.0     default                       timeout of `cass` in seconds
    sync.timeout_s                     60.0     default                       how long `cm sync` waits for a remote that gives no sign of life, in seconds
    vault.exclude                      []       default                       folders in the vault whose files are not notes
    vault.global                       -        default                       folder of the vault that you use in every project; only from your settings for all vaults [default: cm in the platform's data directory]
    vault.worktree                     own      default                       which memory a linked Git work tree uses: its own files, or those of the main work tree; only from your own settings
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
    search.limit = 3 in your settings for this vault  private, never committed
    [exit 0]
    ");
    assert_eq!(commits(&sandbox), 1);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    let got = sandbox.cm(&["config", "get", "search.limit", "--json"]).ok().json();
    assert_eq!(got["settings"][0]["value"], 3);
    insta::assert_snapshot!(got["settings"][0]["origin"].as_str().unwrap(), @"your settings for this vault");
}

#[test]
fn a_key_is_kept_in_the_private_file_and_never_shown() {
    let sandbox = small();
    let key = "sk-12345";
    let refused = sandbox.cm(&["config", "set", "embeddings.key", key]);
    insta::assert_snapshot!(refused.snapshot(), @"
    [stderr]
    error: `embeddings.key` is a secret, and cm.toml is shared
     hint: run `cm config set embeddings.key … --private`
    [exit 2]
    ");
    let set = sandbox.cm(&["config", "set", "embeddings.key", key, "--private"]);
    insta::assert_snapshot!(set.snapshot(), @"
    embeddings.key = (set) in your settings for this vault  private, never committed
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
    error: `embeddings.provider` is ignored in cm.toml, because others can write to this file
     hint: run `cm config set embeddings.provider … --private`
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
        "message": "`embeddings.key` is ignored in cm.toml, because others can write to this file",
        "hint": "remove it, replace the secret if others saw it, then run `cm config set embeddings.key … --private`"
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
    error: unknown setting `search.limits`
     hint: did you mean `search.limit`?
    [exit 4]
    ");
    let ran = sandbox.cm(&["config", "set", "search.limit", "many"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: `search.limit` takes a whole number from 1 to 1000, not `many`
     hint: `cm help config set` shows its arguments with examples
    [exit 2]
    ");
    let ran = sandbox.cm(&["config", "set", "search.limit", "many", "--json"]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    {
      "error": {
        "code": "usage",
        "message": "`search.limit` takes a whole number from 1 to 1000, not `many`",
        "hint": "`cm help config set` shows its arguments with examples"
      }
    }
    [exit 2]
    "#);
    let ran = sandbox.cm(&["config", "set", "git.commit", "sometimes"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: `git.commit` takes auto or manual, not `sometimes`
     hint: `cm help config set` shows its arguments with examples
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
        "message": "unknown setting `search.limits`",
        "hint": "did you mean `search.limit`?"
      }
    ]
    "#);
    sandbox.write("cm.toml", "[search\n");
    let ran = sandbox.cm(&["config", "set", "search.limit", "7"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: cm.toml is not valid TOML: unclosed table, expected `]`
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
    assert!(read.stderr.contains("its settings are ignored"), "{}", read.stderr);
    assert_eq!(sandbox.cm(&["validate"]).code, 1);
    assert_eq!(sandbox.cm(&["doctor"]).code, 1);
}

#[test]
fn a_schema_for_editors_is_printed_without_a_vault() {
    let sandbox = Sandbox::new();
    for (arguments, id) in [
        (&["config", "schema"][..], "urn:cm:schema:settings"),
        (&["config", "schema", "memory", "--json"], "urn:cm:schema:memory"),
    ] {
        assert_eq!(sandbox.cm(arguments).ok().json()["$id"], id);
    }
    let files = ["settings", "memory", "edge", "bullet", "blocked", "episode", "diary"];
    for name in files {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("schema/{name}.json"));
        let kept: serde_json::Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        assert_eq!(sandbox.cm(&["config", "schema", name]).ok().json(), kept);
    }
}

#[test]
fn own_types_and_edge_types_are_set_and_shown_like_other_settings() {
    let sandbox = small();
    sandbox.write("cm.toml", "# Ours.\nprojects = [\"tidewater\"]\n");
    sandbox.cm(&["config", "set", "relations", "BLOCKS, PART_OF"]).ok();
    sandbox.cm(&["config", "set", "types.runbook.folder", "runbooks"]).ok();
    sandbox.cm(&["config", "set", "types.runbook.required", r#"["owner"]"#]).ok();
    sandbox.cm(&["config", "set", "types.recipe", r#"{ folder = "recipes", weight = 0.8 }"#]).ok();
    insta::assert_snapshot!(sandbox.read("cm.toml"), @r#"
    # Ours.
    projects = ["tidewater"]
    relations = ["BLOCKS", "PART_OF"]

    [types]
    recipe = { folder = "recipes", weight = 0.8 }

    [types.runbook]
    folder = "runbooks"
    required = ["owner"]
    "#);
    insta::assert_snapshot!(sandbox.cm(&["config", "get", "types.runbook"]).snapshot(), @r#"
    {"folder":"runbooks","required":["owner"]}
    [exit 0]
    "#);
    assert!(sandbox.cm(&["config", "get", "types"]).ok().stdout.contains("recipes"));
    let added =
        sandbox.cm(&["add", "--type", "runbook", "--title", "Restart the pool", "--set", "owner=ops"]).ok();
    assert!(added.stdout.contains("graph/runbooks/"), "{}", added.stdout);

    let before = sandbox.read("cm.toml");
    let ran = sandbox.cm(&["config", "set", "types.runbook.weight", "heavy"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    [stderr]
    error: the type `runbook` needs a folder of letters, digits and dashes, and a weight of 0 or more
     hint: `cm config set types.runbook.folder runbooks`, `cm config set relations BLOCKS,PART_OF`
    [exit 2]
    ");
    for refused in [
        &["config", "set", "relations", "[BLOCKS"][..],
        &["config", "set", "types.runbook", "runbooks"],
        &["config", "set", "types.runbook.folder", "../outside"],
        &["config", "set", "types.runbook.folder", "runbooks", "--private"],
    ] {
        assert_eq!(sandbox.cm(refused).code, 2, "{refused:?}");
    }
    assert_eq!(sandbox.read("cm.toml"), before);
    sandbox.cm(&["config", "unset", "types.recipe"]).ok();
    assert!(!sandbox.read("cm.toml").contains("recipe"));
}

#[test]
fn settings_edited_by_hand_stay_uncommitted_beside_one_that_is_set() {
    let sandbox = small();
    sandbox.write("cm.toml", "[search]\nlimit = 5\n");
    sandbox.commit_all("Settings");
    sandbox.write("cm.toml", sandbox.read("cm.toml") + "\n[context]\nmax_rules = 30\n");
    sandbox.cm(&["config", "set", "search.limit", "6"]).ok();
    let committed = sandbox.git(&["show", "HEAD:cm.toml"]);
    assert!(committed.contains("limit = 6") && !committed.contains("max_rules"), "{committed}");
    let found = sandbox.read("cm.toml");
    assert!(found.contains("limit = 6") && found.contains("max_rules = 30"), "{found}");
}

#[test]
fn the_first_lines_of_a_file_of_comments_stay_first() {
    let sandbox = vault_of("--- cm.toml\n#:schema ./cm.schema.json\n# Settings of this vault.\n");
    sandbox.cm(&["config", "set", "search.limit", "7"]).ok();
    sandbox.cm(&["config", "set", "search.limit", "8"]).ok();
    let expected = "#:schema ./cm.schema.json\n# Settings of this vault.\n\n[search]\nlimit = 8\n";
    assert_eq!(sandbox.read("cm.toml"), expected);
}

#[test]
fn a_setting_that_is_set_after_a_merge_loses_the_remark_about_the_other_value() {
    let remark = "# cm merge: another side set `max_per_category = 40`\n";
    let sandbox = vault_of(&format!("--- cm.toml\n[curation]\n# Why\n{remark}max_per_category = 60\n"));
    sandbox.cm(&["config", "set", "curation.max_per_category", "60"]).ok();
    assert_eq!(sandbox.read("cm.toml"), "[curation]\n# Why\nmax_per_category = 60\n");
}
