//! Where sessions went badly, by the signs in their logs: analysed, and written down as files beside the work.
//!
//! What the signs are and weigh is for `curate::friction` to say. Text of sessions is redacted before it is looked at.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::error::{Error, Kind, Result};
use super::logs::{self, Progress, Wanted};
use super::memory::{Call, shown};
use super::secrets;
use cm_agents::ingest::folder;
use cm_learn::friction::score::Quality;
use cm_learn::friction::summary::{Statistics, Verdict};
use cm_learn::friction::{Analysis, Config, Examined, claude_lines, conclude, events, examine, files};
use cm_note::instant::Instant;
use cm_note::path::NotePath;
use cm_secrets::Rules as Secrets;
use cm_store::vault::foreign;

pub use cm_learn::friction::Rules;

/// What is analysed, and by which rules.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// A folder of Claude Code's logs, or one of them; otherwise the sessions that are wanted, where agents keep them.
    pub path: Option<PathBuf>,
    /// Which sessions, where no path is named.
    pub wanted: Wanted,
    /// Which rules judge.
    pub rules: Rules,
    /// Where the files go.
    pub out: Option<PathBuf>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Found {
    /// Which rules judged.
    pub rules: Rules,
    /// How many logs were read.
    pub logs: usize,
    /// The sessions in numbers.
    pub overall: Statistics,
    /// How many sessions went how.
    pub qualities: Vec<Went>,
    /// How many signs of each kind, the most frequent first.
    pub signals: Vec<Counted>,
    /// Whether the signs say anything.
    pub verdict: Verdict,
    /// The sessions with most friction, at most five.
    pub worst: Vec<Worst>,
    /// How many steps around signs may teach what to avoid.
    pub candidates: usize,
    /// How many of these are alike.
    pub clusters: usize,
    /// How many logs told nothing that another had not.
    pub copies: usize,
    /// How many lines could not be read.
    pub unread: u32,
    /// Where the files are.
    pub folder: String,
    /// The files.
    pub files: Vec<String>,
}

/// How many sessions went so.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Went {
    /// How.
    pub quality: Quality,
    /// How many.
    pub sessions: usize,
}

/// How many signs of a kind.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Counted {
    /// Which sign.
    pub signal: &'static str,
    /// How many.
    pub count: u32,
}

/// A session with friction.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Worst {
    /// Which.
    pub session_id: String,
    /// How it went.
    pub quality: Quality,
    /// Its friction.
    pub peak: f64,
    /// How many messages the person sent.
    pub turns: usize,
}

/// Where the files go that nobody named a folder for.
const FOLDER: &str = ".claude/friction";

/// The longest line that is read, in bytes.
const LONGEST: usize = 16 << 20;

/// Analyses sessions and writes the files; with what the person should hear besides.
///
/// # Errors
/// A path that cannot be read, nothing to analyse, and a folder that cannot be written.
pub fn friction(call: &Call, options: &Options, progress: Progress<'_>) -> Result<(Found, Vec<String>)> {
    let config = Config::of(options.rules);
    let out = folder_of(call, options.out.as_deref())?;
    let (mut notices, secrets) = (Vec::new(), secrets::rules_at(call)?);
    let (logs, examined) = match &options.path {
        Some(path) => of_path(&call.cwd.join(path), &config, &secrets, progress)?,
        None => {
            let mut examined = Vec::new();
            let read = logs::each(call, &options.wanted, progress, &mut |told| {
                let told = told.redacted(&secrets);
                examined.push(examine(&events::log(&told.meta, &told.events), &config));
            })?;
            notices = read.notices;
            (read.logs, examined)
        }
    };
    if examined.is_empty() {
        return Err(nothing(logs, options));
    }
    let analysis = conclude(examined, &config, call.now);
    let files = written(&out, &analysis)?;
    Ok((found(&analysis, logs, shown(&out, &call.cwd), files), notices))
}

