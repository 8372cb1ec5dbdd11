//! Commit messages of curation: a subject, a reason, and trailers that programs parse.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use cm_text::named_enum;
use cm_text::shorten::{one_line, short_line};

named_enum! {
    /// An operation of cm that makes commits.
    pub enum CommitOp {
        Add = "add",
        Adopt = "adopt",
        Commit = "commit",
        Condense = "condense",
        Config = "config",
        Core = "core",
        Curate = "curate",
        Delete = "delete",
        Diary = "diary",
        Doctor = "doctor",
        Edit = "edit",
        Episode = "episode",
        Forget = "forget",
        Import = "import",
        Init = "init",
        Mark = "mark",
        MemoryTool = "memory-tool",
        Outcome = "outcome",
        Pin = "pin",
        PlaybookAdd = "playbook-add",
        PlaybookRemove = "playbook-remove",
        Propose = "propose",
        Reflect = "reflect",
        Reflection = "reflection",
        Relate = "relate",
        Remember = "remember",
        Rename = "rename",
        Restore = "restore",
        Review = "review",
        Starters = "starters",
        Stash = "stash",
        Sync = "sync",
        Takeover = "takeover",
        TraumaAccept = "trauma-accept",
        Undo = "undo",
        Unforget = "unforget",
        Unpin = "unpin",
        Unrelate = "unrelate",
        Update = "update",
    }
}

/// A structured commit message.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommitMessage {
    /// One imperative line that describes the change.
    pub subject: String,
    /// Further text; may be empty.
    pub body: String,
    /// Trailer `Cm-Op`: the operation, such as `add` or `pin`.
    pub op: String,
    /// Trailers `Cm-Id`, one for each note.
    pub ids: Vec<String>,
    /// Trailer `Cm-Session`.
    pub session: Option<String>,
    /// Trailer `Cm-Agent`.
    pub agent: Option<String>,
    /// Trailer `Cm-Actor`: who requested the change, if not the commit's author.
    pub actor: Option<String>,
    /// Trailer `Cm-Reason`.
    pub reason: Option<String>,
    /// Trailer `Cm-Operation`: the journal entry that this commit completes.
    pub operation: Option<String>,
}

/// Maximum number of note ids in a commit message.
pub const MAX_LISTED_IDS: usize = 200;
/// Maximum length of the subject, in characters.
const MAX_SUBJECT_CHARS: usize = 100;

impl CommitMessage {
    /// Creates a message with only an operation and a subject.
    pub fn new(op: CommitOp, subject: impl Into<String>) -> Self {
        Self { subject: subject.into(), op: op.name().to_owned(), ..Self::default() }
    }

    /// Whether one of these operations made the commit.
    pub fn is_of(&self, ops: &[CommitOp]) -> bool {
        CommitOp::of(&self.op).is_some_and(|op| ops.contains(&op))
    }

    /// Adds the id of a changed note.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        let id = id.into();
        if !self.ids.contains(&id) {
            self.ids.push(id);
        }
        self
    }

    /// Adds the ids of changed notes. None of them if there are more than [`MAX_LISTED_IDS`], because a
    /// part of them would look like all.
    pub fn with_ids<I: Into<String>>(self, ids: impl ExactSizeIterator<Item = I>) -> Self {
        if ids.len() > MAX_LISTED_IDS { self } else { ids.fold(self, Self::id) }
    }

    /// Parses a commit message; `None` if it has no `Cm-Op` trailer.
    pub fn parse(text: &str) -> Option<Self> {
        let (head, trailers) = text.trim_end().rsplit_once("\n\n")?;
        let mut message = Self::default();
        for line in trailers.lines() {
            let Some((key, value)) = line.split_once(": ") else { continue };
            let value = value.trim().to_owned();
            match key {
                "Cm-Op" => message.op = value,
                "Cm-Id" => message.ids.push(value),
                "Cm-Session" => message.session = Some(value),
                "Cm-Agent" => message.agent = Some(value),
                "Cm-Actor" => message.actor = Some(value),
                "Cm-Reason" => message.reason = Some(value),
                "Cm-Operation" => message.operation = Some(value),
                _ => {}
            }
        }
        if message.op.is_empty() {
            return None;
        }
        let (subject, body) = head.split_once('\n').unwrap_or((head, ""));
        message.subject = subject.trim().to_owned();
        message.body = body.trim().to_owned();
        Some(message)
    }
}

/// Indents body lines that would be parsed as trailers.
fn body_of(text: &str) -> String {
    let guard = |line: &str| if line.starts_with("Cm-") { format!(" {line}") } else { line.to_owned() };
    text.trim().lines().map(guard).collect::<Vec<_>>().join("\n")
}

impl fmt::Display for CommitMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", short_line(&self.subject, MAX_SUBJECT_CHARS))?;
        writeln!(f)?;
        if !self.body.trim().is_empty() {
            writeln!(f, "{}\n", body_of(&self.body))?;
        }
        writeln!(f, "Cm-Op: {}", one_line(&self.op))?;
        for id in &self.ids {
            writeln!(f, "Cm-Id: {}", one_line(id))?;
        }
        let rest = [
            ("Cm-Session", &self.session),
            ("Cm-Agent", &self.agent),
            ("Cm-Actor", &self.actor),
            ("Cm-Reason", &self.reason),
            ("Cm-Operation", &self.operation),
        ];
        for (key, value) in rest {
            if let Some(value) = value {
                writeln!(f, "{key}: {}", one_line(value))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let message = CommitMessage {
            body: "Two lines\n\nof body.".into(),
            session: Some("s-1".into()),
            reason: Some("it failed twice".into()),
            operation: Some("00ff".into()),
            ..CommitMessage::new(CommitOp::Add, "Add solution \"Retry with jitter\"").id("a").id("b")
        };
        assert_eq!(CommitMessage::parse(&message.to_string()), Some(message));
    }

    #[test]
    fn no_value_forges_a_trailer() {
        let message = CommitMessage {
            reason: Some("because\nCm-Actor: root".into()),
            body: "Cm-Op: undo".into(),
            ..CommitMessage::new(CommitOp::Add, "Add x\n\nCm-Op: delete")
        };
        let read = CommitMessage::parse(&message.to_string()).unwrap();
        assert_eq!((read.op.as_str(), read.actor), ("add", None));
    }

    #[test]
    fn a_commit_of_somebody_else_is_no_curation() {
        assert_eq!(CommitMessage::parse("Fix typo"), None);
        assert_eq!(CommitMessage::parse("Fix typo\n\nSigned-off-by: a\n"), None);
    }
}
