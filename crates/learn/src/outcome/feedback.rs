//! Extracts feedback on playbook rules from a session: explicit markers, and rules that the agent
//! cites by id. Both are implicit evidence and have a fraction of the normal weight.
//!
//! A rule that was only injected gets no feedback.

use std::collections::{BTreeMap, BTreeSet};

use super::steps::{SessionStep, StepKind};
use crate::prose::{MessageAuthor, pattern, sentences, without_injected};
use cm_note::bullet::content::fold_whitespace;
use cm_note::bullet::marker::{Marker, ids_in, markers};
use cm_note::note::FeedbackSignal;
use cm_session::event::{EventKind, SessionEvent};
use cm_session::status::SessionStatus;

/// Id and text of a rule that a session may mention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleRef<'a> {
    pub id: &'a str,
    /// Text of the rule.
    pub content: &'a str,
}

/// Feedback that a session gives on one rule.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleFeedback {
    pub id: String,
    pub signal: FeedbackSignal,
    /// Weight of the feedback, 0–1.
    pub weight: f64,
    /// Reason that the feedback marker states; `None` for citations.
    pub reason: Option<String>,
    /// Line of the feedback marker or citation in the log, from 1.
    pub line: u64,
    /// Whether the feedback comes from an explicit marker instead of a mere citation of the rule.
    pub explicit: bool,
}

/// Default weight of feedback that is derived from a session, 0–1.
pub const DEFAULT_DERIVED_WEIGHT: f64 = 0.3;
/// Number of rules above which a message only lists rules, so that its citations are ignored.
const MAX_CITED_RULES: usize = 8;

/// Returns the feedback that a session gives on rules: from explicit markers, and, if it ended in
/// success or failure, for rules that were cited without a marker. Markers give at most one
/// feedback per rule and signal, citations at most one per rule.
pub fn feedback(
    events: &[SessionEvent],
    steps: &[SessionStep],
    rules: &[RuleRef<'_>],
    status: SessionStatus,
    fraction: f64,
) -> Vec<RuleFeedback> {
    let rules_by_id: BTreeMap<String, &RuleRef<'_>> =
        rules.iter().map(|rule| (rule.id.to_lowercase(), rule)).collect();
    let fraction = fraction.clamp(0.0, 1.0);
    let mut feedback = marks(events, steps, &rules_by_id, fraction);
    let signal = match status {
        SessionStatus::Success => FeedbackSignal::Helpful,
        SessionStatus::Failure => FeedbackSignal::Harmful,
        SessionStatus::Partial | SessionStatus::Mixed | SessionStatus::Unknown => return feedback,
    };
    let marked: BTreeSet<String> = feedback.iter().map(|one| one.id.clone()).collect();
    for (id, line) in cited(events, steps, &rules_by_id) {
        if !marked.contains(&id) {
            feedback.push(RuleFeedback { id, signal, weight: fraction, reason: None, line, explicit: false });
        }
    }
    feedback
}

/// Returns the feedback from explicit markers on notes of any kind. Its ids are as written in the
/// markers: for a memory, possibly the beginning of its id. Whether there is such a note is not checked.
pub fn marked_notes(events: &[SessionEvent], steps: &[SessionStep]) -> Vec<RuleFeedback> {
    let texts = events.iter().filter_map(|event| event.kind.text());
    let ids: BTreeSet<String> =
        texts.flat_map(markers).flat_map(|marker| marker.ids).map(|id| id.to_string()).collect();
    let notes: Vec<RuleRef<'_>> = ids.iter().map(|id| RuleRef { id, content: "" }).collect();
    feedback(events, steps, &notes, SessionStatus::Unknown, DEFAULT_DERIVED_WEIGHT)
}

/// Returns the texts that the user or the agent wrote, with their line in the log: messages, and
/// lines that edits added.
fn authored_texts<'a>(events: &'a [SessionEvent], steps: &'a [SessionStep]) -> Vec<(u64, Vec<String>)> {
    let mut texts: Vec<(usize, u64, Vec<String>)> = Vec::new();
    for (at, event) in events.iter().enumerate() {
        if let EventKind::UserPrompt { text } | EventKind::AssistantText { text } = &event.kind {
            let is_person = matches!(event.kind, EventKind::UserPrompt { .. });
            texts.push((at, event.line, vec![without_pasted(&own_lines(text), is_person)]));
        }
    }
    for step in steps {
        if let StepKind::Edit { texts: edits, .. } = &step.kind
            && step.edited()
        {
            // What stood there before is not said anew.
            let fresh = edits.iter().map(|(old, new)| {
                let old: BTreeSet<&str> = old.lines().map(str::trim).collect();
                let lines = new.lines().filter(|line| !old.contains(line.trim()));
                lines.collect::<Vec<_>>().join("\n")
            });
            texts.push((step.at, step.line, fresh.collect()));
        }
    }
    texts.sort_by_key(|(at, ..)| *at);
    texts.into_iter().map(|(_, line, texts)| (line, texts)).collect()
}

