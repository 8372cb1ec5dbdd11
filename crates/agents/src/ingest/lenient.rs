//! Field types that accept any JSON value: a value of an unexpected type counts as missing, without
//! rejecting the record.
//!
//! Strings without escapes are borrowed from the input. Unknown fields are ignored.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use cm_note::instant::Instant;

/// Maps the types that a visitor does not handle to the default value.
macro_rules! ignores {
    ($($shape:ident)*) => { $(ignores!(@ $shape);)* };
    (@ bool) => { fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> { Ok(Default::default()) } };
    (@ number) => {
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> { Ok(Default::default()) }
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> { Ok(Default::default()) }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> { Ok(Default::default()) }
    };
    (@ null) => { fn visit_unit<E>(self) -> Result<Self::Value, E> { Ok(Default::default()) } };
    (@ text) => { fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> { Ok(Default::default()) } };
    (@ list) => {
        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            while list.next_element::<IgnoredAny>()?.is_some() {}
            Ok(Default::default())
        }
    };
    (@ map) => {
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok(Default::default())
        }
    };
}

macro_rules! expecting_anything {
    () => {
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("anything")
        }
    };
}

/// A string; `None` for any other type.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LenientText<'a>(pub Option<Cow<'a, str>>);

impl LenientText<'_> {
    /// Returns the string; `None` if it is missing or blank.
    pub fn non_blank(&self) -> Option<&str> {
        self.0.as_deref().filter(|text| !text.trim().is_empty())
    }

    /// Returns the string, or an empty one if it is missing.
    pub fn or_empty(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }

    /// Returns an owned copy of the string; `None` if it is missing or blank.
    pub fn owned(&self) -> Option<String> {
        self.non_blank().map(str::to_owned)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for LenientText<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any<'a>(PhantomData<&'a ()>);
        impl<'de: 'a, 'a> Visitor<'de> for Any<'a> {
            type Value = LenientText<'a>;
            expecting_anything!();
            ignores!(bool number null list map);
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<LenientText<'a>, E> {
                Ok(LenientText(Some(Cow::Borrowed(text))))
            }
            fn visit_str<E>(self, text: &str) -> Result<LenientText<'a>, E> {
                Ok(LenientText(Some(Cow::Owned(text.to_owned()))))
            }
        }
        deserializer.deserialize_any(Any(PhantomData))
    }
}

/// A Boolean; `None` for any other type.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LenientBool(pub Option<bool>);

impl LenientBool {
    /// Returns whether the value is present and true.
    pub fn is_set(self) -> bool {
        self.0 == Some(true)
    }
}

