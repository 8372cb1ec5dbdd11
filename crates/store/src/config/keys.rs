//! All settings, with type, default and description.

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
const USERS: [&str; 15] = [
    "embeddings.key",
    "embeddings.path",
    "embeddings.provider",
    "embeddings.runtime",
    "embeddings.url",
    "git.hooks",
    "hooks.reflect",
    "llm.",
    "redaction.enabled",
    "redaction.rules",
    "reflect.auto",
    "sessions.cross_agent",
    "sessions.exports",
    "sessions.workspaces",
    "sources.",
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
        let named = |name: &&str| *name == self.name || (name.ends_with('.') && self.name.starts_with(*name));
        USERS.iter().any(named)
    }

    /// Returns the value for display. A secret is replaced by `(set)`.
    pub fn shown(&self, value: &toml::Value) -> toml::Value {
        if self.shape == ValueType::Secret { toml::Value::String("(set)".to_owned()) } else { value.clone() }
    }
}

const fn key(name: &'static str, shape: ValueType, default: &'static str, about: &'static str) -> SettingKey {
    SettingKey { name, shape, default, about }
}

/// All settings, sorted by name.
pub const KEYS: &[SettingKey] = &[
    key(
        "budget.call_tokens",
        ValueType::Integer(0, 100_000_000),
        "100000",
        "token limit of one model call, input and output together; 0 for no limit",
    ),
    key(
        "budget.daily_tokens",
        ValueType::Integer(0, 1_000_000_000_000),
        "0",
        "daily token limit for models (UTC); 0 for no limit",
    ),
    key(
        "budget.daily_usd",
        ValueType::Number(0.0, 100_000.0),
        "0.0",
        "daily spending limit for models (USD, UTC day); required for paid models",
    ),
    key(
        "budget.monthly_tokens",
        ValueType::Integer(0, 1_000_000_000_000),
        "0",
        "monthly token limit for models; 0 for no limit",
    ),
    key(
        "budget.monthly_usd",
        ValueType::Number(0.0, 1_000_000.0),
        "0.0",
        "monthly spending limit for models (USD)",
    ),
    key(
        "context.max_history",
        ValueType::Integer(0, 100),
        "10",
        "maximum number of past sessions in `cm context`",
    ),
    key(
        "context.max_rules",
        ValueType::Integer(1, 1000),
        "50",
        "maximum number of rules and anti-patterns in `cm context`",
    ),
    key("context.max_tokens", ValueType::Integer(100, 1_000_000), "2000", "token limit of `cm context`"),
    key(
        "core.links",
        ValueType::Keyword(&["path", "stem"]),
        "\"path\"",
        "link style in CORE.md: relative paths, or wikilinks with the file name",
    ),
    key(
        "core.max_entries",
        ValueType::Integer(1, 1000),
        "15",
        "maximum number of entries per section of CORE.md",
    ),
    key("core.max_tokens", ValueType::Integer(200, 1_000_000), "3000", "token limit of CORE.md"),
    key(
        "core.usage",
        ValueType::Keyword(&["auto", "local", "none"]),
        "\"auto\"",
        "whether CORE.md counts how often notes were read here; `auto` counts in a vault without a remote",
    ),
    key(
        "curation.block_cosine",
        ValueType::Number(0.3, 1.0),
        "0.85",
        "cosine similarity above which a new rule counts as blocked",
    ),
    key(
        "curation.duplicate_cosine",
        ValueType::Number(0.3, 1.0),
        "0.85",
        "minimum cosine similarity to list a rule as a neighbour of a new one",
    ),
    key(
        "curation.duplicate_jaccard",
        ValueType::Number(0.1, 1.0),
        "0.85",
        "minimum share of common words to list a rule as a neighbour of a new one",
    ),
    key(
        "curation.max_per_category",
        ValueType::Integer(1, 100_000),
        "200",
        "maximum number of active rules per category; further rules become drafts",
    ),
    key(
        "curation.merge_cosine",
        ValueType::Number(0.3, 1.0),
        "0.85",
        "minimum cosine similarity of merge candidates",
    ),
    key(
        "embeddings.budget_ms",
        ValueType::Integer(0, 60_000),
        "250",
        "milliseconds that a command may spend on embedding new notes with the larger model",
    ),
    key(
        "embeddings.key",
        ValueType::Secret,
        "",
        "API key of the embedding server; only from your own settings or CM_EMBEDDINGS_KEY, for OpenAI's own server also OPENAI_API_KEY",
    ),
    key(
        "embeddings.model",
        ValueType::Text,
        "\"\"",
        "embedding model, such as bge-small-en-v1.5 [default: chosen by the provider]",
    ),
    key(
        "embeddings.path",
        ValueType::Text,
        "\"\"",
        "folder of an ONNX model for fastembed; only from your own settings",
    ),
    key(
        "embeddings.provider",
        ValueType::Keyword(&["builtin", "fastembed", "ollama", "openai", "none"]),
        "\"builtin\"",
        "embedding provider; only from your own settings, except builtin and none",
    ),
    key(
        "embeddings.runtime",
        ValueType::Text,
        "\"\"",
        "ONNX Runtime library for fastembed; only from your own settings",
    ),
    key(
        "embeddings.timeout_s",
        ValueType::Number(0.1, 600.0),
        "30.0",
        "timeout of the embedding server in seconds; its first answer to notes may take 300",
    ),
    key(
        "embeddings.url",
        ValueType::Text,
        "\"\"",
        "URL of the embedding server, such as http://localhost:11434; only from your own settings",
    ),
    key(
        "git.commit",
        ValueType::Keyword(&["auto", "manual"]),
        "\"auto\"",
        "commit every change immediately, only the vault's own notes; with `manual`, use `cm commit`",
    ),
    key("git.hooks", ValueType::Bool, "false", "run Git commit hooks; only from your own settings"),
    key("git.sign", ValueType::Bool, "", "sign commits [default: Git's commit.gpgsign]"),
    key(
        "hooks.capture",
        ValueType::Bool,
        "true",
        "read new log entries in the background when a session is compacted or ends",
    ),
    key(
        "hooks.max_characters",
        ValueType::Integer(200, 9900),
        "2000",
        "maximum number of characters added to a prompt",
    ),
    key(
        "hooks.max_notes",
        ValueType::Integer(0, 50),
        "5",
        "maximum number of rules and memories added to a prompt",
    ),
    key(
        "hooks.start_tokens",
        ValueType::Integer(250, 2475),
        "2000",
        "token limit of the context added at session start",
    ),
    key(
        "hooks.threshold",
        ValueType::Number(0.0, 1.0),
        "0.5",
        "minimum relevance of a rule or memory added to a prompt",
    ),
    key(
        "llm.api_key_cmd",
        ValueType::Text,
        "\"\"",
        "command that prints the API key of the model server; only from your own settings",
    ),
    key(
        "llm.base_url",
        ValueType::Text,
        "\"\"",
        "URL of the model server, such as http://localhost:11434/v1; only from your own settings",
    ),
    key(
        "llm.command",
        ValueType::Text,
        "\"\"",
        "command that reads a prompt from standard input and prints the answer, such as `claude -p`; only from your own settings",
    ),
    key(
        "llm.command_env",
        ValueType::TextList,
        "[]",
        "extra environment variables for the command, such as ANTHROPIC_API_KEY or AWS_*; only from your own settings",
    ),
    key(
        "llm.fallback",
        ValueType::TextList,
        "[]",
        "fallback models if the first does not answer, such as ollama/qwen3:8b or cli; only from your own settings",
    ),
    key(
        "llm.key",
        ValueType::Secret,
        "",
        "API key of the model server; only from your own settings or CM_LLM_KEY, for the provider's own server also its usual variable",
    ),
    key(
        "llm.max_tokens",
        ValueType::Integer(16, 1_000_000),
        "4096",
        "maximum number of tokens of a model's answer, including reasoning",
    ),
    key(
        "llm.model",
        ValueType::Text,
        "\"\"",
        "model name, required by providers without a default; only from your own settings",
    ),
    key(
        "llm.prices",
        ValueType::TextList,
        "[]",
        "model prices in USD per million input and output tokens, such as \"gpt-5-mini 0.25 2\"; only from your own settings",
    ),
    key(
        "llm.provider",
        ValueType::Keyword(&[
            "none",
            "cli",
            "openai",
            "anthropic",
            "google",
            "bedrock",
            "ollama",
            "compatible",
            "scripted",
        ]),
        "\"none\"",
        "provider of the model that reads sessions for `cm diary` and `cm reflect`; only from your own settings",
    ),
    key(
        "llm.retries",
        ValueType::Integer(0, 10),
        "3",
        "number of retries if a server is busy or does not answer",
    ),
    key(
        "llm.script",
        ValueType::Text,
        "\"\"",
        "file with answers for the provider `scripted`, one JSON object per line; only from your own settings",
    ),
    key("llm.timeout_s", ValueType::Number(1.0, 3600.0), "60.0", "timeout of one model call in seconds"),
    key(
        "lock.patience_s",
        ValueType::Number(0.0, 3600.0),
        "30.0",
        "seconds to wait for another process that holds the vault lock",
    ),
    key("projects", ValueType::TextList, "[]", "project names, used to find patterns across projects"),
    key(
        "redaction.allow",
        ValueType::TextList,
        "[]",
        "fingerprints, as `cm commit` shows them, of texts that look like secrets but may be committed; they are still removed from sessions",
    ),
    key(
        "redaction.enabled",
        ValueType::Bool,
        "true",
        "remove secrets from what is read and refuse them in what is written; only from your own settings",
    ),
    key(
        "redaction.extra",
        ValueType::TextList,
        "[]",
        "additional secret patterns: regular expressions, optionally with `label = ` in front for the placeholder",
    ),
    key(
        "redaction.rules",
        ValueType::Text,
        "\"\"",
        "file with additional secret rules in gitleaks format; only from your own settings",
    ),
    key(
        "reflect.auto",
        ValueType::Bool,
        "false",
        "start `cm reflect` in the background when a session ends, except for Codex and opencode; only from your own settings",
    ),
    key(
        "reflect.max_deltas",
        ValueType::Integer(1, 50),
        "50",
        "maximum number of proposals from one session",
    ),
    key(
        "reflect.max_iterations",
        ValueType::Integer(1, 10),
        "3",
        "maximum number of model calls for proposals from one session",
    ),
    key("scoring.active", ValueType::Number(0.0, 1000.0), "0.5", "minimum score of an active memory"),
    key(
        "scoring.candidate_multiplier",
        ValueType::Number(0.0, 1000.0),
        "0.5",
        "score factor of a candidate rule",
    ),
    key(
        "scoring.deprecated_events",
        ValueType::Integer(1, 100_000),
        "3",
        "minimum number of helpful and harmful events before the harmful share can deprecate a rule",
    ),
    key(
        "scoring.deprecated_ratio",
        ValueType::Number(0.0, 1.0),
        "0.3",
        "harmful share above which a rule is deprecated",
    ),
    key("scoring.dormant", ValueType::Number(0.0, 1000.0), "0.05", "minimum score of a dormant memory"),
    key(
        "scoring.established_multiplier",
        ValueType::Number(0.0, 1000.0),
        "1.0",
        "score factor of an established rule",
    ),
    key(
        "scoring.established_score",
        ValueType::Number(0.0, 100_000.0),
        "2.0",
        "minimum score to promote a candidate to established",
    ),
    key(
        "scoring.fading",
        ValueType::Number(0.0, 1000.0),
        "0.2",
        "minimum score of a fading memory, and of a memory in CORE.md",
    ),
    key(
        "scoring.half_life_days",
        ValueType::Number(0.01, 100_000.0),
        "90.0",
        "half-life of a feedback event in days",
    ),
    key(
        "scoring.harmful_multiplier",
        ValueType::Number(0.0, 1000.0),
        "4.0",
        "weight of harmful feedback relative to helpful feedback",
    ),
    key(
        "scoring.importance",
        ValueType::Number(0.0, 1.0),
        "0.5",
        "importance of a memory that does not set it",
    ),
    key("scoring.lambda", ValueType::Number(0.0, 10.0), "0.03", "decay rate of memories per day"),
    key("scoring.pinned", ValueType::Number(100.0, 1_000_000.0), "999.0", "score of a pinned memory"),
    key(
        "scoring.priority_factor",
        ValueType::Number(0.01, 1000.0),
        "4.0",
        "decay factor: ephemeral observations fade this much faster, critical ones this much slower",
    ),
    key("scoring.proven_multiplier", ValueType::Number(0.0, 1000.0), "1.5", "score factor of a proven rule"),
    key(
        "scoring.proven_ratio",
        ValueType::Number(0.0, 1.0),
        "0.1",
        "harmful share below which an established rule may become proven",
    ),
    key(
        "scoring.proven_score",
        ValueType::Number(0.0, 100_000.0),
        "5.0",
        "minimum score to promote an established rule to proven",
    ),
    key(
        "scoring.prune_harmful_threshold",
        ValueType::Number(0.0, 1000.0),
        "3.0",
        "how far below 0 a rule's score may fall before the rule is deprecated",
    ),
    key(
        "scoring.recent_days",
        ValueType::Number(0.0, 100_000.0),
        "30.0",
        "days in which a helpful event counts as recent for promotion",
    ),
    key(
        "scoring.stale_days",
        ValueType::Number(0.0, 100_000.0),
        "90.0",
        "days without feedback after which a rule is stale",
    ),
    key(
        "scoring.unused",
        ValueType::Number(0.0, 1000.0),
        "0.5",
        "usage value of a memory that was never read",
    ),
    key(
        "search.graph_share",
        ValueType::Number(0.0, 1.0),
        "0.4",
        "share of its score that a result passes on to related notes",
    ),
    key("search.limit", ValueType::Integer(1, 1000), "10", "maximum number of search results"),
    key(
        "search.weight_blend",
        ValueType::Number(0.0, 1.0),
        "0.2",
        "weight of the small model in semantic similarity, for notes embedded by both models",
    ),
    key(
        "search.weight_coarse",
        ValueType::Number(0.0, 1000.0),
        "6.0",
        "BM25 points for a similarity of 1, for notes embedded by the small model only",
    ),
    key(
        "search.weight_fine",
        ValueType::Number(0.0, 1000.0),
        "20.0",
        "BM25 points for a similarity of 1, for notes embedded by the larger model",
    ),
    key(
        "sessions.agents",
        ValueType::TextList,
        "[]",
        "agents whose sessions are read, such as claude-code; empty for all; a project's cm.toml can only narrow the list",
    ),
    key(
        "sessions.cross_agent",
        ValueType::Bool,
        "false",
        "show agents the sessions of other agents; only from your own settings",
    ),
    key(
        "sessions.exports",
        ValueType::TextList,
        "[]",
        "ChatGPT export files or folders to read as sessions; only from your own settings",
    ),
    key(
        "sessions.lookback_days",
        ValueType::Number(0.0, 100_000.0),
        "7.0",
        "days that `cm sessions` and its timeline cover; 0 for all",
    ),
    key(
        "sessions.max_file_mb",
        ValueType::Integer(1, 1_000_000),
        "50",
        "log size in megabytes from which cm reports progress",
    ),
    key(
        "sessions.validation_lookback_days",
        ValueType::Number(0.0, 100_000.0),
        "90.0",
        "days of sessions used to check rules and by `cm audit`",
    ),
    key(
        "sessions.workspaces",
        ValueType::TextList,
        "[]",
        "folders whose sessions are read: in addition to a project vault's own folder, and the only ones for the global vault and jobs; only from your own settings",
    ),
    key(
        "sources.cass",
        ValueType::Bool,
        "false",
        "also search sessions with the program `cass`, if it is installed; only from your own settings",
    ),
    key("sources.cass_timeout_s", ValueType::Number(0.1, 600.0), "10.0", "timeout of `cass` in seconds"),
    key("vault.exclude", ValueType::TextList, "[]", "folders in the vault whose files are not notes"),
];

/// Names of tables that are not single settings.
pub const TABLES: [&str; 2] = ["types", "relations"];

/// Returns the setting with this name.
pub fn find(name: &str) -> Option<&'static SettingKey> {
    KEYS.iter().find(|key| key.name == name)
}

/// Returns the most similar name of a setting or table, if one is similar enough.
pub fn nearest(name: &str) -> Option<&'static str> {
    spelling::nearest(name, KEYS.iter().map(|key| key.name).chain(TABLES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_finds_the_name_that_was_meant() {
        assert_eq!(nearest("git.comit"), Some("git.commit"));
        assert_eq!(nearest("search.limits"), Some("search.limit"));
        assert_eq!(nearest("type"), Some("types"));
        assert_eq!(nearest("colour"), None);
    }

    #[test]
    fn names_are_sorted_and_defaults_fit_their_shapes() {
        assert!(KEYS.is_sorted_by_key(|key| key.name));
        for key in KEYS.iter().filter(|key| !key.default.is_empty()) {
            let value: toml::Value =
                format!("x = {}", key.default).parse::<toml::Table>().unwrap()["x"].clone();
            assert!(super::super::layer::fits(key.shape, &value), "{}", key.name);
        }
    }
}
