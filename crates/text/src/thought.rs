//! Splits a thought into the title and the body of a note.

use crate::sentence;

/// Longest title that is made from a thought, in characters.
const MAX_TITLE_CHARS: usize = 80;

/// Splits a thought into the title and body of a memory. The title is the first line without a
/// heading mark, or its first sentence if the line is long or all there is; if that is long as well, the
/// title is cut and the body is the whole thought. The body is also the whole thought if its first line has
/// links, tags or code, which a title does not keep.
///
/// ```
/// use cm_text::thought::split_thought;
/// let (title, body) = split_thought("# Use jitter\n\nThe gateway blocks us otherwise.");
/// assert_eq!((&*title, &*body), ("Use jitter", "The gateway blocks us otherwise."));
/// let (title, body) = split_thought("Ask [[Ada|her]] about #gas");
/// assert_eq!((&*title, &*body), ("Ask her about #gas", "Ask [[Ada|her]] about #gas"));
/// ```
pub fn split_thought(text: &str) -> (String, String) {
    let text = text.trim();
    let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
    let line = line.trim_start_matches('#').trim();
    let plain = without_markup(line);
    if plain != line || has_tag(line) {
        let (title, _) = split_thought_line(&plain, "");
        return (title, text.to_owned());
    }
    split_thought_line(line, rest)
}

/// Splits a first line without markup, and the lines after it, into title and body.
fn split_thought_line(line: &str, rest: &str) -> (String, String) {
    if line.chars().count() <= MAX_TITLE_CHARS {
        let (title, more) = if rest.is_empty() { sentence::first(line) } else { (line, rest) };
        return (title.trim_end_matches('.').to_owned(), more.trim().to_owned());
    }
    let mut ends = line.match_indices(['.', '!', '?', ';', ':']).map(|(at, _)| at);
    let (sentence, after) =
        ends.find(|at| sentence::ends_at(line, *at)).map_or((line, ""), |at| line.split_at(at + 1));
    if sentence.chars().count() <= MAX_TITLE_CHARS && after.starts_with(' ') {
        let title = sentence.trim_end_matches(['.', ';', ':']).to_owned();
        return (title, format!("{}\n{rest}", after.trim()).trim().to_owned());
    }
    let cut: String = line.chars().take(MAX_TITLE_CHARS).collect();
    let words = cut.rsplit_once(' ').map_or(&*cut, |(words, _)| words);
    let whole = format!("{line}\n{rest}");
    (format!("{}…", words.trim_end_matches([',', ';', ':'])), whole.trim().to_owned())
}

/// Returns a line without the marks of wikilinks and code.
fn without_markup(line: &str) -> String {
    let (mut plain, mut rest) = (String::new(), line);
    while let Some((before, (link, after))) =
        rest.split_once("[[").and_then(|(before, link)| Some((before, link.split_once("]]")?)))
    {
        plain.push_str(before);
        plain.push_str(link.rsplit_once('|').map_or(link, |(_, alias)| alias));
        rest = after;
    }
    plain.push_str(rest);
    plain.replace('`', "")
}

/// Whether a line has a tag such as `#gas`.
fn has_tag(line: &str) -> bool {
    let begins_tag =
        |word: &str| word.strip_prefix('#').is_some_and(|tag| tag.starts_with(char::is_alphabetic));
    line.split_whitespace().any(begins_tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thought_has_a_title_and_loses_nothing() {
        let long = "word ".repeat(40);
        for (thought, title, body) in [
            ("Use jitter.", "Use jitter", ""),
            ("Use jitter\nThe gateway blocks us.", "Use jitter", "The gateway blocks us."),
            ("First sentence here. Second one.", "First sentence here", "Second one."),
            ("Why jitter? It spreads load. Always.", "Why jitter?", "It spreads load. Always."),
            ("Ask Dr. Miller about e.g. Postgres.", "Ask Dr. Miller about e.g. Postgres", ""),
            ("Use v1.2 of cm. or not", "Use v1.2 of cm. or not", ""),
            ("One. Two.\nThree.", "One. Two", "Three."),
            (
                "Termin am 5. Mai beim Notar. Ausweis mitnehmen.",
                "Termin am 5. Mai beim Notar",
                "Ausweis mitnehmen.",
            ),
            (
                "Dr. Müller prüft am 3. März. Bitte vorbereiten.",
                "Dr. Müller prüft am 3. März",
                "Bitte vorbereiten.",
            ),
            (
                "Das Lager ist im 2. Stock. Schlüssel bei Ida.",
                "Das Lager ist im 2. Stock",
                "Schlüssel bei Ida.",
            ),
            ("Wir liefern ca. Hundert Stück bzw. Kisten.", "Wir liefern ca. Hundert Stück bzw. Kisten", ""),
            ("We use Python 3. Then came Rust.", "We use Python 3", "Then came Rust."),
            (
                "Der Termin beim Notar ist am 5. Mai um zehn Uhr. Ausweis und Vollmacht mitnehmen, und vorher anrufen.",
                "Der Termin beim Notar ist am 5. Mai um zehn Uhr",
                "Ausweis und Vollmacht mitnehmen, und vorher anrufen.",
            ),
            (
                "Retries need jitter. Without it, all gauges of the harbour ask the gateway at the same second.",
                "Retries need jitter",
                "Without it, all gauges of the harbour ask the gateway at the same second.",
            ),
        ] {
            assert_eq!(split_thought(thought), (title.to_owned(), body.to_owned()));
        }
        let (title, body) = split_thought(&long);
        assert!(title.ends_with("word…") && title.chars().count() <= MAX_TITLE_CHARS, "{title}");
        assert_eq!(body, long.trim());
    }
}
