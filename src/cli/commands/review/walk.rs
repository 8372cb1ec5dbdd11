//! Interactive review: one key for each entry. Each decision is committed immediately, so an interrupt loses none.

use std::io::{self, Write};

use cm_app::verbs::inbox::{Inbox, InboxEntry, InboxKind, InboxNote, Settlement};
use cm_app::verbs::review::ReviewDecision;
use cm_app::{Error, ErrorKind, Result};
use cm_render::layout;
use cm_render::text;
use cm_render::text::short_ids::ShortIds;
use cm_render::text::style::{DIM, STRONG, paint, safe};

/// Meaning of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Decide(ReviewDecision),
    Edit,
    /// Keep the note with this index (0 or 1) and reject the other.
    KeepOnly(usize),
    /// Take the last decision back.
    Undo,
    Skip,
    Help,
    Quit,
}

/// A decision and the ids of its notes.
type DecidedNotes = (ReviewDecision, Vec<String>);

/// Actions of the interactive review.
pub struct ReviewActions<'a> {
    /// Waits for a key; `None` at the end of the input or after Ctrl-C.
    pub key: &'a mut dyn FnMut() -> io::Result<Option<char>>,
    /// Returns the whole text of a note with its evidence.
    pub text: &'a mut dyn FnMut(&str) -> Result<String>,
    /// Opens a note in the editor. Returns what became of it, with the problems of the saved text.
    pub edit: &'a mut dyn FnMut(&str) -> Result<String>,
    /// Applies the decision about one entry.
    pub settle: &'a mut dyn FnMut(&DecidedNotes) -> Result<()>,
    /// Undoes the last decision.
    pub undo: &'a mut dyn FnMut() -> Result<()>,
}

/// The next step of the review after a key was pressed.
enum Step {
    /// To the next entry, after this decision if there is one.
    Next(Option<DecidedNotes>),
    /// Back to the entry of the last decision, which was undone.
    Back,
    /// Nowhere: this message is shown, and the entry is asked again.
    Stay(String),
    /// Nowhere: this message and the notes are shown again after an edit, and the entry is asked again.
    Edited(String),
    Quit,
}

/// Shows each entry with its whole text and applies each answer immediately. If a decision is refused, the error is shown and
/// the entry is asked again.
///
/// # Errors
/// The terminal cannot be read or written.
pub fn review_each(
    inbox: &Inbox,
    screen: &mut dyn Write,
    width: Option<usize>,
    mut actions: ReviewActions<'_>,
) -> Result<()> {
    let entries: Vec<(InboxKind, &InboxEntry)> = inbox
        .sections
        .iter()
        .flat_map(|section| section.items.iter().map(|item| (section.kind, item)))
        .collect();
    let ids = ShortIds::of(entries.iter().flat_map(|(_, item)| &item.notes).map(|note| note.id.as_str()));
    // Decided entries with the notes that were given up or accepted, for `undo`.
    let mut decided: Vec<(usize, Vec<String>)> = Vec::new();
    let mut index = 0;
    while let Some((kind, item)) = entries.get(index) {
        let is_decided = |note: &String| decided.iter().any(|(_, notes)| notes.contains(note));
        if item.notes.iter().any(|note| is_decided(&note.id)) {
            index += 1;
            continue;
        }
        let head = format!("{} of {}", index + 1, entries.len());
        let head = format!("\n{}  {}\n", paint(STRONG, &head), paint(DIM, text::review::heading(*kind)));
        let shown = head + &text::review::item(item, &ids) + &texts(item, &mut actions);
        write!(screen, "{}", layout::fit(&shown, width)).map_err(broken)?;
        let offered = offered(*kind, item, !decided.is_empty());
        let step = loop {
            let key = ask(&offered, screen, width, actions.key).map_err(broken)?;
            match take_step(key, item, &offered, &mut actions) {
                Step::Stay(message) => {
                    write!(screen, "{}", layout::fit(&format!("     {message}\n"), width)).map_err(broken)?;
                }
                Step::Edited(message) => {
                    let shown = format!("     {message}\n") + &texts(item, &mut actions);
                    write!(screen, "{}", layout::fit(&shown, width)).map_err(broken)?;
                }
                step => break step,
            }
        };
        match step {
            Step::Next(decision) => {
                decided.extend(decision.map(|(decision, ids)| match decision {
                    ReviewDecision::Accept | ReviewDecision::Reject => (index, ids),
                    ReviewDecision::Confirm | ReviewDecision::Take | ReviewDecision::Keep => {
                        (index, Vec::new())
                    }
                }));
                index += 1;
            }
            Step::Back => index = decided.pop().map_or(index, |(before, _)| before),
            Step::Stay(_) | Step::Edited(_) | Step::Quit => return Ok(()),
        }
    }
    Ok(())
}

