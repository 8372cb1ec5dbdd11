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
    /// Returns the author of future commits of this clone's user.
    pub fn identity(&self) -> Result<Identity> {
        self.identity_of(None)
    }

    /// Returns the author of future commits that name an `actor`.
    pub fn identity_of(&self, actor: Option<&str>) -> Result<Identity> {
        let Signatures { author, .. } = self.signatures(Instant::from_unix(0), actor)?;
        Ok(Identity {
            name: author.name.to_string(),
            email: author.email.to_string(),
            fallback: self.inner.author().is_none() || self.inner.committer().is_none(),
        })
    }

    /// Returns author and committer with this time, unless environment variables set the times. An
    /// `actor` is the author in place of the configured one.
    pub(super) fn signatures(&self, at: Instant, actor: Option<&str>) -> Result<Signatures> {
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
        let author = take(self.inner.author(), "gitoxide.commit.authorDate")?;
        Ok(Signatures {
            author: match actor.map(author_of) {
                Some((name, email)) if author.name != name.as_str() => {
                    Signature { name: name.into(), email: email.into(), time: author.time }
                }
                _ => author,
            },
            committer: take(self.inner.committer(), "gitoxide.commit.committerDate")?,
        })
    }
}

/// Returns name and email address of a person who is given by name, as `Name <address>`, or by address.
/// A person without an address gets one of this machine.
fn author_of(actor: &str) -> (String, String) {
    let plain = |text: &str| text.replace(['<', '>', '\n', '\0'], "").trim().to_owned();
    let (name, address) = match actor.split_once('<') {
        Some((name, address)) => (plain(name), plain(address)),
        None if actor.contains('@') && !actor.contains(char::is_whitespace) => (plain(actor), plain(actor)),
        None => (plain(actor), String::new()),
    };
    let local = || name.split_whitespace().collect::<Vec<_>>().join(".").to_lowercase();
    let address = if address.contains('@') { address } else { format!("{}@localhost", local()) };
    let name = if name.is_empty() { address.clone() } else { name };
    (name, address)
}

/// Converts an instant to Git's format with the local time zone offset.
fn local(at: Instant) -> Time {
    let offset = at.to_chrono().with_timezone(&chrono::Local).offset().local_minus_utc();
    Time { seconds: at.unix(), offset }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_actor_is_an_author_with_an_address() {
        for (actor, name, address) in [
            ("Ada Lovelace", "Ada Lovelace", "ada.lovelace@localhost"),
            ("Ada <ada@example.org>", "Ada", "ada@example.org"),
            ("ada@example.org", "ada@example.org", "ada@example.org"),
            ("李雷", "李雷", "李雷@localhost"),
            ("a>b<c\nd", "ab", "ab@localhost"),
        ] {
            assert_eq!(author_of(actor), (name.to_owned(), address.to_owned()), "{actor}");
        }
    }
}
