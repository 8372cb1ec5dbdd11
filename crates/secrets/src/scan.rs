//! Single-pass scanner: an automaton finds keywords, and the rule of each keyword inspects its
//! surroundings. Text without keywords only costs the automaton.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::name_strength::{self, NameStrength};
use super::{
    assignment, command_line, credential_files, header, jwt, kubernetes, login, mnemonic, placeholder,
    private_key, signature, token, token_kinds, url,
};

/// A byte range that a rule wants to redact.
#[derive(Debug, Clone)]
pub struct SecretCandidate<'r> {
    pub range: Range<usize>,
    /// Label of the placeholder.
    pub label: &'r str,
    /// Priority of the label where candidates overlap.
    weight: u8,
}

impl SecretCandidate<'_> {
    pub fn at(self, range: Range<usize>) -> Self {
        Self { range, ..self }
    }
}

/// Rule that a keyword triggers.
#[derive(Clone, Copy)]
enum KeywordRule {
    Token(&'static token_kinds::PrefixedToken),
    Shaped(&'static token_kinds::multi_part::MultiPartToken),
    Marked(usize),
    Jwt,
    Armour,
    Address,
    WebHook(usize),
    Name,
    Scheme(&'static str),
    Authorization,
    Cookie,
    Session,
    User,
    Program(&'static str),
    Bundler,
    Placeholder,
    /// A keyword with its own function, and the label and weight of its matches.
    Other(fn(&str, Range<usize>) -> Option<Range<usize>>, &'static str, u8),
}

impl KeywordRule {
    /// Whether the keyword is part of the secret itself rather than of its context.
    fn is_form(self) -> bool {
        matches!(
            self,
            Self::Token(_)
                | Self::Shaped(_)
                | Self::Marked(_)
                | Self::Jwt
                | Self::Armour
                | Self::WebHook(_)
                | Self::Placeholder
        )
    }
}

/// Length of a text in bytes above which the automaton that scans faster, but takes milliseconds to
/// build, is worth it.
const LONG_TEXT_BYTES: usize = 64 * 1024;

static TABLE: LazyLock<Vec<(&'static str, KeywordRule)>> = LazyLock::new(table);
static FOR_SHORT_TEXTS: LazyLock<AhoCorasick> =
    LazyLock::new(|| automaton(AhoCorasickKind::NoncontiguousNFA));
static FOR_LONG_TEXTS: LazyLock<AhoCorasick> = LazyLock::new(|| automaton(AhoCorasickKind::DFA));

/// Returns an automaton whose patterns are the keywords of the table, in its order.
fn automaton(kind: AhoCorasickKind) -> AhoCorasick {
    let words = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(kind))
        .build(TABLE.iter().map(|(word, _)| *word));
    // The table is fixed and a few kilobytes: what an automaton cannot hold it never comes near to.
    #[expect(clippy::expect_used, reason = "the words are fixed and few")]
    words.expect("a few hundred words fit an automaton")
}

fn table() -> Vec<(&'static str, KeywordRule)> {
    let mut table = vec![
        ("eyJ", KeywordRule::Jwt),
        ("-----BEGIN", KeywordRule::Armour),
        ("-----END", KeywordRule::Armour),
        ("://", KeywordRule::Address),
        ("bearer", KeywordRule::Scheme("bearer")),
        ("basic", KeywordRule::Scheme("basic")),
        ("ssws", KeywordRule::Scheme("ssws")),
        ("authorization", KeywordRule::Authorization),
        ("cookie", KeywordRule::Cookie),
        ("_session=", KeywordRule::Session),
        ("sessid=", KeywordRule::Session),
        ("connect.sid=", KeywordRule::Session),
        ("--user", KeywordRule::User),
        (" -u", KeywordRule::User),
        ("bundle", KeywordRule::Bundler),
        (placeholder::OPENING, KeywordRule::Placeholder),
        ("machine", KeywordRule::Other(credential_files::netrc, "password", 6)),
        ("default", KeywordRule::Other(credential_files::netrc, "password", 6)),
        (":5432:", KeywordRule::Other(credential_files::pgpass, "password", 6)),
        (":5433:", KeywordRule::Other(credential_files::pgpass, "password", 6)),
        (":6432:", KeywordRule::Other(credential_files::pgpass, "password", 6)),
        (":6543:", KeywordRule::Other(credential_files::pgpass, "password", 6)),
        (":*:", KeywordRule::Other(credential_files::pgpass, "password", 6)),
        ("sig=", KeywordRule::Other(signature::shared_access, "azure-signature", 8)),
        ("private-lines:", KeywordRule::Other(private_key::putty, "private-key", 10)),
    ];
    table.extend(
        credential_files::SCHEMES
            .iter()
            .map(|scheme| (*scheme, KeywordRule::Other(credential_files::hash, "password-hash", 8))),
    );
    let members = signature::MEMBERS.iter();
    table.extend(members.map(|name| (*name, KeywordRule::Other(signature::key_member, "private-key", 8))));
    table.extend(
        command_line::COMMANDS
            .iter()
            .map(|name| (*name, KeywordRule::Other(command_line::argument, "token", 4))),
    );
    table.extend(token_kinds::tokens().map(|token| (token.prefix, KeywordRule::Token(token))));
    table.extend(
        token_kinds::multi_part::SHAPED.iter().map(|shaped| (shaped.prefix, KeywordRule::Shaped(shaped))),
    );
    table.extend(
        token_kinds::MARKED
            .iter()
            .enumerate()
            .map(|(index, marked)| (marked.mark, KeywordRule::Marked(index))),
    );
    table.extend(
        url::WEB_HOOKS.iter().enumerate().map(|(index, (word, _))| (*word, KeywordRule::WebHook(index))),
    );
    table.extend(command_line::PROGRAMS.iter().map(|(name, flag)| (*name, KeywordRule::Program(flag))));
    table.extend(login::WORDS.iter().map(|word| (*word, KeywordRule::Other(login::password, "password", 3))));
    let users = login::USERS.iter();
    table.extend(users.map(|user| (*user, KeywordRule::Other(login::password_of_user, "password", 3))));
    table.extend(name_strength::WORDS.iter().map(|word| (*word, KeywordRule::Name)));
    table
}

/// Returns everything that the built-in rules want to redact, in no particular order; ranges may
/// overlap. With `forms_only`, only tokens with a recognizable format.
pub fn candidates(text: &str, forms_only: bool) -> Vec<SecretCandidate<'static>> {
    let automaton = if text.len() > LONG_TEXT_BYTES { &*FOR_LONG_TEXTS } else { &*FOR_SHORT_TEXTS };
    let mut pass = ScanState {
        text,
        found: Vec::new(),
        quiet_until: 0,
        no_jwt_until: 0,
        value_until: 0,
        manifest_until: 0,
        dull_until: 0,
        dull_values: 0,
        cookies_until: 0,
        next_at_sign: 0,
        parts_until: 0,
    };
    for hit in automaton.find_overlapping_iter(text) {
        let (_, sign) = TABLE[hit.pattern().as_usize()];
        if hit.start() >= pass.quiet_until && (!forms_only || sign.is_form()) {
            pass.look(sign, hit.start()..hit.end());
        }
    }
    for at in memchr::memchr2_iter(b'.', b'|', text.as_bytes()) {
        pass.joint(at);
    }
    mnemonic::phrases(text).into_iter().for_each(|range| pass.push(range, "recovery-phrase", 8));
    pass.found
}

/// Length in bytes above which a value counts as long; only a limited number of names inside it is
/// parsed.
const LONG_VALUE_BYTES: usize = 1024;
/// Maximum number of names parsed inside a long value.
const MAX_NAMES_INSIDE: usize = 16;

struct ScanState<'t> {
    text: &'t str,
    found: Vec<SecretCandidate<'static>>,
    /// End of the current placeholder, whose content is skipped.
    quiet_until: usize,
    /// Offset before which no JSON Web Token begins.
    no_jwt_until: usize,
    /// End of the last value found; names inside it are skipped.
    value_until: usize,
    /// End of the last manifest that was read.
    manifest_until: usize,
    /// End of the last token of several parts.
    parts_until: usize,
    /// End of the last long value without a secret.
    dull_until: usize,
    /// Number of times that such a value was read.
    dull_values: usize,
    /// End of the last cookie header.
    cookies_until: usize,
    /// Offset of the next `@`.
    next_at_sign: usize,
}

impl ScanState<'_> {
    fn look(&mut self, sign: KeywordRule, hit: Range<usize>) {
        let (text, bytes) = (self.text, self.text.as_bytes());
        match sign {
            KeywordRule::Token(token) => {
                if let Some(end) = token::end(token, bytes, hit.start) {
                    self.push(hit.start..end, token.label, token.weight());
                }
            }
            KeywordRule::Shaped(shaped) => self.extend(shaped.range(text, hit.start), shaped.label, 9),
            KeywordRule::Marked(index) => {
                let kind = &token_kinds::MARKED[index];
                self.extend(token::around(kind, bytes, hit.start), kind.label, 8);
            }
            KeywordRule::Jwt => self.jwt(hit.start),
            KeywordRule::Armour => self.extend(private_key::block(text, hit.start), "private-key", 10),
            KeywordRule::Address if self.at_sign_near(hit.end) => {
                self.extend(url::password(text, hit.start), "url-password", 5);
            }
            KeywordRule::Address => {}
            KeywordRule::WebHook(index) => {
                self.extend(url::web_hook(text, hit.end), url::WEB_HOOKS[index].1, 8)
            }
            KeywordRule::Name => self.name(hit),
            KeywordRule::Scheme(scheme) => {
                self.extend(header::credentials(text, hit.end, scheme), "authorization", 6)
            }
            KeywordRule::Authorization => {
                self.extend(header::authorization(text, hit.end), "authorization", 6)
            }
            KeywordRule::Cookie if hit.start < self.cookies_until => {}
            KeywordRule::Cookie => {
                let (values, end) = header::cookies(text, hit.end);
                self.cookies_until = end;
                for range in values {
                    self.push(range, "session-cookie", 6);
                }
            }
            KeywordRule::Session => self.extend(header::session(text, hit.end), "session-cookie", 6),
            KeywordRule::User => self.extend(header::user(text, hit.end), "password", 5),
            KeywordRule::Program(flag) => {
                self.extend(command_line::password(text, hit.end, flag), "password", 5)
            }
            KeywordRule::Bundler => self.extend(command_line::bundler(text, hit.end), "password", 5),
            KeywordRule::Other(look, label, weight) => self.extend(look(text, hit), label, weight),
            KeywordRule::Placeholder => {
                self.quiet_until = hit.start + placeholder::length(&bytes[hit.start..])
            }
        }
    }

    fn name(&mut self, hit: Range<usize>) {
        let word = &self.text[hit.clone()];
        if word.eq_ignore_ascii_case("secret")
            && hit.start >= self.manifest_until
            && let Some(document) = kubernetes::document(self.text, hit.start)
        {
            self.manifest_until = document.end;
            for range in kubernetes::values(self.text, document) {
                self.push(range, "kubernetes-secret", 4);
            }
        }
        if hit.start < self.value_until || self.is_dull(hit.start) {
            return;
        }
        let assignment = assignment::parse_assignment(self.text, hit);
        if assignment.read.len() > LONG_VALUE_BYTES && assignment.secrets.is_empty() {
            self.dull_until = assignment.read.end;
            self.dull_values += 1;
        }
        for (range, strength) in assignment.secrets {
            self.value_until = self.value_until.max(range.end);
            self.push(range, if strength == NameStrength::Strong { "password" } else { "token" }, 3);
        }
    }

    /// Whether parsing assignments at this offset is a waste of time: it lies in a long value without
    /// a secret, and [`MAX_NAMES_INSIDE`] names before it led to that same value. Bounds the work on hostile
    /// text.
    fn is_dull(&mut self, at: usize) -> bool {
        if at >= self.dull_until {
            self.dull_values = 0;
        }
        self.dull_values >= MAX_NAMES_INSIDE
    }

    /// Whether an `@` is near enough to end the credentials of a URL.
    fn at_sign_near(&mut self, from: usize) -> bool {
        if self.next_at_sign < from {
            let rest = &self.text.as_bytes()[from..];
            self.next_at_sign = memchr::memchr(b'@', rest).map_or(usize::MAX, |at| from + at);
        }
        self.next_at_sign - from <= url::MAX_CREDENTIAL_BYTES
    }

    /// Checks tokens with a dot or bar as marker, which are too common for the automaton.
    fn joint(&mut self, at: usize) {
        let bytes = self.text.as_bytes();
        if bytes[at] == b'|' {
            self.extend(token::around(&token_kinds::FACEBOOK, bytes, at), token_kinds::FACEBOOK.label, 8);
            return;
        }
        self.extend(token::discord(bytes, at), "discord-token", 8);
        if at >= self.parts_until {
            let token = token::in_parts(bytes, at);
            self.parts_until = token.as_ref().map_or_else(|until| *until, |range| range.end);
            self.extend(token.ok(), "token", 2);
        }
        if at > 0
            && bytes[at - 1] == b's'
            && let Some(end) = token::end(&token_kinds::VAULT, bytes, at - 1)
        {
            self.push(at - 1..end, token_kinds::VAULT.label, token_kinds::VAULT.weight());
        }
    }

    fn jwt(&mut self, at: usize) {
        if at < self.no_jwt_until || !self.text[at..].starts_with("eyJ") {
            return;
        }
        match jwt::token(self.text.as_bytes(), at) {
            Ok(range) => {
                self.no_jwt_until = range.end;
                self.push(range, "jwt", 8);
            }
            Err(until) => self.no_jwt_until = until,
        }
    }

    fn extend(&mut self, range: Option<Range<usize>>, label: &'static str, weight: u8) {
        if let Some(range) = range {
            self.push(range, label, weight);
        }
    }

    fn push(&mut self, range: Range<usize>, label: &'static str, weight: u8) {
        self.found.push(SecretCandidate { range, label, weight });
    }
}

#[cfg(test)]
pub fn labels() -> impl Iterator<Item = &'static str> {
    let tokens = token_kinds::tokens().map(|token| token.label);
    let marked = token_kinds::MARKED.iter().map(|marked| marked.label);
    let shaped = token_kinds::multi_part::SHAPED.iter().map(|shaped| shaped.label);
    let others = table().into_iter().filter_map(|(_, sign)| match sign {
        KeywordRule::Other(_, label, _) => Some(label),
        _ => None,
    });
    let hooks = url::WEB_HOOKS.iter().map(|(_, label)| *label);
    tokens.chain(marked).chain(shaped).chain(others).chain(hooks)
}

/// Creates a candidate of a custom pattern, which takes precedence over the built-in rules.
pub(crate) fn custom_candidate<'r>(range: Range<usize>, label: &'r str) -> SecretCandidate<'r> {
    SecretCandidate { range, label, weight: 20 }
}

/// Merges overlapping candidates and sorts them; drops existing placeholders.
pub fn merged<'r>(text: &str, mut candidates: Vec<SecretCandidate<'r>>) -> Vec<SecretCandidate<'r>> {
    if candidates.is_empty() {
        return candidates;
    }
    let taken = placeholder::ranges(text);
    candidates.retain(|candidate| {
        let range = &candidate.range;
        let next = taken.partition_point(|taken| taken.end <= range.start);
        !range.is_empty() && taken.get(next).is_none_or(|taken| taken.start >= range.end)
    });
    candidates.sort_by_key(|candidate| (candidate.range.start, std::cmp::Reverse(candidate.range.end)));
    let mut merged: Vec<SecretCandidate<'r>> = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        match merged.last_mut() {
            Some(last) if candidate.range.start < last.range.end => {
                last.range.end = last.range.end.max(candidate.range.end);
                if candidate.weight > last.weight {
                    (last.label, last.weight) = (candidate.label, candidate.weight);
                }
            }
            _ => merged.push(candidate),
        }
    }
    merged
}
