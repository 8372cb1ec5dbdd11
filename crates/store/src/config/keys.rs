//! All settings, with type, default and description.

use std::marker::PhantomData;
use std::ops::Deref;

use cm_text::spelling;

/// Type and range of a setting's value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ValueType {
    /// `true` or `false`.
    Bool,
    /// An integer in this inclusive range.
    Integer(i64, i64),
    /// A number in this inclusive range.
    Number(f64, f64),
    /// One of these keywords.
    Keyword(&'static [&'static str]),
    /// A string.
    Text,
    /// A string that is never displayed and not accepted in shared files.
    Secret,
    /// A list of strings.
    TextList,
}

impl ValueType {
    /// Describes the accepted values.
    pub fn words(self) -> String {
        match self {
            Self::Bool => "true or false".to_owned(),
            Self::Integer(least, most) => format!("a whole number from {least} to {most}"),
            Self::Number(least, most) => format!("a number from {least} to {most}"),
            Self::Keyword(words) => words.join(" or "),
            Self::Text | Self::Secret => "a string".to_owned(),
            Self::TextList => "a list of strings".to_owned(),
        }
    }
}

/// Definition of a setting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SettingKey {
    /// Dotted name in snake_case.
    pub name: &'static str,
    pub shape: ValueType,
    /// Default value in TOML. Empty if the default depends on the context, which `about` then
    /// describes.
    pub default: &'static str,
    /// Description for the user.
    pub about: &'static str,
}

/// Settings that run programs, load libraries, send text over the network, disable a protection or
/// select whose sessions are read. They are accepted only from the user's own configuration. A
/// trailing dot matches a whole group.
const USERS: [&str; 18] = [
    "embeddings.key",
    "embeddings.path",
    "embeddings.provider",
    "embeddings.runtime",
    "embeddings.url",
    "git.hooks",
    "hooks.reflect",
    "hooks.sync",
    "llm.",
    "redaction.enabled",
    "redaction.rules",
    "reflect.auto",
    "sessions.cross_agent",
    "sessions.exports",
    "sessions.workspaces",
    "sources.",
    "vault.global",
    "vault.worktree",
];

impl SettingKey {
    /// Whether a value is accepted from a file in the vault, which other people can write.
    pub fn may_be_shared(&self, value: &toml::Value) -> bool {
        // These two stay on this machine and load nothing.
        let harmless =
            self.name == "embeddings.provider" && matches!(value.as_str(), Some("builtin" | "none"));
        harmless || !self.is_users()
    }

    /// Whether the setting is accepted only from the user's own configuration.
    pub fn is_users(&self) -> bool {
        let is_own_name =
            |name: &&str| *name == self.name || (name.ends_with('.') && self.name.starts_with(*name));
        USERS.iter().any(is_own_name)
    }

    /// Returns the value for display. A secret is replaced by `(set)`.
    pub fn shown(&self, value: &toml::Value) -> toml::Value {
        if self.shape == ValueType::Secret { toml::Value::String("(set)".to_owned()) } else { value.clone() }
    }
}

/// A setting whose values have the type `T`.
#[derive(Debug)]
pub struct TypedSetting<T> {
    key: SettingKey,
    value: PhantomData<fn() -> T>,
}

impl<T> Deref for TypedSetting<T> {
    type Target = SettingKey;

    fn deref(&self) -> &SettingKey {
        &self.key
    }
}

/// Rust type of a setting's value, for each [`ValueType`].
macro_rules! value_type {
    (Bool) => { bool };
    (Integer) => { usize };
    (Number) => { f64 };
    (TextList) => { Vec<String> };
    ($other:ident) => { String };
}

/// Declares each setting as `CONSTANT = name: type = default, description;`.
macro_rules! settings {
    ($($constant:ident = $name:literal: $shape:ident $(($($limit:expr),*))? = $default:literal, $about:literal;)*) => {
        $(
            #[doc = concat!("`", $name, "`")]
            pub const $constant: &TypedSetting<value_type!($shape)> = &TypedSetting {
                key: SettingKey {
                    name: $name,
                    shape: ValueType::$shape $(($($limit),*))?,
                    default: $default,
                    about: $about,
                },
                value: PhantomData,
            };
        )*

        /// All settings, sorted by name.
        pub const KEYS: &[SettingKey] = &[$($constant.key),*];

        #[cfg(test)]
        const CONSTANTS: &[&str] = &[$(stringify!($constant)),*];
    };
}

