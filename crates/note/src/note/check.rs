//! Checks notes: required keys and allowed values of each kind of note.

use crate::finding::{Finding, FindingCode, Severity};
use crate::frontmatter::split::Split;
use crate::note::length::{MIN_STATEMENT_CHARS, is_too_short};
use crate::note::mapping_lists::relation_hint;
use crate::note::schema::DiaryStatus;
use crate::note::values::FieldReader;
use crate::note::{Note, NoteKind, RelationTable, TypeTable};
use cm_text::spelling::nearest;

/// Allowed length of a rule, in characters. Whether it is too short is told by [`is_too_short`].
pub const RULE: std::ops::RangeInclusive<usize> = MIN_STATEMENT_CHARS..=500;

/// Required keys of a kind of note, in addition to its id.
pub fn required(kind: NoteKind) -> &'static [&'static str] {
    match kind {
        NoteKind::Memory => &["type", "title", "importance", "created", "updated"],
        NoteKind::Edge => &["type", "from_id", "to_id"],
        NoteKind::Blocked => &["kind"],
        NoteKind::Diary => &["session"],
        NoteKind::Bullet | NoteKind::Episode | NoteKind::Stash | NoteKind::Plain => &[],
    }
}

/// Maximum number of tags of a note.
pub const MAX_TAGS: usize = 100;

/// Whether a text is a valid category: `[a-z][a-z0-9_-]{0,49}`.
pub fn is_category(text: &str) -> bool {
    text.len() <= 50
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte))
}

/// A note to check, with the text that it was read from.
pub(super) struct NoteCheck<'a> {
    pub note: &'a Note,
    pub body: &'a Split<'a>,
    /// Whether the frontmatter is malformed; missing keys are then not reported.
    pub broken: bool,
}

