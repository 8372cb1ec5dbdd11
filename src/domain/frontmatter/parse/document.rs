//! The YAML document as key and value pairs, repeated keys included.

use std::fmt;

use serde::de::{
    Deserialize, Deserializer, EnumAccess, IgnoredAny, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use yaml_serde::Value;

/// The outermost value of a YAML text.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::domain::frontmatter) enum Document {
    Empty,
    Mapping(Vec<(Value, Value)>),
    /// Something else, named for people.
    Other(&'static str),
}

/// Parses a YAML text of one document.
pub(in crate::domain::frontmatter) fn read(yaml: &str) -> Result<Document, yaml_serde::Error> {
    if yaml
        .lines()
        .all(|line| line.trim_start_matches([' ', '\t']).is_empty() || line.trim_start().starts_with('#'))
    {
        return Ok(Document::Empty);
    }
    yaml_serde::from_str(yaml)
}

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Pairs)
    }
}

struct Pairs;

impl<'de> Visitor<'de> for Pairs {
    type Value = Document;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("keys with values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Document, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(Document::Mapping(pairs))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Document, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Document::Other("a list"))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, tagged: A) -> Result<Document, A::Error> {
        let (_, contents) = tagged.variant::<String>()?;
        contents.newtype_variant::<Value>()?;
        Ok(Document::Other("a tagged value"))
    }

    fn visit_unit<E>(self) -> Result<Document, E> {
        Ok(Document::Empty)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Document, E> {
        Ok(Document::Other("a truth value"))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Document, E> {
        Ok(Document::Other("a number"))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Document, E> {
        Ok(Document::Other("a number"))
    }

    fn visit_i128<E>(self, _: i128) -> Result<Document, E> {
        Ok(Document::Other("a number"))
    }

    fn visit_u128<E>(self, _: u128) -> Result<Document, E> {
        Ok(Document::Other("a number"))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Document, E> {
        Ok(Document::Other("a number"))
    }

    fn visit_str<E>(self, _: &str) -> Result<Document, E> {
        Ok(Document::Other("plain text"))
    }
}
