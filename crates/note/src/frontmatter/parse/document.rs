//! Parses a YAML document into key and value pairs, duplicates included.

use std::fmt;

use serde::de::{
    Deserialize, Deserializer, EnumAccess, IgnoredAny, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use yaml_serde::Value;

/// The outermost value of a YAML text.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::frontmatter) enum YamlDocument {
    Empty,
    Mapping(Vec<(Value, Value)>),
    /// Any other value, with its description for messages.
    Other(&'static str),
}

/// Reason why a YAML text cannot be read.
#[derive(Debug)]
pub(in crate::frontmatter) enum YamlError {
    Yaml(yaml_serde::Error),
    /// Brackets are nested too deeply, from this byte offset on.
    TooDeep(usize),
}

/// Maximum nesting of brackets. The YAML parser inspects every open bracket for every token, so
/// deep nesting would take quadratic time.
const MAX_BRACKET_DEPTH: usize = 200;

/// Parses a YAML text of one document.
pub(in crate::frontmatter) fn read(yaml: &str) -> Result<YamlDocument, YamlError> {
    let blank =
        |line: &str| line.trim_matches([' ', '\t', '\r']).is_empty() || line.trim_start().starts_with('#');
    if yaml.lines().all(blank) {
        return Ok(YamlDocument::Empty);
    }
    match too_deep(yaml) {
        Some(at) => Err(YamlError::TooDeep(at)),
        None => yaml_serde::from_str(yaml).map_err(YamlError::Yaml),
    }
}

fn too_deep(yaml: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in yaml.bytes().enumerate() {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_BRACKET_DEPTH {
            return Some(at);
        }
    }
    None
}

impl<'de> Deserialize<'de> for YamlDocument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Pairs)
    }
}

struct Pairs;

impl<'de> Visitor<'de> for Pairs {
    type Value = YamlDocument;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("keys with values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<YamlDocument, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(YamlDocument::Mapping(pairs))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<YamlDocument, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(YamlDocument::Other("a list"))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, tagged: A) -> Result<YamlDocument, A::Error> {
        let (_, contents) = tagged.variant::<String>()?;
        contents.newtype_variant::<Value>()?;
        Ok(YamlDocument::Other("a tagged value"))
    }

    fn visit_unit<E>(self) -> Result<YamlDocument, E> {
        Ok(YamlDocument::Empty)
    }

    fn visit_bool<E>(self, _: bool) -> Result<YamlDocument, E> {
        Ok(YamlDocument::Other("a truth value"))
    }

    fn visit_i64<E>(self, _: i64) -> Result<YamlDocument, E> {
        Ok(YamlDocument::Other("a number"))
    }

    fn visit_u64<E>(self, _: u64) -> Result<YamlDocument, E> {
        Ok(YamlDocument::Other("a number"))
    }

    fn visit_i128<E>(self, _: i128) -> Result<YamlDocument, E> {
        Ok(YamlDocument::Other("a number"))
    }

    fn visit_u128<E>(self, _: u128) -> Result<YamlDocument, E> {
        Ok(YamlDocument::Other("a number"))
    }

    fn visit_f64<E>(self, _: f64) -> Result<YamlDocument, E> {
        Ok(YamlDocument::Other("a number"))
    }

    fn visit_str<E>(self, _: &str) -> Result<YamlDocument, E> {
        Ok(YamlDocument::Other("plain text"))
    }
}
