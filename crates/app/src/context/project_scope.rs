//! Recognizes projects, and decides whether a rule that is limited to a project applies where a request was made.

use std::cell::OnceCell;
use std::path::Path;

use crate::context::open::Context;
use crate::context::open_vault::VaultLevel;
use cm_note::bullet::Bullet;
use cm_note::bullet::visibility::same_project;
use cm_note::note::Note;
use cm_store::git::named_git_dir;
use cm_store::vault::external_folder;

/// Files that build tools expect at the root of a project.
const MANIFESTS: [&str; 12] = [
    "Cargo.toml",
    "package.json",
    "pyproject.toml",
    "setup.py",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "composer.json",
    "Gemfile",
    "mix.exs",
    "deno.json",
];

/// Returns the name of the first manifest at the root of a folder; `None` if the folder is no root of a project.
pub(crate) fn manifest(folder: &Path) -> Option<&'static str> {
    MANIFESTS.into_iter().find(|name| folder.join(name).is_file())
}

/// Ends of the names of files with source code. Shell scripts, styles and data are in folders of notes too.
const CODE_ENDS: [&str; 29] = [
    "c", "cc", "clj", "cpp", "cs", "dart", "ex", "exs", "go", "h", "hpp", "hs", "java", "jl", "js", "jsx",
    "kt", "lua", "ml", "mjs", "php", "py", "rb", "rs", "scala", "svelte", "swift", "ts", "tsx",
];
/// Maximum number of entries of a folder that are searched for code.
const MAX_SEARCHED_ENTRIES: usize = 500;
/// Folders of editors for notes: with one of them, scripts belong to the notes.
const NOTE_EDITORS: [&str; 3] = [".obsidian", ".logseq", ".foam"];

/// Returns a file that shows that a folder holds the code of a project: its manifest, or a source file
/// in the folder or in one of its folders. `None` for a folder of notes.
pub(crate) fn code_mark(folder: &Path) -> Option<String> {
    if let Some(manifest) = manifest(folder) {
        return Some(manifest.to_owned());
    }
    if NOTE_EDITORS.into_iter().any(|name| folder.join(name).is_dir()) {
        return None;
    }
    let (own, folders) = code_and_folders(folder);
    let nested = |name: &String| Some(format!("{name}/{}", code_and_folders(&folder.join(name)).0?));
    own.or_else(|| folders.iter().find_map(nested))
}

/// Returns the first source file of a folder, and the folders in it, by name. Hidden ones and installed
/// packages are left out.
fn code_and_folders(folder: &Path) -> (Option<String>, Vec<String>) {
    let (mut files, mut folders) = external_folder::names(folder, MAX_SEARCHED_ENTRIES);
    let is_searched = |name: &String| !name.starts_with(['.', '_']) && name != "node_modules";
    let is_code = |name: &String| name.rsplit_once('.').is_some_and(|(_, end)| CODE_ENDS.contains(&end));
    files.retain(|name| is_searched(name) && is_code(name));
    folders.retain(is_searched);
    folders.sort();
    (files.into_iter().min(), folders)
}

/// The names by which rules can refer to the project of a request.
pub(crate) struct ProjectScope<'m> {
    context: &'m Context,
    /// Whether the caller named the project.
    is_explicit: bool,
    names: Vec<String>,
    is_named: OnceCell<bool>,
}

impl<'m> ProjectScope<'m> {
    /// Creates the scope of the project that the caller named, or else of the folder of the request:
    /// the project's folder, the main work tree's, and those from there down to the working folder.
    pub fn of(context: &'m Context, workspace: Option<&str>) -> Self {
        let names = match workspace {
            Some(name) => vec![name.to_owned()],
            None => names_of_folder(context),
        };
        Self { context, is_explicit: workspace.is_some(), names, is_named: OnceCell::new() }
    }

