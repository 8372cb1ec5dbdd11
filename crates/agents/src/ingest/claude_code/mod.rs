//! Claude Code: a folder per project, with one JSON Lines file per session and per subagent.

mod answer;
mod given;
mod user;
mod wire;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::connector::Connector;
use super::error::Error;
use super::lines::{self, Lines};
use super::loose::{Content, Piece};
use super::out::Out;
use super::places::{self, Places};
use super::position::Cursor;
use super::reading::{Limits, Reading};
use super::sink::{Sink, Skip};
use super::source::{Format, Found, Source};
use cm_note::instant::Instant;
use cm_session::Agent;
use cm_session::event::EventKind;
use wire::{Message, Record};

pub struct ClaudeCode;

impl Connector for ClaudeCode {
    fn find(&self, places: &Places, found: &mut Found) {
        let mut roots: Vec<PathBuf> = places.named(Agent::ClaudeCode).to_vec();
        roots.push(
            places
                .variable("CLAUDE_CONFIG_DIR")
                .unwrap_or_else(|| places.home.join(".claude"))
                .join("projects"),
        );
        roots.push(places.config_home().join("claude-code/projects"));
        for root in roots {
            if root.is_file() {
                found.add(Agent::ClaudeCode, Format::ClaudeLines, root);
                continue;
            }
            for path in found.files_below(&root, 4) {
                if is_log(&path) {
                    let mut source = Source::new(Agent::ClaudeCode, Format::ClaudeLines, &path);
                    source.parent = parent_of(&path).map(Into::into);
                    found.sources.push(source);
                }
            }
        }
    }

    fn read(
        &self,
        source: &Source,
        cursor: Option<&Cursor>,
        limits: Limits,
        sink: &mut dyn Sink,
    ) -> Result<Reading, Error> {
        lines::read_file::<State>(source, cursor, limits, sink)
    }
}

/// Returns whether a file is the log of a session or subagent, not a prompt history or spilled tool
/// output.
fn is_log(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "jsonl")
        && places::name(path) != "history.jsonl"
        && !path.components().any(|part| matches!(part.as_os_str().to_str(), Some("tool-results" | "memory")))
}

/// Returns the session in whose folder a subagent's log is stored.
fn parent_of(path: &Path) -> Option<&str> {
    let agents = path.parent().filter(|folder| places::name(folder) == "subagents")?;
    Some(places::folder(agents)).filter(|name| !name.is_empty())
}

/// Returns whether a text has the form of a UUID.
fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Parser state between lines.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct State {
    /// The last compaction, while its summary has not been read yet.
    compaction: Option<Boundary>,
}

/// Position of a compaction that was emitted without its summary.
#[derive(Debug, Serialize, Deserialize)]
struct Boundary {
    line: u64,
    at: Option<Instant>,
    record: Option<String>,
    trigger: Option<String>,
}

impl Lines for State {
    fn begin(source: &Source, out: &mut Out<'_>) {
        let stem = places::stem(&source.path);
        let mut meta = lines::meta_of(source);
        match &source.parent {
            Some(parent) => {
                meta.id = format!("{parent}/{stem}").into();
                out.begin_named(meta);
            }
            None if is_uuid(stem) => {
                meta.id = stem.into();
                out.begin_named(meta);
            }
            None => out.begin(meta),
        }
    }

    fn line(&mut self, line: &[u8], out: &mut Out<'_>) -> serde_json::Result<()> {
        let record: Record<'_> = serde_json::from_slice(line)?;
        if let Some(id) = record.session_id.said() {
            out.identify(id);
        }
        if let Some(folder) = record.cwd.said() {
            out.workspace(folder);
        }
        if let Some(branch) = record.git_branch.said().filter(|branch| *branch != "HEAD") {
            out.branch(branch);
        }
        if let (Some(fork), Some(meta)) =
            (record.forked_from.0.as_ref().and_then(|fork| fork.session_id.said()), out.meta())
            && meta.parent.is_none()
            && meta.id.as_str() != fork
        {
            meta.parent = Some(fork.into());
        }
        out.saw(record.timestamp.0);
        self.record(&record, out);
        Ok(())
    }
}

