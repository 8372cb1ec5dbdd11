//! Rewrites the targets and display texts of a note's links; all other bytes stay as they are.
//!
//! Which links change is decided by the caller.

use std::ops::Range;

use pulldown_cmark::{CowStr, Event, LinkType, Parser, Tag, TagEnd};

use super::escape::link_destination;
use super::{comment, extensions, link, nested_too_deep};
use crate::frontmatter::split::Split;
use crate::note::{LinkForm, NoteLink};

/// New parts of a link; `None` leaves a part as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkRewrite {
    /// Target without anchor; a path is not percent-encoded.
    pub target: Option<String>,
    /// Heading, without the `#`.
    pub anchor: Option<String>,
    /// Display text, as Markdown; a wikilink without one gets one.
    pub display: Option<String>,
}

/// Rewrites the wikilinks and relative links of a note outside code and comments. `rewrite`
/// receives each link, with an empty target for a heading of the same note, and its display text as
/// written. Returns the new text, which has the same number of lines.
///
/// ```
/// use cm_note::markdown::rewrite::{LinkRewrite, rewrite_links};
/// let rename = |_: &_, _: Option<&str>| Some(LinkRewrite { target: Some("b".into()), ..LinkRewrite::default() });
/// assert_eq!(rewrite_links("See [[a#x|y]] and `[[a]]`.", rename), "See [[b#x|y]] and `[[a]]`.");
/// ```
pub fn rewrite_links(
    text: &str,
    rewrite: impl FnMut(&NoteLink, Option<&str>) -> Option<LinkRewrite>,
) -> String {
    rewritten(text, Targets::Notes, rewrite)
}

/// Rewrites the wikilinks and relative links of a note as [`rewrite_links`], also those to files that are no notes,
/// such as images. `rewrite` receives the target of each link without its anchor, and returns the new one.
///
/// ```
/// use cm_note::markdown::rewrite::rewrite_targets;
/// let rename = |target: &str, _| (target == "a.png").then(|| "b.png".to_owned());
/// assert_eq!(rewrite_targets("![x](a.png) ![[a.png]] [y](c.png)", rename), "![x](b.png) ![[b.png]] [y](c.png)");
/// ```
pub fn rewrite_targets(text: &str, mut rewrite: impl FnMut(&str, LinkForm) -> Option<String>) -> String {
    rewritten(text, Targets::Files, |link, _| {
        Some(LinkRewrite { target: Some(rewrite(&link.target, link.form)?), ..LinkRewrite::default() })
    })
}

/// Which links are rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Targets {
    Notes,
    /// Those to notes and to any other files.
    Files,
}

fn rewritten(
    text: &str,
    targets: Targets,
    mut rewrite: impl FnMut(&NoteLink, Option<&str>) -> Option<LinkRewrite>,
) -> String {
    let split = Split::of(text);
    let mut links = Vec::new();
    if let Some(yaml) = split.yaml_range() {
        links.extend(frontmatter_links(text, yaml, targets));
    }
    if !nested_too_deep(split.body()) {
        links.extend(body_links(text, split.body_start(), targets));
    }
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for link in links {
        let display = link.display.clone().and_then(|range| text.get(range));
        if let Some(change) = rewrite(&link.link, display) {
            edits.extend(link.edits(text, change));
        }
    }
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let mut written = String::with_capacity(text.len());
    let mut at = 0;
    for (range, new) in edits {
        // A reference definition serves several links.
        if range.start < at || new.contains(['\n', '\r']) {
            continue;
        }
        written.push_str(text.get(at..range.start).unwrap_or_default());
        written.push_str(&new);
        at = range.end;
    }
    written.push_str(text.get(at..).unwrap_or_default());
    written
}

/// How the text of a link's parts is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    /// A wikilink.
    Plain,
    /// A wikilink in a table, where the bar of the display text is escaped.
    TableCell,
    /// A wikilink in a quoted YAML value, with its quote.
    Quoted(char),
    /// A Markdown link with percent-encoding.
    Percent,
    /// A Markdown link in angle brackets.
    Angle,
}

/// A link with the byte ranges of its parts.
struct LinkParts {
    link: NoteLink,
    target: Range<usize>,
    /// The text after the `#`.
    anchor: Option<Range<usize>>,
    display: Option<Range<usize>>,
    /// Where a missing display text is inserted.
    end: usize,
    encoding: Encoding,
}

