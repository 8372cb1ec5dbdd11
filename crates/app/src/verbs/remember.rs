//! Turns unprocessed stashes, diaries and friction results into facts, preferences, fixes and
//! episodes in one commit, and writes them to a section of an agent's rule file.
//!
//! The decisions are made in `cm_learn::remember`. All input is redacted.

mod agent_view;
mod build_changes;
mod reader;
mod sources;

pub use reader::{RememberPackage, build_package};

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::meaning;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::paths::shown;
use crate::context::write;
use crate::error::{Error, Result};
use crate::verbs::rule_file::RuleFile;
use cm_learn::confidence::ConfidenceLevel;
use cm_learn::remember::section::SECTION;
use cm_learn::remember::{RememberPlan, SourceCounts, files, plan};
use cm_note::change::ChangeSet;
use cm_note::path::NotePath;
use cm_playbook::embedding_model::WordVectors;
use cm_store::vault::external_folder;

/// Files to write, and the mode of the run.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Rule file that gets the section with memories. By default the project's CLAUDE.md or
    /// AGENTS.md that has the section, else CLAUDE.md, else AGENTS.md.
    pub file: Option<PathBuf>,
    /// Output folder for facts.md, episodes.md and preferences.md.
    pub files: Option<PathBuf>,
    /// Do not write the section of a rule file.
    pub no_section: bool,
    /// Report the changes without writing them.
    pub dry_run: bool,
    /// Use rules only, even if the settings select a model.
    pub no_model: bool,
    /// Answer of the calling agent to a work package, which takes the place of the model.
    pub answer: Option<Answer>,
}

/// The answer to a work package, as an agent wrote it.
#[derive(Debug, Clone)]
pub struct Answer {
    pub text: String,
    /// Name of its file, for messages.
    pub name: String,
}

/// A fact that was stored as a new note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WrittenFact {
    /// Id of the new note.
    pub id: String,
    /// Path of the note's file, relative to the vault.
    pub path: String,
    /// Text of the fact, which is also the title of its note.
    pub text: String,
    /// Why the note is a draft that a person must accept; null if it is not.
    pub draft: Option<String>,
}

/// A fact or preference that supersedes another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SupersededFact {
    /// Title of the newer note.
    pub newer: String,
    /// Title of the older one; its note is not changed.
    pub older: String,
    /// Path of the supersession edge's file.
    pub edge: String,
    /// Why the newer one supersedes the older one.
    pub why: String,
}

/// A preference that is new or has new observations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PreferenceChange {
    /// Id of the note, which is new or was updated.
    pub id: String,
    /// Path of the note's file, relative to the vault.
    pub path: String,
    /// Text of the preference, which is also the title of its note.
    pub text: String,
    /// Confidence in the preference now.
    pub level: ConfidenceLevel,
    /// Confidence before; null for a new preference.
    pub before: Option<ConfidenceLevel>,
    /// Number of observations that support it.
    pub observed: usize,
    /// Number of observations that contradict it.
    pub against: usize,
    /// Why the note is a draft that a person must accept; null if it is not.
    pub draft: Option<String>,
}

/// An entry that was added to an episode file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NewEpisode {
    /// Path of the day's file.
    pub path: String,
    /// Heading of the entry.
    pub entry: String,
}

/// The section with memories in a rule file such as CLAUDE.md.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SectionChange {
    /// Path of the rule file.
    pub path: String,
    /// Whether the file is new.
    pub created: bool,
    /// Whether the file's content changed.
    pub changed: bool,
    /// Number of lines in the section, including its markers.
    pub lines: usize,
    /// Number of facts in the section.
    pub facts: usize,
    /// Number of preferences in the section.
    pub preferences: usize,
    /// Number of episodes in the section.
    pub episodes: usize,
    /// Number of facts and preferences left out because of the section's size limit.
    pub omitted: usize,
    /// Lines that were added to the section.
    pub added: Vec<String>,
    /// Lines that were removed from the section.
    pub removed: Vec<String>,
}

/// Number of sentences that were not remembered, by reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct SkippedSentences {
    /// Number of sentences with too little content, or only of momentary interest.
    pub slight: usize,
    /// Number of sentences that exceed the length limit of a fact.
    pub too_long: usize,
    /// Number of sentences that curse or insult.
    pub anger: usize,
    /// Number of sentences that are only about their session's task.
    pub passing: usize,
    /// Number of sentences that a rule, decision or blocked pattern of the vault states already, also one
    /// that is no longer in use.
    pub existing: usize,
}

