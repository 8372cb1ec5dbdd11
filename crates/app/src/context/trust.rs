//! Whether the user trusts a vault: only trusted vaults reach an agent's prompt.

use std::fmt;
use std::path::PathBuf;

use crate::context::open_vault::{OpenVault, VaultLevel};
use crate::error::{Error, ErrorKind, Result};
use cm_store::vault::trust::TrustState;

pub(crate) fn remote(open: &OpenVault) -> Option<String> {
    open.repo().ok().flatten()?.remote()
}

/// Returns whether the user trusts a vault.
///
/// # Errors
/// Returns an error if the private files cannot be read.
pub(crate) fn is_trusted(open: &OpenVault) -> Result<bool> {
    Ok(state(open)?.is_trusted())
}

pub(crate) fn state(open: &OpenVault) -> Result<TrustState> {
    Ok(TrustState::of(&open.vault, || remote(open))?)
}

/// An untrusted vault that was excluded from an answer for an agent.
pub(crate) struct UntrustedVault {
    pub level: VaultLevel,
    root: PathBuf,
    trust: TrustState,
}

impl fmt::Display for UntrustedVault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let root = self.root.display();
        match &self.trust {
            TrustState::OtherRemote { was } => write!(
                f,
                "the memory in {root} was trusted when its remote was {was}. The remote has changed, so agents get nothing from it until a person trusts it again"
            ),
            _ => write!(
                f,
                "the memory in {root} is not trusted, so agents get nothing from it until a person allows it"
            ),
        }
    }
}

/// Removes the untrusted vaults from the list and returns them.
///
/// # Errors
/// Returns an error if no vault remains.
pub(crate) fn leave_out_untrusted(vaults: &mut Vec<OpenVault>) -> Result<Vec<UntrustedVault>> {
    let mut left_out = Vec::new();
    for open in std::mem::take(vaults) {
        match state(&open)? {
            TrustState::Trusted(_) => vaults.push(open),
            trust => {
                left_out.push(UntrustedVault { level: open.level, root: open.vault.root().to_owned(), trust })
            }
        }
    }
    match (vaults.is_empty(), left_out.first()) {
        (true, Some(first)) => Err(untrusted_error(first.to_string())),
        _ => Ok(left_out),
    }
}

/// Creates the error for an untrusted vault.
pub(crate) fn untrusted_error(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Refused, UNTRUSTED, message)
        .hint("if you moved it here, or know where the folder comes from, run `cm trust` in it")
}

/// Error code for an untrusted vault.
pub const UNTRUSTED: &str = "untrusted";
