//! Replays the sessions of a project in time order, and counts what a session had to learn although
//! an earlier one had learned it.
//!
//! What a session had to learn is what `cm reflect` takes from it alone, into an empty vault. A need
//! is repeated if an earlier session had a need of the same meaning, and prevented if the briefing
//! for the session's first prompt had it. Before each session the vault has learned from all
//! sessions that had ended. No labels are used, so the figures compare readers on one project.

use std::path::{Path, PathBuf};

use cm_app::Request;
use cm_app::context::cancellation::Cancellation;
use cm_app::sessions::logs::{self, LogSelection, ParsedSession};
use cm_app::sessions::{SessionAccess, SessionSelection};
use cm_app::verbs::context::{self, Briefing};
use cm_app::verbs::reflect::{self, LearnedChange};
use cm_app::verbs::{init, review};
use cm_app::{Context, PrivateHome};
use cm_embed::Embedder as _;
use cm_embed::builtin::MiniLm;
use cm_note::instant::Instant;
use cm_playbook::conflict::{RuleStatement, opposition};
use cm_session::event::EventKind;
use cm_text::embedding::Embedding;

use crate::eval_vault;
use crate::fault::{EvalError, Result};
use crate::table::{head, row};

/// What to replay, and how.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Home folder with the logs of agents, or a folder of Claude Code or Codex logs
    folder: PathBuf,
    /// Folder of the project, as the logs name it [default: that of the most sessions]
    #[arg(long, value_name = "PATH")]
    project: Option<String>,
    /// Accept every draft when it is made
    #[arg(long)]
    accept: bool,
    /// Cosine of two texts, 0–1, from which they mean the same
    #[arg(long, value_name = "N", default_value_t = 0.65)]
    alike: f64,
    /// List what was repeated, and whether the briefing had it
    #[arg(long)]
    show: bool,
}

/// A session of the project.
struct ReplayedSession {
    started: Instant,
    ended: Instant,
    /// Path of the log, relative to the home folder.
    log: PathBuf,
    /// The first prompt.
    task: String,
}

/// What a need is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NeedKind {
    /// A rule, preference, decision or fact.
    Correction,
    /// A failure with what ended it.
    Error,
}

/// Something that a session had to learn.
struct Need {
    kind: NeedKind,
    text: String,
    embedding: Embedding,
}

/// Numbers of needs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct NeedCounts {
    all: usize,
    repeated: usize,
    /// In the rules, pitfalls or memories of the briefing.
    prevented: usize,
    /// Also those that only an excerpt of a past session had.
    with_history: usize,
}

/// Replays the sessions, and returns the figures as tables.
///
/// # Errors
///
/// No sessions, a file that cannot be read or written, or an operation that fails.
pub fn report(options: &Options) -> Result<String> {
    let scratch = tempfile::tempdir().map_err(EvalError::file(&std::env::temp_dir()))?;
    let home = home_of(&options.folder, scratch.path())?;
    let (project, sessions) = sessions(&home, options.project.as_deref())?;
    eprintln!("{project}: {} sessions", sessions.len());
    let main = Stage::create(&scratch.path().join("main"), &project, sessions[0].started)?;
    let mut counts =
        [(NeedKind::Correction, NeedCounts::default()), (NeedKind::Error, NeedCounts::default())];
    let (mut earlier, mut tokens, mut lines): (Vec<Need>, Vec<usize>, Vec<String>) = Default::default();
    let mut waiting: Vec<&ReplayedSession> = Vec::new();
    for (number, session) in sessions.iter().enumerate() {
        // A session that still ran when this one began has taught nothing yet.
        let (over, running): (Vec<&ReplayedSession>, Vec<_>) =
            waiting.into_iter().partition(|one| one.ended <= session.started);
        waiting = running;
        for ended in over {
            main.learn(&home, ended, options.accept)?;
        }
        let briefing = main.brief(session)?;
        let (shown, past) = (embedded(&shown(&briefing))?, embedded(&history(&briefing))?);
        tokens.extend((number > 0).then_some(briefing.tokens));
        let alone =
            Stage::create(&scratch.path().join(format!("alone-{number}")), &project, session.started)?;
        let needs = needs(alone.learn(&home, session, false)?)?;
        for need in &needs {
            let (_, count) = &mut counts[usize::from(need.kind == NeedKind::Error)];
            let before = earlier.iter().any(|old| need.is_like(&old.text, &old.embedding, options.alike));
            let is_in = |all: &[(String, Embedding)]| {
                all.iter().any(|(text, embedding)| need.is_like(text, embedding, options.alike))
            };
            let prevented = before && is_in(&shown);
            let in_history = before && (prevented || is_in(&past));
            count.all += 1;
            count.repeated += usize::from(before);
            count.prevented += usize::from(prevented);
            count.with_history += usize::from(in_history);
            if before {
                let what = if prevented { "prevented" } else { "repeated " };
                lines.push(format!("  {what}  {}  {}", session.started, need.text));
            }
        }
        earlier.extend(needs);
        waiting.push(session);
    }
    let mut text = figures(&counts, sessions.len(), &tokens);
    if options.show {
        text += &format!("\n{}\n", lines.join("\n"));
    }
    Ok(text)
}

