//! Whether a command may run, as the vault's past incidents and blocked patterns have it beside the built-in rules.
//!
//! It stands before every command of an agent, so that it opens no index and reads two small folders only. Without a
//! vault it judges all the same.

use schemars::JsonSchema;
use serde::Serialize;

use super::error::Kind;
use super::memory::{Call, Memory, OpenVault};
use crate::curate::trauma::{BlockedPattern, Class, Decision, Ground, PastIncident, decide};
use crate::domain::bullet::Bullet;
use crate::domain::bullet::blocked::Blocked;
use crate::domain::note::Note;
use crate::domain::note::read::read;
use crate::vault::walk;

pub use crate::curate::trauma::{Judgement, hook};

/// The category of the bullets that keep incidents; the guard reads no other.
pub const CATEGORY: &str = "incidents";

/// What becomes of a command.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Guarded {
    /// Whether it may run.
    pub decision: Judgement,
    /// What it would endanger; `blocked` of a pattern that the vault blocks.
    pub class: Option<Class>,
    /// Why, as a sentence without its full stop; empty where it is allowed.
    pub reason: String,
    /// The past incident that it is like.
    pub incident: Option<PastIncident>,
}

impl From<&Decision> for Guarded {
    fn from(decision: &Decision) -> Self {
        Self {
            decision: decision.judgement,
            class: decision.class,
            reason: decision.reason.clone(),
            incident: decision.incident.clone(),
        }
    }
}

/// Judges a command that would run in the call's working folder; with what the person should hear besides.
pub fn guard(call: Call, command: &str) -> (Decision, Vec<String>) {
    let cwd = call.cwd.display().to_string();
    // Without a home nothing lies in one.
    let home = call.home.as_ref().map_or_else(|| "/home".to_owned(), |home| home.display().to_string());
    let mut known = Known::default();
    match Memory::open(call) {
        Ok(memory) => {
            memory.vaults.iter().for_each(|open| known.read(open));
            known.notices.splice(0..0, memory.take_notices());
        }
        Err(error) => {
            let why =
                if error.kind == Kind::NoVault { "there is no vault here".to_owned() } else { error.message };
            known.notices.push(format!("{why}; judged without past incidents"));
        }
    }
    let ground = Ground { cwd: &cwd, home: &home };
    (decide(command, &ground, &known.incidents, &known.blocked), known.notices)
}

/// What the vaults know of commands.
#[derive(Default)]
struct Known {
    incidents: Vec<PastIncident>,
    blocked: Vec<BlockedPattern>,
    notices: Vec<String>,
}

impl Known {
    fn read(&mut self, open: &OpenVault) {
        for note in self.notes(open, &format!("playbook/{CATEGORY}")) {
            self.incidents.extend(Bullet::of(&note).and_then(|bullet| PastIncident::of(&bullet)));
        }
        for note in self.notes(open, "blocked") {
            self.blocked.extend(Blocked::of(&note).and_then(|blocked| BlockedPattern::of(&blocked)));
        }
    }

    fn notes(&mut self, open: &OpenVault, folder: &str) -> Vec<Note> {
        let listing = walk::walk_below(open.vault.root(), folder);
        let unread = listing.findings.iter().map(|finding| format!("{folder}: {}", finding.message));
        self.notices.extend(unread);
        let mut notes = Vec::new();
        for file in &listing.files {
            match open.read(&file.path) {
                Ok(bytes) => {
                    let (types, relations) = (&open.settings.types, &open.settings.relations);
                    notes.push(read(&file.path, &bytes, types, relations).note);
                }
                Err(error) => self.notices.push(format!("{} cannot be read: {error}", file.path)),
            }
        }
        notes
    }
}
