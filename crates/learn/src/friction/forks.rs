//! Detects logs of the same conversation and removes the records that they share.
//!
//! Resuming or forking a session copies its records into a new log; counting them twice would
//! double their friction.

use std::collections::HashSet;

use super::examined_log::ExaminedLog;
use cm_session::RecordId;
use cm_session::fork::{conversations, is_identifying};

/// Groups logs that share records, the longest log of each group first. Of the other logs, only
/// records that no earlier log contains are kept; logs without such records are dropped.
pub(super) fn group_by_conversation(logs: Vec<ExaminedLog>) -> Vec<Vec<ExaminedLog>> {
    let ids: Vec<Vec<IdText>> = logs.iter().map(|log| log.ids().into_iter().map(IdText).collect()).collect();
    let groups = conversations(&ids);
    let mut logs: Vec<Option<ExaminedLog>> = logs.into_iter().map(Some).collect();
    groups
        .into_iter()
        .map(|group| without_copies(group.into_iter().filter_map(|at| logs[at].take()).collect()))
        .collect()
}

struct IdText(RecordId);

impl AsRef<str> for IdText {
    fn as_ref(&self) -> &str {
        self.0.as_str()
    }
}

fn without_copies(mut group: Vec<ExaminedLog>) -> Vec<ExaminedLog> {
    group.sort_by(|a, b| {
        b.records.len().cmp(&a.records.len()).then_with(|| (a.started, &a.name).cmp(&(b.started, &b.name)))
    });
    let mut seen: HashSet<RecordId> = HashSet::new();
    let mut unique = Vec::new();
    for mut log in group {
        let ids: Vec<RecordId> = log.ids().into_iter().filter(|id| is_identifying(id.as_str())).collect();
        let copied = ids.iter().filter(|id| seen.contains(id)).count();
        if copied > 0 {
            if ids.iter().all(|id| seen.contains(id)) {
                continue;
            }
            log.retain_unseen(|id| seen.contains(id));
        }
        seen.extend(ids);
        unique.push(log);
    }
    unique
}
