//! The ten categories that a playbook should cover, and which rules count toward them.
//!
//! Category names in a vault are free text. They are matched by words, like tags; if nothing
//! matches, the text of the rule decides.

use std::collections::BTreeSet;

use crate::content_words::words;
use cm_note::bullet::Bullet;
use cm_text::named_enum;

named_enum! {
    /// Subject of a rule.
    pub enum Category {
        /// Finding the cause of errors.
        Debugging = "debugging",
        /// Tests and how they are written.
        Testing = "testing",
        /// Structure of the code.
        Architecture = "architecture",
        /// Order of work, builds and releases.
        Workflow = "workflow",
        /// Documentation and comments.
        Documentation = "documentation",
        /// Other programs and services.
        Integration = "integration",
        /// Working with other people.
        Collaboration = "collaboration",
        /// Version control.
        Git = "git",
        /// Secrets, permissions and untrusted input.
        Security = "security",
        /// Speed and size.
        Performance = "performance",
    }
}

impl Category {
    /// Subjects that an agent should look for in sessions to find rules of this category.
    pub fn look_for(self) -> &'static str {
        match self {
            Self::Debugging => {
                "errors whose cause was hard to find: what was misleading and what revealed it"
            }
            Self::Testing => "how tests are run and written here, and what the user wanted tested",
            Self::Architecture => "which part may depend on which, and rejected designs",
            Self::Workflow => "repeated steps: build, format, release, order of work",
            Self::Documentation => "what must be documented, where, and in what style",
            Self::Integration => "requirements of other services and interfaces, and how they failed",
            Self::Collaboration => "expectations of reviewers and colleagues, and what to ask first",
            Self::Git => "rules for commits, branches and messages, and what is forbidden",
            Self::Security => "secrets, permissions and input: what must never happen",
            Self::Performance => "what was slow or large, how it was measured, and what helped",
        }
    }

    /// Words that identify the category in a bullet's category name or tags. A trailing `*` stands
    /// for any ending.
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Debugging => &[
                "debug*",
                "bug",
                "bugs",
                "bugfix*",
                "error",
                "errors",
                "troubleshoot*",
                "logging",
                "diagnos*",
                "crash*",
            ],
            Self::Testing => &["test", "tests", "testing", "qa", "tdd", "e2e", "fuzz*", "fixture*", "mock*"],
            Self::Architecture => &[
                "architect*",
                "design",
                "structure",
                "refactor*",
                "layer*",
                "module*",
                "pattern",
                "patterns",
                "schema",
            ],
            Self::Workflow => &[
                "workflow*",
                "process",
                "tooling",
                "build*",
                "ci",
                "cd",
                "release*",
                "deploy*",
                "automation",
                "devops",
                "setup",
            ],
            Self::Documentation => {
                &["document*", "docs", "doc", "readme", "comments", "changelog", "writing"]
            }
            Self::Integration => &[
                "integrat*",
                "api",
                "apis",
                "http",
                "rest",
                "graphql",
                "mcp",
                "webhook*",
                "database*",
                "sql",
                "dependenc*",
                "service",
                "services",
            ],
            Self::Collaboration => {
                &["collab*", "team*", "review*", "communicat*", "pr", "people", "onboarding"]
            }
            Self::Git => &["git", "github", "gitlab", "vcs", "commit*", "branch*", "merge*", "rebase"],
            Self::Security => {
                &["secur*", "auth*", "secret*", "privacy", "permission*", "vulnerab*", "incident*", "crypto*"]
            }
            Self::Performance => {
                &["perf*", "speed", "optimi*", "latency", "memory", "cach*", "profil*", "benchmark*", "scal*"]
            }
        }
    }

    /// Additional words that indicate the category in the text of a rule.
    fn text_words(self) -> &'static [&'static str] {
        match self {
            Self::Debugging => &[
                "traceback*",
                "stacktrace",
                "exception*",
                "panic*",
                "broken",
                "reproduc*",
                "segfault*",
                "wrong",
            ],
            Self::Testing => &["pytest", "jest", "vitest", "assert*", "coverage", "flaky", "snapshot*"],
            Self::Architecture => {
                &["abstraction*", "interface*", "decouple*", "component*", "separat*", "layout"]
            }
            Self::Workflow => {
                &["lint*", "format*", "makefile", "pipeline*", "script*", "install*", "version*"]
            }
            Self::Documentation => &["docstring*", "comment", "explain*", "guide*", "tutorial*"],
            Self::Integration => &[
                "endpoint*",
                "client*",
                "server*",
                "request*",
                "sdk",
                "docker*",
                "postgres*",
                "migration*",
                "migrations",
            ],
            Self::Collaboration => {
                &["colleague*", "reviewer*", "ticket*", "issue", "issues", "approve*", "stakeholder*"]
            }
            Self::Git => &["push", "pushed", "stash", "checkout", "diff", "history", "revert*"],
            Self::Security => {
                &["password*", "token*", "credential*", "inject*", "sanitiz*", "escap*", "encrypt*", "leak*"]
            }
            Self::Performance => {
                &["slow*", "fast*", "timeout*", "throughput", "bottleneck*", "memory", "cpu"]
            }
        }
    }

    /// Returns `true` if a lower-case word of a text indicates the category.
    pub(crate) fn matches_word(self, word: &str) -> bool {
        self.matches_name(word) || is_among(word, self.text_words())
    }

    fn matches_name(self, word: &str) -> bool {
        is_among(word, self.names())
    }
}

