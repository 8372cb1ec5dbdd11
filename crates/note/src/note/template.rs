//! Templates for the body of new notes: sections whose prompts, HTML comments, ask what makes such
//! a note useful. Those of the built-in types are in `templates/note/`; a vault can have its own.

use std::borrow::Cow;
use std::ops::Range;

/// Folder of a vault with its own templates, one file a type, such as `.templates/decision.md`. It
/// is hidden, so that its files are not notes.
pub const FOLDER: &str = ".templates";

const TEMPLATES: [(&str, &str); 14] = [
    ("procedure", include_str!("../../../../templates/note/procedure.md")),
    ("decision", include_str!("../../../../templates/note/decision.md")),
    ("insight", include_str!("../../../../templates/note/insight.md")),
    ("solution", include_str!("../../../../templates/note/solution.md")),
    ("code_pattern", include_str!("../../../../templates/note/code_pattern.md")),
    ("configuration", include_str!("../../../../templates/note/configuration.md")),
    ("preference", include_str!("../../../../templates/note/preference.md")),
    ("fact", include_str!("../../../../templates/note/fact.md")),
    ("fix", include_str!("../../../../templates/note/fix.md")),
    ("workflow", include_str!("../../../../templates/note/workflow.md")),
    ("observation", include_str!("../../../../templates/note/observation.md")),
    ("problem", include_str!("../../../../templates/note/problem.md")),
    ("error", include_str!("../../../../templates/note/error.md")),
    ("general", include_str!("../../../../templates/note/general.md")),
];

/// Template for the body of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteTemplate(Cow<'static, str>);

impl NoteTemplate {
    /// Returns the built-in template for a note type, or that of `general` if the type has none.
    pub fn built_in(note_type: &str) -> Self {
        let of = |note_type_name: &str| {
            TEMPLATES.iter().find(|(name, _)| *name == note_type_name).map(|(_, text)| *text)
        };
        Self(of(note_type).or_else(|| of("general")).unwrap_or("").into())
    }

    /// Creates a template from the text of a file. Frontmatter and control and hidden characters
    /// are dropped.
    pub fn of_file(text: &str) -> Self {
        let text = text.replace("\r\n", "\n");
        let body = text.get(frontmatter_end(&text)..).unwrap_or_default();
        let is_shown = |c: &char| (!c.is_control() || matches!(c, '\n' | '\t')) && !is_hidden(*c);
        Self(body.trim().chars().filter(is_shown).collect::<String>().into())
    }

    /// The sections with their prompts, for an editor.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// The sections without their prompts.
    pub fn skeleton(&self) -> String {
        sections(&self.0).into_iter().map(|section| self.without_prompts(section)).collect()
    }

    /// The texts of the prompts, in order.
    pub fn questions(&self) -> Vec<&str> {
        let inner =
            |prompt: Range<usize>| Some(self.0.get(prompt)?.trim_matches(['<', '!', '-', '>']).trim());
        prompts(&self.0).into_iter().filter_map(inner).collect()
    }

    /// Returns the edited text of a note without the prompts, and without the sections that the
    /// person left as they are in the template. Everything else is unchanged.
    pub fn answered(&self, edited: &str) -> String {
        let (head, body) = edited.split_at(frontmatter_end(edited));
        let blank: Vec<String> = sections(&self.0)
            .into_iter()
            .map(|section| self.without_prompts(section).trim().to_owned())
            .collect();
        let edited = sections(body);
        let mut text = head.to_owned();
        for (at, section) in edited.iter().enumerate() {
            let answer = self.without_prompts(section);
            let next = edited.get(at + 1).map_or(0, |next| level(next));
            // A heading with sections of its own stays.
            let is_blank = level(section) > 0 && blank.iter().any(|blank| blank == answer.trim());
            if !is_blank || next > level(section) {
                text.push_str(&answer);
            }
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
        text
    }

    /// A section without the prompts of this template and the blank lines around them.
    fn without_prompts(&self, section: &str) -> String {
        let mut rest = section.to_owned();
        for prompt in prompts(&self.0).into_iter().filter_map(|prompt| self.0.get(prompt)) {
            while let Some(at) = rest.find(prompt) {
                let (before, after) = (rest[..at].trim_end(), rest[at + prompt.len()..].trim_start());
                rest = format!("{before}\n\n{after}");
            }
        }
        if rest == section { rest } else { format!("{}\n\n", rest.trim_end()) }
    }
}

/// Whether a character is invisible or disguises the order of others.
fn is_hidden(c: char) -> bool {
    crate::markdown::escape::is_hidden(c)
}

/// The HTML comments of a text.
fn prompts(text: &str) -> Vec<Range<usize>> {
    let starts = text.match_indices("<!--").map(|(at, _)| at);
    let comment = |at: usize| Some(at..at + text.get(at..)?.find("-->")? + "-->".len());
    starts.filter_map(comment).collect()
}

/// Length of the frontmatter with its closing line; 0 without frontmatter.
fn frontmatter_end(text: &str) -> usize {
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        at += line.len();
        match (number, line.trim_end()) {
            (0, "---") => {}
            (0, _) => return 0,
            (_, "---") => return at,
            _ => {}
        }
    }
    0
}

