//! Byte-order mark, line breaks and final line break of a file: merged apart from its lines, so that
//! a side that converts a file does not clash with one that edits it.

use cm_note::frontmatter::split::BOM;

use crate::three_way::one_sided;

/// How a text file is written, apart from its lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct FileShape {
    bom: bool,
    /// Whether all lines end with `\r\n`; `None` if there is no line break.
    crlf: Option<bool>,
    /// Whether the last line has no line break; `None` for an empty file.
    open_end: Option<bool>,
}

/// Three texts without a byte-order mark, with `\n` only where each file used one kind of line
/// break, and each with a final line break.
pub(crate) struct Uniform {
    /// Base, ours and theirs.
    pub texts: [String; 3],
    /// The shape that the merged file has.
    pub shape: FileShape,
}

/// Separates three texts from their shapes. Without a base, the shapes of the sides count alone.
pub(crate) fn uniform(base: Option<&str>, ours: &str, theirs: &str) -> Uniform {
    let texts = [base.unwrap_or_default(), ours, theirs];
    let mixed = texts.iter().any(|text| text.contains("\r\n") && is_mixed(text));
    let shapes = texts.map(|text| shape(text, mixed));
    let texts = texts.map(|text| plain(text, mixed));
    Uniform { texts, shape: merged(base.map(|_| shapes[0]), shapes[1], shapes[2]) }
}

fn is_mixed(text: &str) -> bool {
    text.split_inclusive('\n').any(|line| line.ends_with('\n') && !line.ends_with("\r\n"))
}

fn shape(text: &str, mixed: bool) -> FileShape {
    let content = text.strip_prefix(BOM).unwrap_or(text);
    FileShape {
        bom: content.len() < text.len(),
        crlf: (!mixed && content.contains('\n')).then(|| content.contains("\r\n")),
        open_end: (!content.is_empty()).then(|| !content.ends_with('\n')),
    }
}

fn plain(text: &str, mixed: bool) -> String {
    let content = text.strip_prefix(BOM).unwrap_or(text);
    let mut content = if mixed { content.to_owned() } else { content.replace("\r\n", "\n") };
    if !content.is_empty() && !content.ends_with('\n') {
        content.push('\n');
    }
    content
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
    /// Writes a merged text in this shape.
    pub fn restore(&self, text: &str) -> String {
        let text = if self.open_end == Some(true) { text.strip_suffix('\n').unwrap_or(text) } else { text };
        let text = if self.crlf == Some(true) { text.replace('\n', "\r\n") } else { text.to_owned() };
        if self.bom { format!("{BOM}{text}") } else { text }
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
        let uniform = uniform(Some("a\r\nb\n"), "a\r\nb\nc\n", "a\r\n");
        assert_eq!(uniform.texts, ["a\r\nb\n", "a\r\nb\nc\n", "a\r\n"].map(str::to_owned));
        assert_eq!(uniform.shape.restore("a\r\nc\n"), "a\r\nc\n");
    }
}
