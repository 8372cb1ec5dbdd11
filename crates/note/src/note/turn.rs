//! Notes that are turns of a recorded conversation, one note a turn.

use serde::{Deserialize, Serialize};

use super::{Note, NoteKind};

/// The side of a conversation that a turn belongs to: frontmatter `role`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Speaker {
    Person,
    Agent,
}

impl Speaker {
    /// Parses a role as chat logs write it; `None` for other words.
    pub fn of_role(role: &str) -> Option<Self> {
        match role.trim().to_ascii_lowercase().as_str() {
            "user" | "human" | "person" => Some(Self::Person),
            "assistant" | "agent" | "ai" | "bot" | "model" | "tool" | "system" => Some(Self::Agent),
            _ => None,
        }
    }
}

/// Number of bits for the position in the conversation.
const POSITION_BITS: u32 = 20;
const POSITION: u64 = (1 << POSITION_BITS) - 1;

/// A conversation and the position of a turn in it, as one number: a hash of the conversation, and
/// in the lowest 20 bits the position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Turn(u64);

impl Turn {
    /// Returns the turn that a note is: its file name ends with its position, as in `chat-D1.12.md`,
    /// and its frontmatter has a `role` or a `session`. Files of one folder whose names differ only
    /// in the position are one conversation.
    pub fn of(note: &Note) -> Option<Self> {
        let is_turn = note.speaker.is_some() || note.session.is_some();
        if !is_turn || !matches!(note.kind, NoteKind::Plain | NoteKind::Memory) {
            return None;
        }
        let stem = note.path.stem();
        let name = stem.trim_end_matches(|c: char| c.is_ascii_digit());
        let position: u64 = stem[name.len()..].parse().ok().filter(|position| *position < POSITION)?;
        let session = note.session.as_deref().unwrap_or_default();
        let hash = blake3::hash([note.path.folder(), name, session].join("\0").as_bytes());
        let conversation = hash.as_bytes()[..8].iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
        Some(Self(conversation & !POSITION | position))
    }

    pub fn number(self) -> u64 {
        self.0
    }

    /// Returns the turn with this number; `None` for 0, which stands for a note that is no turn.
    pub fn from_number(number: u64) -> Option<Self> {
        (number != 0).then_some(Self(number))
    }

    /// Returns a number that all turns of the conversation share.
    pub fn conversation(self) -> u64 {
        self.0 & !POSITION
    }

    /// Returns the turn `steps` later, or earlier if negative; `None` before the first one.
    pub fn moved(self, steps: i64) -> Option<Self> {
        let position =
            (self.0 & POSITION).checked_add_signed(steps).filter(|position| *position < POSITION)?;
        Some(Self(self.conversation() | position))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::{RelationTable, TypeTable, read};
    use crate::path::NotePath;

    fn turn(path: &str, frontmatter: &str) -> Option<Turn> {
        let path = NotePath::parse(path).unwrap();
        let text = format!("---\n{frontmatter}\n---\nHello.\n");
        let (types, relations) = (TypeTable::default(), RelationTable::default());
        Turn::of(&read::read(&path, text.as_bytes(), &types, &relations).note)
    }

    #[test]
    fn notes_whose_names_count_up_are_turns_of_one_conversation() {
        let first = turn("chats/a-D1.9.md", "session: s1").unwrap();
        let second = turn("chats/a-D1.10.md", "session: s1").unwrap();
        assert_eq!(first.moved(1), Some(second));
        assert_eq!(second.moved(-1), Some(first));
        assert_eq!(first.conversation(), second.conversation());
        assert_eq!(Turn::from_number(first.number()), Some(first));
        let others = [("chats/b-D1.10.md", "session: s1"), ("chats/a-D1.10.md", "session: s2")];
        for (path, frontmatter) in others {
            assert_ne!(turn(path, frontmatter).unwrap().conversation(), first.conversation());
        }
    }

    #[test]
    fn a_numbered_note_without_a_speaker_or_a_session_is_no_turn() {
        assert_eq!(turn("adr/0012.md", "title: Use Postgres"), None);
        assert_eq!(turn("chats/hello.md", "role: user"), None);
        assert!(turn("chats/m0000.md", "role: user").is_some());
        assert_eq!(turn("chats/m0000.md", "role: user").unwrap().moved(-1), None);
    }

    #[test]
    fn roles_of_chat_logs_are_a_person_or_an_agent() {
        assert_eq!(Speaker::of_role("user"), Some(Speaker::Person));
        assert_eq!(Speaker::of_role("Assistant"), Some(Speaker::Agent));
        assert_eq!(Speaker::of_role("editor"), None);
    }
}
