//! Recall and false positives of redaction by format, on texts with random parts that are generated
//! by the test.

use cm_secrets::{RedactionRules, redact};

/// Number of texts generated per template.
const DRAWS: u64 = 20;

/// A small deterministic random generator (xorshift).
struct Draw(u64);

impl Draw {
    fn of(template: &str, number: u64) -> Self {
        let seed = template
            .bytes()
            .fold(number + 1, |sum, byte| sum.wrapping_mul(0x0100_0000_01b3).wrapping_add(u64::from(byte)));
        Self(seed | 1)
    }

    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % most
    }

    fn text(&mut self, alphabet: &str, length: usize) -> String {
        (0..length).map(|_| char::from(alphabet.as_bytes()[self.below(alphabet.len())])).collect()
    }

    /// Expands a `{…}` of a template. Returns `None` for literal braces.
    fn piece(&mut self, inner: &str) -> Option<String> {
        if inner == "uuid" {
            let part = |draw: &mut Self, length| draw.text("0123456789abcdef", length);
            let variant = self.text("89ab", 1);
            return Some(format!(
                "{}-{}-4{}-{variant}{}-{}",
                part(self, 8),
                part(self, 4),
                part(self, 3),
                part(self, 3),
                part(self, 12)
            ));
        }
        let (class, length) = inner.split_once(':')?;
        let (upper, lower, digit) =
            ("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz", "0123456789");
        let alphabet = match class {
            "hex" => "0123456789abcdef".to_owned(),
            "HEX" => "0123456789ABCDEF".to_owned(),
            "lower" => [lower, digit].concat(),
            "upper" => [upper, digit].concat(),
            "alnum" => [upper, lower, digit].concat(),
            "url" => [upper, lower, digit, "-_"].concat(),
            "b64" => [upper, lower, digit, "+/"].concat(),
            "digit" => digit.to_owned(),
            "b32" => [upper, "234567"].concat(),
            "b58" => "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".to_owned(),
            "bech" => "qpzry9x8gf2tvdw0s3jn54khce6mua7l".to_owned(),
            _ => return None,
        };
        Some(self.text(&alphabet, length.parse().ok()?))
    }

    fn filled(&mut self, template: &str) -> String {
        let mut text = String::new();
        let mut rest = template;
        while let Some(at) = rest.find('{') {
            let (before, from) = rest.split_at(at);
            text.push_str(before);
            let piece = from.find('}').and_then(|end| Some((self.piece(&from[1..end])?, end + 1)));
            let (piece, length) = piece.unwrap_or_else(|| ("{".to_owned(), 1));
            text.push_str(&piece);
            rest = &from[length..];
        }
        text + rest
    }
}

/// Encodes the content of `b64<…>`, `hex<…>` and `pct<…>`, innermost first.
fn encoded(text: &str) -> String {
    let mut text = text.to_owned();
    while let Some((open, name)) =
        ["b64<", "hex<", "pct<"].iter().filter_map(|name| Some((text.rfind(name)?, *name))).max()
    {
        let inner = open + name.len();
        let close = closing(&text[inner..]) + inner;
        let bytes = &text.as_bytes()[inner..close];
        let code = match name {
            "b64<" => base64(bytes),
            "hex<" => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
            _ => percent(&text[inner..close]),
        };
        text.replace_range(open..=close, &code);
    }
    text
}

/// Encodes bytes as base64 with padding.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |group: &[u8]| {
        let bits =
            group.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        let digit = |at: usize| char::from(DIGITS[(bits >> (18 - 6 * at)) as usize & 63]);
        (0..4).map(|at| if at <= group.len() { digit(at) } else { '=' }).collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}

/// Returns the position of the `>` that ends an encoded part.
fn closing(text: &str) -> usize {
    text.find('>').unwrap()
}

fn percent(text: &str) -> String {
    let one = |c: char| match c {
        c if c.is_ascii_alphanumeric() || matches!(c, '_' | '⟦' | '⟧') => c.to_string(),
        c => c.to_string().bytes().map(|byte| format!("%{byte:02X}")).collect(),
    };
    text.chars().map(one).collect()
}

