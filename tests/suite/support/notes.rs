//! Several files in one string, so that a test shows its whole vault at once.
//!
//! ```text
//! --- notes/a.md
//! ---
//! title: A
//! ---
//! Body
//! --- notes/b.md [crlf, bom, cut, bytes]
//! Raw \xff byte
//! ```
//!
//! A line `--- path` starts a file; a bare `---` delimits frontmatter. Options in brackets: `crlf`
//! for line endings, `bom` for a byte-order mark, `cut` for no line break at the end, and `bytes`
//! to decode `\xNN` as that byte.

/// Returns path and content of the files in such a text, in order.
///
/// # Panics
///
/// If the text does not start with a `--- path` line, or an option is unknown.
pub fn files_of(text: &str) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(&str, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        match line.trim_end().strip_prefix("--- ").filter(|head| !head.is_empty()) {
            Some(head) => files.push((head, String::new())),
            None if line.trim().is_empty() && files.is_empty() => {}
            None => files.last_mut().expect("the text begins with a `--- path` line").1.push_str(line),
        }
    }
    files.into_iter().map(|(head, text)| file(head, text)).collect()
}

fn file(head: &str, mut text: String) -> (String, Vec<u8>) {
    let (path, ways) = match head.strip_suffix(']').and_then(|head| head.rsplit_once(" [")) {
        Some((path, ways)) => (path, ways.split(',').map(str::trim).collect()),
        None => (head, Vec::new()),
    };
    if let Some(unknown) = ways.iter().find(|way| !["crlf", "bom", "cut", "bytes"].contains(way)) {
        panic!("`{unknown}` after {path} is none of crlf, bom, cut, bytes");
    }
    let has = |way: &str| ways.contains(&way);
    if has("cut") && text.ends_with('\n') {
        text.pop();
    }
    if has("crlf") {
        text = text.replace('\n', "\r\n");
    }
    if has("bom") {
        text.insert(0, '\u{feff}');
    }
    let bytes = if has("bytes") { unescape(&text) } else { text.into_bytes() };
    (path.to_owned(), bytes)
}

fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\\x") {
        bytes.extend(before.as_bytes());
        let digits = after.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(digits.expect("two hex digits follow `\\x`"));
        rest = &after[2..];
    }
    bytes.extend(rest.as_bytes());
    bytes
}

#[test]
fn one_string_holds_several_files_and_frontmatter_stays_in_its_own() {
    let files = files_of("\n--- a.md\n---\ntitle: A\n---\nBody\n\n--- sub/b c.md\nplain\n");
    let expected: [(String, Vec<u8>); 2] =
        [("a.md".into(), b"---\ntitle: A\n---\nBody\n\n".into()), ("sub/b c.md".into(), b"plain\n".into())];
    assert_eq!(files, expected);
}

#[test]
fn the_words_in_brackets_shape_the_bytes() {
    let files = files_of("--- a.md [crlf, bom, cut]\none\ntwo\n--- b.md [bytes]\n\\xffa\\x00\n");
    assert_eq!(files[0].1, b"\xef\xbb\xbfone\r\ntwo");
    assert_eq!(files[1].1, b"\xffa\x00\n");
}

#[test]
#[should_panic(expected = "`clrf` after a.md")]
fn a_slip_in_the_brackets_stops_the_test() {
    files_of("--- a.md [clrf]\none\n");
}
