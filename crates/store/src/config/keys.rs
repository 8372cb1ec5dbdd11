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
        "tokens of one call of a model, both ways, at most; 0 for no limit",
    ),
    key(
        "budget.daily_tokens",
        ValueType::Integer(0, 1_000_000_000_000),
        "0",
        "tokens that models may take in a day, by UTC; 0 for no limit",
    ),
    key(
        "budget.daily_usd",
        ValueType::Number(0.0, 100_000.0),
        "0.0",
        "dollars that models may cost in a day, by UTC; a model that costs something wants a budget",
    ),
    key(
        "budget.monthly_tokens",
        ValueType::Integer(0, 1_000_000_000_000),
        "0",
        "tokens that models may take in a month; 0 for no limit",
    ),
    key(
        "budget.monthly_usd",
        ValueType::Number(0.0, 1_000_000.0),
        "0.0",
        "dollars that models may cost in a month",
    ),
    key("context.max_history", ValueType::Integer(0, 100), "10", "past sessions in a briefing, at most"),
    key(
        "context.max_rules",
        ValueType::Integer(1, 1000),
        "50",
        "rules and anti-patterns in a briefing, at most",
    ),
    key(
        "context.max_tokens",
        ValueType::Integer(100, 1_000_000),
        "2000",
        "size of a briefing in tokens, at most",
    ),
    key(
        "core.links",
        ValueType::Keyword(&["path", "stem"]),
        "\"path\"",
        "links in CORE.md: relative paths, or wikilinks with the file's name",
    ),
    key("core.max_entries", ValueType::Integer(1, 1000), "15", "entries in one section of CORE.md, at most"),
    key("core.max_tokens", ValueType::Integer(200, 1_000_000), "3000", "size of CORE.md in tokens, at most"),
    key(
        "core.usage",
        ValueType::Keyword(&["auto", "local", "none"]),
        "\"auto\"",
        "whether CORE.md counts how often notes were read here; `auto` counts it in a vault without a remote",
    ),
    key(
        "curation.block_cosine",
        ValueType::Number(0.3, 1.0),
        "0.85",
        "cosine above which a rule is as good as blocked",
    ),
    key(
        "curation.duplicate_cosine",
        ValueType::Number(0.3, 1.0),
        "0.85",
        "cosine from which a rule is named as a neighbour of a new one",
    ),
    key(
        "curation.duplicate_jaccard",
        ValueType::Number(0.1, 1.0),
        "0.85",
        "share of common words from which a rule is named as a neighbour of a new one",
    ),
    key(
        "curation.max_per_category",
        ValueType::Integer(1, 100_000),
        "200",
        "active bullets of one category; more become drafts",
    ),
    key(
        "curation.merge_cosine",
        ValueType::Number(0.3, 1.0),
        "0.85",
        "cosine from which two rules are worth merging",
    ),
    key(
        "embeddings.budget_ms",
        ValueType::Integer(0, 60_000),
        "250",
        "milliseconds that a command may spend on embedding new notes with the finer model",
    ),
    key(
        "embeddings.key",
        ValueType::Secret,
        "",
        "key of the server that embeds; from your own settings or CM_EMBEDDINGS_KEY only, for OpenAI's own server also OPENAI_API_KEY",
    ),
    key(
        "embeddings.model",
        ValueType::Text,
        "\"\"",
        "model that embeds, such as bge-small-en-v1.5; by default the provider's own",
    ),
    key(
        "embeddings.path",
        ValueType::Text,
        "\"\"",
        "folder of an ONNX model for fastembed; from your own settings only",
    ),
    key(
        "embeddings.provider",
        ValueType::Keyword(&["builtin", "fastembed", "ollama", "openai", "none"]),
        "\"builtin\"",
        "what embeds notes; anything but builtin and none from your own settings only",
    ),
    key(
        "embeddings.runtime",
        ValueType::Text,
        "\"\"",
        "ONNX Runtime library for fastembed; from your own settings only",
    ),
    key(
        "embeddings.timeout_s",
        ValueType::Number(0.1, 600.0),
        "30.0",
        "seconds to wait for a server that embeds; its first answer to notes may take 300",
    ),
    key(
        "embeddings.url",
        ValueType::Text,
        "\"\"",
        "server that embeds, such as http://localhost:11434; from your own settings only",
    ),
    key(
        "git.commit",
        ValueType::Keyword(&["auto", "manual"]),
        "\"auto\"",
        "commit every curation at once, the vault's notes alone; `manual` leaves them to `cm commit`",
    ),
    key("git.hooks", ValueType::Bool, "false", "run git's commit hooks; from your own settings only"),
    key("git.sign", ValueType::Bool, "", "sign commits; by default as git's commit.gpgsign says"),
    key(
        "hooks.capture",
        ValueType::Bool,
        "true",
        "whether a hook has what is new in agents' logs read in the background when a session is compacted or ends",
    ),
    key(
        "hooks.max_characters",
        ValueType::Integer(200, 9900),
        "2000",
        "size of what an agent is given at a prompt, in characters, at most",
    ),
    key(
        "hooks.max_notes",
        ValueType::Integer(0, 50),
        "5",
        "rules and memories that an agent is given at a prompt, at most",
    ),
    key(
        "hooks.start_tokens",
        ValueType::Integer(250, 2475),
        "2000",
        "size of what an agent is given when a session begins, in tokens, at most",
    ),
    key(
        "hooks.threshold",
        ValueType::Number(0.0, 1.0),
        "0.5",
        "least fit of a rule or memory that an agent is given at a prompt",
    ),
    key(
        "llm.api_key_cmd",
        ValueType::Text,
        "\"\"",
        "command that prints the key of the model's server; from your own settings only",
    ),
    key(
        "llm.base_url",
        ValueType::Text,
        "\"\"",
        "server of the model, such as http://localhost:11434/v1; from your own settings only",
    ),
    key(
        "llm.command",
        ValueType::Text,
        "\"\"",
        "command that answers a prompt on its standard input, such as `claude -p`; from your own settings only",
    ),
    key(
        "llm.command_env",
        ValueType::TextList,
        "[]",
        "variables that the command is given besides the usual ones, such as ANTHROPIC_API_KEY or AWS_*; from your own settings only",
    ),
    key(
        "llm.fallback",
        ValueType::TextList,
        "[]",
        "models that are asked where the first does not answer, such as ollama/qwen3:8b or cli; from your own settings only",
    ),
    key(
        "llm.key",
        ValueType::Secret,
        "",
        "key of the model's server; from your own settings or CM_LLM_KEY only, for the provider's own server also its usual variable",
    ),
    key(
        "llm.max_tokens",
        ValueType::Integer(16, 1_000_000),
        "4096",
        "length of an answer of a model in tokens, its thoughts included",
    ),
    key(
        "llm.model",
        ValueType::Text,
        "\"\"",
        "model that answers, for providers have no default; from your own settings only",
    ),
    key(
        "llm.prices",
        ValueType::TextList,
        "[]",
        "what models cost in dollars for a million tokens in and out, such as \"gpt-5-mini 0.25 2\"; from your own settings only",
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
        "whose model reads sessions for `cm diary` and `cm reflect`; from your own settings only",
    ),
    key(
        "llm.retries",
        ValueType::Integer(0, 10),
        "3",
        "how often a server that is busy or silent is asked again",
    ),
    key(
        "llm.script",
        ValueType::Text,
        "\"\"",
        "file of answers for the provider `scripted`, a JSON object a line; from your own settings only",
    ),
    key(
        "llm.timeout_s",
        ValueType::Number(1.0, 3600.0),
        "60.0",
        "seconds to wait for an answer of a model, each time",
    ),
    key("lock.patience_s", ValueType::Number(0.0, 3600.0), "30.0", "seconds to wait for another writer"),
    key("projects", ValueType::TextList, "[]", "names of projects, for the patterns across them"),
    key(
        "redaction.allow",
        ValueType::TextList,
        "[]",
        "fingerprints, as `cm commit` shows them, of texts that look like secrets and that a person may commit; sessions lose them all the same",
    ),
    key(
        "redaction.enabled",
        ValueType::Bool,
        "true",
        "whether secrets are taken out of what is read, and refused in what is written; from your own settings only",
    ),
    key(
        "redaction.extra",
        ValueType::TextList,
        "[]",
        "patterns of further secrets: regular expressions, each with `label = ` before it where its placeholder is to say more",
    ),
    key(
        "redaction.rules",
        ValueType::Text,
        "\"\"",
        "file of further rules for secrets, as gitleaks reads it; from your own settings only",
    ),
    key(
        "reflect.auto",
        ValueType::Bool,
        "false",
        "whether a hook starts `cm reflect` in the background when a session ends, which Codex and opencode do not tell; from your own settings only",
    ),
    key(
        "reflect.max_deltas",
        ValueType::Integer(1, 50),
        "50",
        "proposals that one session may make, at most",
    ),
    key(
        "reflect.max_iterations",
        ValueType::Integer(1, 10),
        "3",
        "how often a model is asked for proposals from one session, at most",
    ),
    key("scoring.active", ValueType::Number(0.0, 1000.0), "0.5", "least score of an active memory"),
    key(
        "scoring.candidate_multiplier",
        ValueType::Number(0.0, 1000.0),
        "0.5",
        "what the score of a candidate bullet is multiplied with",
    ),
    key(
        "scoring.deprecated_events",
        ValueType::Integer(1, 100_000),
        "3",
        "helpful and harmful events before harm deprecates a bullet by its share",
    ),
    key(
        "scoring.deprecated_ratio",
        ValueType::Number(0.0, 1.0),
        "0.3",
        "share of harm above which a bullet is deprecated",
    ),
    key("scoring.dormant", ValueType::Number(0.0, 1000.0), "0.05", "least score of a dormant memory"),
    key(
        "scoring.established_multiplier",
        ValueType::Number(0.0, 1000.0),
        "1.0",
        "what the score of an established bullet is multiplied with",
    ),
    key(
        "scoring.established_score",
        ValueType::Number(0.0, 100_000.0),
        "2.0",
        "score from which a candidate is established",
    ),
    key(
        "scoring.fading",
        ValueType::Number(0.0, 1000.0),
        "0.2",
        "least score of a fading memory, and of one in CORE.md",
    ),
    key(
        "scoring.half_life_days",
        ValueType::Number(0.01, 100_000.0),
        "90.0",
        "days after which a feedback event counts half",
    ),
    key(
        "scoring.harmful_multiplier",
        ValueType::Number(0.0, 1000.0),
        "4.0",
        "how much heavier harm weighs than help in the score of a bullet",
    ),
    key("scoring.importance", ValueType::Number(0.0, 1.0), "0.5", "importance of a memory that names none"),
    key("scoring.lambda", ValueType::Number(0.0, 10.0), "0.03", "how fast memories fade, per day"),
    key("scoring.pinned", ValueType::Number(100.0, 1_000_000.0), "999.0", "score of a pinned memory"),
    key(
        "scoring.priority_factor",
        ValueType::Number(0.01, 1000.0),
        "4.0",
        "how much faster ephemeral observations fade, and critical ones slower",
    ),
    key(
        "scoring.proven_multiplier",
        ValueType::Number(0.0, 1000.0),
        "1.5",
        "what the score of a proven bullet is multiplied with",
    ),
    key(
        "scoring.proven_ratio",
        ValueType::Number(0.0, 1.0),
        "0.1",
        "share of harm below which an established bullet may be proven",
    ),
    key(
        "scoring.proven_score",
        ValueType::Number(0.0, 100_000.0),
        "5.0",
        "score from which an established bullet is proven",
    ),
    key(
        "scoring.prune_harmful_threshold",
        ValueType::Number(0.0, 1000.0),
        "3.0",
        "how far below 0 the score of a bullet may fall before it is deprecated",
    ),
    key(
        "scoring.recent_days",
        ValueType::Number(0.0, 100_000.0),
        "30.0",
        "days in which a helpful event is recent enough to promote a bullet",
    ),
    key(
        "scoring.stale_days",
        ValueType::Number(0.0, 100_000.0),
        "90.0",
        "days without feedback after which a bullet is stale",
    ),
    key(
        "scoring.unused",
        ValueType::Number(0.0, 1000.0),
        "0.5",
        "usage of a memory that nobody asked for yet",
    ),
    key(
        "search.graph_share",
        ValueType::Number(0.0, 1.0),
        "0.4",
        "share of its score that a hit hands on to notes that it is related to",
    ),
    key("search.limit", ValueType::Integer(1, 1000), "10", "hits of a search"),
    key(
        "search.weight_blend",
        ValueType::Number(0.0, 1.0),
        "0.2",
        "share of the coarse model in nearness, where the finer one has read notes",
    ),
    key(
        "search.weight_coarse",
        ValueType::Number(0.0, 1000.0),
        "6.0",
        "points of BM25 that a nearness of 1 is worth, where only the coarse model has read notes",
    ),
    key(
        "search.weight_fine",
        ValueType::Number(0.0, 1000.0),
        "20.0",
        "points of BM25 that a nearness of 1 is worth, where the finer model has read notes",
    ),
    key(
        "sessions.agents",
        ValueType::TextList,
        "[]",
        "agents whose sessions are read, such as claude-code; all where none is named; a project's cm.toml can only narrow it",
    ),
    key(
        "sessions.cross_agent",
        ValueType::Bool,
        "false",
        "whether an agent that asks may be shown sessions of another; from your own settings only",
    ),
    key(
        "sessions.exports",
        ValueType::TextList,
        "[]",
        "files or folders of ChatGPT exports that are read as sessions; from your own settings only",
    ),
    key(
        "sessions.lookback_days",
        ValueType::Number(0.0, 100_000.0),
        "7.0",
        "days that `cm sessions` and its timeline look back; 0 for all",
    ),
    key(
        "sessions.max_file_mb",
        ValueType::Integer(1, 1_000_000),
        "50",
        "megabytes from which the reading of a log is told, for it takes a while",
    ),
    key(
        "sessions.validation_lookback_days",
        ValueType::Number(0.0, 100_000.0),
        "90.0",
        "days of sessions that speak for or against a rule, and that `cm audit` looks through",
    ),
    key(
        "sessions.workspaces",
        ValueType::TextList,
        "[]",
        "folders whose sessions are read: of a project's vault beside its own, of the global one and of jobs these alone; from your own settings only",
    ),
    key(
        "sources.cass",
        ValueType::Bool,
        "false",
        "whether `cm sessions search` asks the program `cass` too, where it is installed; from your own settings only",
    ),
    key(
        "sources.cass_timeout_s",
        ValueType::Number(0.1, 600.0),
        "10.0",
        "seconds to wait for what `cass` finds",
    ),
    key("vault.exclude", ValueType::TextList, "[]", "folders of the vault whose files are no notes"),
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
