//! Merges `cm.toml`: tables by key, lists as sets, comments kept.
//!
//! Settings have no place for leftovers: the value that lost stands in a comment above the other,
//! which [`lost_values`] finds.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};

use toml_edit::{Array, DocumentMut, Item, Key, Table, Value};

use crate::three_way::{both_lines, one_sided};
use crate::{Clash, lines};

/// Begin of the comment about a value that lost.
const LOST: &str = "# cm merge: ";

/// Returns what the comments of a merge say about the values that lost.
pub fn lost_values(settings: &str) -> impl Iterator<Item = &str> {
    settings.lines().filter_map(|line| line.trim_start().strip_prefix(LOST))
}

/// Returns the settings without the comments about values of this setting that lost: a person has decided.
pub fn without_lost_values(settings: &str, name: &str) -> String {
    let Ok(mut document) = settings.parse::<DocumentMut>() else { return settings.to_owned() };
    let (groups, leaf) = name.rsplit_once('.').map_or(("", name), |(groups, leaf)| (groups, leaf));
    let mut table = document.as_table_mut();
    for group in groups.split('.').filter(|group| !group.is_empty()) {
        match table.get_mut(group).and_then(Item::as_table_mut) {
            Some(inner) => table = inner,
            None => return settings.to_owned(),
        }
    }
    let prefix = SettingEntry::of(table, leaf).prefix;
    let is_decided =
        |line: &&str| line.trim_start().strip_prefix(LOST).is_some_and(|lost| is_about(lost, leaf));
    if !prefix.lines().any(|line| is_decided(&line)) {
        return settings.to_owned();
    }
    let rest: String = prefix.split_inclusive('\n').filter(|line| !is_decided(line)).collect();
    set_prefix(leaf, table, &rest);
    document.to_string()
}

/// Whether the comment about a lost value names this key.
fn is_about(lost: &str, key: &str) -> bool {
    lost.contains(&format!("`{key} = ")) || lost.contains(&format!("`{key}`"))
}

/// Merges three texts; `None` if one is not valid TOML. Of two values for a key, the greater stands:
/// numbers as numbers, all else by bytes.
pub(crate) fn merge(base: &str, ours: &str, theirs: &str) -> Option<String> {
    let (first_text, second_text) = (ours.min(theirs), ours.max(theirs));
    let common = base;
    let [base, first, second] = [base, first_text, second_text].map(|text| text.parse::<DocumentMut>());
    let (base, mut merged, mut other) = (base.ok()?, first.ok()?, second.ok()?);
    drop_shared_comments(common, base.as_table(), merged.as_table(), other.as_table_mut());
    let trailing = |document: &DocumentMut| document.trailing().as_str().unwrap_or_default().to_owned();
    let end = both_lines(&trailing(&base), &trailing(&merged), &trailing(&other));
    merge_table(base.as_table(), merged.as_table_mut(), other.as_table());
    merged.set_trailing(end);
    let text = merged.to_string();
    let merged = text.parse::<DocumentMut>().ok()?;
    // Lines stay where a person wrote them, if that says the same.
    let (by_lines, clashes) = lines::merge_text(common, first_text, second_text, Clash::Leftover);
    let says_the_same = || {
        by_lines
            .parse::<DocumentMut>()
            .is_ok_and(|lines| values(lines.as_table()) == values(merged.as_table()))
    };
    Some(if !clashes && says_the_same() { by_lines } else { text })
}

/// The values of a table by their dotted names.
fn values(table: &Table) -> BTreeMap<String, String> {
    let mut values = BTreeMap::new();
    for (name, item) in table {
        match item.as_table() {
            Some(inner) => {
                values.insert(name.to_owned(), String::new());
                values.extend(
                    self::values(inner).into_iter().map(|(key, value)| (format!("{name}.{key}"), value)),
                );
            }
            None => values.extend(SettingEntry::of(table, name).value.map(|value| (name.to_owned(), value))),
        }
    }
    values
}

