//! Parses frontmatter into values, each with its line.
//!
//! Invalid YAML is recovered key by key: a key that parses on its own has its value, any other key
//! its raw text. A note with one wrong line therefore still has its title.

#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

mod document;
mod fault;
mod salvage;

use std::collections::HashMap;

use yaml_serde::Value;

use crate::frontmatter::FrontmatterFault;
use crate::frontmatter::layout::{LayoutEntry, ValueSyntax, YamlLayout};
use crate::frontmatter::split::Split;
use cm_text::position::line_and_column;

use document::YamlDocument;

/// Frontmatter fields in order, without duplicates.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FrontmatterFields(Vec<FrontmatterField>);

/// A key with its value and its location in the file.
#[derive(Debug, Clone, PartialEq)]
pub struct FrontmatterField {
    /// The key as text.
    pub key: String,
    /// The value, with merge keys (`<<`) applied.
    pub value: Value,
    /// Line of the key in the file, from 1.
    pub line: u32,
    /// Column of the key in characters, from 1.
    pub column: u32,
    /// The scalar as written, if it is unquoted and YAML does not read it as text (`2024.10`,
    /// `yes`).
    pub written: Option<String>,
    /// Line in the file of each item of a block list; empty for all other values.
    pub item_lines: Vec<u32>,
}

impl FrontmatterField {
    /// Line of the item at an index, or of the key if unknown.
    pub fn item_line(&self, index: usize) -> u32 {
        self.item_lines.get(index).copied().unwrap_or(self.line)
    }

    /// The value as text: a string, or a number, date or boolean as written; `None` for a list or
    /// mapping.
    pub fn text(&self) -> Option<String> {
        match &self.written {
            Some(written) if !self.value.is_null() => Some(written.clone()),
            _ => scalar_text(&self.value),
        }
    }
}

/// Converts a scalar to text; `None` for null, a list or a mapping.
pub fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Tagged(tagged) => scalar_text(&tagged.value),
        Value::Null | Value::Sequence(_) | Value::Mapping(_) => None,
    }
}

impl FrontmatterFields {
    pub fn get(&self, key: &str) -> Option<&FrontmatterField> {
        self.0.iter().find(|field| field.key == key)
    }

    /// Iterates over the fields in order.
    pub fn iter(&self) -> impl Iterator<Item = &FrontmatterField> {
        self.0.iter()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Maximum number of duplicate keys reported for one frontmatter.
const MAX_REPORTED_DUPLICATES: usize = 20;

/// Fields of a frontmatter, and its faults.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParsedFrontmatter {
    pub fields: FrontmatterFields,
    /// Faults of the whole frontmatter: unclosed, invalid YAML, not a mapping, duplicate keys.
    /// Empty if it is well-formed.
    pub faults: Vec<FrontmatterFault>,
}

/// Parses the frontmatter of a text.
pub fn parse(split: &Split<'_>) -> ParsedFrontmatter {
    let Some(yaml) = split.yaml() else {
        return ParsedFrontmatter {
            fields: FrontmatterFields::default(),
            faults: split.fault().into_iter().collect(),
        };
    };
    let layout = YamlLayout::of(yaml);
    let source = YamlSource { yaml, first_line: split.yaml_line() };
    match document::read(yaml) {
        Ok(YamlDocument::Mapping(pairs)) => source.fields(&layout, pairs),
        Ok(YamlDocument::Empty) => ParsedFrontmatter::default(),
        Ok(YamlDocument::Other(what)) => ParsedFrontmatter {
            fields: FrontmatterFields::default(),
            faults: vec![fault::not_a_mapping(source.first_line, what)],
        },
        Err(error) => {
            let (pairs, entries) = salvage::pairs(yaml, &layout);
            let salvaged_layout = YamlLayout { entries, ..layout };
            let mut parsed = source.fields(&salvaged_layout, pairs);
            parsed.faults.insert(0, fault::of_error(&source, &error));
            parsed
        }
    }
}

/// Returns the keys and values of a well-formed frontmatter, as parsed.
///
/// # Errors
/// Returns the first fault of a malformed frontmatter.
pub(super) fn valid_pairs(
    split: &Split<'_>,
    layout: &YamlLayout,
) -> Result<Vec<(Value, Value)>, FrontmatterFault> {
    let source = YamlSource { yaml: split.yaml().unwrap_or(""), first_line: split.yaml_line() };
    let pairs = match document::read(source.yaml) {
        Ok(YamlDocument::Mapping(pairs)) => pairs,
        Ok(YamlDocument::Empty) => Vec::new(),
        Ok(YamlDocument::Other(what)) => return Err(fault::not_a_mapping(source.first_line, what)),
        Err(error) => return Err(fault::of_error(&source, &error)),
    };
    let aligned = layout.entries.len() == pairs.len();
    let mut seen: HashMap<String, usize> = HashMap::with_capacity(pairs.len());
    for (index, (key, _)) in pairs.iter().enumerate() {
        let entry = layout.entries.get(index).filter(|_| aligned);
        let (key, at) = (key_text(key, entry), entry.map_or(0, |entry| entry.key_start));
        if let Some(first) = seen.get(&key) {
            return Err(fault::duplicate(&key, source.place(*first).0, source.place(at)));
        }
        seen.insert(key, at);
    }
    Ok(pairs)
}

/// The YAML of a frontmatter with its location in the file.
pub(super) struct YamlSource<'a> {
    pub yaml: &'a str,
    pub first_line: u32,
}