fn figures(counts: &[(NeedKind, NeedCounts)], sessions: usize, tokens: &[usize]) -> String {
    let mut both = NeedCounts::default();
    for (_, one) in counts {
        both.all += one.all;
        both.repeated += one.repeated;
        both.prevented += one.prevented;
        both.with_history += one.with_history;
    }
    let mut text =
        head(&["what a session had to learn", "all", "repeated", "prevented", "share", "with history"], 1);
    let kinds = counts
        .iter()
        .map(|(kind, count)| (if *kind == NeedKind::Error { "errors" } else { "corrections" }, *count));
    for (name, count) in kinds.chain([("both", both)]) {
        let share = |part: usize| match count.repeated {
            0 => "–".to_owned(),
            repeated => format!("{:.0} %", 100.0 * part as f64 / repeated as f64),
        };
        text += &row([
            name.to_owned(),
            count.all.to_string(),
            count.repeated.to_string(),
            count.prevented.to_string(),
            share(count.prevented),
            share(count.with_history),
        ]);
    }
    let sum: usize = tokens.iter().sum();
    let mean = sum as f64 / tokens.len().max(1) as f64;
    text + &format!("\n{sessions} sessions; briefings {sum} tokens, {mean:.0} each; no model, 0 tokens\n")
}

/// A vault of its own for the project, with a home folder that receives the logs one by one.
struct Stage {
    home: PathBuf,
    repository: PathBuf,
    /// Folder of the project in the logs; replaced by `repository`.
    project: String,
    private: PrivateHome,
}

impl Stage {
    fn create(folder: &Path, project: &str, now: Instant) -> Result<Self> {
        let name = Path::new(project).file_name().unwrap_or("project".as_ref());
        let stage = Self {
            home: folder.join("home"),
            repository: folder.join("work").join(name),
            project: project.to_owned(),
            private: PrivateHome { state: folder.join("state"), config: folder.join("config") },
        };
        for folder in [&stage.home, &stage.repository] {
            std::fs::create_dir_all(folder).map_err(EvalError::file(folder))?;
        }
        let options = init::Options { folder: Some(stage.vault()), global: false };
        let request = Request { vault: None, ..stage.request(now) };
        init::init(request, &options).map_err(EvalError::operation("init"))?;
        Ok(stage)
    }

    fn vault(&self) -> PathBuf {
        self.repository.join(".memory")
    }

    fn request(&self, now: Instant) -> Request {
        Request {
            cwd: self.repository.clone(),
            home: Some(self.home.clone()),
            private: Some(self.private.clone()),
            ..eval_vault::request(&self.vault(), now, &[])
        }
    }

    fn open(&self, now: Instant) -> Result<Context> {
        Context::open(self.request(now)).map_err(EvalError::operation("open"))
    }

