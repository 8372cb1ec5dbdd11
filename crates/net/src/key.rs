//! API keys, which are never printed.

use std::fmt;

/// An API key. Its `Debug` output does not contain it.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

/// The header that carries the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lock {
    /// `Authorization: Bearer …`, as most servers expect.
    Bearer,
    /// The bare key in a header of this name.
    Header(&'static str),
}

impl Key {
    /// Creates a key from user input. Returns `None` for blank input.
    pub fn of(typed: &str) -> Option<Self> {
        let typed = typed.trim();
        (!typed.is_empty()).then(|| Self(typed.to_owned()))
    }

    /// Returns name and value of the header, or `None` if the key contains characters that headers
    /// do not allow.
    pub(super) fn header(&self, lock: Lock) -> Option<(&'static str, String)> {
        self.0.bytes().all(|byte| byte.is_ascii_graphic()).then(|| match lock {
            Lock::Bearer => ("authorization", format!("Bearer {}", self.0)),
            Lock::Header(name) => (name, self.0.clone()),
        })
    }

    /// Replaces the key in a text, in case a server repeats it.
    pub fn taken_out_of(&self, text: &str) -> String {
        text.replace(&self.0, "…")
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_shows_nothing_of_itself() {
        let key = Key::of(" sk-12345\n").unwrap();
        assert_eq!(format!("{key:?} {:?}", Some(&key)), "Key(…) Some(Key(…))");
        assert_eq!(key.taken_out_of("bad key sk-12345!"), "bad key …!");
        assert_eq!(Key::of("  "), None);
    }

    #[test]
    fn each_lock_gets_its_header() {
        let header = |typed: &str, lock| Key::of(typed).unwrap().header(lock);
        let bearer = ("authorization", "Bearer sk-12345".to_owned());
        assert_eq!(header("sk-12345", Lock::Bearer), Some(bearer));
        assert_eq!(header("k", Lock::Header("x-api-key")), Some(("x-api-key", "k".to_owned())));
        assert_eq!(header("a\nb", Lock::Bearer), None);
        assert_eq!(header("a b", Lock::Header("x-api-key")), None);
    }
}
