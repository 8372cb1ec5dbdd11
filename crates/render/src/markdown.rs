//! Renders Markdown for a terminal: headings, emphasis, links, lists, quotes, tables and code as
//! styles instead of markup. The text still has to be fitted with [`crate::layout::fit`].

use anstyle::{AnsiColor, Effects, Style};
use pulldown_cmark::{BlockQuoteKind, CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};

use crate::layout::{CELL, FIXED};
use crate::text::style::{paint, safe};

const CODE: Style = AnsiColor::Cyan.on_default();
const LINK: Style = Style::new().underline();
const QUIET: Style = Style::new().dimmed();

/// Renders Markdown as Obsidian and hosting sites read it: with tables, task lists, wikilinks and
/// callouts. Control characters in the text are made visible.
pub fn render(markdown: &str) -> String {
    let markdown = safe(markdown);
    let extensions = Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_WIKILINKS
        | Options::ENABLE_GFM;
    let mut page = Page::default();
    for event in Parser::new_ext(&markdown, extensions) {
        page.event(event);
    }
    page.flush();
    page.text
}

#[derive(Default)]
struct Page {
    /// Finished lines.
    text: String,
    /// Line of the open block.
    line: String,
    /// Styles of the open inline elements; the last one is the innermost.
    styles: Vec<Style>,
    /// Next number of each open list; `None` for a list with bullets.
    lists: Vec<Option<u64>>,
    /// Mark of a list item whose first line is not written yet.
    mark: Option<String>,
    /// Number of open quotes.
    quotes: usize,
    is_code: bool,
    /// Target of the open link, to be shown behind its text.
    target: Option<String>,
}

impl Page {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.is_code => {
                for line in text.lines() {
                    let start = self.start_of_line();
                    self.text.push_str(&format!("{FIXED}{start}  {}\n", paint(CODE, line)));
                }
            }
            Event::Text(text) => self.push(&text),
            Event::Code(code) => self.line.push_str(&paint(CODE, &code)),
            Event::InlineHtml(html) | Event::Html(html) => self.line.push_str(&paint(QUIET, html.trim_end())),
            Event::SoftBreak => self.line.push(' '),
            Event::HardBreak => self.flush(),
            Event::Rule => {
                self.text.push_str(&format!("{}\n\n", paint(QUIET, "────────")));
            }
            Event::TaskListMarker(done) => self.line.push_str(if done { "☑ " } else { "☐ " }),
            Event::FootnoteReference(name) => self.line.push_str(&format!("[{name}]")),
            Event::InlineMath(text) | Event::DisplayMath(text) => self.line.push_str(&text),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { .. } => self.styles.push(Style::new().bold()),
            Tag::Emphasis => self.push_style(Effects::ITALIC),
            Tag::Strong => self.push_style(Effects::BOLD),
            Tag::Strikethrough => self.push_style(Effects::STRIKETHROUGH),
            Tag::Link { link_type, dest_url, .. } => {
                self.styles.push(LINK);
                let is_remote = dest_url.contains("://") && link_type != LinkType::Autolink;
                self.target = is_remote.then(|| dest_url.into_string());
            }
            Tag::Image { dest_url, .. } => {
                self.line.push_str(&paint(QUIET, &format!("image: {dest_url} ")));
            }
            Tag::BlockQuote(kind) => {
                self.quotes += 1;
                if let Some(kind) = kind {
                    self.line.push_str(&paint(Style::new().bold(), callout(kind)));
                    self.flush();
                }
            }
            Tag::CodeBlock(kind) => {
                self.flush();
                self.is_code = true;
                if let CodeBlockKind::Fenced(language) = kind
                    && !language.is_empty()
                {
                    let start = self.start_of_line();
                    self.text.push_str(&format!("{start}  {}\n", paint(QUIET, &language)));
                }
            }
            Tag::List(first) => {
                self.flush();
                self.lists.push(first);
            }
            Tag::Item => {
                self.flush();
                self.mark = Some(match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "• ".to_owned(),
                });
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) | TagEnd::Paragraph | TagEnd::HtmlBlock => {
                if tag != TagEnd::Paragraph && tag != TagEnd::HtmlBlock {
                    self.styles.pop();
                }
                self.flush();
                self.blank();
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.styles.pop();
            }
            TagEnd::Link => {
                self.styles.pop();
                if let Some(target) = self.target.take() {
                    self.line.push_str(&paint(QUIET, &format!(" ({target})")));
                }
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.quotes = self.quotes.saturating_sub(1);
                self.blank();
            }
            TagEnd::CodeBlock => {
                self.is_code = false;
                self.blank();
            }
            TagEnd::Item => self.flush(),
            TagEnd::List(_) => {
                self.lists.pop();
                if self.lists.is_empty() {
                    self.blank();
                }
            }
            TagEnd::TableCell => self.line.push(CELL),
            TagEnd::TableHead | TagEnd::TableRow => {
                let row = self.line.trim_end_matches(CELL).to_owned();
                let head = tag == TagEnd::TableHead;
                let row = if head { paint(Style::new().bold(), &row) } else { row };
                self.text.push_str(&format!("{row}\n"));
                self.line.clear();
            }
            TagEnd::Table => self.blank(),
            _ => {}
        }
    }

    fn push(&mut self, text: &str) {
        let style = self.styles.last().copied().unwrap_or_default();
        self.line.push_str(&paint(style, text));
    }

    /// Opens an inline element with an effect besides those that are already open.
    fn push_style(&mut self, effect: Effects) {
        let outer = self.styles.last().copied().unwrap_or_default();
        self.styles.push(outer | effect);
    }

    /// Writes the open line, if it has any text.
    fn flush(&mut self) {
        if self.line.trim().is_empty() {
            self.line.clear();
            return;
        }
        let start = self.start_of_line();
        self.text.push_str(&format!("{start}{}\n", self.line.trim()));
        self.line.clear();
    }

    /// Quote marks, and the mark or the indentation of the list item.
    fn start_of_line(&mut self) -> String {
        let quotes = format!("{} ", paint(QUIET, "│")).repeat(self.quotes);
        let depth = self.lists.len();
        let mark = match (self.mark.take(), depth) {
            (Some(mark), depth) => format!("{}{mark}", "  ".repeat(depth)),
            (None, 0) => String::new(),
            (None, depth) => "  ".repeat(depth + 1),
        };
        quotes + &mark
    }

    /// Ends a block outside of lists with an empty line.
    fn blank(&mut self) {
        if self.lists.is_empty() && !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }
}