/// The whole texts of an entry's notes.
fn texts(item: &InboxEntry, actions: &mut ReviewActions<'_>) -> String {
    let text = |note: &InboxNote| {
        (actions.text)(&note.id).unwrap_or_else(|error| format!("     {}\n", safe(&error.to_string())))
    };
    item.notes.iter().map(text).collect()
}

/// Does what a key stands for.
fn take_step(key: Key, item: &InboxEntry, offered: &[OfferedKey], actions: &mut ReviewActions<'_>) -> Step {
    let refused = |error: Error| Step::Stay(safe(&error.to_string()));
    let ids = || item.notes.iter().map(|note| note.id.clone());
    let mut settle = |decision, ids| {
        let decided = (decision, ids);
        (actions.settle)(&decided).map_or_else(refused, |()| Step::Next(Some(decided)))
    };
    match key {
        Key::Quit => Step::Quit,
        Key::Skip => Step::Next(None),
        Key::Help => Step::Stay(help(offered)),
        Key::Undo => (actions.undo)().map_or_else(refused, |()| Step::Back),
        Key::Edit => match item.notes.last().map(|note| (actions.edit)(&note.id)) {
            None => Step::Next(None),
            Some(Ok(outcome)) => Step::Edited(safe(&outcome)),
            Some(Err(error)) => refused(error),
        },
        Key::Decide(decision @ (ReviewDecision::Take | ReviewDecision::Keep)) => {
            let leftover = item.leftover.clone();
            settle(decision, leftover.map_or_else(|| ids().collect(), |leftover| vec![leftover]))
        }
        Key::Decide(decision) => settle(decision, ids().collect()),
        Key::KeepOnly(index) => {
            let others = ids().enumerate().filter(|(at, _)| *at != index);
            settle(ReviewDecision::Reject, others.map(|(_, id)| id).collect())
        }
    }
}

/// A key that applies to an entry.
struct OfferedKey {
    key: char,
    meaning: Key,
    /// Word for the line of keys.
    word: &'static str,
    explanation: &'static str,
}

/// Keys that apply to an entry.
fn offered(kind: InboxKind, item: &InboxEntry, can_undo: bool) -> Vec<OfferedKey> {
    let may = |settlement| item.settlements.contains(&settlement);
    let is_pair = matches!(kind, InboxKind::Conflicts | InboxKind::Merges);
    let key = |key, meaning, word, explanation| OfferedKey { key, meaning, word, explanation };
    let decide = |of, decision, word, explanation| key(of, Key::Decide(decision), word, explanation);
    let accept = decide('a', ReviewDecision::Accept, "accept", "the note becomes active");
    let first = key('1', Key::KeepOnly(0), "keep 1", "retire the second note");
    let second = key('2', Key::KeepOnly(1), "keep 2", "retire the first note");
    let both = decide('c', ReviewDecision::Confirm, "both hold", "both notes are correct");
    let reject = decide('r', ReviewDecision::Reject, "reject", "retire the note; its file remains");
    let confirm = decide('c', ReviewDecision::Confirm, "confirm", "the note still holds");
    let take = decide('t', ReviewDecision::Take, "take", "use the other version");
    let keep = decide('k', ReviewDecision::Keep, "keep", "keep the note as it is");
    let keys = [
        (may(Settlement::Accept), accept),
        (is_pair, first),
        (is_pair, second),
        (is_pair, both),
        (!is_pair && may(Settlement::Reject), reject),
        (!is_pair && may(Settlement::Confirm), confirm),
        (may(Settlement::Take), take),
        (may(Settlement::Keep), keep),
        (true, key('e', Key::Edit, "edit", "change the note in your editor")),
        (true, key('s', Key::Skip, "skip", "decide later")),
        (can_undo, key('u', Key::Undo, "undo", "take the last decision back")),
        (true, key('?', Key::Help, "help", "explain the keys")),
        (true, key('q', Key::Quit, "quit", "keep what was decided and stop")),
    ];
    keys.into_iter().filter_map(|(applies, key)| applies.then_some(key)).collect()
}