    /// Whether a rule of a vault applies here: always, unless it is limited to another project or
    /// folder. A project's vault without a rule of this project's name calls its projects otherwise,
    /// so that all of its rules apply.
    pub fn includes(&self, bullet: &Bullet, level: VaultLevel) -> bool {
        let is_foreign_name = || level == VaultLevel::Project && !self.is_explicit && !self.is_named();
        self.is_own(bullet) || is_foreign_name()
    }

    /// Whether a memory of a vault applies here: always, unless a vault for all projects learned it in another
    /// one.
    pub fn includes_memory(&self, note: &Note, level: VaultLevel) -> bool {
        let is_own = |own: &String| self.names.iter().any(|name| same_project(name, own));
        level == VaultLevel::Project || note.workspace.as_ref().is_none_or(is_own)
    }

    /// Whether a session in this folder, which a vault has a diary of, applies here: always, unless a vault
    /// for all projects has it of another one.
    pub fn includes_session(&self, folder: Option<&str>, level: VaultLevel) -> bool {
        let project = folder.and_then(|folder| project_of(Path::new(folder)));
        let is_own = |own: String| self.names.iter().any(|name| same_project(name, &own));
        level == VaultLevel::Project || self.is_explicit || project.is_none_or(is_own)
    }

    fn is_own(&self, bullet: &Bullet) -> bool {
        bullet.project().is_none_or(|own| self.names.iter().any(|name| same_project(name, own)))
    }

    /// Whether the project's vault has a rule that is limited to this project.
    fn is_named(&self) -> bool {
        *self.is_named.get_or_init(|| {
            let project = self.context.vaults.iter().find(|open| open.level == VaultLevel::Project);
            let notes = project.and_then(|open| self.context.playbook_notes(open).ok()).unwrap_or_default();
            let mut live = notes.iter().filter_map(Bullet::of).filter(Bullet::is_live);
            live.any(|bullet| bullet.project().is_some() && self.is_own(&bullet))
        })
    }
}

fn names_of_folder(context: &Context) -> Vec<String> {
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let vault = context.target().vault.root();
    let is_hidden = name(vault).is_some_and(|name| name.starts_with('.'));
    let root = vault.parent().filter(|_| is_hidden).unwrap_or(vault);
    let cwd = context.request.cwd.as_path();
    let below = cwd.strip_prefix(root).ok();
    let below = below.or_else(|| cwd.strip_prefix(repository_of(cwd)?).ok()).unwrap_or(Path::new(""));
    let below = below.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
    let projects = [root, cwd].into_iter().filter_map(project_of);
    std::iter::once(context.workspace()).chain(below).chain(projects).collect()
}

/// Returns the name of the project that a folder is part of: that of its repository, of the main work tree if it is
/// linked; without a repository the folder's own.
pub(crate) fn project_of(folder: &Path) -> Option<String> {
    let root = repository_of(folder).unwrap_or(folder);
    // `…/main/.git/worktrees/NAME` of a linked work tree of `…/main`.
    let linked = named_git_dir(root);
    let git = linked.as_deref().and_then(Path::parent).filter(|folder| folder.ends_with("worktrees"));
    let main = git.and_then(Path::parent).and_then(Path::parent);
    Some(main.unwrap_or(root).file_name()?.to_string_lossy().into_owned())
}

fn repository_of(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|folder| folder.join(".git").exists())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "the test writes files")]

    use super::*;

    #[test]
    fn code_is_recognized_by_a_manifest_or_a_source_file() {
        let folder = tempfile::tempdir().unwrap();
        let put = |path: &str| {
            let file = folder.path().join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "").unwrap();
        };
        put("notes/a.md");
        put("node_modules/x.js");
        put(".config/x.py");
        assert_eq!(code_mark(folder.path()), None);
        put("src/app.py");
        assert_eq!(code_mark(folder.path()).as_deref(), Some("src/app.py"));
        put("package.json");
        assert_eq!(code_mark(folder.path()).as_deref(), Some("package.json"));
        std::fs::remove_file(folder.path().join("package.json")).unwrap();
        put(".obsidian/app.json");
        assert_eq!(code_mark(folder.path()), None);
    }
}
