//! Cursor: the editor's database, agent transcripts, and the chats of its command line.
//!
//! The editor stores credentials in the same database. Every query names the keys that it needs.

mod chat;
mod editor_database;
mod editor_message;
pub mod transcript;
mod wire;

use std::path::{Path, PathBuf};

use super::Cursor;
use crate::agents::connector::{Connector, LogReader};
use crate::ingest::file_uri::folder_of;
use crate::ingest::locations::{self, HostPlatform, LogLocations};
use crate::ingest::source::{FoundLogs, LogFormat, LogSource};
use cm_session::Agent;

impl Connector for Cursor {
    fn find(&self, places: &LogLocations, found: &mut FoundLogs) {
        let mut users = vec![places.applications().join("Cursor/User")];
        if places.platform == HostPlatform::Linux && places.environment.contains_key("WSL_DISTRO_NAME") {
            // The editor of Windows, seen from its Linux.
            users.extend(
                found
                    .list(Path::new("/mnt/c/Users"))
                    .into_iter()
                    .map(|home| home.join("AppData/Roaming/Cursor/User")),
            );
        }
        let mut homes = vec![places.home.join(".cursor")];
        for path in places.extra_paths_of(Agent::Cursor) {
            users.push(path.join("User"));
            homes.push(path.clone());
        }
        for user in users {
            find_databases(&user, found);
        }
        for home in homes {
            find_transcripts(&home, found);
            find_chats(&home, found);
        }
    }

    fn reader(&self, format: LogFormat) -> LogReader {
        match format {
            LogFormat::CursorTranscript => LogReader::lines::<transcript::TranscriptState>(),
            LogFormat::CursorChat => LogReader::Own { read: chat::read, emit: None },
            _ => LogReader::Own { read: editor_database::read, emit: None },
        }
    }
}

fn find_databases(user: &Path, found: &mut FoundLogs) {
    const NAME: &str = "state.vscdb";
    let global = user.join("globalStorage").join(NAME);
    if global.is_file() {
        found.add(Agent::Cursor, LogFormat::CursorDatabase, global);
    }
    for folder in found.list(&user.join("workspaceStorage")) {
        let path = folder.join(NAME);
        if path.is_file() {
            let mut source = LogSource::new(Agent::Cursor, LogFormat::CursorDatabase, path);
            source.workspace = found.read_companion(&folder.join("workspace.json")).and_then(|text| {
                let wire: wire::CursorWorkspace<'_> = serde_json::from_str(&text).ok()?;
                wire.folder.non_blank().map(folder_of)
            });
            found.sources.push(source);
        }
    }
}

fn find_transcripts(home: &Path, found: &mut FoundLogs) {
    for project in found.list(&home.join("projects")) {
        let logs: Vec<PathBuf> = found.files_below(&project.join("agent-transcripts"), 1);
        let logs: Vec<_> = logs
            .into_iter()
            .filter(|path| {
                path.extension().is_some_and(|ending| ending == "jsonl")
                    && locations::folder(path) != "subagents"
            })
            .collect();
        if logs.is_empty() {
            continue;
        }
        let workspace = found.read_companion(&project.join(".workspace-trusted")).and_then(|text| {
            let wire: wire::CursorTrustedFolder<'_> = serde_json::from_str(&text).ok()?;
            wire.workspace_path.owned()
        });
        for path in logs {
            let mut source = LogSource::new(Agent::Cursor, LogFormat::CursorTranscript, path);
            source.workspace.clone_from(&workspace);
            found.sources.push(source);
        }
    }
}

fn find_chats(home: &Path, found: &mut FoundLogs) {
    for workspace in found.list(&home.join("chats")) {
        for chat in found.list(&workspace) {
            let path = chat.join("store.db");
            if path.is_file() {
                let mut source = LogSource::new(Agent::Cursor, LogFormat::CursorChat, path);
                source.title = found.read_companion(&chat.join("meta.json")).and_then(|text| {
                    let wire: wire::ChatMeta<'_> = serde_json::from_str(&text).ok()?;
                    wire.title.owned()
                });
                found.sources.push(source);
            }
        }
    }
}
