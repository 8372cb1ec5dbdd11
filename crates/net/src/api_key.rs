//! API keys, which are never printed.

use std::fmt;

/// An API key. Its `Debug` output does not contain it.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

/// The header that carries the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuthHeader {
    /// `Authorization: Bearer …`, as most servers expect.
    Bearer,
    /// The bare key in a header of this name.
    Header(&'static str),
}

impl ApiKey {
    /// Creates a key from user input. Returns `None` for blank input.
    pub fn of(typed: &str) -> Option<Self> {
        let typed = typed.trim();
        (!typed.is_empty()).then(|| Self(typed.to_owned()))
    }

    /// Returns name and value of the header, or `None` if the key contains characters that headers
    /// do not allow.
    pub(super) fn header(&self, auth_header: AuthHeader) -> Option<(&'static str, String)> {
        self.0.bytes().all(|byte| byte.is_ascii_graphic()).then(|| match auth_header {
            AuthHeader::Bearer => ("authorization", format!("Bearer {}", self.0)),
            AuthHeader::Header(name) => (name, self.0.clone()),
        })
    }

    /// Replaces the key in a text, in case a server repeats it.
    pub fn redact(&self, text: &str) -> String {
        text.replace(&self.0, "…")
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_shows_nothing_of_itself() {
        let key = ApiKey::of(" sk-12345\n").unwrap();
        assert_eq!(format!("{key:?} {:?}", Some(&key)), "Key(…) Some(Key(…))");
        assert_eq!(key.redact("bad key sk-12345!"), "bad key …!");
        assert_eq!(ApiKey::of("  "), None);
    }

    #[test]
    fn each_lock_gets_its_header() {
        let header = |typed: &str, auth_header| ApiKey::of(typed).unwrap().header(auth_header);
        let bearer = ("authorization", "Bearer sk-12345".to_owned());
        assert_eq!(header("sk-12345", AuthHeader::Bearer), Some(bearer));
        assert_eq!(header("k", AuthHeader::Header("x-api-key")), Some(("x-api-key", "k".to_owned())));
        assert_eq!(header("a\nb", AuthHeader::Bearer), None);
        assert_eq!(header("a b", AuthHeader::Header("x-api-key")), None);
    }
}
