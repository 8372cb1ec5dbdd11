//! The token file of a vault: tokens that grant access to the server, including revoked ones.
//!
//! The file is edited in place, so comments and unknown keys stay. It contains hashes only.

use subtle::{Choice, ConditionallySelectable};
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

use super::{AccessRole, SecretHash, TokenKind, TokenSecret};
use crate::instant::Instant;
use cm_text::position::line_and_column;
use cm_text::shorten::one_line;

/// Header of a new file.
const OPENING: &str = "\
# Who may ask this vault's server: `cm token add`, `list` and `revoke` keep this file.
# It holds hashes, never the tokens themselves. It is private and not committed.
";
/// Name of the TOML array of tables.
const TOKENS: &str = "token";

/// A token without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessToken {
    /// First eight digits of the hash; identifies the token in lists and logs.
    pub id: String,
    /// Name of the token's owner, recorded in every commit that the token makes.
    pub person: String,
    pub role: AccessRole,
    /// Kind of holder; `Agent` if the file does not specify it.
    pub kind: TokenKind,
    pub created: Instant,
    /// Time of expiry, if any.
    pub expires: Option<Instant>,
    /// Time of revocation, if revoked. Revoked tokens stay in the file for the record.
    pub revoked: Option<Instant>,
    /// Last four characters of the secret.
    pub last_four: String,
    /// SHA-256 hash of the secret.
    pub hash: SecretHash,
}

impl AccessToken {
    /// Creates the token for a new secret.
    pub fn of(
        secret: &TokenSecret,
        person: &str,
        role: AccessRole,
        created: Instant,
        expires: Option<Instant>,
    ) -> Self {
        let hash = secret.hash();
        Self {
            id: hash.short(),
            person: person.to_owned(),
            role,
            kind: TokenKind::default(),
            created: created.truncate_to_second(),
            expires: expires.map(Instant::truncate_to_second),
            revoked: None,
            last_four: secret.last_four().to_owned(),
            hash,
        }
    }

    /// Sets the kind of holder.
    #[must_use]
    pub fn issued_to(self, kind: TokenKind) -> Self {
        Self { kind, ..self }
    }

    /// Whether the token is neither revoked nor expired.
    pub fn is_live(&self, now: Instant) -> bool {
        self.revoked.is_none() && self.expires.is_none_or(|end| now < end)
    }
}

/// Result of checking a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenStatus<'a> {
    /// The secret of an active token.
    Valid(&'a AccessToken),
    /// The secret of an expired token.
    Expired(&'a AccessToken),
    /// The secret of a revoked token.
    Revoked(&'a AccessToken),
    /// No token has this secret.
    Unknown,
}

/// All tokens of a vault.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TokenStore {
    tokens: Vec<AccessToken>,
}

/// Reason why a token file is rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TokenFileError {
    /// The file is not valid TOML.
    #[error("line {line}: {message}")]
    Syntax {
        /// Line number, from 1.
        line: u32,
        /// Message of the parser.
        message: String,
    },
    /// A token lacks a key, or its value has the wrong type.
    #[error("token {number} has no {wanted} in `{key}`")]
    Key {
        /// Number of the token in the file, from 1.
        number: usize,
        key: &'static str,
        /// Description of the value that `key` should have.
        wanted: &'static str,
    },
    /// Two tokens have the same id.
    #[error("token {number} appears twice")]
    Twice {
        /// Number of the second token in the file, from 1.
        number: usize,
    },
    /// The key `token` is not an array of tables.
    #[error("`token` is not a list of tables `[[token]]`")]
    Shape,
}

impl TokenStore {
    /// Parses a token file. Rejects the whole file on any error, because a skipped entry could be a
    /// revocation.
    ///
    /// # Errors
    /// Returns [`TokenFileError`] if the file is not valid.
    pub fn parse(text: &str) -> Result<Self, TokenFileError> {
        let document = document(text)?;
        let mut tokens: Vec<AccessToken> = Vec::new();
        for (table, number) in tables(&document)?.into_iter().flatten().zip(1..) {
            let token = token(table, number)?;
            if tokens.iter().any(|other| other.id == token.id) {
                return Err(TokenFileError::Twice { number });
            }
            tokens.push(token);
        }
        Ok(Self { tokens })
    }

