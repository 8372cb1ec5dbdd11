//! Updates the note of a diary after its session has continued, and preserves a person's changes.

use super::note::{body, keys};
use super::read::read;
use super::{Diary, DiaryItem};
use cm_note::frontmatter::edit::Edit;
use cm_note::frontmatter::parse::parse;
use cm_note::frontmatter::split::Split;

/// Edits that bring an existing diary note up to date.
#[derive(Debug, Clone, PartialEq)]
pub struct NoteUpdate {
    /// Edits of the note; empty if the note is up to date.
    pub edits: Vec<Edit>,
    /// Whether a person rewrote the note's body, which then stays as it is.
    pub is_rewritten: bool,
}

/// Returns the edits that turn an existing note into the note of `diary`. List items that a person
/// added and unknown frontmatter keys are kept; a body with other manual changes is not edited.
pub fn renewal(text: &str, diary: &Diary) -> NoteUpdate {
    let split = Split::of(text);
    let current = parse(&split).fields;
    let old = read(text).unwrap_or_default();
    let is_rewritten = split.body().trim() != body(&old).trim();
    let own = Diary { id: old.id.clone(), ..with_own_items(diary, &old) };
    let mut edits: Vec<Edit> = keys(&own)
        .into_iter()
        .filter(|(key, value)| current.get(key).is_none_or(|field| field.value != *value))
        .map(|(key, value)| Edit::Set { key, value })
        .collect();
    let fresh = body(&own);
    if !is_rewritten && split.body().trim() != fresh.trim() {
        edits.push(Edit::SetBody { text: format!("\n{}\n", fresh.trim()) });
    }
    NoteUpdate { edits, is_rewritten }
}

/// Adds to the new diary the items that a person added to the old one, and the recorded outcome.
fn with_own_items(diary: &Diary, old: &Diary) -> Diary {
    let mut all = diary.clone();
    if let Some(judged) = &old.recorded_outcome {
        all.verdict.status = judged.status;
        all.recorded_outcome = Some(judged.clone());
    }
    for (heading, items) in old.sections() {
        let added = items.iter().filter(|item| item.line == 0).cloned();
        let into: &mut Vec<DiaryItem> = match all.section_mut(heading) {
            Some(into) => into,
            None => continue,
        };
        into.extend(added);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diary::note::note;
    use crate::diary::{DiaryOrigin, RecordedOutcome, StatementAuthor};
    use crate::outcome::OutcomeVerdict;
    use cm_note::frontmatter::edit::apply;
    use cm_session::status::SessionStatus;

    fn diary(learned: &[&str]) -> Diary {
        Diary {
            id: "f995bdad3a422f63409fda4cbefe9b07".into(),
            session: "s1".into(),
            agent: "codex".into(),
            title: "Warm the pool".into(),
            tags: vec!["pool".into()],
            learnings: learned
                .iter()
                .filter_map(|text| DiaryItem::new(text, 7, StatementAuthor::Agent))
                .collect(),
            ..Diary::default()
        }
    }

    #[test]
    fn a_note_that_tells_it_all_is_left_as_it_is() {
        let one = diary(&["The [pool] is cold."]);
        assert_eq!(renewal(&note(&one), &one), NoteUpdate { edits: Vec::new(), is_rewritten: false });
    }

    #[test]
    fn what_a_person_added_to_the_lists_stays_and_the_rest_is_renewed() {
        let before = note(&diary(&["The pool is cold."]));
        let edited = before.replace("(agent, line 7)", "(agent, line 7)\n- Ask Ada about it.");
        let edited = edited.replace("agent: codex\n", "agent: codex\nmood: good # mine\n");
        let renewed = renewal(&edited, &diary(&["The pool is warm now."]));
        let after = apply(&edited, &renewed.edits).unwrap();
        assert!(after.contains("mood: good # mine\n") && after.contains("- Ask Ada about it.\n"), "{after}");
        assert!(after.contains("warm now") && !after.contains("is cold"), "{after}");
        assert_eq!(renewal(&after, &diary(&["The pool is warm now."])).edits, []);
    }

    #[test]
    fn what_somebody_stated_of_the_end_outlives_what_the_log_shows() {
        let judged = RecordedOutcome {
            status: SessionStatus::Failure,
            at: None,
            author: None,
            agent: None,
            reason: None,
        };
        let corrected =
            Diary { origin: DiaryOrigin::OutcomeOnly, recorded_outcome: Some(judged.clone()), ..diary(&[]) };
        let corrected = Diary {
            verdict: OutcomeVerdict { status: SessionStatus::Failure, signs: Vec::new() },
            ..corrected
        };
        let fresh = Diary {
            verdict: OutcomeVerdict { status: SessionStatus::Success, signs: Vec::new() },
            ..diary(&["The pool is cold."])
        };
        let after = apply(&note(&corrected), &renewal(&note(&corrected), &fresh).edits).unwrap();
        let reread = read(&after).unwrap();
        assert_eq!(
            (reread.verdict.status, reread.recorded_outcome),
            (SessionStatus::Failure, Some(judged)),
            "{after}"
        );
        assert!(after.contains("The pool is cold") && !after.contains("success"), "{after}");
    }

    #[test]
    fn a_body_that_a_person_rewrote_is_not_touched() {
        let edited = note(&diary(&["The pool is cold."])) + "\nMy own words about it.\n";
        let renewed = renewal(&edited, &diary(&["The pool is warm now."]));
        assert!(renewed.is_rewritten);
        assert!(renewed.edits.iter().all(|edit| !matches!(edit, Edit::SetBody { .. })), "{renewed:?}");
    }
}
