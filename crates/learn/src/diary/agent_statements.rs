//! Extracts accomplishments, decisions and causes from an agent's messages.
//!
//! Claims are checked against the log: an accomplishment counts only if files were changed in the
//! same turn, a cause only if a change followed and the next check passed.

use std::ops::Range;

use super::{DiaryItem, MAX_SECTION_ITEMS, StatementAuthor};
use crate::content_words::content_word_count;
use crate::outcome::reaction::{Reaction, reaction};
use crate::outcome::shell::CommandKind;
use crate::outcome::steps::SessionStep;
use crate::prose::{MessageAuthor, Sentence, pattern, sentences};
use cm_session::event::{EventKind, SessionEvent, ToolOutcome};

/// Maximum number of accomplishments that one turn adds to a diary.
const MAX_TURN_ACCOMPLISHMENTS: usize = 6;

pattern!(
    OPENING = r"(?i)^(?:(?:done|perfect|great|excellent|good|awesome|nice|ok(?:ay)?|all (?:set|done)|now|also|successfully|finally|then|and|next|yes|summary|changes?|fix|result|what changed|in short)\b\s*[!.,:–—-]*\s+)+"
);
pattern!(
    DID = r"(?i)^(?:(?:i|we)(?:'ve|’ve| have)?\s+(?:(?:also|now|successfully|just|already|then|properly)\s+)*)?(?:(?:successfully|properly|also|now)\s+)?(?:fixed|added|implemented|created|updated|removed|replaced|refactored|renamed|moved|wrote|extracted|migrated|configured|converted|simplified|introduced|ported|rewrote|split|merged|upgraded|cleaned up|documented|switched|deleted|enabled|disabled|resolved|corrected|integrated|restored|wired|optimi[sz]ed|improved|changed|set up|built|registered|deduplicated|exposed|consolidated|dropped|reverted|rebased|pinned|bumped|installed|generated|hardened|preserved|adjusted|applied)\b\s+\S+"
);
pattern!(FILE_FIRST = r"^`?[\w./-]+\.\w{1,8}(?::[\d,-]+)?`?(?:\s+\([^)]*\))?\s*(?:[-–—:]|->|→)\s*(\S.*)$");
pattern!(
    TAKEN_BACK = r"(?i)\b(?:but|however|would|could(?:n'?t| not)|unable|not yet|todo|still|remaining|remains|if you|you can|need(?:s|ed)? to|plan(?:ned)?|attempt\w*|tried|should now|instead of fixing|temporar\w+|for debugging|placeholder|the following)\b"
);
pattern!(
    ELSEWHERE = r"(?i)\b(?:plan|next steps?|issues?|todo|remaining|recommend\w*|options?|problems?|before|suggest\w*|future|how to|usage|example|test plan|manual|questions?|background|context|flow|behaviou?r|why|root cause|verification|review|findings|concerns?|notes?)\b"
);
pattern!(OPEN_END = r"(?i)\b(?:for|to|with|in|of|as|by|from|and|the|using|that|which|these|this)$");
pattern!(
    POINTS = r"(?i)^(?:(?:i|we)(?:'ve|’ve| have)? )?(?:\w+ )?\w+(?: up)? (?:them|it|these|those|both)\b"
);
pattern!(
    CHOSE = r"(?i)^(?:i|we)(?:'ve|’ve| have)? (?:also )?(?:chose|decided|opted|went with|picked|kept)\b.*\b(?:because|since|so that|instead of|rather than|over|to avoid|as it|as the)\b"
);
pattern!(
    CAUSE = r"(?i)^((?:(?:so|ah|aha|now i see|i see|i see the (?:issue|problem)|found it|found the (?:issue|problem|bug)|ok(?:ay)?|good catch|got it|interesting|yes|right|perfect|great)\b\s*[!.,:;–—-]*\s*)*)(?:(?:the|this) )?(?:(?:real|actual|root|underlying|main|core|exact) )?(?:root cause|problem|issue|bug|cause|reason|culprit|failure|error)(?: here)?(?: (?:is|was)(?: that)?(?: because)?|:)\s+(\S.*)$"
);
pattern!(
    HEDGED = r"(?i)\b(?:might|may|maybe|probably|likely|seems?|could be|perhaps|i think|possibly|let me|let's|i'll|need to (?:check|look|see)|not sure|appears?|suspect|looks like|should check)\b"
);

