//! The diary of a session: what was reached, decided and learned, what went wrong, and what the person wants.
//!
//! It is taken from the log by patterns, without a model. Every item names the line of the log that it comes from. What is
//! doubtful is left out; a diary may well be empty.

mod agent;
mod anchors;
pub mod extract;
pub mod note;
mod person;
pub mod read;
pub mod renew;
mod touched;
mod trouble;

pub use extract::{extract, id};
pub use person::{Said, SaidKind, said};

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::outcome::Verdict;
use crate::prose::cut;
use cm_note::bullet::marker::markers;
use cm_note::instant::Instant;
use cm_note::markdown::escape::visible;
use cm_session::status::SessionStatus;

/// The longest item in characters.
pub const ITEM: usize = 220;
/// The most items of a section.
pub const ITEMS: usize = 15;

/// The summary of a session.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Diary {
    /// What the session's path and content hash to, see [`id`].
    pub id: String,
    /// The session's id.
    pub session: String,
    /// Its agent.
    pub agent: String,
    /// The folder that was worked in.
    pub workspace: Option<String>,
    /// When it began.
    pub started: Option<Instant>,
    /// How long it took, in seconds.
    pub duration_s: Option<u64>,
    /// What it is called.
    pub title: String,
    /// How it ended, and what that rests on.
    pub verdict: Verdict,
    /// What somebody said of how it ended; it counts rather than what the log shows.
    pub judged: Option<Judged>,
    /// What was reached.
    pub accomplishments: Vec<Item>,
    /// What was chosen.
    pub decisions: Vec<Item>,
    /// What went wrong, and what helped.
    pub challenges: Vec<Item>,
    /// What the person wants, beyond the task.
    pub preferences: Vec<Item>,
    /// What is known now.
    pub learnings: Vec<Item>,
    /// Files that were changed.
    pub files: Vec<Item>,
    /// Commands that were run, as a program and its subcommand.
    pub commands: Vec<Item>,
    /// Without `#`.
    pub tags: Vec<String>,
    /// Words that find it again.
    pub anchors: Vec<String>,
    /// Sessions about the same, as the caller found them.
    pub related: Vec<Related>,
    /// How it was made.
    pub made: Made,
}

/// One thing that a diary tells.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Item {
    /// On one line, at most [`ITEM`] characters.
    pub text: String,
    /// The line of the log that it comes from, from 1.
    pub line: u64,
    /// Whose words they are.
    pub voice: Voice,
    /// Whether it is meant to hold beyond the task: "always", "never", "I prefer".
    pub standing: bool,
}

/// Whose words an item is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Voice {
    /// The person's.
    Person,
    /// The person's, as says who sent the session without being that person: proposed as theirs, never taken for theirs.
    Sender,
    /// The agent's.
    Agent,
    /// Our own, from what the log shows.
    Log,
}

impl Voice {
    /// Whether they are a person's words, or are said to be.
    pub fn is_persons(self) -> bool {
        matches!(self, Self::Person | Self::Sender)
    }
}

/// What somebody said of how a session ended: `outcome` in the frontmatter.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// How it ended.
    pub status: SessionStatus,
    /// When that was said, in whole seconds.
    pub at: Option<Instant>,
    /// The person who said it.
    pub author: Option<String>,
    /// The agent that said it.
    pub agent: Option<String>,
    /// Why.
    pub reason: Option<String>,
}

/// How a diary was made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Made {
    /// By rules.
    #[default]
    Extracted,
    /// By a model, of that name.
    Model(String),
    /// By rules, because a model's answer could not be used, and why.
    Instead(String),
    /// Not from the log: somebody said how the session ended, and nobody has summed it up.
    Told,
}

/// A session about the same.
#[derive(Debug, Clone, PartialEq)]
pub struct Related {
    /// Its id.
    pub session: String,
    /// Its agent.
    pub agent: Option<String>,
    /// How near it is, 0–1.
    pub relevance: f64,
    /// Words of it.
    pub snippet: Option<String>,
}

impl Item {
    /// An item, cut to its length; none of a text that says nothing.
    pub fn new(text: &str, line: u64, voice: Voice) -> Option<Self> {
        // Feedback on rules is told elsewhere.
        let mut bare = text.to_owned();
        for marker in markers(text).iter().rev() {
            bare.replace_range(marker.range.clone(), "");
        }
        let text = cut(&visible(&bare), ITEM);
        let says = text.chars().any(char::is_alphanumeric);
        says.then_some(Self { text, line, voice, standing: false })
    }

    /// What two items that say the same have in common.
    fn key(&self) -> String {
        words(&self.text).join(" ")
    }
}

