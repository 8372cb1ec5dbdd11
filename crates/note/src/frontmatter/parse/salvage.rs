//! Recovers fields from invalid YAML: each key parsed on its own, or else as raw text.

use std::ops::Range;

use yaml_serde::Value;

use super::document::{self, YamlDocument};
use crate::frontmatter::layout::{LayoutEntry, ValueSyntax, YamlLayout};

/// Recovers the keys and values of an invalid YAML text, and the layout entry of each.
pub(super) fn pairs(yaml: &str, layout: &YamlLayout) -> (Vec<(Value, Value)>, Vec<LayoutEntry>) {
    layout
        .entries
        .iter()
        .map(|entry| {
            let pair = parse_single(yaml, entry).unwrap_or_else(|| bare(yaml, entry));
            (pair, entry.clone())
        })
        .unzip()
}

fn parse_single(yaml: &str, entry: &LayoutEntry) -> Option<(Value, Value)> {
    match document::read(&yaml[entry.span.clone()]) {
        Ok(YamlDocument::Mapping(mut pairs)) if pairs.len() == 1 => pairs.pop(),
        _ => None,
    }
}

fn bare(yaml: &str, entry: &LayoutEntry) -> (Value, Value) {
    let list = |items: &[Range<usize>]| {
        Value::Sequence(items.iter().map(|item| scalar(&yaml[item.clone()])).collect())
    };
    let value = match &entry.shape {
        ValueSyntax::FlowList(items) | ValueSyntax::BlockList(_, items) => list(items),
        _ => scalar(&yaml[entry.value.clone()]),
    };
    (Value::String(entry.key.clone()), value)
}

/// Converts raw text to a string without a leading dash and surrounding quotes, or to null if
/// nothing is left.
fn scalar(text: &str) -> Value {
    let text = text.trim();
    let text = text.strip_prefix("- ").unwrap_or(text);
    let text = text.trim().trim_matches(['"', '\'']);
    if text.is_empty() || text == "-" { Value::Null } else { Value::String(text.to_owned()) }
}
