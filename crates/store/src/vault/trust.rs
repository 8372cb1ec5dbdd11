//! Records whether the user trusts a vault, so that its CORE.md and rules may be added to the
//! prompts of their agents.
//!
//! The record is stored among the user's private files, which are located by the vault's path. A
//! vault that was moved, or another vault at the same path with another remote, needs new consent.

use serde::{Deserialize, Serialize};

use super::error::Error;
use super::layout::Vault;
use cm_note::instant::Instant;

/// Name of the record among the private files of the vault.
const FILE: &str = "trust.json";

/// How a vault became trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TrustSource {
    /// Created by the user's own `cm init`.
    Init,
    /// Confirmed by the user with `cm trust`.
    Person,
}

/// Record that the user trusts a vault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustRecord {
    pub source: TrustSource,
    /// Time of the decision.
    pub at: Instant,
    /// URL of the repository's remote at that time; `None` if it had none.
    pub remote: Option<String>,
}

/// Current trust state of a vault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrustState {
    /// The user trusts the vault.
    Trusted(TrustRecord),
    /// The user has never decided to trust the vault.
    Unknown,
    /// The repository had another remote when the vault was trusted.
    OtherRemote {
        /// URL of the remote when the vault was trusted.
        was: String,
    },
}

impl TrustState {
    /// Returns the trust state of a vault, given the current remote of its repository. Adding a
    /// first remote changes nothing, because only the user can have added it.
    ///
    /// # Errors
    ///
    /// [`Error::NoPrivateFolder`], and [`Error::Io`] if the record cannot be read.
    pub fn of(vault: &Vault, remote: impl FnOnce() -> Option<String>) -> Result<Self, Error> {
        let text = vault.read_private(FILE)?.unwrap_or_default();
        // A record that cannot be read counts as none: the user is asked once more.
        let Ok(record) = serde_json::from_str::<TrustRecord>(&text) else { return Ok(Self::Unknown) };
        Ok(match &record.remote {
            Some(was) if remote().as_ref() != Some(was) => Self::OtherRemote { was: was.clone() },
            _ => Self::Trusted(record),
        })
    }

    pub fn is_trusted(&self) -> bool {
        matches!(self, Self::Trusted(_))
    }
}

/// Records that the user trusts a vault.
///
/// # Errors
///
/// [`Error::NoPrivateFolder`] and [`Error::Io`].
pub fn grant(vault: &Vault, record: &TrustRecord) -> Result<(), Error> {
    // A record of two words, an instant and a text always has a JSON form.
    let text = serde_json::to_string(record).unwrap_or_default();
    vault.write_private(FILE, &format!("{text}\n"))
}

/// Removes the record. Returns whether there was one.
///
/// # Errors
///
/// [`Error::NoPrivateFolder`] and [`Error::Io`].
pub fn revoke(vault: &Vault) -> Result<bool, Error> {
    let file = vault.private_file(FILE)?;
    match std::fs::remove_file(&file) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Error::io("remove", &file)(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vault::PrivateHome;

    #[test]
    fn trust_holds_for_a_path_and_a_remote() {
        let (folder, private) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let home = PrivateHome { state: private.path().join("s"), config: private.path().join("c") };
        std::fs::create_dir(folder.path().join("a")).unwrap();
        let vault = Vault::at(&folder.path().join("a")).unwrap().prepare(Some(&home));
        let now = |url: &str| Some(url.to_owned()).filter(|url| !url.is_empty());
        let trusted = |vault: &Vault, url: &str| TrustState::of(vault, || now(url)).unwrap().is_trusted();
        assert!(!trusted(&vault, ""));
        let record = |url: &str| TrustRecord {
            source: TrustSource::Person,
            at: Instant::from_unix(0),
            remote: now(url),
        };
        grant(&vault, &record("")).unwrap();
        assert!(trusted(&vault, "") && trusted(&vault, "git@example.org:a"));
        grant(&vault, &record("git@example.org:a")).unwrap();
        assert!(trusted(&vault, "git@example.org:a"));
        assert!(!trusted(&vault, "git@example.org:b") && !trusted(&vault, ""));
        std::fs::rename(folder.path().join("a"), folder.path().join("b")).unwrap();
        let moved = Vault::at(&folder.path().join("b")).unwrap().prepare(Some(&home));
        assert!(!trusted(&moved, "git@example.org:a"));
        assert!(revoke(&vault).unwrap() && !revoke(&vault).unwrap());
        assert!(!trusted(&vault, "git@example.org:a"));
    }
}
