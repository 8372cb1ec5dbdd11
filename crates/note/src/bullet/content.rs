//! The text of a rule: its allowed length, its normalization, and its hash.

use std::fmt;

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use sha2::{Digest as _, Sha256};

use super::BulletType;
use crate::note::check::RULE;
use crate::note::length::is_too_short;

pub use cm_text::shorten::fold_whitespace;

/// SHA-256 of a rule in lower case with its white space folded: equal for rules that differ only in
/// case and white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleHash([u8; 32]);

impl RuleHash {
    /// Hashes a rule after folding its case and white space.
    ///
    /// ```
    /// use cm_note::bullet::content::RuleHash;
    /// assert_eq!(RuleHash::of("Run  the tests\n"), RuleHash::of("run the TESTS"));
    /// ```
    pub fn of(content: &str) -> Self {
        Self(Sha256::digest(fold_whitespace(content).to_lowercase()).into())
    }

    /// Parses 64 hexadecimal digits, the form in a note's `content_hash`; `None` for any other
    /// text.
    pub fn parse(hex: &str) -> Option<Self> {
        HEXLOWER_PERMISSIVE.decode(hex.trim().as_bytes()).ok()?.try_into().ok().map(Self)
    }

    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for RuleHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", HEXLOWER.encode_display(&self.0))
    }
}

/// Reason why a text is rejected as a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRule {
    /// The text is shorter than 10 or longer than 500 characters.
    #[error("a rule must have {} to {} characters; this one has {length}", RULE.start(), RULE.end())]
    Length {
        /// Length of the text in characters.
        length: usize,
    },
    /// The text begins with a heading, which would end the rule in the note's body.
    #[error("a rule must be one statement without headings; put reasons below `## Why`")]
    Heading,
    /// The text contains control characters, which could steer a terminal.
    #[error("a rule cannot contain control characters")]
    Control,
}

/// Normalizes a rule for storage: folds its white space to single spaces.
///
/// # Errors
/// Returns [`InvalidRule`] if the text is too short or too long, begins with a heading or contains
/// control characters.
pub fn rule(text: &str) -> Result<String, InvalidRule> {
    let rule = fold_whitespace(text);
    if rule.chars().any(char::is_control) {
        return Err(InvalidRule::Control);
    }
    if rule.starts_with("# ") || rule.starts_with("## ") {
        return Err(InvalidRule::Heading);
    }
    match rule.chars().count() {
        length if is_too_short(&rule) || length > *RULE.end() => Err(InvalidRule::Length { length }),
        _ => Ok(rule),
    }
}

/// The text of a rule as agents read it: an anti-pattern without a warning word gets the prefix
/// `AVOID:`.
///
/// ```
/// use cm_note::bullet::{BulletType, content::agent_text};
/// assert_eq!(agent_text("Retrying at once", BulletType::AntiPattern), "AVOID: Retrying at once");
/// assert_eq!(agent_text("Never retry at once", BulletType::AntiPattern), "Never retry at once");
/// ```
pub fn agent_text(rule: &str, bullet_type: BulletType) -> String {
    const WARNING: [&str; 7] = ["avoid", "never", "don't", "do not", "no ", "not ", "stop "];
    let lower = rule.to_lowercase();
    let warns = WARNING.iter().any(|word| lower.starts_with(word));
    match bullet_type {
        BulletType::AntiPattern if !warns => format!("AVOID: {rule}"),
        _ => rule.to_owned(),
    }
}

/// Replaces the rule in a note's body; the text from its first heading on stays byte for byte.
///
/// ```
/// use cm_note::bullet::content::with_rule;
/// let new = with_rule("\nOld rule.\n\n## Why\n\nIt is.\n", "New rule.");
/// assert_eq!(new, "\nNew rule.\n\n## Why\n\nIt is.\n");
/// ```
pub fn with_rule(body: &str, rule: &str) -> String {
    let (old, _) = rule_and_why(body);
    match body.find(&old).filter(|_| !old.is_empty()) {
        Some(at) => format!("{}{rule}{}", &body[..at], &body[at + old.len()..]),
        None => format!("\n{rule}\n{body}"),
    }
}

/// Splits a body into its rule and the text below `## Why`. If the body has no text before its
/// first heading, everything up to `## Why` is the rule.
pub fn rule_and_why(body: &str) -> (String, Option<String>) {
    let mut why = None;
    let mut rule = String::new();
    let mut section = BulletSection::Rule;
    let mut fence = Fence::default();
    for line in body.split_inclusive('\n') {
        let fenced = fence.next_line(line);
        let heading = line.trim_start_matches('#');
        let level = line.len() - heading.len();
        if !fenced
            && (1..=6).contains(&level)
            && heading.starts_with([' ', '\n', '\r'])
            && !rule.trim().is_empty()
        {
            let is_why = heading.trim().trim_end_matches('#').trim().eq_ignore_ascii_case("why");
            section = if is_why { BulletSection::Why } else { BulletSection::Other };
            continue;
        }
        match section {
            BulletSection::Rule => rule.push_str(line),
            BulletSection::Why => why.get_or_insert_with(String::new).push_str(line),
            BulletSection::Other => {}
        }
    }
    let why = why.map(|why| why.trim().to_owned()).filter(|why| !why.is_empty());
    (rule.trim().to_owned(), why)
}

