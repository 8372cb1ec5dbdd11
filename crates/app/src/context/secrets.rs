//! Keeps secrets out of a vault: refuses changes that would add one, and scans existing notes.
//!
//! The patterns are those of the crate `cm-secrets`. A vault that already contains a secret remains
//! usable.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::paths::resolve_with_home;
use crate::context::request::Request;
use crate::error::{Error, Result};
use cm_note::message::CommitMessage;
use cm_note::note::{Note, name};
use cm_note::path::NotePath;
use cm_secrets::{
    PatternError, RedactedSecret, RedactionRules, RuleError, find, fingerprint, redact, suspects,
};
use cm_store::config::{Settings, keys};
use cm_store::vault::{external_folder, layout};

/// Result of a scan for secrets in the notes of a vault.
#[derive(Debug, Clone, Default)]
pub struct SecretScan {
    /// Likely secrets, each with its path, the name of the matching rule and the line, from 1.
    pub secrets: Vec<(NotePath, String, usize)>,
    /// Number of likely secrets that are allowed by a marker in their line or by their fingerprint.
    pub allowed: usize,
    /// Path and line, from 1, of texts that look random and may be secrets.
    pub suspects: Vec<(NotePath, usize)>,
}

/// Returns the rules of a vault, from `redaction.enabled`, `redaction.extra` and `redaction.rules`.
///
/// # Errors
/// Returns an error if a pattern is invalid, or if a rule file cannot be read or parsed.
pub fn rules(context: &Context, open: &OpenVault) -> Result<RedactionRules> {
    Ok(rules_of(context, open, &open.settings.texts(keys::REDACTION_EXTRA))?.0)
}

/// Returns the built-in rules, if enabled, with these patterns and the user's rule file, and a text
/// that changes whenever the rules change.
fn rules_of(context: &Context, open: &OpenVault, extra: &[String]) -> Result<(RedactionRules, String)> {
    let enabled = open.settings.flag(keys::REDACTION_ENABLED).unwrap_or(true);
    let rules = if enabled { RedactionRules::default() } else { RedactionRules::none() };
    let rules = rules.with_extra(extra).map_err(|error| no_pattern(&error))?;
    open.settings.ignored("redaction.").for_each(|notice| context.notice(notice));
    let (rules, file) = with_file_of(rules, &open.settings, &context.request)?;
    Ok((rules, format!("{enabled} {extra:?}{file}")))
}

/// Adds the rules of the file that the user's own setting `redaction.rules` names, if it is set. Also
/// returns a text that contains the file's hash, to detect changes.
fn with_file_of(
    rules: RedactionRules,
    settings: &Settings,
    request: &Request,
) -> Result<(RedactionRules, String)> {
    let name = keys::REDACTION_RULES.name;
    let typed = settings.text(keys::REDACTION_RULES).map(str::trim).filter(|typed| !typed.is_empty());
    let Some(typed) = typed else { return Ok((rules, String::new())) };
    let path = PathBuf::from(resolve_with_home(request.home.as_deref(), &request.cwd, typed));
    let bytes = external_folder::file(&path).map_err(|error| {
        Error::refused("invalid-setting", format!("the file of {name} was not read: {error}"))
            .hint(format!("correct the path, or remove it with `cm config unset {name} --private`"))
    })?;
    let text = String::from_utf8_lossy(&bytes);
    let rules = rules.with_file(&text).map_err(|error| no_rules(&path, &error))?;
    Ok((rules, format!(" rules {}", blake3::hash(text.as_bytes()).to_hex())))
}

fn no_rules(file: &Path, error: &RuleError) -> Error {
    let line = if let RuleError::Form { line, .. } = error { *line } else { None };
    Error::refused("invalid-setting", format!("cannot use {}: {error}", file.display()))
        .at(file.display(), line, None)
        .hint("fix it, then run the command again; `redaction.rules` sets the file")
}

/// Returns the rules for agents' logs, and a text that changes whenever the rules change. A shared
/// settings file can add patterns, but can neither disable redaction nor remove the user's
/// patterns.
///
/// # Errors
/// Returns an error if a pattern is invalid, or if a rule file cannot be read or parsed.
pub(crate) fn rules_of_logs(context: &Context, open: &OpenVault) -> Result<(RedactionRules, String)> {
    let settings = &open.settings;
    let shared =
        settings.get_from(keys::REDACTION_EXTRA, |origin| !origin.is_users()).map(|(value, _)| value);
    let lists = [settings.users(keys::REDACTION_EXTRA), shared];
    let items = lists.into_iter().flatten().filter_map(toml::Value::as_array).flatten();
    let mut extra: Vec<String> = items.filter_map(toml::Value::as_str).map(str::to_owned).collect();
    extra.dedup();
    rules_of(context, open, &extra)
}

/// Returns the log rules of the vault that the request would open, or the built-in rules if there is
/// none.
///
/// # Errors
/// Returns an error if a pattern is invalid, or if a rule file cannot be read or parsed.
pub(crate) fn rules_for_request(request: &Request) -> Result<RedactionRules> {
    match Context::open(request.clone()) {
        Ok(context) => Ok(rules_of_logs(&context, context.target())?.0),
        Err(_) => Ok(RedactionRules::default()),
    }
}

