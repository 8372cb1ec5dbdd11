//! Memories that agents write by themselves: Claude Code's memory files, one note each, and Codex's
//! handbook, one note for each task group.
//!
//! An agent wrote them, so the notes are unverified; frontmatter sets nothing but title and type.

use yaml_serde::Value;

use cm_note::frontmatter::parse::{self, FrontmatterField};
use cm_note::frontmatter::split::Split;
use cm_note::frontmatter::write;
use cm_note::id::NoteId;
use cm_note::import_source::ImportFile;
use cm_note::markdown;
use cm_note::markdown::escape::visible;
use cm_note::note::Note;
use cm_note::note::suspicion::order;

/// Key with the path of the file, below the name of its agent.
const FILE: &str = "native_file";

/// Maximum length of a title, in characters.
const MAX_TITLE_CHARS: usize = 200;

/// Maximum length of a folder name that Claude Code derives from a path; a longer one is cut and
/// gets a hash.
const MAX_FOLDER_NAME_CHARS: usize = 200;

/// Name of Claude Code's folder for a project: its path with `-` for every other character than
/// ASCII letters and digits. `None` if the name would be cut.
#[must_use]
pub fn claude_folder(project: &str) -> Option<String> {
    let name: String = project.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    (name.len() <= MAX_FOLDER_NAME_CHARS).then_some(name)
}

/// Returns `true` if a file only lists other files: each line is blank, a heading, or an item with a
/// link.
#[must_use]
pub fn is_list_of_files(text: &str) -> bool {
    let lists = |line: &str| {
        let line = line.trim();
        let item =
            line.strip_prefix(['-', '*']).is_some_and(|item| item.contains("](") || item.contains("[["));
        line.is_empty() || line.starts_with('#') || item
    };
    text.lines().any(|line| !line.trim().is_empty()) && text.lines().all(lists)
}

/// A task group of Codex's handbook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodexGroup {
    /// File name for the group's note.
    pub name: String,
    pub text: String,
    /// First folder to which the group applies; `None` if it names none.
    pub folder: Option<String>,
}

/// The task groups of Codex's handbook: those that apply to the project's folder or a folder below
/// it; without a project, all.
#[must_use]
pub fn codex_groups(handbook: &str, project: Option<&str>) -> Vec<CodexGroup> {
    let mut groups: Vec<String> = Vec::new();
    for line in handbook.lines() {
        if line.starts_with("# Task Group:") {
            groups.push(String::new());
        }
        if let Some(group) = groups.last_mut() {
            group.push_str(line);
            group.push('\n');
        }
    }
    let is_of = |group: &String| match project {
        Some(project) => folders(group).any(|folder| is_at_or_below(folder, project)),
        None => true,
    };
    let titled_group = |group: String| {
        let title = group.lines().next().unwrap_or_default().trim_start_matches("# Task Group:");
        let name = slug::slugify(title);
        let name: String = if name.is_empty() { "group".to_owned() } else { name.chars().take(80).collect() };
        let folder = folders(&group).next().map(str::to_owned);
        CodexGroup { name: format!("{name}.md"), text: group, folder }
    };
    groups.into_iter().filter(is_of).map(titled_group).collect()
}

/// The absolute folders in the line `applies_to: cwd=PATH; …` of a task group.
fn folders(group: &str) -> impl Iterator<Item = &str> {
    let line = group.lines().find_map(|line| line.trim().strip_prefix("applies_to:"));
    let folder_texts = line.into_iter().flat_map(|line| line.split("cwd=").skip(1));
    let folders = folder_texts.map(|rest| rest.split([';', ',', ' ']).next().unwrap_or_default());
    folders.map(|folder| folder.trim_end_matches('/')).filter(|folder| folder.starts_with('/'))
}

fn is_at_or_below(folder: &str, project: &str) -> bool {
    folder.strip_prefix(project).is_some_and(|below| below.is_empty() || below.starts_with('/'))
}