/// Splits a session into turns, as ranges of event indices. A turn starts with a user prompt and
/// ends before the next one.
pub(super) fn turns(events: &[SessionEvent]) -> Vec<Range<usize>> {
    let prompt = |event: &SessionEvent| !event.side && matches!(event.kind, EventKind::UserPrompt { .. });
    let mut starts: Vec<usize> = (0..events.len()).filter(|at| prompt(&events[*at])).collect();
    if starts.first() != Some(&0) {
        starts.insert(0, 0);
    }
    let ends = starts.iter().skip(1).copied().chain([events.len()]);
    starts.iter().zip(ends).map(|(start, end)| *start..end).collect()
}

/// Returns what the agent accomplished: its commits, and its claims of work in the last message of
/// each turn that changed files. A turn is skipped if the user's next message rejects the work.
pub(super) fn accomplishments(events: &[SessionEvent], steps: &[SessionStep]) -> Vec<DiaryItem> {
    let mut reached: Vec<Vec<DiaryItem>> = Vec::new();
    for turn in turns(events) {
        let within: Vec<&SessionStep> =
            steps.iter().filter(|step| turn.contains(&step.at) && !step.is_subagent).collect();
        let mut items: Vec<DiaryItem> = within.iter().filter_map(|step| commit_item(step)).collect();
        let changed = within
            .iter()
            .any(|step| step.edited() || step.find_command(|work| work == CommandKind::Commit).is_some());
        let refused = events
            .get(turn.end)
            .and_then(|next| next.kind.text())
            .is_some_and(|words| reaction(words) == Some(Reaction::Dissatisfied));
        let closing = events[turn]
            .iter()
            .rfind(|event| !event.side && matches!(event.kind, EventKind::AssistantText { .. }));
        if let (Some(closing), true, false) = (closing, changed, refused) {
            let statements = sentences(closing.kind.text().unwrap_or(""), MessageAuthor::Agent);
            let claims = statements.iter().filter_map(work_claim);
            items.extend(
                claims.filter_map(|text| DiaryItem::new(&text, closing.line, StatementAuthor::Agent)),
            );
        }
        reached.push(items);
    }
    // Of a long session, each turn tells less rather than the last ones nothing.
    let shown = |most: usize| reached.iter().map(|items| items.len().min(most)).sum::<usize>();
    let most =
        (1..=MAX_TURN_ACCOMPLISHMENTS).rev().find(|most| shown(*most) <= MAX_SECTION_ITEMS).unwrap_or(1);
    reached.into_iter().flat_map(|items| items.into_iter().take(most)).collect()
}

fn commit_item(step: &SessionStep) -> Option<DiaryItem> {
    let subject = step.parts().iter().filter_map(|part| part.commit_subject()).next_back()?;
    let done = step.outcome == ToolOutcome::Ok;
    DiaryItem::new(&format!("Committed: {subject}"), step.line, StatementAuthor::Agent).filter(|_| done)
}

/// Returns a sentence without openings such as "Done!", if the agent claims completed work in it,
/// as in "Added a test".
fn work_claim(sentence: &Sentence) -> Option<String> {
    let text = sentence.text.as_str();
    if text.ends_with('?') || TAKEN_BACK.is_match(text) || ELSEWHERE.is_match(&sentence.heading) {
        return None;
    }
    // "I added these:" says nothing without its list; a sentence that names the work does.
    let (text, least) = text.strip_suffix(':').map_or((text, 4), |text| (text, 6));
    if OPEN_END.is_match(text) || POINTS.is_match(text) {
        return None;
    }
    let body = &text[OPENING.find(text).map_or(0, |found| found.end())..];
    let claim =
        FILE_FIRST.captures(body).and_then(|captures| captures.get(1)).map_or(body, |claim| claim.as_str());
    (DID.is_match(claim) && content_word_count(claim) >= least).then(|| body.to_owned())
}

