//! How far a part of a command line reaches.

/// Redirections from the longest on.
const REDIRECTS: [&str; 11] = ["&>>", "&>", "<<<", "<<-", "<<", ">>", ">|", ">&", "<&", "<>", ">"];

/// The operator of a redirection that begins the text.
pub fn redirect(rest: &str) -> Option<&'static str> {
    let found = REDIRECTS.iter().find(|sign| rest.starts_with(**sign)).copied();
    found.or_else(|| rest.starts_with('<').then_some("<"))
}

/// Length of a variable's name or of a special parameter.
pub fn name_length(text: &str) -> usize {
    match text.bytes().next() {
        Some(b'@' | b'*' | b'#' | b'?' | b'$' | b'!' | b'-' | b'0'..=b'9') => 1,
        _ => text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count(),
    }
}

/// Length of `${…}` with its brackets.
pub fn braced(text: &str) -> usize {
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

/// Length up to the backquote that closes.
pub fn backquote(text: &str) -> usize {
    let mut escaped = false;
    for (at, character) in text.char_indices() {
        if character == '`' && !escaped {
            return at;
        }
        escaped = character == '\\' && !escaped;
    }
    text.len()
}
