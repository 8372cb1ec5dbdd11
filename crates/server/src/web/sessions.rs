//! Logins of browsers: a cookie, the caller that it stands for, and the token against forged forms.
//!
//! They are kept in memory only, so that a restart of the server ends them.

use std::collections::HashMap;
use std::sync::Arc;

use axum::http::{HeaderMap, header};
use parking_lot::Mutex;

use crate::operations::Caller;
use cm_app::CallerIdentity;
use cm_note::instant::Instant;
use cm_note::token::AccessRole;

/// Name of the cookie.
pub(crate) const COOKIE: &str = "cm_page";
/// How long a login lasts, in seconds.
pub(super) const LIFETIME_SECONDS: i64 = 12 * 60 * 60;
/// Maximum number of logins; the one that ends first gives way.
const MAX_LOGINS: usize = 1_000;

/// The login of a browser.
#[derive(Debug)]
pub(crate) struct WebSession {
    pub(crate) caller: Caller,
    /// Token that each change must carry.
    pub(super) csrf: String,
    ends: Instant,
    /// Result of the last change, shown on the next page.
    notice: Mutex<Option<ActionNotice>>,
}

/// Result of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ActionNotice {
    pub(super) text: String,
    /// Commits that a button takes back, newest first; empty if there is nothing to take back.
    pub(super) commits: Vec<String>,
    pub(super) is_error: bool,
}

impl WebSession {
    /// A login that only reads and never ends.
    pub(super) fn reader(identity: CallerIdentity) -> Self {
        let caller = Caller { identity, role: AccessRole::Reader, token: None };
        Self {
            caller,
            csrf: String::new(),
            ends: Instant::from_unix(i64::MAX >> 32),
            notice: Mutex::default(),
        }
    }

    pub(super) fn set_notice(&self, notice: ActionNotice) {
        *self.notice.lock() = Some(notice);
    }

    pub(super) fn take_notice(&self) -> Option<ActionNotice> {
        self.notice.lock().take()
    }
}

/// All logins, by the hash of their cookie.
#[derive(Debug)]
pub(crate) struct WebSessions {
    all: Mutex<HashMap<blake3::Hash, Arc<WebSession>>>,
    /// Hash of the secret in the login link; `None` after its use.
    link: Mutex<Option<blake3::Hash>>,
}

impl WebSessions {
    pub(super) fn new(link: Option<String>) -> Self {
        let link = link.map(|secret| blake3::hash(secret.as_bytes()));
        Self { all: Mutex::default(), link: Mutex::new(link) }
    }

    /// Uses the login link; returns whether the secret was right and not used before. Comparing
    /// hashes takes the same time for every secret.
    pub(super) fn use_link(&self, secret: &str) -> bool {
        let mut link = self.link.lock();
        let is_right = *link == Some(blake3::hash(secret.as_bytes()));
        if is_right {
            *link = None;
        }
        is_right
    }

    /// Creates a login and returns the value of its cookie.
    ///
    /// # Errors
    /// The system has no randomness.
    pub(super) fn create(&self, caller: Caller, now: Instant) -> Result<String, getrandom::Error> {
        let (secret, csrf) = (random()?, random()?);
        let session = WebSession {
            caller,
            csrf,
            ends: Instant::from_unix(now.unix() + LIFETIME_SECONDS),
            notice: Mutex::default(),
        };
        let mut all = self.all.lock();
        all.retain(|_, session| session.ends > now);
        if all.len() >= MAX_LOGINS {
            let first = all.iter().min_by_key(|(_, session)| session.ends).map(|(key, _)| *key);
            first.map(|key| all.remove(&key));
        }
        all.insert(blake3::hash(secret.as_bytes()), Arc::new(session));
        Ok(secret)
    }

    /// The live login of a request.
    pub(crate) fn of(&self, headers: &HeaderMap, now: Instant) -> Option<Arc<WebSession>> {
        let secret = cookie(headers)?;
        let session = self.all.lock().get(&blake3::hash(secret.as_bytes())).cloned()?;
        (session.ends > now).then_some(session)
    }

    /// Ends the login of a request.
    pub(super) fn end(&self, headers: &HeaderMap) {
        if let Some(secret) = cookie(headers) {
            self.all.lock().remove(&blake3::hash(secret.as_bytes()));
        }
    }
}

/// 256 random bits in hexadecimal.
///
/// # Errors
/// The system has no randomness.
pub fn random() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(blake3::Hash::from_bytes(bytes).to_hex().to_string())
}

/// The value of our cookie. A request with two has been tampered with and has none.
fn cookie(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .filter(|(name, _)| *name == COOKIE);
    let (_, value) = values.next()?;
    values.next().is_none().then_some(value)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn headers(cookie: &str) -> HeaderMap {
        HeaderMap::from_iter([(header::COOKIE, HeaderValue::from_str(cookie).unwrap())])
    }

    #[test]
    fn a_login_holds_until_it_ends_and_only_with_its_cookie() {
        let sessions = WebSessions::new(None);
        let now = Instant::from_unix(1_000);
        let secret = sessions.create(Caller::local(), now).unwrap();
        let ours = headers(&format!("other=1; {COOKIE}={secret}"));
        assert!(sessions.of(&ours, now).is_some());
        assert!(sessions.of(&headers(&format!("{COOKIE}=x")), now).is_none());
        assert!(sessions.of(&headers(&format!("{COOKIE}={secret}; {COOKIE}={secret}")), now).is_none());
        assert!(sessions.of(&ours, Instant::from_unix(now.unix() + LIFETIME_SECONDS)).is_none());
        sessions.end(&ours);
        assert!(sessions.of(&ours, now).is_none());
    }

    #[test]
    fn a_login_link_works_once() {
        let sessions = WebSessions::new(Some("right".to_owned()));
        assert!(!sessions.use_link("wrong"));
        assert!(sessions.use_link("right"));
        assert!(!sessions.use_link("right"));
        assert!(!WebSessions::new(None).use_link(""));
    }
}
