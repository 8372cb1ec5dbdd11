//! Imports bullets from a YAML playbook or an agent's rule file in one commit. The source file is
//! only read.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::{limits, notes_as_written, of_notes, of_vault};
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::secrets;
use crate::context::write;
use crate::error::{Error, Result};
use crate::verbs::import::no_importer;
use cm_exchange::exchange::plan::{self, BulletImportPlan, VaultContents};
use cm_exchange::exchange::{ImportedDocument, playbook, rule_file};
use cm_note::bullet::{BulletState, Maturity};
use cm_note::change::{ChangeSet, VaultFileChange};
use cm_note::finding::Finding;
use cm_note::id::NoteId;
use cm_note::message::{CommitMessage, CommitOp};
use cm_note::path::NotePath;
use cm_secrets::{RedactedSecret, RedactionRules, find, redact};
use cm_store::vault::external_folder;
use cm_text::position::line_and_column;

pub use cm_exchange::exchange::LeftOutKind;
pub use cm_exchange::exchange::plan::{BulletSkipReason, SkippedBullet};

/// Whether a source file contains structured bullets or prose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RuleSourceKind {
    /// A YAML or JSON playbook.
    Playbook,
    /// Instructions for agents in prose, such as AGENTS.md.
    Rules,
}

impl RuleSourceKind {
    /// All kinds of source files.
    pub const ALL: [Self; 2] = [Self::Playbook, Self::Rules];

    /// Name on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Playbook => "playbook",
            Self::Rules => "rules",
        }
    }

    /// Detects the kind of a file by its name.
    pub(crate) fn of(file: &Path) -> Option<Self> {
        let name = file.file_name()?.to_string_lossy().to_ascii_lowercase();
        let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
        if ends(&[".yaml", ".yml", ".json"]) {
            return Some(Self::Playbook);
        }
        let rules = [
            "agents.md",
            "claude.md",
            "claude.local.md",
            "agents.override.md",
            "gemini.md",
            "copilot-instructions.md",
            ".instructions.md",
            ".mdc",
            ".cursorrules",
            ".windsurfrules",
            ".clinerules",
        ];
        ends(&rules).then_some(Self::Rules)
    }
}

/// File to import and the mode of the import.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The file to import.
    pub file: PathBuf,
    /// Kind of the file; detected by its name by default.
    pub from: Option<RuleSourceKind>,
    /// Report the changes without writing them.
    pub dry_run: bool,
}

/// A bullet or blocked pattern that was imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImportedBullet {
    /// ID of the note.
    pub id: String,
    /// Path of the file, relative to the vault root.
    pub path: String,
    /// Text of the rule or pattern.
    pub content: String,
    /// Category; null for a deprecated pattern.
    pub category: Option<String>,
    /// State; null for a deprecated pattern.
    pub state: Option<BulletState>,
}

/// An entry of the source file that was not imported because it contains a likely secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StoppedEntry {
    /// Line of the secret in the source file, from 1; null if the file contains it in another form,
    /// such as escaped.
    pub line: Option<u32>,
    /// Name of the redaction rule that found the secret.
    pub rule: String,
    /// ID of the entry; secrets in it are redacted.
    pub id: String,
}

/// Result of importing a file of bullets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BulletImport {
    /// Kind of the file.
    pub from: RuleSourceKind,
    /// Imported bullets and patterns.
    pub imported: Vec<ImportedBullet>,
    /// Entries that were not imported, each with the reason.
    pub skipped: Vec<SkippedBullet>,
    /// Entries with an apparent live secret, which were not imported.
    pub stopped: Vec<StoppedEntry>,
    /// Kinds of other content in the file, with the number of each.
    pub left_out: Vec<LeftOutKind>,
    /// Problems in the imported entries.
    pub findings: Vec<Finding>,
    /// Hash of the new commit; null if automatic commits are off (`git.commit`) or nothing was
    /// imported.
    pub commit: Option<String>,
    /// Whether this was a dry run, so that nothing was written.
    pub dry_run: bool,
}

impl BulletImport {
    /// Whether some entries could not be imported.
    pub fn failed(&self) -> bool {
        !self.stopped.is_empty() || self.skipped.iter().any(|skipped| skipped.why.failed())
    }
}

