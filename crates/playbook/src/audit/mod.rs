//! Checks whether a workspace follows a rule, by the `verify` block of its bullet.
//!
//! Callers pass paths and texts one file at a time; only a few violations are stored.

mod glob;

use regex::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::Serialize;

use cm_note::bullet::{Verify, VerifyKind, VerifyMode};
use cm_note::path::NotePath;

/// Maximum number of violations that are listed per rule; the others are only counted.
pub const MAX_PLACES: usize = 50;
/// Maximum length of the source line shown with a violation, in characters.
const MAX_LINE_CHARS: usize = 200;
/// Maximum size of a compiled regular expression, in bytes.
const MAX_COMPILED_BYTES: usize = 1 << 20;

/// Location of a violation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ViolationPlace {
    /// Path of the file, relative to the workspace; for a session, its log.
    pub path: String,
    /// ID of the session, if the violation is in a session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Line number from 1; null if the whole file is meant.
    pub line: Option<u32>,
    /// Text of the line, truncated if long.
    pub text: Option<String>,
}

/// An invalid `pattern` of a `verify` block.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPattern {
    /// The regular expression is invalid.
    #[error("the pattern is not a valid regular expression: {0}")]
    Expression(String),
    /// The compiled expression would be too large.
    #[error("the pattern needs more than {} KiB of memory", MAX_COMPILED_BYTES >> 10)]
    TooLarge,
    /// The path is absolute or contains `..`, so it could point outside the workspace.
    #[error("the pattern is not a path inside the workspace: it must be relative and without `..`")]
    Outside,
    /// The session query contains no word to search for.
    #[error("the pattern is not a valid query: it contains no words")]
    Wordless,
}

/// Result of checking whether a workspace follows a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuditVerdict {
    /// The rule is followed.
    Kept,
    /// The rule is violated. `places` is empty if the violation is that a required file or text is
    /// missing.
    Violated {
        /// The first violations, at most [`MAX_PLACES`].
        places: Vec<ViolationPlace>,
        /// Total number of violations.
        count: usize,
    },
    /// The rule could not be checked, for the given reason.
    Unchecked(&'static str),
}

/// Checks one rule by its `verify` block, fed with paths, file texts and session hits one by one.
#[derive(Debug)]
pub struct RuleCheck {
    mode: VerifyMode,
    how: CheckMethod,
    places: Vec<ViolationPlace>,
    count: usize,
    /// Whether [`see_sessions`](RuleCheck::see_sessions) has delivered the session search's result.
    searched: bool,
}

#[derive(Debug)]
enum CheckMethod {
    /// Searches every line of every file for the expression.
    Text(Regex),
    /// Looks for one file with exactly this path.
    Path(String),
    /// Looks for files whose path matches the expression.
    Paths(Regex),
    /// Searches past sessions with this query.
    Sessions(String),
}

impl RuleCheck {
    /// Prepares the check that a `verify` block describes.
    ///
    /// # Errors
    /// The pattern is invalid.
    pub fn of(verify: &Verify) -> Result<Self, InvalidPattern> {
        let pattern = verify.pattern.as_str();
        let how = match verify.kind {
            VerifyKind::Regex => CheckMethod::Text(expression(pattern)?),
            VerifyKind::FileExists => {
                let path = NotePath::parse(pattern.trim()).map_err(|_| InvalidPattern::Outside)?;
                match glob::expression(path.as_str()) {
                    None => CheckMethod::Path(path.into()),
                    Some(glob) => CheckMethod::Paths(expression(&glob)?),
                }
            }
            VerifyKind::Query if !pattern.chars().any(char::is_alphanumeric) => {
                return Err(InvalidPattern::Wordless);
            }
            VerifyKind::Query => CheckMethod::Sessions(pattern.trim().to_owned()),
        };
        Ok(Self { mode: verify.mode, how, places: Vec::new(), count: 0, searched: false })
    }

    /// Whether the caller must still pass the paths of the workspace's files to `see_path`.
    pub fn wants_paths(&self) -> bool {
        matches!(self.how, CheckMethod::Paths(_)) && !self.settled()
    }

    /// Whether the caller must still pass the texts of the workspace's files to `see_text`.
    pub fn wants_text(&self) -> bool {
        matches!(self.how, CheckMethod::Text(_)) && !self.settled()
    }

    /// The single file that the check looks for; the caller must look for it even if the workspace
    /// does not list it.
    pub fn wants_file(&self) -> Option<&str> {
        match &self.how {
            CheckMethod::Path(path) => Some(path),
            _ => None,
        }
    }

    /// Whether the verdict can no longer change, because one match was enough.
    fn settled(&self) -> bool {
        self.mode == VerifyMode::Exists && self.count > 0
    }

