//! A secret that is sent to a server, and shown to nobody.

use std::fmt;

/// A key; what prints it prints nothing of it.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// A key as somebody typed it; none where nothing was typed.
    pub fn of(typed: &str) -> Option<Self> {
        let typed = typed.trim();
        (!typed.is_empty()).then(|| Self(typed.to_owned()))
    }

    /// The header that carries it; none where it holds what no header may.
    pub(super) fn bearer(&self) -> Option<String> {
        self.0.bytes().all(|byte| byte.is_ascii_graphic()).then(|| format!("Bearer {}", self.0))
    }

    /// A text without the key in it, where a server repeats it.
    pub(super) fn taken_out_of(&self, text: &str) -> String {
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
        assert_eq!(key.bearer().as_deref(), Some("Bearer sk-12345"));
        assert_eq!(key.taken_out_of("bad key sk-12345!"), "bad key …!");
        assert_eq!(Key::of("a\nb").unwrap().bearer(), None);
        assert_eq!(Key::of("  "), None);
    }
}
