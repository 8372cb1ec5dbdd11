//! Decides whether an agent's command may run, by built-in rules and by the incidents and blocked
//! patterns of the open vaults.
//!
//! It runs before every command of an agent, so it opens no index and reads only two small folders.
//! Without a vault, only the built-in rules apply.

use std::path::Path;

use memchr::memmem;
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::project_scope::manifest;
use crate::context::request::Request;
use crate::error::ErrorKind;
use cm_agents::hook::GuardRequest;
use cm_learn::trauma::{
    BlockedPattern, Danger, DangerClass, FileLookup, GuardDecision, PastIncident, PathContext, dangers,
    decide, decide_change, tool,
};
use cm_note::bullet::Bullet;
use cm_note::bullet::blocked::BlockedNote;
use cm_note::note::Note;
use cm_note::note::read::read;
use cm_note::user_text::UserText;
use cm_store::vault::walk;

pub use cm_agents::hook::{HookAgent, HookMessage, HookReply, hook_agent};
pub use cm_learn::trauma::GuardVerdict;

/// Category of the bullets that record past incidents with destructive commands.
pub const CATEGORY: &str = "incidents";

/// Verdict of the guard on a command that an agent wants to run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Guarded {
    /// Whether the command may run.
    pub decision: GuardVerdict,
    /// Kind of damage; `blocked` for a pattern that the vault blocks, null if the command is
    /// harmless.
    pub class: Option<DangerClass>,
    /// Reason as a sentence without a full stop; empty if the command is allowed.
    pub reason: String,
    /// A similar incident of the past; null if there is none.
    pub incident: Option<PastIncident>,
    /// Command with the same purpose that is allowed; null if none is known.
    pub instead: Option<String>,
}

impl From<&GuardDecision> for Guarded {
    fn from(decision: &GuardDecision) -> Self {
        Self {
            decision: decision.judgement,
            class: decision.class,
            reason: decision.reason.clone(),
            incident: decision.incident.clone(),
            instead: decision.instead.clone(),
        }
    }
}

/// Judges a command for the request's working directory. Returns the verdict and notices.
pub fn guard(request: Request, command: &str) -> (GuardDecision, Vec<UserText>) {
    judged(
        request,
        |path_context| dangers(command, path_context),
        |path_context, knowledge| decide(command, path_context, &knowledge.incidents, &knowledge.blocked),
    )
}

/// Judges a tool call of an agent; `None` if it neither runs a command nor changes files.
pub fn guard_tool_call(
    request: &Request,
    tool_call: &GuardRequest,
) -> Option<(GuardDecision, Vec<UserText>)> {
    if let Some(command) = &tool_call.command {
        return Some(guard(request.clone(), command));
    }
    let changes = tool_call.changes.as_slice();
    (!changes.is_empty()).then(|| {
        let found = |path_context: &PathContext<'_>| {
            changes.iter().filter_map(|change| tool::danger(change, path_context)).collect()
        };
        judged(request.clone(), found, |path_context, knowledge| {
            decide_change(changes, path_context, &knowledge.incidents)
        })
    })
}

