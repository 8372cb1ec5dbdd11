//! Secrets cannot be added to a vault. An existing one is reported and does not block anything
//! else.

use crate::support::{Sandbox, vault_of};

const NOTE: &str = "graph/facts/deploy.md";

fn note(body: &str) -> String {
    format!("---\nid: a0a0a0a0-0000-4000-8000-000000000001\ntype: fact\ntitle: Deploy\n---\n\n{body}\n")
}

/// Returns a made-up key, assembled at run time, so that scanners do not report this file.
fn key() -> String {
    ["AK", "IAEQ3KDFYSPSC5LKR4"].concat()
}

fn deploys(body: &str) -> Sandbox {
    vault_of(&format!("--- {NOTE}\n{}", note(body)))
}

#[test]
fn a_note_with_a_live_looking_secret_is_refused_with_its_line_and_nothing_is_written() {
    let sandbox = deploys("By hand.");
    let before = sandbox.git(&["status", "--porcelain"]);
    let body = format!("Use this:\n\naws_access_key_id = {}", key());
    let ran = sandbox.cm(&["add", "--type", "fact", "--title", "Keys", "--body", &body]);
    assert_eq!(ran.code, 5);
    assert!(ran.stderr.contains("may contain a real secret (aws-access-key)"), "{}", ran.snapshot());
    assert!(ran.stderr.contains("hint: remove it"), "{}", ran.snapshot());
    assert!(!ran.stderr.contains(&key()) && !ran.stdout.contains(&key()), "it is not said again");
    assert_eq!(sandbox.git(&["status", "--porcelain"]), before);
    let rule = sandbox.cm(&["playbook", "add", "--category", "ops", &format!("Deploy with {}.", key())]);
    assert_eq!(rule.code, 5, "{}", rule.snapshot());
}

#[test]
fn what_a_person_wrote_by_hand_is_refused_when_it_is_to_be_committed() {
    let sandbox = deploys("By hand.");
    sandbox.write(NOTE, note(&format!("With {}.", key())));
    let ran = sandbox.cm(&["commit"]);
    assert_eq!(ran.code, 5, "nothing else was there to commit");
    assert!(ran.stdout.contains("graph/facts/deploy.md:7  aws-access-key"), "{}", ran.snapshot());
    assert!(!ran.stdout.contains(&key()), "it is not shown again");
    sandbox.write(NOTE, note("With <key>, $AWS_KEY, 3f0c9a1be7d24c5e8f6a7b8c9d0e1f2a3b4c5d6e."));
    sandbox.cm(&["commit"]).ok();
}

#[test]
fn a_vault_that_holds_a_secret_already_can_be_worked_with_and_is_told() {
    let sandbox = deploys(&format!("With {}.", key()));
    sandbox.cm(&["update", "Deploy", "--add-tag", "ops"]).ok();
    assert!(sandbox.read(NOTE).contains("ops"));
    let doctor = sandbox.cm(&["doctor"]);
    let line = doctor.stdout.lines().find(|line| line.contains("secrets")).unwrap_or_default().to_owned();
    assert!(line.starts_with("warn"), "{}", doctor.snapshot());
    assert!(line.contains("1 possible secret, such as graph/facts/deploy.md:"), "{line}");
    assert!(!doctor.stdout.contains(&key()));
    let twice = sandbox.read(NOTE) + &format!("And again {}.\n", key());
    sandbox.write(NOTE, twice);
    assert_eq!(sandbox.cm(&["commit"]).code, 5, "once more is once too often");
}

#[test]
fn a_vault_names_secrets_of_its_own_and_may_switch_the_check_off() {
    let sandbox = deploys("By hand.");
    sandbox.write("cm.toml", "[redaction]\nextra = [\"badge = BADGE-[0-9]{6}\"]\n");
    sandbox.commit_all("Settings");
    let add = |body: &str| sandbox.cm(&["add", "--type", "fact", "--title", "Badges", "--body", body]);
    let ran = add("Ada has BADGE-123456.");
    assert!(ran.code == 5 && ran.stderr.contains("(badge)"), "{}", ran.snapshot());
    sandbox.write("cm.toml", "[redaction]\nextra = [\"(\"]\n");
    let ran = add("Anything.");
    assert!(ran.code == 5 && ran.stderr.contains("redaction.extra[0]"), "{}", ran.snapshot());
    sandbox.write("cm.toml", "[redaction]\nenabled = false\n");
    assert_eq!(add(&format!("With {}.", key())).code, 5, "only the user switches it off");
    sandbox.settings("[redaction]\nenabled = false\n");
    add(&format!("With {}.", key())).ok();
}

const RULES: &str = "[[rules]]\nid = \"Badge\"\nregex = \"BADGE-[0-9]{6}\"\nkeywords = [\"badge-\"]\n[rules.allowlist]\nstopwords = [\"000000\"]\n";

#[test]
fn a_file_of_rules_of_the_user_holds_beside_the_built_in_ones() {
    let sandbox = deploys("By hand.");
    sandbox.write("secrets.toml", RULES);
    sandbox.settings("[redaction]\nrules = \"secrets.toml\"\n");
    let add = |body: &str| sandbox.cm(&["add", "--type", "fact", "--title", "Badges", "--body", body]);
    let ran = add("Ada has BADGE-123456.");
    assert!(ran.code == 5 && ran.stderr.contains("(badge)"), "{}", ran.snapshot());
    add("An example is BADGE-000000.").ok();
    assert_eq!(add(&format!("With {}.", key())).code, 5, "the built-in rules hold beside it");
    sandbox.write("secrets.toml", "[[rules]]\nid = \"broken\"\nregex = \"(\"\n");
    let ran = add("Anything.");
    assert!(
        ran.code == 5 && ran.stderr.contains("the rule `broken` has an invalid regular expression"),
        "{}",
        ran.snapshot()
    );
    std::fs::remove_file(sandbox.vault().join("secrets.toml")).unwrap();
    assert_eq!(add("Anything.").code, 5, "rules that are gone are no rules that hold");
}

#[test]
fn a_file_of_the_vault_names_no_file_of_rules() {
    let sandbox = deploys("By hand.");
    sandbox.write("../rules.toml", RULES);
    let add = |body: &str| sandbox.cm(&["add", "--type", "fact", "--title", "Badges", "--body", body]);
    for named in ["../rules.toml".to_owned(), sandbox.root().join("rules.toml").display().to_string()] {
        sandbox.write("cm.toml", format!("[redaction]\nrules = \"{named}\"\n"));
        let ran = add(&format!("Ada has BADGE-123456, as {} says.", named.len())).ok();
        assert!(ran.stderr.contains("`redaction.rules` is ignored in cm.toml"), "{}", ran.snapshot());
    }
    sandbox.settings("[redaction]\nrules = \"../rules.toml\"\n");
    assert_eq!(add("Bob has BADGE-654321.").code, 5, "a person's own file may");
}
