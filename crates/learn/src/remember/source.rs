//! What is remembered from: a stash, a diary or what friction left, as claims with the place that they come from.
//!
//! A source is known by a key and by what it says, so that the same words are never taken in twice, whatever cache is lost.

use super::Unremembered;
use cm_note::change::ContentHash;
use cm_note::instant::Instant;
use cm_note::path::NotePath;

/// What a source is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// A raw capture.
    Stash,
    /// The summary of a session.
    Diary,
    /// What an analysis of friction left.
    Friction,
}

impl Origin {
    /// Its name, as it stands in episodes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stash => "stash",
            Self::Diary => "diary",
            Self::Friction => "friction",
        }
    }
}

/// One source, read.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// What it is called, wherever it lies: `stash:ID`, `diary:ID`, `file:PROJECT/PATH`, `friction:SESSION`.
    pub key: String,
    /// What it says, hashed, see [`hash`].
    pub hash: String,
    /// What it is.
    pub origin: Origin,
    /// What it is about.
    pub title: String,
    /// Without `#`.
    pub tags: Vec<String>,
    /// The session that it tells of.
    pub session: Option<String>,
    /// The agent of that session.
    pub agent: Option<String>,
    /// The project.
    pub workspace: Option<String>,
    /// When it happened.
    pub at: Instant,
    /// Its note, where it is one of the vault.
    pub note: Option<NotePath>,
    /// What happened, in a line.
    pub summary: Option<String>,
    /// What is so.
    pub facts: Vec<Claim>,
    /// What somebody wants.
    pub preferences: Vec<Claim>,
    /// Whether it is something that happened, and so an episode of its own.
    pub is_event: bool,
    /// What it says besides and is not worth remembering.
    pub left_out: Unremembered,
}

/// One thing that a source says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// On one line.
    pub text: String,
    /// The line of the session's log, from 1; 0 where it is not known.
    pub line: u64,
    /// Whether a person said so in a session, as its log shows: an agent's own capture may say anything of that.
    pub is_persons: bool,
}

impl Source {
    /// A source that says nothing yet.
    pub fn new(key: String, origin: Origin, at: Instant) -> Self {
        Self {
            key,
            hash: String::new(),
            origin,
            title: String::new(),
            tags: Vec::new(),
            session: None,
            agent: None,
            workspace: None,
            at,
            note: None,
            summary: None,
            facts: Vec::new(),
            preferences: Vec::new(),
            is_event: true,
            left_out: Unremembered::default(),
        }
    }
}

/// What a text says, hashed: blanks and line breaks do not matter.
pub fn hash(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let hash = ContentHash::of(words.join(" ").as_bytes());
    hash.0.iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

/// Whether two names mean the same session: friction knows one by project, time and the beginning of its id.
pub fn same_session(a: &str, b: &str) -> bool {
    let (a, b) = (bare(a), bare(b));
    a == b || (a.len().min(b.len()) >= SHORT && (a.starts_with(b) || b.starts_with(a)))
}

/// The shortest beginning of an id that means a session.
const SHORT: usize = 8;

/// `PROJECT/MMDD-HHMM-ID` without what stands before the id.
fn bare(session: &str) -> &str {
    let name = session.rsplit('/').next().unwrap_or(session);
    let digits = |text: &str| text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = name.splitn(3, '-');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(day), Some(minute), Some(id)) if digits(day) && digits(minute) => id,
        _ => name,
    }
}

/// Whether what holds in one project may be held against what holds in another: they are the same, or one holds everywhere.
pub fn same_place(a: Option<&str>, b: Option<&str>) -> bool {
    let name = |place: &str| {
        place.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or_default().to_lowercase()
    };
    a.zip(b).is_none_or(|(a, b)| name(a) == name(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_the_same_by_the_name_that_friction_gives_it() {
        let id = "aaaaaaaa-0000-4000-8000-000000000001";
        assert!(same_session("demo/1120-1000-aaaaaaaa", id) && same_session(id, id));
        assert!(!same_session("demo/1120-1000-aaaaaaab", id) && !same_session("aaaa", id));
        assert!(!same_session("0199aaaa-bbbb", "0199aaaa-cccc"));
    }

    #[test]
    fn a_place_is_known_by_its_last_name_and_no_place_is_everywhere() {
        assert!(same_place(Some("/home/a/Shop/"), Some("shop")) && same_place(None, Some("shop")));
        assert!(!same_place(Some("/src/shop"), Some("/src/blog")));
    }

    #[test]
    fn blanks_make_no_other_hash() {
        assert_eq!(hash("a  b\r\nc\n"), hash("a b c"));
        assert_ne!(hash("a b c"), hash("a b d"));
    }
}
