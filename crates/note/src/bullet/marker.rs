//! Feedback markers and ids in running text: `[cm: helpful b-mt2ssunl-jq6d8j]`,
//! `[cm: harmful b-mt2ssunl-jq6d8j caused_bug: why]`, `[cm: helpful a455db2e]`.
//!
//! Such markers occur in agents' answers and in code comments. Callers decide whether the note
//! exists and whether the feedback counts; malformed markers are ignored.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::content::fold_whitespace;
use super::id::BulletId;
use crate::id::NoteId;
use crate::note::{FeedbackSignal, REASONS};

/// A feedback marker in a text, such as `[cm: helpful b-mt2ssunl-jq6d8j]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker {
    pub signal: FeedbackSignal,
    /// Ids of the rated notes, or the first eight digits or more of a UUID: one or more, without
    /// duplicates. Ids of other tools count only if they begin with `b-`.
    pub ids: Vec<NoteId>,
    /// Reason of harm, one of [`REASONS`].
    pub reason: Option<&'static str>,
    /// Further text: the rest of the brackets, or the text after a marker that begins a comment.
    pub note: Option<String>,
    /// Byte range of the marker with its brackets.
    pub range: Range<usize>,
    /// Line number, from 1.
    pub line: u32,
}

/// Maximum length of [`Marker::note`] in characters.
const MAX_NOTE_CHARS: usize = 500;
/// Maximum number of bytes read inside, before and after a marker, because log lines can be long.
const MAX_MARKER_BYTES: usize = 4000;
/// Tokens that begin a comment, in markup and in most languages.
const COMMENTS: [&str; 8] = ["//", "//!", "#", "<!--", "/*", "/**", "--", ";;"];
/// Tokens that end a comment.
const ENDS: [&str; 2] = ["-->", "*/"];
/// Characters that may separate the ids, the reason and the note of a marker.
const BETWEEN: [char; 8] = [',', ':', ';', '.', '-', '–', '—', '`'];

#[allow(clippy::expect_used, reason = "the pattern is a constant, and every test compiles it")]
static MARKER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"\[[^\S\r\n]*(?i:cm|cass)[^\S\r\n]*:[^\S\r\n]*((?i:helpful|harmful|irrelevant))[^\S\r\n]+([^\[\]\r\n]+)\]",
    )
    .expect("the pattern is a constant that tests compile")
});

/// Returns the feedback markers of a text, in order of occurrence.
///
/// ```
/// use cm_note::bullet::marker::markers;
/// let found = markers("// [cm: harmful b-mt2ssunl-jq6d8j outdated: the flag is gone]");
/// assert_eq!(found[0].reason, Some("outdated"));
/// assert_eq!(found[0].note.as_deref(), Some("the flag is gone"));
/// ```
pub fn markers(text: &str) -> Vec<Marker> {
    let mut found = Vec::new();
    let (mut line, mut counted) = (1_u32, 0);
    for captures in MARKER.captures_iter(text) {
        let (Some(whole), Some(signal), Some(inner)) = (captures.get(0), captures.get(1), captures.get(2))
        else {
            continue;
        };
        let (ids, words) = ids_then_words(if inner.len() <= MAX_MARKER_BYTES { inner.as_str() } else { "" });
        if ids.is_empty() {
            continue;
        }
        let breaks = text[counted..whole.start()].bytes().filter(|byte| *byte == b'\n').count();
        line = line.saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX));
        counted = whole.start();
        let signal =
            FeedbackSignal::of(&signal.as_str().to_ascii_lowercase()).unwrap_or(FeedbackSignal::Irrelevant);
        let (reason, note) = reason_and_note(signal, words);
        let note =
            note.or_else(|| if reason.is_none() { rest_of_comment(text, whole.range()) } else { None });
        found.push(Marker { signal, ids, reason, note, range: whole.range(), line });
    }
    found
}

