//! Reads new entries of agents' logs into the session index.
//!
//! Reading continues where it last ended. The events of a log, its session and the new position are
//! written in one transaction.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::time::Duration;

use super::access_log;
use super::index_writer::{AllowedSessions, SessionIndexWriter, title_of};
use super::sources::{LogSources, path_of};
use super::vectors::SessionVectors;
use crate::context::embedding::budget;
use crate::context::open::Context;
use crate::context::progress::{Progress, ProgressWatch};
use crate::context::secrets;
use crate::error::Result;
use cm_agents::ingest::{self, IngestLimits, LogCursor, LogFormat, LogSource, ReadResult, RecordCounts};
use cm_index::Error::Unusable;
use cm_index::sessions::{ParseCounts, SessionKey, SessionStoreWriter};
use cm_secrets::{RedactionRules, redact};
use cm_session::SessionId;
use cm_store::config::keys;

/// Pseudo log path under which the session index stores its filter and redaction rules. If either
/// changes, every log is read again.
pub(super) const SCOPE: &str = "cm:scope";

/// Maximum number of time limits that one pass spends on embedding with the large model.
const MAX_LIMITS: usize = 20;
/// Maximum number of notices of each kind; further ones are only counted.
const MAX_NOTICES: usize = 3;

/// Updates the session index, and reports each log before it is read. If another process is doing
/// so, or if the index cannot be written, adds a notice and leaves it as it is.
///
/// # Errors
/// Returns an error if a redaction pattern is invalid, if the index cannot be used, or if the request
/// was cancelled.
pub fn refresh(context: &Context, progress: &mut dyn FnMut(Progress)) -> Result<()> {
    refresh_within(context, Duration::ZERO, progress)
}

