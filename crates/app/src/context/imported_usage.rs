//! Usage counts that an earlier tool left in a vault.

use cm_exchange::import::state::{self, AccessStatsByNote};
use cm_store::vault::usage::{UsageCounts, UsageTable};

use crate::context::open_vault::OpenVault;
use crate::error::Result;

/// Imports usage counts if the vault has none; returns the number of notes with imported counts,
/// else 0.
pub(crate) fn take_usage(open: &OpenVault, usage: &AccessStatsByNote) -> Result<usize> {
    if usage.is_empty() {
        return Ok(0);
    }
    let used = |access: &state::AccessStats| UsageCounts {
        accesses: access.count,
        last: access.last,
        ..UsageCounts::default()
    };
    let table: UsageTable = usage.iter().map(|(key, access)| (key.clone(), used(access))).collect();
    Ok(if open.usage().adopt(&table)? { table.len() } else { 0 })
}

/// Imports the counts of an existing `_state.json` of the earlier tool, unless the vault already
/// has counts. An invalid file is ignored.
///
/// # Errors
/// Usage data that cannot be read or written.
pub fn adopt_usage(open: &OpenVault) -> Result<usize> {
    if open.usage().has_counts() {
        return Ok(0);
    }
    let Some(text) = open.vault.read_own("_state.json")? else { return Ok(0) };
    take_usage(open, &state::read(&text).unwrap_or_default())
}