/// Returns the cm-generated ids in a text, in order; an id must be a whole word. English words can
/// look like ids (`b-side-effect`), so callers check that the bullet exists.
pub fn ids_in(text: &str) -> Vec<(Range<usize>, BulletId)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find(in_word).map(|offset| at + offset) {
        let length = text[start..].find(|c| !in_word(c)).unwrap_or(text.len() - start);
        at = start + length;
        let word = &text[start..at];
        // Emphasis and dashes around an id are not of it.
        let id = word.trim_start_matches(['-', '_']);
        let from = start + word.len() - id.len();
        let id = id.trim_end_matches(['-', '_']);
        if let Ok(bullet) = BulletId::parse(id) {
            found.push((from..from + id.len(), bullet));
        }
    }
    found
}

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '-' || c == '_'
}

fn ids_then_words(inner: &str) -> (Vec<NoteId>, &str) {
    let (mut ids, mut rest) = (Vec::new(), inner);
    loop {
        let word = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',' || c == '`');
        let listed = ids.is_empty() || rest[..rest.len() - word.len()].contains(',');
        let length = word.find(|c| !in_word(c)).unwrap_or(word.len());
        match id_of(&word[..length], listed) {
            Some(id) if ids.contains(&id) => {}
            Some(id) => ids.push(id),
            None => return (ids, rest),
        }
        rest = &word[length..];
    }
}

/// Parses a word as an id. Unless a comma continues the list (`listed`), only cm's own grammar
/// counts, because `b-tree` may be part of the reason.
fn id_of(word: &str, listed: bool) -> Option<NoteId> {
    if let Ok(own) = BulletId::parse(word) {
        return Some(own.into());
    }
    let sound = listed
        && word.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("b-"))
        && word.is_ascii()
        && word.len() <= 64
        && word.ends_with(|c: char| c.is_ascii_alphanumeric());
    match sound || listed && begins_uuid(word) || word.len() == UUID_CHARS && begins_uuid(word) {
        true => NoteId::parse(word).ok(),
        false => None,
    }
}

/// Length of a hyphenated UUID, and of the part before its first hyphen, which briefings show.
const UUID_CHARS: usize = 36;
const SHORT_UUID_CHARS: usize = 8;

/// Whether a word is a UUID or its beginning, with eight digits or more.
fn begins_uuid(word: &str) -> bool {
    let is_digit = |(at, byte): (usize, u8)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    (SHORT_UUID_CHARS..=UUID_CHARS).contains(&word.len()) && word.bytes().enumerate().all(is_digit)
}

fn reason_and_note(signal: FeedbackSignal, words: &str) -> (Option<&'static str>, Option<String>) {
    let words = words.trim_start_matches(|c: char| c.is_whitespace() || BETWEEN.contains(&c));
    let length = words.find(|c: char| !in_word(c)).unwrap_or(words.len());
    let word = words[..length].to_ascii_lowercase().replace('-', "_");
    let reason = REASONS.into_iter().find(|reason| signal == FeedbackSignal::Harmful && *reason == word);
    let Some(reason) = reason else { return (None, note(words)) };
    let rest = &words[length..];
    // `other` and `outdated` may begin a sentence, which then stays whole.
    let sentence =
        !reason.contains('_') && !rest.trim_start().starts_with(BETWEEN) && !rest.trim().is_empty();
    (Some(reason), note(if sentence { words } else { rest }))
}

/// Returns the text after a marker that begins a comment, up to the end of the comment or line, or
/// the next bracket.
fn rest_of_comment(text: &str, marker: Range<usize>) -> Option<String> {
    let before = &text[text.ceil_char_boundary(marker.start.saturating_sub(MAX_MARKER_BYTES))..marker.start];
    let before = before[before.rfind('\n').map_or(0, |at| at + 1)..].trim();
    if before != "*" && !COMMENTS.iter().any(|begin| before.ends_with(begin)) {
        return None;
    }
    let after = &text[marker.end..text.floor_char_boundary(marker.end.saturating_add(MAX_MARKER_BYTES))];
    let rest = after.lines().next()?;
    let ends = ENDS.iter().filter_map(|end| rest.find(end)).chain(rest.find('['));
    note(&rest[..ends.min().unwrap_or(rest.len())])
}

