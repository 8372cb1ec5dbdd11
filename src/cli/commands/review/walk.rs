//! Going through the inbox one by one: a key and Enter for each entry. Nothing is written before the end, but for edits.

use std::io::{self, BufRead, Write};

use crate::ops::review::{Inbox, Item, Waiting, Words};
use crate::ops::{Error, Kind, Result};
use crate::render::text;
use crate::render::text::style::safe;

/// What a key asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Accept,
    Reject,
    Confirm,
    Edit,
    /// Keep this one of two notes, and reject the other.
    Keep(usize),
    Skip,
    Quit,
}

/// Opens a note in the editor; what is wrong with what was saved.
type Edit<'a> = &'a mut dyn FnMut(&str) -> Result<Option<String>>;

/// Asks about each entry and collects the answers; what was answered before the end of the keys counts.
///
/// # Errors
/// Where the terminal cannot be read or written.
pub fn through(
    inbox: &Inbox,
    keys: &mut dyn BufRead,
    screen: &mut dyn Write,
    edit: Edit<'_>,
) -> Result<Words> {
    let mut words = Words::default();
    let entries =
        inbox.sections.iter().flat_map(|section| section.items.iter().map(|item| (section.kind, item)));
    for (kind, item) in entries {
        if decided(&words, item) {
            continue;
        }
        write!(screen, "{}", text::review::item(item)).map_err(broken)?;
        loop {
            match ask(kind, item, keys, screen).map_err(broken)? {
                Key::Quit => return Ok(words),
                Key::Skip => break,
                Key::Edit => match edit(&item.notes[item.notes.len() - 1].id) {
                    Ok(None) => break,
                    Ok(Some(wrong)) => {
                        writeln!(screen, "     saved, and not committed: {}", safe(&wrong))
                            .map_err(broken)?;
                    }
                    // What was decided so far must not be lost to an editor that does not start.
                    Err(error) => writeln!(screen, "     {}", safe(&error.to_string())).map_err(broken)?,
                },
                key => {
                    note(&mut words, key, item);
                    break;
                }
            }
        }
    }
    Ok(words)
}

/// Whether a note of the entry was given up or taken already.
fn decided(words: &Words, item: &Item) -> bool {
    item.notes.iter().any(|note| words.accept.contains(&note.id) || words.reject.contains(&note.id))
}

fn note(words: &mut Words, key: Key, item: &Item) {
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
}

/// The keys that make sense for an entry, with their words.
fn offered(kind: Waiting, item: &Item) -> Vec<(char, Key, &'static str)> {
    let may = |word: &str| item.commands.iter().any(|command| command.contains(word));
    let mut keys = Vec::new();
    if may("--accept") {
        keys.push(('a', Key::Accept, "accept"));
    }
    if matches!(kind, Waiting::Conflicts | Waiting::Merges) {
        keys.push(('1', Key::Keep(0), "keep the first"));
        keys.push(('2', Key::Keep(1), "keep the second"));
        keys.push(('c', Key::Confirm, "both hold"));
    } else if may("--reject") {
        keys.push(('r', Key::Reject, "reject"));
    }
    if matches!(kind, Waiting::Due | Waiting::Inversions) {
        keys.push(('c', Key::Confirm, "confirm"));
    }
    keys.extend([('e', Key::Edit, "edit"), ('s', Key::Skip, "skip"), ('q', Key::Quit, "quit")]);
    keys
}

fn ask(kind: Waiting, item: &Item, keys: &mut dyn BufRead, screen: &mut dyn Write) -> io::Result<Key> {
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
    Error::new(Kind::Failed, "io", format!("the terminal cannot be used: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::review::{Listed, Section};

    fn item(ids: &[&str], commands: &[&str]) -> Item {
        let note = |id: &&str| Listed {
            id: (*id).to_owned(),
            note_type: "rule".to_owned(),
            title: format!("The rule {id}"),
            path: format!("{id}.md"),
        };
        let commands = commands.iter().map(|word| format!("cm review {word} x")).collect();
        Item {
            number: 1,
            notes: ids.iter().map(note).collect(),
            why: "it waits".to_owned(),
            since: None,
            commands,
        }
    }

    fn inbox() -> Inbox {
        let section = |kind, items: Vec<Item>| Section { kind, total: items.len(), items };
        Inbox {
            sections: vec![
                section(
                    Waiting::Drafts,
                    vec![item(&["d1"], &["--accept", "--reject"]), item(&["d2"], &["--accept", "--reject"])],
                ),
                section(Waiting::Conflicts, vec![item(&["k1", "k2"], &["--reject"])]),
                section(
                    Waiting::Due,
                    vec![item(&["k2"], &["--confirm", "--reject"]), item(&["u"], &["--confirm"])],
                ),
            ],
            total: 5,
        }
    }

    fn answered(keys: &str) -> (Words, String, Vec<String>) {
        let (mut screen, mut edited) = (Vec::new(), Vec::new());
        let mut edit = |id: &str| {
            edited.push(id.to_owned());
            Ok(None)
        };
        let words = through(&inbox(), &mut keys.as_bytes(), &mut screen, &mut edit).unwrap();
        (words, String::from_utf8(screen).unwrap(), edited)
    }

    fn ids(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    #[test]
    fn each_answer_is_kept_for_the_end_and_a_note_that_was_given_up_is_not_asked_about_again() {
        let (words, screen, _) = answered("a\nr\n1\nc\n");
        assert_eq!(words, Words { accept: ids(&["d1"]), reject: ids(&["d2", "k2"]), confirm: ids(&["u"]) });
        assert_eq!(screen.matches("it waits").count(), 4, "{screen}");
    }

    #[test]
    fn a_key_that_is_not_offered_is_asked_for_again() {
        let (words, screen, edited) = answered("x\n1\ne\ns\n\nq\n");
        assert_eq!((words.is_empty(), edited), (true, ids(&["d1"])));
        assert_eq!(screen.matches("a accept, r reject, e edit, s skip, q quit:").count(), 4, "{screen}");
    }

    #[test]
    fn an_editor_that_fails_is_told_of_and_loses_no_decision() {
        let (mut screen, mut keys) = (Vec::new(), "a\ne\nr\n".as_bytes());
        let mut edit = |_: &str| Err(Error::usage("no editor\u{1b}[2J starts"));
        let words = through(&inbox(), &mut keys, &mut screen, &mut edit).unwrap();
        assert_eq!(words, Words { accept: ids(&["d1"]), reject: ids(&["d2"]), ..Words::default() });
        let screen = String::from_utf8(screen).unwrap();
        assert!(screen.contains("no editor\u{fffd}[2J starts"), "{screen:?}");
    }

    #[test]
    fn the_end_of_the_keys_is_the_end() {
        assert_eq!(answered("a\n").0, Words { accept: ids(&["d1"]), ..Words::default() });
    }
}
