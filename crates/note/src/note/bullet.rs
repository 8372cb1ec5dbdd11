//! Reads and writes the frontmatter fields that only bullets and blocked patterns have.

use yaml_serde::{Mapping, Value};

use super::Feedback;
use super::mapping_lists::{mappings, text};
use super::values::FieldReader;
use crate::bullet::blocked::{BlockedFields, BlockedNote};
use crate::bullet::{
    Bullet, BulletFields, BulletKind, DerivedFrom, Incident, Scope, SessionSource, Verify, VerifyKind,
    VerifyMode, content,
};
use crate::finding::FindingCode;
use crate::frontmatter::parse::{FrontmatterField, scalar_text};
use crate::instant::Instant;

/// Reads the frontmatter fields that only bullets have, and the rule and its reasons from `body`.
pub(super) fn bullet(values: &mut FieldReader<'_>, body: &str) -> BulletFields {
    let (content, why) = content::rule_and_why(body);
    BulletFields {
        content,
        why,
        kind: values
            .one_of("kind", &BulletKind::NAMES)
            .and_then(|name| BulletKind::of(&name))
            .unwrap_or_default(),
        scope_key: values.text("scope_key"),
        pinned_reason: values.text("pinned_reason"),
        half_life_days: half_life(values),
        sources: sources(values),
        derived_from: derived_from(values),
        search_pointer: values.text("search_pointer"),
        verify: verify(values),
        incident: incident(values),
        supersedes: values.text("supersedes"),
        replaced_by: values.text("replaced_by"),
        deprecation_reason: values.text("deprecation_reason"),
        promoted_at: values.date("promoted_at"),
        last_validated_at: values.date("last_validated_at"),
    }
}

/// Reads the frontmatter fields that only blocked patterns have.
pub(super) fn blocked(values: &mut FieldReader<'_>) -> BlockedFields {
    BlockedFields {
        pattern: values.text("pattern"),
        content: values.text("content"),
        content_hash: values.text("content_hash"),
        reason: values.text("reason"),
        replacement: values.text("replacement"),
        source_bullet: values.text("source_bullet"),
        inverted_to: values.text("inverted_to"),
    }
}

fn half_life(values: &mut FieldReader<'_>) -> Option<f64> {
    let days = values.number("half_life_days")?;
    if let Some(field) = values.fields.get("half_life_days").filter(|_| days <= 0.0) {
        let message = format!("`half_life_days` is {days}; 90 is used instead");
        values.report(field, FindingCode::OutOfRange, message, "write a number of days above 0");
    }
    Some(days)
}

fn sources(values: &mut FieldReader<'_>) -> Vec<SessionSource> {
    mappings(values, "sources", |entry, mapping| {
        let session = text(mapping, "session").filter(|session| !session.is_empty());
        if session.is_none() {
            entry.warn(FindingCode::InvalidValue, "a source without `session`", "add the session ID");
        }
        let line = mapping.get("line").and_then(scalar_text).and_then(|line| line.trim().parse().ok());
        Some(SessionSource { session: session?, agent: text(mapping, "agent"), line })
    })
}

/// Returns a key's mapping; reports a finding if the value is not a mapping.
fn mapping<'f>(values: &mut FieldReader<'f>, key: &str) -> Option<(&'f FrontmatterField, &'f Mapping)> {
    let field = values.fields.get(key).filter(|field| !field.value.is_null())?;
    let mapping = field.value.as_mapping();
    if mapping.is_none() {
        let message = format!("`{key}` is not a mapping");
        values.report(field, FindingCode::InvalidValue, message, "write `key: value` lines below it");
    }
    Some((field, mapping?))
}

fn derived_from(values: &mut FieldReader<'_>) -> DerivedFrom {
    let Some((_, mapping)) = mapping(values, "derived_from") else { return DerivedFrom::default() };
    let texts = |key: &str| match mapping.get(key) {
        Some(Value::Sequence(items)) => items.iter().filter_map(scalar_text).collect(),
        Some(one) => scalar_text(one).into_iter().collect(),
        None => Vec::new(),
    };
    DerivedFrom { diaries: texts("diaries"), evidence: texts("evidence") }
}

