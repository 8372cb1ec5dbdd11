//! Renders the Markdown of a note as HTML that is safe to show in a page: without scripts, styles,
//! event handlers, forms, frames and remote images.

mod obsidian;

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

use ammonia::Builder;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use pulldown_cmark::{CowStr, Event, LinkType, Options, Parser, Tag, TagEnd};

use cm_note::markdown::escape::is_hidden;
use cm_note::markdown::{attachment, is_placeholder, nested_too_deep, percent_decode};

/// Path below which a page shows a note, given by id, path or title.
pub const NOTE: &str = "/note/";
/// Path below which a page serves an attachment, with the note that links to it as `note`.
pub const FILE: &str = "/file/";
/// Endings of images that a page shows; files with other content are downloads whatever they end in.
const IMAGES: [&str; 5] = [".png", ".jpg", ".jpeg", ".gif", ".webp"];
/// Prefix of the ids of headings, so that no heading takes the id of a page's own element.
const HEADING: &str = "h-";

/// Renders the text of the note at this path of the vault. Hidden characters become visible; a text
/// with extremely deep nesting is shown as it is written.
///
/// ```
/// let html = cm_render::html::note("See [[Pool size]].<script>alert(1)</script>", "graph/fixes/a.md");
/// assert_eq!(html.trim(), r#"<p>See <a href="/note/Pool%20size" rel="noopener noreferrer">Pool size</a>.</p>"#);
/// ```
pub fn note(markdown: &str, path: &str) -> String {
    let markdown = shown(markdown);
    if nested_too_deep(&markdown) {
        return format!("<pre tabindex=\"0\">{}</pre>", escape(&markdown));
    }
    let extensions = Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_WIKILINKS
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_GFM;
    let mut rewriter = LinkRewriter { note: path, folder: folder_of(path), open: Vec::new(), heading: None };
    let mut events = Vec::new();
    for event in Parser::new_ext(&markdown, extensions) {
        rewriter.rewrite(event, &mut events);
    }
    let mut html = String::with_capacity(markdown.len() * 3 / 2);
    pulldown_cmark::html::push_html(&mut html, obsidian::rewritten(events).into_iter());
    SANITIZER.clean(&html).to_string()
}

/// Escapes text for HTML, as content and within quoted attributes.
///
/// ```
/// assert_eq!(cm_render::html::escape("a < 'b' & \"c\""), "a &lt; &#39;b&#39; &amp; &quot;c&quot;");
/// ```
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + text.len() / 8);
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// Replaces each hidden and control character by its code point, such as `⟨U+200B⟩`, except line ends
/// and tabs.
pub fn shown(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| !is_hidden(c) && (!c.is_control() || matches!(c, '\n' | '\r' | '\t'));
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let one = |c: char| if is_plain(c) { c.to_string() } else { format!("⟨U+{:04X}⟩", u32::from(c)) };
    Cow::Owned(text.chars().map(one).collect())
}

/// One line of text as HTML: what stands between backticks becomes code, hidden characters become
/// visible, everything else is text.
///
/// ```
/// assert_eq!(cm_render::html::line("run `a < b`, `c"), "run <code>a &lt; b</code>, `c");
/// ```
pub fn line(text: &str) -> String {
    let text = shown(text);
    let mut parts: Vec<&str> = text.split('`').collect();
    // The last of an odd number of backticks opens nothing.
    let open = if parts.len().is_multiple_of(2) { parts.pop() } else { None };
    let mut html = String::with_capacity(text.len() + 16);
    for (at, part) in parts.into_iter().enumerate() {
        let part = escape(part);
        html.push_str(&if at % 2 == 1 { format!("<code>{part}</code>") } else { part });
    }
    if let Some(rest) = open {
        html.push('`');
        html.push_str(&escape(rest));
    }
    html
}

/// Percent-encodes a reference to a note, or the path of a file, for use as the end of a path.
///
/// ```
/// assert_eq!(cm_render::html::encode("a/b c?.md"), "a/b%20c%3F.md");
/// ```
pub fn encode(reference: &str) -> String {
    utf8_percent_encode(reference, RESERVED_IN_PATH).to_string()
}

