//! Content of a note's body: its plain text, headings, links and tags with their locations, from
//! one pass of the Markdown parser.
//!
//! Links are resolved by the graph. Frontmatter is not read.

#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

mod comment;
pub mod escape;
mod html;
mod link;
pub mod managed_section;
pub mod mentions;
mod plain;
pub mod prose;
pub mod rewrite;
pub mod section;
mod tag;

use std::collections::HashSet;
use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

use crate::note::{LinkForm, NoteLink};

pub use comment::{comments, without_comments};
pub use html::is_placeholder;
pub use link::percent_decode;
use plain::PlainTextBuilder;
use tag::TagCollector;

/// Returns the target and the heading or block of a reference that is written as a wikilink, with or
/// without brackets: `[[Note#Heading|alias]]`, `Note#Heading`; `None` if it has neither brackets nor an
/// anchor or alias.
pub fn typed_link(typed: &str) -> Option<(String, Option<String>)> {
    let typed = typed.trim();
    let inside =
        typed.trim_start_matches('!').strip_prefix("[[").and_then(|inside| inside.strip_suffix("]]"));
    let inside = inside.unwrap_or(typed);
    let destination = inside.split_once('|').map_or(inside, |(destination, _)| destination);
    let link = link::wiki(destination, inside.len() > destination.len())?;
    (link.target != typed).then_some((link.target, link.anchor))
}

/// A heading of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// Level, from 1 for `#` to 6.
    pub level: u8,
    /// Text without markup.
    pub text: String,
    /// Line in the file, from 1.
    pub line: u32,
    /// Byte offset of the heading in [`Outline::text`].
    pub at: usize,
}

/// Plain text, headings, links and tags of a note's body.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline {
    /// Text without markup, for indexing. It has code, link texts and aliases but no comments, and
    /// each block is on its own line.
    pub text: String,
    /// Headings, in order.
    pub headings: Vec<Heading>,
    /// Links to other notes, in order.
    pub links: Vec<NoteLink>,
    /// Inline `#tags` without `#` and without duplicates, in order.
    pub tags: Vec<String>,
}

/// Parses a body. `first_line` is the line in the file on which the body begins.
///
/// ```
/// use cm_note::markdown::outline;
/// let outline = outline("# Retry\n\nSOLVES:: [[Flaky uploads]] #net\n", 8);
/// assert_eq!(outline.headings[0].text, "Retry");
/// assert_eq!((outline.links[0].line, outline.links[0].relation.as_deref()), (10, Some("SOLVES")));
/// assert_eq!(outline.tags, ["net"]);
/// ```
pub fn outline(body: &str, first_line: u32) -> Outline {
    if nested_too_deep(body) {
        return Outline { text: body.trim().to_owned(), ..Outline::default() };
    }
    let mut walk = OutlineBuilder {
        body,
        text: PlainTextBuilder::with_capacity(body.len()),
        ..OutlineBuilder::default()
    };
    for (event, range) in Parser::new_ext(body, extensions()).into_offset_iter() {
        walk.event(event, range);
    }
    walk.finish(first_line)
}

/// Returns the attachments of a body, such as images, as written in its links and in the `src` and
/// `href` of its HTML, without duplicates.
pub fn attachments(body: &str) -> Vec<String> {
    if nested_too_deep(body) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut add = |destination: &str, is_wiki: bool| {
        let target = link::attachment(destination, is_wiki).filter(|target| !found.contains(target));
        found.extend(target);
    };
    for event in Parser::new_ext(body, extensions()) {
        match event {
            Event::Start(Tag::Link { link_type, dest_url, .. } | Tag::Image { link_type, dest_url, .. }) => {
                add(&dest_url, matches!(link_type, LinkType::WikiLink { .. }));
            }
            Event::Html(html) | Event::InlineHtml(html) => {
                html_addresses(&html).for_each(|address| add(address, false));
            }
            _ => {}
        }
    }
    found
}