/// Imports the bullets of a file.
///
/// # Errors
/// A file that cannot be read or parsed, nothing to import, and the errors of [`write::apply`].
pub fn import(context: &Context, options: &Options) -> Result<BulletImport> {
    let shown = options.file.display().to_string();
    let from = options.from.or_else(|| RuleSourceKind::of(&options.file)).ok_or_else(|| {
        Error::usage(format!("the type of {shown} cannot be detected from its name"))
            .hint("use `--from playbook` or `--from rules`")
    })?;
    let text = text(context, &options.file)?;
    if is_other_json(from, &text) {
        return Err(no_importer(&shown));
    }
    let document = match from {
        RuleSourceKind::Playbook => playbook::read(&text, &shown, context.now()).map_err(|refused| {
            Error::refused("no-playbook", refused.message)
                .at(&shown, Some(refused.line), Some(refused.column))
                .hint(refused.hint)
        })?,
        RuleSourceKind::Rules => rule_file::read(&text, &shown, context.now()),
    };
    let applied = write::apply_or_preview(context, options.dry_run, |open| {
        let (mut imported, files) = planned(context, open, from, document, &shown)?;
        let rules = secrets::rules(context, open)?;
        let files = without_secrets(&rules, &mut imported, files, &text);
        refuse_if_all_stopped(&imported, &shown)?;
        let message = message(options, &imported.imported);
        let changes = files.into_iter().map(|(path, text)| VaultFileChange::Create { path, text }).collect();
        Ok((ChangeSet { message, changes }, imported))
    })?;
    Ok(BulletImport { commit: applied.commit, dry_run: options.dry_run, ..applied.result })
}

/// Whether a file contains JSON of another tool: a list instead of a playbook, or any JSON, also one value a
/// line, instead of rules in prose.
fn is_other_json(from: RuleSourceKind, text: &str) -> bool {
    let text = text.trim();
    let is_json = |text: &str| serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    match from {
        RuleSourceKind::Playbook => text.starts_with('[') && is_json(text),
        RuleSourceKind::Rules => {
            let first = text.lines().next().unwrap_or_default();
            text.starts_with(['{', '[']) && (is_json(text) || is_json(first))
        }
    }
}

/// Moves entries that contain a likely secret from the imported to the stopped ones; returns the
/// files of the others. `source` is the text of the imported file.
fn without_secrets(
    rules: &RedactionRules,
    imported: &mut BulletImport,
    files: Vec<NewFile>,
    source: &str,
) -> Vec<NewFile> {
    let brought = std::mem::take(&mut imported.imported);
    let mut sound = Vec::with_capacity(files.len());
    for (brought, (path, text)) in brought.into_iter().zip(files) {
        let in_path = find(path.as_str(), rules).into_iter().map(|found| (path.as_str(), found));
        let secrets: Vec<_> =
            in_path.chain(find(&text, rules).into_iter().map(|found| (text.as_str(), found))).collect();
        for (held, RedactedSecret { rule, range, .. }) in &secrets {
            let line = source.find(&held[range.clone()]).map(|at| line_and_column(source, at).0);
            let id = redact(&brought.id, rules).0.into_string();
            let entry = StoppedEntry { line, rule: rule.clone(), id };
            // One text can stand in the path and in the note.
            if !imported.stopped.contains(&entry) {
                imported.stopped.push(entry);
            }
        }
        if secrets.is_empty() {
            imported.imported.push(brought);
            sound.push((path, text));
        }
    }
    sound
}

/// Returns an error if every new entry contains a secret.
fn refuse_if_all_stopped(imported: &BulletImport, shown: &str) -> Result<()> {
    let Some(first) = imported.stopped.first().filter(|_| imported.imported.is_empty()) else {
        return Ok(());
    };
    let places: Vec<String> = imported.stopped.iter().take(5).map(place_of).collect();
    Err(Error::refused("secret", format!("every new entry of {shown} may contain a real secret"))
        .at(shown, first.line, None)
        .hint(format!("remove them, or use a placeholder such as <token>: {}", places.join("; "))))
}

/// Formats the position of a secret and the name of the rule that found it.
pub fn place_of(stopped: &StoppedEntry) -> String {
    let line = stopped.line.map_or_else(String::new, |line| format!("line {line}, "));
    format!("{line}{} ({})", stopped.id, stopped.rule)
}

/// Computes the result of the import and the files to write, from the current notes of the vault.
fn planned(
    context: &Context,
    open: &OpenVault,
    from: RuleSourceKind,
    mut document: ImportedDocument,
    shown: &str,
) -> Result<(BulletImport, Vec<NewFile>)> {
    let notes = notes_as_written(context, open)?;
    let mut blocked = of_notes(&notes).blocked;
    for other in context.vaults.iter().filter(|other| other.level != open.level) {
        blocked.extend(of_vault(context, other)?.blocked);
    }
    let contents = VaultContents {
        notes: &notes,
        blocked: &blocked,
        block_jaccard: limits(open).block_jaccard,
        same_rule_once: from == RuleSourceKind::Rules,
    };
    if !context.is_person() {
        only_proposed(context, &mut document);
    }
    let plan = plan::plan(&mut document, &contents, shown);
    if plan.bullets.is_empty() && plan.blocked.is_empty() && plan.skipped.iter().all(|it| it.why.failed()) {
        return Err(nothing_came(shown, &plan));
    }
    let (imported, files) = placed(open, plan.bullets, plan.blocked)?.into_iter().unzip();
    let imported = BulletImport {
        from,
        imported,
        skipped: plan.skipped,
        stopped: Vec::new(),
        left_out: document.left_out,
        findings: document.findings,
        commit: None,
        dry_run: false,
    };
    Ok((imported, files))
}