fn verify(values: &mut FieldReader<'_>) -> Option<Verify> {
    let (field, mapping) = mapping(values, "verify")?;
    let one = |key: &str| text(mapping, key).filter(|text| !text.is_empty());
    let (kind, pattern, mode) = (one("kind"), one("pattern"), one("mode"));
    let verify_kind = kind.as_deref().and_then(VerifyKind::of);
    if verify_kind.is_none() {
        let hint = format!("write `kind:` with one of {}", VerifyKind::NAMES.join(", "));
        values.report(field, FindingCode::InvalidValue, "`verify` has no valid `kind`".to_owned(), hint);
    }
    if pattern.is_none() {
        let hint = "add `pattern:` with what to look for";
        values.report(field, FindingCode::InvalidValue, "`verify` has no `pattern`".to_owned(), hint);
    }
    let expected = match mode.as_deref() {
        None => Some(VerifyMode::default()),
        Some(mode) => VerifyMode::of(mode),
    };
    if expected.is_none() {
        let hint = format!("write `mode:` with one of {}", VerifyMode::NAMES.join(", "));
        values.report(field, FindingCode::InvalidValue, "`verify` has an unknown `mode`".to_owned(), hint);
    }
    Some(Verify { kind: verify_kind?, pattern: pattern?, mode: expected? })
}

fn incident(values: &mut FieldReader<'_>) -> Option<Incident> {
    let (field, mapping) = mapping(values, "incident")?;
    let one = |key: &str| text(mapping, key).filter(|text| !text.is_empty());
    let (class, shape) = (one("class"), one("shape"));
    if class.is_none() || shape.is_none() {
        let hint = "add `class:` with the danger and `shape:` with the command";
        values.report(
            field,
            FindingCode::InvalidValue,
            "`incident` has no `class` or no `shape`".to_owned(),
            hint,
        );
    }
    Some(Incident { class: class?, shape: shape?, session: one("session"), date: one("date") })
}

