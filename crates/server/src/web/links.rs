//! Finds the addresses in the HTML of a page and replaces them.
//!
//! The HTML is of the templates and of the sanitizer, which quote all attributes.

/// An address that an attribute names, without the escapes of HTML.
pub(super) struct PageLink<'h> {
    pub(super) address: String,
    /// The HTML in front of the attribute.
    pub(super) before: &'h str,
}

/// New value of an attribute.
pub(super) enum NewLink {
    Unchanged,
    /// Another address, which is escaped.
    To(String),
    /// No attribute, so that an `a` element leads nowhere.
    Nowhere,
}

/// Replaces the addresses in `href` and `src` attributes.
pub(super) fn replace_links(html: &str, mut new: impl FnMut(&PageLink<'_>) -> NewLink) -> String {
    const ATTRIBUTES: [&str; 2] = [" href=\"", " src=\""];
    let mut replaced = String::with_capacity(html.len() + html.len() / 16);
    let mut rest = html;
    let next = |text: &str| {
        let found = ATTRIBUTES.iter().filter_map(|name| Some((text.find(name)?, name.len())));
        found.min()
    };
    while let Some((at, length)) = next(rest) {
        let (before, attribute) = rest.split_at(at);
        let (name, after) = attribute.split_at(length);
        let (value, later) = after.split_at(after.find('"').unwrap_or(after.len()));
        replaced.push_str(before);
        let link = PageLink { address: value.replace("&amp;", "&").replace("&#38;", "&"), before };
        match new(&link) {
            NewLink::Unchanged => [name, value, "\""].into_iter().for_each(|part| replaced.push_str(part)),
            NewLink::To(address) => {
                replaced.push_str(name);
                replaced.push_str(&cm_render::html::escape(&address));
                replaced.push('"');
            }
            NewLink::Nowhere => {}
        }
        rest = later.get(1..).unwrap_or_default();
    }
    replaced.push_str(rest);
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_replaced_escaped_or_removed_and_the_rest_stays() {
        let html = r#"<a class="x" href="/a?b=1&amp;c=2">a</a> <a href="/gone">g</a><img src="/i.png" alt="/i.png"><a href="/same">s</a>"#;
        let replaced = replace_links(html, |link| match link.address.as_str() {
            "/gone" => NewLink::Nowhere,
            "/same" => NewLink::Unchanged,
            other => NewLink::To(format!("x{other}&d")),
        });
        let expected = r#"<a class="x" href="x/a?b=1&amp;c=2&amp;d">a</a> <a>g</a><img src="x/i.png&amp;d" alt="/i.png"><a href="/same">s</a>"#;
        assert_eq!(replaced, expected);
    }
}
