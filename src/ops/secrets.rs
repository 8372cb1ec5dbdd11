//! Keeping secrets out of a vault: what would bring one in is refused, and what lies in it can be looked through.
//!
//! What secrets look like is for `domain::secret` to say. A vault that holds one already can still be worked with.

use std::collections::HashMap;
use std::path::PathBuf;

use super::embedding::is_own_word;
use super::error::{Error, Result};
use super::memory::{Call, Memory, OpenVault};
use super::sessions::allowed::resolved;
use crate::config::Origin;
use crate::domain::note::Note;
use crate::domain::path::NotePath;
use crate::domain::secret::{PatternError, Removed, RuleError, Rules, find, suspects};
use crate::vault::{foreign, layout};

/// What lies in a vault and looks like a secret.
#[derive(Debug, Clone, Default)]
pub struct Exposed {
    /// What looks live, with the rule that found it, and its line.
    pub secrets: Vec<(NotePath, String, usize)>,
    /// What is merely random enough to be one.
    pub guesses: Vec<(NotePath, usize)>,
}

/// The rules of a vault: `redaction.enabled`, `redaction.extra` and `redaction.rules`.
///
/// # Errors
/// A pattern of the vault's own that is none, and a file of rules that cannot be read or used.
pub fn rules(memory: &Memory, open: &OpenVault) -> Result<Rules> {
    let rules = if open.settings.flag("redaction.enabled").unwrap_or(true) {
        Rules::default()
    } else {
        Rules::none()
    };
    let rules =
        rules.with_extra(&open.settings.texts("redaction.extra")).map_err(|error| no_pattern(&error))?;
    Ok(with_files(rules, &files(memory, open)?)?.0)
}

/// A file of rules.
struct RuleFile {
    /// Where it lies.
    path: PathBuf,
    text: String,
}

/// The files that `redaction.rules` names: the person's own, which may lie anywhere, and one within the vault that a file
/// names which others can write.
fn files(memory: &Memory, open: &OpenVault) -> Result<Vec<RuleFile>> {
    const NAME: &str = "redaction.rules";
    let own = |origin: &Origin| is_own_word(memory, open, origin);
    let typed = |found: Option<&(toml::Value, Origin)>| {
        let (value, origin) = found?;
        let typed = value.as_str().filter(|typed| !typed.trim().is_empty())?;
        Some((typed.to_owned(), origin.clone()))
    };
    let root = open.vault.root();
    let mut paths: Vec<PathBuf> = Vec::new();
    if let Some((typed, origin)) = typed(open.settings.get_from(NAME, own)) {
        let global = memory.call.global.as_deref().filter(|_| origin == Origin::Global);
        paths.push(resolved(memory, global.unwrap_or(root), &typed).into());
    }
    if let Some((typed, _)) = typed(open.settings.get_from(NAME, |origin| !own(origin))) {
        let inner = NotePath::parse(&typed).ok().map(|path| open.vault.file(&path));
        match inner.filter(|path| !path.exists() || foreign::is_within(&open.vault, path)) {
            Some(path) => paths.push(path),
            None => memory.notice(format!(
                "{NAME} of a file that others can write names a file outside of the vault, and does not count"
            )),
        }
    }
    paths.dedup();
    let read = |path: PathBuf| {
        let bytes = foreign::file(&path).map_err(|error| {
            Error::refused("invalid-setting", format!("the file of {NAME} is not read: {error}"))
                .hint(format!("correct the path, or take it out: cm config unset {NAME}"))
        })?;
        Ok(RuleFile { path, text: String::from_utf8_lossy(&bytes).into_owned() })
    };
    paths.into_iter().map(read).collect()
}

/// The rules with those of files, and these in words, so that a change of them shows.
fn with_files(mut rules: Rules, files: &[RuleFile]) -> Result<(Rules, String)> {
    let mut words = String::new();
    for file in files {
        rules = rules.with_file(&file.text).map_err(|error| no_rules(file, &error))?;
        words.push_str(&format!(" rules {}", blake3::hash(file.text.as_bytes()).to_hex()));
    }
    Ok((rules, words))
}

