//! Checks a workspace against the `verify` blocks of playbook rules. Read-only.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::open::Context;
use crate::context::open_vault::VaultLevel;
use crate::context::paths::shown;
use crate::error::{Error, Result};
use crate::sessions::SessionAccess as Sessions;
use crate::verbs::playbook::{VaultBullet, find_bullet, merged};
use cm_index::sessions::{SessionIndexFilter, SessionSearchRequest, Weights};
use cm_note::bullet::content::fold_whitespace;
use cm_note::bullet::{Bullet, Scope, Verify};
use cm_note::finding::{Finding, FindingCode, Severity};
use cm_note::query::Query;
use cm_playbook::audit::{AuditVerdict, RuleCheck};
use cm_store::config::keys;
use cm_store::vault::workspace::Workspace;

pub use cm_playbook::audit::ViolationPlace;

/// Selects the rules to check and the workspace to check them in.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// IDs of the bullets to check, whatever their state; if empty, all live bullets with a
    /// `verify` block.
    pub ids: Vec<String>,
    /// The workspace; by default the repository around the working directory.
    pub workspace: Option<PathBuf>,
}

/// Whether a workspace complies with a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AuditOutcome {
    /// The workspace complies with the rule.
    Kept,
    /// The workspace violates the rule.
    Violated,
    /// The rule could not be checked; `reason` explains why.
    Unchecked,
}

/// A bullet with the result of its check.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RuleAudit {
    /// ID of the bullet.
    pub id: String,
    /// Text of the rule.
    pub content: String,
    /// Path of the bullet's file, relative to the vault root.
    pub path: String,
    /// Vault that contains the bullet: `project` or `global`.
    pub vault: VaultLevel,
    /// The rule's instructions for an automatic check; null if it has none.
    pub verify: Option<Verify>,
    /// Result of the check.
    pub outcome: AuditOutcome,
    /// Why the rule could not be checked; null if it was.
    pub reason: Option<String>,
    /// The first 50 violations; empty if the workspace lacks something that the rule requires.
    pub places: Vec<ViolationPlace>,
    /// Total number of violations.
    pub count: usize,
}

/// Result of checking the files of a workspace against the rules that have a `verify` block.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AuditReport {
    /// Path of the workspace.
    pub workspace: String,
    /// Number of files in the workspace that were visited.
    pub files: usize,
    /// Number of files that were not read because they are too large or not text.
    pub skipped: usize,
    /// The bullets, violated ones first.
    pub bullets: Vec<RuleAudit>,
    /// Number of rules that the workspace complies with.
    pub kept: usize,
    /// Number of violated rules.
    pub violated: usize,
    /// Number of rules that could not be checked.
    pub unchecked: usize,
    /// Problems in `verify` blocks, such as an invalid pattern.
    pub findings: Vec<Finding>,
}

impl AuditReport {
    /// Whether a rule is violated or the `verify` block of a rule is invalid.
    pub fn failed(&self) -> bool {
        self.violated > 0 || !self.findings.is_empty()
    }
}

/// Checks the workspace against the selected rules.
///
/// # Errors
/// A bullet that is not found, or a workspace that cannot be read.
pub fn audit(context: &Context, options: &Options) -> Result<AuditReport> {
    let vaults: Vec<_> = context.vaults.iter().map(|open| &open.vault).collect();
    let cwd = &context.request.cwd;
    let root = match &options.workspace {
        Some(folder) => cwd.join(folder),
        None => Workspace::root_of(cwd).to_owned(),
    };
    let workspace = Workspace::open(&root, &vaults).map_err(|error| {
        Error::usage(error.to_string()).hint("set the project's folder with `--workspace`")
    })?;
    let bullets = wanted(context, &options.ids)?;
    let mut findings = Vec::new();
    let mut checks: Vec<(VaultBullet, std::result::Result<RuleCheck, String>)> = Vec::new();
    for vault_bullet in bullets {
        let strict = !options.ids.is_empty();
        let check = check(&vault_bullet, workspace.root(), strict, &mut findings);
        checks.push((vault_bullet, check));
    }
    let (files, skipped) = look(&workspace, &mut checks);
    ask(context, workspace.root(), &mut checks);
    let mut bullets: Vec<RuleAudit> =
        checks.into_iter().map(|(vault_bullet, check)| judged(vault_bullet, check)).collect();
    let rank = |audit: &RuleAudit| match audit.outcome {
        AuditOutcome::Violated => 0,
        AuditOutcome::Unchecked => 1,
        AuditOutcome::Kept => 2,
    };
    bullets.sort_by(|a, b| (rank(a), &a.path).cmp(&(rank(b), &b.path)));
    let count = |outcome| bullets.iter().filter(|audit| audit.outcome == outcome).count();
    Ok(AuditReport {
        workspace: shown(workspace.root(), Path::new("")),
        files,
        skipped,
        kept: count(AuditOutcome::Kept),
        violated: count(AuditOutcome::Violated),
        unchecked: count(AuditOutcome::Unchecked),
        bullets,
        findings,
    })
}

/// The bullets with the given IDs; without IDs, all live bullets with a `verify` block.
fn wanted(context: &Context, ids: &[String]) -> Result<Vec<VaultBullet>> {
    if !ids.is_empty() {
        let mut bullets: Vec<VaultBullet> = Vec::new();
        for id in ids {
            let (found, bullet) = find_bullet(context, id)?;
            if bullets.iter().all(|other| other.bullet.id != bullet.id) {
                bullets.push(VaultBullet { level: found.open.level, bullet });
            }
        }
        return Ok(bullets);
    }
    let mut bullets = merged(context)?.bullets;
    bullets
        .retain(|vault_bullet| vault_bullet.bullet.is_live() && vault_bullet.bullet.fields.verify.is_some());
    Ok(bullets)
}