/// Percent-encodes a text for use as one segment of a path, or as a value of a query.
///
/// ```
/// assert_eq!(cm_render::html::encode_component("a/b c?.md"), "a%2Fb%20c%3F.md");
/// ```
pub fn encode_component(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}

/// All characters except the unreserved ones of RFC 3986.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
const RESERVED_IN_PATH: &AsciiSet = &RESERVED.remove(b'/');

static SANITIZER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = Builder::default();
    // What is wider than the page is scrolled by keyboard too.
    builder.set_tag_attribute_value("pre", "tabindex", "0");
    builder.set_tag_attribute_value("table", "tabindex", "0");
    builder.url_schemes(HashSet::from(["http", "https", "mailto"]));
    builder.add_tags(["section"]);
    for heading in ["h1", "h2", "h3", "h4", "h5", "h6"] {
        builder.add_tag_attributes(heading, ["id"]);
    }
    builder.add_tag_attributes("div", ["id"]);
    builder.id_prefix(Some(HEADING));
    // Images come from attachments of the vault only.
    builder.attribute_filter(|element, attribute, value| match (element, attribute) {
        ("img", "src") if !value.starts_with(FILE) => None,
        // Ids get a prefix, also those of footnotes.
        ("a", "href") if value.starts_with('#') && !value[1..].starts_with(HEADING) => {
            Some(format!("#{HEADING}{}", &value[1..]).into())
        }
        _ => Some(value.into()),
    });
    builder
});

/// Rewrites links to notes and attachments, replaces remote images by links, and names other files by
/// their path.
struct LinkRewriter<'a> {
    /// Path of the note.
    note: &'a str,
    folder: &'a str,
    /// Ends of the open links and images.
    open: Vec<LinkEnd>,
    /// Text of the open heading and position of its start in the events.
    heading: Option<(usize, String)>,
}

impl<'t> LinkRewriter<'_> {
    fn rewrite(&mut self, event: Event<'t>, out: &mut Vec<Event<'t>>) {
        if let (Some((_, text)), Event::Text(part) | Event::Code(part)) = (&mut self.heading, &event) {
            text.push_str(part);
        }
        match event {
            Event::Start(Tag::Link { link_type, dest_url, .. }) => {
                self.open(self.target(&dest_url, link_type), out);
            }
            Event::Start(Tag::Image { link_type, dest_url, .. }) => {
                let target = self.target(&dest_url, link_type);
                if let LinkTarget::Image(address) = target {
                    out.push(Event::Start(tag(address, true)));
                    return self.open.push(LinkEnd::Tag(TagEnd::Image));
                }
                let is_note = matches!(&target, LinkTarget::Address(address) if address.starts_with(NOTE));
                self.open(target, out);
                if !is_note {
                    out.push(Event::Text("image: ".into()));
                }
            }
            Event::End(TagEnd::Link | TagEnd::Image) => match self.open.pop() {
                Some(LinkEnd::Path(path)) => out.push(Event::Text(format!(" ({path})").into())),
                Some(LinkEnd::Tag(end)) => out.push(Event::End(end)),
                None => out.push(Event::End(TagEnd::Link)),
            },
            Event::Start(Tag::Heading { .. }) => {
                self.heading = Some((out.len(), String::new()));
                out.push(event);
            }
            Event::End(TagEnd::Heading(_)) => {
                if let Some((at, text)) = self.heading.take()
                    && let Some(Event::Start(Tag::Heading { id, .. })) = out.get_mut(at)
                {
                    *id = Some(anchor(&text).into());
                }
                out.push(event);
            }
            // The sanitizer would drop `<serial>` in a command.
            Event::Html(html) | Event::InlineHtml(html) if is_placeholder(html.trim_end()) => {
                out.push(Event::Text(html));
            }
            Event::TaskListMarker(is_done) => {
                out.push(Event::Text(if is_done { "☑ " } else { "☐ " }.into()));
            }
            other => out.push(other),
        }
    }