/// Splits a text before each heading. The first part is what precedes the first heading; it may be
/// empty.
fn sections(text: &str) -> Vec<&str> {
    let mut starts = vec![0];
    let mut fence: Option<&str> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| bare.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) if level(line) > 0 && at > 0 => starts.push(at),
            _ => {}
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).filter_map(|(start, end)| text.get(*start..end)).collect()
}

/// Level of the heading with which a section starts; 0 without a heading.
fn level(section: &str) -> usize {
    let marks = section.bytes().take_while(|byte| *byte == b'#').count();
    if marks <= 6 && section[marks..].starts_with([' ', '\n']) { marks } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::outline;
    use crate::note::TypeTable;

    #[test]
    fn every_built_in_type_asks_two_to_five_questions_each_below_a_heading() {
        for known in TypeTable::default().iter() {
            assert!(TEMPLATES.iter().any(|(name, _)| *name == known.name), "{}", known.name);
            let template = NoteTemplate::built_in(&known.name);
            let headings = outline(template.text(), 1).headings;
            assert!(headings.iter().all(|heading| heading.level == 2), "{}", known.name);
            let questions = template.questions();
            assert!((2..=5).contains(&questions.len()), "{}", known.name);
            assert_eq!(questions.len(), headings.len(), "{}", known.name);
            assert!(questions.iter().all(|question| question.ends_with('?')), "{questions:?}");
            assert_eq!(template.answered(template.text()).trim(), "", "{}", known.name);
            assert!(!template.skeleton().contains("<!--"));
        }
        assert_eq!(NoteTemplate::built_in("runbook"), NoteTemplate::built_in("general"));
    }

    #[test]
    fn only_answered_sections_stay() {
        let template = NoteTemplate::of_file(
            "## Symptom\n\n<!-- What? -->\n\n## Code\n\n<!-- Which? -->\n\n```\n## no heading\n```\n\n## Steps\n\n1. \n",
        );
        let edited = "---\nid: x\n# a comment\n---\n\n# Title\n\n## Symptom\n\n<!-- What? -->\nIt is slow.\n\n\
                      ## Code\n\n<!-- Which? -->\n\n```\n## no heading\n```\n\n## Steps\n\n1. \n";
        assert_eq!(
            template.answered(edited),
            "---\nid: x\n# a comment\n---\n\n# Title\n\n## Symptom\n\nIt is slow.\n"
        );
    }

    #[test]
    fn own_headings_and_own_comments_stay() {
        let template = NoteTemplate::of_file("## Steps\n\n<!-- Which? -->\n");
        let edited = "# T\n\n## Steps\n\n<!-- Which? -->\n\n### First\n\n<!-- mine -->\n\n## Empty\n";
        assert_eq!(template.answered(edited), "# T\n\n## Steps\n\n### First\n\n<!-- mine -->\n\n## Empty\n");
    }

    #[test]
    fn a_file_of_a_vault_is_only_text() {
        let template =
            NoteTemplate::of_file("---\ntags: [a]\n---\n\n## A\r\n\u{1b}[31m\u{202e}<!-- B? -->\n");
        assert_eq!(template.text(), "## A\n[31m<!-- B? -->");
        assert_eq!(template.questions(), ["B?"]);
    }
}
