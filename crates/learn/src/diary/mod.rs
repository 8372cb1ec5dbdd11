//! The diary of a session: accomplishments, decisions, challenges, preferences and learnings.
//!
//! It is extracted from the log by patterns, without a model. Each item refers to a line of the
//! log. Uncertain statements are left out, so a diary may be empty.

mod agent_statements;
mod changed_files;
pub mod extract;
mod failures;
mod format;
mod keywords;
pub mod note;
pub mod read;
pub mod update;
mod user_statements;

pub use extract::{extract, extract_with, id};
pub(crate) use user_statements::is_standing;
pub use user_statements::{Utterance, UtteranceKind, utterances};

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content_words::{content_words, words};
use crate::outcome::OutcomeVerdict;
use crate::prose::cut;
use cm_note::bullet::marker::markers;
use cm_note::instant::Instant;
use cm_note::markdown::escape::visible;
use cm_session::status::SessionStatus;
use cm_text::similarity::overlap;

/// Maximum length of a diary item, in characters.
pub const MAX_ITEM_CHARS: usize = 220;
/// Maximum number of items in a section of a diary.
pub(crate) const MAX_SECTION_ITEMS: usize = 15;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Diary {
    /// Hash of the session log's path and content, see [`id`].
    pub id: String,
    /// Id of the summarized session.
    pub session: String,
    /// Name of the session's coding agent.
    pub agent: String,
    /// Working directory of the session.
    pub workspace: Option<String>,
    pub started: Option<Instant>,
    /// Duration of the session in seconds, if the log has timestamps.
    pub duration_s: Option<u64>,
    pub title: String,
    /// Outcome derived from the log, with its evidence.
    pub verdict: OutcomeVerdict,
    /// Outcome recorded by a person or agent; overrides the outcome from the log.
    pub recorded_outcome: Option<RecordedOutcome>,
    /// Completed work.
    pub accomplishments: Vec<DiaryItem>,
    /// Decisions of the user and the agent.
    pub decisions: Vec<DiaryItem>,
    /// Failures and their solutions.
    pub challenges: Vec<DiaryItem>,
    /// Wishes of the user that stay valid after the task.
    pub preferences: Vec<DiaryItem>,
    /// Facts that were learned.
    pub learnings: Vec<DiaryItem>,
    pub files: Vec<DiaryItem>,
    /// Commands that were run, as program and subcommand such as `cargo build`.
    pub commands: Vec<DiaryItem>,
    /// Tags without `#`.
    pub tags: Vec<String>,
    /// Keywords that help to find the session, such as error codes and identifiers.
    pub anchors: Vec<String>,
    /// Sessions about similar subjects, determined by the caller.
    pub related: Vec<RelatedSessionRef>,
    pub origin: DiaryOrigin,
}

/// One statement in a section of a diary, with its source line.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DiaryItem {
    /// Text on one line, at most [`MAX_ITEM_CHARS`] characters.
    pub text: String,
    /// Line of the log, from 1; 0 for items that a person added to the note.
    pub line: u64,
    pub voice: StatementAuthor,
    /// Whether the statement stays valid after the task, as "always", "never" or "I prefer" show.
    pub standing: bool,
}

/// Author of a diary item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StatementAuthor {
    /// The user of the session.
    Person,
    /// The user of a session that another person sent; such items are only proposed, never treated
    /// as the vault owner's own statements.
    Sender,
    /// The agent of the session.
    Agent,
    /// cm, derived from the log.
    Log,
}

impl StatementAuthor {
    /// Returns `true` if a user of the session made the statement, the vault's owner or a sender.
    pub fn is_persons(self) -> bool {
        matches!(self, Self::Person | Self::Sender)
    }
}

/// Outcome that a person or agent recorded explicitly, stored as `outcome` in the frontmatter.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedOutcome {
    pub status: SessionStatus,
    /// Time at which the outcome was recorded, in whole seconds.
    pub at: Option<Instant>,
    /// Person who recorded the outcome.
    pub author: Option<String>,
    pub agent: Option<String>,
    pub reason: Option<String>,
}

/// How a diary was created: by rules, by a model, or only for an outcome.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum DiaryOrigin {
    /// Extracted by rules.
    #[default]
    Extracted,
    /// Written by the model with this name.
    Model(String),
    /// Extracted by rules because the model's answer was unusable, with the reason.
    Fallback(String),
    /// Created only to store a recorded outcome; the session was not summarized.
    OutcomeOnly,
}

/// A reference to a session about a similar subject.
#[derive(Debug, Clone, PartialEq)]
pub struct RelatedSessionRef {
    /// Session id.
    pub session: String,
    /// Name of the agent.
    pub agent: Option<String>,
    /// Day on which the session started, as `2026-11-20`.
    pub date: Option<String>,
    /// Similarity between the two sessions, 0–1.
    pub relevance: f64,
    /// Excerpt of the related session.
    pub snippet: Option<String>,
}

impl DiaryItem {
    /// Creates an item, cut to [`MAX_ITEM_CHARS`] characters and without feedback markers; `None` if no
    /// letter or digit is left.
    pub fn new(text: &str, line: u64, voice: StatementAuthor) -> Option<Self> {
        // Feedback on rules is told elsewhere.
        let mut bare = text.to_owned();
        for marker in markers(text).iter().rev() {
            bare.replace_range(marker.range.clone(), "");
        }
        let text = cut(&visible(&bare), MAX_ITEM_CHARS);
        let says = text.chars().any(char::is_alphanumeric);
        says.then_some(Self { text, line, voice, standing: false })
    }

    /// Returns a key that is equal for items with the same content.
    fn key(&self) -> String {
        words(&self.text).join(" ")
    }
}