/// Returns the attachments that a body shows, such as images, as written, with their lines in the file.
/// `first_line` is the line on which the body begins.
pub fn shown_attachments(body: &str, first_line: u32) -> Vec<(String, u32)> {
    if nested_too_deep(body) {
        return Vec::new();
    }
    let comments = comment::of_body(body);
    let images = Parser::new_ext(body, extensions()).into_offset_iter().filter_map(|(event, range)| {
        let Event::Start(Tag::Image { link_type, dest_url, .. }) = event else { return None };
        let target = link::attachment(&dest_url, matches!(link_type, LinkType::WikiLink { .. }))?;
        let is_comment = comments.iter().any(|comment| comment.contains(&range.start));
        let before = body.get(..range.start).unwrap_or_default().matches('\n').count();
        (!is_comment).then_some((target, first_line + before as u32))
    });
    images.collect()
}

/// Returns the paragraphs of a body that only embed a note, such as `![[Note#Heading]]`: their byte
/// range, and the note's name with the heading, in order. Embeds within lists and quotes are left out.
pub fn note_embeds(body: &str) -> Vec<(Range<usize>, String, Option<String>)> {
    let mut found = Vec::new();
    if nested_too_deep(body) {
        return found;
    }
    let mut depth = 0_usize;
    // What the open paragraph embeds, and whether it has other content.
    let (mut embed, mut is_mixed, mut in_image) = (None, false, false);
    for (event, range) in Parser::new_ext(body, extensions()).into_offset_iter() {
        match event {
            Event::Start(Tag::Paragraph) => (embed, is_mixed) = (None, false),
            Event::Start(Tag::Image { link_type: LinkType::WikiLink { has_pothole }, dest_url, .. }) => {
                in_image = true;
                is_mixed |= embed.is_some();
                embed = link::wiki(&dest_url, has_pothole);
                is_mixed |= embed.is_none();
            }
            Event::End(TagEnd::Image) => in_image = false,
            Event::End(TagEnd::Paragraph) => {
                let only = embed.take().filter(|_| !is_mixed && depth == 0);
                found.extend(only.map(|embed| (range, embed.target, embed.anchor)));
            }
            Event::Start(_) => {
                depth += 1;
                is_mixed = true;
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => is_mixed |= !in_image,
        }
    }
    found
}

/// Returns the attachment that a link shows or leads to, as written; `None` for notes, URLs, headings
/// in the same note, and files of other kinds.
pub fn attachment(destination: &str, is_wiki: bool) -> Option<String> {
    link::attachment(destination, is_wiki)
}

/// The quoted values of `src` and `href` in a piece of HTML.
fn html_addresses(html: &str) -> impl Iterator<Item = &str> {
    ["src=", "href="].into_iter().flat_map(move |name| {
        html.split(name).skip(1).filter_map(|rest| {
            let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            rest.get(1..)?.split_once(quote).map(|(address, _)| address)
        })
    })
}

/// Bodies up to this length in bytes are parsed whatever their nesting.
const SMALL_BODY_BYTES: usize = 16_384;

/// Maximum nesting of quotes and lists on one line of a large body.
const MAX_BLOCK_DEPTH: usize = 128;

/// Whether a large body nests quotes and lists too deeply. The parser checks every open block on
/// every line, so parsing would take quadratic time; such a body is treated as plain text.
pub fn nested_too_deep(body: &str) -> bool {
    body.len() > SMALL_BODY_BYTES && body.lines().any(|line| opened_by(line) > MAX_BLOCK_DEPTH)
}

/// Upper limit for the number of quotes and list items that a line opens or continues; an item
/// takes at least two columns. A thematic break (`- - -`) opens none.
fn opened_by(line: &str) -> usize {
    let mut opened = 0;
    let mut marks = line.bytes().filter(|byte| !byte.is_ascii_whitespace());
    let rule = marks.next().filter(|mark| matches!(mark, b'-' | b'*'));
    if rule.is_some() && marks.all(|mark| Some(mark) == rule) {
        return 0;
    }
    let mut bytes = line.bytes().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'>' => opened += 1,
            b'-' | b'+' | b'*' | b'.' | b')' if bytes.peek().is_none_or(u8::is_ascii_whitespace) => {
                opened += 1
            }
            b'0'..=b'9' | b' ' | b'\t' | b'\r' => {}
            _ => break,
        }
    }
    let columns = |byte| if byte == b'\t' { 4 } else { 1 };
    let indent: usize = line.bytes().take_while(u8::is_ascii_whitespace).map(columns).sum();
    if opened == 0 { 0 } else { opened.max(indent / 2) }
}