fn note(words: &str) -> Option<String> {
    let words = words.trim_start_matches(|c: char| c.is_whitespace() || BETWEEN.contains(&c));
    let shortened: String =
        words.chars().filter(|c| !c.is_control() || c.is_whitespace()).take(MAX_NOTE_CHARS).collect();
    Some(fold_whitespace(&shortened)).filter(|note| !note.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const A: &str = "b-mt2ssunl-jq6d8j";
    const B: &str = "b-mt2ssunm-000001";

    /// Signal, ids, reason and note of the text's only marker.
    fn one(text: &str) -> (FeedbackSignal, Vec<String>, Option<&'static str>, Option<String>) {
        let found = markers(text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        let marker = found.into_iter().next().unwrap();
        let ids = marker.ids.iter().map(ToString::to_string).collect();
        (marker.signal, ids, marker.reason, marker.note)
    }

    fn ids(list: &[&str]) -> Vec<String> {
        list.iter().map(|id| (*id).to_owned()).collect()
    }

    #[test]
    fn a_marker_is_found_in_prose_and_in_comments_however_it_is_spaced_and_cased() {
        for text in [
            "[cm: helpful b-mt2ssunl-jq6d8j]",
            "It held. [CM:Helpful B-MT2SSUNL-jq6d8j] Next, the tests.",
            "[ cm :\thelpful   b-mt2ssunl-jq6d8j  ]",
            "[cass: helpful b-mt2ssunl-jq6d8j]",
            "[cm: helpful `b-mt2ssunl-jq6d8j`]",
            "x = 1  # [cm: helpful b-mt2ssunl-jq6d8j]",
            "<!-- [cm: helpful b-mt2ssunl-jq6d8j] -->",
            "/* [cm: helpful b-mt2ssunl-jq6d8j] */",
            "[[cm: helpful b-mt2ssunl-jq6d8j]]",
            "[cm: harmful [cm: helpful b-mt2ssunl-jq6d8j]",
            "[cm: helpful b-mt2ssunl-jq6d8j, b-MT2SSUNL-jq6d8j]",
        ] {
            assert_eq!(one(text), (FeedbackSignal::Helpful, ids(&[A]), None, None), "{text}");
        }
    }

    #[test]
    fn one_marker_may_judge_several_bullets() {
        for list in [
            "b-mt2ssunl-jq6d8j b-mt2ssunm-000001",
            "b-mt2ssunl-jq6d8j,b-mt2ssunm-000001",
            " b-mt2ssunl-jq6d8j , b-mt2ssunm-000001 ",
        ] {
            let text = format!("[cm: irrelevant {list}]");
            assert_eq!(one(&text), (FeedbackSignal::Irrelevant, ids(&[A, B]), None, None), "{text}");
        }
        assert_eq!(one("[cm: helpful b-xyz, b-old_7]").1, ids(&["b-xyz", "b-old_7"]), "ids of other tools");
        let (_, found, _, note) = one("[cm: helpful b-mt2ssunl-jq6d8j b-tree pages fit now]");
        assert_eq!((found, note.as_deref()), (ids(&[A]), Some("b-tree pages fit now")));
    }

    #[test]
    fn a_memory_is_judged_by_its_uuid_or_the_beginning_that_briefings_show() {
        const MEMORY: &str = "a455db2e-0184-4510-b102-e83a63a6de27";
        for id in [MEMORY, "a455db2e", "A455DB2E", "a455db2e-0184"] {
            assert_eq!(one(&format!("[cm: helpful {id} it worked]")).1, ids(&[id]));
        }
        assert_eq!(one(&format!("[cm: helpful {A} {MEMORY}]")).1, ids(&[A, MEMORY]));
        assert_eq!(one(&format!("[cm: helpful {A}, a455db2e]")).1, ids(&[A, "a455db2e"]));
        let (_, found, _, note) = one(&format!("[cm: helpful {A} a455db2e is the commit]"));
        assert_eq!((found, note.as_deref()), (ids(&[A]), Some("a455db2e is the commit")));
        for text in ["[cm: helpful a455db2]", "[cm: helpful a455db2e0]", "[cm: helpful everybody]"] {
            assert_eq!(markers(text), [], "{text}");
        }
    }

    #[test]
    fn harm_has_one_of_six_reasons_and_any_other_words_are_a_note() {
        let harm = |words: &str| {
            let (signal, _, reason, note) = one(&format!("[cm: harmful {A}{words}]"));
            assert_eq!(signal, FeedbackSignal::Harmful);
            (reason, note)
        };
        let note = |text: &str| Some(text.to_owned());
        assert_eq!(harm(" caused_bug: free words"), (Some("caused_bug"), note("free words")));
        assert_eq!(harm(" caused_bug"), (Some("caused_bug"), None));
        assert_eq!(harm(": Wasted-Time — an hour"), (Some("wasted_time"), note("an hour")));
        assert_eq!(harm(" wrong_context for  a library"), (Some("wrong_context"), note("for a library")));
        assert_eq!(harm(" other approaches work"), (Some("other"), note("other approaches work")));
        assert_eq!(harm(" outdated: gone since 2.0"), (Some("outdated"), note("gone since 2.0")));
        assert_eq!(harm(" it broke the build"), (None, note("it broke the build")));
        assert_eq!(harm(" caused_bugs"), (None, note("caused_bugs")));
        let helpful = one(&format!("[cm: helpful {A} outdated docs were wrong, this is right]"));
        assert_eq!((helpful.2, helpful.3), (None, note("outdated docs were wrong, this is right")));
        assert_eq!(harm(&format!(" {}", "x".repeat(2000))).1.unwrap().len(), 500);
    }

    #[test]
    fn what_follows_a_marker_counts_as_its_note_in_comments_only() {
        let note = |text: &str| one(text).3;
        assert_eq!(
            note(&format!("  // [cm: helpful {A}] saved a deadlock\nnext();")).as_deref(),
            Some("saved a deadlock")
        );
        assert_eq!(
            note(&format!("<!-- [cm: helpful {A}]: true here --> text")).as_deref(),
            Some("true here")
        );
        assert_eq!(note(&format!("x = 1  # [cm: helpful {A}] yes")).as_deref(), Some("yes"));
        assert_eq!(note(&format!(" * [cm: helpful {A}] yes */")).as_deref(), Some("yes"));
        assert_eq!(note(&format!("// [cm: helpful {A} inside] outside")).as_deref(), Some("inside"));
        assert_eq!(note(&format!("I followed [cm: helpful {A}] and ran the tests.")), None);
        let two = markers(&format!("// [cm: helpful {A}] good [cm: harmful {B} outdated] bad"));
        assert_eq!((two[0].note.as_deref(), two[1].note.as_deref()), (Some("good"), None));
    }

    #[test]
    fn what_is_not_well_formed_is_no_marker() {
        for text in [
            "",
            "[cm:]",
            "[cm: helpful]",
            "[cm: helpful ]",
            "[cm: helpfulb-mt2ssunl-jq6d8j]",
            "[cm helpful b-mt2ssunl-jq6d8j]",
            "[cm: great b-mt2ssunl-jq6d8j]",
            "[cm: helpful b-mt2ssunl-jq6d8j",
            "cm: helpful b-mt2ssunl-jq6d8j]",
            "[cm: helpful\nb-mt2ssunl-jq6d8j]",
            "[cm: helpful the rule b-mt2ssunl-jq6d8j]",
            "[cm: helpful b-…]",
            "[cm: helpful b-]",
            "[cm: helpful b-x-]",
            "[scm: helpful b-mt2ssunl-jq6d8j]",
            "[cm: helpful xb-mt2ssunl-jq6d8j]",
        ] {
            assert_eq!(markers(text), [], "{text}");
        }
    }

    #[test]
    fn a_marker_as_long_as_a_chapter_is_none_and_long_lines_are_read_around() {
        assert_eq!(markers(&format!("[cm: helpful {A} {}]", "x".repeat(4000))), []);
        let long = "é".repeat(5000);
        assert_eq!(one(&format!("{long}// [cm: helpful {A}] {long}")).3.unwrap(), "é".repeat(500));
    }

    #[test]
    fn a_marker_knows_its_place() {
        let text = format!("héllo\r\n\n[cm: helpful {A}] and [cm: harmful {B} other]\nend");
        let found = markers(&text);
        assert_eq!(found.iter().map(|marker| marker.line).collect::<Vec<_>>(), [3, 3]);
        assert_eq!(&text[found[0].range.clone()], format!("[cm: helpful {A}]"));
        assert_eq!(&text[found[1].range.clone()], format!("[cm: harmful {B} other]"));
    }

    #[test]
    fn ids_are_found_in_running_text_but_not_within_words() {
        let found = |text: &str| {
            ids_in(text).into_iter().map(|(range, id)| (range.start, id.to_string())).collect::<Vec<_>>()
        };
        let at = |start: usize| vec![(start, A.to_owned())];
        assert_eq!(found(A), at(0));
        assert_eq!(found(&format!("Rule {A}, and (b-x).")), at(5));
        assert_eq!(found(&format!("playbook/testing/{A}.md")), at(17));
        assert_eq!(found(&format!("_{A}_ **{A}**")).len(), 2);
        assert_eq!(found("see B-MT2SSUNL-JQ6D8J!"), at(4));
        for none in [
            format!("x{A}"),
            format!("{A}x"),
            format!("{A}-more"),
            format!("a-{A}"),
            format!("é{A}"),
            format!("{A}ü"),
        ] {
            assert_eq!(found(&none), [], "{none}");
        }
    }

    fn any_signal() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec!["helpful", "harmful", "irrelevant", "HARMFUL", "Helpful"])
    }

    /// Arbitrary text, often composed of fragments of markers.
    fn any_text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            prop::sample::select(vec![
                "[",
                "]",
                "cm",
                ":",
                " ",
                "helpful",
                "harmful",
                "b-",
                A,
                ",",
                "\n",
                "// ",
                "-->",
                "`",
                "caused_bug",
                "é",
                "[cm: helpful "
            ])
            .prop_map(str::to_owned),
            "\\PC{0,8}",
            any::<String>(),
        ];
        prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn markers_of_any_text_lie_in_it_in_order(text in any_text()) {
            let mut end = 0;
            for marker in markers(&text) {
                let whole = text.get(marker.range.clone()).unwrap();
                prop_assert!(whole.starts_with('[') && whole.ends_with(']') && !whole.contains('\n'), "{}", whole);
                prop_assert!(marker.range.start >= end && !marker.ids.is_empty());
                let lines = text[..marker.range.start].matches('\n').count() + 1;
                prop_assert_eq!(usize::try_from(marker.line).unwrap(), lines);
                prop_assert!(marker.note.is_none_or(|note| !note.is_empty() && !note.chars().any(char::is_control)));
                end = marker.range.end;
            }
        }

        #[test]
        fn a_marker_that_is_planted_in_any_text_is_found(
            before in any_text(), after in any_text(), signal in any_signal(), id in "b-[0-9a-z]{1,12}-[0-9a-z]{6}",
            words in "[a-z_ ]{0,20}",
        ) {
            let planted = format!("[cm: {signal} {id} {words}]");
            let text = format!("{before}{planted}{after}");
            let found = markers(&text);
            let marker = found.iter().find(|marker| marker.range.start == before.len());
            prop_assert!(marker.is_some(), "{:?}", found);
            let marker = marker.unwrap();
            prop_assert_eq!(&text[marker.range.clone()], planted.as_str());
            prop_assert_eq!(marker.ids[0].as_str(), id.as_str());
            prop_assert_eq!(marker.signal, FeedbackSignal::of(&signal.to_ascii_lowercase()).unwrap());
        }

        #[test]
        fn ids_of_any_text_lie_in_it_and_read_as_themselves(text in any_text()) {
            let mut end = 0;
            for (range, id) in ids_in(&text) {
                prop_assert!(range.start >= end);
                prop_assert_eq!(BulletId::parse(text.get(range.clone()).unwrap()), Ok(id));
                let beside = [text[..range.start].chars().next_back(), text[range.end..].chars().next()];
                prop_assert!(!beside.into_iter().flatten().any(char::is_alphanumeric));
                end = range.end;
            }
        }

        #[test]
        fn an_id_that_is_planted_between_words_is_found(before in any_text(), after in any_text(), id in "b-[0-9a-z]{1,12}-[0-9a-z]{6}") {
            let text = format!("{before} {id} {after}");
            let found = ids_in(&text);
            prop_assert!(found.iter().any(|(range, found)| range.start == before.len() + 1 && found.as_str() == id));
        }
    }
}
