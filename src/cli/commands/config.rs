//! `cm config`

use clap::{Args, Subcommand, ValueEnum};

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::config;
use cm_app::verbs::config::SettingsTarget;
use cm_app::{Context, Request, Result};
use cm_note::note::NoteKind;
use cm_note::note::schema::schema;
use cm_render::text;

/// Read and write settings
///
/// Later sources override earlier ones: defaults, cm.toml of the global vault, cm.toml, your user settings, your settings
/// for this vault, CM_… variables. Settings that run programs, send text elsewhere or disable a protection are only
/// read from your own settings, never from a vault's cm.toml.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm config list\n  cm config get git.commit\n  cm config set git.commit manual\n  CM_SEARCH_LIMIT=3 cm search pool"
)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List every setting with its value and source
    List,
    /// Print the value of one setting
    Get {
        /// Setting name
        key: String,
    },
    /// Write a setting to cm.toml
    Set {
        /// Setting name
        key: String,
        /// Value; separate list items by commas
        value: String,
        #[command(flatten)]
        target: TargetArguments,
    },
    /// Remove a setting from cm.toml
    Unset {
        /// Setting name
        key: String,
        #[command(flatten)]
        target: TargetArguments,
    },
    /// Print a JSON Schema, with which editors check and complete cm.toml or the frontmatter of notes
    #[command(after_help = "Examples:\n  cm config schema > cm.schema.json\n  cm config schema memory")]
    Schema {
        /// What the schema describes
        #[arg(value_enum, default_value_t)]
        of: SchemaName,
    },
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum SchemaName {
    /// cm.toml
    #[default]
    Settings,
    /// Memories, in graph/ and vault/
    Memory,
    /// Edges, in graph/edges/
    Edge,
    /// Rules and anti-patterns, in playbook/
    Bullet,
    /// Blocked patterns, in blocked/
    Blocked,
    /// Daily logs, in episodes/
    Episode,
    /// Diaries of sessions, in diary/
    Diary,
}

impl SchemaName {
    fn text(self) -> String {
        let kind = match self {
            Self::Settings => return cm_render::schema::text(&config::schema()),
            Self::Memory => NoteKind::Memory,
            Self::Edge => NoteKind::Edge,
            Self::Bullet => NoteKind::Bullet,
            Self::Blocked => NoteKind::Blocked,
            Self::Episode => NoteKind::Episode,
            Self::Diary => NoteKind::Diary,
        };
        schema(kind).map(|schema| cm_render::schema::text(&schema)).unwrap_or_default()
    }
}

#[derive(Debug, Args)]
struct TargetArguments {
    /// Use your own settings for this vault, stored outside its folder
    #[arg(long, conflicts_with = "user")]
    private: bool,
    /// Use your own settings for all vaults
    #[arg(long)]
    user: bool,
}

impl TargetArguments {
    fn target(&self) -> SettingsTarget {
        match self {
            Self { private: true, .. } => SettingsTarget::Private,
            Self { user: true, .. } => SettingsTarget::User,
            _ => SettingsTarget::Shared,
        }
    }
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    match arguments.action {
        // Needs no vault.
        Action::Schema { of } => output.plain(of.text().trim_end()),
        Action::List => {
            let context = Context::open(request)?;
            output.print(&context, &config::list(&context, None)?, text::config::listed)
        }
        Action::Get { key } => {
            let context = Context::open(request)?;
            output.print(&context, &config::list(&context, Some(&key))?, text::config::got)
        }
        Action::Set { key, value, target } => set(request, &key, Some(&value), &target, output),
        Action::Unset { key, target } => set(request, &key, None, &target, output),
    }
}

fn set(
    request: Request,
    key: &str,
    value: Option<&str>,
    target: &TargetArguments,
    output: &Output,
) -> Result<Printed> {
    let context = Context::open(request)?;
    let outcome = config::set(&context, key, value, target.target())?;
    output.print(&context, &outcome, text::config::written)
}