/// Returns the sentences in which the agent chose something and named an alternative or a reason.
pub(super) fn decisions(events: &[SessionEvent]) -> Vec<DiaryItem> {
    let mut items = Vec::new();
    for event in events.iter().filter(|event| !event.side) {
        let EventKind::AssistantText { text } = &event.kind else { continue };
        let statements = sentences(text, MessageAuthor::Agent);
        let chose = statements
            .iter()
            .filter(|sentence| !sentence.text.ends_with('?') && CHOSE.is_match(&sentence.text));
        items.extend(
            chose.filter_map(|sentence| DiaryItem::new(&sentence.text, event.line, StatementAuthor::Agent)),
        );
    }
    items
}

/// Cause of a problem that the agent named and then fixed. `at` is the index of the message's
/// event.
pub(super) struct ConfirmedCause {
    pub(super) at: usize,
    pub(super) item: DiaryItem,
}

/// Returns the causes of problems that the agent named and that proved right: files were changed
/// later in the same turn, and the next check passed.
pub(super) fn causes(events: &[SessionEvent], steps: &[SessionStep]) -> Vec<ConfirmedCause> {
    let mut causes: Vec<ConfirmedCause> = Vec::new();
    for turn in turns(events) {
        let mut here: Vec<ConfirmedCause> = Vec::new();
        for at in turn.clone() {
            let event = &events[at];
            let EventKind::AssistantText { text } = &event.kind else { continue };
            if event.side || !is_confirmed(at, &turn, steps) {
                continue;
            }
            let statements = sentences(text, MessageAuthor::Agent);
            let stated_causes = statements
                .iter()
                .filter_map(cause)
                .filter_map(|text| DiaryItem::new(&text, event.line, StatementAuthor::Agent));
            here.extend(stated_causes.take(1).map(|item| ConfirmedCause { at, item }));
        }
        // A cause that is named after another, with nothing passed between them, takes its place.
        here.reverse();
        let mut confirmed: Vec<ConfirmedCause> = Vec::new();
        for cause in here {
            let settled = |later: &ConfirmedCause| {
                steps.iter().any(|step| {
                    (cause.at..later.at).contains(&step.done_at)
                        && step.check().is_some()
                        && step.outcome == ToolOutcome::Ok
                })
            };
            if confirmed.last().is_none_or(settled) {
                confirmed.push(cause);
            }
        }
        confirmed.reverse();
        causes.extend(confirmed);
    }
    causes
}

fn is_confirmed(at: usize, turn: &Range<usize>, steps: &[SessionStep]) -> bool {
    let after = || steps.iter().filter(|step| step.at > at && turn.contains(&step.at) && !step.is_subagent);
    let Some(edit) = after().find(|step| step.edited()).map(|step| step.at) else { return false };
    let checks = after().filter(|step| step.at > edit && step.check().is_some());
    let next = checks.map(|step| step.outcome).find(|ended| *ended != ToolOutcome::Unknown);
    next == Some(ToolOutcome::Ok)
}