/// Loads incidents and blocked patterns for the detected dangers, then calls `decide`.
fn judged(
    request: Request,
    dangers: impl Fn(&PathContext<'_>) -> Vec<Danger>,
    decide: impl Fn(&PathContext<'_>, &GuardKnowledge) -> GuardDecision,
) -> (GuardDecision, Vec<UserText>) {
    let cwd = resolved(&request.cwd);
    // Without a home nothing lies in one.
    let home = request.home.as_ref().map_or_else(|| "/home".to_owned(), |home| resolved(home));
    let path_context = PathContext { files: Some(&FileSystemLookup), ..PathContext::new(&cwd, &home) };
    // Incidents are looked for only where they can be like what the command does, which is seldom.
    let classes: Vec<DangerClass> = dangers(&path_context).iter().map(|danger| danger.class).collect();
    let mut knowledge = GuardKnowledge { classes, ..GuardKnowledge::default() };
    match Context::open(request) {
        Ok(context) => {
            context.vaults.iter().for_each(|open| knowledge.read(open));
            knowledge.notices.splice(0..0, context.take_notices());
        }
        Err(error) => {
            let why = if error.kind == ErrorKind::NoVault {
                "there is no vault here".to_owned()
            } else {
                error.message
            };
            knowledge.notices.push(format!("{why}; checked without past incidents").into());
        }
    }
    (decide(&path_context, &knowledge), knowledge.notices)
}

/// Resolves symbolic links; returns the path unchanged if that fails.
fn resolved(path: &Path) -> String {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf()).display().to_string()
}

/// Answers questions of the guard about files from the file system of this machine.
#[derive(Debug)]
struct FileSystemLookup;

impl FileLookup for FileSystemLookup {
    fn resolved(&self, path: &str, through: bool) -> Option<String> {
        let path = Path::new(path);
        let (folder, name) = (path.parent()?, path.file_name()?);
        let there = if through { path.canonicalize().ok() } else { None };
        // A file that is still to be written lies where its folder leads.
        let there = there.or_else(|| {
            let existing = folder.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
            let (above, real) = existing?;
            Some(real.join(folder.strip_prefix(above).ok()?).join(name))
        });
        there.map(|path| path.display().to_string())
    }

    fn is_repository(&self, path: &str) -> bool {
        REPOSITORY.iter().any(|name| Path::new(path).join(name).exists())
    }

    fn is_project(&self, path: &str) -> bool {
        self.is_repository(path) || manifest(Path::new(path)).is_some()
    }
}

/// Folders and files that version control keeps at the root of a repository.
const REPOSITORY: [&str; 3] = [".git", ".hg", ".jj"];

/// Returns all recorded incidents of the open vaults, including drafts.
pub(crate) fn incidents(context: &Context) -> Vec<PastIncident> {
    let mut knowledge =
        GuardKnowledge { drafts: true, classes: DangerClass::ALL.to_vec(), ..GuardKnowledge::default() };
    context.vaults.iter().for_each(|open| knowledge.read(open));
    knowledge.incidents
}

/// Past incidents and blocked patterns of the open vaults, by which commands are judged.
#[derive(Default)]
struct GuardKnowledge {
    drafts: bool,
    classes: Vec<DangerClass>,
    incidents: Vec<PastIncident>,
    blocked: Vec<BlockedPattern>,
    notices: Vec<UserText>,
}

impl GuardKnowledge {
    fn read(&mut self, open: &OpenVault) {
        let classes: Vec<&str> = self.classes.iter().map(|class| class.name()).collect();
        for note in self.notes(open, &format!("playbook/{CATEGORY}"), &classes) {
            let bullet = Bullet::of(&note).filter(|bullet| self.drafts || bullet.is_live());
            self.incidents.extend(bullet.and_then(|bullet| PastIncident::of(&bullet)));
        }
        for note in self.notes(open, "blocked", &["pattern"]) {
            self.blocked.extend(BlockedNote::of(&note).and_then(|blocked| BlockedPattern::of(&blocked)));
        }
    }

    /// Parses the notes below a folder whose text contains one of `words`.
    fn notes(&mut self, open: &OpenVault, folder: &str, words: &[&str]) -> Vec<Note> {
        if words.is_empty() {
            return Vec::new();
        }
        let listing = walk::walk_below(open.vault.root(), folder);
        let unread = listing.findings.iter().map(|finding| format!("{folder}: {}", finding.message).into());
        self.notices.extend(unread);
        let mut notes = Vec::new();
        for file in &listing.files {
            match open.read(&file.path) {
                Ok(bytes) if words.iter().all(|word| memmem::find(&bytes, word.as_bytes()).is_none()) => {}
                Ok(bytes) => {
                    let (types, relations) = (&open.settings.types, &open.settings.relations);
                    notes.push(read(&file.path, &bytes, types, relations).note);
                }
                Err(error) => self.notices.push(format!("cannot read {}: {error}", file.path).into()),
            }
        }
        notes
    }
}