/// Returns the rules for text that is sent to a team server: the built-in rules, which cannot be
/// disabled here, and those that the user's settings add.
///
/// # Errors
/// Returns an error if a pattern is invalid, or if a rule file cannot be read or parsed.
pub(crate) fn rules_for_server(settings: &Settings, request: &Request) -> Result<RedactionRules> {
    let extra = settings.texts(keys::REDACTION_EXTRA);
    let rules = RedactionRules::default().with_extra(&extra).map_err(|error| no_pattern(&error))?;
    Ok(with_file_of(rules, settings, request)?.0)
}

fn no_pattern(error: &PatternError) -> Error {
    Error::refused("invalid-setting", error.to_string())
        .at(layout::SETTINGS, None, None)
        .hint("fix it, then run the command again")
}

/// A likely live secret that blocks a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BlockedSecret {
    /// Path of the file; secrets in its name are redacted.
    pub path: String,
    /// Line number, from 1; null if the secret is in the file name.
    pub line: Option<u32>,
    /// Name of the rule that matched.
    pub rule: String,
    /// Value for `redaction.allow` that permits a person to commit the secret.
    pub fingerprint: String,
}

impl BlockedSecret {
    /// Converts the finding into the error that refuses the change.
    pub(crate) fn into_error(self) -> Error {
        let Self { path, line, rule, .. } = self;
        let message = match line {
            Some(line) => format!("line {line} of {path} may contain a real secret ({rule})"),
            None => format!("the name of {path} may contain a real secret ({rule})"),
        };
        Error::refused("secret", message).at(path, line, None).hint(REMOVE)
    }
}

/// Hint for a text with a likely secret.
const REMOVE: &str = "remove it; for an example, use a placeholder such as <token>";

/// Exceptions that let a person commit a secret. They apply to the person's own edits, never to
/// text that commands, agents or sessions write.
#[derive(Debug, Default)]
pub(crate) struct SecretExceptions {
    fingerprints: BTreeSet<String>,
    /// Whether the text [`MARK`] in a line allows a secret in the same line.
    allows_line_marker: bool,
}

/// Marker that allows a secret in the same line of a file.
const MARK: &str = "cm:allow-secret";

impl SecretExceptions {
    /// Returns the exceptions of the vault for a person; empty for an agent or a guest.
    pub(crate) fn of(context: &Context, open: &OpenVault) -> Self {
        let caller = &context.request.caller;
        if caller.agent.is_some() || caller.has_token {
            return Self::default();
        }
        Self {
            fingerprints: open.settings.texts(keys::REDACTION_ALLOW).into_iter().collect(),
            allows_line_marker: true,
        }
    }

    fn allows(&self, text: &str, range: &Range<usize>) -> bool {
        let listed =
            !self.fingerprints.is_empty() && self.fingerprints.contains(&fingerprint(&text[range.clone()]));
        listed || self.allows_line_marker && line_of(text, range.start).contains(MARK)
    }
}

/// Returns the line that contains a byte position.
fn line_of(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
    &text[start..end]
}

/// Cuts a path before the first secret of a text in it: the name of a new note is made from its title,
/// in which a secret has lost the form by which it is found.
fn without_slugs<'t>(path: &str, secrets: impl Iterator<Item = &'t str>) -> String {
    let slugs =
        secrets.map(|secret| name::slug(secret, TELLING_SLUG)).filter(|slug| slug.len() >= TELLING_SLUG);
    match slugs.filter_map(|slug| path.find(&slug)).min() {
        Some(at) => format!("{}…", &path[..at]),
        None => path.to_owned(),
    }
}

/// Length of the beginning of a secret's slug by which it is recognized, in bytes.
const TELLING_SLUG: usize = 8;

/// Returns the secrets in the name or text of a file that were not in it before and are not
/// allowed.
pub(crate) fn find_new_secrets(
    rules: &RedactionRules,
    allowed: &SecretExceptions,
    path: &NotePath,
    before: Option<&[u8]>,
    after: Option<&[u8]>,
) -> Vec<BlockedSecret> {
    let Some(after) = after.map(String::from_utf8_lossy) else { return Vec::new() };
    let mut new = find(&after, rules);
    if path.is_generated() {
        // "… needs a token `1f0c2a00`" is an entry with its ID.
        new.retain(|found| !is_id_of_entry(&after[found.range.clone()]));
    }
    let mut shown = redact(path.as_str(), rules).0.into_string();
    if before.is_none() {
        shown = without_slugs(&shown, new.iter().map(|removed| &after[removed.range.clone()]));
    }
    let stop = |text: &str, RedactedSecret { rule, range, .. }: &RedactedSecret, line| BlockedSecret {
        path: shown.clone(),
        line,
        rule: rule.clone(),
        fingerprint: fingerprint(&text[range.clone()]),
    };
    let mut found = Vec::new();
    if before.is_none() {
        found.extend(find(path.as_str(), rules).iter().map(|removed| stop(path.as_str(), removed, None)));
    }
    if new.is_empty() {
        return found;
    }
    let before = before.map(String::from_utf8_lossy).unwrap_or_default();
    let mut secrets_before: HashMap<&str, usize> = HashMap::new();
    for removed in find(&before, rules) {
        *secrets_before.entry(&before[removed.range]).or_default() += 1;
    }
    let is_new = |removed: &&RedactedSecret| match secrets_before.get_mut(&after[removed.range.clone()]) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => !allowed.allows(&after, &removed.range),
    };
    found.extend(
        new.iter().filter(is_new).map(|removed| stop(&after, removed, u32::try_from(removed.line).ok())),
    );
    found
}