    /// Looks up a secret. Compares it with every token in constant time.
    pub fn check(&self, secret: &TokenSecret, now: Instant) -> TokenStatus<'_> {
        let hash = secret.hash();
        let (mut place, mut found) = (0_u64, Choice::from(0));
        for (token, at) in self.tokens.iter().zip(0_u64..) {
            let same = token.hash.ct_eq(&hash);
            place.conditional_assign(&at, same);
            found |= same;
        }
        let is_listed = bool::from(found);
        match usize::try_from(place).ok().and_then(|place| self.tokens.get(place)).filter(|_| is_listed) {
            None => TokenStatus::Unknown,
            Some(token) if token.revoked.is_some() => TokenStatus::Revoked(token),
            Some(token) if !token.is_live(now) => TokenStatus::Expired(token),
            Some(token) => TokenStatus::Valid(token),
        }
    }

    /// Returns all tokens, oldest first, including revoked ones.
    pub fn tokens(&self) -> &[AccessToken] {
        &self.tokens
    }

    /// Whether the token with this id exists and is neither expired nor revoked.
    pub fn is_live(&self, id: &str, now: Instant) -> bool {
        self.tokens().iter().any(|token| token.id == id && token.is_live(now))
    }

    /// Whether the file has no tokens, not even revoked ones.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Whether any token is active.
    pub fn has_active(&self, now: Instant) -> bool {
        self.tokens.iter().any(|token| token.is_live(now))
    }
}

/// Appends a token to the text of a token file.
///
/// # Errors
/// Returns [`TokenFileError`] if the text is not a valid token file, or already has the token.
pub fn with_token(text: &str, token: &AccessToken) -> Result<String, TokenFileError> {
    let ring = TokenStore::parse(text)?;
    if ring.tokens.iter().any(|other| other.id == token.id) {
        return Err(TokenFileError::Twice { number: ring.tokens.len() + 1 });
    }
    let mut document = document(text)?;
    let item = document.entry(TOKENS).or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
    item.as_array_of_tables_mut().ok_or(TokenFileError::Shape)?.push(table(token));
    let written = document.to_string();
    Ok(if text.trim().is_empty() { format!("{OPENING}{written}") } else { written })
}

/// Marks a token as revoked in the text of a token file. The date of an earlier revocation stays.
///
/// # Errors
/// Returns [`TokenFileError`] if the text is not a valid token file.
pub fn revoke_token(text: &str, id: &str, now: Instant) -> Result<String, TokenFileError> {
    TokenStore::parse(text)?;
    let mut document = document(text)?;
    let list = document.get_mut(TOKENS).and_then(Item::as_array_of_tables_mut);
    for table in list.into_iter().flat_map(ArrayOfTables::iter_mut) {
        if table.get("id").and_then(Item::as_str) == Some(id) && !table.contains_key("revoked") {
            table.insert("revoked", value(now.truncate_to_second().to_string()));
        }
    }
    Ok(document.to_string())
}

fn document(text: &str) -> Result<DocumentMut, TokenFileError> {
    text.parse::<DocumentMut>().map_err(|error| {
        let (line, _) = line_and_column(text, error.span().map_or(0, |span| span.start));
        TokenFileError::Syntax { line, message: one_line(error.message()) }
    })
}

fn tables(document: &DocumentMut) -> Result<Option<&ArrayOfTables>, TokenFileError> {
    match document.get(TOKENS) {
        None => Ok(None),
        Some(item) => item.as_array_of_tables().map(Some).ok_or(TokenFileError::Shape),
    }
}

fn token(table: &Table, number: usize) -> Result<AccessToken, TokenFileError> {
    let refuse = |key, wanted| TokenFileError::Key { number, key, wanted };
    let text = |key: &'static str, wanted| table.get(key).and_then(Item::as_str).ok_or(refuse(key, wanted));
    let instant = |key: &'static str| match table.get(key) {
        None => Ok(None),
        Some(item) => {
            let at = item.as_str().and_then(|text| Instant::parse(text).ok());
            at.map(Some).ok_or(refuse(key, "date"))
        }
    };
    let hash = SecretHash::parse(text("hash", "hash")?).ok_or(refuse("hash", "hash"))?;
    let id = text("id", "name")?;
    // Another id than the hash's would let a hand edit take back a token that is not the one it names.
    if id != hash.short() {
        return Err(refuse("id", "start of its hash"));
    }
    Ok(AccessToken {
        id: id.to_owned(),
        person: super::person(text("person", "name")?).map_err(|_| refuse("person", "name"))?.to_owned(),
        role: text("role", "role")?.parse().map_err(|_| refuse("role", "role"))?,
        kind: match table.get("kind") {
            None => TokenKind::default(),
            Some(_) => text("kind", "kind")?.parse().map_err(|_| refuse("kind", "kind"))?,
        },
        created: instant("created")?.ok_or(refuse("created", "date"))?,
        expires: instant("expires")?,
        revoked: instant("revoked")?,
        last_four: text("last_four", "four characters")?.to_owned(),
        hash,
    })
}

