//! Kubernetes manifests of kind `Secret`: the values below `data:` and `stringData:`.

use std::ops::Range;

use super::placeholder;
use super::randomness::{self, BASE64};

/// Maximum distance from the word `Secret` to the ends of the manifest, in bytes.
const MAX_DISTANCE_BYTES: usize = 16 * 1024;

/// Returns the manifest with the kind `Secret` (the word at `at`); `None` if the word is not a
/// manifest's kind.
pub fn document(text: &str, at: usize) -> Option<Range<usize>> {
    let before = text[..at].trim_end_matches([' ', '"', '\'']);
    let kind = before.strip_suffix(':').map(|name| name.trim_end_matches(['"', '\'']));
    if !kind.is_some_and(|name| name.ends_with("kind"))
        || !text[at..at + 6].eq_ignore_ascii_case("secret")
        || word_goes_on(text, at + 6)
    {
        return None;
    }
    let from = text.floor_char_boundary(at.saturating_sub(MAX_DISTANCE_BYTES));
    let to = text.floor_char_boundary(at + MAX_DISTANCE_BYTES);
    let start = text[from..at].rfind("\n---").map_or(from, |dashes| from + dashes + 4);
    let end = text[at..to].find("\n---").map_or(to, |dashes| at + dashes);
    Some(start..end)
}

fn word_goes_on(text: &str, at: usize) -> bool {
    text.as_bytes().get(at).is_some_and(|byte| randomness::is(*byte, randomness::NAME))
}

/// Returns the byte ranges of the values in a manifest.
pub fn values(text: &str, document: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut inside = None;
    let mut at = document.start;
    for line in text[document].split_inclusive('\n') {
        let indent = line.len() - line.trim_start().len();
        let words = line.trim();
        if words == "data:" || words == "stringData:" {
            inside = Some((indent, words == "data:"));
        } else if let Some((outer, encoded)) = inside {
            if indent <= outer && !words.is_empty() {
                inside = None;
            } else {
                found.extend(value(line, encoded).map(|range| at + range.start..at + range.end));
            }
        }
        at += line.len();
    }
    found
}

/// Returns the value of a line `name: value`.
fn value(line: &str, encoded: bool) -> Option<Range<usize>> {
    // A line without a name goes on with a value that began above.
    let begins = line.find(": ").map_or(0, |colon| colon + 2);
    let rest = &line[begins..];
    let value = rest.trim().trim_matches(['"', '\'']);
    let start = begins + rest.find(value)?;
    let fits = if encoded {
        value.len() >= 10 && value.bytes().all(|byte| randomness::is(byte, BASE64))
    } else {
        value.len() >= 6 && !value.contains(' ')
    };
    (fits && !placeholder::is_placeholder(value)).then_some(start..start + value.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_of_a_secret_goes_and_that_of_a_map_stays() {
        let text = "kind: Secret\ndata:\n  password: c3VwZXJzZWNyZXQ=\n  empty: ''\n\
                    ---\nkind: ConfigMap\ndata:\n  a: c3VwZXJzZWNyZXQ=\n";
        let found = values(text, document(text, 6).unwrap());
        assert_eq!(found.iter().map(|range| &text[range.clone()]).collect::<Vec<_>>(), ["c3VwZXJzZWNyZXQ="]);
        let other = text.replace("kind: Secret", "kind: ExternalSecret");
        assert_eq!(document(&other, other.find("Secret").unwrap()), None);
    }
}
