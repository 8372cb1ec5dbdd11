//! Keeping secrets out of a vault: what would bring one in is refused, and what lies in it can be looked through.
//!
//! What secrets look like is for `domain::secret` to say. A vault that holds one already can still be worked with.

use std::collections::HashMap;
use std::path::PathBuf;

use super::error::{Error, Result};
use super::memory::{Call, Memory, OpenVault};
use super::sessions::allowed::resolved;
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

/// The file that `redaction.rules` of the user's own settings names.
fn files(memory: &Memory, open: &OpenVault) -> Result<Vec<RuleFile>> {
    const NAME: &str = "redaction.rules";
    let typed = open.settings.text(NAME).map(str::trim).filter(|typed| !typed.is_empty());
    let read = |typed: &str| {
        let path = PathBuf::from(resolved(memory, &memory.call.cwd, typed));
        let bytes = foreign::file(&path).map_err(|error| {
            Error::refused("invalid-setting", format!("the file of {NAME} is not read: {error}"))
                .hint(format!("correct the path, or take it out: cm config unset {NAME} --private"))
        })?;
        Ok(RuleFile { path, text: String::from_utf8_lossy(&bytes).into_owned() })
    };
    open.settings.ignored("redaction.").for_each(|notice| memory.notice(notice));
    typed.map(read).into_iter().collect()
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
    let settings = &open.settings;
    let enabled = settings.flag("redaction.enabled").unwrap_or(true);
    let shared = settings.get_from("redaction.extra", |origin| !origin.is_users()).map(|(value, _)| value);
    let lists = [settings.users("redaction.extra"), shared];
    let items = lists.into_iter().flatten().filter_map(toml::Value::as_array).flatten();
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