impl YamlSource<'_> {
    /// Converts a byte offset in the YAML to line and column in the file, both from 1.
    pub fn place(&self, at: usize) -> (u32, u32) {
        let (line, column) = line_and_column(self.yaml, at);
        (line + self.first_line - 1, column)
    }

    fn fields(&self, layout: &YamlLayout, pairs: Vec<(Value, Value)>) -> ParsedFrontmatter {
        let aligned = layout.entries.len() == pairs.len();
        let merge = self.yaml.contains("<<");
        let mut parsed = ParsedFrontmatter::default();
        let mut merged = Vec::new();
        let mut seen: HashMap<String, u32> = HashMap::with_capacity(pairs.len());
        let mut counted = LineCounter { at: 0, line: self.first_line };
        for (index, (key, mut value)) in pairs.into_iter().enumerate() {
            let entry = layout.entries.get(index).filter(|_| aligned);
            let at = entry.map_or(0, |entry| entry.key_start);
            let line = counted.line(self.yaml, at);
            let column = self.column(at);
            if merge {
                // A merge of something that is no mapping stays as it is written.
                let _ = value.apply_merge();
            }
            let key = key_text(&key, entry);
            if merge && key == "<<" {
                merged.push((value, line, column));
                continue;
            }
            if let Some(first) = seen.get(&key) {
                if parsed.faults.len() < MAX_REPORTED_DUPLICATES {
                    parsed.faults.push(fault::duplicate(&key, *first, (line, column)));
                }
                continue;
            }
            seen.insert(key.clone(), line);
            let mut lines = counted.clone();
            let field = FrontmatterField {
                written: entry.and_then(|entry| written(self.yaml, entry, &value)),
                item_lines: entry.map_or_else(Vec::new, |entry| item_lines(self.yaml, entry, &mut lines)),
                key,
                value,
                line,
                column,
            };
            parsed.fields.0.push(field);
        }
        for (value, line, column) in merged {
            merge_into(&mut parsed.fields, value, line, column);
        }
        parsed
    }

    fn column(&self, at: usize) -> u32 {
        let start = self.yaml[..at].rfind('\n').map_or(0, |newline| newline + 1);
        u32::try_from(self.yaml[start..at].chars().count()).unwrap_or(u32::MAX - 1) + 1
    }
}

/// Counts line breaks incrementally, so that locating all keys takes one pass.
#[derive(Clone)]
struct LineCounter {
    at: usize,
    line: u32,
}

impl LineCounter {
    fn line(&mut self, yaml: &str, at: usize) -> u32 {
        if at > self.at {
            let breaks = yaml
                .as_bytes()
                .get(self.at..at)
                .unwrap_or_default()
                .iter()
                .filter(|byte| **byte == b'\n')
                .count();
            self.line = self.line.saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX));
            self.at = at;
        }
        self.line
    }
}

/// Converts a key to text; a key that YAML does not read as text (`2024:`, `yes:`) stays as
/// written.
pub(super) fn key_text(key: &Value, entry: Option<&LayoutEntry>) -> String {
    match key {
        Value::String(text) => text.clone(),
        other => entry
            .map(|entry| entry.key.clone())
            .or_else(|| scalar_text(other))
            .unwrap_or_else(|| "null".to_owned()),
    }
}

fn written(yaml: &str, entry: &LayoutEntry, value: &Value) -> Option<String> {
    let plain = entry.shape == ValueSyntax::Plain && !value.is_string();
    let text = yaml[entry.value.clone()].trim();
    (plain && !text.starts_with(['&', '!', '*'])).then(|| text.to_owned())
}

fn item_lines(yaml: &str, entry: &LayoutEntry, counted: &mut LineCounter) -> Vec<u32> {
    match &entry.shape {
        ValueSyntax::BlockList(_, items) => items.iter().map(|item| counted.line(yaml, item.start)).collect(),
        _ => Vec::new(),
    }
}

