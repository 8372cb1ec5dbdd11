//! Groups sessions into conversations. Resuming or forking a session copies its records, including
//! their ids, into a new log.

use std::collections::{BTreeMap, HashMap};

use super::opened::SessionIndex;
use cm_session::fork::MAX_LOGS_PER_RECORD;

/// Maps each session that shares a person's record with another session, or names the session it
/// was forked from, to its conversation: the smallest session number of the group.
pub(super) fn conversations(opened: &SessionIndex) -> tantivy::Result<BTreeMap<u64, u64>> {
    let mut holders_of_records: Vec<(u64, u64)> = Vec::new();
    for (segment, columns) in opened.searcher.segment_readers().iter().zip(opened.columns()?) {
        holders_of_records.extend(segment.doc_ids_alive().filter_map(|doc| columns.record(doc)));
    }
    holders_of_records.sort_unstable();
    holders_of_records.dedup();
    let mut groups = Groups::default();
    for holders in holders_of_records
        .chunk_by(|(a, _), (b, _)| a == b)
        .filter(|holders| holders.len() <= MAX_LOGS_PER_RECORD)
    {
        for pair in holders.windows(2) {
            groups.join(pair[0].1, pair[1].1);
        }
    }
    for (number, line) in &opened.book()?.sessions {
        if let Some(parent) = line.forked_from {
            groups.join(*number, parent);
        }
    }
    let members: Vec<u64> = groups.above.keys().copied().collect();
    Ok(members.into_iter().map(|member| (member, groups.least(member))).collect())
}

/// Union-find structure over session numbers; the smallest number is the root of its group.
#[derive(Default)]
struct Groups {
    above: HashMap<u64, u64>,
}

impl Groups {
    fn least(&mut self, mut of: u64) -> u64 {
        loop {
            let next = *self.above.entry(of).or_insert(of);
            if next == of {
                return of;
            }
            let over = *self.above.entry(next).or_insert(next);
            self.above.insert(of, over);
            of = over;
        }
    }

    fn join(&mut self, a: u64, b: u64) {
        let (a, b) = (self.least(a), self.least(b));
        self.above.insert(a.max(b), a.min(b));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn groups_do_not_depend_on_the_order_of_joining(pairs in proptest::collection::vec((0u64..20, 0u64..20), 0..30)) {
            let of = |pairs: &mut dyn Iterator<Item = &(u64, u64)>| {
                let mut groups = Groups::default();
                pairs.for_each(|(a, b)| groups.join(*a, *b));
                (0..20).map(|member| groups.least(member)).collect::<Vec<_>>()
            };
            prop_assert_eq!(of(&mut pairs.iter()), of(&mut pairs.iter().rev()));
        }
    }
}
