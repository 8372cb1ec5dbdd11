//! The JSON Schemas of all documents that commands print with `--json`; a test compares them with
//! `schema/json/`.
#![allow(dead_code, reason = "some documents are made elsewhere and described here")]

use schemars::{JsonSchema, Schema, schema_for};
use serde_json::Value;

/// Output of a failed command
#[derive(JsonSchema)]
struct ErrorJson {
    /// The error
    error: ErrorBody,
}

#[derive(JsonSchema)]
struct ErrorBody {
    /// Stable identifier for scripts
    code: String,
    /// What went wrong
    message: String,
    /// How to fix it
    hint: Option<String>,
    /// Path of the file concerned
    path: Option<String>,
    /// Line number, from 1
    line: Option<u32>,
    /// Column number, from 1
    column: Option<u32>,
    /// Exit code
    exit: u8,
}

/// `cm graph --json`
#[derive(JsonSchema)]
struct GraphJson {
    /// Notes
    nodes: Vec<NodeJson>,
    /// Edges
    edges: Vec<EdgeJson>,
}

#[derive(JsonSchema)]
struct NodeJson {
    /// ID of the note
    id: String,
    /// Title of the note
    title: String,
    /// Type of the note, else its kind
    #[serde(rename = "type")]
    note_type: String,
    /// Path of the note
    path: String,
}

#[derive(JsonSchema)]
struct EdgeJson {
    /// ID of the source note
    from: String,
    /// ID of the target note
    to: String,
    /// Relation type
    #[serde(rename = "type")]
    relation: String,
    /// Strength, 0–1
    strength: f64,
}

/// `cm completions --json`
#[derive(JsonSchema)]
struct CompletionsJson {
    /// Name of the shell
    shell: String,
    /// Completion script
    script: String,
}

/// `cm manpages --json`
#[derive(JsonSchema)]
struct ManpagesJson {
    /// Folder with the manual pages
    folder: String,
    /// File names of the manual pages
    pages: Vec<String>,
}

/// `cm serve --json`, printed when the server is ready
#[derive(JsonSchema)]
struct ServeJson {
    /// Address that the server listens on
    address: String,
    /// Whether requests need no token
    open: bool,
}

