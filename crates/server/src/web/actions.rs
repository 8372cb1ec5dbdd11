//! The changes that forms of the page make. Each calls one operation and says what happened.

use super::forms::Fields;
use super::page::PageRequest;
use super::response::own_address;
use super::sessions::ActionNotice;
use super::table::{ActionResult, ActionSpec};
use super::views;
use super::words::{count, note_address};
use cm_app::verbs::review::{self, ReviewDecisions};
use cm_app::verbs::{add, edit, forget, generate, mark, pin, restore, undo};
use cm_app::{CallerIdentity, Context, Error, Result};
use cm_note::note::FeedbackSignal;

/// All changes, by their path.
pub(super) static ACTIONS: [ActionSpec; 11] = [
    ActionSpec { path: "/act/review", run: decide },
    ActionSpec { path: "/act/merge", run: merge },
    ActionSpec { path: "/act/mark", run: mark },
    ActionSpec { path: "/act/pin", run: pin },
    ActionSpec { path: "/act/unpin", run: unpin },
    ActionSpec { path: "/act/forget", run: forget },
    ActionSpec { path: "/act/undo", run: undo },
    ActionSpec { path: "/act/restore", run: restore },
    ActionSpec { path: "/act/edit", run: save },
    ActionSpec { path: "/act/add", run: add },
    ActionSpec { path: "/act/core", run: write_core },
];

/// Goes back to the page that sent the form, with what happened and the commit to take back.
fn done(form: &Fields, text: impl Into<String>, commit: Option<String>) -> ActionResult {
    let address = own_address(form.get("back").unwrap_or("/")).to_owned();
    ActionResult::Done { address, notice: ActionNotice { text: text.into(), commit, is_error: false } }
}

fn required<'f>(form: &'f Fields, name: &'static str) -> Result<&'f str> {
    form.get(name).ok_or_else(|| Error::usage(format!("the form lacks `{name}`")))
}

/// Sets the reason that a person typed for a decision.
fn with_reason(memory: &Context, form: &Fields) -> Result<Context> {
    let reason = form.get("reason").map(str::to_owned);
    memory.with_actor(CallerIdentity { reason, ..memory.call.by.clone() })
}

fn decide(memory: &Context, _: &PageRequest, form: &Fields) -> Result<ActionResult> {
    let ids = form.all("id");
    let n = ids.len();
    if n == 0 {
        return Err(Error::usage("nothing is selected"));
    }
    let memory = with_reason(memory, form)?;
    let (word, decisions) = match required(form, "decision")? {
        "accept" => ("Accepted", ReviewDecisions { accept: ids, ..Default::default() }),
        "reject" => ("Rejected", ReviewDecisions { reject: ids, ..Default::default() }),
        "confirm" => ("Confirmed", ReviewDecisions { confirm: ids, ..Default::default() }),
        other => return Err(Error::usage(format!("`{other}` is no decision"))),
    };
    let result = review::apply_decisions(&memory, &decisions)?;
    let commit = result.decisions.into_iter().find_map(|decision| decision.commit);
    Ok(done(form, format!("{word} {}", count(n, "note")), commit))
}

fn merge(memory: &Context, _: &PageRequest, form: &Fields) -> Result<ActionResult> {
    let result = review::merge(memory, &form.all("id"), required(form, "content")?)?;
    let commit = result.decisions.into_iter().find_map(|decision| decision.commit);
    Ok(done(form, "Merged into one rule", commit))
}

