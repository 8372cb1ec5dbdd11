//! Explains YAML errors to the author of a note: location in the file and remedy.

use crate::finding::FindingCode;
use crate::frontmatter::FrontmatterFault;
use crate::frontmatter::parse::YamlSource;
use crate::frontmatter::parse::document::YamlError;

pub(in crate::frontmatter) fn not_a_mapping(first_line: u32, what: &str) -> FrontmatterFault {
    FrontmatterFault {
        code: FindingCode::NotAMapping,
        line: first_line,
        column: 1,
        message: format!("the frontmatter is {what} instead of `key: value` lines"),
        hint: "write `key: value` lines; put a blank line before text that starts with a `---` rule"
            .to_owned(),
    }
}

pub(in crate::frontmatter) fn duplicate(
    key: &str,
    first: u32,
    (line, column): (u32, u32),
) -> FrontmatterFault {
    FrontmatterFault {
        code: FindingCode::DuplicateKey,
        line,
        column,
        message: format!("duplicate key `{key}`; the one on line {first} is used"),
        hint: "remove one of the two, or merge their values".to_owned(),
    }
}

pub(in crate::frontmatter) fn of_error(source: &YamlSource<'_>, error: &YamlError) -> FrontmatterFault {
    match error {
        YamlError::Yaml(error) => of_yaml(source, error),
        YamlError::TooDeep(at) => {
            let (line, column) = source.place(*at);
            FrontmatterFault {
                code: FindingCode::InvalidYaml,
                line,
                column,
                message: "the frontmatter has too many nested brackets".to_owned(),
                hint: "put the value in quotes, or close its brackets".to_owned(),
            }
        }
    }
}

fn of_yaml(source: &YamlSource<'_>, error: &yaml_serde::Error) -> FrontmatterFault {
    let location = error.location();
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let within = location.as_ref().map_or(1, |location| location.line().max(1));
    let last = source.yaml.lines().count().max(1);
    let column = location.map_or(1, |location| count(location.column().max(1)));
    let message = without_places(&error.to_string());
    let repeated = message.contains("duplicate entry");
    let culprit = match message.contains("quoted scalar") {
        true => open_quote(source.yaml, within).or_else(|| culprit(source.yaml, within)),
        false => culprit(source.yaml, within),
    };
    let (line, column) = match culprit {
        Some((line, _)) if line != within => (line, 1),
        _ => (within.min(last), if within > last { 1 } else { column }),
    };
    let hint = if repeated {
        "remove one of the two keys".to_owned()
    } else if message.contains("repetition limit") {
        "replace the aliases (`*name`) with values: they expand to too much".to_owned()
    } else {
        culprit.map_or("put the value in quotes, or check the indentation", |(_, hint)| hint).to_owned()
    };
    FrontmatterFault {
        code: if repeated { FindingCode::DuplicateKey } else { FindingCode::InvalidYaml },
        line: count(line).saturating_add(source.first_line - 1),
        column,
        message: format!("the frontmatter is not valid YAML: {message}"),
        hint,
    }
}

/// Removes the parser's own locations from a message, because they count from the frontmatter's
/// first line.
fn without_places(message: &str) -> String {
    let mut rest = message;
    let mut sound_lines = String::new();
    while let Some(at) = rest.find(" at line ").or_else(|| rest.find(" at position ")) {
        sound_lines.push_str(&rest[..at]);
        let place = &rest[at + 4..];
        let end = place.find([',', ':']).unwrap_or(place.len());
        rest = &place[end..];
    }
    sound_lines.push_str(rest);
    sound_lines
}

/// Returns the number of the first line, from 1, that opens a quote without closing it, and how to
/// fix it. The parser fails only far below such a line.
fn open_quote(yaml: &str, line: usize) -> Option<(usize, &'static str)> {
    let mut lines = yaml.lines().take(line).enumerate();
    lines.find_map(|(index, text)| Some((index + 1, remedy(text).filter(|hint| *hint == CLOSE_QUOTE)?)))
}

/// Returns the number of the line, from 1, that most likely made the parser fail at `line`, and how
/// to fix it.
fn culprit(yaml: &str, line: usize) -> Option<(usize, &'static str)> {
    let lines: Vec<&str> = yaml.lines().take(line).collect();
    let first = lines.len().saturating_sub(3);
    let near = lines.iter().enumerate().skip(first).rev();
    near.filter_map(|(index, text)| Some((index + 1, remedy(text)?))).next()
}

