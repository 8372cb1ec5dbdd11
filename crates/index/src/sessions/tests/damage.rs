//! With damaged files, queries either return correct results or report that the index must be
//! rebuilt.

use std::fs;
use std::path::{Path, PathBuf};

use tantivy::{Index, IndexSettings};

use super::sample_session::{AT_ONCE, SampleSession, agent, person, seen, told, tool};
use crate::sessions::schema::schema;
use crate::sessions::store::documents;
use crate::sessions::{SessionStoreWriter, Sessions};
use crate::text::FramedDirectory;
use crate::{Error, RebuildReason, frame};

fn talks() -> Vec<SampleSession> {
    let said = |line: u64| match line % 3 {
        0 => person(line, &format!("the socket timeout {}", "retry ".repeat(line as usize))),
        1 => agent(line, "retry the connection reset"),
        _ => tool(line, "retrying the socket"),
    };
    (0..4).map(|n| SampleSession::new(&format!("s{n}"), (n..n + 7).map(said).collect())).collect()
}

/// Creates an index with several segments and deleted documents, so that it has files of every
/// type.
fn sound(folder: &Path) -> String {
    let talks = talks();
    told(folder, &talks);
    let mut writer = SessionStoreWriter::open(folder, AT_ONCE).unwrap();
    talks[0].tell(&mut writer);
    writer.finish().unwrap();
    seen(&Sessions::open(folder)).unwrap()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() { all.extend(files(&entry)) } else { all.push(entry) }
    }
    all.sort();
    all
}

fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    fs::create_dir_all(to).unwrap();
    for file in files(from) {
        let target = to.join(file.strip_prefix(from).unwrap());
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::copy(file, target).unwrap();
    }
}

/// Damages each file in turn, starting from the same sound index each time.
fn each_file(damage: impl Fn(&Path)) {
    let whole = tempfile::tempdir().unwrap();
    let expected = sound(whole.path());
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("sessions");
    let mut refused = 0;
    for file in files(whole.path()) {
        copy(whole.path(), &folder);
        let name = file.strip_prefix(whole.path()).unwrap();
        damage(&folder.join(name));
        match seen(&Sessions::open(&folder)) {
            Ok(seen) => assert_eq!(seen, expected, "{}", name.display()),
            Err(Error::Unusable(_)) => {
                refused += 1;
                // A writer says so too, or finds nothing there and begins anew; it never goes on with what is damaged.
                match SessionStoreWriter::open(&folder, AT_ONCE) {
                    Err(Error::Unusable(_)) => {}
                    Ok(writer) => {
                        assert!(writer.log(&talks()[0].log()).unwrap().is_none(), "{}", name.display())
                    }
                    Err(other) => panic!("{}: {other}", name.display()),
                }
                let (mut writer, why) = SessionStoreWriter::open_or_repair(&folder, AT_ONCE).unwrap();
                // What had no index has one since the writer was opened.
                assert!(why.is_some() || writer.log(&talks()[0].log()).unwrap().is_none());
                talks().iter().for_each(|talk| talk.tell(&mut writer));
                writer.finish().unwrap();
                assert_eq!(seen(&Sessions::open(&folder)).unwrap(), expected, "{}", name.display());
            }
            Err(other) => panic!("{}: {other}", name.display()),
        }
    }
    assert!(refused > 0);
}

#[test]
fn a_file_that_is_gone_is_noticed() {
    each_file(|file| fs::remove_file(file).unwrap());
}

#[test]
fn a_file_that_is_cut_short_is_noticed() {
    each_file(|file| {
        let bytes = fs::read(file).unwrap();
        fs::write(file, &bytes[..bytes.len() / 2]).unwrap();
    });
}

#[test]
fn a_file_with_a_changed_byte_is_noticed() {
    each_file(|file| {
        let mut bytes = fs::read(file).unwrap();
        let middle = bytes.len() / 2;
        if let Some(byte) = bytes.get_mut(middle) {
            *byte ^= 0x40;
        }
        fs::write(file, bytes).unwrap();
    });
}

#[test]
fn an_empty_file_and_one_of_something_else_are_noticed() {
    each_file(|file| fs::write(file, "").unwrap());
    each_file(|file| fs::write(file, "something else".repeat(100)).unwrap());
}

#[test]
fn a_folder_in_the_place_of_a_file_is_noticed() {
    each_file(|file| {
        fs::remove_file(file).unwrap();
        fs::create_dir(file).unwrap();
    });
}

#[test]
fn an_index_of_another_version_is_told_from_a_damaged_one() {
    let folder = tempfile::tempdir().unwrap();
    sound(folder.path());
    let meta = folder.path().join("documents/meta.json");
    let bytes = fs::read(&meta).unwrap();
    let mut foreign = bytes.clone();
    foreign[4..8].copy_from_slice(&99u32.to_le_bytes());
    fs::write(&meta, foreign).unwrap();
    let version = || Sessions::open(folder.path()).version();
    assert!(matches!(version(), Err(Error::Unusable(RebuildReason::Foreign))));
    assert!(matches!(
        SessionStoreWriter::open(folder.path(), AT_ONCE),
        Err(Error::Unusable(RebuildReason::Foreign))
    ));
    fs::write(&meta, &bytes).unwrap();
    let text = String::from_utf8(frame::read(&meta).unwrap().unwrap().unwrap()).unwrap();
    let other = text
        .replace("\"payload\": \"3 ", "\"payload\": \"9 ")
        .replace("\"payload\":\"3 ", "\"payload\":\"9 ");
    assert_ne!(text, other);
    frame::write(&meta, other.as_bytes()).unwrap();
    assert!(matches!(version(), Err(Error::Unusable(RebuildReason::Foreign))));
}

#[test]
fn an_index_that_another_process_is_creating_counts_as_missing() {
    let folder = tempfile::tempdir().unwrap();
    let documents = documents(folder.path());
    fs::create_dir_all(&documents).unwrap();
    let (schema, _) = schema();
    Index::create(FramedDirectory::open(&documents).unwrap(), schema, IndexSettings::default()).unwrap();
    let failure = Sessions::open(folder.path()).version().unwrap_err();
    assert!(matches!(failure, Error::Unusable(RebuildReason::Missing)), "{failure}");
    SessionStoreWriter::open(folder.path(), AT_ONCE).unwrap();
    assert!(Sessions::open(folder.path()).version().unwrap() > 0);
}