fn table(token: &AccessToken) -> Table {
    let mut table = Table::new();
    table.insert("id", value(&token.id));
    table.insert("person", value(&token.person));
    table.insert("role", value(token.role.name()));
    table.insert("kind", value(token.kind.name()));
    table.insert("created", value(token.created.to_string()));
    if let Some(end) = token.expires {
        table.insert("expires", value(end.to_string()));
    }
    table.insert("last_four", value(&token.last_four));
    table.insert("hash", value(token.hash.to_string()));
    table
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(text: &str) -> Instant {
        Instant::parse(text).unwrap()
    }

    fn ada(byte: u8) -> (TokenSecret, AccessToken) {
        let secret = TokenSecret::of([byte; 32]);
        let token =
            AccessToken::of(&secret, "Ada", AccessRole::Writer, at("2026-11-01"), Some(at("2026-12-01")));
        (secret, token)
    }

    #[test]
    fn the_file_holds_hashes_and_is_read_back() {
        let (secret, token) = ada(1);
        let text = with_token("", &token).unwrap();
        insta::assert_snapshot!(text, @r#"
        # Who may ask this vault's server: `cm token add`, `list` and `revoke` keep this file.
        # It holds hashes, never the tokens themselves. It is private and not committed.
        [[token]]
        id = "98768d56"
        person = "Ada"
        role = "writer"
        kind = "agent"
        created = "2026-11-01T00:00:00Z"
        expires = "2026-12-01T00:00:00Z"
        last_four = "0101"
        hash = "sha256:98768d56174a62b997358fb413c5e9c066b50f8f4a51d75edb88298495db4ca0"
        "#);
        assert!(!text.contains(&secret.expose()[3..]));
        assert_eq!(TokenStore::parse(&text).unwrap().tokens(), [token]);
    }

    #[test]
    fn a_secret_is_worth_what_its_record_says() {
        let (secret, token) = ada(1);
        let text = with_token(&with_token("", &ada(2).1).unwrap(), &token).unwrap();
        let ring = TokenStore::parse(&text).unwrap();
        let now = at("2026-11-30");
        assert_eq!(ring.check(&secret, now), TokenStatus::Valid(&token));
        assert_eq!(ring.check(&secret, at("2026-12-01")), TokenStatus::Expired(&token));
        assert_eq!(ring.check(&TokenSecret::of([9; 32]), now), TokenStatus::Unknown);
        assert_eq!(TokenStore::default().check(&secret, now), TokenStatus::Unknown);
        let ring = TokenStore::parse(&revoke_token(&text, &token.id, now).unwrap()).unwrap();
        assert!(matches!(ring.check(&secret, now), TokenStatus::Revoked(found) if found.id == token.id));
        assert!(ring.has_active(now) && !ring.has_active(at("2027-01-01")));
    }

    #[test]
    fn an_edit_keeps_comments_and_keys_that_it_does_not_know() {
        let text = with_token("# ours\nformat = 1\n", &ada(1).1).unwrap() + "note = \"laptop\" # old\n";
        let both = with_token(&text, &ada(2).1).unwrap();
        let revoked = revoke_token(&both, &ada(1).1.id, at("2026-11-05")).unwrap();
        for kept in ["# ours\nformat = 1\n", "note = \"laptop\" # old\n"] {
            assert!(both.contains(kept) && revoked.contains(kept), "{revoked}");
        }
        assert_eq!(revoked.lines().count(), both.lines().count() + 1);
        assert_eq!(revoke_token(&revoked, &ada(1).1.id, at("2026-11-06")).unwrap(), revoked);
    }

    #[test]
    fn whatever_is_wrong_refuses_the_whole_file() {
        let good = with_token("", &ada(1).1).unwrap();
        for (bad, word) in [
            (good.replace("writer", "owner"), "token 1 has no role in `role`"),
            (good.replace("\"agent\"", "\"robot\""), "token 1 has no kind in `kind`"),
            (good.replace("2026-12-01T00:00:00Z", "soon"), "token 1 has no date in `expires`"),
            (good.replace("sha256:", "md5:"), "token 1 has no hash in `hash`"),
            (good.replace("person", "name"), "token 1 has no name in `person`"),
            (good.replace("id = \"", "id = \"00"), "token 1 has no start of its hash in `id`"),
            (format!("{good}{good}"), "token 2 appears twice"),
            (format!("{good}x = ["), "line 12"),
            ("token = 3".to_owned(), "not a list of tables"),
        ] {
            let error = TokenStore::parse(&bad).unwrap_err().to_string();
            assert!(error.contains(word), "{error} of {bad}");
            assert!(
                with_token(&bad, &ada(3).1).is_err() && revoke_token(&bad, "x", at("2026-11-05")).is_err()
            );
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(?s).{0,200}") {
            let _ = TokenStore::parse(&text);
            let _ = with_token(&text, &ada(1).1);
            let _ = revoke_token(&text, "x", at("2026-11-05"));
        }
    }
}
