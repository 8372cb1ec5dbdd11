//! Writes values as YAML: plain where all YAML readers read the text as text, quoted everywhere
//! else.
//!
//! YAML 1.1 readers, which most editors have, give a special meaning to more words than YAML 1.2
//! readers. A string is quoted if either version would not read it as a string.

use yaml_serde::{Mapping, Value};

use crate::instant::Instant;

/// Keys with dates as values, which are written unquoted, as editors expect.
const DATES: [&str; 9] = [
    "created",
    "updated",
    "date",
    "at",
    "started",
    "last_checked",
    "promoted_at",
    "last_validated_at",
    "ended",
];

/// Maximum length of an inline list in bytes; longer lists get one line for each item, except tags
/// and aliases.
const MAX_INLINE_BYTES: usize = 100;

/// Layout of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueStyle {
    /// Default for the value's type.
    Usual,
    /// A list as `- item` lines, indented by this number of spaces relative to the key.
    Dashes(usize),
    /// A string in these quotes.
    Quotes(char),
    /// Everything on the key's line, whatever the type.
    OneLine,
}

/// A written value: the rest of the key's line, and the lines below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenValue {
    /// Text after `key:`, with its leading space.
    pub head: String,
    /// Lines below the key, each ending in `\n`; empty for a one-line value.
    pub tail: String,
}

/// Writes an entry, `key: value` with all its lines, each ending in `\n`.
pub fn entry(key: &str, value: &Value) -> String {
    let written = value_of(key, value, 0, ValueStyle::Usual);
    format!("{}:{}\n{}", self::key(key), written.head, written.tail)
}

pub fn key(key: &str) -> String {
    string(key, false)
}

/// Writes a value after a key that is indented by `indent` spaces.
pub fn value_of(key: &str, value: &Value, indent: usize, style: ValueStyle) -> WrittenValue {
    let line = |text: String| WrittenValue { head: format!(" {text}"), tail: String::new() };
    match (value, style) {
        (_, ValueStyle::OneLine) => line(flow_for(key, value)),
        (Value::Sequence(items), _) if items.is_empty() => line("[]".to_owned()),
        (Value::Mapping(mapping), _) if mapping.is_empty() => line("{}".to_owned()),
        (Value::Sequence(items), ValueStyle::Dashes(deeper)) => dashes(items, indent + deeper),
        (Value::Sequence(items), _) => {
            let inline = flow_for(key, value);
            let names = matches!(key, "tags" | "aliases");
            let mapping = items.iter().any(Value::is_mapping);
            if mapping || (inline.len() > MAX_INLINE_BYTES && !names) {
                dashes(items, indent + 2)
            } else {
                line(inline)
            }
        }
        (Value::Mapping(mapping), _) => below(mapping, indent + 2),
        (Value::String(text), ValueStyle::Quotes(quote)) if !text.contains('\n') => line(quoted(text, quote)),
        (Value::String(text), _) if fits_literal(text) => literal(text, indent + 2),
        _ => line(flow_for(key, value)),
    }
}

/// Writes a list item on its own lines, indented by `indent` spaces, with `gap` spaces after the
/// dash: `- value`.
pub fn dash(item: &Value, indent: usize, gap: usize) -> String {
    let margin = " ".repeat(indent);
    let gap = gap.max(1);
    match item {
        Value::Mapping(mapping) if !mapping.is_empty() => {
            let deeper = " ".repeat(indent + 1 + gap);
            let mut text = String::new();
            for (index, (key, value)) in mapping.iter().enumerate() {
                let lead = if index == 0 { format!("{margin}-{}", " ".repeat(gap)) } else { deeper.clone() };
                text.push_str(&format!("{lead}{}\n", pair(key, value, false)));
            }
            text
        }
        _ => format!("{margin}-{}{}\n", " ".repeat(gap), flow(item, false)),
    }
}

/// Writes a value for use within `[…]` or `{…}`.
pub fn flow_item(value: &Value) -> String {
    flow(value, true)
}

/// Writes `key: value` on one line, as within `{…}`.
pub fn flow_pair(key: &str, value: &Value) -> String {
    pair(&Value::String(key.to_owned()), value, true)
}

fn dashes(items: &[Value], indent: usize) -> WrittenValue {
    WrittenValue { head: String::new(), tail: items.iter().map(|item| dash(item, indent, 1)).collect() }
}

fn below(mapping: &Mapping, indent: usize) -> WrittenValue {
    let margin = " ".repeat(indent);
    let lines = mapping.iter().map(|(key, value)| format!("{margin}{}\n", pair(key, value, false)));
    WrittenValue { head: String::new(), tail: lines.collect() }
}

fn literal(text: &str, indent: usize) -> WrittenValue {
    let margin = " ".repeat(indent);
    let (lines, head) = match text.strip_suffix('\n') {
        Some(lines) => (lines, " |"),
        None => (text, " |-"),
    };
    let line = |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("{margin}{line}\n") };
    WrittenValue { head: head.to_owned(), tail: lines.split('\n').map(line).collect() }
}

