//! Author, committer and time of commits.

use gix::actor::Signature;
use gix::date::Time;

use crate::git::error::{Doing, Result};
use crate::git::repo::Repo;
use cm_note::instant::Instant;

const NAME: &str = "cm";
const EMAIL: &str = "cm@localhost";

/// The author of future commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    pub name: String,
    /// Email address.
    pub email: String,
    /// Whether Git's configuration lacks author or committer, so that a default is used.
    pub fallback: bool,
}

/// Author and committer of a commit.
pub(super) struct Signatures {
    pub author: Signature,
    pub committer: Signature,
}

impl Repo {
    /// Returns the author of future commits.
    pub fn identity(&self) -> Result<Identity> {
        let Signatures { author, .. } = self.signatures(Instant::from_unix(0))?;
        Ok(Identity {
            name: author.name.to_string(),
            email: author.email.to_string(),
            fallback: self.inner.author().is_none() || self.inner.committer().is_none(),
        })
    }

    /// Returns author and committer with this time, unless environment variables set the times.
    pub(super) fn signatures(&self, at: Instant) -> Result<Signatures> {
        let config = self.inner.config_snapshot();
        let or = |key: &str, other: &str| config.string(key).unwrap_or_else(|| other.into());
        let stand_in =
            || Signature { name: or("user.name", NAME), email: or("user.email", EMAIL), time: local(at) };
        let take = |configured: Option<gix::Result<gix::actor::SignatureRef<'_>>>, date: &str| {
            let Some(signature) = configured else { return Ok(stand_in()) };
            let mut signature = signature
                .and_then(|signature| signature.to_owned())
                .doing("reading the identity", self.git_dir())?;
            if config.string(date).is_none() {
                signature.time = local(at);
            }
            Ok(signature)
        };
        Ok(Signatures {
            author: take(self.inner.author(), "gitoxide.commit.authorDate")?,
            committer: take(self.inner.committer(), "gitoxide.commit.committerDate")?,
        })
    }
}

/// Converts an instant to Git's format with the local time zone offset.
fn local(at: Instant) -> Time {
    let offset = at.to_chrono().with_timezone(&chrono::Local).offset().local_minus_utc();
    Time { seconds: at.unix(), offset }
}