/// Every schema by the name of its command; commands with equal output share one.
pub fn documents() -> Vec<(&'static str, Schema)> {
    let mut all = vec![
        ("core", schema_for!(cm_app::generate::Generated)),
        ("add", schema_for!(cm_app::add::Added)),
        ("adopt", schema_for!(cm_app::adopt::Adoption)),
        ("audit", schema_for!(cm_app::audit::Audited)),
        ("export", schema_for!(cm_app::export::Exported)),
        ("import", schema_for!(cm_app::import::Outcome)),
        ("commit", schema_for!(cm_app::commit::Committed)),
        ("completions", schema_for!(CompletionsJson)),
        ("config", schema_for!(cm_app::config::Listed)),
        ("config-set", schema_for!(cm_app::config::Written)),
        ("curate", schema_for!(cm_app::curate::Outcome)),
        ("friction", schema_for!(cm_app::friction::Found)),
        ("forget", schema_for!(cm_app::forget::Forgotten)),
        ("hooks", schema_for!(cm_app::hooks::Changes)),
        ("hooks-status", schema_for!(cm_app::hooks::HooksStatus)),
        ("mark", schema_for!(cm_app::mark::Marked)),
        ("outcome", schema_for!(cm_app::outcome::Recorded)),
        ("playbook-add", schema_for!(cm_app::propose::Proposed)),
        ("playbook-remove", schema_for!(cm_app::propose::Removed)),
        ("unforget", schema_for!(cm_app::forget::Lifted)),
        ("context", schema_for!(cm_app::context::Briefing)),
        ("decay", schema_for!(cm_app::decay::Decayed)),
        ("delete", schema_for!(cm_app::delete::Deleted)),
        ("diary", schema_for!(cm_app::diary::Written)),
        ("diff", schema_for!(cm_app::diff::Diffed)),
        ("doctor", schema_for!(cm_app::doctor::Examined)),
        ("edit", schema_for!(cm_app::edit::Edited)),
        ("episode", schema_for!(cm_app::episode::Logged)),
        ("error", schema_for!(ErrorJson)),
        ("get", schema_for!(cm_app::get::Got)),
        ("graph", schema_for!(GraphJson)),
        ("guard", schema_for!(cm_app::guard::Guarded)),
        ("history", schema_for!(cm_app::history::History)),
        ("init", schema_for!(cm_app::init::Initialised)),
        ("log", schema_for!(cm_app::log::Logged)),
        ("manpages", schema_for!(ManpagesJson)),
        ("onboard-done", schema_for!(cm_app::onboard::done::Done)),
        ("onboard-gaps", schema_for!(cm_app::onboard::Gaps)),
        ("onboard-read", schema_for!(cm_app::onboard::read::Excerpt)),
        ("onboard-sample", schema_for!(cm_app::onboard::sample::Sample)),
        ("onboard-status", schema_for!(cm_app::onboard::Status)),
        ("onboard-template", schema_for!(cm_app::onboard::read::Package)),
        ("playbook-export", schema_for!(cm_app::playbook::export::Exported)),
        ("playbook-import", schema_for!(cm_app::playbook::import::Imported)),
        ("playbook-get", schema_for!(cm_app::playbook::get::Got)),
        ("playbook-list", schema_for!(cm_app::playbook::list::Listed)),
        ("privacy", schema_for!(cm_app::privacy::Privacy)),
        ("privacy-log", schema_for!(cm_app::privacy::Logged)),
        ("privacy-set", schema_for!(cm_app::privacy::Set)),
        ("project", schema_for!(cm_app::project::Projected)),
        ("recent", schema_for!(cm_app::recent::Recent)),
        ("embed", schema_for!(cm_app::embed::Embeddings)),
        ("reflect", schema_for!(cm_app::reflect::Reflected)),
        ("reflect-emit", schema_for!(cm_app::reflect::handed::Handed)),
        ("reindex", schema_for!(cm_app::reindex::Reindexed)),
        ("relate", schema_for!(cm_app::relate::Related)),
        ("remember", schema_for!(cm_app::remember::Remembered)),
        ("related", schema_for!(cm_app::related::Related)),
        ("review", schema_for!(cm_app::review::Inbox)),
        ("review-settled", schema_for!(cm_app::review::Settled)),
        ("search", schema_for!(cm_app::search::Searched)),
        ("serve", schema_for!(ServeJson)),
        ("sessions", schema_for!(cm_app::sessions::list::Sessions)),
        ("sessions-search", schema_for!(cm_app::sessions::search::Searched)),
        ("sessions-show", schema_for!(cm_app::sessions::show::Shown)),
        ("sessions-timeline", schema_for!(cm_app::sessions::timeline::Timeline)),
        ("similar", schema_for!(cm_app::similar::Similar)),
        ("starters", schema_for!(cm_app::starters::Starters)),
        ("stash", schema_for!(cm_app::stash::Stashed)),
        ("stash-list", schema_for!(cm_app::stash::Stashes)),
        ("stash-show", schema_for!(cm_app::stash::Shown)),
        ("starters-add", schema_for!(cm_app::starters::Added)),
        ("stale", schema_for!(cm_app::stale::Stale)),
        ("stats", schema_for!(cm_app::stats::Stats)),
        ("tags", schema_for!(cm_app::tags::Tags)),
        ("token-add", schema_for!(cm_app::token::Made)),
        ("token-list", schema_for!(cm_app::token::Tokens)),
        ("token-revoke", schema_for!(cm_app::token::Tokens)),
        ("top", schema_for!(cm_app::top::Top)),
        ("trauma-accept", schema_for!(cm_app::trauma::Accepted)),
        ("trauma-scan", schema_for!(cm_app::trauma::Scanned)),
        ("trust", schema_for!(cm_app::trust::Trusted)),
        ("trust-import-private", schema_for!(cm_app::former::TakenOver)),
        ("undo", schema_for!(cm_app::undo::Undone)),
        ("update", schema_for!(cm_app::update::Changed)),
        ("usage", schema_for!(cm_app::usage::UsageReport)),
        ("validate", schema_for!(cm_app::validate::Validated)),
        ("validate-rule", schema_for!(cm_app::validate_rule::Judged)),
        ("why", schema_for!(cm_app::why::Why)),
    ];
    all.sort_by_key(|(name, _)| *name);
    all
}

/// The name of the schema for a command's output.
pub fn of_command(command: &str) -> &str {
    match command {
        "new" => "add",
        "reflection" => "core",
        "pin" | "unpin" | "restore" => "update",
        "unrelate" => "relate",
        other => other,
    }
}

/// A schema as written to its file.
pub fn text(schema: &Schema) -> String {
    let value: &Value = schema.as_value();
    format!("{value:#}\n")
}