/// Whether a multi-line text survives a round trip through a `|` block.
fn fits_literal(text: &str) -> bool {
    let inner = text.strip_suffix('\n').unwrap_or(text);
    inner.contains('\n')
        && !inner.ends_with('\n')
        && !inner.starts_with([' ', '\t', '\n'])
        && text.chars().all(|c| c == '\n' || is_printable(c))
        && inner.split('\n').all(|line| line.is_empty() || !line.trim_matches([' ', '\t']).is_empty())
}

fn flow_for(key: &str, value: &Value) -> String {
    match value {
        Value::String(text) if is_date(key, text) => text.clone(),
        _ => flow(value, false),
    }
}

fn is_date(key: &str, text: &str) -> bool {
    let bare = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-:.+".contains(&byte));
    DATES.contains(&key) && bare && text.len() >= 10 && Instant::parse(text).is_ok()
}

fn pair(key: &Value, value: &Value, inner: bool) -> String {
    let name = flow(key, inner);
    match (key, value) {
        (Value::String(key), Value::String(text)) if is_date(key, text) => format!("{name}: {text}"),
        (Value::Sequence(_) | Value::Mapping(_), _) => format!("? {name} : {}", flow(value, inner)),
        _ => format!("{name}: {}", flow(value, inner)),
    }
}

/// Writes a value on one line; `inner` means within brackets.
fn flow(value: &Value, inner: bool) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(truth) => truth.to_string(),
        Value::Number(number) => self::number(&number.to_string()),
        Value::String(text) => string(text, inner),
        Value::Sequence(items) => {
            let items: Vec<String> = items.iter().map(|item| flow(item, true)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Mapping(mapping) => {
            let pairs: Vec<String> = mapping.iter().map(|(key, value)| pair(key, value, true)).collect();
            format!("{{{}}}", pairs.join(", "))
        }
        Value::Tagged(tagged) => format!("{} {}", tagged.tag, flow(&tagged.value, inner)),
    }
}

/// Writes a number so that YAML 1.1 also reads a number: an exponent needs a decimal point and a
/// sign.
fn number(text: &str) -> String {
    let Some((mantissa, exponent)) = text.split_once('e').filter(|_| !text.contains("0x")) else {
        return text.to_owned();
    };
    let point = if mantissa.contains('.') { "" } else { ".0" };
    let sign = if exponent.starts_with(['-', '+']) { "" } else { "+" };
    format!("{mantissa}{point}e{sign}{exponent}")
}

fn string(text: &str, inner: bool) -> String {
    if is_plain(text, inner) { text.to_owned() } else { quoted(text, '\'') }
}

/// Quotes a text; uses double quotes where single quotes cannot hold it or would need doubling.
fn quoted(text: &str, preferred: char) -> String {
    let escapes = !text.chars().all(is_printable);
    let double = escapes
        || (preferred == '"' && !text.contains(['"', '\\']))
        || (text.contains('\'') && !text.contains(['"', '\\']));
    if !double {
        return format!("'{}'", text.replace('\'', "''"));
    }
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            c if is_printable(c) => quoted.push(c),
            c if u32::from(c) <= 0xff => quoted.push_str(&format!("\\x{:02X}", u32::from(c))),
            c if u32::from(c) <= 0xffff => quoted.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => quoted.push_str(&format!("\\U{:08X}", u32::from(c))),
        }
    }
    quoted.push('"');
    quoted
}

