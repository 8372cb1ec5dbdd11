//! What sessions left behind, remembered: unprocessed stashes, diaries and friction become facts, preferences and episodes in
//! one commit, and these a part of an agent's rule file.
//!
//! What is to be made of them is for `curate::remember` to say. Secrets are taken out of all that is read.

mod gather;
mod notes;
mod view;

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::error::{Error, Result};
use super::export::one_file;
use super::memory::{Memory, OpenVault, shown};
use super::{meaning, write};
use cm_learn::friction::antigen::by_words::Confidence;
use cm_learn::remember::section::{END, SECTION, START};
use cm_learn::remember::{Plan, Taken, files, plan};
use cm_note::change::ChangeSet;
use cm_note::markdown::part::Unpaired;
use cm_note::path::NotePath;
use cm_playbook::meaning::Sense;
use cm_store::vault::foreign;

/// What is to be written, and where.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The rule file; where none is named, the one that has a part already, else CLAUDE.md, else AGENTS.md, of the project.
    pub file: Option<PathBuf>,
    /// A folder for facts.md, episodes.md and preferences.md.
    pub files: Option<PathBuf>,
    /// Write no rule file.
    pub no_section: bool,
    /// Only say what would be done.
    pub dry_run: bool,
}

/// A fact that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Fact {
    /// Its id.
    pub id: String,
    /// Its file.
    pub path: String,
    /// What is so.
    pub text: String,
    /// Whether it waits for a person, and why.
    pub draft: Option<String>,
}

/// A fact that took the place of another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Superseded {
    /// What holds now.
    pub newer: String,
    /// What held before; its note stays.
    pub older: String,
    /// The file of the edge.
    pub edge: String,
    /// Why.
    pub why: String,
}

/// A preference that was written, or whose observations changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Preference {
    /// Its id.
    pub id: String,
    /// Its file.
    pub path: String,
    /// What is wanted.
    pub text: String,
    /// How sure it is now.
    pub level: Confidence,
    /// How sure it was; null where it is new.
    pub before: Option<Confidence>,
    /// How many sessions show it.
    pub observed: usize,
    /// How many contradict it.
    pub against: usize,
    /// Whether it waits for a person, and why.
    pub draft: Option<String>,
}

/// An entry of a day's log that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Episode {
    /// The day's file.
    pub path: String,
    /// The entry's heading.
    pub entry: String,
}

/// The part of a rule file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Section {
    /// The file.
    pub path: String,
    /// Whether it was not there before.
    pub created: bool,
    /// Whether it is other than before.
    pub changed: bool,
    /// How many lines the part has, its markers among them.
    pub lines: usize,
    /// How many facts it tells.
    pub facts: usize,
    /// How many preferences.
    pub preferences: usize,
    /// How many episodes.
    pub episodes: usize,
    /// How many facts and preferences found no room.
    pub omitted: usize,
    /// The lines that came.
    pub added: Vec<String>,
    /// The lines that went.
    pub removed: Vec<String>,
}

/// What was not remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct LeftOut {
    /// Sentences that say too little, or only of the moment.
    pub slight: usize,
    /// Sentences that are longer than a fact may be.
    pub too_long: usize,
}

/// What was remembered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Remembered {
    /// What was read.
    pub sources: Taken,
    /// New facts.
    pub facts: Vec<Fact>,
    /// Facts that took the place of others.
    pub superseded: Vec<Superseded>,
    /// New preferences, and those with new observations.
    pub preferences: Vec<Preference>,
    /// New entries in days' logs.
    pub episodes: Vec<Episode>,
    /// What was not remembered.
    pub left_out: LeftOut,
    /// The commit; null where commits are manual or no note changed.
    pub commit: Option<String>,
    /// The part of the rule file; null where none is written.
    pub section: Option<Section>,
    /// The plain files that changed.
    pub files: Vec<String>,
    /// Whether this only says what would be done.
    pub dry_run: bool,
}

/// The files that may hold the part where none is named, the first one first.
const RULE_FILES: [&str; 2] = ["CLAUDE.md", "AGENTS.md"];

