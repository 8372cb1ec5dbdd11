//! Controls whether the CORE.md and the rules of a vault may be added to the prompts of the user's
//! agents.

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::trust::{remote, state};
use crate::error::{Error, Result};
use cm_note::note::NoteKind;
use cm_store::vault::trust::{self, TrustRecord, TrustSource, TrustState};

/// Action of `cm trust`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustAction {
    /// Show whether the vault is trusted.
    Show,
    /// Trust the vault.
    Grant,
    Revoke,
}

/// Whether a vault is trusted, and what trusting it makes available to agents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TrustResult {
    /// Root folder of the vault.
    pub vault: String,
    /// URL of the repository's remote; null if it has none.
    pub remote: Option<String>,
    /// Whether the vault is trusted now.
    pub trusted: bool,
    /// Who granted the trust: `init`, when the vault was created, or `person`; null if the vault is
    /// not trusted.
    pub source: Option<TrustSource>,
    /// URL of the remote when trust was granted, if it has changed since then; null otherwise.
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
pub fn trust(context: &Context, options: TrustAction) -> Result<TrustResult> {
    let open = context.target();
    if options != TrustAction::Show {
        context.persons_only("decide which memory agents may read")?;
    }
    let before = state(open)?;
    match options {
        TrustAction::Show => {}
        TrustAction::Grant => trust::grant(&open.vault, &record(open, TrustSource::Person, context))?,
        TrustAction::Revoke => {
            if !trust::revoke(&open.vault)? && before.is_trusted() {
                return Err(Error::refused(
                    "main-worktree",
                    "the memory is trusted through the main work tree",
                )
                .hint("run `cm trust --revoke` there"));
            }
        }
    }
    let after = state(open)?;
    let notes = context.notes_of(open)?;
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
pub(crate) fn grant_new(context: &Context) -> Result<()> {
    let open = context.target();
    Ok(trust::grant(&open.vault, &record(open, TrustSource::Init, context))?)
}

fn record(open: &OpenVault, source: TrustSource, context: &Context) -> TrustRecord {
    TrustRecord { source, at: context.now(), remote: remote(open) }
}
