//! Which segment files were found whole, and what they looked like then: reading them all each time, to compare
//! checksums, would cost more than any search.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tantivy::Index;

use super::Failure;
use super::directory::touched;
use crate::error::{Error, Unusable, at};
use crate::frame;

const SEAL: &str = "seal";

type Seal = BTreeMap<String, [u64; 4]>;

/// Compares the checksum of every file that is not as the seal knows it. Says whether it knew them all.
pub(crate) fn check(index: &Index, folder: &Path) -> Result<bool, Failure> {
    // A seal that is missing or damaged only means that everything is checked.
    let sealed: Seal = match frame::read(&folder.join(SEAL))? {
        Some(Ok(bytes)) => postcard::from_bytes(&bytes).unwrap_or_default(),
        _ => Seal::new(),
    };
    let mut all_known = true;
    for path in files(index)? {
        let name = path.to_string_lossy().into_owned();
        let known = sealed.get(&name);
        let now = match touched(&folder.join(&path)) {
            Ok(now) => now,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => match known {
                Some(_) => return Err(Unusable::damaged(format!("no {name}")).into()),
                None => continue,
            },
            Err(error) => return Err(error.into()),
        };
        if known == Some(&now) {
            continue;
        }
        all_known = false;
        if !index.directory().validate_checksum(&path).unwrap_or(false) {
            return Err(Unusable::damaged(name).into());
        }
    }
    Ok(all_known)
}

/// Notes what the files look like now.
pub(crate) fn write(index: &Index, folder: &Path) -> Result<(), Error> {
    let mut seal = Seal::new();
    for path in files(index)? {
        if let Ok(now) = touched(&folder.join(&path)) {
            seal.insert(path.to_string_lossy().into_owned(), now);
        }
    }
    let path = folder.join(SEAL);
    frame::write(&path, &postcard::to_allocvec(&seal).unwrap_or_default()).map_err(at(&path))
}

fn files(index: &Index) -> tantivy::Result<Vec<PathBuf>> {
    Ok(index.load_metas()?.list_segment_files().into_iter().collect())
}
