//! A text that can be edited, and the check that an edit changed only its key.

use std::ops::Range;

use yaml_serde::Value;

use super::EditError;
use crate::frontmatter::layout::{LayoutEntry, YamlLayout, YamlRoot};
use crate::frontmatter::parse::{key_text, valid_pairs};
use crate::frontmatter::split::{BOM, Split};
use cm_text::position::line_and_column;

/// Keys and values as parsed, in order.
pub(super) type KeyValuePairs = Vec<(Value, Value)>;

/// A note's text with valid frontmatter, and the layout and the values of its keys.
pub(super) struct EditableText<'a> {
    pub split: Split<'a>,
    /// The YAML; empty if there is no frontmatter.
    pub yaml: &'a str,
    pub layout: YamlLayout,
    pub pairs: KeyValuePairs,
}

impl<'a> EditableText<'a> {
    /// Parses a text. Fails if its frontmatter is unclosed, not YAML, not a mapping, or has a
    /// duplicate key.
    pub fn open(text: &'a str) -> Result<Self, EditError> {
        let split = Split::of(text);
        if let Some(fault) = split.fault() {
            return Err(fault.into());
        }
        let yaml = split.yaml().unwrap_or("");
        let layout = YamlLayout::of(yaml);
        let pairs = valid_pairs(&split, &layout)?;
        Ok(Self { split, yaml, layout, pairs })
    }

    /// Returns the index of a key, from 0.
    pub fn find(&self, key: &str) -> Option<usize> {
        let aligned = self.layout.entries.len() == self.pairs.len();
        let entry = |index: usize| aligned.then(|| &self.layout.entries[index]);
        (0..self.pairs.len()).find(|index| key_text(&self.pairs[*index].0, entry(*index)) == key)
    }

    /// Returns the layout of the key at an index. Fails if layout and parser disagree about the
    /// keys.
    pub fn entry(&self, index: usize, key: &str) -> Result<&LayoutEntry, EditError> {
        if self.layout.broken || self.layout.entries.len() != self.pairs.len() {
            return Err(self.entangled(key));
        }
        Ok(&self.layout.entries[index])
    }

    /// Returns the line of a key in the file, from 1.
    pub fn line(&self, key: &str) -> u32 {
        let entry = self.find(key).and_then(|index| self.layout.entries.get(index));
        let place = entry.map_or((1, 1), |entry| line_and_column(self.yaml, entry.key_start));
        place.0 + self.split.yaml_line() - 1
    }

    pub fn entangled(&self, key: &str) -> EditError {
        EditError::Entangled { key: key.to_owned(), line: self.line(key) }
    }

    /// Returns the text with a byte range of the YAML replaced. Converts the replacement to the
    /// file's line breaks; creates a frontmatter if there is none.
    pub fn splice(&self, range: Range<usize>, replacement: &str) -> String {
        let line_break = self.split.line_break();
        let replacement = super::in_line_breaks(replacement, line_break);
        let text = self.split.text();
        match self.split.yaml_range() {
            Some(yaml) => {
                let (from, to) = (yaml.start + range.start, yaml.start + range.end);
                format!("{}{replacement}{}", &text[..from], &text[to..])
            }
            None => {
                let bom = if text.starts_with(BOM) { "\u{feff}" } else { "" };
                let body = self.split.body();
                format!("{bom}---{line_break}{replacement}---{line_break}{body}")
            }
        }
    }

    /// Verifies the result of an edit: returns `text` if its values equal `expected` and the bytes
    /// of all other keys and of the body are unchanged, else `None`.
    pub fn check(
        &self,
        text: String,
        expected: &KeyValuePairs,
        changed: Option<usize>,
        replaced: &Range<usize>,
    ) -> Option<String> {
        let new = EditableText::open(&text).ok()?;
        let same_values = new.pairs == *expected;
        let same_body = new.split.body() == self.split.body()
            && new.split.line_break() == self.split.line_break()
            && text.starts_with(BOM) == self.split.text().starts_with(BOM);
        let sound = same_values && same_body && self.keeps_lines(&new, changed, replaced);
        sound.then_some(text)
    }

    fn keeps_lines(&self, new: &EditableText<'_>, changed: Option<usize>, replaced: &Range<usize>) -> bool {
        if new.layout.broken || self.layout.broken || new.layout.entries.len() != new.pairs.len() {
            return false;
        }
        let mut removed = changed.filter(|_| new.pairs.len() < self.pairs.len());
        let mut others = new.layout.entries.iter().enumerate();
        for (index, entry) in self.layout.entries.iter().enumerate() {
            if removed == Some(index) {
                removed = None;
                continue;
            }
            let Some((_, now)) = others.next() else { return false };
            if changed != Some(index) && self.yaml[entry.span.clone()] != new.yaml[now.span.clone()] {
                return false;
            }
        }
        let span = changed.map(|index| self.layout.entries[index].span.clone());
        let span = match (self.layout.root, span) {
            (YamlRoot::Block(_), Some(span)) => span.start..span.end.max(replaced.end),
            (YamlRoot::Flow(open, close), _) => open..close + 1,
            _ => self.yaml.len()..self.yaml.len(),
        };
        new.yaml.starts_with(&self.yaml[..span.start]) && new.yaml.ends_with(&self.yaml[span.end..])
    }
}
