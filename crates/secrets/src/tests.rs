//! Tests and properties of redaction.

use proptest::prelude::*;

use super::*;

fn redacted(text: &str) -> String {
    redact(text, &RedactionRules::default()).0.into_string()
}

#[test]
fn each_secret_becomes_a_placeholder_that_says_its_kind() {
    let key = format!("gh{}_{}", "p", "k3vq8wz1x5rt7bn2mc9pf4jd6hg0ls8yq2we");
    let (text, removed) = redact(&format!("one\nexport GITHUB_TOKEN={key}\n"), &RedactionRules::default());
    assert_eq!(text.as_str(), "one\nexport GITHUB_TOKEN=[redacted: github-token]\n");
    assert_eq!(removed, [RedactedSecret { rule: "github-token".to_owned(), range: 24..64, line: 2 }]);
}

#[test]
fn without_rules_a_text_passes_and_own_patterns_still_hold() {
    let rules = RedactionRules::none().with_extra(&["ticket = ACME-(\\d+)".to_owned()]).unwrap();
    assert_eq!(
        redact("password=hunter22 ACME-1234", &rules).0.as_str(),
        "password=hunter22 ACME-[redacted: ticket]"
    );
}

#[test]
fn hashes_uuids_and_examples_stay() {
    for text in [
        "commit 3f7c1d9e5b8a2c4f6d0e9b7a5c3f1d8e6b4a2c0f",
        "checksum = \"2f3d3d1c4d6c0b1d2b4ab4d2b2e8ad51d2b6a1e2aa8b1c4e5f6a7b8c9d0e1f2a\"",
        "sha256:2f3d3d1c4d6c0b1d2b4ab4d2b2e8ad51d2b6a1e2aa8b1c4e5f6a7b8c9d0e1f2a",
        "\"sessionId\":\"3b9d1c46-52fa-4e07-9a8d-7c6e5f4d3b21\"",
        "api_key = \"<your-key>\"",
        "password: ${PASSWORD}",
        "token = os.environ[\"TOKEN\"]",
        "PASSWORD=changeme",
    ] {
        assert_eq!(redacted(text), text);
    }
}

#[test]
fn the_page_names_every_kind() {
    let page = include_str!("../../../docs/secrets.md");
    for label in scan::labels() {
        assert!(page.contains(&format!("`{label}`")), "docs/secrets.md does not name `{label}`");
    }
}

#[test]
fn a_published_key_stays_and_a_mark_in_the_line_changes_nothing() {
    let published = ["AKIAIOSF", "ODNN7EXAMPLE"].concat();
    assert_eq!(redacted(&published), published);
    let key = ["AK", "IAEQ3KDFYSPSC5LKR4"].concat();
    assert!(!redacted(&format!("{key} cm:allow-secret")).contains(&key));
}

#[test]
fn a_secret_that_another_one_uncovers_is_placed_in_the_whole_text() {
    let key = ["AK", "IAEQ3KDFYSPSC5LKR4"].concat();
    let text = format!("password=kR7mossy!{key} and {key} then secret: {key}\n{key}");
    let removed = find(&text, &RedactionRules::default());
    assert!(removed.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start), "{removed:?}");
    assert!(!redacted(&text).contains(&key));
}

/// Texts that would take minutes if the run time were not linear.
#[test]
fn hostile_texts_are_read_in_time() {
    const SIZE: usize = 50_000;
    let key = ["-----BEGIN PRIVATE ", "KEY-----"].concat();
    let end = ["-----END PRIVATE ", "KEY-----"].concat();
    for piece in [
        "key=",
        "password=a",
        "key=\"",
        "secret: ",
        "authorization:",
        "cookie=",
        "a://b:!/@",
        "://",
        "sig=",
        "machine a login b ",
        ":5432:a:b:c",
        "$6$aaaaaaaaaaaaaaaaaaaaaaa",
        "ya29.",
        "eyJ",
        "eyJhbGciOiJIUzI1NiJ9.",
        "a.b",
        "orbit velvet ",
        "kind: Secret\n",
        "%41",
        "&#65;",
        "<b>",
        "**a",
        "\u{200b}x",
        "\" + \"",
        "QUtJ",
        "41",
        "[redacted: ",
        "-----",
        "Private-Lines: 9\n",
        "\"d\":\"kty",
        &key,
        &end,
        &format!("{key}MIIBhuG8GP38g4o5"),
        "\n",
        "\\",
    ] {
        let text = piece.repeat(SIZE / piece.len());
        let found = find(&text, &RedactionRules::default());
        assert!(found.iter().all(|removed| text.get(removed.range.clone()).is_some()), "{piece}");
    }
}

