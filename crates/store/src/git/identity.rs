//! Whose name a commit carries, and at what time it is made.

use gix::actor::Signature;
use gix::date::Time;

use crate::git::error::{Doing, Result};
use crate::git::repo::Repo;
use cm_note::instant::Instant;

const NAME: &str = "cm";
const EMAIL: &str = "cm@localhost";

/// The author of the commits to come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The name.
    pub name: String,
    /// The address.
    pub email: String,
    /// Whether git's configuration lacks one of them, so that a stand-in is used.
    pub fallback: bool,
}

/// The two signatures of one commit.
pub(super) struct Signatures {
    pub author: Signature,
    pub committer: Signature,
}

impl Repo {
    /// The author that commits get.
    pub fn identity(&self) -> Result<Identity> {
        let Signatures { author, .. } = self.signatures(Instant::from_unix(0))?;
        Ok(Identity {
            name: author.name.to_string(),
            email: author.email.to_string(),
            fallback: self.inner.author().is_none() || self.inner.committer().is_none(),
        })
    }

    /// Author and committer at this time, unless the environment fixes the times.
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

/// The instant with the offset that clocks show here, as git records it.
fn local(at: Instant) -> Time {
    let offset = at.to_chrono().with_timezone(&chrono::Local).offset().local_minus_utc();
    Time { seconds: at.unix(), offset }
}
