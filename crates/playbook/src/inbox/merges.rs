//! Lists pairs of notes that may be one: two rules, two memories, and a rule and a memory.

use super::InboxNoteEntry;
use super::contradictions::both_hold;
use super::live_rules::LiveRules;
use crate::conflict::Similarity;
use cm_note::bullet::Bullet;
use cm_note::note::{Note, NoteKind};
use cm_text::canonical::CanonicalForm;
use cm_text::language::is_cjk;
use std::collections::{HashMap, HashSet};

/// Number of longer words from which on they tell whether two texts may state the same.
const MIN_LONG_WORDS: usize = 3;
/// Minimum length of a longer word, in characters.
const MIN_LONG_WORD_CHARS: usize = 5;

/// Lists pairs of similar live rules of one category, most similar first. Pairs that a person
/// confirmed are left out.
fn merges(notes: &[Note], rules: &LiveRules) -> Vec<InboxNoteEntry> {
    let bullets: Vec<&Bullet> = rules.bullets.iter().collect();
    let why = |near: Similarity| match near {
        Similarity::Words(share) => format!("{:.0} % of their words are the same", share * 100.0),
        near => near.to_string(),
    };
    let entry = |(a, b, near): (usize, usize, Similarity)| InboxNoteEntry {
        notes: vec![rules.at[a], rules.at[b]],
        why: why(near),
        since: None,
        leftover: None,
    };
    let pairs = rules.pairs.merge_candidates(&bullets).into_iter();
    pairs
        .filter(|(a, b, _)| !both_hold(&notes[rules.at[*a]], &notes[rules.at[*b]], None))
        .map(entry)
        .collect()
}

/// Lists the pairs that may be one: two rules, two memories, and a rule and a memory.
pub(super) fn merge_entries(notes: &[Note], rules: &LiveRules, obsolete: &[bool]) -> Vec<InboxNoteEntry> {
    [merges(notes, rules), namesakes(notes, obsolete), learned_twice(notes, obsolete)].concat()
}

/// Lists pairs of a rule and a memory that state the same, such as a lesson that was learned as both, with the rule
/// first. Pairs that a person confirmed are left out.
fn learned_twice(notes: &[Note], obsolete: &[bool]) -> Vec<InboxNoteEntry> {
    let form = |text: &str| CanonicalForm::of(text).as_str().to_owned();
    let mut rules: HashMap<String, usize> = HashMap::new();
    let mut words: HashSet<String> = HashSet::new();
    for (at, note) in notes.iter().enumerate().filter(|(at, _)| !obsolete[*at]) {
        if let Some(bullet) = Bullet::of(note).filter(Bullet::is_standing) {
            rules.entry(form(bullet.content())).or_insert(at);
            words.extend(long_words(bullet.content()));
        }
    }
    // The form of each memory of a large vault would take seconds.
    let may_be_rule = |title: &str| {
        let (mut shared, mut all) = (0, 0);
        for word in long_words(title) {
            shared += usize::from(words.contains(&word));
            all += 1;
        }
        all < MIN_LONG_WORDS || shared * 2 >= all || title.chars().any(is_cjk)
    };
    let twin = |(at, note): (usize, &Note)| {
        if rules.is_empty() || !may_be_rule(&note.title) {
            return None;
        }
        let rule = *rules.get(&form(&note.title))?;
        let since = note.created.max(notes[rule].created);
        let why = "a rule and a memory state the same".to_owned();
        (!both_hold(&notes[rule], note, None)).then_some(InboxNoteEntry {
            notes: vec![rule, at],
            why,
            since,
            leftover: None,
        })
    };
    let memories = notes.iter().enumerate();
    memories.filter(|(at, note)| note.kind == NoteKind::Memory && !obsolete[*at]).filter_map(twin).collect()
}

/// Returns the beginnings of the longer words in lower case; canonical forms change few of them.
fn long_words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let long = words.filter(|word| word.chars().nth(MIN_LONG_WORD_CHARS - 1).is_some());
    long.map(|word| word.chars().take(MIN_LONG_WORD_CHARS).flat_map(char::to_lowercase).collect())
}

/// Lists pairs of memories of one type and one title, such as two people's answers to one question. Pairs that a person
/// confirmed are left out.
fn namesakes(notes: &[Note], obsolete: &[bool]) -> Vec<InboxNoteEntry> {
    let mut first: HashMap<(&str, String), usize> = HashMap::new();
    let mut entries = Vec::new();
    for (at, note) in
        notes.iter().enumerate().filter(|(at, note)| note.kind == NoteKind::Memory && !obsolete[*at])
    {
        let Some(note_type) = note.note_type.as_deref() else { continue };
        let title = note.title.trim().to_lowercase();
        let other = *first.entry((note_type, title)).or_insert(at);
        if other != at && !both_hold(&notes[other], note, None) {
            let since = note.created.max(notes[other].created);
            let why = "two memories of one type have this title".to_owned();
            entries.push(InboxNoteEntry { notes: vec![other, at], why, since, leftover: None });
        }
    }
    entries
}
