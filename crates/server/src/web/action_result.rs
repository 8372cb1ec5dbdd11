//! The response to a change, and what all changes read from their form.

use super::forms::Fields;
use super::response::own_address;
use super::sessions::ActionNotice;
use cm_app::{CallerIdentity, Context, Error, Result};

/// Response to a change.
pub(super) enum ActionResult {
    /// The page at this address, with a notice.
    Done { address: String, notice: ActionNotice },
    /// A page instead: the change was not made, and the person has to decide. The code is that of the error.
    Undecided { page: String, code: &'static str },
    /// A page that shows what the change would come to.
    Preview(String),
}

/// Goes back to the page that sent the form, with what happened and the commits to take back,
/// newest first.
pub(super) fn done(
    form: &Fields,
    text: impl Into<String>,
    commits: impl IntoIterator<Item = String>,
) -> ActionResult {
    let address = own_address(form.get("back").unwrap_or("/")).to_owned();
    let commits = commits.into_iter().collect();
    ActionResult::Done { address, notice: ActionNotice { text: text.into(), commits, is_error: false } }
}

pub(super) fn required<'f>(form: &'f Fields, name: &'static str) -> Result<&'f str> {
    form.get(name).ok_or_else(|| Error::usage(format!("the form lacks `{name}`")))
}

/// Sets the reason that a person typed for a decision.
pub(super) fn with_reason(context: &Context, form: &Fields) -> Result<Context> {
    let reason = form.get("reason").map(str::to_owned);
    context.with_actor(CallerIdentity { reason, ..context.request.caller.clone() })
}
