//! Writes bullets as the YAML or JSON playbook of other tools: `schema_version` 2, snake_case.
//!
//! Values without a key in that format (weights, lines of sources) are stored under additional
//! keys, so a round trip is lossless. Toxic patterns cannot be represented.

use yaml_serde::{Mapping, Value};

use cm_note::bullet::blocked::{BlockKind, BlockedNote};
use cm_note::bullet::{Bullet, BulletType, Maturity, SessionSource};
use cm_note::frontmatter::json;
use cm_note::instant::Instant;
use cm_note::note::bullet::plain_number;
use cm_note::note::{Feedback, FeedbackSignal};

/// File formats of a playbook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PlaybookFormat {
    #[default]
    Yaml,
    /// JSON with the same keys.
    Json,
}

/// Writes a playbook; the output is deterministic.
pub fn write(bullets: &[Bullet], blocked: &[BlockedNote], form: PlaybookFormat) -> String {
    let created = bullets.iter().filter_map(|bullet| bullet.created);
    let begun = created.chain(blocked.iter().filter_map(|blocked| blocked.created)).min();
    let deprecated = blocked.iter().filter(|blocked| blocked.kind == BlockKind::Deprecated);
    let playbook = mapping([
        ("schema_version", Value::from(2)),
        ("name", text("playbook")),
        ("metadata", mapping([("created_at", date(begun))])),
        ("deprecated_patterns", Value::Sequence(deprecated.map(pattern).collect())),
        ("bullets", Value::Sequence(bullets.iter().map(bullet).collect())),
    ]);
    match form {
        // Maps of texts, numbers and lists always have both forms.
        PlaybookFormat::Yaml => yaml_serde::to_string(&playbook).unwrap_or_default(),
        PlaybookFormat::Json => {
            let json = serde_json::to_string_pretty(&json::of_value(&playbook)).unwrap_or_default();
            json + "\n"
        }
    }
}

fn bullet(bullet: &Bullet) -> Value {
    let fields = &bullet.fields;
    let avoids = bullet.bullet_type == BulletType::AntiPattern;
    let count =
        |signal| Value::from(bullet.feedback.iter().filter(|event| event.signal == signal).count() as u64);
    mapping([
        ("id", text(bullet.id.as_str())),
        ("scope", text(bullet.scope.name())),
        ("scope_key", optional(fields.scope_key.as_deref())),
        ("workspace", optional(bullet.workspace.as_deref())),
        ("category", text(&bullet.category)),
        ("content", text(bullet.content())),
        ("search_pointer", optional(fields.search_pointer.as_deref())),
        ("type", text(if avoids { "anti-pattern" } else { "rule" })),
        ("is_negative", Value::Bool(avoids)),
        ("kind", text(fields.kind.name())),
        ("state", text(bullet.state.name())),
        ("maturity", text(bullet.maturity.name())),
        ("promoted_at", date(fields.promoted_at)),
        ("helpful_count", count(FeedbackSignal::Helpful)),
        ("harmful_count", count(FeedbackSignal::Harmful)),
        ("feedback_events", Value::Sequence(bullet.feedback.iter().map(event).collect())),
        ("last_validated_at", date(fields.last_validated_at)),
        ("last_checked", date(bullet.last_checked)),
        ("confidence_decay_half_life_days", fields.half_life_days.map_or(Value::Null, plain_number)),
        ("created_at", date(bullet.created)),
        ("updated_at", date(bullet.updated)),
        ("pinned", Value::Bool(bullet.pinned)),
        ("pinned_reason", optional(fields.pinned_reason.as_deref())),
        ("deprecated", Value::Bool(bullet.maturity == Maturity::Deprecated)),
        ("supersedes", optional(fields.supersedes.as_deref())),
        ("replaced_by", optional(fields.replaced_by.as_deref())),
        ("deprecation_reason", optional(fields.deprecation_reason.as_deref())),
        ("source_sessions", texts(fields.sources.iter().map(|source| source.session.as_str()))),
        ("source_agents", agents(&fields.sources)),
        ("sources", sources(&fields.sources)),
        (
            "derived_from",
            mapping([
                ("diaries", some_texts(&fields.derived_from.diaries)),
                ("evidence", some_texts(&fields.derived_from.evidence)),
            ]),
        ),
        ("tags", texts(bullet.tags.iter().map(String::as_str))),
        ("reasoning", optional(fields.why.as_deref())),
        (
            "verify",
            fields.verify.as_ref().map_or(Value::Null, |verify| {
                mapping([
                    ("kind", text(verify.kind.name())),
                    ("pattern", text(&verify.pattern)),
                    ("mode", text(verify.mode.name())),
                ])
            }),
        ),
        (
            "incident",
            fields.incident.as_ref().map_or(Value::Null, |incident| {
                mapping([
                    ("class", text(&incident.class)),
                    ("shape", text(&incident.shape)),
                    ("session", optional(incident.session.as_deref())),
                    ("date", optional(incident.date.as_deref())),
                ])
            }),
        ),
    ])
}