/// Returns a bullet's keys and values as written to its frontmatter; null for keys that are
/// omitted.
pub fn keys(bullet: &Bullet) -> Vec<(String, Value)> {
    let fields = &bullet.fields;
    let kind = Some(fields.kind.name());
    let scope = Some(bullet.scope).filter(|scope| *scope != Scope::Global);
    let pairs = [
        ("id", text_value(Some(bullet.id.as_str()))),
        ("type", text_value(Some(bullet.bullet_type.name()))),
        ("kind", text_value(kind)),
        ("category", text_value(Some(&bullet.category))),
        ("scope", text_value(scope.map(Scope::name))),
        ("scope_key", text_value(fields.scope_key.as_deref())),
        ("workspace", text_value(bullet.workspace.as_deref())),
        ("state", text_value(Some(bullet.state.name()))),
        ("maturity", text_value(Some(bullet.maturity.name()))),
        ("pinned", if bullet.pinned { Value::Bool(true) } else { Value::Null }),
        ("pinned_reason", text_value(fields.pinned_reason.as_deref())),
        ("half_life_days", fields.half_life_days.map_or(Value::Null, plain_number)),
        ("tags", list(bullet.tags.iter().map(|tag| Value::String(tag.clone())))),
        ("feedback", list(bullet.feedback.iter().map(event))),
        ("sources", list(fields.sources.iter().map(source))),
        ("derived_from", derived_value(&fields.derived_from)),
        ("search_pointer", text_value(fields.search_pointer.as_deref())),
        ("verify", fields.verify.as_ref().map_or(Value::Null, verify_value)),
        ("incident", fields.incident.as_ref().map_or(Value::Null, incident_value)),
        ("supersedes", text_value(fields.supersedes.as_deref())),
        ("replaced_by", text_value(fields.replaced_by.as_deref())),
        ("deprecation_reason", text_value(fields.deprecation_reason.as_deref())),
        ("created", date_value(bullet.created)),
        ("updated", date_value(bullet.updated)),
        ("promoted_at", date_value(fields.promoted_at)),
        ("last_validated_at", date_value(fields.last_validated_at)),
        ("last_checked", date_value(bullet.last_checked)),
    ];
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// Returns a blocked pattern's keys and values; null for keys that are omitted.
pub fn blocked_keys(blocked: &BlockedNote) -> Vec<(String, Value)> {
    let fields = &blocked.fields;
    let pairs = [
        ("id", text_value(Some(blocked.id.as_str()))),
        ("kind", text_value(Some(blocked.kind.name()))),
        ("pattern", text_value(fields.pattern.as_deref())),
        ("content", text_value(fields.content.as_deref())),
        ("content_hash", text_value(fields.content_hash.as_deref())),
        ("reason", text_value(fields.reason.as_deref())),
        ("replacement", text_value(fields.replacement.as_deref())),
        ("source_bullet", text_value(fields.source_bullet.as_deref())),
        ("inverted_to", text_value(fields.inverted_to.as_deref())),
        ("created", date_value(blocked.created)),
    ];
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// Converts a feedback event to an item of the list `feedback`.
pub fn event(event: &Feedback) -> Value {
    let weight = if event.weight == 1.0 { Value::Null } else { plain_number(event.weight) };
    mapping_of([
        ("at", date_value(Some(event.at))),
        ("signal", text_value(Some(event.signal.name()))),
        ("weight", weight),
        ("session", text_value(event.session.as_deref())),
        ("agent", text_value(event.agent.as_deref())),
        ("author", text_value(event.author.as_deref())),
        ("reason", text_value(event.reason.as_deref())),
        ("note", text_value(event.note.as_deref())),
        ("invert", if event.invert { Value::Bool(true) } else { Value::Null }),
    ])
}

fn source(source: &SessionSource) -> Value {
    mapping_of([
        ("session", text_value(Some(&source.session))),
        ("agent", text_value(source.agent.as_deref())),
        ("line", source.line.map_or(Value::Null, Value::from)),
    ])
}

fn derived_value(derived: &DerivedFrom) -> Value {
    if derived.is_empty() {
        return Value::Null;
    }
    let texts = |texts: &[String]| list(texts.iter().map(|text| Value::String(text.clone())));
    mapping_of([("diaries", texts(&derived.diaries)), ("evidence", texts(&derived.evidence))])
}

fn verify_value(verify: &Verify) -> Value {
    mapping_of([
        ("kind", text_value(Some(verify.kind.name()))),
        ("pattern", text_value(Some(&verify.pattern))),
        ("mode", text_value(Some(verify.mode.name()))),
    ])
}

fn incident_value(incident: &Incident) -> Value {
    mapping_of([
        ("class", text_value(Some(&incident.class))),
        ("shape", text_value(Some(&incident.shape))),
        ("session", text_value(incident.session.as_deref())),
        ("date", text_value(incident.date.as_deref())),
    ])
}

fn mapping_of<const N: usize>(pairs: [(&str, Value); N]) -> Value {
    let written = pairs.into_iter().filter(|(_, value)| !value.is_null());
    Value::Mapping(written.map(|(key, value)| (Value::String(key.to_owned()), value)).collect())
}

fn list(items: impl Iterator<Item = Value>) -> Value {
    let items: Vec<Value> = items.collect();
    if items.is_empty() { Value::Null } else { Value::Sequence(items) }
}

fn text_value(text: Option<&str>) -> Value {
    text.filter(|text| !text.is_empty()).map_or(Value::Null, |text| Value::String(text.to_owned()))
}

fn date_value(at: Option<Instant>) -> Value {
    at.map_or(Value::Null, |at| Value::String(at.to_string()))
}

/// Converts a number to YAML; whole numbers are written without `.0`.
pub fn plain_number(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        Value::from(number as i64)
    } else {
        Value::from(number)
    }
}