/// Fragments relevant to redaction, for random combination.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("password".to_owned()),
        Just("api_key".to_owned()),
        Just("token".to_owned()),
        Just("secret:".to_owned()),
        Just("=".to_owned()),
        Just(": ".to_owned()),
        Just("\"".to_owned()),
        Just("\\\"".to_owned()),
        Just("'".to_owned()),
        Just("\n".to_owned()),
        Just(" ".to_owned()),
        Just("-----BEGIN RSA PRIVATE KEY-----".to_owned()),
        Just("-----END RSA PRIVATE KEY-----".to_owned()),
        Just("https://ada:".to_owned()),
        Just("@host/".to_owned()),
        Just("Bearer ".to_owned()),
        Just("eyJhbGciOiJIUzI1NiJ9.".to_owned()),
        Just("curl -u ".to_owned()),
        Just("Cookie: a=".to_owned()),
        Just("[redacted: ".to_owned()),
        Just("]".to_owned()),
        Just("hooks.slack.com/services/".to_owned()),
        Just("kind: Secret\ndata:\n  a: ".to_owned()),
        Just(format!("gh{}_", "p")),
        Just(format!("gh{}\\_**k3vq8wz1x5rt7bn2mc9p**f4jd6hg0ls8yq2we", "p")),
        Just("%3A%2F%2F".to_owned()),
        Just("&#95;".to_owned()),
        Just("\u{200b}".to_owned()),
        Just("**".to_owned()),
        Just("\" + \"".to_owned()),
        Just("cGFzc3dvcmQ9a1I3bW9zc3khIGFuZCBtb3Jl".to_owned()),
        Just("70617373776f72643d6b52376d6f73737921".to_owned()),
        Just("machine a login b password c3d".to_owned()),
        Just(":5432:".to_owned()),
        Just("$6$".to_owned()),
        Just("{SHA}".to_owned()),
        Just("sig=".to_owned()),
        Just("?sv=1&".to_owned()),
        Just("orbit velvet canyon prize hungry walnut ".to_owned()),
        Just(format!("AK{}", "IA")),
        Just("-".to_owned()),
        Just(".".to_owned()),
        Just(";".to_owned()),
        Just(",".to_owned()),
        "[A-Za-z0-9]{1,40}",
        "[A-Z2-7]{16}",
        "[ -~]{0,12}",
        "\\PC{0,4}",
    ]
}

proptest! {
    #[test]
    fn what_was_redacted_stays_as_it_is(pieces in prop::collection::vec(piece(), 0..24)) {
        let once = redacted(&pieces.concat());
        prop_assert_eq!(redacted(&once), once);
    }

    #[test]
    fn any_text_is_redacted_without_panic_and_ranges_are_in_order(text in any::<String>()) {
        let (_, removed) = redact(&text, &RedactionRules::default());
        prop_assert!(removed.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start));
        prop_assert!(removed.iter().all(|secret| text.get(secret.range.clone()).is_some()));
    }

    #[test]
    fn a_token_is_found_in_any_surroundings(
        before in "[ -~]{0,20}",
        after in "[ -~]{0,20}",
        body in "[A-Za-z0-9]{36}",
    ) {
        let secret = format!("gh{}_{body}", "p");
        let text = redacted(&format!("{before} {secret} {after}"));
        prop_assert!(!text.contains(&secret) || body.contains("xxxxxxxx") || body.contains("XXXXXXXX"));
    }
}
