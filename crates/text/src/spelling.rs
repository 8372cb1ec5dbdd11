//! Suggestions for misspelled names.

/// Returns the known name most similar to `name`; `None` if the edit distance exceeds a third of
/// the known name's length.
///
/// ```
/// use cm_text::spelling::nearest;
/// assert_eq!(nearest("solutoin", ["problem", "solution"]), Some("solution"));
/// assert_eq!(nearest("recipe", ["problem", "solution"]), None);
/// ```
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name: Vec<char> = name.chars().flat_map(char::to_lowercase).take(64).collect();
    let far = |known: &str| distance(&name, &known.to_lowercase().chars().collect::<Vec<_>>());
    let best = known.into_iter().map(|known| (far(known), known)).min_by_key(|(far, _)| *far)?;
    (best.0 <= best.1.len() / 3).then_some(best.1)
}

/// Edit distance with insertions, deletions, replacements and swaps of adjacent letters. Quadratic,
/// for short names.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let other = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = other.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_is_one_step_and_another_word_is_none() {
        let known = ["fix", "fact", "error", "code_pattern"];
        for (written, meant) in [
            ("fxi", Some("fix")),
            ("Fact", Some("fact")),
            ("codepattern", Some("code_pattern")),
            ("zebra", None),
        ] {
            assert_eq!(nearest(written, known), meant, "{written}");
        }
        assert_eq!(nearest("", known), None);
        assert_eq!(nearest("x", []), None);
    }
}
