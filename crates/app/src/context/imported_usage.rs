//! Usage counts that an earlier tool left in a vault.

use cm_exchange::import::state::{self, AccessStatsByNote};
use cm_store::vault::usage::{UsageCounts, UsageTable};

use crate::context::open_vault::OpenVault;
use crate::error::Result;

/// Stores `usage` if the vault has no usage counts yet. Returns the number of notes with stored
/// counts; 0 if nothing was stored.
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

/// Imports usage counts from `_state.json`, which an earlier tool wrote, unless the vault has
/// counts. Returns the number of notes with imported counts; an invalid file counts as empty.
///
/// # Errors
/// Returns an error if usage data cannot be read or written.
pub fn adopt_usage(open: &OpenVault) -> Result<usize> {
    if open.usage().has_counts() {
        return Ok(0);
    }
    let Some(text) = open.vault.read_own("_state.json")? else { return Ok(0) };
    take_usage(open, &state::read(&text).unwrap_or_default())
}
