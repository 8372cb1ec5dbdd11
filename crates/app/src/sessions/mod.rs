//! The sessions of agents: their logs are read into an index of the vault that is written to, and asked there.
//!
//! Every question first reads what is new in the logs. Nothing here judges a session, and nothing leaves the machine.

pub(super) mod allowed;
pub(super) mod events;
mod ingest;
pub mod list;
pub mod outside;
mod project;
pub mod reads;
mod row;
mod scribe;
pub mod search;
pub mod show;
pub(super) mod sources;
pub mod timeline;
pub(super) mod understood;
pub mod whole;

use crate::error::{Error, Kind, Result};
use crate::memory::Memory;
use crate::reflect::record::Record;
use cm_index::sessions::{Listed, Lookup, Sessions};
use cm_session::Agent;

pub use ingest::Progress;
pub use row::{Named, Row, Said};

/// Which sessions a question is about.
#[derive(Debug, Clone, Default)]
pub struct Which {
    /// Of these agents, by name, several between commas; of all where there is none.
    pub agents: Option<String>,
    /// Of this folder and those below it, as typed.
    pub workspace: Option<String>,
    /// Only those of the last days; of all times where it is 0.
    pub days: Option<f64>,
}

/// Reads what is new in the logs, for those who ask later.
///
/// # Errors
/// Those of [`Shelf::open`].
pub(super) fn refresh(memory: &Memory) -> Result<()> {
    ingest::refresh(memory, &mut |_| {})
}

/// The sessions, as fresh as this call may make them.
pub struct Shelf {
    sessions: Sessions,
    /// What was learned from which.
    record: Record,
}

impl Shelf {
    /// Reads what is new in the logs, unless the call says not to.
    ///
    /// # Errors
    /// Patterns of secrets that are none, and an index that cannot be written.
    pub fn open(memory: &Memory, progress: &mut dyn FnMut(Progress)) -> Result<Self> {
        if memory.call.no_refresh {
            memory.notice("answered from the index as it stands (--no-refresh)");
        } else {
            ingest::refresh(memory, progress)?;
        }
        Ok(Self { record: Record::heard(memory)?, ..Self::as_it_stands(memory) })
    }

    /// The sessions that were read before, for answers that must not wait for logs and do not say what was learned.
    pub(super) fn as_it_stands(memory: &Memory) -> Self {
        Self { sessions: Sessions::open(&folder(memory)), record: Record::default() }
    }

    /// What the index answers; `None` where there is none.
    pub(super) fn ask<T>(
        &self,
        question: impl FnOnce(&Sessions) -> std::result::Result<T, cm_index::Error>,
    ) -> Result<Option<T>> {
        match question(&self.sessions) {
            Ok(answer) => Ok(Some(answer)),
            Err(cm_index::Error::Unusable(cm_index::Unusable::Missing)) => Ok(None),
            Err(error @ cm_index::Error::Unusable(_)) => {
                Err(Error::new(Kind::Failed, "index", error.to_string())
                    .hint("run the command without --no-refresh, so that the logs are read again"))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The session of that id, or the one whose id begins so.
    pub(super) fn one(&self, name: &str) -> Result<Listed> {
        if name.trim().is_empty() {
            return Err(Error::usage("a session is named by its id").hint("`cm sessions` lists them"));
        }
        match self.ask(|sessions| sessions.lookup(name))?.unwrap_or(Lookup::Nothing) {
            Lookup::One(listed) => Ok(*listed),
            Lookup::Nothing => Err(Error::not_found(format!("there is no session `{name}`"))
                .hint("`cm sessions --days 0` lists all of them")),
            Lookup::Several(sessions) => {
                let ids: Vec<String> = sessions
                    .iter()
                    .map(|session| format!("{} ({})", session.meta.id, session.meta.agent))
                    .collect();
                let message = format!("`{name}` begins the ids of several sessions");
                Err(Error::new(Kind::NotFound, "ambiguous", message)
                    .hint(format!("one of {}", ids.join(", "))))
            }
        }
    }
}

/// Where the index lies. Guests have one of their own, of what was sent to the vault.
pub(super) fn folder(memory: &Memory) -> std::path::PathBuf {
    memory.target().vault.index().join(if memory.call.by.is_guest { "sent" } else { "sessions" })
}

/// An agent by its name.
pub(super) fn agent(name: &str) -> Option<Agent> {
    Agent::ALL.into_iter().find(|agent| agent.name() == name)
}

/// Agents by their names, several between commas.
///
/// # Errors
/// A name that is no agent's.
pub fn agents(typed: &str) -> Result<Vec<Agent>> {
    let one = |name: &str| {
        agent(name).ok_or_else(|| {
            let known = Agent::ALL.map(Agent::name).join(", ");
            Error::usage(format!("`{name}` is no agent whose logs are read"))
                .hint(format!("those are {known}"))
        })
    };
    typed.split(',').map(str::trim).map(one).collect()
}
