//! Defines what the readers of traces return: a text, the commands that it names, and its support.

use super::support::PatternSupport;

/// Something that recurs, or that was seen once and may recur.
#[derive(Debug, Clone, PartialEq)]
pub struct RecurringPattern {
    /// Beginning of the text, which stays the same when further sessions add evidence.
    pub head: String,
    pub note: PatternNote,
    /// Commands that the text names.
    pub commands: Vec<String>,
    pub support: PatternSupport,
}

impl RecurringPattern {
    /// Appends an explanation to a fix, and whether a person agreed to it. Other notes stay as they are.
    pub fn explain(&mut self, explanation: &str, is_acknowledged: bool) {
        if let PatternNote::Fix { text } = &mut self.note {
            text.push_str(": ");
            text.push_str(explanation.trim_end_matches('.'));
            if is_acknowledged {
                self.support.acknowledge();
            }
        }
    }
}

/// Note that a pattern leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatternNote {
    /// A rule; the pattern recurs.
    Rule { text: String, category: &'static str },
    /// A fact to remember; the pattern recurs.
    Fact { text: String },
    /// A fix to remember; the pattern was seen in one session.
    Fix { text: String },
}
