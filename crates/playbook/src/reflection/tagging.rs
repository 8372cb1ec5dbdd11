//! Counts which tags occur together, and in how many projects.
//!
//! Tags are numbered in alphabetical order and pairs are counted by sorting numbers, which is fast
//! for a hundred thousand notes.

use std::cmp::Reverse;
use std::collections::HashMap;

use cm_note::note::Note;
use cm_text::path::last_component;

/// Maximum number of tags per note that are combined to pairs, because their number grows with the
/// square.
const MAX_PAIRED_TAGS: usize = 24;

/// Minimum number of notes that must share two tags for the pair to be a theme.
const MIN_NOTES_TOGETHER: usize = 2;

/// The tags of a set of notes, numbered in alphabetical order.
pub(super) struct TagIndex<'n> {
    /// Tag names, sorted; a tag's number is its index here.
    names: Vec<&'n str>,
    /// Each note's index with the numbers of its tags, ascending.
    notes: Vec<(usize, Vec<u32>)>,
}

/// Two tags and the number of notes with both.
#[derive(Clone, Copy)]
pub(super) struct TagPair {
    pub(super) tags: [u32; 2],
    pub(super) count: usize,
}

/// A tag with the number of its notes in each project, highest first.
pub(super) struct TagProjects<'p> {
    pub(super) tag: u32,
    pub(super) projects: Vec<(&'p str, usize)>,
}

impl<'n> TagIndex<'n> {
    pub(super) fn of(notes: &'n [Note], memories: &[usize]) -> Self {
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        for note in memories {
            for tag in &notes[*note].tags {
                numbers.entry(tag).or_insert(0);
            }
        }
        let mut names: Vec<&str> = numbers.keys().copied().collect();
        names.sort_unstable();
        for (name, number) in names.iter().zip(0..) {
            numbers.insert(name, number);
        }
        let tagged = memories.iter().map(|note| {
            let mut tags: Vec<u32> = notes[*note].tags.iter().map(|tag| numbers[tag.as_str()]).collect();
            tags.sort_unstable();
            tags.dedup();
            (*note, tags)
        });
        Self { notes: tagged.collect(), names }
    }

    pub(super) fn name(&self, tag: u32) -> &'n str {
        self.names[tag as usize]
    }

    /// Returns all pairs of tags, those with the most common notes first, then by name.
    pub(super) fn pairs(&self) -> Vec<TagPair> {
        let mut together: Vec<u64> = Vec::new();
        for (_, tags) in &self.notes {
            let tags = &tags[..tags.len().min(MAX_PAIRED_TAGS)];
            for (at, a) in tags.iter().enumerate() {
                together.extend(tags[at + 1..].iter().map(|b| u64::from(*a) << 32 | u64::from(*b)));
            }
        }
        let pair = |both: u64, count| TagPair { tags: [(both >> 32) as u32, both as u32], count };
        let counted = runs(together).into_iter().filter(|(_, count)| *count >= MIN_NOTES_TOGETHER);
        let mut pairs: Vec<TagPair> = counted.map(|(both, count)| pair(both, count)).collect();
        pairs.sort_by_key(|pair| (Reverse(pair.count), pair.tags));
        pairs
    }

    /// Returns the indices of the notes that have both tags.
    pub(super) fn notes_with(&self, [a, b]: [u32; 2]) -> Vec<usize> {
        let has = |tags: &[u32]| {
            let tags = &tags[..tags.len().min(MAX_PAIRED_TAGS)];
            tags.binary_search(&a).is_ok() && tags.binary_search(&b).is_ok()
        };
        self.notes.iter().filter(|(_, tags)| has(tags)).map(|(note, _)| *note).collect()
    }

    /// Returns the tags that occur in at least two projects, sorted by number of projects, then of
    /// notes, then by name.
    pub(super) fn across_projects<'p>(
        &self,
        notes: &'p [Note],
        projects_of: &'p [String],
    ) -> Vec<TagProjects<'p>> {
        let projects_of = ProjectNames::of(projects_of);
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let mut projects: Vec<&str> = Vec::new();
        let mut occurrences: Vec<u64> = Vec::new();
        for (note, tags) in &self.notes {
            let Some(project) = projects_of.project_of(&notes[*note]) else { continue };
            let number = *numbers.entry(project).or_insert_with(|| {
                projects.push(project);
                projects.len() as u32 - 1
            });
            // A project's own name as a tag says nothing about others.
            let tags = tags.iter().filter(|tag| self.name(**tag) != project);
            occurrences.extend(tags.map(|tag| u64::from(*tag) << 32 | u64::from(number)));
        }
        let counted = runs(occurrences);
        let of_tag = counted.chunk_by(|a, b| a.0 >> 32 == b.0 >> 32).filter(|projects| projects.len() > 1);
        let mut patterns: Vec<TagProjects<'p>> = of_tag
            .map(|counts| {
                let labelled = counts.iter().map(|(both, count)| (projects[*both as u32 as usize], *count));
                let mut projects: Vec<(&str, usize)> = labelled.collect();
                projects.sort_by_key(|(name, count)| (Reverse(*count), *name));
                TagProjects { tag: (counts[0].0 >> 32) as u32, projects }
            })
            .collect();
        let notes =
            |pattern: &TagProjects<'_>| pattern.projects.iter().map(|(_, count)| count).sum::<usize>();
        patterns
            .sort_by_key(|pattern| (Reverse(pattern.projects.len()), Reverse(notes(pattern)), pattern.tag));
        patterns
    }
}

/// The project names from the settings, for lookup without regard to case.
struct ProjectNames<'p> {
    names: HashMap<String, &'p str>,
    all: bool,
}

impl<'p> ProjectNames<'p> {
    fn of(names: &'p [String]) -> Self {
        Self {
            names: names.iter().map(|name| (name.to_lowercase(), name.as_str())).collect(),
            all: names.is_empty(),
        }
    }

    /// Returns the project of a note: the last component of its workspace. If projects are
    /// configured, only these count, and a tag or the whole workspace may name one too.
    fn project_of(&self, note: &'p Note) -> Option<&'p str> {
        let workspace =
            note.workspace.as_deref().map(|workspace| workspace.trim().trim_end_matches(['/', '\\']));
        let workspace = workspace.filter(|workspace| !workspace.is_empty());
        let last = workspace.and_then(last_component);
        if self.all {
            return last;
        }
        let names = last.into_iter().chain(workspace).chain(note.tags.iter().map(String::as_str));
        names.filter_map(|name| self.names.get(&name.to_lowercase())).next().copied()
    }
}

/// Returns each distinct number with its count, in ascending order.
fn runs(mut numbers: Vec<u64>) -> Vec<(u64, usize)> {
    numbers.sort_unstable();
    numbers.chunk_by(|a, b| a == b).map(|run| (run[0], run.len())).collect()
}
