//! Words that are spelled alike, and suggestions for misspelled names.

/// Maximum length of a compared name, in characters; the rest is ignored.
const MAX_NAME_CHARS: usize = 64;

/// Returns the candidate most similar to `name`, ignoring case; `None` if the edit distance exceeds a
/// third of the candidate's length in bytes.
///
/// ```
/// use cm_text::spelling::nearest;
/// assert_eq!(nearest("solutoin", ["problem", "solution"]), Some("solution"));
/// assert_eq!(nearest("recipe", ["problem", "solution"]), None);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name: String = name.chars().flat_map(char::to_lowercase).take(MAX_NAME_CHARS).collect();
    let edits = |candidate: &str| edit_distance(&name, &candidate.to_lowercase());
    let (least, best) = candidates
        .into_iter()
        .map(|candidate| (edits(candidate), candidate))
        .min_by_key(|(edits, _)| *edits)?;
    (least <= best.len() / 3).then_some(best)
}

/// Edit distance in characters: insertions, deletions, replacements and swaps of adjacent characters.
/// Quadratic, for short names.
pub fn edit_distance(a: &str, b: &str) -> usize {
    strsim::osa_distance(a, b)
}

/// Whether two words have their first four letters and most of the shorter one in common, as forms and
/// misspellings of one word do.
pub fn begin_alike(one: &str, other: &str) -> bool {
    let shared = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let shorter = one.chars().count().min(other.chars().count());
    shared >= 4 && shared * 10 >= shorter * 7
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_is_one_step_and_another_word_is_none() {
        let candidates = ["fix", "fact", "error", "code_pattern"];
        for (written, meant) in [
            ("fxi", Some("fix")),
            ("Fact", Some("fact")),
            ("codepattern", Some("code_pattern")),
            ("zebra", None),
        ] {
            assert_eq!(nearest(written, candidates), meant, "{written}");
        }
        assert_eq!(nearest("", candidates), None);
        assert_eq!(nearest("x", []), None);
    }
}
