//! The commands of Anthropic's memory tool (`memory_20250818`) on a set of text files: what each
//! answers, and which files it changes. The wordings are those of the tool's documentation, because
//! models were trained on them.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Folder that all paths of the tool begin with.
pub const ROOT: &str = "/memories";

/// Maximum number of lines of a file that is viewed.
const MAX_VIEWED_LINES: usize = 999_999;

/// Number of lines around a replacement that are shown.
const CONTEXT_LINES: usize = 2;

/// A command as the model sends it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case")]
pub enum MemoryCommand {
    /// Lists a folder, or shows a file with line numbers.
    View {
        path: String,
        /// First and last line, from 1; -1 stands for the end.
        #[serde(default)]
        view_range: Option<[i64; 2]>,
    },
    /// Creates a file.
    Create { path: String, file_text: String },
    /// Replaces a text that occurs once.
    StrReplace {
        path: String,
        old_str: String,
        #[serde(default)]
        new_str: String,
    },
    /// Inserts text after a line; 0 is the beginning.
    Insert { path: String, insert_line: i64, insert_text: String },
    /// Deletes a file or a folder.
    Delete { path: String },
    /// Renames or moves a file or a folder.
    Rename { old_path: String, new_path: String },
}

/// Contents of the files by their paths below [`ROOT`].
pub type MemoryFiles = BTreeMap<String, String>;

/// A change of the files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FilesChange {
    /// Creates a file or replaces its content.
    Write { name: String, content: String },
    /// Deletes these files.
    Remove(Vec<String>),
    /// Renames files, as (old, new).
    Rename(Vec<(String, String)>),
}

/// Answer to a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandAnswer {
    /// Text for the model.
    pub text: String,
    /// Change to carry out; `None` for a view.
    pub change: Option<FilesChange>,
}

impl MemoryCommand {
    /// The path that the command is about, as the model wrote it.
    #[must_use]
    pub fn path(&self) -> &str {
        match self {
            Self::View { path, .. }
            | Self::Create { path, .. }
            | Self::StrReplace { path, .. }
            | Self::Insert { path, .. }
            | Self::Delete { path }
            | Self::Rename { old_path: path, .. } => path,
        }
    }

    /// Answers the command; the error is the text for the model.
    ///
    /// # Errors
    /// A path outside [`ROOT`], a missing or existing file, a text that does not occur once, and a
    /// line that the file does not have.
    pub fn answer(&self, files: &MemoryFiles) -> Result<CommandAnswer, String> {
        let name = name_of(self.path())?;
        let edited = |text: String, content: String| {
            let change = FilesChange::Write { name: name.clone(), content };
            Ok(CommandAnswer { text, change: Some(change) })
        };
        match self {
            Self::View { path, view_range } => {
                let text = view(files, path, &name, *view_range)?;
                Ok(CommandAnswer { text, change: None })
            }
            Self::Create { path, file_text } => {
                if name.is_empty() || exists(files, &name) {
                    return Err(format!("Error: File {path} already exists"));
                }
                if above(&name).any(|folder| files.contains_key(folder)) {
                    return Err(format!("Error: a folder of {path} is a file"));
                }
                edited(format!("File created successfully at: {path}"), file_text.clone())
            }
            Self::StrReplace { path, old_str, new_str } => {
                let missing =
                    || format!("Error: The path {path} does not exist. Please provide a valid path.");
                let (text, content) = replace(files.get(&name).ok_or_else(missing)?, path, old_str, new_str)?;
                edited(text, content)
            }
            Self::Insert { path, insert_line, insert_text } => {
                let content = files.get(&name).ok_or_else(|| absent(path))?;
                let content = insert(content, *insert_line, insert_text)?;
                edited(format!("The file {path} has been edited."), content)
            }
            Self::Delete { path } => {
                let deleted_files = at_or_below(files, &name);
                if name.is_empty() {
                    return Err(format!("Error: Cannot delete the {ROOT} directory itself"));
                }
                if deleted_files.is_empty() {
                    return Err(absent(path));
                }
                let text = format!("Successfully deleted {path}");
                Ok(CommandAnswer { text, change: Some(FilesChange::Remove(deleted_files)) })
            }
            Self::Rename { old_path, new_path } => {
                let moved = rename(files, old_path, &name, new_path)?;
                let text = format!("Successfully renamed {old_path} to {new_path}");
                Ok(CommandAnswer { text, change: Some(FilesChange::Rename(moved)) })
            }
        }
    }
}

