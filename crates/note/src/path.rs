//! Paths of files in a vault.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A path relative to the vault's root, with `/` as separator: never absolute, and without `.`,
/// `..`, `.git` and `.jj` components and NUL.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct NotePath(String);

/// Error: a path that could leave the vault or is not a valid file path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{path}` is not a path inside a vault: it must be relative, without `..`, `.git` or `.jj`, and at most {} bytes",
    NotePath::MAX_BYTES
)]
pub struct InvalidNotePath {
    /// The rejected path.
    pub path: String,
}

/// Files at the vault's root that `cm` generates from the notes. Their links make no edges.
pub const GENERATED: [&str; 2] = ["CORE.md", "REFLECTION.md"];

impl NotePath {
    /// Whether the file is one of [`GENERATED`].
    pub fn is_generated(&self) -> bool {
        GENERATED.contains(&self.as_str())
    }

    /// Whether an editor keeps in the file which notes are open: only its own machine uses that.
    pub fn is_editor_state(&self) -> bool {
        let in_obsidian = self.folder() == ".obsidian" || self.folder().ends_with("/.obsidian");
        in_obsidian && self.file_name().starts_with("workspace") && self.file_name().ends_with(".json")
    }

    /// Maximum length of a path, in bytes.
    pub const MAX_BYTES: usize = 4096;

    /// Validates a path; drops a leading `./`.
    pub fn parse(path: &str) -> Result<Self, InvalidNotePath> {
        let inner = path.strip_prefix("./").unwrap_or(path);
        if is_inside(inner) {
            Ok(Self(inner.to_owned()))
        } else {
            Err(InvalidNotePath { path: path.to_owned() })
        }
    }