impl NoteCheck<'_> {
    /// Appends findings for all problems of the note.
    pub fn run(&self, values: &mut FieldReader<'_>, types: &TypeTable, relations: &RelationTable) {
        if !self.broken {
            self.presence(values, types);
        }
        self.identity(values);
        match self.note.kind {
            NoteKind::Memory => self.memory(values, types),
            NoteKind::Edge => self.edge(values, relations),
            NoteKind::Bullet => self.bullet(values),
            NoteKind::Diary => {
                values.one_of("status", &DiaryStatus::NAMES);
                values.number("duration_s");
            }
            NoteKind::Blocked | NoteKind::Episode | NoteKind::Stash | NoteKind::Plain => {}
        }
    }

    fn presence(&self, values: &mut FieldReader<'_>, types: &TypeTable) {
        let note = self.note;
        let declared = note.note_type.as_deref().and_then(|name| types.get(name));
        let more = declared
            .filter(|_| note.kind == NoteKind::Memory)
            .map_or(&[][..], |note_type| &note_type.required);
        let keys = required(note.kind).iter().copied().chain(more.iter().map(String::as_str));
        let absent = |key: &&str| values.fields.get(key).is_none_or(|field| field.value.is_null());
        let mut missing: Vec<&str> = keys.filter(absent).collect();
        if note.kind == NoteKind::Blocked && absent(&"pattern") && absent(&"content") {
            missing.push("pattern");
        }
        // Outside the vault's folders a note is a memory by its own word, and may be another tool's.
        let own = NoteKind::of(&note.path) == note.kind;
        let severity = if own { Severity::Error } else { Severity::Warning };
        let kind = note.kind.name();
        if self.body.yaml().is_none() && !missing.is_empty() {
            let message = format!("this {kind} has no frontmatter");
            let hint = format!("add frontmatter between `---` lines with {}", missing.join(", "));
            values.report_at(1, 1, severity, FindingCode::MissingKey, message, hint);
            return;
        }
        for key in missing {
            let message = format!("this {kind} has no `{key}`");
            values.report_at(1, 1, severity, FindingCode::MissingKey, message, format!("add `{key}: …`"));
        }
    }

    fn identity(&self, values: &mut FieldReader<'_>) {
        let note = self.note;
        let uuid = matches!(note.kind, NoteKind::Memory | NoteKind::Edge | NoteKind::Plain | NoteKind::Stash);
        match (&note.id, values.fields.get("id")) {
            (Some(id), Some(field)) if uuid && !id.is_uuid() => {
                let message = format!("the ID `{id}` is not a UUID");
                let finding = Finding::new(&note.path, FindingCode::ForeignId, Severity::Info, message);
                let hint = "it works as it is; another tool may have created it";
                values.findings.push(finding.with_location(field.line, field.column).with_hint(hint));
            }
            (None, None) if !self.broken => {
                let severity = match note.kind {
                    NoteKind::Memory
                    | NoteKind::Edge
                    | NoteKind::Bullet
                    | NoteKind::Blocked
                    | NoteKind::Diary => Severity::Warning,
                    NoteKind::Plain if !note.path.is_generated() => Severity::Info,
                    NoteKind::Plain | NoteKind::Episode | NoteKind::Stash => return,
                };
                let hint = "the note is found by its path until `cm adopt` adds an ID";
                let message = "the note has no id".to_owned();
                values.report_at(1, 1, severity, FindingCode::MissingId, message, hint);
            }
            _ => {}
        }
    }

    /// Reports the heading of a learned memory that differs from the title. A person corrects the heading, and
    /// lists show the title.
    fn heading(&self, values: &mut FieldReader<'_>) {
        let Some(field) = values.fields.get("title").filter(|_| self.note.session.is_some()) else { return };
        let first = self.body.body().lines().find(|line| !line.trim().is_empty());
        let Some(heading) = first.and_then(|line| line.strip_prefix("# ")).map(str::trim) else { return };
        let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
        if letters(heading) != letters(&self.note.title) {
            let message = "the heading differs from `title`, which lists and CORE.md show".to_owned();
            let hint = format!("`cm rename {} TEXT` sets both", self.note.key());
            values.report(field, FindingCode::TitleDiffers, message, hint);
        }
    }

    fn memory(&self, values: &mut FieldReader<'_>, types: &TypeTable) {
        self.heading(values);
        let Some(field) = values.fields.get("type") else { return };
        let Some(name) = self.note.note_type.as_deref() else { return };
        let Some(note_type) = types.get(name) else {
            let hint = match nearest(name, types.iter().map(|note_type| note_type.name.as_str())) {
                Some(nearest_type) => format!("did you mean `{nearest_type}`?"),
                None => format!("declare it in cm.toml: [types.{name}] folder = \"…\""),
            };
            return values.report(field, FindingCode::UnknownType, format!("unknown type `{name}`"), hint);
        };
        let mut parts = self.note.path.as_str().split('/');
        let (top, folder) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
        if top == "graph" && folder != note_type.folder {
            let message = format!("a note of type `{name}` is in `{}`", self.note.path.folder());
            let finding = Finding::new(&self.note.path, FindingCode::WrongFolder, Severity::Info, message);
            let hint = format!("its folder is `graph/{}`; it also works here", note_type.folder);
            values.findings.push(finding.with_location(field.line, field.column).with_hint(hint));
        }
    }

    fn edge(&self, values: &mut FieldReader<'_>, relations: &RelationTable) {
        let Some(field) = values.fields.get("type") else { return };
        if let Some(name) = self.note.note_type.as_deref().filter(|name| !relations.contains(name)) {
            let message = format!("unknown relation `{name}`");
            values.report(field, FindingCode::UnknownRelation, message, relation_hint(name, relations));
        }
    }

    fn bullet(&self, values: &mut FieldReader<'_>) {
        if let (Some(category), Some(field)) = (&self.note.category, values.fields.get("category"))
            && !is_category(category)
        {
            let hint = "use lower-case letters, digits, `_` and `-`, at most 50, a letter first";
            values.report(
                field,
                FindingCode::InvalidValue,
                format!("`{category}` is not a valid category"),
                hint,
            );
        }
        let rule = self.note.bullet.as_ref().map_or("", |bullet| bullet.content.as_str());
        let length = rule.chars().count();
        if (is_too_short(rule) || length > *RULE.end()) && !self.broken {
            let line = self.body.body_line();
            let message = format!("the rule has {length} characters");
            let hint = "use 10 to 500 characters; put reasons below a heading `## Why`";
            values.report_at(line, 1, Severity::Warning, FindingCode::OutOfRange, message, hint);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::read;
    use crate::path::NotePath;

    fn codes(session: &str, heading: &str) -> Vec<FindingCode> {
        let path = NotePath::parse("graph/facts/a.md").unwrap();
        let text = format!(
            "---\nid: 00000001-0000-4000-8000-000000000001\ntype: fact\ntitle: The dump runs at 04:00\nimportance: 0.5\n\
             created: 2026-01-01\nupdated: 2026-01-01\n{session}---\n\n{heading}\n\nText.\n"
        );
        let read = read::read(&path, text.as_bytes(), &TypeTable::default(), &RelationTable::default());
        read.note.findings.into_iter().map(|found| found.code).collect()
    }

    #[test]
    fn a_corrected_heading_of_a_learned_memory_differs_from_its_title() {
        let learned = "session: s-1\n";
        assert_eq!(codes(learned, "# The dump runs at 05:00"), [FindingCode::TitleDiffers]);
        assert_eq!(codes(learned, "# The dump runs at `04:00`"), []);
        assert_eq!(codes(learned, "## Another level"), []);
        assert_eq!(codes("", "# A heading of the person's own"), []);
    }
}
