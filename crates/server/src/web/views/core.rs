//! CORE.md: what agents load at the start of a session, what each line costs, and what was left out.

use askama::Template;

use crate::web::page::{PageRequest, Shell, render};
use crate::web::words::note_address;
use cm_app::verbs::core_budget::{self, CoreBudget, CoreFileState, CoreNote, CoreSection, OmissionReason};
use cm_app::{Context, Result};
use cm_render::html;

/// Maximum number of omitted notes on the page.
const MAX_OMITTED_NOTES: usize = 100;

#[derive(Template)]
#[template(path = "core.html")]
struct CorePage {
    shell: Shell,
    body: String,
    tokens: usize,
    budget: usize,
    header_tokens: usize,
    file: CoreFileState,
    sections: Vec<Section>,
    omitted: Vec<Omitted>,
    reasons: Vec<(usize, &'static str)>,
    /// Number of omitted notes that are not listed.
    more: usize,
}

struct Section {
    title: String,
    tokens: usize,
    /// Share of the budget, such as `12.5`.
    percent: String,
    limit: Option<usize>,
    entries: Vec<ListedNote>,
}

struct ListedNote {
    title: String,
    address: String,
    score: String,
    is_pinned: bool,
    tokens: usize,
}

struct Omitted {
    title: String,
    address: String,
    reason: &'static str,
}

pub(in crate::web) fn show(context: &Context, request: &PageRequest) -> Result<String> {
    let found = core_budget::core_budget(context, &core_budget::Options { limit: MAX_OMITTED_NOTES })?;
    let counted: usize = found.omitted_counts.values().sum();
    render(&CorePage {
        body: html::note(&found.text, "CORE.md"),
        tokens: found.tokens,
        budget: found.budget,
        header_tokens: found.header_tokens,
        file: found.file,
        sections: found.sections.iter().map(|one| section(one, found.budget)).collect(),
        reasons: found.omitted_counts.iter().map(|(reason, count)| (*count, in_words(*reason))).collect(),
        more: counted - found.omitted.len(),
        omitted: omitted(found),
        shell: Shell::of(context, request, "core", "CORE.md"),
    })
}

fn section(section: &CoreSection, budget: usize) -> Section {
    let entry = |note: &CoreNote| ListedNote {
        title: note.title.clone(),
        address: note_address(&note.id),
        score: format!("{:.2}", note.score),
        is_pinned: note.pinned,
        tokens: note.tokens,
    };
    Section {
        title: section.title.clone(),
        tokens: section.tokens,
        percent: format!("{:.1}", section.tokens as f64 * 100.0 / budget.max(1) as f64),
        limit: section.limit,
        entries: section.entries.iter().map(entry).collect(),
    }
}

fn omitted(found: CoreBudget) -> Vec<Omitted> {
    let one = |note: core_budget::OmittedNote| Omitted {
        address: note_address(&note.id),
        title: note.title,
        reason: in_words(note.reason),
    };
    found.omitted.into_iter().map(one).collect()
}

fn in_words(reason: OmissionReason) -> &'static str {
    match reason {
        OmissionReason::NoSpace => "better entries use the whole budget",
        OmissionReason::FullSection => "its section is full",
        OmissionReason::TooLong => "longer than a rule may be",
        OmissionReason::Harmful => "more harm than help",
        OmissionReason::Waiting => "a draft, or unverified",
        OmissionReason::Replaced => "replaced by another note",
        OmissionReason::Retired => "retired",
        OmissionReason::Stale => "a stale observation",
        OmissionReason::Deprecated => "deprecated",
        OmissionReason::HiddenCharacters => "hidden characters",
        OmissionReason::Conflict => "unresolved merge conflict",
    }
}