fn is_printable(c: char) -> bool {
    !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

fn is_plain(text: &str, inner: bool) -> bool {
    let Some(first) = text.chars().next() else { return false };
    let opens = first.is_alphanumeric() || matches!(first, '_' | '/' | '(' | '$' | '+' | '.' | '^');
    let reserved = if inner { ":,[]{}?" } else { "" };
    opens
        && text.chars().all(is_printable)
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.contains(|c| reserved.contains(c))
        && !text.ends_with(char::is_whitespace)
        && !is_word(text)
        && !is_number(text)
        && !is_timestamp(text)
}

/// Whether YAML 1.1 or 1.2 reads the text as a boolean, null, or a number.
fn is_word(text: &str) -> bool {
    const WORDS: [&str; 14] =
        ["y", "n", "yes", "no", "on", "off", "true", "false", "null", "~", ".inf", ".nan", "+.inf", "nil"];
    WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

fn is_number(text: &str) -> bool {
    let body = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
    let radix = ["0x", "0o", "0b"].iter().any(|prefix| body.to_ascii_lowercase().starts_with(prefix));
    if radix {
        return body[2..].bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'_');
    }
    let (mantissa, exponent) = body.split_once(['e', 'E']).unwrap_or((body, "0"));
    let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let sexagesimal = body.contains(':') && body.bytes().all(|byte| b"0123456789:._".contains(&byte));
    sexagesimal
        || (digits(mantissa)
            && mantissa.bytes().all(|byte| byte.is_ascii_digit() || b"._,".contains(&byte))
            && exponent.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_'))
}

fn is_timestamp(text: &str) -> bool {
    let mut parts = text.splitn(3, '-');
    let mut digits = |most: usize| {
        let part = parts.next().unwrap_or("");
        let count = part.bytes().take_while(u8::is_ascii_digit).count();
        (count > 0 && count <= most).then_some(part.len() == count)
    };
    digits(4) == Some(true) && digits(2) == Some(true) && digits(2).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(text: &str) -> Value {
        Value::String(text.to_owned())
    }

    #[test]
    fn texts_are_quoted_where_some_reader_would_not_take_them_for_text() {
        for bare in
            ["a", "Fix the build", "C++", "it's", "a:b", "a#b", "über", "日本", "v1.2.3", "4f2b1c3e-0000"]
        {
            assert_eq!(string(bare, false), bare);
        }
        for quoted in [
            "",
            " a",
            "a ",
            "no",
            "Yes",
            "null",
            "~",
            "1",
            "-1",
            "1e3",
            "12e345",
            "0x1F",
            "0o7",
            "1_000",
            "12:30:45",
            "1.5",
            ".5",
            "2026-01-01",
            "2026-1-1 x",
            "a: b",
            "a:",
            "a #b",
            "- a",
            "-a",
            "?",
            "@a",
            "`a`",
            "%a",
            "*a",
            "&a",
            "!a",
            "|",
            ">",
            "[a",
            "{a",
            "#a",
            "\"a",
            "'a'",
            "a\u{a0}",
            "=",
            "<<",
            ".inf",
            ",a",
        ] {
            assert!(string(quoted, false).starts_with(['"', '\'']), "{quoted:?}");
        }
        assert_eq!(string("a, b", false), "a, b");
        assert_eq!(string("a, b", true), "'a, b'");
        assert_eq!(string("it's: x", false), "\"it's: x\"");
    }

    #[test]
    fn dates_stay_bare_under_the_keys_that_hold_dates() {
        let date = text("2026-11-01T09:30:00Z");
        assert_eq!(entry("created", &date), "created: 2026-11-01T09:30:00Z\n");
        assert_eq!(entry("title", &text("2026-11-01")), "title: '2026-11-01'\n");
    }

    #[test]
    fn numbers_are_numbers_to_every_reader() {
        for (value, written) in
            [(1e21, "1.0e+21"), (0.8, "0.8"), (1.0, "1.0"), (1e-7, "1.0e-7"), (-2.5e30, "-2.5e+30")]
        {
            assert_eq!(flow(&Value::from(value), false), written);
        }
    }

    #[test]
    fn lists_and_mappings_get_the_usual_layout() {
        let event = Value::Mapping(Mapping::from_iter([
            (text("at"), text("2026-11-01T09:30:00Z")),
            (text("signal"), text("helpful")),
        ]));
        assert_eq!(
            entry("feedback", &Value::Sequence(vec![event.clone()])),
            "feedback:\n  - at: 2026-11-01T09:30:00Z\n    signal: helpful\n"
        );
        assert_eq!(entry("tags", &Value::Sequence(vec![text("a"), text("b c")])), "tags: [a, b c]\n");
        assert_eq!(entry("verify", &event), "verify:\n  at: 2026-11-01T09:30:00Z\n  signal: helpful\n");
        assert_eq!(entry("note", &text("a\n\n b\n")), "note: |\n  a\n\n   b\n");
        assert_eq!(entry("note", &text("a\n\n\n")), "note: \"a\\n\\n\\n\"\n");
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
            "[ -~\n]{0,12}".prop_map(Value::from),
            "[-+.0-9eExo:_, ]{1,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 12, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Sequence),
                prop::collection::vec(("[ -~é]{0,6}", inner), 0..4).prop_map(|pairs| {
                    Value::Mapping(pairs.into_iter().map(|(key, value)| (Value::from(key), value)).collect())
                }),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(value in any_value(), key in "[a-z]{1,8}|[ -~]{1,8}|tags|created") {
            let yaml = entry(&key, &value);
            let read: Value = yaml_serde::from_str(&yaml).expect(&yaml);
            let mapping = read.as_mapping().expect(&yaml);
            prop_assert_eq!(mapping.get(key.as_str()), Some(&value), "{}", yaml);
            prop_assert_eq!(mapping.len(), 1);
        }

        #[test]
        fn a_list_with_dashes_is_read_back(items in prop::collection::vec(any_value(), 1..4)) {
            let written = value_of("k", &Value::Sequence(items.clone()), 0, ValueStyle::Dashes(2));
            let yaml = format!("k:{}\n{}", written.head, written.tail);
            let read: Value = yaml_serde::from_str(&yaml).expect(&yaml);
            prop_assert_eq!(read.get("k"), Some(&Value::Sequence(items)), "{}", yaml);
        }
    }
}
