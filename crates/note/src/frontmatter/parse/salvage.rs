//! Recovers fields from invalid YAML: each key parsed on its own, or else as raw text.

use std::ops::Range;

use yaml_serde::Value;

use super::document::{self, Document};
use crate::frontmatter::layout::{Entry, Layout, Shape};

/// Returns the recovered keys and values, each with its layout entry.
pub(super) fn pairs(yaml: &str, layout: &Layout) -> (Vec<(Value, Value)>, Vec<Entry>) {
    layout
        .entries
        .iter()
        .map(|entry| {
            let pair = alone(yaml, entry).unwrap_or_else(|| bare(yaml, entry));
            (pair, entry.clone())
        })
        .unzip()
}

fn alone(yaml: &str, entry: &Entry) -> Option<(Value, Value)> {
    match document::read(&yaml[entry.span.clone()]) {
        Ok(Document::Mapping(mut pairs)) if pairs.len() == 1 => pairs.pop(),
        _ => None,
    }
}

fn bare(yaml: &str, entry: &Entry) -> (Value, Value) {
    let list = |items: &[Range<usize>]| {
        Value::Sequence(items.iter().map(|item| scalar(&yaml[item.clone()])).collect())
    };
    let value = match &entry.shape {
        Shape::FlowList(items) | Shape::BlockList(_, items) => list(items),
        _ => scalar(&yaml[entry.value.clone()]),
    };
    (Value::String(entry.key.clone()), value)
}

/// Returns a text without a leading dash and surrounding quotes; null if nothing is left.
fn scalar(text: &str) -> Value {
    let text = text.trim();
    let text = text.strip_prefix("- ").unwrap_or(text);
    let text = text.trim().trim_matches(['"', '\'']);
    if text.is_empty() || text == "-" { Value::Null } else { Value::String(text.to_owned()) }
}
