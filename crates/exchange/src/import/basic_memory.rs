//! Relations in the syntax of basic-memory: `- relation_type [[Target]] (context)`.
//!
//! The body of the note stays unchanged. Observations (`- [category] text #tag`) need no
//! conversion, because inline tags are supported. A plain `[[Target]]` is a link in both tools.

use std::collections::HashMap;

use yaml_serde::{Mapping, Value};

use super::prose;
use cm_note::id::NoteId;
use cm_note::note::RelationTable;
use cm_note::note::types::LINKS_TO;
use cm_note::path::NotePath;

/// A relation as written in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WireRelation {
    /// Relation type: the words before the link, without quotes.
    pub relation: String,
    /// Target of the link, without alias and heading.
    pub target: String,
    /// Text in parentheses after the link.
    pub context: Option<String>,
}

/// The relations of a body, in order.
pub fn relations(body: &str) -> Vec<WireRelation> {
    prose::lines(body).filter_map(|line| relation(item(&line)?)).collect()
}

/// Whether a body contains a line `- [category] text`; tasks, links and footnotes do not count.
pub(crate) fn has_observation(body: &str) -> bool {
    prose::lines(body).any(|line| {
        let category =
            item(&line).and_then(|item| item.strip_prefix('[')).and_then(|rest| rest.split_once(']'));
        category.is_some_and(|(category, text)| {
            let word = category.chars().count() > 1
                && category.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ' '));
            word && text.starts_with(' ') && !text.trim().is_empty()
        })
    })
}

/// The text of a list item; `None` for other lines.
fn item(line: &str) -> Option<&str> {
    let inner = line.trim();
    ["- ", "* ", "+ "].iter().find_map(|mark| inner.strip_prefix(mark)).map(str::trim_start)
}

fn relation(item: &str) -> Option<WireRelation> {
    let quote = item.chars().next().filter(|c| matches!(c, '"' | '\''));
    let (name, rest) = match quote {
        Some(quote) => item[1..].split_once(quote)?,
        None => item.split_once(char::is_whitespace)?,
    };
    let name = name.trim();
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    if name.is_empty() || (quote.is_none() && !name.chars().all(plain)) {
        return None;
    }
    let (inside, behind) = rest.trim_start().strip_prefix("[[")?.split_once("]]")?;
    let target = inside.split(['|', '#']).next().unwrap_or(inside).trim();
    let context = behind.trim().strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    (!target.is_empty()).then(|| WireRelation {
        relation: name.to_owned(),
        target: target.to_owned(),
        context: context.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()),
    })
}

/// The equivalent entry of `relations`: with a relation type of the vault of the same name, else
/// RELATED_TO with the original type as context.
pub fn entry(wire: &WireRelation, target: &NoteId, relations: &RelationTable) -> Value {
    let name = wire.relation.to_uppercase().replace(['-', ' '], "_");
    let own = relations.contains(&name) && name != LINKS_TO;
    let relation_label = if own || name == "RELATES_TO" { None } else { Some(wire.relation.as_str()) };
    let context: Vec<&str> = relation_label.into_iter().chain(wire.context.as_deref()).collect();
    let mut entry = Mapping::new();
    let mut put = |key: &str, value: &str| entry.insert(key.into(), value.into());
    put("target", target.as_str());
    put("type", if own { &name } else { "RELATED_TO" });
    put("direction", "outgoing");
    if !context.is_empty() {
        put("context", &context.join(": "));
    }
    Value::Mapping(entry)
}

/// Resolves link targets to notes: by permalink, title, path or file name, then ignoring case.
#[derive(Debug, Default)]
pub struct NoteNameIndex {
    exact: HashMap<String, Option<NoteId>>,
    folded: HashMap<String, Option<NoteId>>,
}