struct Case {
    label: String,
    text: String,
    /// Secrets that redaction must remove, in order.
    secrets: Vec<String>,
}

/// Generates the test cases of one line.
fn cases(line: &str) -> Vec<Case> {
    let (label, template) = line.split_once('\t').unwrap_or(("-", line));
    let template = template.replace("\\n", "\n");
    let case = |number| {
        let marked = encoded(&Draw::of(&template, number).filled(&template));
        let secrets = marked.split('⟦').skip(1).filter_map(|part| part.split_once('⟧'));
        let secrets = secrets.map(|(secret, _)| secret.to_owned()).collect();
        Case { label: label.to_owned(), text: marked.replace(['⟦', '⟧'], ""), secrets }
    };
    (0..if template.contains('{') { DRAWS } else { 1 }).map(case).collect()
}

/// Whether no usable part of the secrets is left.
fn is_caught(case: &Case) -> bool {
    let (text, _) = redact(&case.text, &RedactionRules::default());
    case.secrets.iter().all(|secret| {
        let longest = secret.split_whitespace().max_by_key(|word| word.len()).unwrap_or_default();
        !text.as_str().contains(secret.as_str()) && !text.as_str().contains(longest)
    })
}

fn lines(file: &str) -> impl Iterator<Item = &str> {
    file.lines().filter(|line| !line.starts_with("# "))
}

/// Returns the numbers of caught and of all texts, and the lines with missed texts.
fn recall(file: &str) -> (usize, usize, Vec<String>) {
    let (mut caught, mut all, mut missed) = (0, 0, Vec::new());
    for line in lines(file) {
        let cases = cases(line);
        let hits = cases.iter().filter(|case| is_caught(case)).count();
        (caught, all) = (caught + hits, all + cases.len());
        if let Some(case) = cases.iter().find(|case| !is_caught(case)) {
            let shown = redact(&case.text, &RedactionRules::default()).0.into_string();
            missed.push(format!("{} {hits} of {}: {shown}", case.label, cases.len()));
        }
    }
    (caught, all, missed)
}

/// Returns the numbers of altered and of all texts, and the altered texts.
fn alarms(file: &str) -> (usize, usize, Vec<String>) {
    let (mut touched, mut all, mut shown) = (0, 0, Vec::new());
    for case in lines(file).flat_map(|line| cases(&format!("-\t{line}"))) {
        let (text, removed) = redact(&case.text, &RedactionRules::default());
        all += 1;
        if !removed.is_empty() {
            touched += 1;
            shown.push(format!("{} <- {}", text.as_str(), case.text));
        }
    }
    (touched, all, shown)
}

#[test]
fn every_format_that_redaction_knows_is_found() {
    let (caught, all, missed) = recall(include_str!("../golden/secrets-formats.tsv"));
    println!("known formats: {caught} of {all}\n{}", missed.join("\n"));
    assert!(caught * 100 >= all * 98, "{caught} of {all}\n{}", missed.join("\n"));
}

#[test]
fn formats_that_redaction_was_not_tuned_on_are_found() {
    let (caught, all, missed) = recall(include_str!("../golden/secrets-unseen.tsv"));
    println!("unseen formats: {caught} of {all}\n{}", missed.join("\n"));
    assert!(caught * 100 >= all * 98, "{caught} of {all}\n{}", missed.join("\n"));
}

#[test]
fn benign_lines_stay_as_they_are() {
    let (touched, all, shown) = alarms(include_str!("../golden/secrets-benign.tsv"));
    println!("benign lines touched: {touched} of {all}\n{}", shown.join("\n"));
    assert!(touched * 100 <= all, "{touched} of {all}\n{}", shown.join("\n"));
}

#[test]
fn near_misses_mostly_stay() {
    let (touched, all, shown) = alarms(include_str!("../golden/secrets-near.tsv"));
    println!("near-misses touched: {touched} of {all}\n{}", shown.join("\n"));
    assert!(touched * 10 < all, "{touched} of {all}\n{}", shown.join("\n"));
}
