//! Parses query strings and forms.

/// The fields of a query string or a form, in the order in which they were sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Fields(Vec<(String, String)>);

impl Fields {
    /// Parses `application/x-www-form-urlencoded`; invalid UTF-8 becomes replacement characters.
    pub(super) fn parse(encoded: &[u8]) -> Self {
        let pairs = form_urlencoded::parse(encoded);
        Self(pairs.map(|(name, value)| (name.into_owned(), value.into_owned())).collect())
    }

    /// The first value of a field, trimmed; `None` if it is missing or empty.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let value = self.0.iter().find(|(own, _)| own == name).map(|(_, value)| value.trim())?;
        (!value.is_empty()).then_some(value)
    }

    /// The first value of a field as it was sent, with line ends as `\n`; browsers send `\r\n`.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        let (_, value) = self.0.iter().find(|(own, _)| own == name)?;
        Some(value.replace("\r\n", "\n"))
    }

    /// All values of a field that are not empty.
    pub(super) fn all(&self, name: &str) -> Vec<String> {
        let values = self.0.iter().filter(|(own, value)| own == name && !value.is_empty());
        values.map(|(_, value)| value.clone()).collect()
    }

    /// A field as a number; `None` if it is missing or none.
    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.get(name)?.parse().ok()
    }

    /// Whether a field has a value.
    pub(super) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_decoded_and_empty_ones_are_absent() {
        let fields = Fields::parse("q=a+b%20c&empty=&id=1&id=2&n=7&text=a%0D%0Ab".as_bytes());
        assert_eq!(fields.get("q"), Some("a b c"));
        assert_eq!((fields.get("empty"), fields.get("missing")), (None, None));
        assert_eq!(fields.all("id"), ["1", "2"]);
        assert_eq!(fields.number("n"), Some(7));
        assert_eq!(fields.text("text").as_deref(), Some("a\nb"));
    }
}