/// Turns an agent's import into proposals: active bullets become drafts without feedback, and
/// blocked patterns are dropped.
fn only_proposed(context: &Context, document: &mut ImportedDocument) {
    for bullet in document.bullets.iter_mut().filter(|bullet| bullet.state == BulletState::Active) {
        bullet.state = BulletState::Draft;
        bullet.maturity = Maturity::Candidate;
        bullet.pinned = false;
        bullet.feedback.clear();
    }
    if !document.blocked.is_empty() {
        document.blocked.clear();
        context.notice("blocked patterns in the file are skipped: only a person can block a rule");
    }
}

fn text(context: &Context, file: &Path) -> Result<String> {
    let bytes = external_folder::file(&context.request.cwd.join(file))?;
    String::from_utf8(bytes).map_err(|_| Error::not_utf8(&file.display().to_string()))
}

/// Path and text of a file to create.
type NewFile = (NotePath, String);

fn placed(
    open: &OpenVault,
    bullets: Vec<(cm_note::bullet::Bullet, String)>,
    blocked: Vec<(cm_note::bullet::blocked::BlockedNote, String)>,
) -> Result<Vec<(ImportedBullet, NewFile)>> {
    let mut taken = HashSet::new();
    let mut files = Vec::with_capacity(bullets.len() + blocked.len());
    for (bullet, text) in bullets {
        let path = free(open, &bullet.path, &bullet.id, &mut taken)?;
        let brought = ImportedBullet {
            id: bullet.id.to_string(),
            path: path.to_string(),
            content: bullet.content().to_owned(),
            category: Some(bullet.category.clone()),
            state: Some(bullet.state),
        };
        files.push((brought, (path, text)));
    }
    for (blocked, text) in blocked {
        let path = free(open, &blocked.path, &blocked.id, &mut taken)?;
        let (id, content) = (blocked.id.to_string(), blocked.text().to_owned());
        let brought = ImportedBullet { id, path: path.to_string(), content, category: None, state: None };
        files.push((brought, (path, text)));
    }
    Ok(files)
}

/// Returns an unused path for a new file: the wanted one, a subfolder if its folder is full, or a
/// numbered name.
fn free(open: &OpenVault, wanted: &NotePath, id: &NoteId, taken: &mut HashSet<NotePath>) -> Result<NotePath> {
    let mut number = 1;
    loop {
        let name = match number {
            1 => wanted.file_name().to_owned(),
            n => format!("{}-{n}.md", wanted.stem()),
        };
        let path = crate::verbs::note_fields::sharded(open, wanted.folder(), &name, id)?;
        if open.vault.read(&path).is_err() && taken.insert(path.clone()) {
            return Ok(path);
        }
        number += 1;
    }
}

fn message(options: &Options, imported: &[ImportedBullet]) -> CommitMessage {
    let name = options.file.file_name().unwrap_or(options.file.as_os_str()).to_string_lossy();
    let subject = match imported {
        [one] => format!("Import \"{}\" from {name}", one.content),
        several => format!("Import {} rules from {name}", several.len()),
    };
    CommitMessage::new(CommitOp::Import, subject).with_ids(imported.iter().map(|brought| &brought.id))
}

fn nothing_came(shown: &str, plan: &BulletImportPlan) -> Error {
    if plan.skipped.is_empty() {
        return write::nothing_done(format!("there are no rules in {shown}"))
            .hint("list items and paragraphs of one sentence become rules");
    }
    let reasons: Vec<String> = plan
        .skipped
        .iter()
        .take(5)
        .map(|skipped| format!("{}: {}", skipped.id, reason(skipped.why)))
        .collect();
    write::nothing_done(format!("no rule of {shown} was imported")).hint(reasons.join("; "))
}

/// A user-facing explanation of why a bullet was not imported.
pub fn reason(why: BulletSkipReason) -> &'static str {
    match why {
        BulletSkipReason::ThereAlready => "already in the vault",
        BulletSkipReason::SameRule => "the vault has the same rule",
        BulletSkipReason::OtherFields => {
            "the vault has this rule with other feedback or fields, and keeps its own"
        }
        BulletSkipReason::IdTaken => "another rule has this ID",
        BulletSkipReason::Blocked => "blocked in this vault",
        BulletSkipReason::NoRule => "the text is not valid for a rule",
    }
}