fn nothing(logs: usize, options: &Options) -> Error {
    let where_ = match &options.path {
        Some(path) => format!("{} holds no session's log", path.display()),
        None => format!("none of {logs} logs tells a session that was asked for"),
    };
    Error::new(Kind::NothingDone, "nothing-done", where_)
        .hint("name a folder with *.jsonl logs of Claude Code, or look further back, such as --days 30")
}

/// The logs of a folder, by the rules' own view of them.
fn of_path(
    path: &Path,
    config: &Config,
    secrets: &Secrets,
    progress: Progress<'_>,
) -> Result<(usize, Vec<Examined>)> {
    let named = folder::named(path).map_err(|error| logs::unread(&error))?;
    let mut examined = Vec::new();
    for (done, log) in named.iter().enumerate() {
        progress(done, named.len());
        if config.rules == Rules::Classic {
            let mut reader = claude_lines::Reader::new(&log.folder, &log.stem);
            let mut line = |line: &[u8]| match serde_json::from_slice(line) {
                Ok(mut record) => {
                    logs::value(&mut record, secrets);
                    reader.line(record.to_string().as_bytes());
                }
                Err(_) => reader.line(line),
            };
            folder::lines(&log.path, LONGEST, &mut line).map_err(|error| logs::unread(&error))?;
            examined.push(examine(&reader.finish(), config));
        } else {
            let told = logs::of_file(&log.path)?;
            let people = told.into_iter().filter(|told| !told.meta.ours && !told.meta.subagent);
            examined.extend(people.map(|told| {
                let told = told.redacted(secrets);
                examine(&events::log(&told.meta, &told.events), config)
            }));
        }
    }
    progress(named.len(), named.len());
    Ok((named.len(), examined))
}

/// The folder that files go to. What nobody named is in the working folder, and no link leads out of it.
fn folder_of(call: &Call, named: Option<&Path>) -> Result<PathBuf> {
    if let Some(named) = named {
        return Ok(call.cwd.join(named));
    }
    let folder = call.cwd.join(FOLDER);
    let there = folder.ancestors().find_map(|ancestor| ancestor.canonicalize().ok());
    let cwd = call.cwd.canonicalize().ok();
    if there.zip(cwd).is_some_and(|(there, cwd)| there.starts_with(cwd)) {
        return Ok(folder);
    }
    Err(Error::refused("leads-out", format!("{FOLDER} leads out of the working folder"))
        .hint("name the folder with --out"))
}

fn written(folder: &Path, analysis: &Analysis) -> Result<Vec<String>> {
    let files: Vec<(NotePath, Vec<u8>)> = files(analysis)
        .into_iter()
        .filter_map(|file| Some((NotePath::parse(file.name).ok()?, file.text.into_bytes())))
        .collect();
    // They are made anew with every analysis.
    foreign::write(folder, &files, &|_, _| true)?;
    Ok(files.iter().map(|(path, _)| path.to_string()).collect())
}

fn found(analysis: &Analysis, logs: usize, folder: String, files: Vec<String>) -> Found {
    let mut qualities: Vec<Went> = Vec::new();
    let mut worst: Vec<Worst> = Vec::new();
    for session in &analysis.sessions {
        match qualities.iter_mut().find(|went| went.quality == session.quality) {
            Some(went) => went.sessions += 1,
            None => qualities.push(Went { quality: session.quality, sessions: 1 }),
        }
        if session.peak() > 0.0 {
            worst.push(Worst {
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
    let signals = analysis.counted().into_iter().filter(|(_, count)| *count > 0);
    Found {
        rules: analysis.rules,
        logs,
        overall: analysis.summary.overall.clone(),
        qualities,
        signals: signals.map(|(kind, count)| Counted { signal: kind.name(), count }).collect(),
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

/// So many days before the call.
pub fn since(call: &Call, days: f64) -> Instant {
    call.now.minus_days(days)
}
