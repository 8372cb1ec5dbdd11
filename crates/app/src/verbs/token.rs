//! Access tokens of the vault's server: creates, lists and revokes them, and loads them for a
//! running server.

use std::sync::Arc;

use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::write;
use crate::error::{Error, Result};
use cm_note::instant::Instant;
use cm_note::token::{
    AccessRole, AccessToken, TokenFileError, TokenKind, TokenSecret, TokenStore, person, token_store,
};
use cm_store::vault::lock::VaultLock;
use cm_store::vault::{FileStamp, Vault};

/// Name of the private file that contains the server's access tokens.
pub const FILE: &str = "tokens.toml";
/// Empty private file that exists once a token was issued. Without the token file, the server then
/// refuses all requests instead of accepting them without a token.
const ISSUED: &str = "tokens.issued";

/// Properties of an access token to create.
#[derive(Debug, Clone)]
pub struct Options {
    /// Owner of the token.
    pub person: String,
    /// Permissions of the token.
    pub role: AccessRole,
    /// Whether the token is issued to an agent or a person.
    pub kind: TokenKind,
    /// Time when the token expires.
    pub expires: Option<Instant>,
}

/// A token as shown in lists, without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TokenInfo {
    /// Token id, for `cm token revoke`.
    pub id: String,
    /// Owner of the token.
    pub person: String,
    /// Permissions of the token.
    pub role: AccessRole,
    /// Holder of the token: `agent` or `person`.
    pub kind: TokenKind,
    /// `live`, `expired` or `revoked`.
    pub state: &'static str,
    /// Time when the token was created.
    pub created: Instant,
    /// Time when the token expires; null if never.
    pub expires: Option<Instant>,
    /// Time when the token was revoked; null if it was not.
    pub revoked: Option<Instant>,
    /// Last four characters of the secret.
    pub last_four: String,
}

/// A new token with its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NewToken {
    /// The secret, which cannot be shown again.
    pub token: String,
    /// Id, owner and permissions of the token.
    pub record: TokenInfo,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TokenList {
    /// Tokens, oldest first.
    pub tokens: Vec<TokenInfo>,
}

/// Creates a token. `random` must come from the system's random number generator, because the
/// secret is derived from it.
///
/// # Errors
/// Returns an error if the name is empty, if the expiry date is in the past, if the token file is
/// malformed, or if it cannot be written.
pub fn add(context: &Context, options: &Options, random: [u8; 32]) -> Result<NewToken> {
    context.persons_only("create tokens")?;
    let open = context.target();
    open.writable()?;
    checked(options, context.now())?;
    let _lock = lock(context, open)?;
    add_to(&open.vault, options, context.now(), random)
}

/// Lists all tokens.
///
/// # Errors
/// Returns an error if the token file is malformed or missing after a token was issued.
pub fn list(context: &Context) -> Result<TokenList> {
    let now = context.now();
    let tokens = read(&context.target().vault)?.tokens().iter().map(|token| listed(token, now)).collect();
    Ok(TokenList { tokens })
}

/// Revokes all tokens of a person, or the token with this id or unique id prefix. Returns the
/// revoked tokens.
///
/// # Errors
/// Returns an error if no token matches, or if the prefix is ambiguous.
pub fn revoke(context: &Context, which: &str) -> Result<TokenList> {
    context.persons_only("revoke tokens")?;
    let open = context.target();
    open.writable()?;
    let _lock = lock(context, open)?;
    revoke_in(&open.vault, which, context.now())
}

/// The ids of all tokens of a person, or of the token with this id or unique id prefix.
///
/// # Errors
/// Returns an error if no token matches, or if the prefix is ambiguous.
pub(crate) fn ids_of(context: &Context, which: &str) -> Result<Vec<String>> {
    chosen(&read(&context.target().vault)?, which)
}

/// Checks the token file; returns `None` if it does not exist.
///
/// # Errors
/// Returns an error if the file system cannot be accessed.
pub(crate) fn check_file(vault: &Vault) -> Result<Option<TokenFileStatus>> {
    if vault.stamp_private(FILE)?.is_none() {
        return Ok(None);
    }
    Ok(Some(match read(vault) {
        Err(error) => TokenFileStatus::Unreadable(error),
        Ok(token_store) => TokenFileStatus::Valid { tokens: token_store.tokens().len() },
    }))
}

/// Result of checking the token file.
pub(crate) enum TokenFileStatus {
    Valid {
        /// Number of tokens, including revoked and expired ones.
        tokens: usize,
    },
    /// The file cannot be read or is malformed.
    Unreadable(Error),
}

