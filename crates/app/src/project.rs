//! The playbook written into an agent's rule file, between markers. What stands outside of them is the person's and stays
//! byte for byte; no commit is made.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::error::{Error, Result};
use super::export::one_file;
use super::memory::{Level, Memory, shown};
use super::{playbook, write};
use cm_exchange::project::section::SECTION;
use cm_exchange::project::{self, How};
use cm_note::score::bullet::standing;
use cm_store::vault::foreign;

/// Whose rule file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub enum Format {
    /// AGENTS.md, which many agents read.
    #[serde(rename = "agents.md")]
    Agents,
    /// Claude's CLAUDE.md.
    #[serde(rename = "claude.md")]
    Claude,
    /// A rule of Cursor's.
    #[serde(rename = "cursor")]
    Cursor,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Agents, Self::Claude, Self::Cursor];

    /// Its name on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Agents => "agents.md",
            Self::Claude => "claude.md",
            Self::Cursor => "cursor",
        }
    }

    /// The format of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The file, from the working folder.
    fn file(self) -> &'static str {
        match self {
            Self::Agents => "AGENTS.md",
            Self::Claude => "CLAUDE.md",
            Self::Cursor => ".cursor/rules/cm.mdc",
        }
    }

    /// What a new file begins with: without it, Cursor would not show the rule by itself.
    fn opening(self) -> &'static str {
        match self {
            Self::Cursor => "---\ndescription: Rules that this project has learned\nalwaysApply: true\n---\n",
            Self::Agents | Self::Claude => "",
        }
    }
}

/// What is to be written.
#[derive(Debug, Clone)]
pub struct Options {
    /// For which agent.
    pub format: Format,
    /// Another file than that agent's usual one.
    pub file: Option<PathBuf>,
    /// At most so many rules of a category.
    pub per_category: usize,
    /// Say behind each how often it helped and did harm.
    pub counts: bool,
    /// Only say what would be done.
    pub dry_run: bool,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Projected {
    /// For which agent.
    pub format: Format,
    /// The file.
    pub path: String,
    /// Whether it was not there before.
    pub created: bool,
    /// Whether it is other than before.
    pub changed: bool,
    /// How many rules it lists.
    pub rules: usize,
    /// How many pitfalls.
    pub pitfalls: usize,
    /// How many that are in use were left out.
    pub omitted: usize,
    /// The lines that came.
    pub added: Vec<String>,
    /// The lines that went.
    pub removed: Vec<String>,
    /// Whether this only says what would be done.
    pub dry_run: bool,
}

/// Writes the playbook of all open vaults into an agent's rule file.
///
/// # Errors
/// A file that cannot be read or written, is no text, has markers without their other half, or was changed meanwhile;
/// and nothing to write where there is no file yet.
pub fn project(memory: &Memory, options: &Options) -> Result<Projected> {
    let named = options.file.clone().unwrap_or_else(|| PathBuf::from(options.format.file()));
    let file = memory.call.cwd.join(&named);
    let path = shown(&file, &memory.call.cwd);
    let there = there(&file)?;
    let before = match &there {
        Some(bytes) => std::str::from_utf8(bytes).map_err(|_| {
            Error::refused("invalid-utf8", format!("{path} is no UTF-8"))
                .at(&path, None, None)
                .hint("save the file as UTF-8, then run the command again")
        })?,
        None => "",
    };
    let part = part(memory, options)?;
    if there.is_none() && part.rules + part.pitfalls == 0 {
        return Err(write::nothing("no bullet is in use, and there is no file to clear")
            .hint("`cm playbook list --state all` shows what there is"));
    }
    let begun = if there.is_none() { options.format.opening() } else { before };
    let after = SECTION.put(begun, &part.text).map_err(|unpaired| {
        Error::refused("broken-markers", unpaired.message)
            .at(&path, Some(unpaired.line), None)
            .hint("mend the lines `<!-- cm:begin playbook … -->` and `<!-- cm:end playbook -->`; nothing was written")
    })?;
    let changed = there.as_deref() != Some(after.as_bytes());
    let (old, new) = (SECTION.items(before), SECTION.items(&after));
    let without = |lines: &[&str], other: &[&str]| -> Vec<String> {
        let line = |line: &&&str| !other.contains(*line);
        lines.iter().filter(line).map(|line| line.trim_start_matches("- ").to_owned()).collect()
    };
    let outcome = Projected {
        format: options.format,
        path,
        created: there.is_none(),
        changed,
        rules: part.rules,
        pitfalls: part.pitfalls,
        omitted: part.omitted,
        added: without(&new, &old),
        removed: without(&old, &new),
        dry_run: options.dry_run,
    };
    if changed && !options.dry_run {
        write_file(&file, &outcome.path, there.as_deref(), after.into_bytes())?;
    }
    Ok(outcome)
}

fn there(file: &Path) -> Result<Option<Vec<u8>>> {
    match foreign::file(file) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(_) if file.symlink_metadata().is_err() => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn part(memory: &Memory, options: &Options) -> Result<project::Part> {
    let mut notes = Vec::new();
    for open in &memory.vaults {
        notes.push((open.level, memory.playbook_notes(open)?));
    }
    let notes: Vec<_> = notes.iter().map(|(level, notes)| (*level, &notes[..])).collect();
    let (mut bullets, notice) = playbook::showable(playbook::merged(memory)?.bullets, &notes);
    notice.into_iter().for_each(|notice| memory.notice(notice));
    // The project's own vault is about this project, whatever name it is given there.
    let here = memory.workspace();
    bullets.retain(|shelved| shelved.level == Level::Project || shelved.bullet.holds_in(&here));
    let standings: Vec<_> = bullets
        .iter()
        .map(|shelved| {
            let constants = playbook::constants(memory, shelved.level);
            (&shelved.bullet, standing(&shelved.bullet, memory.now(), &constants))
        })
        .collect();
    Ok(project::plan(&standings, &How { per_category: options.per_category, counts: options.counts }))
}

/// Writes the file where it still is what the change was made from.
fn write_file(file: &Path, path: &str, before: Option<&[u8]>, after: Vec<u8>) -> Result<()> {
    let wrote = one_file(file, after, &|there| Some(there) == before)?;
    if wrote.in_the_way.is_empty() {
        return Ok(());
    }
    Err(Error::refused("changed-meanwhile", format!("{path} was changed meanwhile"))
        .at(path, None, None)
        .hint("nothing was written; run the command again"))
}
