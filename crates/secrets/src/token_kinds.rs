//! Tables of tokens with a recognizable format, from public documentation.
//!
//! Prefix, alphabet and length follow the providers' formats. Lengths exclude the prefix; a longer
//! run than the maximum does not match.

mod further;
pub mod multi_part;

use super::randomness::{
    ALNUM, ANY_HEX, Alphabet, BASE64, DASH, DIGIT, DOT, EQUALS, HEX, LOWER, NAME, PERCENT, PLUS_SLASH, TILDE,
    UNDERSCORE, UPPER, URL_SAFE,
};

/// A kind of token with a distinctive prefix.
pub struct PrefixedToken {
    /// Prefix, case-sensitive.
    pub prefix: &'static str,
    /// Label of its placeholder.
    pub label: &'static str,
    /// Alphabet after the prefix.
    pub alphabet: Alphabet,
    /// Minimum length after the prefix.
    pub least: usize,
    /// Maximum length after the prefix.
    pub most: usize,
    /// Additional requirement for the text after the prefix.
    pub care: PrefixRarity,
}

/// Requirement for the text after a prefix, depending on how common the prefix is in ordinary text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum PrefixRarity {
    /// The prefix hardly occurs in ordinary text, so the rest of the token may be any characters.
    Rare,
    /// Upper-case and lower-case letters and a digit, because the prefix occurs in identifiers.
    Mixed,
    /// Random characters, because the prefix is common.
    Random,
}

impl PrefixedToken {
    /// Priority of the label where kinds overlap; lower for common prefixes.
    pub fn weight(&self) -> u8 {
        if self.care == PrefixRarity::Rare { 9 } else { 7 }
    }
}

const MAX_TOKEN_BYTES: usize = 4096;

const fn token(
    prefix: &'static str,
    label: &'static str,
    alphabet: Alphabet,
    least: usize,
    most: usize,
) -> PrefixedToken {
    PrefixedToken { prefix, label, alphabet, least, most, care: PrefixRarity::Rare }
}

const fn doubtful(
    prefix: &'static str,
    label: &'static str,
    alphabet: Alphabet,
    least: usize,
    most: usize,
) -> PrefixedToken {
    PrefixedToken { prefix, label, alphabet, least, most, care: PrefixRarity::Random }
}

const fn mixed(
    prefix: &'static str,
    label: &'static str,
    alphabet: Alphabet,
    least: usize,
    most: usize,
) -> PrefixedToken {
    PrefixedToken { prefix, label, alphabet, least, most, care: PrefixRarity::Mixed }
}

/// Returns every kind of token with a prefix.
pub fn tokens() -> impl Iterator<Item = &'static PrefixedToken> {
    TOKENS.iter().chain(further::TOKENS)
}