fn cause(sentence: &Sentence) -> Option<String> {
    let text = sentence.text.as_str();
    if text.ends_with([':', '?']) || HEDGED.is_match(text) {
        return None;
    }
    let captures = CAUSE.captures(text)?;
    let what = captures.get(2)?.as_str();
    let points = what.to_lowercase();
    // "The issue is here" says nothing without what follows.
    let empty = ["in ", "here", "with ", "at ", "on ", "this ", "these ", "from ", "just "];
    if content_word_count(what) < 4 || empty.iter().any(|word| points.starts_with(word)) {
        return None;
    }
    let lead = captures.get(1).map_or(0, |lead| lead.end());
    Some(text[lead..].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::steps::steps;
    use crate::outcome::test_events::*;

    fn texts(items: &[DiaryItem]) -> Vec<&str> {
        items.iter().map(|item| item.text.as_str()).collect()
    }

    fn reached(closing: &str, changed: bool) -> Vec<String> {
        let mut kinds = vec![person("Go")];
        if changed {
            kinds.extend(edited("1", "a.rs"));
        }
        kinds.push(agent(closing));
        let events = log_of(kinds);
        accomplishments(&events, &steps(&events)).into_iter().map(|item| item.text).collect()
    }

    #[test]
    fn what_was_done_is_taken_from_the_end_of_a_turn_that_changed_files() {
        let text = "Done! I've added a retry to the upload client.\n\n**Changes:**\n- `net.rs` - Replaced the fixed delay by jitter\n- Removed the unused `sleep` helper";
        assert_eq!(
            reached(text, true),
            [
                "I've added a retry to the upload client.",
                "`net.rs` - Replaced the fixed delay by jitter",
                "Removed the unused `sleep` helper",
            ]
        );
        assert_eq!(reached(text, false), Vec::<String>::new());
    }

    #[test]
    fn plans_hopes_and_failures_are_no_accomplishments() {
        for text in [
            "I'll add a retry to the upload client.",
            "Let me fix the failing upload test.",
            "I added a retry but the upload still fails.",
            "I've added the following changes:",
            "## Next steps\n- Added retries would help the upload",
            "Fixed it.",
            "Added them to the upload client of the shop.",
            "Should I have removed the sleep helper?",
            "```\nAdded nothing to the code here\n```",
            "Added lines are green in the diff view if you look",
        ] {
            assert_eq!(reached(text, true), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn what_the_person_refused_is_no_accomplishment() {
        let of = |answer: &str| {
            let mut kinds = vec![person("Go")];
            kinds.extend(edited("1", "a.rs"));
            kinds.extend([agent("I've added a retry to the upload client."), person(answer)]);
            let events = log_of(kinds);
            accomplishments(&events, &steps(&events)).len()
        };
        assert_eq!((of("you broke the login, revert that"), of("now the downloads")), (0, 1));
    }

    #[test]
    fn of_a_long_session_every_turn_is_reported() {
        let mut kinds = Vec::new();
        for turn in 0..MAX_SECTION_ITEMS {
            kinds.push(person("Go on"));
            kinds.extend(edited("1", "a.rs"));
            kinds.push(agent(&format!(
                "- Added parser module{turn} to the syntax tree\n- Removed legacy{turn} from the build files"
            )));
        }
        let events = log_of(kinds);
        let lines: Vec<u64> =
            accomplishments(&events, &steps(&events)).iter().map(|item| item.line).collect();
        assert_eq!(lines.len(), MAX_SECTION_ITEMS);
        assert!(lines.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn a_commit_that_was_made_is_an_accomplishment_in_its_own_words() {
        let events = log_of(ran("1", "git commit -m 'fix: retry uploads'", ToolOutcome::Ok, ""));
        assert_eq!(texts(&accomplishments(&events, &steps(&events))), ["Committed: fix: retry uploads"]);
        let events =
            log_of(ran("1", "git commit -m 'fix: retry uploads'", ToolOutcome::Error, "nothing to commit"));
        assert_eq!(texts(&accomplishments(&events, &steps(&events))), Vec::<&str>::new());
    }

    #[test]
    fn a_choice_needs_a_reason_or_what_it_was_chosen_over() {
        let of = |text: &str| decisions(&log_of([agent(text)])).len();
        assert_eq!(of("I chose a mutex over channels because the state is small."), 1);
        assert_eq!(of("I kept the old name."), 0);
        assert_eq!(of("Have I decided on this because of speed?"), 0);
    }

    fn stated_causes(text: &str, check: ToolOutcome) -> Vec<String> {
        let mut kinds = vec![person("Fix it"), agent(text)];
        kinds.extend(edited("1", "a.rs"));
        kinds.extend(ran("2", "cargo test", check, ""));
        let events = log_of(kinds);
        causes(&events, &steps(&events)).into_iter().map(|cause| cause.item.text).collect()
    }

    #[test]
    fn a_cause_counts_where_a_change_followed_and_the_next_check_passed() {
        let text = "I see. The issue is that the cache key leaves out the tenant id.";
        assert_eq!(
            stated_causes(text, ToolOutcome::Ok),
            ["The issue is that the cache key leaves out the tenant id."]
        );
        for check in [ToolOutcome::Error, ToolOutcome::Unknown] {
            assert_eq!(stated_causes(text, check), Vec::<String>::new());
        }
        for text in [
            "The issue might be that the cache key leaves out the tenant.",
            "The problem is in the cache module of the server.",
            "The issue is:",
            "The error message says that the tenant is missing.",
        ] {
            assert_eq!(stated_causes(text, ToolOutcome::Ok), Vec::<String>::new(), "{text}");
        }
    }
}