/// Removes the comments of the base above an entry that both sides put below them, from those of
/// `theirs`: what stands at the end of a file or table is above whatever is appended to it.
fn drop_shared_comments(common: &str, base: &Table, ours: &Table, theirs: &mut Table) {
    let added = |table: &Table| -> Vec<String> {
        table.iter().map(|(name, _)| name.to_owned()).filter(|name| !base.contains_key(name)).collect()
    };
    let our_prefixes: Vec<String> =
        added(ours).iter().map(|name| SettingEntry::of(ours, name).prefix).collect();
    for name in added(theirs).iter().filter(|name| !ours.contains_key(name)) {
        let prefix = SettingEntry::of(theirs, name).prefix;
        let shared = our_prefixes.iter().map(|other| shared_comment(common, &prefix, other)).max();
        if let Some(shared) = shared.filter(|shared| *shared > 0) {
            let gap = if theirs.get(name).is_some_and(Item::is_table) { "\n" } else { "" };
            set_prefix(name, theirs, &format!("{gap}{}", prefix[shared..].trim_start_matches('\n')));
        }
    }
    let empty = Table::new();
    for (name, item) in theirs.iter_mut() {
        if let (Some(our), Item::Table(their)) = (ours.get(&name).and_then(Item::as_table), item) {
            let old = base.get(&name).and_then(Item::as_table).unwrap_or(&empty);
            drop_shared_comments(common, old, our, their);
        }
    }
}

/// Length of the lines at the start of both texts that are a comment in `common`.
fn shared_comment(common: &str, one: &str, other: &str) -> usize {
    let lines = one.split_inclusive('\n').zip(other.split_inclusive('\n'));
    let lines = lines.take_while(|(one, other)| one == other).map(|(line, _)| line.len());
    let ends = lines.scan(0, |end, length| {
        *end += length;
        Some(*end)
    });
    let is_common = |end: &usize| {
        let block = one[..*end].trim();
        !block.is_empty() && common.contains(block)
    };
    ends.filter(is_common).max().unwrap_or_default()
}

fn merge_table(base: &Table, ours: &mut Table, theirs: &Table) {
    let empty = Table::new();
    let names = |table: &Table| table.iter().map(|(name, _)| name.to_owned()).collect::<Vec<_>>();
    let mut seen = HashSet::new();
    let all = [names(theirs), names(ours)].concat();
    for name in all.into_iter().filter(|name| seen.insert(name.clone())) {
        let old = base.get(&name).and_then(Item::as_table).unwrap_or(&empty);
        if let (Some(Item::Table(our)), Some(Item::Table(their))) = (ours.get_mut(&name), theirs.get(&name)) {
            let prefix = both_lines(prefix_of_table(old), prefix_of_table(our), prefix_of_table(their));
            our.decor_mut().set_prefix(prefix);
            merge_table(old, our, their);
            continue;
        }
        merge_entry(&name, base, ours, theirs);
    }
}

fn merge_entry(name: &str, base: &Table, ours: &mut Table, theirs: &Table) {
    let [old, our, their] = [base, &*ours, theirs].map(|table| SettingEntry::of(table, name));
    match one_sided(&old.text, our.text.clone(), their.text.clone()) {
        Some(one) if one == our.text => {}
        Some(_) => take(name, ours, theirs),
        None => {
            let prefix = both_lines(&old.prefix, &our.prefix, &their.prefix);
            let lost = match one_sided(&old.value, our.value.clone(), their.value.clone()) {
                Some(one) if one == our.value => None,
                Some(_) => {
                    take(name, ours, theirs);
                    None
                }
                None if merge_array(name, base, ours, theirs) => None,
                None if is_greater(&our.value, &their.value) => Some(their.value),
                None => {
                    take(name, ours, theirs);
                    Some(our.value)
                }
            };
            let note = lost.map(|lost| match lost {
                Some(lost) => format!("{LOST}another side set `{name} = {lost}`\n"),
                None => format!("{LOST}another side removed `{name}`\n"),
            });
            let note = note.filter(|note| !prefix.contains(note.as_str())).unwrap_or_default();
            set_prefix(name, ours, &(prefix + &note));
        }
    }
}