fn callout(kind: BlockQuoteKind) -> &'static str {
    match kind {
        BlockQuoteKind::Note => "Note",
        BlockQuoteKind::Tip => "Tip",
        BlockQuoteKind::Important => "Important",
        BlockQuoteKind::Warning => "Warning",
        BlockQuoteKind::Caution => "Caution",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::layout::fit;

    fn plain(markdown: &str) -> String {
        let styled = fit(&render(markdown), Some(60));
        let mut text = String::new();
        let mut in_code = false;
        for c in styled.chars() {
            match c {
                '\u{1b}' => in_code = true,
                'm' if in_code => in_code = false,
                _ if in_code => {}
                c => text.push(c),
            }
        }
        text
    }

    #[test]
    fn markup_becomes_layout() {
        let note = "# Retry\n\nUse *full* **jitter**, see [[pool|The pool]] and [docs](https://x.org/a).\n\n\
                    1. one\n2. two\n   - inner\n\n> quoted\n\n```rust\nfn main() {}\n```\n\n| a | b |\n|---|---|\n| 10 | 2 |\n";
        assert_eq!(
            plain(note),
            "Retry\n\nUse full jitter, see The pool and docs (https://x.org/a).\n\n  1. one\n  2. two\n    • inner\n\n\
             │ quoted\n\n  rust\n  fn main() {}\n\na   b\n10  2\n\n"
        );
    }

    proptest! {
        #[test]
        fn no_text_of_a_paragraph_is_lost(words in proptest::collection::vec("[a-z]{1,9}", 1..40)) {
            let text = words.join(" ");
            let shown = plain(&text);
            prop_assert_eq!(shown.split_whitespace().collect::<Vec<_>>(), words);
        }

        #[test]
        fn any_text_is_rendered(text in "\\PC{0,200}") {
            render(&text);
        }
    }
}