/// The words of a text in lower case, without marks.
pub(crate) fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Words that say nothing of a subject.
const EMPTY: [&str; 88] = [
    "the", "a", "an", "and", "or", "to", "of", "in", "on", "at", "it", "its", "is", "are", "be", "was",
    "were", "this", "that", "these", "those", "we", "i", "you", "they", "he", "she", "let", "lets", "s", "t",
    "ll", "ve", "d", "re", "with", "for", "from", "by", "as", "so", "but", "if", "then", "than", "do",
    "does", "did", "dont", "don", "not", "no", "yes", "ok", "okay", "please", "just", "also", "now", "here",
    "there", "go", "use", "keep", "make", "want", "should", "would", "could", "can", "will", "option",
    "approach", "one", "two", "first", "second", "third", "way", "thing", "stuff", "all", "my", "our",
    "your", "me", "actually", "instead",
];

/// The different words of a text that say something of a subject.
pub(crate) fn telling(text: &str) -> HashSet<String> {
    let telling = |word: &String| {
        word.chars().any(char::is_alphabetic) && word.chars().count() > 1 && !EMPTY.contains(&word.as_str())
    };
    words(text).into_iter().filter(telling).collect()
}

/// How many there are of them.
pub(crate) fn weight(text: &str) -> usize {
    telling(text).len()
}

/// The items without those that say what one before them says. A person's words are kept rather than an agent's.
pub fn distinct(items: Vec<Item>, most: usize) -> Vec<Item> {
    let mut ordered: Vec<(usize, Item)> = items.into_iter().enumerate().collect();
    ordered.sort_by_key(|(at, item)| (item.voice, *at));
    let mut kept: Vec<(usize, Item, HashSet<String>)> = Vec::new();
    for (at, item) in ordered {
        let own = telling(&item.text);
        let same = |(_, other, words): &(usize, Item, HashSet<String>)| {
            let fewer = own.len().min(words.len());
            other.key() == item.key() || (fewer > 3 && own.intersection(words).count() * 20 >= fewer * 17)
        };
        if kept.len() < most && !kept.iter().any(same) {
            kept.push((at, item, own));
        }
    }
    kept.sort_by_key(|(at, ..)| *at);
    kept.into_iter().map(|(_, item, _)| item).collect()
}

/// The share of words that two sets have in common, 0–1.
pub(crate) fn alike(a: &HashSet<String>, b: &HashSet<String>) -> f64 {
    let common = a.intersection(b).count();
    let all = a.len() + b.len() - common;
    if all == 0 { 1.0 } else { common as f64 / all as f64 }
}

impl Diary {
    /// Its sections in order, with their headings.
    pub fn sections(&self) -> [(&'static str, &Vec<Item>); 7] {
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

    /// The section of a heading, to be filled.
    pub fn section_mut(&mut self, heading: &str) -> Option<&mut Vec<Item>> {
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

    /// The same with the person's words as those of who sent the session.
    pub fn of_sender(mut self) -> Self {
        for heading in self.sections().map(|(heading, _)| heading) {
            let items = self.section_mut(heading).into_iter().flatten();
            items.filter(|item| item.voice == Voice::Person).for_each(|item| item.voice = Voice::Sender);
        }
        self
    }

    /// The same with every text of it put through `word`.
    pub fn each_text(mut self, word: impl Fn(&str) -> String) -> Self {
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
        self.made = match self.made {
            Made::Extracted => Made::Extracted,
            Made::Model(name) => Made::Model(word(&name)),
            Made::Instead(why) => Made::Instead(word(&why)),
            Made::Told => Made::Told,
        };
        self
    }

    /// Whether it tells nothing that is worth a note: no file, command or item.
    pub fn is_empty(&self) -> bool {
        self.sections().iter().all(|(_, items)| items.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn item(text: &str, voice: Voice) -> Item {
        Item { standing: false, ..Item::new(text, 1, voice).unwrap() }
    }

    #[test]
    fn what_is_said_twice_is_kept_once_and_rather_in_the_persons_words() {
        let items = vec![
            item("Use `pnpm` in this repository, not npm.", Voice::Agent),
            item("use pnpm in this repository not npm", Voice::Person),
            item("Another thing entirely was done.", Voice::Agent),
        ];
        let kept = distinct(items, 10);
        assert_eq!(kept.len(), 2);
        assert_eq!(kept[0].voice, Voice::Person);
    }

    #[test]
    fn an_item_is_one_visible_line_and_not_too_long() {
        let item = Item::new(&format!("a\u{200b}b\n{}", "word ".repeat(100)), 3, Voice::Log).unwrap();
        assert!(
            item.text.starts_with("ab word") && item.text.chars().count() <= ITEM && item.text.ends_with('…')
        );
        assert_eq!(Item::new(" …\n", 1, Voice::Log), None);
    }

    proptest! {
        #[test]
        fn making_items_distinct_twice_is_doing_it_once(
            texts in prop::collection::vec("(use|keep|add) [a-c ]{0,12}", 0..20), most in 0_usize..12
        ) {
            let items: Vec<Item> = texts.iter().filter_map(|text| Item::new(text, 1, Voice::Agent)).collect();
            let once = distinct(items, most);
            prop_assert!(once.len() <= most);
            prop_assert_eq!(distinct(once.clone(), most), once);
        }
    }
}