/// Minimum overlap of the content words of two items, 0–1, at which they are duplicates.
const MIN_DUPLICATE_OVERLAP: f64 = 0.85;

/// Removes duplicate items. Of duplicates, items of a person are preferred to those of the agent.
/// At most `most` items remain, in their original order.
pub fn distinct(items: Vec<DiaryItem>, most: usize) -> Vec<DiaryItem> {
    let mut ordered: Vec<(usize, DiaryItem)> = items.into_iter().enumerate().collect();
    ordered.sort_by_key(|(at, item)| (item.voice, *at));
    let mut unique: Vec<(usize, DiaryItem, BTreeSet<String>)> = Vec::new();
    for (at, item) in ordered {
        let own = content_words(&item.text);
        let same = |(_, other, words): &(usize, DiaryItem, BTreeSet<String>)| {
            let fewer = own.len().min(words.len());
            other.key() == item.key() || (fewer > 3 && overlap(&own, words, 0) >= MIN_DUPLICATE_OVERLAP)
        };
        if unique.len() < most && !unique.iter().any(same) {
            unique.push((at, item, own));
        }
    }
    unique.sort_by_key(|(at, ..)| *at);
    unique.into_iter().map(|(_, item, _)| item).collect()
}

impl Diary {
    /// Returns the headings of the diary's sections with their items, in display order.
    pub fn sections(&self) -> [(&'static str, &Vec<DiaryItem>); 7] {
        [
            ("Accomplishments", &self.accomplishments),
            ("Decisions", &self.decisions),
            ("Challenges", &self.challenges),
            ("Preferences", &self.preferences),
            ("Key learnings", &self.learnings),
            ("Files", &self.files),
            ("Commands", &self.commands),
        ]
    }

    /// Returns the section with this heading for modification; `None` if there is no such section.
    pub(crate) fn section_mut(&mut self, heading: &str) -> Option<&mut Vec<DiaryItem>> {
        Some(match heading {
            "Accomplishments" => &mut self.accomplishments,
            "Decisions" => &mut self.decisions,
            "Challenges" => &mut self.challenges,
            "Preferences" => &mut self.preferences,
            "Key learnings" => &mut self.learnings,
            "Files" => &mut self.files,
            "Commands" => &mut self.commands,
            _ => return None,
        })
    }

    /// Marks the user's statements as those of the person who sent the session, not of the vault's
    /// owner.
    pub fn attribute_to_sender(mut self) -> Self {
        for heading in self.sections().map(|(heading, _)| heading) {
            let items = self.section_mut(heading).into_iter().flatten();
            items
                .filter(|item| item.voice == StatementAuthor::Person)
                .for_each(|item| item.voice = StatementAuthor::Sender);
        }
        self
    }

    /// Replaces every text in the diary by the result of `word`, for example to remove secrets.
    pub fn map_texts(mut self, word: impl Fn(&str) -> String) -> Self {
        self.title = word(&self.title);
        self.workspace = self.workspace.as_deref().map(&word);
        for heading in self.sections().map(|(heading, _)| heading) {
            let items = self.section_mut(heading).into_iter().flatten();
            items.for_each(|item| item.text = word(&item.text));
        }
        self.verdict.signs.iter_mut().for_each(|sign| sign.what = word(&sign.what));
        self.tags.iter_mut().chain(&mut self.anchors).for_each(|text| *text = word(text));
        for related in &mut self.related {
            related.snippet = related.snippet.as_deref().map(&word);
        }
        self.origin = match self.origin {
            DiaryOrigin::Extracted => DiaryOrigin::Extracted,
            DiaryOrigin::Model(name) => DiaryOrigin::Model(word(&name)),
            DiaryOrigin::Fallback(why) => DiaryOrigin::Fallback(word(&why)),
            DiaryOrigin::OutcomeOnly => DiaryOrigin::OutcomeOnly,
        };
        self
    }

    /// Returns `true` if all sections are empty.
    pub fn is_empty(&self) -> bool {
        self.sections().iter().all(|(_, items)| items.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn item(text: &str, voice: StatementAuthor) -> DiaryItem {
        DiaryItem { standing: false, ..DiaryItem::new(text, 1, voice).unwrap() }
    }

    #[test]
    fn what_is_stated_twice_is_retained_once_and_rather_in_the_persons_words() {
        let items = vec![
            item("Use `pnpm` in this repository, not npm.", StatementAuthor::Agent),
            item("use pnpm in this repository not npm", StatementAuthor::Person),
            item("Another thing entirely was done.", StatementAuthor::Agent),
        ];
        let unique = distinct(items, 10);
        assert_eq!(unique.len(), 2);
        assert_eq!(unique[0].voice, StatementAuthor::Person);
    }

    #[test]
    fn an_item_is_one_visible_line_and_not_too_long() {
        let item =
            DiaryItem::new(&format!("a\u{200b}b\n{}", "word ".repeat(100)), 3, StatementAuthor::Log).unwrap();
        assert!(
            item.text.starts_with("ab word")
                && item.text.chars().count() <= MAX_ITEM_CHARS
                && item.text.ends_with('…')
        );
        assert_eq!(DiaryItem::new(" …\n", 1, StatementAuthor::Log), None);
    }

    proptest! {
        #[test]
        fn making_items_distinct_twice_is_doing_it_once(
            texts in prop::collection::vec("(use|keep|add) [a-c ]{0,12}", 0..20), most in 0_usize..12
        ) {
            let items: Vec<DiaryItem> = texts.iter().filter_map(|text| DiaryItem::new(text, 1, StatementAuthor::Agent)).collect();
            let once = distinct(items, most);
            prop_assert!(once.len() <= most);
            prop_assert_eq!(distinct(once.clone(), most), once);
        }
    }
}
