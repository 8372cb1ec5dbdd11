//! Reads frontmatter lists of mappings: `relations` and `feedback`.

use yaml_serde::{Mapping, Value};

use super::values::{FieldReader, number};
use super::{Feedback, FeedbackSignal, RelationEntry};
use crate::finding::{FindingCode, Severity};
use crate::frontmatter::parse::{FrontmatterField, scalar_text};
use crate::instant::Instant;
use crate::note::types::RelationTable;
use cm_text::spelling::nearest;

/// Reads `relations`; drops entries without a target.
pub(super) fn relations(values: &mut FieldReader<'_>, declared: &RelationTable) -> Vec<RelationEntry> {
    mappings(values, "relations", |entry, mapping| {
        let target = text(mapping, "target").filter(|target| !target.is_empty());
        let relation = text(mapping, "type").unwrap_or_default().to_uppercase();
        let Some(target) = target else {
            entry.warn(
                FindingCode::InvalidValue,
                "a relation without `target`",
                "add the ID of the other note",
            );
            return None;
        };
        let relation = if relation.is_empty() { "RELATED_TO".to_owned() } else { relation };
        entry.check_relation(&relation, declared);
        let direction = text(mapping, "direction");
        if !matches!(direction.as_deref(), None | Some("outgoing" | "incoming")) {
            entry.warn(FindingCode::InvalidValue, "an unknown `direction`", "use `outgoing` or `incoming`");
        }
        Some(RelationEntry {
            target,
            relation,
            outgoing: direction.as_deref() != Some("incoming"),
            strength: entry.fraction(mapping, "strength"),
            context: text(mapping, "context"),
            edge_id: text(mapping, "edge_id"),
            line: entry.line,
        })
    })
}

/// Reads `feedback`; drops events without a valid date, signal or weight.
pub(super) fn feedback(values: &mut FieldReader<'_>) -> Vec<Feedback> {
    mappings(values, "feedback", |entry, mapping| {
        let at = text(mapping, "at").and_then(|at| Instant::parse(&at).ok());
        let signal = text(mapping, "signal").and_then(|signal| FeedbackSignal::of(&signal));
        if at.is_none() {
            entry.warn(
                FindingCode::InvalidValue,
                "an event without a date",
                "add `at: 2026-11-01T09:30:00Z`",
            );
        }
        if signal.is_none() {
            let hint = "use `signal: helpful`, `harmful`, `irrelevant` or `ignored`";
            entry.warn(FindingCode::InvalidValue, "an event without a valid signal", hint);
        }
        let weight = mapping.get("weight").filter(|weight| !weight.is_null());
        let weight = weight.map_or(Some(1.0), |weight| number(weight).filter(|weight| *weight >= 0.0));
        if weight.is_none() {
            entry.warn(FindingCode::InvalidValue, "an event whose weight is not a number", "add `weight: 1`");
        }
        let one = |key: &str| text(mapping, key).filter(|text| !text.is_empty());
        let reason = one("reason");
        if let Some(reason) = reason.as_deref().filter(|reason| !REASONS.contains(reason)) {
            let message = format!("`{reason}` is not a valid reason for harm");
            entry.warn(FindingCode::InvalidValue, &message, &format!("use one of {}", REASONS.join(", ")));
        }
        Some(Feedback {
            at: at?,
            signal: signal?,
            weight: weight?,
            session: one("session"),
            agent: one("agent"),
            author: one("author"),
            reason,
            note: one("note"),
            invert: mapping.get("invert").and_then(Value::as_bool).unwrap_or(false),
        })
    })
}

/// Allowed reasons of harmful feedback.
pub const REASONS: [&str; 6] =
    ["caused_bug", "wasted_time", "contradicted_requirements", "wrong_context", "outdated", "other"];

/// A mapping in a frontmatter list that is being read, with its location for findings.
pub(super) struct ListEntry<'v, 'a> {
    values: &'v mut FieldReader<'a>,
    pub(super) line: u32,
    column: u32,
}

impl ListEntry<'_, '_> {
    pub(super) fn warn(&mut self, code: FindingCode, message: &str, hint: &str) {
        self.values.report_at(self.line, self.column, Severity::Warning, code, message.to_owned(), hint);
    }

    fn check_relation(&mut self, relation: &str, declared: &RelationTable) {
        if !declared.contains(relation) {
            let hint = relation_hint(relation, declared);
            self.warn(FindingCode::UnknownRelation, &format!("unknown relation `{relation}`"), &hint);
        }
    }

    fn fraction(&mut self, mapping: &Mapping, key: &str) -> f64 {
        let Some(value) = mapping.get(key).filter(|value| !value.is_null()) else { return 1.0 };
        match number(value) {
            Some(number) if (0.0..=1.0).contains(&number) => number,
            Some(number) => {
                self.warn(
                    FindingCode::OutOfRange,
                    &format!("`{key}` is {number}"),
                    "use a number from 0.0 to 1.0",
                );
                number.clamp(0.0, 1.0)
            }
            None => {
                self.warn(
                    FindingCode::InvalidValue,
                    &format!("`{key}` is not a number"),
                    "use a number from 0.0 to 1.0",
                );
                1.0
            }
        }
    }
}

/// Returns a hint for an undeclared relation: the most similar declared name, or how to declare it.
pub(super) fn relation_hint(relation: &str, declared: &RelationTable) -> String {
    match nearest(relation, declared.iter()) {
        Some(nearest_relation) => format!("did you mean `{nearest_relation}`?"),
        None => format!(
            "add it to `relations` in cm.toml, or use one of {}",
            declared.iter().collect::<Vec<_>>().join(", ")
        ),
    }
}

pub(super) fn mappings<T>(
    values: &mut FieldReader<'_>,
    key: &str,
    mut read: impl FnMut(&mut ListEntry<'_, '_>, &Mapping) -> Option<T>,
) -> Vec<T> {
    let fields = values.fields;
    let Some(field) = fields.get(key).filter(|field| !field.value.is_null()) else { return Vec::new() };
    let Some(items) = field.value.as_sequence() else {
        values.report(
            field,
            FindingCode::InvalidValue,
            format!("`{key}` is not a list"),
            "write the entries as `- ` items",
        );
        return Vec::new();
    };
    let entries = items.iter().enumerate().filter(|(_, item)| !item.is_null());
    entries.filter_map(|(index, item)| read_one(values, field, index, item, &mut read)).collect()
}

fn read_one<T>(
    values: &mut FieldReader<'_>,
    field: &FrontmatterField,
    index: usize,
    item: &Value,
    read: &mut impl FnMut(&mut ListEntry<'_, '_>, &Mapping) -> Option<T>,
) -> Option<T> {
    let mut entry = ListEntry { values, line: field.item_line(index), column: field.column };
    match item.as_mapping() {
        Some(mapping) => read(&mut entry, mapping),
        None => {
            let message = format!("an entry of `{}` is not a mapping", field.key);
            entry.warn(FindingCode::InvalidValue, &message, "write `key: value` lines below the dash");
            None
        }
    }
}

pub(super) fn text(mapping: &Mapping, key: &str) -> Option<String> {
    mapping.get(key).and_then(scalar_text).map(|text| text.trim().to_owned())
}