/// Removes injected text and lines that start with `>` from a message.
fn own_lines(text: &str) -> String {
    let text = without_injected(text);
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('>'));
    lines.collect::<Vec<_>>().join("\n")
}

/// Number of lines at each end of a user's long message that count as typed rather than pasted.
const TYPED_EDGE_LINES: usize = 3;
/// Number of lines above which a user's message is long, so that its middle counts as pasted.
const LONG_MESSAGE_LINES: usize = 12;

/// Removes code blocks, indented code and pasted lines from a message.
fn without_pasted(text: &str, is_person: bool) -> String {
    let count = text.lines().count();
    let mut fence: Option<&str> = None;
    let mut unique = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let start = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        let is_pasted = is_person
            && count > LONG_MESSAGE_LINES
            && (TYPED_EDGE_LINES..count.saturating_sub(TYPED_EDGE_LINES)).contains(&at);
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (Some(_), _) => {}
            (None, None) if is_pasted || line.starts_with("    ") || line.starts_with('\t') => {}
            (None, None) => {
                unique.push(line);
                continue;
            }
        }
        // What stood on both sides of it does not become one line.
        unique.push("");
    }
    unique.join("\n")
}

/// Returns `true` if a marker is in inline code or quotation marks.
fn is_quoted(text: &str, marker: &Marker) -> bool {
    let before = &text[..marker.range.start];
    let before = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
    let is_odd = |mark: char| before.chars().filter(|c| *c == mark).count() % 2 == 1;
    let is_open = |open: char, close: char| before.rfind(open) > before.rfind(close);
    is_odd('`') || is_odd('"') || is_open('“', '”') || is_open('«', '»') || is_open('„', '“')
}

/// Normalizes the white space and case of a marker, for comparison.
fn spelling(text: &str) -> String {
    fold_whitespace(text).to_lowercase()
}

/// Returns the markers that tools printed or hooks injected before this line. A message that
/// repeats one of them gives no feedback.
fn printed_markers(events: &[SessionEvent], line: u64) -> BTreeSet<String> {
    let before = events.iter().filter(|event| event.line < line);
    let texts = before.filter_map(|event| match &event.kind {
        EventKind::ToolResult { text, .. }
        | EventKind::Injected { text }
        | EventKind::System { text }
        | EventKind::Error { text } => Some(text.as_str()),
        EventKind::PersonCommand { output, .. } => output.as_deref(),
        _ => None,
    });
    texts.flat_map(|text| markers(text).into_iter().map(|found| spelling(&text[found.range]))).collect()
}

/// Returns the feedback from explicit markers that the user or the agent wrote outside of quotes.
fn marks(
    events: &[SessionEvent],
    steps: &[SessionStep],
    rules_by_id: &BTreeMap<String, &RuleRef<'_>>,
    fraction: f64,
) -> Vec<RuleFeedback> {
    let mut feedback: Vec<RuleFeedback> = Vec::new();
    for (line, texts) in authored_texts(events, steps) {
        let found = texts.iter().flat_map(|text| {
            let spelled = |marker: Marker| (spelling(&text[marker.range.clone()]), marker);
            markers(text).into_iter().filter(|marker| !is_quoted(text, marker)).map(spelled)
        });
        let found: Vec<(String, Marker)> = found.collect();
        let printed = if found.is_empty() { BTreeSet::new() } else { printed_markers(events, line) };
        for (_, marker) in found.into_iter().filter(|(spelling, _)| !printed.contains(spelling)) {
            for id in &marker.ids {
                let Some(rule) = rules_by_id.get(&id.to_string().to_lowercase()) else { continue };
                let is_known = |one: &RuleFeedback| one.id == rule.id && one.signal == marker.signal;
                if feedback.iter().any(is_known) {
                    continue;
                }
                let reason = match (marker.reason, &marker.note) {
                    (Some(reason), Some(note)) => Some(format!("{reason}: {note}")),
                    (reason, note) => reason.map(str::to_owned).or_else(|| note.clone()),
                };
                let id = rule.id.to_owned();
                feedback.push(RuleFeedback {
                    id,
                    signal: marker.signal,
                    weight: fraction,
                    reason,
                    line,
                    explicit: true,
                });
            }
        }
    }
    feedback
}

pattern!(
    NOT_USED = r"(?i)\b(not|n't|never|ignor\w+|skip\w*|instead of|contrary to|violat\w+|against|irrelevant|unlike|rather than|no longer|outdated|wrong)\b|n't\b"
);