/// Like [`refresh`], but waits up to `patience` for another process.
///
/// # Errors
/// The errors of [`refresh`].
pub fn refresh_within(
    context: &Context,
    patience: Duration,
    progress: &mut dyn FnMut(Progress),
) -> Result<()> {
    let open = context.target();
    let Some(home) = &context.request.home else {
        context.notice("the home directory is unknown, so no logs are read");
        return Ok(());
    };
    let (rules, patterns) = secrets::rules_of_logs(context, open)?;
    let sources = LogSources::of(context, open, home.clone());
    let mut reader = IndexRefresher {
        folder: super::folder(context),
        scope: format!("{} {patterns}", sources.allowed.fingerprint()),
        sources,
        rules,
        large: open.settings.integer(keys::SESSIONS_MAX_FILE_MB) as u64 * 1_000_000,
        notices: RefreshNotices::default(),
        watch: context.request.watch.clone(),
        first: false,
        patience,
    };
    let read = match reader.read_all(false, progress) {
        // Damage that shows only now: all is read anew.
        Err(Unusable(_)) => reader.read_all(true, progress),
        read => read,
    };
    reader.notices.add_notices(context);
    if reader.first && reader.sources.allowed.allows_all() && !context.request.caller.has_token {
        context
            .notice("the global vault reads sessions of all projects; limit them with `sessions.workspaces`");
    }
    // Where a project's own sessions were read, those of other folders are rightly skipped.
    if reader.first && reader.notices.left_out > 0 && reader.notices.read.is_empty() {
        let count = reader.notices.left_out;
        context.notice(format!(
            "{count} sessions of other folders are skipped; add folders to `sessions.workspaces` in your own settings"
        ));
    }
    let changed = reader.notices.read.len();
    access_log::record(context, std::mem::take(&mut reader.notices.read));
    // What was read until then is kept; the next reading goes on.
    context.request.watch.check_cancelled()?;
    match read {
        Ok(()) => {
            embed(context, changed);
            Ok(())
        }
        Err(cm_index::Error::Busy { .. }) => {
            context.notice("another process is reading sessions; the answer uses what is indexed so far");
            Ok(())
        }
        Err(cm_index::Error::Io { path, source }) => {
            context.notice(format!(
                "new sessions are not read, because {} cannot be used ({source}); the answer uses the existing index",
                path.display()
            ));
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}

/// Embeds the new passages: with the small model all of them, with the large one within the time
/// limit of a command for each of the `changed` logs.
fn embed(context: &Context, changed: usize) {
    let Some(vectors) = SessionVectors::open(context) else { return };
    let limit = budget(&context.target().settings).as_millis() as u64 * changed.clamp(1, MAX_LIMITS) as u64;
    let deadline = (context.request.clock)() + limit;
    let embedded = vectors.embed_coarse().and_then(|()| {
        let in_time = |_: Progress| limit > 0 && (context.request.clock)() < deadline;
        vectors.embed_fine(&mut { in_time }).map(|_| ())
    });
    if let Err(error) = embedded {
        context.notice(format!("not all sessions can be found by meaning: {}", error.message));
    }
}

/// One pass that reads new entries of all logs into the session index.
struct IndexRefresher {
    folder: PathBuf,
    scope: String,
    sources: LogSources,
    rules: RedactionRules,
    /// Minimum size in bytes of a log that is mentioned in a notice because of its size.
    large: u64,
    notices: RefreshNotices,
    watch: ProgressWatch,
    /// Whether this pass creates the index for the current filter.
    first: bool,
    /// Maximum wait for another process that writes the index.
    patience: Duration,
}

impl IndexRefresher {
    fn read_all(
        &mut self,
        anew: bool,
        progress: &mut dyn FnMut(Progress),
    ) -> std::result::Result<(), cm_index::Error> {
        let mut writer = self.writer(anew)?;
        let found = self.sources.find(&[]);
        self.notices = RefreshNotices::default();
        self.notices.unread.extend(found.errors.iter().map(ToString::to_string));
        let logs = found.sources.iter().map(|source| (path_of(source), source.format)).collect();
        for (done, source) in found.sources.iter().enumerate() {
            if self.watch.is_cancelled() {
                break;
            }
            progress(Progress { done, total: found.sources.len() });
            self.read(&mut writer, source, &path_of(source), &logs)?;
        }
        writer.finish()
    }

    /// Opens the index for writing; clears it if it was written with another filter or other
    /// redaction rules.
    fn writer(&mut self, anew: bool) -> std::result::Result<SessionStoreWriter, cm_index::Error> {
        let begin = || SessionStoreWriter::create_new(&self.folder, self.patience);
        let mut writer =
            if anew { begin()? } else { SessionStoreWriter::open_or_repair(&self.folder, self.patience)?.0 };
        let stored_scope = writer.log(SCOPE)?.map(|log| log.cursor);
        if stored_scope.as_ref() == Some(&self.scope) {
            return Ok(writer);
        }
        if stored_scope.is_some() {
            drop(writer);
            writer = begin()?;
        }
        writer.read(SCOPE, self.scope.clone(), ParseCounts::default(), false)?;
        self.first = true;
        Ok(writer)
    }

    fn read(
        &mut self,
        writer: &mut SessionStoreWriter,
        source: &LogSource,
        path: &str,
        logs: &HashMap<String, LogFormat>,
    ) -> std::result::Result<(), cm_index::Error> {
        let log = writer.log(path)?;
        let mut cursor: Option<LogCursor> = log.and_then(|log| serde_json::from_str(&log.cursor).ok());
        let allowed = match self.sources.allowed.is_by_folder() {
            true => Some(self.allowed_of(writer, source, &mut cursor)?),
            false => None,
        };
        let is_other = allowed.as_ref().is_some_and(HashSet::is_empty);
        let mut session_writer = SessionIndexWriter {
            writer,
            rules: &self.rules,
            source,
            path,
            logs,
            allowed,
            read_from_start: HashSet::new(),
            decided: HashMap::new(),
            failed: None,
            must_reread: false,
            bytes: 0,
        };
        let read = ingest::read(source, cursor.as_ref(), IngestLimits::default(), &mut session_writer);
        let session_read = access_log::SessionRead {
            sessions: session_writer.written_sessions(),
            bytes: session_writer.bytes,
            ..access_log::SessionRead::of_log(source.agent, path.to_owned())
        };
        let SessionIndexWriter { failed, must_reread: again, .. } = session_writer;
        let is_new = |reading: &ReadResult| reading.progress != ingest::ReadStart::Unchanged;
        if read.as_ref().is_ok_and(is_new) {
            self.notices.read.push(session_read);
        }
        match (failed, read) {
            (Some(error), _) => Err(error),
            (None, Ok(reading)) if reading.progress == ingest::ReadStart::Unchanged => Ok(()),
            (None, Ok(_)) if again => {
                writer.forget_log(path);
                Ok(())
            }
            (None, Ok(mut reading)) => {
                if is_other {
                    // The title is another project's words. A session that is allowed later is read from its start.
                    reading.cursor.redact(|_| String::new());
                }
                self.keep(writer, path, reading)
            }
            (None, Err(error)) => {
                self.notices.unread.push(error.to_string());
                writer.forget_log(path);
                Ok(())
            }
        }
    }

    /// Returns the sessions of a log that the filter permits. The log is scanned in advance, so
    /// that no text of other sessions is written.
    fn allowed_of(
        &mut self,
        writer: &mut SessionStoreWriter,
        source: &LogSource,
        cursor: &mut Option<LogCursor>,
    ) -> std::result::Result<HashSet<SessionId>, cm_index::Error> {
        let mut found = AllowedSessions::default();
        if ingest::read(source, cursor.as_ref(), IngestLimits::default(), &mut found).is_err() {
            // The reading that counts fails as well, and says so.
            return Ok(HashSet::new());
        }
        let (allowed, others): (Vec<_>, Vec<_>) =
            found.metas.iter().partition(|meta| self.sources.allow(source, meta));
        self.notices.left_out += others.iter().filter(|meta| !meta.subagent).count();
        let allowed: HashSet<SessionId> = allowed.into_iter().map(|meta| meta.id.clone()).collect();
        for id in allowed.iter().filter(|id| !found.begun.contains(id)) {
            let key = SessionKey { agent: source.agent, id: id.clone() };
            if writer.session(&key)?.is_none() {
                // It named its folder only now; what came before was passed over.
                *cursor = None;
            }
        }
        Ok(allowed)
    }

    fn keep(
        &mut self,
        writer: &mut SessionStoreWriter,
        path: &str,
        reading: ReadResult,
    ) -> std::result::Result<(), cm_index::Error> {
        let ReadResult { mut cursor, tally, progress } = reading;
        if cursor.size() >= self.large {
            self.notices.large.push(format!("{path} has {} MB", cursor.size() / 1_000_000));
        }
        if tally.is_mostly_unknown() {
            self.notices.unknown.push(format!("{path} {}", not_understood(&tally, &self.rules)));
        }
        cursor.redact(|title| title_of(title, &self.rules).into_string());
        // A cursor is made of numbers and texts, which always have a JSON form; without one the log is read anew.
        let cursor = serde_json::to_string(&cursor).unwrap_or_default();
        let from_start = progress == ingest::ReadStart::FromStart;
        writer.read(path, cursor, understanding(&tally, &self.rules), from_start)
    }
}

fn understanding(tally: &RecordCounts, rules: &RedactionRules) -> ParseCounts {
    let unknown = tally.unknown.iter().map(|(name, count)| (redact(name, rules).0.into_string(), *count));
    ParseCounts { records: tally.records, not_understood: tally.not_understood(), unknown: unknown.collect() }
}

/// Formats the number of unrecognized records with up to three of their kinds, such as `(3 of 90
/// records: x, y)`.
fn not_understood(tally: &RecordCounts, rules: &RedactionRules) -> String {
    let kinds: Vec<String> =
        tally.unknown.keys().take(3).map(|name| redact(name, rules).0.into_string()).collect();
    let kinds = if kinds.is_empty() { String::new() } else { format!(": {}", kinds.join(", ")) };
    format!("({} of {} records{kinds})", tally.not_understood(), tally.records)
}

/// Collects the notices and the access log entries of one pass.
#[derive(Debug, Default)]
struct RefreshNotices {
    /// Reads to record in the access log, one per log with new events.
    read: Vec<access_log::SessionRead>,
    /// Number of sessions that were skipped because their folder is not permitted.
    left_out: usize,
    unread: Vec<String>,
    unknown: Vec<String>,
    large: Vec<String>,
}

impl RefreshNotices {
    fn add_notices(&self, context: &Context) {
        let few = |what: &str, all: &[String]| {
            all.iter().take(MAX_NOTICES).for_each(|one| context.notice(format!("{what}{one}")));
            if all.len() > MAX_NOTICES {
                context.notice(format!("{what}{} more", all.len() - MAX_NOTICES));
            }
        };
        few("", &self.unread);
        few("mostly not parsed, maybe written by another version of the agent: ", &self.unknown);
        few("large, read in parts: ", &self.large);
    }
}