/// Remembers what is new, in one commit, and writes the part and the plain files from all that is known then.
///
/// # Errors
/// Markers without their other half (before anything is written), files that cannot be read or written, those of
/// [`write::apply`], and nothing done: nothing new, and all files as they were.
pub fn remember(memory: &Memory, options: &Options) -> Result<Remembered> {
    if memory.call.no_refresh {
        return Err(
            Error::usage("what is new is told by the notes as they are").hint("leave --no-refresh out")
        );
    }
    let project = gather::project(memory);
    let target = match options.no_section {
        true => None,
        false => Some(Target::find(&project, memory, options.file.as_deref())?),
    };
    let folder = options.files.as_deref().map(|named| folder_of(memory, named)).transpose()?;
    let mut done = notes::Done::default();
    let sources = gather::outside(memory, &project)?;
    let mut texts: Vec<(NotePath, String)> = Vec::new();
    let commit = if options.dry_run {
        let set = planned(memory, memory.target(), &sources, &mut done)?;
        let files = write::preview(memory, set)?;
        texts.extend(files.into_iter().map(|(path, _, after)| (path, after)));
        None
    } else {
        write::apply_with(memory, |open| planned(memory, open, &sources, &mut done))?.commit
    };
    let view = view::View::of(memory, &texts)?;
    let section = match &target {
        Some(target) => target.write(&view, memory, options.dry_run)?,
        None => None,
    };
    let files = match &folder {
        Some(folder) => plain_files(memory, folder, &view, options.dry_run)?,
        None => Vec::new(),
    };
    let remembered = Remembered {
        sources: done.taken,
        facts: done.facts,
        superseded: done.superseded,
        preferences: done.preferences,
        episodes: done.episodes,
        left_out: LeftOut { slight: done.left_out.slight, too_long: done.left_out.too_long },
        commit,
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

/// The change of one run, planned from the notes as they are now.
fn planned(
    memory: &Memory,
    open: &OpenVault,
    outside: &gather::Outside,
    done: &mut notes::Done,
) -> Result<ChangeSet> {
    outside.notices.iter().for_each(|notice| memory.notice(notice));
    let mut sources = gather::of_vault(memory, open)?;
    sources.extend(outside.sources.iter().cloned());
    let known = gather::known(memory, open)?;
    let sense = Sense::of(meaning::meaning(open));
    let plan: Plan = plan(&sources, &known, &sense, memory.now());
    for (word, said) in &plan.preferences.against_a_word {
        memory.notice(format!("a session contradicts your own preference \"{word}\": \"{said}\""));
    }
    notes::changes(memory, open, &known, plan, done)
}

fn nothing_new(outcome: &Remembered) -> Error {
    let before = outcome.sources.before;
    let mut reasons = match before {
        0 => "there is no stash, diary or friction to remember".to_owned(),
        1 => "the one source there is was remembered before".to_owned(),
        n => format!("the {n} sources there are were remembered before"),
    };
    if let Some(section) = &outcome.section {
        reasons += &format!(", and {} is up to date", section.path);
    }
    write::nothing(reasons).hint("`cm stash` keeps a session or a text, which this then remembers")
}

/// The rule file, and what is in it.
struct Target {
    file: PathBuf,
    path: String,
    there: Option<Vec<u8>>,
}

impl Target {
    /// Finds the file and reads it. A part whose markers are broken is refused here, before anything is written.
    fn find(project: &Path, memory: &Memory, named: Option<&Path>) -> Result<Self> {
        let target = match named {
            Some(named) => Self::at(&memory.call.cwd.join(named), memory)?,
            None => Self::usual(project, memory)?,
        };
        stays(&target.file, &target.path)?;
        let text = target.text()?;
        SECTION.find(text).and_then(|_| SECTION.put(text, "")).map_err(|error| target.broken(&error))?;
        Ok(target)
    }

    /// The one that has a part already, else the first that is there, else the first.
    fn usual(project: &Path, memory: &Memory) -> Result<Self> {
        let mut there = Vec::new();
        for name in RULE_FILES {
            let target = Self::at(&project.join(name), memory)?;
            let text = target.there.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
            // Broken markers are somebody's part all the same.
            if SECTION.find(&text) != Ok(None) {
                return Ok(target);
            }
            there.push(target);
        }
        let at = there.iter().position(|target| target.there.is_some()).unwrap_or(0);
        Ok(there.swap_remove(at))
    }

    fn at(file: &Path, memory: &Memory) -> Result<Self> {
        let there = match foreign::file(file) {
            Ok(bytes) => Some(bytes),
            Err(_) if file.symlink_metadata().is_err() => None,
            Err(error) => return Err(error.into()),
        };
        Ok(Self { file: file.to_owned(), path: shown(file, &memory.call.cwd), there })
    }

    fn text(&self) -> Result<&str> {
        std::str::from_utf8(self.there.as_deref().unwrap_or_default()).map_err(|_| {
            Error::refused("invalid-utf8", format!("{} is no UTF-8", self.path))
                .at(&self.path, None, None)
                .hint("save the file as UTF-8, then run the command again")
        })
    }

    fn broken(&self, unpaired: &Unpaired) -> Error {
        Error::refused("broken-markers", unpaired.message)
            .at(&self.path, Some(unpaired.line), None)
            .hint(format!("mend the lines `{}` and `{}`; nothing was written", START, END))
    }

    /// Writes the part, where the file still is what was read. A file that is not there is not made for an empty memory.
    fn write(&self, view: &view::View, memory: &Memory, dry_run: bool) -> Result<Option<Section>> {
        let part = view.part(memory);
        if self.there.is_none() && part.facts + part.preferences + part.episodes == 0 {
            return Ok(None);
        }
        let before = self.text()?;
        let after = SECTION.put(before, &part.text).map_err(|error| self.broken(&error))?;
        let changed = self.there.as_deref() != Some(after.as_bytes());
        let (old, new) = (SECTION.items(before), SECTION.items(&after));
        let without = |lines: &[&str], other: &[&str]| -> Vec<String> {
            let line = |line: &&&str| !other.contains(*line);
            lines.iter().filter(line).map(|line| line.trim_start_matches("- ").to_owned()).collect()
        };
        let section = Section {
            path: self.path.clone(),
            created: self.there.is_none(),
            changed,
            lines: part.text.lines().count() + 2,
            facts: part.facts,
            preferences: part.preferences,
            episodes: part.episodes,
            omitted: part.omitted,
            added: without(&new, &old),
            removed: without(&old, &new),
        };
        if changed && !dry_run {
            let wrote =
                one_file(&self.file, after.into_bytes(), &|there| Some(there) == self.there.as_deref())?;
            if !wrote.in_the_way.is_empty() {
                return Err(Error::refused(
                    "changed-meanwhile",
                    format!("{} was changed meanwhile", self.path),
                )
                .at(&self.path, None, None)
                .hint("what is new is remembered; run the command again, and it writes this file"));
            }
        }
        Ok(Some(section))
    }
}

/// Refuses a file that is a symbolic link out of its folder, before anything is written.
fn stays(file: &Path, path: &str) -> Result<()> {
    let folder = file.parent().and_then(|folder| folder.canonicalize().ok());
    let leads_out =
        file.canonicalize().ok().zip(folder).is_some_and(|(real, folder)| !real.starts_with(folder));
    if !leads_out {
        return Ok(());
    }
    Err(Error::refused("leads-out", format!("{path} is a symbolic link that leads out of its folder"))
        .at(path, None, None)
        .hint("nothing was written; name the file that it leads to"))
}

/// The folder for the plain files, where nothing of somebody else's would be written over and no note would come to be.
fn folder_of(memory: &Memory, named: &Path) -> Result<PathBuf> {
    let out = memory.call.cwd.join(named);
    for open in &memory.vaults {
        let existing = out.ancestors().find_map(|folder| Some((folder, folder.canonicalize().ok()?)));
        let Some((folder, real)) = existing else { continue };
        let Ok(inner) = real.strip_prefix(open.vault.root()) else { continue };
        let rest = out.strip_prefix(folder).unwrap_or(Path::new(""));
        let hidden = |path: &Path| path.iter().any(|part| part.to_string_lossy().starts_with('.'));
        if !hidden(inner) && !hidden(rest) {
            return Err(Error::refused("inside-the-vault", format!("{} lies in the vault", out.display()))
                .hint("the files would be notes there; choose a folder outside, or a hidden one such as .claude/memory"));
        }
    }
    for file in files::NAMES {
        let file = out.join(file);
        stays(&file, &shown(&file, &memory.call.cwd))?;
        match foreign::file(&file) {
            Ok(there) if !files::is_ours(&there) => {
                let path = shown(&file, &memory.call.cwd);
                return Err(Error::refused("exists", format!("{path} would be written over"))
                    .at(&path, None, None)
                    .hint("this command did not write it, and nothing was written; choose another folder"));
            }
            _ => {}
        }
    }
    Ok(out)
}

/// Writes facts.md, episodes.md and preferences.md; those that changed.
fn plain_files(memory: &Memory, out: &Path, view: &view::View, dry_run: bool) -> Result<Vec<String>> {
    let mut due = Vec::new();
    for file in view.files() {
        let path = NotePath::parse(file.name).map_err(|error| Error::usage(error.to_string()))?;
        let there = foreign::file(&out.join(file.name)).ok();
        if there.as_deref() != Some(file.text.as_bytes()) {
            due.push((path, file.text.into_bytes()));
        }
    }
    if !dry_run && !due.is_empty() {
        foreign::write(out, &due, &|_, there| files::is_ours(there))?;
    }
    Ok(due.iter().map(|(path, _)| shown(&out.join(path.as_str()), &memory.call.cwd)).collect())
}