fn merge_into(fields: &mut FrontmatterFields, merged: Value, line: u32, column: u32) {
    let mappings = match merged {
        Value::Mapping(mapping) => vec![mapping],
        Value::Sequence(items) => items
            .into_iter()
            .filter_map(|item| if let Value::Mapping(mapping) = item { Some(mapping) } else { None })
            .collect(),
        _ => Vec::new(),
    };
    for (key, value) in mappings.into_iter().flatten() {
        let key = key_text(&key, None);
        if fields.get(&key).is_none() {
            fields.0.push(FrontmatterField {
                key,
                value,
                line,
                column,
                written: None,
                item_lines: Vec::new(),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::FindingCode;

    fn read(yaml: &str) -> ParsedFrontmatter {
        parse(&Split::of(&format!("---\n{yaml}---\nbody\n")))
    }

    fn texts(parsed: &ParsedFrontmatter) -> Vec<(&str, Option<String>, u32)> {
        parsed.fields.iter().map(|field| (field.key.as_str(), field.text(), field.line)).collect()
    }

    #[test]
    fn keys_come_in_order_with_their_lines_in_the_file() {
        let parsed =
            read("# c\ntitle: 2024.10\n\nid: 007\n\"q\\u0041\": x\n2024: yes\nlist:\n  - a\n\n  - b\n");
        assert_eq!(parsed.faults, []);
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(
            texts(&parsed),
            [
                ("title", text("2024.10"), 3),
                ("id", text("007"), 5),
                ("qA", text("x"), 6),
                ("2024", text("yes"), 7),
                ("list", None, 8),
            ]
        );
        assert_eq!(parsed.fields.get("list").unwrap().item_lines, [9, 11]);
    }

    #[test]
    fn a_repeated_key_is_found_at_its_second_place_and_the_first_one_counts() {
        let parsed = read("a: 1\nb: 2\n  \na: 3\n");
        assert_eq!(texts(&parsed), [("a", Some("1".to_owned()), 2), ("b", Some("2".to_owned()), 3)]);
        let [fault] = &parsed.faults[..] else { panic!("{:?}", parsed.faults) };
        assert_eq!((fault.code, fault.line, fault.column), (FindingCode::DuplicateKey, 5, 1));
    }

    #[test]
    fn merge_keys_give_what_the_note_does_not_say_itself() {
        let parsed = read("base: &b {x: 1, y: 2}\nx: 9\n<<: *b\n");
        assert_eq!(parsed.faults, []);
        assert_eq!(parsed.fields.get("x").unwrap().text(), Some("9".to_owned()));
        assert_eq!(parsed.fields.get("y").unwrap().text(), Some("2".to_owned()));
    }

    #[test]
    fn invalid_yaml_is_read_as_far_as_it_goes() {
        let parsed = read("title: Fix: the thing\ntags: [a, b]\naliases:\n- @someone\nid: \"x\nkind: ok\n");
        assert_eq!(parsed.faults.len(), 1);
        assert_eq!(parsed.fields.get("title").unwrap().text(), Some("Fix: the thing".to_owned()));
        assert_eq!(parsed.fields.get("kind").unwrap().text(), Some("ok".to_owned()));
        assert_eq!(parsed.fields.get("id").unwrap().text(), Some("x".to_owned()));
        let list = |key: &str| parsed.fields.get(key).unwrap().value.as_sequence().unwrap().len();
        assert_eq!((list("tags"), list("aliases")), (2, 1));
    }

    #[test]
    fn an_alias_bomb_is_refused_and_the_rest_is_read() {
        let mut bomb = "title: t\na0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..9 {
            let alias = format!("*a{}", level - 1);
            bomb.push_str(&format!("a{level}: &a{level} [{}]\n", [alias.as_str(); 9].join(", ")));
        }
        let parsed = read(&bomb);
        assert_eq!(parsed.faults[0].code, FindingCode::InvalidYaml);
        assert_eq!(parsed.fields.get("title").unwrap().text(), Some("t".to_owned()));
    }

    #[test]
    fn brackets_without_end_are_refused_before_they_cost_anything() {
        let parsed = read(&format!("title: t\na: {}\n", "[".repeat(100_000)));
        assert_eq!((parsed.faults[0].code, parsed.faults[0].line), (FindingCode::InvalidYaml, 3));
        assert_eq!(parsed.fields.get("title").unwrap().text(), Some("t".to_owned()));
    }

    #[test]
    fn what_is_no_mapping_is_a_finding() {
        for yaml in ["- a\n- b\n", "just words\n", "12\n", "!x y\n"] {
            assert_eq!(read(yaml).faults[0].code, FindingCode::NotAMapping, "{yaml:?}");
        }
        for yaml in ["", "\n\n", "# only a comment\n", "{}\n"] {
            assert_eq!(read(yaml), ParsedFrontmatter::default(), "{yaml:?}");
        }
    }
}
