//! Claude Code: a folder per project, with one JSON Lines file per session and per subagent.

mod assistant;
mod attachments;
mod user;
mod wire;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::ClaudeCode;
use crate::agents::connector::{Connector, LogReader};
use crate::ingest::emitter::Emitter;
use crate::ingest::lenient::{ContentPiece, MessageContent};
use crate::ingest::line_reader::LineFormat;
use crate::ingest::locations::{self, LogLocations};
use crate::ingest::sink::SkipReason;
use crate::ingest::source::{FoundLogs, LogFormat, LogSource};
use cm_note::instant::Instant;
use cm_session::Agent;
use cm_session::event::EventKind;
use wire::{ClaudeMessage, ClaudeRecord};

impl Connector for ClaudeCode {
    fn find(&self, places: &LogLocations, found: &mut FoundLogs) {
        let mut roots: Vec<PathBuf> = places.extra_paths_of(Agent::ClaudeCode).to_vec();
        roots.push(
            places
                .variable("CLAUDE_CONFIG_DIR")
                .unwrap_or_else(|| places.home.join(".claude"))
                .join("projects"),
        );
        roots.push(places.config_home().join("claude-code/projects"));
        for root in roots {
            if root.is_file() {
                found.add(Agent::ClaudeCode, LogFormat::ClaudeLines, root);
                continue;
            }
            for path in found.files_below(&root, 4) {
                if is_log(&path) {
                    let mut source = LogSource::new(Agent::ClaudeCode, LogFormat::ClaudeLines, &path);
                    source.parent = parent_of(&path).map(Into::into);
                    found.sources.push(source);
                }
            }
        }
    }

    fn reader(&self, _: LogFormat) -> LogReader {
        LogReader::lines::<ClaudeState>()
    }
}

/// Returns whether a file is the log of a session or subagent, not a prompt history or spilled tool
/// output.
fn is_log(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "jsonl")
        && locations::name(path) != "history.jsonl"
        && !path.components().any(|part| matches!(part.as_os_str().to_str(), Some("tool-results" | "memory")))
}

