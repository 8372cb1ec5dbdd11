//! Changes that the threads of one process make to a vault: their order, and what the index may not
//! have yet.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use cm_note::path::NotePath;
use cm_store::vault::write::is_temporary;

/// Number of the latest changed paths that are kept.
const MAX_WRITES: usize = 1024;

/// The latest changes.
#[derive(Debug, Default)]
pub(crate) struct RecentWrites {
    /// Number of changes until now.
    count: u64,
    /// Number of changes that the index is known to have.
    indexed: u64,
    /// Paths that a thread is changing and has not recorded yet.
    begun: Vec<NotePath>,
    /// Changed paths with the number of their change, oldest first.
    paths: VecDeque<(u64, NotePath)>,
    /// The last change of each caller that the index may not have.
    last: HashMap<Option<String>, u64>,
}

impl RecentWrites {
    /// Announces a change, whose files may be seen before it is recorded.
    pub(super) fn begin<'a>(&mut self, paths: impl Iterator<Item = &'a NotePath>) {
        self.begun = paths.cloned().collect();
    }

    /// Records a change, after which `caller` is not answered from an older index.
    pub(super) fn record<'a>(&mut self, caller: Option<&str>, paths: impl Iterator<Item = &'a NotePath>) {
        self.begun.clear();
        self.count += 1;
        self.paths.extend(paths.map(|path| (self.count, path.clone())));
        let excess = self.paths.len().saturating_sub(MAX_WRITES);
        self.paths.drain(..excess);
        self.last.insert(caller.map(str::to_owned), self.count);
    }

    /// Number of changes until now; a refresh that begins afterwards has them.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Records that the index has the first `count` changes.
    pub(super) fn mark_indexed(&mut self, count: u64) {
        self.indexed = self.indexed.max(count);
        self.last.retain(|_, last| *last > count);
    }

    /// Number of changes that the index has.
    pub(crate) fn indexed(&self) -> u64 {
        self.indexed
    }

    /// Number of changed paths that the index may not have yet.
    pub(super) fn unindexed(&self) -> usize {
        self.unindexed_paths().count()
    }

    fn unindexed_paths(&self) -> impl Iterator<Item = &NotePath> {
        self.paths.iter().rev().take_while(|(number, _)| *number > self.indexed).map(|(_, path)| path)
    }

    /// Whether a changed file or folder was changed by this process: it is or contains a note that a thread is
    /// writing, or has written since the index was complete, or it is a temporary file.
    pub(super) fn explains(&self, changed: &str) -> bool {
        let is_with = |path: &NotePath| {
            let rest = path.as_str().strip_prefix(changed);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let name = changed.rsplit('/').next().unwrap_or(changed);
        is_temporary(name) || self.begun.iter().any(is_with) || self.unindexed_paths().any(is_with)
    }

    /// Whether the index has everything that `caller` changed.
    pub(super) fn has_all_of(&self, caller: Option<&str>) -> bool {
        !self.last.contains_key(&caller.map(str::to_owned))
    }

    /// Paths that were changed after the first `count` changes; of very many, the latest.
    pub(crate) fn since(&self, count: u64) -> Vec<NotePath> {
        let newer = self.paths.iter().filter(|(number, _)| *number > count);
        newer.map(|(_, path)| path.clone()).collect()
    }
}

/// Lets one thread of this process at a time wait for the vault's lock and hold it. The lock itself
/// is for other processes: it is polled, and knows no order.
#[derive(Debug, Default)]
pub(super) struct WriteTurns {
    is_taken: Mutex<bool>,
    freed: Condvar,
}

/// The turn of one thread; ends when dropped.
pub(super) struct WriteTurn<'a>(&'a WriteTurns);

impl WriteTurns {
    /// Waits up to `patience`; `None` if another thread still has the turn.
    pub(super) fn take(&self, patience: Duration) -> Option<WriteTurn<'_>> {
        let mut is_taken = self.is_taken.lock();
        self.freed.wait_while_for(&mut is_taken, |is_taken| *is_taken, patience);
        if *is_taken {
            return None;
        }
        *is_taken = true;
        Some(WriteTurn(self))
    }
}

impl Drop for WriteTurn<'_> {
    fn drop(&mut self) {
        *self.0.is_taken.lock() = false;
        self.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> NotePath {
        NotePath::parse(text).unwrap()
    }

    #[test]
    fn a_caller_is_answered_from_an_older_index_only_if_it_has_all_of_the_caller() {
        let mut writes = RecentWrites::default();
        writes.record(Some("Ada"), [path("a.md")].iter());
        writes.record(Some("Bo"), [path("b.md")].iter());
        assert!(writes.has_all_of(Some("Cy")) && !writes.has_all_of(Some("Ada")));
        assert_eq!(writes.since(writes.indexed()), [path("a.md"), path("b.md")]);
        assert_eq!(writes.unindexed(), 2);
        writes.mark_indexed(1);
        assert_eq!(writes.unindexed(), 1);
        assert!(!writes.explains("a.md") && writes.explains("b.md"));
        assert!(writes.has_all_of(Some("Ada")) && !writes.has_all_of(Some("Bo")));
        assert_eq!(writes.since(writes.indexed()), [path("b.md")]);
    }

    #[test]
    fn what_this_process_is_about_to_write_explains_its_folders_and_temporary_files() {
        let mut writes = RecentWrites::default();
        writes.begin([path("graph/facts/a.md")].iter());
        for own in ["graph", "graph/facts", "graph/facts/a.md", "graph/facts/.cm-x1.tmp"] {
            assert!(writes.explains(own), "{own}");
        }
        for other in ["graph/facts/b.md", "graph/fact", "graph/facts/a", "a.md", "cm.toml"] {
            assert!(!writes.explains(other), "{other}");
        }
        writes.record(None, [path("graph/facts/a.md")].iter());
        assert!(writes.explains("graph/facts/a.md"));
        writes.mark_indexed(writes.count());
        assert!(!writes.explains("graph/facts/a.md"), "from here on it is another's change");
    }

    #[test]
    fn only_one_thread_has_the_turn() {
        let turns = WriteTurns::default();
        let turn = turns.take(Duration::ZERO);
        assert!(turn.is_some() && turns.take(Duration::ZERO).is_none());
        drop(turn);
        assert!(turns.take(Duration::ZERO).is_some());
    }
}
