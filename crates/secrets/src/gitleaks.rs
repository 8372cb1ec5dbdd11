//! Secret rules in the gitleaks format: a TOML file of regular expressions with keywords, entropy
//! and allowlists. They are added to the built-in rules.
//!
//! Paths of rules are ignored, and allowlist conditions on paths or commits never hold, because
//! only a text is scanned. A file cannot extend other files.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use aho_corasick::AhoCorasick;
use regex::bytes::{Captures, Regex, RegexBuilder};
use serde::Deserialize;
use thiserror::Error;

use super::placeholder;

/// Maximum compiled size of one regular expression, in bytes.
const MAX_COMPILED_BYTES: usize = 10 << 20;
/// Maximum number of rules in a file.
const MAX_RULES: usize = 5_000;

/// Reason why a rule file is rejected.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RuleError {
    /// The file is not TOML, or does not have the structure of a rule file.
    #[error("it is not a valid rule file: {reason}")]
    Form {
        /// Description of the problem.
        reason: String,
        /// Line number, from 1, if known.
        line: Option<u32>,
    },
    /// The file has too many rules.
    #[error("it has more than {MAX_RULES} rules")]
    TooMany,
    /// A rule has no id.
    #[error("its rule {number} has no ID")]
    NoId {
        /// Number of the rule, from 1.
        number: usize,
    },
    /// A pattern is not a valid regular expression.
    #[error(
        "the rule `{rule}` has an invalid regular expression in `{pattern}`, at character {at}: {reason}"
    )]
    Syntax {
        /// Id of the rule, or `allowlist`.
        rule: String,
        /// The pattern, of the rule or of one of its allowlists.
        pattern: String,
        /// Position of the error in the pattern, in characters from 1.
        at: usize,
        /// Description of the problem.
        reason: String,
    },
    /// The compiled pattern exceeds the size limit.
    #[error("a pattern of the rule `{rule}` is too large; use smaller repetitions")]
    TooLarge {
        /// Id of the rule.
        rule: String,
    },
    /// The rule refers to a capture group that its pattern does not have.
    #[error("the rule `{rule}` uses group {group}, but its pattern has {groups}")]
    NoGroup {
        /// Id of the rule.
        rule: String,
        /// Number of the missing group.
        group: usize,
        /// Number of groups in the pattern.
        groups: usize,
    },
}

#[derive(Deserialize)]
struct WireFile {
    #[serde(default)]
    rules: Vec<WireRule>,
    allowlist: Option<WireAllow>,
    #[serde(default)]
    allowlists: Vec<WireAllow>,
}

#[derive(Deserialize)]
struct WireRule {
    #[serde(default)]
    id: String,
    regex: Option<String>,
    #[serde(default, rename = "secretGroup", alias = "secret_group")]
    secret_group: usize,
    #[serde(default)]
    keywords: Vec<String>,
    entropy: Option<f64>,
    allowlist: Option<WireAllow>,
    #[serde(default)]
    allowlists: Vec<WireAllow>,
}

#[derive(Deserialize)]
struct WireAllow {
    #[serde(default)]
    regexes: Vec<String>,
    #[serde(default)]
    stopwords: Vec<String>,
    #[serde(default)]
    paths: Vec<String>,
    #[serde(default)]
    commits: Vec<String>,
    #[serde(default, rename = "regexTarget", alias = "regex_target")]
    regex_target: String,
    #[serde(default)]
    condition: String,
    #[serde(default, rename = "targetRules", alias = "target_rules")]
    target_rules: Vec<String>,
}

/// The compiled rules of one file.
#[derive(Debug, Clone)]
pub(super) struct GitleaksRules(Arc<CompiledRules>);

#[derive(Debug)]
struct CompiledRules {
    rules: Vec<GitleaksRule>,
    /// Keywords of all rules, matched ignoring ASCII case.
    keywords: Option<AhoCorasick>,
    /// Indexes of the rules for each keyword.
    of_keyword: Vec<Vec<usize>>,
    /// Indexes of the rules that always run.
    without: Vec<usize>,
}

#[derive(Debug)]
struct GitleaksRule {
    label: String,
    regex: Regex,
    group: usize,
    entropy: Option<f64>,
    allowed: Vec<Arc<Allowlist>>,
}