    /// Begins a link, or the text that stands for a file.
    fn open(&mut self, target: LinkTarget, out: &mut Vec<Event<'t>>) {
        match target {
            LinkTarget::Address(address) | LinkTarget::Image(address) => {
                out.push(Event::Start(tag(address, false)));
                self.open.push(LinkEnd::Tag(TagEnd::Link));
            }
            LinkTarget::OtherFile(path) => self.open.push(LinkEnd::Path(path)),
        }
    }

    fn target(&self, destination: &str, link_type: LinkType) -> LinkTarget {
        let is_wiki = matches!(link_type, LinkType::WikiLink { .. });
        if !is_wiki && (has_scheme(destination) || destination.starts_with("//")) {
            return LinkTarget::Address(destination.to_owned());
        }
        let (target, heading) = match destination.split_once('#') {
            Some((target, heading)) => (target, Some(heading)),
            None => (destination, None),
        };
        let fragment = heading.map(|heading| format!("#{HEADING}{}", anchor(heading))).unwrap_or_default();
        if target.is_empty() {
            return LinkTarget::Address(fragment);
        }
        if let Some(file) = attachment(destination, is_wiki) {
            let path = if is_wiki { join("", &file) } else { join(self.folder, &file) };
            return self.file(&path);
        }
        if is_wiki {
            let target = target.trim();
            let is_relative = target.starts_with("./") || target.starts_with("../");
            let target = if is_relative { join(self.folder, target) } else { target.to_owned() };
            return LinkTarget::Address(format!("{NOTE}{}{fragment}", encode(&target)));
        }
        let path = join(self.folder, &percent_decode(target));
        let is_note = path.ends_with(".md") || path.ends_with(".markdown") || !path.contains('.');
        if is_note {
            LinkTarget::Address(format!("{NOTE}{}{fragment}", encode(&path)))
        } else {
            LinkTarget::OtherFile(path)
        }
    }

    fn file(&self, path: &str) -> LinkTarget {
        let address = format!("{FILE}{}?note={}", encode(path), encode(self.note));
        let ending = path.to_ascii_lowercase();
        let is_image = IMAGES.into_iter().any(|image| ending.ends_with(image));
        if is_image { LinkTarget::Image(address) } else { LinkTarget::Address(address) }
    }
}

/// A link or an image without a title.
fn tag<'t>(address: String, is_image: bool) -> Tag<'t> {
    let (link_type, dest_url, empty) = (LinkType::Inline, address.into(), CowStr::Borrowed(""));
    let (title, id) = (empty.clone(), empty);
    if is_image {
        Tag::Image { link_type, dest_url, title, id }
    } else {
        Tag::Link { link_type, dest_url, title, id }
    }
}

/// End of a link or an image.
enum LinkEnd {
    Tag(TagEnd),
    /// A path that follows the text.
    Path(String),
}

/// Destination of a link.
enum LinkTarget {
    /// Address of a note's page, of a heading, of an attachment, or of another site.
    Address(String),
    /// Address of an attachment that may be shown as an image.
    Image(String),
    /// Path of a file that is neither a note nor an attachment.
    OtherFile(String),
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Joins a relative path to a folder of the vault; `..` never leads out of it.
fn join(folder: &str, relative: &str) -> String {
    let (mut parts, relative): (Vec<&str>, &str) = match relative.strip_prefix('/') {
        Some(absolute) => (Vec::new(), absolute),
        None => (folder.split('/').filter(|part| !part.is_empty()).collect(), relative),
    };
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    parts.join("/")
}

fn has_scheme(destination: &str) -> bool {
    destination.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte))
    })
}

