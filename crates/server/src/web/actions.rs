//! The changes that forms of the page make. Each calls one operation and says what happened.

use super::action_result::{ActionResult, done, required, with_reason};
use super::decisions;
use super::forms::Fields;
use super::page::PageRequest;
use super::sessions::ActionNotice;
use super::table::ActionSpec;
use super::views;
use super::words::{count, note_address};
use crate::operations::worded;
use cm_app::verbs::{add, delete, edit, forget, generate, mark, pin, rename, restore, undo};
use cm_app::{CallerIdentity, Context, Error, ErrorKind, Result};
use cm_note::note::FeedbackSignal;
use cm_note::user_text::Interface;

/// All changes, by their path.
pub(super) static ACTIONS: [ActionSpec; 15] = [
    write("/act/review", decisions::decide),
    write("/act/merge", decisions::merge),
    write("/act/supersede", decisions::supersede),
    write("/act/mark", mark),
    write("/act/pin", pin),
    write("/act/unpin", unpin),
    write("/act/forget", forget),
    write("/act/undo", undo),
    write("/act/restore", restore),
    write("/act/edit", save),
    write("/act/add", add),
    write("/act/rename", rename),
    write("/act/delete", delete),
    write("/act/core", write_core),
    ActionSpec { path: "/act/preview", is_write: false, run: preview },
];

const fn write(
    path: &'static str,
    run: fn(&Context, &PageRequest, &Fields) -> Result<ActionResult>,
) -> ActionSpec {
    ActionSpec { path, is_write: true, run }
}

/// Sets the session that feedback is about, if the form names one.
fn of_session(context: &Context, form: &Fields) -> Result<Context> {
    let session = form.get("session").map(str::to_owned);
    context.with_actor(CallerIdentity { session, ..context.request.caller.clone() })
}

fn mark(context: &Context, _: &PageRequest, form: &Fields) -> Result<ActionResult> {
    let signal_name = required(form, "signal")?;
    let signals = [FeedbackSignal::Helpful, FeedbackSignal::Harmful, FeedbackSignal::Irrelevant];
    let signal = signals.into_iter().find(|signal| signal.name() == signal_name);
    let signal = signal.ok_or_else(|| {
        let hint = format!("use {}", signals.map(FeedbackSignal::name).join(", "));
        Error::usage(format!("`{signal_name}` is not a signal")).hint(hint)
    })?;
    let because = form.get("reason").map(str::to_owned);
    let options = mark::Options { signal, because, weight: None, invert: false };
    let context = &of_session(context, form)?;
    let marked = mark::mark(context, required(form, "id")?, &options)?;
    let text = match &marked.uncounted {
        Some(why) => format!("Stored as {signal_name}, without weight: {why}"),
        None if !marked.changed => "This was recorded before".to_owned(),
        None => format!("Marked as {signal_name}; the score is {:.2} now", marked.score),
    };
    Ok(done(form, text, marked.commit))
}

fn pin(context: &Context, _: &PageRequest, form: &Fields) -> Result<ActionResult> {
    let pinned = pin::pin(&with_reason(context, form)?, required(form, "id")?)?;
    Ok(done(form, "Pinned", pinned.commit))
}

fn unpin(context: &Context, _: &PageRequest, form: &Fields) -> Result<ActionResult> {
    let unpinned = pin::unpin(context, required(form, "id")?)?;
    Ok(done(form, "No longer pinned", unpinned.commit))
}

fn forget(context: &Context, _: &PageRequest, form: &Fields) -> Result<ActionResult> {
    let (reason, inverts) = (form.get("reason").unwrap_or_default(), form.has("invert"));
    let forgotten = forget::forget(context, required(form, "id")?, reason, inverts)?;
    let text = if inverts { "Blocked; a warning takes its place" } else { "Retired and blocked" };
    Ok(done(form, text, forgotten.commit))
}

fn undo(context: &Context, _: &PageRequest, form: &Fields) -> Result<ActionResult> {
    let commits = form.all("commit");
    let undone = commits.iter().map(|commit| undo::undo(context, Some(commit)));
    let undone: Vec<_> = undone.collect::<Result<_>>()?;
    let text = match undone.as_slice() {
        [] => return Err(Error::usage("the form names no commit")),
        [one] => format!("Undone: {}", one.subject),
        several => format!("Undone: {}", count(several.len(), "commit")),
    };
    Ok(done(form, text, undone.into_iter().rev().filter_map(|undone| undone.commit)))
}

