//! Selects the excerpt of a note that best shows why it matched.

use crate::context::obsidian_marks::without_marks;
use crate::context::open_vault::OpenVault;
use cm_note::frontmatter::split::Split;
use cm_note::markdown;
use cm_note::note::Note;
use cm_note::passage::{PassageKey, passages};
use cm_note::query::Query;
use std::ops::Range;

/// An excerpt of a note.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// Whole sentences on one line.
    pub text: String,
    /// Byte ranges of the searched words in `text`, in order.
    pub matches: Vec<Range<usize>>,
    /// Line of the file on which most of the searched words are, from 1; `None` without a file.
    pub line: Option<usize>,
}

/// Selects the excerpts of notes that match one query best.
pub(crate) struct NoteSnippets(cm_index::Snippets);

impl NoteSnippets {
    pub(crate) fn of(query: &Query) -> Self {
        Self(cm_index::Snippets::of(query))
    }

    /// Returns the excerpt of a note from its current file; empty if the file is gone.
    pub(crate) fn excerpt(&mut self, open: &OpenVault, note: &Note, passage: Option<PassageKey>) -> Excerpt {
        let Ok(bytes) = open.read(&note.path) else { return Excerpt::default() };
        let file = String::from_utf8_lossy(&bytes);
        let text = self.of_text(note, &file, passage);
        let matches = self.0.matches(&text);
        let line = Some(line_of(&file, &text, &matches));
        Excerpt { text, matches, line }
    }

    /// Returns the byte ranges of the searched words in a text.
    pub(crate) fn matches(&mut self, text: &str) -> Vec<Range<usize>> {
        self.0.matches(text)
    }

    /// Returns the text of [`Self::excerpt`].
    pub(crate) fn of_note(&mut self, open: &OpenVault, note: &Note, passage: Option<PassageKey>) -> String {
        let bytes = open.read(&note.path);
        bytes.map(|bytes| self.of_text(note, &String::from_utf8_lossy(&bytes), passage)).unwrap_or_default()
    }

    /// Returns the excerpt of a text, without headings: around the words of the query, else the
    /// beginning of the nearest passage.
    pub(crate) fn of_text(&mut self, note: &Note, text: &str, passage: Option<PassageKey>) -> String {
        let split = Split::of(text);
        let body = without_marks(split.body());
        let outline = markdown::outline(&body, 1);
        let text = &*outline.text;
        let line_end = |at: usize| text[at..].find('\n').map_or(text.len(), |length| at + length);
        let mut left_out: Vec<Range<usize>> =
            outline.headings.iter().map(|heading| heading.at..line_end(heading.at)).collect();
        if text.starts_with(&note.title) && text[note.title.len()..].starts_with('\n') {
            left_out.insert(0, 0..note.title.len());
        }
        // The evidence of a learned memory repeats its text.
        let evidence = outline.headings.iter().position(|heading| heading.text == "Evidence");
        if let Some(at) = evidence.filter(|_| note.session.is_some()) {
            let end = outline.headings.get(at + 1).map_or(text.len(), |next| next.at);
            let evidence = outline.headings[at].at..end;
            left_out
                .iter_mut()
                .filter(|range| range.start == evidence.start)
                .for_each(|range| range.end = end);
        }
        if let Some(excerpt) = self.0.best(text, &left_out) {
            return excerpt;
        }
        // The passage was read with the marks.
        let original = markdown::outline(split.body(), 1);
        let place = passages(note, &original).iter().position(|one| Some(one.key) == passage);
        let nearest = place.and_then(|place| passages(note, &outline).into_iter().nth(place));
        let start = nearest.map_or(0, |nearest| nearest.range.start);
        let rest = |range: Range<usize>| Some(range.start.checked_sub(start)?..range.end - start);
        left_out = left_out.into_iter().filter_map(rest).collect();
        cm_index::beginning(text.get(start..).unwrap_or(text), &left_out)
    }
}

/// Line of the file, from 1, that contains most of the matched words of an excerpt; the line with
/// its first words, or that of the body, if none does.
fn line_of(file: &str, excerpt: &str, matches: &[Range<usize>]) -> usize {
    let split = Split::of(file);
    let body_line = split.body_line() as usize;
    let words: Vec<&str> = matches.iter().filter_map(|range| excerpt.get(range.clone())).collect();
    let beginning = || excerpt.split([' ', '…']).find(|word| word.len() > 3);
    let words = if words.is_empty() { beginning().into_iter().collect() } else { words };
    let count = |line: &str| words.iter().filter(|word| line.contains(**word)).count();
    let lines = split.body().lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with('#'));
    // The first of the lines with the highest count.
    let best = lines.map(|(index, line)| (count(line), std::cmp::Reverse(index))).max();
    best.filter(|(count, _)| *count > 0).map_or(body_line, |(_, std::cmp::Reverse(index))| body_line + index)
}