/// Result of `cm remember`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RememberResult {
    /// Number of sources that were read, by kind.
    pub sources: SourceCounts,
    /// Facts that this run wrote as new notes.
    pub facts: Vec<WrittenFact>,
    /// Facts and preferences that supersede older ones.
    pub superseded: Vec<SupersededFact>,
    /// New preferences, and preferences with new observations.
    pub preferences: Vec<PreferenceChange>,
    /// Causes of problems that this run wrote as new notes.
    pub fixes: Vec<WrittenFact>,
    /// Entries that were added to episode files.
    pub episodes: Vec<NewEpisode>,
    /// Name of the model that read the sources; null if rules or the calling agent did.
    pub model: Option<String>,
    /// Number of memories of the model or agent that quote nothing in the sources.
    pub refused: usize,
    /// Number of sentences that were not remembered, by reason.
    pub left_out: SkippedSentences,
    /// Hash of the new commit; null if automatic commits are off (`git.commit`) or no note changed.
    pub commit: Option<String>,
    /// Change of the section in the rule file; null if none is written.
    pub section: Option<SectionChange>,
    /// Paths of the files facts.md, episodes.md and preferences.md that changed.
    pub files: Vec<String>,
    /// Whether this was a dry run, so that nothing was written.
    pub dry_run: bool,
}

/// Rule files in which the section is looked for, in this order.
const RULE_FILES: [&str; 2] = ["CLAUDE.md", "AGENTS.md"];

/// Stores facts, preferences and episodes from new sources in one commit. Then writes the section
/// and the plain files from all memories.
///
/// # Errors
/// Returns an error if a marker of the section is unpaired (before anything is written), if a file
/// cannot be read or written, and "nothing done" if there are no new sources and every file is up
/// to date.
pub fn remember(context: &Context, options: &Options) -> Result<RememberResult> {
    if context.request.no_refresh {
        return Err(Error::usage("this command needs an up-to-date index").hint("remove `--no-refresh`"));
    }
    let project = sources::project(context);
    let rule_file = match options.no_section {
        true => None,
        false => Some(find_rule_file(&project, context, options.file.as_deref())?),
    };
    let folder = options.files.as_deref().map(|folder| check_output_folder(context, folder)).transpose()?;
    let sources = sources::read_project_sources(context, &project)?;
    let readings = reader::Readings::of(context, &sources, options)?;
    let applied = write::apply_or_preview(context, options.dry_run, |open| {
        plan_changes(context, open, &sources, readings.as_ref())
    })?;
    let done = applied.result;
    let view = agent_view::MemoryView::of(context, &applied.preview)?;
    let section = match &rule_file {
        Some(rule_file) => write_section(rule_file, &view, context, options.dry_run)?,
        None => None,
    };
    let files = match &folder {
        Some(folder) => plain_files(context, folder, &view, options.dry_run)?,
        None => Vec::new(),
    };
    let remembered = RememberResult {
        sources: done.taken,
        facts: done.facts,
        superseded: done.superseded,
        preferences: done.preferences,
        fixes: done.fixes,
        model: readings.as_ref().and_then(|readings| readings.model.clone()),
        refused: readings.as_ref().map_or(0, |readings| readings.refused),
        episodes: done.episodes,
        left_out: SkippedSentences {
            slight: done.left_out.slight,
            too_long: done.left_out.too_long,
            anger: done.left_out.anger,
            passing: done.left_out.passing,
            existing: done.left_out.existing,
        },
        commit: applied.commit,
        section,
        files,
        dry_run: options.dry_run,
    };
    if done.wrote
        || remembered.section.as_ref().is_some_and(|section| section.changed)
        || !remembered.files.is_empty()
    {
        return Ok(remembered);
    }
    Err(nothing_new(&remembered))
}

/// Computes the file changes of a run from the current notes.
fn plan_changes(
    context: &Context,
    open: &OpenVault,
    outside: &sources::ProjectSources,
    readings: Option<&reader::Readings>,
) -> Result<(ChangeSet, build_changes::RememberReport)> {
    outside.notices.iter().for_each(|notice| context.notice(notice));
    let mut sources = sources::read_vault_sources(context, open)?;
    sources.extend(outside.sources.iter().cloned());
    let existing_memory = sources::existing(context, open)?;
    readings.into_iter().for_each(|readings| readings.apply(&mut sources, &existing_memory));
    sources::retain_new(context, open, &mut sources)?;
    sources::retain_lasting(open, &mut sources);
    let word_vectors = WordVectors::of(meaning::meaning(open));
    let plan: RememberPlan = plan(&sources, &existing_memory, &word_vectors, context.now());
    for (word, session_text) in &plan.preferences.conflicts {
        context.notice(format!("a session contradicts your own preference \"{word}\": \"{session_text}\""));
    }
    build_changes::changes(context, open, &existing_memory, plan)
}

fn nothing_new(outcome: &RememberResult) -> Error {
    let before = outcome.sources.before;
    let mut reasons = match before {
        0 => "there are no stashes, diaries or friction reports to remember".to_owned(),
        1 => "the only source was remembered before".to_owned(),
        n => format!("all {n} sources were remembered before"),
    };
    if let Some(section) = &outcome.section {
        reasons += &format!(", and {} is up to date", section.path);
    }
    write::nothing_done(reasons).hint("`cm stash` saves a session or text to remember")
}

