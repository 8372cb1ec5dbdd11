//! Parses `file://` URIs, in which editors store folders.

use percent_encoding::percent_decode_str;

/// Returns the path of a `file://` URI with percent-encoding decoded.
pub fn folder_of(uri: &str) -> String {
    let path = uri.strip_prefix("file://").unwrap_or(uri);
    percent_decode_str(path).decode_utf8_lossy().into_owned()
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