settings! {
    BUDGET_CALL_TOKENS = "budget.call_tokens": Integer(0, 100_000_000) = "100000",
        "token limit of one model call, input and output together; 0 for no limit";
    BUDGET_DAILY_TOKENS = "budget.daily_tokens": Integer(0, 1_000_000_000_000) = "0",
        "daily token limit for models (UTC); 0 for no limit";
    BUDGET_DAILY_USD = "budget.daily_usd": Number(0.0, 100_000.0) = "0.0",
        "daily spending limit for models (USD, UTC day); required for paid models";
    BUDGET_MONTHLY_TOKENS = "budget.monthly_tokens": Integer(0, 1_000_000_000_000) = "0",
        "monthly token limit for models; 0 for no limit";
    BUDGET_MONTHLY_USD = "budget.monthly_usd": Number(0.0, 1_000_000.0) = "0.0",
        "monthly spending limit for models (USD)";
    CONTEXT_MAX_HISTORY = "context.max_history": Integer(0, 100) = "10",
        "maximum number of past sessions in `cm context`";
    CONTEXT_MAX_RULES = "context.max_rules": Integer(1, 1000) = "50",
        "maximum number of rules and anti-patterns in `cm context`";
    CONTEXT_MAX_TOKENS = "context.max_tokens": Integer(100, 1_000_000) = "2000",
        "token limit of `cm context`";
    CORE_LINKS = "core.links": Keyword(&["path", "stem"]) = "\"path\"",
        "link style in CORE.md: relative paths, or wikilinks with the file name";
    CORE_MAX_ENTRIES = "core.max_entries": Integer(1, 1000) = "15",
        "maximum number of entries per section of CORE.md";
    CORE_MAX_TOKENS = "core.max_tokens": Integer(200, 1_000_000) = "3000",
        "token limit of CORE.md";
    CORE_USAGE = "core.usage": Keyword(&["auto", "local", "none"]) = "\"auto\"",
        "whether CORE.md counts how often notes were read here; `auto` counts in a vault without a remote";
    CURATION_BLOCK_COSINE = "curation.block_cosine": Number(0.3, 1.0) = "0.85",
        "cosine similarity above which a new rule counts as blocked";
    CURATION_CONDENSE = "curation.condense": Bool = "true",
        "once a day, in hooks and in the server's jobs, join observations that say the same; `cm undo` takes it back";
    CURATION_DUPLICATE_COSINE = "curation.duplicate_cosine": Number(0.3, 1.0) = "0.85",
        "minimum cosine similarity to list a rule as a neighbour of a new one";
    CURATION_DUPLICATE_JACCARD = "curation.duplicate_jaccard": Number(0.1, 1.0) = "0.85",
        "minimum share of common words to list a rule as a neighbour of a new one";
    CURATION_MAX_PER_CATEGORY = "curation.max_per_category": Integer(1, 100_000) = "200",
        "maximum number of active rules per category; further rules become drafts";
    CURATION_MERGE_COSINE = "curation.merge_cosine": Number(0.3, 1.0) = "0.85",
        "cosine similarity from which merge candidates need less certainty";
    EMBEDDINGS_BUDGET_MS = "embeddings.budget_ms": Integer(0, 60_000) = "250",
        "milliseconds that a command may spend on embedding new notes with the larger model, and again for each session log that it reads; `cm reflect` spends up to ten seconds on what it learned, unless this is 0";
    EMBEDDINGS_KEY = "embeddings.key": Secret = "",
        "API key of the embedding server; only from your own settings or CM_EMBEDDINGS_KEY, for OpenAI's own server also OPENAI_API_KEY";
    EMBEDDINGS_MODEL = "embeddings.model": Text = "\"\"",
        "embedding model, such as bge-small-en-v1.5; built in are minilm-l6 (English) and, in builds that contain it, e5-small (multilingual) [default: chosen by the provider]";
    EMBEDDINGS_PATH = "embeddings.path": Text = "\"\"",
        "folder of an ONNX model for fastembed; only from your own settings";
    EMBEDDINGS_PROVIDER = "embeddings.provider": Keyword(&["builtin", "fastembed", "ollama", "openai", "none"]) = "\"builtin\"",
        "embedding provider; only from your own settings, except builtin and none";
    EMBEDDINGS_RUNTIME = "embeddings.runtime": Text = "\"\"",
        "ONNX Runtime library for fastembed; only from your own settings";
    EMBEDDINGS_TIMEOUT_S = "embeddings.timeout_s": Number(0.1, 600.0) = "30.0",
        "timeout of the embedding server in seconds; its first answer to notes may take 300";
    EMBEDDINGS_URL = "embeddings.url": Text = "\"\"",
        "URL of the embedding server, such as http://localhost:11434; only from your own settings";
    GIT_COMMIT = "git.commit": Keyword(&["auto", "manual"]) = "\"auto\"",
        "commit every change immediately, only the vault's own notes; with `manual`, use `cm commit`";
    GIT_HOOKS = "git.hooks": Bool = "false",
        "run Git commit hooks; only from your own settings";
    GIT_SIGN = "git.sign": Bool = "",
        "sign commits [default: Git's commit.gpgsign]";
    HOOKS_CAPTURE = "hooks.capture": Bool = "true",
        "read new log entries in the background when a session is compacted or ends";
    HOOKS_MAX_CHARACTERS = "hooks.max_characters": Integer(200, 9900) = "2000",
        "maximum number of characters added to a prompt";
    HOOKS_MAX_NOTES = "hooks.max_notes": Integer(0, 50) = "5",
        "maximum number of rules and memories added to a prompt";
    HOOKS_PROPOSE = "hooks.propose": Bool = "true",
        "ask the agent to record what you type if it may be meant to last";
    HOOKS_REFLECT = "hooks.reflect": Keyword(&["ask", "background", "off"]) = "\"ask\"",
        "what happens to unrecorded statements at the end of a session: `ask` the agent once, where cm's MCP server or skills are installed; read the session in the `background` with the agent's own command; or `off`";
    HOOKS_START_TOKENS = "hooks.start_tokens": Integer(250, 2475) = "2000",
        "token limit of the context added at session start";
    HOOKS_SYNC = "hooks.sync": Bool = "false",
        "run `cm sync` in the background when a session ends; only from your own settings";
    HOOKS_THRESHOLD = "hooks.threshold": Number(0.0, 1.0) = "0.5",
        "minimum relevance of a rule or memory added to a prompt";
    LLM_API_KEY_CMD = "llm.api_key_cmd": Text = "\"\"",
        "command that prints the API key of the model server; only from your own settings";
    LLM_BASE_URL = "llm.base_url": Text = "\"\"",
        "URL of the model server, such as http://localhost:11434/v1; only from your own settings";
    LLM_COMMAND = "llm.command": Text = "\"\"",
        "command that reads a prompt from standard input and prints the answer, such as `claude -p`; only from your own settings";
    LLM_COMMAND_ENV = "llm.command_env": TextList = "[]",
        "extra environment variables for the command, such as ANTHROPIC_API_KEY or AWS_*; only from your own settings";
    LLM_FALLBACK = "llm.fallback": TextList = "[]",
        "fallback models if the first does not answer, such as ollama/qwen3:8b or cli; only from your own settings";
    LLM_KEY = "llm.key": Secret = "",
        "API key of the model server; only from your own settings or CM_LLM_KEY, for the provider's own server also its usual variable";
    LLM_MAX_TOKENS = "llm.max_tokens": Integer(16, 1_000_000) = "4096",
        "maximum number of tokens of a model's answer, including reasoning";
    LLM_MODEL = "llm.model": Text = "\"\"",
        "model name, required by providers without a default; only from your own settings";
    LLM_PRICES = "llm.prices": TextList = "[]",
        "model prices in USD per million input and output tokens, such as \"gpt-5-mini 0.25 2\"; only from your own settings";
    LLM_PROVIDER = "llm.provider": Keyword(&["none", "cli", "openai", "anthropic", "google", "bedrock", "ollama", "compatible", "scripted"]) = "\"none\"",
        "provider of the model that reads sessions for `cm diary` and `cm reflect`; only from your own settings";
    LLM_RETRIES = "llm.retries": Integer(0, 10) = "3",
        "number of retries if a server is busy or does not answer";
    LLM_SCRIPT = "llm.script": Text = "\"\"",
        "file with answers for the provider `scripted`, one JSON object per line; only from your own settings";
    LLM_TIMEOUT_S = "llm.timeout_s": Number(1.0, 3600.0) = "60.0",
        "timeout of one model call in seconds";
    LOCK_PATIENCE_S = "lock.patience_s": Number(0.0, 3600.0) = "30.0",
        "seconds to wait for another process that holds the vault lock";
    PROJECTS = "projects": TextList = "[]",
        "project names, used to find patterns across projects";
    REDACTION_ALLOW = "redaction.allow": TextList = "[]",
        "fingerprints, as `cm commit` shows them, of texts that look like secrets but may be committed; they are still removed from sessions";
    REDACTION_ENABLED = "redaction.enabled": Bool = "true",
        "remove secrets from what is read and refuse them in what is written; only from your own settings";
    REDACTION_EXTRA = "redaction.extra": TextList = "[]",
        "additional secret patterns: regular expressions, optionally with `label = ` in front for the placeholder";
    REDACTION_RULES = "redaction.rules": Text = "\"\"",
        "file with additional secret rules in gitleaks format; only from your own settings";
    REFLECT_AUTO = "reflect.auto": Bool = "false",
        "start `cm reflect` in the background when a session ends; only from your own settings";
    REFLECT_MAX_DELTAS = "reflect.max_deltas": Integer(1, 50) = "50",
        "maximum number of proposals from one session";
    REFLECT_MAX_ITERATIONS = "reflect.max_iterations": Integer(1, 10) = "3",
        "maximum number of model calls for proposals from one session";
    REFLECT_NATIVE = "reflect.native": Bool = "true",
        "`cm reflect` also takes over what Claude Code and Codex remember by themselves, as unverified memories";
    SCORING_ACTIVE = "scoring.active": Number(0.0, 1000.0) = "0.5",
        "minimum score of an active memory";
    SCORING_CANDIDATE_MULTIPLIER = "scoring.candidate_multiplier": Number(0.0, 1000.0) = "0.5",
        "score factor of a candidate rule";
    SCORING_DEPRECATED_EVENTS = "scoring.deprecated_events": Integer(1, 100_000) = "3",
        "minimum number of helpful and harmful events before the harmful share can deprecate a rule";
    SCORING_DEPRECATED_RATIO = "scoring.deprecated_ratio": Number(0.0, 1.0) = "0.3",
        "harmful share above which a rule is deprecated";
    SCORING_DORMANT = "scoring.dormant": Number(0.0, 1000.0) = "0.05",
        "minimum score of a dormant memory";
    SCORING_ESTABLISHED_MULTIPLIER = "scoring.established_multiplier": Number(0.0, 1000.0) = "1.0",
        "score factor of an established rule";
    SCORING_ESTABLISHED_SCORE = "scoring.established_score": Number(0.0, 100_000.0) = "2.0",
        "minimum score to promote a candidate to established";
    SCORING_FADING = "scoring.fading": Number(0.0, 1000.0) = "0.2",
        "minimum score of a fading memory, and of a memory in CORE.md";
    SCORING_HALF_LIFE_DAYS = "scoring.half_life_days": Number(0.01, 100_000.0) = "90.0",
        "half-life of a feedback event in days";
    SCORING_HARMFUL_MULTIPLIER = "scoring.harmful_multiplier": Number(0.0, 1000.0) = "4.0",
        "weight of harmful feedback relative to helpful feedback";
    SCORING_IMPORTANCE = "scoring.importance": Number(0.0, 1.0) = "0.5",
        "importance of a memory that does not set it";
    SCORING_LAMBDA = "scoring.lambda": Number(0.0, 10.0) = "0.03",
        "decay rate of memories per day";
    SCORING_PINNED = "scoring.pinned": Number(100.0, 1_000_000.0) = "999.0",
        "score of a pinned memory";
    SCORING_PRIORITY_FACTOR = "scoring.priority_factor": Number(0.01, 1000.0) = "4.0",
        "decay factor: ephemeral observations fade this much faster, critical ones this much slower";
    SCORING_PROVEN_MULTIPLIER = "scoring.proven_multiplier": Number(0.0, 1000.0) = "1.5",
        "score factor of a proven rule";
    SCORING_PROVEN_RATIO = "scoring.proven_ratio": Number(0.0, 1.0) = "0.1",
        "harmful share below which an established rule may become proven";
    SCORING_PROVEN_SCORE = "scoring.proven_score": Number(0.0, 100_000.0) = "5.0",
        "minimum score to promote an established rule to proven";
    SCORING_PRUNE_HARMFUL_THRESHOLD = "scoring.prune_harmful_threshold": Number(0.0, 1000.0) = "3.0",
        "how far below 0 a rule's score may fall before the rule is deprecated";
    SCORING_RECENT_DAYS = "scoring.recent_days": Number(0.0, 100_000.0) = "30.0",
        "days in which a helpful event counts as recent for promotion";
    SCORING_STALE_DAYS = "scoring.stale_days": Number(0.0, 100_000.0) = "90.0",
        "days without feedback after which a rule is stale";
    SCORING_UNUSED = "scoring.unused": Number(0.0, 1000.0) = "0.5",
        "usage value of a memory that was never read";
    SEARCH_GRAPH_SHARE = "search.graph_share": Number(0.0, 1.0) = "0.4",
        "share of its score that a result passes on to related notes";
    SEARCH_LIMIT = "search.limit": Integer(1, 1000) = "10",
        "maximum number of search results";
    SEARCH_WEIGHT_BLEND = "search.weight_blend": Number(0.0, 1.0) = "0.1",
        "weight of the small model in semantic similarity, for notes embedded by both models";
    SEARCH_WEIGHT_COARSE = "search.weight_coarse": Number(0.0, 1000.0) = "6.0",
        "BM25 points for a similarity of 1, for notes embedded by the small model only";
    SEARCH_WEIGHT_FINE = "search.weight_fine": Number(0.0, 1000.0) = "20.0",
        "BM25 points for a similarity of 1, for notes embedded by the larger model";
    SESSIONS_AGENTS = "sessions.agents": TextList = "[]",
        "agents whose sessions are read, such as claude-code; empty for all; a project's cm.toml can only narrow the list";
    SESSIONS_CROSS_AGENT = "sessions.cross_agent": Bool = "false",
        "show agents the sessions of other agents, and list them in diaries; only from your own settings";
    SESSIONS_EXPORTS = "sessions.exports": TextList = "[]",
        "ChatGPT export files or folders to read as sessions; only from your own settings";
    SESSIONS_LOOKBACK_DAYS = "sessions.lookback_days": Number(0.0, 100_000.0) = "7.0",
        "days that `cm sessions` and its timeline cover; 0 for all";
    SESSIONS_MAX_FILE_MB = "sessions.max_file_mb": Integer(1, 1_000_000) = "50",
        "log size in megabytes from which cm reports progress";
    SESSIONS_VALIDATION_LOOKBACK_DAYS = "sessions.validation_lookback_days": Number(0.0, 100_000.0) = "90.0",
        "days of sessions used to check rules and by `cm audit`";
    SESSIONS_WORKSPACES = "sessions.workspaces": TextList = "[]",
        "folders whose sessions are read: in addition to a project vault's own folder, and the only ones for the global vault and jobs; only from your own settings";
    SOURCES_CASS = "sources.cass": Bool = "false",
        "also search sessions with the program `cass`, if it is installed; only from your own settings";
    SOURCES_CASS_TIMEOUT_S = "sources.cass_timeout_s": Number(0.1, 600.0) = "10.0",
        "timeout of `cass` in seconds";
    SYNC_TIMEOUT_S = "sync.timeout_s": Number(1.0, 3600.0) = "60.0",
        "how long `cm sync` waits for a remote that gives no sign of life, in seconds";
    VAULT_EXCLUDE = "vault.exclude": TextList = "[]",
        "folders in the vault whose files are not notes";
    VAULT_GLOBAL = "vault.global": Text = "\"\"",
        "folder of the vault that you use in every project; only from your settings for all vaults [default: cm in the platform's data directory]";
    VAULT_WORKTREE = "vault.worktree": Keyword(&["own", "main"]) = "\"own\"",
        "which memory a linked Git work tree uses: its own files, or those of the main work tree; only from your own settings";
}

