//! Shell expansion of a word: braces, parameters, command substitution, word splitting.

use std::collections::BTreeMap;

use super::ShellWord;
use super::scan::after;
use super::token::WordPiece;

/// Maximum number of words that one word expands to.
const MAX_WORDS: usize = 64;
/// Maximum length of a word whose braces are expanded, in bytes.
const MAX_BRACED_BYTES: usize = 1024;
/// Maximum length of an expanded value, in bytes.
const MAX_VALUE_BYTES: usize = 16 << 10;

/// Values of the variables that the text sets. A loop variable has several values.
pub type Variables = BTreeMap<String, Vec<String>>;

/// Part of a word after parameter expansion and command substitution.
#[derive(Debug, Clone)]
pub struct ExpandedPart {
    /// Possible texts of the part; never empty.
    pub choices: Vec<String>,
    pub quoted: bool,
    /// Whether the text undergoes word splitting.
    pub splits: bool,
}

impl ExpandedPart {
    fn first(&self) -> &str {
        self.choices.first().map_or("", String::as_str)
    }

    /// Creates a part with one literal text.
    pub fn text(text: &str, quoted: bool) -> Self {
        Self { choices: vec![text.to_owned()], quoted, splits: false }
    }
}

/// Expands a piece. `output` is the output of its command substitution, if known; unknown
/// parameters and outputs stay as written.
pub fn part(piece: &WordPiece, output: Option<String>, variables: &Variables) -> ExpandedPart {
    match piece {
        WordPiece::Text { text, quoted } => ExpandedPart::text(text, *quoted),
        WordPiece::Substitution { text, quoted, .. } => {
            match output.filter(|output| output.len() <= MAX_VALUE_BYTES) {
                Some(output) => {
                    let value = output.trim_end_matches('\n').to_owned();
                    ExpandedPart { choices: vec![value], quoted: *quoted, splits: !quoted }
                }
                None => ExpandedPart::text(text, *quoted),
            }
        }
        WordPiece::Parameter { text, quoted, .. } => match value(text, variables) {
            Some(choices) => ExpandedPart { choices, quoted: *quoted, splits: !quoted },
            None => ExpandedPart::text(text, *quoted),
        },
    }
}

/// Expands parts to words: braces, every combination of choices, and splitting at the characters of
/// `fields`.
pub fn words(parts: Vec<ExpandedPart>, fields: &str) -> Vec<ShellWord> {
    let braced = braces(parts);
    let mut found = Vec::new();
    for parts in &braced {
        for texts in products(parts) {
            split(parts, &texts, fields, &mut found);
            if found.len() > MAX_WORDS * MAX_WORDS {
                return found;
            }
        }
    }
    found
}

/// Returns the texts of parts without word splitting, as in an assignment.
pub fn texts(parts: &[ExpandedPart]) -> Vec<String> {
    products(parts).into_iter().map(|texts| texts.concat()).collect()
}

/// Returns the combinations of the parts' choices. A part that would exceed [`MAX_WORDS`] combinations
/// contributes only its first choice.
fn products(parts: &[ExpandedPart]) -> Vec<Vec<&str>> {
    let mut found: Vec<Vec<&str>> = vec![Vec::with_capacity(parts.len())];
    for part in parts {
        let many = found.len() * part.choices.len() <= MAX_WORDS;
        let choices = if many {
            part.choices.as_slice()
        } else {
            part.choices.first().map_or(&[][..], std::slice::from_ref)
        };
        if let [only] = choices {
            found.iter_mut().for_each(|texts| texts.push(only));
            continue;
        }
        let mut longer = Vec::with_capacity(found.len() * choices.len());
        for texts in &found {
            longer.extend(choices.iter().map(|choice| [texts.as_slice(), &[choice.as_str()]].concat()));
        }
        found = longer;
    }
    found
}

