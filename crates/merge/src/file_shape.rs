//! Byte-order mark, line breaks and final line break of a file: merged apart from its lines, so that
//! a side that converts a file does not clash with one that edits it.

use cm_note::frontmatter::split::BOM;

use crate::three_way::one_sided;

/// How a text file is written, apart from its lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct FileShape {
    bom: bool,
    /// Whether most lines end with `\r\n`; `None` if there is no line break.
    crlf: Option<bool>,
    /// Whether the last line has no line break; `None` for an empty file.
    open_end: Option<bool>,
}

/// Three texts without a byte-order mark, with `\n` only, and each with a final line break.
pub(crate) struct Uniform {
    /// Base, ours and theirs.
    pub texts: [String; 3],
    /// The shape that the merged file has.
    pub shape: FileShape,
}

/// Marks a line that does not end as most lines of its file; a character that text does not have.
pub(crate) const OTHER_END: char = '\u{fdd2}';

/// Separates three texts from their shapes. Without a base, the shapes of the sides count alone.
pub(crate) fn uniform(base: Option<&str>, ours: &str, theirs: &str) -> Uniform {
    let texts = [base.unwrap_or_default(), ours, theirs];
    let shapes = texts.map(FileShape::of);
    let texts = [0, 1, 2].map(|version| shapes[version].remove(texts[version]));
    Uniform { texts, shape: merged(base.map(|_| shapes[0]), shapes[1], shapes[2]) }
}

fn merged(base: Option<FileShape>, ours: FileShape, theirs: FileShape) -> FileShape {
    let base = base.unwrap_or_default();
    FileShape {
        bom: one_sided(&base.bom, ours.bom, theirs.bom).unwrap_or(true),
        crlf: one_sided(&base.crlf, ours.crlf, theirs.crlf).unwrap_or(ours.crlf.max(theirs.crlf)),
        open_end: one_sided(&base.open_end, ours.open_end, theirs.open_end)
            .unwrap_or(ours.open_end.max(theirs.open_end)),
    }
}

impl FileShape {
    fn of(text: &str) -> Self {
        let content = text.strip_prefix(BOM).unwrap_or(text);
        let (all, windows) = (content.matches('\n').count(), content.matches("\r\n").count());
        Self {
            bom: content.len() < text.len(),
            crlf: (all > 0).then_some(windows * 2 > all),
            open_end: (!content.is_empty()).then(|| !content.ends_with('\n')),
        }
    }

    /// Returns a text of this shape without it.
    fn remove(&self, text: &str) -> String {
        let content = text.strip_prefix(BOM).unwrap_or(text);
        let mut plain = String::with_capacity(content.len() + 1);
        for line in content.split_inclusive('\n') {
            let bare = line.strip_suffix('\n').unwrap_or(line);
            let windows = line.len() > bare.len() && bare.ends_with('\r');
            plain.push_str(if windows { &bare[..bare.len() - 1] } else { bare });
            if line.len() > bare.len() && self.crlf != Some(windows) {
                plain.push(OTHER_END);
            }
            plain.push('\n');
        }
        plain
    }

    /// Writes a merged text in this shape.
    pub fn restore(&self, text: &str) -> String {
        let text = if self.open_end == Some(true) { text.strip_suffix('\n').unwrap_or(text) } else { text };
        let mut whole = String::with_capacity(text.len());
        whole.extend(self.bom.then_some(BOM));
        for line in text.split_inclusive('\n') {
            let bare = line.strip_suffix('\n').unwrap_or(line);
            let content = bare.strip_suffix(OTHER_END).unwrap_or(bare);
            whole.push_str(content);
            if bare.len() < line.len() {
                let windows = (self.crlf == Some(true)) != (content.len() < bare.len());
                whole.push_str(if windows { "\r\n" } else { "\n" });
            }
        }
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(base: &str, ours: &str, theirs: &str, text: &str) -> String {
        uniform(Some(base), ours, theirs).shape.restore(text)
    }

    #[test]
    fn the_shape_that_one_side_changed_is_that_of_the_result() {
        assert_eq!(merged("a\nb\n", "a\r\nb\r\n", "a\nc\n", "a\nc\n"), "a\r\nc\r\n");
        assert_eq!(merged("a\r\n", "a\nb\n", "a\r\nc\r\n", "a\nb\nc\n"), "a\nb\nc\n");
        assert_eq!(merged("a\n", "\u{feff}a\n", "b\n", "b\n"), "\u{feff}b\n");
        assert_eq!(merged("a\n", "a", "b\n", "b\n"), "b");
        assert_eq!(merged("a", "a\nb", "a\nc", "a\nb\nc\n"), "a\nb\nc");
    }

    #[test]
    fn a_file_with_both_kinds_of_line_break_keeps_each() {
        let mixed = "a\r\nb\nc\n";
        let uniform = uniform(Some(mixed), mixed, "a\r\nb\nc\nd\n");
        assert_eq!(uniform.texts[0], uniform.texts[1]);
        assert_eq!(uniform.shape.restore(&uniform.texts[2]), "a\r\nb\nc\nd\n");
    }
}