fn lock(context: &Context, open: &OpenVault) -> Result<VaultLock> {
    Ok(VaultLock::take(&open.vault, &context.request.holder, open.lock_timeout())?)
}

fn checked(options: &Options, now: Instant) -> Result<&str> {
    let name = person(&options.person)
        .map_err(|error| Error::usage(error.to_string()).hint("for example `cm token add \"Ada\"`"))?;
    if options.expires.is_some_and(|end| end <= now) {
        return Err(Error::usage("the expiry date is in the past").hint("pass a future date"));
    }
    Ok(name)
}

fn add_to(vault: &Vault, options: &Options, now: Instant, random: [u8; 32]) -> Result<NewToken> {
    let name = checked(options, now)?;
    let secret = TokenSecret::of(random);
    let token = AccessToken::of(&secret, name, options.role, now, options.expires).issued_to(options.kind);
    let text = vault.read_private(FILE)?.unwrap_or_default();
    let longer = token_store::with_token(&text, &token).map_err(|error| unreadable(&error))?;
    vault.write_private(FILE, &longer)?;
    vault.write_private(ISSUED, "")?;
    Ok(NewToken { token: secret.expose().to_owned(), record: listed(&token, now) })
}

fn revoke_in(vault: &Vault, which: &str, now: Instant) -> Result<TokenList> {
    let mut text = vault.read_private(FILE)?.unwrap_or_default();
    let token_store = TokenStore::parse(&text).map_err(|error| unreadable(&error))?;
    let ids = chosen(&token_store, which)?;
    let live = token_store.tokens().iter().filter(|token| ids.contains(&token.id) && token.revoked.is_none());
    let ids: Vec<String> = live.map(|token| token.id.clone()).collect();
    if ids.is_empty() {
        return Err(write::nothing_done(format!("every token of `{which}` is already revoked"))
            .hint("`cm token list` shows when"));
    }
    for id in &ids {
        text = token_store::revoke_token(&text, id, now).map_err(|error| unreadable(&error))?;
    }
    vault.write_private(FILE, &text)?;
    let token_store = read(vault)?;
    let taken = token_store.tokens().iter().filter(|token| ids.contains(&token.id));
    Ok(TokenList { tokens: taken.map(|token| listed(token, now)).collect() })
}

fn chosen(token_store: &TokenStore, which: &str) -> Result<Vec<String>> {
    let hint = "`cm token list` lists all tokens";
    let ids = |is_match: &dyn Fn(&AccessToken) -> bool| -> Vec<String> {
        token_store.tokens().iter().filter(|token| is_match(token)).map(|token| token.id.clone()).collect()
    };
    let of_person = ids(&|token| token.person == which);
    if !of_person.is_empty() {
        return Ok(of_person);
    }
    let by_id = ids(&|token| !which.is_empty() && token.id.starts_with(which));
    match by_id.len() {
        0 => Err(Error::not_found(format!("no token or person matches `{which}`")).hint(hint)),
        1 => Ok(by_id),
        _ => {
            let message = format!("`{which}` matches several tokens: {}", by_id.join(", "));
            Err(Error::ambiguous(message).hint(hint))
        }
    }
}

fn listed(token: &AccessToken, now: Instant) -> TokenInfo {
    let state = match token {
        AccessToken { revoked: Some(_), .. } => "revoked",
        live if live.is_live(now) => "live",
        _ => "expired",
    };
    TokenInfo {
        id: token.id.clone(),
        person: token.person.clone(),
        role: token.role,
        kind: token.kind,
        state,
        created: token.created,
        expires: token.expires,
        revoked: token.revoked,
        last_four: token.last_four.clone(),
    }
}

fn read(vault: &Vault) -> Result<TokenStore> {
    match vault.read_private(FILE)? {
        Some(text) => TokenStore::parse(&text).map_err(|error| unreadable(&error)),
        None if vault.stamp_private(ISSUED)?.is_some() => Err(Error::refused(
            "tokens-unreadable",
            format!("{FILE} is missing, but tokens were issued before"),
        )
        .at(FILE, None, None)
        .hint("create a new token with `cm token add NAME`; all requests are refused until then")),
        None => Ok(TokenStore::default()),
    }
}

fn unreadable(error: &TokenFileError) -> Error {
    let line = if let TokenFileError::Syntax { line, .. } = error { Some(*line) } else { None };
    Error::refused("tokens-unreadable", format!("cannot read the tokens: {error}"))
        .at(FILE, line, None)
        .hint("fix the file; all requests are refused until then")
}

/// Access tokens of a running server. The file is loaded again when it changes, so that a
/// revocation takes effect immediately.
#[derive(Debug)]
pub struct LiveTokens {
    vault: Vault,
    read: Mutex<Option<(Option<FileStamp>, Arc<TokenStore>)>>,
}

