//! The text of a query with the other options as fields. Does not parse it.

use super::Options;
use crate::error::{Error, Result};
use cm_note::instant::{Instant, InvalidDate};
use cm_note::note::Priority;

/// Returns the query with types, tags, category, priority and dates of the options as fields.
///
/// # Errors
/// Returns an error if a date is invalid.
pub(super) fn with_fields(options: &Options, now: Instant) -> Result<String> {
    let date = |option: &str, at: std::result::Result<Instant, InvalidDate>| {
        at.map_err(|error| Error::usage(format!("{option}: {error}")))
    };
    let mut parts = Vec::new();
    if let Some(since) = &options.since {
        parts.push(format!("created:>={}", date("since", Instant::parse_typed(since, now))?));
    }
    if let Some(until) = &options.until {
        parts.push(format!("created:<={}", date("until", Instant::parse_typed_to_end(until, now))?));
    }
    let types =
        options.types.iter().map(|types| types.split(',').map(str::trim).collect::<Vec<_>>().join(","));
    parts.extend(types.map(|value| field("type", &value)));
    parts.extend(options.category.iter().map(|value| field("category", value)));
    parts.extend(options.priority.map(Priority::name).map(|value| field("priority", value)));
    parts.extend(options.tags.iter().map(|value| field("tag", value)));
    if parts.is_empty() {
        return Ok(options.query.clone());
    }
    let words = options.query.trim();
    if !words.is_empty() {
        // Parentheses keep an OR between the words from including the fields.
        parts.push(format!("({words})"));
    }
    Ok(parts.join(" "))
}

/// Writes a field as it would be typed; a value that would end early is quoted.
fn field(name: &str, value: &str) -> String {
    if value.contains(|c: char| c.is_whitespace() || "()\"“”".contains(c)) {
        format!("{name}:\"{}\"", value.replace(['"', '“', '”'], " "))
    } else {
        format!("{name}:{value}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(options: Options) -> String {
        with_fields(&options, Instant::parse("2026-11-21T12:00:00Z").unwrap()).unwrap()
    }

    #[test]
    fn options_become_fields_before_the_words() {
        let query = |query: &str| Options { query: query.to_owned(), ..Options::default() };
        assert_eq!(text(query("pool")), "pool");
        let tags = vec!["a*".to_owned(), "b c".to_owned()];
        let types = Some("fix,solution".to_owned());
        assert_eq!(
            text(Options { types, tags, ..query(" pool ") }),
            "type:fix,solution tag:a* tag:\"b c\" (pool)"
        );
        let priority = Some(Priority::Critical);
        assert_eq!(text(Options { priority, ..query("a OR b") }), "priority:critical (a OR b)");
        assert_eq!(
            text(Options { category: Some("gotcha".to_owned()), ..Options::default() }),
            "category:gotcha"
        );
        let since = Some("2026-11-01".to_owned());
        assert_eq!(text(Options { since, ..query("a") }), "created:>=2026-11-01T00:00:00Z (a)");
    }

    #[test]
    fn a_value_cannot_end_its_field() {
        let types = Some("\" OR x".to_owned());
        let query = "a".to_owned();
        assert_eq!(text(Options { types, query, ..Options::default() }), "type:\"  OR x\" (a)");
    }
}