/// The path below [`ROOT`], empty for the root itself.
fn name_of(path: &str) -> Result<String, String> {
    let rest = path.strip_prefix(ROOT).filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let Some(rest) = rest else { return Err(format!("Error: Path must start with {ROOT}, got: {path}")) };
    let parts: Vec<&str> = rest.split('/').filter(|part| !part.is_empty()).collect();
    let is_escape = |part: &&str| {
        let lower = part.to_ascii_lowercase();
        matches!(*part, "." | "..") || lower.contains("%2e") || lower.contains("%2f") || part.contains('\\')
    };
    if parts.iter().any(is_escape) {
        return Err(format!("Error: Path {path} would escape {ROOT} directory"));
    }
    if parts.iter().any(|part| part.starts_with('.') || part.chars().any(char::is_control)) {
        return Err(format!("Error: Path {path} is hidden or has control characters"));
    }
    Ok(parts.join("/"))
}

fn absent(path: &str) -> String {
    format!("Error: The path {path} does not exist")
}

/// Folders that contain a file, from the root down.
fn above(name: &str) -> impl Iterator<Item = &str> {
    name.match_indices('/').filter_map(|(at, _)| name.get(..at))
}

fn at_or_below(files: &MemoryFiles, name: &str) -> Vec<String> {
    files.keys().filter(|file| *file == name || is_below(file, name)).cloned().collect()
}