/// Names of tables that are not single settings.
pub const TABLES: [&str; 2] = ["types", "relations"];

/// Returns the setting with this name.
pub fn find(name: &str) -> Option<&'static SettingKey> {
    KEYS.iter().find(|key| key.name == name)
}

/// Whether the name is one of the [`TABLES`], or of something in it: `types.runbook.folder`.
pub fn is_in_table(name: &str) -> bool {
    name.split('.').next().is_some_and(|first| TABLES.contains(&first))
}

/// Returns the most similar name of a setting, group or table, if one is similar enough.
pub fn nearest(name: &str) -> Option<&'static str> {
    let groups = KEYS.iter().filter_map(|key| Some(key.name.split_once('.')?.0));
    spelling::nearest(name, KEYS.iter().map(|key| key.name).chain(TABLES).chain(groups))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_finds_the_name_that_was_meant() {
        assert_eq!(nearest("git.comit"), Some("git.commit"));
        assert_eq!(nearest("search.limits"), Some("search.limit"));
        assert_eq!(nearest("type"), Some("types"));
        assert_eq!(nearest("serach"), Some("search"));
        assert_eq!(nearest("colour"), None);
    }

    #[test]
    fn names_are_sorted_and_defaults_fit_their_shapes() {
        assert!(KEYS.is_sorted_by_key(|key| key.name));
        let constants: Vec<String> =
            KEYS.iter().map(|key| key.name.replace('.', "_").to_uppercase()).collect();
        assert_eq!(constants, CONSTANTS);
        for key in KEYS.iter().filter(|key| !key.default.is_empty()) {
            let value: toml::Value =
                format!("x = {}", key.default).parse::<toml::Table>().unwrap()["x"].clone();
            assert!(super::super::layer::fits(key.shape, &value), "{}", key.name);
        }
    }
}
