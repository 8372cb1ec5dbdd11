//! The session that a note is from, to group notes by it, and its place in time.

use super::Note;
use super::turn::Turn;
use crate::instant::Instant;

/// Identifies the session of a note. Notes from no session have a key of their own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SessionKey {
    /// Frontmatter `session`.
    Named(String),
    /// A day of a conversation whose turns name no session.
    Conversation { conversation: u64, day: Option<String> },
    /// The path of a note from no session.
    Own(String),
}

impl SessionKey {
    pub fn of(note: &Note) -> Self {
        match (&note.session, Turn::of(note)) {
            (Some(session), _) => Self::Named(session.clone()),
            (None, Some(turn)) => {
                Self::Conversation { conversation: turn.conversation(), day: written(note).map(Instant::day) }
            }
            (None, None) => Self::Own(note.path.to_string()),
        }
    }
}

/// Order of notes by time, then by their position in a conversation; notes without a time come first.
pub fn order_in_time(note: &Note) -> (Option<Instant>, Option<Turn>) {
    (written(note), Turn::of(note))
}

fn written(note: &Note) -> Option<Instant> {
    note.created.or(note.updated)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::{RelationTable, TypeTable, read};
    use crate::path::NotePath;

    fn note(path: &str, frontmatter: &str) -> Note {
        let text = format!("---\n{frontmatter}\n---\nHello.\n");
        let (types, relations) = (TypeTable::default(), RelationTable::default());
        read::read(&NotePath::parse(path).unwrap(), text.as_bytes(), &types, &relations).note
    }

    fn key(path: &str, frontmatter: &str) -> SessionKey {
        SessionKey::of(&note(path, frontmatter))
    }

    #[test]
    fn notes_of_a_session_have_one_key() {
        assert_eq!(key("a.md", "session: s1"), key("chats/b-2.md", "session: s1\nrole: user"));
        assert_ne!(key("a.md", "session: s1"), key("a.md", "session: s2"));
        assert_ne!(key("a.md", "title: A"), key("b.md", "title: A"));
    }

    #[test]
    fn a_day_of_a_conversation_without_sessions_is_one() {
        let turn = |at: u32, day: &str| key(&format!("chat-{at}.md"), &format!("role: user\ndate: {day}"));
        assert_eq!(turn(1, "2026-01-02"), turn(2, "2026-01-02"));
        assert_ne!(turn(1, "2026-01-02"), turn(3, "2026-01-03"));
    }

    #[test]
    fn turns_of_a_day_are_ordered_by_their_position() {
        let turn = |at: u32| note(&format!("chat-{at}.md"), "role: user\ndate: 2026-01-02");
        assert!(order_in_time(&turn(9)) < order_in_time(&turn(10)));
        let earlier = note("a.md", "date: 2026-01-01");
        assert!(order_in_time(&earlier) < order_in_time(&turn(1)));
    }
}