/// The id of a heading: its words in lower case, joined by hyphens.
fn anchor(heading: &str) -> String {
    let words = heading.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(markdown: &str) -> String {
        note(markdown, "graph/fixes/a.md")
    }

    #[test]
    fn links_lead_to_notes_and_headings() {
        assert!(of("[[Pool size|the pool]]").contains("href=\"/note/Pool%20size\""));
        assert!(of("[[Pool size#How to|x]]").contains("href=\"/note/Pool%20size#h-how-to\""));
        assert!(of("[[../facts/b c|x]]").contains("href=\"/note/graph/facts/b%20c\""));
        assert!(of("[x](../facts/b%20c.md#A-b)").contains("href=\"/note/graph/facts/b%20c.md#h-a-b\""));
        assert!(of("# How to *do*\n\n[x](#how-to-do)").contains("id=\"h-how-to-do\""));
    }

    #[test]
    fn a_footnote_is_linked_to_its_text() {
        let html = of("Seen[^1] twice.\n\n[^1]: In the log.\n");
        assert!(html.contains("href=\"#h-1\"") && html.contains("id=\"h-1\""), "{html}");
        assert!(html.contains("In the log."), "{html}");
    }

    #[test]
    fn a_placeholder_is_text() {
        assert_eq!(
            of("Run adb -s <serial> <b>now</b>.").trim(),
            "<p>Run adb -s &lt;serial&gt; <b>now</b>.</p>"
        );
        assert!(of("<serial>\n\na").contains("&lt;serial&gt;"), "{}", of("<serial>\n\na"));
    }

    #[test]
    fn attachments_are_shown_or_linked_and_other_files_are_named_by_their_path() {
        let note = "?note=graph/fixes/a.md\"";
        let image = of("![the plan](../pic%20a.png)");
        assert!(
            image.contains(&format!("<img src=\"/file/graph/pic%20a.png{note} alt=\"the plan\"")),
            "{image}"
        );
        assert!(
            of("![[Pic.WebP]]").contains(&format!("<img src=\"/file/Pic.WebP{note}")),
            "{}",
            of("![[Pic.WebP]]")
        );
        let link = of("[the plan](plan.pdf) ![x](drawing.svg)");
        assert!(link.contains(&format!("href=\"/file/graph/fixes/plan.pdf{note}")), "{link}");
        assert!(
            link.contains(&format!("href=\"/file/graph/fixes/drawing.svg{note}")) && !link.contains("<img")
        );
        assert_eq!(of("[x](../../../../etc/passwd.txt)").trim(), "<p>x (etc/passwd.txt)</p>");
    }

    #[test]
    fn nothing_remote_is_loaded_and_nothing_runs() {
        for hostile in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "<img src=\"https://evil.example/x.png\">",
            "![x](https://evil.example/x.png)",
            "[x](javascript:alert(1))",
            "[x](data:text/html,<script>alert(1)</script>)",
            "<svg onload=alert(1)><script>alert(1)</script></svg>",
            "<a href=\" javascript:alert(1)\">x</a>",
            "<iframe src=\"https://evil.example\"></iframe>",
            "<form action=/undo><input name=a></form>",
            "<p style=\"position:fixed\" hx-get=\"/x\" data-hx-get=\"/x\">x</p>",
            "<style>*{}</style>",
            "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
        ] {
            let html = of(hostile).to_lowercase();
            for bad in
                ["<script", "onerror", "onload", "javascript:", "<iframe", "<form", "<input", "style", "hx-"]
            {
                assert!(!html.contains(bad), "{hostile}: {html}");
            }
            assert!(!html.contains("src="), "{hostile}: {html}");
        }
    }

    #[test]
    fn a_remote_image_is_a_link_with_its_text() {
        let html = of("![the plan](https://example.org/x.png)");
        assert!(html.contains(">image: the plan</a>"), "{html}");
    }

    #[test]
    fn hidden_characters_are_shown_by_their_code_points() {
        assert!(of("a\u{202e}b").contains("a⟨U+202E⟩b"));
        assert_eq!(line("a\u{200b}b\u{7}"), "a⟨U+200B⟩b⟨U+0007⟩");
    }

    #[test]
    fn code_and_tables_can_be_scrolled_by_keyboard() {
        assert_eq!(of("```\na\n```").trim(), "<pre tabindex=\"0\"><code>a\n</code></pre>");
        assert!(of("| a |\n|---|\n| b |").starts_with("<table tabindex=\"0\">"));
    }

    #[test]
    fn deep_nesting_is_shown_as_text() {
        assert!(of(&">".repeat(20_000)).starts_with("<pre "));
    }
}