fn no_rules(file: &RuleFile, error: &RuleError) -> Error {
    let line = if let RuleError::Form { line, .. } = error { *line } else { None };
    Error::refused("invalid-setting", format!("{} cannot be used: {error}", file.path.display()))
        .at(file.path.display(), line, None)
        .hint("mend it, then run the command again; `redaction.rules` names the file")
}

/// The rules for what agents' logs say, and these in words, so that a change of them shows. A file that others can write may
/// name further patterns, but neither switch redaction off nor take the person's patterns away.
///
/// # Errors
/// Those of [`rules`].
pub(super) fn rules_of_logs(memory: &Memory, open: &OpenVault) -> Result<(Rules, String)> {
    let own = |origin: &Origin| is_own_word(memory, open, origin);
    let settings = &open.settings;
    let enabled = settings.get_from("redaction.enabled", own).and_then(|(value, _)| value.as_bool());
    let enabled = enabled.unwrap_or(true);
    if enabled && settings.flag("redaction.enabled") == Some(false) {
        memory.notice("redaction.enabled of a file that others can write does not count for sessions");
    }
    let lists =
        [settings.get_from("redaction.extra", own), settings.get_from("redaction.extra", |o| !own(o))];
    let items = lists.into_iter().flatten().filter_map(|(value, _)| value.as_array()).flatten();
    let mut extra: Vec<String> = items.filter_map(toml::Value::as_str).map(str::to_owned).collect();
    extra.dedup();
    let rules = if enabled { Rules::default() } else { Rules::none() };
    let rules = rules.with_extra(&extra).map_err(|error| no_pattern(&error))?;
    let (rules, files) = with_files(rules, &files(memory, open)?)?;
    Ok((rules, format!("{enabled} {extra:?}{files}")))
}

/// The same where no vault need be: those of the vault that the call is made in, else the built-in ones.
///
/// # Errors
/// Those of [`rules`].
pub(super) fn rules_at(call: &Call) -> Result<Rules> {
    match Memory::open(call.clone()) {
        Ok(memory) => Ok(rules_of_logs(&memory, memory.target())?.0),
        Err(_) => Ok(Rules::default()),
    }
}

fn no_pattern(error: &PatternError) -> Error {
    Error::refused("invalid-setting", error.to_string())
        .at(layout::SETTINGS, None, None)
        .hint("mend it, then run the command again")
}

/// Refuses bytes that hold a secret which was not in the file before.
///
/// # Errors
/// Refused, with the line and what it looks like.
pub(super) fn refuse(
    rules: &Rules,
    path: &NotePath,
    before: Option<&[u8]>,
    after: Option<&[u8]>,
) -> Result<()> {
    let Some(after) = after.map(String::from_utf8_lossy) else { return Ok(()) };
    let new = find(&after, rules);
    if new.is_empty() {
        return Ok(());
    }
    let before = before.map(String::from_utf8_lossy).unwrap_or_default();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for removed in find(&before, rules) {
        *known.entry(&before[removed.range]).or_default() += 1;
    }
    let is_new = |removed: &&Removed| match known.get_mut(&after[removed.range.clone()]) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => true,
    };
    let Some(Removed { rule, line, .. }) = new.iter().find(is_new) else { return Ok(()) };
    let message = format!("line {line} of {path} would hold what looks like a live secret ({rule})");
    Err(Error::refused("secret", message)
        .at(path, u32::try_from(*line).ok(), None)
        .hint("take it out; where an example is meant, write a placeholder such as <token>"))
}

/// Looks through all notes of a vault.
///
/// # Errors
/// Those of [`rules`].
pub(super) fn exposed(memory: &Memory, open: &OpenVault, notes: &[Note]) -> Result<Exposed> {
    let rules = rules(memory, open)?;
    let mut exposed = Exposed::default();
    for note in notes {
        // What cannot be read is told by its finding.
        let Ok(bytes) = open.read(&note.path) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let secrets = find(&text, &rules).into_iter();
        exposed.secrets.extend(secrets.map(|removed| (note.path.clone(), removed.rule, removed.line)));
        let guesses = suspects(&text, &rules).into_iter();
        exposed.guesses.extend(guesses.map(|suspect| (note.path.clone(), suspect.line)));
    }
    Ok(exposed)
}