fn pattern(blocked: &BlockedNote) -> Value {
    mapping([
        ("id", text(blocked.id.as_str())),
        ("pattern", text(blocked.text())),
        ("deprecated_at", date(blocked.created)),
        ("reason", optional(blocked.fields.reason.as_deref())),
        ("replacement", optional(blocked.fields.replacement.as_deref())),
        ("source_bullet", optional(blocked.fields.source_bullet.as_deref())),
    ])
}

fn event(event: &Feedback) -> Value {
    mapping([
        ("type", text(event.signal.name())),
        ("timestamp", date(Some(event.at))),
        ("session_path", optional(event.session.as_deref())),
        ("reason", optional(event.reason.as_deref())),
        ("context", optional(event.note.as_deref())),
        ("weight", if event.weight == 1.0 { Value::Null } else { plain_number(event.weight) }),
        ("agent", optional(event.agent.as_deref())),
        ("author", optional(event.author.as_deref())),
    ])
}

/// The distinct agents of the sources.
fn agents(sources: &[SessionSource]) -> Value {
    let mut agents: Vec<&str> = Vec::new();
    for agent in sources.iter().filter_map(|source| source.agent.as_deref()) {
        if !agents.contains(&agent) {
            agents.push(agent);
        }
    }
    texts(agents.into_iter())
}

/// Agent and line of each session; null if there are none.
fn sources(sources: &[SessionSource]) -> Value {
    if sources.iter().all(|source| source.agent.is_none() && source.line.is_none()) {
        return Value::Null;
    }
    let one = |source: &SessionSource| {
        mapping([
            ("session", text(&source.session)),
            ("agent", optional(source.agent.as_deref())),
            ("line", source.line.map_or(Value::Null, Value::from)),
        ])
    };
    Value::Sequence(sources.iter().map(one).collect())
}

/// A mapping of the non-null values; null if there are none.
fn mapping<const N: usize>(pairs: [(&str, Value); N]) -> Value {
    let listing: Mapping = pairs
        .into_iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(key, value)| (text(key), value))
        .collect();
    if listing.is_empty() { Value::Null } else { Value::Mapping(listing) }
}

fn text(text: &str) -> Value {
    Value::String(text.to_owned())
}

fn optional(value: Option<&str>) -> Value {
    value.filter(|value| !value.is_empty()).map_or(Value::Null, text)
}

fn texts<'a>(items: impl Iterator<Item = &'a str>) -> Value {
    Value::Sequence(items.map(text).collect())
}

fn some_texts(items: &[String]) -> Value {
    if items.is_empty() { Value::Null } else { texts(items.iter().map(String::as_str)) }
}

fn date(at: Option<Instant>) -> Value {
    at.map_or(Value::Null, |at| text(&at.to_string()))
}
