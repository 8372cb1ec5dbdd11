//! Ends of sentences in English and German text.

/// Splits a line after its first sentence, which the next one follows with a capital letter.
pub fn first(line: &str) -> (&str, &str) {
    let is_end =
        |at: &usize| ends_at(line, *at) && line[*at + 1..].trim_start().starts_with(char::is_uppercase);
    let mut ends = line.match_indices(['.', '!', '?']).map(|(at, _)| at);
    ends.find(is_end).map_or((line, ""), |at| line.split_at(at + 1))
}

/// German names of months, to which a day with a full stop belongs.
const MONTHS: [&str; 13] = [
    "Januar",
    "Jänner",
    "Februar",
    "März",
    "April",
    "Mai",
    "Juni",
    "Juli",
    "August",
    "September",
    "Oktober",
    "November",
    "Dezember",
];
/// German words before an ordinal number.
const BEFORE_ORDINAL: [&str; 9] = ["am", "vom", "zum", "im", "der", "dem", "den", "des", "beim"];
/// Abbreviations that a word follows. German writes each noun with a capital, so that short words alone
/// are none.
const ABBREVIATIONS: [&str; 33] = [
    "Dr.", "Mr.", "Mrs.", "Ms.", "St.", "Nr.", "No.", "Hr.", "Fr.", "Str.", "Tel.", "Abs.", "Art.", "Jr.",
    "Sr.", "Inc.", "Ltd.", "Co.", "Fig.", "Kap.", "Prof.", "Ing.", "bzw.", "ca.", "evtl.", "ggf.", "inkl.",
    "max.", "min.", "vgl.", "zzgl.", "approx.", "vs.",
];

/// Whether the mark at the byte `at` ends a sentence: a space follows, and a full stop belongs neither to an
/// abbreviation such as `Dr.` or `e.g.`, nor to a date such as `5. Mai`.
pub fn ends_at(line: &str, at: usize) -> bool {
    let (sentence, rest) = line.split_at(at + 1);
    let mut words = sentence.rsplit(' ');
    let (word, before) = (words.next().unwrap_or(sentence), words.next().unwrap_or_default());
    if !rest.starts_with(' ') || !word.ends_with('.') {
        return rest.starts_with(' ');
    }
    let stem = word.trim_end_matches('.');
    let next = rest.trim_start().split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    let is_ordinal = (1..=2).contains(&stem.len())
        && stem.bytes().all(|byte| byte.is_ascii_digit())
        && (MONTHS.contains(&next) || BEFORE_ORDINAL.contains(&before.to_lowercase().as_str()));
    let is_initial = stem.chars().count() == 1 && stem.starts_with(char::is_uppercase);
    !is_initial && !stem.contains('.') && !is_ordinal && !ABBREVIATIONS.contains(&word)
}
