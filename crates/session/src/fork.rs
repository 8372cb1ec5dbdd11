//! Groups logs of the same conversation: resuming or forking a session copies its records with
//! their ids into a new log.

use std::collections::BTreeMap;

use cm_note::union_find::UnionFind;

/// Minimum length of a record id that identifies its record, in bytes; shorter ids are counters.
const MIN_ID_BYTES: usize = 8;

/// Maximum number of logs with the same id; an id in more logs is a constant of the agent's
/// program.
pub const MAX_LOGS_PER_RECORD: usize = 12;

/// Returns `true` if a record id is long enough to identify its record in several logs.
pub fn is_identifying(id: &str) -> bool {
    id.len() >= MIN_ID_BYTES
}

/// Groups logs by the record ids that they share; one shared id suffices.
///
/// `logs` has the record ids of each log. Returns the positions of each group's logs in ascending
/// order, with the groups ordered by their first log. A log without shared ids is its own group.
///
/// ```
/// use cm_session::fork::conversations;
/// let logs = [vec!["record-1", "record-2"], vec!["record-9"], vec!["record-2", "record-3"]];
/// assert_eq!(conversations(&logs), [vec![0, 2], vec![1]]);
/// ```
pub fn conversations<Id: AsRef<str>>(logs: &[Vec<Id>]) -> Vec<Vec<usize>> {
    let mut holders: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (log, ids) in logs.iter().enumerate() {
        for id in ids.iter().map(AsRef::as_ref).filter(|id| is_identifying(id)) {
            let of = holders.entry(id).or_default();
            if of.last() != Some(&log) {
                of.push(log);
            }
        }
    }
    let mut joined = UnionFind::new(logs.len());
    for of in holders.values().filter(|of| of.len() <= MAX_LOGS_PER_RECORD) {
        for pair in of.windows(2) {
            joined.join(pair[0], pair[1]);
        }
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for log in 0..logs.len() {
        groups.entry(joined.root(log)).or_default().push(log);
    }
    groups.into_values().collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn forks_of_forks_are_one_conversation() {
        let logs =
            [vec!["aaaaaaaa"], vec!["cccccccc", "dddddddd"], vec!["aaaaaaaa", "cccccccc"], vec!["eeeeeeee"]];
        assert_eq!(conversations(&logs), [vec![0, 1, 2], vec![3]]);
    }

    #[test]
    fn short_ids_and_ids_of_every_log_join_nothing() {
        assert_eq!(conversations(&[vec!["1234567"], vec!["1234567"]]).len(), 2);
        let constant = vec![vec!["00000000-constant"]; 13];
        assert_eq!(conversations(&constant).len(), 13);
        assert_eq!(conversations(&constant[..12]).len(), 1);
    }

    proptest! {
        #[test]
        fn every_log_is_in_one_group_and_sharers_are_together(
            logs in prop::collection::vec(prop::collection::vec("[ab]{8}", 0..4), 0..12)
        ) {
            let groups = conversations(&logs);
            let mut all: Vec<usize> = groups.concat();
            all.sort_unstable();
            prop_assert_eq!(all, (0..logs.len()).collect::<Vec<_>>());
            let of = |log: usize| groups.iter().position(|group| group.contains(&log));
            for a in 0..logs.len() {
                for b in 0..logs.len() {
                    if logs[a].iter().any(|id| logs[b].contains(id)) {
                        prop_assert_eq!(of(a), of(b));
                    }
                }
            }
        }
    }
}
