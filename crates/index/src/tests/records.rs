//! The stored records of notes equal those computed from all notes, whatever changed since.

use std::cell::Cell;
use std::fs;

use proptest::prelude::*;

use super::vault::Vault;
use crate::Index;
use cm_note::note::{Note, NoteKind};

const FILE: &str = "_index/records";

fn record(note: &Note) -> Vec<u8> {
    format!("{} {:?}", note.path, note.title).into_bytes()
}

/// Returns the records, sorted, and how many of them were computed.
fn stored(index: &Index, basis: &str) -> (Vec<Vec<u8>>, usize) {
    let computed = Cell::new(0);
    let counting = |note: &Note| {
        computed.set(computed.get() + 1);
        record(note)
    };
    let records = index.note_records("records", basis, NoteKind::Bullet, &counting).unwrap();
    let notes = records.notes(0..records.iter().count()).unwrap();
    assert_eq!(notes.iter().map(record).collect::<Vec<_>>(), records.iter().collect::<Vec<_>>());
    let mut all: Vec<Vec<u8>> = records.iter().map(<[u8]>::to_vec).collect();
    all.sort();
    (all, computed.get())
}

fn from_scratch(index: &Index) -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> =
        index.notes().unwrap().iter().filter(|note| note.kind == NoteKind::Bullet).map(record).collect();
    all.sort();
    all
}

fn rules(number: usize) -> Vault {
    let vault = Vault::of(&[("graph/facts/a.md", "a fact")]);
    (0..number).for_each(|at| vault.write(&format!("playbook/git/{at}.md"), "title: Old\n\na rule"));
    vault.refresh();
    vault
}

#[test]
fn only_the_records_of_changed_notes_are_computed() {
    let vault = rules(30);
    assert_eq!(stored(&vault.index, "1").1, 30);
    assert_eq!(stored(&vault.another(), "1").1, 0);
    vault.write("playbook/git/7.md", "title: New\n\na rule");
    fs::remove_file(vault.path("playbook/git/8.md")).unwrap();
    vault.refresh();
    let (found, computed) = stored(&vault.another(), "1");
    assert_eq!((found, computed), (from_scratch(&vault.index), 1));
    assert_eq!(stored(&vault.index, "2").1, 29, "of another basis");
}

#[test]
fn a_few_changes_do_not_write_the_file_anew() {
    let vault = rules(900);
    stored(&vault.index, "1");
    let before = fs::read(vault.path(FILE)).unwrap();
    for (round, is_same) in [(1, true), (2, true), (3, false)] {
        vault.write(&format!("playbook/git/{round}.md"), "title: New\n\na rule");
        vault.refresh();
        assert_eq!(stored(&vault.index, "1").0, from_scratch(&vault.index));
        assert_eq!(fs::read(vault.path(FILE)).unwrap() == before, is_same, "{round}");
    }
}

#[test]
fn a_damaged_file_is_made_anew() {
    let vault = rules(5);
    stored(&vault.index, "1");
    let sound = fs::read(vault.path(FILE)).unwrap();
    for at in [0, 30, sound.len() - 1] {
        let mut bytes = sound.clone();
        bytes[at] ^= 1;
        fs::write(vault.path(FILE), bytes).unwrap();
        assert_eq!(stored(&vault.another(), "1"), (from_scratch(&vault.index), 5), "byte {at}");
    }
    fs::write(vault.path(FILE), [&sound[..], b"x"].concat()).unwrap();
    assert_eq!(stored(&vault.another(), "1").1, 5, "longer");
}

proptest! {
    // Each case writes and indexes a vault several times.
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 8, ..ProptestConfig::default() })]

    #[test]
    fn after_any_changes_they_are_as_computed_from_all_notes(
        rounds in prop::collection::vec(
            (prop::collection::vec((0..24usize, prop::option::of(0..9u8)), 0..12), any::<bool>()), 1..12,
        ),
    ) {
        let vault = Vault::of(&[]);
        for (changes, is_looked_at) in rounds {
            for (at, title) in changes {
                let path = if at < 20 { format!("playbook/git/{at}.md") } else { format!("graph/facts/{at}.md") };
                match title {
                    Some(title) => vault.write(&path, &format!("title: T{title}\n\na rule")),
                    None => drop(fs::remove_file(vault.path(&path))),
                }
            }
            vault.refresh();
            if is_looked_at {
                prop_assert_eq!(stored(&vault.another(), "1").0, from_scratch(&vault.index));
            }
        }
    }
}
