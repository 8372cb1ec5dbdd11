//! Lengths of syntactic elements of a command line.

/// Redirection operators, longest first.
const REDIRECTS: [&str; 11] = ["&>>", "&>", "<<<", "<<-", "<<", ">>", ">|", ">&", "<&", "<>", ">"];

/// Splits a text at a byte offset. An offset that is not a character boundary counts as the end.
pub fn split(text: &str, at: usize) -> (&str, &str) {
    text.split_at_checked(at).unwrap_or((text, ""))
}

/// Returns the text after a byte offset.
pub fn after(text: &str, at: usize) -> &str {
    split(text, at).1
}

/// Returns the redirection operator at the start of the text.
pub fn redirect(rest: &str) -> Option<&'static str> {
    let found = REDIRECTS.iter().find(|sign| rest.starts_with(**sign)).copied();
    found.or_else(|| rest.starts_with('<').then_some("<"))
}

/// Returns the length of a variable name or special parameter.
pub fn name_length(text: &str) -> usize {
    match text.bytes().next() {
        Some(b'@' | b'*' | b'#' | b'?' | b'$' | b'!' | b'-' | b'0'..=b'9') => 1,
        _ => text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count(),
    }
}

/// Returns the length of `${…}` with its braces.
pub(crate) fn braced(text: &str) -> usize {
    let (mut open, mut escaped) = (0_usize, false);
    for (at, character) in text.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '{' => open += 1,
            '}' if open == 1 => return at + 1,
            '}' => open -= 1,
            '\n' if open == 1 && at > 4096 => break,
            _ => {}
        }
    }
    text.len()
}

/// Returns the length up to the closing backquote.
pub(crate) fn backquote(text: &str) -> usize {
    let mut escaped = false;
    for (at, character) in text.char_indices() {
        if character == '`' && !escaped {
            return at;
        }
        escaped = character == '\\' && !escaped;
    }
    text.len()
}