/// Splits one combination into words and appends them.
fn split(parts: &[ExpandedPart], texts: &[&str], fields: &str, found: &mut Vec<ShellWord>) {
    let mut word: Option<ShellWord> = None;
    for (part, text) in parts.iter().zip(texts) {
        if !part.splits {
            if part.quoted || !text.is_empty() {
                let word = word.get_or_insert_with(ShellWord::default);
                word.text.push_str(text);
                word.quoted |= part.quoted;
            }
            continue;
        }
        let is_field = |character: char| fields.contains(character);
        let mut pieces = text.split(is_field);
        if let Some(first) = pieces.next().filter(|first| !first.is_empty()) {
            word.get_or_insert_with(ShellWord::default).text.push_str(first);
        }
        for piece in pieces {
            found.extend(word.take());
            if !piece.is_empty() {
                word = Some(ShellWord { text: piece.to_owned(), quoted: false });
            }
        }
    }
    found.extend(word);
}

/// Returns the values of a parameter expression; `None` if the variable is unset or the expression
/// is not supported.
fn value(written: &str, variables: &Variables) -> Option<Vec<String>> {
    let get = |name: &str| variables.get(name).filter(|values| !values.is_empty());
    let Some(inner) = written.strip_prefix("${") else {
        return get(written.strip_prefix('$')?).cloned();
    };
    let inner = inner.strip_suffix('}')?;
    if let Some(name) = inner.strip_prefix('!') {
        return get(get(name)?.first()?).cloned();
    }
    let length = match inner.bytes().next()? {
        b'@' | b'*' => 1,
        _ => inner.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count(),
    };
    let (name, operator) = inner.split_at(length);
    let operator = operator.strip_prefix("[@]").or(operator.strip_prefix("[*]")).unwrap_or(operator);
    // What the text sets nowhere may be set outside of it: its fallback is no more than a guess.
    get(name)?.iter().map(|value| operated(value, operator)).collect()
}

/// Applies an operator such as `%.txt`, `/a/b`, `:1:2` or `^^` to a value; `None` if it is not
/// supported.
fn operated(value: &str, operator: &str) -> Option<String> {
    let plain = |pattern: &str| !pattern.contains(['*', '?', '[', '$', '`']);
    let first = match operator.chars().next() {
        None => return Some(value.to_owned()),
        Some(first) => first,
    };
    match first {
        '^' if operator == "^^" => Some(value.to_uppercase()),
        ',' if operator == ",," => Some(value.to_lowercase()),
        '#' | '%' => {
            let pattern = operator.trim_start_matches(first);
            let cut = if first == '#' { value.strip_prefix(pattern) } else { value.strip_suffix(pattern) };
            plain(pattern).then(|| cut.unwrap_or(value).to_owned())
        }
        '/' => {
            let all = operator.starts_with("//");
            let mut parts = operator.trim_start_matches('/').splitn(2, '/');
            let (from, to) = (parts.next()?, parts.next().unwrap_or(""));
            if from.is_empty() || !plain(from) || !plain(to) {
                return None;
            }
            let replaced = if all { value.replace(from, to) } else { value.replacen(from, to, 1) };
            Some(replaced).filter(|replaced| replaced.len() <= MAX_VALUE_BYTES)
        }
        ':' => match operator.as_bytes().get(1)? {
            b'-' | b'=' | b'?' if !value.is_empty() => Some(value.to_owned()),
            b'0'..=b'9' => slice(value, after(operator, 1)),
            _ => None,
        },
        '-' | '=' | '?' => Some(value.to_owned()),
        _ => None,
    }
}

/// Applies a slice, `OFFSET` or `OFFSET:LENGTH`, in characters.
fn slice(value: &str, range: &str) -> Option<String> {
    let mut numbers = range.split(':').map(|number| number.trim().parse::<usize>());
    let (from, length) = (numbers.next()?.ok()?, numbers.next());
    let most = length.transpose().ok()?.unwrap_or(usize::MAX);
    Some(value.chars().skip(from).take(most).collect())
}

/// A character that brace expansion can inspect, or an opaque part.
#[derive(Clone)]
enum BraceUnit {
    Character(char),
    Part(ExpandedPart),
}

/// Expands the braces of a word. Returns the word itself if it has no braces or would expand to too
/// many words.
fn braces(parts: Vec<ExpandedPart>) -> Vec<Vec<ExpandedPart>> {
    let opens = |part: &ExpandedPart| !part.quoted && !part.splits && part.first().contains('{');
    let length: usize = parts.iter().map(|part| part.first().len()).sum();
    if !parts.iter().any(opens) || length > MAX_BRACED_BYTES {
        return vec![parts];
    }
    let mut open = vec![units(&parts)];
    let mut done: Vec<Vec<BraceUnit>> = Vec::new();
    while let Some(word) = open.pop() {
        if open.len() + done.len() > MAX_WORDS {
            return vec![parts];
        }
        match alternatives(&word) {
            Some(words) => open.extend(words.into_iter().rev()),
            None => done.push(word),
        }
    }
    done.into_iter().map(joined).collect()
}