/// An allowlist: matches that are not secrets.
#[derive(Debug)]
struct Allowlist {
    regexes: Vec<Regex>,
    /// Stop words in lower case.
    stopwords: Vec<String>,
    target: AllowTarget,
    /// Whether all conditions must hold, rather than any.
    all: bool,
    /// Whether the allowlist has conditions on paths or commits, which never hold for a text.
    has_path_conditions: bool,
}

#[derive(Debug, Clone, Copy)]
enum AllowTarget {
    Secret,
    Match,
    Line,
}

impl GitleaksRules {
    /// Parses a rule file. Ignores rules without a regular expression, which only match paths.
    pub(super) fn parse(text: &str) -> Result<Self, RuleError> {
        let file: WireFile = toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| 1 + text[..span.start].matches('\n').count());
            let reason = error.message().lines().next().unwrap_or("invalid TOML").to_owned();
            RuleError::Form { reason, line: line.and_then(|line| u32::try_from(line).ok()) }
        })?;
        if file.rules.len() > MAX_RULES {
            return Err(RuleError::TooMany);
        }
        let mut general = Vec::new();
        for allow in file.allowlist.iter().chain(&file.allowlists) {
            general.push((&allow.target_rules, Arc::new(Allowlist::read("allowlist", allow)?)));
        }
        let mut set =
            CompiledRules { rules: Vec::new(), keywords: None, of_keyword: Vec::new(), without: Vec::new() };
        let mut numbers: HashMap<String, usize> = HashMap::new();
        let mut words: Vec<String> = Vec::new();
        for (wire, number) in file.rules.iter().zip(1..) {
            if wire.id.trim().is_empty() {
                return Err(RuleError::NoId { number });
            }
            let Some(pattern) = wire.regex.as_deref().filter(|pattern| !pattern.is_empty()) else { continue };
            let mut rule = GitleaksRule::read(wire, pattern)?;
            let applies_to_rule = |of: &&Vec<String>| of.is_empty() || of.contains(&wire.id);
            rule.allowed.extend(
                general.iter().filter(|(of, _)| applies_to_rule(of)).map(|(_, allow)| Arc::clone(allow)),
            );
            let index = set.rules.len();
            set.rules.push(rule);
            let keywords: BTreeSet<String> = wire
                .keywords
                .iter()
                .map(|word| word.to_lowercase())
                .filter(|word| !word.is_empty())
                .collect();
            // The automaton folds ASCII alone; any other word would be looked for in vain.
            if keywords.is_empty() || !keywords.iter().all(|word| word.is_ascii()) {
                set.without.push(index);
                continue;
            }
            for word in keywords {
                let number = *numbers.entry(word.clone()).or_insert_with(|| {
                    words.push(word);
                    words.len() - 1
                });
                set.of_keyword.resize(words.len(), Vec::new());
                set.of_keyword[number].push(index);
            }
        }
        let automaton = AhoCorasick::builder().ascii_case_insensitive(true).build(&words);
        set.keywords =
            Some(automaton.map_err(|error| RuleError::Form { reason: error.to_string(), line: None })?);
        Ok(Self(Arc::new(set)))
    }

    pub(super) fn len(&self) -> usize {
        self.0.rules.len()
    }

    /// Returns the byte ranges that the rules match, with their labels.
    pub(super) fn found<'r>(&'r self, text: &str) -> Vec<(Range<usize>, &'r str)> {
        let set = &*self.0;
        let mut called: BTreeSet<usize> = set.without.iter().copied().collect();
        if let Some(keywords) = &set.keywords {
            for hit in keywords.find_overlapping_iter(text) {
                called.extend(&set.of_keyword[hit.pattern().as_usize()]);
            }
        }
        let rules = called.into_iter().map(|index| &set.rules[index]);
        rules
            .flat_map(|rule| rule.found(text).into_iter().map(|range| (range, rule.label.as_str())))
            .collect()
    }
}

impl GitleaksRule {
    fn read(wire: &WireRule, pattern: &str) -> Result<Self, RuleError> {
        let regex = expression(&wire.id, pattern)?;
        let groups = regex.captures_len() - 1;
        if wire.secret_group > groups {
            return Err(RuleError::NoGroup { rule: wire.id.clone(), group: wire.secret_group, groups });
        }
        let allowed = wire.allowlist.iter().chain(&wire.allowlists);
        let allowed = allowed.map(|allow| Allowlist::read(&wire.id, allow).map(Arc::new));
        Ok(Self {
            label: label(&wire.id),
            regex,
            group: wire.secret_group,
            entropy: wire.entropy,
            allowed: allowed.collect::<Result<_, _>>()?,
        })
    }

