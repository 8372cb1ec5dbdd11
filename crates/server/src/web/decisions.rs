//! The decisions on entries of the inbox that forms of the page send.

use super::action_result::{ActionResult, done, required, with_reason};
use super::forms::Fields;
use super::page::PageRequest;
use super::words::count;
use cm_app::verbs::review::{self, CommitsPer, ReviewDecision, ReviewResult};
use cm_app::verbs::supersede;
use cm_app::verbs::update::UpdateResult;
use cm_app::{Context, Error, Result};

/// Hashes of the new commits, newest first.
fn commits(result: ReviewResult) -> impl Iterator<Item = String> {
    result.decisions.into_iter().rev().filter_map(|decision| decision.commit)
}

/// Applies a decision to notes, with one commit for each.
pub(super) fn decide(context: &Context, _: &PageRequest, form: &Fields) -> Result<ActionResult> {
    let ids = form.all("id");
    let n = ids.len();
    if n == 0 {
        return Err(Error::usage("nothing is selected").hint("select at least one note"));
    }
    let context = with_reason(context, form)?;
    let (participle, decision) = match required(form, "decision")? {
        "deprecate" => ("Deprecated", ReviewDecision::Reject),
        name => {
            let hint = || format!("use deprecate, {}", ReviewDecision::NAMES.join(", "));
            let decision = ReviewDecision::of(name)
                .ok_or_else(|| Error::usage(format!("`{name}` is not a decision")).hint(hint()))?;
            (participle(decision), decision)
        }
    };
    let result = review::apply_decisions(&context, &[(decision, ids)], CommitsPer::Note)?;
    Ok(done(form, format!("{participle} {}", count(n, "note")), commits(result)))
}

fn participle(decision: ReviewDecision) -> &'static str {
    match decision {
        ReviewDecision::Accept => "Accepted",
        ReviewDecision::Reject => "Rejected",
        ReviewDecision::Confirm => "Confirmed",
        ReviewDecision::Take => "Took the other version in",
        ReviewDecision::Keep => "Kept",
    }
}

/// Merges rules into one.
pub(super) fn merge(context: &Context, _: &PageRequest, form: &Fields) -> Result<ActionResult> {
    let context = with_reason(context, form)?;
    let result = review::merge(&context, &form.all("id"), required(form, "content")?)?;
    Ok(done(form, "Merged into one rule", commits(result)))
}

/// Lets `id` replace `other`, or `other` replace `id`, as `direction` says.
pub(super) fn supersede(context: &Context, _: &PageRequest, form: &Fields) -> Result<ActionResult> {
    let (id, other) = (required(form, "id")?, required(form, "other")?);
    let (older, newer) = match required(form, "direction")? {
        "replaces" => (other, id),
        "replaced_by" => (id, other),
        other => {
            let error = Error::usage(format!("`{other}` is not a direction"));
            return Err(error.hint("use replaces or replaced_by"));
        }
    };
    let result = supersede::supersede(&with_reason(context, form)?, older, newer)?;
    Ok(done(form, "Replaced", result.commits.into_iter().rev()))
}

/// Accepts a draft after an edit; both commits are taken back together.
pub(super) fn accept_edited(context: &Context, form: &Fields, saved: UpdateResult) -> Result<ActionResult> {
    let accept = [(ReviewDecision::Accept, vec![saved.id])];
    let accepted = review::apply_decisions(context, &accept, CommitsPer::Decision)?;
    Ok(done(form, "Saved and accepted", commits(accepted).chain(saved.commit)))
}