impl NoteNameIndex {
    /// Adds a note with all its names; a name shared by two notes resolves to neither.
    pub fn add(&mut self, id: &NoteId, path: &NotePath, title: Option<&str>, permalink: Option<&str>) {
        let whole = path.as_str();
        let bare = whole.strip_suffix(".md").or_else(|| whole.strip_suffix(".markdown")).unwrap_or(whole);
        let mut names = vec![path.stem().to_owned(), bare.to_owned()];
        names.extend([title, permalink].into_iter().flatten().map(|name| name.trim().to_owned()));
        names.sort();
        names.dedup();
        for name in names {
            claim(&mut self.folded, name.to_lowercase(), id);
            claim(&mut self.exact, name, id);
        }
    }

    /// The note with this name, if it is unique.
    pub fn get(&self, name: &str) -> Option<&NoteId> {
        let name = name.strip_prefix("memory://").unwrap_or(name);
        let found = self.exact.get(name).or_else(|| self.folded.get(&name.to_lowercase()));
        found.and_then(Option::as_ref)
    }
}

fn claim(names: &mut HashMap<String, Option<NoteId>>, name: String, id: &NoteId) {
    let holder = names.entry(name).or_insert_with(|| Some(id.clone()));
    if holder.as_ref() != Some(id) {
        *holder = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wire(relation: &str, target: &str, context: Option<&str>) -> WireRelation {
        WireRelation { relation: relation.into(), target: target.into(), context: context.map(str::to_owned) }
    }

    #[test]
    fn relation_lines_are_distinguished_from_prose_links_and_code() {
        let body = "\
# Relations

- implements [[Search Design|the design]]
- pairs-with [[Coffee#Beans]] (since 2024)
* \"multi word\" [[specs/x]]
  + 'documented in' [[Journal]]
- [[Bare]]
- some other thing [[Prose]]
- SOLVES:: [[Ours]]
- [decision] text [[Inside]]
- broken [[]]
- broken [[open
not_a_list [[X]]
```
- code [[X]]
```
- `code [[X]]`
";
        assert_eq!(
            relations(body),
            [
                wire("implements", "Search Design", None),
                wire("pairs-with", "Coffee", Some("since 2024")),
                wire("multi word", "specs/x", None),
                wire("documented in", "Journal", None),
            ]
        );
    }

    #[test]
    fn tasks_links_and_footnotes_are_no_observations() {
        for body in
            ["- [ ] task", "- [x] done", "- [text](a.md) b", "- [[A]] b", "- [^1] note", "- [cat]", "[c] d"]
        {
            assert!(!has_observation(body), "{body}");
        }
        assert!(has_observation("text\n  - [tech] SQLite #db (context)\n"));
    }

    #[test]
    fn a_type_is_retained_by_its_name_or_as_the_context() {
        let id = NoteId::parse("5f0c").unwrap();
        let shown = |relation: &str, context: Option<&str>| {
            let entry = entry(&wire(relation, "X", context), &id, &RelationTable::default());
            let part = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or("-").to_owned();
            (part("type"), part("context"))
        };
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(shown("requires", None), pair("REQUIRES", "-"));
        assert_eq!(shown("builds-on", Some("so it is")), pair("BUILDS_ON", "so it is"));
        assert_eq!(shown("relates_to", None), pair("RELATED_TO", "-"));
        assert_eq!(shown("implements", Some("v2")), pair("RELATED_TO", "implements: v2"));
        assert_eq!(shown("links_to", None), pair("RELATED_TO", "links_to"));
    }

    #[test]
    fn a_name_of_two_notes_means_neither() {
        let (a, b) = (NoteId::parse("a").unwrap(), NoteId::parse("b").unwrap());
        let mut names = NoteNameIndex::default();
        names.add(&a, &NotePath::parse("x/Note.md").unwrap(), Some("Note"), Some("x/note-one"));
        names.add(&b, &NotePath::parse("y/Note.md").unwrap(), Some("Second"), None);
        assert_eq!(names.get("Note"), None);
        assert_eq!(names.get("x/Note"), Some(&a));
        assert_eq!(names.get("memory://x/note-one"), Some(&a));
        assert_eq!(names.get("second"), Some(&b));
    }
}