/// The note with a memory. The first component of the path is the agent's name. Text that gives
/// orders to its reader is a draft.
pub(super) fn note(file: &ImportFile, text: &str, id: &NoteId) -> String {
    let path = file.path.as_str();
    let (agent, _) = path.split_once('/').unwrap_or(("agent", path));
    let split = Split::of(text);
    let fields = parse::parse(&split).fields;
    let field = |key: &str| fields.get(key).and_then(FrontmatterField::text);
    let nested =
        fields.get("metadata").and_then(|field| field.value.get("type")?.as_str().map(str::to_owned));
    let kind = field("type").map(|kind| kind.to_string()).or(nested);
    let note_type = match kind.as_deref() {
        Some("user" | "feedback") => "preference",
        Some("project" | "reference") => "fact",
        _ => "general",
    };
    let body = split.body().trim_start_matches(['\r', '\n']);
    let heading = || {
        let headings = markdown::outline(body, 1).headings;
        headings.into_iter().find(|heading| heading.level == 1).map(|heading| heading.text)
    };
    let described = field("description").map(|text| text.to_string());
    let title = described.or_else(heading).or_else(|| field("name").map(|name| name.to_string()));
    let title: String = visible(&title.unwrap_or_default()).trim().chars().take(MAX_TITLE_CHARS).collect();
    let title = if title.is_empty() { file.path.file_name().to_owned() } else { title };
    let is_order = order(body).is_some() || order(&title).is_some();
    let (state, at) = (if is_order { Note::DRAFT } else { Note::UNVERIFIED }, file.modified.to_string());
    let keys = [
        ("id", id.as_str()),
        ("type", note_type),
        ("title", title.as_str()),
        ("created", at.as_str()),
        ("updated", at.as_str()),
        ("state", state),
        ("agent", agent),
        (FILE, path),
    ];
    let workspace = file.workspace.as_deref().map(|workspace| ("workspace", workspace));
    let mut note = "---\n".to_owned();
    for (key, value) in keys.into_iter().chain(workspace) {
        note.push_str(&write::entry(key, &Value::String(value.to_owned())));
        if key == "title" {
            note.push_str(&write::entry("importance", &Value::from(0.5)));
        }
    }
    format!("{note}---\n\n{body}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use cm_note::instant::Instant;
    use cm_note::path::NotePath;

    #[test]
    fn a_memory_of_claude_code_keeps_its_description_and_type() {
        let text = "---\nname: user-tests\ndescription: Prefers integration tests\nmetadata:\n  type: user\nstate: active\n---\nAda wants integration tests.\n";
        let file = ImportFile {
            path: NotePath::parse("claude-code/user_tests.md").unwrap(),
            bytes: text.as_bytes().to_vec(),
            modified: Instant::parse("2026-05-01T10:00:00Z").unwrap(),
            workspace: None,
        };
        let id = NoteId::parse("11111111-1111-4111-8111-111111111111").unwrap();
        insta::assert_snapshot!(note(&file, text, &id), @r"
        ---
        id: 11111111-1111-4111-8111-111111111111
        type: preference
        title: Prefers integration tests
        importance: 0.5
        created: 2026-05-01T10:00:00Z
        updated: 2026-05-01T10:00:00Z
        state: unverified
        agent: claude-code
        native_file: claude-code/user_tests.md
        ---

        Ada wants integration tests.
        ");
    }

    #[test]
    fn the_handbook_of_codex_is_divided_by_task_group_and_project() {
        let handbook = "# Task Group: Shop tests\nscope: tests\napplies_to: cwd=/home/dev/shop; reuse_rule=same repo\n\n## Task 1\n\nUse port 0.\n\n# Task Group: Blog\napplies_to: cwd=/home/dev/shop-blog; reuse_rule=x\n\nHugo.\n\n# Task Group: Style\nscope: everywhere\n\nShort answers.\n";
        let names = |project| -> Vec<String> {
            codex_groups(handbook, project).into_iter().map(|group| group.name).collect()
        };
        assert_eq!(names(None), ["shop-tests.md", "blog.md", "style.md"]);
        let folders: Vec<_> = codex_groups(handbook, None).into_iter().map(|group| group.folder).collect();
        assert_eq!(
            folders,
            [Some("/home/dev/shop".to_owned()), Some("/home/dev/shop-blog".to_owned()), None]
        );
        assert_eq!(names(Some("/home/dev/shop")), ["shop-tests.md"]);
        assert!(codex_groups(handbook, Some("/home/dev"))[0].text.ends_with("Use port 0.\n\n"));
        assert!(codex_groups("no groups\n", None).is_empty());
    }

    #[test]
    fn an_index_is_told_from_a_memory() {
        assert!(is_list_of_files("# Memory\n\n- [Tests](user_tests.md): what Ada wants\n"));
        assert!(!is_list_of_files("# Memory\n\n- Use port 0.\n"));
        assert!(!is_list_of_files("\n"));
        assert_eq!(claude_folder("/home/dev/my.shop").as_deref(), Some("-home-dev-my-shop"));
        assert_eq!(claude_folder(&"/a".repeat(150)), None);
    }
}
