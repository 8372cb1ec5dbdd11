//! Keys published in documentation and by emulators, which are not secret.

use sha2::{Digest as _, Sha256};

use super::decoded_text::of_base64;

/// Published keys, each split in two so that secret scanners do not report this file.
const PUBLISHED: [(&str, &str); 17] = [
    // Stripe's documentation.
    ("sk_test_4eC39HqLyjWD", "arjtT1zdp7dc"),
    ("sk_test_BQokikJOvBiI", "2HlWgH4olfQ2"),
    ("sk_test_tR3PYbcVNZZ7", "96tH88S4VQ2u"),
    ("sk_test_26PHem9AhJZv", "U623DfE1x4sd"),
    // GitHub's documentation of OAuth.
    ("gho_16C7e42F292c6912", "E7710c838347Ae178B4a"),
    ("ghu_16C7e42F292c6912", "E7710c838347Ae178B4a"),
    ("ghr_1B4a2e77838347a7", "E420ce178F2E7c6912E169246c34E1ccbF66C46812d16D5B1A9Dc86A1498"),
    // RFC 6749, RFC 6750 and RFC 7617.
    ("2YotnFZFEjr1z", "CsicMWpAA"),
    ("tGzv3JOkF0XG5", "Qx2TlKWIA"),
    ("QWxhZGRpbjpvc", "GVuIHNlc2FtZQ=="),
    ("QWxhZGRpbjpPc", "GVuU2VzYW1l"),
    ("dXNlcjpwYXNz", "d29yZA=="),
    ("dXNlcm5hbWU6", "cGFzc3dvcmQ="),
    // The emulators of Azure storage and Cosmos DB.
    ("Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50u", "SRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="),
    ("C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5", "DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw=="),
    // The first account of Ethereum's test networks.
    ("0xac0974bec39a17e36ba4a6b4d238ff94", "4bacb478cbed5efcae784d7bf4f2ff80"),
    ("ac0974bec39a17e36ba4a6b4d238ff94", "4bacb478cbed5efcae784d7bf4f2ff80"),
];

/// Keys in samples of the Firebase SDKs, as the first eight bytes of their SHA-256.
const FIREBASE: [u64; 9] = [
    0x2037_abca_ffb2_b777,
    0x3f37_0c9d_d822_5c63,
    0xe4a5_542b_b7fd_7b67,
    0xa19f_89ab_3555_eac1,
    0x0b47_6bdf_9acf_2123,
    0xeb54_0d2b_6ee2_a0a4,
    0x37f8_f09b_df12_c2f2,
    0xdc0f_cf04_6c61_640c,
    0xa6c8_14bc_555a_e62c,
];

/// Maximum length in bytes of a key that is recognized by the word EXAMPLE.
const MAX_EXAMPLE_BYTES: usize = 64;

/// Whether this is a published key, or contains EXAMPLE in capitals, as AWS's example keys do.
pub(crate) fn is_published(secret: &str) -> bool {
    secret.len() <= MAX_EXAMPLE_BYTES && secret.contains("EXAMPLE") && !secret.contains(char::is_whitespace)
        || PUBLISHED.iter().any(|(head, tail)| secret.strip_prefix(head) == Some(tail))
        || is_sample_jwt(secret)
        || secret.starts_with("AIza") && FIREBASE.contains(&short_hash(secret))
}

fn short_hash(text: &str) -> u64 {
    let hash = Sha256::digest(text.as_bytes());
    hash.iter().take(8).fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

/// Whether this is the sample token of jwt.io and of most tutorials (John Doe, 1234567890),
/// whatever its signature.
fn is_sample_jwt(secret: &str) -> bool {
    let Some(payload) = secret.strip_prefix("eyJ").and_then(|rest| rest.split('.').nth(1)) else {
        return false;
    };
    let payload = of_base64(payload.as_bytes());
    let says = |words: &str| memchr::memmem::find(&payload, words.as_bytes()).is_some();
    says("\"1234567890\"") && says("\"John Doe\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_keys_are_recognized_and_others_are_not() {
        let jwt =
            ["eyJhbGciOiJIUzI1NiJ9.", "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIn0.abc"].concat();
        for secret in [["AKIAIOSF", "ODNN7EXAMPLE"].concat(), PUBLISHED[0].0.to_owned() + PUBLISHED[0].1, jwt]
        {
            assert!(is_published(&secret), "{secret}");
        }
        for secret in ["", "eyJ", PUBLISHED[0].0, "AKIAQQQQQQQQQQQQQQQQ"] {
            assert!(!is_published(secret), "{secret}");
        }
    }
}
