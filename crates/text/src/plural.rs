//! Counts with their nouns, in English.

/// Formats a count with its noun, which is given in the singular and has a regular plural.
///
/// ```
/// use cm_text::plural::count;
/// assert_eq!(count(1, "note"), "1 note");
/// assert_eq!(count(2, "possible secret"), "2 possible secrets");
/// assert_eq!([count(0, "diary"), count(0, "day")], ["0 diaries", "0 days"]);
/// assert_eq!([count(2, "fix"), count(2, "stash")], ["2 fixes", "2 stashes"]);
/// ```
pub fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {}", plural(noun)) }
}

/// Formats a count with its noun and "is" or "are".
///
/// ```
/// use cm_text::plural::count_is;
/// assert_eq!([count_is(1, "note"), count_is(2, "note")], ["1 note is", "2 notes are"]);
/// ```
pub fn count_is(n: usize, noun: &str) -> String {
    format!("{} {}", count(n, noun), if n == 1 { "is" } else { "are" })
}

fn plural(noun: &str) -> String {
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ if ["s", "x", "z", "ch", "sh"].iter().any(|ending| noun.ends_with(ending)) => format!("{noun}es"),
        _ => format!("{noun}s"),
    }
}
