//! Derived files may be deleted, truncated, altered or replaced at any time; the next command still
//! gives the same result.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Sandbox, everything, harbour, hashes};

const DERIVED: [&str; 3] = ["_index", "_state", "_embeddings"];

/// Commands to run. The first command after a damage repairs it, so each damage is combined with
/// another command.
const QUESTIONS: [&[&str]; 4] = [
    &["search", "postgres OR firewall OR tag:network", "--json"],
    &["related", "3c3c3c3c", "--hops", "2", "--json"],
    &["core", "--print"],
    &["get", "2b2b2b2b", "--raw"],
];

/// Runs one of the commands, which must neither fail nor panic.
fn answer(sandbox: &Sandbox, question: usize, after: &str) -> String {
    let question = QUESTIONS[question % QUESTIONS.len()];
    let ran = sandbox.cm(question);
    assert!(ran.code == 0 && !ran.stderr.contains("panicked"), "{question:?} {after}: {}", ran.snapshot());
    ran.stdout
}

/// Creates a vault with all kinds of derived data: a compacted generation with a log, deletions,
/// usage, and a pending queue.
fn used() -> Sandbox {
    let sandbox = harbour();
    sandbox.cm(&["reindex"]).ok();
    sandbox.write("notes/later.md", "# Later\n\nThe firewall again.\n");
    sandbox.cm(&["search", "firewall"]).ok();
    fs::remove_file(sandbox.vault().join("notes/later.md")).unwrap();
    sandbox.cm(&["get", "3c3c3c3c"]).ok();
    sandbox.cm(&["update", "8b8b8b8b", "--set", "importance=0.4"]).ok();
    sandbox
}

/// Returns the files below the derived folders, relative to the vault.
fn derived(sandbox: &Sandbox) -> Vec<PathBuf> {
    let all = everything(&sandbox.vault()).into_keys().map(PathBuf::from);
    all.filter(|path| DERIVED.iter().any(|folder| path.starts_with(folder))).collect()
}

/// Replaces the derived folders of one vault by those of another.
fn copy(from: &Path, to: &Path) {
    for folder in DERIVED {
        let target = to.join(folder);
        if target.is_dir() {
            fs::remove_dir_all(&target).unwrap();
        } else if target.exists() {
            fs::remove_file(&target).unwrap();
        }
        for file in everything(&from.join(folder)).into_keys() {
            let to = target.join(&file);
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(from.join(folder).join(file), to).unwrap();
        }
    }
}

/// A named function that damages a vault.
type Damage = (String, Box<dyn Fn(&Path)>);

/// Applies each damage to fresh caches and compares the result of a command.
fn survives(damages: impl Fn(&Sandbox) -> Vec<Damage>) {
    let sandbox = used();
    let kept = sandbox.root().join("kept");
    fs::create_dir(&kept).unwrap();
    copy(&sandbox.vault(), &kept);
    let before: Vec<String> =
        (0..QUESTIONS.len()).map(|question| answer(&sandbox, question, "undamaged")).collect();
    let notes = hashes(&sandbox.vault());
    copy(&kept, &sandbox.vault());
    for (number, (name, damage)) in damages(&sandbox).into_iter().enumerate() {
        copy(&kept, &sandbox.vault());
        damage(&sandbox.vault());
        // Lost usage changes scores and thus CORE.md; only search uses embeddings.
        let by_search = name.contains("_embeddings") || (name.contains("_state") && number % 4 == 2);
        let question = if by_search { 0 } else { number };
        assert_eq!(answer(&sandbox, question, &name), before[question % QUESTIONS.len()], "{name}");
    }
    assert_eq!(hashes(&sandbox.vault()), notes);
}