    /// Brings the log of a session, learns from it as of its end, and returns what was learned.
    fn learn(&self, home: &Path, session: &ReplayedSession, accept: bool) -> Result<Vec<LearnedChange>> {
        let (from, to) = (home.join(&session.log), self.home.join(&session.log));
        let bytes = std::fs::read(&from).map_err(EvalError::file(&from))?;
        let above = to.parent().unwrap_or(&self.home);
        std::fs::create_dir_all(above).map_err(EvalError::file(above))?;
        let repository = self.repository.display().to_string();
        let text = String::from_utf8_lossy(&bytes).replace(&self.project, &repository);
        std::fs::write(&to, text).map_err(EvalError::file(&to))?;
        let context = self.open(session.ended)?;
        let access = SessionAccess::open(&context, &mut |_| {}).map_err(EvalError::operation("sessions"))?;
        let options = reflect::Options {
            selection: SessionSelection { days: Some(0.0), ..SessionSelection::default() },
            no_model: true,
            ..reflect::Options::default()
        };
        let stop = Cancellation::default();
        let reflected = reflect::reflect(&context, &access, &options, &stop, &|_, _| {})
            .map_err(EvalError::operation("reflect"))?;
        let learned: Vec<LearnedChange> = reflected.worked.into_iter().flat_map(|one| one.learned).collect();
        let drafts: Vec<String> = learned.iter().filter(|one| one.draft).map(|one| one.id.clone()).collect();
        if accept && !drafts.is_empty() {
            let accept = [(review::ReviewDecision::Accept, drafts)];
            review::apply_decisions(&self.open(session.ended)?, &accept, review::CommitsPer::Decision)
                .map_err(EvalError::operation("review"))?;
        }
        Ok(learned)
    }

    fn brief(&self, session: &ReplayedSession) -> Result<Briefing> {
        let options = context::Options { task: Some(session.task.clone()), ..context::Options::default() };
        context::context(&self.open(session.started)?, &options).map_err(EvalError::operation("context"))
    }
}

/// The lines of a briefing that teach something: rules, pitfalls and memories.
fn shown(briefing: &Briefing) -> Vec<String> {
    let rules = briefing.rules.iter().chain(&briefing.pitfalls).map(|rule| rule.content.clone());
    let memories = briefing.memories.iter().chain(&briefing.unverified);
    rules.chain(memories.flat_map(|one| [one.title.clone(), one.snippet.clone()])).collect()
}

fn history(briefing: &Briefing) -> Vec<String> {
    briefing.history.iter().map(|one| one.snippet.clone()).collect()
}

/// What was learned as a new rule or memory.
fn needs(learned: Vec<LearnedChange>) -> Result<Vec<Need>> {
    let kind = |what: &str| match what {
        "add" | "preference" | "decision" | "fact" | "configuration" | "workflow" => {
            Some(NeedKind::Correction)
        }
        "fix" | "error" | "problem" | "solution" => Some(NeedKind::Error),
        _ => None,
    };
    let new: Vec<(NeedKind, String)> =
        learned.into_iter().filter_map(|one| Some((kind(&one.what)?, one.text))).collect();
    let (kinds, texts): (Vec<NeedKind>, Vec<String>) = new.into_iter().unzip();
    let needs = kinds.into_iter().zip(embedded(&texts)?);
    Ok(needs.map(|(kind, (text, embedding))| Need { kind, text, embedding }).collect())
}

impl Need {
    fn is_like(&self, text: &str, embedding: &Embedding, least: f64) -> bool {
        self.embedding.cosine(embedding) >= least
            && opposition(&RuleStatement::of(&self.text), &RuleStatement::of(text)).is_none()
    }
}

fn embedded(texts: &[String]) -> Result<Vec<(String, Embedding)>> {
    let texts: Vec<&str> = texts.iter().map(String::as_str).filter(|text| !text.trim().is_empty()).collect();
    let mut all = Vec::new();
    let model = MiniLm::builtin();
    for batch in texts.chunks(model.batch()) {
        let embeddings = model.embed(batch).map_err(|error| EvalError::Usage(error.to_string()))?;
        all.extend(batch.iter().map(|text| (*text).to_owned()).zip(embeddings));
    }
    Ok(all)
}

/// The project and its sessions, in the order of their starts. Sessions without a prompt or a time
/// are left out.
fn sessions(home: &Path, project: Option<&str>) -> Result<(String, Vec<ReplayedSession>)> {
    let nowhere = home.join("nowhere");
    let request = Request {
        vault: None,
        home: Some(home.to_owned()),
        ..eval_vault::request(&nowhere, Instant::from_unix(0), &[])
    };
    let mut found: Vec<(String, ReplayedSession)> = Vec::new();
    let mut take = |parsed: ParsedSession| found.extend(replayed(home, &parsed));
    logs::each(&request, &LogSelection::default(), &|_| {}, &mut take)
        .map_err(EvalError::operation("read the logs"))?;
    let count = |name: &str| found.iter().filter(|(workspace, _)| workspace == name).count();
    let most = || {
        found.iter().map(|(workspace, _)| workspace).max_by_key(|one| (count(one), std::cmp::Reverse(*one)))
    };
    let Some(project) = project.map(str::to_owned).or_else(|| most().cloned()) else {
        return Err(EvalError::Usage(format!(
            "{} has no sessions with a folder and a prompt",
            home.display()
        )));
    };
    let mut sessions: Vec<ReplayedSession> = found
        .into_iter()
        .filter(|(workspace, _)| *workspace == project)
        .map(|(_, session)| session)
        .collect();
    if sessions.is_empty() {
        return Err(EvalError::Usage(format!("no session was in {project}")));
    }
    sessions.sort_by(|a, b| (a.started, &a.log).cmp(&(b.started, &b.log)));
    Ok((project, sessions))
}

