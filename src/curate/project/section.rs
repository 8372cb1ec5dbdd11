//! The part of a foreign file that is ours, between two markers on lines of their own. All other bytes stay.

use std::ops::Range;

/// How the line begins that opens our part; anything may stand behind it, up to `-->`.
const BEGIN: &str = "<!-- cm:begin playbook";
/// The line that closes it.
const END: &str = "<!-- cm:end playbook -->";
/// The opening line as it is written.
const OPENING: &str =
    "<!-- cm:begin playbook: `cm project` writes this part; changes up to the end marker are lost -->";

/// Markers of which nobody can tell what they enclose.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Unpaired {
    /// The line, from 1.
    pub line: u32,
    /// What is wrong.
    pub message: &'static str,
}

enum Mark {
    Begin,
    End,
}

fn mark(line: &str) -> Option<Mark> {
    let line = line.trim();
    if line == END {
        return Some(Mark::End);
    }
    let rest = line.strip_prefix(BEGIN)?;
    let word_ends = rest.starts_with([' ', ':', '-']);
    (word_ends && rest.ends_with("-->")).then_some(Mark::Begin)
}

/// Where our part is, from its opening marker to its closing one; `None` where the file has none.
///
/// # Errors
/// A marker without its other half, or a second part.
pub fn find(text: &str) -> Result<Option<Range<usize>>, Unpaired> {
    let mut open: Option<(usize, u32)> = None;
    let mut found: Option<Range<usize>> = None;
    let mut at = 0;
    for (line, number) in text.split_inclusive('\n').zip(1_u32..) {
        let unpaired = |message| Err(Unpaired { line: number, message });
        match mark(line) {
            Some(Mark::Begin) if open.is_some() => {
                return unpaired("a second begin marker stands before the end marker");
            }
            Some(Mark::Begin) if found.is_some() => return unpaired("a second part begins here"),
            Some(Mark::Begin) => open = Some((at, number)),
            Some(Mark::End) => match open.take() {
                Some((begin, _)) => found = Some(begin..at + line.trim_end().len()),
                None => return unpaired("an end marker stands here without a begin marker before it"),
            },
            None => {}
        }
        at += line.len();
    }
    match open {
        Some((_, line)) => {
            Err(Unpaired { line, message: "a begin marker stands here without an end marker" })
        }
        None => Ok(found),
    }
}

/// The file with this in its part: in place of what was there, else behind all else. Line breaks are the file's own.
///
/// # Errors
/// Those of [`find`].
pub fn put(text: &str, inner: &str) -> Result<String, Unpaired> {
    let line_break = match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    };
    let part = format!("{OPENING}\n{inner}{END}").replace('\n', line_break);
    if let Some(range) = find(text)? {
        return Ok(format!("{}{part}{}", &text[..range.start], &text[range.end..]));
    }
    let gap = match text {
        "" | "\u{feff}" => "",
        _ if text.ends_with("\n\n") || text.ends_with("\n\r\n") => "",
        _ if text.ends_with('\n') => line_break,
        _ => &format!("{line_break}{line_break}"),
    };
    Ok(format!("{text}{gap}{part}{line_break}"))
}

/// A file without our part, and whether it had one; a file whose markers are broken stays as it is.
pub fn without(text: &str) -> (String, bool) {
    match find(text) {
        Ok(Some(range)) => (format!("{}{}", &text[..range.start], &text[range.end..]), true),
        _ => (text.to_owned(), false),
    }
}

/// The lines within our part that are list items.
pub fn items(text: &str) -> Vec<&str> {
    let Ok(Some(range)) = find(text) else { return Vec::new() };
    text[range].lines().map(str::trim_end).filter(|line| line.starts_with("- ")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_part_is_put_behind_all_else_and_then_in_its_place() {
        let first = put("# Mine\r\n\r\nText", "## Playbook\n\n- a\n").unwrap();
        assert!(first.starts_with("# Mine\r\n\r\nText\r\n\r\n<!-- cm:begin"), "{first:?}");
        assert!(first.ends_with("## Playbook\r\n\r\n- a\r\n<!-- cm:end playbook -->\r\n"), "{first:?}");
        let second = put(&format!("{first}More\r\n"), "- b\n").unwrap();
        assert!(second.ends_with("-->\r\n- b\r\n<!-- cm:end playbook -->\r\nMore\r\n"), "{second:?}");
        assert_eq!(items(&second), ["- b"]);
        assert_eq!(put("", "- b\n").unwrap().lines().count(), 3);
    }

    #[test]
    fn markers_without_their_other_half_are_refused_with_their_line() {
        let (begin, end) = ("<!-- cm:begin playbook -->", "  <!-- cm:end playbook -->  ");
        for (text, line) in [
            (format!("a\n{begin}\nb\n"), 2),
            (format!("{end}\n{begin}\n"), 1),
            (format!("{begin}\n{begin}\n{end}\n"), 2),
            (format!("{begin}\n{end}\n{begin}\n{end}\n"), 3),
            (format!("{begin}\n{end}\n{end}\n"), 3),
        ] {
            assert_eq!(put(&text, "").unwrap_err().line, line, "{text}");
            assert_eq!(without(&text), (text, false));
        }
        assert_eq!(find("<!-- cm:begin playbooks -->\ntext <!-- cm:end playbook -->\n"), Ok(None));
    }

    proptest! {
        #[test]
        fn all_other_bytes_stay(before in "([a-z#-]{0,6}\r?\n){0,4}", after in "(\r?\n[a-z#-]{0,6}){0,4}", one in "(- [a-z]{1,5}\n){0,3}") {
            let text = format!("{before}<!-- cm:begin playbook x -->\nold\n<!-- cm:end playbook -->{after}");
            let once = put(&text, &one).unwrap();
            prop_assert!(once.starts_with(&before) && once.ends_with(&after));
            let kept = without(&once).0;
            prop_assert_eq!(kept, format!("{before}{after}"));
            prop_assert_eq!(put(&once, &one).unwrap(), once);
            let fresh = put(&before, &one).unwrap();
            prop_assert!(fresh.starts_with(&before));
            prop_assert_eq!(put(&fresh, &one).unwrap(), fresh);
        }
    }
}