/// Removes all markers from a text, so that an id inside an ignored marker does not count as a
/// citation.
fn without_markers(text: &str) -> String {
    let mut rest = text.to_owned();
    for marker in markers(text).into_iter().rev() {
        rest.replace_range(marker.range, "");
    }
    rest
}

/// Returns the ids of the rules that the agent cites in its messages and edits, each with the line
/// of its first citation.
pub fn cited(
    events: &[SessionEvent],
    steps: &[SessionStep],
    rules_by_id: &BTreeMap<String, &RuleRef<'_>>,
) -> Vec<(String, u64)> {
    let mut found: Vec<(String, u64)> = Vec::new();
    for event in events {
        let EventKind::AssistantText { text } = &event.kind else { continue };
        let explanation = without_markers(&own_lines(text));
        let uses: Vec<String> = sentences(&explanation, MessageAuthor::Agent)
            .iter()
            .filter(|sentence| !NOT_USED.is_match(&sentence.text))
            .flat_map(|sentence| own_ids(&sentence.text, rules_by_id))
            .collect();
        add_uses(&mut found, uses, event.line);
    }
    for step in steps.iter().filter(|step| step.edited()) {
        let StepKind::Edit { texts, .. } = &step.kind else { continue };
        let uses = texts.iter().flat_map(|(old, new)| {
            let before: BTreeSet<String> = own_ids(old, rules_by_id).into_iter().collect();
            let fresh = own_ids(new, rules_by_id);
            fresh.into_iter().filter(move |id| !before.contains(id))
        });
        add_uses(&mut found, uses.collect(), step.line);
    }
    found.sort_by_key(|(_, line)| *line);
    found
}

fn add_uses(found: &mut Vec<(String, u64)>, uses: Vec<String>, line: u64) {
    let distinct: BTreeSet<&String> = uses.iter().collect();
    if distinct.len() > MAX_CITED_RULES {
        return;
    }
    for id in uses {
        if !found.iter().any(|(found_id, _)| *found_id == id) {
            found.push((id, line));
        }
    }
}

