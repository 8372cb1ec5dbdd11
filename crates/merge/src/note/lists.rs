//! Merges lists of a frontmatter: as sets by identity, or in order where the order has a meaning.

use std::cmp::Ordering;

use cm_note::frontmatter::edit::words;
use cm_note::frontmatter::parse::scalar_text;
use cm_note::instant::Instant;
use cm_note::note::leftover::MERGE;
use yaml_serde::{Mapping, Value};

use super::head::Chunk;
use super::keys::{KeyLeftover, KeyVersions};
use crate::side::{Precedence, SideName};
use crate::three_way::{Resolution, one_sided, regions};

/// Lists whose order has a meaning.
const ORDERED: [&str; 3] = ["steps", "preconditions", "postconditions"];

/// An item of a merged list.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub value: Value,
    /// How each version writes it.
    id: String,
}

/// A merged list, and the values that lost.
pub(super) struct MergedList {
    pub items: Vec<Item>,
    pub leftovers: Vec<KeyLeftover>,
}

/// Whether the key is a list in the sides that have it, and nothing else in any version.
pub(super) fn is_list(versions: KeyVersions<'_, '_>) -> bool {
    let sides = [versions.base, versions.ours, versions.theirs];
    let is_list = |chunk: &Chunk<'_>| items(versions.key, chunk).is_some();
    let some = [versions.ours, versions.theirs].iter().flatten().any(|chunk| !chunk.value.is_null());
    some && sides.iter().flatten().all(|chunk| chunk.value.is_null() || is_list(chunk))
}

/// Returns the items of a list, also of tags written as one text.
fn items(key: &str, chunk: &Chunk<'_>) -> Option<Vec<Value>> {
    match &chunk.value {
        Value::Sequence(items) => Some(items.clone()),
        Value::String(text) if matches!(key, "tags" | "aliases") => {
            Some(words(key, text).map(Value::String).collect())
        }
        _ => None,
    }
}

fn listed(key: &str, chunk: Option<&Chunk<'_>>) -> Vec<Item> {
    let items = chunk.and_then(|chunk| items(key, chunk)).unwrap_or_default();
    items.into_iter().map(|value| Item { id: identity(key, &value), value }).collect()
}

/// Key by which two items of a list are equal: target, type and direction of a relation, else the whole
/// value.
fn identity(key: &str, value: &Value) -> String {
    match (key, value) {
        ("relations", Value::Mapping(relation)) if relation.contains_key("target") => {
            let text = |key: &str| relation.get(key).and_then(scalar_text).unwrap_or_default();
            let direction = if text("direction") == "incoming" { "incoming" } else { "outgoing" };
            format!("{}\n{}\n{direction}", text("target"), text("type").to_uppercase())
        }
        _ => written_value(value),
    }
}

/// A value as text with sorted keys.
fn written_value(value: &Value) -> String {
    match value {
        Value::Mapping(mapping) => {
            let mut pairs: Vec<String> = mapping
                .iter()
                .map(|(key, value)| format!("{}: {}", written_value(key), written_value(value)))
                .collect();
            pairs.sort_unstable();
            format!("{{{}}}", pairs.join(", "))
        }
        Value::Sequence(items) => {
            format!("[{}]", items.iter().map(written_value).collect::<Vec<_>>().join(", "))
        }
        Value::Null => "~".to_owned(),
        Value::String(text) => format!("{text:?}"),
        other => scalar_text(other).unwrap_or_default(),
    }
}

/// Merges a list by the rule of its key.
pub(super) fn merge(versions: KeyVersions<'_, '_>, precedence: Precedence) -> MergedList {
    let key = versions.key;
    let [base, ours, theirs] =
        [versions.base, versions.ours, versions.theirs].map(|chunk| listed(key, chunk));
    if ORDERED.contains(&key) {
        return ordered(key, &base, &ours, &theirs, precedence);
    }
    let mut leftovers = Vec::new();
    let mut items = set(&base, &ours, &theirs);
    for item in &mut items {
        let find =
            |side: &[Item]| side.iter().find(|other| other.id == item.id).map(|item| item.value.clone());
        let (old, our, their) = (find(&base), find(&ours), find(&theirs));
        let (Some(our), Some(their)) = (our, their) else { continue };
        item.value = match one_sided(&old, Some(our.clone()), Some(their.clone())).flatten() {
            Some(value) => value,
            None => {
                let winner = precedence.winner(&written_value(&our), &written_value(&their));
                let (prevailing, lost, from) = match winner {
                    SideName::Ours => (our, their, SideName::Theirs),
                    SideName::Theirs => (their, our, SideName::Ours),
                };
                leftovers.push(KeyLeftover { key: key.to_owned(), value: lost, from });
                prevailing
            }
        };
    }
    if key == MERGE {
        items.sort_by(|a, b| a.id.cmp(&b.id));
    }
    MergedList { items, leftovers }
}