fn help(offered: &[OfferedKey]) -> String {
    let lines = offered.iter().map(|OfferedKey { key, explanation, .. }| format!("{key}  {explanation}"));
    lines.collect::<Vec<_>>().join("\n     ")
}

fn ask(
    offered: &[OfferedKey],
    screen: &mut dyn Write,
    width: Option<usize>,
    key: &mut dyn FnMut() -> io::Result<Option<char>>,
) -> io::Result<Key> {
    let words: Vec<String> = offered
        .iter()
        .map(|OfferedKey { key, word, .. }| format!("{} {word}", paint(STRONG, &key.to_string())))
        .collect();
    write!(screen, "{} ", layout::fit(&format!("     {}:", words.join("  ")), width))?;
    screen.flush()?;
    loop {
        let Some(typed) = key()? else {
            writeln!(screen)?;
            return Ok(Key::Quit);
        };
        let typed = typed.to_ascii_lowercase();
        if let Some(offered) = offered.iter().find(|offered| offered.key == typed) {
            writeln!(screen, "{}", offered.word)?;
            return Ok(offered.meaning);
        }
    }
}

fn broken(error: io::Error) -> Error {
    Error::new(ErrorKind::Failed, "io", format!("cannot use the terminal: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cm_app::verbs::inbox::InboxSection;
    use cm_app::verbs::inbox::Settlement::{Accept, Confirm, Reject};

    fn item(ids: &[&str], settlements: &[Settlement]) -> InboxEntry {
        let note = |id: &&str| InboxNote {
            id: (*id).to_owned(),
            note_type: "rule".to_owned(),
            title: format!("The rule {id}"),
            path: format!("{id}.md"),
        };
        InboxEntry {
            number: 1,
            notes: ids.iter().map(note).collect(),
            why: "it waits".to_owned(),
            since: None,
            commands: Vec::new(),
            settlements: settlements.to_vec(),
            leftover: None,
        }
    }

    fn inbox() -> Inbox {
        let section = |kind, items: Vec<InboxEntry>| InboxSection { kind, total: items.len(), items };
        Inbox {
            sections: vec![
                section(
                    InboxKind::Drafts,
                    vec![item(&["d1"], &[Accept, Reject]), item(&["d2"], &[Accept, Reject])],
                ),
                section(InboxKind::Conflicts, vec![item(&["k1", "k2"], &[Reject])]),
                section(InboxKind::Due, vec![item(&["k2"], &[Confirm, Reject]), item(&["u"], &[Confirm])]),
            ],
            total: 5,
        }
    }

    /// What the review did with these keys.
    #[derive(Default)]
    struct Answered {
        decided: Vec<DecidedNotes>,
        screen: String,
        edited: Vec<String>,
        undone: usize,
    }

    fn answered(keys: &str) -> Answered {
        let mut answered = Answered::default();
        let mut screen = Vec::new();
        let mut keys = keys.chars();
        let actions = ReviewActions {
            key: &mut || Ok(keys.next()),
            text: &mut |id| Ok(format!("     the text of {id}\n")),
            edit: &mut |id| {
                answered.edited.push(id.to_owned());
                Ok("edited; warning: no such state".to_owned())
            },
            settle: &mut |decisions| {
                answered.decided.push(decisions.clone());
                Ok(())
            },
            undo: &mut || {
                answered.undone += 1;
                Ok(())
            },
        };
        review_each(&inbox(), &mut screen, None, actions).unwrap();
        answered.screen = anstream::adapter::strip_str(&String::from_utf8(screen).unwrap()).to_string();
        answered
    }

    fn ids(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    fn accept(id: &str) -> DecidedNotes {
        (ReviewDecision::Accept, ids(&[id]))
    }

    fn reject(id: &str) -> DecidedNotes {
        (ReviewDecision::Reject, ids(&[id]))
    }

    #[test]
    fn each_decision_is_carried_out_and_a_note_that_was_given_up_is_not_asked_about_again() {
        let Answered { decided, screen, .. } = answered("ar1c");
        let confirm = (ReviewDecision::Confirm, ids(&["u"]));
        assert_eq!(decided, [accept("d1"), reject("d2"), reject("k2"), confirm]);
        assert_eq!(screen.matches("it waits").count(), 4, "{screen}");
        assert!(screen.contains("3 of 5  Open conflicts") && screen.contains("the text of k1"), "{screen}");
    }

    #[test]
    fn a_key_that_is_not_offered_is_ignored() {
        let Answered { decided, screen, edited, .. } = answered("x1e\nsq");
        assert_eq!((decided.len(), edited), (0, ids(&["d1"])));
        assert_eq!(
            screen.matches("a accept  r reject  e edit  s skip  ? help  q quit:").count(),
            3,
            "{screen}"
        );
    }

    #[test]
    fn an_edited_note_is_shown_with_its_problems_and_asked_about_again() {
        let Answered { decided, screen, edited, .. } = answered("eaq");
        assert_eq!((decided, edited), (vec![accept("d1")], ids(&["d1"])));
        assert_eq!(screen.matches("the text of d1").count(), 2, "{screen}");
        assert!(screen.contains("edited; warning: no such state"), "{screen}");
    }

    #[test]
    fn the_last_decision_can_be_taken_back_and_made_again() {
        let Answered { decided, undone, screen, .. } = answered("auaq");
        assert_eq!((decided, undone), (vec![accept("d1"), accept("d1")], 1));
        assert_eq!(screen.matches("1 of 5").count(), 2, "{screen}");
    }

    #[test]
    fn help_explains_the_keys_of_the_entry() {
        let screen = answered("?q").screen;
        assert!(screen.contains("a  the note becomes active\n     r  retire the note"), "{screen}");
    }

    #[test]
    fn what_fails_is_shown_and_the_entry_is_asked_about_again() {
        let (mut screen, mut keys) = (Vec::new(), "aaer".chars());
        let mut calls = Vec::new();
        let actions = ReviewActions {
            key: &mut || Ok(keys.next()),
            text: &mut |_| Ok(String::new()),
            edit: &mut |_| Err(Error::usage("no editor\u{1b}[2J starts")),
            settle: &mut |decisions| {
                calls.push(decisions.clone());
                if calls.len() == 1 { Err(Error::usage("the vault is locked")) } else { Ok(()) }
            },
            undo: &mut || Ok(()),
        };
        review_each(&inbox(), &mut screen, None, actions).unwrap();
        assert_eq!(calls, [accept("d1"), accept("d1"), reject("d2")]);
        let screen = String::from_utf8(screen).unwrap();
        assert!(screen.contains("locked") && screen.contains("no editor\u{fffd}[2J starts"), "{screen:?}");
    }

    #[test]
    fn an_entry_without_notes_is_skipped_when_it_should_be_edited() {
        let inbox = Inbox {
            sections: vec![InboxSection { kind: InboxKind::Due, items: vec![item(&[], &[])], total: 1 }],
            total: 1,
        };
        let (mut screen, mut keys) = (Vec::new(), "e".chars());
        let actions = ReviewActions {
            key: &mut || Ok(keys.next()),
            text: &mut |_| Ok(String::new()),
            edit: &mut |_| Ok("there is no note".to_owned()),
            settle: &mut |_| Ok(()),
            undo: &mut || Ok(()),
        };
        review_each(&inbox, &mut screen, None, actions).unwrap();
    }

    #[test]
    fn the_end_of_the_keys_is_the_end() {
        assert_eq!(answered("a").decided, [accept("d1")]);
    }
}