/// Escapes headings in reasons, so that they cannot end the `## Why` section.
///
/// ```
/// use cm_note::bullet::content::escape_headings;
/// assert_eq!(escape_headings("It broke:\n# twice \n"), "It broke:\n\\# twice");
/// ```
pub fn escape_headings(text: &str) -> String {
    let line = |line: &str| match line.trim_start().starts_with('#') {
        true => format!("\\{}", line.trim_start()),
        false => line.trim_end().to_owned(),
    };
    text.trim().lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Tracks fenced code blocks line by line.
#[derive(Default)]
struct Fence {
    /// Character and length of the fence that opened the current code block; `None` outside of
    /// blocks.
    open: Option<(char, usize)>,
}

impl Fence {
    /// Reads the next line; returns whether it belongs to a fenced code block, including the
    /// fences.
    fn next_line(&mut self, line: &str) -> bool {
        let line = line.trim();
        let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'));
        let run = mark.map_or(0, |mark| line.len() - line.trim_start_matches(mark).len());
        match self.open {
            Some((mark, least)) => {
                if run >= least && line.chars().all(|c| c == mark) {
                    self.open = None;
                }
                true
            }
            // What is between three backticks on one line is code in a text.
            None if run >= 3 && !(mark == Some('`') && line[run..].contains('`')) => {
                self.open = mark.map(|mark| (mark, run));
                true
            }
            None => false,
        }
    }
}

/// Section of a bullet's body: the rule before the first heading, the text below `## Why`, or
/// another.
enum BulletSection {
    Rule,
    Why,
    Other,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_hash_is_that_of_the_folded_rule_in_lower_case() {
        assert_eq!(
            RuleHash::of("Retry a failed gauge request at once, up to five times.").to_string(),
            "ec503206ed2da5ec71a2a75a28e374cec4039a4c8b1c00f4c8a72ec5910d1200"
        );
    }

    #[test]
    fn a_rule_is_ten_to_five_hundred_characters_of_one_statement() {
        assert_eq!(rule("  Run the\n tests  ").unwrap(), "Run the tests");
        assert_eq!(rule("Too short"), Err(InvalidRule::Length { length: 9 }));
        assert_eq!(rule("周五不部署").as_deref(), Ok("周五不部署"), "a wide character counts as two");
        assert_eq!(rule("周五休息"), Err(InvalidRule::Length { length: 4 }));
        assert_eq!(rule(&"x".repeat(501)), Err(InvalidRule::Length { length: 501 }));
        assert_eq!(rule("## Why not at all"), Err(InvalidRule::Heading));
        assert_eq!(rule("Bell \u{7} rings here"), Err(InvalidRule::Control));
    }

    #[test]
    fn the_reasons_are_no_part_of_the_rule() {
        let (rule, why) =
            rule_and_why("\nUse `retry`.\nAlways.\n\n## Why\n\nIt broke.\n\n## More\n\nText.\n");
        assert_eq!((rule.as_str(), why.as_deref()), ("Use `retry`.\nAlways.", Some("It broke.")));
        assert_eq!(rule_and_why("Only a rule"), ("Only a rule".to_owned(), None));
        assert_eq!(rule_and_why("# A title first\n\nA rule.").0, "# A title first\n\nA rule.");
    }

    #[test]
    fn a_heading_within_a_fence_is_code_and_code_in_a_line_is_no_fence() {
        let why = |body: &str| rule_and_why(body).1;
        let inline = "```cargo fmt``` before each commit.\n\n## Why\n\nIt is.\n";
        assert_eq!(
            rule_and_why(inline),
            ("```cargo fmt``` before each commit.".to_owned(), Some("It is.".to_owned()))
        );
        assert_eq!(with_rule(inline, "New rule."), "New rule.\n\n## Why\n\nIt is.\n");
        for (open, close) in [("```sh", "```"), ("~~~", "~~~~"), ("  ~~~ a`b", "~~~"), ("````", "````")] {
            let body = format!("Run it:\n\n{open}\n## Why\n```sh\n~~~x\n{close}\n\n## Why\n\nIt is.\n");
            assert_eq!(why(&body).as_deref(), Some("It is."), "{body}");
        }
    }

    proptest! {
        #[test]
        fn a_written_hash_is_read_back(text in ".{0,60}") {
            let hash = RuleHash::of(&text);
            prop_assert_eq!(RuleHash::parse(&hash.to_string()), Some(hash));
        }

        #[test]
        fn folding_twice_is_folding_once(text in "(.|\n){0,80}") {
            prop_assert_eq!(fold_whitespace(&fold_whitespace(&text)), fold_whitespace(&text));
        }
    }
}