/// Creates damages for each derived file, based on its content.
fn each_file(sandbox: &Sandbox, spoil: impl Fn(&[u8]) -> Vec<(String, Option<Vec<u8>>)>) -> Vec<Damage> {
    let mut damages: Vec<Damage> = Vec::new();
    for file in derived(sandbox) {
        let bytes = fs::read(sandbox.vault().join(&file)).unwrap();
        for (how, spoilt) in spoil(&bytes) {
            let file = file.clone();
            let name = format!("after {} was {how}", file.display());
            damages.push((
                name,
                Box::new(move |vault| match &spoilt {
                    Some(bytes) => fs::write(vault.join(&file), bytes).unwrap(),
                    None => fs::remove_file(vault.join(&file)).unwrap(),
                }),
            ));
        }
    }
    assert!(damages.len() > 10, "there is something to damage");
    damages
}

#[test]
fn a_removed_folder_is_built_again() {
    survives(|_| {
        [&["_index"][..], &["_state"], &["_embeddings"], &["_index", "_embeddings"], &DERIVED]
            .into_iter()
            .map(|folders| -> Damage {
                let remove = |vault: &Path| {
                    folders.iter().for_each(|folder| fs::remove_dir_all(vault.join(folder)).unwrap())
                };
                (format!("without {folders:?}"), Box::new(remove))
            })
            .collect()
    });
}

#[test]
fn any_single_file_may_be_removed() {
    survives(|sandbox| each_file(sandbox, |_| vec![("removed".into(), None)]));
}

#[test]
fn any_file_may_be_cut_short() {
    survives(|sandbox| {
        each_file(sandbox, |bytes| {
            let lengths = [bytes.len() / 2, bytes.len().saturating_sub(1)];
            lengths
                .into_iter()
                .map(|length| (format!("cut to {length} bytes"), Some(bytes[..length].to_vec())))
                .collect()
        })
    });
}

#[test]
fn any_bit_of_any_file_may_flip() {
    survives(|sandbox| {
        each_file(sandbox, |bytes| {
            let places = [5, bytes.len() / 2, bytes.len().saturating_sub(1)];
            let flip = |at: usize| {
                let mut flipped = bytes.to_vec();
                *flipped.get_mut(at)? ^= 0x10;
                Some((format!("flipped at byte {at}"), Some(flipped)))
            };
            places.into_iter().filter_map(flip).collect()
        })
    });
}

#[test]
fn a_folder_may_stand_where_a_file_was_and_a_file_where_a_folder_was() {
    survives(|sandbox| {
        let files = derived(sandbox);
        let folders: std::collections::BTreeSet<PathBuf> = files
            .iter()
            .flat_map(|file| file.ancestors().skip(1))
            .filter(|path| path.components().count() > 0)
            .map(Path::to_owned)
            .collect();
        let into_file = folders.into_iter().map(|folder| -> Damage {
            (
                format!("after {} became a file", folder.display()),
                Box::new(move |vault| {
                    fs::remove_dir_all(vault.join(&folder)).unwrap();
                    fs::write(vault.join(&folder), "no folder").unwrap();
                }),
            )
        });
        let into_folder = files.into_iter().map(|file| -> Damage {
            (
                format!("after {} became a folder", file.display()),
                Box::new(move |vault| {
                    fs::remove_file(vault.join(&file)).unwrap();
                    fs::create_dir_all(vault.join(&file).join("inner")).unwrap();
                }),
            )
        });
        into_file.chain(into_folder).collect()
    });
}

