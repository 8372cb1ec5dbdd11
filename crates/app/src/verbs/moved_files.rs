//! Recognizes files that a person moved: to a listing of changes they are one deleted and one added file.

use std::collections::HashMap;

use crate::context::open_vault::OpenVault;
use cm_note::path::NotePath;

/// Returns for each new path of a moved file the old one: a removed and an added note with one ID, or without IDs the only
/// removed and the only added file with one content.
pub(crate) fn moved_files<'f>(
    open: &OpenVault,
    removed: impl Iterator<Item = (&'f NotePath, Vec<u8>)>,
    added: impl Iterator<Item = (&'f NotePath, Vec<u8>)>,
) -> HashMap<NotePath, NotePath> {
    let identity = |path: &NotePath, bytes: Vec<u8>| {
        let id = path.is_markdown().then(|| open.parse(path, &bytes).note.id).flatten();
        id.map_or(bytes, |id| id.to_string().into_bytes())
    };
    let mut files: HashMap<Vec<u8>, [Vec<&NotePath>; 2]> = HashMap::new();
    for (path, bytes) in removed.filter(|(_, bytes)| !bytes.is_empty()) {
        files.entry(identity(path, bytes)).or_default()[0].push(path);
    }
    for (path, bytes) in added {
        if let Some(paths) = files.get_mut(&identity(path, bytes)) {
            paths[1].push(path);
        }
    }
    let moved =
        files.into_values().filter_map(|[removed, added]| match (removed.as_slice(), added.as_slice()) {
            ([from], [to]) => Some(((*to).clone(), (*from).clone())),
            _ => None,
        });
    moved.collect()
}