impl LinkParts {
    fn edits(&self, text: &str, change: LinkRewrite) -> Vec<(Range<usize>, String)> {
        let mut edits = Vec::new();
        let mut replace = |range: Range<usize>, new: String| {
            if text.get(range.clone()) != Some(&*new) {
                edits.push((range, new));
            }
        };
        if let Some(target) = change.target {
            replace(self.target.clone(), self.encoded(&target));
        }
        if let (Some(range), Some(anchor)) = (self.anchor.clone(), change.anchor) {
            replace(range, self.encoded(&anchor));
        }
        match (self.display.clone(), change.display) {
            (Some(range), Some(display)) => replace(range, self.quoted(&display)),
            (None, Some(display)) if self.link.form == LinkForm::Wiki => {
                let bar = if self.encoding == Encoding::TableCell { "\\|" } else { "|" };
                replace(self.end..self.end, format!("{bar}{}", self.quoted(&display)));
            }
            _ => {}
        }
        edits
    }

    fn encoded(&self, target: &str) -> String {
        match self.encoding {
            Encoding::Percent => link_destination(target),
            Encoding::Angle => target.replace('<', "%3C").replace('>', "%3E"),
            _ => self.quoted(target),
        }
    }

    fn quoted(&self, text: &str) -> String {
        match self.encoding {
            Encoding::Quoted('\'') => text.replace('\'', "''"),
            Encoding::Quoted(_) => text.replace('\\', "\\\\").replace('"', "\\\""),
            _ => text.to_owned(),
        }
    }
}

fn frontmatter_links(text: &str, yaml: Range<usize>, targets: Targets) -> Vec<LinkParts> {
    let mut found = Vec::new();
    let mut begin = yaml.start;
    for line in text.get(yaml).unwrap_or_default().split_inclusive('\n') {
        let mut from = 0;
        while let Some((at, length)) = next_wikilink(line, from) {
            let quote =
                line.get(..at).and_then(|before| before.chars().rev().find(|c| matches!(c, '"' | '\'')));
            let encoding = quote.map_or(Encoding::Plain, Encoding::Quoted);
            if !line.trim_start().starts_with('#') {
                found.extend(wikilink(text, begin + at..begin + at + length, encoding, targets));
            }
            from = at + length;
        }
        begin += line.len();
    }
    found
}

/// Returns offset and length of the next `[[…]]` on a line.
fn next_wikilink(line: &str, from: usize) -> Option<(usize, usize)> {
    let at = from + line.get(from..)?.find("[[")?;
    let length = line.get(at..)?.find("]]")? + 2;
    Some((at, length))
}

/// Splits `[[target#anchor|display]]`, possibly with a leading `!`, at a byte range.
fn wikilink(text: &str, range: Range<usize>, encoding: Encoding, targets: Targets) -> Option<LinkParts> {
    let source = text.get(range.clone())?;
    let open = source.find("[[")? + 2;
    let inside = source.get(open..)?.strip_suffix("]]")?;
    let begin = range.start + open;
    let (destination, display) = match inside.split_once('|') {
        Some((destination, display)) => {
            let at = begin + destination.len() + 1;
            (destination.strip_suffix('\\').unwrap_or(destination), Some(at..at + display.len()))
        }
        None => (inside, None),
    };
    let (target, anchor) = match destination.split_once(['#', '^']) {
        Some((target, anchor)) => (target, Some(anchor)),
        None => (destination, None),
    };
    let anchor = anchor.map(|anchor| trimmed(begin + target.len() + 1, anchor));
    let (name, place) = match (target.trim(), targets) {
        ("", _) => (String::new(), None),
        (_, Targets::Files) => (link::file(destination, true)?, None),
        (_, Targets::Notes) => link::wiki(destination, false).map(|link| (link.target, link.anchor))?,
    };
    let anchor_text = place.or_else(|| anchor.clone().and_then(|range| text.get(range)).map(str::to_owned));
    let link = note_link(LinkForm::Wiki, name, anchor_text);
    Some(LinkParts { link, target: trimmed(begin, target), anchor, display, end: range.end - 2, encoding })
}

fn note_link(form: LinkForm, target: String, anchor: Option<String>) -> NoteLink {
    NoteLink { form, target, anchor, relation: None, line: 0, column: 0 }
}

/// Returns the range of a text at `begin` without surrounding white space.
fn trimmed(begin: usize, text: &str) -> Range<usize> {
    let start = begin + text.len() - text.trim_start().len();
    start..start + text.trim().len()
}