    /// Checks the path of a file that exists in the workspace.
    pub fn see_path(&mut self, path: &str) {
        let fits = match &self.how {
            CheckMethod::Paths(glob) => glob.is_match(path),
            CheckMethod::Path(exact_path) => exact_path == path,
            CheckMethod::Text(_) | CheckMethod::Sessions(_) => false,
        };
        if fits {
            self.count += 1;
            if self.places.len() < MAX_PLACES {
                self.places.push(ViolationPlace {
                    path: path.to_owned(),
                    session: None,
                    line: None,
                    text: None,
                });
            }
        }
    }

    /// Checks the text of a file; a line with several matches is one violation.
    pub fn see_text(&mut self, path: &str, text: &str) {
        let Self { how: CheckMethod::Text(regex), mode, places, count, .. } = self else { return };
        let mut lines = AuditLineCounter { text, at: 0, number: 1 };
        let mut last = 0;
        for found in regex.find_iter(text) {
            let number = lines.number_at(found.start());
            if number == last {
                continue;
            }
            last = number;
            *count += 1;
            if places.len() < MAX_PLACES {
                let text = Some(line_at(text, found.start()));
                places.push(ViolationPlace {
                    path: path.to_owned(),
                    session: None,
                    line: Some(number),
                    text,
                });
            }
            if *mode == VerifyMode::Exists {
                return;
            }
        }
    }

    /// The query that the caller must run on past sessions; `None` if the check does not need
    /// sessions.
    pub fn wants_sessions(&self) -> Option<&str> {
        match &self.how {
            CheckMethod::Sessions(query) => Some(query),
            _ => None,
        }
    }

    /// Records the result of the session search: the first matches, one per session, and the total
    /// number of matching sessions.
    pub fn see_sessions(&mut self, places: Vec<ViolationPlace>, count: usize) {
        self.searched = true;
        self.count = count;
        self.places = places;
        self.places.truncate(MAX_PLACES);
    }

    pub fn verdict(self) -> AuditVerdict {
        match (&self.how, self.mode, self.count) {
            (CheckMethod::Sessions(_), ..) if !self.searched => AuditVerdict::Unchecked(
                "no sessions are indexed for the query; run `cm sessions` to read them",
            ),
            (_, VerifyMode::Exists, 0) => AuditVerdict::Violated { places: Vec::new(), count: 1 },
            (_, VerifyMode::Exists, _) | (_, VerifyMode::Absent, 0) => AuditVerdict::Kept,
            (_, VerifyMode::Absent, count) => AuditVerdict::Violated { places: self.places, count },
        }
    }
}

/// Compiles a multi-line regular expression of at most [`MAX_COMPILED_BYTES`] bytes.
fn expression(pattern: &str) -> Result<Regex, InvalidPattern> {
    let built = RegexBuilder::new(pattern)
        .multi_line(true)
        .size_limit(MAX_COMPILED_BYTES)
        .dfa_size_limit(MAX_COMPILED_BYTES)
        .build();
    built.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => InvalidPattern::TooLarge,
        // The last line says what is wrong; those before it draw where.
        other => {
            let message = other.to_string();
            let last = message.lines().last().unwrap_or_default().trim();
            InvalidPattern::Expression(last.trim_start_matches("error: ").to_owned())
        }
    })
}

/// Converts ascending byte offsets of a text to line numbers in one pass.
struct AuditLineCounter<'t> {
    text: &'t str,
    at: usize,
    number: u32,
}

impl AuditLineCounter<'_> {
    /// Returns the line number of a byte offset, from 1; offsets must not decrease between calls.
    fn number_at(&mut self, offset: usize) -> u32 {
        let breaks = self.text.as_bytes()[self.at..offset].iter().filter(|byte| **byte == b'\n').count();
        self.number = self.number.saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX));
        self.at = offset;
        self.number
    }
}