/// Union of two sets minus what one side removed: the items of the base in their order, then the
/// added ones by time and value. Equal items of one version count each.
fn set(base: &[Item], ours: &[Item], theirs: &[Item]) -> Vec<Item> {
    let count = |items: &[Item], id: &str| items.iter().filter(|item| item.id == id).count();
    let merged_count = |id: &str| {
        let (base, ours, theirs) = (count(base, id), count(ours, id), count(theirs, id));
        one_sided(&base, ours, theirs).unwrap_or_else(|| match (ours > base, theirs > base) {
            (true, true) => ours.max(theirs),
            (false, false) => ours.min(theirs),
            _ => (ours + theirs).saturating_sub(base),
        })
    };
    let mut items: Vec<Item> = Vec::new();
    for item in base {
        if count(&items, &item.id) < merged_count(&item.id) {
            items.push(item.clone());
        }
    }
    let mut added: Vec<Item> = Vec::new();
    for item in ours.iter().chain(theirs) {
        if count(&items, &item.id) + count(&added, &item.id) < merged_count(&item.id) {
            added.push(item.clone());
        }
    }
    added.sort_by(|a, b| time_of(a).cmp(&time_of(b)).then_with(|| a.id.cmp(&b.id)));
    items.append(&mut added);
    items
}

fn time_of(item: &Item) -> Option<Instant> {
    let mapping = item.value.as_mapping()?;
    let at = ["at", "created", "date"].iter().find_map(|key| mapping.get(*key).and_then(scalar_text));
    Instant::parse(&at?).ok()
}

/// Merges a list in order; where items clash, the list of the winner stands.
fn ordered(key: &str, base: &[Item], ours: &[Item], theirs: &[Item], precedence: Precedence) -> MergedList {
    let ids = |items: &[Item]| items.iter().map(|item| item.id.clone()).collect::<Vec<_>>();
    let [base_ids, our_ids, their_ids] = [base, ours, theirs].map(ids);
    let [base_refs, our_refs, their_refs] =
        [&base_ids, &our_ids, &their_ids].map(|ids| ids.iter().map(String::as_str).collect::<Vec<_>>());
    let mut items = Vec::new();
    for region in regions(&base_refs, &our_refs, &their_refs) {
        let (our, their) = (&ours[region.ours], &theirs[region.theirs]);
        match region.resolution {
            Resolution::Unchanged | Resolution::Ours => items.extend_from_slice(our),
            Resolution::Theirs => items.extend_from_slice(their),
            Resolution::Conflict if region.base.is_empty() => {
                let our_first =
                    precedence.winner(&ids(our).concat(), &ids(their).concat()) == SideName::Theirs;
                let (first, second) = if our_first { (our, their) } else { (their, our) };
                items.extend_from_slice(first);
                items.extend(
                    second.iter().filter(|item| first.iter().all(|other| other.id != item.id)).cloned(),
                );
            }
            Resolution::Conflict => {
                let winner = precedence.winner(&our_ids.concat(), &their_ids.concat());
                let (prevailing, lost, from) = match winner {
                    SideName::Ours => (ours, theirs, SideName::Theirs),
                    SideName::Theirs => (theirs, ours, SideName::Ours),
                };
                let value = Value::Sequence(lost.iter().map(|item| item.value.clone()).collect());
                let leftover = KeyLeftover { key: key.to_owned(), value, from };
                return MergedList { items: prevailing.to_vec(), leftovers: vec![leftover] };
            }
        }
    }
    MergedList { items, leftovers: Vec::new() }
}

