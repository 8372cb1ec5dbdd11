//! Whether the user trusts a vault: only trusted vaults reach an agent's prompt.

use std::fmt;
use std::path::PathBuf;

use crate::context::open_vault::{OpenVault, VaultLevel};
use crate::error::{Error, ErrorKind, Result};
use cm_store::git::Repo;
use cm_store::vault::Vault;
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

/// Returns the trust state of a vault. In a linked work tree without a decision of its own, that of the vault at
/// the same place in the main work tree holds.
///
/// # Errors
/// Returns an error if the private files cannot be read.
pub(crate) fn state(open: &OpenVault) -> Result<TrustState> {
    match TrustState::of(&open.vault, || remote(open))? {
        TrustState::Unknown => Ok(state_of_main(open)?.unwrap_or(TrustState::Unknown)),
        decided => Ok(decided),
    }
}

/// Returns the trust state of the vault at the same place in the main work tree. `None` unless both work trees name
/// each other: a folder that only claims to be a work tree of a trusted repository is none.
fn state_of_main(open: &OpenVault) -> Result<Option<TrustState>> {
    let Some(repo) = open.repo().ok().flatten() else { return Ok(None) };
    let Some(main) = repo.main_worktree() else { return Ok(None) };
    let Ok(Some(main_repo)) = Repo::discover(&main) else { return Ok(None) };
    let (root, tree) = (open.vault.root(), repo.workdir());
    let tree = tree.canonicalize().unwrap_or_else(|_| tree.to_owned());
    let is_linked = main_repo.workdir() == main && main_repo.worktrees().contains(&tree);
    let Some(inside) = root.strip_prefix(&tree).ok().filter(|_| is_linked) else { return Ok(None) };
    let home = open.vault.private()?.home();
    let vault = Vault::at(&main.join(inside)).ok().and_then(|vault| vault.prepare_read_only(Some(home)));
    Ok(vault.map(|vault| TrustState::of(&vault, || remote(open))).transpose()?)
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