fn remedy(line: &str) -> Option<&'static str> {
    let indentation = &line[..line.len() - line.trim_start().len()];
    let content = line.trim();
    if content.is_empty() || content.starts_with('#') {
        return None;
    }
    if indentation.contains('\t') {
        return Some("indent with spaces, not tabs");
    }
    let item = content.strip_prefix("- ").map(str::trim_start);
    let value = match (item, content.split_once(": ")) {
        (Some(item), _) => item,
        (None, Some((_, value))) => value.trim_start(),
        (None, None) => return missing_blank(content),
    };
    match value.chars().next()? {
        '@' | '`' | '%' => Some("put the value in quotes: YAML reserves its first character"),
        '*' => Some("put the value in quotes: `*` starts an alias in YAML"),
        '&' | '!' | '|' | '>' => Some("put the value in quotes: its first character has a meaning in YAML"),
        '[' if value.starts_with("[[") => Some("put the wikilink in quotes: \"[[Note]]\""),
        '{' if value.starts_with("{{") => Some("put the placeholder in quotes: \"{{…}}\""),
        '[' | '{' if value.matches(['[', '{']).count() != value.matches([']', '}']).count() => {
            Some("close the bracket, or put the value in quotes")
        }
        quote @ ('"' | '\'') => after_quote(value, quote),
        _ if item.is_none() && value.contains(": ") => Some("put the value in quotes: it contains a colon"),
        _ => None,
    }
}

const CLOSE_QUOTE: &str = "close the quote";

fn after_quote(value: &str, quote: char) -> Option<&'static str> {
    let inner = &value[1..];
    match inner.find(quote) {
        None => Some(CLOSE_QUOTE),
        Some(at) if !inner[at + 1..].trim().is_empty() => {
            Some("quote the whole value; write a quote inside as '' in single and \\\" in double quotes")
        }
        Some(_) if quote == '"' && inner.contains('\\') => {
            Some("write \\\\ for a backslash, or use single quotes")
        }
        Some(_) => None,
    }
}

fn missing_blank(content: &str) -> Option<&'static str> {
    let bare = !content.starts_with('-') && !content.ends_with(':');
    match content.find(':') {
        Some(_) if bare => Some("add a space after the colon"),
        None if bare => Some("write `key: value`, or indent the line if it belongs to the line above"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::finding::FindingCode;
    use crate::frontmatter::parse::parse;
    use crate::frontmatter::split::Split;

    #[test]
    fn errors_tell_the_line_of_the_file_and_the_remedy() {
        for (yaml, line, part) in [
            ("id: x\ntitle: Fix: it\n", 3, "contains a colon"),
            ("id: x\naliases:\n- @me\ntags: []\n", 4, "reserves"),
            ("id: x\n\ttags: a\n", 3, "tabs"),
            ("id: x\nup: [[Note\nb: 1\n", 3, "wikilink"),
            ("id: x\ntitle: \"a\" b\n", 3, "quote the whole value"),
            ("id: x\ntitle: \"a\nb: c\n", 3, "close the quote"),
            ("id: x\ntitle: \"a\ntags: [b, c\n", 3, "close the quote"),
            (
                "a: &a [x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c]\ne: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d]\nf: [*e, *e, *e, *e, *e, *e, *e, *e, *e]\n",
                2,
                "aliases",
            ),
            ("id: x\ndate: {{date}} now\n", 3, "placeholder"),
            ("id: x\npath: \"C:\\dir\"\n", 3, "backslash"),
            ("id: x\ntitle:a\nb: 1\n", 3, "space after the colon"),
            ("id: x\nglob: *.md\n", 3, "alias"),
            ("a:\n  b: 1\n  b: 2\n", 3, "one of the two"),
        ] {
            let parsed = parse(&Split::of(&format!("---\n{yaml}---\n")));
            let [fault] = &parsed.faults[..] else { panic!("{yaml:?}: {:?}", parsed.faults) };
            assert!(fault.hint.contains(part), "{yaml:?}: {fault:?}");
            assert_eq!(fault.line, line, "{yaml:?}: {fault:?}");
            assert!(!fault.message.contains("line"), "{fault:?}");
        }
    }

    #[test]
    fn a_key_repeated_deeper_down_is_a_repeated_key() {
        let parsed = parse(&Split::of("---\na:\n  b: 1\n  b: 2\n---\n"));
        assert_eq!(parsed.faults[0].code, FindingCode::DuplicateKey);
    }
}