#[test]
fn an_index_of_another_version_is_read_anew_with_one_line_about_it() {
    let sandbox = used();
    let before = answer(&sandbox, 0, "undamaged");
    let current = sandbox.vault().join("_index/current");
    let mut bytes = fs::read(&current).unwrap();
    bytes[4] += 1;
    fs::write(&current, bytes).unwrap();
    insta::assert_snapshot!(sandbox.cm(&["search", "gauge"]).snapshot(), @"
    7a7a7a7a  Heights are relative to chart datum
              fact · 0.90 · vault/heights-7a7a7a.md:13
              Never to the gauge's zero.
    [stderr]
    note: rebuilt the index: the index was written by another version
    [exit 0]
    ");
    assert_eq!(answer(&sandbox, 0, "of another version"), before);
}

#[test]
fn a_damaged_index_is_told_once_and_not_again() {
    let sandbox = used();
    let current = sandbox.vault().join("_index/current");
    fs::write(&current, "nonsense").unwrap();
    insta::assert_snapshot!(sandbox.cm(&["search", "gauge"]).snapshot(), @"
    7a7a7a7a  Heights are relative to chart datum
              fact · 0.90 · vault/heights-7a7a7a.md:13
              Never to the gauge's zero.
    [stderr]
    note: rebuilt the index: the index was damaged (current)
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["search", "gauge"]).snapshot(), @"
    7a7a7a7a  Heights are relative to chart datum
              fact · 0.90 · vault/heights-7a7a7a.md:13
              Never to the gauge's zero.
    [exit 0]
    ");
    fs::write(&current, "nonsense").unwrap();
    insta::assert_snapshot!(sandbox.cm(&["reindex"]).snapshot(), @"
    12 notes: 12 added, 0 updated, 0 removed  [MS] ms
    rebuilt the index: the index was damaged (current)
    [exit 0]
    ");
}

#[test]
fn lost_usage_costs_counts_and_no_answer() {
    let sandbox = used();
    let log = sandbox.vault().join("_state/usage.log");
    let line = fs::read_to_string(&log).unwrap();
    fs::write(&log, format!("{line}{{\"key\": \n{line}")).unwrap();
    insta::assert_snapshot!(sandbox.cm(&["decay", "--limit", "2"]).snapshot(), @"
    2026-11-21  pinned 1, active 1, fading 3, dormant 3
    999.000  pinned  7a7a7a7a  fact      Heights are relative to chart datum
      1.648  active  3c3c3c3c  decision  Use Postgres
    … of 8 notes: --limit 8 lists all
    [stderr]
    note: [ROOT]/vault/_state/usage.log has 1 damaged line, which was skipped
    [exit 0]
    ");
    fs::remove_file(&log).unwrap();
    fs::create_dir(&log).unwrap();
    insta::assert_snapshot!(sandbox.cm(&["decay", "--limit", "2"]).snapshot(), @"
    2026-11-21  pinned 1, fading 3, dormant 4
    999.000  pinned  7a7a7a7a  fact      Heights are relative to chart datum
      0.387  fading  1a1a1a1a  solution  Keep pooled connections alive
    … of 8 notes: --limit 8 lists all
    [stderr]
    note: cannot read [ROOT]/vault/_state/usage.log: it is not a regular file owned by this user with a single link; remove it; its usage counts are skipped
    [exit 0]
    ");
    let core = sandbox.cm(&["core", "--print"]);
    assert_eq!(core.code, 0, "{}", core.snapshot());
    let got = sandbox.cm(&["get", "3c3c3c3c"]);
    assert_eq!(got.code, 0, "{}", got.snapshot());
}

#[test]
fn a_change_goes_through_over_damaged_caches() {
    let sandbox = used();
    for file in derived(&sandbox).into_iter().filter(|file| file.starts_with("_index")) {
        fs::write(sandbox.vault().join(file), "nonsense").unwrap();
    }
    sandbox.cm(&["update", "8b8b8b8b", "--add-tag", "harbour"]).ok();
    assert_eq!(sandbox.cm(&["search", "tag:harbour", "--json"]).ok().json()["total"], 1);
}

#[test]
fn where_the_state_folder_is_a_file_a_change_is_refused_and_says_why() {
    let sandbox = used();
    fs::remove_dir_all(sandbox.vault().join("_state")).unwrap();
    sandbox.write("_state", "in the way");
    let before = hashes(&sandbox.vault());
    insta::assert_snapshot!(sandbox.cm(&["update", "8b8b8b8b", "--add-tag", "harbour"]).snapshot(), @"
    [stderr]
    error: cannot create the folder [ROOT]/vault/_state: file exists
       at: [ROOT]/vault/_state
    [exit 1]
    ");
    assert_eq!(hashes(&sandbox.vault()), before);
}