fn replayed(home: &Path, parsed: &ParsedSession) -> Option<(String, ReplayedSession)> {
    let started = parsed.meta.started?;
    let task = parsed.events.iter().find_map(|event| match &event.kind {
        EventKind::UserPrompt { text } => Some(text.chars().take(2000).collect::<String>()),
        _ => None,
    });
    let session = ReplayedSession {
        started,
        ended: parsed.meta.ended.unwrap_or(started),
        log: parsed.path.strip_prefix(home).ok()?.to_owned(),
        task: task.filter(|task| task.trim().chars().count() >= 3)?,
    };
    Some((parsed.meta.workspace.clone()?, session))
}

/// The folder itself if it has the layout of a home folder; else a home folder in `scratch` with its
/// logs.
fn home_of(folder: &Path, scratch: &Path) -> Result<PathBuf> {
    let entries = || -> std::io::Result<Vec<PathBuf>> {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
        paths.sort();
        Ok(paths)
    };
    let paths = entries().map_err(EvalError::file(folder))?;
    let name =
        |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if paths.iter().any(|path| path.is_dir() && name(path).starts_with('.')) {
        return folder.canonicalize().map_err(EvalError::file(folder));
    }
    let home = scratch.join("logs");
    for path in paths.iter().filter(|path| path.extension().is_some_and(|ending| ending == "jsonl")) {
        let bytes = std::fs::read(path).map_err(EvalError::file(path))?;
        let is_codex = bytes.split(|byte| *byte == b'\n').take(3).any(|line| {
            serde_json::from_slice::<serde_json::Value>(line).is_ok_and(|line| line.get("payload").is_some())
        });
        let to = match is_codex {
            true => home.join(".codex/sessions").join(format!("rollout-{}", name(path))),
            false => home.join(".claude/projects/replay").join(name(path)),
        };
        let above = to.parent().unwrap_or(&home);
        std::fs::create_dir_all(above).map_err(EvalError::file(above))?;
        std::fs::write(&to, bytes).map_err(EvalError::file(&to))?;
    }
    Ok(home)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A session in which the same thing is said.
    fn log(id: &str, day: u32, prompts: &[&str]) -> String {
        let line = |(at, text): (usize, &&str)| {
            serde_json::json!({
                "type": "user", "sessionId": id, "cwd": "/home/dev/shop", "uuid": format!("{id}-{at}"),
                "timestamp": format!("2026-11-{day:02}T10:{at:02}:00Z"), "entrypoint": "cli",
                "message": { "role": "user", "content": text },
            })
            .to_string()
                + "\n"
        };
        prompts.iter().enumerate().map(line).collect()
    }

    #[test]
    fn what_the_second_session_has_to_learn_again_is_prevented_by_the_briefing() {
        let folder = tempfile::tempdir().unwrap();
        let rule = "From now on, always run make fmt before you commit.";
        for (id, day) in
            [("aaaaaaaa-0000-4000-8000-000000000001", 1), ("bbbbbbbb-0000-4000-8000-000000000002", 2)]
        {
            let text = log(id, day, &["commit the currency change", rule]);
            std::fs::write(folder.path().join(format!("{id}.jsonl")), text).unwrap();
        }
        let options =
            Options { folder: folder.path().into(), project: None, accept: true, alike: 0.65, show: true };
        let text = report(&options).unwrap();
        assert!(text.contains("| corrections | 2 | 1 | 1 | 100 % | 100 % |"), "{text}");
        assert!(text.contains("2 sessions; briefings "), "{text}");
    }

    #[test]
    fn a_folder_without_sessions_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let options =
            Options { folder: folder.path().into(), project: None, accept: false, alike: 0.65, show: false };
        assert!(report(&options).unwrap_err().to_string().contains("has no sessions"));
    }
}
