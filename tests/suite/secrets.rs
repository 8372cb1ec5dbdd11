//! Tests redaction on golden cases, and on the labelled set if it is available.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use cm_secrets::{RedactionRules, redact};

/// One string of the labelled set.
struct Case {
    id: String,
    label: String,
    source: String,
    rule: String,
    text: String,
    secret: Option<String>,
}

impl Case {
    /// Whether something was removed and, if the secret is known, nothing of it is left.
    fn is_caught(&self) -> bool {
        let (text, removed) = redact(&self.text, &RedactionRules::default());
        !removed.is_empty()
            && self.secret.as_ref().is_none_or(|secret| !text.as_str().contains(secret.as_str()))
    }

    /// Whether the secret has a documented format, in contrast to free-form passwords and values.
    fn is_structured(&self) -> bool {
        const FREE: [&str; 6] = [
            "generic-api-key",
            "keyword",
            "high_entropy_strings",
            "curl-auth-user",
            "curl-auth-header",
            "basic_auth",
        ];
        self.source != "trufflehog" && !FREE.contains(&self.rule.as_str())
    }

    /// Whether it is a digest, UUID or id from a real file.
    fn is_real(&self) -> bool {
        self.source.starts_with("real:")
    }
}

fn cases(folder: &Path) -> Vec<Case> {
    let file = folder.join("secrets/secrets.jsonl.gz");
    let output = std::process::Command::new("gzip").arg("-dc").arg(&file).output().unwrap();
    assert!(output.status.success(), "{} cannot be read", file.display());
    let text = String::from_utf8(output.stdout).unwrap();
    let case = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        let of = |key: &str| value[key].as_str().map(str::to_owned);
        let must = |key: &str| of(key).unwrap_or_default();
        Case {
            id: must("id"),
            label: must("label"),
            source: must("source"),
            rule: must("rule"),
            text: must("text"),
            secret: of("secret"),
        }
    };
    text.lines().map(case).collect()
}

#[derive(Default)]
struct Count {
    caught: usize,
    all: usize,
}

impl Count {
    fn add(&mut self, caught: bool) {
        self.all += 1;
        self.caught += usize::from(caught);
    }

    fn share(&self) -> f64 {
        self.caught as f64 / self.all.max(1) as f64
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {} = {:.4}", self.caught, self.all, self.share())
    }
}

/// Runs only if `CM_EVAL` names the folder of the labelled sets. `CM_EVAL_RUN` names a file for the
/// individual results.
#[test]
fn the_labelled_set_is_redacted_as_promised() {
    let Some(folder) = std::env::var_os("CM_EVAL") else { return };
    let mut counts: BTreeMap<&str, Count> = BTreeMap::new();
    let mut run = String::new();
    let mut removed_real = Vec::new();
    for case in cases(Path::new(&folder)) {
        let caught = case.is_caught();
        let _ = writeln!(run, "{}\t{}\t{}\t{}\t{caught}", case.id, case.label, case.source, case.rule);
        match case.label.as_str() {
            "secret" => {
                counts.entry("secrets").or_default().add(caught);
                counts
                    .entry(if case.source == "trufflehog" {
                        "secrets by a provider's name"
                    } else if case.is_structured() {
                        "structured secrets"
                    } else {
                        "free secrets"
                    })
                    .or_default()
                    .add(caught);
            }
            "benign" => {
                counts
                    .entry(if case.is_real() { "real lines (benign)" } else { "made-up lines (benign)" })
                    .or_default()
                    .add(caught);
                if case.is_real() && caught {
                    removed_real.push(case.text);
                }
            }
            _ => {}
        }
    }
    if let Some(file) = std::env::var_os("CM_EVAL_RUN") {
        std::fs::write(file, run).unwrap();
    }
    let benign: usize =
        counts.iter().filter(|(name, _)| name.ends_with("(benign)")).map(|(_, count)| count.caught).sum();
    let caught = counts["secrets"].caught;
    println!("precision {:.4}", caught as f64 / (caught + benign) as f64);
    counts.iter().for_each(|(name, count)| println!("{name}: {count}"));
    assert!(removed_real.is_empty(), "removed from real files: {removed_real:#?}");
    assert!(counts["structured secrets"].share() >= 0.95);
}

/// Parses a line of the golden file into input and expected output.
fn golden(line: &str) -> (String, String) {
    let (rule, text) = line.split_once('\t').unwrap();
    let text = text.replace('¦', "").replace("\\\\", "\u{0}").replace("\\n", "\n").replace('\u{0}', "\\");
    let mut expected = String::new();
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once('⟦') {
        let (_, after) = after.split_once('⟧').unwrap();
        expected.push_str(&format!("{before}[redacted: {rule}]"));
        rest = after;
    }
    (text.replace(['⟦', '⟧'], ""), expected + rest)
}

#[test]
fn golden_texts_lose_their_secrets_and_nothing_else() {
    let file = include_str!("../golden/secrets.tsv");
    let mut wrong = Vec::new();
    for line in file.lines().filter(|line| !line.starts_with('#')) {
        let (text, expected) = golden(line);
        let (redacted, _) = redact(&text, &RedactionRules::default());
        if redacted.as_str() != expected {
            wrong.push(format!("expected {expected}\n     got {redacted}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
