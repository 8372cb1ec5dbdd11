//! The JSON Schemas of all documents that commands print with `--json`; a test compares them with
//! `schema/json/`.
#![allow(dead_code, reason = "some documents are made elsewhere and described here")]

use schemars::{JsonSchema, Schema, schema_for};
use serde_json::Value;

use crate::ops;

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
        ("core", schema_for!(ops::generate::Generated)),
        ("add", schema_for!(ops::add::Added)),
        ("adopt", schema_for!(ops::adopt::Adoption)),
        ("audit", schema_for!(ops::audit::Audited)),
        ("export", schema_for!(ops::export::Exported)),
        ("import", schema_for!(ops::import::Outcome)),
        ("commit", schema_for!(ops::commit::Committed)),
        ("completions", schema_for!(CompletionsJson)),
        ("config", schema_for!(ops::config::Listed)),
        ("config-set", schema_for!(ops::config::Written)),
        ("curate", schema_for!(ops::curate::Outcome)),
        ("friction", schema_for!(ops::friction::Found)),
        ("forget", schema_for!(ops::forget::Forgotten)),
        ("hooks", schema_for!(ops::hooks::Changes)),
        ("hooks-status", schema_for!(ops::hooks::HooksStatus)),
        ("mark", schema_for!(ops::mark::Marked)),
        ("outcome", schema_for!(ops::outcome::Recorded)),
        ("playbook-add", schema_for!(ops::propose::Proposed)),
        ("playbook-remove", schema_for!(ops::propose::Removed)),
        ("unforget", schema_for!(ops::forget::Lifted)),
        ("context", schema_for!(ops::context::Briefing)),
        ("decay", schema_for!(ops::decay::Decayed)),
        ("delete", schema_for!(ops::delete::Deleted)),
        ("diary", schema_for!(ops::diary::Written)),
        ("diff", schema_for!(ops::diff::Diffed)),
        ("doctor", schema_for!(ops::doctor::Examined)),
        ("edit", schema_for!(ops::edit::Edited)),
        ("episode", schema_for!(ops::episode::Logged)),
        ("error", schema_for!(ErrorJson)),
        ("get", schema_for!(ops::get::Got)),
        ("graph", schema_for!(GraphJson)),
        ("guard", schema_for!(ops::guard::Guarded)),
        ("history", schema_for!(ops::history::History)),
        ("init", schema_for!(ops::init::Initialised)),
        ("log", schema_for!(ops::log::Logged)),
        ("manpages", schema_for!(ManpagesJson)),
        ("onboard-done", schema_for!(ops::onboard::done::Done)),
        ("onboard-gaps", schema_for!(ops::onboard::Gaps)),
        ("onboard-read", schema_for!(ops::onboard::read::Excerpt)),
        ("onboard-sample", schema_for!(ops::onboard::sample::Sample)),
        ("onboard-status", schema_for!(ops::onboard::Status)),
        ("onboard-template", schema_for!(ops::onboard::read::Package)),
        ("playbook-export", schema_for!(ops::playbook::export::Exported)),
        ("playbook-import", schema_for!(ops::playbook::import::Imported)),
        ("playbook-get", schema_for!(ops::playbook::get::Got)),
        ("playbook-list", schema_for!(ops::playbook::list::Listed)),
        ("privacy", schema_for!(ops::privacy::Privacy)),
        ("privacy-log", schema_for!(ops::privacy::Logged)),
        ("privacy-set", schema_for!(ops::privacy::Set)),
        ("project", schema_for!(ops::project::Projected)),
        ("recent", schema_for!(ops::recent::Recent)),
        ("embed", schema_for!(ops::embed::Embeddings)),
        ("reflect", schema_for!(ops::reflect::Reflected)),
        ("reflect-emit", schema_for!(ops::reflect::handed::Handed)),
        ("reindex", schema_for!(ops::reindex::Reindexed)),
        ("relate", schema_for!(ops::relate::Related)),
        ("remember", schema_for!(ops::remember::Remembered)),
        ("related", schema_for!(ops::related::Related)),
        ("review", schema_for!(ops::review::Inbox)),
        ("review-settled", schema_for!(ops::review::Settled)),
        ("search", schema_for!(ops::search::Searched)),
        ("serve", schema_for!(ServeJson)),
        ("sessions", schema_for!(ops::sessions::list::Sessions)),
        ("sessions-search", schema_for!(ops::sessions::search::Searched)),
        ("sessions-show", schema_for!(ops::sessions::show::Shown)),
        ("sessions-timeline", schema_for!(ops::sessions::timeline::Timeline)),
        ("similar", schema_for!(ops::similar::Similar)),
        ("starters", schema_for!(ops::starters::Starters)),
        ("stash", schema_for!(ops::stash::Stashed)),
        ("stash-list", schema_for!(ops::stash::Stashes)),
        ("stash-show", schema_for!(ops::stash::Shown)),
        ("starters-add", schema_for!(ops::starters::Added)),
        ("stale", schema_for!(ops::stale::Stale)),
        ("stats", schema_for!(ops::stats::Stats)),
        ("tags", schema_for!(ops::tags::Tags)),
        ("token-add", schema_for!(ops::token::Made)),
        ("token-list", schema_for!(ops::token::Tokens)),
        ("token-revoke", schema_for!(ops::token::Tokens)),
        ("top", schema_for!(ops::top::Top)),
        ("trauma-accept", schema_for!(ops::trauma::Accepted)),
        ("trauma-scan", schema_for!(ops::trauma::Scanned)),
        ("trust", schema_for!(ops::trust::Trusted)),
        ("trust-import-private", schema_for!(ops::former::TakenOver)),
        ("undo", schema_for!(ops::undo::Undone)),
        ("update", schema_for!(ops::update::Changed)),
        ("usage", schema_for!(ops::usage::UsageReport)),
        ("validate", schema_for!(ops::validate::Validated)),
        ("validate-rule", schema_for!(ops::validate_rule::Judged)),
        ("why", schema_for!(ops::why::Why)),
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
