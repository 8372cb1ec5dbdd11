//! Interactive review: a key and Enter for each entry. Each decision is committed immediately, so an interrupt loses none.

use std::io::{self, BufRead, Write};

use cm_app::verbs::review::{Inbox, InboxEntry, InboxKind, ReviewDecisions};
use cm_app::{Error, ErrorKind, Result};
use cm_render::text;
use cm_render::text::style::safe;

/// Meaning of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Accept,
    Reject,
    Confirm,
    Edit,
    /// Keep the note with this index (0 or 1) and reject the other.
    Keep(usize),
    Skip,
    Quit,
}

/// Actions of the interactive review.
pub struct Doing<'a> {
    /// Opens a note in the editor. Returns what is wrong with the saved text, if anything.
    pub edit: &'a mut dyn FnMut(&str) -> Result<Option<String>>,
    /// Applies the decision about one entry.
    pub settle: &'a mut dyn FnMut(&ReviewDecisions) -> Result<()>,
}

/// Asks about each entry and applies each answer immediately. If a decision is refused, the error is shown and the entry is
/// asked again.
///
/// # Errors
/// The terminal cannot be read or written.
pub fn through(
    inbox: &Inbox,
    keys: &mut dyn BufRead,
    screen: &mut dyn Write,
    doing: Doing<'_>,
) -> Result<()> {
    let mut settled = Vec::new();
    let entries =
        inbox.sections.iter().flat_map(|section| section.items.iter().map(|item| (section.kind, item)));
    for (kind, item) in entries {
        if item.notes.iter().any(|note| settled.contains(&note.id)) {
            continue;
        }
        write!(screen, "{}", text::review::item(item)).map_err(broken)?;
        loop {
            match ask(kind, item, keys, screen).map_err(broken)? {
                Key::Quit => return Ok(()),
                Key::Skip => break,
                Key::Edit => match (doing.edit)(&item.notes[item.notes.len() - 1].id) {
                    Ok(None) => break,
                    Ok(Some(wrong)) => {
                        writeln!(screen, "     saved but not committed: {}", safe(&wrong)).map_err(broken)?;
                    }
                    Err(error) => writeln!(screen, "     {}", safe(&error.to_string())).map_err(broken)?,
                },
                key => {
                    let words = words(key, item);
                    match (doing.settle)(&words) {
                        Ok(()) => {
                            settled.extend(words.accept.into_iter().chain(words.reject));
                            break;
                        }
                        Err(error) => {
                            writeln!(screen, "     {}", safe(&error.to_string())).map_err(broken)?;
                        }
                    }
                }
            }
        }
    }
    Ok(())
}

/// The decision that a key stands for.
fn words(key: Key, item: &InboxEntry) -> ReviewDecisions {
    let mut words = ReviewDecisions::default();
    let ids = || item.notes.iter().map(|note| note.id.clone());
    match key {
        Key::Accept => words.accept.extend(ids()),
        Key::Reject => words.reject.extend(ids()),
        Key::Confirm => words.confirm.extend(ids()),
        Key::Keep(kept) => {
            words.reject.extend(ids().enumerate().filter(|(at, _)| *at != kept).map(|(_, id)| id))
        }
        Key::Edit | Key::Skip | Key::Quit => {}
    }
    words
}

/// Keys that apply to an entry, with their labels.
fn offered(kind: InboxKind, item: &InboxEntry) -> Vec<(char, Key, &'static str)> {
    let may = |word: &str| item.commands.iter().any(|command| command.contains(word));
    let mut keys = Vec::new();
    if may("--accept") {
        keys.push(('a', Key::Accept, "accept"));
    }
    if matches!(kind, InboxKind::Conflicts | InboxKind::Merges) {
        keys.push(('1', Key::Keep(0), "keep the first"));
        keys.push(('2', Key::Keep(1), "keep the second"));
        keys.push(('c', Key::Confirm, "both are correct"));
    } else if may("--reject") {
        keys.push(('r', Key::Reject, "reject"));
    }
    if matches!(kind, InboxKind::Due | InboxKind::Inversions) {
        keys.push(('c', Key::Confirm, "confirm"));
    }
    keys.extend([('e', Key::Edit, "edit"), ('s', Key::Skip, "skip"), ('q', Key::Quit, "quit")]);
    keys
}

fn ask(
    kind: InboxKind,
    item: &InboxEntry,
    keys: &mut dyn BufRead,
    screen: &mut dyn Write,
) -> io::Result<Key> {
    let offered = offered(kind, item);
    let words: Vec<String> = offered.iter().map(|(key, _, word)| format!("{key} {word}")).collect();
    loop {
        write!(screen, "     {}: ", words.join(", "))?;
        screen.flush()?;
        let mut line = String::new();
        if keys.read_line(&mut line)? == 0 {
            writeln!(screen)?;
            return Ok(Key::Quit);
        }
        let typed = line.trim().to_lowercase();
        let meant = offered.iter().find(|(key, ..)| typed.starts_with(*key) && typed.len() == 1);
        if let Some((_, key, _)) = meant {
            return Ok(*key);
        }
    }
}

