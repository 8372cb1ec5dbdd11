//! Detects friction in session logs and writes an analysis as files.
//!
//! `cm_learn::friction` defines the signals and their weights. Session text is redacted before the
//! analysis.

use crate::context::meaning::judge_reactions;
use crate::context::open::Context;
use crate::context::paths::shown;
use crate::context::progress::Progress;
use crate::context::request::Request;
use crate::context::secrets;
use crate::error::{Error, ErrorKind, Result};
use crate::sessions::logs;
use crate::sessions::logs::{LogSelection, ParsedSession};
use crate::verbs::trauma::incidents_of;
use cm_agents::agents::claude_code::log_folder;
pub use cm_learn::friction::FrictionRules;
use cm_learn::friction::score::SessionQuality;
use cm_learn::friction::summary::{SessionStatistics, SignalVerdict};
use cm_learn::friction::{
    ExaminedLog, FrictionAnalysis, FrictionConfig, HarmDone, claude_lines, conclude, events, examine, files,
};
use cm_note::path::NotePath;
use cm_note::user_text::UserText;
use cm_secrets::RedactionRules as Secrets;
use cm_store::vault::external_folder;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Selects sessions and rules for a friction analysis, and where its files are written.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// A Claude Code log or a folder of them; by default, the logs of the selected sessions.
    pub path: Option<PathBuf>,
    /// Selects sessions if no path is given.
    pub wanted: LogSelection,
    /// Rules by which friction, such as repeated failures or corrections, is detected.
    pub rules: FrictionRules,
    /// Output folder; by default `.claude/friction` in the working directory.
    pub out: Option<PathBuf>,
}

/// Result of a friction analysis.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FrictionReport {
    /// Rules by which friction was detected.
    pub rules: FrictionRules,
    /// Number of logs read.
    pub logs: usize,
    pub overall: SessionStatistics,
    /// Number of sessions per quality level.
    pub qualities: Vec<QualityCount>,
    /// Number of signals per kind, most frequent first.
    pub signals: Vec<SignalCount>,
    /// Whether the detected signals are useful, with reasons and recommended actions.
    pub verdict: SignalVerdict,
    /// The sessions with most friction, at most five.
    pub worst: Vec<FrictionSession>,
    /// Number of steps close to friction signals that could become anti-patterns.
    pub candidates: usize,
    /// Number of clusters of similar candidates.
    pub clusters: usize,
    /// Number of logs that were left out because they repeat other logs.
    pub copies: usize,
    /// Number of log lines that could not be parsed.
    pub unread: u32,
    /// Path of the output folder.
    pub folder: String,
    /// Names of the files written to the output folder.
    pub files: Vec<String>,
}

/// Number of sessions with one quality level.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct QualityCount {
    pub quality: SessionQuality,
    /// Number of sessions.
    pub sessions: usize,
}

/// Number of friction signals of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SignalCount {
    /// Name of the kind of signal.
    pub signal: &'static str,
    /// Number of occurrences.
    pub count: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FrictionSession {
    pub session_id: String,
    pub quality: SessionQuality,
    /// Highest friction score within the session.
    pub peak: f64,
    /// Number of messages of the person.
    pub turns: usize,
}

/// Default output folder, relative to the working directory.
const FOLDER: &str = ".claude/friction";

/// Maximum length of a log line, in bytes.
const MAX_LINE_BYTES: usize = 16 << 20;

/// Analyzes sessions and writes the result files. Returns the report and notices for the user.
///
/// # Errors
/// An unreadable path, no session to analyze, or an output folder that cannot be written.
pub fn friction(
    request: &Request,
    options: &Options,
    progress: &dyn Fn(Progress),
) -> Result<(FrictionReport, Vec<UserText>)> {
    let out = folder_of(request, options.out.as_deref())?;
    let examiner = Examiner {
        request,
        config: FrictionConfig::of(options.rules),
        secrets: secrets::rules_for_request(request)?,
        context: Context::open(request.clone()).ok(),
    };
    let mut notices = Vec::new();
    let (logs, examined) = match &options.path {
        Some(path) => examiner.of_path(&request.cwd.join(path), progress)?,
        None => {
            let mut examined = Vec::new();
            let read = logs::each(request, &options.wanted, progress, &mut |session| {
                examined.push(examiner.session(session));
            })?;
            notices = read.notices;
            (read.logs, examined)
        }
    };
    if examined.is_empty() {
        return Err(nothing(logs, options));
    }
    let analysis = conclude(examined, &examiner.config, request.now);
    let files = write_files(&out, &analysis)?;
    Ok((found(&analysis, logs, shown(&out, &request.cwd), files), notices))
}

fn nothing(logs: usize, options: &Options) -> Error {
    let where_ = match &options.path {
        Some(path) => format!("{} contains no session logs", path.display()),
        None => format!("none of {logs} logs matches the requested sessions"),
    };
    Error::new(ErrorKind::NothingDone, "nothing-done", where_)
        .hint("pass a folder with *.jsonl logs of Claude Code, or a longer period such as `--days 30`")
}

/// Rules and vault with which sessions are examined.
struct Examiner<'c> {
    request: &'c Request,
    config: FrictionConfig,
    secrets: Secrets,
    /// Chooses the model that recognizes reports of harm; `None` without a vault.
    context: Option<Context>,
}

