//! Markup of Obsidian that Markdown does not have: titles of callouts, and highlighted text.

use pulldown_cmark::{CowStr, Event, Tag, TagEnd};

/// Opens and closes a highlight.
const HIGHLIGHT: &str = "==";

/// Replaces the marker of each callout by a title, and `==text==` by marked text.
pub(super) fn rewritten<'t>(events: Vec<Event<'t>>) -> Vec<Event<'t>> {
    let mut out = Vec::with_capacity(events.len());
    let mut events = events.into_iter().peekable();
    let mut code = 0_usize;
    while let Some(event) = events.next() {
        match event {
            Event::Start(Tag::BlockQuote(_)) => {
                out.push(event);
                if matches!(events.peek(), Some(Event::Start(Tag::Paragraph))) {
                    out.extend(events.next());
                    title(&mut events, &mut out);
                }
            }
            Event::Start(Tag::CodeBlock(_)) => {
                code += 1;
                out.push(event);
            }
            Event::End(TagEnd::CodeBlock) => {
                code = code.saturating_sub(1);
                out.push(event);
            }
            Event::Text(text) if code == 0 => highlighted(text, &mut out),
            event => out.push(event),
        }
    }
    out
}

/// Writes the first line of a quote: a callout such as `[!tip]- A title` as a bold title, any other as
/// it is.
fn title<'t>(events: &mut std::iter::Peekable<impl Iterator<Item = Event<'t>>>, out: &mut Vec<Event<'t>>) {
    let mut line = String::new();
    while let Some(Event::Text(text)) = events.next_if(|event| matches!(event, Event::Text(_))) {
        line.push_str(&text);
    }
    let Some((kind, rest)) = callout(&line) else { return highlighted(line.into(), out) };
    out.push(Event::Start(Tag::Strong));
    let callout_title = if rest.is_empty() && !matches!(events.peek(), Some(Event::Start(_) | Event::Code(_)))
    {
        capitalized(kind)
    } else {
        rest.to_owned()
    };
    out.push(Event::Text(callout_title.into()));
    while let Some(event) = events.next_if(|event| !is_line_end(event)) {
        out.push(event);
    }
    out.push(Event::End(TagEnd::Strong));
    if events.next_if(|event| matches!(event, Event::SoftBreak | Event::HardBreak)).is_some() {
        out.push(Event::HardBreak);
    }
}

fn is_line_end(event: &Event<'_>) -> bool {
    matches!(event, Event::SoftBreak | Event::HardBreak | Event::End(TagEnd::Paragraph))
}

/// Returns the kind of a callout and the beginning of its title.
fn callout(line: &str) -> Option<(&str, &str)> {
    let (kind, rest) = line.strip_prefix("[!")?.split_once(']')?;
    let rest = rest.strip_prefix(['-', '+']).unwrap_or(rest);
    (!kind.is_empty()).then(|| (kind, rest.trim_start()))
}

fn capitalized(kind: &str) -> String {
    let mut letters = kind.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

/// Writes a text, with `<mark>` around what stands between two `==`, without spaces next to them.
fn highlighted<'t>(text: CowStr<'t>, out: &mut Vec<Event<'t>>) {
    let Some((before, marked, after)) = first_highlight(&text) else { return out.push(Event::Text(text)) };
    let owned = |text: &str| Event::Text(text.to_owned().into());
    out.extend([owned(before), Event::InlineHtml("<mark>".into()), owned(marked)]);
    out.push(Event::InlineHtml("</mark>".into()));
    highlighted(after.to_owned().into(), out);
}

/// Returns the text before, in and after the first highlight.
fn first_highlight(text: &str) -> Option<(&str, &str, &str)> {
    let mut marks = text.match_indices(HIGHLIGHT).map(|(at, _)| at);
    let opens = |rest: &str| !rest.starts_with(|c: char| c.is_whitespace() || c == '=');
    let open = marks.find(|at| opens(&text[at + HIGHLIGHT.len()..]))?;
    let start = open + HIGHLIGHT.len();
    let close = marks.find(|at| *at > start && !text[start..*at].ends_with(char::is_whitespace))?;
    Some((&text[..open], &text[start..close], &text[close + HIGHLIGHT.len()..]))
}

#[cfg(test)]
mod tests {
    use crate::html::note;

    fn of(markdown: &str) -> String {
        note(markdown, "a.md").trim().replace('\n', "")
    }

    #[test]
    fn the_title_of_a_callout_is_bold_and_its_marker_is_gone() {
        assert_eq!(
            of("> [!warning]- Lead *pipes*\n> Do not drink."),
            "<blockquote><p><strong>Lead <em>pipes</em></strong><br>Do not drink.</p></blockquote>"
        );
        assert_eq!(of("> [!info]\n> a"), "<blockquote><p><strong>Info</strong><br>a</p></blockquote>");
        assert_eq!(of("> [x] a\n> b"), "<blockquote><p>[x] ab</p></blockquote>");
    }

    #[test]
    fn highlighted_text_is_marked_outside_of_code() {
        assert_eq!(of("a ==b c== d `==e==`"), "<p>a <mark>b c</mark> d <code>==e==</code></p>");
        assert_eq!(of("if a == b and c == d"), "<p>if a == b and c == d</p>");
        assert_eq!(of("a == b ==c== d"), "<p>a == b <mark>c</mark> d</p>");
    }
}
