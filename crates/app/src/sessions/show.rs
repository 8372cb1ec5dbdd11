//! Shows the events of a session: page by page, or around one line of its log.

use schemars::JsonSchema;
use serde::Serialize;

use super::session_row::{add_outcomes, joined};
use super::{SessionAccess, SessionRow, ShownEvent};
use crate::context::open::Context;
use crate::error::{Error, Result};
use crate::sessions::diary_location::DiaryLocation;
use crate::sessions::load::load_from_log;
use cm_index::sessions::{SessionSummary, Stretch};
use cm_learn::outcome::steps::{SessionStep, steps};
use cm_learn::recurring::CommandFailure;
use cm_session::event::{EventKind, EventName, ToolOutcome};
use cm_text::shorten::short_line;

/// Number of text chunks that are read from the index at once.
const STRETCHES_PER_READ: usize = 500;

/// Maximum length of tool calls, rejections and errors in the short view, in characters.
const MAX_BRIEF_CHARS: usize = 160;

/// Position, length and level of detail of a page.
#[derive(Debug, Clone)]
pub struct Options {
    /// First line of the log to show, from 1: the `next` of an earlier answer.
    pub from: u64,
    /// Approximate number of events; a page always ends at the end of a log line.
    pub limit: usize,
    /// Show all events, including tool output and the agent's reasoning; else, of tool output only the error
    /// messages of failed calls.
    pub tools: bool,
}

/// A page of a session's events.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SessionPage {
    /// Metadata, counts and outcome of the session.
    pub session: SessionRow,
    /// Path of the session's diary, relative to the vault; null if there is none.
    pub diary: Option<String>,
    /// Events of this page, in log order.
    pub said: Vec<ShownEvent>,
    /// Line of the log at which the next page starts; null on the last page.
    pub next: Option<u64>,
}

/// Shows one page of a session.
///
/// # Errors
/// Returns an error if the id matches no session or several, or if the index cannot be read.
pub fn show(context: &Context, access: &SessionAccess, name: &str, options: &Options) -> Result<SessionPage> {
    let listed = access.find(name)?;
    let failures = if options.tools { Failures::default() } else { Failures::of(context, &listed) };
    let mut events: Vec<ShownEvent> = Vec::new();
    let mut from = options.from.max(1);
    let mut next = None;
    while let Some(page) = access.page(&listed, from)? {
        let brief = |one: ShownEvent| match is_talk(&one) {
            true => Some(shorten(one)),
            false => failures.shorten(one),
        };
        events.extend(
            page.said.into_iter().filter_map(|one| if options.tools { Some(one) } else { brief(one) }),
        );
        if events.len() > options.limit {
            next = Some(page_end(&mut events, options.limit).unwrap_or(page.next));
            break;
        }
        from = page.next;
    }
    let diary = diary(context, &listed)?;
    Ok(SessionPage {
        session: access.judged(context, &listed)?,
        diary,
        said: events,
        next: next.filter(|line| *line < u64::MAX),
    })
}

/// Shows the events on the log lines around `line`.
///
/// # Errors
/// Returns an error if the id matches no session or several, or if these lines have no events.
pub fn expand(
    context: &Context,
    access: &SessionAccess,
    name: &str,
    line: u64,
    lines_around: u64,
) -> Result<SessionPage> {
    let listed = access.find(name)?;
    let lines = line.saturating_sub(lines_around).max(1)..=line.saturating_add(lines_around);
    let key = listed.session.key();
    let stretches = access.query(|sessions| sessions.stretches(&key, lines.clone(), 0, usize::MAX))?;
    let events = joined(stretches.unwrap_or_default());
    if events.is_empty() {
        let message = format!("lines {} to {} of the log contain no messages", lines.start(), lines.end());
        return Err(Error::not_found(message)
            .hint("`cm sessions show` shows line numbers; use `--context` to include more lines"));
    }
    let diary = diary(context, &listed)?;
    Ok(SessionPage { session: access.judged(context, &listed)?, diary, said: events, next: None })
}

fn diary(context: &Context, listed: &SessionSummary) -> Result<Option<String>> {
    let meta = &listed.session.meta;
    let diary_path = DiaryLocation::find_existing(context, meta.agent.name(), meta.id.as_str())?;
    Ok(diary_path.map(|path| path.to_string()))
}

/// Number of characters by which an indexed result is compared with the one in the log.
const COMPARED_RESULT_CHARS: usize = 80;

/// The failed tool calls of a session: line of the result in the log, beginning of its output, and error message.
#[derive(Debug, Default)]
struct Failures(Vec<(u64, String, String)>);

impl Failures {
    /// Reads the failed calls from the log, since the index does not store outcomes. Empty if the log is gone.
    fn of(context: &Context, listed: &SessionSummary) -> Self {
        let (meta, log) = (&listed.session.meta, listed.session.log.as_deref().unwrap_or_default());
        let Ok(session) = load_from_log(context, meta, log) else { return Self::default() };
        let failed = steps(&session.events).into_iter().filter(|step| step.outcome == ToolOutcome::Error);
        let result = |step: SessionStep| {
            let event = session.events.get(step.done_at)?;
            let EventKind::ToolResult { text, .. } = &event.kind else { return None };
            let message = CommandFailure::of(text).message.unwrap_or_default();
            Some((event.line, text.chars().take(COMPARED_RESULT_CHARS).collect(), message))
        };
        Self(failed.filter_map(result).collect())
    }