    /// Joins a name to a folder that is already validated (empty for the root). Faster than
    /// [`NotePath::parse`], for directory walks; `None` if the name is not valid.
    pub fn below(folder: &str, name: &str) -> Option<Self> {
        let sound =
            !matches!(name, "" | "." | "..") && !name.contains(['/', '\0']) && !is_repository_folder(name);
        let length = folder.len() + 1 + name.len();
        if !sound || length > Self::MAX_BYTES {
            return None;
        }
        let mut path = String::with_capacity(length);
        path.push_str(folder);
        if !folder.is_empty() {
            path.push('/');
        }
        path.push_str(name);
        Some(Self(path))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last component, with its extension.
    pub fn file_name(&self) -> &str {
        // Asked for every name of every link: a search for a byte is the fast one.
        let begin = self.0.bytes().rposition(|byte| byte == b'/').map_or(0, |slash| slash + 1);
        &self.0[begin..]
    }

    /// The last component without `.md` or `.markdown`.
    pub fn stem(&self) -> &str {
        let name = self.file_name();
        name.strip_suffix(".md").or_else(|| name.strip_suffix(".markdown")).unwrap_or(name)
    }

    /// Whether the name ends with `.md` or `.markdown`, as that of each note does.
    ///
    /// ```
    /// use cm_note::path::NotePath;
    /// let is_markdown = |path| NotePath::parse(path).unwrap().is_markdown();
    /// assert!(is_markdown("a/b.md") && is_markdown("b.markdown") && !is_markdown("md/b.mdx"));
    /// ```
    pub fn is_markdown(&self) -> bool {
        self.file_name() != self.stem()
    }

    /// The parent folder; empty for a file at the root.
    pub fn folder(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// The first component; empty for a file at the root.
    pub fn top(&self) -> &str {
        self.0.split_once('/').map_or("", |(top, _)| top)
    }

    /// Resolves a relative link from this file; `None` if it leaves the vault.
    pub fn resolve(&self, link: &str) -> Option<Self> {
        let mut parts: Vec<&str> = match link.strip_prefix('/') {
            Some(_) => Vec::new(),
            None => self.folder().split('/').filter(|part| !part.is_empty()).collect(),
        };
        for part in link.split('/').filter(|part| !part.is_empty() && *part != ".") {
            if part == ".." {
                parts.pop()?;
            } else {
                parts.push(part);
            }
        }
        Self::parse(&parts.join("/")).ok()
    }

    /// Returns the relative link to this path from a file in `folder`.
    pub fn relative_to(&self, folder: &str) -> String {
        let from: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
        let to: Vec<&str> = self.0.split('/').collect();
        let shared = from.iter().zip(&to[..to.len() - 1]).take_while(|(a, b)| a == b).count();
        let mut parts = vec![".."; from.len() - shared];
        parts.extend(&to[shared..]);
        parts.join("/")
    }
}

/// Whether a file system may treat this name as `.git` or `.jj`, whose files can control later commands
/// of Git and Jujutsu: in any letter case, as the NTFS short name, and with suffixes and invisible
/// characters that NTFS and HFS+ ignore.
pub fn is_repository_folder(name: &str) -> bool {
    // Most names begin otherwise, and every file of a walk is asked.
    let first = name.chars().next();
    if !first.is_some_and(|c| matches!(c, '.' | 'g' | 'G' | 'j' | 'J') || !c.is_ascii()) {
        return false;
    }
    let visible = |c: &char| !matches!(*c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let plain: String = name.chars().filter(visible).collect::<String>().to_ascii_lowercase();
    // NTFS ignores dots and spaces at the end, and takes what follows a colon for a stream of the same file.
    let plain = plain.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
    matches!(plain, ".git" | "git~1" | ".jj" | "jj~1")
}

/// Whether a path is relative and stays inside the vault.
fn is_inside(path: &str) -> bool {
    let sound = !path.is_empty()
        && path.len() <= NotePath::MAX_BYTES
        && !path.as_bytes().contains(&0)
        && path.split('/').all(|part| !matches!(part, "" | "." | "..") && !is_repository_folder(part));
    // A drive letter or a backslash would be a way out on Windows only; a file there cannot be named so.
    let escapes = cfg!(windows) && path.contains(['\\', ':']);
    sound && !escapes
}

impl TryFrom<String> for NotePath {
    type Error = InvalidNotePath;

    fn try_from(path: String) -> Result<Self, InvalidNotePath> {
        // Most paths come from where they were checked before: they are taken as they are, without a copy.
        if is_inside(&path) { Ok(Self(path)) } else { Self::parse(&path) }
    }
}

impl From<NotePath> for String {
    fn from(path: NotePath) -> Self {
        path.0
    }
}

impl fmt::Display for NotePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_leads_out_of_the_vault() {
        for path in ["", "/etc/passwd", "../a.md", "a/../../b.md", "a//b.md", "a/./b.md", "a\0.md", "a/.."] {
            assert!(NotePath::parse(path).is_err(), "{path:?}");
        }
        assert!(NotePath::parse(&"x".repeat(4097)).is_err());
    }

    #[test]
    fn no_path_leads_into_the_folder_of_git_or_jujutsu_however_it_is_spelt() {
        for path in [
            ".git/config",
            "a/.git/config",
            ".GIT/x",
            ".git./x",
            ".git /x",
            "git~1/x",
            ".g\u{200c}it/x",
            ".git::$DATA",
            "a/.jj/repo/config.toml",
            ".JJ/x",
        ] {
            assert!(NotePath::parse(path).is_err(), "{path:?}");
        }
        assert!(NotePath::below("", ".git").is_none() && NotePath::below("a", ".Git").is_none());
        for path in [
            ".gitignore",
            ".gitattributes",
            ".github/x.md",
            "git/x.md",
            "git.md",
            ".jjx/a.md",
            "jj/a.md",
            "über/a.md",
        ] {
            assert!(NotePath::parse(path).is_ok(), "{path:?}");
        }
    }

    #[test]
    fn links_are_followed_and_written_relative() {
        let note = NotePath::parse("graph/fixes/a.md").unwrap();
        assert_eq!(note.resolve("../decisions/b.md").unwrap().as_str(), "graph/decisions/b.md");
        assert_eq!(note.resolve("/vault/c.md").unwrap().as_str(), "vault/c.md");
        assert_eq!(note.resolve("../../../c.md"), None);
        assert_eq!(note.relative_to("episodes"), "../graph/fixes/a.md");
        assert_eq!(note.relative_to("graph/fixes"), "a.md");
        assert_eq!(note.relative_to(""), "graph/fixes/a.md");
    }
}