fn is_among(word: &str, patterns: &[&str]) -> bool {
    patterns.iter().any(|patterns| match patterns.strip_suffix('*') {
        Some(begin) => word.starts_with(begin),
        None => *patterns == word,
    })
}

/// Returns the categories of a bullet, found by its category name and tags. Without a match, the
/// category with the most words in the rule's text, at least two; otherwise empty.
pub fn of_bullet(bullet: &Bullet) -> BTreeSet<Category> {
    let labels: Vec<String> =
        std::iter::once(&bullet.category).chain(&bullet.tags).flat_map(|name| parts(name)).collect();
    let of_names: BTreeSet<Category> = Category::ALL
        .into_iter()
        .filter(|category| labels.iter().any(|part| category.matches_name(part)))
        .collect();
    if !of_names.is_empty() {
        return of_names;
    }
    let own: BTreeSet<String> = words(&bullet.fields.content).into_iter().collect();
    let count = |category: &Category| own.iter().filter(|word| category.matches_word(word)).count();
    // Of several with as many words, the first in order.
    let most = Category::ALL.into_iter().rev().max_by_key(count).filter(|category| count(category) >= 2);
    most.into_iter().collect()
}

/// Splits a name such as `code-review`, `ciTools` or `error_handling` into lower-case words.
fn parts(name: &str) -> Vec<String> {
    let mut spaced = String::new();
    let mut before = ' ';
    for c in name.chars() {
        if c.is_uppercase() && before.is_lowercase() {
            spaced.push(' ');
        }
        spaced.push(if c.is_alphanumeric() { c } else { ' ' });
        before = c;
    }
    spaced.split_whitespace().map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::super::test_bullets::bullet;
    use super::*;

    fn of(category: &str, tags: &[&str], content: &str) -> String {
        let mut bullet = bullet(category, content);
        bullet.tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        of_bullet(&bullet).iter().map(|category| category.name()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_bullet_counts_where_its_category_and_tags_say() {
        for (category, tags, expected) in [
            ("testing", &[] as &[&str], "testing"),
            ("code-review", &[], "collaboration"),
            ("ciTools", &["Git"], "workflow git"),
            ("error_handling", &["auth"], "debugging security"),
            ("incidents", &[], "security"),
            ("rust", &["performance"], "performance"),
            ("general", &["misc"], ""),
        ] {
            assert_eq!(of(category, tags, "Say nothing."), expected, "{category} {tags:?}");
        }
    }

    #[test]
    fn where_names_say_nothing_the_words_of_the_rule_decide_and_one_word_is_too_few() {
        assert_eq!(of("general", &[], "Assert what a flaky test saw."), "testing");
        assert_eq!(of("general", &[], "Commit every evening."), "");
        assert_eq!(of("testing", &[], "Push the branch, then revert the commit."), "testing");
        assert_eq!(
            of("general", &[], "Debug the crash, and pytest asserts it."),
            "debugging",
            "the first of two"
        );
    }
}
