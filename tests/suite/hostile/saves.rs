//! An editor saves a note while commands change it.

use std::fs;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::published;

const NOTE: &str = "graph/facts/pool.md";

/// Number of saves; `CM_TEST_SAVES` sets it for the full measurement.
fn saves() -> usize {
    std::env::var("CM_TEST_SAVES").ok().and_then(|number| number.parse().ok()).unwrap_or(60)
}

/// Saves a note like an editor: the whole buffer, in place or by renaming a new file.
fn save(file: &std::path::Path, text: &str, in_place: bool) {
    if in_place {
        fs::write(file, text).unwrap();
    } else {
        let new = file.with_extension("swp");
        fs::write(&new, text).unwrap();
        fs::rename(&new, file).unwrap();
    }
}

#[test]
fn no_save_of_a_person_is_lost_beside_updates_of_the_same_note() {
    let sandbox = published();
    sandbox.cm(&["reindex"]).ok();
    let file = sandbox.vault().join(NOTE);
    let done = AtomicBool::new(false);
    let ended = AtomicUsize::new(0);
    let mut lost = Vec::new();
    std::thread::scope(|scope| {
        let updates = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let tag = format!("t{}", ended.load(Ordering::Relaxed) % 7);
                let mut update = sandbox.command(&["update", "Pool", "--add-tag", &tag, "--no-refresh"]);
                update.stdout(Stdio::null()).status().unwrap();
                ended.fetch_add(1, Ordering::Relaxed);
            }
        });
        for n in 0..saves() {
            // The editor's buffer holds the note as it was when last loaded.
            let Ok(loaded) = fs::read_to_string(&file) else { continue };
            let body = loaded.find("\n---\n").map_or(0, |end| end + 5);
            let mark = format!("save {n} of the person.\n");
            save(
                &file,
                &format!("{}\nThe pool holds ten connections.\n\n{mark}", &loaded[..body]),
                n % 2 == 0,
            );
            // Long enough for an update in between, short enough to collide with its writing.
            std::thread::sleep(std::time::Duration::from_micros(500 * (n as u64 % 13)));
            let has_it = || fs::read_to_string(&file).unwrap_or_default().contains(&mark);
            // Until the update that saw the save has put it back, the note may be without it for a moment.
            let before = ended.load(Ordering::Relaxed);
            let mut found = has_it();
            while !found && ended.load(Ordering::Relaxed) < before + 2 && !updates.is_finished() {
                std::thread::yield_now();
                found = has_it();
            }
            if !found {
                lost.push(n);
            }
        }
        done.store(true, Ordering::Relaxed);
        updates.join().unwrap();
    });
    assert!(ended.into_inner() > 0);
    assert!(lost.is_empty(), "{} of {} saves are lost: {lost:?}", lost.len(), saves());
    let beside: Vec<_> =
        fs::read_dir(file.parent().unwrap()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(beside, ["pool.md"], "nothing is left beside the note");
    sandbox.git(&["fsck", "--strict"]);
}

#[test]
fn a_file_that_an_editor_has_emptied_to_save_it_is_not_replaced() {
    let sandbox = published();
    sandbox.cm(&["reindex"]).ok();
    let file = sandbox.vault().join(NOTE);
    let mut editor = fs::File::create(&file).unwrap();
    let ran = sandbox.cm(&["update", "Pool", "--add-tag", "t", "--no-refresh"]);
    assert_eq!(ran.code, 5, "{}", ran.stderr);
    assert!(ran.stderr.contains("is empty"), "{}", ran.stderr);
    std::io::Write::write_all(&mut editor, b"The person's words.\n").unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "The person's words.\n");
}