impl<'de> Deserialize<'de> for LenientBool {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = LenientBool;
            expecting_anything!();
            ignores!(number null text list map);
            fn visit_bool<E>(self, flag: bool) -> Result<LenientBool, E> {
                Ok(LenientBool(Some(flag)))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

/// A number; `None` for any other type.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct LenientNumber(pub Option<f64>);

impl LenientNumber {
    /// Returns the number if it is an integer below 9e15 in magnitude, even if it is written with a
    /// decimal point.
    pub fn whole(self) -> Option<i64> {
        self.0.filter(|number| number.fract() == 0.0 && number.abs() < 9.0e15).map(|number| number as i64)
    }

    /// Returns the number as an exit code.
    pub fn exit_code(self) -> Option<i32> {
        self.whole().and_then(|code| i32::try_from(code).ok())
    }
}

impl<'de> Deserialize<'de> for LenientNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = LenientNumber;
            expecting_anything!();
            ignores!(bool null text list map);
            fn visit_i64<E>(self, number: i64) -> Result<LenientNumber, E> {
                Ok(LenientNumber(Some(number as f64)))
            }
            fn visit_u64<E>(self, number: u64) -> Result<LenientNumber, E> {
                Ok(LenientNumber(Some(number as f64)))
            }
            fn visit_f64<E>(self, number: f64) -> Result<LenientNumber, E> {
                Ok(LenientNumber(Some(number)))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

/// A time, from RFC 3339 text or from seconds or milliseconds since 1970.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LenientTime(pub Option<Instant>);

impl LenientTime {
    /// Smallest number that counts as milliseconds. It is the year 5138 in seconds and March 1973
    /// in milliseconds.
    const MIN_MILLISECONDS: f64 = 1.0e11;

    /// Converts a number of seconds or milliseconds.
    pub fn of_number(number: f64) -> Self {
        let millis = if number.abs() < Self::MIN_MILLISECONDS { number * 1000.0 } else { number };
        if !millis.is_finite() || millis <= 0.0 {
            return Self(None);
        }
        Self(Instant::from_millis(millis as i64))
    }
}

impl<'de> Deserialize<'de> for LenientTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = LenientTime;
            expecting_anything!();
            ignores!(bool null list map);
            fn visit_str<E>(self, text: &str) -> Result<LenientTime, E> {
                // No log was written before 1970.
                Ok(LenientTime(Instant::parse(text).ok().filter(|at| at.unix() > 0)))
            }
            fn visit_i64<E>(self, number: i64) -> Result<LenientTime, E> {
                Ok(LenientTime::of_number(number as f64))
            }
            fn visit_u64<E>(self, number: u64) -> Result<LenientTime, E> {
                Ok(LenientTime::of_number(number as f64))
            }
            fn visit_f64<E>(self, number: f64) -> Result<LenientTime, E> {
                Ok(LenientTime::of_number(number))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

/// An object with known fields; `None` for any other type.
#[derive(Debug, Clone)]
pub struct LenientObject<T>(pub Option<T>);

impl<T> Default for LenientObject<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for LenientObject<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Any<T> {
            type Value = LenientObject<T>;
            expecting_anything!();
            ignores!(bool number null text list);
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<LenientObject<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(|value| LenientObject(Some(value)))
            }
        }
        deserializer.deserialize_any(Any(PhantomData))
    }
}

/// A list; empty for any other type.
#[derive(Debug, Clone)]
pub struct LenientList<T>(pub Vec<T>);

impl<T> Default for LenientList<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for LenientList<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Any<T> {
            type Value = LenientList<T>;
            expecting_anything!();
            ignores!(bool number null text map);
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<LenientList<T>, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = list.next_element()? {
                    items.push(item);
                }
                Ok(LenientList(items))
            }
        }
        deserializer.deserialize_any(Any(PhantomData))
    }
}

/// Any JSON value, unparsed.
#[derive(Debug, Clone, Copy, Default)]
pub struct RawJson<'a>(Option<&'a RawValue>);

impl<'a> RawJson<'a> {
    /// Returns the JSON text of the value; `None` if it is missing or null.
    pub fn get(self) -> Option<&'a RawValue> {
        self.0.filter(|raw| raw.get() != "null")
    }

    /// Parses the value; one that is nested too deeply becomes a string with its JSON text.
    pub fn value(self) -> Value {
        match self.get() {
            None => Value::Null,
            Some(raw) => {
                serde_json::from_str(raw.get()).unwrap_or_else(|_| Value::String(raw.get().to_owned()))
            }
        }
    }

    /// Returns the value as text: a string's content, any other value's JSON, or empty if it is
    /// missing.
    pub fn text(self) -> String {
        match self.get() {
            None => String::new(),
            Some(raw) => serde_json::from_str(raw.get()).unwrap_or_else(|_| raw.get().to_owned()),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for RawJson<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <&'a RawValue>::deserialize(deserializer).map(|raw| Self(Some(raw)))
    }
}

/// Content of a message: a string or a list of content blocks.
#[derive(Debug, Clone, Default)]
pub enum MessageContent<'a, T> {
    /// Missing, or a value of another type.
    #[default]
    Nothing,
    Text(Cow<'a, str>),
    /// Blocks, which can include bare strings.
    Blocks(Vec<ContentPiece<'a, T>>),
}

/// An entry of a list of content blocks: a bare string or a block.
#[derive(Debug, Clone, Default)]
pub enum ContentPiece<'a, T> {
    Text(Cow<'a, str>),
    Block(T),
    /// A value of another type.
    #[default]
    Nothing,
}

impl<T> MessageContent<'_, T> {
    /// Iterates over the blocks, without bare strings.
    pub fn blocks(&self) -> impl Iterator<Item = &T> {
        let pieces: &[ContentPiece<'_, T>] = if let Self::Blocks(pieces) = self { pieces } else { &[] };
        pieces
            .iter()
            .filter_map(|piece| if let ContentPiece::Block(block) = piece { Some(block) } else { None })
    }

    /// Joins all texts with line breaks; `text_of` returns the text of a block.
    pub fn joined<'c>(&'c self, text_of: impl Fn(&'c T) -> Option<&'c str>) -> String {
        match self {
            Self::Nothing => String::new(),
            Self::Text(text) => text.clone().into_owned(),
            Self::Blocks(pieces) => {
                let mut joined = String::new();
                for piece in pieces {
                    let text = match piece {
                        ContentPiece::Text(text) => Some(text.as_ref()),
                        ContentPiece::Block(block) => text_of(block),
                        ContentPiece::Nothing => None,
                    };
                    if let Some(text) = text {
                        if !joined.is_empty() {
                            joined.push('\n');
                        }
                        joined.push_str(text);
                    }
                }
                joined
            }
        }
    }
}

impl<'de: 'a, 'a, T: Deserialize<'de>> Deserialize<'de> for MessageContent<'a, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any<'a, T>(PhantomData<(&'a (), T)>);
        impl<'de: 'a, 'a, T: Deserialize<'de>> Visitor<'de> for Any<'a, T> {
            type Value = MessageContent<'a, T>;
            expecting_anything!();
            ignores!(bool number null);
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(MessageContent::Text(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(MessageContent::Text(Cow::Owned(text.to_owned())))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut pieces = Vec::new();
                while let Some(piece) = list.next_element()? {
                    pieces.push(piece);
                }
                Ok(MessageContent::Blocks(pieces))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                let block = T::deserialize(MapAccessDeserializer::new(map))?;
                Ok(MessageContent::Blocks(vec![ContentPiece::Block(block)]))
            }
        }
        deserializer.deserialize_any(Any(PhantomData))
    }
}