/// Whether the first of two different values stands.
fn is_greater(one: &Option<String>, other: &Option<String>) -> bool {
    let number = |value: &Option<String>| value.as_deref()?.replace('_', "").parse::<f64>().ok();
    let by_number = number(one).zip(number(other)).and_then(|(one, other)| one.partial_cmp(&other));
    by_number.unwrap_or(Ordering::Equal).then_with(|| one.cmp(other)) == Ordering::Greater
}

/// An entry of a table as written.
struct SettingEntry {
    /// Comments and blank lines above.
    prefix: String,
    /// The whole entry; `None` if the table lacks it.
    text: Option<String>,
    /// The value without comments, on one line.
    value: Option<String>,
}

impl SettingEntry {
    fn of(table: &Table, name: &str) -> Self {
        let Some((key, item)) = table.get_key_value(name) else {
            return Self { prefix: String::new(), text: None, value: None };
        };
        let prefix = match item {
            Item::Table(table) => prefix_of_table(table),
            _ => prefix_of_key(key),
        };
        let value = match item.clone().into_value() {
            Ok(value) => value.decorated("", "").to_string(),
            Err(item) => item.to_string(),
        };
        Self { prefix: prefix.to_owned(), text: Some(format!("{prefix}{item}")), value: Some(value) }
    }
}

fn prefix_of_key(key: &Key) -> &str {
    key.leaf_decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default()
}

fn prefix_of_table(table: &Table) -> &str {
    table.decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default()
}

/// Takes over an entry of the other side, with its comments, or its absence.
fn take(name: &str, ours: &mut Table, theirs: &Table) {
    match theirs.get_key_value(name) {
        Some((key, item)) => {
            let mut item = item.clone();
            if let Item::Table(table) = &mut item {
                table.set_position(None);
            }
            ours.remove(name);
            ours.insert_formatted(key, item);
        }
        None => {
            ours.remove(name);
        }
    }
}

fn set_prefix(name: &str, table: &mut Table, prefix: &str) {
    match table.get_mut(name) {
        Some(Item::Table(table)) => table.decor_mut().set_prefix(prefix),
        Some(_) => {
            if let Some(mut key) = table.key_mut(name) {
                key.leaf_decor_mut().set_prefix(prefix);
            }
        }
        None => {}
    }
}

/// Merges a list as a set: the items of the base in their order, then the added ones by value.
/// Returns false if one side has no list.
fn merge_array(name: &str, base: &Table, ours: &mut Table, theirs: &Table) -> bool {
    let array = |table: &Table| table.get(name).and_then(Item::as_array).cloned();
    let Some((our, their)) = array(ours).zip(array(theirs)) else { return false };
    let old = array(base).unwrap_or_default();
    let text = |value: &Value| value.clone().decorated("", "").to_string();
    let has = |array: &Array, item: &str| array.iter().any(|value| text(value) == item);
    let mut merged = our.clone();
    merged.retain(|value| has(&their, &text(value)) || !has(&old, &text(value)));
    let mut added: Vec<&Value> = our.iter().chain(&their).filter(|value| !has(&old, &text(value))).collect();
    added.sort_by_key(|value| text(value));
    added.dedup_by_key(|value| text(value));
    merged.retain(|value| has(&old, &text(value)));
    for value in added {
        let last = merged.iter().last().map(|value| value.decor().clone());
        merged.push_formatted(value.clone());
        if let (Some(decor), Some(value)) = (last, merged.iter_mut().last()) {
            let prefix = decor.prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default();
            *value.decor_mut() = toml_edit::Decor::new(if prefix.is_empty() { " " } else { prefix }, "");
        } else if let Some(value) = merged.iter_mut().last() {
            value.decor_mut().clear();
        }
    }
    if let Some(item) = ours.get_mut(name).and_then(Item::as_array_mut) {
        *item = merged;
    }
    true
}