/// Enabled syntax: CommonMark, wikilinks, and the GitHub extensions that are common in notes.
pub fn extensions() -> Options {
    Options::ENABLE_WIKILINKS
        | Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
}

/// Builds an [`Outline`] from parser events. Locations are byte offsets until the end, when one
/// scan converts them to lines.
#[derive(Default)]
struct OutlineBuilder<'b> {
    body: &'b str,
    text: PlainTextBuilder,
    headings: Vec<Heading>,
    links: Vec<NoteLink>,
    places: Vec<(usize, LocatedItem)>,
    tags: TagCollector,
    /// Runs of text that may have tags, each with the begin of its line.
    tag_runs: Vec<(Range<usize>, Option<usize>)>,
    /// Byte offset in `text` of the heading that is being read.
    heading: Option<usize>,
    /// Byte offset in the body where the current line's inline content begins; `None` before any
    /// content.
    line_begin: Option<usize>,
    /// The last link of a `TYPE::` line: the byte offset of its end, and the type.
    typed: Option<(usize, String)>,
    /// Number of open links and images.
    inside_links: usize,
    in_code: bool,
    /// Byte ranges of code in the body, in order.
    code: Vec<Range<usize>>,
    /// Content of the open HTML block.
    html: Option<String>,
}

impl<'b> OutlineBuilder<'b> {
    fn event(&mut self, event: Event<'b>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.words(&text, range),
            Event::Code(code) => {
                self.begin_line(range.start);
                self.code.push(range);
                self.text.push(&code);
            }
            Event::Html(html) => match &mut self.html {
                Some(block) => block.push_str(&html),
                None => self.text.push_html(&html),
            },
            Event::InlineHtml(html) => {
                self.begin_line(range.start);
                self.text.push_html(&html);
            }
            Event::SoftBreak => {
                self.end_line();
                self.text.push(" ");
            }
            Event::HardBreak => {
                self.end_line();
                self.text.line();
            }
            Event::Rule => self.block(),
            Event::TaskListMarker(_) | Event::FootnoteReference(_) => {}
            // Math is not switched on; if it were, its source would be text.
            Event::InlineMath(text) | Event::DisplayMath(text) => self.text.push(&text),
        }
    }

    fn start(&mut self, tag: Tag<'b>, range: Range<usize>) {
        match tag {
            Tag::Link { link_type, dest_url, .. } => {
                self.begin_line(range.start);
                self.inside_links += 1;
                self.link(link_type, &dest_url, range);
            }
            Tag::Image { link_type, dest_url, .. } => {
                self.begin_line(range.start);
                self.inside_links += 1;
                // `![[note]]` and `![alt](note.md)` show another note; other files are no notes.
                self.link(link_type, &dest_url, range);
            }
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Superscript | Tag::Subscript => {
                self.begin_line(range.start);
            }
            Tag::Heading { level, .. } => {
                self.block();
                self.heading = Some(self.text.len());
                self.places.push((range.start, LocatedItem::Heading(self.headings.len())));
                let at = self.text.len();
                self.headings.push(Heading { level: level as u8, text: String::new(), line: 0, at });
            }
            Tag::CodeBlock(_) => {
                self.block();
                self.code.push(range);
                self.in_code = true;
            }
            Tag::HtmlBlock => {
                self.block();
                self.html = Some(String::new());
            }
            Tag::TableCell => {
                self.end_line();
                self.text.cell();
            }
            _ => self.block(),
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Link | TagEnd::Image => self.inside_links = self.inside_links.saturating_sub(1),
            TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Strikethrough
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::TableCell => {}
            TagEnd::Heading(_) => {
                if let (Some(begin), Some(heading)) = (self.heading.take(), self.headings.last_mut()) {
                    heading.text = self.text.since(begin).trim().to_owned();
                }
                self.block();
            }
            TagEnd::CodeBlock => {
                self.in_code = false;
                self.block();
            }
            TagEnd::HtmlBlock => {
                if let Some(block) = self.html.take() {
                    self.text.push_html(&block);
                }
                self.block();
            }
            _ => self.block(),
        }
    }

    fn words(&mut self, text: &str, range: Range<usize>) {
        self.text.push(text);
        if self.in_code {
            return;
        }
        self.begin_line(range.start);
        if self.inside_links == 0 && text.contains('#') {
            self.tag_runs.push((range, self.line_begin));
        }
    }

    fn link(&mut self, form: LinkType, destination: &str, range: Range<usize>) {
        let relation = self.relation_before(range.start);
        let found = match form {
            LinkType::Autolink | LinkType::Email => None,
            LinkType::WikiLink { has_pothole } => {
                link::wiki(destination, has_pothole).map(|target| (LinkForm::Wiki, target))
            }
            _ => link::relative(destination).map(|target| (LinkForm::Markdown, target)),
        };
        self.typed = relation.clone().map(|relation| (range.end, relation));
        if let Some((form, link::LinkDestination { target, anchor })) = found {
            self.places.push((range.start, LocatedItem::Link(self.links.len())));
            self.links.push(NoteLink { form, target, anchor, relation, line: 0, column: 0 });
        }
    }

    /// Returns the type that a `TYPE::` line gives to the link at `start`: the first link of the
    /// line, or one after a comma.
    fn relation_before(&self, start: usize) -> Option<String> {
        if let Some((end, relation)) = &self.typed
            && self.body.get(*end..start).is_some_and(|between| between.trim() == ",")
        {
            return Some(relation.clone());
        }
        link::relation(self.body.get(self.line_begin?..start)?)
    }

    fn begin_line(&mut self, start: usize) {
        self.line_begin.get_or_insert(start);
    }

    fn end_line(&mut self) {
        self.line_begin = None;
        self.typed = None;
    }

    fn block(&mut self) {
        self.end_line();
        self.text.line();
    }

    fn finish(mut self, first_line: u32) -> Outline {
        self.places.sort_unstable();
        let comments = comment::ranges(self.body, &self.code);
        let is_comment = |offset: usize| {
            let next = comments.partition_point(|comment| comment.end <= offset);
            comments.get(next).is_some_and(|comment| comment.contains(&offset))
        };
        for (run, line_begin) in self.tag_runs {
            self.tags.find(self.body, run, line_begin, is_comment);
        }
        let mut hidden = HashSet::new();
        let mut at = TextLocation { offset: 0, line: first_line, column: 1 };
        for (offset, owner) in self.places {
            at = at.walk_to(self.body, offset);
            if is_comment(offset) {
                hidden.insert(owner);
            }
            match owner {
                LocatedItem::Heading(index) => {
                    if let Some(heading) = self.headings.get_mut(index) {
                        heading.line = at.line;
                    }
                }
                LocatedItem::Link(index) => {
                    if let Some(link) = self.links.get_mut(index) {
                        (link.line, link.column) = (at.line, at.column);
                    }
                }
            }
        }
        let (mut heading, mut link) = (0.., 0..);
        self.headings
            .retain(|_| heading.next().is_some_and(|at| !hidden.contains(&LocatedItem::Heading(at))));
        self.links.retain(|_| link.next().is_some_and(|at| !hidden.contains(&LocatedItem::Link(at))));
        Outline {
            text: self.text.finish(),
            headings: self.headings,
            links: self.links,
            tags: self.tags.finish(),
        }
    }
}

/// A heading or link, by its index, whose line and column are computed at the end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum LocatedItem {
    Heading(usize),
    Link(usize),
}

/// A byte offset with its line and column. It only moves forward, so that locating all links takes
/// one pass.
#[derive(Clone, Copy)]
struct TextLocation {
    offset: usize,
    line: u32,
    column: u32,
}

impl TextLocation {
    fn walk_to(self, body: &str, offset: usize) -> Self {
        let between = body.as_bytes().get(self.offset..offset).unwrap_or_default();
        // Every character has one byte that continues none. Plain counts, which the compiler makes fast.
        let characters = |bytes: &[u8]| bytes.iter().filter(|byte| (**byte as i8) >= -0x40).count() as u32;
        match between.iter().rposition(|byte| *byte == b'\n') {
            Some(last) => {
                let lines = between.iter().filter(|byte| **byte == b'\n').count() as u32;
                Self {
                    offset,
                    line: self.line.saturating_add(lines),
                    column: 1 + characters(between.get(last + 1..).unwrap_or_default()),
                }
            }
            None => Self { offset, column: self.column + characters(between), ..self },
        }
    }
}

#[cfg(test)]
mod tests;