/// A link or image whose end was not reached yet.
struct OpenLink<'b> {
    kind: LinkType,
    id: CowStr<'b>,
    range: Range<usize>,
    /// End of the last element within its text.
    inner_end: usize,
    in_table: bool,
}

fn body_links(text: &str, body_start: usize, targets: Targets) -> Vec<LinkParts> {
    let Some(body) = text.get(body_start..) else { return Vec::new() };
    let (mut open, mut closed, mut code): (Vec<OpenLink<'_>>, Vec<_>, Vec<_>) = Default::default();
    let mut tables = 0usize;
    let parser = Parser::new_ext(body, extensions());
    let definitions: Vec<(String, Range<usize>)> = parser
        .reference_definitions()
        .iter()
        .map(|(id, found)| (id.to_lowercase(), found.span.clone()))
        .collect();
    for (event, range) in parser.into_offset_iter() {
        if !matches!(event, Event::End(TagEnd::Link | TagEnd::Image)) {
            open.iter_mut().for_each(|link| link.inner_end = link.inner_end.max(range.end));
        }
        match event {
            Event::Start(Tag::Link { link_type, id, .. } | Tag::Image { link_type, id, .. }) => {
                let inner_end = range.start + 1;
                open.push(OpenLink { kind: link_type, id, range, inner_end, in_table: tables > 0 });
            }
            Event::End(TagEnd::Link | TagEnd::Image) => closed.extend(open.pop()),
            Event::Start(Tag::Table(_)) => tables += 1,
            Event::End(TagEnd::Table) => tables = tables.saturating_sub(1),
            Event::Code(_) | Event::Start(Tag::CodeBlock(_)) => code.push(range),
            _ => {}
        }
    }
    let comments = comment::ranges(body, &code);
    let is_comment = |at: usize| comments.iter().any(|comment| comment.contains(&at));
    let shift = |range: Range<usize>| body_start + range.start..body_start + range.end;
    let links = closed.into_iter().filter(|link| !is_comment(link.range.start));
    let parts = links.filter_map(|link| match link.kind {
        LinkType::WikiLink { .. } => {
            let encoding = if link.in_table { Encoding::TableCell } else { Encoding::Plain };
            wikilink(text, shift(link.range), encoding, targets)
        }
        LinkType::Inline => {
            let opening = body.get(link.inner_end..link.range.end)?.find("](")? + link.inner_end;
            let label = body.get(link.range.start..)?.find('[')? + link.range.start + 1;
            markdown_link(text, shift(opening + 2..link.range.end), Some(shift(label..opening)), targets)
        }
        LinkType::Reference | LinkType::Collapsed | LinkType::Shortcut => {
            let id = link.id.to_lowercase();
            let (_, span) = definitions.iter().find(|(name, _)| *name == id)?;
            let after = body.get(span.clone())?.find("]:")? + span.start + 2;
            markdown_link(text, shift(after..span.end), None, targets)
        }
        _ => None,
    });
    parts.collect()
}

/// Splits the destination at the beginning of a byte range.
fn markdown_link(
    text: &str,
    rest: Range<usize>,
    display: Option<Range<usize>>,
    targets: Targets,
) -> Option<LinkParts> {
    let source = text.get(rest.clone())?;
    let begin = rest.start + source.len() - source.trim_start().len();
    let source = source.trim_start();
    let (at, destination, encoding) = match source.strip_prefix('<') {
        Some(inner) => (begin + 1, inner.split(['>', '\n']).next()?, Encoding::Angle),
        None => (begin, bare_destination(source), Encoding::Percent),
    };
    let (path, anchor) = match destination.split_once('#') {
        Some((path, anchor)) => (path, Some(at + path.len() + 1..at + path.len() + 1 + anchor.len())),
        None => (destination, None),
    };
    let (target, place) = match targets {
        Targets::Files => (link::file(destination, false)?, None),
        Targets::Notes => link::relative(destination).map(|link| (link.target, link.anchor))?,
    };
    let link = note_link(LinkForm::Markdown, target, place);
    Some(LinkParts { link, target: at..at + path.len(), anchor, display, end: rest.end, encoding })
}

/// Returns a destination without angle brackets: up to white space or an unbalanced `)`.
fn bare_destination(source: &str) -> &str {
    let mut depth = 0i32;
    let mut escaped = false;
    let end = source.find(|c: char| {
        let is_end = !escaped && (c.is_whitespace() || (c == ')' && depth == 0));
        match c {
            '(' if !escaped => depth += 1,
            ')' if !escaped => depth -= 1,
            _ => {}
        }
        escaped = c == '\\' && !escaped;
        is_end
    });
    source.get(..end.unwrap_or(source.len())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Renames the target `old` (or `old.md`, in any folder) to `new name`, with the display text
    /// `Old` to `New`.
    fn renamed(text: &str) -> String {
        rewrite_links(text, |link, display| {
            let (folder, name) =
                link.target.rsplit_once('/').map_or(("", &*link.target), |(folder, name)| (folder, name));
            let extension = name.strip_prefix("old").filter(|rest| matches!(*rest, "" | ".md"))?;
            let slash = if folder.is_empty() { "" } else { "/" };
            Some(LinkRewrite {
                target: Some(format!("{folder}{slash}new name{extension}")),
                anchor: link.anchor.as_deref().filter(|anchor| *anchor == "Old").map(|_| "New".to_owned()),
                display: display.filter(|display| *display == "Old").map(|_| "New".to_owned()),
            })
        })
    }

    #[test]
    fn every_form_of_link_is_rewritten_in_place() {
        let cases = [
            (
                "[[old]] ![[ old ]] [[x/old.md#Old|Old]]",
                "[[new name]] ![[ new name ]] [[x/new name.md#New|New]]",
            ),
            ("[[old#^id|shown]] [[old^id]]", "[[new name#^id|shown]] [[new name^id]]"),
            ("SOLVES:: [[old]], [[other]]", "SOLVES:: [[new name]], [[other]]"),
            (
                "[Old](old.md) [**b**](../x/old.md#Old \"t\")",
                "[New](new%20name.md) [**b**](../x/new%20name.md#New \"t\")",
            ),
            ("[a](<x/old.md>) ![Old](old)", "[a](<x/new name.md>) ![New](new%20name)"),
            ("[![Old](old.md)](old.md)", "[![New](new%20name.md)](new%20name.md)"),
            ("[a][r] [r]\n\n[r]: old.md 'T'\n", "[a][r] [r]\n\n[r]: new%20name.md 'T'\n"),
            ("| a |\n|---|\n| [[old\\|Old]] |\n", "| a |\n|---|\n| [[new name\\|New]] |\n"),
            (
                "---\nup: \"[[old|Old]]\"\nall: ['[[old]]']\n---\n[[old]]\r\n",
                "---\nup: \"[[new name|New]]\"\nall: ['[[new name]]']\n---\n[[new name]]\r\n",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(renamed(text), expected);
        }
    }

    #[test]
    fn code_comments_and_other_links_stay() {
        let text = "`[[old]]` %%[[old]]%% <!-- [[old]] --> \\[[old]] [[older]] <old.md> [x](https://a.b/old.md)\n\n```\n[[old]]\n```\n\n    [[old]]\n";
        assert_eq!(renamed(text), text);
    }

    #[test]
    fn a_display_text_is_added_and_quoted_where_it_has_to_be() {
        let add = |text: &str| {
            rewrite_links(text, |_, _| {
                Some(LinkRewrite { display: Some("It's \"a\"".to_owned()), ..LinkRewrite::default() })
            })
        };
        assert_eq!(add("[[a]] [t](b.md)"), "[[a|It's \"a\"]] [It's \"a\"](b.md)");
        assert_eq!(
            add("| [[a]] |\n|---|\n| [[a]] |"),
            "| [[a\\|It's \"a\"]] |\n|---|\n| [[a\\|It's \"a\"]] |"
        );
        assert_eq!(
            add("---\nx: '[[a]]'\ny: \"[[b]]\"\n---\n"),
            "---\nx: '[[a|It''s \"a\"]]'\ny: \"[[b|It's \\\"a\\\"]]\"\n---\n"
        );
    }

    proptest::proptest! {
        #[test]
        fn links_that_do_not_change_leave_every_byte(text in "(\\PC|\n|\\[\\[|\\]\\]|\\]\\(|[a|#^!`%<>\\\\]){0,60}") {
            proptest::prop_assert_eq!(rewrite_links(&text, |_, _| None), text.clone());
            let same = |link: &NoteLink, _: Option<&str>| Some(LinkRewrite { target: Some(link.target.clone()), ..LinkRewrite::default() });
            proptest::prop_assert_eq!(rewrite_links(&text, same).lines().count(), text.lines().count());
        }
    }
}