fn mark(memory: &Context, _: &PageRequest, form: &Fields) -> Result<ActionResult> {
    let wanted = required(form, "signal")?;
    let signals = [FeedbackSignal::Helpful, FeedbackSignal::Harmful, FeedbackSignal::Irrelevant];
    let signal = signals.into_iter().find(|signal| signal.name() == wanted);
    let signal = signal.ok_or_else(|| Error::usage(format!("`{wanted}` is no signal")))?;
    let because = form.get("reason").map(str::to_owned);
    let options = mark::Options { signal, because, weight: None, invert: false };
    let marked = mark::mark(memory, required(form, "id")?, &options)?;
    let text = match &marked.uncounted {
        Some(why) => format!("Stored as {wanted}, without weight: {why}"),
        None if !marked.changed => "This was recorded before".to_owned(),
        None => format!("Marked as {wanted}; the score is {:.2} now", marked.score),
    };
    Ok(done(form, text, marked.commit))
}

fn pin(memory: &Context, _: &PageRequest, form: &Fields) -> Result<ActionResult> {
    let pinned = pin::pin(&with_reason(memory, form)?, required(form, "id")?)?;
    Ok(done(form, "Pinned", pinned.commit))
}

fn unpin(memory: &Context, _: &PageRequest, form: &Fields) -> Result<ActionResult> {
    let unpinned = pin::unpin(memory, required(form, "id")?)?;
    Ok(done(form, "No longer pinned", unpinned.commit))
}

fn forget(memory: &Context, _: &PageRequest, form: &Fields) -> Result<ActionResult> {
    let reason = form.get("reason").unwrap_or_default();
    let forgotten = forget::forget(memory, required(form, "id")?, reason, false)?;
    Ok(done(form, "Retired and blocked", forgotten.commit))
}

fn undo(memory: &Context, _: &PageRequest, form: &Fields) -> Result<ActionResult> {
    let undone = undo::undo(memory, Some(required(form, "commit")?))?;
    Ok(done(form, format!("Took back: {}", undone.subject), undone.commit))
}

fn restore(memory: &Context, _: &PageRequest, form: &Fields) -> Result<ActionResult> {
    let restored = restore::restore(memory, required(form, "id")?, required(form, "commit")?)?;
    let text = if restored.changed { "Restored this version" } else { "The note has this text already" };
    Ok(done(form, text, restored.commit))
}

fn save(memory: &Context, request: &PageRequest, form: &Fields) -> Result<ActionResult> {
    let (id, revision) = (required(form, "id")?, required(form, "revision")?);
    let text = form.text("text").unwrap_or_default();
    match edit::replace(memory, id, &text, revision) {
        Ok(saved) => {
            let notice = ActionNotice {
                text: if saved.changed { "Saved" } else { "Nothing changed" }.to_owned(),
                commit: saved.commit,
                is_error: false,
            };
            Ok(ActionResult::Done { address: note_address(&saved.id), notice })
        }
        Err(Error { conflict: Some(conflict), .. }) => {
            let page = views::edit::conflict(memory, request, id, text, *conflict)?;
            Ok(ActionResult::Undecided(page))
        }
        Err(error) if memory.is_person() => {
            let page = views::edit::refused(memory, request, id, text, error.to_string())?;
            Ok(ActionResult::Undecided(page))
        }
        Err(error) => Err(error),
    }
}

fn add(memory: &Context, _: &PageRequest, form: &Fields) -> Result<ActionResult> {
    let (title, body) = add::split_thought(&form.text("text").unwrap_or_default());
    let tags = form.get("tags").unwrap_or_default().split([',', ' ']).filter(|tag| !tag.is_empty());
    let options = add::Options {
        note_type: form.get("type").unwrap_or("observation").to_owned(),
        title,
        tags: tags.map(str::to_owned).collect(),
        body: Some(body),
        ..add::Options::default()
    };
    let added = add::add(memory, &options)?;
    let notice = ActionNotice { text: "Added".to_owned(), commit: added.commit, is_error: false };
    Ok(ActionResult::Done { address: note_address(&added.id), notice })
}

fn write_core(memory: &Context, _: &PageRequest, form: &Fields) -> Result<ActionResult> {
    let core = generate::core(memory, false)?;
    let text = if core.changed { "CORE.md is written" } else { "CORE.md was up to date" };
    Ok(done(form, text, core.commit))
}
