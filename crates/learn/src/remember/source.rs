//! Sources of the memory: stashes, diaries and friction reports, parsed into claims with their
//! location.
//!
//! A source is identified by a key and a content hash, so the same content is never read twice,
//! even if all caches are lost.

use data_encoding::HEXLOWER;

use super::SkippedCounts;
use cm_note::change::ContentHash;
use cm_note::instant::Instant;
use cm_note::path::NotePath;
use cm_text::named_enum;
use cm_text::path::last_component;

named_enum! {
    pub enum SourceKind {
        /// A stash: notes that an agent or person saved during a session.
        Stash = "stash",
        /// A diary: the structured summary of a session.
        Diary = "diary",
        /// A friction report about sessions.
        Friction = "friction",
    }
}

/// A stash, diary or friction report, parsed into claims.
#[derive(Debug, Clone, PartialEq)]
pub struct MemorySource {
    /// Key, independent of its location on disk: `stash:ID`, `diary:ID`, `file:PROJECT/PATH` or
    /// `friction:SESSION`.
    pub key: String,
    /// Hash of the content, see [`hash`].
    pub hash: String,
    pub origin: SourceKind,
    pub title: String,
    /// Tags without `#`.
    pub tags: Vec<String>,
    /// Session id.
    pub session: Option<String>,
    /// Agent of the session.
    pub agent: Option<String>,
    /// Path of the project.
    pub workspace: Option<String>,
    /// Time of the event or statement in the source.
    pub at: Instant,
    /// Path of the note if the source is in the vault.
    pub note: Option<NotePath>,
    /// Summary on one line.
    pub summary: Option<String>,
    /// Facts that the source states.
    pub facts: Vec<Claim>,
    /// Preferences that the source states.
    pub preferences: Vec<Claim>,
    /// Causes of problems that the source states.
    pub fixes: Vec<Claim>,
    /// Content without frontmatter, which a reader such as a model is shown.
    pub text: String,
    /// Whether the source describes an event, and therefore gets its own log entry.
    pub is_event: bool,
    /// Numbers of statements that were not remembered, by reason.
    pub skipped: SkippedCounts,
}

/// A fact, preference or cause that a source states.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Claim {
    /// Text on one line.
    pub text: String,
    /// Line in the session log, from 1; 0 if unknown.
    pub line: u64,
    /// Whether a session log proves that a person stated the claim. Never true for notes captured
    /// by an agent, because they could claim anything.
    pub is_persons: bool,
    /// Whether a heading or a diary's section says what the claim is. Other claims are retained
    /// only if the classifier of statements finds them lasting.
    pub is_explicit: bool,
    /// Quotes that support the claim; empty if its text is the source's own.
    pub evidence: Vec<String>,
    /// Whether a reader such as a model worded the claim.
    pub is_readers: bool,
    /// Reason why a person must review the claim first.
    pub draft: Option<&'static str>,
}

impl MemorySource {
    /// Returns whether the source states nothing that is worth a note.
    pub(crate) fn has_no_claims(&self) -> bool {
        self.facts.is_empty() && self.preferences.is_empty() && self.fixes.is_empty()
    }

    /// Creates a source without statements and hash.
    pub fn new(key: String, origin: SourceKind, at: Instant) -> Self {
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
            fixes: Vec::new(),
            text: String::new(),
            is_event: true,
            skipped: SkippedCounts::default(),
        }
    }
}

/// Hashes a text, ignoring differences in white space.
pub fn hash(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let hash = ContentHash::of(words.join(" ").as_bytes());
    HEXLOWER.encode(&hash.0[..6])
}

/// Returns `true` if two names denote the same session. Friction reports name a session by project,
/// time and a prefix of its id.
pub(crate) fn same_session(a: &str, b: &str) -> bool {
    let (a, b) = (session_part(a), session_part(b));
    a == b || (a.len().min(b.len()) >= MIN_ID_PREFIX_CHARS && (a.starts_with(b) || b.starts_with(a)))
}

/// Minimum length of an id prefix that identifies a session, in characters.
const MIN_ID_PREFIX_CHARS: usize = 8;

/// Returns `ID` of a session name such as `PROJECT/MMDD-HHMM-ID`; other names lose only the
/// project.
fn session_part(session: &str) -> &str {
    let name = session.rsplit('/').next().unwrap_or(session);
    let digits = |text: &str| text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = name.splitn(3, '-');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(day), Some(minute), Some(id)) if digits(day) && digits(minute) => id,
        _ => name,
    }
}

/// Returns `true` if statements about these two workspaces can conflict: the workspaces have the
/// same name, or one is `None`, which stands for all workspaces.
pub fn same_place(a: Option<&str>, b: Option<&str>) -> bool {
    let name = |place: &str| last_component(place).unwrap_or_default().to_lowercase();
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
    fn a_place_is_recognized_by_its_last_name_and_no_place_is_everywhere() {
        assert!(same_place(Some("/home/a/Shop/"), Some("shop")) && same_place(None, Some("shop")));
        assert!(!same_place(Some("/src/shop"), Some("/src/blog")));
    }

    #[test]
    fn blanks_make_no_other_hash() {
        assert_eq!(hash("a  b\r\nc\n"), hash("a b c"));
        assert_ne!(hash("a b c"), hash("a b d"));
    }
}