    fn found(&self, text: &str) -> Vec<Range<usize>> {
        let secret = |captures: Captures<'_>| {
            let whole = in_characters(text, captures.get(0)?.range());
            // Where no group is named, the first one that holds something is the secret, and without groups the whole.
            let secret = match self.group {
                0 => captures.iter().skip(1).flatten().find(|group| !group.is_empty()),
                group => Some(captures.get(group)?),
            };
            let secret = secret.map_or_else(|| whole.clone(), |group| in_characters(text, group.range()));
            let random = self.entropy.is_none_or(|least| entropy(&text[secret.clone()]) > least);
            let allowed = self.allowed.iter().any(|allow| allow.allows(text, &whole, &secret));
            (!secret.is_empty() && random && !allowed).then_some(secret)
        };
        self.regex.captures_iter(text.as_bytes()).filter_map(secret).collect()
    }
}

impl Allowlist {
    fn read(rule: &str, wire: &WireAllow) -> Result<Self, RuleError> {
        let regexes = wire.regexes.iter().map(|pattern| expression(rule, pattern));
        Ok(Self {
            regexes: regexes.collect::<Result<_, _>>()?,
            stopwords: wire.stopwords.iter().map(|word| word.to_lowercase()).collect(),
            target: match wire.regex_target.as_str() {
                "match" => AllowTarget::Match,
                "line" => AllowTarget::Line,
                _ => AllowTarget::Secret,
            },
            all: wire.condition.eq_ignore_ascii_case("and") || wire.condition == "&&",
            has_path_conditions: !wire.paths.is_empty() || !wire.commits.is_empty(),
        })
    }

    fn allows(&self, text: &str, whole: &Range<usize>, secret: &Range<usize>) -> bool {
        let target = match self.target {
            AllowTarget::Secret => &text[secret.clone()],
            AllowTarget::Match => &text[whole.clone()],
            AllowTarget::Line => line_around(text, whole),
        };
        let by_regex = || self.regexes.iter().any(|regex| regex.is_match(target.as_bytes()));
        let by_word = || {
            let secret = text[secret.clone()].to_lowercase();
            self.stopwords.iter().any(|word| secret.contains(word.as_str()))
        };
        if !self.all {
            return by_regex() || by_word();
        }
        let says = !self.regexes.is_empty() || !self.stopwords.is_empty();
        says && !self.has_path_conditions
            && (self.regexes.is_empty() || by_regex())
            && (self.stopwords.is_empty() || by_word())
    }
}

/// Returns the lines that contain a match.
fn line_around<'t>(text: &'t str, range: &Range<usize>) -> &'t str {
    let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[range.end..].find('\n').map_or(text.len(), |at| range.end + at);
    &text[start..end]
}

/// Extends a byte range to character boundaries, because the expressions match bytes.
fn in_characters(text: &str, range: Range<usize>) -> Range<usize> {
    text.floor_char_boundary(range.start)..text.ceil_char_boundary(range.end)
}

/// Compiles an expression with gitleaks semantics: `\w`, `\d` and `\b` are ASCII. Falls back to
/// Unicode if the pattern requires it.
fn expression(rule: &str, pattern: &str) -> Result<Regex, RuleError> {
    let build = |unicode| RegexBuilder::new(pattern).unicode(unicode).size_limit(MAX_COMPILED_BYTES).build();
    build(false).or_else(|_| build(true)).map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => RuleError::TooLarge { rule: rule.to_owned() },
        error => {
            let (at, reason) = super::rules::place(&error.to_string());
            RuleError::Syntax { rule: rule.to_owned(), pattern: pattern.to_owned(), at, reason }
        }
    })
}

/// Converts a rule id to a placeholder label: lower case, with `-` for characters that a label
/// cannot have.
fn label(id: &str) -> String {
    let one = |c: char| {
        let good = u8::try_from(c).is_ok_and(placeholder::is_label_byte);
        if good { c.to_ascii_lowercase() } else { '-' }
    };
    id.trim().chars().map(one).collect()
}

