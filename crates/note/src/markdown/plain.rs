//! Builds the plain text of a body: one line for each block, without HTML tags and comments.

use super::html::is_placeholder;

/// Builds the plain text of a body piece by piece.
#[derive(Default)]
pub(super) struct PlainTextBuilder(String);

impl PlainTextBuilder {
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Self(String::with_capacity(bytes))
    }

    pub(super) fn push(&mut self, text: &str) {
        self.0.push_str(text);
    }

    /// Begins a new line, unless the text is already at the start of one.
    pub(super) fn line(&mut self) {
        if !self.0.is_empty() && !self.0.ends_with('\n') {
            self.0.push('\n');
        }
    }

    /// Separates two table cells.
    pub(super) fn cell(&mut self) {
        if !self.0.is_empty() && !self.0.ends_with(['\n', ' ']) {
            self.0.push(' ');
        }
    }

    /// Appends the text between HTML tags. An unclosed comment hides the rest, as in a browser.
    pub(super) fn push_html(&mut self, html: &str) {
        let mut rest = html;
        while let Some(open) = rest.find('<') {
            self.0.push_str(&rest[..open]);
            let tag = &rest[open..];
            if let Some(comment) = tag.strip_prefix("<!--") {
                let Some(end) = comment.find("-->") else { return };
                rest = &comment[end + 3..];
            } else if !tag[1..].starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'))
            {
                self.0.push('<');
                rest = &tag[1..];
            } else if let Some(end) = tag.find('>') {
                if is_placeholder(&tag[..=end]) {
                    self.0.push_str(&tag[..=end]);
                }
                if tag.get(..3).is_some_and(|name| name.eq_ignore_ascii_case("<br")) {
                    self.cell();
                }
                rest = &tag[end + 1..];
            } else {
                // No tag ends after this place, so that what follows is text; looking again would be quadratic.
                rest = tag;
                break;
            }
        }
        self.0.push_str(rest);
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn since(&self, begin: usize) -> &str {
        self.0.get(begin..).unwrap_or("")
    }

    pub(super) fn finish(mut self) -> String {
        self.0.truncate(self.0.trim_end().len());
        self.0.shrink_to_fit();
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_between_tags_stays_and_comments_go() {
        let cases = [
            ("<div>a <b>b</b></div>", "a b"),
            ("a<!-- <b>secret</b> -->b", "ab"),
            ("a<!-- open", "a"),
            ("1 < 2 <", "1 < 2 <"),
            ("<a<a<a", "<a<a<a"),
            ("a<br/>b", "a b"),
            ("adb -s <serial> shell", "adb -s <serial> shell"),
            ("<x onclick=a>b</x>", "b</x>"),
        ];
        for (html, expected) in cases {
            let mut plain = PlainTextBuilder::default();
            plain.push_html(html);
            assert_eq!(plain.finish(), expected, "{html}");
        }
    }
}
