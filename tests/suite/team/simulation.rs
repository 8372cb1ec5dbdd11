//! Clones that do random things to one vault, synchronize now and then, and are killed meanwhile. At
//! the end all of them have the same files, and no event is lost.

use std::time::Duration;

use super::{Clone, Remote, settle};

/// Number of operations; `CM_TEST_SYNC_OPERATIONS` sets it for the full measurement.
fn operations() -> u64 {
    std::env::var("CM_TEST_SYNC_OPERATIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(25)
}

/// Seed of the random choices; `CM_TEST_SYNC_SEED` sets it.
fn seed() -> u64 {
    std::env::var("CM_TEST_SYNC_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// A linear congruential generator (Knuth, MMIX).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }

    fn pick<'a>(&mut self, from: &'a [String]) -> Option<&'a String> {
        (!from.is_empty()).then(|| &from[self.below(from.len() as u64) as usize])
    }
}

fn notes(clone: &Clone, folder: &str) -> Vec<String> {
    clone.sandbox.git(&["ls-files", folder]).lines().map(str::to_owned).collect()
}

/// One random operation of a clone. Returns the number of feedback events that it wrote.
fn operate(clone: &Clone, number: u64, random: &mut Random) -> u64 {
    let word = format!("n{number}");
    let facts = notes(clone, "graph/facts");
    let rules = notes(clone, "playbook");
    let title = format!("Observation {word} of the service");
    match (random.below(12), random.pick(&facts).cloned(), random.pick(&rules).cloned()) {
        (0..=2, ..) => drop(clone.cm(&["add", "--type", "fact", &title]).ok()),
        (3, ..) => {
            let rule = format!("Check {word} before the release of part {number}");
            clone.cm(&["playbook", "add", &rule, "--category", "testing", "--force"]);
        }
        (4 | 5, _, Some(rule)) => return u64::from(clone.cm(&["mark", &rule, "--helpful"]).code == 0),
        (6, Some(fact), _) => drop(clone.cm(&["update", &fact, "--add-tag", &word])),
        (7, Some(fact), _) => drop(clone.cm(&["update", &fact, "--append", &format!("Line {word}.")])),
        (8, Some(fact), _) => drop(clone.cm(&["rename", &fact, &format!("Renamed {word}")])),
        (9, Some(fact), _) if random.below(3) == 0 => drop(clone.cm(&["delete", &fact])),
        (9, Some(fact), _) => {
            let text = clone.sandbox.read(&fact);
            clone.sandbox.write(&fact, format!("{text}\nBy hand {word}.\n"));
        }
        (10, ..) => drop(clone.cm(&["episode", &format!("Entry {word}")])),
        (11, ..) => drop(clone.cm(&["core"])),
        _ => {}
    }
    0
}

/// Starts a synchronization and kills it after a random time.
fn sync_with_a_kill(clone: &Clone, random: &mut Random) {
    let mut child =
        clone.sandbox.command(&["sync"]).env("CM_NOW", clone.tick()).spawn().expect("the program starts");
    std::thread::sleep(Duration::from_millis(random.below(80)));
    // It may have ended by itself.
    let _ = child.kill();
    let _ = child.wait();
}

#[test]
fn clones_that_are_killed_while_they_synchronize_end_with_the_same_files() {
    let remote = Remote::new();
    let names = ["ada", "ben", "cat", "dan", "eve"];
    let first = Clone::first(&remote, names[0], "--- graph/facts/a.md\n# A\n\nOne.\n");
    let others: Vec<Clone> = names[1..].iter().map(|name| Clone::of(&remote, name)).collect();
    let clones: Vec<&Clone> = std::iter::once(&first).chain(&others).collect();
    let mut random = Random(seed());
    let mut events = 0;
    for number in 0..operations() {
        let clone = clones[random.below(clones.len() as u64) as usize];
        events += operate(clone, number, &mut random);
        match random.below(10) {
            0 => sync_with_a_kill(clone, &mut random),
            1 | 2 => drop(clone.cm(&["sync"])),
            _ => {}
        }
        if number % 250 == 249 {
            settle(&clones);
        }
    }
    settle(&clones);
    let rules: String =
        notes(clones[0], "playbook").iter().map(|path| clones[0].sandbox.read(path)).collect();
    assert_eq!(rules.matches("signal: helpful").count() as u64, events, "{rules}");
    for path in notes(clones[0], "graph").iter().chain(&notes(clones[0], "playbook")) {
        assert!(!clones[0].sandbox.read(path).contains("<<<<<<<"), "{path}");
    }
}
