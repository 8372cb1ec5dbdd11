//! The frontmatter of one version as chunks: each key with its lines and the comments above it.

use cm_note::frontmatter::layout::{ValueSyntax, YamlLayout, YamlRoot};
use cm_note::frontmatter::parse::{FrontmatterFields, parse};
use cm_note::frontmatter::split::Split;
use cm_note::instant::Instant;
use yaml_serde::Value;

/// A well-formed frontmatter with the body below it. All texts are pieces of the file in order.
#[derive(Debug)]
pub(crate) struct Head<'a> {
    /// The opening line; empty without frontmatter.
    pub opening: &'a str,
    pub chunks: Vec<Chunk<'a>>,
    /// Comments and blank lines below the last key.
    pub tail: &'a str,
    /// The closing line; empty without frontmatter.
    pub closing: &'a str,
    pub body: &'a str,
    pub fields: FrontmatterFields,
}

/// One key of a frontmatter.
#[derive(Debug, Clone)]
pub(crate) struct Chunk<'a> {
    pub key: String,
    /// Comments and blank lines above the key.
    pub lead: &'a str,
    /// The lines of the key and its value.
    pub text: &'a str,
    pub value: Value,
    /// The items of a list as written, each with the comments above it; `None` if the value is not a
    /// list or its items cannot be separated.
    pub items: Option<ListText<'a>>,
}

/// A list as written.
#[derive(Debug, Clone)]
pub(crate) struct ListText<'a> {
    /// Text before the first item.
    pub begin: &'a str,
    /// Each item; of a block list with its lines.
    pub items: Vec<&'a str>,
    /// Text after the last item.
    pub end: &'a str,
    /// Whether it is written in brackets.
    pub is_flow: bool,
}

impl<'a> Head<'a> {
    /// Splits a text; `None` if its frontmatter is malformed, repeats a key, or is not written as
    /// one key a line.
    pub fn of(text: &'a str) -> Option<Self> {
        let split = Split::of(text);
        let parsed = parse(&split);
        if split.fault().is_some() || !parsed.faults.is_empty() {
            return None;
        }
        let Some(range) = split.yaml_range() else {
            let body = split.text();
            return Some(Self {
                opening: "",
                chunks: Vec::new(),
                tail: "",
                closing: "",
                body,
                fields: parsed.fields,
            });
        };
        let yaml = &text[range.clone()];
        let layout = YamlLayout::of(yaml);
        let fields: Vec<_> = parsed.fields.iter().collect();
        let flow = matches!(layout.root, YamlRoot::Flow(..));
        if layout.broken || flow || layout.entries.len() != fields.len() {
            return None;
        }
        let mut at = 0;
        let mut chunks = Vec::with_capacity(fields.len());
        for (entry, field) in layout.entries.iter().zip(fields) {
            let lead = yaml.get(at..entry.span.start)?;
            at = entry.span.end;
            let value = field.value.clone();
            let items = list_text(yaml, entry, &value);
            chunks.push(Chunk {
                key: field.key.clone(),
                lead,
                text: &yaml[entry.span.clone()],
                value,
                items,
            });
        }
        Some(Self {
            opening: &text[..range.start],
            chunks,
            tail: &yaml[at..],
            closing: &text[range.end..split.body_start()],
            body: split.body(),
            fields: parsed.fields,
        })
    }

    /// Returns this version with the frontmatter of the base if it lost all of it, and with it the id of the note; `None`
    /// if it did not.
    pub fn with_lost_frontmatter(&self, base: &'a str) -> Option<Self> {
        let base = Head::of(base).filter(|base| base.get("id").is_some() && self.opening.is_empty())?;
        Some(Self { body: self.body, ..base })
    }

    pub fn get(&self, key: &str) -> Option<&Chunk<'a>> {
        self.chunks.iter().find(|chunk| chunk.key == key)
    }

    pub fn text(&self, key: &str) -> Option<String> {
        self.fields.get(key)?.text()
    }

    pub fn date(&self, key: &str) -> Option<Instant> {
        Instant::parse(&self.text(key)?).ok()
    }
}

fn list_text<'a>(
    yaml: &'a str,
    entry: &cm_note::frontmatter::layout::LayoutEntry,
    value: &Value,
) -> Option<ListText<'a>> {
    let count = value.as_sequence()?.len();
    let (ranges, is_flow) = match &entry.shape {
        ValueSyntax::BlockList(_, ranges) => (ranges, false),
        ValueSyntax::FlowList(ranges) => (ranges, true),
        _ => return None,
    };
    let (first, last) = (ranges.first()?, ranges.last()?);
    if ranges.len() != count || is_flow && yaml[entry.value.clone()].contains('\n') {
        return None;
    }
    // Comments between items of a block list belong to the item below them.
    let mut at = first.start;
    let mut items = Vec::with_capacity(count);
    for range in ranges {
        items.push(yaml.get(if is_flow { range.start } else { at }..range.end)?);
        at = range.end;
    }
    let (begin, end) = (&yaml[entry.span.start..first.start], &yaml[last.end..entry.span.end]);
    Some(ListText { begin, items, end, is_flow })
}