/// Returns the session in whose folder a subagent's log is stored.
fn parent_of(path: &Path) -> Option<&str> {
    let agents = path.parent().filter(|folder| locations::name(folder) == "subagents")?;
    Some(locations::folder(agents)).filter(|name| !name.is_empty())
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
pub struct ClaudeState {
    /// The last compaction, while its summary has not been read yet.
    compaction: Option<CompactionBoundary>,
}

/// Position of a compaction that was emitted without its summary.
#[derive(Debug, Serialize, Deserialize)]
struct CompactionBoundary {
    line: u64,
    at: Option<Instant>,
    record: Option<String>,
    trigger: Option<String>,
}

impl LineFormat for ClaudeState {
    fn begin(source: &LogSource, out: &mut Emitter<'_>) {
        let stem = locations::stem(&source.path);
        match &source.parent {
            Some(parent) => out.begin_with_id(source, &format!("{parent}/{stem}")),
            None if is_uuid(stem) => out.begin_with_id(source, stem),
            None => out.begin(source.initial_meta()),
        }
    }

    fn line(&mut self, line: &[u8], out: &mut Emitter<'_>) -> serde_json::Result<()> {
        let record: ClaudeRecord<'_> = serde_json::from_slice(line)?;
        if let Some(id) = record.session_id.non_blank() {
            out.identify(id);
        }
        if let Some(folder) = record.cwd.non_blank() {
            out.workspace(folder);
        }
        if let Some(branch) = record.git_branch.non_blank().filter(|branch| *branch != "HEAD") {
            out.branch(branch);
        }
        if let (Some(fork), Some(meta)) =
            (record.forked_from.0.as_ref().and_then(|fork| fork.session_id.non_blank()), out.meta())
            && meta.parent.is_none()
            && meta.id.as_str() != fork
        {
            meta.parent = Some(fork.into());
        }
        if let (Some(_), Some(meta)) =
            (record.entrypoint.non_blank().filter(|entry| entry.starts_with("sdk")), out.meta())
        {
            meta.headless = true;
        }
        out.extend_time_range(record.timestamp.0);
        self.record(&record, out);
        Ok(())
    }
}

impl ClaudeState {
    fn record(&mut self, record: &ClaudeRecord<'_>, out: &mut Emitter<'_>) {
        let kind = record.kind.or_empty();
        match kind {
            "user" => match &record.message.0 {
                Some(message) => self.user(record, message, out),
                None => out.count_unknown("user without a message"),
            },
            "assistant" => match &record.message.0 {
                Some(message) => assistant::emit(record, message, out),
                None => out.count_unknown("assistant without a message"),
            },
            "system" => self.system(record, out),
            "attachment" => match &record.attachment.0 {
                Some(attachment) => attachments::attached(record, attachment, out),
                None => out.count_unknown("attachment without content"),
            },
            "summary" => {
                if let Some(title) = record.summary.non_blank() {
                    out.title(title);
                }
                let trigger = Some("summary".to_owned());
                let kind = EventKind::Compaction { trigger, summary: record.summary.owned() };
                // Its `leafUuid` is a record of the session that it sums up, perhaps another: no id of its own.
                out.emit(record.timestamp.0, None, false, kind);
            }
            "ai-title" | "custom-title" => {
                if let Some(title) = [&record.ai_title, &record.custom_title, &record.title]
                    .iter()
                    .find_map(|text| text.non_blank())
                {
                    out.title(title);
                }
                out.skip(kind, SkipReason::Metadata);
            }
            "progress" => attachments::progress(record, out),
            "queue-operation" => out.skip(kind, SkipReason::Duplicate),
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
                out.skip(kind, SkipReason::Bookkeeping);
            }
            other => out.count_unknown(other),
        }
    }

    fn system(&mut self, record: &ClaudeRecord<'_>, out: &mut Emitter<'_>) {
        let text = || record.content.joined(|_| None);
        let subtype = record.subtype.or_empty();
        let kind = match subtype {
            "compact_boundary" | "microcompact_boundary" => {
                let trigger = record.compact_metadata.0.as_ref().and_then(|meta| meta.trigger.owned());
                if subtype == "compact_boundary" {
                    let (at, trigger) = (record.timestamp.0, trigger.clone());
                    self.compaction = Some(CompactionBoundary {
                        line: out.line(),
                        at,
                        record: record.uuid.owned(),
                        trigger,
                    });
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
                return out.skip(subtype, SkipReason::Bookkeeping);
            }
            "local_command"
            | "informational"
            | "away_summary"
            | "scheduled_task_fire"
            | "permission_retry"
            | "" => EventKind::System { text: text() },
            other => return out.count_unknown(&format!("system/{other}")),
        };
        out.emit(record.timestamp.0, record.uuid.non_blank(), record.is_sidechain.is_set(), kind);
    }

    fn user(&mut self, record: &ClaudeRecord<'_>, message: &ClaudeMessage<'_>, out: &mut Emitter<'_>) {
        let (at, id) = (record.timestamp.0, record.uuid.non_blank());
        if record.is_compact_summary.is_set() {
            let summary = Some(message.content.joined(|block| block.text.0.as_deref()));
            let Some(boundary) = self.compaction.take() else {
                return out.emit(at, id, false, EventKind::Compaction { trigger: None, summary });
            };
            let kind = EventKind::Compaction { trigger: boundary.trigger, summary };
            out.emit_again(boundary.line, boundary.at, boundary.record.as_deref(), kind);
            return out.skip("compact summary", SkipReason::Duplicate);
        }
        match &message.content {
            MessageContent::Nothing => out.count_unknown("user without content"),
            MessageContent::Text(text) => user::text(record, text, out),
            MessageContent::Blocks(pieces) => {
                if pieces.is_empty() {
                    out.skip("user", SkipReason::Empty);
                }
                for piece in pieces {
                    match piece {
                        ContentPiece::Text(text) => user::text(record, text, out),
                        ContentPiece::Block(block) => user::block(record, block, out),
                        ContentPiece::Nothing => out.count_unknown("user/no block"),
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