/// Whether a text has the form of the IDs behind the entries of generated files, whose notes were checked
/// before.
fn is_id_of_entry(text: &str) -> bool {
    let is_lower = |part: &str| part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    match text.strip_prefix("b-").and_then(|rest| rest.split_once('-')) {
        Some((time, hash)) => time.len() == 8 && hash.len() == 6 && is_lower(time) && is_lower(hash),
        None => text.len() == 8 && text.bytes().all(|b| b.is_ascii_hexdigit()),
    }
}

/// Refuses a change that adds a secret to a file.
///
/// # Errors
/// Returns an error with the line and the rule of the first new secret.
pub(crate) fn refuse_new_secrets(
    rules: &RedactionRules,
    path: &NotePath,
    before: Option<&[u8]>,
    after: Option<&[u8]>,
) -> Result<()> {
    let first = find_new_secrets(rules, &SecretExceptions::default(), path, before, after).into_iter().next();
    first.map_or(Ok(()), |stopped| Err(stopped.into_error()))
}

/// Refuses a new note with a secret. The error names no file and line, because there is none yet.
///
/// # Errors
/// Returns an error with the rule of the first secret.
pub(crate) fn refuse_secrets_of_new_note(
    rules: &RedactionRules,
    path: &NotePath,
    text: Option<&[u8]>,
) -> Result<()> {
    let found = find_new_secrets(rules, &SecretExceptions::default(), path, None, text);
    match found.iter().find(|stopped| stopped.line.is_some()) {
        None => found.into_iter().next().map_or(Ok(()), |stopped| Err(stopped.into_error())),
        Some(BlockedSecret { rule, .. }) => {
            Err(Error::refused("secret", format!("the text may contain a real secret ({rule})")).hint(REMOVE))
        }
    }
}

/// Redacts the subject, body and ids of a commit message, and refuses secrets in the fields that
/// the caller provided.
///
/// # Errors
/// Returns an error with the field and the rule.
pub(crate) fn clean_message(rules: &RedactionRules, message: CommitMessage) -> Result<CommitMessage> {
    let fields = [
        ("actor", &message.actor),
        ("agent", &message.agent),
        ("session", &message.session),
        ("reason", &message.reason),
    ];
    for (name, value) in fields {
        refuse_secret_text(rules, name, value.as_deref().unwrap_or_default())?;
    }
    let clean = |text: String| redact(&text, rules).0.into_string();
    Ok(CommitMessage {
        subject: clean(message.subject),
        body: clean(message.body),
        ids: message.ids.into_iter().map(clean).collect(),
        ..message
    })
}

/// Refuses text of the caller that contains a secret and would become part of a commit message.
///
/// # Errors
/// Returns an error with the field and the rule.
pub(crate) fn refuse_secret_text(rules: &RedactionRules, field: &str, words: &str) -> Result<()> {
    match find(words, rules).first() {
        None => Ok(()),
        Some(RedactedSecret { rule, .. }) => {
            let message =
                format!("the {field} may contain a real secret ({rule}), and the Git history would keep it");
            Err(Error::refused("secret", message).hint("remove the secret; nothing was written"))
        }
    }
}

/// Scans notes of a vault for secrets.
///
/// # Errors
/// Returns an error if a redaction pattern or rule file is invalid.
pub(crate) fn scan_notes(context: &Context, open: &OpenVault) -> Result<Arc<SecretScan>> {
    let (rules, basis) = rules_of(context, open, &open.settings.texts(keys::REDACTION_EXTRA))?;
    let allowed = SecretExceptions::of(context, open);
    context.value_of_notes(open, &format!("{basis} {allowed:?}"), |notes| {
        Ok(scan(open, notes, &rules, &allowed))
    })
}

fn scan(open: &OpenVault, notes: &[Note], rules: &RedactionRules, allowed: &SecretExceptions) -> SecretScan {
    let mut exposed = SecretScan::default();
    for note in notes {
        // A file that cannot be read has a finding of its own.
        let Ok(bytes) = open.read(&note.path) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        for removed in find(&text, rules) {
            if allowed.allows(&text, &removed.range) {
                exposed.allowed += 1;
            } else {
                exposed.secrets.push((note.path.clone(), removed.rule, removed.line));
            }
        }
        let guesses = suspects(&text, rules).into_iter();
        exposed.suspects.extend(guesses.map(|suspect| (note.path.clone(), suspect.line)));
    }
    exposed
}
