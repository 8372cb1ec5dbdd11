//! Finds files that are never changed without another one.

use std::collections::{BTreeMap, BTreeSet};

use super::pattern::{PatternNote, RecurringPattern};
use super::support::{Occurrence, PatternSupport};
use super::trace::{SessionTrace, TracedKind, TracedStep};
use super::wording::code;

/// Minimum number of conversations in which both files change.
const MIN_CONVERSATIONS: usize = 3;
/// Maximum share of the conversations with edits in which the second file changes, 0–1. A file that
/// always changes goes with every other one.
const MAX_SECOND_FILE_SHARE: f64 = 0.5;
/// Maximum number of files of a session that are compared; a session with more is a mass edit.
const MAX_SESSION_FILES: usize = 30;

/// Returns a fact for each file that is always changed together with a file of another folder.
pub fn co_edits(traces: &[&SessionTrace]) -> Vec<RecurringPattern> {
    let mut edits: BTreeMap<u64, BTreeMap<&str, (&SessionTrace, &TracedStep)>> = BTreeMap::new();
    for &trace in traces {
        for step in &trace.steps {
            let TracedKind::Edited { paths, .. } = &step.kind else { continue };
            for path in paths {
                edits.entry(trace.conversation).or_default().entry(path).or_insert((trace, step));
            }
        }
    }
    let mut files: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
    for (conversation, edited) in &edits {
        for path in edited.keys() {
            files.entry(path).or_default().insert(*conversation);
        }
    }
    let often = |of: &BTreeSet<u64>| of.len() >= MIN_CONVERSATIONS;
    let common = |of: &BTreeSet<u64>| of.len() as f64 > MAX_SECOND_FILE_SHARE * edits.len() as f64;
    let mut found = Vec::new();
    for (file, own) in files.iter().filter(|(_, own)| often(own)) {
        for (other, theirs) in files.iter().filter(|(_, theirs)| often(theirs) && !common(theirs)) {
            let mass =
                own.iter().any(|one| edits.get(one).is_some_and(|edited| edited.len() > MAX_SESSION_FILES));
            if file == other || mass || !own.is_subset(theirs) || !is_telling(file, other) {
                continue;
            }
            // Of two files that only change together, one fact is enough.
            if own == theirs && other < file {
                continue;
            }
            let mut support = PatternSupport::default();
            for conversation in own {
                if let Some((trace, step)) = edits.get(conversation).and_then(|edited| edited.get(file)) {
                    let quote = format!("`{file}` and `{other}` were edited");
                    support.add(*conversation, Occurrence::new(trace, step, quote));
                }
            }
            let text = format!("Changes of {} come with changes of {}", code(file), code(other));
            found.push(RecurringPattern {
                head: text.clone(),
                note: PatternNote::Fact { text },
                commands: Vec::new(),
                support,
            });
        }
    }
    found
}

/// Returns whether it is worth knowing that two files belong together: their folders and names differ.
fn is_telling(file: &str, other: &str) -> bool {
    let split = |path: &str| {
        path.rsplit_once(['/', '\\'])
            .map_or((String::new(), path.to_owned()), |(folder, name)| (folder.to_owned(), name.to_owned()))
    };
    let stem = |name: &str| {
        name.split(['.', '_', '-'])
            .find(|part| !part.is_empty() && *part != "test")
            .unwrap_or_default()
            .to_lowercase()
    };
    let ((folder, name), (other_folder, other_name)) = (split(file), split(other));
    let plain = |path: &str| !path.contains(['`', '\n']) && path.len() <= 120;
    folder != other_folder && stem(&name) != stem(&other_name) && plain(file) && plain(other)
}