/// Writes a list with each item as a version writes it; `None` if the sides write the list in
/// different ways or an item is new.
pub(super) fn written(
    versions: KeyVersions<'_, '_>,
    items: &[Item],
    precedence: Precedence,
) -> Option<String> {
    let has = |chunk: &&Chunk<'_>| !chunk.value.is_null();
    let [base, ours, theirs] = [versions.base, versions.ours, versions.theirs].map(|chunk| chunk.filter(has));
    let sides: Vec<&Chunk<'_>> = [ours, theirs, base].into_iter().flatten().collect();
    let lists: Vec<_> = sides.iter().map(|chunk| chunk.items.as_ref()).collect::<Option<_>>()?;
    let first = lists.first()?;
    let indent = |item: &str| item.trim_start_matches(['\n', '\r']).find(|c| c != ' ').unwrap_or_default();
    let same_form = lists.iter().all(|list| list.is_flow == first.is_flow)
        && (first.is_flow
            || lists.iter().flat_map(|list| &list.items).all(|item| indent(item) == indent(first.items[0])));
    if !same_form {
        return None;
    }
    let frame = match (ours, theirs) {
        (Some(ours), Some(theirs)) => match precedence.winner(ours.text, theirs.text) {
            SideName::Ours => ours,
            SideName::Theirs => theirs,
        },
        (one, other) => one.or(other)?,
    };
    let frame = frame.items.as_ref()?;
    let mut used: Vec<Vec<bool>> = lists.iter().map(|list| vec![false; list.items.len()]).collect();
    let mut texts = Vec::with_capacity(items.len());
    for item in items {
        let mut spellings: Vec<&str> = Vec::new();
        for ((chunk, list), used) in sides.iter().zip(&lists).zip(&mut used) {
            let values = self::items(versions.key, chunk)?;
            let at = values.iter().zip(used.iter()).position(|(value, used)| !used && *value == item.value);
            if let Some(at) = at {
                used[at] = true;
                spellings.push(list.items[at]);
            }
        }
        let old = base.is_some_and(|chunk| items_contain(versions.key, chunk, &item.value));
        let text = match spellings.as_slice() {
            [ours, theirs, base] if old => one_sided(base, *ours, *theirs).unwrap_or(ours.max(theirs)),
            all => all.iter().max().copied()?,
        };
        texts.push(text);
    }
    let between = if frame.is_flow { ", " } else { "" };
    Some(format!("{}{}{}", frame.begin, texts.join(between), frame.end))
}

fn items_contain(key: &str, chunk: &Chunk<'_>, value: &Value) -> bool {
    items(key, chunk).is_some_and(|items| items.contains(value))
}

/// Merges a mapping whose values are lists (`derived_from`), each as a set; `None` for other values.
pub(super) fn mapping_of_lists(versions: KeyVersions<'_, '_>) -> Option<Value> {
    let empty = Mapping::new();
    let of = |chunk: Option<&Chunk<'_>>| match chunk.map(|chunk| &chunk.value) {
        None | Some(Value::Null) => Some(empty.clone()),
        Some(Value::Mapping(mapping)) if mapping.values().all(Value::is_sequence) => Some(mapping.clone()),
        Some(_) => None,
    };
    let (base, ours, theirs) = (of(versions.base)?, of(versions.ours)?, of(versions.theirs)?);
    if ours.is_empty() || theirs.is_empty() {
        return None;
    }
    let mut keys: Vec<&Value> = base.keys().chain(ours.keys()).chain(theirs.keys()).collect();
    let mut seen = Vec::new();
    keys.retain(|key| {
        !seen.contains(key) && {
            seen.push(*key);
            true
        }
    });
    let mut merged = Mapping::new();
    for key in keys {
        let items = |mapping: &Mapping| -> Vec<Item> {
            let items = mapping.get(key).and_then(Value::as_sequence).cloned().unwrap_or_default();
            items.into_iter().map(|value| Item { id: written_value(&value), value }).collect()
        };
        let set = set(&items(&base), &items(&ours), &items(&theirs));
        if !set.is_empty() {
            merged.insert(key.clone(), Value::Sequence(set.into_iter().map(|item| item.value).collect()));
        }
    }
    Some(Value::Mapping(merged))
}

/// Joins the reasons that both sides give, separated by semicolons; `None` if a side gives none.
pub(super) fn joined_reasons(versions: KeyVersions<'_, '_>) -> Option<String> {
    let reasons = |chunk: Option<&Chunk<'_>>| -> Option<Vec<Item>> {
        let text = chunk?.value.as_str()?;
        let parts = text.split("; ").map(|part| Value::String(part.to_owned()));
        Some(parts.map(|value| Item { id: written_value(&value), value }).collect())
    };
    let base = reasons(versions.base).unwrap_or_default();
    let joined = set(&base, &reasons(versions.ours)?, &reasons(versions.theirs)?);
    let texts: Vec<&str> = joined.iter().filter_map(|item| item.value.as_str()).collect();
    Some(texts.join("; "))
}

/// Orders leftovers, so that merges in any order give one list.
pub(super) fn by_value(a: &Value, b: &Value) -> Ordering {
    written_value(a).cmp(&written_value(b))
}
