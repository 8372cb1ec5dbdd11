//! The decisions on entries of the inbox that forms of the page send.

use super::action_result::{ActionResult, done, required, with_reason};
use super::forms::Fields;
use super::page::PageRequest;
use super::words::count;
use cm_app::verbs::review::{self, ReviewDecisions, ReviewResult};
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
        return Err(Error::usage("nothing is selected"));
    }
    let context = with_reason(context, form)?;
    let each = ReviewDecisions { one_by_one: true, ..ReviewDecisions::default() };
    let (participle, decisions) = match required(form, "decision")? {
        "accept" => ("Accepted", ReviewDecisions { accept: ids, ..each }),
        "reject" => ("Rejected", ReviewDecisions { reject: ids, ..each }),
        "deprecate" => ("Deprecated", ReviewDecisions { reject: ids, ..each }),
        "confirm" => ("Confirmed", ReviewDecisions { confirm: ids, ..each }),
        "take" => ("Took the other version in", ReviewDecisions { take: ids, ..each }),
        "keep" => ("Kept", ReviewDecisions { keep: ids, ..each }),
        other => return Err(Error::usage(format!("`{other}` is no decision"))),
    };
    let result = review::apply_decisions(&context, &decisions)?;
    Ok(done(form, format!("{participle} {}", count(n, "note")), commits(result)))
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
        unclear => return Err(Error::usage(format!("`{unclear}` is no direction"))),
    };
    let result = supersede::supersede(&with_reason(context, form)?, older, newer)?;
    Ok(done(form, "Replaced", result.commits.into_iter().rev()))
}

/// Accepts a draft after an edit; both commits are taken back together.
pub(super) fn accept_edited(context: &Context, form: &Fields, saved: UpdateResult) -> Result<ActionResult> {
    let decisions = ReviewDecisions { accept: vec![saved.id], ..ReviewDecisions::default() };
    let accepted = review::apply_decisions(context, &decisions)?;
    Ok(done(form, "Saved and accepted", commits(accepted).chain(saved.commit)))
}