/// Compiles a rule's check; the error is the reason why it cannot run.
fn check(
    vault_bullet: &VaultBullet,
    root: &Path,
    is_explicit: bool,
    findings: &mut Vec<Finding>,
) -> std::result::Result<RuleCheck, String> {
    let bullet = &vault_bullet.bullet;
    let Some(verify) = &bullet.fields.verify else { return Err("it has no `verify` block".to_owned()) };
    if let Some(other) =
        elsewhere(bullet, root).filter(|_| !is_explicit && vault_bullet.level == VaultLevel::Global)
    {
        return Err(format!("it applies to the workspace {other} only"));
    }
    RuleCheck::of(verify).map_err(|unsound| {
        let finding = Finding::new(
            &bullet.path,
            FindingCode::InvalidValue,
            Severity::Error,
            format!("`verify`: {unsound}"),
        );
        findings.push(finding.with_hint("fix `pattern` with `cm edit`"));
        unsound.to_string()
    })
}

/// The workspace of a workspace-scoped bullet if it differs from `root`; `None` if the bullet
/// applies to `root`.
fn elsewhere<'b>(bullet: &'b Bullet, root: &Path) -> Option<&'b str> {
    let own = bullet.workspace.as_deref().filter(|_| bullet.scope == Scope::Workspace)?;
    let is_this = root.ends_with(own.trim_end_matches('/'));
    (!is_this).then_some(own)
}

/// Runs the file checks on the workspace. Returns the number of visited files and the number of
/// files that could not be read as text.
fn look(
    workspace: &Workspace,
    checks: &mut [(VaultBullet, std::result::Result<RuleCheck, String>)],
) -> (usize, usize) {
    let mut checks: Vec<&mut RuleCheck> =
        checks.iter_mut().filter_map(|(_, check)| check.as_mut().ok()).collect();
    for check in &mut checks {
        if let Some(path) = check.wants_file().map(str::to_owned).filter(|path| workspace.holds(path)) {
            check.see_path(&path);
        }
    }
    let (mut files, mut skipped) = (0, 0);
    if checks.iter().all(|check| !check.wants_paths() && !check.wants_text()) {
        return (files, skipped);
    }
    for file in workspace.files() {
        files += 1;
        checks.iter_mut().filter(|check| check.wants_paths()).for_each(|check| check.see_path(&file.path));
        if checks.iter().any(|check| check.wants_text()) {
            match file.text() {
                Some(text) => checks
                    .iter_mut()
                    .filter(|check| check.wants_text())
                    .for_each(|check| check.see_text(&file.path, &text)),
                None => skipped += 1,
            }
        }
    }
    (files, skipped)
}

/// Maximum number of sessions that one check reports.
const MAX_SESSIONS: usize = 50;

/// Runs the checks that search sessions, on the workspace's indexed sessions of the last
/// `sessions.validation_lookback_days` days.
fn ask(context: &Context, root: &Path, checks: &mut [(VaultBullet, std::result::Result<RuleCheck, String>)]) {
    let days = context.target().settings.number(keys::SESSIONS_VALIDATION_LOOKBACK_DAYS);
    let filter = SessionIndexFilter {
        workspace: Some(root.to_string_lossy().into_owned()),
        since: Some(context.now().minus_days(days)),
        ..SessionIndexFilter::default()
    };
    // What tools were asked to do is what such a rule is mostly about.
    let weights = Weights { person: 1.0, agent: 1.0, tool: 1.0 };
    let sessions = Sessions::open_without_refresh(context);
    for (vault_bullet, check) in checks {
        let Ok(check) = check else { continue };
        let Some(query) = check.wants_sessions().map(|words| Query::parse_all(words, context.now())) else {
            continue;
        };
        for notice in &query.notices {
            context.notice(format!("{}: {notice}", vault_bullet.bullet.id));
        }
        let request = SessionSearchRequest {
            query: &query,
            filter: &filter,
            weights,
            meaning: None,
            offset: 0,
            limit: MAX_SESSIONS,
        };
        let found = match sessions.query(|sessions| sessions.search(request)) {
            Ok(Some(found)) => found,
            Ok(None) => continue,
            Err(error) => {
                context.notice(format!("sessions could not be searched: {}", error.message));
                continue;
            }
        };
        let place = |hit: cm_index::sessions::ConversationHit| ViolationPlace {
            path: hit.session.log.clone().unwrap_or_default(),
            session: Some(hit.session.meta.id.to_string()),
            line: u32::try_from(hit.best.line).ok(),
            text: Some(hit.snippet),
        };
        check.see_sessions(found.hits.into_iter().map(place).collect(), found.total);
    }
}

fn judged(vault_bullet: VaultBullet, check: std::result::Result<RuleCheck, String>) -> RuleAudit {
    let VaultBullet { level, bullet } = vault_bullet;
    let mut audit = RuleAudit {
        id: bullet.id.to_string(),
        content: fold_whitespace(bullet.content()),
        path: bullet.path.to_string(),
        vault: level,
        verify: bullet.fields.verify,
        outcome: AuditOutcome::Unchecked,
        reason: None,
        places: Vec::new(),
        count: 0,
    };
    match check.map(RuleCheck::verdict) {
        Ok(AuditVerdict::Kept) => audit.outcome = AuditOutcome::Kept,
        Ok(AuditVerdict::Violated { places, count }) => {
            (audit.outcome, audit.places, audit.count) = (AuditOutcome::Violated, places, count);
        }
        Ok(AuditVerdict::Unchecked(why)) => audit.reason = Some(why.to_owned()),
        Err(why) => audit.reason = Some(why),
    }
    audit
}