impl LiveTokens {
    /// Creates the token store of a vault.
    pub fn of(vault: Vault) -> Self {
        Self { vault, read: Mutex::new(None) }
    }

    /// Returns the current tokens.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or is malformed; all requests must then be
    /// refused.
    pub fn load(&self) -> Result<Arc<TokenStore>> {
        let mut cached = self.read.lock();
        // The stamp is taken before the text: a change between the two is read again by the next request.
        let stamp = self.vault.stamp_private(FILE)?;
        if let Some((_, token_store)) = cached.as_ref().filter(|(old, _)| *old == stamp) {
            return Ok(Arc::clone(token_store));
        }
        *cached = None;
        let token_store = Arc::new(read(&self.vault)?);
        *cached = Some((stamp, Arc::clone(&token_store)));
        Ok(token_store)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use cm_store::vault::PrivateHome;

    fn ready(folder: &std::path::Path) -> Vault {
        let home = PrivateHome { state: folder.join("state"), config: folder.join("config") };
        Vault::at(folder).unwrap().prepare(Some(&home))
    }

    #[cfg(unix)]
    #[test]
    fn a_lost_file_of_tokens_lets_nobody_in() {
        let folder = tempfile::tempdir().unwrap();
        let vault = ready(folder.path());
        assert!(LiveTokens::of(vault.clone()).load().unwrap().is_empty(), "no token was ever issued");
        ada(&vault, 1);
        rustix::fs::unlink(vault.private_file(FILE).unwrap()).unwrap();
        let token_store = LiveTokens::of(vault.clone());
        assert_eq!(token_store.load().unwrap_err().code, "tokens-unreadable");
        ada(&vault, 2);
        assert_eq!(token_store.load().unwrap().tokens().len(), 1);
    }

    fn ada(vault: &Vault, random: u8) -> NewToken {
        let options =
            Options { person: "Ada".into(), role: AccessRole::Writer, kind: TokenKind::Agent, expires: None };
        add_to(vault, &options, Instant::from_unix(0), [random; 32]).unwrap()
    }

    #[test]
    fn a_token_is_shown_once_and_only_its_hash_is_kept_where_its_owner_alone_reads() {
        let folder = tempfile::tempdir().unwrap();
        let vault = ready(folder.path());
        let made = ada(&vault, 1);
        let text = vault.read_private(FILE).unwrap().unwrap();
        assert!(made.token.starts_with("cm_") && !text.contains(&made.token[3..]), "{text}");
        let kept = read(&vault).unwrap();
        assert_eq!(listed(&kept.tokens()[0], Instant::from_unix(0)), made.record);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = vault.private_file(FILE).unwrap().metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn a_token_that_is_taken_back_stays_on_record_and_opens_nothing_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let vault = ready(folder.path());
        let token_store = LiveTokens::of(vault.clone());
        assert!(token_store.load().unwrap().is_empty());
        let made = ada(&vault, 1);
        let now = Instant::from_unix(9);
        assert!(token_store.load().unwrap().has_active(now));
        let revoked = revoke_in(&vault, &made.record.id[..3], now).unwrap().tokens;
        assert_eq!((revoked.len(), revoked[0].state), (1, "revoked"));
        assert!(!token_store.load().unwrap().has_active(now) && !token_store.load().unwrap().is_empty());
    }

    #[test]
    fn a_person_loses_all_tokens_and_a_wrong_name_takes_none() {
        let folder = tempfile::tempdir().unwrap();
        let vault = ready(folder.path());
        ada(&vault, 1);
        ada(&vault, 2);
        for nobody in ["", "Bob", "zz"] {
            assert_eq!(
                revoke_in(&vault, nobody, Instant::from_unix(9)).unwrap_err().kind,
                ErrorKind::NotFound
            );
        }
        assert_eq!(revoke_in(&vault, "Ada", Instant::from_unix(9)).unwrap().tokens.len(), 2);
    }

    #[test]
    fn a_damaged_file_lets_nobody_in_and_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let vault = ready(folder.path());
        ada(&vault, 1);
        let token_store = LiveTokens::of(vault.clone());
        token_store.load().unwrap();
        vault.write_private(FILE, "token = [").unwrap();
        assert_eq!(token_store.load().unwrap_err().code, "tokens-unreadable");
        let options =
            Options { person: "Eve".into(), role: AccessRole::Admin, kind: TokenKind::Agent, expires: None };
        assert!(add_to(&vault, &options, Instant::from_unix(0), [3; 32]).is_err());
        assert_eq!(vault.read_private(FILE).unwrap().unwrap(), "token = [");
    }
}