fn units(parts: &[ExpandedPart]) -> Vec<BraceUnit> {
    let mut units = Vec::new();
    for part in parts {
        if part.quoted || part.splits || part.choices.len() > 1 || part.first().starts_with(['$', '`', '<']) {
            units.push(BraceUnit::Part(part.clone()));
        } else {
            units.extend(part.first().chars().map(BraceUnit::Character));
        }
    }
    units
}

fn joined(units: Vec<BraceUnit>) -> Vec<ExpandedPart> {
    let mut parts: Vec<ExpandedPart> = Vec::new();
    let mut plain = false;
    for unit in units {
        match unit {
            BraceUnit::Part(part) => {
                parts.push(part);
                plain = false;
            }
            BraceUnit::Character(character) => {
                if !plain {
                    parts.push(ExpandedPart::text("", false));
                    plain = true;
                }
                if let Some(text) = parts.last_mut().and_then(|part| part.choices.first_mut()) {
                    text.push(character);
                }
            }
        }
    }
    parts
}

/// Expands the first braces with alternatives or a range; `None` if there are none.
fn alternatives(word: &[BraceUnit]) -> Option<Vec<Vec<BraceUnit>>> {
    let is =
        |at: usize, expected: char| matches!(word.get(at), Some(BraceUnit::Character(c)) if *c == expected);
    for open in (0..word.len()).filter(|at| is(*at, '{')) {
        let (mut depth, mut commas, mut close) = (0_usize, Vec::new(), None);
        for (at, unit) in word.iter().enumerate().skip(open) {
            match unit {
                BraceUnit::Character('{') => depth += 1,
                BraceUnit::Character('}') => depth -= 1,
                BraceUnit::Character(',') if depth == 1 => commas.push(at),
                _ => {}
            }
            if depth == 0 {
                close = Some(at);
                break;
            }
        }
        let Some(close) = close else { continue };
        let inner: Vec<Vec<BraceUnit>> = if commas.is_empty() {
            match range(word.get(open + 1..close)?) {
                Some(items) => items,
                None => continue,
            }
        } else {
            let mut from = open + 1;
            commas.push(close);
            commas
                .iter()
                .filter_map(|to| Some(word.get(std::mem::replace(&mut from, to + 1)..*to)?.to_vec()))
                .collect()
        };
        let (before, after) = (word.get(..open)?, word.get(close + 1..)?);
        let whole = |item: Vec<BraceUnit>| [before, &item, after].concat();
        return Some(inner.into_iter().map(whole).collect());
    }
    None
}

/// Expands `1..5` or `a..e`; `None` if it is not an ascending range or has more than [`MAX_WORDS`]
/// values.
fn range(units: &[BraceUnit]) -> Option<Vec<Vec<BraceUnit>>> {
    let text: Option<String> = units
        .iter()
        .map(|unit| match unit {
            BraceUnit::Character(character) => Some(*character),
            BraceUnit::Part(_) => None,
        })
        .collect();
    let (from, to) = text.as_deref()?.split_once("..")?;
    let spelled = |text: String| text.chars().map(BraceUnit::Character).collect();
    if let (Ok(from), Ok(to)) = (from.parse::<i64>(), to.parse::<i64>()) {
        let many = usize::try_from(to.checked_sub(from)?).ok()?;
        return (many < MAX_WORDS).then(|| (from..=to).map(|number| spelled(number.to_string())).collect());
    }
    let mut ends = from.chars().chain(to.chars());
    match (ends.next(), ends.next(), ends.next()) {
        (Some(from), Some(to), None)
            if from.is_ascii_lowercase() && to.is_ascii_lowercase() && from <= to =>
        {
            Some((from..=to).map(|letter| vec![BraceUnit::Character(letter)]).collect())
        }
        _ => None,
    }
}
