//! A secret that is sent to a server, and shown to nobody.

use std::fmt;

/// A key; what prints it prints nothing of it.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

/// The header that a server wants its key in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lock {
    /// `Authorization: Bearer …`, as most want it.
    Bearer,
    /// The bare key in a header of this name.
    Header(&'static str),
}

impl Key {
    /// A key as somebody typed it; none where nothing was typed.
    pub fn of(typed: &str) -> Option<Self> {
        let typed = typed.trim();
        (!typed.is_empty()).then(|| Self(typed.to_owned()))
    }

    /// The header that carries it, name and value; none where it holds what no header may.
    pub(super) fn header(&self, lock: Lock) -> Option<(&'static str, String)> {
        self.0.bytes().all(|byte| byte.is_ascii_graphic()).then(|| match lock {
            Lock::Bearer => ("authorization", format!("Bearer {}", self.0)),
            Lock::Header(name) => (name, self.0.clone()),
        })
    }

    /// A text without the key in it, where a server repeats it.
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
