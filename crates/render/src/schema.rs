//! The JSON Schemas of all documents that commands print with `--json`; a test compares them with
//! `schema/json/`.
#![allow(dead_code, reason = "some documents are made elsewhere and described here")]

use cm_app::RevisionConflict;
use cm_app::context::as_of::AsOf;
use cm_note::note::schema::with_id;
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
    /// Both texts of a note that was changed since it was read; only with the code `conflict`
    conflict: Option<RevisionConflict>,
}

/// `cm graph --json`
#[derive(JsonSchema)]
struct GraphJson {
    /// Notes
    nodes: Vec<NodeJson>,
    /// Edges
    edges: Vec<EdgeJson>,
    /// Commit that was read; absent for the current state
    as_of: Option<AsOf>,
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
        ("core", schema_for!(cm_app::verbs::generate::Generated)),
        ("add", schema_for!(cm_app::verbs::add::AddedNote)),
        ("adopt", schema_for!(cm_app::verbs::adopt::Adoption)),
        ("audit", schema_for!(cm_app::verbs::audit::AuditReport)),
        ("export", schema_for!(cm_app::verbs::export::ExportResult)),
        ("import", schema_for!(cm_app::verbs::import::ImportOutcome)),
        ("commit", schema_for!(cm_app::verbs::commit::CommittedEdits)),
        ("completions", schema_for!(CompletionsJson)),
        ("config", schema_for!(cm_app::verbs::config::SettingList)),
        ("config-set", schema_for!(cm_app::verbs::config::WrittenSetting)),
        ("curate", schema_for!(cm_app::verbs::curate::CurationOutcome)),
        ("friction", schema_for!(cm_app::verbs::friction::FrictionReport)),
        ("forget", schema_for!(cm_app::verbs::forget::ForgottenRule)),
        ("hooks", schema_for!(cm_app::verbs::hooks::HookChanges)),
        ("hooks-deliver", schema_for!(cm_app::verbs::hooks::HooksDelivery)),
        ("hooks-status", schema_for!(cm_app::verbs::hooks::HooksStatus)),
        ("mark", schema_for!(cm_app::verbs::mark::MarkResult)),
        ("outcome", schema_for!(cm_app::verbs::outcome::OutcomeResult)),
        ("playbook-add", schema_for!(cm_app::verbs::playbook_add::ProposalResult)),
        ("playbook-remove", schema_for!(cm_app::verbs::playbook_add::DeprecatedBullet)),
        ("unforget", schema_for!(cm_app::verbs::forget::LiftedBlock)),
        ("context", schema_for!(cm_app::verbs::context::Briefing)),
        ("decay", schema_for!(cm_app::verbs::decay::DecayReport)),
        ("delete", schema_for!(cm_app::verbs::delete::Deleted)),
        ("diary", schema_for!(cm_app::verbs::diary::WrittenDiary)),
        ("diff", schema_for!(cm_app::verbs::diff::VaultDiff)),
        ("doctor", schema_for!(cm_app::verbs::doctor::HealthReport)),
        ("edit", schema_for!(cm_app::verbs::edit::EditResult)),
        ("episode", schema_for!(cm_app::verbs::episode::AppendedEpisode)),
        ("propose", schema_for!(cm_app::verbs::propose::ProposalAnswer)),
        ("handoff", schema_for!(cm_app::verbs::handoff::HandoffAnswer)),
        ("memory-tool", schema_for!(cm_app::verbs::memory_tool::MemoryToolAnswer)),
        ("error", schema_for!(ErrorJson)),
        ("get", schema_for!(cm_app::verbs::get::NoteDetails)),
        ("graph", schema_for!(GraphJson)),
        ("guard", schema_for!(cm_app::verbs::guard::Guarded)),
        ("history", schema_for!(cm_app::verbs::history::NoteHistory)),
        ("setup", schema_for!(cm_app::verbs::setup::SetUp)),
        ("init", schema_for!(cm_app::verbs::init::CreatedVault)),
        ("log", schema_for!(cm_app::verbs::log::CommitList)),
        ("manpages", schema_for!(ManpagesJson)),
        ("new-list", schema_for!(cm_app::verbs::templates::TemplateList)),
        ("onboard-done", schema_for!(cm_app::verbs::onboard::done::ProcessedSession)),
        ("onboard-gaps", schema_for!(cm_app::verbs::onboard::Gaps)),
        ("onboard-read", schema_for!(cm_app::verbs::onboard::read::Excerpt)),
        ("onboard-sample", schema_for!(cm_app::verbs::onboard::sample::Sample)),
        ("onboard-status", schema_for!(cm_app::verbs::onboard::OnboardingStatus)),
        ("onboard-template", schema_for!(cm_app::verbs::onboard::read::OnboardingPackage)),
        ("playbook-export", schema_for!(cm_app::verbs::playbook::export::PlaybookExport)),
        ("playbook-import", schema_for!(cm_app::verbs::playbook::import::BulletImport)),
        ("playbook-get", schema_for!(cm_app::verbs::playbook::get::BulletDetails)),
        ("playbook-list", schema_for!(cm_app::verbs::playbook::list::BulletPage)),
        ("privacy", schema_for!(cm_app::verbs::privacy::PrivacyStatus)),
        ("privacy-log", schema_for!(cm_app::verbs::privacy::ReadLog)),
        ("privacy-set", schema_for!(cm_app::verbs::privacy::ChangedPermission)),
        ("project", schema_for!(cm_app::verbs::project::ProjectionResult)),
        ("recent", schema_for!(cm_app::verbs::recent::RecentNotes)),
        ("embed", schema_for!(cm_app::verbs::embed::EmbeddingStatus)),
        ("reflect", schema_for!(cm_app::verbs::reflect::ReflectResult)),
        ("reflect-emit", schema_for!(cm_app::verbs::reflect::work_package::WorkPackages)),
        ("reindex", schema_for!(cm_app::verbs::reindex::ReindexResult)),
        ("relate", schema_for!(cm_app::verbs::relate::EdgeEditResult)),
        ("remember-emit", schema_for!(cm_app::verbs::remember::RememberPackage)),
        ("remember", schema_for!(cm_app::verbs::remember::RememberResult)),
        ("related", schema_for!(cm_app::verbs::related::RelatedNotes)),
        ("rename", schema_for!(cm_app::verbs::rename::RenameResult)),
        ("review", schema_for!(cm_app::verbs::inbox::Inbox)),
        ("review-settled", schema_for!(cm_app::verbs::review::ReviewResult)),
        ("search", schema_for!(cm_app::verbs::search::SearchResult)),
        ("serve", schema_for!(ServeJson)),
        ("sessions", schema_for!(cm_app::sessions::list::SessionList)),
        ("sessions-search", schema_for!(cm_app::sessions::search::SessionSearchResult)),
        ("sessions-show", schema_for!(cm_app::sessions::show::SessionPage)),
        ("sessions-timeline", schema_for!(cm_app::sessions::timeline::Timeline)),
        ("similar", schema_for!(cm_app::verbs::similar::SimilarNotes)),
        ("starters", schema_for!(cm_app::verbs::starters::StarterList)),
        ("stash", schema_for!(cm_app::verbs::stash::StashResult)),
        ("stash-list", schema_for!(cm_app::verbs::stash::StashList)),
        ("stash-show", schema_for!(cm_app::verbs::stash::StashPage)),
        ("starters-add", schema_for!(cm_app::verbs::starters::StarterResult)),
        ("stale", schema_for!(cm_app::verbs::stale::StaleResult)),
        ("stats", schema_for!(cm_app::verbs::stats::VaultStats)),
        ("tags", schema_for!(cm_app::verbs::tags::TagList)),
        ("token-add", schema_for!(cm_app::verbs::token::NewToken)),
        ("token-list", schema_for!(cm_app::verbs::token::TokenList)),
        ("token-log", schema_for!(cm_app::server_audit::TokenLog)),
        ("token-revoke", schema_for!(cm_app::verbs::token::TokenList)),
        ("top", schema_for!(cm_app::verbs::top::TopBullets)),
        ("trauma-accept", schema_for!(cm_app::verbs::trauma::AcceptResult)),
        ("trauma-scan", schema_for!(cm_app::verbs::trauma::IncidentScan)),
        ("trust", schema_for!(cm_app::verbs::trust::TrustResult)),
        ("trust-import-private", schema_for!(cm_app::verbs::legacy_private::LegacyImport)),
        ("status", schema_for!(cm_app::verbs::status::VaultStatus)),
        ("sync", schema_for!(cm_app::verbs::sync::SyncResult)),
        ("undo", schema_for!(cm_app::verbs::undo::UndoResult)),
        ("update", schema_for!(cm_app::verbs::update::UpdateResult)),
        ("usage", schema_for!(cm_app::verbs::usage::UsageReport)),
        ("validate", schema_for!(cm_app::verbs::validate::ValidationResult)),
        ("validate-rule", schema_for!(cm_app::verbs::validate_rule::RuleJudgement)),
        ("why", schema_for!(cm_app::verbs::why::NoteEvidence)),
    ];
    all.sort_by_key(|(name, _)| *name);
    all.into_iter().map(|(name, schema)| (name, with_id(schema, &format!("json:{name}")))).collect()
}

/// The name of the schema for a command's output.
pub fn of_command(command: &str) -> &str {
    match command {
        "new" => "add",
        "reflection" => "core",
        "ls" => "recent",
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
