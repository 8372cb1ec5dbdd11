//! `cm export`: the vault for other tools.

use crate::support::exchange::{VAULT, files};
use crate::support::vault_of;

#[test]
fn an_export_writes_over_nothing_that_it_did_not_make() {
    let sandbox = vault_of(VAULT);
    sandbox.cm(&["export", "--format", "markdown", "--out", "../copy"]).ok();
    assert_eq!(files(&sandbox, "../copy"), files(&sandbox, "."));
    sandbox.write("../copy/graph/fixes/a.md", "theirs");
    let export = ["export", "--format", "markdown", "--out", "../copy"];
    assert_eq!(sandbox.cm(&export).code, 5);
    assert_eq!(sandbox.read("../copy/graph/fixes/a.md"), "theirs");
    sandbox.cm(&[&export[..], &["--force"]].concat()).ok();
    assert_eq!(files(&sandbox, "../copy"), files(&sandbox, "."));
    assert_eq!(sandbox.cm(&["export", "--format", "markdown", "--out", "inner"]).code, 5);

    sandbox.write("_config.json", "{\"api_key\": \"private\"}");
    let beside = sandbox.cm(&["export", "--format", "claude-memory", "--force", "--json"]).ok().json();
    assert_eq!(beside["left"], serde_json::json!(["_config.json"]));
    assert_eq!(sandbox.read("_config.json"), "{\"api_key\": \"private\"}");
    let document = sandbox.cm(&["export", "--format", "json"]).ok();
    assert_eq!(document.json()["notes"][1]["frontmatter"]["importance"], 0.25);
    assert!(!document.stdout.contains("private"));
}