fn is_below(file: &str, folder: &str) -> bool {
    folder.is_empty() || file.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

fn exists(files: &MemoryFiles, name: &str) -> bool {
    name.is_empty() || !at_or_below(files, name).is_empty()
}

fn view(files: &MemoryFiles, path: &str, name: &str, range: Option<[i64; 2]>) -> Result<String, String> {
    if let Some(content) = files.get(name) {
        return numbered_file(content, path, range);
    }
    if !exists(files, name) {
        return Err(format!("The path {path} does not exist. Please provide a valid path."));
    }
    let shown = path.trim_end_matches('/');
    let mut sizes: BTreeMap<String, usize> = BTreeMap::new();
    let mut whole = 0;
    for (file, content) in files.iter().filter(|(file, _)| is_below(file, name)) {
        whole += content.len();
        let inner = file.get(name.len()..).unwrap_or_default().trim_start_matches('/');
        if inner.split('/').any(|part| part == "node_modules") {
            continue;
        }
        let folders = above(inner).filter(|folder| folder.matches('/').count() < 2);
        let own = Some(inner).filter(|inner| inner.matches('/').count() < 2);
        for entry in folders.chain(own) {
            *sizes.entry(entry.to_owned()).or_default() += content.len();
        }
    }
    let mut lines = vec![
        format!(
            "Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and node_modules:"
        ),
        format!("{}\t{shown}", size(whole)),
    ];
    lines.extend(sizes.iter().map(|(entry, bytes)| format!("{}\t{shown}/{entry}", size(*bytes))));
    Ok(lines.join("\n"))
}

fn numbered_file(content: &str, path: &str, range: Option<[i64; 2]>) -> Result<String, String> {
    let lines: Vec<&str> = content.split('\n').collect();
    if lines.len() > MAX_VIEWED_LINES {
        return Err(format!("File {path} exceeds maximum line limit of {MAX_VIEWED_LINES} lines."));
    }
    let last = lines.len();
    let line = |number: i64| usize::try_from(number).unwrap_or(0);
    let (from, to) = match range {
        None => (1, last),
        Some([from, -1]) => (line(from).max(1), last),
        Some([from, to]) => (line(from).max(1), line(to).min(last)),
    };
    Ok(format!("Here's the content of {path} with line numbers:\n{}", numbered(&lines, from, to)))
}

/// The lines of a range, with numbers of six characters and a tab.
fn numbered(lines: &[&str], from: usize, to: usize) -> String {
    let shown = lines.iter().enumerate().map(|(at, line)| (at + 1, line));
    let shown = shown.filter(|(number, _)| (from..=to).contains(number));
    shown.map(|(number, line)| format!("{number:>6}\t{line}")).collect::<Vec<_>>().join("\n")
}

/// A size such as `512B`, `1.5K` or `2M`.
fn size(bytes: usize) -> String {
    let (mut value, mut unit) = (bytes as f64, "B");
    for next in ["K", "M", "G"] {
        if value < 1_024.0 {
            break;
        }
        (value, unit) = (value / 1_024.0, next);
    }
    if value.fract() == 0.0 { format!("{value:.0}{unit}") } else { format!("{value:.1}{unit}") }
}

fn replace(content: &str, path: &str, old: &str, new: &str) -> Result<(String, String), String> {
    let line_at = |at: usize| content.get(..at).unwrap_or_default().matches('\n').count() + 1;
    let found: Vec<usize> =
        if old.is_empty() { Vec::new() } else { content.match_indices(old).map(|(at, _)| at).collect() };
    match found.as_slice() {
        [] => {
            Err(format!("No replacement was performed, old_str `{old}` did not appear verbatim in {path}."))
        }
        [at] => {
            let changed = content.replacen(old, new, 1);
            let lines: Vec<&str> = changed.split('\n').collect();
            let first = line_at(*at).saturating_sub(CONTEXT_LINES).max(1);
            let last = line_at(*at) + new.matches('\n').count() + CONTEXT_LINES;
            let snippet = numbered(&lines, first, last);
            let text = format!(
                "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{snippet}"
            );
            Ok((text, changed))
        }
        several => {
            let lines: Vec<String> = several.iter().map(|at| line_at(*at).to_string()).collect();
            let lines = lines.join(", ");
            Err(format!(
                "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {lines}. Please ensure it is unique"
            ))
        }
    }
}

fn insert(content: &str, after: i64, text: &str) -> Result<String, String> {
    let mut lines: Vec<&str> = content.split('\n').collect();
    if lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    let most = lines.len();
    let at = usize::try_from(after).ok().filter(|at| *at <= most);
    let Some(at) = at else {
        return Err(format!(
            "Error: Invalid `insert_line` parameter: {after}. It should be within the range of lines of the file: [0, {most}]"
        ));
    };
    lines.insert(at, text.trim_end_matches('\n'));
    Ok(lines.join("\n") + "\n")
}

fn rename(
    files: &MemoryFiles,
    old_path: &str,
    old: &str,
    new_path: &str,
) -> Result<Vec<(String, String)>, String> {
    let new = name_of(new_path)?;
    if old.is_empty() {
        return Err(format!("Error: Cannot rename the {ROOT} directory itself"));
    }
    let moved = at_or_below(files, old);
    if moved.is_empty() {
        return Err(absent(old_path));
    }
    let is_file = |name: &str| files.contains_key(name);
    if exists(files, &new) || is_below(&new, old) || above(&new).any(is_file) {
        return Err(format!("Error: The destination {new_path} already exists"));
    }
    let to = |file: &String| format!("{new}{}", file.get(old.len()..).unwrap_or_default());
    Ok(moved.iter().map(|file| (file.clone(), to(file))).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn files() -> MemoryFiles {
        let one = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        [one("notes.txt", "One.\nTwo.\nThree.\n"), one("team/ana.md", &"x".repeat(1_536))].into()
    }

    fn answer(command: &str) -> Result<CommandAnswer, String> {
        serde_json::from_str::<MemoryCommand>(command).unwrap().answer(&files())
    }

    fn text(command: &str) -> String {
        answer(command).map_or_else(|error| error, |answer| answer.text)
    }

    #[test]
    fn a_folder_is_listed_with_sizes_and_a_file_with_line_numbers() {
        assert_eq!(
            text(r#"{"command": "view", "path": "/memories"}"#),
            "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n1.5K\t/memories\n17B\t/memories/notes.txt\n1.5K\t/memories/team\n1.5K\t/memories/team/ana.md"
        );
        assert_eq!(
            text(r#"{"command": "view", "path": "/memories/notes.txt", "view_range": [2, 3]}"#),
            "Here's the content of /memories/notes.txt with line numbers:\n     2\tTwo.\n     3\tThree."
        );
        assert_eq!(
            text(r#"{"command": "view", "path": "/memories/none"}"#),
            "The path /memories/none does not exist. Please provide a valid path."
        );
        assert_eq!(size(0), "0B");
        assert_eq!(size(2 << 20), "2M");
    }

    #[test]
    fn edits_answer_in_the_words_of_the_documentation() {
        for (command, expected) in [
            (
                r#"{"command": "create", "path": "/memories/a.md", "file_text": "A"}"#,
                "File created successfully at: /memories/a.md",
            ),
            (
                r#"{"command": "create", "path": "/memories/notes.txt", "file_text": "A"}"#,
                "Error: File /memories/notes.txt already exists",
            ),
            (
                r#"{"command": "str_replace", "path": "/memories/notes.txt", "old_str": "Two", "new_str": "2"}"#,
                "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     1\tOne.\n     2\t2.\n     3\tThree.\n     4\t",
            ),
            (
                r#"{"command": "str_replace", "path": "/memories/notes.txt", "old_str": "Four", "new_str": "4"}"#,
                "No replacement was performed, old_str `Four` did not appear verbatim in /memories/notes.txt.",
            ),
            (
                r#"{"command": "str_replace", "path": "/memories/notes.txt", "old_str": ".", "new_str": "!"}"#,
                "No replacement was performed. Multiple occurrences of old_str `.` in lines: 1, 2, 3. Please ensure it is unique",
            ),
            (
                r#"{"command": "str_replace", "path": "/memories/team", "old_str": "a", "new_str": "b"}"#,
                "Error: The path /memories/team does not exist. Please provide a valid path.",
            ),
            (
                r#"{"command": "insert", "path": "/memories/notes.txt", "insert_line": 0, "insert_text": "Zero.\n"}"#,
                "The file /memories/notes.txt has been edited.",
            ),
            (
                r#"{"command": "insert", "path": "/memories/notes.txt", "insert_line": 4, "insert_text": "x"}"#,
                "Error: Invalid `insert_line` parameter: 4. It should be within the range of lines of the file: [0, 3]",
            ),
            (
                r#"{"command": "insert", "path": "/memories/b", "insert_line": 0, "insert_text": "x"}"#,
                "Error: The path /memories/b does not exist",
            ),
            (r#"{"command": "delete", "path": "/memories/team"}"#, "Successfully deleted /memories/team"),
            (r#"{"command": "delete", "path": "/memories/b"}"#, "Error: The path /memories/b does not exist"),
            (
                r#"{"command": "rename", "old_path": "/memories/team", "new_path": "/memories/people"}"#,
                "Successfully renamed /memories/team to /memories/people",
            ),
            (
                r#"{"command": "rename", "old_path": "/memories/b", "new_path": "/memories/c"}"#,
                "Error: The path /memories/b does not exist",
            ),
            (
                r#"{"command": "rename", "old_path": "/memories/team", "new_path": "/memories/notes.txt"}"#,
                "Error: The destination /memories/notes.txt already exists",
            ),
        ] {
            assert_eq!(text(command), expected, "{command}");
        }
    }

    #[test]
    fn changes_name_the_files_concerned() {
        let change = |command: &str| answer(command).unwrap().change.unwrap();
        assert_eq!(
            change(
                r#"{"command": "insert", "path": "/memories/notes.txt", "insert_line": 1, "insert_text": "x"}"#
            ),
            FilesChange::Write { name: "notes.txt".into(), content: "One.\nx\nTwo.\nThree.\n".into() }
        );
        assert_eq!(
            change(r#"{"command": "rename", "old_path": "/memories/team/", "new_path": "/memories/people"}"#),
            FilesChange::Rename(vec![("team/ana.md".into(), "people/ana.md".into())])
        );
        assert_eq!(
            change(r#"{"command": "delete", "path": "/memories/team"}"#),
            FilesChange::Remove(vec!["team/ana.md".into()])
        );
    }

    #[test]
    fn no_path_leads_out() {
        for path in [
            "/etc/passwd",
            "memories/a",
            "/memoriesx",
            "/memories/../a",
            "/memories/a/../../b",
            "/memories/./a",
            "/memories/%2e%2e/a",
            "/memories/a\\..\\b",
            "/memories/.git/config",
            "/memories/a\nb",
        ] {
            let command = MemoryCommand::Create { path: path.into(), file_text: "x".into() };
            let error = command.answer(&files()).unwrap_err();
            assert!(error.starts_with("Error: Path "), "{path}: {error}");
        }
    }

    proptest! {
        #[test]
        fn any_command_is_answered_and_stays_below_the_root(
            path in "(/memories)?(/[a.%\\\\]{0,3}){0,3}", new in "/memories/[ab/.]{0,6}", line in -2i64..6, text in "[a\n.]{0,4}",
        ) {
            let (path, new_path) = (path, new);
            for command in [
                MemoryCommand::View { path: path.clone(), view_range: Some([line, line + 1]) },
                MemoryCommand::Create { path: path.clone(), file_text: text.clone() },
                MemoryCommand::StrReplace { path: path.clone(), old_str: text.clone(), new_str: "b".into() },
                MemoryCommand::Insert { path: path.clone(), insert_line: line, insert_text: text.clone() },
                MemoryCommand::Delete { path: path.clone() },
                MemoryCommand::Rename { old_path: path.clone(), new_path: new_path.clone() },
            ] {
                let names = match command.answer(&files()).ok().and_then(|answer| answer.change) {
                    Some(FilesChange::Write { name, .. }) => vec![name],
                    Some(FilesChange::Remove(names)) => names,
                    Some(FilesChange::Rename(pairs)) => pairs.into_iter().map(|(_, new)| new).collect(),
                    None => Vec::new(),
                };
                for name in names {
                    prop_assert!(!name.is_empty() && name.split('/').all(|part| !part.is_empty() && !part.starts_with('.')), "{name}");
                }
            }
        }
    }
}