impl State {
    fn record(&mut self, record: &Record<'_>, out: &mut Out<'_>) {
        let kind = record.kind.or_empty();
        match kind {
            "user" => match &record.message.0 {
                Some(message) => self.user(record, message, out),
                None => out.unknown("user without a message"),
            },
            "assistant" => match &record.message.0 {
                Some(message) => answer::tell(record, message, out),
                None => out.unknown("assistant without a message"),
            },
            "system" => self.system(record, out),
            "attachment" => match &record.attachment.0 {
                Some(attachment) => given::attached(record, attachment, out),
                None => out.unknown("attachment without content"),
            },
            "summary" => {
                if let Some(title) = record.summary.said() {
                    out.title(title);
                }
                let trigger = Some("summary".to_owned());
                let kind = EventKind::Compaction { trigger, summary: record.summary.owned() };
                // Its `leafUuid` is a record of the session that it sums up, perhaps another: no id of its own.
                out.tell(record.timestamp.0, None, false, kind);
            }
            "ai-title" | "custom-title" => {
                if let Some(title) = [&record.ai_title, &record.custom_title, &record.title]
                    .iter()
                    .find_map(|text| text.said())
                {
                    out.title(title);
                }
                out.skip(kind, Skip::About);
            }
            "progress" => given::progress(record, out),
            "queue-operation" => out.skip(kind, Skip::Duplicate),
            "agent-name"
            | "permission-mode"
            | "mode"
            | "last-prompt"
            | "tag"
            | "task-summary"
            | "pr-link"
            | "worktree-state"
            | "cost-state"
            | "file-history-snapshot"
            | "file-history-delta"
            | "content-replacement" => {
                out.skip(kind, Skip::Bookkeeping);
            }
            other => out.unknown(other),
        }
    }

    fn system(&mut self, record: &Record<'_>, out: &mut Out<'_>) {
        let text = || record.content.joined(|_| None);
        let subtype = record.subtype.or_empty();
        let kind = match subtype {
            "compact_boundary" | "microcompact_boundary" => {
                let trigger = record.compact_metadata.0.as_ref().and_then(|meta| meta.trigger.owned());
                if subtype == "compact_boundary" {
                    let (at, trigger) = (record.timestamp.0, trigger.clone());
                    self.compaction =
                        Some(Boundary { line: out.line(), at, record: record.uuid.owned(), trigger });
                }
                EventKind::Compaction { trigger, summary: None }
            }
            "api_error" => {
                let error = record.error.get().map(RawValue::get).unwrap_or_default();
                EventKind::Error {
                    text: Some(text()).filter(|text| !text.is_empty()).unwrap_or_else(|| error.to_owned()),
                }
            }
            "agents_killed" => EventKind::Interrupt,
            "stop_hook_summary" | "turn_duration" | "bridge_status" => {
                return out.skip(subtype, Skip::Bookkeeping);
            }
            "local_command"
            | "informational"
            | "away_summary"
            | "scheduled_task_fire"
            | "permission_retry"
            | "" => EventKind::System { text: text() },
            other => return out.unknown(&format!("system/{other}")),
        };
        out.tell(record.timestamp.0, record.uuid.said(), record.is_sidechain.is_set(), kind);
    }

    fn user(&mut self, record: &Record<'_>, message: &Message<'_>, out: &mut Out<'_>) {
        let (at, id) = (record.timestamp.0, record.uuid.said());
        if record.is_compact_summary.is_set() {
            let summary = Some(message.content.joined(|block| block.text.0.as_deref()));
            let Some(boundary) = self.compaction.take() else {
                return out.tell(at, id, false, EventKind::Compaction { trigger: None, summary });
            };
            let kind = EventKind::Compaction { trigger: boundary.trigger, summary };
            out.tell_again(boundary.line, boundary.at, boundary.record.as_deref(), kind);
            return out.skip("compact summary", Skip::Duplicate);
        }
        match &message.content {
            Content::Nothing => out.unknown("user without content"),
            Content::Text(text) => user::text(record, text, out),
            Content::Blocks(pieces) => {
                if pieces.is_empty() {
                    out.skip("user", Skip::Empty);
                }
                for piece in pieces {
                    match piece {
                        Piece::Text(text) => user::text(record, text, out),
                        Piece::Block(block) => user::block(record, block, out),
                        Piece::Nothing => out.unknown("user/no block"),
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sub_agents_session_is_the_folder_above() {
        assert_eq!(parent_of(Path::new("/p/11-22/subagents/agent-a1.jsonl")), Some("11-22"));
        assert_eq!(parent_of(Path::new("/p/11-22.jsonl")), None);
        assert!(!is_log(Path::new("/p/x/tool-results/a.jsonl")) && is_log(Path::new("/p/x.jsonl")));
    }
}