fn restore(context: &Context, _: &PageRequest, form: &Fields) -> Result<ActionResult> {
    let restored = restore::restore(context, required(form, "id")?, required(form, "commit")?)?;
    let text = if restored.changed { "Restored this version" } else { "The note has this text already" };
    Ok(done(form, text, restored.commit))
}

fn save(context: &Context, request: &PageRequest, form: &Fields) -> Result<ActionResult> {
    let (id, revision) = (required(form, "id")?, required(form, "revision")?);
    let text = form.text("text").unwrap_or_default();
    match edit::replace(context, id, &text, revision) {
        Ok(saved) if form.get("then") == Some("accept") => decisions::accept_edited(context, form, saved),
        Ok(saved) => {
            let notice = ActionNotice {
                text: if saved.changed { "Saved" } else { "Nothing changed" }.to_owned(),
                commits: saved.commit.into_iter().collect(),
                is_error: false,
            };
            Ok(ActionResult::Done { address: note_address(&saved.id), notice })
        }
        Err(Error { conflict: Some(conflict), code, .. }) => {
            let page = views::edit::conflict(context, request, id, text, *conflict)?;
            Ok(ActionResult::Undecided { page, code })
        }
        Err(error) if context.is_person() => {
            let error = context.request.conceal(error);
            let page = views::edit::refused(context, request, id, text, error.to_string())?;
            Ok(ActionResult::Undecided { page, code: error.code })
        }
        Err(error) => Err(error),
    }
}

fn preview(context: &Context, request: &PageRequest, form: &Fields) -> Result<ActionResult> {
    let (id, revision) = (required(form, "id")?, required(form, "revision")?);
    let text = form.text("text").unwrap_or_default();
    views::edit::preview(context, request, id, text, revision.to_owned()).map(ActionResult::Preview)
}

fn add(context: &Context, request: &PageRequest, form: &Fields) -> Result<ActionResult> {
    let (title, body) = add::split_thought(&form.text("text").unwrap_or_default());
    let tags = form.get("tags").unwrap_or_default().split([',', ' ']).filter(|tag| !tag.is_empty());
    let options = add::Options {
        note_type: form.get("type").unwrap_or("observation").to_owned(),
        title,
        tags: tags.map(str::to_owned).collect(),
        body: Some(body),
        ..add::Options::default()
    };
    let added = match add::add(context, &options) {
        Ok(added) => added,
        // What can be corrected stays in the form.
        Err(error) if matches!(error.kind, ErrorKind::Refused | ErrorKind::Forbidden | ErrorKind::Usage) => {
            let error = context.request.conceal(error);
            let page = views::edit::not_added(context, request, form, &error)?;
            return Ok(ActionResult::Undecided { page, code: error.code });
        }
        Err(error) => return Err(error),
    };
    let commits = added.commit.into_iter().collect();
    let text = if added.added { "Added" } else { "This note exists already; nothing was stored" };
    let notice = ActionNotice { text: text.to_owned(), commits, is_error: false };
    Ok(ActionResult::Done { address: note_address(&added.id), notice })
}

fn rename(context: &Context, _: &PageRequest, form: &Fields) -> Result<ActionResult> {
    let renamed = rename::rename(context, required(form, "id")?, required(form, "title")?, false)?;
    let text = match (renamed.changed, renamed.linked.len()) {
        (false, _) => "The note has this title already".to_owned(),
        (true, 0) => "Renamed".to_owned(),
        (true, linked) => format!("Renamed; links changed in {}", count(linked, "file")),
    };
    let notice = ActionNotice { text, commits: renamed.commit.into_iter().collect(), is_error: false };
    Ok(ActionResult::Done { address: note_address(&renamed.id), notice })
}

fn delete(context: &Context, _: &PageRequest, form: &Fields) -> Result<ActionResult> {
    let context = &with_reason(context, form)?;
    context.persons_only("delete a note on the page")?;
    let deleted = delete::delete(context, &[required(form, "id")?.to_owned()], form.get("revision"))?;
    let mut text = format!("Deleted {}", deleted.path.unwrap_or_default());
    for notice in context.take_notices() {
        text.push_str("; ");
        text.push_str(&worded(&notice, Interface::CommandLine));
    }
    let notice = ActionNotice { text, commits: deleted.commit.into_iter().collect(), is_error: false };
    // The page that sent the form is gone with the note.
    Ok(ActionResult::Done { address: "/".to_owned(), notice })
}

fn write_core(context: &Context, _: &PageRequest, form: &Fields) -> Result<ActionResult> {
    let core = generate::core(context, false)?;
    let text = if core.changed { "CORE.md is written" } else { "CORE.md was up to date" };
    Ok(done(form, text, core.commit))
}
