//! For every command, `--json` prints one document on stdout that matches its schema in
//! `schema/json/`, and notices on stderr. The schemas match the types; `CM_BLESS=1 cargo test`
//! rewrites them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use cm_render::schema::{documents, of_command, text};
use jsonschema::Validator;
use serde_json::Value;

use crate::support::{Ran, Sandbox, example, regretted};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn folder() -> PathBuf {
    root().join("schema/json")
}

#[test]
fn the_schema_files_are_what_the_types_say() {
    let bless = std::env::var_os("CM_BLESS").is_some();
    let mut expected = BTreeSet::new();
    for (name, schema) in documents() {
        let (file, text) = (folder().join(format!("{name}.json")), text(&schema));
        if bless {
            std::fs::create_dir_all(folder()).unwrap();
            std::fs::write(&file, &text).unwrap();
        }
        let kept = std::fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(kept, text, "{} is not what the types say: CM_BLESS=1 cargo test", file.display());
        expected.insert(file);
    }
    let kept: BTreeSet<PathBuf> =
        std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(kept, expected, "no schema is left of a document that is no more");
}

/// Returns the names of all commands in the help.
fn commands() -> BTreeSet<String> {
    let help = Sandbox::new().cm(&["help", "--all"]).ok().stdout;
    let listed = help.lines().filter(|line| line.starts_with("  "));
    listed
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

/// Returns the reasons why a document does not match its schema.
fn misfits(document: &str, value: &Value) -> Vec<String> {
    static VALIDATORS: LazyLock<BTreeMap<&str, Validator>> = LazyLock::new(|| {
        documents()
            .into_iter()
            .map(|(name, schema)| (name, jsonschema::draft202012::new(schema.as_value()).unwrap()))
            .collect()
    });
    let validator = VALIDATORS.get(document).unwrap_or_else(|| panic!("there is no schema `{document}`"));
    validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

/// Checks that the output is one document of this kind.
pub fn assert_fits(document: &str, ran: &Ran) {
    // Fails unless stdout is exactly one document.
    let value = ran.json();
    assert_eq!(misfits(document, &value), [""; 0], "{document}\n{value:#}");
    let known: Vec<_> = value.as_object().unwrap().keys().collect();
    assert!(!known.is_empty(), "{document} says nothing");
}

/// A call of every command that returns a document, in an order in which each has something to do,
/// and several calls for commands with different results by argument. Arguments are separated by
/// blanks; `+` is a blank within an argument.
const CALLS: &str = "\
init
status
sync
sync --dry-run
audit b-mo76pd48-ckhtk7
setup --yes --no-agents --no-sessions
review
review --confirm b0e0c6
validate-rule Write+the+changelog+first.
starters
starters add git --dry-run
why b-mq9k7r70-lz8utt
why Use+Postgres+rather+than+SQLite
validate
doctor
reindex
reindex --check
reindex --full
search pool
search pool --as-of HEAD
search pool --explain
search pool --group session --spread
embed status
embed use none
embed use builtin
search type:fix --limit 2
context change+the+retry+of+gauge+fetches
context change+the+retry --as-of HEAD
sessions --days 0
sessions list --days 0 --agent claude-code
sessions search tests
sessions show 11111111
sessions expand 11111111 --line 2
sessions timeline --days 0
sessions export 11111111
reflect --days 0 --dry-run
reflect --days 0 --emit
diary 11111111
reflect --days 0
recent
ls
similar 1bc3be
similar retry+the+request --kind bullet
tags
stats
get 1bc3be
get 1bc3be --as-of HEAD
decay
top
top 3 --category testing
stale --days 0
usage
related 1bc3be --hops 2 --as-of HEAD
graph
graph 1bc3be
graph 1bc3be --as-of HEAD
core
core --as-of HEAD
reflection
add --type fact --title Ports+differ --tags net --body Seen.
new --type decision --title Use+another+port
new --list
update Ports+differ --set importance=0.9
rename Use+another+port Use+a+second+port
rename Use+a+second+port Use+another+port
edit Ports+differ
pin Ports+differ
unpin Ports+differ
relate Ports+differ Use+another+port --type SUPERSEDES
unrelate Ports+differ Use+another+port
mark b-mt2ssunl-jq6d8j --helpful
outcome 11111111 failure --rules b-mnq4ancz
forget b-mt2ssunl-jq6d8j --reason Wrong
unforget b-mt2ssunl-jq6d8j --revive
curate ../deltas.json --dry-run
episode Release --memory Ports+differ
propose Use+port+5433. --quote use+port+5433 --session 11111111
handoff --goal Ship+it
handoff --show
memory-tool {\"command\":\"view\",\"path\":\"/memories\"}
log
history Ports+differ
diff
diff HEAD~9 HEAD
undo
delete Use+another+port
restore Use+another+port@HEAD~1
commit
export --format json --out ../copy.json
export --format markdown --out ../copy
import ../copy --from markdown --into copy --dry-run
import ../copy/graph/facts --from markdown --into facts
adopt --dry-run
playbook list --state all
playbook get b-mnq4ancz
playbook add --category testing Print+the+seed+of+every+test+before+it+runs.
playbook remove b-mt2ssunl-jq6d8j
playbook export --out ../playbook.yaml
playbook import ../playbook.yaml
import ../playbook.yaml --dry-run
guard
hooks install claude --skills
hooks status
hooks install claude --server http://127.0.0.1:9
hooks status
hooks deliver
hooks uninstall claude
friction .. --rules classic --out ../friction
trauma scan
trauma accept t-
onboard status
onboard gaps
onboard sample
onboard read 11111111
onboard read 11111111 --template
onboard done 11111111
privacy
privacy log
privacy deny agent pi
privacy allow agent pi
stash Talk+about+pools
stash list
stash show Talk+about+pools
remember --emit
remember --files ../memory
project --format agents.md --counts
export --format memory.md --out ../MEMORY.md
config list
config get search.limit
config set search.limit 7
config unset search.limit
token add Ada --role admin --expires 90d
token list
token log Ada
token revoke Ada
trust --status
completions bash
manpages --out man
";

/// An agent's log, for commands about sessions.
const SESSION: &[u8] = include_bytes!(
    "../golden/sessions/claude_code/projects/-home-dev-demo/11111111-aaaa-4bbb-8ccc-000000000001.jsonl"
);

/// Commands that print only for people, or for agents in another format.
const TALKERS: [&str; 5] = ["hook", "mcp", "merge-driver", "open", "quickstart"];
/// Commands that run until stopped; their own tests read the document.
const SERVERS: [&str; 2] = ["serve", "web"];

#[test]
fn every_command_answers_with_one_document_that_fits_its_schema() {
    let sandbox = example();
    regretted(&sandbox);
    sandbox.write("../log.jsonl", "{\"type\":\"user\",\"message\":{\"content\":\"damn\"}}\n");
    sandbox.write("../deltas.json", "[{\"type\": \"helpful\", \"id\": \"b-mt2ssunl-jq6d8j\"}]");
    sandbox
        .write("../home/.claude/projects/-home-dev-demo/11111111-aaaa-4bbb-8ccc-000000000001.jsonl", SESSION);
    let remote = sandbox.root().join("remote.git").display().to_string();
    sandbox.git(&["init", "--quiet", "--bare", &remote]);
    sandbox.git(&["remote", "add", "origin", &remote]);
    let mut called: BTreeSet<String> = TALKERS.into_iter().chain(SERVERS).map(str::to_owned).collect();
    for line in CALLS.lines() {
        let words: Vec<String> = line.split(' ').map(|word| word.replace('+', " ")).collect();
        let arguments: Vec<&str> = words.iter().map(String::as_str).chain(["--json"]).collect();
        let ran = sandbox.run(&arguments).env("EDITOR", "true").stdin("git reset --hard").go();
        // The server of this sandbox does not answer.
        let expected = if line == "hooks deliver" { 7 } else { 0 };
        assert_eq!(ran.code, expected, "{line}\n{}", ran.snapshot());
        let document = match (words[0].as_str(), words.get(1).map(String::as_str)) {
            ("config", Some("set" | "unset")) => "config-set",
            ("hooks", Some(action @ ("deliver" | "status"))) => &format!("hooks-{action}"),
            ("review", Some("--confirm")) => "review-settled",
            ("starters", Some("add")) => "starters-add",
            ("reflect" | "remember", _) if line.ends_with("--emit") => &format!("{}-emit", words[0]),
            ("sessions", Some("show" | "expand" | "export")) => "sessions-show",
            ("sessions", Some(action @ ("search" | "timeline"))) => &format!("sessions-{action}"),
            ("stash", Some(action @ ("list" | "show"))) => &format!("stash-{action}"),
            ("new", Some("--list")) => "new-list",
            ("onboard", _) if line.ends_with("--template") => "onboard-template",
            ("privacy", Some("allow" | "deny")) => "privacy-set",
            ("privacy", None) => "privacy",
            ("onboard" | "playbook" | "privacy" | "token" | "trauma", Some(action)) => {
                &format!("{}-{action}", words[0])
            }
            (command, _) => of_command(command),
        };
        assert_fits(document, &ran);
        assert!(ran.stderr.lines().all(|line| line.starts_with("note: ")), "{line}: {}", ran.stderr);
        called.insert(words[0].clone());
    }
    assert_eq!(called, commands(), "every command of the help is called here");
}

#[test]
fn every_kind_of_failure_answers_with_the_same_document_and_its_exit_code() {
    let sandbox = example();
    let (outside, alone) = (Sandbox::new(), Sandbox::new());
    alone.write("cm.toml", "");
    let mut codes = BTreeSet::new();
    for (sandbox, line, exit) in [
        (&sandbox, "add --type hunch --title Maybe", 2),
        (&sandbox, "add --importance", 2),
        (&sandbox, "polish", 2),
        (&sandbox, "recent --since soon", 2),
        (&outside, "stats", 3),
        (&outside, "get x --vault nowhere", 3),
        (&sandbox, "get No+such+note", 4),
        (&sandbox, "related No+such+note", 4),
        (&sandbox, "config get nothing", 4),
        (&sandbox, "diff nowhere", 4),
        (&alone, "log", 5),
        (&sandbox, "undo", 8),
    ] {
        let words: Vec<String> = line.split(' ').map(|word| word.replace('+', " ")).collect();
        let arguments: Vec<&str> = words.iter().map(String::as_str).chain(["--json"]).collect();
        let ran = sandbox.cm(&arguments);
        assert_eq!(ran.code, exit, "{line}\n{}", ran.snapshot());
        assert_fits("error", &ran);
        let error = &ran.json()["error"];
        assert_eq!(ran.stderr, "", "{line}");
        let message = error["message"].as_str().unwrap();
        assert!(!message.ends_with(['.', ':']) && !message.contains('\n'), "{line}: {message}");
        codes.insert(error["code"].as_str().unwrap().to_owned());
    }
    assert_eq!(
        codes.into_iter().collect::<Vec<_>>(),
        ["no-repository", "no-vault", "not-a-vault", "not-found", "nothing-done", "usage"]
    );
}

#[test]
fn a_check_that_failed_still_answers_with_its_own_document() {
    let sandbox = example();
    sandbox.write("graph/facts/broken.md", "---\nid: [\n---\n");
    for command in ["validate", "doctor"] {
        let ran = sandbox.cm(&[command, "--json"]);
        assert_eq!(ran.code, 1, "{command}");
        assert_fits(command, &ran);
    }
}

#[test]
fn a_notice_goes_to_stderr_and_quiet_silences_it() {
    let sandbox = example();
    sandbox.cm(&["reindex"]).ok();
    let ran = sandbox.cm(&["search", "pool", "--json", "--no-refresh"]).ok();
    assert_eq!(ran.stderr, "note: the index was not updated (`--no-refresh`)\n");
    assert_fits("search", &ran);
    let ran = sandbox.cm(&["search", "pool", "--json", "--no-refresh", "--quiet"]).ok();
    assert_eq!(ran.stderr, "");
}

#[test]
fn a_document_that_lacks_a_key_or_has_another_kind_of_value_does_not_fit() {
    let sound = serde_json::json!({ "id": "a", "path": "p", "added": true, "commit": null, "similar": [] });
    assert_eq!(misfits("add", &sound), [""; 0]);
    for (key, value) in [("id", Value::Null), ("commit", 7.into()), ("similar", Value::Null)] {
        let mut spoiled = sound.clone();
        spoiled[key] = value;
        assert!(!misfits("add", &spoiled).is_empty(), "{key}");
        spoiled.as_object_mut().unwrap().remove(key);
        let needed = misfits("add", &spoiled);
        assert_eq!(needed.is_empty(), key == "commit", "{key}: {needed:?}");
    }
}

#[test]
fn the_help_of_every_command_has_examples_that_stand_on_one_line() {
    for command in commands() {
        let help = Sandbox::new().cm(&["help", &command]).ok().stdout;
        let mut lines = help.lines().skip_while(|line| !matches!(*line, "Example:" | "Examples:")).skip(1);
        assert!(lines.clone().next().is_some(), "{command} has no examples");
        assert!(lines.all(|line| line.starts_with("  ") && line.contains("cm ")), "{command}:\n{help}");
    }
}