    /// Shortens the result of a failed call to its error message; `None` for other events.
    fn shorten(&self, event: ShownEvent) -> Option<ShownEvent> {
        if event.name() != Some(EventName::ToolResult) {
            return None;
        }
        let is_this = |(line, begins, _): &&(u64, String, String)| {
            *line == event.line
                && !begins.trim().is_empty()
                && event.text.trim_start().starts_with(begins.trim())
        };
        let (_, _, message) = self.0.iter().find(is_this)?;
        let text = short_line(&format!("failed: {message}"), MAX_BRIEF_CHARS);
        Some(ShownEvent { text: text.trim_end_matches([':', ' ']).to_owned(), ..event })
    }
}

/// Consecutive events that end at the end of a log line.
struct EventPage {
    said: Vec<ShownEvent>,
    /// First line of the next page; `u64::MAX` after the last.
    next: u64,
}

impl SessionAccess {
    /// Returns the list entry of a session, with the outcome from its diary.
    pub(crate) fn judged(&self, context: &Context, listed: &SessionSummary) -> Result<SessionRow> {
        let mut row = self.row(listed, context.now())?;
        add_outcomes(context, std::slice::from_mut(&mut row))?;
        Ok(row)
    }

    /// Returns about [`STRETCHES_PER_READ`] events from log line `from` on; `None` if there are none.
    fn page(&self, listed: &SessionSummary, from: u64) -> Result<Option<EventPage>> {
        let key = listed.session.key();
        let mut stretch_limit = STRETCHES_PER_READ;
        loop {
            let found = self.query(|sessions| sessions.stretches(&key, from..=u64::MAX, 0, stretch_limit))?;
            let mut stretches: Vec<Stretch> = found.unwrap_or_default();
            let (Some(first), Some(last)) = (stretches.first(), stretches.last()) else { return Ok(None) };
            let (first, last) = (first.line, last.line);
            if stretches.len() < stretch_limit {
                return Ok(Some(EventPage { said: joined(stretches), next: u64::MAX }));
            }
            if first < last {
                // The last line may go on behind what was taken.
                stretches.retain(|stretch| stretch.line < last);
                return Ok(Some(EventPage { said: joined(stretches), next: last }));
            }
            stretch_limit = stretch_limit.saturating_mul(4);
        }
    }
}

/// Truncates the events to about `limit`, at the end of a log line. Returns the next line; `None`
/// if no event was removed.
fn page_end(events: &mut Vec<ShownEvent>, limit: usize) -> Option<u64> {
    let last = events.get(limit.checked_sub(1)?)?.line;
    let end = events.iter().position(|one| one.line > last)?;
    let next = events[end].line;
    events.truncate(end);
    Some(next)
}

/// Returns whether the short view shows an event: messages, tool calls, rejections and errors.
fn is_talk(event: &ShownEvent) -> bool {
    use EventName::*;
    match event.name() {
        Some(UserPrompt | AssistantText | Interrupt | Compaction | ToolCall | ToolRejected | Error) => true,
        Some(PersonCommand) => event.speaker.as_deref() == Some("person"),
        _ => false,
    }
}

/// Shortens tool calls, rejections and errors to one line.
fn shorten(event: ShownEvent) -> ShownEvent {
    if !matches!(event.name(), Some(EventName::ToolCall | EventName::ToolRejected | EventName::Error)) {
        return event;
    }
    let command = Some(&event.text)
        .filter(|_| event.name() == Some(EventName::ToolCall))
        .and_then(|text| shell_command(text));
    let text = command.map_or_else(|| event.text.clone(), |command| format!("$ {command}"));
    ShownEvent { text: short_line(&text, MAX_BRIEF_CHARS), ..event }
}

/// Returns the command that a tool call runs in a shell, without the call's other fields; `None` for other
/// calls.
fn shell_command(call: &str) -> Option<String> {
    const FIELDS: [&str; 5] = ["description: ", "timeout: ", "run_in_background: ", "workdir: ", "cwd: "];
    let (_, fields) = call.split_once('\n')?;
    let is_field = |line: &&str| FIELDS.iter().any(|field| line.starts_with(field));
    let mut lines = fields.lines().skip_while(|line| !line.starts_with("command: "));
    let first = lines.next()?.strip_prefix("command: ")?;
    let rest = lines.take_while(|line| !is_field(line));
    Some(std::iter::once(first).chain(rest).collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(line: u64, kind: &str, text: &str) -> ShownEvent {
        ShownEvent { line, at: None, kind: kind.to_owned(), speaker: None, text: text.to_owned() }
    }

    #[test]
    fn a_page_ends_where_a_line_of_the_log_ends() {
        let mut all: Vec<ShownEvent> = [1, 1, 3, 3, 3, 4].map(|line| said(line, "user_prompt", "")).into();
        assert_eq!(page_end(&mut all, 3), Some(4));
        assert_eq!(all.iter().map(|one| one.line).collect::<Vec<_>>(), [1, 1, 3, 3, 3]);
        assert_eq!(page_end(&mut all, 3), None, "the last line is not cut");
    }

    #[test]
    fn a_tool_call_is_told_on_one_line() {
        let call = "Bash\ncommand: git clean -fdx\ndescription: git clean -fdx";
        assert_eq!(shorten(said(1, "tool_call", call)).text, "$ git clean -fdx");
        assert_eq!(shorten(said(1, "tool_call", "Read\nfile_path: /a")).text, "Read file_path: /a");
        assert_eq!(shorten(said(1, "user_prompt", "a\nb")).text, "a\nb");
        assert_eq!(shorten(said(1, "tool_call", &"x".repeat(500))).text.chars().count(), MAX_BRIEF_CHARS);
    }
}