fn line_at(text: &str, offset: usize) -> String {
    let begin = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let line = text[begin..].lines().next().unwrap_or_default().trim();
    match line.char_indices().nth(MAX_LINE_CHARS) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(kind: VerifyKind, pattern: &str, mode: VerifyMode) -> RuleCheck {
        RuleCheck::of(&Verify { kind, pattern: pattern.to_owned(), mode }).unwrap()
    }

    fn places(verdict: AuditVerdict) -> Vec<(Option<u32>, Option<String>)> {
        match verdict {
            AuditVerdict::Violated { places, .. } => {
                places.into_iter().map(|place| (place.line, place.text)).collect()
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_must_be_absent_is_listed_line_by_line() {
        let mut check = check(VerifyKind::Regex, r"^\s*dbg!|todo", VerifyMode::Absent);
        check.see_text("a.rs", "fn a() {\n    dbg!(1); todo();\r\n}\ntodo");
        let found = places(check.verdict());
        assert_eq!(
            found,
            [(Some(2), Some("dbg!(1); todo();".to_owned())), (Some(4), Some("todo".to_owned()))]
        );
    }

    #[test]
    fn what_must_exist_is_sought_until_it_is_found() {
        let mut looking = check(VerifyKind::Regex, "deny\\(warnings\\)", VerifyMode::Exists);
        looking.see_text("a.rs", "nothing");
        assert!(looking.wants_text());
        looking.see_text("b.rs", "#![deny(warnings)]");
        assert!(!looking.wants_text());
        assert_eq!(looking.verdict(), AuditVerdict::Kept);
        let missing = check(VerifyKind::Regex, "x", VerifyMode::Exists).verdict();
        assert_eq!(missing, AuditVerdict::Violated { places: Vec::new(), count: 1 });
    }

    #[test]
    fn places_are_bounded_and_all_of_them_counted() {
        let mut check = check(VerifyKind::Regex, "x", VerifyMode::Absent);
        check.see_text("a", &"x\n".repeat(70));
        let AuditVerdict::Violated { places, count } = check.verdict() else { panic!("it is violated") };
        assert_eq!((places.len(), count), (MAX_PLACES, 70));
    }

    #[test]
    fn paths_are_looked_for_by_name_or_by_glob_and_never_outside() {
        let mut one = check(VerifyKind::FileExists, "./LICENSE", VerifyMode::Exists);
        assert_eq!(one.wants_file(), Some("LICENSE"));
        one.see_path("LICENSE");
        assert_eq!(one.verdict(), AuditVerdict::Kept);
        let mut keys = check(VerifyKind::FileExists, "**/*.pem", VerifyMode::Absent);
        ["a.pem", "deep/in/b.pem", "c.pem.txt"].iter().for_each(|path| keys.see_path(path));
        assert_eq!(places(keys.verdict()).len(), 2);
        for pattern in ["/etc/passwd", "../secret", "a/../../b", ""] {
            let verify = Verify {
                kind: VerifyKind::FileExists,
                pattern: pattern.to_owned(),
                mode: VerifyMode::Exists,
            };
            assert_eq!(RuleCheck::of(&verify).unwrap_err(), InvalidPattern::Outside, "{pattern}");
        }
    }

    #[test]
    fn a_bad_pattern_says_what_is_wrong_with_it() {
        let of = |pattern: &str| {
            RuleCheck::of(&Verify {
                kind: VerifyKind::Regex,
                pattern: pattern.to_owned(),
                mode: VerifyMode::Absent,
            })
            .unwrap_err()
            .to_string()
        };
        assert_eq!(of("(open"), "the pattern is not a valid regular expression: unclosed group");
        assert_eq!(of("(\\w{500}){500}"), "the pattern needs more than 1024 KiB of memory");
    }

    #[test]
    fn a_query_is_judged_by_what_sessions_answer_and_unchecked_where_none_can() {
        let verdict = check(VerifyKind::Query, "anything", VerifyMode::Absent).verdict();
        assert!(matches!(verdict, AuditVerdict::Unchecked(_)));
        let answered = |mode, count: usize| {
            let mut check = check(VerifyKind::Query, " anything ", mode);
            assert_eq!(check.wants_sessions(), Some("anything"));
            let place = ViolationPlace {
                path: "a.jsonl".into(),
                session: Some("s".into()),
                line: Some(3),
                text: None,
            };
            check.see_sessions(vec![place; count], count);
            check.verdict()
        };
        assert_eq!(answered(VerifyMode::Absent, 0), AuditVerdict::Kept);
        assert_eq!(answered(VerifyMode::Exists, 1), AuditVerdict::Kept);
        assert_eq!(answered(VerifyMode::Exists, 0), AuditVerdict::Violated { places: Vec::new(), count: 1 });
        let AuditVerdict::Violated { places, count } = answered(VerifyMode::Absent, 60) else {
            panic!("violated")
        };
        assert_eq!((places.len(), count), (MAX_PLACES, 60));
        let wordless = Verify { kind: VerifyKind::Query, pattern: " -- ".into(), mode: VerifyMode::Absent };
        assert_eq!(RuleCheck::of(&wordless).unwrap_err(), InvalidPattern::Wordless);
    }

    proptest! {
        #[test]
        fn any_pattern_over_any_text_is_judged_without_a_panic(
            pattern in ".{0,12}", text in "(.|\n){0,80}", exists in any::<bool>(),
        ) {
            for kind in VerifyKind::ALL {
                let mode = if exists { VerifyMode::Exists } else { VerifyMode::Absent };
                if let Ok(mut check) = RuleCheck::of(&Verify { kind, pattern: pattern.clone(), mode }) {
                    check.see_path("a/b.rs");
                    check.see_text("a/b.rs", &text);
                    if let AuditVerdict::Violated { places, count } = check.verdict() {
                        prop_assert!(places.len() <= count);
                        let lines = text.split('\n').count();
                        prop_assert!(places.iter().all(|place| place.line.is_none_or(|n| n as usize <= lines)));
                    }
                }
            }
        }
    }
}
