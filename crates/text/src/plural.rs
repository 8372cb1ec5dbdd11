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

fn plural(noun: &str) -> String {
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ if ["s", "x", "z", "ch", "sh"].iter().any(|ending| noun.ends_with(ending)) => format!("{noun}es"),
        _ => format!("{noun}s"),
    }
}
