//! Letting the CORE.md and the rules of a vault into the prompts of the user's agents, and taking that back.

use std::fmt;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::error::{Error, Kind, Result};
use super::memory::{Level, Memory, OpenVault};
use cm_note::note::Kind as NoteKind;
use cm_store::vault::trust::{self, Source, Trust, TrustRecord};

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Options {
    /// Tell whether the vault is trusted.
    Show,
    /// Trust it from now on.
    Grant,
    /// Trust it no more.
    Revoke,
}

/// Whether a vault is trusted, and what that lets through.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Trusted {
    /// Its folder.
    pub vault: String,
    /// The URL of its repository's remote; null where there is none.
    pub remote: Option<String>,
    /// Whether it is trusted now.
    pub trusted: bool,
    /// `init` or `person`; null where it is not trusted.
    pub source: Option<Source>,
    /// The remote that it had when it was trusted, where it has another one now.
    pub former_remote: Option<String>,
    /// How many rules and anti-patterns it holds.
    pub rules: usize,
    /// Whether it has a CORE.md.
    pub core: bool,
    /// Whether anything changed.
    pub changed: bool,
}

/// Shows, grants or revokes trust in the vault that is written to.
///
/// # Errors
/// An agent that asks for more than to be shown, and private files that cannot be read or written.
pub fn trust(memory: &Memory, options: Options) -> Result<Trusted> {
    let open = memory.target();
    if options != Options::Show {
        memory.persons_only("decide which memory agents may read")?;
    }
    let before = state(open)?;
    match options {
        Options::Show => {}
        Options::Grant => trust::grant(&open.vault, &record(open, Source::Person, memory))?,
        Options::Revoke => drop(trust::revoke(&open.vault)?),
    }
    let after = state(open)?;
    let notes = memory.notes_of(open)?;
    let (trusted, source, former_remote) = match &after {
        Trust::Trusted(record) => (true, Some(record.source), None),
        Trust::OtherRemote { was } => (false, None, Some(was.clone())),
        Trust::Unknown => (false, None, None),
    };
    Ok(Trusted {
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

/// Records that the user's own `cm init` made the vault.
///
/// # Errors
/// Private files that cannot be written.
pub(super) fn grant_new(memory: &Memory) -> Result<()> {
    let open = memory.target();
    Ok(trust::grant(&open.vault, &record(open, Source::Init, memory))?)
}

fn record(open: &OpenVault, source: Source, memory: &Memory) -> TrustRecord {
    TrustRecord { source, at: memory.now(), remote: remote(open) }
}

fn remote(open: &OpenVault) -> Option<String> {
    open.repo().ok().flatten()?.remote()
}

/// Whether the user trusts a vault.
///
/// # Errors
/// Private files that cannot be read.
pub(super) fn is_trusted(open: &OpenVault) -> Result<bool> {
    Ok(state(open)?.is_trusted())
}

fn state(open: &OpenVault) -> Result<Trust> {
    Ok(Trust::of(&open.vault, || remote(open))?)
}

/// A vault that was left out of an answer for an agent.
pub(super) struct LeftOut {
    pub level: Level,
    root: PathBuf,
    trust: Trust,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let root = self.root.display();
        match &self.trust {
            Trust::OtherRemote { was } => write!(
                f,
                "the memory in {root} was trusted when its remote was {was}, and has another one now; nothing of it is given to agents until a person trusts it again (`cm trust`)"
            ),
            _ => write!(
                f,
                "the memory in {root} is not trusted, so nothing of it is given to agents; a person can allow it (`cm trust`)"
            ),
        }
    }
}

/// Takes vaults out that the user does not trust.
///
/// # Errors
/// Where none is left.
pub(super) fn leave_out_untrusted(vaults: &mut Vec<OpenVault>) -> Result<Vec<LeftOut>> {
    let mut left_out = Vec::new();
    for open in std::mem::take(vaults) {
        match state(&open)? {
            Trust::Trusted(_) => vaults.push(open),
            trust => left_out.push(LeftOut { level: open.level, root: open.vault.root().to_owned(), trust }),
        }
    }
    match (vaults.is_empty(), left_out.first()) {
        (true, Some(first)) => Err(refused(first.to_string())),
        _ => Ok(left_out),
    }
}

/// The refusal of a vault that is not trusted.
pub(super) fn refused(message: impl Into<String>) -> Error {
    Error::new(Kind::Refused, UNTRUSTED, message)
        .hint("a person who knows where the folder comes from runs `cm trust` in it")
}

/// The code of that refusal.
pub const UNTRUSTED: &str = "untrusted";
