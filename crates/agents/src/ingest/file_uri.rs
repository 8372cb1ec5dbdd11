//! Parses `file://` URIs, in which editors store folders.

/// Returns the path of a `file://` URI with percent-encoding decoded.
pub fn folder_of(uri: &str) -> String {
    let path = uri.strip_prefix("file://").unwrap_or(uri);
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, after @ ..] = rest {
        let escaped = after.split_at_checked(2).filter(|_| *first == b'%').and_then(|(digits, after)| {
            let digits = std::str::from_utf8(digits).ok()?;
            Some((u8::from_str_radix(digits, 16).ok()?, after))
        });
        let (byte, after) = escaped.unwrap_or((*first, after));
        bytes.push(byte);
        rest = after;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_files_address_is_a_folder() {
        assert_eq!(folder_of("file:///home/a%20b/%C3%A9"), "/home/a b/é");
        assert_eq!(folder_of("file:///100%"), "/100%");
    }
}
