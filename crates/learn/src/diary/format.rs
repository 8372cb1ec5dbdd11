//! The phrases of a diary's note that are both written and parsed.

use super::StatementAuthor;
use crate::prose::pattern;

/// Line of a diary that was extracted without a model.
pub(super) const EXTRACTED: &str = "Extracted from the log without a model.";
/// Beginning of the line of a diary that a model wrote, before the model's name.
pub(super) const MODEL_LEAD: &str = "Written by the model ";
/// Beginning of the line of a diary that was extracted because a model's answer was unusable, before
/// the reason.
pub(super) const FALLBACK_LEAD: &str = "Extracted from the log, because the model's answer was not usable: ";
/// Text in the note of a session for which only an outcome was recorded.
pub(super) const NO_DIARY_YET: &str = "This session has no diary yet; only its outcome was recorded.";
/// Beginning of the line with the session's status.
pub(super) const OUTCOME_LEAD: &str = "Outcome: ";
/// Mark of evidence for a success.
pub(super) const FOR_MARK: &str = "for";
/// Mark of evidence against a success.
pub(super) const AGAINST_MARK: &str = "against";

pattern!(PLACE = r"^(.*) \((?:(person|sender|agent), )?(standing, )?line (\d{1,18})\)$");

impl StatementAuthor {
    /// Word for the author in the place of an item; `None` for the log, which needs none.
    fn mark(self) -> Option<&'static str> {
        match self {
            Self::Person => Some("person"),
            Self::Sender => Some("sender"),
            Self::Agent => Some("agent"),
            Self::Log => None,
        }
    }

    /// Returns the author with this mark, and the log for any other text.
    fn of_mark(mark: &str) -> Self {
        let marked = [Self::Person, Self::Sender, Self::Agent];
        marked.into_iter().find(|author| author.mark() == Some(mark)).unwrap_or(Self::Log)
    }
}

/// The place of an item in its log, in brackets after the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ItemPlace {
    pub author: StatementAuthor,
    /// Whether the statement stays valid after the task.
    pub is_standing: bool,
    /// Line of the log, from 1.
    pub line: u64,
}

impl ItemPlace {
    /// Appends the place to the text of an item.
    pub fn after(self, text: &str) -> String {
        let author = self.author.mark().map(|mark| format!("{mark}, ")).unwrap_or_default();
        let standing = if self.is_standing { "standing, " } else { "" };
        format!("{text} ({author}{standing}line {})", self.line)
    }

    /// Splits an item into its text and its place; `None` for an item without a place.
    pub fn split(item: &str) -> Option<(&str, Self)> {
        let captures = PLACE.captures(item)?;
        let author = StatementAuthor::of_mark(captures.get(2).map_or("", |mark| mark.as_str()));
        let line = captures.get(4)?.as_str().parse().unwrap_or(0);
        let place = Self { author, is_standing: captures.get(3).is_some(), line };
        Some((captures.get(1)?.as_str(), place))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_written_place_is_parsed_to_the_same(
            author in 0_usize..4, is_standing in any::<bool>(), line in 1_u64..1_000_000, text in "[a-z() ,0-9]{0,30}"
        ) {
            use StatementAuthor::{Agent, Log, Person, Sender};
            let place = ItemPlace { author: [Person, Sender, Agent, Log][author], is_standing, line };
            let item = place.after(&text);
            prop_assert_eq!(ItemPlace::split(&item), Some((text.as_str(), place)));
        }
    }
}
