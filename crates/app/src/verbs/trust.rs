//! Controls whether the CORE.md and the rules of a vault may be added to the prompts of the user's
//! agents.

use std::fmt;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::open::{Context, OpenVault, VaultLevel};
use crate::error::{Error, ErrorKind, Result};
use cm_note::note::NoteKind;
use cm_store::vault::trust::{self, TrustRecord, TrustSource, TrustState};

/// Action of `cm trust`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustAction {
    /// Show whether the vault is trusted.
    Show,
    /// Trust the vault.
    Grant,
    /// Revoke the trust.
    Revoke,
}

/// Trust in a vault, and the content that it applies to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TrustResult {
    /// Root folder of the vault.
    pub vault: String,
    /// URL of the repository's remote; null if it has none.
    pub remote: Option<String>,
    /// Whether the vault is trusted now.
    pub trusted: bool,
    /// Origin of the trust: `init` or `person`; null if the vault is not trusted.
    pub source: Option<TrustSource>,
    /// Remote at the time of granting, if it has changed since then.
    pub former_remote: Option<String>,
    /// Number of rules and anti-patterns in the vault.
    pub rules: usize,
    /// Whether the vault has a CORE.md.
    pub core: bool,
    /// Whether this call changed the trust.
    pub changed: bool,
}

/// Shows, grants or revokes trust in the target vault.
///
/// # Errors
/// Returns an error if an agent tries to change the trust, or if the private files cannot be read
/// or written.
pub fn trust(memory: &Context, options: TrustAction) -> Result<TrustResult> {
    let open = memory.target();
    if options != TrustAction::Show {
        memory.persons_only("decide which memory agents may read")?;
    }
    let before = state(open)?;
    match options {
        TrustAction::Show => {}
        TrustAction::Grant => trust::grant(&open.vault, &record(open, TrustSource::Person, memory))?,
        TrustAction::Revoke => drop(trust::revoke(&open.vault)?),
    }
    let after = state(open)?;
    let notes = memory.notes_of(open)?;
    let (trusted, source, former_remote) = match &after {
        TrustState::Trusted(record) => (true, Some(record.source), None),
        TrustState::OtherRemote { was } => (false, None, Some(was.clone())),
        TrustState::Unknown => (false, None, None),
    };
    Ok(TrustResult {
        vault: open.vault.root().display().to_string(),
        remote: remote(open),
        trusted,
        source,
        former_remote,
        rules: notes.iter().filter(|note| note.kind == NoteKind::Bullet).count(),
        core: open.vault.stamp_own(cm_store::vault::layout::CORE)?.is_some(),
        changed: before.is_trusted() != after.is_trusted(),
    })
}

/// Grants trust to a vault that the user has just created with `cm init`.
///
/// # Errors
/// Returns an error if the private files cannot be written.
pub(crate) fn grant_new(memory: &Context) -> Result<()> {
    let open = memory.target();
    Ok(trust::grant(&open.vault, &record(open, TrustSource::Init, memory))?)
}

fn record(open: &OpenVault, source: TrustSource, memory: &Context) -> TrustRecord {
    TrustRecord { source, at: memory.now(), remote: remote(open) }
}

fn remote(open: &OpenVault) -> Option<String> {
    open.repo().ok().flatten()?.remote()
}

/// Returns whether the user trusts a vault.
///
/// # Errors
/// Returns an error if the private files cannot be read.
pub(crate) fn is_trusted(open: &OpenVault) -> Result<bool> {
    Ok(state(open)?.is_trusted())
}

fn state(open: &OpenVault) -> Result<TrustState> {
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
                "the memory in {root} was trusted when its remote was {was}. The remote has changed, so agents get nothing from it until a person trusts it again (`cm trust`)"
            ),
            _ => write!(
                f,
                "the memory in {root} is not trusted, so agents get nothing from it; a person can allow it (`cm trust`)"
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
        (true, Some(first)) => Err(refused(first.to_string())),
        _ => Ok(left_out),
    }
}

/// Creates the error for an untrusted vault.
pub(crate) fn refused(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Refused, UNTRUSTED, message)
        .hint("if you know where the folder comes from, run `cm trust` in it")
}

/// Error code for an untrusted vault.
pub const UNTRUSTED: &str = "untrusted";