impl Examiner<'_> {
    /// Analyzes a log or a folder of logs. Returns the number of logs and the analyzed sessions.
    fn of_path(&self, path: &Path, progress: &dyn Fn(Progress)) -> Result<(usize, Vec<ExaminedLog>)> {
        let logs_found = log_folder::find_logs(path).map_err(|error| logs::unread(&error))?;
        let mut examined = Vec::new();
        for (done, log) in logs_found.iter().enumerate() {
            progress(Progress { done, total: logs_found.len() });
            if self.config.rules == FrictionRules::Classic {
                let mut reader = claude_lines::ClaudeLineReader::new(&log.folder, &log.stem);
                let mut line = |line: &[u8]| match serde_json::from_slice(line) {
                    Ok(mut record) => {
                        logs::value(&mut record, &self.secrets);
                        reader.line(record.to_string().as_bytes());
                    }
                    Err(_) => reader.line(line),
                };
                log_folder::lines(&log.path, MAX_LINE_BYTES, &mut line)
                    .map_err(|error| logs::unread(&error))?;
                examined.push(examine(&reader.finish(), &self.config));
            } else {
                let sessions = logs::of_file(&log.path)?;
                let people =
                    sessions.into_iter().filter(|session| !session.meta.ours && !session.meta.subagent);
                examined.extend(people.map(|session| self.session(session)));
            }
        }
        progress(Progress { done: logs_found.len(), total: logs_found.len() });
        Ok((logs_found.len(), examined))
    }

    fn session(&self, session: ParsedSession) -> ExaminedLog {
        let harm = match self.config.rules {
            FrictionRules::Classic => Vec::new(),
            FrictionRules::Observed => self.harm_done(&session),
        };
        let session = session.redacted(&self.secrets);
        examine(&events::log(&session.meta, &session.events), &self.config).with_harm(harm)
    }

    /// Returns the destructive commands that did harm. They are judged as they were run; a placeholder for a secret
    /// would be another word to the shell.
    fn harm_done(&self, session: &ParsedSession) -> Vec<HarmDone> {
        let open = self.context.as_ref().map(Context::target);
        let judge = |author, sentences: &[&str]| judge_reactions(open, author, sentences);
        incidents_of(self.request, &session.meta, &session.events, &judge)
            .into_iter()
            .map(|found| HarmDone {
                at: found.event.at,
                details: logs::text(
                    &format!("`{}`, which {}", found.command, found.incident.reason),
                    &self.secrets,
                ),
            })
            .collect()
    }
}

/// Returns the output folder. The default folder is refused if a symbolic link leads out of the
/// working directory.
///
/// # Errors
/// Returns `leads-out` for such a link.
fn folder_of(request: &Request, requested_folder: Option<&Path>) -> Result<PathBuf> {
    if let Some(folder) = requested_folder {
        return Ok(request.cwd.join(folder));
    }
    let folder = request.cwd.join(FOLDER);
    let there = folder.ancestors().find_map(|ancestor| ancestor.canonicalize().ok());
    let cwd = request.cwd.canonicalize().ok();
    if there.zip(cwd).is_some_and(|(there, cwd)| there.starts_with(cwd)) {
        return Ok(folder);
    }
    Err(Error::refused("leads-out", format!("{FOLDER} leads out of the working directory"))
        .hint("set the output folder with `--out`"))
}

fn write_files(folder: &Path, analysis: &FrictionAnalysis) -> Result<Vec<String>> {
    let files: Vec<(NotePath, Vec<u8>)> = files(analysis)
        .into_iter()
        .filter_map(|file| Some((NotePath::parse(file.name).ok()?, file.text.into_bytes())))
        .collect();
    // They are made anew with every analysis.
    external_folder::write(folder, &files, &|_, _| true)?;
    Ok(files.iter().map(|(path, _)| path.to_string()).collect())
}

fn found(analysis: &FrictionAnalysis, logs: usize, folder: String, files: Vec<String>) -> FrictionReport {
    let mut qualities: Vec<QualityCount> = Vec::new();
    let mut worst: Vec<FrictionSession> = Vec::new();
    for session in &analysis.sessions {
        match qualities.iter_mut().find(|went| went.quality == session.quality) {
            Some(went) => went.sessions += 1,
            None => qualities.push(QualityCount { quality: session.quality, sessions: 1 }),
        }
        if session.peak() > 0.0 {
            worst.push(FrictionSession {
                session_id: session.session_id.clone(),
                quality: session.quality,
                peak: session.peak(),
                turns: session.session_metadata.turn_count,
            });
        }
    }
    qualities.sort_by_key(|went| went.quality);
    worst.sort_by(|a, b| b.peak.total_cmp(&a.peak));
    worst.truncate(5);
    let signals = analysis.signal_counts().into_iter().filter(|(_, count)| *count > 0);
    FrictionReport {
        rules: analysis.rules,
        logs,
        overall: analysis.summary.overall.clone(),
        qualities,
        signals: signals.map(|(kind, count)| SignalCount { signal: kind.name(), count }).collect(),
        verdict: analysis.summary.verdict.clone(),
        worst,
        candidates: analysis.candidates.len(),
        clusters: analysis.clusters.len(),
        copies: analysis.copies,
        unread: analysis.unread,
        folder,
        files,
    }
}
