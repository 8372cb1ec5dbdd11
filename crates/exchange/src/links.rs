//! Rewrites the destinations of links in a body and leaves everything else byte for byte.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Parser, Tag};

use cm_note::markdown;

/// A link or an image of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BodyLink<'a> {
    /// Destination as the parser reads it; of a wikilink the part before `|`.
    pub(crate) destination: &'a str,
    /// Text of a wikilink after `|`.
    pub(crate) alias: Option<&'a str>,
    /// Whether it is `[[…]]` or `![[…]]`.
    pub(crate) is_wiki: bool,
    /// Whether it begins with `!`.
    pub(crate) is_image: bool,
}

/// The text that replaces a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LinkChange {
    /// Replaces only the destination, which is already encoded.
    Destination(String),
    /// Replaces the whole link, `[[` and `]]` included.
    Whole(String),
}

/// Rewrites each link for which `change` returns a change. A body with extreme nesting stays
/// unchanged.
pub(crate) fn rewrite(body: &str, change: &dyn Fn(&BodyLink<'_>) -> Option<LinkChange>) -> String {
    if markdown::nested_too_deep(body) {
        return body.to_owned();
    }
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    let parser = Parser::new_ext(body, markdown::extensions());
    for (_, definition) in parser.reference_definitions().iter() {
        let link = BodyLink { destination: &definition.dest, alias: None, is_wiki: false, is_image: false };
        if let Some(LinkChange::Destination(new)) = change(&link)
            && let Some(at) = body[definition.span.clone()].find("]:")
        {
            edits.extend(destination(body, definition.span.start + at + 2..definition.span.end, new));
        }
    }
    for (event, range) in parser.into_offset_iter() {
        let (link_type, dest, is_image) = match &event {
            Event::Start(Tag::Link { link_type, dest_url, .. }) => (*link_type, dest_url, false),
            Event::Start(Tag::Image { link_type, dest_url, .. }) => (*link_type, dest_url, true),
            _ => continue,
        };
        let raw = &body[range.clone()];
        let is_wiki = matches!(link_type, LinkType::WikiLink { .. });
        let alias = raw.split_once('|').and_then(|(_, rest)| rest.strip_suffix("]]")).filter(|_| is_wiki);
        // In a table the bar is written `\|`.
        let dest = if alias.is_some() { dest.trim_end_matches('\\') } else { dest };
        match change(&BodyLink { destination: dest, alias, is_wiki, is_image }) {
            Some(LinkChange::Whole(new)) => edits.push((range, new)),
            Some(LinkChange::Destination(new)) if link_type == LinkType::Inline => {
                // The text of a link may hold an image; its own destination comes last.
                if let Some(at) = raw.rfind("](") {
                    edits.extend(destination(body, range.start + at + 2..range.end, new));
                }
            }
            _ => {}
        }
    }
    edits.sort_by_key(|(range, _)| range.start);
    let mut written = String::with_capacity(body.len());
    let mut at = 0;
    for (range, new) in edits {
        // An edit inside another one is part of what that one replaced.
        if range.start >= at {
            written.push_str(&body[at..range.start]);
            written.push_str(&new);
            at = range.end;
        }
    }
    written + &body[at..]
}

/// The edit that replaces the destination at the beginning of a range.
fn destination(body: &str, within: Range<usize>, new: String) -> Option<(Range<usize>, String)> {
    let raw = &body[within.clone()];
    let begin = raw.len() - raw.trim_start().len();
    let rest = &raw[begin..];
    let length = match rest.strip_prefix('<') {
        Some(inner) => inner.find('>')? + 2,
        None => {
            let mut open = 0_u32;
            rest.find(|c: char| {
                match c {
                    '(' => open += 1,
                    ')' if open > 0 => open -= 1,
                    ')' => return true,
                    _ => {}
                }
                c.is_whitespace()
            })
            .unwrap_or(rest.len())
        }
    };
    let start = within.start + begin;
    Some((start..start + length, new))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn destinations_change_and_nothing_else() {
        let body = "[a](/x.md) ![p](/p%20q.png \"t\") [<b>](</y z.md>#one)\n\n[![i](/i.png)](/x.md)\n\n`[c](/x.md)` [r]\n\n[r]: /x.md 'T'\n";
        let change = |link: &BodyLink<'_>| {
            link.destination
                .strip_prefix('/')
                .map(|rest| LinkChange::Destination(format!("../{}", rest.replace(' ', "%20"))))
        };
        assert_eq!(
            rewrite(body, &change),
            "[a](../x.md) ![p](../p%20q.png \"t\") [<b>](</y z.md>#one)\n\n[![i](../i.png)](../x.md)\n\n`[c](/x.md)` [r]\n\n[r]: ../x.md 'T'\n"
        );
    }

    #[test]
    fn wikilinks_are_given_with_their_text_and_replaced_whole() {
        let body = "[[A#h|b c]] ![[p.png]] `[[A]]`\n\n| a |\n| - |\n| [[A\\|x]] |\n";
        let change = |link: &BodyLink<'_>| {
            let alias = link.alias.unwrap_or("-");
            let mark = if link.is_image { "!" } else { "" };
            link.is_wiki.then(|| LinkChange::Whole(format!("{mark}<{}:{alias}>", link.destination)))
        };
        assert_eq!(rewrite(body, &change), "<A#h:b c> !<p.png:-> `[[A]]`\n\n| a |\n| - |\n| <A:x> |\n");
    }
}
