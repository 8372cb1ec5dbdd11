//! Hides paths of the server's machine from remote callers; paths of notes stay visible.

use std::path::Path;

use crate::context::request::Request;
use crate::error::Error;

/// Placeholder for a concealed path.
const HIDDEN: &str = "(path)";

impl Request {
    /// Removes absolute paths of this machine from the error if the caller is remote.
    #[must_use]
    pub fn conceal(&self, mut error: Error) -> Error {
        error.message = self.conceal_paths(error.message);
        error.hint = error.hint.map(|hint| hint.map(|text| self.conceal_paths(text)));
        if let Some(location) = &mut error.location {
            location.path = self.conceal_paths(std::mem::take(&mut location.path));
        }
        error
    }

    /// Removes absolute paths of this machine from the text if the caller is remote.
    #[must_use]
    pub fn conceal_paths(&self, text: String) -> String {
        if !self.caller.is_remote {
            return text;
        }
        let roots = [(self.vault.as_deref(), "the vault's folder"), (self.home.as_deref(), HIDDEN)];
        let text = roots.into_iter().fold(text, |text, (root, name)| match root {
            Some(root) => relative(&text, root, name),
            None => text,
        });
        hidden(&text)
    }
}

/// Makes paths below `root` relative and replaces `root` itself by `name`.
fn relative(text: &str, root: &Path, name: &str) -> String {
    let root = root.to_string_lossy();
    if root.len() < 2 {
        return text.to_owned();
    }
    text.replace(&format!("{root}{}", std::path::MAIN_SEPARATOR), "").replace(&*root, name)
}

/// Replaces absolute paths of two or more components by `(path)`. Endpoints such as `/health` and
/// URLs such as `https://a.example/b` stay.
fn hidden(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('/') {
        let (before, path) = rest.split_at(at);
        let begins = shown
            .chars()
            .chain(before.chars())
            .next_back()
            .is_none_or(|c| c.is_whitespace() || matches!(c, '`' | '\'' | '"' | '(' | '[' | '<' | '='));
        let ends =
            |c: char| c.is_whitespace() || matches!(c, '`' | '\'' | '"' | ')' | ']' | '>' | ',' | ';' | ':');
        let (path, after) = path.split_at(path.find(ends).unwrap_or(path.len()));
        let is_absolute = begins && path[1..].trim_end_matches('/').contains('/') && !path.starts_with("//");
        shown.push_str(before);
        shown.push_str(if is_absolute { HIDDEN } else { path });
        rest = after;
    }
    shown + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_the_machine_are_hidden_and_addresses_and_endpoints_are_not() {
        for (text, shown) in [
            ("cannot read /srv/ada/a.md: denied", "cannot read (path): denied"),
            ("`/etc/cm/x.toml` is not a file, nor is (/a/b)", "`(path)` is not a file, nor is ((path))"),
            ("/openapi.json lists all endpoints", "/openapi.json lists all endpoints"),
            (
                "see https://a.example/b/c, and/or notes/a/b.md",
                "see https://a.example/b/c, and/or notes/a/b.md",
            ),
            ("/", "/"),
            ("a // b /", "a // b /"),
        ] {
            assert_eq!(hidden(text), shown);
        }
    }

    #[test]
    fn a_note_keeps_its_path_within_the_vault() {
        let root = Path::new("/srv/my vault");
        assert_eq!(
            relative("cannot read /srv/my vault/graph/a.md", root, "the vault's folder"),
            "cannot read graph/a.md"
        );
        assert_eq!(
            relative("no notes in /srv/my vault", root, "the vault's folder"),
            "no notes in the vault's folder"
        );
    }
}