/// Clouds, version control, chat, payment and the major AI providers.
const TOKENS: &[PrefixedToken] = &[
    token("AKIA", "aws-access-key", UPPER | DIGIT, 16, 16),
    token("ASIA", "aws-access-key", UPPER | DIGIT, 16, 16),
    token("ABIA", "aws-access-key", UPPER | DIGIT, 16, 16),
    token("ACCA", "aws-access-key", UPPER | DIGIT, 16, 16),
    token("A3T", "aws-access-key", UPPER | DIGIT, 17, 17),
    token("ABSK", "aws-bedrock-key", BASE64, 100, 300),
    token("bedrock-api-key-", "aws-bedrock-key", BASE64, 20, MAX_TOKEN_BYTES),
    token("AIza", "google-api-key", URL_SAFE, 35, 35),
    token("GOCSPX-", "google-client-secret", URL_SAFE, 24, 40),
    token("ya29.", "google-token", URL_SAFE | DOT, 20, MAX_TOKEN_BYTES),
    token("1//0", "google-token", URL_SAFE, 30, 200),
    token("LTAI", "alibaba-key", ALNUM, 12, 24),
    doubtful("AKID", "tencent-key", ALNUM, 30, 40),
    token("ghp_", "github-token", ALNUM, 36, 255),
    token("gho_", "github-token", ALNUM, 36, 255),
    token("ghu_", "github-token", ALNUM, 36, 255),
    token("ghs_", "github-token", NAME | DOT | DASH, 36, 2000),
    token("ghr_", "github-token", ALNUM, 36, 255),
    token("github_pat_", "github-token", NAME, 36, 255),
    token("glpat-", "gitlab-token", URL_SAFE | DOT, 20, 300),
    token("gldt-", "gitlab-token", URL_SAFE, 20, 64),
    token("glptt-", "gitlab-token", HEX, 40, 40),
    token("glrt-", "gitlab-token", URL_SAFE | DOT, 20, 64),
    token("glrtr-", "gitlab-token", URL_SAFE | DOT, 20, 64),
    token("glcbt-", "gitlab-token", URL_SAFE, 20, 64),
    token("glft-", "gitlab-token", URL_SAFE, 20, 64),
    token("glsoat-", "gitlab-token", URL_SAFE, 20, 64),
    token("glimt-", "gitlab-token", URL_SAFE, 25, 25),
    token("glagent-", "gitlab-token", URL_SAFE, 50, 1024),
    token("glffct-", "gitlab-token", URL_SAFE, 20, 64),
    token("gloas-", "gitlab-token", URL_SAFE, 64, 64),
    token("glwt-", "gitlab-token", URL_SAFE, 20, 64),
    token("GR1348941", "gitlab-token", URL_SAFE, 20, 42),
    token("_gitlab_session=", "session-cookie", ALNUM, 32, 128),
    token("xoxb-", "slack-token", URL_SAFE, 20, 255),
    token("xoxp-", "slack-token", URL_SAFE, 20, 255),
    token("xoxa-", "slack-token", URL_SAFE, 10, 255),
    token("xoxr-", "slack-token", URL_SAFE, 10, 255),
    token("xoxs-", "slack-token", URL_SAFE, 10, 255),
    token("xoxo-", "slack-token", DIGIT | DASH | LOWER | UPPER, 20, 255),
    token("xoxc-", "slack-token", URL_SAFE, 20, 255),
    token("xoxd-", "slack-token", ALNUM | PERCENT | PLUS_SLASH | EQUALS | DASH, 20, MAX_TOKEN_BYTES),
    token("xoxe-", "slack-token", URL_SAFE, 40, 300),
    token("xoxe.xox", "slack-token", URL_SAFE, 60, 300),
    token("xapp-", "slack-token", URL_SAFE, 20, 255),
    token("sk_live_", "stripe-key", ALNUM, 10, 255),
    token("sk_test_", "stripe-key", ALNUM, 10, 255),
    token("sk_prod_", "stripe-key", ALNUM, 10, 255),
    token("rk_live_", "stripe-key", ALNUM, 10, 255),
    token("rk_test_", "stripe-key", ALNUM, 10, 255),
    token("rk_prod_", "stripe-key", ALNUM, 10, 255),
    token("whsec_", "webhook-secret", BASE64, 24, 128),
    token("sk-ant-", "anthropic-key", URL_SAFE, 40, 255),
    token("sk-proj-", "openai-key", URL_SAFE, 40, 255),
    token("sk-svcacct-", "openai-key", URL_SAFE, 40, 255),
    token("sk-admin-", "openai-key", URL_SAFE, 40, 255),
    token("sk-or-v1-", "openrouter-key", HEX, 40, 128),
    token("sk-lf-", "langfuse-key", URL_SAFE, 32, 64),
    doubtful("sk-", "openai-key", URL_SAFE, 20, 255),
    token("gsk_", "groq-key", ALNUM, 40, 64),
    token("pplx-", "perplexity-key", ALNUM, 40, 64),
    token("xai-", "xai-key", ALNUM, 60, 100),
    token("hf_", "huggingface-token", ALNUM, 34, 40),
    token("api_org_", "huggingface-token", ALNUM, 34, 40),
    token("r8_", "replicate-token", ALNUM, 37, 40),
    token("nvapi-", "nvidia-key", URL_SAFE, 50, 100),
    token("lsv2_pt_", "langsmith-key", NAME, 32, 64),
    token("lsv2_sk_", "langsmith-key", NAME, 32, 64),
    doubtful("tvly-", "tavily-key", URL_SAFE, 20, 80),
    token("fc-", "firecrawl-key", HEX, 32, 32),
    token("jina_", "jina-key", NAME, 40, 80),
    token("csk-", "cerebras-key", ALNUM, 40, 60),
    token("tgp_v1_", "together-key", URL_SAFE, 40, 60),
    token("pcsk_", "pinecone-key", NAME, 50, 80),
    token("npm_", "npm-token", ALNUM, 36, 36),
    token("pypi-AgE", "pypi-token", URL_SAFE, 50, 1000),
    token("rubygems_", "rubygems-key", HEX, 48, 48),
    token("CLOJARS_", "clojars-token", ALNUM, 60, 60),
    token("cio", "crates-token", ALNUM, 32, 32),
    token("oy2", "nuget-key", LOWER | DIGIT, 43, 43),
    token("dckr_pat_", "docker-token", URL_SAFE, 24, 40),
    token("dckr_oat_", "docker-token", URL_SAFE, 24, 40),
    token("hvs.", "vault-token", URL_SAFE, 24, 300),
    token("hvb.", "vault-token", URL_SAFE, 100, 400),
    token("hvr.", "vault-token", URL_SAFE, 24, 300),
    token("sntrys_", "sentry-token", BASE64 | UNDERSCORE, 60, 800),
    token("sntryu_", "sentry-token", HEX, 64, 64),
    token("pul-", "pulumi-token", HEX, 40, 40),
    token("cm_", "cm-token", HEX, 64, 64),
    token("dop_v1_", "digitalocean-token", HEX, 64, 64),
    token("doo_v1_", "digitalocean-token", HEX, 64, 64),
    token("dor_v1_", "digitalocean-token", HEX, 64, 64),
    token("SG.", "sendgrid-key", URL_SAFE | DOT | EQUALS, 60, 80),
    token("xkeysib-", "brevo-key", ALNUM | DASH, 70, 100),
    token("key-", "mailgun-key", HEX, 32, 32),
    token("pubkey-", "mailgun-key", HEX, 32, 32),
    token("sq0atp-", "square-token", URL_SAFE, 22, 60),
    token("sq0csp-", "square-token", URL_SAFE, 43, 60),
    token("sq0csb-", "square-token", URL_SAFE, 40, 60),
    token("sq0idb-", "square-token", URL_SAFE, 20, 60),
    doubtful("EAAA", "square-token", URL_SAFE | PLUS_SLASH, 56, 300),
    token("EAAC", "facebook-token", ALNUM, 80, 300),
    token("EAAM", "facebook-token", ALNUM, 80, 300),
    token("EAAB", "facebook-token", ALNUM, 80, 300),
    token("EAAG", "facebook-token", ALNUM, 80, 300),
    token("shpat_", "shopify-token", ANY_HEX, 32, 32),
    token("shpca_", "shopify-token", ANY_HEX, 32, 32),
    token("shppa_", "shopify-token", ANY_HEX, 32, 32),
    token("shpss_", "shopify-token", ANY_HEX, 32, 32),
    token("shpua_", "shopify-token", ANY_HEX, 32, 32),
    token("shptka_", "shopify-token", ANY_HEX, 32, 32),
    token("PMAK-", "postman-key", ALNUM | DASH, 50, 70),
    token("NRAK-", "newrelic-key", ALNUM, 20, 40),
    token("NRII-", "newrelic-key", URL_SAFE, 20, 40),
    token("NRIQ-", "newrelic-key", URL_SAFE, 20, 40),
    token("NRBR-", "newrelic-key", ALNUM, 15, 40),
    token("NRJS-", "newrelic-key", ALNUM, 15, 40),
    token("lin_api_", "linear-key", ALNUM, 32, 64),
    token("lin_oauth_", "linear-key", ALNUM, 32, 80),
    token("figd_", "figma-token", URL_SAFE, 38, 64),
    token("ntn_", "notion-token", ALNUM, 40, 60),
    token("secret_", "notion-token", ALNUM, 43, 43),
    token("dapi", "databricks-token", HEX | DASH, 32, 36),
    token("dt0c01.", "dynatrace-token", ALNUM | DOT, 80, 100),
    token("dt0s01.", "dynatrace-token", ALNUM | DOT, 70, 100),
    token("dt0s16.", "dynatrace-token", ALNUM | DOT, 70, 100),
    token("glc_", "grafana-token", BASE64, 32, 500),
    token("glsa_", "grafana-token", NAME, 32, 60),
    token("eyJrIjoi", "grafana-token", BASE64, 60, 500),
    token("shippo_live_", "shippo-token", HEX, 40, 40),
    token("shippo_test_", "shippo-token", HEX, 40, 40),
    token("duffel_live_", "duffel-token", URL_SAFE | EQUALS, 40, 60),
    token("duffel_test_", "duffel-token", URL_SAFE | EQUALS, 40, 60),
    token("EZAK", "easypost-key", ALNUM, 54, 54),
    token("EZTK", "easypost-key", ALNUM, 54, 54),
    token("FLWSECK", "flutterwave-key", URL_SAFE, 12, 60),
    token("FLWPUBK_TEST-", "flutterwave-key", URL_SAFE, 30, 60),
    token("pat.", "harness-token", URL_SAFE | DOT, 60, 90),
    token("sat.", "harness-token", URL_SAFE | DOT, 60, 90),
    token("pscale_tkn_", "planetscale-token", URL_SAFE | DOT | EQUALS, 30, 80),
    token("pscale_pw_", "planetscale-password", URL_SAFE | DOT | EQUALS, 30, 80),
    token("pscale_oauth_", "planetscale-token", URL_SAFE | DOT | EQUALS, 30, 80),
    token("pnu_", "prefect-key", ALNUM, 36, 36),
    token("rdme_", "readme-key", ALNUM, 70, 70),
    token("sm_pat_", "settlemint-token", ALNUM, 16, 16),
    token("sm_aat_", "settlemint-token", ALNUM, 16, 16),
    token("sm_sat_", "settlemint-token", ALNUM, 16, 16),
    token("slk_", "sourcegraph-token", HEX, 64, 64),
    token("tfp_", "typeform-token", URL_SAFE | DOT | EQUALS, 40, 70),
    token("tk-us-", "scalingo-token", URL_SAFE, 48, 48),
    token("t1.", "yandex-token", URL_SAFE | DOT | EQUALS, 80, 200),
    token("AQVN", "yandex-key", URL_SAFE, 35, 38),
    token("YC", "yandex-key", URL_SAFE, 38, 38),
    token("API-", "octopus-key", UPPER | DIGIT, 26, 26),
    token("A3-", "1password-key", UPPER | DIGIT | DASH, 32, 40),
    token("ops_eyJ", "1password-token", BASE64 | URL_SAFE, 200, MAX_TOKEN_BYTES),
    token("AKCp", "artifactory-key", ALNUM, 10, 80),
    doubtful("AKC", "artifactory-key", ALNUM, 10, 80),
    doubtful("AP0", "artifactory-key", ALNUM, 10, 90),
    doubtful("AP1", "artifactory-key", ALNUM, 10, 90),
    doubtful("AP2", "artifactory-key", ALNUM, 10, 90),
    doubtful("AP3", "artifactory-key", ALNUM, 10, 90),
    doubtful("AP4", "artifactory-key", ALNUM, 10, 90),
    doubtful("AP5", "artifactory-key", ALNUM, 10, 90),
    doubtful("AP6", "artifactory-key", ALNUM, 10, 90),
    doubtful("AP7", "artifactory-key", ALNUM, 10, 90),
    doubtful("AP8", "artifactory-key", ALNUM, 10, 90),
    doubtful("AP9", "artifactory-key", ALNUM, 10, 90),
    doubtful("APA", "artifactory-key", ALNUM, 10, 90),
    doubtful("APB", "artifactory-key", ALNUM, 10, 90),
    doubtful("APC", "artifactory-key", ALNUM, 10, 90),
    doubtful("APD", "artifactory-key", ALNUM, 10, 90),
    doubtful("APE", "artifactory-key", ALNUM, 10, 90),
    doubtful("APF", "artifactory-key", ALNUM, 10, 90),
    token("cmVmd", "artifactory-token", ALNUM, 59, 59),
    token("sha256~", "openshift-token", URL_SAFE, 43, 43),
    token("squ_", "sonar-token", HEX, 40, 40),
    token("sqp_", "sonar-token", HEX, 40, 40),
    token("sqa_", "sonar-token", HEX, 40, 40),
    token("ATATT3", "atlassian-token", URL_SAFE | EQUALS, 100, 300),
    token("ATCTT3", "atlassian-token", URL_SAFE | EQUALS, 100, 300),
    token("ATBB", "bitbucket-password", ALNUM, 32, 32),
    token("dnkey-", "defined-networking-key", URL_SAFE | EQUALS, 60, 120),
    token("dp.pt.", "doppler-token", ALNUM, 40, 48),
    token("dp.ct.", "doppler-token", ALNUM, 40, 48),
    token("dp.st.", "doppler-token", URL_SAFE | DOT, 40, 90),
    token("dp.sa.", "doppler-token", ALNUM, 40, 48),
    token("dp.said.", "doppler-token", ALNUM, 40, 48),
    token("dp.scim.", "doppler-token", ALNUM, 40, 48),
    token("dp.audit.", "doppler-token", ALNUM, 40, 48),
    token("fo1_", "flyio-token", URL_SAFE, 43, 43),
    token("fm1a_", "flyio-token", BASE64, 100, MAX_TOKEN_BYTES),
    token("fm1r_", "flyio-token", BASE64, 100, MAX_TOKEN_BYTES),
    token("fm2_", "flyio-token", BASE64, 100, MAX_TOKEN_BYTES),
    token("fio-u-", "frameio-token", URL_SAFE | EQUALS, 60, 70),
    mixed("ico-", "infracost-key", ALNUM, 32, 32),
    token("p8e-", "adobe-secret", ANY_HEX, 32, 32),
    token("AGE-SECRET-KEY-1", "age-key", UPPER | DIGIT, 58, 58),
    token("4b1d", "clickhouse-key", ALNUM, 38, 38),
    token("sl.", "dropbox-token", URL_SAFE | EQUALS | DOT, 100, MAX_TOKEN_BYTES),
    token("HRKU-", "heroku-key", URL_SAFE, 36, 80),
    token("tskey-", "tailscale-key", URL_SAFE, 20, 100),
    token("CFPAT-", "contentful-token", URL_SAFE, 40, 50),
    token("CCIPAT_", "circleci-token", NAME, 40, 80),
    token("bkua_", "buildkite-token", HEX, 40, 40),
    token("sbp_", "supabase-token", HEX, 40, 40),
    token("sb_secret_", "supabase-key", NAME | DASH, 24, 80),
    token("nfp_", "netlify-token", ALNUM, 36, 60),
    token("rnd_", "render-key", ALNUM, 24, 40),
    token("atlasv1.", "terraform-token", URL_SAFE | EQUALS, 60, 80),
    token("SK", "twilio-key", ANY_HEX, 32, 32),
    token("sys_", "phrase-token", URL_SAFE, 60, 90),
    token("v1.0-", "cloudflare-origin-key", ALNUM | DASH, 160, 190),
    token("cfut_", "cloudflare-token", URL_SAFE, 40, 60),
    token("hubspot-pat-", "hubspot-token", ALNUM | DASH, 36, 60),
    token("pat-na1-", "hubspot-token", ALNUM | DASH, 36, 40),
    token("pat-eu1-", "hubspot-token", ALNUM | DASH, 36, 40),
    doubtful("AAAAAAAAAAAAAAAAAAAAA", "twitter-token", ALNUM | PERCENT, 40, 200),
    token("sub-c-", "pubnub-key", ALNUM | DASH, 36, 36),
    token("pub-c-", "pubnub-key", ALNUM | DASH, 36, 36),
    token("sec-c-", "pubnub-key", ALNUM | DASH | EQUALS, 40, 60),
    token("thog-key-", "trufflehog-key", HEX, 16, 16),
    token("thog-secret-", "trufflehog-key", HEX, 32, 32),
    token("tkn.v1_", "teamwork-token", URL_SAFE | EQUALS, 60, 80),
    token("rzp_live_", "razorpay-key", ALNUM, 14, 20),
    token("rzp_test_", "razorpay-key", ALNUM, 14, 20),
    token("wdp_", "weights-key", ALNUM, 30, 60),
    token("phx_", "posthog-key", ALNUM, 40, 60),
    token("dG9rOm", "intercom-token", BASE64, 50, 70),
    token("LS0tLS1CRUdJTiBQUklWQVRFI", "private-key", BASE64, 40, MAX_TOKEN_BYTES * 4),
    token("LS0tLS1CRUdJTiBSU0EgUFJJVkFUR", "private-key", BASE64, 40, MAX_TOKEN_BYTES * 4),
    token("LS0tLS1CRUdJTiBFQyBQUklWQVRFI", "private-key", BASE64, 40, MAX_TOKEN_BYTES * 4),
    token("LS0tLS1CRUdJTiBPUEVOU1NIIFBSSVZBVEUg", "private-key", BASE64, 40, MAX_TOKEN_BYTES * 4),
    token("ZXlKaGJHY2lPaUp", "jwt", BASE64 | URL_SAFE, 40, MAX_TOKEN_BYTES),
    token("ZXlKMGVYQWlPaUp", "jwt", BASE64 | URL_SAFE, 40, MAX_TOKEN_BYTES),
    token("ZXlKcmFXUWlPaU", "jwt", BASE64 | URL_SAFE, 40, MAX_TOKEN_BYTES),
];

