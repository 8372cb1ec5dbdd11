//! The one pass over a text: an automaton finds the places where a secret could be told, and each place is looked at
//! by the rule that it belongs to. Text without such a place costs the automaton alone.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::key::{self, Strength};
use super::{
    assignment, call, header, jwt, kinds, kubernetes, login, mnemonic, placeholder, private_key, signature,
    token, url,
};

/// A place that a rule wants removed.
#[derive(Debug, Clone)]
pub struct Candidate<'r> {
    /// Its bytes.
    pub range: Range<usize>,
    /// What its placeholder says.
    pub label: &'r str,
    /// Where candidates overlap, the label of the weightiest is taken.
    weight: u8,
}

impl Candidate<'_> {
    /// The same finding at another place.
    pub fn at(self, range: Range<usize>) -> Self {
        Self { range, ..self }
    }
}

/// What a word that the automaton met may be the sign of.
#[derive(Clone, Copy)]
enum Sign {
    Token(&'static kinds::Token),
    Shaped(&'static kinds::shaped::Shaped),
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
    /// A word that one function looks at, with the label and the weight of what it finds.
    Other(fn(&str, Range<usize>) -> Option<Range<usize>>, &'static str, u8),
}

impl Sign {
    /// Whether it is a part of the secret itself, and not of the text around it.
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

struct Automaton {
    words: AhoCorasick,
    signs: Vec<Sign>,
}

static AUTOMATON: LazyLock<Automaton> = LazyLock::new(|| {
    let table = table();
    let words = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(table.iter().map(|(word, _)| *word));
    // The table is fixed and a few kilobytes: what an automaton cannot hold it never comes near to.
    #[expect(clippy::expect_used, reason = "the words are fixed and few")]
    let words = words.expect("a few hundred words fit an automaton");
    Automaton { words, signs: table.into_iter().map(|(_, sign)| sign).collect() }
});

fn table() -> Vec<(&'static str, Sign)> {
    let mut table = vec![
        ("eyJ", Sign::Jwt),
        ("-----BEGIN", Sign::Armour),
        ("-----END", Sign::Armour),
        ("://", Sign::Address),
        ("bearer", Sign::Scheme("bearer")),
        ("basic", Sign::Scheme("basic")),
        ("ssws", Sign::Scheme("ssws")),
        ("authorization", Sign::Authorization),
        ("cookie", Sign::Cookie),
        ("_session=", Sign::Session),
        ("sessid=", Sign::Session),
        ("connect.sid=", Sign::Session),
        ("--user", Sign::User),
        (" -u", Sign::User),
        ("bundle", Sign::Bundler),
        (placeholder::OPENING, Sign::Placeholder),
        ("machine", Sign::Other(login::netrc, "password", 6)),
        ("default", Sign::Other(login::netrc, "password", 6)),
        (":5432:", Sign::Other(login::pgpass, "password", 6)),
        (":5433:", Sign::Other(login::pgpass, "password", 6)),
        (":6432:", Sign::Other(login::pgpass, "password", 6)),
        (":6543:", Sign::Other(login::pgpass, "password", 6)),
        (":*:", Sign::Other(login::pgpass, "password", 6)),
        ("sig=", Sign::Other(signature::shared_access, "azure-signature", 8)),
        ("private-lines:", Sign::Other(private_key::putty, "private-key", 10)),
    ];
    table.extend(login::SCHEMES.iter().map(|scheme| (*scheme, Sign::Other(login::hash, "password-hash", 8))));
    let members = signature::MEMBERS.iter();
    table.extend(members.map(|name| (*name, Sign::Other(signature::key_member, "private-key", 8))));
    table.extend(call::COMMANDS.iter().map(|name| (*name, Sign::Other(call::argument, "token", 4))));
    table.extend(kinds::tokens().map(|token| (token.prefix, Sign::Token(token))));
    table.extend(kinds::shaped::SHAPED.iter().map(|shaped| (shaped.prefix, Sign::Shaped(shaped))));
    table.extend(kinds::MARKED.iter().enumerate().map(|(index, marked)| (marked.mark, Sign::Marked(index))));
    table.extend(url::WEB_HOOKS.iter().enumerate().map(|(index, (word, _))| (*word, Sign::WebHook(index))));
    table.extend(call::PROGRAMS.iter().map(|(name, flag)| (*name, Sign::Program(flag))));
    table.extend(key::WORDS.iter().map(|word| (*word, Sign::Name)));
    table
}

/// Everything that the built-in rules want removed, in no order; ranges may overlap. With `forms_only` only what is told by
/// its own form, and not by a name beside it.
pub fn candidates(text: &str, forms_only: bool) -> Vec<Candidate<'static>> {
    let automaton = &*AUTOMATON;
    let mut pass = Pass {
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
    for hit in automaton.words.find_overlapping_iter(text) {
        let sign = automaton.signs[hit.pattern().as_usize()];
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

/// A value that is longer than this, in bytes, is read from few of the names within it.
const DULL: usize = 1024;
/// From how many.
const DULL_VALUES: usize = 16;

struct Pass<'t> {
    text: &'t str,
    found: Vec<Candidate<'static>>,
    /// Within a placeholder nothing is looked at.
    quiet_until: usize,
    /// No JSON web token begins before this place.
    no_jwt_until: usize,
    /// Up to here a value was found already; a name within it gives nothing more.
    value_until: usize,
    /// Up to here a manifest was read already.
    manifest_until: usize,
    /// Up to here a token of several parts was found already.
    parts_until: usize,
    /// Up to here a long value without a secret was read.
    dull_until: usize,
    /// How often that was.
    dull_values: usize,
    /// Up to here a header of cookies was read.
    cookies_until: usize,
    /// Where the next `@` is.
    next_at_sign: usize,
}

impl Pass<'_> {
    fn look(&mut self, sign: Sign, hit: Range<usize>) {
        let (text, bytes) = (self.text, self.text.as_bytes());
        match sign {
            Sign::Token(token) => {
                if let Some(end) = token::end(token, bytes, hit.start) {
                    self.push(hit.start..end, token.label, token.weight());
                }
            }
            Sign::Shaped(shaped) => self.extend(shaped.range(text, hit.start), shaped.label, 9),
            Sign::Marked(index) => {
                let kind = &kinds::MARKED[index];
                self.extend(token::around(kind, bytes, hit.start), kind.label, 8);
            }
            Sign::Jwt => self.jwt(hit.start),
            Sign::Armour => self.extend(private_key::block(text, hit.start), "private-key", 10),
            Sign::Address if self.at_sign_near(hit.end) => {
                self.extend(url::password(text, hit.start), "url-password", 5);
            }
            Sign::Address => {}
            Sign::WebHook(index) => self.extend(url::web_hook(text, hit.end), url::WEB_HOOKS[index].1, 8),
            Sign::Name => self.name(hit),
            Sign::Scheme(scheme) => {
                self.extend(header::credentials(text, hit.end, scheme), "authorization", 6)
            }
            Sign::Authorization => self.extend(header::authorization(text, hit.end), "authorization", 6),
            Sign::Cookie if hit.start < self.cookies_until => {}
            Sign::Cookie => {
                let (values, end) = header::cookies(text, hit.end);
                self.cookies_until = end;
                for range in values {
                    self.push(range, "session-cookie", 6);
                }
            }
            Sign::Session => self.extend(header::session(text, hit.end), "session-cookie", 6),
            Sign::User => self.extend(header::user(text, hit.end), "password", 5),
            Sign::Program(flag) => self.extend(call::password(text, hit.end, flag), "password", 5),
            Sign::Bundler => self.extend(call::bundler(text, hit.end), "password", 5),
            Sign::Other(look, label, weight) => self.extend(look(text, hit), label, weight),
            Sign::Placeholder => self.quiet_until = hit.start + placeholder::length(&bytes[hit.start..]),
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
        let given = assignment::given(self.text, hit);
        if given.read.len() > DULL && given.secrets.is_empty() {
            self.dull_until = given.read.end;
            self.dull_values += 1;
        }
        for (range, strength) in given.secrets {
            self.value_until = self.value_until.max(range.end);
            self.push(range, if strength == Strength::Strong { "password" } else { "token" }, 3);
        }
    }

    /// Whether a long value without a secret is read here that was read often enough already, each time from another name in
    /// it.
    fn is_dull(&mut self, at: usize) -> bool {
        if at >= self.dull_until {
            self.dull_values = 0;
        }
        self.dull_values >= DULL_VALUES
    }

    /// Whether an `@` stands where the credentials of an address could end.
    fn at_sign_near(&mut self, from: usize) -> bool {
        if self.next_at_sign < from {
            let rest = &self.text.as_bytes()[from..];
            self.next_at_sign = memchr::memchr(b'@', rest).map_or(usize::MAX, |at| from + at);
        }
        self.next_at_sign - from <= url::REACH
    }

    /// Kinds that are told by a dot or a bar in their middle, which are too common for the automaton.
    fn joint(&mut self, at: usize) {
        let bytes = self.text.as_bytes();
        if bytes[at] == b'|' {
            self.extend(token::around(&kinds::FACEBOOK, bytes, at), kinds::FACEBOOK.label, 8);
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
            && let Some(end) = token::end(&kinds::VAULT, bytes, at - 1)
        {
            self.push(at - 1..end, kinds::VAULT.label, kinds::VAULT.weight());
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
        self.found.push(Candidate { range, label, weight });
    }
}

/// The kinds of the tables, as placeholders name them.
#[cfg(test)]
pub fn labels() -> impl Iterator<Item = &'static str> {
    let tokens = kinds::tokens().map(|token| token.label);
    let marked = kinds::MARKED.iter().map(|marked| marked.label);
    let shaped = kinds::shaped::SHAPED.iter().map(|shaped| shaped.label);
    let others = table().into_iter().filter_map(|(_, sign)| match sign {
        Sign::Other(_, label, _) => Some(label),
        _ => None,
    });
    let hooks = url::WEB_HOOKS.iter().map(|(_, label)| *label);
    tokens.chain(marked).chain(shaped).chain(others).chain(hooks)
}

/// A place that one of the vault's own patterns found: it outweighs the built-in rules.
pub fn own<'r>(range: Range<usize>, label: &'r str) -> Candidate<'r> {
    Candidate { range, label, weight: 20 }
}

/// The candidates in order, where those that overlap have become one; what is a placeholder already is left out.
pub fn merged<'r>(text: &str, mut candidates: Vec<Candidate<'r>>) -> Vec<Candidate<'r>> {
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
    let mut merged: Vec<Candidate<'r>> = Vec::with_capacity(candidates.len());
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
