//! Classifies names by the values that they imply: `db_password` implies a secret, `token_count` a
//! number, `public_key` no secret.

/// How strongly a name implies that its value is a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NameStrength {
    /// A key of any kind: only a long random value is a secret.
    Weak,
    /// A token, a secret or an API key: a value that looks random is a secret.
    Medium,
    /// A password: a value invented by a person is a secret too.
    Strong,
}

/// Keywords in secret names that the scan searches for.
#[rustfmt::skip]
pub const WORDS: [&str; 30] = [
    "sonar", "pass", "pwd", "pw", "secret", "token", "key", "credential", "auth", "creds", "psk", "access_id",
    "accessid", "webhook", "_pat", "-pat", "_pw", "bindpw", "rootpw", "kennwort", "contrasena", "senha",
    "contraseña", "mot de passe", "пароль", "密码", "密碼", "口令", "パスワード", "비밀번호",
];

/// Words for a password that are not one ASCII word.
const FOREIGN: [&str; 8] =
    ["contraseña", "mot de passe", "пароль", "密码", "密碼", "口令", "パスワード", "비밀번호"];

#[rustfmt::skip]
const PASSWORDS: [&str; 14] = [
    "password", "passwd", "passphrase", "passwort", "pwd", "passcode", "requirepass", "pass", "pw", "bindpw", "rootpw",
    "kennwort", "contrasena", "senha",
];
const SECRETS: [&str; 12] = [
    "pat",
    "secret",
    "token",
    "apikey",
    "credential",
    "credentials",
    "creds",
    "accesskey",
    "secretkey",
    "privatekey",
    "authkey",
    "psk",
];
/// Words that make a following `key` an access key.
#[rustfmt::skip]
const QUALIFIERS: [&str; 66] = [
    "heroku", "snyk", "softlayer", "sl", "github", "gitlab", "aws", "stripe", "openai", "anthropic", "azure",
    "google", "slack", "twilio", "sendgrid", "datadog", "cloudflare", "algolia", "sentry", "mailgun",
    "mailchimp", "shopify", "dropbox", "bitbucket", "npm", "pypi", "huggingface", "hf", "gemini", "mistral",
    "groq", "cohere", "pinecone", "supabase", "firebase", "vercel", "netlify", "airtable", "notion", "linear",
    "api", "access", "secret", "private", "auth", "account", "license", "signing", "encryption", "master",
    "admin", "service", "app", "application", "client", "user", "storage", "deploy", "project", "integration",
    "subscription", "insert", "ingest", "shared", "server", "global",
];
/// Words that make a name harmless, such as those for public values, counts, locations and digests.
#[rustfmt::skip]
const HARMLESS: [&str; 81] = [
    "allow", "chars", "alphabet", "public", "pub", "publishable", "foreign", "primary", "partition", "sort",
    "cache", "name", "names", "url", "uri", "path", "file", "filename", "dir", "length", "len", "size",
    "type", "count", "counts", "limit", "max", "min", "num", "total", "budget", "index", "id", "ids",
    "identifier", "header", "prefix", "suffix", "version", "arn", "ref",
    "reference", "keystore", "expiry", "expires", "expiration", "ttl", "age", "algorithm", "alg",
    "sha", "sha1", "sha256", "md5", "hash", "hashes", "checksum", "chksum", "commit", "revision", "digest",
    "etag", "fingerprint", "page", "next", "cursor", "continuation", "resume", "sync", "cancel",
    "cancellation", "stop", "pad", "mask", "endpoint", "usage", "error", "placeholder", "hint",
    "tokenizer", "selector",
];

/// Returns how strongly a name implies a secret; `None` if it does not.
pub fn strength(name: &str) -> Option<NameStrength> {
    if FOREIGN.contains(&name.to_lowercase().as_str()) {
        return Some(NameStrength::Strong);
    }
    let words = words(name);
    let last = words.iter().rposition(|word| kind(word).is_some() || word == "key" || word == "keys");
    if words.iter().any(|word| HARMLESS.contains(&word.as_str())) {
        return is_access_id(&words).then_some(NameStrength::Weak);
    }
    let at = match last {
        Some(at) => at,
        None if words.iter().any(|word| word == "sonar") && words.iter().any(|word| word == "login") => {
            return Some(NameStrength::Medium);
        }
        None if is_access_id(&words)
            || words.iter().any(|word| matches!(word.as_str(), "auth" | "webhook" | "hook")) =>
        {
            return Some(NameStrength::Weak);
        }
        None => return None,
    };
    if let Some(strength) = words.iter().filter_map(|word| kind(word)).max() {
        // `pass` alone is a verb as well: `pass_stmt` passes nothing secret, `db_pass` does.
        let verb = words.iter().filter(|word| kind(word).is_some()).all(|word| word == "pass");
        return match verb {
            true if words.len() == 1 => Some(NameStrength::Medium),
            true if words.last().is_none_or(|word| word != "pass") => None,
            _ => Some(strength),
        };
    }
    let before = at.checked_sub(1).and_then(|before| words.get(before));
    let qualifies = |word: &String| QUALIFIERS.contains(&word.as_str()) || word.ends_with("api");
    Some(if before.is_some_and(qualifies) { NameStrength::Medium } else { NameStrength::Weak })
}

/// Whether the name denotes the public half of a service's credentials.
fn is_access_id(words: &[String]) -> bool {
    let joined = words.concat();
    joined.ends_with("accessid") || joined.ends_with("accesskeyid")
}

fn kind(word: &str) -> Option<NameStrength> {
    let ends = |list: &[&str]| {
        list.iter().any(|listed| word == *listed || (listed.len() > 4 && word.ends_with(listed)))
    };
    if ends(&PASSWORDS)
        || (word.ends_with("pass")
            && !["bypass", "compass", "overpass", "surpass", "trespass"].contains(&word))
    {
        return Some(NameStrength::Strong);
    }
    let secret = word.starts_with("secret") && word.len() <= 7;
    (secret || ends(&SECRETS)).then_some(NameStrength::Medium)
}

/// Splits a name into lower-case words: `dbPassword`, `DB_PASSWORD` and `db-password` give `db`,
/// `password`.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    for c in name.chars() {
        let begins = !c.is_ascii_alphanumeric()
            || (c.is_ascii_uppercase() && before.is_ascii_lowercase())
            || (c.is_ascii_digit()
                && !before.is_ascii_digit()
                && words.last().is_some_and(|word| word.len() > 4));
        if begins || words.is_empty() {
            words.push(String::new());
        }
        if c.is_ascii_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.push(c.to_ascii_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_how_secret_its_value_is() {
        for (name, expected) in [
            ("password", Some(NameStrength::Strong)),
            ("db_pass", Some(NameStrength::Strong)),
            ("PGPASSWORD", Some(NameStrength::Strong)),
            ("mySecretString", Some(NameStrength::Medium)),
            ("shop_api_token_12", Some(NameStrength::Medium)),
            ("softlayer-api-key", Some(NameStrength::Medium)),
            ("slapikey", Some(NameStrength::Medium)),
            ("aws_secret_access_key", Some(NameStrength::Medium)),
            ("guru_key", Some(NameStrength::Weak)),
            ("SUMO_ACCESS_ID", Some(NameStrength::Weak)),
            ("publicToken", None),
            ("foreignKey", None),
            ("credentialsId", None),
            ("token_count", None),
            ("keyboard", None),
            ("author", None),
            ("bypass", None),
        ] {
            assert_eq!(strength(name), expected, "{name}");
        }
    }
}