impl<'de: 'a, 'a, T: Deserialize<'de>> Deserialize<'de> for ContentPiece<'a, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any<'a, T>(PhantomData<(&'a (), T)>);
        impl<'de: 'a, 'a, T: Deserialize<'de>> Visitor<'de> for Any<'a, T> {
            type Value = ContentPiece<'a, T>;
            expecting_anything!();
            ignores!(bool number null list);
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(ContentPiece::Text(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(ContentPiece::Text(Cow::Owned(text.to_owned())))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(ContentPiece::Block)
            }
        }
        deserializer.deserialize_any(Any(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Wire<'a> {
        #[serde(borrow, default)]
        text: LenientText<'a>,
        #[serde(default)]
        flag: LenientBool,
        #[serde(default)]
        number: LenientNumber,
        #[serde(default)]
        when: LenientTime,
        #[serde(default)]
        object: LenientObject<Inner>,
        #[serde(default)]
        list: LenientList<LenientNumber>,
        #[serde(borrow, default)]
        content: MessageContent<'a, Inner>,
    }

    #[derive(serde::Deserialize)]
    struct Inner {
        #[serde(default)]
        number: LenientNumber,
    }

    #[test]
    fn a_field_of_another_shape_counts_as_missing_and_costs_nothing_else() {
        let shapes = ["null", "true", "1", "-1", "1.5", "\"x\"", "\"\\n\"", "[1,[2]]", "{\"a\":{\"b\":1}}"];
        for shape in shapes {
            for field in ["text", "flag", "number", "when", "object", "list", "content"] {
                let line = format!(r#"{{"{field}":{shape},"other":{shape}}}"#);
                assert!(serde_json::from_str::<Wire<'_>>(&line).is_ok(), "{line}");
            }
        }
    }

    #[test]
    fn a_text_without_escapes_is_not_copied() {
        let line = r#"{"text":"plain"}"#.to_owned();
        let wire: Wire<'_> = serde_json::from_str(&line).unwrap();
        assert!(matches!(wire.text.0, Some(Cow::Borrowed("plain"))));
        let line = r#"{"text":"a\nb","flag":true,"number":2.0,"object":{"number":3},"list":[1]}"#;
        let wire: Wire<'_> = serde_json::from_str(line).unwrap();
        assert_eq!(wire.text.non_blank(), Some("a\nb"));
        assert!(wire.flag.is_set());
        assert_eq!(wire.number.exit_code(), Some(2));
        assert_eq!(wire.object.0.unwrap().number.whole(), Some(3));
        assert_eq!(wire.list.0.len(), 1);
        assert!(matches!(wire.content, MessageContent::Nothing) && wire.when.0.is_none());
    }

    #[test]
    fn times_are_read_from_text_seconds_and_milliseconds() {
        for shape in ["\"2026-10-05T10:00:00.000Z\"", "1791194400000", "1791194400", "1791194400.0"] {
            let line = format!(r#"{{"when":{shape}}}"#);
            let wire: Wire<'_> = serde_json::from_str(&line).unwrap();
            assert_eq!(wire.when.0.unwrap().to_string(), "2026-10-05T10:00:00Z", "{shape}");
        }
    }
}