/// Finds and reads the rule file that gets the section; refuses one whose markers are unpaired.
fn find_rule_file(project: &Path, context: &Context, file_option: Option<&Path>) -> Result<RuleFile> {
    let rule_file = match file_option {
        Some(file) => RuleFile::read(context, &context.request.cwd.join(file))?,
        None => usual_rule_file(project, context)?,
    };
    refuse_link_out(&rule_file.file, &rule_file.path)?;
    rule_file.with_section(&SECTION, rule_file.text()?, "")?;
    Ok(rule_file)
}

/// Returns the first rule file of [`RULE_FILES`] with a section, else the first that exists, else
/// the first of the list.
fn usual_rule_file(project: &Path, context: &Context) -> Result<RuleFile> {
    let mut candidates = Vec::new();
    for name in RULE_FILES {
        let rule_file = RuleFile::read(context, &project.join(name))?;
        if rule_file.has_section(&SECTION) {
            return Ok(rule_file);
        }
        candidates.push(rule_file);
    }
    let at = candidates.iter().position(RuleFile::exists).unwrap_or(0);
    Ok(candidates.swap_remove(at))
}

/// Writes the section if the file did not change since it was read. An empty section does not
/// create a file.
fn write_section(
    rule_file: &RuleFile,
    view: &agent_view::MemoryView,
    context: &Context,
    dry_run: bool,
) -> Result<Option<SectionChange>> {
    let part = view.part(context);
    if !rule_file.exists() && part.facts + part.preferences + part.episodes == 0 {
        return Ok(None);
    }
    let mut edit = rule_file.with_section(&SECTION, rule_file.text()?, &part.text)?;
    let section = SectionChange {
        path: rule_file.path.clone(),
        created: !rule_file.exists(),
        changed: edit.changed,
        lines: part.text.lines().count() + 2,
        facts: part.facts,
        preferences: part.preferences,
        episodes: part.episodes,
        omitted: part.omitted,
        added: std::mem::take(&mut edit.added),
        removed: std::mem::take(&mut edit.removed),
    };
    if edit.changed && !dry_run {
        rule_file.write(edit, "the notes are saved; run the command again to write this file")?;
    }
    Ok(Some(section))
}

/// Refuses a file that is a symbolic link out of its folder.
fn refuse_link_out(file: &Path, path: &str) -> Result<()> {
    let folder = file.parent().and_then(|folder| folder.canonicalize().ok());
    let leads_out =
        file.canonicalize().ok().zip(folder).is_some_and(|(real, folder)| !real.starts_with(folder));
    if !leads_out {
        return Ok(());
    }
    Err(Error::refused("leads-out", format!("{path} is a symbolic link that leads out of its folder"))
        .at(path, None, None)
        .hint("nothing was written; pass the file that it points to"))
}

/// Resolves the output folder. Refuses a visible folder inside a vault, and files that this command
/// did not write.
fn check_output_folder(context: &Context, folder: &Path) -> Result<PathBuf> {
    let out = context.request.cwd.join(folder);
    for open in &context.vaults {
        let existing = out.ancestors().find_map(|folder| Some((folder, folder.canonicalize().ok()?)));
        let Some((folder, real)) = existing else { continue };
        let Ok(inner) = real.strip_prefix(open.vault.root()) else { continue };
        let rest = out.strip_prefix(folder).unwrap_or(Path::new(""));
        let hidden = |path: &Path| path.iter().any(|part| part.to_string_lossy().starts_with('.'));
        if !hidden(inner) && !hidden(rest) {
            return Err(Error::refused("inside-the-vault", format!("{} is inside the vault", out.display()))
                .hint("the files would become notes there; choose a folder outside, or a hidden one such as .claude/memory"));
        }
    }
    for file in files::NAMES {
        let file = out.join(file);
        refuse_link_out(&file, &shown(&file, &context.request.cwd))?;
        match external_folder::file(&file) {
            Ok(there) if !files::is_ours(&there) => {
                let path = shown(&file, &context.request.cwd);
                return Err(Error::refused("exists", format!("{path} would be overwritten"))
                    .at(&path, None, None)
                    .hint("the file was not written by this command; nothing was written, choose another folder"));
            }
            _ => {}
        }
    }
    Ok(out)
}

/// Writes facts.md, episodes.md and preferences.md; returns the paths of those that changed.
fn plain_files(
    context: &Context,
    out: &Path,
    view: &agent_view::MemoryView,
    dry_run: bool,
) -> Result<Vec<String>> {
    let mut due = Vec::new();
    for file in view.files() {
        let path = NotePath::parse(file.name)?;
        let there = external_folder::file(&out.join(file.name)).ok();
        if there.as_deref() != Some(file.text.as_bytes()) {
            due.push((path, file.text.into_bytes()));
        }
    }
    if !dry_run && !due.is_empty() {
        external_folder::write(out, &due, &|_, there| files::is_ours(there))?;
    }
    Ok(due.iter().map(|(path, _)| shown(&out.join(path.as_str()), &context.request.cwd)).collect())
}
