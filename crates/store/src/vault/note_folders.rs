//! Finds the folders that Obsidian uses as vaults.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// Folder that Obsidian creates in each of its vaults.
pub const OBSIDIAN: &str = ".obsidian";
/// Number of levels below the home folder that are searched.
const MAX_FOLDER_DEPTH: usize = 3;
/// Maximum number of folders that are read, so that a large home folder takes no noticeable time.
const MAX_FOLDERS: usize = 5_000;

/// Obsidian's list of its vaults.
#[derive(Deserialize)]
struct Registry {
    #[serde(default)]
    vaults: std::collections::BTreeMap<String, RegisteredVault>,
}

#[derive(Deserialize)]
struct RegisteredVault {
    path: PathBuf,
}

/// Returns Obsidian's vaults, sorted: those listed in `obsidian/obsidian.json` below one of the
/// configuration folders, and those at most three levels below `home`.
pub fn obsidian_vaults(home: &Path, configuration: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = BTreeSet::new();
    for folder in configuration {
        let text = fs::read_to_string(folder.join("obsidian/obsidian.json")).unwrap_or_default();
        if let Ok(registry) = serde_json::from_str::<Registry>(&text) {
            found.extend(registry.vaults.into_values().map(|vault| vault.path));
        }
    }
    let mut level = vec![home.to_owned()];
    let mut read = 0;
    for _ in 0..=MAX_FOLDER_DEPTH {
        let mut next = Vec::new();
        for folder in level {
            if folder.join(OBSIDIAN).is_dir() {
                found.insert(folder);
            } else if read < MAX_FOLDERS {
                read += 1;
                next.extend(visible_folders(&folder));
            }
        }
        level = next;
    }
    let is_there = |folder: &PathBuf| folder.join(OBSIDIAN).is_dir();
    let folders: BTreeSet<PathBuf> =
        found.into_iter().filter(is_there).filter_map(|folder| folder.canonicalize().ok()).collect();
    folders.into_iter().collect()
}

/// Returns the folders of a vault from which Obsidian makes new notes, without slashes at their ends:
/// those of its plugins Templates and Templater.
pub fn template_folders(root: &Path) -> Vec<String> {
    let settings = root.join(OBSIDIAN);
    let setting = |file: &str, key: &str| {
        let text = fs::read_to_string(settings.join(file)).ok()?;
        let value: serde_json::Value = serde_json::from_str(&text).ok()?;
        let folder = value.get(key)?.as_str()?.trim_matches('/').to_owned();
        (!folder.is_empty()).then_some(folder)
    };
    let core = setting("templates.json", "folder");
    core.into_iter().chain(setting("plugins/templater-obsidian/data.json", "templates_folder")).collect()
}

/// Folders in `folder` whose names do not begin with a dot; links are left out.
fn visible_folders(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|file_type| file_type.is_dir()))
        .filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
        .map(|entry| entry.path())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registered_and_near_vaults_are_found_once_and_lost_ones_left_out() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().canonicalize().unwrap();
        let make = |path: &str| fs::create_dir_all(root.join(path)).unwrap();
        for path in ["Notes/.obsidian", "a/b/c/.obsidian", "a/b/c/d/.obsidian", ".cache/x/.obsidian"] {
            make(path);
        }
        make("far/e/f/g/.obsidian");
        make(".config/obsidian");
        let far = root.join("far/e/f/g");
        let registry = serde_json::json!({ "vaults": {
            "1": { "path": far, "ts": 1, "open": true },
            "2": { "path": root.join("Notes") },
            "3": { "path": root.join("gone") },
        } });
        fs::write(root.join(".config/obsidian/obsidian.json"), registry.to_string()).unwrap();
        let found = obsidian_vaults(&root, &[root.join(".config")]);
        assert_eq!(found, [root.join("Notes"), root.join("a/b/c"), far]);
        fs::write(root.join(".config/obsidian/obsidian.json"), "{").unwrap();
        assert_eq!(obsidian_vaults(&root, &[root.join(".config")]).len(), 2);
    }
}
