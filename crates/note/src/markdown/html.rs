//! Tells HTML tags from placeholders such as `<serial>`, which the Markdown parser reports as HTML too.

/// Names of elements, sorted.
#[rustfmt::skip]
const ELEMENTS: [&str; 134] = [
    "a", "abbr", "acronym", "address", "applet", "area", "article", "aside", "audio", "b", "base",
    "basefont", "bdi", "bdo", "big", "blink", "blockquote", "body", "br", "button", "canvas", "caption",
    "center", "cite", "code", "col", "colgroup", "data", "datalist", "dd", "del", "details", "dfn",
    "dialog", "dir", "div", "dl", "dt", "em", "embed", "fieldset", "figcaption", "figure", "font",
    "footer", "form", "frame", "frameset", "g", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header",
    "hgroup", "hr", "html", "i", "iframe", "img", "input", "ins", "kbd", "label", "legend", "li",
    "link", "main", "map", "mark", "marquee", "math", "menu", "meta", "meter", "nav", "nobr",
    "noframes", "noscript", "object", "ol", "optgroup", "option", "output", "p", "param", "path",
    "picture", "plaintext", "pre", "progress", "q", "rp", "rt", "ruby", "s", "samp", "script", "search",
    "section", "select", "slot", "small", "source", "span", "strike", "strong", "style", "sub",
    "summary", "sup", "svg", "table", "tbody", "td", "template", "textarea", "tfoot", "th", "thead",
    "time", "title", "tr", "track", "tt", "u", "ul", "var", "video", "wbr", "xmp",
];

/// Whether a tag is a placeholder in a text, such as `<serial>` or `<your name>`: no element has its
/// name, and it has no attribute with a value.
///
/// ```
/// use cm_note::markdown::is_placeholder;
/// assert!(is_placeholder("<serial>") && !is_placeholder("<b>") && !is_placeholder("<x onclick=a>"));
/// ```
pub fn is_placeholder(tag: &str) -> bool {
    let Some(inner) = tag.strip_prefix('<').and_then(|tag| tag.strip_suffix('>')) else { return false };
    let inner = inner.strip_prefix('/').unwrap_or(inner);
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let name = inner.split(|c: char| !is_word(c)).next().unwrap_or_default().to_ascii_lowercase();
    inner.starts_with(|c: char| c.is_ascii_alphabetic())
        && inner.chars().all(|c| is_word(c) || c == ' ')
        && ELEMENTS.binary_search(&name.as_str()).is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_and_what_has_attributes_are_no_placeholders() {
        assert!(ELEMENTS.is_sorted());
        for tag in ["<serial>", "<your-name>", "<file name>", "</serial>", "<PATH_TO>"] {
            assert!(is_placeholder(tag), "{tag}");
        }
        for tag in ["<b>", "</DIV>", "<br/>", "<x a=b>", "<!-- a -->", "<?a?>", "<>", "< a>", "a"] {
            assert!(!is_placeholder(tag), "{tag}");
        }
    }
}