/// Legacy Vault tokens. Their prefix is too common for the table.
pub const VAULT: PrefixedToken = doubtful("s.", "vault-token", ALNUM, 24, 24);

/// A token with a marker in its middle: the marker and the text around it.
pub struct MarkedToken {
    /// Marker, case-sensitive.
    pub mark: &'static str,
    /// Label of its placeholder.
    pub label: &'static str,
    /// Text before the marker: alphabet, minimum and maximum length.
    pub before: (Alphabet, usize, usize),
    /// Text after the marker: alphabet, minimum and maximum length.
    pub after: (Alphabet, usize, usize),
}

/// Key of an Azure service: base64 of 32, 42 or 64 bytes with the service's signature near the end.
const fn azure_key(mark: &'static str, before: usize, after: usize) -> MarkedToken {
    MarkedToken { mark, label: "azure-key", before: (BASE64, before, before), after: (BASE64, 5, after) }
}

/// Every kind of token with a marker.
pub(crate) const MARKED: &[MarkedToken] = &[
    MarkedToken {
        mark: "Q~",
        label: "azure-secret",
        before: (NAME | TILDE, 4, 4),
        after: (URL_SAFE | DOT | TILDE, 31, 34),
    },
    MarkedToken {
        mark: "T3BlbkFJ",
        label: "openai-key",
        before: (URL_SAFE, 20, 120),
        after: (URL_SAFE, 20, 120),
    },
    MarkedToken { mark: "JQQJ99", label: "azure-key", before: (ALNUM, 40, 60), after: (ALNUM, 20, 40) },
    MarkedToken { mark: "AZDO", label: "azure-devops-token", before: (ALNUM, 76, 76), after: (ALNUM, 4, 5) },
    azure_key("+ASt", 76, 8),
    azure_key("+ABa", 76, 8),
    azure_key("+AMC", 33, 8),
    azure_key("+ASb", 33, 8),
    azure_key("+AEh", 33, 8),
    azure_key("+ARm", 33, 8),
    azure_key("AIoT", 33, 8),
    azure_key("AZEG", 33, 8),
    azure_key("AzCa", 33, 8),
    azure_key("ACDb", 76, 8),
    azure_key("APIM", 76, 8),
    azure_key("AzFu", 44, 8),
    azure_key("AzSe", 42, 8),
    azure_key("+ACR", 42, 8),
    MarkedToken {
        mark: "!AQ",
        label: "salesforce-session",
        before: (ALNUM, 15, 18),
        after: (NAME | DOT, 60, 120),
    },
    MarkedToken {
        mark: ".atlasv1.",
        label: "terraform-token",
        before: (ALNUM, 14, 14),
        after: (URL_SAFE | EQUALS, 60, 70),
    },
    MarkedToken { mark: "-us", label: "mailchimp-key", before: (HEX, 32, 32), after: (DIGIT, 1, 2) },
    MarkedToken { mark: ":AA", label: "telegram-token", before: (DIGIT, 5, 16), after: (URL_SAFE, 32, 34) },
    MarkedToken { mark: "-NRMA", label: "newrelic-key", before: (ALNUM, 40, 44), after: (ALNUM, 0, 0) },
    MarkedToken {
        mark: ":APA91b",
        label: "firebase-key",
        before: (URL_SAFE, 11, 30),
        after: (URL_SAFE, 100, 200),
    },
];

/// Facebook app tokens. Their marker, a bar, is too common for the table.
pub(crate) const FACEBOOK: MarkedToken =
    MarkedToken { mark: "|", label: "facebook-token", before: (DIGIT, 15, 16), after: (URL_SAFE, 27, 40) };