fn broken(error: io::Error) -> Error {
    Error::new(ErrorKind::Failed, "io", format!("cannot use the terminal: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cm_app::verbs::review::{InboxNote, InboxSection};

    fn item(ids: &[&str], commands: &[&str]) -> InboxEntry {
        let note = |id: &&str| InboxNote {
            id: (*id).to_owned(),
            note_type: "rule".to_owned(),
            title: format!("The rule {id}"),
            path: format!("{id}.md"),
        };
        let commands = commands.iter().map(|word| format!("cm review {word} x")).collect();
        InboxEntry {
            number: 1,
            notes: ids.iter().map(note).collect(),
            why: "it waits".to_owned(),
            since: None,
            commands,
        }
    }

    fn inbox() -> Inbox {
        let section = |kind, items: Vec<InboxEntry>| InboxSection { kind, total: items.len(), items };
        Inbox {
            sections: vec![
                section(
                    InboxKind::Drafts,
                    vec![item(&["d1"], &["--accept", "--reject"]), item(&["d2"], &["--accept", "--reject"])],
                ),
                section(InboxKind::Conflicts, vec![item(&["k1", "k2"], &["--reject"])]),
                section(
                    InboxKind::Due,
                    vec![item(&["k2"], &["--confirm", "--reject"]), item(&["u"], &["--confirm"])],
                ),
            ],
            total: 5,
        }
    }

    fn answered(keys: &str) -> (ReviewDecisions, String, Vec<String>) {
        let (mut screen, mut edited, mut decided) = (Vec::new(), Vec::new(), ReviewDecisions::default());
        let mut edit = |id: &str| {
            edited.push(id.to_owned());
            Ok(None)
        };
        let mut settle = |words: &ReviewDecisions| {
            decided.accept.extend(words.accept.clone());
            decided.reject.extend(words.reject.clone());
            decided.confirm.extend(words.confirm.clone());
            Ok(())
        };
        let doing = Doing { edit: &mut edit, settle: &mut settle };
        through(&inbox(), &mut keys.as_bytes(), &mut screen, doing).unwrap();
        (decided, String::from_utf8(screen).unwrap(), edited)
    }

    fn ids(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    #[test]
    fn each_decision_is_carried_out_and_a_note_that_was_given_up_is_not_asked_about_again() {
        let (words, screen, _) = answered("a\nr\n1\nc\n");
        assert_eq!(
            words,
            ReviewDecisions { accept: ids(&["d1"]), reject: ids(&["d2", "k2"]), confirm: ids(&["u"]) }
        );
        assert_eq!(screen.matches("it waits").count(), 4, "{screen}");
    }

    #[test]
    fn a_key_that_is_not_offered_is_asked_for_again() {
        let (words, screen, edited) = answered("x\n1\ne\ns\n\nq\n");
        assert_eq!((words.is_empty(), edited), (true, ids(&["d1"])));
        assert_eq!(screen.matches("a accept, r reject, e edit, s skip, q quit:").count(), 4, "{screen}");
    }

    #[test]
    fn what_fails_is_shown_and_the_entry_is_asked_about_again() {
        let (mut screen, mut keys) = (Vec::new(), "a\na\ne\nr\n".as_bytes());
        let mut edit = |_: &str| Err(Error::usage("no editor\u{1b}[2J starts"));
        let mut calls = Vec::new();
        let mut settle = |words: &ReviewDecisions| {
            calls.push(words.clone());
            if calls.len() == 1 { Err(Error::usage("the vault is locked")) } else { Ok(()) }
        };
        let doing = Doing { edit: &mut edit, settle: &mut settle };
        through(&inbox(), &mut keys, &mut screen, doing).unwrap();
        let accept = ReviewDecisions { accept: ids(&["d1"]), ..ReviewDecisions::default() };
        assert_eq!(
            calls,
            [accept.clone(), accept, ReviewDecisions { reject: ids(&["d2"]), ..ReviewDecisions::default() }]
        );
        let screen = String::from_utf8(screen).unwrap();
        assert!(screen.contains("locked") && screen.contains("no editor\u{fffd}[2J starts"), "{screen:?}");
    }

    #[test]
    fn the_end_of_the_keys_is_the_end() {
        assert_eq!(answered("a\n").0, ReviewDecisions { accept: ids(&["d1"]), ..ReviewDecisions::default() });
    }
}
