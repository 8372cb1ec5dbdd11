//! The seal records which segment files were verified and their metadata at that time. Verifying
//! the checksums of all files at every start would cost more than a search.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tantivy::Index;

use super::OpenFailure;
use super::directory::touched;
use crate::error::{Error, RebuildReason, at};
use crate::frame;

const SEAL: &str = "seal";

type SegmentSeal = BTreeMap<String, [u64; 4]>;

/// Verifies the checksum of every segment file that changed since it was sealed. Returns whether no
/// file had changed.
pub(crate) fn check(index: &Index, folder: &Path) -> Result<bool, OpenFailure> {
    // A seal that is missing or damaged only means that everything is checked.
    let sealed: SegmentSeal = match frame::read(&folder.join(SEAL))? {
        Some(Ok(bytes)) => postcard::from_bytes(&bytes).unwrap_or_default(),
        _ => SegmentSeal::new(),
    };
    let mut all_known = true;
    for path in files(index)? {
        let name = path.to_string_lossy().into_owned();
        let recorded = sealed.get(&name);
        let now = match touched(&folder.join(&path)) {
            Ok(now) => now,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => match recorded {
                Some(_) => return Err(RebuildReason::damaged(format!("no {name}")).into()),
                None => continue,
            },
            Err(error) => return Err(error.into()),
        };
        if recorded == Some(&now) {
            continue;
        }
        all_known = false;
        if !index.directory().validate_checksum(&path).unwrap_or(false) {
            return Err(RebuildReason::damaged(name).into());
        }
    }
    Ok(all_known)
}

/// Records the current segment files as verified, so that the next opening skips their checksums.
pub(crate) fn write(index: &Index, folder: &Path) -> Result<(), Error> {
    let mut seal = SegmentSeal::new();
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