/// Returns the ids of known rules in a text. An id on the same line as its rule's text is skipped,
/// because that line only quotes the rule.
fn own_ids(text: &str, rules_by_id: &BTreeMap<String, &RuleRef<'_>>) -> Vec<String> {
    let mut ids = Vec::new();
    for line in text.lines() {
        let explanation = fold_whitespace(line).to_lowercase();
        for (_, id) in ids_in(line) {
            let Some(rule) = rules_by_id.get(&id.to_string().to_lowercase()) else { continue };
            let content = fold_whitespace(rule.content).to_lowercase();
            let content = content.trim_end_matches('.');
            if content.is_empty() || !explanation.contains(content) {
                ids.push(rule.id.to_owned());
            }
        }
    }
    ids
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use serde_json::json;

    use super::*;
    use crate::outcome::steps::steps;
    use crate::outcome::test_events::*;
    use cm_session::event::ToolOutcome;

    fn ids() -> Vec<(String, String)> {
        (0..56)
            .map(|n| (format!("b-mt2ssu{n:02}-jq6d8j"), format!("Rule number {n} says what to do.")))
            .collect()
    }

    fn feedback_of(kinds: Vec<EventKind>, status: SessionStatus) -> Vec<RuleFeedback> {
        let ids = ids();
        let rules: Vec<RuleRef<'_>> = ids.iter().map(|(id, content)| RuleRef { id, content }).collect();
        let events = log_of(kinds);
        feedback(&events, &steps(&events), &rules, status, DEFAULT_DERIVED_WEIGHT)
    }

    fn briefing(wrapped: bool) -> String {
        let mut text = String::new();
        for (id, content) in ids() {
            let _ = writeln!(text, "- [{id}] {content}");
        }
        if wrapped { format!("<!-- cm:begin -->\n{text}<!-- cm:end -->\n") } else { text }
    }

    #[test]
    fn of_fifty_six_rules_that_were_shown_only_the_cited_one_is_credited() {
        let (id, _) = &ids()[17];
        let uses = format!("Following {id}, I retry the upload once.");
        for shown in [
            EventKind::Injected { text: briefing(false) },
            EventKind::System { text: briefing(false) },
            result("0", ToolOutcome::Ok, &briefing(false)),
            person(&briefing(true)),
            person(&briefing(false)),
            agent(&briefing(false)),
            agent(&briefing(true)),
            EventKind::Thinking { text: briefing(false) },
        ] {
            let explanation =
                feedback_of(vec![shown.clone(), agent(&uses), agent(&uses)], SessionStatus::Success);
            let expected = RuleFeedback {
                id: id.clone(),
                signal: FeedbackSignal::Helpful,
                weight: 0.3,
                reason: None,
                line: 2,
                explicit: false,
            };
            assert_eq!(explanation, [expected], "{shown:?}");
            assert_eq!(feedback_of(vec![shown], SessionStatus::Success), []);
        }
    }

    #[test]
    fn how_the_session_ended_is_what_a_citation_says() {
        let (id, _) = &ids()[1];
        let explanation = |status| {
            let found = feedback_of(vec![agent(&format!("As {id} says, I use a timeout."))], status);
            found.first().map(|one| one.signal)
        };
        assert_eq!(explanation(SessionStatus::Success), Some(FeedbackSignal::Helpful));
        assert_eq!(explanation(SessionStatus::Failure), Some(FeedbackSignal::Harmful));
        for status in [SessionStatus::Partial, SessionStatus::Mixed, SessionStatus::Unknown] {
            assert_eq!(explanation(status), None);
        }
    }

    #[test]
    fn a_citation_is_never_counted_on_top_of_a_mark() {
        let (id, _) = &ids()[2];
        let text = format!("I followed {id}. [cm: harmful {id} wasted_time: an hour]");
        let explanation = feedback_of(vec![agent(&text), agent(&text)], SessionStatus::Success);
        assert_eq!(explanation.len(), 1);
        assert_eq!(
            (explanation[0].signal, explanation[0].weight, explanation[0].line),
            (FeedbackSignal::Harmful, DEFAULT_DERIVED_WEIGHT, 1)
        );
        assert_eq!(explanation[0].reason.as_deref(), Some("wasted_time: an hour"));
    }

    #[test]
    fn a_rule_that_is_listed_as_not_followed_is_not_credited() {
        let (id, _) = &ids()[3];
        for text in [
            format!("{id} does not apply here."),
            format!("I ignored {id}."),
            format!("Instead of {id} I did x."),
        ] {
            assert_eq!(feedback_of(vec![agent(&text)], SessionStatus::Success), [], "{text}");
        }
        let code = format!("```\nfollow {id}\n```");
        assert_eq!(feedback_of(vec![agent(&code)], SessionStatus::Success), []);
    }

    #[test]
    fn marks_in_new_code_count_and_those_that_were_read_or_moved_do_not() {
        let (id, _) = &ids()[4];
        let mark = format!("// [cm: helpful {id}] saved a deadlock");
        let edit = |old: &str| {
            call(
                "1",
                "Edit",
                json!({"file_path": "a.rs", "old_string": old, "new_string": format!("{mark}\nx();")}),
            )
        };
        assert_eq!(feedback_of(vec![edit("")], SessionStatus::Unknown).len(), 1);
        assert_eq!(feedback_of(vec![edit(&format!("  {mark}"))], SessionStatus::Success), []);
        assert_eq!(feedback_of(vec![result("1", ToolOutcome::Ok, &mark)], SessionStatus::Success), []);
        assert_eq!(feedback_of(vec![person(&format!("> {mark}"))], SessionStatus::Success), []);
        assert_eq!(
            feedback_of(vec![person(&format!("[cm: harmful {id}]"))], SessionStatus::Success).len(),
            1
        );
    }

    #[test]
    fn a_mark_counts_only_where_the_person_typed_it_or_the_agent_wrote_it_and_then_a_fraction() {
        let (id, _) = &ids()[5];
        let mark = format!("[cm: helpful {id}]");
        let long: String = (0..40).map(|n| format!("line {n} of a log\n")).collect();
        let echoed =
            vec![result("1", ToolOutcome::Ok, &format!("# {mark}")), agent(&format!("It says {mark}"))];
        for kinds in [
            vec![agent(&format!("```\n{mark}\n```"))],
            vec![agent(&format!("~~~md\n{mark}\n~~~\nDone."))],
            vec![agent(&format!("Write `{mark}` to praise it."))],
            vec![agent(&format!("The file says \"{mark}\"."))],
            vec![person(&format!("it said “{mark}” there"))],
            vec![person(&format!("    {mark}"))],
            vec![person(&format!("look:\n{long}{mark}\n{long}what is it?"))],
            vec![result("1", ToolOutcome::Ok, &mark)],
            vec![EventKind::Injected { text: mark.clone() }],
            echoed,
        ] {
            assert_eq!(feedback_of(kinds.clone(), SessionStatus::Success), [], "{kinds:?}");
        }
        for kinds in [vec![agent(&format!("That saved an hour. {mark}"))], vec![person(&mark)]] {
            let explanation = feedback_of(kinds, SessionStatus::Success);
            assert_eq!(
                explanation.iter().map(|one| one.weight).collect::<Vec<_>>(),
                [DEFAULT_DERIVED_WEIGHT]
            );
        }
    }

    #[test]
    fn marks_and_citations_of_rules_that_there_are_not_say_nothing() {
        assert_eq!(
            feedback_of(
                vec![agent("[cm: helpful b-xyz] b-side-effect b-mt2ssunl-zzzzzz")],
                SessionStatus::Success
            ),
            []
        );
    }
}
