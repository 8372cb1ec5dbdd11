//! Collects file names from the upper levels of the working folder.

use std::path::Path;

/// Folders with generated or third-party files.
const FOREIGN: [&str; 6] = ["node_modules", "target", "vendor", "dist", "build", "venv"];
/// Number of folder levels to visit.
const MAX_FOLDER_DEPTH: usize = 3;

/// Returns at most `most` file names from a folder and its subfolders, without links and hidden
/// folders.
pub fn file_names(folder: &Path, most: usize) -> Vec<String> {
    let mut names = Vec::new();
    let mut level = vec![folder.to_owned()];
    for _ in 0..MAX_FOLDER_DEPTH {
        let mut below = Vec::new();
        for folder in level {
            let Ok(entries) = std::fs::read_dir(folder) else { continue };
            for entry in entries.flatten().take(most) {
                let name = entry.file_name().to_string_lossy().into_owned();
                match entry.file_type() {
                    Ok(kind) if kind.is_file() => names.push(name),
                    Ok(kind)
                        if kind.is_dir() && !name.starts_with('.') && !FOREIGN.contains(&name.as_str()) =>
                    {
                        below.push(entry.path());
                    }
                    _ => {}
                }
                if names.len() >= most {
                    return names;
                }
            }
        }
        level = below;
    }
    names
}
