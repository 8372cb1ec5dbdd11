//! What the folder that is worked in holds, by the names of its files: a look at the upper folders, not a walk.

use std::path::Path;

/// Folders that hold what others wrote.
const FOREIGN: [&str; 6] = ["node_modules", "target", "vendor", "dist", "build", "venv"];
/// How deep is looked.
const DEPTH: usize = 3;

/// The names of at most `most` files of a folder and the folders in it; links and hidden folders are left out.
pub fn file_names(folder: &Path, most: usize) -> Vec<String> {
    let mut names = Vec::new();
    let mut level = vec![folder.to_owned()];
    for _ in 0..DEPTH {
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