/// Shannon entropy in bits per character.
fn entropy(text: &str) -> f64 {
    let mut counts: HashMap<char, usize> = HashMap::new();
    text.chars().for_each(|c| *counts.entry(c).or_default() += 1);
    let all = text.chars().count() as f64;
    counts.values().map(|count| *count as f64 / all).map(|share| -share * share.log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
title = "ours"
[[rules]]
id = "Badge_Number"
description = "A badge"
regex = '''(?i)badge\s+(?:no )?([a-z]{2}-[0-9]{6})'''
keywords = ["badge"]
[[rules]]
id = "door-code"
regex = '''door\s*=\s*"([^"]+)" (\w+)'''
secretGroup = 1
entropy = 2.0
[rules.allowlist]
stopwords = ["Sample"]
[[rules.allowlists]]
regexTarget = "line"
regexes = ['''# not real''']
[[rules]]
id = "by-path"
path = '''\.p12$'''
[[allowlists]]
targetRules = ["Badge_Number"]
regexes = ['''^XX-''']
[[allowlists]]
condition = "AND"
paths = ['''vendor/''']
regexes = ['''.*''']
"#;

    fn found(text: &str) -> Vec<(String, String)> {
        let rules = GitleaksRules::parse(FILE).unwrap();
        assert_eq!(rules.len(), 2, "one looks at paths alone");
        let found = rules.found(text).into_iter();
        found.map(|(range, label)| (label.to_owned(), text[range].to_owned())).collect()
    }

    #[test]
    fn a_rule_finds_its_group_and_says_its_id() {
        assert_eq!(found("My BADGE no AB-123456."), [("badge-number".to_owned(), "AB-123456".to_owned())]);
        assert_eq!(found("door = \"k9x2m4\" ok"), [("door-code".to_owned(), "k9x2m4".to_owned())]);
    }

    #[test]
    fn allowlists_entropy_and_keywords_let_things_be() {
        for text in [
            "badge XX-123456",
            "door = \"aaaaaa\" low",
            "door = \"sampleX9\" stop",
            "door = \"k9x2m4\" ok # not real",
            "AB-123456 without its word",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn what_cannot_be_used_is_refused_by_the_name_of_its_rule() {
        let wrong = |text: &str| GitleaksRules::parse(text).unwrap_err();
        let rule = |rest: &str| format!("[[rules]]\nid = \"r1\"\n{rest}\n");
        let Err(RuleError::Form { line, .. }) = GitleaksRules::parse("a = 1\n[[rules") else {
            panic!("no TOML")
        };
        assert_eq!(line, Some(2));
        assert!(matches!(wrong("[[rules]]\nregex = 'a'"), RuleError::NoId { number: 1 }));
        let syntax = wrong(&rule("regex = 'ab(c'"));
        assert!(
            syntax
                .to_string()
                .starts_with("the rule `r1` has an invalid regular expression in `ab(c`, at character 3"),
            "{syntax}"
        );
        assert_eq!(
            wrong(&rule("regex = '((a{1000}){1000}){100}'")),
            RuleError::TooLarge { rule: "r1".into() }
        );
        let group = RuleError::NoGroup { rule: "r1".into(), group: 2, groups: 1 };
        assert_eq!(wrong(&rule("regex = '(a)'\nsecretGroup = 2")), group);
        let allow = wrong(&rule("regex = 'a'\n[rules.allowlist]\nregexes = ['(']"));
        assert!(matches!(allow, RuleError::Syntax { .. }), "{allow}");
    }

    #[test]
    fn words_are_ascii_and_no_character_is_cut_in_two() {
        let file = |pattern: &str| {
            GitleaksRules::parse(&format!("[[rules]]\nid = 'r'\nregex = '{pattern}'\n")).unwrap()
        };
        let first = |pattern: &str, text: &str| {
            let file = file(pattern);
            let found = file.found(text).into_iter().next();
            found.map(|(range, _)| text[range].to_owned())
        };
        assert_eq!(first(r"k=\w+", "k=abcé"), Some("k=abc".into()));
        assert_eq!(first("k=.", "k=é!"), Some("k=é".into()));
        assert_eq!(first("[éü]+x", "aéüx"), Some("éüx".into()));
        // A long repetition of word characters is no large program.
        assert_eq!(file(r"x[\w-]{50,1000}").len(), 1);
    }

    #[test]
    fn entropy_is_reported_in_bits() {
        assert_eq!(entropy("aaaa"), 0.0);
        assert!((entropy("abcd") - 2.0).abs() < 1e-9);
        assert_eq!(entropy(""), 0.0);
    }
}
