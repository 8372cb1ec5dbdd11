//! The health of the vault: what `validate` and `doctor` find, with the place. Both read every note,
//! so that a page with a script shows them when they are ready.

use askama::Template;

use crate::operations::worded;
use crate::web::page::{PageRequest, Shell, render};
use crate::web::words::note_address;
use cm_app::verbs::doctor::{self, CheckStatus};
use cm_app::verbs::validate;
use cm_app::{Context, Result};
use cm_note::finding::Severity;
use cm_note::user_text::Interface;

/// Maximum number of findings on the page.
const MAX_FINDINGS: usize = 200;

#[derive(Template)]
#[template(path = "checks.html")]
struct ChecksPage {
    shell: Shell,
    /// `None` until they are asked for.
    results: Option<Results>,
}

struct Results {
    notes: usize,
    errors: usize,
    warnings: usize,
    findings: Vec<FindingRow>,
    left_out: usize,
    checks: Vec<CheckRow>,
}

struct FindingRow {
    severity: &'static str,
    message: String,
    hint: Option<String>,
    place: String,
    address: String,
}

struct CheckRow {
    name: &'static str,
    status: &'static str,
    message: String,
    hint: Option<String>,
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
    }
}

pub(super) fn show(context: &Context, request: &PageRequest) -> Result<String> {
    let results = if request.query.has("run") { Some(run(context)?) } else { None };
    render(&ChecksPage { results, shell: Shell::of(context, request, "checks", "Checks") })
}

fn run(context: &Context) -> Result<Results> {
    let found = validate::validate(context, &validate::Options::default())?;
    let report = doctor::doctor(context, false)?.concealed(context);
    let hint =
        |hint: Option<cm_note::user_text::UserText>| hint.map(|hint| worded(&hint, Interface::CommandLine));
    let left_out = found.findings.len().saturating_sub(MAX_FINDINGS);
    let findings = found.findings.into_iter().take(MAX_FINDINGS).map(|finding| FindingRow {
        severity: severity(finding.severity),
        message: finding.message,
        hint: hint(finding.hint),
        place: finding.line.map_or_else(|| finding.path.clone(), |line| format!("{}:{line}", finding.path)),
        address: note_address(&finding.path),
    });
    let checks = report.checks.into_iter().map(|check| CheckRow {
        name: check.name,
        status: match check.health {
            CheckStatus::Ok => "ok",
            CheckStatus::Warn => "warning",
            CheckStatus::Fail => "error",
        },
        message: check.message,
        hint: hint(check.hint),
    });
    Ok(Results {
        findings: findings.collect(),
        checks: checks.collect(),
        notes: found.notes,
        errors: found.errors,
        warnings: found.warnings,
        left_out,
    })
}
